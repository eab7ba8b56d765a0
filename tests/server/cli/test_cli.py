"""The commands as child processes: what each prints on which stream, and how an altered log is detected."""

import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.patch import merge
from tests.server.children import Cli, as_json, said, seats
from tests.server.conftest import CON, PRO


@pytest.mark.slow
def test_a_run_prints_the_transcript_and_the_id_alone_on_the_last_line(moot: Cli, script: Any) -> None:
    done = moot("run", "Cities should ban cars", "--turns", "2", *seats(script()))

    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.decode().splitlines()
    assert PRO in lines
    assert CON in lines
    assert "Not distinguishable: both sides have the same points" in " ".join(done.stdout.decode().split())
    scores = [line for line in lines if line.startswith("Scores after all changes: turn 1 Pro ")]
    assert len(scores) == 1
    assert ", turn 2 Con " in scores[0]
    assert f"debate {lines[-1]}" in done.stderr.decode()
    assert [lines[-1]] == [row["id"] for row in moot.json("list")["debates"]]
    motion, facts = moot("list").stdout.decode().splitlines()
    assert "Cities should ban cars" == motion
    assert facts.split()[0] == lines[-1]
    assert facts.endswith("Not distinguishable: both sides have the same points, 2/2 turns")
    assert "no motion contains 'zzzz'\n" == moot("list", "-q", "zzzz").stdout.decode()


@pytest.mark.slow
def test_a_run_in_json_is_one_object_a_line_and_the_id_last(moot: Cli, script: Any) -> None:
    done = moot("run", "Cities should ban cars", "--turns", "2", "--con-elasticity", "0.8", *seats(script()), "--json")
    lines = [msgspec.json.decode(line) for line in done.stdout.splitlines()]
    frames = [line["frame"] for line in lines if "frame" in line]
    view: Any = {}
    for frame in frames:
        view = merge(view, frame["patch"])

    assert done.returncode == 0
    assert {"id"} == lines[-1].keys()
    assert list(range(1, len(frames) + 1)) == [frame["position"] for frame in frames]
    assert view == moot.json("show", lines[-1]["id"])
    assert [0.5, 0.8] == [view[side]["elasticity"] for side in ("pro", "con")]


@pytest.mark.slow
def test_show_replay_verify_and_export_read_a_debate_of_run(held: tuple[Cli, str]) -> None:
    moot, debate = held
    view = moot.json("show", debate)

    assert ("concluded", 2) == (view["state"], len(view["turns"]))
    assert all("logic" in turn["scores"] for turn in view["turns"].values())
    assert moot.json("show", debate, "--at", "3")["position"] == 3
    assert {"ok": True, "debate": debate, "events": view["position"], "broken_at": None}.items() <= moot.json(
        "verify", debate
    ).items()
    replay = moot("replay", debate, "--speed", "0")
    assert PRO in replay.stdout.decode()
    exported = moot("export", debate).stdout
    assert view["position"] == exported.count(b"\n")
    assert msgspec.json.decode(moot("export", debate, "--as", "json").stdout) == view
    assert f"# {view['motion']}" in moot("export", debate, "--as", "md").stdout.decode()
    assert moot("show", debate).returncode == 0
    assert moot.json("show", debate[:20])["id"] == debate


@pytest.mark.slow
def test_the_store_may_be_named_before_the_command_or_after_it(held: tuple[Cli, str], tmp_path: Path) -> None:
    moot, debate = held
    other = Cli(tmp_path)
    name = f"sqlite:{moot.store}"

    for args in (("--store", name, "show", debate), ("show", debate, "--store", name)):
        done = other(*args, "--json")
        assert done.returncode == 0, done.stderr.decode()
        assert debate == msgspec.json.decode(done.stdout)["id"]


@pytest.mark.slow
def test_an_export_imports_into_an_empty_store_as_the_same_debate(held: tuple[Cli, str], tmp_path: Path) -> None:
    moot, debate = held
    other = Cli(tmp_path)
    line = moot("export", debate, "-o", str(tmp_path / "d.ndjson"))
    assert (b"", 0) == (line.stdout, line.returncode)

    done = other("import", str(tmp_path / "d.ndjson"))

    assert done.stdout.decode().strip() == debate
    for at in range(1, moot.json("show", debate)["position"] + 1):
        show = ("show", debate, "--json", "--at", str(at))
        assert moot.here(*show).stdout == other.here(*show).stdout
    assert moot.json("show", debate) == other.json("show", debate)
    assert b"already in the store" in other("import", "-", stdin=moot("export", debate).stdout).stderr


@pytest.mark.slow
def test_a_failed_export_leaves_the_file_that_was_there(held: tuple[Cli, str], tmp_path: Path) -> None:
    moot, debate = held
    file = tmp_path / "precious.ndjson"
    file.write_text("precious")

    said(moot("export", "nobody-at-all", "-o", str(file)), 3)

    assert file.read_text() == "precious"
    assert [file] == list(tmp_path.iterdir())
    assert moot("export", debate, "-o", str(file)).returncode == 0
    assert moot("verify", str(file)).returncode == 0
    said(moot("export", debate, "-o", str(tmp_path / "no" / "folder")), 1, "cannot write")


@pytest.mark.slow
def test_doctor_says_which_models_answer(moot: Cli) -> None:
    models = moot.json("doctor")

    assert isinstance(models, list)
    assert all({"name", "ok", "detail", "hint"} <= each.keys() for each in models)
    assert any(each["name"].startswith("scripted:") for each in models)
    assert moot("doctor").returncode == 0


# altered logs


@pytest.mark.slow
def test_one_byte_flipped_in_the_store_is_named_by_its_position(moot: Cli, script: Any) -> None:
    debate = moot.debate(script())
    with sqlite3.connect(moot.store) as connection:
        rows = connection.execute("SELECT sequence, payload FROM events ORDER BY sequence").fetchall()
    connection.close()
    for position in (1, 4, len(rows)):
        sequence, payload = rows[position - 1]
        at = payload.index(b'"', len(payload) // 2) - 1
        flipped = payload[:at] + bytes([payload[at] ^ 1]) + payload[at + 1 :]
        _write(moot.store, sequence, flipped)

        done = moot("verify", debate)
        assert (4, True) == (done.returncode, f"BROKEN at position {position}" in done.stdout.decode())
        done = moot("verify", debate, "--json")
        verdict = msgspec.json.decode(done.stdout)
        assert (4, False, position) == (done.returncode, verdict["ok"], verdict["broken_at"])

        _write(moot.store, sequence, payload)
    assert moot("verify", debate).returncode == 0


def _write(store: Path, sequence: int, payload: bytes) -> None:
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE events SET payload = ? WHERE sequence = ?", (payload, sequence))
    connection.close()


@pytest.mark.slow
def test_one_byte_flipped_in_an_export_is_named_by_its_position(held: tuple[Cli, str], tmp_path: Path) -> None:
    moot, debate = held
    lines = moot("export", debate).stdout.splitlines(keepends=True)
    at = lines[4].index(b'"event":') + 30
    lines[4] = lines[4][:at] + bytes([lines[4][at] ^ 1]) + lines[4][at + 1 :]
    file = tmp_path / "bad.ndjson"
    file.write_bytes(b"".join(lines))

    done = moot("verify", str(file), "--json")

    assert (4, 5) == (done.returncode, msgspec.json.decode(done.stdout)["broken_at"])
    assert as_json(moot("import", str(file), "--json"), 4)["code"] == "broken_chain"
