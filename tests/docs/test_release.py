"""A release: the check of its tag, and what the workflow may not do."""

import json
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOW = (ROOT / ".github" / "workflows" / "release.yaml").read_text("utf-8")
CHANGES = """# Changelog

## [1.3.0] - Unreleased

- Not yet.

## [1.2.3] - 2026-11-28

### Added

- A thing.

## [1.2.0] - 2026-10-01

- Older.
"""

notes = runpy.run_path(str(ROOT / "deploy" / "release.py"))["notes"]


def test_the_notes_of_a_release_are_its_section_of_the_changelog() -> None:
    assert notes("v1.2.3", "1.2.3", CHANGES) == "### Added\n\n- A thing.\n"
    assert notes("v1.2.0", "1.2.0", CHANGES) == "- Older.\n"


@pytest.mark.parametrize(
    ("tag", "version", "why"),
    [
        ("v1.2.4", "1.2.3", "the tag is v1.2.4"),
        ("1.2.3", "1.2.3", "the tag is 1.2.3"),
        ("v1.4.0", "1.4.0", "has no section [1.4.0]"),
        ("v1.3.0", "1.3.0", "has no date: Unreleased"),
        ("v1x2.3", "1x2.3", "has no section [1x2.3]"),
    ],
)
def test_a_tag_that_disagrees_is_refused(tag: str, version: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        notes(tag, version, CHANGES)


def test_no_expression_stands_in_a_script_and_no_job_has_more_rights_than_it_needs() -> None:
    """A name of a tag is text from outside: it enters a script by the environment only."""
    scripts = re.findall(r"run: (\|\n(?:(?: {10,}.*)?\n)+|.*\n)", WORKFLOW)
    rights = dict(re.findall(r"^  (\w+):\n(?:    .*\n)*?    permissions:\n((?:      .*\n)+)", WORKFLOW, re.MULTILINE))

    assert len(scripts) == WORKFLOW.count("run: ") > 4
    assert [script for script in scripts if "${{" in script] == []
    assert WORKFLOW.count("\npermissions: {}\n") == 1
    assert {job for job, right in rights.items() if "contents: write" in right} == {"page"}
    assert {job for job, right in rights.items() if "id-token: write" in right} == {"build", "python"}
    used = re.findall(r"uses: (\S+)", WORKFLOW)
    assert [name for name in used if not re.fullmatch(r"[\w-]+/[\w-]+@[\w/]+\d", name)] == []


def test_a_devcontainer_installs_what_the_tests_need() -> None:
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))

    assert {"chromium-headless-shell", "nodejs", "uv"} <= set(container["onCreateCommand"].split())
    assert container["forwardPorts"] == [8484]
