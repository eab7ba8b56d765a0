"""WebVTT and SRT subtitles.  A speaker is named by a voice tag, or by a name in brackets or before a colon.

They are read line by line, leniently: subtitles from the web often break the rules, and a broken cue is left out.
"""

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from server.errors import BadTranscript
from server.transcripts.entries import EntryCollector, ReadTranscript
from server.transcripts.hints import side_of
from server.transcripts.labels import is_name, label_of, milliseconds, name_key
from server.transcripts.names import ONCE, may_be_name

_TIMES: Final = re.compile(r"\s*((?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3})\s*+-->\s*+[\d:.,]++.*+")
_VOICE: Final = re.compile(r"<v(?:\.[^\s<>]*+)?\s([^>]{1,300}+)>|</v>")
_TAG: Final = re.compile(r"</?[a-zA-Z0-9][^<>\n]{0,200}>|\{\\[^{}\n]{0,80}\}")
_SOUND: Final = re.compile(r"[(\[♪][^()\[\]\n]{0,120}[)\]♪]")
_CHANGE: Final = re.compile(r"(?:>>+|[-–—])\s*")
_BLOCKS: Final = ("NOTE", "STYLE", "REGION")
_PLACE: Final = re.compile(r"[\[(]([^\[\]()\n]{2,40})[\])]\s*[:：]?\s*")


class CueLine(Struct, frozen=True, kw_only=True):
    """Words of one cue.  ``voice`` is None if the cue names none."""

    at_ms: int
    voice: str | None
    text: str
    is_change: bool = False
    """Whether the cue says that the speaker changes, without a name."""
    is_framed: bool = False
    """Whether its name stands in brackets."""


def read_subtitles(lines: Iterable[str], kind: Literal["webvtt", "srt"]) -> ReadTranscript:
    """The entries of subtitles.  Raises ``BadTranscript``."""
    cues = list(_cue_lines(lines))
    if not cues:
        raise BadTranscript("no subtitle with a time is in the file")
    names, once = _names(cues)
    collector = EntryCollector()
    for name in once:
        collector.doubt(ONCE.format(name))
    speaker, last = "", ""
    for cue in cues:
        if cue.text == last and cue.voice is None:
            continue  # subtitles that roll show a line twice
        last = cue.text
        voice, text = _spoken(cue, names)
        speaker = speaker if voice is None else names.get(name_key(voice), voice)
        if voice is None and cue.is_change:
            collector.doubt("The speaker changes without a name: the words stay with the speaker before")
        collector.add(speaker, text, at_ms=cue.at_ms, joined=" ", side=None if speaker else "out")
    if not speaker:
        raise BadTranscript(
            "no speaker is named in the subtitles: they need voices, as in “<v Ann>…”, or names, as in “Ann: …”"
        )
    found = collector.transcript(kind)
    if found.entries and not found.entries[0].speaker:
        unnamed = "Words before the first name have no speaker: they are left out."
        found = replace(found, doubts=(*found.doubts, unnamed))
    return found


def _spoken(cue: CueLine, names: Mapping[str, str]) -> tuple[str | None, str]:
    """Who speaks, None if the cue does not say it, and the words."""
    if cue.voice is None and (label := label_of(cue.text)) and label.form == "colon" and name_key(label.name) in names:
        return label.name, label.rest
    return cue.voice, cue.text


def _cue_lines(lines: Iterable[str]) -> Iterator[CueLine]:
    at_ms: int | None = None
    is_block = False
    voice: str | None = None
    for raw in lines:
        line = raw.strip()
        if not line:
            at_ms, is_block, voice = None, False, None
            continue
        if found := _TIMES.fullmatch(line):
            at_ms, is_block, voice = milliseconds(found[1]), False, None
            continue
        if at_ms is None:
            is_block = is_block or line.startswith(_BLOCKS)
            continue
        for spoken, text in _voices(line, voice):
            voice = spoken
            is_change = bool(found := _CHANGE.match(text))
            words = text[found.end() :] if found else text
            bare, is_framed = _unframed(words)
            if bare:
                yield CueLine(at_ms=at_ms, voice=spoken, text=bare, is_change=is_change, is_framed=is_framed)


def _voices(line: str, voice: str | None) -> Iterator[tuple[str | None, str]]:
    """The parts of a line by voice; ``voice`` goes on from the line before in the same cue."""
    at = 0
    for found in _VOICE.finditer(line):
        if words := _plain(line[at : found.start()]):
            yield voice, words
        voice = _plain(found[1]) or voice if found[1] else None
        at = found.end()
    words = _plain(line[at:])
    if words or voice is not None:
        yield voice, words


def _plain(text: str) -> str:
    """The words, without tags and entities."""
    return " ".join(html.unescape(_TAG.sub("", text)).split())


def _unframed(text: str) -> tuple[str, bool]:
    """The words without sounds in brackets; ``[Ann] words`` becomes ``Ann: words``, and this is told."""
    found = _PLACE.match(text)
    is_framed = bool(found and len(text) > found.end() and is_name(found[1]) and not found[1][0].islower())
    if found and is_framed:
        text = f"{found[1]}: {text[found.end() :]}"
    return " ".join(_SOUND.sub(" ", text).split()), is_framed


def _names(cues: Iterable[CueLine]) -> tuple[dict[str, str], list[str]]:
    """The names of speakers, as they are shown: capitals, a side, or a name that comes again; and those that come once.

    A name that comes once counts where there are others.
    """
    counts: Counter[str] = Counter()
    shown: dict[str, str] = {}
    sure: set[str] = set()
    framed: set[str] = set()
    for cue in cues:
        if cue.voice is not None:
            shown.setdefault(name_key(cue.voice), cue.voice)
            sure.add(name_key(cue.voice))
        elif (label := label_of(cue.text)) and label.form == "colon":
            key = name_key(label.name)
            counts[key] += 1
            shown.setdefault(key, label.name)
            framed.update((key,) if cue.is_framed else ())
            if label.name.isupper() or cue.is_change or side_of(label.name) is not None:
                sure.add(key)
    if sum(counts[key] for key in framed) > len(framed):  # one comes again: then all in brackets are names
        sure |= framed
    found = {key: name for key, name in shown.items() if key in sure or counts[key] > 1}
    once = {key: name for key, name in shown.items() if key not in found and may_be_name(name)}
    return (found | once, list(once.values())) if found else ({}, [])
