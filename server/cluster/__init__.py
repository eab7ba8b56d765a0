"""One node among others on the same store."""
