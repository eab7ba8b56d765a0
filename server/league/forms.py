"""A league as CSV, JSON and LaTeX."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from judge.league.results import League, Standing
from server.export.tables.forms import csv_lines
from server.league.document import LeagueShown, figure, interval, number, rank

SCHEMA: Final = 1
COLUMNS: Final = (
    "player", "rank_best", "rank_worst", "strength", "low", "high", "controlled", "controlled_low", "controlled_high",
    "group", "debates", "won", "tied", "lost", "cost_usd", "cost_a_win_usd", "why",
)  # fmt: skip


def league_csv(shown: LeagueShown) -> str:
    """A row for each player.  A text that a spreadsheet would take for a formula begins with ``'``."""
    return csv_lines((COLUMNS, *map(_values, shown.league.standings)))


def _values(each: Standing) -> tuple[Any, ...]:
    strength, held = each.strength, each.controlled
    return (
        each.player,
        *each.ranks,
        *((strength.value, strength.low, strength.high) if strength else (None, None, None)),
        *((held.value, held.low, held.high) if held else (None, None, None)),
        each.group,
        each.debates,
        each.won,
        each.tied,
        each.lost,
        each.cost_usd,
        each.cost_a_win,
        each.why,
    )


def league_value(shown: LeagueShown) -> dict[str, Any]:
    """The league with all its figures, and the verdicts that it rests on."""
    return {
        "schema": SCHEMA,
        "league": shown.league,
        "matches": shown.matches,
        "left_out": shown.left_out,
        "unread": shown.unread,
    }


def league_json(shown: LeagueShown) -> str:
    """``league_value`` on one line."""
    return msgspec.json.encode(league_value(shown)).decode() + "\n"


def league_latex(shown: LeagueShown) -> str:
    """One table.  It needs the package booktabs."""
    from server.export.lab.latex import escaped  # noqa: PLC0415 - it imports numpy

    league: League = shown.league
    head = ("Player", "Rank", "Strength", r"95\,\% interval", "Debates", "Won", "Tied", "Lost")
    lines = [
        f"% {league.debates} debates, {len(league.motions)} motions; {league.resamples} resamples, seed {league.seed}.",
        r"\begin{tabular}{lrrrrrrr}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
    ]
    for each in league.standings:
        strength = figure(each.strength.value) if each.strength else "--"
        counts = (f"{each.debates:,}", *map(number, (each.won, each.tied, each.lost)))
        cells = (each.player, rank(each), strength, interval(each.strength), *counts)
        lines.append(" & ".join(map(escaped, cells)) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


FORMS: Final[Mapping[str, Callable[[LeagueShown], str]]] = {
    "csv": league_csv,
    "json": league_json,
    "latex": league_latex,
}
