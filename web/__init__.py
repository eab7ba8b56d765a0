"""The page: files that a browser loads as they are."""
