"""Prompt templates: text files with a version, split into sections and filled in one strict pass.

A file begins with ``version: N``; a line ``--- name`` starts a section.  A debate stores its templates, so its prompts
are built from its own copy and not from the installed files.
"""

import hashlib
import re
import string
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources

from events.types import Template
from judge.errors import TemplateError

NAMES = (
    "judge",
    "score",
    "compare",
    "claims",
    "gaps",
    "premises",
    "second_opinion",
    "narrative",
    "conflict",
    "convergence",
    "protocol",
    "open",
    "cross",
    "answer",
    "close",
    "assess",
    "artifact",
    "deliberate",
    "panel",
    "whole",
)
EVIDENCE = "evidence"
"""The template that only a debate with evidence has."""
_VERSION = re.compile(r"version: (\d+)\n")
_SECTION = re.compile(r"(?m)^--- ([a-z_]+)\n")


@cache
def load_template(name: str) -> Template:
    """Return the shipped template ``prompts/{name}.md``."""
    return parse_template(resources.files("judge").joinpath(f"prompts/{name}.md").read_text(encoding="utf-8"))


def judge_templates() -> dict[str, Template]:
    """Return all templates of the judge by name, as a debate stores them."""
    return {name: load_template(name) for name in NAMES}


def parse_template(text: str) -> Template:
    """Parse a template.  Raises ``TemplateError`` if the text does not begin with a version."""
    version = _VERSION.match(text)
    if version is None:
        raise TemplateError("a template begins with 'version: N'")
    return Template(version=int(version[1]), digest=hashlib.sha256(text.encode()).hexdigest(), text=text)


def section(template: Template, name: str) -> str:
    """Return the text of one section, without white space around it.  Raises ``TemplateError`` if it does not exist."""
    found = _sections(template.text)
    if name not in found:
        raise TemplateError(f"the template has no section {name!r}")
    return found[name]


def has_section(template: Template, name: str) -> bool:
    """Return whether the template has a section; templates of older debates may lack newer sections."""
    return name in _sections(template.text)


@lru_cache(maxsize=128)
def _sections(text: str) -> Mapping[str, str]:
    """Return the sections of a template by name; cached, since every prompt reads several."""
    parts = _SECTION.split(text)[1:]
    return {name: content.strip() for name, content in zip(parts[::2], parts[1::2], strict=True)}


def fill(text: str, /, **values: str) -> str:
    """Replace each ``$name`` in ``text``, in one pass: a value that looks like a placeholder stays as it is.

    Raises ``TemplateError`` if the names and the values are not the same set.
    """
    template, wanted = _places(text)
    if wanted != values.keys():
        raise TemplateError(f"missing {sorted(wanted - values.keys())}, unknown {sorted(values.keys() - wanted)}")
    return template.substitute(values)


@lru_cache(maxsize=512)
def _places(text: str) -> tuple[string.Template, frozenset[str]]:
    """Return a compiled template and its names; cached, since every turn uses the same ones."""
    template = string.Template(text)
    if not template.is_valid():
        raise TemplateError("a stray $ stands in the template")
    return template, frozenset(template.get_identifiers())
