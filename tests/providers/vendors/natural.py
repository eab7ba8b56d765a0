"""Answers as capable models write them: natural lengths, prose and fences around the JSON, one item or point too many.

Every answer can be read by a person at once.  None of them keeps to the limits that a schema states.
"""

import json
import random
import re
from collections.abc import Mapping
from typing import Any

REASONS = (
    "It names what brings the effect about and shows the step in between, though it passes over the main objection.",
    "It states a result without its means. A reader who doubts it finds no reason here to change their mind.",
    "It quotes the last point of the other speaker fairly and answers with a reason of its own. " * 2,
)
LEADS = ("Here is my assessment:\n\n", "Let me think about this turn carefully.\n\n", "")
CLOSES = ("\n\nI hope this helps.", "\n\nLet me know if you want more detail on any component.", "")
WRAPPINGS = ("bare", "fenced", "prose", "comma", "wrapped")
MIN_LENGTH = 30
_TURN = re.compile(r"(?:^|\n)(?:Turn \d+, Speaker \w|(?:First|Second) speech):\n((?:\| .*\n?)+)")
TURNS = {"turn", "shown_in"}
"""Fields that name a turn; some vendors' forms do not say how many turns there are."""
CITES = ("turns 1 and 2", "turn 1", "Turn 2", "turn 99", "the opening")


def answer(schema: Mapping[str, Any], prompt: str, seed: str) -> str:
    """An answer of the schema's shape, dressed in one of five ways."""
    rng = random.Random(seed)
    value = _Writer(_quotable(prompt) or ["so it is"], rng).value(schema)
    text = json.dumps(value, indent=rng.choice((None, 2)), ensure_ascii=False)
    match rng.choice(WRAPPINGS):
        case "fenced":
            return f"{rng.choice(LEADS)}```json\n{text}\n```{rng.choice(CLOSES)}"
        case "prose":
            return f"{LEADS[1]}{text}{CLOSES[1]}"
        case "comma":
            return text[:-1] + ",}" if text.endswith("}") and text != "{}" else text
        case "wrapped":
            return json.dumps({"answer": value})
        case _:
            return text


def _quotable(prompt: str) -> list[str]:
    """The speech that a prompt shows last, else everything that it marks as material."""
    *_, newest = ["", *_TURN.findall(prompt)]
    lines = (newest or prompt).splitlines()
    return [line[2:] for line in lines if line.startswith("| ") and len(line) > MIN_LENGTH]


class _Writer:
    """Writes one answer.  One of its numbers may be a point above its scale: with most of them the scale is unclear."""

    def __init__(self, quotes: list[str], rng: random.Random) -> None:
        self._quotes, self._rng = quotes, rng
        self._is_above = False

    def value(self, schema: Mapping[str, Any], name: str = "") -> Any:
        """A value of a schema; ``name`` is the field that holds it."""
        rng = self._rng
        if "enum" in schema:
            word = rng.choice(schema["enum"])
            return rng.choice((word, word.replace("_", " ").capitalize())) if isinstance(word, str) else word
        match str(schema.get("type")).lower():
            case "object":
                return {key: self.value(each, key) for key, each in schema.get("properties", {}).items()}
            case "array":
                count = rng.choice((0, 1, schema.get("maxItems", 4) + 1))
                return [self.value(schema.get("items") or {}, name) for _ in range(count)]
            case "integer" | "number":
                return 1 if name in TURNS else self._number(schema.get("maximum", 10))
            case "boolean":
                return False
            case _:
                return self._text(name)

    def _number(self, most: int) -> Any:
        number = self._rng.choice((most + 1, most, most - 1, str(most - 1), f"{most - 1}/{most}"))
        if number != most + 1:
            return number
        above, self._is_above = not self._is_above, True
        return number if above else most

    def _text(self, name: str) -> str:
        rng = self._rng
        if name in {"quote", "fails", "exposed_by"}:
            words = rng.choice(self._quotes).split()
            first = rng.randrange(max(1, len(words) - 12))
            return " ".join(words[first : first + rng.randint(4, 12)])
        if name == "cites":
            return rng.choice(CITES)
        if name == "premise":
            return "P1.1"
        if name == "premises":
            return rng.choice(("P1.1", "P9.9"))
        return rng.choice(REASONS)
