"""``moot report``."""

import re
from pathlib import Path

import pytest

from tests.server.children import Cli
from tests.server.cli.test_cli_conventions import on_a_terminal


@pytest.mark.slow
def test_a_report_is_printed_or_written(held: tuple[Cli, str], tmp_path: Path) -> None:
    moot, debate = held
    shown = moot("report", debate, "--side", "pro")
    written = moot("report", debate, "--side", "con", "--as", "html", "-o", str(tmp_path / "con.html"))
    nowhere = moot("report", debate, "--side", "con", "-o", str(tmp_path / "none" / "con.md"))

    assert 0 == shown.returncode, shown.stderr
    assert shown.stdout.decode().startswith("# Report for Pro\n")
    assert f"/d/{debate}#e" in shown.stdout.decode()
    assert re.search(r" \\\[\d+[^()]*\\\]", shown.stdout.decode()), "events are numbers"
    assert (0, b"") == (written.returncode, written.stdout)
    assert "<title>Report for Con · Moot</title>" in (tmp_path / "con.html").read_text(encoding="utf-8")
    assert 0 != nowhere.returncode
    assert b"cannot write" in nowhere.stderr
    assert 2 == moot("report", debate).returncode


@pytest.mark.slow
def test_a_report_as_json_has_sentences_with_what_implies_them(held: tuple[Cli, str]) -> None:
    moot, debate = held
    found = moot.json("report", debate, "--side", "pro")
    entries = [entry for section in found["sections"] for group in section["entries"] for entry in group]

    assert ("Report for Pro", debate) == (found["title"], found["debate"])
    assert entries
    assert all(entry["kind"] and entry["text"] and entry["because_of"] for entry in entries)


@pytest.mark.slow
def test_on_a_terminal_a_report_is_text(held: tuple[Cli, str], tmp_path: Path) -> None:
    moot, debate = held
    log = tmp_path / "log.ndjson"
    assert 0 == moot("export", debate, "-o", str(log)).returncode
    on_a_terminal(tmp_path, "import", str(log))
    shown = on_a_terminal(tmp_path, "report", debate, "--side", "pro", NO_COLOR="1")

    assert "Report for Pro" in shown
    assert "# Report" not in shown
    assert "http" not in shown
