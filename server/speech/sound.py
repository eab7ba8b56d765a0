"""A sound: its kind, by its first bytes, and several in one."""

import struct
from collections.abc import Callable, Sequence
from typing import Final, Literal

from msgspec import Struct

from server.speech import mp3, wav
from server.speech.chapters import Chapter, id3_tag

Kind = Literal["mp3", "wav", "opus"]
KINDS: Final[tuple[Kind, ...]] = ("mp3", "wav", "opus")
"""The forms that are asked for, the first one first."""
MEDIA_TYPES: Final[dict[Kind, str]] = {"mp3": "audio/mpeg", "wav": "audio/wav", "opus": "audio/ogg"}
PAUSE_S: Final = 0.7
"""Seconds without sound between the chapters of a recording."""


class Sound(Struct, frozen=True, weakref=True):
    """A whole file of a kind."""

    kind: Kind
    body: bytes

    @property
    def media_type(self) -> str:
        """Its media type."""
        return MEDIA_TYPES[self.kind]


def joined(contents: Sequence[bytes]) -> Sound | None:
    """The files that a server sent, as one; None if one of them is no sound, or if they differ in form.

    What the bytes are counts, not what the server calls them.  Files of Ogg follow one another as they are (RFC 3533,
    section 4).
    """
    if all(content.startswith(b"OggS") for content in contents):
        return Sound("opus", b"".join(contents))
    waves = [found for content in contents if (found := wav.read_wave(content)) is not None]
    if len(waves) == len(contents):
        one = waves[0]._replace(samples=b"".join(each.samples for each in waves))
        return Sound("wav", wav.wave_file(one)) if len({each.form for each in waves}) == 1 and one.samples else None
    parts = [] if waves else [mp3.frames_of(content) for content in contents]
    return Sound("mp3", mp3.file_of([frame for part in parts for frame in part])) if parts and all(parts) else None


class Recording(Struct, frozen=True):
    """A file with chapters."""

    sound: Sound
    chapters: tuple[Chapter, ...]


def recorded(parts: Sequence[tuple[str, Sound]], told: dict[str, str]) -> Recording | None:
    """Sounds as one file, each a chapter with its name; None if they cannot be one: Opus, or different forms.

    ``told``: ``title``, ``artist`` and ``comment`` of the file.
    """
    kinds = {sound.kind for _, sound in parts}
    make: dict[frozenset[str], Callable[..., Recording | None]] = {
        frozenset({"mp3"}): _as_mp3,
        frozenset({"wav"}): _as_wav,
    }
    return make[frozenset(kinds)](parts, told) if frozenset(kinds) in make else None


def _as_mp3(parts: Sequence[tuple[str, Sound]], told: dict[str, str]) -> Recording:
    frames, chapters, at = list[bytes](), list[Chapter](), 0.0
    for name, sound in parts:
        heard = mp3.frames_of(sound.body)
        heard += mp3.silence(heard[0], PAUSE_S)
        end = at + mp3.seconds(heard)
        chapters.append(Chapter(name, round(at * 1000), round(end * 1000)))
        frames += heard
        at = end
    return Recording(Sound("mp3", id3_tag(told, chapters) + mp3.file_of(frames)), tuple(chapters))


def _as_wav(parts: Sequence[tuple[str, Sound]], told: dict[str, str]) -> Recording | None:
    waves = [wav.read_wave(sound.body) for _, sound in parts]
    forms = {wave.form for wave in waves if wave is not None}
    if len(forms) != 1 or None in waves:
        return None
    samples, marks = bytearray(), list[tuple[int, str]]()
    one = wav.Wave(forms.pop(), b"")
    is_unsigned = struct.unpack_from("<H", one.form, 14)[0] <= 8  # noqa: PLR2004 - bits of a sample
    pause = (b"\x80" if is_unsigned else b"\0") * (round(PAUSE_S * one.rate) * one.block)
    for (name, _), wave in zip(parts, waves, strict=True):
        assert wave is not None
        marks.append((len(samples) // one.block, name))
        samples += wave.samples + pause
    ends = [at for at, _ in marks[1:]] + [len(samples) // one.block]
    in_ms = [round(at * 1000 / one.rate) for at in (0, *ends)]
    chapters = tuple(Chapter(name, *in_ms[n : n + 2]) for n, (_, name) in enumerate(marks))
    info = {"INAM": told["title"], "IART": told["artist"], "ICMT": told["comment"]}
    return Recording(Sound("wav", wav.wave_file(one._replace(samples=bytes(samples)), marks, info)), chapters)
