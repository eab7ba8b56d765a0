"""Scripted debates of format ``protocol``, and what holds for every one of them."""

from collections.abc import Callable, Sequence
from typing import Any

from events.record import Recorded
from events.store.log import read_all
from events.types import (
    ArgumentsOpened,
    AssessmentGiven,
    DebateConcluded,
    DebateOpened,
    Event,
    ModelAnswered,
    TurnSpoken,
    TurnStarted,
)
from events.verify import verify_log
from tests.judge.protocol.rounds import KINDS, assessment, closing, cross, opening, replies
from tests.server.harness import Harness, harness

Script = Callable[..., str]
STATEMENTS = tuple(f"{kind}:{side}" for kind in KINDS for side in ("pro", "con"))
PROSE = "Trams carry more people than cars. They share one track, and nobody has to park them."
STRAW = {"argument": "PRO-1", "fallacy": "Straw Man", "quote": "plans for the tram plans for all", "reason": "No."}


def answers(**changes: Any) -> dict[str, Any]:
    """The answers of a whole debate; ``changes`` by key with ``_`` for the colon, None to leave an answer out."""
    makers = {"open": opening, "cross": cross, "answer": replies, "close": closing}
    said = {key: makers[key.partition(":")[0]](key.partition(":")[2]) for key in STATEMENTS}
    said["assess"] = assessment()
    for name, value in changes.items():
        said[name.replace("_", ":")] = value
    return {key: value for key, value in said.items() if value is not None}


async def held(h: Harness, model: str, **request: Any) -> tuple[str, Event]:
    debate = await h.open(model, turns=8, format="protocol", **request)
    return debate, await h.ended(debate)


async def played(script: Script, **changes: Any) -> tuple[list[Event], Any]:
    """The events and the view of a debate with these answers, which must conclude with a sound log."""
    async with harness() as h:
        debate, end = await held(h, script(answers=answers(**changes)))
        await check(h.log, debate)

        assert isinstance(end, DebateConcluded)
        return await h.events(debate), await h.view(debate)


async def check(log: Any, debate: str) -> list[Recorded]:
    """What holds for every log of this format: no gaps, verified, every answer and every speech once."""
    records = [record async for record in read_all(log, debate)]
    events = [record.event for record in records]
    asked = [(each.key, each.sample) for each in events if isinstance(each, ModelAnswered)]
    said = [each.turn for each in events if isinstance(each, TurnSpoken)]
    attempts = [(each.turn, each.attempt) for each in events if isinstance(each, TurnStarted)]

    assert list(range(1, len(records) + 1)) == [record.position for record in records]
    assert (await verify_log(log, debate)).ok
    assert len(set(asked)) == len(asked)
    assert len(set(said)) == len(said)
    assert len(set(attempts)) == len(attempts)
    if isinstance(events[-1], DebateConcluded):
        assert list(range(1, of(events, DebateOpened)[0].turns + 1)) == sorted(said)
        assert all(abs(turn - place) <= 1 for place, turn in enumerate(said, 1))  # the two of a round in either order
        assert 1 == len(of(events, AssessmentGiven))
        assert {"pro", "con"} == {each.side for each in of(events, ArgumentsOpened)}
    return records


def of(events: Sequence[Event], *types: type) -> list[Any]:
    return [each for each in events if isinstance(each, types)]


def stated(events: Sequence[Event], kind: type, side: str) -> Any:
    """The statement of a side: statements are recorded in the order in which they are complete."""
    (found,) = [each for each in of(events, kind) if each.side == side]
    return found


def calls(events: Sequence[Event], key: str) -> list[int]:
    return [each.sample for each in of(events, ModelAnswered) if each.key == key]
