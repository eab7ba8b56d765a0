"""What a debate will take, before it starts: calls, tokens, and money where prices are known.

An estimate errs on the high side: every turn as long as it may be, every answer half as long as it may be, no cache.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from events.types import DebateOpened, Missing, missing
from providers.pricing import MILLION, is_priced, price
from server.formats.judging import TOKENS
from server.formats.panel import most_tokens

FRAME: Final = 500
"""Tokens of a prompt beside what was said."""
WORD_TOKENS: Final = 1.4
HALF: Final = 0.5
A_TURN: Final = ("score", "claims", "premises")
BETWEEN_TURNS: Final = ("compare", "compare", "gaps")
STATEMENT_TOKENS: Final = 700
ASSESSMENT_TOKENS: Final = 2000
OPINION_TOKENS: Final = 500


class Calls(Struct, frozen=True, kw_only=True):
    """Some calls of one model, with the tokens that all of them read and write."""

    model: str
    number: int
    read: int
    written: int


class Estimate(Struct, frozen=True, kw_only=True):
    """US dollars, or that nobody knows; deliberation and second opinions, which nobody can foresee, not counted."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | Missing


def estimate(opened: DebateOpened) -> Estimate:
    """What a debate that was opened like this will take."""
    calls = tuple(_calls(opened))
    unknown = sorted({each.model for each in calls if not is_priced(each.model)})
    cost = missing(f"no price is known for {', '.join(unknown)}") if unknown else round(sum(map(_cost, calls)), 4)
    return Estimate(
        calls=sum(each.number for each in calls), input_tokens=sum(each.read for each in calls),
        output_tokens=sum(each.written for each in calls), cost_usd=cost,
    )


def in_words(found: Estimate) -> str:
    """One line for a person."""
    tokens = round(found.input_tokens + found.output_tokens, -3)
    money = (
        f"cost unknown ({found.cost_usd.missing.reason})" if isinstance(found.cost_usd, Missing)
        else f"about {found.cost_usd:.2f} USD" if found.cost_usd else "no cost"
    )
    return f"about {found.calls} calls and {tokens:,} tokens, {money}"


def _cost(calls: Calls) -> float:
    provider, _, model = calls.model.partition(":")
    known = price(provider, model)
    return 0.0 if known is None else (calls.read * known.input + calls.written * known.output) / MILLION


def _calls(opened: DebateOpened) -> Iterator[Calls]:
    match opened.format:
        case "exchange":
            yield from _exchange(opened)
            yield from _panel(opened, opened.turns, _said(opened, opened.turns))
        case "protocol":
            yield from _protocol(opened)
        case "deliberation":
            text = 0 if not opened.artifact else len(opened.artifact.text) // 3
            for seat in opened.panel:
                yield Calls(model=seat.model, number=1, read=text + FRAME, written=OPINION_TOKENS)
        case "calibration":
            for seat in opened.panel:
                number = len(opened.cases) * seat.samples
                yield Calls(model=seat.model, number=number, read=number * 3 * FRAME, written=number * STATEMENT_TOKENS)


def _exchange(opened: DebateOpened) -> Iterator[Calls]:
    samples, judge = opened.judge.samples, opened.judge.model
    for turn in range(1, opened.turns + 1):
        seat = opened.pro if turn % 2 else opened.con
        history = _said(opened, turn - 1)
        read = min(history, seat.window or history) + FRAME
        yield Calls(model=seat.model, number=1, read=read, written=_said(opened, 1))
        asked = A_TURN if turn == 1 else (*A_TURN, *BETWEEN_TURNS)
        yield Calls(
            model=judge, number=len(asked) * samples, read=len(asked) * samples * (FRAME + _said(opened, 2)),
            written=round(sum(TOKENS[name] for name in asked) * samples * HALF),
        )
    yield Calls(
        model=judge, number=1, read=FRAME + _said(opened, min(opened.turns, 12)),
        written=round(TOKENS["narrative"] * HALF),
    )


def _protocol(opened: DebateOpened) -> Iterator[Calls]:
    said = 6 * STATEMENT_TOKENS
    for seat in (opened.pro, opened.con):
        yield Calls(model=seat.model, number=3, read=3 * FRAME + 3 * STATEMENT_TOKENS, written=3 * STATEMENT_TOKENS)
    samples = opened.judge.samples
    yield Calls(
        model=opened.judge.model, number=samples, read=samples * (FRAME + said), written=samples * ASSESSMENT_TOKENS
    )
    yield from _panel(opened, 6, said)


def _panel(opened: DebateOpened, items: int, said: int) -> Iterator[Calls]:
    for seat in opened.panel:
        written = round(most_tokens(items) * HALF)
        yield Calls(
            model=seat.model, number=seat.samples, read=seat.samples * (FRAME + said), written=seat.samples * written
        )


def _said(opened: DebateOpened, turns: int) -> int:
    """Tokens of so many turns at their longest."""
    return round(turns * opened.max_words * WORD_TOKENS)
