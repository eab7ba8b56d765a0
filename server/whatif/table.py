"""Both outcomes of a what-if as a table: a row for each figure that the debate has."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType, structs

from events.record import Recorded
from events.state.scorecard import OF_SCALED
from events.text.figures import rounded, sure
from events.types import Coefficient, Missing, Winner
from server.export.text import one_line
from server.export.wording import NAMES, share
from server.whatif.comparison import WhatIf, what_if
from server.whatif.outcome import DebateOutcome
from server.whatif.request import WhatIfRequest

NONE: Final = "–"


class OutcomeRow(NamedTuple):
    """One row of the table: the figure's name, its recorded value, and its value under the other rules."""

    name: str
    recorded: Any
    would_be: Any


class ToldWhatIf(WhatIf, frozen=True, kw_only=True):
    """A what-if with its table: each row has the figure's name, its recorded value, and its value otherwise."""

    rows: tuple[tuple[str, str, str], ...]
    unused_text: str
    """Recorded answers that the other rules do not use, in words; empty without any."""


def told(records: Sequence[Recorded], request: WhatIfRequest) -> ToldWhatIf:
    """Both outcomes with their table.  Raises as ``what_if`` does."""
    answer = what_if(records, request)
    rows = tuple((row.name, cell(row.recorded), cell(row.would_be)) for row in rows_of(answer))
    unused = "; ".join(map(question_words, answer.unused))
    says = f"Recorded answers that these rules do not use: {unused}." if unused else ""
    return ToldWhatIf(**structs.asdict(answer), rows=rows, unused_text=says)


def rows_of(answer: WhatIf) -> Iterator[OutcomeRow]:
    """The figures of both outcomes in order."""
    for (name, recorded), (_, would_be) in zip(_figures(answer.recorded), _figures(answer.would_be), strict=True):
        if recorded is not UNSET or would_be is not UNSET:
            yield OutcomeRow(name, recorded, would_be)
    for name, argument in answer.arguments.items():
        one, two = msgspec.to_builtins(argument.recorded or {}), msgspec.to_builtins(argument.would_be or {})
        yield OutcomeRow(f"{name} total", one.get("total", UNSET), two.get("total", UNSET))
        if one.get("standing") != two.get("standing"):
            yield OutcomeRow(f"{name} standing", one.get("standing", UNSET), two.get("standing", UNSET))
    for number, turn in answer.turns.items():
        one, two = (each if isinstance(each, dict) else {} for each in (turn.recorded, turn.would_be))
        for name in dict.fromkeys((*one, *two)):
            if name == "composite_maximum":
                continue
            before, after = one.get(name, turn.recorded), two.get(name, turn.would_be)
            if name == "composite" or before != after:
                row = OutcomeRow(f"turn {number}   {name.replace('_', ' ')}", before, after)
                pairs = zip((one, two), answer.maxima, strict=True)
                most = [each.get("composite_maximum", whole) for each, whole in pairs]
                yield _composite(number, row, *most) if name == "composite" else row
        if not one and not two:
            yield OutcomeRow(f"turn {number} composite", turn.recorded, turn.would_be)


def _composite(number: str, row: OutcomeRow, one: float, two: float) -> OutcomeRow:
    """A turn's composites, with the most that they can be where that is not 100 for both."""
    name = f"turn {number} composite"
    if one != two:
        return OutcomeRow(name, _of(row.recorded, one), _of(row.would_be, two))
    return OutcomeRow(name if one == OF_SCALED else f"{name} (of {one:g})", row.recorded, row.would_be)


def _of(value: Any, most: float) -> Any:
    """A composite with the most that it can be."""
    return f"{value:g} of {most:g}" if isinstance(value, float | int) else value


def _figures(outcome: DebateOutcome) -> Iterator[tuple[str, Any]]:
    """The figures of an outcome by name; UNSET for a figure that the debate does not have."""
    card, panel, verdict = outcome.scorecard or None, outcome.panel or None, outcome.verdict or None
    yield "winner", _named(outcome.winner) if outcome.winner is not UNSET else f"none yet ({outcome.state})"
    yield "decided by", outcome.by_rule
    yield "leader by points", _named(card.leader) if card else UNSET
    yield "points of Pro", card.pro.composite if card else UNSET
    yield "points of Con", card.con.composite if card else UNSET
    yield (
        "exchanges won, Pro · Con · drawn",
        (f"{card.rounds.pro} · {card.rounds.con} · {card.rounds.drawn}" if card else UNSET),
    )
    yield "margin", outcome.margin
    yield "certainty", sure(card.certainty) if card and card.certainty is not UNSET else UNSET
    yield "standard error of the lead", card.error if card else UNSET
    yield "narrative", _named(outcome.narrative)
    yield "total, Pro", outcome.totals.pro if outcome.totals is not UNSET else UNSET
    yield "total, Con", outcome.totals.con if outcome.totals is not UNSET else UNSET
    yield "panel", panel.outcome if panel else UNSET
    yield "panel names", _named(panel.winner) if panel else UNSET
    yield "alpha", panel.alpha if panel else UNSET
    yield "kappa", panel.kappa if panel else UNSET
    yield "gap", share(panel.gap) if panel and panel.gap is not UNSET else UNSET
    yield "disputed", ", ".join(panel.disputed) or "nothing" if panel else UNSET
    yield "verdict", verdict.verdict if verdict else UNSET
    yield "independent verdict", verdict.independent if verdict else UNSET
    yield "agreement", verdict.agreement if verdict else UNSET


def _named(winner: Winner | Missing | UnsetType) -> str | Missing | UnsetType:
    return NAMES[winner] if isinstance(winner, str) else winner


def cell(value: Any) -> str:
    """A value of a row as text."""
    if value is UNSET:
        return NONE
    if isinstance(value, Missing):
        return f"none: {one_line(value.missing.reason)}"
    if isinstance(value, Coefficient):
        if value.value is UNSET:
            return f"undefined: {value.undefined}"
        low_high = (
            f" [{rounded(value.low, 2)}, {rounded(value.high, 2)}]"
            if value.low is not UNSET and value.high is not UNSET
            else ""
        )
        return f"{rounded(value.value, 2)}{low_high}"
    if isinstance(value, float | int) and not isinstance(value, bool):
        return f"{value:g}"
    return one_line(value) if isinstance(value, str) else msgspec.json.encode(value).decode()


def question_words(key: str) -> str:
    """The recorded answer to a question, in words."""
    name, _, about = key.partition(":")
    if name == "rescore":
        return f"the second reading of turn {about}"
    if name == "compare":
        return "the comparison of turn {} with turn {}, in this order".format(*about.split("-"))
    return f"the answer to {key}"
