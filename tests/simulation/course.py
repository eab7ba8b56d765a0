"""A format that asks nobody to judge: turns, then what is recorded beside them, all of it drawn from the debate's seed.

The moderator, its streams, its writing and what it does with an attempt that was cut off are the real ones.
"""

import random
from functools import cache
from typing import Final

from events.record import Draft
from events.state.debate import Debate
from events.types import (
    Archetype,
    AttemptAbandoned,
    DebateConcluded,
    DebateOpened,
    Debater,
    DebateSettings,
    DirectiveIssued,
    Event,
    JudgeSeat,
    ModelAnswered,
    Usage,
)
from events.types.rubric import Rubric
from providers.base import Segment
from server.debate.formats.exchange import side_of
from server.debate.formats.steps import LazyPrompt, Record, Speak, Step

MOST_BESIDE, MOST_LOUD = 12, 40
LOUD: Final = "Cities should ban loudspeakers"
"""The motion of a debate in which events are long."""
LONG: Final = 20_000
PROMPT: Final = LazyPrompt(lambda: (Segment("user", "Speak."),))


def opening(seed: int, turns: int, *, loud: bool, blind: bool) -> DebateOpened:
    """A debate of that many turns."""
    return DebateOpened(
        motion=LOUD if loud else "Cities should ban private cars",
        format="exchange",
        turns=turns,
        max_words=1000,
        pro=Debater(model="scripted:pro", archetype="plain", elasticity=0.5),
        con=Debater(model="scripted:con", archetype="plain", elasticity=0.5),
        judge=JudgeSeat(model="scripted:judge"),
        panel=(),
        rubric=Rubric(name="none", version=1, dimensions={}),
        archetypes={"plain": Archetype(title="Plain", manner="dry", traits={"rigour": 5.0})},
        prompts={},
        settings=DebateSettings(seed=seed, retry_ms=100),
        blind=blind,
        exhibition=None,
        moot="simulation",
    )


def next_steps(debate: Debate) -> tuple[Step, ...]:
    """As ``server.debate.formats.next_steps``."""
    opened = debate.opened
    if opened is None or debate.standing.state != "open":
        return ()
    turn = debate.transcript.current
    if turn is None:
        return (_speak(opened, 1, 1),)
    if turn.state == "speaking":
        cut = AttemptAbandoned(
            turn=turn.number, side=turn.side, attempt=turn.attempt, kind="interrupted", message="another node goes on"
        )
        return (Record(drafts=(Draft(event=cut, cause=turn.started),)),)
    if turn.state == "failed":
        return (_speak(opened, turn.number, turn.attempt + 1),)
    seed, loud = int(opened.settings.seed or 0), opened.motion == LOUD
    seed, loud = int(opened.settings.seed or 0), opened.motion == LOUD
    if debate.position == turn.spoken and (events := beside(seed, turn.number, loud=loud)):
        return (Record(drafts=tuple(Draft(event=event) for event in events)),)
    if turn.number < opened.turns:
        return (_speak(opened, turn.number + 1, 1),)
    return (Record(drafts=(Draft(event=DebateConcluded(winner="pro", by_rule="scorecard"), cause=turn.spoken),)),)


def _speak(opened: DebateOpened, turn: int, attempt: int) -> Speak:
    side = side_of(turn)
    return Speak(
        turn=turn,
        side=side,
        attempt=attempt,
        model=(opened.pro if side == "pro" else opened.con).model,
        lazy_prompt=PROMPT,
        max_words=opened.max_words,
        temperature=0.0,
        think="default",
    )


@cache
def _kinds(*, loud: bool) -> tuple[Event, Event]:
    answered = ModelAnswered(
        call="score.1.1",
        key="score:1",
        purpose="score",
        turn=1,
        sample=1,
        order=(),
        model="scripted:judge",
        parameters={"stop": "x" * LONG} if loud else {},
        usage=Usage(input_tokens=3, output_tokens=2),
        latency_ms=1,
        cost_usd=0.0,
        prompt=(("user", "00"),),
        segments={"00": "what the judge was asked"},
        answer="so",
        reasoning="because",
    )
    return DirectiveIssued(side="pro", text="Press the point about trams."), answered


def beside(seed: int, turn: int, *, loud: bool) -> tuple[Event, ...]:
    """What is recorded after a turn, as one batch: some of it the director's alone."""
    chance = random.Random(seed * 1000 + turn)
    number = chance.choice((0, 3, MOST_LOUD) if loud else (0, 1, 2, 3, MOST_BESIDE))
    return tuple(chance.choice(_kinds(loud=loud)) for _ in range(number))
