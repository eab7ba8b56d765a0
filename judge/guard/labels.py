"""The letters by which the judge knows the speakers, replaced in its own words.

A label is replaced only where it can mean nothing else; words in quotation marks stay as they are.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

_CLOSERS: Final = {"„": "“", "“": "”", "«": "»", '"': '"'}
_OPENER: Final = re.compile('[„“«"]')
_SPEAKERS: Final = re.compile(r"\b(?:[Tt]he )?(?:[Ss]peaker|[Dd]ebater|[Ss]ide)s? ([AB])\b(?:( and | or )([AB])\b)?")
_LETTER: Final = re.compile(r"(?<![\w.&/-])[AB](?=['’]s\b|[^\w&/-]|$)")
_NO_LABEL: Final = re.compile(
    r"\b(?:plan|vitamin|hepatitis|group|grade|type|class|option|appendix|exhibit|figure|table|section|league|category"
    r"|zone|schedule|team|school|level)\s$",
    re.IGNORECASE,
)
_INITIAL: Final = (re.compile(r"\b[A-Z][a-z]+ $"), re.compile(r"\. [A-Z]"))
START: Final = re.compile(r"(?:^|[.!?:…]['\"”’)]*\s+|[“‘\"'(\[]\s*|[—–]\s*)$")
POSSESSIVE: Final = re.compile(r"['’]s\b")
END: Final = re.compile(r"[,;:.!?)\]…—–]|\s[—–]|$")
CAPITAL: Final = re.compile(r"\s+[A-Z]")

NEAR: Final = 24
"""Characters before a label that are looked at, and half of those after it."""
VERBS: Final = (
    "is|was|were|has|had|does|did|cannot|could|would|should|never|also|already|then|kept|gave|took|came|went|began|fell"
    "|grew|brought|told|wrote|drew|said|meant|withdrew|spoke|chose"
)
STRICT: Final = "the|a|an|its|it|his|her|their|this|these|those|no|nothing|every|each|both|all|what|how|why|whether"
LOOSE: Final = f"{STRICT}|that|not|when|where|to|from|with|by|into|on|in|at|for|against|over|without|only|as|turns?"
PAST: Final = (
    "(?!hundred|hatred|kindred|sacred)[a-z]{2,}[a-df-z]ed|made|met|held|lost|won|left|led|built|found|broke|stood"
)
_GERMAN: Final = "muss|kann|soll|wird|wurde|bleibt|gesteht|gibt|nimmt|zeigt|verliert|beginnt"
"""German verbs that are no English words: "A" before one of them is no article."""
_ACTS: Final = re.compile(
    rf"\s++(?:(?:{VERBS}|{_GERMAN})\b(?!-)|(?:and|or) (?:[AB]|Pro|Con)\b|(?:{PAST}) (?:{LOOSE}|[AB]|Pro|Con)\b"
    rf"|(?!series|species|lens|means|news)[a-z]{{2,}}[b-hj-rtv-z]s (?:{LOOSE}|[AB]|Pro|Con)\b)"
)
"""What follows a speaker and no article: a verb, with the words that may follow it."""


def relabelled(text: str, names: Mapping[str, str]) -> str:
    """The judge's words with a name in place of each label: "A", "Speaker B", "the sides A and B"."""

    def speakers(found: re.Match[str]) -> str:
        return names[found[1]] + (f"{found[2]}{names[found[3]]}" if found[3] else "")

    def letters(found: re.Match[str]) -> str:
        return names[found[0]] if _is_label(found[0], *around(found)) else found[0]

    return unquoted(text, lambda part: _LETTER.sub(letters, _SPEAKERS.sub(speakers, part)))


def _is_label(letter: str, before: str, after: str) -> bool:
    last = before.rstrip().rfind(" ") + 1  # the last word, in which all that is looked for before the label begins
    if _NO_LABEL.search(before, last) or (_INITIAL[0].search(before, last) and _INITIAL[1].match(after)):
        return False
    if letter == "B" or POSSESSIVE.match(after) or _ACTS.match(after):
        return True
    if START.search(before, last):
        return False
    return bool(END.match(after)) or not CAPITAL.match(after)


def unquoted(text: str, change: Callable[[str], str]) -> str:
    """The text with ``change`` made outside of quotation marks.  A mark that is not closed is none."""
    last = {opener: text.rfind(closer) for opener, closer in _CLOSERS.items()}
    parts, done, at = [], 0, 0
    while found := _OPENER.search(text, at):
        at = found.end()
        if last[found[0]] >= at:
            at = text.index(_CLOSERS[found[0]], at) + 1
            parts += [change(text[done : found.start()]), text[found.start() : at]]
            done = at
    return "".join((*parts, change(text[done:])))


def around(found: re.Match[str]) -> tuple[str, str]:
    """The words just before and after a label: what tells a label from other words is near."""
    return found.string[max(0, found.start() - NEAR) : found.start()], found.string[
        found.end() : found.end() + 2 * NEAR
    ]


def exchanged(text: str) -> str:
    """The judge's words with its two labels exchanged."""
    marked = relabelled(text, {"A": "\ue000", "B": "\ue001"})
    return marked.replace("\ue000", "Speaker B").replace("\ue001", "Speaker A")
