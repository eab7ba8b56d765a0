"""``moot deliberate``: judges assess a text, first independently, then with each other's opinions."""

import sys
from typing import Any, Final

import click
import msgspec

from judge.rubrics.rubric import default_rubric
from server.cli.debates.debate_runner import run_debate
from server.cli.debates.opinions import DeliberationPrinter
from server.cli.judging.gate import gate_of, run_gated, with_gate
from server.cli.options import chosen, name_of_file, read_bytes, with_json, with_settings, with_think
from server.cli.output import run_async
from server.cli.seats import named_seats, panel_names
from server.debate.formats.deliberation.opening import MAX_ARTIFACT
from server.errors import BadField
from server.export.gate.artifact import VERDICTS, artifact_report
from server.export.gate.places import JudgedFile
from server.export.gate.report import GateReport
from server.settings import Settings

MAX_BYTES: Final = 4 * MAX_ARTIFACT
"""A longer file has too many characters: UTF-8 uses at most four bytes for one."""
MAX_NAME: Final = 1000
"""Characters of an artifact's name."""


@click.command()
@click.argument("file")
@click.option("--for", "purpose", metavar="PURPOSE", help="What the text is judged for; asked for without it.")
@click.option(
    "--panel", "panel", metavar="MODEL,…", help="Models of the five judges; fewer models take the seats in turn."
)
@click.option("--judges", metavar="PERSONA=MODEL,…", help="Only these judges, each with its model.")
@click.option("--judge", "judge_model", metavar="MODEL", help="One model for all five judges.")
@with_think("panel", "the judges are asked", "medium")
@click.option("--rounds", type=click.IntRange(0, 9), default=3, show_default=True, help="Rounds of deliberation.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(0, min_open=True),
    default=120.0,
    show_default=True,
    metavar="SECONDS",
    help="Model time of each judge in each round after the first opinions, which have judge_timeout_s.",
)
@click.option(
    "--max-cost",
    type=click.FloatRange(0, min_open=True),
    metavar="USD",
    help="Stop asking at this cost.",
)
@click.option("--seed", type=int, help="For models that accept a seed.")
@with_gate("FAIL,CONDITIONAL,PASS", "FAIL")
@with_settings
@with_json
def deliberate(settings: Settings, /, file: str, *, as_json: bool, **options: Any) -> None:
    r"""Have a text judged: PASS, FAIL or CONDITIONAL.  FILE is any UTF-8 text; - is standard input.

    Five judges assess the text independently.  While they disagree, each reads the opinions of the others and
    assesses it again.  The last line of the output is the id.  The exit code is 0 for any verdict, 1 for no verdict.

    With --fail-on it is a gate for pipelines: the exit code is 0 if the text passes, 1 if it fails, 2 for wrong usage,
    3 if the verdict is unclear: there is none, or no judge who holds it quotes words that stand in the text.

    \b
      moot deliberate plan.md --for "a migration plan that can be rolled back"
      moot deliberate design.md --for "a design to build from" --panel ollama:qwen3,anthropic:claude-haiku-5-5
      git diff | moot deliberate - --for "a change to merge" \
        --judges security_analyst=ollama:qwen3,qa_evaluator=anthropic:claude-haiku-5-5
      moot deliberate design.md --for "a design to build from" --fail-on FAIL --as sarif=moot.sarif --as junit=moot.xml
    """
    if options["purpose"] is None:
        options["purpose"] = _asked_purpose()
    gate = gate_of(options, VERDICTS, "FAIL", as_json=as_json)
    text = read_text(file)
    body = _body(file, text, options)
    printer = DeliberationPrinter(as_json=as_json, is_quiet=gate.takes_stdout)

    def run() -> None:
        run_async(lambda: run_debate(settings, body, printer))
        if printer.no_verdict:
            click.echo(f"moot: no verdict: {printer.no_verdict}", err=True)
            raise click.exceptions.Exit(1)

    def made(link: str, stopped: str) -> GateReport:
        return artifact_report(
            printer.view,
            JudgedFile(file, text),
            fail_on=gate.fail_on,
            unclear_is=gate.unclear_is,
            link=link,
            stopped=stopped,
        )

    run_gated(gate, settings, printer, run, made)


def _body(file: str, text: str, options: dict[str, Any]) -> dict[str, Any]:
    """The body that the page would post for the same deliberation."""
    artifact = {"name": name_of_file(file)[:MAX_NAME], "text": text, "purpose": options["purpose"]}
    body: dict[str, Any] = {"format": "deliberation", "artifact": artifact}
    if options["judge_model"] is not None:
        body["judge"] = {"model": options["judge_model"]}
    if options["judges"] is not None:
        if options["panel"] is not None:
            raise BadField("judges", "--judges seats the panel itself: leave out --panel")
        body["panel"] = named_seats(options["judges"], options["panel_think"])
        body.setdefault("judge", {"model": body["panel"][0]["model"]})
    elif options["panel"] is not None:
        body["panel"] = panel_names(options["panel"])
        if "judge" not in body and ":" in body["panel"][0]:
            body["judge"] = {"model": body["panel"][0]}  # no other model is looked for
    if options["panel_think"] is not None:
        body.setdefault("judge", {})["think"] = options[
            "panel_think"
        ]  # a seat that names only a model thinks as the judge does
    rubric = default_rubric()
    assert rubric.deliberation is not None
    rules = msgspec.structs.replace(rubric.deliberation, rounds=options["rounds"], judge_s=options["timeout_s"])
    if rules != rubric.deliberation:
        body["rubric"] = msgspec.to_builtins(msgspec.structs.replace(rubric, deliberation=rules))
    return body | chosen(options, seed="seed", max_cost_usd="max_cost")


def _asked_purpose() -> str:
    """The purpose that a person types.  Raises ``BadField`` where nobody can be asked."""
    if not sys.stdin.isatty():
        raise BadField("for", 'what is the text judged for? Say it: --for "a migration plan that can be rolled back"')
    return str(click.prompt("What is the text judged for", err=True))


def read_text(file: str) -> str:
    """The text of a file, or of standard input.  Raises ``BadField`` for a text that cannot be judged."""
    raw = read_bytes(file, MAX_BYTES)
    if len(raw) > MAX_BYTES:
        raise BadField("file", f"{file} is too long: an artifact has at most {MAX_ARTIFACT:,} characters")
    if b"\0" in raw:
        raise BadField("file", f"{file} is not text: it contains NUL bytes")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise BadField("file", f"{file} is not UTF-8 text: byte {error.start + 1} cannot be read") from error
    if not text.strip("\ufeff").strip():
        raise BadField("file", f"{file} is empty")
    if len(text) > MAX_ARTIFACT:
        most = f"an artifact has at most {MAX_ARTIFACT:,} characters, this one has {len(text):,}"
        raise BadField("file", f"{file} is too long: {most}")
    return text
