"""The documentation is complete, and what it says works."""

import json
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import click
import msgspec
import pytest
from click.testing import CliRunner
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute

from events.codec import CLASSES
from events.store.postgres.connection import READERS
from events.types import ALL_PRIVATE
from events.view.view import View
from judge.rubrics.rubric import default_rubric, rubric_v2
from personalities.traits import TRAITS
from providers.scripted.script import Script
from server.cli.main import COMMANDS, main
from server.debate.formats import FORMATS
from server.export.terms import terms
from server.http import access
from server.http import websocket as socket
from server.http.access import Access
from server.http.app import make_app
from server.service import running
from server.settings import NAMES, Settings
from tests.docs import pages
from tests.docs.pages import ROOT

README = pages.README.read_text(encoding="utf-8")
BLOCKS = pages.blocks(README)
FIRST, SECOND = "pip install uv && uv run moot serve", "pip install uv && uv run pytest"
LONGEST = 150
"""Lines of the README: it sells and starts, the reference stands in docs."""
NO_SETTINGS = {"prices"}
"""``MOOT_…`` variables that are not settings."""
by_page = pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def command(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found is not None, f"there is no moot {name}"
    return found


def options(name: str) -> set[str]:
    """Everything that may stand behind a command with dashes before it."""
    given = [each for each in command(name).params if isinstance(each, click.Option)]
    return {option for each in given for option in each.opts} | {"-h", "--help"}


# the README


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= LONGEST


def test_the_readme_shows_two_pictures() -> None:
    assert len(re.findall(r"<picture>", README)) == 2


def test_the_commands_of_the_readme_are_understood() -> None:
    shown = [words for words in pages.commands(README) if len(words) > 1]

    assert {words[0] for words in shown} >= {"run", "replay", "audit", "verify", "export"}
    for name, *said in shown:
        with command(name).make_context(name, said) as context:
            assert context.params is not None


@pytest.mark.parametrize("name", sorted({words[0] for words in pages.commands(README)}))
def test_the_commands_of_the_readme_help(name: str) -> None:
    shown = CliRunner().invoke(main, [name, "--help"])

    assert shown.exit_code == 0
    assert f"Usage: {main.name} {name}" in shown.output


def test_the_two_commands_are_the_first_blocks() -> None:
    assert BLOCKS[:2] == [FIRST, SECOND]


# the commands


@by_page
def test_commands_and_options_that_a_page_names_exist(page: Path) -> None:
    for name, *said in pages.commands(page.read_text(encoding="utf-8")):
        assert name in COMMANDS
        given = {word.partition("=")[0] for word in said if re.match(r"--?[a-z]", word)}
        assert given <= options(name), f"moot {name}"


@by_page
def test_options_that_a_page_names_alone_exist(page: Path) -> None:
    of_the_group = {each for param in main.params for each in param.opts}
    known = of_the_group.union(*(options(name) for name in COMMANDS))
    alone = {each for span in pages.spans(page.read_text(encoding="utf-8")) for each in re.findall(r"^--[a-z-]+", span)}

    assert alone <= known


def test_the_page_of_commands_is_what_the_commands_say() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "make_cli.py"))["page"]()

    assert made == pages.read("cli"), "stale: uv run python docs/make_cli.py"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_helps_and_is_documented_with_its_options(name: str) -> None:
    shown = CliRunner().invoke(main, [name, "--help"])
    told = pages.section(pages.read("cli"), f"moot {name}")

    assert shown.exit_code == 0
    assert f"Usage: {main.name} {name}" in shown.output
    assert {each for each in options(name) if each not in {"-h", "--help"} and f"`{each}`" not in told} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_the_command_says(name: str) -> None:
    said = " ".join((command(name).help or "").replace("\b", "").split())

    assert said.startswith(COMMANDS[name].summary)
    assert COMMANDS[name].summary.endswith(".")


def test_the_page_of_commands_names_no_command_that_is_not_there() -> None:
    named = re.findall(r"^## moot (\w+)$", pages.read("cli"), re.MULTILINE)

    assert list(COMMANDS) == named


# settings


def test_every_setting_is_documented_with_its_default() -> None:
    said = pages.rows(pages.read("settings"))
    table = {row[0].strip("`"): row[1].strip("`") for row in said if len(row) == 3 and row[0].startswith("`")}
    defaults = {name: getattr(Settings(), name) for name in Settings.__struct_fields__}
    shown = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in defaults.items()}

    assert {name: value or "none" for name, value in shown.items()} == table


@by_page
def test_settings_that_a_page_names_exist(page: Path) -> None:
    named = set(re.findall(r"\bMOOT_([A-Z_]+)", page.read_text(encoding="utf-8")))

    assert {each.lower() for each in named} <= set(NAMES) | NO_SETTINGS


# events


def test_every_event_is_documented() -> None:
    told = pages.first_cells(pages.section(pages.read("events"), "Types"))[1:]

    assert [f"`{tag}`" for tag in sorted(CLASSES)] == sorted(told)


@pytest.mark.parametrize("tag", CLASSES)
def test_the_fields_that_the_documentation_gives_an_event_are_all_its_fields(tag: str) -> None:
    told = next(row[1] for row in pages.rows(pages.read("events")) if row[0] == f"`{tag}`")
    named = {word for code in re.findall(r"`([^`]+)`", told) for word in code.split()}

    assert set(CLASSES[tag].__struct_fields__) == named


@pytest.mark.parametrize("tag", CLASSES)
def test_fields_of_the_director_are_in_italics(tag: str) -> None:
    cls = CLASSES[tag]
    private = set(cls.__struct_fields__) if cls.private == ALL_PRIVATE else set(cls.private)
    told = next(row[1] for row in pages.rows(pages.read("events")) if row[0] == f"`{tag}`")
    slanted = {word for code in re.findall(r"\*`([^`]+)`\*", told) for word in code.split()}

    assert private == slanted


# routes


def paths(routes: list[BaseRoute]) -> set[str]:
    found = set()
    for route in routes:
        match route:
            case Route(path_format=path, methods=methods):
                found |= {f"{method} {path}" for method in (methods or set()) - {"HEAD"}}
            case WebSocketRoute(path=path):
                found.add(f"WS {path}")
            case Mount(path=path):
                found.add(f"GET {path}/…")
            case _:
                raise AssertionError(route)
    return found


@pytest.mark.anyio
async def test_the_routes_are_the_documented_ones() -> None:
    settings = Settings(store="memory:")
    async with running(settings) as service:
        served = paths(make_app(service, Access(settings)).routes)
    named = {
        code.partition("?")[0]
        for cell in pages.first_cells(pages.section(pages.read("http"), "Routes"))
        for code in re.findall(r"`((?:GET|POST|PUT|DELETE|WS) [^`]+)`", cell)
    }

    assert served == named


def test_every_field_of_a_body_that_opens_a_debate_is_documented() -> None:
    wanted = {field for each in FORMATS.values() for field in each.request.__struct_fields__}
    cells = pages.first_cells(pages.section(pages.read("http"), "Opening a debate"))[1:]

    assert wanted == {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_every_field_of_the_view_is_documented() -> None:
    cells = pages.first_cells(pages.section(pages.read("http"), "The view"))[1:]

    assert set(View.__struct_fields__) == {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_every_close_code_is_documented() -> None:
    codes = {
        value
        for module in (socket, access)
        for value in vars(module).values()
        if type(value) is int and 4400 <= value < 4500
    }

    assert {4403, 4404, 4408, 4429} <= codes
    assert {str(code) for code in codes} <= set(pages.first_cells(pages.section(pages.read("http"), "Frames")))


@pytest.mark.parametrize("kind", ["snapshot", "frame", "delta", "live", "heartbeat", "status", "error"])
def test_every_kind_of_message_is_documented(kind: str) -> None:
    assert f"`{kind}`" in pages.first_cells(pages.section(pages.read("http"), "Frames"))


# rules


def test_the_figures_of_the_rubric_are_documented() -> None:
    rubric = rubric_v2()
    told = dict(row for row in pages.rows(pages.section(pages.read("design"), "The score of a turn")) if len(row) == 2)
    told.pop("dimension")
    parts = {
        f"{name} 0–{each.maximum:g}": ", ".join(f"{part} {of.maximum:g}" for part, of in each.components.items())
        for name, each in rubric.dimensions.items()
    }
    told_bands = {row[0]: row[1:] for row in pages.rows(pages.section(pages.read("design"), "Comparison and bands"))}
    bands = {
        "": list(rubric.bands),
        "winner's band": ["{:g}–{:g}".format(*band.winner) for band in rubric.bands.values()],
        "loser's band": ["{:g}–{:g}".format(*band.loser) for band in rubric.bands.values()],
    }
    claims = {row[0]: row[1] for row in pages.rows(pages.section(pages.read("design"), "Suspect claims"))[1:]}

    assert parts == told
    assert bands == told_bands
    assert {f"`{kind}`": f"−{rule.points:g}" if rule.points else "0" for kind, rule in rubric.claims.items()} == claims


def test_the_weights_of_the_raters_are_documented() -> None:
    ship = json.loads((ROOT / "judge" / "panel" / "raters.json").read_text(encoding="utf-8"))["raters"]
    told = {row[0]: row[2:] for row in pages.rows(pages.section(pages.read("panel"), "Seats")) if len(row) == 6}
    names = told.pop("profile")

    assert {name: [f"{each['weights'][of]:.2f}".lstrip("0") for of in names] for name, each in ship.items()} == told


def test_the_script_that_is_documented_is_one() -> None:
    (shown, *_) = pages.blocks(pages.read("scripted"))

    assert msgspec.json.decode(shown, type=Script).label == "Shown wherever this plays"


# what once contradicted itself


def everything() -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in pages.PAGES)


def test_the_connections_of_a_node_are_counted_once() -> None:
    """One that writes, those that read, one that listens, and one that sends text in flight."""
    spelled = {7: "seven", 6: "six", 8: "eight"}
    most = 1 + READERS + 1 + 1
    for name in ("postgres", "operations"):
        assert f"at most {spelled[most]} connections" in " ".join(pages.read(name).split())


def test_a_second_server_is_refused_on_sqlite_only() -> None:
    said = [each for each in re.split(r"(?<=[.;])\s", everything()) if "second server" in each]

    assert said
    assert [each for each in said if "SQLite" not in each] == []


def test_there_is_more_than_one_node() -> None:
    assert re.findall(r"no (?:second|other) node (?:yet|exists)|One process writes to a store", everything()) == []


def test_the_embedded_model_comes_with_uv_and_not_with_pip() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    assert [each for each in project["project"]["dependencies"] if "smollm" in each or "xllamacpp" in each] == []
    assert "extras" in project["tool"]["uv"]["default-groups"]
    assert "moot[all]" in project["dependency-groups"]["extras"]
    assert re.findall(r"comes with the installation", everything()) == []
    assert "--from 'moot[embedded]'" in README


# the changelog and the glossary


def test_the_changelog_is_one() -> None:
    said = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## \[(.+)\] - (Unreleased|\d{4}-\d\d-\d\d)$", said, re.MULTILINE)

    assert len(releases) == len(re.findall(r"^## ", said, re.MULTILINE))
    assert releases[0][0] == version("moot")
    assert set(re.findall(r"^### (.+)$", said, re.MULTILINE)) <= {
        "Added",
        "Changed",
        "Deprecated",
        "Removed",
        "Fixed",
        "Security",
    }
    assert "`moot migrate` once more" not in said


def test_the_glossary_has_a_sentence_for_each_term_in_order() -> None:
    told = pages.rows(pages.read("glossary"))[1:]
    terms = [term for term, _ in told]

    assert sorted(set(terms)) == terms
    assert [said for _, said in told if "." in said or not said] == []


def test_the_glossary_has_what_a_score_and_a_character_consist_of() -> None:
    known = terms()
    dimensions = default_rubric().dimensions
    shown = {*dimensions, *TRAITS, "cognitive", "emotional", "strategic"}.union(
        *(d.components for d in dimensions.values())
    )

    assert set() == {name.replace("_", " ") for name in shown} - known.keys()
    assert {"C2.1", "P1.1", "E3", "R3.1", "PRO-1"} <= known.keys()


# the rest


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


@pytest.mark.slow
@pytest.mark.parametrize(("said", "loads"), [("list", "rich.text"), ("--help", "click")])
def test_a_light_command_does_not_wait_for_heavy_imports(said: str, loads: str, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom server.cli import main\n"
        f"try:\n    main({shlex.split(said)!r})\nexcept SystemExit:\n    pass\n"
        "print('\\n'.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={"MOOT_STORE": f"sqlite:{tmp_path / 'moot.db'}", "PATH": ""},
    )
    loaded = set(done.stdout.splitlines())

    assert loads in loaded
    assert set() == loaded & {
        "uvicorn",
        "starlette",
        "limits",
        "prometheus_client",
        "httpx",
        "websockets",
        "ollama",
        "numpy",
        "structlog",
    }


def test_the_licence_is_apache_2() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")

    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert re.findall(r"^ +Copyright (?:\d{4} )?(.+)$", text, re.MULTILINE) == ["The Moot authors"]
