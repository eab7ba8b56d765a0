"""WAV: its form and its samples, and a file of both.  Source: the RIFF specification of IBM and Microsoft, 1991."""

import struct
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

_RIFF: Final = 12
_CHUNK: Final = 8


class Wave(NamedTuple):
    """``form``: the content of the chunk ``fmt ``.  ``samples``: that of ``data``."""

    form: bytes
    samples: bytes

    @property
    def rate(self) -> int:
        """Samples a second."""
        return int(struct.unpack_from("<I", self.form, 4)[0])

    @property
    def block(self) -> int:
        """Bytes of one sample of all channels."""
        return int(struct.unpack_from("<H", self.form, 12)[0])

    @property
    def seconds(self) -> float:
        """How long it sounds."""
        return len(self.samples) // self.block / self.rate


def read_wave(content: bytes) -> Wave | None:
    """The parts of a WAV; None if it is none.

    A server that streams does not know the length and writes one that is too large, or 0: then the samples go to the
    end.
    """
    if content[:4] != b"RIFF" or content[8:_RIFF] != b"WAVE":
        return None
    at, form = _RIFF, b""
    while at + _CHUNK <= len(content):
        name, size = struct.unpack_from("<4sI", content, at)
        at += _CHUNK
        if name == b"data":
            samples = content[at : at + size] if size else content[at:]
            wave = Wave(form, samples)
            is_valid = len(form) >= 16 and wave.block and wave.rate  # noqa: PLR2004 - its six fields
            return Wave(form, samples[: len(samples) // wave.block * wave.block]) if is_valid else None
        if name == b"fmt ":
            form = content[at : at + size]
        at += size + size % 2
    return None


def wave_file(wave: Wave, marks: Sequence[tuple[int, str]] = (), told: dict[str, str] | None = None) -> bytes:
    """A WAV with named marks, each at a sample, and with its information by the names of the chunk INFO."""
    chunks = [(b"fmt ", wave.form), (b"data", wave.samples), *_told(marks, told or {})]
    body = b"".join(name + struct.pack("<I", len(held)) + held + b"\0" * (len(held) % 2) for name, held in chunks)
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WAVE" + body


def _told(marks: Sequence[tuple[int, str]], told: dict[str, str]) -> Iterator[tuple[bytes, bytes]]:
    if marks:
        points = [struct.pack("<II4sIII", n, at, b"data", 0, 0, at) for n, (at, _) in enumerate(marks, 1)]
        yield b"cue ", struct.pack("<I", len(points)) + b"".join(points)
        labels = [_text(b"labl", struct.pack("<I", n), name) for n, (_, name) in enumerate(marks, 1)]
        yield b"LIST", b"adtl" + b"".join(labels)
    if told:
        yield b"LIST", b"INFO" + b"".join(_text(name.encode(), b"", text) for name, text in told.items())


def _text(name: bytes, before: bytes, text: str) -> bytes:
    held = before + text.encode() + b"\0"
    return name + struct.pack("<I", len(held)) + held + b"\0" * (len(held) % 2)
