"""Closings: what a side concedes and what it maintains, within the rubric's number of words."""

import re
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta

from events.segmentation import count_words
from events.state.rounds import ProtocolState
from events.types import ClosingStated, DebateOpened, Side, other
from events.types.criteria import ProtocolRules
from judge.guard.neutralise import quoted
from judge.protocol.cross import argument_segment, cross_text
from judge.protocol.prompt import STANCE, Prompt, prompt_opening
from judge.protocol.reading import (
    ID,
    NOT_JSON,
    StatementReading,
    all_text,
    argument_id,
    clean_text,
    first_value,
    join_names,
    parse_loosely,
)
from judge.templates import fill, section
from providers.answers.schema import guided
from providers.base import Segment

POSITION_LEAST, POSITION_MOST = 60, 900
"""Limits in characters for the model; a shorter text is read as well."""
CONCESSION_MOST: Final = 240
CONCESSIONS_MOST: Final = 3
GRANTS: Final = frozenset({"concede", "partial"})
_STANDING: Final = ("standing_arguments", "standing", "not_rebutted", "unrebutted")
_WORD: Final = re.compile(r"\S+")


@lru_cache(maxsize=64)
def closing_type(names: tuple[str, ...]) -> Any:
    """``{"concessions": [text], "standing_arguments": [id], "final_position": text}``; ``names``: the side's own."""
    concession = Annotated[str, Meta(max_length=CONCESSION_MOST)]
    own: Any = Literal.__getitem__(names)
    writes = msgspec.defstruct(
        "Closing",
        [
            ("concessions", Annotated[list[concession], Meta(max_length=CONCESSIONS_MOST)]),
            ("standing_arguments", Annotated[list[own], Meta(max_length=len(names))]),
            ("final_position", Annotated[str, Meta(min_length=POSITION_LEAST, max_length=POSITION_MOST)]),
        ],
        frozen=True,
        kw_only=True,
        module=__name__,
    )
    neutral = {
        "concessions": [],
        "standing_arguments": list(names),
        "final_position": "The script gives no final position.",
    }
    return guided(Any, writes, neutral)


def own_arguments(protocol: ProtocolState, side: Side) -> tuple[str, ...]:
    """Return the ids of a side's own arguments."""
    return tuple(name for name, each in protocol.arguments.items() if each.side == side)


def closing_prompt(opened: DebateOpened, protocol: ProtocolState, side: Side, examined: str) -> Prompt:
    """Ask a side for its closing; the prompt has its arguments, the answers to them, and its own concessions.

    ``examined``: the text of the other side's cross-examination, shown if it was not in the required form.
    """
    template, rules = opened.prompts["protocol"], opened.rubric.protocol
    assert rules is not None, "an opening fills in what a rubric leaves out"
    shown: list[Segment] = []
    for name in own_arguments(protocol, side):
        argument = protocol.arguments[name]
        shown += [argument_segment(template, name, argument), Segment("user", cross_text(template, argument))]
    if not any(protocol.arguments[name].cross is not UNSET for name in own_arguments(protocol, side)):
        shown.append(Segment("user", fill(section(template, "examination"), text=quoted(examined))))
    if granted := conceded(protocol, side):
        text = fill(section(opened.prompts["close"], "conceded"), concessions="\n".join(granted))
        shown.append(Segment("user", text))
    ask = fill(section(opened.prompts["close"], "ask"), stance=STANCE[side], words=str(rules.closing_words))
    return (*prompt_opening(opened, side), *shown, Segment("user", ask))


def conceded(protocol: ProtocolState, side: Side) -> tuple[str, ...]:
    """Return the other side's arguments that a side conceded, wholly or in part, with its words."""
    return tuple(
        f"{name} ({each.cross.response}):\n{quoted(each.cross.reasoning)}"
        for name, each in protocol.arguments.items()
        if each.side == other(side) and each.cross is not UNSET and each.cross.response in GRANTS
    )


def read_closing(
    raw: str, side: Side, turn: int, names: tuple[str, ...], rules: ProtocolRules, also: tuple[str, ...] = ()
) -> StatementReading:
    """Read a closing; the event has all of it, the turn at most the rubric's number of words."""
    value = parse_loosely(raw)
    granted = tuple(_texts(first_value(value, ("concessions", "conceded"))))
    stated = [argument_id(each) for each in _texts(first_value(value, _STANDING))]
    position = clean_text(first_value(value, ("final_position", "position", "final")))
    faults = []
    if isinstance(value, str):
        faults.append(NOT_JSON)
    elif not position:
        faults.append("it has no final position")
    foreign = [each for each in stated if ID.fullmatch(each) and each not in names]
    faults += [f"{each} is none of its own arguments" for each in foreign]
    held = tuple(dict.fromkeys(each for each in stated if each not in foreign))
    kept = int(bool(position))
    if not position:
        granted, held, position = (), (), all_text(value)
    count = sum(count_words(each) for each in (*granted, *held, position))
    if count > rules.closing_words:
        faults.append(f"it has {count} words, at most {rules.closing_words} are allowed")
    faults += also
    event = ClosingStated(
        side=side,
        turn=turn,
        concessions=granted,
        standing_arguments=held,
        final_position=position,
        words=count,
        faults=tuple(faults),
        free_text=raw if faults else "",
    )
    text, is_over = _said(event), count > rules.closing_words
    return StatementReading(
        text=_cut(text, rules.closing_words) if is_over else text,
        events=(event,),
        faults=tuple(faults),
        kept=kept,
        is_clipped=is_over,
    )


def _texts(value: Any) -> list[str]:
    """Return the texts of a list or of a single value; objects give all their text."""
    given = value if isinstance(value, list) else [value]
    return [text for each in given if (text := clean_text(each) or (all_text(each) if isinstance(each, dict) else ""))]


def _said(closing: ClosingStated) -> str:
    parts = (
        f"Conceded: {' '.join(closing.concessions)}" if closing.concessions else "",
        f"Not rebutted: {join_names(closing.standing_arguments)}" if closing.standing_arguments else "",
        closing.final_position,
    )
    return "\n".join(part for part in parts if part)


def _cut(text: str, most: int) -> str:
    """Return the first ``most`` words."""
    ends = [found.end() for found in _WORD.finditer(text)]
    return text[: ends[most - 1]] if len(ends) > most else text
