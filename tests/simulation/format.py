"""A debate format without a judge: turns, and after each turn a batch of events, all drawn from the debate's seed.

The moderators, their text streams, their appends and their handling of an interrupted attempt are the real ones.
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
from server.debate.formats.exchange.steps import side_of
from server.debate.formats.steps import LazyPrompt, Record, Speak, Step

MAX_EVENTS, MAX_LARGE = 12, 40
LARGE_MOTION: Final = "Cities should ban loudspeakers"
"""The motion of a debate with long events."""
LONG: Final = 20_000
PROMPT: Final = LazyPrompt(lambda: (Segment("user", "Speak."),))


def opening(seed: int, turns: int, *, large: bool, blind: bool) -> DebateOpened:
    """The opening of a debate with that many turns."""
    return DebateOpened(
        motion=LARGE_MOTION if large else "Cities should ban private cars",
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
    """See ``server.debate.formats.next_steps``."""
    opened = debate.opened
    if opened is None or debate.status.state != "open":
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
    seed, large = int(opened.settings.seed or 0), opened.motion == LARGE_MOTION
    if debate.position == turn.spoken and (events := events_after(seed, turn.number, large=large)):
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
        max_tokens=2 * opened.max_words,
        temperature=0.0,
        think="default",
    )


@cache
def _kinds(*, large: bool) -> tuple[Event, Event]:
    answered = ModelAnswered(
        call="score.1.1",
        key="score:1",
        purpose="score",
        turn=1,
        sample=1,
        order=(),
        model="scripted:judge",
        parameters={"stop": "x" * LONG} if large else {},
        usage=Usage(input_tokens=3, output_tokens=2),
        latency_ms=1,
        cost_usd=0.0,
        prompt=(("user", "00"),),
        segments={"00": "what the judge was asked"},
        answer="so",
        reasoning="because",
    )
    return DirectiveIssued(side="pro", text="Press the point about trams."), answered


def events_after(seed: int, turn: int, *, large: bool) -> tuple[Event, ...]:
    """The batch that is recorded after a turn; some of its events are private to the director."""
    rng = random.Random(seed * 1000 + turn)  # the same on every node
    number = rng.choice((0, 3, MAX_LARGE) if large else (0, 1, 2, 3, MAX_EVENTS))
    return tuple(rng.choice(_kinds(large=large)) for _ in range(number))
