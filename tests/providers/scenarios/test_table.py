"""Every cell of the table with our fake, and the command that prints the table."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import anyio
import pytest

from tests.providers.scenarios.peers import tables
from tests.providers.scenarios.scenario import ALL
from tests.providers.scenarios.session import COLUMNS
from tests.providers.scenarios.table import PATIENCE_S, Cell, all_scenarios, cells, main, run_table

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore:The model 'claude:DeprecationWarning")]
PROVIDERS_EACH = 1
"""Of the providers to which a scenario applies, those with which each run tries it: others for the next scenario."""


def in_each_run(all_cells: Sequence[Cell]) -> Iterator[tuple[Cell, bool]]:
    """Every cell that applies, and whether each run tries it, not only a run of ``-m thorough``."""
    tried: Counter[str] = Counter()
    for _, row in groupby(all_cells, key=lambda cell: cell.row):
        applying = [cell for cell in row if not cell.why]
        chosen = sorted(applying, key=lambda cell: tried[cell.column])[:PROVIDERS_EACH]
        tried.update(cell.column for cell in chosen)
        yield from ((cell, cell in chosen) for cell in applying)


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(cell, id=f"{cell.column}: {cell.row}", marks=() if is_chosen else pytest.mark.thorough)
        for cell, is_chosen in in_each_run(cells())
    ],
)
async def test_it_is_ok(cell: Cell) -> None:
    with anyio.fail_after(PATIENCE_S):
        await cell.run()


def test_each_run_tries_every_scenario_and_every_provider_as_often() -> None:
    chosen = [cell for cell, is_chosen in in_each_run(cells()) if is_chosen]
    rows, columns = Counter(cell.row for cell in chosen), Counter(cell.column for cell in chosen)

    assert {each.name for each in all_scenarios()} == rows.keys()
    assert {each.name for each in COLUMNS} == columns.keys()
    assert all(rows[each.name] == min(PROVIDERS_EACH, len(COLUMNS) - len(each.without)) for each in all_scenarios())
    assert max(columns.values()) <= min(columns.values()) + 3


def test_the_page_has_a_row_for_each_scenario() -> None:
    page = (Path(__file__).parents[3] / "docs" / "providers.md").read_text(encoding="utf-8")
    rows = {row.name for peer in tables.PEERS.values() for row in peer.rows}

    assert {each.name for each in all_scenarios()} | rows == set(re.findall(r"(?m)^\| (.*?) \| (?:ok|–) \|", page))


def test_a_cell_that_is_left_out_has_its_reason() -> None:
    names = {each.name for each in COLUMNS}
    rows = [each.name for each in all_scenarios()]

    assert len(rows) == len(set(rows)) == len(ALL)
    assert all(set(each.without) < names and all(each.without.values()) for each in all_scenarios())


async def test_the_table_shows_the_errors() -> None:
    async def succeed() -> None:
        """Raises nothing."""

    async def fail() -> None:
        raise ValueError("one | two\nthree")

    async def fail_an_assertion() -> None:
        assert [] == [1, 2]

    table, is_sound = await run_table([
        Cell("first", "a", succeed), Cell("first", "b", fail), Cell("second", "a", fail_an_assertion),
        Cell("second", "b", fail, "it cannot be"),
    ])  # fmt: skip

    assert not is_sound
    assert [
        "| scenario | a | b |", "|---|---|---|", "| first | ok | ValueError: one \\| two three |",
    ] == table.splitlines()[:3]  # fmt: skip
    assert "| second | AssertionError: assert [] == [1, 2]" in table.splitlines()[3]
    assert table.endswith("| – |")


async def test_a_table_without_errors_is_sound() -> None:
    async def succeed() -> None:
        """Raises nothing."""

    assert ("| scenario | a |\n|---|---|\n| first | ok |", True) == await run_table([Cell("first", "a", succeed)])


@pytest.mark.parametrize("name", sorted(tables.PEERS))
def test_a_peer_shows_something_in_each_of_its_columns(name: str) -> None:
    peer = tables.PEERS[name]

    assert {False} == {set(peer.models) <= set(row.without) for row in peer.rows}
    assert all(any(column not in row.without for row in peer.rows) for column in peer.models)


def test_a_peer_needs_its_executable(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("MOOT_AIMOCK", raising=False)
    monkeypatch.setattr("sys.argv", ["table", "--peer", "aimock"])
    with pytest.raises(SystemExit) as stopped:
        main()

    assert "--peer aimock needs --aimock PATH, or MOOT_AIMOCK" == stopped.value.code
