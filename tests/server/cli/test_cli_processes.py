"""Commands and other processes: interrupts, a server that holds the store, a server that stops."""

import os
import re
import shutil
import signal
import socket
import sqlite3
import time
from pathlib import Path
from random import Random
from typing import Any

import httpx
import msgspec
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from server.cli.serve import _outward
from tests.server.children import Cli, as_json, interrupt, line_with, said, seats
from tests.server.conftest import PRO

SLOW = {"chunk_ms": 30, "chunk_chars": 4}


@pytest.mark.slow
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
    script()  # the same file, at full speed
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
    """Wait until another process reads the started turn in the log."""
    for _ in range(200):
        if moot.store.exists():
            with sqlite3.connect(f"file:{moot.store}?mode=ro", uri=True) as connection:
                (count,) = connection.execute("SELECT count(*) FROM events").fetchone()
            connection.close()
            if count >= 2:
                return
        time.sleep(0.02)
    raise AssertionError(debate)


@pytest.mark.slow
@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_server_ends_soon_with_a_debate_and_a_spectator(moot: Cli, script: Any, sign: int, code: int) -> None:
    with moot.server() as (process, address):
        debate = _post(address, script(pace={"chunk_ms": 60_000}))
        with connect(address.replace("http", "ws") + f"/ws/debates/{debate}", proxy=None) as spectator:
            assert "snapshot" in str(spectator.recv())
            silent = socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])))
            silent.sendall(
                f"GET /ws/debates/{debate} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
            )
            assert b"101" in silent.recv(16)  # from here on this client neither reads nor answers
            began = time.monotonic()
            os.kill(process.pid, sign)
            with pytest.raises(ConnectionClosed) as closed:  # noqa: PT012 - other messages come before it
                while True:
                    spectator.recv(timeout=10)
        process.wait(10)
        silent.close()
        assert process.stderr is not None
        errors = process.stderr.read()

    assert time.monotonic() - began < 5
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1001
    assert "come back with after=" in closed.value.rcvd.reason
    assert code == process.returncode
    assert b"Traceback" not in errors
    assert moot.json("verify", debate)["ok"]


@pytest.mark.slow
def test_sigterm_leaves_a_store_that_is_whole_in_one_file(moot: Cli, script: Any, tmp_path: Path) -> None:
    with moot.server() as (process, address):
        debate = _post(address, script())
        _concluded(address, debate)
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(10) == 0

    wal = moot.store.with_name(f"{moot.store.name}-wal")
    assert not wal.exists() or wal.stat().st_size == 0
    copied = Cli(tmp_path / "copy")
    copied.home.mkdir()
    shutil.copyfile(moot.store, copied.store)
    assert copied.json("verify", debate)["ok"]
    assert copied.json("show", debate)["state"] == "concluded"


@pytest.mark.slow
@pytest.mark.parametrize("moments", [5, pytest.param(50, marks=[pytest.mark.thorough, pytest.mark.timeout(600)])])
def test_sigterm_at_any_moment_of_the_start_ends_with_0(
    moot: Cli, held: tuple[Cli, str], tmp_path: Path, moments: int
) -> None:
    other, debate = held
    moot("import", "-", stdin=other("export", debate).stdout)
    random = Random(18)
    for _ in range(moments):
        process = moot.start("serve", "--port", "0")
        moment = random.uniform(0.05, 1.2)
        time.sleep(moment)
        os.kill(process.pid, signal.SIGTERM)
        _, errors = process.communicate(timeout=10)

        assert process.returncode == 0, (moment, errors.decode())
        assert b"Traceback" not in errors, (moment, errors.decode())
        assert not moot.store.with_name(f"{moot.store.name}-wal").exists(), moment
    copied = Cli(tmp_path / "copy")
    copied.home.mkdir()
    shutil.copyfile(moot.store, copied.store)
    assert copied.json("verify", debate)["ok"]


def _concluded(address: str, debate: str) -> None:
    for _ in range(500):
        if httpx.get(f"{address}/api/debates/{debate}", trust_env=False).json()["state"] == "concluded":
            return
        time.sleep(0.02)
    raise AssertionError(debate)


# two processes on one store


def _post(address: str, model: str, turns: int = 2) -> str:
    roles = ("pro", "con", "judge")
    body = {"motion": "Asked over HTTP", "turns": turns, **{role: {"model": model} for role in roles}}
    response = httpx.post(f"{address}/api/debates", json=body, trust_env=False, timeout=20)

    assert response.status_code == 201, response.text
    return str(response.json()["id"])


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_every_line_of_a_server_in_a_pipe_is_json(moot: Cli, sign: int) -> None:
    with moot.server(MOOT_LOG_LEVEL="error") as (process, address):
        process.send_signal(sign)
        assert process.stderr is not None
        rest = [msgspec.json.decode(line) for line in process.stderr.readlines()]

    assert address.startswith("http://127.0.0.1:")  # its line is JSON: see ``address_of``
    assert ["interrupted"] * (sign == signal.SIGINT) == [line["event"] for line in rest]
    assert (130 if sign == signal.SIGINT else 0) == process.wait()


def test_a_server_on_every_interface_names_the_address_for_other_machines() -> None:
    assert re.fullmatch(r"\d+(\.\d+){3}|[\w.-]+", _outward("0.0.0.0"))
    assert "0.0.0.0" != _outward("0.0.0.0")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "says", "code"),
    [
        ({"MOOT_PORT": "many"}, "port", 2),
        ({"MOOT_HOST": "192.0.2.1", "MOOT_TOKEN": "s3cret-0123456789"}, "cannot listen on 192.0.2.1", 1),
        ({"MOOT_HOST": "0.0.0.0"}, "set MOOT_TOKEN", 1),
        ({"MOOT_STORE": "sqlite:/dev/null/moot.db"}, "cannot be made", 1),
        ({"MOOT_WORKERS": "2"}, "more than one worker needs a PostgreSQL store", 2),
    ],
)
def test_why_a_server_in_a_pipe_does_not_start_is_json(
    moot: Cli, settings: dict[str, str], says: str, code: int
) -> None:
    done = moot("serve", "--port", "0", **settings) if "MOOT_PORT" not in settings else moot("serve", **settings)
    (line,) = map(msgspec.json.decode, done.stderr.splitlines())

    assert code == done.returncode
    assert ("error", "server_ended") == (line["level"], line["event"])
    assert says in f"{line.get('field')} {line['message']}"


@pytest.mark.slow
def test_a_second_server_is_refused_and_run_asks_the_first(moot: Cli, script: Any) -> None:
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
        assert view == moot.json("show", debate)  # a read-only connection while the server runs
        assert view["state"] == "concluded"

        text = moot("run", "Asked of the server", "--turns", "1", *seats(script()))
        assert PRO in text.stdout.decode()
        as_json(moot("run", "m", "--turns", "0", "--json"), 2, "turns")
        as_json(moot("run", "m", "--pro", "nope:x", "--json"), 2, "pro.model")
        as_json(moot("run", "--resume", "nobody", "--json"), 3)
        as_json(moot("run", "--resume", debate, "--json"), 2, "resume")
        said(moot("import", "/dev/null"), 1, "there is no event in it")


@pytest.mark.slow
def test_an_import_asks_the_server_that_holds_the_store(moot: Cli, held: tuple[Cli, str]) -> None:
    other, debate = held
    log = other("export", debate).stdout
    with moot.server() as (_, address):
        imported, again = moot("import", "-", stdin=log), moot.json("import", "-", stdin=log)
        view = httpx.get(f"{address}/api/debates/{debate}", trust_env=False).json()
        cut = log[: log.rindex(b"\n", 0, -1) - 40] + b"\n"
        assert "position" in said(moot("import", "-", stdin=cut), 4)

    assert debate == imported.stdout.decode().strip(), imported.stderr.decode()
    assert again["already"] is True
    assert view == other.json("show", debate)


@pytest.mark.slow
def test_run_resumes_a_halted_debate_by_the_server_that_holds_it(moot: Cli, script: Any) -> None:
    with moot.server() as (_, address):
        debate = _post(address, script(pace={"chunk_ms": 60_000}))
        httpx.post(f"{address}/api/debates/{debate}/halt", trust_env=False).raise_for_status()
        script()
        done = moot("run", "--resume", debate[:18])

        assert done.returncode == 0, done.stderr.decode()
        assert debate == done.stdout.decode().splitlines()[-1]
        assert moot.json("show", debate)["state"] == "concluded"


@pytest.mark.slow
def test_run_says_that_the_server_does_not_answer_any_more(moot: Cli, script: Any) -> None:
    with moot.server() as (server, _):
        process = moot.start("run", "m", *seats(script(pace=SLOW)))
        line_with(process.stdout, b"turn 1")
        server.kill()
        out, errors = process.communicate(timeout=20)

    assert process.returncode == 1
    assert b"does not answer any more; the debate continues when it is back" in errors
    assert b"Traceback" not in errors
    del out


@pytest.mark.slow
def test_run_sends_the_token_to_a_server_that_needs_it(moot: Cli, script: Any) -> None:
    with moot.server("--host", "127.0.0.1", MOOT_TOKEN="s3cret-0123456789"):
        refused = as_json(moot("run", "m", *seats(script()), "--json"), 1)
        assert "set MOOT_TOKEN" in refused["message"]
        done = moot("run", "m", "--turns", "1", *seats(script()), MOOT_TOKEN="s3cret-0123456789")

        assert done.returncode == 0, done.stderr.decode()
