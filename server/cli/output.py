"""Output of the commands: data on stdout, messages on stderr, one line for a failure, an exit code for scripts."""

import difflib
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO, Final, NamedTuple

import anyio
import click
import msgspec

from server.errors import EXPECTED, error_body, leaves, report_of
from server.export.text import escape_controls, escape_json
from server.settings import Settings, load

READER_GONE: Final = 128 + signal.SIGPIPE
"""The exit code where what reads stdout has ended, as ``head`` does: that of any program that SIGPIPE ends."""
INTERRUPTED: Final = 130


class CommandEntry(NamedTuple):
    """Where a command is defined, and its line in the list of commands."""

    module: str
    """Below ``server.cli``."""
    attribute: str
    summary: str


class CommandGroup(click.Group):
    """Commands by name; each is imported when it is used, so that ``moot list`` does not wait for the web server.

    An expected failure is printed as one line, or with ``--json`` as one object.  A typo gets a suggestion.
    """

    def __init__(self, *args: Any, groups: Mapping[str, Mapping[str, CommandEntry]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._groups = groups
        self._entries = {name: entry for group in groups.values() for name, entry in group.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        del ctx
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command; None for an unknown name."""
        del ctx
        if (entry := self._entries.get(cmd_name)) is None:
            return None
        command: click.Command = getattr(import_module(f".{entry.module}", __package__), entry.attribute)
        command.help = (command.help or "").replace("\\b\n", "\b\n")  # click's mark for lines that it does not wrap
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by what they are for, without importing any."""
        del ctx
        width = max(map(len, self._entries))
        for title, entries in self._groups.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), entry.summary) for name, entry in entries.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a typo, suggest the nearest one."""
        if args and args[0] == "serve":
            signal.signal(signal.SIGTERM, _stop)  # before the web server is imported, which takes most of the start
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1, cutoff=0.5)
            if near:
                raise click.UsageError(f"{error.message.rstrip('.')}. Did you mean '{near[0]}'?", ctx) from error
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was asked for.  Where its reader has ended, click would exit with 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise click.exceptions.Exit(_output_failed(error)) from error

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command, and exit with its code."""
        kwargs["standalone_mode"] = False
        arguments = kwargs.get("args") or (args[0] if args else None) or sys.argv[1:]
        as_json = "--json" in arguments
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # a terminal without ▲ still gets the text
        try:
            _check_text(arguments)
            code = super().main(*args, **kwargs)  # outside standalone mode, click returns the code of Exit
        except click.UsageError as error:
            sys.exit(_report(error, error.format_message(), 2, as_json=as_json, context=error.ctx))
        except (KeyboardInterrupt, click.Abort):
            click.echo("interrupted", err=True)
            sys.exit(INTERRUPTED)
        except Exception as error:
            cause = unwrapped(error)
            if isinstance(cause, click.Abort):
                click.echo("interrupted", err=True)
                sys.exit(INTERRUPTED)
            if isinstance(cause, OSError):
                sys.exit(_output_failed(cause))
            if not isinstance(cause, EXPECTED):
                raise
            report = report_of(cause)
            message = report.message
            if report.field and not as_json and report.field not in message:
                message = f"{report.field}: {message}"
            sys.exit(_report(cause, message, report.exit_code, as_json=as_json, context=None))
        sys.exit(code if isinstance(code, int) else 0)


def _stop(sign: int, frame: FrameType | None) -> None:
    """End with 0: SIGTERM is how a server is stopped, and nothing is open yet."""
    del sign, frame
    sys.exit(0)


def unwrapped(error: Exception) -> Exception:
    """The failure itself, which a task group may have wrapped."""
    found = leaves(error)
    return found[0] if len(found) == 1 else error


def _check_text(arguments: Sequence[str]) -> None:
    for each in arguments:
        try:
            each.encode()
        except UnicodeEncodeError as error:
            raise click.UsageError(f"{each!r} is not UTF-8 text") from error


def _output_failed(error: OSError) -> int:
    """Report that stdout is closed or full; drop what is buffered for it, so that it does not fail again at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return READER_GONE
    where = f"{error.filename}: " if error.filename else ""
    click.echo(f"moot: {where}{error.strerror or error}", err=True)
    return 1


def _report(error: Exception, message: str, code: int, *, as_json: bool, context: click.Context | None) -> int:
    if as_json:
        shape = error_body(error)
        shape["error"]["message"] = message
        if isinstance(error, click.UsageError):
            shape["error"]["code"] = "usage"
            if isinstance(error, click.BadParameter) and error.param is not None:
                shape["error"]["field"] = error.param.name
        emit(shape)
    elif isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(escape_controls(message), err=True)
    elif message:
        click.echo(f"moot: {escape_controls(message)}", err=True)
        if context is not None:
            click.echo(f"       {context.command_path} --help shows the usage", err=True)
    return code


def emit(value: Any) -> None:
    """Print one JSON value on one line of stdout."""
    click.echo(escape_json(msgspec.json.encode(value).decode()))


def settings_of(context: click.Context, **flags: Any) -> Settings:
    """The settings of this call: the flags of the group, then those of the command."""
    given = {name: value for name, value in flags.items() if value is not None}
    return load({**context.find_root().params, **given})


def run_async(function: Callable[[], Coroutine[Any, Any, Any]], *, uvloop: bool = False) -> Any:
    """Run an asynchronous command; with ``uvloop`` on the faster event loop, if the system has it."""
    return anyio.run(function, backend_options={"use_uvloop": uvloop and sys.platform != "win32"})


@contextmanager
def replaced_file(output: Path) -> Iterator[BinaryIO]:
    """A file next to ``output`` that replaces it when it is complete; after a failure ``output`` is unchanged."""
    if output.exists() and not output.is_file():  # /dev/stdout or a pipe has nothing to keep
        with output.open("wb") as file:
            yield file
        return
    part = output.with_name(f"{output.name}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(output)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
