"""Arguments and debates that people judged, read from a path that the user names.

Two shapes, one JSON object a line:

- pairs: ``{"id", "topic", "stance", "first", "second", "winner": "first"|"second"}``, two arguments for one stance;
- debates: ``{"id", "story", "question", "answers": [2 texts], "correct": 0|1, "rounds", "judge_final": [2 shares]}``.
  A round is ``{"by": "A"|"B"|"judge"|…, "text"}``; those of A and B are speeches, and A defends the first answer.

Both become a ``JudgedItem``: speeches in turn by two speakers, with the speaker that is the better one.
"""

import random
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

Kind = Literal["pairs", "debates"]
Speaker = Literal[0, 1]
"""0 is the speaker that speaks first."""

PAIR_NOTE: Final = "You both argue for the same position. Neither of you reads what the other one says."
STORY_NOTE: Final = (
    "You have both read the story, and the judge has not. Words between “ and ” are really in the story. "
    "The judge decides which of the two answers is right."
)


class JudgedItem(Struct, frozen=True, kw_only=True):
    """Speeches in turn by two speakers, and what is known about them."""

    id: str
    motion: str
    note: str
    """What a judge must know about the material beside the motion."""
    speeches: tuple[str, ...]
    """The first speaker's first speech, the second speaker's first speech, and so on."""
    better: Speaker
    """Pairs: the speaker whom people found more convincing.  Debates: the one who defends the right answer."""
    person: Speaker | None = None
    """The speaker whom the person believed who judged the debate live; None for a pair or an even belief."""

    def length(self, speaker: Speaker) -> int:
        """Characters of all speeches of a speaker."""
        return sum(map(len, self.speeches[speaker::2]))

    def opened_by_better(self, wanted: bool) -> "JudgedItem":
        """A pair whose better argument stands first, or last; the same pair if it does already."""
        if wanted == (self.better == 0):
            return self
        return replace(self, speeches=self.speeches[::-1], better=0 if wanted else 1)


class _Pair(Struct):
    id: str
    topic: str
    stance: str
    first: str
    second: str
    winner: Literal["first", "second"]


class _Round(Struct):
    by: str
    text: str = ""


class _Debate(Struct):
    id: str
    story: str
    question: str
    answers: tuple[str, str]
    correct: Speaker
    rounds: list[_Round]
    judge_final: tuple[float, float]


def read_items(path: Path, kind: Kind | None = None) -> tuple[Kind, list[JudgedItem]]:
    """Read a file of one kind; without ``kind`` its first line decides.

    Raises ``ValueError`` with the line that cannot be read, ``OSError`` for the file.
    """
    lines = [line for line in path.read_bytes().splitlines() if line.strip()]
    if not lines:
        raise ValueError(f"{path} holds no line")
    found: Kind = kind or _kind_of(lines[0])
    read = _pair if found == "pairs" else _debate
    items = []
    for number, line in enumerate(lines, 1):
        try:
            items.append(read(line))
        except (msgspec.DecodeError, ValueError) as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
    if len({each.id for each in items}) < len(items):
        raise ValueError(f"{path}: two lines have the same id")
    return found, items


def balanced(kind: Kind, items: Iterable[JudgedItem], most: int | None, seed: int) -> list[JudgedItem]:
    """A random sample of at most ``most`` items; the better speaker speaks first in one half of them.

    The order of a pair is free.  That of a debate is not, so debates are left out until the halves are equal.
    """
    chance = random.Random(seed)
    shuffled = chance.sample(known := list(items), len(known))
    if kind == "pairs":
        return [item.opened_by_better(number % 2 == 0) for number, item in enumerate(shuffled[:most])]
    halves = ([item for item in shuffled if item.better == speaker] for speaker in (0, 1))
    return [item for pair in zip(*halves, strict=False) for item in pair][:most]


def _kind_of(line: bytes) -> Kind:
    try:
        first: Any = msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        raise ValueError(f"line 1: {error}") from error
    return "debates" if isinstance(first, dict) and "rounds" in first else "pairs"


def _pair(line: bytes) -> JudgedItem:
    pair = msgspec.json.decode(line, type=_Pair)
    return JudgedItem(
        id=pair.id,
        motion=f"{pair.topic}\nThe position of both speakers: {pair.stance}",
        note=PAIR_NOTE,
        speeches=(pair.first, pair.second),
        better=0 if pair.winner == "first" else 1,
    )


def _debate(line: bytes) -> JudgedItem:
    debate = msgspec.json.decode(line, type=_Debate)
    spoken = [each for each in debate.rounds if each.by in {"A", "B"}]
    if len(spoken) < 2 or any(one.by == two.by for one, two in pairwise(spoken)):
        raise ValueError(f"{debate.id}: A and B do not speak in turn")
    first = spoken[0].by
    answers = debate.answers if first == "A" else debate.answers[::-1]
    return JudgedItem(
        id=debate.id,
        motion=(
            f"A question on the story “{debate.story}”: {debate.question}\n"
            f"The speaker of turn 1 defends this answer: {answers[0]}\n"
            f"The speaker of turn 2 defends this one: {answers[1]}"
        ),
        note=STORY_NOTE,
        speeches=tuple(each.text for each in spoken),
        better=_speaker(debate.correct, first),
        person=_believed(debate.judge_final, first),
    )


def _speaker(answer: int, first: str) -> Speaker:
    """Who defends an answer: A defends answer 0."""
    return 0 if "AB"[answer] == first else 1


def _believed(belief: Sequence[float], first: str) -> Speaker | None:
    return None if belief[0] == belief[1] else _speaker(int(belief[1] > belief[0]), first)
