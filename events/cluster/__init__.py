"""Nodes on one store: leases, an inbox for forwarded commands, and buses for text in flight."""
