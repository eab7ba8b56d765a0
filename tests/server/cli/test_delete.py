"""``moot delete``, and what the other commands say of a deleted debate."""

from pathlib import Path
from typing import Any

import pytest

from tests.server.children import Cli

WHY = "The class took it back."


@pytest.mark.slow
def test_a_deleted_debate_is_named_by_every_command(moot: Cli, script: Any, tmp_path: Path) -> None:
    debate, other = moot.debate(script()), moot.debate(script())
    log, old = tmp_path / "d.ndjson", tmp_path / "old.db"
    assert 0 == moot("export", debate, "-o", str(log)).returncode
    assert 0 == moot("backup", str(old)).returncode
    refused = moot("delete", debate)
    assert (2, True) == (refused.returncode, b"--yes deletes without asking" in refused.stderr)
    (left,) = moot.json("delete", debate, "--yes", "--reason", WHY)["deleted"]

    assert (left["debate"], left["reason"], left["is_erased"]) == (debate, WHY, True)
    for command in (
        ("show", debate), ("show", debate[:-1]), ("audit", debate, "1"), ("export", debate), ("replay", debate),
        ("delete", debate, "--yes"), ("say", debate, "x"), ("report", debate, "--side", "pro"), ("import", str(log)),
    ):  # fmt: skip
        ended = moot(*command)
        assert 3 == ended.returncode, command
        assert WHY.encode() in ended.stderr, command
        assert left["deleted_at"][:10].encode() in ended.stderr, command
    verified = moot("verify", debate)
    assert 0 == verified.returncode
    assert f"{left['events']} events of debate {debate}, deleted on".encode() in verified.stdout
    assert f"reason: {WHY}: the chain of the digests is whole".encode() in verified.stdout
    assert WHY == moot.json("verify", debate)["reason"]
    assert "reason" not in moot.json("verify", other)
    assert [other] == [row["id"] for row in moot.json("list")["debates"]]
    assert [debate] == [each["debate"] for each in moot.json("backup", str(old), "--deleted")]
    held = moot("backup", str(old), "--deleted")
    assert f"{debate}\n".encode() == held.stdout
    assert b"still holds the texts of 1 deleted debate of this store" in held.stderr


@pytest.mark.slow
def test_derived_debates_are_named_and_go_with_it(moot: Cli, script: Any) -> None:
    model = script()
    debate = moot.debate(model)
    again = moot("rejudge", debate, "--judge", model).stdout.decode().split()[-1]
    refused = moot("delete", debate, "--yes")

    assert (1, True) == (refused.returncode, again.encode() in refused.stderr)
    deleted = moot.json("delete", debate, "--yes", "--with-derived")["deleted"]
    assert [again, debate] == [each["debate"] for each in deleted]
