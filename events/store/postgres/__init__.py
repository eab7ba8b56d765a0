"""The store in PostgreSQL.  Raises ``StoreUnavailable`` where its driver is not installed."""

from importlib.util import find_spec

from events.errors import StoreUnavailable

if find_spec("psycopg") is None:
    raise StoreUnavailable("a store in PostgreSQL needs the extra postgres: pip install 'moot[postgres]'")
