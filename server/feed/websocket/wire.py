"""Frames as bytes.  Source: RFC 6455, section 5; the numbers of closing, section 7.4."""

import struct
from collections.abc import Iterator
from typing import Final

TEXT, BINARY, CLOSE, PING, PONG = 0x1, 0x2, 0x8, 0x9, 0xA
FIN, COMPRESSED, MASKED = 0x80, 0x40, 0x80
SHORT, LONG, LONGEST = 126, 1 << 16, 1 << 63
"""Payloads below ``SHORT`` have their length in the second byte, below ``LONG`` in two more, else in eight more."""
MOST_CONTROL: Final = 125
GOING_AWAY, BROKEN, NOT_TEXT, TOO_BIG, FAILED = 1001, 1002, 1007, 1009, 1011
NOTHING_SAID: Final = 1005


def framed(opcode: int, payload: bytes, *, compressed: bool = False) -> bytes:
    """One whole frame as a server sends it: final and unmasked."""
    first = FIN | (COMPRESSED if compressed else 0) | opcode
    size = len(payload)
    if size < SHORT:
        return struct.pack("!BB", first, size) + payload
    if size < LONG:
        return struct.pack("!BBH", first, 126, size) + payload
    return struct.pack("!BBQ", first, 127, size) + payload


def closing(code: int, reason: str) -> bytes:
    """The frame that closes; a reason that is too long is cut between two characters."""
    if code == NOTHING_SAID:
        return framed(CLOSE, b"")
    said = reason.encode()[: MOST_CONTROL - 2].decode(errors="ignore").encode()
    return framed(CLOSE, code.to_bytes(2, "big") + said)


def is_code(code: int) -> bool:
    """Whether somebody may close with that number."""
    return 1000 <= code <= 1003 or 1007 <= code <= 1014 or 3000 <= code <= 4999  # noqa: PLR2004 - as registered


def unmasked(payload: bytes, mask: bytes, start: int = 0) -> bytes:
    """The payload in plain; ``start`` is how far into its frame it begins."""
    turned = mask[start % 4 :] + mask[: start % 4]
    size = len(payload)
    key = (turned * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")


class Header:
    """The head of a client's frame."""

    __slots__ = ("compressed", "final", "mask", "opcode", "size", "width")

    def __init__(self, first: int, size: int, mask: bytes, width: int) -> None:
        self.final, self.compressed, self.opcode = bool(first & FIN), bool(first & COMPRESSED), first & 0x0F
        self.size, self.mask, self.width = size, mask, width


def read_header(buffer: bytes | bytearray) -> Header | None:
    """The header at the start of the buffer; None while it is not whole.  Raises ``ValueError`` where it is none."""
    if len(buffer) < 2:  # noqa: PLR2004 - the two bytes that every header has
        return None
    first, second = buffer[0], buffer[1]
    if first & 0x30:
        raise ValueError("a reserved bit is set")
    if not second & MASKED:
        raise ValueError("a client masks its frames")
    if first & 0x0F not in {0, TEXT, BINARY, CLOSE, PING, PONG}:
        raise ValueError("an opcode that does not exist")
    size = second & 0x7F
    if first & 0x08 and (size > MOST_CONTROL or not first & FIN):
        raise ValueError("a control frame is short and whole")
    more = {126: 2, 127: 8}.get(size, 0)
    width = 2 + more + 4
    if len(buffer) < width:
        return None
    if more:
        size = int.from_bytes(buffer[2 : 2 + more], "big")
        if size >= LONGEST:
            raise ValueError("a length has 63 bits")
    return Header(first, size, bytes(buffer[2 + more : width]), width)


def each_frame(stream: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Frames of a server: first byte, payload, and the whole frame; for those who read what was written."""
    at = 0
    while at < len(stream):
        size, start = stream[at + 1] & 0x7F, at + 2
        if more := {126: 2, 127: 8}.get(size, 0):
            size = int.from_bytes(stream[start : start + more], "big")
            start += more
        yield stream[at], stream[start : start + size], stream[at : start + size]
        at = start + size
