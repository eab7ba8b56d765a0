"""Stores of events: the log's protocol and shared parts, one folder for each database, and the log in memory."""
