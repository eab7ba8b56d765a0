"""Where a PostgreSQL store lies, and how that is said without its password."""

from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from events.errors import BadStore
from events.store.address import redacted

CONNECT_S: Final = 5
ANSWER_S: Final = 12.0
"""What a statement may take before the connection counts as lost; the server gives it up earlier (``STATEMENT_MS``)."""
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
"""What notices a partition within seconds; the URL may say otherwise."""


def parameters(url: str) -> dict[str, Any]:
    """What libpq connects with.  Raises ``BadStore``, which repeats nothing of what may be a password."""
    try:
        said = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # The library's own sentence quotes the part that it did not understand: it may be half a password.
        raise BadStore(f"{redacted(url)} is no address of a database: write postgres://USER@HOST:PORT/NAME") from None
    return _DEFAULTS | said


def secrets_of(known: dict[str, Any]) -> tuple[str, ...]:
    """The values that no message may repeat, longest first."""
    found = {str(value) for name, value in known.items() if name in {"password", "sslpassword"} and value}
    return tuple(sorted(found, key=len, reverse=True))
