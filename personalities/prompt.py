"""The prompt of a debater: its traits in words, its side, and the turns so far.

The caller passes the function ``quote`` that neutralises the opponent's words.  It is part of ``judge.guard``, which
this package does not import.
"""

import hashlib
import re
import string
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Literal

from msgspec import Struct

from events.table import LazyTable
from events.types import Archetype, MotionKind, Side, Template, TurnSpoken
from personalities.motions import burden, phase
from personalities.traits import MIDDLE, TRAITS, WORDS_V3, PersonalityError, Trait, checked, in_words

Piece = tuple[Literal["system", "user", "assistant"], str]
"""A role and a text.  The piece of a turn has the same text in every prompt."""

HISTORY = 2
"""Turns that a prompt holds in full by default."""

BEGUN = LazyTable[Any]({"begun": "personalities.begun"})
"""The first words of a speech that a very small model gets."""
BY_PHASE = 3
"""The version of the template from which on a turn is told its phase, its number and the language."""
THREE_TRAITS = 4
"""The version from which on a turn is told its three strongest traits, and a directive follows the costs."""
MAX_TRAITS = 3
AIM, TOLD = 0.85, 0.95
"""The shares of the most words that a debater is told to aim at, and never to exceed: models write a little more than
they are told, and a speech over the limit loses its last sentence.
"""

MODERATOR = "moderator"
"""The template's section for a word of the moderator."""

_VERSION = re.compile(r"version: (\d+)\n")
_SECTION = re.compile(r"(?m)^--- ([a-z_]+)\n")
_UNMARK = re.compile(r"(?m)^\| ")
_PASSAGE = re.compile("(“[^“”]*”)")
_STANCE: dict[Side, str] = {"pro": "for", "con": "against"}
_VERDICT: dict[Side, str] = {"pro": "good", "con": "bad"}
_QUOTES = str.maketrans({"“": "‘", "”": "’", "„": "‘", "‟": "’", '"': "’"})


class Place(Struct, frozen=True, kw_only=True):
    """Where in a debate a turn stands, and what its motion asks for.  ``language``: its English name."""

    turn: int
    turns: int
    kind: MotionKind
    language: str = "English"


@cache
def debater_template(name: Literal["debater", "short", "begun", "documents"] = "debater") -> Template:
    """A shipped template.

    ``debater``: version 4, for models that read a whole debate.  ``short``: version 2, which small models follow.
    ``begun``: for a very small model, which continues the first words of its speech.  ``documents``: what a prompt says
    of documents.
    """
    text = resources.files("personalities").joinpath(f"prompts/{name}.md").read_text(encoding="utf-8")
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
    place: Place | None = None,
) -> tuple[Piece, ...]:
    """The prompt for the next turn of ``side``.  ``spoken``: all turns in order; the last ``history`` are shown.

    ``words``: the moderator's words in order, each with the turn that it follows.  ``place``: needed by a template of
    version 3 or later, whose last piece holds all that changes from turn to turn.
    """
    shown = [
        (turn.turn, _turn(template, turn.side == side, turn.turn, turn.text, quote))
        for turn in (spoken[-history:] if history else ())
    ]
    shown += [(after, _word(template, text, quote)) for after, text in words]
    said = [piece for _, piece in sorted(shown, key=lambda each: each[0])]  # a word follows its turn
    topic = inline(motion, quote)
    if template.version >= BY_PHASE:  # what stays the same comes first: vendors cache the beginning of a prompt
        assert place is not None, "a template of version 3 tells the place of the turn"
        system = _fill(
            template,
            "system",
            stance=_STANCE[side],
            turns=str(place.turns),
            manner=archetype.manner,
            burden=burden(place.kind, side),
            language=place.language,
            aim=str(round(max_words * AIM)),
            max_words=str(round(max_words * TOLD)),
        )
        left = (place.turns - place.turn) // 2
        ask = _fill(
            template,
            "turn",
            turn=str(place.turn),
            turns=str(place.turns),
            place=_fill(template, "more", left=str(left)) if left else _fill(template, "last"),
            phase=phase(place.turn, place.turns),
            style=style(traits, WORDS_V3, MAX_TRAITS if template.version >= THREE_TRAITS else len(TRAITS)),
            directive=_fill(template, "directive", text=_told(directive, quote)) if directive else "",
        )
    else:
        system = _fill(
            template,
            "system",
            stance=_STANCE[side],
            manner=archetype.manner,
            style=style(traits),
            max_words=str(max_words),
            directive=_fill(template, "directive", text=directive) if directive else "",
        )
        ask = _fill(template, "reply" if spoken else "opening", verdict=_VERDICT[side], motion=topic)
    return (("system", system), ("user", _fill(template, "motion", motion=topic)), *said, ("user", ask))


def begun_prompt(
    template: Template,
    *,
    side: Side,
    motion: str,
    kind: MotionKind,
    spoken: Sequence[TurnSpoken],
    quote: Callable[[str], str],
    directive: str = "",
    words: Sequence[str] = (),
) -> tuple[Piece, ...]:
    """The prompt for a very small model.  Its last piece, of the assistant, is the beginning of the speech.

    ``spoken``: all turns in order; only the end of the last one is quoted.  ``words``: the moderator's words in order.
    """
    begun = BEGUN["begun"]
    motion = inline(motion, quote)
    claim = begun.claim(motion, side)
    number = 1 + sum(turn.side == side for turn in spoken)
    system = _fill(
        template,
        "system",
        claim=claim,
        directive=_fill(template, "directive", text=_told(directive, quote)) if directive else "",
    )
    said: list[Piece] = [("user", _fill(template, MODERATOR, text=inline(text, quote))) for text in words]
    leads = _section(template.text, f"{side}_{kind}")[0].template
    opponents = [turn.text for turn in spoken if turn.side != side]
    lines, stance = leads.splitlines(), begun.stance(motion, side)
    lead = lines[number - 1] if number <= len(lines) else lines[1]  # later turns take the last but one
    if opponents:
        point = inline(begun.point(opponents[-1]), quote)
        first = _fill(template, "reply", point=point, stance=stance, lead=lead)
    else:
        first = _fill(template, "opening", stance=stance[:1].upper() + stance[1:], lead=lead)
    return (("system", system), *said, ("user", _fill(template, "ask", claim=claim)), ("assistant", first))


def style(traits: Mapping[str, float], words: Mapping[str, Trait] = TRAITS, most: int = len(TRAITS)) -> str:
    """The ``most`` traits that are farthest from the middle as short instructions, in the order of all traits."""
    given = checked(traits)
    strongest = sorted(given, key=lambda name: -abs(given[name] - MIDDLE))[:most]
    return "; ".join(in_words(name, value, words) for name, value in given.items() if name in strongest)


def inline(text: str, quote: Callable[[str], str]) -> str:
    """Neutralised words as one line that can stand between “ and ” and cannot close these quotation marks.

    The mark that ``quote`` puts before each line is removed together with the line ends: small models would copy it.
    """
    return " ".join(_UNMARK.sub("", quote(text)).translate(_QUOTES).split())


def _told(directive: str, quote: Callable[[str], str]) -> str:
    """A directive as one line.  What it quotes stays between “ and ”; a single one of these marks does not."""
    line = " ".join(_UNMARK.sub("", quote(directive)).split())
    parts = _PASSAGE.split(line)
    return "".join(part if number % 2 else part.translate(_QUOTES) for number, part in enumerate(parts))


@lru_cache(4096)
def _turn(template: Template, is_own: bool, number: int, text: str, quote: Callable[[str], str]) -> Piece:
    """A turn in the prompt of its own side, or of the other one; cached, since all later prompts have it too."""
    if is_own:
        return "assistant", _UNMARK.sub("", quote(text))  # the words may repeat an injection of the opponent
    text = inline(text, quote)
    if template.version >= BY_PHASE:
        return "user", _fill(template, "opponent", turn=str(number), text=text)
    return "user", _fill(template, "opponent", text=text)


def _word(template: Template, text: str, quote: Callable[[str], str]) -> Piece:
    """A word of the moderator.  A debate whose template has no section for it uses the shipped template."""
    own = template if MODERATOR in _SECTION.split(template.text)[1::2] else debater_template("short")
    return "user", _fill(own, MODERATOR, text=inline(text, quote))


def _fill(template: Template, section: str, /, **values: str) -> str:
    text, wanted = _section(template.text, section)
    if frozenset(wanted) != values.keys():
        raise PersonalityError(f"prompts.{section}", f"names {wanted}, given {sorted(values)}")
    return text.substitute(values).strip()


@lru_cache(maxsize=64)
def _section(text: str, section: str) -> tuple[string.Template, list[str]]:
    """A section of a template and its placeholders; cached, since it is the same for every turn."""
    parts = _SECTION.split(text)[1:]
    template = string.Template(dict(zip(parts[::2], parts[1::2], strict=True))[section].strip())
    return template, template.get_identifiers()
