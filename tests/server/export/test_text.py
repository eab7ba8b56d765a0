"""Hostile text on a terminal and in Markdown: no control character acts, and nothing is loaded or linked."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from server.export.text import escape_controls, escape_json, escaped
from tests.browser import hostile_logs
from tests.browser.hostile_texts import ALL, MARKUP, with_hostile_texts
from tests.laws import spread
from tests.server.children import Cli

OBEYED: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
DRAWN: Final = {"html_inline", "html_block", "image", "link_open"}
LOGS: Final = [f"{form}, {what}" for form in ("exchange", "protocol", "panel", "artifact", "calibration")
               for what in ("words", "names")]  # fmt: skip


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> tuple[Cli, dict[str, str]]:
    """A store with imported logs that hold hostile text."""
    moot = Cli(tmp_path_factory.mktemp("harm"))
    file = moot.home / "script.json"
    file.write_bytes(msgspec.json.encode({"label": "Test", "says": {"pro": ["For it."], "con": ["Against it."]}}))
    plain = moot("export", moot.debate(f"scripted:{file}")).stdout
    debates = {}
    for form, events in hostile_logs.logs(plain).items():
        for what in ("words", "names"):
            debate = debates[f"{form}, {what}"] = f"01900000-0000-7000-8000-{len(debates):012d}"
            file = moot.home / f"{debate}.ndjson"
            bad = with_hostile_texts(events, ALL.values(), names=what == "names")
            file.write_bytes(b"".join(hostile_logs.exported(debate, bad)))

            assert moot.here("import", str(file)).returncode == 0
    return moot, debates


@pytest.mark.slow
@pytest.mark.parametrize("key", spread(LOGS, 4))
def test_the_output_of_a_command_holds_nothing_that_a_terminal_obeys(
    held: tuple[Cli, dict[str, str]], key: str
) -> None:
    moot, debates = held
    debate = debates[key]
    for command in (
        ("show", debate),
        ("replay", debate, "--speed", "0"),
        ("audit", debate),
        ("diff", debate, "0", "5"),
        ("verify", debate),
        ("export", debate, "--as", "md"),
        ("list",),
        ("show", debate, "--json"),
        ("replay", debate, "--speed", "0", "--json"),
        ("audit", debate, "--json"),
        ("list", "--json"),
    ):
        done = moot.here(*command)

        assert (0, b"") == (done.returncode, done.stderr), command
        assert OBEYED.findall(done.stdout.decode()) == [], command


def tokens(text: str) -> Iterator[Any]:
    for each in MarkdownIt("gfm-like", {"linkify": False}).parse(text):
        yield each
        yield from each.children or ()


@pytest.mark.slow
@pytest.mark.parametrize("key", LOGS)
def test_markdown_has_no_image_and_no_link(held: tuple[Cli, dict[str, str]], key: str) -> None:
    moot, debates = held
    text = moot.here("export", debates[key], "--as", "md").stdout.decode()

    assert [] == [each for each in tokens(text) if each.type in DRAWN]


@pytest.mark.parametrize("name", MARKUP)
def test_escaped_hostile_text_is_one_plain_line(name: str) -> None:
    """Each hostile text becomes one paragraph with the same words."""
    found = MarkdownIt("gfm-like", {"linkify": False}).parse(escaped(MARKUP[name]))

    assert ["paragraph_open", "inline", "paragraph_close"] == [each.type for each in found]
    assert " ".join(MARKUP[name].split()) == "".join(each.content for each in found[1].children or ())


@given(st.text())
def test_offsets_do_not_change_and_no_control_character_is_left(text: str) -> None:
    shown = escape_controls(text)

    assert len(text) == len(shown)
    assert not OBEYED.search(shown)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_escaped_json_has_the_same_value(text: str) -> None:
    line = escape_json(msgspec.json.encode({text: text}).decode())

    assert not OBEYED.search(line)
    assert {text: text} == msgspec.json.decode(line)
