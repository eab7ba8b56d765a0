"""``moot whatif``: the recorded outcome, and the outcome of the same answers under other rules."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
import msgspec
from msgspec import UNSET, UnsetType

from events.state.scorecard import OF_SCALED
from events.text.figures import rounded, sure
from events.types import Coefficient, Missing, Winner
from events.types.rubric import Rubric
from judge.report.figures import plural
from judge.rubrics.rubric import SHIPPED, shipped_rubric
from server.cli.options import find_debate, open_store, with_json, with_settings
from server.cli.output import emit, run_async
from server.errors import BadField
from server.export.document import Block, Column, Lines, Sentence, Strong, Table
from server.export.document.terminal import show
from server.export.text import one_line
from server.export.wording import NAMES, share
from server.settings import Settings
from server.whatif.comparison import ValueChange, WhatIf, opening_of, records_of, what_if
from server.whatif.outcome import DebateOutcome
from server.whatif.request import WhatIfRequest, as_request, put
from server.whatif.sentences import WORDING

NONE: Final = "–"
FEW: Final = 3
"""Changed rules that are shown one by one without ``--values``."""


class OutcomeRow(NamedTuple):
    """One row of the table: the figure's name, its recorded value, and its value under the other rules."""

    name: str
    recorded: Any
    would_be: Any


@click.command()
@click.argument("debate", metavar="ID")
@click.option(
    "--rubric",
    "rubric",
    metavar="NAME|FILE",
    help="A shipped rubric, or JSON to merge into the debate's own; null removes a part.",
)
@click.option(
    "--set", "sets", multiple=True, metavar="PATH=VALUE", help="Change one figure of the rubric; may be repeated."
)
@click.option("--without", "without", metavar="RATER", help="Leave this rater out of the panel.")
@click.option("--values", "with_values", is_flag=True, help="Show every changed rule and every figure too.")
@with_settings
@with_json
def whatif(
    settings: Settings,
    debate: str,
    rubric: str | None,
    sets: tuple[str, ...],
    without: str | None,
    *,
    with_values: bool,
    as_json: bool,
) -> None:
    r"""Compare the recorded outcome with the outcome of the same answers under other rules.  No model is called.

    \b
      moot whatif ID --rubric v3
      moot whatif ID --rubric v3 --values
      moot whatif ID --set certainty.name_at=0.8
      moot whatif ID --set ring.weight=0.2 --set claims.fabricated_citation.points=8
      moot whatif ID --rubric stricter.json --json
      moot whatif ID --without risk
    """
    answer: WhatIf = run_async(lambda: _ask(settings, debate, rubric, sets, without))
    if as_json:
        emit(answer)
        return
    show(*_blocks(answer, with_values=with_values))


async def _ask(settings: Settings, prefix: str, rubric: str | None, sets: Sequence[str], without: str | None) -> WhatIf:
    async with open_store(settings) as log:
        records = await records_of(log, await find_debate(log, prefix))
    return what_if(records, _request(opening_of(records).rubric, rubric, sets, without))


def _request(own: Rubric, rubric: str | None, sets: Sequence[str], without: str | None) -> WhatIfRequest:
    """The shipped rubric or the file, with each ``--set`` applied to it in order."""
    base = next((name for name in SHIPPED if name == rubric), None)
    patch: Any = {} if base is not None or rubric is None else _read(Path(rubric))
    known = msgspec.to_builtins(own if base is None else shipped_rubric(base))
    as_request(patch, without or "-")
    for each in sets:
        path, equals, value = each.partition("=")
        if not equals or not path.strip():
            raise BadField("set", f"{each!r} is not PATH=VALUE, as in ring.weight=0.3")
        put(patch, known, path.strip(), _value(value.strip()))
    return as_request(patch, without, base=base)


def _read(file: Path) -> Any:
    try:
        return msgspec.json.decode(file.read_bytes())
    except OSError as error:
        raise BadField(
            "rubric", f"{file} is none of {', '.join(SHIPPED)} and cannot be read: {error.strerror}"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadField("rubric", f"{file} is not JSON: {error}") from error


def _value(text: str) -> Any:
    """The value of JSON, or the text itself if it is not JSON."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def _blocks(answer: WhatIf, *, with_values: bool) -> Iterator[Block]:
    """The outcome in sentences, then the changed rules in short, and at last the figures if they are wanted."""
    yield Lines(answer.sentences)
    unanswered = [f"no answer to {each.key} (sample {each.sample}): {each.why}" for each in answer.unanswered]
    unused = [f"not used by these rules: {_question(each)}" for each in answer.unused]
    if with_values:
        yield Lines((*_head(answer), *unanswered, *unused))
        columns = ("", Column("recorded", "n"), Column("would be", "n"), "change")
        yield Table(columns, tuple(map(_cells, _rows(answer))))
        yield Lines((answer.note,))
        return
    is_short = len(answer.rubric_changes) <= FEW
    said = [*_head(answer)] if is_short else [answer.rules_in_short]
    if unanswered:
        said.append(f"Without a recorded answer: {plural(len(unanswered), 'question')} of these rules.")
    yield Lines((*said, answer.note, "--values shows every rule and every figure."))


def _question(key: str) -> str:
    """The recorded answer to a question, in words."""
    name, _, about = key.partition(":")
    if name == "rescore":
        return f"the second reading of turn {about}"
    if name == "compare":
        return "the comparison of turn {} with turn {}, in this order".format(*about.split("-"))
    return f"the answer to {key}"


def _cells(row: OutcomeRow) -> tuple[Sentence, ...]:
    recorded, would_be = _cell(row.recorded), _cell(row.would_be)
    if row.recorded == row.would_be:
        return row.name, recorded, would_be
    return row.name, recorded, (Strong(would_be),), _mark(row)


def _head(answer: WhatIf) -> Iterator[str]:
    """The rules that differ."""
    if answer.without_rater is not UNSET:
        yield f"without the rater {answer.without_rater}"
    figures = [each for each in answer.rubric_changes if not WORDING.search(each.path)]
    if worded := len(answer.rubric_changes) - len(figures):
        yield f"{plural(worded, 'text')} of the rubric (questions, anchors, examples) would be worded otherwise"
    for each in figures:
        yield f"{each.path}: {_value_at(each, 'before')} → {_value_at(each, 'after')}"
    if not answer.rubric_changes and answer.without_rater is UNSET:
        yield "the rubric is that of the debate"


def _value_at(change: ValueChange, when: str) -> str:
    value = getattr(change, when)
    return "nothing" if value is UNSET else _cell(value)


def _rows(answer: WhatIf) -> Iterator[OutcomeRow]:
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


def _cell(value: Any) -> str:
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


def _mark(row: OutcomeRow) -> str:
    """The change of a number with its sign, or the word "changed": never a colour alone."""
    one, two = row.recorded, row.would_be
    if isinstance(one, Coefficient) and isinstance(two, Coefficient):
        one, two = one.value, two.value
    if isinstance(one, float | int) and isinstance(two, float | int):
        moved = round(two - one, 4)
        return f"▲ +{moved:g}" if moved > 0 else f"▼ −{abs(moved):g}" if moved else "◆ changed"
    return "◆ changed"
