"""Addresses of stores.

``sqlite:PATH``, ``sqlite:`` alone for the user's own, ``memory:``, ``postgres://USER@HOST:PORT/NAME``.
"""

import os
import re
import sys
from pathlib import Path
from typing import Final

from events.errors import BadStore

SCHEMES: Final = ("postgres", "postgresql")

_SECRET: Final = re.compile(r"((?:pass(?:word|file)?|sslpassword)=)[^&\s]*", re.IGNORECASE)


def is_postgres(url: str) -> bool:
    """Whether ``url`` names a PostgreSQL store."""
    scheme, colon, _ = url.partition("://")
    return bool(colon) and scheme in SCHEMES


def redacted(url: str) -> str:
    """``url`` without its password, for messages and logs, also if the password has unescaped characters."""
    scheme, colon, rest = url.partition("://")
    user, at, where = rest.rpartition("@")
    if colon and at:
        url = f"{scheme}://{user.partition(':')[0]}@{where}"
    return _SECRET.sub(r"\1…", url)


def default_path() -> Path:
    """``moot/moot.db`` in the user's data folder of this system."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "moot" / "moot.db"
    # The XDG specification says to ignore a value that is not absolute.
    given = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".local" / "share") / "moot" / "moot.db"


def sqlite_path(url: str) -> Path | None:
    """The file of ``url``; None for another kind of store.  Raises ``BadStore``."""
    kind, colon, rest = url.partition(":")
    if colon and kind == "sqlite":
        return Path(rest).expanduser() if rest else default_path()
    if url == "memory:" or is_postgres(url):
        return None
    raise BadStore(f"{redacted(url)!r} is no store: write sqlite:PATH, sqlite:, memory: or postgres://USER@HOST/NAME")
