"""Commands that run debates, and show them."""
