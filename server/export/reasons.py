"""The reasons that rules recorded, in plain words.

Logs hold the short notes that rules add to a reason.  They are recorded facts and stay as they are; what a person reads
says the same in sentences.  ``reasonWords`` in web/words/words.js follows the same rules; tests/web/reasons.json holds
examples for both.
"""

import re
from typing import Final

from events.text.figures import shortest

_NOTES: Final = re.compile(r"(?: \((?:requested|it continues|[\d.]+ of [\d.]+ applied)[^()]*\))++($)?")
"""What the rules add to the judge's reason for a flaw; it has group 1 at the end of the reason."""
_WEIGHED: Final = re.compile(r" \([\d.]+ by itself[^()]*\)$")
"""What they add where all findings of a turn are weighed together."""
_PAID: Final = re.compile(r"(?<![\w.-])([\w.-]++), which (?:cost|lost) ([\d.]+)")
_ABSORBED: Final = re.compile(r"(?<![\d.])[\d.]++ of [\d.]++ applied: [^;()]+")
_CLAIM: Final = re.compile(r"C\d")
_BOUNDED: Final = re.compile(r"requested ([\d.]+), allowed ([\d.]+)")
_CAPPED: Final = re.compile(
    r"requested ([\d.]+)(?:, the most for one turn is|; the flaws of one turn cost at most) ([\d.]+)"
)
_WORDS: Final = (
    (re.compile(r"(?<=: the winner is put )([\d.]+) ahead$"), r"\1 ahead, penalties left out"),
    (
        re.compile(r"^lost (.+ against turn \d+): at most ([\d.]+)"),
        r"lost \1: the loser may have at most \2, penalties left out",
    ),
    (
        re.compile(r"^won (.+ against turn \d+): at least ([\d.]+)"),
        r"won \1: the winner may have at least \2, penalties left out",
    ),
    (re.compile(r", but no more than ([\d.]+) by one comparison$"), r"; one comparison moves at most \1"),
    (
        re.compile(r"^turn (\d+) has lost ([\d.]+) points for flaws, the most that they may take$"),
        r"turn \1 has lost the most that its flaws may cost: \2 points, or what its gravest flaw costs alone",
    ),
    (
        re.compile(r"^the quote leaves out (“[^”]+”)$"),
        r"the words that the quote leaves out contain \1, which may turn its sense",
    ),
    (
        re.compile(r"^the quote is not in the turn, or too short to tell$"),
        "these words do not stand in the turn in one piece, or they are too few to find them",
    ),
    (re.compile(r": within ([\d.]+) (\w+) decides: "), r": at most \1 apart, so the mean \2 decides: "),
    (re.compile(r": within ([\d.]+) nobody wins$"), r": at most \1 apart, so nobody wins"),
)


def plain_reason(reason: str) -> str:
    """What a rule recorded, in plain words; the same text if it is plain already.  For a flaw see ``plain_charge``."""
    if reason.startswith("nothing is left to pay (it continues "):
        return f"nothing is left to take: {_taken_before(reason)}"
    for found, words in _WORDS:
        reason = found.sub(words, reason)
    return reason


def given_points(reason: str, requested: float) -> float:
    """The points that the judge gave for a flaw, below 0, where the rules requested only a part of them."""
    notes = _notes(reason)
    if bounded := _BOUNDED.search(notes):
        return -float(bounded[1])
    capped = _CAPPED.search(notes)
    left = float(capped[1]) if capped else -requested
    return round(-left - sum(float(points) for _, points in _PAID.findall(notes)), 2)


def plain_charge(reason: str, requested: float) -> str:
    """The judge's reason for a flaw, and how the points that it gave became those that were taken."""
    notes = _notes(reason)
    if not notes:
        return reason
    parts = [f"the judge gave {shortest(-given_points(reason, requested))}"]
    if bounded := _BOUNDED.search(notes):
        parts.append(f"one flaw may cost {shortest(float(bounded[2]))}")
    if _PAID.search(notes):
        parts.append(_taken_before(notes))
    if capped := _CAPPED.search(notes):
        most = shortest(float(capped[2]))
        parts.append(f"only {shortest(-requested)} was left of the {most} that the flaws of a turn may cost")
    else:
        parts.append(f"{shortest(-requested)} now")
    parts += _ABSORBED.findall(notes)
    return f"{reason.removesuffix(notes)} ({'; '.join(parts)})"


def bare_reason(reason: str) -> str:
    """The judge's reason for a flaw, without what the rules add to it."""
    return _WEIGHED.sub("", reason.removesuffix(_notes(reason)))


def _notes(reason: str) -> str:
    return next((found[0] for found in _NOTES.finditer(reason) if found[1] is not None), "")


def _taken_before(notes: str) -> str:
    """``1 was taken before, with C5.1``; of a component: ``under process``."""
    paid = [(name, points, "with" if _CLAIM.match(name) else "under") for name, points in _PAID.findall(notes)]
    return " and ".join(
        f"{points} {'was' if points == '1' else 'were'} taken before, {how} {name}" for name, points, how in paid
    )
