"""``moot deliberate``: judges look at a text, each on its own, and then at each other's opinions."""

import sys
from pathlib import Path
from typing import Any, BinaryIO, Final

import click
import msgspec

from judge.rubric import rubric_v1
from server import observe
from server.cli.debate_runner import run_debate
from server.cli.opinions import DeliberationPrinter
from server.cli.options import with_json, with_store, with_think
from server.cli.output import run_async, settings_of
from server.cli.seats import panel_names
from server.errors import BadField
from server.opening.opening import ARTIFACT_MOST

STDIN: Final = "-"
MOST_BYTES: Final = 4 * ARTIFACT_MOST
"""More cannot be that few characters."""


@click.command()
@click.argument("file")
@click.option("--panel", "panel", metavar="MODEL,…", help="Models of the five judges; fewer take turns.")
@click.option("--judge", "judge_model", metavar="MODEL", help="One model for all of them.")
@with_think("panel", "the judges are asked", "medium")
@click.option("--rounds", type=click.IntRange(0, 9), default=3, show_default=True, help="Rounds of deliberation.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(0, min_open=True),
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    help="Model time of all rounds together.",
)
@click.option(
    "--max-cost",
    type=click.FloatRange(0, min_open=True),
    metavar="USD",
    help="Ask nothing more once this much has been spent.",
)
@click.option("--seed", type=int, help="For models that take one.")
@with_store
@with_json
@click.pass_context
def deliberate(context: click.Context, /, file: str, store: str | None, *, as_json: bool, **wished: Any) -> None:
    r"""Have a text judged: PASS, FAIL or CONDITIONAL.  FILE is any UTF-8 text, - standard input.

    Five judges look at it, each on its own; while they differ they read each other and look again.  The id comes
    last, alone on its line.  The exit code is 0 whatever the verdict, 1 where there is none.

    \b
      moot deliberate design.md
      moot deliberate design.md --panel ollama:qwen3,anthropic:claude-haiku-5-5
      git diff | moot deliberate -
    """
    settings = settings_of(context, store=store)
    observe.configure_logging("error" if settings.log_level == "info" else settings.log_level)
    body = _body(file, wished)
    printer = DeliberationPrinter(as_json=as_json)
    run_async(lambda: run_debate(settings, body, None, printer, as_json=as_json))
    if printer.no_verdict:
        click.echo(f"moot: no verdict: {printer.no_verdict}", err=True)
        raise click.exceptions.Exit(1)


def _body(file: str, wished: dict[str, Any]) -> dict[str, Any]:
    """The same body that a browser would post."""
    name = "standard input" if file == STDIN else Path(file).name
    body: dict[str, Any] = {"format": "deliberation", "artifact": {"name": _printable(name), "text": read_text(file)}}
    if wished["judge_model"] is not None:
        body["judge"] = {"model": wished["judge_model"]}
    if wished["panel"] is not None:
        body["panel"] = panel_names(wished["panel"])
        if "judge" not in body and ":" in body["panel"][0]:
            body["judge"] = {"model": body["panel"][0]}  # nobody else is asked, and no default is looked for
    if wished["panel_think"] is not None:
        body.setdefault("judge", {})["think"] = wished["panel_think"]  # who is named by a model thinks as the judge
    rubric = rubric_v1()
    assert rubric.deliberation is not None
    rules = msgspec.structs.replace(rubric.deliberation, rounds=wished["rounds"], timeout_s=wished["timeout_s"])
    if rules != rubric.deliberation:
        body["rubric"] = msgspec.to_builtins(msgspec.structs.replace(rubric, deliberation=rules))
    for field, option in (("seed", "seed"), ("max_cost_usd", "max_cost")):
        if wished[option] is not None:
            body[field] = wished[option]
    return body


def read_text(file: str) -> str:
    """The text of a file, or of standard input.  Raises ``BadField`` for what is no text that can be judged."""
    try:
        if file == STDIN:
            raw = _read(sys.stdin.buffer)
        else:
            with Path(file).open("rb") as stream:
                raw = _read(stream)
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise BadField("file", f"{file} cannot be read: {why}") from error
    if len(raw) > MOST_BYTES:
        raise BadField("file", f"{file} is too long: an artifact has at most {ARTIFACT_MOST:,} characters")
    if b"\0" in raw:
        raise BadField("file", f"{file} is not text: there are NUL bytes in it")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise BadField("file", f"{file} is not UTF-8 text: byte {error.start + 1} cannot be read") from error
    if not text.strip("\ufeff").strip():
        raise BadField("file", f"{file} is empty")
    if len(text) > ARTIFACT_MOST:
        most = f"an artifact has at most {ARTIFACT_MOST:,} characters, this one has {len(text):,}"
        raise BadField("file", f"{file} is too long: {most}")
    return text


def _read(stream: BinaryIO) -> bytes:
    """As much as says whether it is too long."""
    return stream.read(MOST_BYTES + 1)


def _printable(name: str) -> str:
    """A file's name without what a name of an artifact cannot have."""
    return "".join(each if each.isprintable() else "?" for each in name)[:1000]
