"""Docstrings and help are in the words of the field, and bounds have names with ``MAX`` and ``MIN``."""

import ast
import re
from collections.abc import Iterator
from typing import Final

import pytest

from tests.docs.pages import read
from tests.docs.patterns import sources

INSTEAD: Final = {
    r"beside(?! the point)": "next to, besides, in addition to, compared with",
    r"dock(?:s|ed|ings?)?": "take points off for a flaw",
    r"leash": "limit",
    r"strangers?": "clients without the token, unknown names",
    r"pass(?:ed|es)? over": "skip, drop",
    r"less the (?:first|second)": "minus",
    r"begun for": "gets the first words",
    r"anew": "again",
    r"mend(?:s|ed)?": "correct",
    r"somebody": "a person",
    r"(?:Read|Said|Shown|Told|Counted|Kept) (?:is|are)": "subject, verb, object",
}
"""Words that were used in a sense of their own, and what to write."""
DIALECT: Final = re.compile("|".join(rf"(?P<_{number}>\b(?:{each})\b)" for number, each in enumerate(INSTEAD)))
CODE: Final = re.compile(r"``[^`]*``|`[^`]*`")
BOUND: Final = re.compile(r"(?:^|_)(?:MOST|LEAST)(?:_|$)")


def dialect(text: str) -> list[str]:
    """Each word of the dialect in a text, with what to write; names in code are left out."""
    found = DIALECT.finditer(CODE.sub("", " ".join(text.split())))
    return [f"{each[0]!r}: {list(INSTEAD.values())[int(str(each.lastgroup)[1:])]}" for each in found]


def docstrings() -> Iterator[tuple[str, str]]:
    """(place, text) of every docstring, those of attributes and constants included."""
    for name, source in sources().items():
        for node in ast.walk(ast.parse(source)):
            match node:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    yield f"{name}:{node.lineno}", text
                case _:
                    pass


@pytest.mark.slow
def test_docstrings_have_the_words_of_the_field() -> None:
    found = [f"{place}: {each}" for place, text in docstrings() for each in dialect(text)]

    assert not found, "\n".join(found)


def test_help_has_the_words_of_the_field() -> None:
    assert not dialect(read("cli"))  # generated from the help of all commands


def test_bounds_are_named_max_and_min() -> None:
    names = [
        f"{name}:{node.lineno} {node.id}"
        for name, source in sources().items()
        if "MOST" in source or "LEAST" in source
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and BOUND.search(node.id)
    ]

    assert not names, "\n".join(names)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("A file beside the store.", 1),
        ("Turns that were\n    docked, passed over and mended.", 3),
        ("The relation ``beside`` is beside the point; docker and Mendel stay.", 0),
    ],
)
def test_what_counts_as_dialect(text: str, count: int) -> None:
    assert count == len(dialect(text))
