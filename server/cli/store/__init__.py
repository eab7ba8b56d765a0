"""Commands that move, copy and check what is stored."""
