"""Tables of debates: what DuckDB and pandas read of them, their declarations, and what readers may not see."""

import csv
import io
import runpy
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

from events.transfer import parse_lines, read_lines
from events.view import view as views
from server.cli.main import main
from server.export.tables import TABLES
from server.export.tables.forms import csv_lines
from server.export.tables.table import seen_by
from tests.docs.pages import ROOT

GOLDEN = ROOT / "tests/events/view/golden"
RELEASED = Path(__file__).with_name("released.json")
PAGE = runpy.run_path(str(ROOT / "docs/make_tables.py"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with two debates."""
    url = f"sqlite:{tmp_path_factory.mktemp('store') / 'moot.db'}"
    for name in ("0.1-homework", "0.1-juries_v3"):
        assert 0 == CliRunner().invoke(main, ["--store", url, "import", str(GOLDEN / f"{name}.ndjson")]).exit_code
    return url


@pytest.fixture(scope="module")
def folder(store: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tables of the store as Parquet."""
    folder = tmp_path_factory.mktemp("tables")
    given = ["--store", store, "export", "--as", "parquet", "--table", "all", "-o", str(folder)]
    written = CliRunner().invoke(main, given)

    assert 0 == written.exit_code, written.output
    return folder


def test_the_page_of_tables_is_what_they_declare() -> None:
    assert PAGE["page"]() == (ROOT / "docs/tables.md").read_text(encoding="utf-8")


def test_a_released_column_stays_where_it_is() -> None:
    for name, columns in msgspec.json.decode(RELEASED.read_bytes()).items():
        now = [[each.name, each.kind, each.unit] for each in TABLES[name].columns]
        assert columns == now[: len(columns)], name


@pytest.mark.slow
def test_duckdb_says_which_rule_moved_most_winners(folder: Path) -> None:
    sql = PAGE["QUERY"]
    for name in ("ledger", "debates"):
        sql = sql.replace(f"'{name}.parquet'", f"'{folder / name}.parquet'")

    assert [("comparison", 1), ("logic_gap", 1)] == duckdb.sql(sql).fetchall()


@pytest.mark.slow
def test_pandas_reads_every_form_to_the_same_scores(store: str, folder: Path) -> None:
    def read(form: str, reader: Any) -> pd.DataFrame:
        given = ["--store", store, "export", "--as", form, "--table", "scores"]
        return reader(io.BytesIO(CliRunner().invoke(main, given).stdout_bytes))

    one = read("csv", pd.read_csv)
    two = read("jsonl", lambda file: pd.read_json(file, lines=True))
    three = pd.read_parquet(folder / "scores.parquet")

    assert list(three.columns) == list(one.columns) == list(two.columns)
    assert three["effective"].tolist() == one["effective"].tolist() == two["effective"].tolist()
    assert b"tables/1" == parquet.read_schema(folder / "scores.parquet").metadata[b"tables"]


@pytest.mark.slow
def test_the_command_takes_the_limits_of_the_list_and_leaves_out_what_was_deleted(store: str, tmp_path: Path) -> None:
    copy = tmp_path / "moot.db"
    copy.write_bytes(Path(store.removeprefix("sqlite:")).read_bytes())

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["--store", f"sqlite:{copy}", *arguments])

    def debates(*limits: str) -> list[str]:
        written = run("export", "--as", "jsonl", "--table", "debates", *limits)
        assert 0 == written.exit_code, written.output
        return sorted(msgspec.json.decode(line)["debate"] for line in written.stdout_bytes.splitlines())

    one, two = whole = debates()
    listed = {row["id"]: row["winner"] for row in msgspec.json.decode(run("list", "--json").stdout_bytes)["debates"]}

    assert whole == sorted(listed)
    assert [one] == debates(one) == debates(one[:-1])
    assert [each for each in whole if listed[each] == "pro"] == debates("--winner", "pro")
    assert whole == debates("--winner", "neither")
    assert 0 == run("label", one, "--hide").exit_code
    assert ([two], whole) == (debates(), debates("--everything"))
    assert 0 == run("delete", one, "--yes").exit_code
    assert [two] == debates("--everything")
    for arguments, says in (
        (["--as", "csv"], "needs a --table"),
        (["--as", "csv", "--table", "turns", "--table", "calls"], "-o DIR"),
        (["--as", "csv", "--table", "turns", two, "--winner", "pro"], "not both"),
        (["--as", "md", "--table", "turns", two], "tables are of --as csv"),
        (["--as", "md", "--winner", "pro", two], "limits are of --as inspect, csv"),
        (["--as", "csv", "--table", "turns", one], "deleted"),
    ):
        refused = run("export", *arguments)
        assert refused.exit_code != 0, arguments
        assert says in str(refused.exception) + refused.output, arguments


def test_no_text_of_a_csv_is_a_formula_and_numbers_stay() -> None:
    texts = ["=1+1", "+1", "-1", "@a", "\tb", "\rc"]
    row = next(csv.reader(io.StringIO(csv_lines([[*texts, -1.5, None, "a=b"]]), newline="")))

    assert [*(f"'{each}" for each in texts), "-1.5", "", "a=b"] == row


def test_a_spectator_of_a_debate_that_runs_gets_no_answers() -> None:
    with (GOLDEN / "0.1-cars.ndjson").open("rb") as lines:
        records = parse_lines(read_lines(lines))
    begun = records[:60]
    seen = {is_: seen_by(views.apply_all(views.INITIAL, begun), director=is_) for is_ in (True, False)}
    calls = {is_: list(TABLES["calls"].rows(each, begun)) for is_, each in seen.items()}

    assert any(each.answer for each in calls[True])  # type: ignore[attr-defined]
    assert {(None, None)} == {(each.answer, each.prompt_digest) for each in calls[False]}  # type: ignore[attr-defined]
