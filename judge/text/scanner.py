"""Find specific claims without a model: figures, percentages, years, money, studies, authorities, quotations.

The prompt lists the candidates so that the judge overlooks none; the judge decides which are suspect.  Every repetition
in a pattern is bounded or ends at a fixed character, so that the time is linear in the length of the text.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from typing import Final

from msgspec import Struct

from events.types import Span
from judge.text import claim_words
from judge.text.claim_words import JOINED, plain

NUMBERS: Final = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
"""The words of the numbers from 1."""
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS: Final[dict[str, int]] = {
    **{word: number for number, word in enumerate(NUMBERS, 1)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
}
_SCALES: Final[dict[str, int]] = {
    "hundred": 10**2,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "bn": 10**9,
    "trillion": 10**12,
    "mio": 10**6,
    "mrd": 10**9,
    **claim_words.SCALES,
}
_SHORT: Final[dict[str, int]] = {"k": 10**3, "m": 10**6, "tn": 10**12}
"""Scales that directly follow the digits: ``£10m``."""
_PARTS: Final[dict[str, int]] = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}
_CURRENCIES: Final[dict[str, str]] = {
    "$": "usd",
    "us$": "usd",
    "dollar": "usd",
    "€": "eur",
    "euro": "eur",
    "£": "gbp",
    "pound": "gbp",
    "¥": "jpy",
    "yen": "jpy",
    "₹": "inr",
    "rupee": "inr",
    "franc": "chf",
    **claim_words.CURRENCIES,
}
_CODES: Final = "(?:usd|eur|gbp|chf|jpy|inr|cny|cad|aud|sek|nok|dkk|pln|czk|brl)"
_CURRENCY: Final = rf"[€£¥₹]|(?:{_CODES}|(?:euro|dollar|pound|yen|rupee|franc)s?)(?!\w)|{claim_words.CURRENCY}"


def _any(words: Sequence[str] | Mapping[str, object]) -> str:
    """One of some words.  A test of the first two signs is cheap and skips most places."""
    begins = ("".join(sorted(set(signs))) for signs in zip(*(word[:2] for word in words), strict=False))
    return f"(?={''.join(f'[{signs}]' for signs in begins)})(?:{'|'.join(words)})"


_GAP: Final = r"[ \t\u00a0\u202f]"
_DIGITS: Final = (
    rf"(?<![^\W_{JOINED}])(?<![^\W\d_]-)(?<!\d[.,])(?:[0-9]{{1,3}}(?:{_GAP}[0-9]{{3}}(?!\w)){{1,4}}(?:[.,][0-9]{{1,15}})?"
    r"|[0-9]{1,15}(?:[.,’'][0-9]{1,15}){0,5})(?![0-9])"
)
_WORD: Final = rf"(?<!\w){_any(_WORDS)}(?:[ -](?:{'|'.join(NUMBERS[:9])}))?(?!\w)"
_FIRSTS: Final = "0-9" + "".join(sorted({word[0] for word in _WORDS}))
"""With what a number begins."""
_NUMBER: Final = rf"(?=[{_FIRSTS}])(?P<number>{_DIGITS}|{_WORD})"
_SCALE: Final = rf"(?P<scale>(?:hundred )?{_any(_SCALES)})(?!\w)"
_MYRIADS: Final = f"(?P<myriads>[{''.join(claim_words.MYRIADS)}]{{1,3}})"
_MEASURE: Final = (
    r"(?:km|kg|kwh|mwh|gwh|twh|mw|gw|°[cf]?|degrees|tonnes|tons|kilomet(?:re|er)s|met(?:re|er)s|miles|lit(?:re|er)s|"
    r"hectares|hours|minutes|days|weeks|months|times|people|deaths|jobs|lives)(?!\w)"
)
_EMPTY: Final = (
    r"(?:a|an|and|are|as|at|because|but|by|can|could|did|do|does|for|from|had|has|have|he|her|his|i|if|in|into|is|it|"
    r"its|may|might|must|no|nor|not|of|on|or|our|per|she|should|so|than|that|the|their|then|there|these|they|this|those|to|"
    r"was|we|were|when|where|which|while|who|will|with|would|yet|you|your)(?!\w)"
)
_UNIT: Final = (
    rf"(?P<unit>{_MEASURE}|{claim_words.UNIT}|(?!{_EMPTY}|{claim_words.EMPTY})(?!{_any(_SCALES)}(?!\w))"
    rf"{claim_words.LETTER}{{2,24}}(?!\w))"
)
_POINTS: Final = rf"(?:(?:percentage|per[ -]?cent)[ -]points?(?!\w)|{claim_words.POINTS})"
_PERCENT: Final = (
    rf"(?P<percent>{_POINTS}|[%‰]|(?:per[ -]?cent|pct|prozent|pour cent|por ciento)(?!\w)|{claim_words.PERCENT})"
)
_YEARLIKE: Final = r"(?:1[5-9]|20)[0-9]{2}(?![0-9])"
_WHOLE: Final = (
    rf"(?:a |one )?(?:hundred|thousand|million)|[0-9]{{1,3}}(?:,[0-9]{{3}}){{1,2}}|(?!{_YEARLIKE})[0-9]{{1,7}}"
    rf"|{_any(_WORDS)}"
)
_LOW: Final = (
    rf"(?:(?<=between )(?P<least>{_DIGITS}) and |(?!{_YEARLIKE})(?P<low>{_DIGITS})(?:{_GAP}?[–-]{_GAP}?| to ))?"
)
"""The lower end of a range; the upper end follows."""
_FRACTION: Final = (
    rf"(?<!\w)(?:(?P<part>{_any(_WORDS)}|an?)[ -](?P<of>{_any(_PARTS)})s?(?!\w)(?=[ -]of\b|(?<=s)|(?<=one.third))"
    rf"|(?P<many>{_any(_WORDS)}|[0-9]{{1,4}})(?: in| out of| per)(?: every)? (?P<among>{_WHOLE})(?!\w)"
    r"|(?P<half>half) (?:of|the|all|our|their|its)(?!\w))"
)
_NOT_A_LABEL: Final = "(?<!第)" + "".join(
    rf"(?<!\b{word} )"
    for word in ("point", "turn", "premise", "claim", "section", "chapter", "step", "page", "article", "part", "no.")
)
_BIG: Final = "".join(chr(point) for point in range(0x41, 0x530) if chr(point).isupper())
_NAME: Final = rf"(?-i:(?<!\w)[{_BIG}][\w’'.&-]{{0,30}}(?<![.’'-]))"
_JOINS: Final = ("of", "for", "the", "de", "von", "van", "and", "on")
_NAMES: Final = rf"{_NAME}(?: (?:{_any(_JOINS)} ){{0,2}}{_NAME}){{0,5}}"
_WORKS: Final = (
    "study", "studies", "survey", "report", "paper", "trial", "experiment", "meta-analysis", "analysis", "review",
    "poll", "audit", "census", "inquiry",
)  # fmt: skip
_WORK: Final = rf"{_any(_WORKS)}(?!\w)"
_LATELY: Final = r"(?:19|20)[0-9]{2}"
_EXPERTS: Final = (
    "researchers", "scientists", "economists", "experts", "scholars", "doctors", "professors", "historians",
    "engineers", "analysts",
)  # fmt: skip
_PEOPLE: Final = rf"{_any(_EXPERTS)}(?!\w)"
_BODIES: Final = (
    "University", "Institute", "Foundation", "Agency", "Bureau", "Commission", "Association", "Council", "Ministry",
    "Academy", "Bank", "Office", "Organisation", "Organization", "Department", "College", "Authority", "Centre",
    "Center",
)  # fmt: skip
_BODY: Final = rf"(?-i:{'|'.join(_BODIES)})(?!\w)"
_TITLES: Final = ("Dr", "Professor", "Prof", "Sir", "Dame", "Justice", "Judge", "President", "Senator")
_ALNUM: Final = r"[^\W_]"
_WORD_BEGINS: Final = rf"(?<![^\W_{JOINED}])(?={_ALNUM})"
_BEGINS: Final[dict[str, str]] = {
    "figure": rf"(?<![^\W_{JOINED}])(?=[{_FIRSTS}h])",
    "money": rf"(?<![^\W_{JOINED}])(?=[0-9a-z$€£¥₹])",
    "authority": rf"(?={_ALNUM})",
    "study": rf"(?={_ALNUM}|《)",
    "quotation": "(?=[“„«»‹「『＂\"‘'‚])",
}
"""The start of a kind, if it is not the start of a word: a cheap test that skips most places."""
_OF: Final = rf"{_BODY} of (?:the )?{_NAMES}"
_TELLS: Final = (
    "says", "said", "writes", "wrote", "argues", "argued", "finds", "found", "reports", "reported", "estimates",
    "estimated", "warns", "warned", "shows", "showed",
)  # fmt: skip
_SAYS: Final = rf"(?:{'|'.join(_TELLS)})(?!\w)"
_MARKS: Final = ("“”", "„“", "«»", "»«", "‹›", "「」", "『』", "＂＂", '""')

KINDS: Final[dict[str, str]] = {
    "percentage": rf"{_LOW}{_NUMBER}(?: (?P<scale>hundred))?{_GAP}?{_PERCENT}|{_FRACTION}|{claim_words.SHARE}",
    "money": (
        rf"(?<!\w)(?P<symbol>(?:us)?[$€£¥₹]|{_CODES}(?!\w)){_GAP}?(?P<amount>{_DIGITS})"
        rf"(?:(?P<short>{_any(_SHORT)})(?!\w)|{_GAP}?(?P<power>{_any(_SCALES)})(?!\w))?"
        rf"|{_NUMBER}(?:{_GAP}{_SCALE}|{_GAP}?{_MYRIADS})?{_GAP}?(?:(?:us|swiss|canadian|australian) |d[’'] ?|de )?"
        rf"(?P<currency>{_CURRENCY})"
    ),
    "year": (
        rf"(?<![.,’'])(?<![^\W{JOINED}])(?<![\w]-)(?:1[5-9]|20)[0-9]{{2}}"
        rf"(?:s(?!\w)|年|(?![\w%‰])(?![.,’'][0-9])(?!{_GAP}(?:{_MEASURE}|{_any(_SCALES)})))"
    ),
    "figure": (
        rf"{_NOT_A_LABEL}(?:{_NUMBER}|(?P<half>(?<!\w)half a))(?!(?:st|nd|rd|th)(?!\w))"
        rf"(?:(?P<short>{_any(_SHORT)})(?!\w)|[ -]{_SCALE}|{_GAP}?{_MYRIADS})?(?:(?:{_GAP}|-)?{_UNIT})?"
    ),
    "study": (
        rf"(?<!\w)(?:(?:an?|the|one|this|that|another) (?:(?!{_WORK})[\w’'-]{{1,24}}+ ){{0,4}}+)?{_WORK} "
        rf"(?:by|from|at|in|published in|led by|conducted by|carried out by) (?:the )?{_NAMES}"
        rf"|(?<!\w)(?:an?|the) {_LATELY}(?: [\w’'-]{{1,24}}){{0,3}}? {_WORK}"
        rf"|(?<!\w)(?:an?|the) {_NAMES} {_WORK}(?! {_NAME})"
        rf"|{_NAME}(?: (?:and|&) {_NAME}| et al\.?)? \({_LATELY}[a-z]?\)|{_NAME} et al\b\.?|{claim_words.STUDY}"
    ),
    "authority": (
        rf"(?<!{_ALNUM})(?:(?<!\w)according to (?:an? |the )?{_NAMES}"
        rf"|(?:{_NAME} )?(?<!\w){_PEOPLE} (?:at|from|of|with) (?:the )?{_NAMES}"
        rf"|{_NAME} {_PEOPLE}"
        rf"|(?-i:(?<!\w)(?:{'|'.join(_TITLES)})\.? (?:[A-Z]\. ?){{0,3}}"
        rf"{_NAME})"
        rf"(?: {_NAME}){{0,2}}|{_OF}|{_NAME}(?: {_NAME}){{0,3}}? {_BODY}"
        rf"|(?-i:(?<!\w)(?:[Tt]he )?[A-Z]{{2,7}}) (?={_SAYS})"
        rf"|(?!{_EMPTY}){_NAME}(?: {_NAME}){{1,2}} (?={_SAYS}))|{_OF}|{claim_words.AUTHORITY}"
    ),
    "quotation": "|".join(
        (
            *(rf"{begin}(?:(?<=[«‹]){_GAP})?(?=\S)[^{begin}{end}\n]{{2,400}}{end}" for begin, end in _MARKS),
            *(
                rf"(?<!\w){begin}(?=\S)(?:[^{begin}{end}\n]|(?<=\w){end}(?=\w)){{2,400}}{end}(?!\w)"
                for begin, end in ("‘’", "''", "‚‘")
            ),
        )
    ),
}
NEEDED: Final[dict[str, tuple[str, ...]]] = {
    "study": (*_WORKS, "(19", "(20", " et al", *claim_words.STUDIES),
    "authority": (
        "according to ",
        *_EXPERTS,
        *(f" {word}" for word in _TELLS),
        *(f"{word}{end}" for word in _TITLES for end in (" ", ". ")),
        *_BODIES,
        *claim_words.AUTHORITIES,
    ),
}
"""Without one of these words, whatever their case, a text in Latin letters holds nothing of a kind."""
_IS_LATIN: Final = re.compile(r"[\0-\u012f\u0132-\u024f\u2000-\u2bff]*")
"""Without the letters of other scripts, and without the Turkish i, which is an i to a pattern that ignores case."""
_IS_MEASURE: Final = re.compile(_MEASURE, re.IGNORECASE)
_TELLING: Final = 2
"""Minimum digits of a figure that counts without a unit, and that tells two claims apart."""


@cache
def pattern(kind: str) -> re.Pattern[str]:
    """Return the pattern of one of ``KINDS``, compiled on first use, since that takes as long as many imports."""
    return re.compile(rf"{_BEGINS.get(kind, _WORD_BEGINS)}(?:{KINDS[kind]})", re.IGNORECASE)


@cache
def currency() -> re.Pattern[str]:
    """Return the pattern of what every amount of money has: a sign or the name of a currency."""
    return re.compile(rf"\$|{_CURRENCY}", re.IGNORECASE)


class Candidate(Struct, frozen=True, kw_only=True):
    """One specific claim; ``quote`` is ``text[span]``."""

    kind: str
    quote: str
    span: Span


def scan(text: str) -> tuple[Candidate, ...]:
    """Return all candidates in the order of the text; candidates of one kind do not overlap."""
    shown = plain(text)
    found = [
        Candidate(kind=kind, quote=text[start:end], span=(start, end))
        for kind, match in (*_quantities(shown), *_sources(shown))
        for start, end in [_trimmed(match)]
    ]
    return tuple(sorted(found, key=lambda each: (each.span, each.kind)))


@lru_cache(4096)
def tokens(text: str) -> frozenset[str]:
    """Return the quantities in ``text`` in a uniform form: ``31.4 %``, ``1/5``, ``3000000 usd``, ``12 mile``.

    Two claims of a side with a common quantity are the same claim.  Years, names, small counts and "half of" are left
    out, because too many claims have them in common.
    """
    return frozenset(token for kind, match in _quantities(plain(text)) if (token := _token(kind, match.groupdict())))


def _quantities(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Find quantities; a percentage, an amount or a year is blanked out so that it is not found as a figure too."""
    rest = text
    has_money = bool(currency().search(text))
    for kind in ("percentage", "money", "year", "figure") if has_money else ("percentage", "year", "figure"):
        found = [match for match in pattern(kind).finditer(rest) if kind != "figure" or _is_specific(match)]
        yield from ((kind, match) for match in found)
        rest = _blanked(rest, [match.span() for match in found])


def _sources(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    folded = text.casefold() if _IS_LATIN.fullmatch(text) else None
    for kind in ("study", "authority", "quotation"):
        if folded is None or kind not in NEEDED or any(word in folded for word in _needed(kind)):
            yield from ((kind, match) for match in pattern(kind).finditer(text))


@cache
def _needed(kind: str) -> tuple[str, ...]:
    return tuple(word.casefold() for word in NEEDED[kind])


def _trimmed(match: re.Match[str]) -> Span:
    return match.start(), match.start() + len(match[0].rstrip())


def _blanked(text: str, spans: list[Span]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], "\0" * (end - start)]
        at = end
    return "".join((*parts, text[at:]))


def _is_specific(match: re.Match[str]) -> bool:
    """Return whether a figure counts: it has a unit, at least two digits, or a number word with a scale or measure."""
    number, scale, unit = match["number"], match["scale"] or match["short"] or match["myriads"], match["unit"]
    if number is None or number[0].isalpha():
        counted = number is not None and number.lower() != "one" and _IS_MEASURE.fullmatch(unit or "")
        return scale is not None or bool(counted)
    return unit is not None or scale is not None or len(number) >= _TELLING


def _token(kind: str, groups: dict[str, str | None]) -> str | None:
    groups = {name: value and value.lower() for name, value in groups.items()}
    if kind == "percentage":
        return _share(groups)
    if kind == "money":
        scale = groups["power"] or groups["short"] or groups["scale"] or groups["myriads"]
        value = _value(groups["amount"] or groups["number"] or "", scale)
        sign = groups["symbol"] or groups["currency"] or ""
        return f"{value} {_CURRENCIES.get(sign) or _CURRENCIES.get(sign.removesuffix('s'), sign)}"
    if kind == "figure" and groups["unit"]:
        value = _value(groups["number"] or "half", groups["scale"] or groups["short"] or groups["myriads"])
        return f"{value} {groups['unit'].removesuffix('s')}" if len(value) >= _TELLING else None
    return None


def _share(groups: dict[str, str | None]) -> str | None:
    if groups["number"]:
        sign = groups["percent"] or ""
        unit = "points" if "point" in sign else "‰" if sign == "‰" else "%"
        low = groups["low"] or groups["least"]
        range_from = f"{_value(low, None)}-" if low else ""
        return f"{range_from}{_value(groups['number'], groups['scale'])} {unit}"
    if groups["of"]:
        part = groups["part"] or ""
        return f"{_WORDS.get(part, 1)}/{_PARTS[groups['of']]}"
    if groups["many"]:
        among = (groups["among"] or "").removeprefix("a ").removeprefix("one ")
        return f"{_value(groups['many'], None)}/{_SCALES.get(among) or _value(among, None)}"
    return None


def _value(number: str, scale: str | None) -> str:
    """Return the same digits for ``31,4`` and ``31.4``, ``4 million`` and ``4,000,000``, ``thirty-one`` and ``31``."""
    if number == "half":
        value = Decimal("0.5")
    elif number[0].isalpha():
        value = Decimal(sum(_WORDS[word] for word in re.split("[ -]", number)))
    else:
        value = Decimal(_plain(number))
    for word in (scale or "").split():
        power = _SCALES.get(word) or _SHORT.get(word)
        value *= math.prod(claim_words.MYRIADS[sign] for sign in word) if power is None else power
    return f"{value.normalize():f}"


def _plain(number: str) -> str:
    """Return digits with at most a decimal point: repeated marks, and a comma before three digits, group thousands."""
    digits = re.sub(r"[ \t\u00a0\u202f’']", "", number)
    for mark, other in ((",", "."), (".", ",")):
        grouped = digits.count(mark) > 1 or (mark in digits and other in digits[digits.rfind(mark) :])
        if grouped or (mark == "," and re.fullmatch(r"[0-9]{1,3},[0-9]{3}(?:\..*)?", digits)):
            digits = digits.replace(mark, "")
    whole, *rest = re.split("[.,]", digits)
    return f"{whole}.{''.join(rest) or '0'}"
