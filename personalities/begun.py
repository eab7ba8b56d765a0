"""The prompt for a very small model: it ends with the first words of the speech, which the model continues.

Left to itself, a model of 135 million parameters forgets its side and repeats what it reads.  So it reads no speech:
its own first words quote the end of the opponent's turn, name the side in the words of the motion, and begin a reason.
The rules read English motions only.
"""

import re
from typing import Final

from events.text.segmentation import SENTENCE_END
from events.types import Side
from personalities.motions import DEMAND

MAX_QUOTED: Final = 10
"""Words of the opponent in the first words of a reply."""

_INTRODUCTION: Final = re.compile(
    r"^(?:resolved:|thbt|this house (?:believes|predicts|thinks) that|that|i (?:believe|think) that)\s+", re.IGNORECASE
)
_HOUSE: Final = re.compile(r"^(?:this house would|thw)\s+(?!not\b)(?=\w)", re.IGNORECASE)
_DEMAND: Final = re.compile(DEMAND, re.IGNORECASE)
_LET_US: Final = re.compile(r"^let(?:['’]s| us)\s+(?!not\b)", re.IGNORECASE)
_SHOULD: Final = re.compile(r"^should (we|they|it|you|I) (.+)$", re.IGNORECASE)
_VERB: Final = re.compile(r"\b(should|ought|must|will|would|is|are|was|were|can|could)\b(?! not\b)")
_LEAD: Final = re.compile(r"^.*? (?:is|matters|overlooks|see) that ")
_PROPER: Final = re.compile(r"^(?:I\b|\w?[A-Z]{2,}|\w+ [A-Z]|\w+['’]s\b)")


def claim(motion: str, side: Side) -> str:
    """What a side claims, as a clause without a full stop: the motion, or its opposite."""
    yes = side == "pro"
    stated = _statement(motion)
    if not stated:
        named = motion.strip()
        if named.endswith("?"):
            return f"the answer to the question “{named}” is {'yes' if yes else 'no'}"
        return f"the motion “{named.rstrip('.!')}” is {'right' if yes else 'wrong'}"
    if yes:
        return stated
    denied, found = _VERB.subn(r"\1 not", stated, count=1)
    return denied if found and not re.search(r"\bnot\b|n['’]t\b", stated) else f"it is not true that {stated}"


def stance(motion: str, side: Side) -> str:
    """The claim as the speaker says it: short where the claim quotes the motion."""
    yes = side == "pro"
    if _statement(motion):
        return claim(motion, side)
    if motion.strip().endswith("?"):
        return f"the answer is {'yes' if yes else 'no'}"
    return f"I am {'for' if yes else 'against'} the motion"


def point(text: str) -> str:
    """The opponent's last words to answer: its last sentence without the words that began the reason, cut short."""
    ends = [0, *(match.end() for match in SENTENCE_END.finditer(text))]
    sentences = [text[start:end].strip() for start, end in zip(ends, [*ends[1:], len(text)], strict=True)]
    last = _LEAD.sub("", next((each for each in reversed(sentences) if each), ""))
    words = last.split()
    cut = " …" if len(words) > MAX_QUOTED else ""
    return " ".join(words[:MAX_QUOTED]).rstrip(".,;:!?") + cut


def _statement(motion: str) -> str:
    """The motion as a clause; "" if the rules cannot read it."""
    text = " ".join(motion.split())
    is_question = text.endswith("?")
    text = _INTRODUCTION.sub("", text.rstrip(".?! "))
    if is_question:
        asked = _SHOULD.match(text)
        return _lower(f"{asked[1]} should {asked[2]}") if asked else ""
    if _HOUSE.match(text):
        return "we should " + _HOUSE.sub("", text)
    if text.lower().startswith(("this house", "thw")) or not text:
        return ""
    if _LET_US.match(text):
        return "we should " + _LET_US.sub("", text)
    if _DEMAND.match(text):
        return "we should " + _lower(text)
    return _lower(text)


def _lower(text: str) -> str:
    """The text within a sentence; names at its beginning keep their capital, as far as the letters tell."""
    return text if _PROPER.match(text) else text[:1].lower() + text[1:]
