"""The tag of an MP3 with its chapters, which podcast players show.

Sources: ID3v2.4.0 (structure and native frames), and its addendum for chapters, version 1.0.
"""

import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

UTF_8: Final = b"\x03"
MAX_CHAPTERS: Final = 255
"""Chapters that a table of contents can name."""
SOURCE_TYPE: Final = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"
"""IPTC's name for media that a trained model made, as machines read it."""


class Chapter(NamedTuple):
    """A chapter, from a millisecond to another."""

    title: str
    start_ms: int
    end_ms: int


def id3_tag(told: dict[str, str], chapters: Sequence[Chapter]) -> bytes:
    """The tag: ``title``, ``artist`` and ``comment``, that the sound was generated, and the chapters."""
    shown = chapters[:MAX_CHAPTERS]
    names = [f"chapter{n}".encode() + b"\0" for n in range(1, len(shown) + 1)]
    frames = [
        _text("TIT2", told["title"]),
        _text("TPE1", told["artist"]),
        _frame("COMM", UTF_8 + b"eng" + b"\0" + told["comment"].encode()),
        _text("TXXX", f"DigitalSourceType\0{SOURCE_TYPE}"),
        _frame("CTOC", b"toc\0\x03" + bytes([len(names)]) + b"".join(names)),
        *(
            _frame(
                "CHAP",
                name + struct.pack(">IIII", each.start_ms, each.end_ms, NOWHERE, NOWHERE) + _text("TIT2", each.title),
            )
            for name, each in zip(names, shown, strict=True)
        ),
    ]
    body = b"".join(frames)
    return b"ID3\x04\x00\x00" + _size(len(body)) + body


NOWHERE: Final = 0xFFFF_FFFF
"""A place in bytes that is not given: the time counts."""


def _text(name: str, text: str) -> bytes:
    return _frame(name, UTF_8 + text.encode())


def _frame(name: str, content: bytes) -> bytes:
    return name.encode() + _size(len(content)) + b"\0\0" + content


def _size(size: int) -> bytes:
    """Four bytes of seven bits each."""
    return bytes(size >> shift & 0x7F for shift in (21, 14, 7, 0))
