"""Frames as bytes.  Source: RFC 6455, section 5.

Names, close codes and masking are those of ``websockets``.  Frames are written by ``serialize``, which takes a quarter
of the time of ``websockets.frames.Frame``: a delta is serialized for each group of each debate at each tick.
"""

import struct
from typing import Final

from websockets.exceptions import ProtocolError
from websockets.frames import CTRL_OPCODES, DATA_OPCODES, Close, Opcode

FIN, COMPRESSED, MASKED, RESERVED = 0x80, 0x40, 0x80, 0x30
CONTROL: Final = 0x08
"""Opcodes from this one on are those of control frames."""
SHORT, LONG, LONGEST = 126, 1 << 16, 1 << 63
"""Payloads below ``SHORT`` have their length in the second byte, below ``LONG`` in two more, else in eight more."""
MAX_CONTROL: Final = 125


def serialize(opcode: int, payload: bytes, *, compressed: bool = False) -> bytes:
    """One whole frame of a server: final and not masked."""
    first = FIN | (COMPRESSED if compressed else 0) | opcode
    size = len(payload)
    if size < SHORT:
        return struct.pack("!BB", first, size) + payload
    if size < LONG:
        return struct.pack("!BBH", first, 126, size) + payload
    return struct.pack("!BBQ", first, 127, size) + payload


def serialize_close(code: int, reason: str) -> bytes:
    """A close frame; a reason that is too long is cut between two characters."""
    short = reason.encode()[: MAX_CONTROL - 2].decode(errors="ignore")
    return serialize(Opcode.CLOSE, Close(code, short).serialize())


class Header:
    """The header of a client's frame."""

    __slots__ = ("compressed", "final", "mask", "opcode", "size", "width")

    def __init__(self, first: int, size: int, mask: bytes, width: int) -> None:
        self.final, self.compressed, self.opcode = bool(first & FIN), bool(first & COMPRESSED), first & 0x0F
        self.size, self.mask, self.width = size, mask, width


def read_header(buffer: bytes | bytearray) -> Header | None:
    """The header at the start of the buffer; None if it is not complete.  Raises ``ProtocolError``."""
    if len(buffer) < 2:  # noqa: PLR2004 - the two bytes that every header has
        return None
    first, second = buffer[0], buffer[1]
    if first & RESERVED:
        raise ProtocolError("a reserved bit is set")
    if not second & MASKED:
        raise ProtocolError("a client masks its frames")
    opcode, size = first & 0x0F, second & 0x7F
    if opcode not in DATA_OPCODES and opcode not in CTRL_OPCODES:
        raise ProtocolError("an opcode that does not exist")
    if opcode & CONTROL and (size > MAX_CONTROL or not first & FIN):
        raise ProtocolError("a control frame is short and whole")
    more = {126: 2, 127: 8}.get(size, 0)
    width = 2 + more + 4
    if len(buffer) < width:
        return None
    if more:
        size = int.from_bytes(buffer[2 : 2 + more], "big")
        if size >= LONGEST:
            raise ProtocolError("a length has 63 bits")
    return Header(first, size, bytes(buffer[2 + more : width]), width)
