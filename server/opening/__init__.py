"""How a debate is asked for, checked, estimated, and opened."""
