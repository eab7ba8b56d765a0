"""Several nodes on one PostgreSQL store."""
