"""Arrays in PostgreSQL's binary format: a batch sends thousands of values at once.

An array is ``int32 dimensions, int32 has nulls, int32 element type, int32 length, int32 lower bound``, then for each
element its length as int32 (-1 for null) and its bytes, all big-endian (the server's ``array_send``).
"""

from collections.abc import Iterable, Sequence
from struct import Struct, pack
from typing import Final

from psycopg import AsyncConnection
from psycopg.adapt import Dumper
from psycopg.pq import Format

BOOL: Final = 16
BYTEA: Final = 17
BIGINT: Final = 20
INTEGER: Final = 23
TEXT: Final = 25

length: Final = Struct(">i").pack
NULL: Final = length(-1)
_HEAD: Final = Struct(">iiiii").pack
_EMPTY: Final = Struct(">iii").pack


class Packed(bytes):
    """An encoded array; the statement casts it to its type."""

    __slots__ = ()


class PackedDumper(Dumper):
    """Sends a ``Packed`` unchanged."""

    format = Format.BINARY

    def dump(self, obj: Packed) -> Packed:
        """Return ``obj``."""
        return obj


def register(connection: AsyncConnection[tuple[object, ...]]) -> None:
    """Let a connection send ``Packed`` values."""
    connection.adapters.register_dumper(Packed, PackedDumper)


def joined(element: int, count: int, pieces: Iterable[bytes]) -> Packed:
    """An array of ``count`` elements; ``pieces`` are the length and the value of each element, in turn."""
    if not count:
        return Packed(_EMPTY(0, 0, element))
    return Packed(_HEAD(1, 1, element, count, 1) + b"".join(pieces))


def integers(values: Sequence[int]) -> Packed:
    """An ``integer[]``."""
    return _numbers(INTEGER, 4, "i", values)


def bigints(values: Sequence[int]) -> Packed:
    """A ``bigint[]``."""
    return _numbers(BIGINT, 8, "q", values)


def booleans(values: Sequence[bool]) -> Packed:
    """A ``boolean[]``."""
    return _numbers(BOOL, 1, "?", values)


def _numbers(element: int, size: int, code: str, values: Sequence[int]) -> Packed:
    spread = [size] * (2 * len(values))
    spread[1::2] = values
    return joined(element, len(values), (pack(f">{('i' + code) * len(values)}", *spread),))


def texts(values: Sequence[str]) -> Packed:
    """A ``text[]``."""
    return _sized(TEXT, [value.encode() for value in values])


def binaries(values: Sequence[bytes]) -> Packed:
    """A ``bytea[]``."""
    return _sized(BYTEA, values)


def _sized(element: int, values: Sequence[bytes]) -> Packed:
    pieces = [b""] * (2 * len(values))
    pieces[::2] = [length(len(value)) for value in values]
    pieces[1::2] = values
    return joined(element, len(values), pieces)


def nullable_integers(values: Sequence[int | None]) -> Packed:
    """An ``integer[]`` in which None stands for null."""
    return joined(INTEGER, len(values), [NULL if value is None else length(4) + length(value) for value in values])
