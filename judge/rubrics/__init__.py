"""The rubric as data, how it is loaded, and its checks."""
