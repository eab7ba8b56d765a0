"""Connection parameters of a PostgreSQL store, and its address without the password."""

from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from events.errors import BadStore
from events.store.address import redacted

CONNECT_S: Final = 5
ANSWER_S: Final = 12.0
"""Seconds without an answer after which a connection counts as lost.  The server cancels a statement earlier."""
STATEMENT_MS: Final = 10_000

_DEFAULTS: Final[dict[str, Any]] = {
    "connect_timeout": CONNECT_S,
    "application_name": "moot",
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""Defaults that detect a network partition within seconds; the URL may override them."""


def parameters(url: str) -> dict[str, Any]:
    """Parameters for libpq.  Raises ``BadStore``; its message holds no part of the password."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # libpq's message quotes the part that it does not understand, which may be a part of the password.
        raise BadStore(f"{redacted(url)} is no address of a database: write postgres://USER@HOST:PORT/NAME") from None
    return _DEFAULTS | given


def secrets_of(known: dict[str, Any]) -> tuple[str, ...]:
    """The secret values, longest first."""
    found = {str(value) for name, value in known.items() if name in {"password", "sslpassword"} and value}
    return tuple(sorted(found, key=len, reverse=True))
