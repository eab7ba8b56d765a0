"""``moot whatif``: the recorded outcome, and the outcome of the same answers under other rules."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from msgspec import UNSET

from events.types import Coefficient
from events.types.rubric import Rubric
from judge.report.figures import plural
from judge.rubrics.rubric import SHIPPED, shipped_rubric
from server.cli.options import find_debate, open_store, with_json, with_settings
from server.cli.output import emit, run_async
from server.errors import BadField
from server.export.document import Block, Column, Lines, Sentence, Strong, Table
from server.export.document.terminal import show
from server.settings import Settings
from server.whatif.comparison import ValueChange, WhatIf, opening_of, records_of
from server.whatif.request import WhatIfRequest, as_request, put
from server.whatif.sentences import WORDING
from server.whatif.table import OutcomeRow, ToldWhatIf, cell, question_words, rows_of, told

FEW: Final = 3
"""Changed rules that are shown one by one without ``--values``."""


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


async def _ask(
    settings: Settings, prefix: str, rubric: str | None, sets: Sequence[str], without: str | None
) -> ToldWhatIf:
    async with open_store(settings) as log:
        records = await records_of(log, await find_debate(log, prefix))
    return told(records, _request(opening_of(records).rubric, rubric, sets, without))


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
    unused = [f"not used by these rules: {question_words(each)}" for each in answer.unused]
    if with_values:
        yield Lines((*_head(answer), *unanswered, *unused))
        columns = ("", Column("recorded", "n"), Column("would be", "n"), "change")
        yield Table(columns, tuple(map(_cells, rows_of(answer))))
        yield Lines((answer.note,))
        return
    is_short = len(answer.rubric_changes) <= FEW
    said = [*_head(answer)] if is_short else [answer.rules_in_short]
    if unanswered:
        said.append(f"Without a recorded answer: {plural(len(unanswered), 'question')} of these rules.")
    yield Lines((*said, answer.note, "--values shows every rule and every figure."))


def _cells(row: OutcomeRow) -> tuple[Sentence, ...]:
    recorded, would_be = cell(row.recorded), cell(row.would_be)
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
    return "nothing" if value is UNSET else cell(value)


def _mark(row: OutcomeRow) -> str:
    """The change of a number with its sign, or the word "changed": never a colour alone."""
    one, two = row.recorded, row.would_be
    if isinstance(one, Coefficient) and isinstance(two, Coefficient):
        one, two = one.value, two.value
    if isinstance(one, float | int) and isinstance(two, float | int):
        moved = round(two - one, 4)
        return f"▲ +{moved:g}" if moved > 0 else f"▼ −{abs(moved):g}" if moved else "◆ changed"
    return "◆ changed"
