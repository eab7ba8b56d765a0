"""``moot label``, and the limits of ``moot list``."""

from typing import Any

import pytest

from tests.server.children import Cli


@pytest.mark.slow
def test_a_debate_is_named_filed_and_found_again(moot: Cli, script: Any) -> None:
    debate = moot.debate(script())
    assert 0 == moot("label", debate[:13], "--title", "Trams", "--tag", "law", "--tag", "demo").returncode
    shown = moot("list", "--tag", "law").stdout.decode()
    assert "Trams  #law  #demo" in shown

    answer = moot.json("label", debate, "--unlisted", "--no-tags")
    assert answer["link"].startswith(f"/d/{debate}?link=")
    assert [] == moot.json("list")["debates"]
    assert [("Trams", [])] == [(row["title"], row["tags"]) for row in moot.json("list", "--unlisted")["debates"]]
    assert b"no debate fits these limits\n" == moot("list", "--state", "open").stdout


@pytest.mark.slow
def test_a_command_that_changes_nothing_is_refused(moot: Cli, script: Any) -> None:
    debate = moot.debate(script())

    assert b"say what to change" in moot("label", debate).stderr
    assert b"has these labels already" in moot("label", debate, "--restore").stderr
