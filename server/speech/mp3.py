"""MP3 as frames: the frames of a file, a file of frames with its length in front, and frames of silence.

Sources: ISO/IEC 11172-3, section 2.4.2.3, and 13818-3 for the lower sampling rates (the header of a frame); the header
that Xing introduced, which players read for the length of a file and for its places in time.
"""

import struct
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

_BITRATES: Final = {
    1: (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
"""Kilobits a second of layer III in MPEG-1, and in MPEG-2 and 2.5, from index 1."""
_RATES: Final = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}
"""Samples a second by the two bits of the version: MPEG-1, MPEG-2, MPEG-2.5."""
_HEADER: Final = 4
_MONO: Final = 3
_LENGTH_MARKS: Final = (b"Xing", b"Info", b"VBRI")
"""A first frame with one of these has no sound."""
_TABLE: Final = 100
"""Places in time that the header of Xing tells."""
_XING: Final = 4 + 4 + 4 + 4 + _TABLE


class Head(NamedTuple):
    """The header of a frame: bytes of the frame, its samples, samples a second."""

    length: int
    samples: int
    rate: int


def head_of(content: bytes, at: int) -> Head | None:
    """The header at a place; None if no frame of layer III with a known length begins there."""
    if len(content) < at + _HEADER or content[at] != 0xFF or content[at + 1] & 0xE6 != 0xE2:  # noqa: PLR2004 - sync, layer III
        return None
    version, index, rate_index = content[at + 1] >> 3 & 3, content[at + 2] >> 4, content[at + 2] >> 2 & 3
    if version not in _RATES or not 0 < index <= len(_BITRATES[1]) or rate_index >= len(_RATES[version]):
        return None
    rate, is_first = _RATES[version][rate_index], version == 3  # noqa: PLR2004 - MPEG-1
    bitrate = _BITRATES[1 if is_first else 2][index - 1] * 1000
    samples = 1152 if is_first else 576
    return Head(samples // 8 * bitrate // rate + (content[at + 2] >> 1 & 1), samples, rate)


def frames_of(content: bytes) -> tuple[bytes, ...]:
    """The frames with sound, in order; empty if it is no MP3.  Tags and a last frame that is cut are left out."""
    return tuple(_frames(content))


def _frames(content: bytes) -> Iterator[bytes]:
    at, is_synchronous = _after_tag(content), False
    while (at := content.find(b"\xff", at)) >= 0:
        head = head_of(content, at)
        end = at + head.length if head else 0
        is_frame = head is not None and end <= len(content)
        if not is_frame or not (is_synchronous or end == len(content) or head_of(content, end)):
            at, is_synchronous = at + 1, False
            continue
        frame, at, is_synchronous = content[at:end], end, True
        if not any(mark in frame[:64] for mark in _LENGTH_MARKS):
            yield frame


def _after_tag(content: bytes) -> int:
    """Where the sound begins after an ID3v2 tag, whose size has seven bits a byte."""
    if content[:3] != b"ID3" or len(content) < 10:  # noqa: PLR2004 - its header
        return 0
    size = 0
    for byte in content[6:10]:
        size = size << 7 | byte & 0x7F
    return 10 + size


def seconds(frames: Sequence[bytes]) -> float:
    """How long the frames sound."""
    heads = (head_of(frame, 0) for frame in frames)
    return sum(head.samples / head.rate for head in heads if head)


def silence(like: bytes, length_s: float) -> tuple[bytes, ...]:
    """Frames without sound, in the form of another frame: side information of zeros has no sound."""
    head = head_of(like, 0)
    assert head is not None
    frame = _without_check(like[:_HEADER]).ljust(head.length, b"\0")
    return (frame,) * round(length_s * head.rate / head.samples)


def file_of(frames: Sequence[bytes]) -> bytes:
    """A file of frames, with a first frame that tells its length and where each hundredth of its time begins."""
    return _length_frame(frames) + b"".join(frames)


def _length_frame(frames: Sequence[bytes]) -> bytes:
    first = _without_check(frames[0][:_HEADER])
    is_mono = first[3] >> 6 == _MONO
    side = {(True, True): 17, (True, False): 32, (False, True): 9, (False, False): 17}
    start = _HEADER + side[first[1] >> 3 & 3 == 3, is_mono]  # noqa: PLR2004 - MPEG-1
    for index in range(1, 15):
        header = first[:2] + bytes([index << 4 | first[2] & 0x0C]) + first[3:]
        found = head_of(header, 0)
        if found is not None and found.length >= start + _XING:
            break
    assert found is not None
    starts = list(accumulate(map(len, frames), initial=found.length))
    total = starts[-1]
    table = bytes(256 * starts[part * len(frames) // _TABLE] // total for part in range(_TABLE))
    told = b"Xing" + struct.pack(">III", 0x7, len(frames), total) + table
    return (header.ljust(start, b"\0") + told).ljust(found.length, b"\0")


def _without_check(header: bytes) -> bytes:
    """A header that says that no checksum follows."""
    return bytes([header[0], header[1] | 1]) + header[2:]
