"""This server as one node among others on one PostgreSQL store."""
