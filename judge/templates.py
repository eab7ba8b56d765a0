"""Prompt templates: readable files with a version, cut into sections, filled in one strict pass.

A file begins with ``version: N``; a line ``--- name`` opens a section.  A debate carries its templates whole, so a
prompt is built from the debate's own text and not from the file that happens to be installed.
"""

import hashlib
import re
import string
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
    "close",
    "assess",
    "artifact",
    "deliberate",
    "panel",
    "whole",
)
_VERSION = re.compile(r"version: (\d+)\n")
_SECTION = re.compile(r"(?m)^--- ([a-z_]+)\n")


@cache
def load_template(name: str) -> Template:
    """The shipped template ``prompts/{name}.md``."""
    return parse_template(resources.files("judge").joinpath(f"prompts/{name}.md").read_text(encoding="utf-8"))


def judge_templates() -> dict[str, Template]:
    """Every prompt of the judge, by name: what a debate carries with it."""
    return {name: load_template(name) for name in NAMES}


def parse_template(text: str) -> Template:
    """A template from its text.  Raises ``TemplateError`` where no version stands in front."""
    version = _VERSION.match(text)
    if version is None:
        raise TemplateError("a template begins with 'version: N'")
    return Template(version=int(version[1]), digest=hashlib.sha256(text.encode()).hexdigest(), text=text)


@lru_cache(maxsize=512)
def section(template: Template, name: str) -> str:
    """The text of one section, without white space around it."""
    parts = _SECTION.split(template.text)[1:]
    found = dict(zip(parts[::2], parts[1::2], strict=True))
    if name not in found:
        raise TemplateError(f"the template has no section {name!r}")
    return found[name].strip()


def has_section(template: Template, name: str) -> bool:
    """Whether the template has that section: one that a debate was opened with long ago may lack it."""
    return name in _SECTION.split(template.text)[1::2]


def fill(text: str, /, **values: str) -> str:
    """``text`` with each ``$name`` replaced, once: a value that looks like a placeholder stays as it is.

    Raises ``TemplateError`` where names and values are not the same set.
    """
    template, wanted = _places(text)
    if wanted != values.keys():
        raise TemplateError(f"missing {sorted(wanted - values.keys())}, unknown {sorted(values.keys() - wanted)}")
    return template.substitute(values)


@lru_cache(maxsize=512)
def _places(text: str) -> tuple[string.Template, frozenset[str]]:
    """A template and the names in it: a prompt's frame is the same for every turn."""
    template = string.Template(text)
    if not template.is_valid():
        raise TemplateError("a stray $ stands in the template")
    return template, frozenset(template.get_identifiers())
