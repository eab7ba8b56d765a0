"""The pages of the documentation, as the tests read them."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
README: Final = ROOT / "README.md"
PAGES: Final = (README, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")))
FENCED: Final = re.compile(r"^```[a-z]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN: Final = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
OPERATORS: Final = {"|", ">", "&&", "·"}


def read(name: str) -> str:
    """A page of docs, by its name without the ending."""
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def blocks(text: str) -> list[str]:
    """What stands between fences."""
    return [block.strip() for block in FENCED.findall(text)]


def spans(text: str) -> list[str]:
    """What stands between backticks within a line."""
    return SPAN.findall(FENCED.sub("", text))


def section(text: str, title: str) -> str:
    """The text under a heading, down to the next one of its level or above."""
    heading = re.search(rf"^(#+) {re.escape(title)}$", text, re.MULTILINE)
    assert heading is not None, f"there is no heading {title!r}"
    return re.split(rf"^#{{1,{len(heading[1])}}} ", text[heading.end() :], maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> list[list[str]]:
    """The cells of every row of a text's tables, without the lines under the headings."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not re.fullmatch(r"[|\s:-]+", line)]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def first_cells(text: str) -> list[str]:
    """The first cell of every row."""
    return [row[0] for row in rows(text)]


def commands(text: str) -> Iterator[list[str]]:
    """Every ``moot COMMAND …`` that a text shows, as words."""
    for line in [line for block in blocks(text) for line in block.splitlines()] + spans(text):
        for said in re.findall(r"(?:^|[\s(])moot ([a-z]+\b.*)", line):
            try:
                words = shlex.split(re.split(r"\s{3,}", said)[0])
            except ValueError:
                words = said.split()
            end = next((at for at, word in enumerate(words) if word in OPERATORS), len(words))
            yield words[:end]
