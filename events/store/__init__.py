"""Stores of events: what they share, and one folder for each kind."""
