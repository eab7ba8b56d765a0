"""The events of a typical debate in format ``exchange``, five for each turn, and a script for such a debate."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

import msgspec

from events import codec
from events.record import Draft, Recorded, digest_before_first, now, stamp
from events.types import (
    DebateOpened,
    Debater,
    DebateSettings,
    Event,
    JudgeSeat,
    ModelAnswered,
    TurnSpoken,
    TurnStarted,
    Usage,
)
from judge.live.scoring import ComponentAnswer, ScoreAnswer, score_turn
from judge.rubrics.rubric import rubric_v1
from judge.templates import judge_templates
from personalities.archetypes import archetypes
from personalities.prompt import debater_template
from server.debate.formats.exchange.steps import side_of

DEBATE: Final = "bench"
TURN_EVENTS: Final = 5
SENTENCES: Final = (
    "A street that is given back to people gains shops, shade and quiet within a single year.",
    "The delivery van, the ambulance and the wheelchair taxi do not vanish because a private car may not enter.",
    "Trade falls first and recovers later, and the shops that close in between are counted by nobody.",
    "Of every ten trips into the centre six are shorter than a walk of twenty minutes.",
    "Whoever lives beyond the last tram stop pays for the quiet of those who live beside it.",
    "Noise and dust are a cost that is moved on to people who have no say and no garden.",
    "A rule that needs four hundred exceptions is a list of favours, not a rule.",
    "The space of one parked car holds ten bicycles, two trees, or the tables of a café.",
)


def text_of(turn: int) -> str:
    """The text of a turn: about a hundred words, in another order for each turn."""
    return " ".join(SENTENCES[(turn * 3 + index * 5) % len(SENTENCES)] for index in range(8))


def components(turn: int) -> dict[str, dict[str, Any]]:
    """A judge's answer about a turn.  Every quote is in the turn's text."""
    names = [each for dimension in rubric_v1().dimensions.values() for each in dimension.components.items()]
    return {
        name: {
            "quote": SENTENCES[(turn * 3 + index * 5) % len(SENTENCES)][:60] if component.needs_quote else "",
            "reason": "It says so plainly and ties the claim to something that can be counted.",
            "points": component.maximum * (3 + (turn + index) % 5) // 8,
        }
        for index, (name, component) in enumerate(names)
    }


def script(turns: int) -> dict[str, Any]:
    """The content of a ``scripted:`` file for a debate of that many turns, without any delay."""
    return {
        "label": "bench",
        "pace": {"chunk_ms": 0, "chunk_chars": 24},
        "says": {
            "pro": [text_of(turn) for turn in range(1, turns + 1, 2)],
            "con": [text_of(turn) for turn in range(2, turns + 2, 2)],
        },
        "answers": {f"score:{turn}": {"components": components(turn)} for turn in range(1, turns + 1)},
    }


def opening(turns: int) -> DebateOpened:
    """The opening of a debate, as ``moot run`` makes it."""
    known = archetypes()
    return DebateOpened(
        motion="Cities should ban private cars from their centres",
        format="exchange",
        turns=turns,
        max_words=180,
        pro=Debater(model="scripted:bench", archetype="engineer", elasticity=0.5),
        con=Debater(model="scripted:bench", archetype="provocateur", elasticity=0.5),
        judge=JudgeSeat(model="scripted:bench"),
        panel=(),
        rubric=rubric_v1(),
        archetypes={name: known[name] for name in ("engineer", "provocateur")},
        prompts={"debater": debater_template(), **judge_templates()},
        settings=DebateSettings(),
        blind=False,
        exhibition=None,
        moot="bench",
    )


def answered(purpose: str, turn: int, answer: str, prompt: str = "") -> ModelAnswered:
    """An answered call."""
    digest = sha256(prompt.encode()).hexdigest()
    return ModelAnswered(
        call=f"{purpose}.{turn}.1",
        key=f"{purpose}:{turn}",
        purpose=purpose,
        turn=turn,
        sample=1,
        order=(),
        model="scripted:bench",
        parameters={"temperature": 0.8, "max_tokens": 328, "seed": None},
        usage=Usage(input_tokens=412, output_tokens=131),
        latency_ms=1800,
        cost_usd=0.0,
        prompt=(("system", digest),) if prompt else (),
        segments={digest: prompt} if prompt else {},
        answer=answer,
        reasoning="",
    )


def turn_events(turn: int) -> Iterator[Event]:
    """The events of one turn."""
    text, side = text_of(turn), side_of(turn)
    score = ScoreAnswer(components={name: ComponentAnswer(**answer) for name, answer in components(turn).items()})
    yield TurnStarted(turn=turn, side=side, attempt=1, directive=None)
    yield answered("speak", turn, text, f"Turn {turn}. Your opponent said:\n{text_of(turn - 1)}")
    yield TurnSpoken(
        turn=turn,
        side=side,
        attempt=1,
        text=text,
        words=len(text.split()),
        clipped=False,
        pace=tuple((at * 40, at * 24) for at in range(1, 30)),
        model="scripted:bench",
        usage=Usage(input_tokens=412, output_tokens=131),
        latency_ms=1800,
    )
    yield answered("score", turn, msgspec.json.encode(score).decode(), f"Turn {turn}:\n{text}")
    yield score_turn(rubric_v1(), turn, text, [score])


def debate(events: int) -> tuple[Recorded, ...]:
    """The records of one debate with that many events: the opening, then turn after turn."""
    turns = -(-events // TURN_EVENTS)
    sequence: list[Event] = [opening(turns)]
    for turn in range(1, turns + 1):
        sequence += turn_events(turn)
    drafts = [Draft(event=event) for event in sequence[:events]]
    payloads = [codec.encode(draft.event) for draft in drafts]
    return stamp(DEBATE, 0, digest_before_first(DEBATE), drafts, now(), payloads)
