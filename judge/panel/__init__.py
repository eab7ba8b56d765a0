"""The panel: raters as data, their questions, the statistics of their agreement, and the outcome."""
