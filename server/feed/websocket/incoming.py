"""Bytes of a client: messages have no meaning and are not kept, but they must follow the rules of WebSocket.

``websockets`` would keep each frame until it is complete.  With many sockets that is too much memory for messages that
mean nothing, so this parser reads them piece by piece.
"""

import codecs
from typing import Final

from websockets.exceptions import PayloadTooBig, ProtocolError
from websockets.frames import Close, CloseCode, Frame, Opcode
from websockets.speedups import apply_mask

from server.feed.websocket.wire import CONTROL, Header, read_header

MAX_MESSAGE: Final = 1 << 16
"""Bytes of one message, over all of its frames."""
_utf8: Final = codecs.getincrementaldecoder("utf-8")


def unmasked(payload: bytes, mask: bytes, start: int = 0) -> bytes:
    """The payload without its mask; ``start`` is the offset in its frame at which it begins."""
    return apply_mask(payload, mask[start % 4 :] + mask[: start % 4])


class Incoming:
    """A parser of a client's bytes.  Keeps at most a header or a control frame, and no message."""

    __slots__ = ("_buffer", "_decoder", "_deflate", "_frame", "_is_over", "_passed", "_size")

    def __init__(self, *, deflate: bool) -> None:
        self._deflate = deflate
        self._buffer = bytearray()
        self._frame: Header | None = None
        self._passed = 0
        """Bytes of the frame's payload that were read already."""
        self._size = -1
        """Bytes of the message that is being read; -1 between messages."""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._is_over = False

    @property
    def is_idle(self) -> bool:
        """Whether the parser holds nothing, so that it need not be kept."""
        return not self._buffer and self._frame is None and self._size < 0 and not self._is_over

    def receive(self, data: bytes) -> list[Frame | Close]:
        """Read more bytes.  Gives the control frames, and a ``Close`` to answer with where the client broke a rule.

        After a close frame or a broken rule nothing more is read.
        """
        events: list[Frame | Close] = []
        if self._is_over:
            return events
        self._buffer += data
        try:
            while (self._frame is not None or self._read_header()) and self._read_payload(events):
                pass
        except UnicodeDecodeError:
            self._end(events, Close(CloseCode.INVALID_DATA, "a text is UTF-8"))
        except PayloadTooBig:
            self._end(events, Close(CloseCode.MESSAGE_TOO_BIG, f"a message may have {MAX_MESSAGE} bytes"))
        except ProtocolError as error:
            self._end(events, Close(CloseCode.PROTOCOL_ERROR, str(error)))
        return events

    def _end(self, events: list[Frame | Close], last: Frame | Close) -> None:
        events.append(last)
        self._is_over = True
        self._buffer.clear()

    def _read_header(self) -> bool:
        """Read the next header.  False if it is not complete.  Raises ``ProtocolError``, ``PayloadTooBig``."""
        header = read_header(self._buffer)
        if header is None:
            return False
        del self._buffer[: header.width]
        if header.opcode < CONTROL:
            self._start_frame(header)
        elif header.compressed:
            raise ProtocolError("a control frame is not compressed")
        self._frame, self._passed = header, 0
        return True

    def _start_frame(self, header: Header) -> None:
        if (header.opcode == Opcode.CONT) != (self._size >= 0):
            raise ProtocolError("a message goes on where none began, or begins within another")
        if header.compressed and (header.opcode == Opcode.CONT or not self._deflate):
            raise ProtocolError("compressed, which was not agreed on")
        if header.opcode != Opcode.CONT:
            self._size = 0
            # A compressed text is not decompressed to check it: it has no meaning here and would cost memory.
            self._decoder = _utf8() if header.opcode == Opcode.TEXT and not header.compressed else None
        self._size += header.size
        if self._size > MAX_MESSAGE:
            raise PayloadTooBig(self._size, MAX_MESSAGE)

    def _read_payload(self, events: list[Frame | Close]) -> bool:
        """Read the bytes of the frame that have come.  Gives whether the frame is complete and another may follow."""
        header = self._frame
        assert header is not None
        if header.opcode >= CONTROL:
            if len(self._buffer) < header.size:
                return False
            payload = unmasked(bytes(self._buffer[: header.size]), header.mask)
            del self._buffer[: header.size]
            self._frame = None
            self._control(Frame(Opcode(header.opcode), payload), events)
            return not self._is_over
        part = bytes(self._buffer[: header.size - self._passed])
        del self._buffer[: len(part)]
        is_complete = self._passed + len(part) == header.size
        if self._decoder is not None:
            self._decoder.decode(unmasked(part, header.mask, self._passed), is_complete and header.final)
        self._passed += len(part)
        if is_complete:
            self._frame = None
            if header.final:
                self._size, self._decoder = -1, None
        return is_complete

    def _control(self, frame: Frame, events: list[Frame | Close]) -> None:
        if frame.opcode is Opcode.CLOSE:
            Close.parse(frame.data)  # raises where the code or the reason is not valid
            self._end(events, frame)
        else:
            events.append(frame)
