"""The rounds as answers in the required form, and debates with these rounds."""

import json
from typing import Any

from msgspec.structs import replace

from events.state.debate import Debate
from events.types import DebateOpened, Event, Side, TurnSpoken, TurnStarted, Usage, other
from events.types.criteria import ProtocolRules
from events.types.rubric import Rubric
from judge.live.answers import Answers
from judge.live.event_batch import EventBatch
from judge.protocol.answers import questioned, read_answers
from judge.protocol.closings import read_closing
from judge.protocol.cross import read_cross
from judge.protocol.openings import read_opening
from judge.protocol.reading import StatementReading
from judge.rubrics.rubric import rubric_v2
from tests.server.debate_events import CHARACTERS, RUBRIC
from tests.server.debate_events import opened as exchange_opened

assert RUBRIC.protocol is not None
assert RUBRIC.criteria is not None
RULES, CRITERIA = RUBRIC.protocol, RUBRIC.criteria
"""Of version 1: three rounds."""
RUBRIC_2 = rubric_v2()
assert RUBRIC_2.protocol is not None
RULES_2 = RUBRIC_2.protocol
"""Of version 2: four rounds."""
KINDS = ("open", "cross", "answer", "close")
NAMES = ("PRO-1", "PRO-2", "PRO-3", "CON-1", "CON-2", "CON-3")
TOPICS = {"PRO": ("tram", "noise", "air"), "CON": ("nurse", "shop", "bus")}


def kinds_of(rubric: Rubric) -> tuple[str, ...]:
    assert rubric.protocol is not None
    return KINDS if rubric.protocol.answer_words else tuple(kind for kind in KINDS if kind != "answer")


def protocol_opened(**changes: Any) -> DebateOpened:
    """A debate of three rounds under version 1, or of four under a later rubric."""
    turns = 2 * len(kinds_of(changes.get("rubric", RUBRIC)))
    return replace(exchange_opened(turns, samples=changes.pop("samples", 1)), format="protocol", **changes)


def argument(name: str, **changes: str) -> dict[str, str]:
    topic = TOPICS[name[:3]][int(name[-1]) - 1]
    return {
        "id": name,
        "claim": f"The {topic} decides what a city is for.",
        "reasoning": f"Whoever plans for the {topic} plans for all, because all depend on it.",
        "evidence": f"The {topic} count of Basel, 2019.",
        **changes,
    }


def opening(side: str, **changes: dict[str, str]) -> dict[str, Any]:
    """An opening in the required form; ``changes`` by the argument's number: ``n1={"claim": ""}``."""
    return {
        "arguments": [argument(f"{side.upper()}-{n}", **changes.get(f"n{n}", {})) for n in (1, 2, 3)],
    }


def cross(by: str, **changes: Any) -> dict[str, Any]:
    other = "CON" if by == "pro" else "PRO"
    answers = {
        f"{other}-{n}": {
            "response": response,
            "reasoning": f"{other}-{n} leaves out what it costs.",
            "follow_up": f"What does {other}-{n} cost, and who pays?",
        }
        for n, response in ((1, "refute"), (2, "challenge"), (3, "concede"))
    }
    return {"responses": [{"target": name, **answer, **changes.get(name[-1], {})} for name, answer in answers.items()]}


def replies(side: str, **changes: Any) -> dict[str, Any]:
    """A side's answers to the questions; ``changes`` by the argument's number: ``n1="…"``."""
    names = [f"{side.upper()}-{n}" for n in (1, 2, 3)]
    return {
        name: {"answer": changes.get(f"n{name[-1]}", f"{name} costs what the {topic} costs now, and the city pays.")}
        for name, topic in zip(names, TOPICS[side.upper()], strict=True)
    }


def closing(side: str, **changes: Any) -> dict[str, Any]:
    """A closing, with what version 2 asks for as well; version 1 does not read that."""
    return {
        "concessions": ["Costs were left out."],
        "standing_arguments": [f"{side.upper()}-1"],
        "final_position": f"What {side} said first still holds, within limits.",
        "shift_reason": "The question of costs set limits to it.",
        "shift": "adjusted",
        **changes,
    }


def argument_answer(name: str = "", points: int = 6, standing: str = "UPHELD", **changes: Any) -> dict[str, Any]:
    scores = dict.fromkeys(CRITERIA.dimensions, points)
    return {"reason": f"{name} was met.", "standing": standing, "scores": scores, **changes}


def assessment(**changes: Any) -> dict[str, Any]:
    """An assessment with 7 points everywhere for pro, 5 for con."""
    return {
        "fallacies": [],
        "arguments": {name: argument_answer(name, 7 if name.startswith("PRO") else 5) for name in NAMES},
        "key_insight": "Costs decide.",
        "unresolved_questions": ["Who pays for the trams?"],
        "recommendation": "Count the costs first.",
        **changes,
    }


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def read_open(value: Any, side: Side = "pro", turn: int = 1) -> StatementReading:
    return read_opening(as_text(value), side, turn, RULES)


def read_cross_examination(value: Any, by: Side = "pro", names: tuple[str, ...] = NAMES[3:]) -> StatementReading:
    return read_cross(as_text(value), by, 3, names)


def read_close(value: Any, side: Side = "pro", rules: ProtocolRules = RULES) -> StatementReading:
    return read_closing(as_text(value), side, 5, tuple(f"{side.upper()}-{n}" for n in (1, 2, 3)), rules)


def read_replies(value: Any, side: Side = "pro", rules: ProtocolRules = RULES_2) -> StatementReading:
    return read_answers(as_text(value), side, 5, tuple(f"{side.upper()}-{n}" for n in (1, 2, 3)), rules)


def debate_after_rounds(*, samples: int = 1, rubric: Rubric = RUBRIC, until: str = "", **said: Any) -> EventBatch:
    """A debate after all rounds, or before the round ``until``; ``said`` replaces statements by key: ``open_pro={…}``.

    Under a rubric after version 1 it has four rounds.
    """
    batch = EventBatch(Debate(id="d"))
    batch.add(protocol_opened(samples=samples, archetypes=CHARACTERS, rubric=rubric), None)
    makers = {"open": opening, "cross": cross, "answer": replies, "close": closing}
    kinds = kinds_of(rubric)
    for number, kind in enumerate(kinds[: kinds.index(until) if until else None]):
        sides: tuple[Side, Side] = ("pro", "con")
        for turn, side in enumerate(sides, 2 * number + 1):
            batch.add(TurnStarted(turn=turn, side=side, attempt=1, directive=None), None)
        readings = [
            _read(batch, kind, side, turn, as_text(said.get(f"{kind}_{side}", makers[kind](side))))
            for turn, side in enumerate(sides, 2 * number + 1)
        ]
        for (turn, side), reading in zip(enumerate(sides, 2 * number + 1), readings, strict=True):
            batch.add(_spoken(turn, side, reading), None)
            for event in reading.events:
                batch.add(event, None)
    return batch


def _read(batch: EventBatch, kind: str, side: Side, turn: int, raw: str) -> StatementReading:
    protocol, opened = batch.debate.protocol, batch.debate.opened
    assert opened is not None
    rules = opened.rubric.protocol
    assert rules is not None
    if kind == "open":
        return read_opening(raw, side, turn, rules)
    if kind == "cross":
        return read_cross(raw, side, turn, protocol.arguments_of(other(side)))
    if kind == "answer":
        return read_answers(raw, side, turn, questioned(protocol, side), rules)
    return read_closing(raw, side, turn, protocol.arguments_of(side), rules)


def _spoken(turn: int, side: Side, reading: StatementReading) -> TurnSpoken:
    return TurnSpoken(
        turn=turn,
        side=side,
        attempt=1,
        text=reading.text,
        words=len(reading.text.split()),
        clipped=reading.is_clipped,
        pace=(),
        model="grand:model",
        usage=Usage(),
        latency_ms=1,
    )


def answers_of(*answers: Any) -> Answers[Any]:
    return Answers(given=tuple((number, answer) for number, answer in enumerate(answers, 1)))


def events_of(batch: EventBatch, *types: type, after: int = 0) -> list[Any]:
    """The events of some types in a batch."""
    events: list[Event] = [draft.event for draft in batch.drafts[after:]]
    return [event for event in events if isinstance(event, types)]
