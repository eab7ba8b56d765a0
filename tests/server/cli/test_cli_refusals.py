"""Refusals of the commands: one clear line or one JSON object, the right exit code, no lost data."""

import socket
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.sync.client import connect

from tests.server.children import Cli, as_json, said, seats


@pytest.mark.slow
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


@pytest.mark.slow
def test_show_beyond_the_head_names_the_option(held: tuple[Cli, str]) -> None:
    moot, debate = held

    as_json(moot("show", debate, "--at", "999", "--json"), 2, "at")


def test_a_typo_suggests(moot: Cli) -> None:
    assert "Did you mean 'list'?" in said(moot("lst"), 2)


def test_without_a_store_there_is_nothing_to_read(moot: Cli) -> None:
    said(moot("list"), 3, "moot run or moot serve creates it")
    assert not moot.store.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "field"),
    [
        (("x" * 50_000,), "motion"), (("",), "motion"), (("m", "--turns", "0"), "turns"),
        (("m", "--turns", "10000"), "turns"), (("m", "--pro", "nope:x"), "pro.model"),
        (("m", "--con-elasticity", "2"), "con.elasticity"),
        (("m", "--samples", "0"), "judge.samples"), (("m", "--max-cost", "nan"), "max_cost_usd"),
    ],
)  # fmt: skip
def test_the_line_of_an_error_names_the_field(moot: Cli, script: Any, options: tuple[str, ...], field: str) -> None:
    done = moot("run", *seats(script()), *options)  # of two equal options the last one counts

    assert field in said(done, 2)
    assert done.stderr.count(b"\n") == 1
    assert not moot.store.exists() or moot.json("list")["debates"] == []


@pytest.mark.slow
def test_a_store_that_cannot_be_written_is_one_line(moot: Cli, script: Any) -> None:
    (moot.home / "file").write_text("no database at all " * 100)
    places = {f"{moot.home}/file/moot.db": "", f"{moot.home}": "is a folder", f"{moot.home}/file": "not a database"}
    if Path("/proc/self").exists():  # a folder in which even root cannot create a file
        places["/proc/moot.db"] = "cannot be written"
    for path, why in places.items():
        for command in (("serve", "--port", "0"), ("run", "m", *seats(script())), ("import", "-")):
            errors = said(moot(*command, MOOT_STORE=f"sqlite:{path}"), 1, why)
            assert errors.count("\n") == 1
    for path, why in ((f"{moot.home}/file", "not a database"), (f"{moot.home}", "is a folder")):
        said(moot("list", MOOT_STORE=f"sqlite:{path}"), 1, why)


@pytest.mark.slow
def test_a_taken_port_is_one_line(moot: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        said(moot("serve", "--port", port), 1, f"cannot listen on 127.0.0.1 port {port}")
    said(moot("serve", "--port", "99999"), 2, "--port")
    said(moot("serve", "--host", "0.0.0.0", "--port", "0"), 1, "MOOT_TOKEN")
    said(moot("serve", MOOT_PORT="eighty"), 2, "MOOT_PORT")


@pytest.mark.slow
def test_a_debate_that_halts_exits_1_and_says_why(moot: Cli, script: Any) -> None:
    done = moot("run", "m", *seats(script(says={"pro": [{"text": "x", "fault": {"kind": "auth", "times": 9}}]})))

    assert done.returncode == 1
    assert b"moot: halted: turn 1 (pro" in done.stderr
    debate = done.stdout.decode().splitlines()[-1]
    assert moot.json("show", debate)["state"] == "halted"


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["MOOT_OPENS_PER_MINUTE", "MOOT_MAX_SPECTATORS"])
def test_what_the_server_refuses_keeps_its_code(moot: Cli, script: Any, setting: str) -> None:
    with moot.server(**{setting: "1"}) as (_, address):
        debate = moot.debate(script())
        url = f"{address.replace('http', 'ws')}/ws/debates/{debate}"
        with connect(url) if setting == "MOOT_MAX_SPECTATORS" else nullcontext():
            done = moot("run", "m", *seats(script()), "--json")

    assert "too_many" == as_json(done, 1)["code"]
