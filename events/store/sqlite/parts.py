"""Payloads without the parts of prompts that the store holds already.

An answered call names the segments of its prompt by their digests, and nearly all calls of a debate begin with the same
ones.  So the bytes of that list are cut into pieces of one length: the pieces at its beginning are equal to those of
earlier calls, each is stored once, and the payload refers to them.  Unpacked it is the same bytes again.

A packed payload begins with a byte with which no JSON text begins, then come the number of pieces, the place where
they are put back, the numbers of the pieces, and the other bytes.
"""

import sqlite3
import struct
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, Final

MARK: Final = b"\x01"
PIECE: Final = 1216
"""Bytes of a piece: 16 segments of a user's message."""
LIST: Final = b'"prompt":[['
"""The beginning of the list.  It cannot stand within a text, where quotation marks have a backslash before them."""
LIST_ENDS: Final = b"]]"
REMEMBERED: Final = 8192
"""Pieces whose numbers a writer remembers: ten megabytes."""
_HEAD: Final = struct.Struct("<cHI")

TABLE: Final = """
CREATE TABLE IF NOT EXISTS parts (part INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL)
"""


class PartsWriter:
    """Packs payloads for one writing connection.  Used by one thread."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[bytes, int] = {}

    def packed(self, payload: bytes) -> bytes:
        """The payload as it is stored: the same bytes unless it has a long list of segments."""
        start = payload.find(LIST)
        if start < 0:
            return payload
        start += len(LIST) - 1
        count = min((payload.find(LIST_ENDS, start) - start) // PIECE, 0xFFFF)
        if count < 1:
            return payload
        end = start + count * PIECE
        numbers = [self._number(payload[at : at + PIECE]) for at in range(start, end, PIECE)]
        refers = struct.pack(f"<{count}Q", *numbers)
        return b"".join((_HEAD.pack(MARK, count, start), refers, payload[:start], payload[end:]))

    def forget(self) -> None:
        """Forget all numbers: a transaction that stored pieces was rolled back."""
        self._known.clear()

    def _number(self, piece: bytes) -> int:
        number = self._known.pop(piece, None)
        if number is None:
            digest = sha256(piece).digest()
            self._connection.execute("INSERT OR IGNORE INTO parts (digest, bytes) VALUES (?, ?)", (digest, piece))
            (number,) = self._connection.execute("SELECT part FROM parts WHERE digest = ?", (digest,)).fetchone()
        self._known[piece] = number  # the least recently used is forgotten first
        if len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]
        return int(number)


def parts_of(stored: bytes) -> tuple[int, ...]:
    """The numbers of the pieces to which a packed payload, or its beginning, refers."""
    _, count, _ = _HEAD.unpack_from(stored)
    return struct.unpack_from(f"<{count}Q", stored, _HEAD.size)


def unpacked_rows(
    connection: sqlite3.Connection, rows: Iterable[tuple[Any, ...]], at: int
) -> Iterator[tuple[Any, ...]]:
    """Rows with the payload in column ``at`` as it was recorded.

    One of which a piece is lost, or that was damaged, stays as it is stored: it breaks the chain at its place.
    """
    pieces: dict[int, bytes] = {}
    for row in rows:
        is_packed = isinstance(row[at], bytes) and row[at].startswith(MARK)
        yield (*row[:at], _unpacked(connection, row[at], pieces), *row[at + 1 :]) if is_packed else row


def _unpacked(connection: sqlite3.Connection, stored: bytes, pieces: dict[int, bytes]) -> bytes:
    try:
        _, count, start = _HEAD.unpack_from(stored)
        numbers = parts_of(stored)
        for number in numbers:
            if number not in pieces:
                found = connection.execute("SELECT bytes FROM parts WHERE part = ?", (number,)).fetchone()
                if found is None:
                    return stored
                pieces[number] = found[0]
    except (struct.error, OverflowError):  # bytes are missing, or a number is larger than any that SQLite gives
        return stored
    rest = stored[_HEAD.size + 8 * count :]
    return b"".join((rest[:start], *[pieces[number] for number in numbers], rest[start:]))
