"""Options that several commands share, and the store opened for reading."""

import base64
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar, cast, get_args

import click
import msgspec

from events.errors import UnknownDebate
from events.store.address import sqlite_path
from events.store.listing import ALL, FILED, LISTED, Limits
from events.store.lock import holder
from events.store.log import EventLog, read_rows
from events.store.open import opened_log
from events.types import Effort, Think
from events.types.rubric import name_of_rubric
from judge.rubrics.rubric import (
    DEFAULT,
    SHIPPED,
    ShippedRubric,
    as_rubric,
    load_rubric,
    scores_turns_as,
    shipped_rubric,
)
from server.cli.output import settings_of
from server.errors import BadField, NotFound
from server.evidence.documents import MAX_BYTES
from server.evidence.request import MAX_NAME
from server.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])
LATEST = "latest"
SHORTEST_PREFIX = 6
"""Characters."""
STDIN: Final = "-"
"""The file that names the standard input."""


def with_json(function: F) -> F:
    """Add ``--json``: data on stdout as one JSON value."""
    words = "Data as JSON on stdout; messages stay on stderr."
    return click.option("--json", "as_json", is_flag=True, help=words)(function)


def with_think(seat: str, who: str, usual: Think) -> Callable[[F], F]:
    """Add an option like ``--pro-think``: how much a model is asked to think before it answers."""
    words = f"How much {who} to think; default leaves it to the vendor.  Without it: {usual}."
    return click.option(f"--{seat}-think", type=click.Choice(get_args(Think)), help=words)


def with_elasticity(side: str, who: str) -> Callable[[F], F]:
    """Add an option like ``--pro-elasticity``: how far pressure changes a debater."""
    words = (
        f"How far a lost exchange or a penalty moves the character of {who}, from 0 to 1; at 0 it stays as it is, and "
        "no directives are given.  For format exchange.  Without it: 0.5."
    )
    return click.option(f"--{side}-elasticity", type=float, help=words)


def with_effort(*names: str) -> Callable[[F], F]:
    """Add an option like ``--judge-effort``: how many calls the judge gets for a turn."""
    words = (
        "brief: at most three calls a turn, four about the last one, for a local model that keeps no prompts in a "
        "cache.  Without it: full."
    )
    return click.option(*names, "judge_effort", type=click.Choice(get_args(Effort)), help=words)


def with_store(function: F) -> F:
    """Add ``--store``, which is also accepted before the command's name."""
    return click.option("--store", metavar="URL", help="The store to use.  [MOOT_STORE]")(function)


def with_settings(function: F) -> F:
    """Add ``--store``, and give the command the settings of this call as its first argument."""

    @wraps(function)
    def command(*given: Any, store: str | None, **options: Any) -> Any:
        return function(settings_of(click.get_current_context(), store=store), *given, **options)

    return with_store(cast("F", command))


def with_limits(function: F) -> F:
    """Add what a list of debates can be limited to; ``limits_of`` reads it."""
    for option in reversed(
        (
            click.option("-q", "query", default="", help="Text to find in the motions."),
            click.option("--state", type=click.Choice(["open", "paused", "halted", "concluded"])),
            click.option(
                "--format", type=click.Choice(["exchange", "protocol", "deliberation", "calibration", "lab", "batch"])
            ),
            click.option("--winner", type=click.Choice(["pro", "con", "neither"])),
            click.option("--tag", help="Only debates with this tag."),
            click.option("--archived", is_flag=True, help="Only archived debates."),
            click.option("--hidden", is_flag=True, help="Only hidden debates."),
            click.option("--unlisted", is_flag=True, help="Only unlisted debates."),
        )
    ):
        function = option(function)
    return function


def with_rule(function: F) -> F:
    """Add what debates are chosen by when they are archived or deleted; hidden and unlisted ones are among them."""
    for option in reversed(
        (
            click.option("--older-than", metavar="AGE", help="Those whose last event is older: 90d, 12w or 6h."),
            click.option("--tag", help="Those with this tag."),
            click.option("--state", type=click.Choice(["open", "paused", "halted", "concluded"])),
            click.option(
                "--format", type=click.Choice(["exchange", "protocol", "deliberation", "calibration", "lab", "batch"])
            ),
        )
    ):
        function = option(function)
    return function


def limits_of(options: Mapping[str, Any]) -> Limits:
    """The limits that a command was given: what is hidden, archived or unlisted only if one of these is asked for."""
    filed = {name: True for name in FILED if options[name]}
    only = {name: options[name] for name in ("state", "format", "winner", "tag")}
    return msgspec.structs.replace(ALL if filed else LISTED, **only, **filed)


def with_evidence(function: F) -> F:
    """Add ``--evidence``: documents that debaters may cite."""
    words = (
        "A document that the debaters may cite: text, Markdown, HTML, PDF, DOCX, ODT.  Give it once for each document."
    )
    path = click.Path(exists=True, dir_okay=False, path_type=Path)
    return click.option("--evidence", "evidence", metavar="FILE", type=path, multiple=True, help=words)(function)


def chosen(options: Mapping[str, Any], **members: str) -> dict[str, Any]:
    """The part of a request's body whose members name these options; those that were not given are left out."""
    return {member: value for member, option in members.items() if (value := options.get(option)) is not None}


def read_bytes(file: str, most: int) -> bytes:
    """A file or the standard input, or one byte more than ``most`` if it is longer.  Raises ``BadField``."""
    try:
        if file == STDIN:
            return sys.stdin.buffer.read(most + 1)
        with Path(file).open("rb") as stream:
            return stream.read(most + 1)
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise BadField("file", f"{file} cannot be read: {why}") from error


def name_of_file(file: str) -> str:
    """The name of a file that ``read_bytes`` reads, with ? for characters that cannot be printed."""
    name = "standard input" if file == STDIN else Path(file).name
    return "".join(each if each.isprintable() else "?" for each in name)


def evidence_body(paths: Sequence[Path]) -> dict[str, Any]:
    """The part of a request's body with these documents; empty without any.  Raises ``BadField``."""
    return {"evidence": [_document(number, path) for number, path in enumerate(paths)]} if paths else {}


def _document(number: int, path: Path) -> dict[str, str]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadField(f"evidence.{number}", f"{path.name} has more than {MAX_BYTES // 1_000_000} MB")
        content = path.read_bytes()
    except OSError as error:
        raise BadField(f"evidence.{number}", f"{path.name} cannot be read: {error.strerror}") from error
    return {"name": path.name[:MAX_NAME], "base64": base64.b64encode(content).decode()}


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncIterator[EventLog]:
    """The store, opened for reading, also while a server holds it.  Raises ``NotFound``."""
    path = sqlite_path(settings.store)
    if path is not None and not path.exists():
        raise NotFound(f"there is no store at {path} yet: moot run or moot serve creates it")
    async with opened_log(settings.store, read_only=True) as log:
        yield log


def rubric_of(named: str) -> Any:
    """The rubric of an option as the page would post it: the name of a shipped one, or the content of a file."""
    return named if named in SHIPPED else msgspec.to_builtins(load_rubric(Path(named)))


def say_unused_rubric(body: Mapping[str, Any]) -> None:
    """Say on stderr if the rubric of a request scores turns as a shipped one does, where nothing else is used of it."""
    given = body.get("rubric")
    if given is None or body.get("panel") or body.get("format", "exchange") != "exchange":
        return
    rubric = shipped_rubric(given) if isinstance(given, str) else as_rubric(given)
    known: tuple[ShippedRubric, ...] = (DEFAULT, "v2")
    alike = next((name for name in known if scores_turns_as(rubric, shipped_rubric(name))), None)
    if alike is not None and rubric != shipped_rubric(alike):
        click.echo(
            f"The rubric {name_of_rubric(rubric)} scores turns as {alike} does: it differs only in what a panel and "
            "the format protocol use.",
            err=True,
        )


def server_address(settings: Settings) -> str:
    """Address of the server that holds the store; empty if no server holds it."""
    path = sqlite_path(settings.store)
    held = holder(path) if path is not None else None
    return held.address if held else ""


async def find_debate(log: EventLog, prefix: str, form: str = "") -> str:
    """The id of a debate, from itself, from its beginning, if only one begins so, or the newest one for ``latest``.

    With ``form``, such as ``lab``, ``latest`` is the newest one of this format.

    Raises ``UnknownDebate``, ``DebateDeleted``.
    """
    if prefix == LATEST:
        async for row in read_rows(log):
            if form in {"", row.format}:
                return row.id
    elif await log.head(prefix):
        return prefix
    if len(prefix) >= SHORTEST_PREFIX:
        found = [row.id async for row in read_rows(log) if row.id.startswith(prefix)]
        if len(found) == 1:
            return found[0]
    left = await log.tombstones(prefix) if len(prefix) >= SHORTEST_PREFIX else ()
    raise left[0].refusal() if len(left) == 1 else UnknownDebate(prefix)
