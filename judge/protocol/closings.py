"""Closings: what a side concedes and maintains, and how its position shifted, within the rubric's number of words."""

from functools import lru_cache
from typing import Annotated, Any, Final, Literal, get_args

from msgspec import UNSET, Meta

from events.state.parts.rounds import ArgumentState, ProtocolState, has_answers
from events.text.segmentation import count_words
from events.types import ClosingStated, DebateOpened, Shift, Side, Template, other
from events.types.criteria import ProtocolRules
from judge.guard.neutralise import quoted
from judge.lenient import longest, loose
from judge.protocol.answers import cut_to, shown_answer
from judge.protocol.cross import argument_segment, cross_text, their_arguments
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
from judge.templates import fill, has_section, section
from providers.answers.schema import guided
from providers.base import Segment

MIN_POSITION, MAX_POSITION = 60, 900
MIN_REASON: Final = 20
"""Limits in characters for the model; a shorter text is read as well."""
MAX_CONCESSION: Final = 240
MAX_SHIFTED: Final = {"final_position": 700, "concession": 150, "shift_reason": 150}
"""Characters where a closing also says how the position shifted: together they fit into 200 words."""
SHIFTS: Final[tuple[Shift, ...]] = get_args(Shift)
MAX_CONCESSIONS: Final = 3
GRANTS: Final = frozenset({"concede", "partial"})
_STANDING: Final = ("standing_arguments", "standing", "not_rebutted", "unrebutted")


def closing_type(names: tuple[str, ...], rules: ProtocolRules) -> Any:
    """``{"concessions": [text], "standing_arguments": [id], "final_position": text, "shift_reason", "shift"}``.

    ``names``: the side's own arguments.  The last two only where the rules ask how the position shifted.
    """
    return _closing_type(names, shift=bool(rules.closing_shift))


@lru_cache(maxsize=64)
def _closing_type(names: tuple[str, ...], *, shift: bool) -> Any:
    most = MAX_SHIFTED if shift else {"final_position": MAX_POSITION, "concession": MAX_CONCESSION}
    concession = Annotated[str, Meta(max_length=most["concession"])]
    own: Any = Literal.__getitem__(names)
    fields: list[tuple[str, Any]] = [
        ("concessions", Annotated[list[concession], Meta(max_length=MAX_CONCESSIONS)]),
        ("standing_arguments", Annotated[list[own], Meta(max_length=len(names))]),
        ("final_position", longest(most["final_position"], MIN_POSITION)),
    ]
    if shift:
        fields += [("shift_reason", longest(most["shift_reason"], MIN_REASON)), ("shift", Shift)]
    neutral = {
        "concessions": [],
        "standing_arguments": list(names),
        "final_position": "The script gives no final position.",
        **({"shift_reason": "The script gives no reason.", "shift": "unchanged"} if shift else {}),
    }
    return guided(Any, loose("Closing", *fields), neutral)


def closing_prompt(opened: DebateOpened, protocol: ProtocolState, side: Side, examined: str) -> Prompt:
    """Ask a side for its closing; the prompt has what was said of every argument, and the side's own concessions.

    ``examined``: the text of the other side's cross-examination, shown if it was not in the required form.
    """
    template, rules = opened.prompts["protocol"], opened.rubric.protocol
    assert rules is not None, "an opening fills in what a rubric leaves out"
    shown: list[Segment] = []
    for name in protocol.arguments_of(side):
        argument = protocol.arguments[name]
        shown += [argument_segment(template, name, argument), Segment("user", cross_text(template, argument))]
        if has_answers(opened):
            shown.append(Segment("user", own_answer_text(template, argument, rules)))
    if not any(protocol.arguments[name].cross is not UNSET for name in protocol.arguments_of(side)):
        shown.append(Segment("user", fill(section(template, "examination"), text=quoted(examined))))
    shown += their_arguments(template, protocol, side)
    if has_answers(opened):
        shown += their_answers(opened, protocol, side)
    if granted := conceded(protocol, side):
        text = fill(section(opened.prompts["close"], "conceded"), concessions="\n".join(granted))
        shown.append(Segment("user", text))
    asked = "shift" if rules.closing_shift and has_section(opened.prompts["close"], "shift") else "ask"
    ask = fill(section(opened.prompts["close"], asked), stance=STANCE[side], words=str(rules.closing_words))
    return (*prompt_opening(opened, side), *shown, Segment("user", ask))


def own_answer_text(template: Template, argument: ArgumentState, rules: ProtocolRules) -> str:
    """Return the side's own answer about one of its arguments as material, or a note that there is none."""
    if argument.answer is UNSET:
        return section(template, "no_reply")
    return fill(section(template, "reply"), text=quoted(shown_answer(argument.answer, rules)))


def their_answers(opened: DebateOpened, protocol: ProtocolState, side: Side) -> list[Segment]:
    """Return the other side's answers to a side's questions, one segment each."""
    template, rules = opened.prompts["close"], opened.rubric.protocol
    assert rules is not None, "an opening fills in what a rubric leaves out"
    shown = []
    for name in protocol.arguments_of(other(side)):
        argument = protocol.arguments[name]
        question = argument.cross.follow_up if argument.cross is not UNSET else ""
        asked = f" {fill(section(template, 'asked'), question=quoted(question))}" if question else ":"
        if argument.answer is not UNSET:
            text = quoted(shown_answer(argument.answer, rules))
            shown.append(fill(section(template, "replied"), id=name, asked=asked, text=text))
        elif question:
            shown.append(fill(section(template, "unreplied"), id=name, asked=asked))
    return [Segment("user", text) for text in shown]


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
    shift, why = _shift(value) if rules.closing_shift else (None, "")
    if rules.closing_shift and isinstance(value, dict):
        faults += [] if shift else [f"its shift is none of {join_names(SHIFTS)}"]
        faults += [] if why else ["it gives no reason for its shift"]
    kept = int(bool(position)) + int(bool(shift and why))
    if not position:
        granted, held, position, shift, why = (), (), all_text(value), None, ""
    count = sum(count_words(each) for each in (*granted, *held, position, why))
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
        shift=shift or UNSET,
        shift_reason=why or UNSET,
    )
    text, is_over = _said(event, rules), count > rules.closing_words
    shown = cut_to(text, rules.closing_words, rules) if is_over else text
    return StatementReading(
        text=shown,
        events=(event,),
        faults=tuple(faults),
        kept=kept,
        is_clipped=is_over and (not rules.whole_sentences or shown != text),
    )


def _texts(value: Any) -> list[str]:
    """Return the texts of a list or of a single value; objects give all their text."""
    given = value if isinstance(value, list) else [value]
    return [text for each in given if (text := clean_text(each) or (all_text(each) if isinstance(each, dict) else ""))]


def _shift(value: Any) -> tuple[Shift | None, str]:
    """Return how the position shifted, None if that is none of the shifts, and why."""
    stated = clean_text(first_value(value, ("shift", "position_shift"))).casefold().strip(" .")
    why = clean_text(first_value(value, ("shift_reason", "shift_because", "why")))
    return next((each for each in SHIFTS if each == stated), None), why


def _said(closing: ClosingStated, rules: ProtocolRules) -> str:
    """Return the closing as text.

    Where the rules ask for the shift, the text leaves out what the side counts as not rebutted: that is a claim about
    the debate, which the judge has to decide.
    """
    held = () if rules.closing_shift else closing.standing_arguments
    why = f" {closing.shift_reason}" if closing.shift_reason else ""
    parts = (
        f"Conceded: {' '.join(closing.concessions)}" if closing.concessions else "",
        f"Not rebutted: {join_names(held)}" if held else "",
        closing.final_position,
        f"Position: {closing.shift or 'not said'}.{why}" if closing.shift or why else "",
    )
    return "\n".join(part for part in parts if part)
