"""The list of debates: its cursor, and how text is found in a motion.

A cursor says after which (opening time, number in the store) the next page begins: keyset paging, so a page costs the
same wherever it stands and a new debate shifts nothing.
"""

import binascii
import unicodedata
from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from events.errors import BadCursor


def fold_text(text: str) -> str:
    """Text as it is compared in a search: NFKC, case folded."""
    return unicodedata.normalize("NFKC", text).casefold()


def write_cursor(opened_at: str, number: int) -> str:
    """The opaque cursor of the row that a page ended with."""
    return urlsafe_b64encode(msgspec.json.encode((opened_at, number))).decode().rstrip("=")


def read_cursor(cursor: str) -> tuple[str, int]:
    """Opening time and number of the row that the page begins after.  Raises ``BadCursor``."""
    try:
        written = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        opened_at, number = msgspec.json.decode(written, type=tuple[str, int])
    except (binascii.Error, ValueError, msgspec.DecodeError) as error:
        raise BadCursor(cursor) from error
    if not 0 <= number < 1 << 63:
        raise BadCursor(cursor)
    return opened_at, number
