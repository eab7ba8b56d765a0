"""``scripted:study``: a script of known skill, which debates and judges the questions of our own.

It knows which answer is right.  As a judge it is right in a share of cases that is set for each arm, and as a debater
it quotes what the passage shows for its answer.  So a study of it has known results: for trials and tests.
``scripted:study:naive=0.5,debate=0.8`` sets shares; the others are those of ``SKILLS``.

Everything is computed from the request: the same request always gets the same answer.
"""

import hashlib
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from events.types.study import Letter
from judge.study.demo import DemoItem, installed
from providers.base import Request
from providers.errors import BadRequest, UnknownModel

SKILLS: Final[Mapping[str, float]] = {
    "naive": 0.55,
    "consultancy": 0.6,
    "debate": 0.8,
    "critique": 0.7,
    "critic": 0.85,
}
"""The share of right answers of a judge in each arm (``naive`` in a vote too), and of a critic."""
PERSUASION: Final = 0.15
"""A consultant for the right answer raises a judge's share by this, one for the wrong answer lowers it."""
HALF: Final = 0.5
MAX_QUOTE: Final = 400
"""Characters of a quote of the judge."""
_LETTER: Final = re.compile(r"argues? for answer ([AB])")
_OPENINGS: Final = (
    "The passage decides for this answer: {answer} {quotes}",
    "My case rests on words that stand in the passage. {quotes} What is said for the other answer leaves them out.",
    "In the end this remains: {quotes} So the answer is: {answer}",
)


class SkilledScript:
    """Answers requests of a study of our own questions.  Raises ``UnknownModel`` for options that are not valid."""

    label = "a script of known skill, for trials of a study"

    def __init__(self, options: str) -> None:
        self._skills, self._name = dict(SKILLS), options
        for option in filter(None, options.split(",")):
            name, _, share = option.partition("=")
            if name not in SKILLS or not re.fullmatch(r"0(\.\d{1,3})?|1(\.0{1,3})?", share):
                raise UnknownModel(f"{option!r} is no skill: write a share from 0 to 1 after {', '.join(SKILLS)}")
            self._skills[name] = float(share)

    def answer(self, request: Request) -> Any:
        """The value of an answer.  Raises ``BadRequest`` for a question that is not one of our own."""
        prompt = "\n".join(segment.text for segment in request.prompt)
        item, right = _asked(prompt)
        role = request.prompt[0].text
        told = _LETTER.search(role)
        purpose, _, rest = request.key.partition(":")
        if purpose.startswith("speech"):
            letter = told[1] if told else "BA"[request.turn % 2]
            return {"speech": _speech(item, letter == right, request.turn, is_alone="opponent" not in role)}
        if purpose.startswith("critique"):
            chosen, p_a = self._choice(item, right, request, "critic")
            argued = told[1] if told else chosen
            shown = " ".join(map(_quote, _evidence(item, argued == right)))
            return {"critique": f"Answer {argued} is right. The passage says: {shown}", "p_a": p_a, "answer": chosen}
        if not purpose.startswith("choose"):
            return {"question": "Which words of the passage show that, and what stands against it?"}
        chosen, p_a = self._choice(item, right, request, _arm(request, rest), _advice(request, right))
        reason = "No one has shown anything." if rest.startswith("alone") else "What was quoted for it decides."
        value: dict[str, Any] = {"reason": reason, "p_a": p_a, "answer": chosen}
        if '"quotes":' in request.prompt[-1].text:
            value["quotes"] = [quote[:MAX_QUOTE] for quote in _evidence(item, chosen == right)[:2]]
        return value

    def _choice(
        self, item: DemoItem, right: Letter, request: Request, skill: str, raised: float = 0.0
    ) -> tuple[Letter, float]:
        """A letter and the probability of A.

        The mean of two uniform numbers, one of the question and one of the request, is below a bound in the share of
        cases that is the skill: so answers to one question agree more often than those to several.
        """
        share = min(max(self._skills[skill] + raised, 0.0), 1.0)
        bound = math.sqrt(share / 2) if share <= HALF else 1 - math.sqrt((1 - share) / 2)
        asked = f"{skill}/{right}/{request.key}/{request.seed}/{request.attempt}/{raised}"
        drawn = (_uniform(f"{self._name}/{item.id}") + _uniform(f"{self._name}/{item.id}/{asked}")) / 2
        sure = round(min(max(abs(bound - drawn), 0.02), 0.45) + HALF, 2)
        wrong: Letter = "B" if right == "A" else "A"
        chosen = right if drawn < bound else wrong
        return chosen, sure if chosen == "A" else round(1 - sure, 2)


def _asked(prompt: str) -> tuple[DemoItem, Letter]:
    """The question of a prompt, and the letter of its right answer."""
    for item in installed():
        places = [prompt.find(f"| {answer}") for answer in item.answers]
        if f"| {item.question}" in prompt and min(places) >= 0:
            first = 0 if places[0] < places[1] else 1
            return item, "A" if item.right == first else "B"
    raise BadRequest("scripted:study knows only the questions of the study demo")


def _arm(request: Request, stage: str) -> str:
    """The arm, by what the judge has read."""
    if stage.startswith("alone") or request.material is None:
        return "naive"
    speeches = request.material.speeches
    if any(each.kind == "text" for each in speeches):
        return "critique"
    return "debate" if len({each.speaker for each in speeches}) > 1 else "consultancy"


def _advice(request: Request, right: Letter) -> float:
    """By how much a consultant changes the share."""
    speakers = {each.speaker for each in request.material.speeches} if request.material else set()
    if len(speakers) != 1 or not speakers <= {"A", "B"}:
        return 0.0
    return PERSUASION if speakers == {right} else -PERSUASION


def _evidence(item: DemoItem, is_right: bool) -> tuple[str, ...]:
    return item.shows if is_right else item.tempts


def _speech(item: DemoItem, is_right: bool, turn: int, *, is_alone: bool) -> str:
    number = turn if is_alone else (turn + 1) // 2
    evidence = _evidence(item, is_right)
    first = (number - 1) % len(evidence)
    quotes = " ".join(_quote(quote) for quote in evidence[first : first + 2 if number == 1 else first + 1])
    answer = item.answers[item.right if is_right else 1 - item.right].rstrip(".") + "."
    return _OPENINGS[min(number, len(_OPENINGS)) - 1].format(answer=answer, quotes=quotes)


def _quote(words: str) -> str:
    return f"<quote>{words}</quote>"


def _uniform(of: str) -> float:
    """A number from 0 to 1 that depends on the text alone."""
    return int.from_bytes(hashlib.sha256(of.encode()).digest()[:7]) / 2**56
