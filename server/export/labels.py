"""The judge's own labels of the sides, replaced by Pro and Con where a person reads its words.

The judge knows the debaters as Speaker A (who spoke first) and Speaker B, and two speeches that it compares as the
first and the second.  A label is replaced only where it can mean nothing else; words in quotation marks stay as they
are.  The log, the view and the audit's JSON keep the judge's words.  ``web/exchange/labels.js`` follows the same rules.
"""

import re
from typing import Final, NamedTuple

from events.types import Side, other
from events.view.moments import NAMES
from judge.guard.labels import (
    CAPITAL,
    END,
    LOOSE,
    PAST,
    POSSESSIVE,
    START,
    STRICT,
    VERBS,
    around,
    relabelled,
    unquoted,
)

_SIDE: Final = re.compile(r"\b(?:pro|con)\b")
_SHOWN: Final = re.compile(r"Shown as (\d+)-(\d+): ")
_ORDINAL: Final = re.compile(r"\b([Tt]he )?(first|second|First|Second)\b(?: (?:speech|speaker|debater|text)\b)?")
_NOUNS: Final = (
    "steps|lines|words|points|reasons|turns|premises|claims|arguments|examples|sentences|links|questions|images|years"
    "|days|months|times|things|parts|signs|results"
)
_SPEECH_ACTS: Final = re.compile(
    rf"\s++(?:(?:{VERBS}|can|will|may|might|must|still|now|merely|simply|who|which|while|because|although|though"
    rf"|against)\b(?!-)|only [a-z]+(?:s|ed)\b|and [a-z]{{2,}}[b-hj-rtv-z]s\b"
    rf"|(?:and|or|nor) the (?:first|second)\b|(?:{PAST}) (?:{LOOSE})\b"
    rf"|(?!(?:{_NOUNS})\b)[a-z]{{2,}}[b-hj-rtv-z]s\b|[a-z]+s (?:{STRICT})\b)"
)


class OrderedReading(NamedTuple):
    """What the judge said of two speeches in one order, and the turns in that order; no turns if it is not known."""

    turns: tuple[int, ...]
    text: str


def named(text: str, first: Side) -> str:
    """The judge's words with the names of the sides.  ``first`` is the side that spoke first."""
    return relabelled(text, {"A": NAMES[first], "B": NAMES[other(first)]})


def capital_sides(reason: str) -> str:
    """A reason that Moot wrote, with the names of the sides: ``pro 56, con 69.7``."""
    return _SIDE.sub(lambda found: NAMES[found[0]], reason)


def compared(reason: str, sides: dict[int, Side], first: Side) -> tuple[OrderedReading, ...]:
    """The reason of a comparison: a reading for each order, in which the speeches have the names of their sides."""
    parts = _SHOWN.split(reason)
    readings = [OrderedReading((), named(parts[0].strip(), first))] if parts[0].strip() else []
    for one, two, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        turns = (int(one), int(two))
        words = named(text.strip(), first)
        if turns[0] in sides and turns[1] in sides:
            words = _speeches(words, {"first": NAMES[sides[turns[0]]], "second": NAMES[sides[turns[1]]]})
        readings.append(OrderedReading(turns, words))
    return tuple(readings)


def _speeches(text: str, names: dict[str, str]) -> str:
    def ordinal(found: re.Match[str]) -> str:
        before, after = around(found)
        name, has_article = names[found[2].lower()], bool(found[1])
        is_named = " " in found[0][len(found[1] or "") :]
        if is_named or _SPEECH_ACTS.match(after) or (has_article and (POSSESSIVE.match(after) or END.match(after))):
            return name if has_article or is_named or found[2][0].isupper() else found[0]
        is_label = found[2][0].isupper() and not has_article and not START.search(before)
        return name if is_label and not CAPITAL.match(after) else found[0]

    return unquoted(text, lambda part: _ORDINAL.sub(ordinal, part))
