"""Properties of format protocol for random debates: nothing is asked, said or judged twice."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.patch import merge
from events.types import (
    ArgumentsOpened,
    AssessmentGiven,
    DebateConcluded,
    Event,
    Missing,
    ModelAnswered,
    ModelFailed,
    TurnSpoken,
    TurnStarted,
)
from events.view import view as views
from providers.answers.schema import parse
from providers.errors import ProviderError
from server.debate.formats.steps import Ask, Record, Speak
from server.feed import frames
from server.whatif.replay import replay
from tests.events.view.test_projections import as_json, has_null
from tests.judge.protocol.rounds import (
    NAMES,
    RUBRIC,
    RUBRIC_2,
    argument_answer,
    as_text,
    assessment,
    closing,
    cross,
    opening,
    protocol_opened,
    replies,
)
from tests.laws import examples
from tests.server.debate_events import HALTED, KINDS, PAUSED, RESUMED, Play, no_reply, reply

PROSE = "Trams carry more people than cars, and that is all there is to say of it."
LIMIT = 160
"""Most steps of a debate: one that takes more does not end."""


def sound(step: Ask) -> Any:
    """An answer without faults."""
    kind, _, side = step.key.partition(":")
    return {"open": opening, "cross": cross, "answer": replies, "close": closing}[kind](side) if side else assessment()


def odd(draw: st.DrawFn, step: Ask) -> Any:
    """JSON with faults."""
    said = sound(step)
    if step.key == "assess":
        arguments = {name: argument_answer(name, draw(st.integers(0, 11))) for name in NAMES}
        arguments.pop(draw(st.sampled_from(NAMES)))
        return said | {"arguments": arguments | {"PRO-9": argument_answer()}}
    if step.purpose == "close":
        return said | {"final_position": draw(st.sampled_from(("", "word " * 900)))}
    if step.purpose == "answer":
        words = st.sampled_from(("", PROSE, "word " * 140))
        return {draw(st.sampled_from([*said, "PRO-9"])): {"answer": draw(words)} for _ in said}
    ((name, items),) = said.items()
    return {name: draw(st.lists(st.sampled_from([*items, {}, PROSE, {"id": "X"}]), min_size=1, max_size=9))}


def answer(draw: st.DrawFn, step: Ask) -> Event:
    match draw(st.sampled_from(("sound", "sound", "odd", "prose", "unread", "fails"))):
        case "sound":
            return reply(step, sound(step))
        case "odd":
            said = odd(draw, step)
            try:
                step.verify(parse(as_text(said), step.reads))
            except ProviderError as error:
                return no_reply(step, error.kind)
            return reply(step, said)
        case "prose" if step.key != "assess":
            return reply(step, PROSE)
        case "unread":
            return msgspec.structs.replace(no_reply(step, "bad_json"), answer=PROSE)
        case _:
            return no_reply(step, draw(st.sampled_from(KINDS)))


@st.composite
def plays(draw: st.DrawFn) -> Play:
    """A debate up to any of its steps, with commands of people between them and answers in any order."""
    rubric = draw(st.sampled_from((RUBRIC, RUBRIC_2, RUBRIC_2)))
    play = Play(protocol_opened(samples=draw(st.integers(1, 2)), rubric=rubric))
    for _ in range(draw(st.integers(0, 60))):
        if play.debate.status.state == "concluded":
            break
        if not (possible := play.steps):
            play.add(RESUMED)
        elif draw(st.integers(0, 15)) == 0:
            play.add(draw(st.sampled_from((PAUSED, HALTED))))
        elif isinstance(possible[0], Record):
            play.add(*possible[0].drafts)
        else:
            asked = [step for step in possible if isinstance(step, Ask)]
            for step in draw(st.permutations(asked))[: draw(st.integers(1, len(asked)))]:
                play.add(answer(draw, step))
    return play


def finish(play: Play) -> Play:
    """Let the debate go on to its end, with answers without faults."""
    for _ in range(LIMIT):
        if play.debate.status.state == "concluded":
            return play
        if not (possible := play.steps):
            play.add(RESUMED)
        elif isinstance(possible[0], Record):
            play.add(*possible[0].drafts)
        else:
            play.add(*(reply(step, sound(step)) for step in possible if isinstance(step, Ask)))
    raise AssertionError("it does not end")


def law_whatever_happened_it_can_be_brought_to_its_end_and_nothing_is_done_twice(play: Play) -> None:
    events = play.events
    answered = [(each.key, each.sample) for each in play.of(ModelAnswered)]
    calls = [each.call for each in play.of(ModelAnswered, ModelFailed)]
    attempts = [(each.turn, each.attempt) for each in play.of(TurnStarted)]

    assert len(set(answered)) == len(answered)
    assert len(set(calls)) == len(calls)
    assert len(set(attempts)) == len(attempts)
    spoken = [each.turn for each in play.of(TurnSpoken)]
    assert play.debate.opened
    assert list(range(1, play.debate.opened.turns + 1)) == sorted(spoken)
    assert all(abs(turn - place) <= 1 for place, turn in enumerate(spoken, 1))
    assert (2, 1, 1) == tuple(len(play.of(each)) for each in (ArgumentsOpened, AssessmentGiven, DebateConcluded))
    assert isinstance(events[-1], DebateConcluded)
    assert play.debate.protocol.briefing


def law_who_wins_follows_from_the_totals(play: Play) -> None:
    (given_,) = play.of(AssessmentGiven)
    (concluded,) = play.of(DebateConcluded)

    if isinstance(given_.pro_total, Missing) or isinstance(given_.con_total, Missing):
        assert ("neither", "no_judgement") == (concluded.winner, concluded.by_rule)
    else:
        gap = given_.pro_total - given_.con_total

        assert ("neither" if abs(gap) < 1 else "pro" if gap > 0 else "con") == concluded.winner


def law_what_was_said_by_a_faulty_side_is_in_the_log_whole(play: Play) -> None:
    said = {each.answer for each in play.of(ModelAnswered, ModelFailed)}
    for event in play.events:
        if getattr(event, "faults", ()) and isinstance(event, Event):
            assert getattr(event, "free_text", None) in said


def law_frames_applied_in_order_give_the_view(play: Play) -> None:
    seen: Any = {}
    fold = views.INITIAL
    for record in play.records:
        fold, frame = frames.step(fold, record)
        seen = merge(seen, msgspec.json.decode(frame)["patch"])

        assert as_json(fold.view) == seen
        assert not has_null(seen)


def law_a_replay_under_the_same_rules_is_the_record(play: Play) -> None:
    result = replay(play.records, lambda opened: opened)

    assert (0, ()) == (result.diverges_at, result.unanswered)
    assert result.recorded == result.would_be


def law_a_debate_rests_only_when_it_is_not_open(play: Play) -> None:
    assert bool(play.steps) == (play.debate.status.state == "open")
    assert not any(isinstance(step, Speak) for step in play.steps)


BEFORE_ITS_END = (
    law_what_was_said_by_a_faulty_side_is_in_the_log_whole,
    law_frames_applied_in_order_give_the_view,
    law_a_debate_rests_only_when_it_is_not_open,
)
AT_ITS_END = (
    law_whatever_happened_it_can_be_brought_to_its_end_and_nothing_is_done_twice,
    law_who_wins_follows_from_the_totals,
    law_a_replay_under_the_same_rules_is_the_record,
)


@pytest.mark.slow
@examples(20, whole=340)
@given(plays())
def test_the_laws_hold_for_any_debate(play: Play) -> None:
    for law in BEFORE_ITS_END:
        law(play)
    finish(play)
    for law in AT_ITS_END:
        law(play)
