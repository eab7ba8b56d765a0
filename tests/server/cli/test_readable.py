"""What commands print for people: whole words, and no line wider than the terminal, on narrow and wide terminals."""

import re
from functools import partial
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner
from rich.cells import cell_len

from events.store.open import opened_log
from server.cli.main import main
from tests.judge.lab.two_items import TWO_ITEMS
from tests.laws import spread
from tests.server.harness import harness

EXHIBITIONS = ("juries", "transit")
"""One debate of each format that exhibitions have; the second has a panel and a deliberation."""
WIDEST = 100_000
"""Characters of a terminal on which nothing is wrapped."""
COMMANDS = (
    "audit {juries}",
    "audit {juries} 3",
    "compare {juries} {again}",
    "compare {juries} {again} --components",
    "diff {juries} 5 60",
    "diff {juries} 5 60 --values",
    "exhibitions",
    "lab compare {lab} {lab}",
    "lab report {lab} --as text",
    "list",
    "replay {again} --speed 0",
    "replay {juries} --speed 0",
    "replay {lab} --speed 0",
    "replay {transit} --speed 0",
    "report {juries} --side pro --as text",
    "report {transit} --side con --as text",
    "search judges",
    "show {again}",
    "show {juries}",
    "show {lab}",
    "show {transit}",
    "whatif {juries} --rubric v2",
    "whatif {juries} --rubric v2 --values",
    "whatif {juries} --set certainty.name_at=0.6",
    "whatif {transit} --without risk",
)
MARKS = re.compile(r"^[-│·…\d]+\.?$")
PYTHON = re.compile(r"[\[{(]'|\bUNSET\b|\b[A-Za-z_]+\([a-z_]+=")
"""Values as Python writes them."""


def moot(store: str, *arguments: str) -> str:
    done = CliRunner().invoke(main, ["--store", store, *arguments])

    assert 0 == done.exit_code, done.output
    return done.stdout


async def play(store: str, folder: Path) -> dict[str, str]:
    async with opened_log(store) as log, harness(log) as h:
        return {name: await h.exhibit(name, folder) for name in EXHIBITIONS}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, str]]:
    """The address of a store, and the ids in it: two exhibitions, a second judging of one, a lab run."""
    folder = tmp_path_factory.mktemp("readable")
    store = f"sqlite:{folder / 'moot.db'}"
    ids = anyio.run(partial(play, store, folder))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("server.debate.formats.lab.setup.installed", lambda: TWO_ITEMS)
        lab = moot(store, "lab", "baseline:lexical", "--only", "length,style")
        again = moot(store, "rejudge", ids["juries"], "--judge", "baseline:lexical")
    return store, {**ids, "lab": lab.split()[-1], "again": again.split()[-1]}


def words_of(text: str) -> set[str]:
    return {word.rstrip(":") for word in text.split() if not MARKS.match(word)}


@pytest.mark.slow
@pytest.mark.parametrize("command", spread(COMMANDS, 8))
def test_every_word_is_whole_every_line_fits_and_no_value_is_as_python_writes_it(
    stored: tuple[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    store, ids = stored
    monkeypatch.setattr("server.debate.formats.lab.setup.installed", lambda: TWO_ITEMS)

    def shown(width: int) -> str:
        monkeypatch.setenv("COLUMNS", str(width))
        return moot(store, *command.format(**ids).split())

    widest = shown(WIDEST)
    whole = words_of(widest)

    assert not PYTHON.findall(widest)
    for width in (80, 200):
        text = shown(width)
        too_wide = [line for line in text.splitlines() if cell_len(line) > width and len(line.split()) > 1]

        assert not too_wide
        assert not words_of(text) - whole


def test_the_audit_has_the_first_score_on_one_line_and_calls_a_record_an_event(
    stored: tuple[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, ids = stored
    monkeypatch.setenv("COLUMNS", "200")
    lines = moot(store, "audit", ids["juries"], "1").splitlines()

    first = [line for line in lines if ", first score: logic " in line]
    assert len(first) == 1
    assert first[0].startswith("event ")
    assert " · credibility " in first[0]
    assert not [line for line in lines if line.startswith("position ")]
    assert not [line for line in lines if line.split()[1:3] == ["logic", "score"]]


def test_the_audit_of_all_turns_ends_with_what_the_verdict_rests_on(
    stored: tuple[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, ids = stored
    monkeypatch.setenv("COLUMNS", "400")
    whole, one = moot(store, "audit", ids["juries"]), moot(store, "audit", ids["juries"], "6")
    rests = whole.partition("What the verdict rests on")[2]

    assert "What the verdict rests on" not in one
    assert "con leads by 0.7, 60 % sure (standard error 2.5)" in rests.replace("Con", "con")
    assert "least squares" in rests


def test_a_pipe_without_columns_is_80_wide(stored: tuple[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    store, ids = stored
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("os.get_terminal_size", lambda *_: (_ for _ in ()).throw(OSError))
    widths = [cell_len(line) for line in moot(store, "audit", ids["juries"], "3").splitlines()]

    assert 60 < max(widths) <= 80
