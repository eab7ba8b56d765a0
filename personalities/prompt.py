"""How a character becomes a prompt: its traits in words, its side, the turns so far.

Neutralising the opponent's words is the caller's function (``quote``): it belongs to the judge's room, and neither
imports the other.
"""

import hashlib
import re
import string
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Literal

from events.types import Archetype, Side, Template, TurnSpoken
from personalities.traits import PersonalityError, checked, in_words

Piece = tuple[Literal["system", "user", "assistant"], str]
"""A role and a text; the text of a turn's piece is the same in every prompt."""

HISTORY = 2
"""Turns that a debater is reminded of in full."""

MODERATOR = "moderator"
"""The section that frames a word of the moderator."""

_VERSION = re.compile(r"version: (\d+)\n")
_SECTION = re.compile(r"(?m)^--- ([a-z_]+)\n")
_UNMARK = re.compile(r"(?m)^\| ")
_STANCE: dict[Side, str] = {"pro": "for", "con": "against"}
_VERDICT: dict[Side, str] = {"pro": "good", "con": "bad"}
_QUOTES = str.maketrans({"“": "‘", "”": "’", "„": "‘", "‟": "’", '"': "’"})


@cache
def debater_template() -> Template:
    """The shipped template."""
    text = resources.files("personalities").joinpath("prompts/debater.md").read_text(encoding="utf-8")
    version = _VERSION.match(text)
    assert version is not None, "a template begins with 'version: N'"
    return Template(version=int(version[1]), digest=hashlib.sha256(text.encode()).hexdigest(), text=text)


def debater_prompt(
    template: Template,
    *,
    side: Side,
    motion: str,
    max_words: int,
    archetype: Archetype,
    traits: Mapping[str, float],
    spoken: Sequence[TurnSpoken],
    quote: Callable[[str], str],
    directive: str = "",
    history: int = HISTORY,
    words: Sequence[tuple[int, str]] = (),
) -> tuple[Piece, ...]:
    """Give ``side`` the floor.  ``spoken`` are all turns so far, in order; the last ``history`` of them are given.

    ``words``: what the moderator said, in order, each with the turn after which.
    """
    topic = inline(motion, quote)
    system = _fill(
        template,
        "system",
        stance=_STANCE[side],
        manner=archetype.manner,
        style=style(traits),
        max_words=str(max_words),
        directive=_fill(template, "directive", text=directive) if directive else "",
    )
    shown = [(turn.turn, _turn(template, side, turn, quote)) for turn in (spoken[-history:] if history else ())]
    shown += [(after, _word(template, text, quote)) for after, text in words]
    said = [piece for _, piece in sorted(shown, key=lambda each: each[0])]  # a word behind the turn that it follows
    ask = _fill(template, "reply" if spoken else "opening", verdict=_VERDICT[side], motion=topic)
    return (("system", system), ("user", _fill(template, "motion", motion=topic)), *said, ("user", ask))


def style(traits: Mapping[str, float]) -> str:
    """All twelve traits as short instructions, in their own order."""
    return "; ".join(in_words(name, value) for name, value in checked(traits).items())


def inline(text: str, quote: Callable[[str], str]) -> str:
    """Somebody's words, made harmless, as one line that can stand between “ and ” and cannot close them.

    A small model copies the mark that ``quote`` puts before lines, so here it goes and the line ends go with it.
    """
    return " ".join(_UNMARK.sub("", quote(text)).translate(_QUOTES).split())


def _turn(template: Template, side: Side, turn: TurnSpoken, quote: Callable[[str], str]) -> Piece:
    if turn.side == side:
        return "assistant", _UNMARK.sub("", quote(turn.text))  # their words may echo what the opponent planted
    return "user", _fill(template, "opponent", text=inline(turn.text, quote))


def _word(template: Template, text: str, quote: Callable[[str], str]) -> Piece:
    """A debate that was opened before its template had a place for a word uses the shipped one."""
    own = template if MODERATOR in _SECTION.split(template.text)[1::2] else debater_template()
    return "user", _fill(own, MODERATOR, text=inline(text, quote))


def _fill(template: Template, section: str, /, **values: str) -> str:
    text, wanted = _section(template.text, section)
    if frozenset(wanted) != values.keys():
        raise PersonalityError(f"prompts.{section}", f"names {wanted}, given {sorted(values)}")
    return text.substitute(values).strip()


@lru_cache(maxsize=64)
def _section(text: str, section: str) -> tuple[string.Template, list[str]]:
    """A section and the names in it: it is the same for every turn."""
    parts = _SECTION.split(text)[1:]
    template = string.Template(dict(zip(parts[::2], parts[1::2], strict=True))[section].strip())
    return template, template.get_identifiers()
