"""A store's name as it may be shown: it can hold a password."""

import re
from typing import Final

SCHEMES: Final = ("postgres", "postgresql")

_SECRET: Final = re.compile(r"((?:pass(?:word|file)?|sslpassword)=)[^&\s]*", re.IGNORECASE)


def is_postgres(url: str) -> bool:
    """Whether ``url`` names a PostgreSQL store."""
    scheme, colon, _ = url.partition("://")
    return bool(colon) and scheme in SCHEMES


def redacted(url: str) -> str:
    """``url`` fit for a log: who and where, never the password, wherever its signs were forgotten to be escaped."""
    scheme, colon, rest = url.partition("://")
    said, at, where = rest.rpartition("@")
    if colon and at:
        url = f"{scheme}://{said.partition(':')[0]}@{where}"
    return _SECRET.sub(r"\1…", url)
