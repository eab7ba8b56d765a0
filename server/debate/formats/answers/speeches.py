"""What is said for an answer: the question for a speech, how its words are read, and how their quotes are checked."""

import math
from typing import Any, Final

from events.state.debate import Debate, UnusedAnswer, question
from events.state.folds.answers import answers_of
from events.state.seats import debater_of
from events.state.transcript import Turn
from events.text.languages import tokens_a_word
from events.text.segmentation import count_words
from events.types import CheckedQuote, DebateOpened, Side, SpeechQuoted, TurnSpoken, TurnStarted, Usage
from judge.answers.answer import speech_type
from judge.answers.prompt import advice_prompt, setup_of, speech_prompt
from judge.answers.quotes import read_quotes, within
from judge.live.event_batch import EventBatch
from judge.protocol.reading import all_text, clean_text, first_value, parse_loosely, wordless_fault
from server.debate.formats.questions import Question
from server.debate.speech import clean, clip

MORE_TOKENS: Final = 120
"""Tokens beyond those of the most words: for the tags of quotes and the form of the answer."""
SPEECH: Final = "speech"
"""The purpose of the question for a speech."""


def speech_question(debate: Debate, opened: DebateOpened, turn: Turn) -> Question:
    """The question for the speech of a turn."""
    seat = debater_of(opened, debate.seats, turn.side)
    build = advice_prompt if setup_of(opened).arm == "consultancy" else speech_prompt
    return Question(
        key=f"{SPEECH}:{turn.number}",
        purpose=SPEECH,
        turn=turn.number,
        model=seat.model,
        prompt=lambda: build(debate, opened, turn),
        answer_type=speech_type(opened.max_words),
        max_tokens=speech_tokens(opened),
        think=seat.think,
        cause=turn.started,
        check=wordless_fault,
        timeout_s=opened.settings.turn_timeout_s,
        is_statement=True,
    )


def speech_tokens(opened: DebateOpened) -> int:
    """The most tokens of a speech."""
    return math.ceil(opened.max_words * tokens_a_word(opened.language or "en")) + MORE_TOKENS


def given_speech(debate: Debate, turn: Turn) -> UnusedAnswer | None:
    """The answer of a debater, JSON or not; None if there is none."""
    name = question(f"{SPEECH}:{turn.number}", 1)
    return debate.questions.answers.get(name) or debate.questions.unread.get(name)


def words_of(raw: str, member: str) -> str:
    """The words of an answer that has them in a member, or that is no JSON; as a debate may record them."""
    value: Any = parse_loosely(raw)
    said = clean_text(first_value(value, (member,))) or all_text(value)
    return clean(said).strip()


def record_speech(batch: EventBatch, opened: DebateOpened, turn: Turn, given: UnusedAnswer) -> None:
    """Record the speech of a turn, and its quotes."""
    text, quotes, clipped = quoting(batch.debate, opened, words_of(given.answer, SPEECH))
    latency_ms = batch.debate.questions.spent_ms.get(question(f"{SPEECH}:{turn.number}", 1), 0)
    spoken = TurnSpoken(
        turn=turn.number,
        side=turn.side,
        attempt=turn.attempt,
        text=text,
        words=count_words(text),
        clipped=clipped,
        pace=((latency_ms, len(text)),),
        model=given.model,
        usage=given.usage,
        latency_ms=latency_ms,
    )
    _record(batch, spoken, quotes, given.position)


def record_supplied(batch: EventBatch, opened: DebateOpened) -> None:
    """Record the speeches that were given elsewhere, in their order."""
    for number, each in enumerate(setup_of(opened).speeches, 1):
        side: Side = "pro" if each.answer == 0 else "con"
        text, quotes = read_quotes(each.text, answers_of(batch.debate).passage, opened.rubric.quote_minimum)
        batch.add(TurnStarted(turn=number, side=side, attempt=1, directive=None), batch.debate.course)
        spoken = TurnSpoken(
            turn=number,
            side=side,
            attempt=1,
            text=text,
            words=count_words(text),
            clipped=False,
            pace=(),
            model="",
            usage=Usage(),
            latency_ms=0,
            by="transcript",
        )
        _record(batch, spoken, quotes, batch.debate.course)


def quoting(debate: Debate, opened: DebateOpened, said: str) -> tuple[str, tuple[CheckedQuote, ...], bool]:
    """A text within its limit of words, with its quotes compared with the passage; and whether it was clipped."""
    whole, quotes = read_quotes(said, answers_of(debate).passage, opened.rubric.quote_minimum)
    text, clipped = clip(whole, opened.max_words)
    return text, within(quotes, len(text)), clipped


def _record(batch: EventBatch, spoken: TurnSpoken, quotes: tuple[CheckedQuote, ...], cause: int) -> None:
    position = batch.add(spoken, cause)
    if quotes and answers_of(batch.debate).passage:
        batch.add(SpeechQuoted(turn=spoken.turn, quotes=quotes), position)
