"""Arguments and debates that people judged, read from a file that the user names: Moot carries none.

Three shapes, one JSON object a line:

- pairs: ``{"id", "topic", "stance", "first", "second", "winner": "first"|"second"}``, two arguments for one stance;
- debates: ``{"id", "story", "question", "answers": [2 texts], "correct": 0|1, "rounds", "judge_final": [2 shares]}``.
  A round is ``{"by": "A"|"B"|"judge"|…, "text"}``; those of A and B are speeches, and A defends the first answer;
- scores: ``{"id", "topic", "motion", "text", "score": 0 to 100}``, one speech for the motion and what people gave it.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from events.types.lab import PeopleItem, Place
from judge.errors import BadItem
from judge.lab.items import MAX_POINTS

PAIR_NOTE: Final = "You both argue for the same position. Neither of you reads what the other one says."
STORY_NOTE: Final = (
    "You have both read the story, and the judge has not. Words between “ and ” are really in the story. "
    "The judge decides which of the two answers is right."
)
PLACES: Final[tuple[Place, Place]] = ("first", "second")
MIN_SPEECHES: Final = 2
"""Speeches of a debate."""


class JudgedPair(Struct):
    """A line of the first shape."""

    id: str
    topic: str
    stance: str
    first: str
    second: str
    winner: Place


class SaidRound(Struct):
    """A speech, or what another person said in a debate."""

    by: str
    text: str = ""


class JudgedStory(Struct):
    """A line of the second shape."""

    id: str
    story: str
    question: str
    answers: tuple[str, str]
    correct: Literal[0, 1]
    rounds: list[SaidRound]
    judge_final: tuple[float, float]


class ScoredSpeech(Struct):
    """A line of the third shape."""

    id: str
    topic: str
    motion: str
    text: str
    score: Annotated[float, Meta(ge=0, le=MAX_POINTS)]


def read_people(name: str, content: bytes) -> tuple[PeopleItem, ...]:
    """The items in the bytes of a file; its first line tells the shape.

    Raises ``BadItem`` with the file and the line that cannot be read.
    """
    lines = [line for line in content.splitlines() if line.strip()]
    if not lines:
        raise BadItem(f"{name} holds no line")
    items = []
    read = _debate if b'"rounds"' in lines[0] else _scored if b'"score"' in lines[0] else _pair
    for number, line in enumerate(lines, 1):
        try:
            items.append(read(line))
        except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
            raise BadItem(f"{name}, line {number}: {error}") from error
    if len({each.id for each in items}) < len(items):
        raise BadItem(f"{name}: two lines have the same id")
    return tuple(items)


def _pair(line: bytes) -> PeopleItem:
    pair = msgspec.json.decode(line, type=JudgedPair)
    return PeopleItem(
        id=pair.id,
        topic=pair.topic,
        motion=f"{pair.topic}\nThe position of both speakers: {pair.stance}",
        note=PAIR_NOTE,
        speeches=(pair.first, pair.second),
        better=pair.winner,
        kind="pairs",
    )


def _scored(line: bytes) -> PeopleItem:
    scored = msgspec.json.decode(line, type=ScoredSpeech)
    return PeopleItem(
        id=scored.id,
        topic=scored.topic,
        motion=scored.motion,
        note="",
        speeches=(scored.text,),
        better="first",
        kind="scores",
        score=scored.score,
    )


def _debate(line: bytes) -> PeopleItem:
    debate = msgspec.json.decode(line, type=JudgedStory)
    spoken = [each for each in debate.rounds if each.by in {"A", "B"}]
    if len(spoken) < MIN_SPEECHES or any(one.by == two.by for one, two in pairwise(spoken)):
        raise ValueError(f"{debate.id}: A and B do not speak in turn")
    first = spoken[0].by
    answers = debate.answers if first == "A" else debate.answers[::-1]
    return PeopleItem(
        id=debate.id,
        topic=debate.story,
        motion=(
            f"A question on the story “{debate.story}”: {debate.question}\n"
            f"The speaker of turn 1 defends this answer: {answers[0]}\n"
            f"The speaker of turn 2 defends this one: {answers[1]}"
        ),
        note=STORY_NOTE,
        speeches=tuple(each.text for each in spoken),
        better=_speaker(debate.correct, first),
        kind="debates",
        person=_believed(debate.judge_final, first),
    )


def _speaker(answer: int, first: str) -> Place:
    """Who defends an answer: A defends answer 0."""
    return PLACES["AB"[answer] != first]


def _believed(belief: Sequence[float], first: str) -> Place | UnsetType:
    return UNSET if belief[0] == belief[1] else _speaker(int(belief[1] > belief[0]), first)
