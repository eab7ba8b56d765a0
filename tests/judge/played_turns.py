"""Play a whole debate without a model: turns, and a test's answers to the judge's questions."""

from collections.abc import Callable
from typing import Any

from events.state.ledger import Balance, ScoreEntry
from events.types import BothSides, ScoreHarmonized
from judge.live.scoring import applicable
from server.debate.formats.steps import Ask, Record, Speak
from tests.server.debate_events import RUBRIC, Play, no_reply, reply, spoken, started

CALM = "Trams carry more people than cars, because they share one track."
QUOTE = "Trams carry more people"
NO_REPLY = object()
"""Stands for a call that fails."""
Reply = Callable[[Ask], Any]
POINTS: dict[str, tuple[int, ...]] = {
    "logic": (5, 5, 5, 5),
    "rhetoric": (5, 4, 5, 4),
    "tactics": (6, 6, 6),
    "frame_control": (5,),
    "credibility": (5,),
}
"""20, 18 and 18 of the composite's 40, 30 and 30."""


def score_answer(turn: int, quote: str = QUOTE, **points: tuple[int, ...]) -> dict[str, Any]:
    """A score by component, each with a valid quote; components that do not apply to the turn are left out."""
    counts = applicable(RUBRIC, turn)
    given = {
        name: value
        for dimension, values in (POINTS | points).items()
        for name, value in zip(RUBRIC.dimensions[dimension].components, values, strict=True)
    }
    return {
        "components": {
            name: ({"quote": quote} if component.needs_quote else {}) | {"reason": "so", "points": given[name]}
            for name, component in counts.items()
        }
    }


def answers_by_purpose(turn: int, answers: dict[str, Any]) -> Reply:
    """Answers by purpose; ``won={"logic": "later"}`` is a comparison in which both orders agree."""
    won = answers.get("won", {})

    def say(step: Ask) -> Any:
        if step.key in answers:
            return answers[step.key]
        if step.purpose == "score":
            return answers.get("score", score_answer(turn))
        if step.purpose == "compare":
            places = ("earlier", "later") if step.order[0] < step.order[1] else ("later", "earlier")
            names = {places[0]: "first", places[1]: "second", "draw": "draw"}
            return {name: names[won.get(name, "draw")] for name in RUBRIC.bands}
        return answers.get(step.purpose)

    return say


def play_turn(play: Play, text: str = CALM, /, **answers: Any) -> int:
    """Speak one turn and answer the questions about it; return its number."""
    step = next(step for step in play.steps if isinstance(step, Speak))
    play.add(started(step.turn, step.attempt), spoken(step.turn, step.attempt, text))
    answer_steps(play, answers_by_purpose(step.turn, answers))
    return step.turn


def answer_steps(play: Play, say: Reply) -> None:
    """Answer all questions and record all batches until a side speaks or no step is left."""
    while True:
        steps = play.steps
        asked = [step for step in steps if isinstance(step, Ask)]
        if steps and isinstance(steps[0], Record):
            play.add(*steps[0].drafts)
        elif asked:
            for step in asked:
                value = say(step)
                play.add(no_reply(step) if value is NO_REPLY else reply(step, value))
        else:
            return


def claim_answer(quote: str, kind: str = "fabricated_citation") -> dict[str, Any]:
    """One suspect claim."""
    return claims_answer((quote, kind))


def claims_answer(*found: tuple[str, str]) -> dict[str, Any]:
    """Suspect claims (quote, kind)."""
    return {"claims": [{"quote": quote, "reason": "no such study", "kind": kind} for quote, kind in found]}


def gap_answer(turn: int, fails: str, exposed_by: str, points: int) -> dict[str, Any]:
    """One flaw of an earlier turn."""
    return {"gaps": [{"turn": turn, "fails": fails, "exposed_by": exposed_by, "reason": "so", "points": points}]}


def balance(play: Play, turn: int, dimension: str = "logic") -> Balance:
    """A balance that must exist."""
    found = play.debate.ledger.balance(turn, dimension)
    assert found is not None
    return found


def entries(play: Play, turn: int, dimension: str = "logic") -> list[ScoreEntry]:
    """The entries of a balance, in order."""
    return [entry for entry in play.debate.ledger.cards[turn].entries if entry.dimension == dimension]


def entry_rows(play: Play, turn: int, dimension: str = "logic") -> list[tuple[str, float, float, float]]:
    """The entries of a balance as (rule, requested, applied, after)."""
    return [(entry.rule, entry.requested, entry.applied, entry.after) for entry in entries(play, turn, dimension)]


def band_requests(play: Play) -> list[tuple[int, str, float]]:
    """The changes that bands requested: (turn, dimension, requested)."""
    return [(each.turn, each.dimension, each.requested) for each in play.of(ScoreHarmonized)]


def means(pro: float, con: float) -> BothSides:
    """Means of composites."""
    return BothSides(pro=pro, con=con)
