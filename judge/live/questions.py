"""The typed question about one turn: the type that a provider must answer with.

The type is made from the rubric, so that a model cannot give points beyond a component's maximum, nor score what does
not apply.  Words come before points: a model that has written the quote and the reason gives points that fit them.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from events.types import TurnSpoken
from events.types.rubric import Component, Rubric
from judge.live.ask import Prompt, Prompts, speaker, turn_prompt
from judge.rubric import digest
from judge.templates import fill, section

QUOTE_MAXIMUM = 160
REASON_MAXIMUM = 100

Quote = Annotated[str, Meta(max_length=QUOTE_MAXIMUM)]
Why = Annotated[str, Meta(max_length=REASON_MAXIMUM)]


class ComponentAnswer(Struct, frozen=True, kw_only=True):
    """What one sample says of one component."""

    points: float
    quote: str = ""
    reason: str = ""


class ScoreAnswer(Struct, frozen=True, kw_only=True):
    """One sample of the absolute score."""

    components: dict[str, ComponentAnswer]


def applicable(rubric: Rubric, turn: int) -> dict[str, Component]:
    """The components that count in ``turn``, in the rubric's order."""
    return {
        name: component
        for dimension in rubric.dimensions.values()
        for name, component in dimension.components.items()
        if component.applies_from <= turn
    }


def score_type(rubric: Rubric, turn: int) -> type[Struct]:
    """The type of an answer to "score this turn"; the same object for the same rubric and components."""
    return _score_type(digest(rubric), tuple(applicable(rubric, turn).items()))


def score_prompt(prompts: Prompts, rubric: Rubric, motion: str, spoken: Sequence[TurnSpoken]) -> Prompt:
    """Ask for the score of the last of ``spoken``."""
    scored = spoken[-1]
    components = "\n".join(
        f"- {name} (0 to {component.maximum}): {component.asks}"
        for name, component in applicable(rubric, scored.turn).items()
    )
    ask = fill(
        section(prompts["score"], "ask"), turn=str(scored.turn), speaker=speaker(spoken, scored), components=components
    )
    return turn_prompt(prompts, motion, spoken, ask)


def read_score(value: Struct) -> ScoreAnswer:
    """An answer of ``score_type`` in the shape that the rules take."""
    return msgspec.convert(msgspec.to_builtins(value), ScoreAnswer)


@lru_cache(maxsize=64)
def _score_type(rubric: str, components: tuple[tuple[str, Component], ...]) -> type[Struct]:
    del rubric  # a key of the cache
    fields: list[tuple[str, Any]] = [(name, _component_type(name, component)) for name, component in components]
    card = msgspec.defstruct("Components", fields, frozen=True, kw_only=True, module=__name__)
    return msgspec.defstruct("Score", [("components", card)], frozen=True, kw_only=True, module=__name__)


def _component_type(name: str, component: Component) -> type[Struct]:
    points = Annotated[int, Meta(ge=0, le=component.maximum)]
    quote: list[tuple[str, Any]] = [("quote", Quote)] if component.needs_quote else []
    fields: list[tuple[str, Any]] = [*quote, ("reason", Why), ("points", points)]
    title = "".join(part.title() for part in name.split("_"))
    return msgspec.defstruct(title, fields, frozen=True, kw_only=True, module=__name__)
