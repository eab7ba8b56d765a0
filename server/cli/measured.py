"""A calibration in words: a line for each case, and each rater's record."""

from collections.abc import Iterable

import click
from msgspec import UNSET

from events.state.panel import Panel
from events.types import RaterCalibrated
from events.view.view import View
from server.cli.wording import inline


def verdict_of(event: RaterCalibrated) -> str:
    """``right``, ``wrong (said pro)`` or ``missing``."""
    if event.said is UNSET:
        return "missing"
    return "right" if event.right else f"wrong (said {event.said})"


def case_lines(events: Iterable[RaterCalibrated]) -> list[str]:
    """``tides (con) · technical right · business wrong (said pro)``, then why anything is missing; coloured."""
    said = list(events)
    colours = {"right": "green", "wrong": "red"}
    shown = [
        click.style(f"{each.rater} {word}", fg=colours.get(word.split()[0]), dim=word == "missing")
        for each in said
        for word in [verdict_of(each)]
    ]
    why = [f"  {each.rater}: {each.missing.reason}" for each in said if each.missing is not UNSET]
    return [" · ".join([f"{said[0].case} ({said[0].truth})", *shown]), *(click.style(line, dim=True) for line in why)]


def as_table(view: View) -> list[str]:
    """Markdown: the cases with what each rater said, then the sums and the sources."""
    if not isinstance(view.panel, Panel) or view.cases is UNSET:
        return []
    raters = view.panel.raters
    lines = [f"| case | outcome | {' | '.join(map(_cell, raters))} |", f"|---|---|{'---|' * len(raters)}"]
    for name, case in view.cases.items():
        given = [heard.calibrations.get(name) for heard in raters.values()]
        cells = ["not asked yet" if each is None else verdict_of(each) for each in given]
        lines.append(f"| {_cell(case.motion)} | {case.truth} | {' | '.join(cells)} |")
    sums = [f"{heard.record.right} of {heard.record.of}" for heard in raters.values()]
    lines += [f"| **right** | | {' | '.join(sums)} |", ""]
    lines += [f"- {_cell(name)}: {_cell(heard.seat.model)}" for name, heard in raters.items()]
    lines += ["", *(f"- {_cell(case.motion)}: {case.truth}, says {_cell(case.source)}" for case in view.cases.values())]
    return [*lines, ""]


def _cell(text: str) -> str:
    """A text that breaks no table."""
    return inline(text)
