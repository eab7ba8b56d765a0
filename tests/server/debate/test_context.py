"""A debate that is longer than a model's window: turns in full, turns as a sentence, and the event that records it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.types import ContextSummarised, DebateOpened, TurnScored, missing
from judge.text.words import SHORT, shortened, tokens
from server.debate.formats import prompts
from server.debate.formats.exchange.steps import next_steps
from server.debate.formats.prompts import FRAME_TOKENS, speech_prompt, summary_due
from server.debate.formats.steps import Record, Speak
from tests.server.debate_events import Play, opened, spoken, started

WORDS = "Trams carry more people than cars do. " + "They share one track and one wire, and that is why. " * 12


def said(turns: int, window: int) -> Play:
    """A debate with this number of judged turns and this window of the debaters' models."""
    seats: DebateOpened = opened(turns + 1)
    seats = replace(seats, pro=replace(seats.pro, window=window), con=replace(seats.con, window=window))
    play = Play(seats)
    for turn in range(1, turns + 1):
        play.add(started(turn), spoken(turn, text=f"Turn {turn}. {WORDS}"), _unscored(turn))
    return play


def _unscored(turn: int) -> TurnScored:
    return TurnScored(turn=turn, missing=missing("nobody was asked").missing)


def prompt(play: Play) -> str:
    return "\n".join(segment.text for segment in speech_prompt(play.debate, play.debate.opened, "pro"))


def test_without_a_window_every_turn_is_given_in_full_and_nothing_is_recorded() -> None:
    play = said(30, 0)

    assert summary_due(play.debate, play.debate.opened, 31, "pro") is None
    assert all(f"Turn {turn}." in prompt(play) for turn in range(1, 31))


def test_a_debate_that_fits_is_given_in_full() -> None:
    play = said(4, 32_768)

    assert summary_due(play.debate, play.debate.opened, 5, "pro") is None
    assert 4 == prompt(play).count("one wire, and that is why. They share one track") // 11


def test_what_does_not_fit_is_recorded_before_the_turn_begins() -> None:
    play = said(10, 2048)

    (step,) = next_steps(play.debate)
    assert isinstance(step, Record)
    event = step.drafts[0].event
    play.add(*step.drafts)
    (after,) = next_steps(play.debate)

    assert isinstance(event, ContextSummarised)
    assert (11, "pro") == (event.turn, event.side)
    assert 10 == event.turns_in_full[-1]
    assert event.turns_summarised
    assert max(event.turns_summarised) < min(event.turns_in_full)
    assert isinstance(after, Speak)
    assert 11 == after.turn


def test_a_summarised_turn_is_given_by_its_first_sentence() -> None:
    play = said(10, 2048)
    due = summary_due(play.debate, play.debate.opened, 11, "pro")

    assert due is not None
    text = prompt(play)
    assert all(f"Turn {turn}." in text for turn in (*due.turns_in_full, *due.turns_summarised))
    assert len(due.turns_in_full) == text.count("one wire, and that is why. They") // 11


@pytest.mark.slow
def test_the_prompt_never_outgrows_the_window() -> None:
    for turns in (1, 5, 20, 80, 199):
        for window in (1600, 2048, 8192):
            text = prompt(said(turns, window))

            assert len(text) / 3 < window + FRAME_TOKENS


def test_the_turn_that_is_answered_is_always_given_in_full() -> None:
    play = said(3, 1)
    due = summary_due(play.debate, play.debate.opened, 4, "con")

    assert due is not None
    assert (3,) == due.turns_in_full


def test_a_late_turn_costs_as_much_as_an_early_one(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    for turns in (10, 150):
        play = said(turns, 8192)
        opened = play.debate.opened
        assert opened is not None
        asked: list[str] = []

        def counted(text: str, asked: list[str] = asked) -> float:
            asked.append(text)
            return tokens(text)

        monkeypatch.setattr(prompts, "tokens", counted)
        shortened.cache_clear()
        summary_due(play.debate, opened, turns + 1, "pro")
        cut = shortened.cache_info().misses
        summary_due(play.debate, opened, turns + 1, "pro")

        assert turns == cut == shortened.cache_info().misses
        counts.append(len(asked) / turns)

    assert counts[1] <= counts[0]


@pytest.mark.slow
@given(st.text(alphabet=" \n.!?。。ab٪؟\x85\u3000x", max_size=300), st.integers(0, 3))
def test_the_first_sentence_of_a_turn(text: str, copies: int) -> None:
    whole = text * copies + text

    assert re.split(r"(?<=[.!?؟۔।॥])\s|(?<=[。！？｡।॥])", whole)[0][:SHORT] == shortened(whole)
