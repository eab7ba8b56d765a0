"""A debate as a document to read."""
