"""``moot backup``: beside a running server, and without one."""

from typing import Any

import pytest

from tests.server.children import Cli, as_json, said


@pytest.mark.slow
def test_a_copy_made_while_a_server_runs_is_complete(moot: Cli, script: Any) -> None:
    debate = moot.debate(script())
    with moot.server():
        made = moot.json("backup", "copy.db")
        said(moot("backup", "copy.db"), 1, "there is something by that name already")
    shown = moot.json("show", debate)

    assert (made["file"], made["debates"]) == ("copy.db", 1)
    assert made["events"] == shown["position"]
    assert shown == moot.json("show", debate, MOOT_STORE=f"sqlite:{moot.home / 'copy.db'}")


@pytest.mark.slow
def test_the_output_says_what_was_copied(moot: Cli, script: Any) -> None:
    moot.debate(script())
    done = moot("backup", "copy.db")

    assert done.stdout == b"copy.db\n"
    assert b"1 debate, " in done.stderr
    assert b"every chain is valid" in done.stderr


def test_refusals(moot: Cli) -> None:
    said(moot("backup", "copy.db"), 1, "there is no store at")
    said(moot("backup", "copy.db", MOOT_STORE="memory:"), 2, "memory: is not a file")
    assert as_json(moot("backup", "copy.db", "--json"), 1)["code"] == "store_unavailable"
    assert not (moot.home / "copy.db").exists()
