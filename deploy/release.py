"""Checks a tag before a release: ``python deploy/release.py v1.2.3 --notes notes.md``.

The tag must be ``v`` and the version of ``pyproject.toml``, and CHANGELOG.md must have a section of that version
with a date.  Prints ``version=1.2.3``, and writes the section to the file of ``--notes``; else prints why, and ends
with 1.
"""

# ruff: noqa: INP001, T201 - a script of a workflow, which prints
import argparse
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def notes(tag: str, version: str, changes: str) -> str:
    """The section of ``version`` in the text of the changelog.

    Raises ``ValueError`` with what is wrong: the tag is of another version, or the section is missing or undated.
    """
    if tag != f"v{version}":
        message = f"the tag is {tag}, and pyproject.toml has version {version}"
        raise ValueError(message)
    found = re.search(rf"^## \[{re.escape(version)}\] - (.+)\n((?:(?!## \[).*\n?)*)", changes, re.MULTILINE)
    if found is None:
        message = f"CHANGELOG.md has no section [{version}]"
        raise ValueError(message)
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", found[1].strip()):
        message = f"the section [{version}] of CHANGELOG.md has no date: {found[1].strip()}"
        raise ValueError(message)
    return found[2].strip() + "\n"


def main() -> None:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tag")
    options.add_argument("--notes", type=Path, required=True)
    given = options.parse_args()
    version = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))["project"]["version"]
    try:
        section = notes(given.tag, version, ROOT.joinpath("CHANGELOG.md").read_text("utf-8"))
    except ValueError as error:
        sys.exit(f"no release: {error}")
    given.notes.write_text(section, "utf-8")
    print(f"version={version}")


if __name__ == "__main__":
    main()
