"""The command line as child processes: exit codes, what stands on which stream, and what interrupts leave behind."""

import os
import signal
import socket
import sqlite3
import time
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from events.patch import merge
from tests.shell.children import Cli, interrupt, line_with, seats
from tests.shell.conftest import CON, PRO

SLOW = {"chunk_ms": 30, "chunk_chars": 4}


@pytest.fixture
def moot(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> tuple[Cli, str]:
    """A store with one debate of two turns, for the commands that only read."""
    home = tmp_path_factory.mktemp("held")
    path = home / "debate.json"
    path.write_bytes(msgspec.json.encode({"label": "Test", "says": {"pro": [PRO], "con": [CON]}}))
    cli = Cli(home)
    return cli, cli.debate(f"scripted:{path}")


def said(done: Any, code: int, text: str = "") -> str:
    """One clear line on stderr, nothing on stdout, the right exit code, no stack trace."""
    errors = done.stderr.decode()

    assert code == done.returncode, errors
    assert done.stdout == b""
    assert text in errors
    assert "Traceback" not in errors
    return str(errors)


def as_json(done: Any, code: int, field: str | None = None) -> dict[str, Any]:
    """One ``{"error": …}`` and nothing else on stdout."""
    assert code == done.returncode, done.stderr.decode()
    assert done.stdout.count(b"\n") == 1
    body = msgspec.json.decode(done.stdout)
    assert {"error"} == body.keys()
    assert {"code", "message", "field"} == body["error"].keys()
    assert field == body["error"]["field"]
    assert b"Traceback" not in done.stderr
    return dict(body["error"])


# what is there


def test_a_run_prints_the_transcript_and_the_id_alone_on_the_last_line(moot: Cli, script: Any) -> None:
    done = moot("run", "Cities should ban cars", "--turns", "2", *seats(script()))

    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.decode().splitlines()
    assert PRO in lines
    assert CON in lines
    assert "Winner: neither" in done.stdout.decode()
    assert f"debate {lines[-1]}" in done.stderr.decode()
    assert [lines[-1]] == [row["id"] for row in moot.json("list")["debates"]]


def test_a_run_in_json_is_one_object_a_line_and_the_id_last(moot: Cli, script: Any) -> None:
    done = moot("run", "Cities should ban cars", "--turns", "2", *seats(script()), "--json")
    lines = [msgspec.json.decode(line) for line in done.stdout.splitlines()]
    frames = [line["frame"] for line in lines if "frame" in line]
    view: Any = {}
    for frame in frames:
        view = merge(view, frame["patch"])

    assert done.returncode == 0
    assert {"id"} == lines[-1].keys()
    assert list(range(1, len(frames) + 1)) == [frame["position"] for frame in frames]
    assert view == moot.json("show", lines[-1]["id"])


def test_show_replay_verify_and_export_read_what_a_run_left(held: tuple[Cli, str]) -> None:
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


def test_the_store_may_be_named_before_the_command_or_behind_it(held: tuple[Cli, str], tmp_path: Path) -> None:
    moot, debate = held
    other = Cli(tmp_path)
    name = f"sqlite:{moot.store}"

    for args in (("--store", name, "show", debate), ("show", debate, "--store", name)):
        done = other(*args, "--json")
        assert done.returncode == 0, done.stderr.decode()
        assert debate == msgspec.json.decode(done.stdout)["id"]


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
    assert b"here already" in other("import", "-", stdin=moot("export", debate).stdout).stderr


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


def test_doctor_says_which_models_answer(moot: Cli) -> None:
    models = moot.json("doctor")

    assert isinstance(models, list)
    assert all({"name", "ok", "detail", "hint"} <= each.keys() for each in models)
    assert any(each["name"].startswith("scripted:") for each in models)
    assert moot("doctor").returncode == 0


# what is refused


@pytest.mark.parametrize(
    ("args", "code", "field"),
    [
        (("run", ""), 2, "motion"), (("run", "x" * 50_000), 2, "motion"), (("run", "m", "--turns", "0"), 2, "turns"),
        (("run", "m", "--turns", "10000"), 2, "turns"), (("run", "m", "--pro", "nope:x"), 2, "pro.model"),
        (("run", "m", "--judge", "scripted:/nowhere"), 2, "judge.model"),
        (("run", "m", "--con", "scripted:SCRIPT", "--con-as", "wizard"), 2, "con.archetype"),
        (("run", "m", "--turns", "x"), 2, "turns"), (("run",), 2, None), (("run", "m", "--resume", "x"), 2, None),
        (("run", "--resume", "nobody"), 3, None), (("list", "--after", "nonsense"), 2, None),
        (("list", "--limit", "0"), 2, "limit"), (("nothing",), 2, None), (("show",), 2, "debate"),
        (("show", "nobody"), 3, None), (("replay", "nobody"), 3, None), (("verify", "nobody"), 3, None),
        (("verify", "x" * 5000), 3, None), (("import", "/nowhere"), 3, None), (("import", "/"), 3, None),
        (("--store", "floppy:a", "list"), 2, None),
    ],
)  # fmt: skip
def test_a_failure_is_one_line_or_one_object(
    held: tuple[Cli, str], args: tuple[str, ...], code: int, field: str | None
) -> None:
    moot, _ = held
    if args[:2] == ("run", "m") and "--resume" not in args:
        names = dict.fromkeys(("--pro", "--con", "--judge"), f"scripted:{moot.home / 'debate.json'}")
        given = [each.replace("scripted:SCRIPT", names["--con"]) for each in args]
        args = (*given, *(each for flag, name in names.items() if flag not in given for each in (flag, name)))

    said(moot.here(*args), code)
    as_json(moot.here(*args, "--json"), code, field)
    assert len(msgspec.json.decode(moot.here("list", "--json").stdout)["debates"]) == 1


def test_show_beyond_the_head_names_the_option(held: tuple[Cli, str]) -> None:
    moot, debate = held

    as_json(moot("show", debate, "--at", "999", "--json"), 2, "at")


def test_a_typo_suggests(moot: Cli) -> None:
    assert "Did you mean 'list'?" in said(moot("lst"), 2)


def test_without_a_store_there_is_nothing_to_read(moot: Cli) -> None:
    said(moot("list"), 3, "moot run or moot serve makes it")
    assert not moot.store.exists()


def test_a_store_that_cannot_be_written_is_one_line(moot: Cli, script: Any) -> None:
    (moot.home / "file").write_text("no database at all " * 100)
    for name in (f"sqlite:{moot.home}/file/moot.db", f"sqlite:{moot.home}"):
        for command in (("serve", "--port", "0"), ("run", "m", *seats(script()))):
            said(moot(*command, MOOT_STORE=name), 1)
    said(moot("list", MOOT_STORE=f"sqlite:{moot.home}/file"), 1, "it is not a database")


def test_a_taken_port_is_one_line(moot: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        said(moot("serve", "--port", port), 1, f"cannot listen on 127.0.0.1 port {port}")
    said(moot("serve", "--port", "99999"), 2, "--port")
    said(moot("serve", "--host", "0.0.0.0", "--port", "0"), 1, "MOOT_TOKEN")
    said(moot("serve", MOOT_PORT="eighty"), 2, "MOOT_PORT")


def test_a_debate_that_halts_exits_1_and_says_why(moot: Cli, script: Any) -> None:
    done = moot("run", "m", *seats(script(says={"pro": [{"text": "x", "fault": {"kind": "auth", "times": 9}}]})))

    assert done.returncode == 1
    assert b"moot: halted: turn 1 (pro" in done.stderr
    debate = done.stdout.decode().splitlines()[-1]
    assert moot.json("show", debate)["state"] == "halted"


# whether it was altered


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


# interrupted


def test_ctrl_c_in_mid_turn_ends_soon_and_the_debate_can_go_on(moot: Cli, script: Any) -> None:
    process = moot.start("run", "m", "--turns", "2", *seats(script(pace={"chunk_ms": 60_000, "chunk_chars": 4})))
    debate = line_with(process.stderr, b"debate ").decode().split()[1]
    assert process.stdout is not None
    _until_started(moot, debate)
    began = time.monotonic()
    interrupt(process)
    out, errors = process.communicate(timeout=10)

    assert process.returncode == 130
    assert time.monotonic() - began < 2
    assert b"Traceback" not in errors
    assert f"moot run --resume {debate}".encode() in errors
    assert moot.json("verify", debate)["ok"]
    script()   # the same file, at full speed
    done = moot("run", "--resume", debate)
    assert done.returncode == 0, done.stderr.decode()
    assert debate == done.stdout.decode().splitlines()[-1]
    view = moot.json("show", debate)
    assert ("concluded", ["judged", "judged"]) == (view["state"], [turn["state"] for turn in view["turns"].values()])
    assert ["interrupted"] == [failure["kind"] for failure in view["turns"]["1"]["failures"]]
    assert moot.json("verify", debate)["ok"]
    said_twice = moot("run", "--resume", debate, "--json")
    as_json(said_twice, 2, "resume")
    del out


def _until_started(moot: Cli, debate: str) -> None:
    """Until the log holds the turn in flight, as another process reads it."""
    for _ in range(200):
        if moot.store.exists():
            with sqlite3.connect(f"file:{moot.store}?mode=ro", uri=True) as connection:
                (count,) = connection.execute("SELECT count(*) FROM events").fetchone()
            connection.close()
            if count >= 2:
                return
        time.sleep(0.02)
    raise AssertionError(debate)


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_server_ends_soon_with_a_debate_and_a_spectator(moot: Cli, script: Any, sign: int, code: int) -> None:
    with moot.server() as (process, address):
        debate = _post(address, script(pace={"chunk_ms": 60_000}))
        with connect(address.replace("http", "ws") + f"/ws/debates/{debate}", proxy=None) as spectator:
            assert "snapshot" in str(spectator.recv())
            began = time.monotonic()
            os.kill(process.pid, sign)
            with pytest.raises(ConnectionClosed):  # noqa: PT012 - whatever comes before it
                while True:
                    spectator.recv(timeout=10)
        process.wait(10)
        assert process.stderr is not None
        errors = process.stderr.read()

    assert time.monotonic() - began < 5
    assert code == process.returncode
    assert b"Traceback" not in errors
    assert moot.json("verify", debate)["ok"]


# two processes on one store


def _post(address: str, model: str, turns: int = 2) -> str:
    roles = ("pro", "con", "judge")
    body = {"motion": "Asked over HTTP", "turns": turns, **{role: {"model": model} for role in roles}}
    response = httpx.post(f"{address}/api/debates", json=body, trust_env=False, timeout=20)

    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def test_a_server_has_its_store_for_itself_and_run_asks_it(moot: Cli, script: Any) -> None:
    with moot.server() as (_, address):
        refused = said(moot("serve", "--port", "0"), 1, "is in use by process")
        assert address in refused

        done = moot("run", "Asked of the server", "--turns", "2", *seats(script()), "--json")
        assert done.returncode == 0, done.stderr.decode()
        assert f"asking {address}".encode() in done.stderr
        lines = [msgspec.json.decode(line) for line in done.stdout.splitlines()]
        debate = lines[-1]["id"]
        positions = [line["frame"]["position"] for line in lines if "frame" in line]
        assert list(range(1, len(positions) + 1)) == positions
        view = httpx.get(f"{address}/api/debates/{debate}", trust_env=False).json()
        assert view == moot.json("show", debate)   # read-only beside the server
        assert view["state"] == "concluded"

        text = moot("run", "Asked of the server", "--turns", "1", *seats(script()))
        assert PRO in text.stdout.decode()
        as_json(moot("run", "m", "--turns", "0", "--json"), 2, "turns")
        as_json(moot("run", "m", "--pro", "nope:x", "--json"), 2, "pro.model")
        as_json(moot("run", "--resume", "nobody", "--json"), 3)
        as_json(moot("run", "--resume", debate, "--json"), 2, "resume")
        said(moot("import", "/dev/null"), 1)


def test_run_resumes_a_halted_debate_by_the_server_that_holds_it(moot: Cli, script: Any) -> None:
    with moot.server() as (_, address):
        debate = _post(address, script(pace={"chunk_ms": 60_000}))
        httpx.post(f"{address}/api/debates/{debate}/halt", trust_env=False).raise_for_status()
        script()
        done = moot("run", "--resume", debate[:18])

        assert done.returncode == 0, done.stderr.decode()
        assert debate == done.stdout.decode().splitlines()[-1]
        assert moot.json("show", debate)["state"] == "concluded"


def test_run_says_that_the_server_has_gone(moot: Cli, script: Any) -> None:
    with moot.server() as (server, _):
        process = moot.start("run", "m", *seats(script(pace=SLOW)))
        line_with(process.stdout, b"turn 1")
        server.kill()
        out, errors = process.communicate(timeout=20)

    assert process.returncode == 1
    assert b"has gone; the debate goes on when it is back" in errors
    assert b"Traceback" not in errors
    del out


def test_run_shows_the_token_to_a_server_that_wants_it(moot: Cli, script: Any) -> None:
    with moot.server("--host", "127.0.0.1", MOOT_TOKEN="s3cret"):
        as_json(moot("run", "m", *seats(script()), "--json"), 1)
        done = moot("run", "m", "--turns", "1", *seats(script()), MOOT_TOKEN="s3cret")

        assert done.returncode == 0, done.stderr.decode()
