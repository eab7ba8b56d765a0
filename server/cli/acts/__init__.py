"""Commands that act on a debate."""
