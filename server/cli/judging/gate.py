"""A verdict as the exit code of a command, and its findings as files for other programs."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar, get_args

import click
import msgspec

from server.cli.debates.printer import FeedPrinter
from server.cli.options import server_address
from server.cli.output import replaced_file, unwrapped
from server.errors import EXPECTED, BadField, CannotServe, ReportedError, report_of
from server.export.gate import FORMS
from server.export.gate.report import UNCLEAR_CODE, GateReport, UnclearIs
from server.export.text import escape_controls
from server.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])
FAILED: Final = 1


class Gate(NamedTuple):
    """What a command is asked for.  ``decides``: the exit code is that of the result."""

    fail_on: tuple[str, ...]
    unclear_is: UnclearIs | None
    decides: bool
    files: tuple[tuple[str, Path | None], ...]
    """Forms, each with its file; None for stdout."""

    @property
    def takes_stdout(self) -> bool:
        """Whether a form is written to stdout, where nothing else may stand then."""
        return any(file is None for _, file in self.files)

    @property
    def is_asked(self) -> bool:
        """Whether there is anything to report."""
        return self.decides or bool(self.files)


def with_gate(values: str, usual: str) -> Callable[[F], F]:
    """Add ``--fail-on``, ``--unclear-is`` and ``--as``.  ``values``: what ``--fail-on`` takes, ``usual`` without it."""
    fail_on = click.option(
        "--fail-on",
        metavar=values,
        help=f"Exit with 1 for these, 0 for others, 3 if unclear.  Reports and --unclear-is take {usual} without it.",
    )
    unclear_is = click.option(
        "--unclear-is", type=click.Choice(get_args(UnclearIs)), help="Exit with 1 or 0 instead of 3."
    )
    forms = click.option(
        "--as",
        "forms",
        multiple=True,
        metavar="FORM[=FILE]",
        help=f"Write a report: {', '.join(FORMS)}.  May be given several times; one without FILE goes to stdout.",
    )
    return lambda function: fail_on(unclear_is(forms(function)))


def gate_of(options: dict[str, Any], values: Sequence[str], usual: str, *, as_json: bool) -> Gate:
    """What the options ask for.  Raises ``BadField``, before anything is judged."""
    given = options["fail_on"]
    known = {each.casefold(): each for each in values}
    names = [each.strip().casefold() for each in (usual if given is None else given).split(",")]
    if wrong := [each for each in names if each not in known]:
        raise BadField("fail_on", f"{wrong[0]!r} is none of {', '.join(values)}")
    gate = Gate(
        fail_on=tuple(dict.fromkeys(known[each] for each in names)),
        unclear_is=options["unclear_is"],
        decides=given is not None or options["unclear_is"] is not None,
        files=tuple(map(_form, options["forms"])),
    )
    on_stdout = sum(file is None for _, file in gate.files)
    if on_stdout > 1:
        raise BadField("as", "only one form goes to stdout: give the others a file, such as --as sarif=moot.sarif")
    if on_stdout and as_json:
        raise BadField("as", "--json writes to stdout: give the form a file, such as --as sarif=moot.sarif")
    return gate


def _form(given: str) -> tuple[str, Path | None]:
    name, sign, file = given.partition("=")
    if name not in FORMS:
        raise BadField("as", f"{name!r} is none of {', '.join(FORMS)}")
    if not sign:
        return name, None
    path = Path(file)
    if not file or path.is_dir():
        raise BadField("as", f"{given!r} names no file")
    if not path.absolute().parent.is_dir():
        raise BadField("as", f"the folder of {file} does not exist")
    return name, path


def run_gated(
    gate: Gate, settings: Settings, printer: FeedPrinter, run: Callable[[], Any], made: Callable[[str, str], GateReport]
) -> None:
    """Run, write the reports, and exit with the code of the result.

    ``made`` gets the link and why the debate stopped.  What fails before anything is judged is no verdict: if the gate
    decides, it exits with 3 and not with 1.
    """
    code = 0
    try:
        run()
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except Exception as error:
        cause = unwrapped(error)
        if gate.decides and isinstance(cause, EXPECTED) and (told := report_of(cause)).exit_code == FAILED:
            raise ReportedError(msgspec.structs.replace(told, exit_code=UNCLEAR_CODE)) from error
        raise
    if gate.is_asked:
        ended = printer.ended or {}
        address, debate = server_address(settings), printer.view["id"]
        report = made(
            f"{address}/d/{debate}" if address else f"moot show {debate}", ended.get("reason", "it did not end")
        )
        for form, file in gate.files:
            _write(FORMS[form](report), file)
        if gate.decides:
            click.echo(f"moot: {escape_controls(report.headline)}", err=True)
            code = report.exit_code
    if code:
        raise click.exceptions.Exit(code)


def _write(text: str, file: Path | None) -> None:
    if file is None:
        click.echo(text.rstrip("\n"))
        return
    try:
        with replaced_file(file) as stream:
            stream.write(text.rstrip("\n").encode("utf-8", "replace") + b"\n")
    except OSError as error:
        raise CannotServe(f"cannot write {file}: {error.strerror}") from error
