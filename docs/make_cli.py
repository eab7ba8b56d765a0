"""The page of all commands, generated from the commands: ``uv run python docs/make_cli.py`` writes it."""

import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import click

from server.cli.main import COMMANDS, EXAMPLES, GROUPS, main
from server.cli.output import CommandEntry

PAGE: Final = Path(__file__).with_name("cli.md")
HEAD: Final = """# Commands

This page is generated from the commands: `uv run python docs/make_cli.py`. A test fails if it is out of date.

Data goes to stdout, messages go to stderr. `--json` prints one JSON value on stdout; a failure is one `{"error": {…}}`.
Every command also has `--help`. The first six or more characters of an id are enough if no other id begins with them;
`latest` is the newest debate.

| exit code | means |
|---|---|
| 0 | done |
| 1 | failed; also a debate that was halted, and a gate that fails |
| 2 | wrong usage |
| 3 | not found; of a [gate](gate.md), unclear |
| 4 | the chain of a log is broken |
| 130 | interrupted |
| 141 | what reads the output has ended, as `head` does |

`--store` and `--log-level` may also come before the name of a command. While a server holds a SQLite store, reading
commands open it read-only, and `moot run` asks that server. [Settings](settings.md) lists the other ways to set these.

`eval "$(_MOOT_COMPLETE=bash_source moot)"` turns on the completion of names (`zsh_source`, `fish_source`). Colour and
progress appear only on a terminal, and colour only if `NO_COLOR` is not set.
"""


def page() -> str:
    """The whole page."""
    listed = "\n".join(_index(title, entries) for title, entries in GROUPS.items())
    examples = f"```\n{inspect.cleandoc(EXAMPLES.replace(chr(8), ''))}\n```\n"
    return "\n".join([HEAD, examples, listed, *(_section(name) for name in COMMANDS)])


def _index(title: str, entries: Mapping[str, CommandEntry]) -> str:
    """The commands of one group."""
    rows = "\n".join(f"| [`moot {name}`](#moot-{name}) | {_cell(entry.summary)} |" for name, entry in entries.items())
    return f"| {title.lower()} | does |\n|---|---|\n{rows}\n"


def _section(name: str) -> str:
    """One command: its usage, its help, its options."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=click.Context(main, info_name="moot"))
    usage = " ".join(["moot", name, *command.collect_usage_pieces(context)])
    rows = [_row(each) for each in command.params if isinstance(each, click.Option)]
    table = "| option | meaning |\n|---|---|\n" + "\n".join(rows) + "\n"
    return "\n".join([f"## moot {name}\n", f"```\n{usage}\n```\n", *_help(command), table])


def _help(command: click.Command) -> Iterator[str]:
    """The help of a command; a block that is not wrapped is an example."""
    for block in inspect.cleandoc(command.help or "").split("\n\n"):
        if block.startswith("\b\n"):
            yield f"```\n{inspect.cleandoc(block.removeprefix(chr(8)))}\n```\n"
        else:
            yield f"{' '.join(block.split())}\n".replace("<", "&lt;")


def _row(option: click.Option) -> str:
    names = ", ".join(f"`{each}`" for each in option.opts)
    if not option.is_flag:
        names += f" `{_kind(option)}`"
    meaning = " ".join(filter(None, [option.help, _range(option.type), _usual(option)]))
    return f"| {_cell(names)} | {_cell(meaning)} |"


def _kind(option: click.Option) -> str:
    """The value of an option: its choices, or a name for it."""
    if isinstance(option.type, click.Choice):
        return "|".join(option.type.choices)
    return option.metavar or option.type.name.upper().removesuffix(" RANGE")


def _range(kind: click.ParamType) -> str:
    """The range of a number; empty if there is none."""
    low, high = getattr(kind, "min", None), getattr(kind, "max", None)
    if low is None:
        return ""
    more = "more than" if getattr(kind, "min_open", False) else "at least"
    return f"[{low} to {high}]" if high is not None else f"[{more} {low}]"


def _usual(option: click.Option) -> str:
    """The default, if the command shows it."""
    return f"[default: {option.default}]" if option.show_default and option.default is not None else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
