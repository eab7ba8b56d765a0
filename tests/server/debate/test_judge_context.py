"""A debate that outgrows the window of a judge that reads all of it: what is shortened, when, and how it is told."""

import random
import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from events.record import Draft
from events.types import (
    ClaimFlagged,
    ContextShortened,
    DebateConcluded,
    DebateOpened,
    FindingRefused,
    JudgeSeat,
    LogicGapAdjusted,
    TurnSpoken,
)
from events.view import view as views
from judge.live.scoring import applicable
from judge.live.shortening import DENSE, RESERVED_TOKENS, WHOLE
from judge.live.whole import WholeDebate
from judge.rubrics.rubric import rubric_v2
from providers.answers.neutral import neutral
from providers.base import Segment
from server.debate.formats.steps import Ask, Record, Speak
from server.whatif.replay import replay
from tests.laws import spread
from tests.providers.vendors.tokens import tokens
from tests.server.debate_events import Play, opened, reply, spoken, started

RUBRIC = rubric_v2()
WORDS = ("tram", "street", "night", "nurse", "budget", "ticket", "wire", "track", "law", "city", "council", "noise")
REASON = "It states a result without its means, and a reader who doubts it finds no reason here to change their mind. "


def opening(turns: int, window: int, **seat: Any) -> DebateOpened:
    judge = JudgeSeat(model="scripted:judge", reads="whole", window=window, **seat)
    return replace(opened(turns), rubric=RUBRIC, judge=judge)


@cache
def speech(turn: int) -> str:
    """A turn of 170 words in sentences that no other turn has."""
    chance = random.Random(turn)
    sentences = [
        f"{chance.choice(WORDS).capitalize()} {turn}.{number} " + " ".join(chance.choices(WORDS, k=13))
        for number in range(11)
    ]
    return ". ".join(sentences) + "."


def sentence(turn: int, number: int) -> str:
    """The words of one sentence of a turn, up to six of them."""
    return " ".join(speech(turn).split(". ")[number].split()[:6])


def answer(step: Ask) -> Any:
    """What a capable model answers, at natural length."""
    turn = step.turn or 0
    match step.purpose:
        case "score":
            parts = applicable(RUBRIC, turn)
            return {
                "components": {
                    name: {"reason": REASON, "points": min(6, int(each.maximum))}
                    | ({"quote": sentence(turn, 2)} if each.needs_quote else {})
                    for name, each in parts.items()
                }
            }
        case "claims":
            return {"claims": [{"quote": sentence(turn, 4), "reason": REASON * 2, "kind": "overclaim"}]}
        case "gaps":
            flaw = {"exposed_by": sentence(turn, 5), "reason": REASON, "points": 2}
            far = max(1, turn - 9)
            return {
                "gaps": [
                    {"turn": turn - 1, "fails": sentence(turn - 1, 6)} | flaw,
                    {"turn": far, "fails": sentence(far, 8)} | flaw,
                ]
            }
        case "premises":
            stated = [{"text": sentence(turn, n) + " is so", "quote": sentence(turn, n)} for n in range(4)]
            if turn < 3:
                return {"stated": stated}
            revised = {"premise": f"P{turn - 2}.1", "text": REASON}
            withdrawn = {"premise": f"P{turn - 2}.2", "quote": sentence(turn, 7)}
            return {"stated": stated, "revised": [revised][turn % 2 :], "withdrawn": [withdrawn][1 - turn % 2 :]}
        case "narrative":
            part = dict.fromkeys(("evolution", "fractures", "held"), REASON)
            return {"A": part, "B": part, "explanation": REASON * 5, "winner": "A", "margin": "narrow"}
        case _:
            return neutral(step.answer_type)


class Held:
    """A debate that was held to its end, with the prompts of all questions."""

    def __init__(self, turns: int, window: int) -> None:
        self.play = Play(opening(turns, window))
        self.asked: list[tuple[Ask, tuple[Segment, ...]]] = []
        while (steps := self.play.steps) and not self.play.of(DebateConcluded):
            if isinstance(steps[0], Record):
                self.play.add(*steps[0].drafts)
                continue
            asks = [step for step in steps if isinstance(step, Ask)]
            self.asked += [(ask, ask.prompt) for ask in asks]
            for step in steps:
                if isinstance(step, Speak):
                    self.play.add(
                        Draft(event=started(step.turn, step.attempt), cause=step.cause),
                        spoken(step.turn, step.attempt, speech(step.turn)),
                    )
            self.play.add(*(reply(ask, answer(ask)) for ask in asks))
        self.shortened: Sequence[ContextShortened] = self.play.of(ContextShortened)

    def prompt(self, key: str) -> tuple[Segment, ...]:
        return next(prompt for ask, prompt in self.asked if ask.key == key)


@cache
def held(turns: int = 60, window: int = 16_384) -> Held:
    return Held(turns, window)


def label(turn: int) -> str:
    return "A" if turn % 2 else "B"


def text(prompt: Sequence[Segment]) -> str:
    return "\n\n".join(each.text for each in prompt)


@pytest.mark.slow
@pytest.mark.parametrize("window", spread((16_384, 12_288, 32_768), 1))
def test_no_prompt_of_a_debate_of_sixty_turns_is_over_the_window(window: int) -> None:
    made = held(60, window)

    assert made.play.of(DebateConcluded)
    assert len(made.asked) > 59 * 6
    for ask, prompt in made.asked:
        assert tokens(text(prompt)) + ask.max_tokens < window, ask.key
    assert window / 4 < max(tokens(text(prompt)) for _, prompt in made.asked)


@pytest.mark.slow
def test_the_estimate_is_not_below_what_is_given() -> None:
    """Everything that grows with the debate is counted: a fake counts the prompts as the estimate does, or lower."""
    made = held()
    limit = (16_384 - RESERVED_TOKENS) / DENSE

    assert max(tokens(text(prompt[:-1])) for _, prompt in made.asked) <= limit


@pytest.mark.slow
def test_a_window_that_holds_the_debate_changes_nothing() -> None:
    with_window, without = held(8, 200_000), held(8, 0)

    assert not with_window.shortened
    assert [prompt for _, prompt in without.asked] == [prompt for _, prompt in with_window.asked]


@pytest.mark.slow
def test_turn_1_and_the_newest_turns_are_whole() -> None:
    for ask, prompt in held().asked:
        if ask.turn:
            shown = text(prompt)
            for turn in {1, *range(max(1, ask.turn - WHOLE[1] + 1), ask.turn + 1)}:
                assert speech(turn) in shown, (ask.key, turn)


@pytest.mark.slow
def test_older_turns_are_shortened_to_what_the_record_quotes() -> None:
    made = held()
    first = made.shortened[0]
    turn, parts = first.turns_shortened[-1].turn, first.turns_shortened[-1].kept
    kept = [speech(turn)[start:end] for start, end in parts]
    shown = text(made.prompt(f"gaps:{first.turn}"))
    said = [f"{each}." for each in speech(turn).removesuffix(".").split(". ")]

    assert [said[0], " ".join(said[4:7])] == kept  # 4 was flagged, 5 exposes a flaw, 6 was docked
    assert f"Turn {turn}, Speaker {label(turn)}, shortened to its first sentence" in shown
    assert f"| {kept[0]}\n(…)\n| {kept[1]}" in shown
    assert speech(turn) not in shown
    assert re.search(rf"[CP]{turn}\.[0-9]", shown)


@pytest.mark.slow
def test_the_oldest_are_told_by_their_first_sentence_and_then_left_out() -> None:
    made = held()
    last = made.shortened[-1]
    brief, shown = last.turns_without_record[-1], text(made.prompt(f"gaps:{last.turn}"))

    assert f"Turn {brief}, Speaker {label(brief)}, its first sentence only:\n" in shown
    assert f"| {speech(brief).split('. ')[0]}.\n\n" in shown
    assert last.turns_left_out == tuple(range(2, last.turns_left_out[-1] + 1))
    assert f"Turns 2 to {last.turns_left_out[-1]} are left out here" in shown
    assert "Turn 2, Speaker" not in shown
    assert not re.search(rf"[CP](2|{brief})\.[0-9]", shown)
    assert re.search(rf"Speaker B, mean scores of turns 2 to {brief}:\n- logic [0-9.]+ of 40\n", shown)


def test_the_mean_scores_of_turns_without_record_are_the_ledgers() -> None:
    made = held()
    untold = made.shortened[-1].turns_without_record
    ledger = made.play.debate.ledger
    values = [ledger.cards[turn].balances["rhetoric"].effective for turn in untold if turn % 2]
    shown = WholeDebate(made.play.debate, made.play.debate.opened).prefix[-1].text  # type: ignore[arg-type]

    means = shown.split(f"Speaker A, mean scores of turns 2 to {untold[-1]}:\n")[1]
    assert float(re.findall(r"rhetoric ([0-9.]+) of 30", means)[0]) == pytest.approx(
        sum(values) / len(values), abs=0.051
    )


def test_the_beginning_of_the_prompts_changes_in_few_steps() -> None:
    made = held()
    scores = [[each.text for each in made.prompt(f"score:{turn}")] for turn in range(1, 61)]
    kept = [later[: len(earlier) - 2] == earlier[:-2] for earlier, later in pairwise(scores)]

    assert len(made.shortened) == kept.count(False)
    assert 3 < len(made.shortened) < 60 / 3
    turns = [each.turn for each in made.shortened]
    assert all(later - earlier >= 2 for earlier, later in pairwise(turns))


@pytest.mark.slow
def test_a_prompt_that_is_not_shortened_is_only_appended_to() -> None:
    made = held(12, 0)
    scores = [[each.text for each in made.prompt(f"score:{turn}")] for turn in range(1, 13)]

    for earlier, later in pairwise(scores):
        assert earlier[:-2] == later[: len(earlier) - 2]


def test_what_was_recorded_of_turn_1_stays_where_the_record_of_other_turns_goes() -> None:
    made = held()
    last = made.shortened[-1]
    shown = text(made.prompt(f"gaps:{last.turn}"))

    assert 2 in last.turns_left_out
    assert "Turn 1 lost 2 points of logic for these words (turn 2 shows the flaw), and why:\n" in shown
    assert "Scores of turn 2," not in shown
    assert "Turn 2 lost" not in shown


def test_what_was_shortened_stays_as_it_was() -> None:
    """The words that are docked later do not change the beginning of the prompts."""
    for earlier, later in pairwise(held().shortened):
        known = {each.turn: each.kept for each in earlier.turns_shortened}
        for each in later.turns_shortened:
            if (each.turn in later.turns_without_record) == (each.turn in earlier.turns_without_record):
                assert each.kept == known.get(each.turn, each.kept)
        assert set(earlier.turns_without_record) <= set(later.turns_without_record)
        assert set(earlier.turns_left_out) <= set(later.turns_left_out)


def test_quotes_are_looked_up_in_the_whole_turn() -> None:
    """The gap answers quote turns nine turns back, by words that the shortened form does not hold."""
    made = held()
    far = {each.turn: each.exposed_by.turn for each in made.play.of(LogicGapAdjusted) if each.exposed_by.turn > 20}

    assert {turn for turn, by in far.items() if by - turn > WHOLE[0]}
    assert not [each for each in made.play.of(FindingRefused) if "not in" in each.reason]
    assert len(made.play.of(ClaimFlagged)) == 60


def test_a_second_opinion_reads_the_turn_of_its_claim_in_full() -> None:
    made = held()
    debate = made.play.debate
    assert debate.opened is not None
    name = next(name for name, claim in debate.claims.items() if claim.turn == made.shortened[-1].turns_left_out[2])
    shown = text(WholeDebate(debate, debate.opened).second_opinion(debate.claims[name]))

    assert speech(debate.claims[name].turn) in shown
    assert speech(debate.claims[name].turn + 1) not in shown


def test_the_event_comes_before_the_questions_and_the_view_shows_it() -> None:
    made = held()
    events = made.play.events
    at = events.index(made.shortened[0])
    view = views.apply_all(views.INITIAL, made.play.records).view

    assert isinstance(events[at - 1], TurnSpoken)
    assert events[at - 1].turn == made.shortened[0].turn  # type: ignore[union-attr]
    assert view.judge_context == made.shortened[-1]


@pytest.mark.slow
def test_the_replay_makes_the_same_choice() -> None:
    made = held()
    result = replay(made.play.records, lambda each: each)

    assert (0, ()) == (result.diverges_at, result.unanswered)
    assert result.recorded == result.would_be
    assert result.would_be.context_shortened == made.shortened[-1]


@pytest.mark.slow
def test_a_log_without_a_window_is_not_shortened() -> None:
    play = Play(replace(opening(2, 0), judge=JudgeSeat(model="scripted:judge", reads="whole")))

    assert isinstance(play.steps[0], Speak)
    made = Held(20, 0)
    assert not made.shortened
    assert speech(2) in text(made.prompt("score:20"))


def test_a_judge_with_short_prompts_is_given_what_it_was_given_before() -> None:
    made = Play(replace(opening(2, 16_384), judge=JudgeSeat(model="scripted:judge", reads="short", window=4096)))
    made.add(started(1), spoken(1, text="x " * 20_000))

    assert all(isinstance(step, Ask) for step in made.steps)


def test_a_turn_that_alone_is_over_the_window_is_asked_about_once() -> None:
    """Nothing can be shortened: the questions are asked, and the vendor's refusal is recorded."""
    made = Play(opening(2, 12_288))
    made.add(started(1), spoken(1, text="x " * 20_000))

    assert all(isinstance(step, Ask) for step in made.steps)
