"""What a client sends: it has no meaning, so nothing of it is kept; that it follows the rules is checked."""

import codecs
from typing import Final, Literal

from msgspec import Struct

from server.feed.websocket.wire import (
    BROKEN,
    CLOSE,
    NOT_TEXT,
    NOTHING_SAID,
    PING,
    TEXT,
    TOO_BIG,
    Header,
    is_code,
    read_header,
    unmasked,
)

MOST: Final = 1 << 16
"""Bytes of one message, whatever its number of frames."""
_utf8: Final = codecs.getincrementaldecoder("utf-8")


class Heard(Struct, frozen=True):
    """Something to answer: a ping with its payload, a pong, the client's closing, or a broken rule."""

    kind: Literal["ping", "pong", "close", "broken"]
    payload: bytes = b""
    code: int = 0


class Incoming:
    """A client's bytes, as far as they have come.  Holds a header, a control frame, and no message."""

    __slots__ = ("_buffer", "_checks", "_deflate", "_frame", "_is_over", "_size", "_taken")

    def __init__(self, *, deflate: bool) -> None:
        self._deflate = deflate
        self._buffer = bytearray()
        self._frame: Header | None = None
        self._taken = 0
        """Bytes of the frame's payload that have gone by."""
        self._size = -1
        """Bytes of the message that is under way; -1 where none is."""
        self._checks: codecs.IncrementalDecoder | None = None
        self._is_over = False

    @property
    def is_idle(self) -> bool:
        """Whether this holds nothing: then it need not be kept."""
        return not self._buffer and self._frame is None and self._size < 0 and not self._is_over

    def feed(self, came: bytes) -> list[Heard]:
        """Take in more bytes.  After a closing or a broken rule nothing is read any more."""
        heard: list[Heard] = []
        if self._is_over:
            return heard
        self._buffer += came
        try:
            while (self._frame is not None or self._begin()) and self._go_on(heard) and not self._is_over:
                pass
        except UnicodeDecodeError:
            self._end(heard, Heard("broken", b"a text is UTF-8", NOT_TEXT))
        except OverflowError as error:
            self._end(heard, Heard("broken", str(error).encode(), TOO_BIG))
        except ValueError as error:
            self._end(heard, Heard("broken", str(error).encode(), BROKEN))
        return heard

    def _end(self, heard: list[Heard], last: Heard) -> None:
        heard.append(last)
        self._is_over = True
        self._buffer.clear()

    def _begin(self) -> bool:
        """Read the next header.  Raises ``ValueError``, ``OverflowError``."""
        header = read_header(self._buffer)
        if header is None:
            return False
        del self._buffer[: header.width]
        if header.opcode < CLOSE:
            self._begin_message(header)
        elif header.compressed:
            raise ValueError("a control frame is not compressed")
        self._frame, self._taken = header, 0
        return True

    def _begin_message(self, header: Header) -> None:
        if (header.opcode == 0) != (self._size >= 0):
            raise ValueError("a message goes on where none began, or begins within another")
        if header.compressed and (header.opcode == 0 or not self._deflate):
            raise ValueError("compressed, which was not agreed on")
        if header.opcode:
            self._size = 0
            # What is compressed is not opened: that would cost memory for words that mean nothing here.
            self._checks = _utf8() if header.opcode == TEXT and not header.compressed else None
        self._size += header.size
        if self._size > MOST:
            raise OverflowError(f"a message may have {MOST} bytes")

    def _go_on(self, heard: list[Heard]) -> bool:
        """Take what has come of the frame; whether it is whole."""
        header = self._frame
        assert header is not None
        if header.opcode >= CLOSE:
            if len(self._buffer) < header.size:
                return False
            payload = unmasked(bytes(self._buffer[: header.size]), header.mask)
            del self._buffer[: header.size]
            self._frame = None
            self._control(header.opcode, payload, heard)
            return True
        part = bytes(self._buffer[: header.size - self._taken])
        del self._buffer[: len(part)]
        is_whole = self._taken + len(part) == header.size
        if self._checks is not None:
            self._checks.decode(unmasked(part, header.mask, self._taken), is_whole and header.final)
        self._taken += len(part)
        if is_whole:
            self._frame = None
            if header.final:
                self._size, self._checks = -1, None
        return is_whole

    def _control(self, opcode: int, payload: bytes, heard: list[Heard]) -> None:
        if opcode != CLOSE:
            heard.append(Heard("ping" if opcode == PING else "pong", payload))
            return
        code = int.from_bytes(payload[:2], "big") if payload else NOTHING_SAID
        if len(payload) == 1 or (payload and not is_code(code)):
            raise ValueError("a closing that has no number")
        payload[2:].decode()
        self._end(heard, Heard("close", payload[2:], code))
