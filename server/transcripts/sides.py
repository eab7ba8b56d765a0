"""Whose side each speaker is on, as far as names and the file tell it; and the split that a user corrects."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from events.text.segmentation import count_words
from server.errors import BadTranscript
from server.transcripts.entries import EntrySide, ReadTranscript, TranscriptEntry
from server.transcripts.hints import side_of
from server.transcripts.names import alike_names

MODERATES: Final = 0.75
"""Who opens a debate and talks less than this share of the second most talkative speaker is taken for a moderator."""


class TranscriptSpeaker(Struct, frozen=True, kw_only=True):
    """A speaker with the side of all entries that are not left out; None if they have several, or none yet.

    ``is_open``: an entry has no side, which is left to the user.  ``guessed``: nothing tells the side; the speaker only
    is one of the two who talk most.
    """

    name: str
    side: EntrySide | None
    is_open: bool
    entries: int
    words: int
    guessed: bool = False


class TranscriptSplit(ReadTranscript, frozen=True, kw_only=True):
    """How a transcript is split into entries and sides.

    ``turns``: as many as it would have.  ``alike``: pairs of names that may belong to one person.
    """

    speakers: tuple[TranscriptSpeaker, ...]
    turns: int
    alike: tuple[tuple[str, str], ...] = ()


def split_of(read: ReadTranscript) -> TranscriptSplit:
    """The split of what was read, with the proposed sides.  Raises ``BadTranscript`` if fewer than two people speak."""
    _check_two(read)
    words = [count_words(each.text) for each in read.entries]
    proposed, guessed = _proposed(read.entries, words)
    entries = tuple(
        each if each.side is not None else replace(each, side=proposed.get(each.speaker)) for each in read.entries
    )
    speakers = _speakers(entries, words, guessed)
    return TranscriptSplit(
        **{name: getattr(read, name) for name in ReadTranscript.__struct_fields__ if name != "entries"},
        entries=entries,
        speakers=speakers,
        turns=count_turns(entries),
        alike=alike_names([each.name for each in speakers]),
    )


def _check_two(read: ReadTranscript) -> None:
    """Raise ``BadTranscript`` unless two people, or two sides, speak besides a moderator."""
    told = [(each.speaker, each.side or side_of(each.speaker)) for each in read.entries]
    names = {name for name, side in told if side not in {"context", "out"}}
    if not names:
        raise BadTranscript("only a moderator speaks in the file" if read.entries else "no words are in the file")
    if len(names) == 1 and not {"pro", "con"} <= {side for _, side in told}:
        name = names.pop() or "without a name"
        raise BadTranscript(f"only one person speaks in the file ({name}): a debate has two sides")


def with_sides(split: TranscriptSplit, sides: Mapping[str, EntrySide]) -> TranscriptSplit:
    """The split with other sides for some speakers, by name.  What is left out of a speaker's words stays so."""
    heard = {each.speaker for each in split.entries if each.side != "out"}
    entries = [
        each if each.side == "out" and each.speaker in heard else replace(each, side=sides.get(each.speaker, each.side))
        for each in split.entries
    ]
    return _with_entries(split, entries, _guessed(split) - sides.keys())


def _with_entries(
    split: TranscriptSplit, entries: Sequence[TranscriptEntry], guessed: Collection[str]
) -> TranscriptSplit:
    """The split with the same entries on other sides.  ``guessed``: names of speakers."""
    speakers = _speakers(entries, [count_words(each.text) for each in entries], guessed)
    return replace(split, entries=tuple(entries), speakers=speakers, turns=count_turns(entries))


def with_same(split: TranscriptSplit, same: Mapping[str, str]) -> TranscriptSplit:
    """The split in which some names belong to another speaker, by name; sides that were guessed are proposed again.

    What is left out stays so.  Raises ``BadTranscript`` if one person is left.
    """
    guessed = _guessed(split)
    whole = {each.name: each.side for each in split.speakers if each.name not in guessed}
    entries = []
    for each in split.entries:
        name = same.get(each.speaker, each.speaker)
        side = whole.get(name) or (None if each.speaker in guessed else each.side)
        side = "out" if each.side == "out" else side
        entries.append(replace(each, speaker=name, side=side))
    return split_of(replace(split, entries=tuple(entries)))


def with_others(split: TranscriptSplit, side: EntrySide) -> TranscriptSplit:
    """The split with this side for every entry that has none."""
    entries = [replace(each, side=side) if each.side is None else each for each in split.entries]
    return _with_entries(split, entries, _guessed(split))


def without_short(split: TranscriptSplit, words: int) -> TranscriptSplit:
    """The split without entries of fewer words, such as interruptions."""
    entries = [replace(each, side="out") if count_words(each.text) < words else each for each in split.entries]
    return _with_entries(split, entries, _guessed(split))


def supplied_body(split: TranscriptSplit, source: str, licence: str) -> dict[str, Any]:
    """The part ``transcript`` of the request that opens the debate, without the entries that are left out."""
    turns = []
    for each in split.entries:
        if each.side is not None and each.side != "out":
            at = {} if each.at_ms is None else {"at_ms": each.at_ms}
            turns.append({"side": each.side, "speaker": each.speaker, "text": each.text, **at})
    return {"turns": turns, "source": source, "licence": licence, "kind": split.kind}


def count_turns(entries: Iterable[TranscriptEntry]) -> int:
    """Turns of the debate: words of one side that follow one another are one turn, whatever a moderator says within."""
    turns, last = 0, None
    for each in entries:
        if each.side in {"pro", "con"} and each.side != last:
            turns, last = turns + 1, each.side
    return turns


def _proposed(entries: Sequence[TranscriptEntry], words: Iterable[int]) -> tuple[dict[str, EntrySide], frozenset[str]]:
    """Sides by speaker, and whose are guessed: what the name tells; else the two who talk most are Pro and Con.

    The first of the two to speak is Pro.  Who opens the debate and talks clearly less than both is a moderator.  If
    one side is told and one speaker is left, that one has the other side.
    """
    guessed: frozenset[str] = frozenset()
    talk: dict[str, int] = {}
    told: dict[str, EntrySide] = {}
    taken: set[EntrySide] = set()
    for each, count in zip(entries, words, strict=True):
        if each.side is not None:
            taken.add(each.side)
        elif (side := side_of(each.speaker)) is not None:
            told[each.speaker] = side
        else:
            talk[each.speaker] = talk.get(each.speaker, 0) + count
    missing = [side for side in ("pro", "con") if side not in taken | set(told.values())]
    if len(missing) == 2:  # noqa: PLR2004 - both sides
        most = sorted(talk, key=lambda name: -talk[name])[:2]
        guessed = frozenset(most)
        told |= dict(zip((name for name in talk if name in most), ("pro", "con"), strict=False))
        opener = next((each.speaker for each in entries if each.side is None), "")
        if opener in talk and opener not in most and talk[opener] < MODERATES * talk[most[-1]]:
            told[opener] = "context"
            guessed |= {opener}
    elif len(missing) == len(talk) == 1:
        told[next(iter(talk))] = "pro" if missing == ["pro"] else "con"
    return told, guessed


def _speakers(
    entries: Iterable[TranscriptEntry], words: Iterable[int], guessed: Collection[str]
) -> tuple[TranscriptSpeaker, ...]:
    """The speakers in the order of their first words."""
    found: dict[str, list[tuple[EntrySide | None, int]]] = {}
    for each, count in zip(entries, words, strict=True):
        found.setdefault(each.speaker, []).append((each.side, count))
    sides = {name: {side for side, _ in spoken} for name, spoken in found.items()}
    kept = {name: each - {"out"} or each for name, each in sides.items()}
    return tuple(
        TranscriptSpeaker(
            name=name,
            side=next(iter(kept[name])) if len(kept[name]) == 1 else None,
            is_open=None in sides[name],
            entries=len(spoken),
            words=sum(count for _, count in spoken),
            guessed=name in guessed,
        )
        for name, spoken in found.items()
    )


def _guessed(split: TranscriptSplit) -> set[str]:
    return {each.name for each in split.speakers if each.guessed}
