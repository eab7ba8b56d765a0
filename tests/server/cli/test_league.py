"""``moot league``: the table, its forms, and the next pairs."""

import csv
import io
from pathlib import Path

import anyio
import msgspec
import pytest
from msgspec.structs import replace

from events.store.open import opened_log
from tests.server.children import Cli
from tests.server.league.planted import store
from tests.server.league.test_page import planted


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A store with a league; one player is named like a formula."""
    home = tmp_path_factory.mktemp("league")
    cli = Cli(home)
    anyio.run(_fill, cli.store)
    return cli


async def _fill(path: Path) -> None:
    names = {"wise-1, analyst": "=1+1, analyst"}
    async with opened_log(f"sqlite:{path}") as log:
        matches = [
            replace(each, pro=names.get(each.pro, each.pro), con=names.get(each.con, each.con)) for each in planted()
        ]
        await store(log, *matches[:60])
        await store(log, *matches[60:], tags=("batch-1",))  # type: ignore[arg-type]
        await store(log, *(replace(each, debate=f"{each.debate}-h") for each in matches[:20]), hidden=True)


@pytest.mark.slow
def test_the_table_has_ranks_intervals_and_what_was_left_out(played: Cli) -> None:
    text = played.here("league", "--person", "Ann Lee", "--person", "Bob Roe").stdout.decode()

    assert "5 players, 120 debates on 6 motions" in text
    assert "=1+1, analyst" in text
    assert "Won–tied–lost" in text
    assert "did not agree" in played.here("league").stdout.decode()


@pytest.mark.slow
def test_csv_json_and_latex_have_the_players(played: Cli) -> None:
    rows = list(csv.DictReader(io.StringIO(played.here("league", "--as", "csv").stdout.decode())))
    found = msgspec.json.decode(played.here("league", "--as", "json").stdout)
    latex = played.here("league", "--as", "latex").stdout.decode()

    assert {"'=1+1, analyst", "wise-2, analyst", "plain-1, poet"} == {row["player"] for row in rows}
    assert all(float(row["low"]) < float(row["strength"]) < float(row["high"]) for row in rows)
    assert [float(row["strength"]) for row in rows] == [
        each["strength"]["value"] for each in found["league"]["standings"]
    ]
    assert r"\begin{tabular}" in latex
    assert "wise-2, analyst &" in latex


@pytest.mark.slow
def test_a_tag_and_hidden_debates_limit_it(played: Cli) -> None:
    debates = [
        msgspec.json.decode(played.here("league", "--json", *options).stdout)["league"]["debates"]
        for options in ((), ("--tag", "batch-1"), ("--hidden",), ("--tag", "none"))
    ]

    assert 36 == debates[0]
    assert 0 < debates[1] < 36
    assert 0 < debates[2] < 36
    assert 0 == debates[3]


@pytest.mark.slow
def test_the_next_pairs_are_announced_with_method_and_seed(played: Cli) -> None:
    options = ("league", "--next", "3", "--pairing", "swiss", "--seed", "7", "--motion", "A new one")
    text = played.here(*options).stdout.decode()

    assert "Method swiss, seed 7." in text
    assert "A new one" in text
    assert text == played.here(*options).stdout.decode()
    assert 3 == len(msgspec.json.decode(played.here(*options, "--json").stdout)["pairs"])
