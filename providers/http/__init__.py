"""Shared by providers over HTTP: connections, listings, error statuses, responses, and what calls have shown."""
