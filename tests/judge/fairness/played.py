"""Simulated debates as events: the product asks its questions, and gets the answers that were simulated."""

from typing import Any

import numpy as np
from msgspec.structs import replace

from events.types import DebateOpened, ScorecardVerdictReached
from events.types.rubric import Rubric
from judge.fairness.findings import GRAVE, ORDINARY
from judge.fairness.world import CLAIMS, PER_ANSWER, SLOTS, HeldDebates, parts_of
from judge.templates import judge_templates
from server.debate.formats.steps import Ask, Record, Speak
from tests.server.debate_events import Play, no_reply, opened, reply, spoken, started

DEGREES = {0: "draw", 1: "slight", 2: "clear"}
SHOWN = "these words show what fails"
SAID = "what is said stands here"
CONSONANTS = "bcdfghjklmnpqrstvwxz"


def words_of(turn: int, slot: int) -> str:
    """The words of a flaw, or of a claim from ``SLOTS`` on; they are part of no other words."""
    number, letters = turn * (SLOTS + CLAIMS) + slot, []
    for _ in range(4):
        number, digit = divmod(number, len(CONSONANTS))
        letters.append(CONSONANTS[digit])
    return f"the words {'a'.join(letters)}"


class PlayedDebate:
    """One of the debates of ``held``, until its scorecard is there."""

    def __init__(self, held: HeldDebates, debate: int, rubric: Rubric) -> None:
        self.held, self.at, self.rubric = held, debate, rubric
        self.turns = held.words.shape[1]
        self.play = Play(opened_with(rubric, self.turns))
        while self.play.debate.verdicts.scorecard is None:
            for step in self.play.steps:
                if isinstance(step, Record):
                    self.play.add(*step.drafts)
                    break
                if isinstance(step, Speak):
                    said = spoken(step.turn, text=self._text(step.turn - 1))
                    words = int(held.words[debate, step.turn - 1])
                    self.play.add(started(step.turn), replace(said, words=words))
                    break
                value = self._answer(step)
                self.play.add(no_reply(step, "auth") if value is None else reply(step, value))

    @property
    def verdict(self) -> ScorecardVerdictReached:
        """What the product says."""
        (verdict,) = self.play.of(ScorecardVerdictReached)
        assert isinstance(verdict, ScorecardVerdictReached)
        return verdict

    def _text(self, turn: int) -> str:
        """A speech in which each sentence has the words of what is found in it."""
        sentences: dict[int, list[str]] = {}
        for slot in range(SLOTS):
            if self.held.worth[self.at, turn, slot] and self.held.same[self.at, turn, slot] == slot:
                sentences.setdefault(int(self.held.sentence[self.at, turn, slot]), []).append(words_of(turn, slot))
        for slot in range(CLAIMS):
            if self.held.claim_grave[self.at, turn, slot] >= 0:
                place = int(self.held.claim_sentence[self.at, turn, slot])
                sentences.setdefault(place, []).append(words_of(turn, SLOTS + slot))
        said = [f"We hold {', '.join(sentences[each])}." for each in sorted(sentences)]
        return " ".join([f"We say {SAID}.", f"We add {SHOWN}.", *said])

    def _answer(self, step: Ask) -> Any:
        """None for a question that is not answered."""
        turn = (step.turn or 1) - 1
        match step.purpose:
            case "score":
                if self.held.unscored[self.at, turn]:
                    return None
                readings = [self.held.points[self.at], *self.held.again[:, self.at]]
                again = step.key.startswith("rescore")  # two more readings, which are samples 1 and 2 of their own
                return self._score(turn, readings[step.sample - 1 + again][turn])
            case "compare":
                return self._compared(min(step.order) - 1, max(step.order) - 1, turned=step.order[0] > step.order[1])
            case "claims":
                grave = self.held.claim_grave[self.at, turn]
                found = [(words_of(turn, SLOTS + slot), grave[slot]) for slot in range(CLAIMS) if grave[slot] >= 0]
                return {
                    "claims": [{"quote": quote, "kind": GRAVE if is_grave else ORDINARY} for quote, is_grave in found]
                }
            case "gaps":
                named = zip(*np.nonzero(self.held.found[self.at] == turn), strict=True)
                return {"gaps": [self._gap(step, *each) for each in named]}
            case "audit":
                return {"gaps": [self._gap(step, *each) | {"shown_in": 1} for each in self._audited()]}
            case _:
                return {"statements": [], "held": []} if step.purpose == "premises" else None

    def _score(self, turn: int, points: Any) -> dict[str, Any]:
        parts = parts_of(self.rubric)
        return {
            "components": {
                name: ({"quote": SAID} if component.needs_quote else {}) | {"reason": "", "points": int(points[at])}
                for at, (name, component) in enumerate(zip(parts.names, parts.components, strict=True))
                if component.applies_from <= turn + 1
            }
        }

    def _compared(self, earlier: int, later: int, *, turned: bool) -> dict[str, str] | None:
        (pair,) = np.flatnonzero((self.held.pairs == (earlier, later)).all(1))
        if self.held.uncompared[self.at, pair]:
            return None
        said = {"reason": ""}
        for d, name in enumerate(self.rubric.bands):
            level = int(self.held.levels[self.at, pair, d, int(turned)]) * (-1 if turned else 1)
            choice = "draw" if level == 0 else f"{'second' if level > 0 else 'first'}_{DEGREES[abs(level)]}"
            said[name] = choice.partition("_")[0] if self.rubric.version == 1 else choice
        return said

    def _gap(self, step: Ask, turn: int, slot: int) -> dict[str, Any]:
        found = {
            "turn": int(turn) + 1,
            "fails": words_of(turn, int(self.held.same[self.at, turn, slot])),
            "exposed_by": SHOWN,
            "reason": "",
            "points": int(self.held.worth[self.at, turn, slot]),
        }
        return found | ({"continues": self._continues(turn, slot)} if self.rubric.version == 2 else {})

    def _continues(self, turn: int, slot: int) -> str:
        continues = int(self.held.continues[self.at, turn, slot])
        claims = np.flatnonzero(self.held.claim_grave[self.at, turn] >= 0).tolist()
        members = dict(enumerate(self.rubric.dimensions[self.rubric.gaps.dimension].components, CLAIMS))
        return f"C{turn + 1}.{claims.index(continues) + 1}" if continues in claims else members.get(continues, "")

    def _audited(self) -> list[tuple[int, int]]:
        """What the closing audit names: flaws that no turn exposed, where its gaps were asked."""
        asked = self.turns if self.rubric.version < 3 else self.turns - 1  # v3 does not ask for the last turn's
        rank = np.where(self.held.found[self.at] < asked, np.inf, self.held.audited[self.at])
        named: list[tuple[int, int]] = []
        for side in (0, 1):
            mine = [(rank[turn, slot], turn, slot) for turn in range(side, self.turns, 2) for slot in range(SLOTS)]
            named += [(turn, slot) for order, turn, slot in sorted(mine)[:PER_ANSWER] if np.isfinite(order)]
        return named


def opened_with(rubric: Rubric, turns: int) -> DebateOpened:
    """An opening whose judge reads the whole debate, as far as the rubric was made for that."""
    one = opened(turns, judge_attempts=1)
    return replace(one, rubric=rubric, judge=replace(one.judge, reads="whole"), prompts=one.prompts | judge_templates())
