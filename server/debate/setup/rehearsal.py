"""Rehearsal of a debate: the format runs with filler text of natural length, and gives the calls that it would make.

The prompts are built as in the real debate; only the speeches and answers in them are filler, in the motion's script.
Of a long debate only the first turns are rehearsed.  No model is asked: this is a pure function of the opening.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from events import codec
from events.record import Draft, as_draft, digest_before_first, stamp
from events.state import debate as debates
from events.text.segmentation import UNSPACED
from events.types import DebateOpened, Event, ModelAnswered, TurnSpoken, TurnStarted, Usage
from providers.answers.schema import schema
from providers.base import Segment, Think, purposes_of
from server.debate.formats import FORMATS, next_steps
from server.debate.formats.steps import Ask, Record, Speak

LONGEST: Final = 12
"""Turns that are rehearsed; later turns are estimated from the last of them."""
MAX_ASKED: Final = 40
"""Questions of one batch whose prompts are built; the others are assumed to be alike."""
SPOKEN: Final = 0.94
"""Share of the allowed words that a turn has (measured: 162 to 175 of 180)."""
FINAL: Final = frozenset({"narrative", "convergence", "assess"})
"""Purposes of the last questions: whether verdicts conflict or a panel deliberates after them cannot be foreseen."""
CITED: Final = 2
"""Passages that a turn cites."""
SIGNS: Final = {"spaced": 5.6, "unspaced": 2.2}
"""Characters of a word with the following space, in scripts with spaces between words (measured) and in others."""
LENGTHS: Final = {
    "quote": 45, "reason": 82, "text": 110, "fails": 70, "exposed_by": 70, "claim": 120, "reasoning": 420,
    "evidence": 240, "compare.reason": 170, "claims.quote": 90, "claims.reason": 150, "gaps.reason": 95,
    "second_opinion.reason": 160, "narrative.explanation": 620,
}  # fmt: skip
"""Characters of an answer's fields, by field or by purpose and field: measured in a debate of five turns with a capable
model (2026-11-22)."""
OTHERWISE: Final = 0.45
"""Share of a field's allowed characters that it has, for fields that were not measured."""
UNBOUNDED: Final = 150
ITEMS: Final = {
    "stated": 2, "revised": 1, "dropped": 0, "contradictions": 0, "withdrawn": 0, "gaps": 2, "moments": 3,
    "relations": CITED,
}  # fmt: skip
"""Entries of an answer's lists.  Claims have one entry in every third turn."""
CLAIM_EVERY: Final = 3
AT: Final = "2026-01-01T00:00:00.000000Z"
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
"""Thai, Japanese, Chinese."""
_NAME: Final = "00000000-0000-7000-8000-000000000000"


class RehearsedCall(Struct, frozen=True, kw_only=True):
    """One call, or ``number`` calls that are alike.  ``form`` is the schema of the answer, as JSON."""

    model: str
    purpose: str
    turn: int
    batch: int
    """Calls of one batch run at the same time: none of them finds the prompt of another in a cache."""
    prompt: tuple[Segment, ...]
    answer: str
    think: Think
    form: str = ""
    number: float = 1.0


def rehearse(opened: DebateOpened, supplied: Sequence[Event] = ()) -> tuple[RehearsedCall, ...]:
    """The calls of a debate with this opening and what follows it, for at most its first ``LONGEST`` turns."""
    settings = replace(opened.settings, max_cost_usd=UNSET)
    played = replace(opened, turns=min(opened.turns, LONGEST), settings=settings, poll=UNSET)
    return tuple(_Rehearsal(played, supplied).calls())


class _Rehearsal:
    def __init__(self, opened: DebateOpened, supplied: Sequence[Event]) -> None:
        self.opened, self.debate = opened, debates.INITIAL
        self._digest = digest_before_first(_NAME)
        self._words = _filler(opened.motion, round(opened.max_words * SPOKEN))
        self._add(opened, *supplied)

    def calls(self) -> Iterator[RehearsedCall]:
        """Take steps until the next ones cannot be foreseen."""
        batch = 0
        while steps := next_steps(self.debate):
            if isinstance(steps[0], Record):
                self._add(*steps[0].drafts)
                continue
            batch += 1
            asks = [step for step in steps if isinstance(step, Ask)]
            for speech in steps:
                if isinstance(speech, Speak):
                    yield self._spoken(speech, batch)
            yield from self._asked(asks, batch)
            if any(each.purpose in FINAL for each in asks) or FORMATS[self.opened.format].is_asked_once:
                return
            self._add(*(_given(each, self._answer(each)) for each in asks))

    def _spoken(self, step: Speak, batch: int) -> RehearsedCall:
        made = RehearsedCall(
            model=step.model,
            purpose="speak",
            turn=step.turn,
            batch=batch,
            prompt=step.prompt,
            answer=self._words,
            think=step.think,
        )
        said = TurnSpoken(
            turn=step.turn,
            side=step.side,
            attempt=step.attempt,
            text=self._words + self._citations(),
            words=1,
            clipped=False,
            pace=(),
            model=step.model,
            usage=Usage(),
            latency_ms=0,
        )
        self._add(TurnStarted(turn=step.turn, side=step.side, attempt=step.attempt, directive=step.directive), said)
        return made

    def _citations(self) -> str:
        """Sentences that cite passages, in a debate with documents: the judge is asked about them."""
        cited = list(self.debate.evidence.passages)[:CITED]
        return "".join(f" {self.opened.motion.strip()} [{name}]." for name in cited)

    def _asked(self, asks: Sequence[Ask], batch: int) -> Iterator[RehearsedCall]:
        built = asks[:: max(1, len(asks) // MAX_ASKED)]
        for each in built:
            yield RehearsedCall(
                model=each.model,
                purpose=each.purpose,
                turn=each.turn or 0,
                batch=batch,
                prompt=each.prompt,
                answer=self._answer(each),
                think=each.think,
                form=json.dumps(schema(each.answer_type), separators=(",", ":")),
                number=len(asks) / len(built),
            )

    def _answer(self, step: Ask) -> str:
        said = _FillerAnswer(step.purpose, step.turn or 0, self._words).of(schema(step.answer_type))
        if step.purpose == "compare" and isinstance(said, dict):  # the later turn wins in both orders
            later = "second" if step.order == tuple(sorted(step.order)) else "first"
            choices = schema(step.answer_type)["properties"]
            said = {
                name: next((each for each in choices[name].get("enum", ()) if each.startswith(later)), value)
                for name, value in said.items()
            }
        return json.dumps(said, ensure_ascii=False)

    def _add(self, *events: Draft | Event) -> None:
        drafts = [as_draft(event) for event in events]
        payloads = [codec.encode(draft.event) for draft in drafts]
        for record in stamp(_NAME, self.debate.position, self._digest, drafts, AT, payloads):
            self._digest = record.digest
            self.debate = debates.evolve(self.debate, record)


def filler_answer(purpose: str, answer_type: Any) -> str:
    """An answer of natural length to a question of this purpose, as JSON."""
    words = "The step from the cause to its effect is shown with an example, and the objection is met. "
    return json.dumps(_FillerAnswer(purpose, 1, words).of(schema(answer_type)))


def _given(step: Ask, answer: str) -> ModelAnswered:
    return ModelAnswered(
        call=step.call,
        key=step.key,
        purpose=step.purpose,
        turn=step.turn,
        sample=step.sample,
        order=step.order,
        model=step.model,
        parameters={},
        usage=Usage(),
        latency_ms=0,
        cost_usd=0.0,
        prompt=(),
        segments={},
        answer=answer,
        reasoning="",
    )


def _filler(motion: str, number: int) -> str:
    """Text with the length of ``number`` words, in the script of the motion."""
    said = f"{motion.strip()} "
    kind = "unspaced" if _UNSPACED.search(motion) else "spaced"
    length = round(number * SIGNS[kind])
    return (said * (1 + length // len(said)))[:length].strip() + "."


class _FillerAnswer:
    """Builds an answer from its schema, with texts and lists of their usual length."""

    def __init__(self, purpose: str, turn: int, words: str) -> None:
        self._purpose, self._turn, self._words = purpose, turn, words

    def of(self, form: dict[str, Any], name: str = "") -> Any:
        """A value of a schema; ``name`` is the field that holds it."""
        if "enum" in form:
            return form["enum"][0]
        if "anyOf" in form:
            return self.of(form["anyOf"][0], name)
        match form.get("type"):
            case "object":
                return {key: self._about(key).of(each, key) for key, each in form.get("properties", {}).items()}
            case "array":
                return [self.of(form["items"])] * self._items(form, name)
            case "string":
                return self._text(form, name)
            case "integer" | "number":
                low = form.get("minimum", 0)
                if name == "turn":  # a flaw is one of the turn before
                    return max(low, self._turn - 1)
                if form["type"] == "number" and form.get("maximum") == 1:  # a probability
                    return (low + 1) / 2
                return max(low, (low + form.get("maximum", 1)) // 2)
            case kind:
                return False if kind == "boolean" else None

    def _about(self, member: str) -> "_FillerAnswer":
        """For a member that is the answer to one of two questions in a call: the same for that question."""
        purposes = purposes_of(self._purpose)
        is_own = len(purposes) > 1 and member in purposes
        return _FillerAnswer(member, self._turn, self._words) if is_own else self

    def _items(self, form: dict[str, Any], name: str) -> int:
        number = ITEMS.get(name, round(OTHERWISE * form.get("maxItems", 4)))
        least: int = form.get("minItems", 0)
        return max(int(self._turn % CLAIM_EVERY == 1) if name == "claims" else number, least)

    def _text(self, form: dict[str, Any], name: str) -> str:
        usual = round(OTHERWISE * form["maxLength"]) if "maxLength" in form else UNBOUNDED
        usual = LENGTHS.get(f"{self._purpose}.{name}", LENGTHS.get(name, usual))
        length: int = min(max(usual, form.get("minLength", 0)), form.get("maxLength", usual))
        return (self._words * (1 + length // len(self._words)))[:length]
