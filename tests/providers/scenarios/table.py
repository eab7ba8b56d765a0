"""``python -m tests.providers.scenarios.table``: each scenario with each provider, as a Markdown table.

A cell is ``ok``, ``–`` if the scenario does not apply, or the error.  ``--peer NAME`` uses a third-party server instead
of our fake (``peers/``).  The exit code is 1 if a cell is neither ok nor ``–``.
"""

import argparse
import asyncio
import os
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tests.providers.scenarios.peers import tables
from tests.providers.scenarios.rows import answers, costs, failures, gateways, thinking, window
from tests.providers.scenarios.scenario import ALL, Scenario
from tests.providers.scenarios.session import COLUMNS, Column, vendor_session

OK: Final = "ok"
ABSENT: Final = "–"
ROWS: Final = (thinking, answers, costs, gateways, failures, window)
"""In the order of the table."""
PATIENCE_S: Final = 20.0
LONGEST: Final = 120


@dataclass(frozen=True)
class Cell:
    """A scenario with a provider: the check to run, or ``why`` it does not apply."""

    row: str
    column: str
    run: Callable[[], Awaitable[None]]
    why: str = ""


def all_scenarios() -> list[Scenario]:
    """All scenarios, in the order of the table."""
    return [each for rows in ROWS for each in ALL if each.check.__module__ == rows.__name__]


def cells() -> list[Cell]:
    """All cells of the table against our own fake."""
    return [
        Cell(each.name, column.name, _run(each, column), each.why(column))
        for each in all_scenarios()
        for column in COLUMNS
    ]


def _run(scenario: Scenario, column: Column) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        async with vendor_session(column, scenario.behaviour) as session:
            await scenario.check(session)

    return run


async def result_of(cell: Cell) -> str:
    """The text of a cell."""
    if cell.why:
        return ABSENT
    try:
        await asyncio.wait_for(cell.run(), PATIENCE_S)
    except Exception as error:  # noqa: BLE001 - the table shows any error
        words = str(error) or traceback.extract_tb(error.__traceback__)[-1].line or ""  # a plain assert has no message
        message = " ".join(words.split()).replace("|", "\\|")[:LONGEST]
        return f"{type(error).__name__}: {message}"
    return OK


def markdown(all_cells: Sequence[Cell], words: Sequence[str]) -> str:
    """The table, with a row for each scenario and a column for each provider."""
    columns = list(dict.fromkeys(each.column for each in all_cells))
    lines = ["| scenario | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    found = {(cell.row, cell.column): word for cell, word in zip(all_cells, words, strict=True)}
    lines += [
        f"| {row} | " + " | ".join(found.get((row, column), ABSENT) for column in columns) + " |"
        for row in dict.fromkeys(each.row for each in all_cells)
    ]
    return "\n".join(lines)


async def run_table(all_cells: Sequence[Cell]) -> tuple[str, bool]:
    """The table, and whether every cell is ok or does not apply."""
    words = [await result_of(each) for each in all_cells]
    return markdown(all_cells, words), set(words) <= {OK, ABSENT}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.providers.scenarios.table", description=__doc__)
    parser.add_argument(
        "--peer",
        action="append",
        choices=sorted(tables.PEERS),
        default=[],
        help="a third-party server instead of the fake; may be given several times",
    )
    for name, peer in sorted(tables.PEERS.items()):
        if peer.variable:
            parser.add_argument(
                f"--{name}",
                metavar="PATH",
                default=os.environ.get(peer.variable, ""),
                help=f"the executable of {name} (else {peer.variable})",
            )
    arguments = parser.parse_args()
    began_at, is_sound = time.monotonic(), True
    for name in arguments.peer or [""]:
        if name:
            table, is_ok = asyncio.run(tables.peer_table(name, getattr(arguments, name, ""), run_table, Cell))
        else:
            table, is_ok = asyncio.run(run_table(cells()))
        is_sound = is_sound and is_ok
        sys.stdout.write(f"{table}\n\n")
    sys.stderr.write(f"{time.monotonic() - began_at:.1f} s\n")
    sys.exit(0 if is_sound else 1)


if __name__ == "__main__":
    main()
