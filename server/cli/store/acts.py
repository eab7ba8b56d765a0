"""``moot log``: what operators did, from the lines of the server's log."""

import io
from collections.abc import Iterable, Iterator
from typing import Any, Final

import click
import msgspec

from server.cli.options import with_json
from server.cli.output import emit
from server.export.document.terminal import say

ACTS: Final = {"operator_act", "wrong_token"}


@click.command("log")
@click.argument("file", metavar="[FILE]", type=click.File("rb"), default="-")
@click.option("--debate", metavar="ID", help="Only acts on this debate, and its opening.")
@with_json
def log(file: io.BufferedReader, debate: str | None, *, as_json: bool) -> None:
    r"""Show what operators did, from the lines of the server's log.

    \b
        journalctl -u moot -o cat | moot log
        docker compose logs node1 node2 | moot log --debate ID

    When, who, from where, what, and with which result.  It reads a file, or what comes through a pipe.  A session is
    what one browser does after it has sent the token; "token" is a program that sends it with each request.  Wrong
    tokens are shown too.
    """
    found = (act for act in _acts(file) if debate is None or debate in (act.get("made"), *act["path"].split("/")))
    if as_json:
        emit(list(found))
        return
    for act in found:
        say(_line(act))


def _acts(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The lines of acts.  A line may have the name of its container before it; other lines are dropped."""
    for line in lines:
        _, brace, rest = line.partition(b"{")
        try:
            read = msgspec.json.decode(brace + rest)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if isinstance(read, dict) and read.get("event") in ACTS and isinstance(read.get("path"), str):
            yield read


def _line(act: dict[str, Any]) -> str:
    who = act.get("by", "wrong token")
    done = f"{act.get('method', '')} {act['path']}"
    if made := act.get("made"):
        done += f" → {made}"
    at = str(act.get("timestamp", ""))[:19].replace("T", " ")
    return "  ".join(str(each) for each in (at, who, act.get("address", ""), done, act.get("status", "")) if each)
