"""The README is complete and what it says works."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute

from events.codec import CLASSES
from server.cli.main import PLACES, main
from server.feed.websocket import endpoint as socket
from server.http import access
from server.http.access import Access
from server.http.app import make_app
from server.service import running
from server.settings import Settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = [block.strip() for block in re.findall(r"^```\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)]
FIRST, SECOND = "pip install uv && uv run moot serve", "pip install uv && uv run pytest"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def section(title: str) -> str:
    """The text under a heading, down to the next one of its level or above."""
    heading = re.search(rf"^(#+) {re.escape(title)}$", README, re.MULTILINE)
    assert heading is not None, f"the README has no heading {title!r}"
    return re.split(rf"^#{{1,{len(heading[1])}}} ", README[heading.end() :], maxsplit=1, flags=re.MULTILINE)[0]


def rows(title: str) -> list[str]:
    """First cells of the tables of a section."""
    return [line.split("|")[1].strip() for line in section(title).splitlines() if line.startswith("| ")][1:]


def command(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", PLACES)
def test_every_command_helps_and_is_in_the_readme(name: str) -> None:
    shown = CliRunner().invoke(main, [name, "--help"])

    assert shown.exit_code == 0
    assert f"Usage: {main.name} {name}" in shown.output
    assert any(row.startswith(f"`moot {name}") for row in rows("Commands")), f"moot {name} is not among the commands"


@pytest.mark.parametrize("name", PLACES)
def test_the_list_of_commands_says_what_the_command_says(name: str) -> None:
    said = " ".join((command(name).help or "").replace("\b", "").split())

    assert said.startswith(PLACES[name].says)
    assert PLACES[name].says.endswith(".")


def test_the_readme_names_no_command_that_is_not_there() -> None:
    named = {word for row in rows("Commands") for word in re.findall(r"`moot (\w+)", row)}

    assert set(PLACES) == named


def test_options_named_in_the_readme_exist() -> None:
    known = {option for name in PLACES for each in command(name).params for option in each.opts} | {"--help", "--json"}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", section("Commands") + section("A tour")))

    assert set() == named - known


def test_every_setting_is_in_the_readme_with_its_default() -> None:
    table = {
        cells[1].strip(" `"): cells[2].strip(" `")
        for cells in (line.split("|") for line in section("Settings").splitlines() if line.startswith("| `"))
    }
    defaults = {name: getattr(Settings(), name) for name in Settings.__struct_fields__}
    shown = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in defaults.items()}

    assert {name: value or "none" for name, value in shown.items()} == table


def test_every_event_is_in_the_readme() -> None:
    assert set(CLASSES) == {row.strip("`") for row in rows("Events") if re.fullmatch(r"`[a-z_]+`", row)}


@pytest.mark.parametrize("tag", CLASSES)
def test_fields_that_the_readme_gives_an_event_are_its_fields(tag: str) -> None:
    line = next(line for line in README.splitlines() if line.startswith(f"| `{tag}` |"))
    named = {word for code in re.findall(r"`([^`]+)`", line.split("|")[2]) for word in code.split()}

    assert set() == named - set(CLASSES[tag].__struct_fields__)


def paths(routes: list[BaseRoute]) -> set[str]:
    found = set()
    for route in routes:
        match route:
            case Route(path=path, methods=methods):
                found |= {f"{method} {path}" for method in (methods or set()) - {"HEAD"}}
            case WebSocketRoute(path=path):
                found.add(f"WS {path}")
            case Mount(path=path):
                found.add(f"GET {path}/…")
            case _:
                raise AssertionError(route)
    return found


@pytest.mark.anyio
async def test_the_routes_are_the_readmes() -> None:
    settings = Settings(store="memory:")
    async with running(settings) as service:
        served = paths(make_app(service, Access(settings)).routes)
    named = {
        code.partition("?")[0] for row in rows("HTTP") for code in re.findall(r"`((?:GET|POST|WS) [^`]+)`", row)
    }

    assert served == named


def test_every_close_code_is_in_the_readme() -> None:
    codes = {
        value for module in (socket, access) for value in vars(module).values()
        if type(value) is int and 4400 <= value < 4500
    }

    assert {4403, 4404, 4408, 4429} <= codes
    assert {str(code) for code in codes} <= set(rows("Frames"))


@pytest.mark.parametrize("kind", ["snapshot", "frame", "delta", "live", "status", "error"])
def test_every_kind_of_message_is_in_the_readme(kind: str) -> None:
    assert f"`{kind}`" in rows("Frames")


def test_the_two_commands_are_the_first_blocks() -> None:
    assert BLOCKS[:2] == [FIRST, SECOND]


def test_the_ci_runs_the_second_command_and_no_other() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()

    assert "set -euo pipefail" in lines
    assert lines[-1] == SECOND
    assert [line for line in lines if re.search(r"\b(uv|pytest)\b", line) and not line.startswith("#")] == [SECOND]


def test_the_ci_script_is_executable_and_is_bash() -> None:
    script = ROOT / ".ci" / "run"

    assert script.stat().st_mode & 0o111
    assert script.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
    subprocess.run(["bash", "-n", str(script)], check=True)


@pytest.mark.parametrize(("said", "loads"), [("list", "rich.table"), ("--help", "click")])
def test_a_light_command_does_not_wait_for_heavy_imports(said: str, loads: str, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom server.cli import main\n"
        f"try:\n    main({shlex.split(said)!r})\nexcept SystemExit:\n    pass\n"
        "print('\\n'.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={"MOOT_STORE": f"sqlite:{tmp_path / 'moot.db'}", "PATH": ""},
    )
    loaded = set(done.stdout.splitlines())

    assert loads in loaded
    assert set() == loaded & {
        "uvicorn", "starlette", "limits", "prometheus_client", "httpx", "websockets", "ollama", "numpy", "structlog",
    }


def test_the_licence_is_apache_2() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")

    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert re.findall(r"^ +Copyright (?:\d{4} )?(.+)$", text, re.MULTILINE) == ["The Moot authors"]
