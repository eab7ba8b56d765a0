"""Prompts as data, and how they are read and filled in."""
