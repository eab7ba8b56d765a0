"""``moot batch``: many debates by one plan."""

import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import click

from events.text.figures import rounded
from server.cli.debates.debate_runner import Resumption, run_debate
from server.cli.debates.printer import FeedPrinter
from server.cli.options import chosen, evidence_body, with_json, with_settings
from server.cli.output import emit, run_async
from server.debate.setup.batch import BatchEstimate, ForeseeingRegistry, batch_in_words, estimate_batch
from server.debate.setup.opening import opening_for
from server.debate.setup.request import as_request
from server.errors import BadField, MootError, leaves
from server.export.document.terminal import say
from server.settings import Settings

OF_DEBATE: Final = ("max_cost_usd", "deadline_s")
"""Fields of a plan that any debate has; the others are those of the part ``batch``."""
MOOT: Final = "moot"
EVENTS: Final = frozenset({"batch_debate_planned", "batch_debate_ended"})


@click.command()
@click.argument("plan", required=False, metavar="PLAN.toml|ID")
@click.option("--dry-run", is_flag=True, help="Show the debates, calls, tokens, price and hours, and begin nothing.")
@click.option(
    "--max-cost",
    type=click.FloatRange(0, min_open=True),
    metavar="USD",
    help="The budget of all debates; it replaces the one of the plan, or the one of a batch that is resumed.",
)
@click.option("--resume", metavar="ID", help="Resume a batch that was interrupted, paused or halted.")
@click.option("--retry", type=click.Choice(["failed"]), help="Try the debates of a batch again that failed.")
@click.option("--yes", is_flag=True, help="Do not ask whether to begin.")
@with_settings
@with_json
def batch(settings: Settings, /, plan: str | None, *, as_json: bool, **options: Any) -> None:
    r"""Hold many debates by one plan, within one budget.

    The plan gives motions, models, characters, judges, rubrics, documents, seeds and repeats; each combination is a
    debate, and the sides are exchanged too.

    Every debate is opened once, also if this process is killed and the batch is resumed.  No debate begins that the
    budget does not hold.  A debate that fails is listed, and the batch goes on.  The last line of the output is the id;
    /batch/ID shows the batch.  docs/batch.md has the form of a plan.

    \b
      moot batch plan.toml --dry-run
      moot batch plan.toml --max-cost 20
      moot batch ID --retry failed
      moot batch --resume ID
    """
    resumed = options["resume"] or (plan if options["retry"] else None)
    if resumed is not None and (plan is None or options["retry"]):
        wish = Resumption(debate=resumed, max_cost_usd=options["max_cost"])
        run_async(lambda: run_debate(settings, wish, BatchPrinter(as_json=as_json)))
        return
    if plan is None or resumed is not None:
        raise click.UsageError("give the file of a plan, or --resume ID, or ID --retry failed")
    path = Path(plan)
    text = _read(path)
    try:
        body = _body(path, text) | chosen(options, max_cost_usd="max_cost")
        if options["dry_run"]:
            run_async(lambda: _foresee(settings, body, as_json=as_json))
            return
        asks = None if options["yes"] else begin
        run_async(lambda: run_debate(settings, body, BatchPrinter(as_json=as_json), asks))
    except Exception as error:
        fault = next((each for each in leaves(error) if isinstance(each, MootError) and each.field), None)
        if fault is None:
            raise
        raise _with_line(fault, path, text) from error


def begin(cost: float) -> None:
    """Ask whether to begin a batch that costs money, if a person can answer."""
    if cost and sys.stdin.isatty():
        click.confirm("Begin?", default=True, abort=True, err=True)


async def foreseen_batch(settings: Settings, body: dict[str, Any]) -> BatchEstimate:
    """What a batch would take, by its request."""
    registry = ForeseeingRegistry()
    try:
        opened, _ = await opening_for(None, as_request(body), registry, settings)
        found: BatchEstimate = await estimate_batch(opened, registry, settings)
    finally:
        await registry.close()
    for model, why in sorted(registry.silent.items()):
        click.echo(f"note: {model} must answer before the batch can begin: {why}", err=True)
    return found


async def _foresee(settings: Settings, body: dict[str, Any], *, as_json: bool) -> None:
    found = await foreseen_batch(settings, body)
    if as_json:
        emit(found)
    else:
        click.echo(batch_in_words(found))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        why = f"there is no file {path}; to resume a batch: moot batch --resume ID"
        raise BadField("plan", why) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise BadField("plan", f"{path} cannot be read: {reason}") from error


def _body(path: Path, text: str) -> dict[str, Any]:
    """The body that ``POST /api/debates`` takes for the same batch.  Raises ``BadField``."""
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:  # its message has line and column
        raise BadField("plan", f"{path.name} is no TOML: {error}") from error
    whole: dict[str, Any] = {name: said.pop(name) for name in OF_DEBATE if name in said}
    if isinstance(motions := said.get("motions"), str):
        lines = _read(path.parent / motions).splitlines()
        said["motions"] = [line.strip() for line in lines if line.strip()]
    if isinstance(sets := said.get("evidence"), list):
        said["evidence"] = [_documents(path.parent, number, each) for number, each in enumerate(sets)]
    return {"format": "batch", **whole, "batch": said}


def _documents(folder: Path, number: int, files: Any) -> list[Any]:
    """The documents of a set, which names files in the folder of the plan.  Raises ``BadField``."""
    if not isinstance(files, list) or not all(isinstance(each, str) for each in files):
        raise BadField(f"evidence.{number}", "a set of documents is a list of files")
    return list(evidence_body([folder / each for each in files]).get("evidence", []))


def _with_line(error: MootError, path: Path, text: str) -> BadField:
    """The error with the line of the plan that it is about, if the line is found."""
    field, lines = error.field or "", text.splitlines()
    words = [word.strip("'\",;:().") for word in str(error).split()]
    values = [word for word in words if ":" in word]
    keys = [each for each in reversed(field.split(".")) if not each.isdigit()]
    for number, line in enumerate(lines, 1):
        if any(value in line for value in values):
            return BadField(field, f"{path.name}, line {number}: {error}")
    for key in keys:
        for number, line in enumerate(lines, 1):
            if line.lstrip(" [").startswith(key):
                return BadField(field, f"{path.name}, line {number}: {error}")
    return BadField(field, f"{path.name}: {error}")


class BatchPrinter(FeedPrinter):
    """Prints how far a batch is."""

    kind = "batch"

    def __init__(self, *, as_json: bool) -> None:
        super().__init__(as_json=as_json)
        self._is_live = not as_json and sys.stderr.isatty()
        self._tenths = 0
        self._paused: dict[str, Any] | None = None
        """The event by which the batch paused itself."""

    def note(self, event: dict[str, Any]) -> None:
        """Count a debate; say a failure and a pause.  A batch that paused itself ends once no debate of it runs."""
        if event["type"] == "debate_paused":
            click.echo(f"paused: {event['reason']}", err=True)
            self._paused = event if event["by"] == MOOT else None
        elif event["type"] == "debate_resumed":
            self._paused = None
        if event["type"] in EVENTS:
            self._count(event)
        if self._paused is not None and not self.view["batch"]["running"]:
            self.ended = self._paused

    def event(self, event: dict[str, Any]) -> None:
        """Print the opening."""
        if event["type"] == "debate_opened":
            say(event["motion"], "bold")

    def _count(self, event: dict[str, Any]) -> None:
        """Show the progress: a line that changes on a terminal, else a line for each tenth."""
        if event.get("state") in {"halted", "refused"}:
            click.echo(f"failed: {event['key']} ({event['debate']}): {event.get('reason', '')}", err=True)
        line, done = progress(self.view["batch"])
        if self._is_live:
            click.echo(f"\r{line}   ", nl=False, err=True)
        elif done > self._tenths:
            self._tenths = done
            click.echo(line, err=True)


def progress(batch: dict[str, Any]) -> tuple[str, int]:
    """How far a batch is, in a line, and the tenths of its debates that have ended."""
    ended = batch["concluded"] + batch["failed"] + batch["deleted"]
    least = "at least " if batch.get("unpriced") else ""
    line = f"{batch['concluded']:,} of {batch['debates']:,} debates done, {batch['running']:,} running"
    line += f", {batch['failed']:,} failed, {batch['waiting']:,} left, {least}{rounded(batch['spent_usd'], 4)}"
    budget = batch.get("budget_usd")
    line += " USD" if budget is None else f" of {rounded(budget, 4)} USD"
    return line, ended * 10 // max(batch["debates"], 1)
