"""The judge's own labels of the sides, replaced by Pro and Con where a person reads its words.

The judge knows the debaters as Speaker A (who spoke first) and Speaker B, and two speeches that it compares as the
first and the second.  A label is replaced only where it can mean nothing else; words in quotation marks stay as they
are.  The log, the view and the audit's JSON keep the judge's words.  ``web/labels.js`` follows the same rules.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from events.types import Side, other
from events.view.moments import NAMES

_QUOTED: Final = re.compile(r"(“[^”]*”|\"[^\"]*\")")
_SPEAKERS: Final = re.compile(r"\b(?:[Tt]he )?(?:[Ss]peaker|[Dd]ebater|[Ss]ide)s? ([AB])\b(?:( and | or )([AB])\b)?")
_LETTER: Final = re.compile(r"(?<![\w.&/-])[AB](?=['’]s\b|[^\w&/-]|$)")
_NO_LABEL: Final = re.compile(
    r"\b(?:plan|vitamin|hepatitis|group|grade|type|class|option|appendix|exhibit|figure|table|section|league|category"
    r"|zone|schedule|team|school|level)\s$",
    re.IGNORECASE,
)
_INITIAL: Final = (re.compile(r"\b[A-Z][a-z]+ $"), re.compile(r"\. [A-Z]"))
_START: Final = re.compile(r"(?:^|[.!?:…]['\"”’)]*\s+|[“‘\"'(\[]\s*|[—–]\s*)$")
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_END: Final = re.compile(r"[,;:.!?)\]…—–]|\s[—–]|$")
_CAPITAL: Final = re.compile(r"\s+[A-Z]")

_VERBS: Final = (
    "is|was|were|has|had|does|did|cannot|could|would|should|never|also|already|then|kept|gave|took|came|went|began|fell"
    "|grew|brought|told|wrote|drew|said|meant|withdrew|spoke|chose"
)
_STRICT: Final = "the|a|an|its|it|his|her|their|this|these|those|no|nothing|every|each|both|all|what|how|why|whether"
_LOOSE: Final = f"{_STRICT}|that|not|when|where|to|from|with|by|into|on|in|at|for|against|over|without|only|as|turns?"
_PAST: Final = (
    "(?!hundred|hatred|kindred|sacred)[a-z]{2,}[a-df-z]ed|made|met|held|lost|won|left|led|built|found|broke|stood"
)
_ACTS: Final = re.compile(
    rf"\s+(?:(?:{_VERBS})\b(?!-)|(?:and|or) (?:[AB]|Pro|Con)\b|(?:{_PAST}) (?:{_LOOSE}|[AB]|Pro|Con)\b"
    rf"|(?!series|species|lens|means|news)[a-z]{{2,}}[b-hj-rtv-z]s (?:{_LOOSE}|[AB]|Pro|Con)\b)"
)
"""What follows a speaker and no article: a verb, with the words that may follow it."""

_SIDE: Final = re.compile(r"\b(?:pro|con)\b")
_SHOWN: Final = re.compile(r"Shown as (\d+)-(\d+): ")
_ORDINAL: Final = re.compile(r"\b([Tt]he )?(first|second|First|Second)\b(?: (?:speech|speaker|debater|text)\b)?")
_NOUNS: Final = (
    "steps|lines|words|points|reasons|turns|premises|claims|arguments|examples|sentences|links|questions|images|years"
    "|days|months|times|things|parts|signs|results"
)
_SPEECH_ACTS: Final = re.compile(
    rf"\s+(?:(?:{_VERBS}|can|will|may|might|must|still|now|merely|simply|who|which|while|because|although|though"
    rf"|against)\b(?!-)|only [a-z]+(?:s|ed)\b|and [a-z]{{2,}}[b-hj-rtv-z]s\b"
    rf"|(?:and|or|nor) the (?:first|second)\b|(?:{_PAST}) (?:{_LOOSE})\b"
    rf"|(?!(?:{_NOUNS})\b)[a-z]{{2,}}[b-hj-rtv-z]s\b|[a-z]+s (?:{_STRICT})\b)"
)


class OrderedReading(NamedTuple):
    """What the judge said of two speeches in one order, and the turns in that order; no turns if it is not known."""

    turns: tuple[int, ...]
    text: str


def named(text: str, first: Side) -> str:
    """The judge's words with the names of the sides.  ``first`` is the side that spoke first."""
    names = {"A": NAMES[first], "B": NAMES[other(first)]}

    def speakers(found: re.Match[str]) -> str:
        return names[found[1]] + (f"{found[2]}{names[found[3]]}" if found[3] else "")

    def letters(found: re.Match[str]) -> str:
        before, after = found.string[: found.start()], found.string[found.end() :]
        return names[found[0]] if _is_label(found[0], before, after) else found[0]

    return _unquoted(text, lambda part: _LETTER.sub(letters, _SPEAKERS.sub(speakers, part)))


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
        before, after = found.string[: found.start()], found.string[found.end() :]
        name, has_article = names[found[2].lower()], bool(found[1])
        is_named = " " in found[0][len(found[1] or "") :]
        if is_named or _SPEECH_ACTS.match(after) or (has_article and (_POSSESSIVE.match(after) or _END.match(after))):
            return name if has_article or is_named or found[2][0].isupper() else found[0]
        is_label = found[2][0].isupper() and not has_article and not _START.search(before)
        return name if is_label and not _CAPITAL.match(after) else found[0]

    return _unquoted(text, lambda part: _ORDINAL.sub(ordinal, part))


def _is_label(letter: str, before: str, after: str) -> bool:
    if _NO_LABEL.search(before) or (_INITIAL[0].search(before) and _INITIAL[1].match(after)):
        return False
    if letter == "B" or _POSSESSIVE.match(after) or _ACTS.match(after):
        return True
    if _START.search(before):
        return False
    return bool(_END.match(after)) or not _CAPITAL.match(after)


def _unquoted(text: str, change: Callable[[str], str]) -> str:
    """The text with ``change`` made outside of quotation marks."""
    return "".join(part if number % 2 else change(part) for number, part in enumerate(_QUOTED.split(text)))
