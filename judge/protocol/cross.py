"""Cross-examination: a side answers every argument of the other side, one by one."""

import re
from functools import lru_cache
from typing import Any, Final, get_args

from msgspec import UNSET

from events.state.parts.rounds import ArgumentState, ProtocolState, has_answers
from events.types import (
    ArgumentCrossExamined,
    CrossExaminationFaulted,
    CrossResponse,
    DebateOpened,
    Event,
    Side,
    Template,
    other,
)
from judge.guard.neutralise import quoted
from judge.lenient import keyed, longest, loose
from judge.protocol.prompt import STANCE, Prompt, argument_text, prompt_opening
from judge.protocol.reading import (
    NOT_JSON,
    StatementReading,
    all_text,
    argument_id,
    clean_text,
    entries,
    excerpt,
    first_value,
    join_names,
    parse_loosely,
)
from judge.templates import fill, has_section, section
from providers.answers.schema import guided
from providers.base import Segment

MIN_REASONING, MAX_REASONING = 20, 700
MIN_FOLLOW_UP, MAX_FOLLOW_UP = 12, 240
"""Limits in characters for the model; a shorter text is read as well."""
RESPONSES: Final[tuple[CrossResponse, ...]] = get_args(CrossResponse)
_IDS: Final = ("target", "target_arg_id", "target_argument", "argument", "argument_id", "id")
_AROUND: Final = ("responses", "answers", "cross_examination", "arguments")
_NO_LETTER: Final = re.compile(r"[^a-z]+")


@lru_cache(maxsize=64)
def cross_type(targets: tuple[str, ...]) -> Any:
    """``{"CON-1": {"response", "reasoning", "follow_up"}, …}``; a list under ``responses`` is read as well."""
    answer = loose(
        "CrossAnswer",
        ("reasoning", longest(MAX_REASONING, MIN_REASONING)),
        ("response", CrossResponse),
        ("follow_up", longest(MAX_FOLLOW_UP, MIN_FOLLOW_UP)),
    )
    neutral = {
        name: {
            "reasoning": f"The script gives no answer to {name}.",
            "response": "challenge",
            "follow_up": f"What does {name} rest on?",
        }
        for name in targets
    }
    return guided(Any, keyed("CrossExamination", targets, answer), neutral)


def cross_prompt(opened: DebateOpened, protocol: ProtocolState, by: Side) -> Prompt:
    """Ask a side to answer every argument of the other one; the prompt has its own arguments, too."""
    template, crossing, names = opened.prompts["protocol"], opened.prompts["cross"], protocol.arguments_of(other(by))
    shown = their_arguments(template, protocol, by)
    if shown:
        own = (argument_segment(template, name, protocol.arguments[name]) for name in protocol.arguments_of(by))
        shown = [Segment("user", section(crossing, "own")), *own, *shown]
    else:
        shown = [argument_segment(template, name, protocol.arguments[name]) for name in names]
    asked = "examine" if has_answers(opened) else "ask"
    ask = fill(section(crossing, asked), stance=STANCE[by], ids=join_names(names))
    return (*prompt_opening(opened, by), *shown, Segment("user", ask))


def their_arguments(template: Template, protocol: ProtocolState, side: Side) -> list[Segment]:
    """Return the other side's arguments, to which its words may refer; nothing in prompts of older debates."""
    if not has_section(template, "theirs"):
        return []
    names = protocol.arguments_of(other(side))
    head = Segment("user", section(template, "theirs"))
    return [head, *(argument_segment(template, name, protocol.arguments[name]) for name in names)]


def argument_segment(template: Template, name: str, argument: ArgumentState) -> Segment:
    """Return one argument as material."""
    return Segment("user", fill(section(template, "argument"), id=name, text=quoted(argument_text(argument))))


def read_cross(raw: str, by: Side, turn: int, names: tuple[str, ...], also: tuple[str, ...] = ()) -> StatementReading:
    """Read the answers in the required form, the first one to each of ``names``."""
    value = parse_loosely(raw)
    found = [(argument_id(name), item) for name, item in entries(value, _AROUND, _IDS)]
    faults = [NOT_JSON] if not found and isinstance(value, str) else []
    kept: dict[str, ArgumentCrossExamined] = {}
    for number, (name, item) in enumerate(found, 1):
        if name not in names:
            faults.append(f"answer {number}: {excerpt(name)} is none of {join_names(names)}")
        elif name in kept:
            faults.append(f"{name} is answered more than once: the first answer counts")
        else:
            answer, wrong = _answer(item, name, by, turn)
            faults += [f"{name}: {each}" for each in wrong]
            if answer is not None:
                kept[name] = answer
    seen = {name for name, _ in found}
    faults += [f"{name} is not answered" for name in names if name not in seen]
    faults += also
    events: list[Event] = [kept[name] for name in names if name in kept]
    if faults:
        events.append(CrossExaminationFaulted(by=by, turn=turn, faults=tuple(faults), free_text=raw))
    text = "\n\n".join(cross_said(kept[name]) for name in names if name in kept) or all_text(value)
    return StatementReading(text=text, events=tuple(events), faults=tuple(faults), kept=len(kept))


def answer_text(answer: ArgumentCrossExamined) -> str:
    """Return the reasoning and the question as text."""
    question = f"Question: {answer.follow_up}" if answer.follow_up else ""
    return "\n".join(part for part in (answer.reasoning, question) if part)


def cross_text(template: Template, argument: ArgumentState, **labels: str) -> str:
    """Return the answer to an argument in cross-examination as material, or a note that there is none."""
    if argument.cross is UNSET:
        return fill(section(template, "unanswered"), **labels)
    cross = argument.cross
    return fill(section(template, "answered"), response=cross.response, text=quoted(answer_text(cross)), **labels)


def _answer(item: Any, name: str, by: Side, turn: int) -> tuple[ArgumentCrossExamined | None, list[str]]:
    """Read one answer and its faults; None if it cannot be kept."""
    reasoning = clean_text(first_value(item, ("reasoning", "reason")))
    given = clean_text(first_value(item, ("response", "response_type", "type")))
    follow_up = clean_text(first_value(item, ("follow_up", "follow_up_question", "question")))
    plain = _NO_LETTER.sub("", given.casefold())
    response = next((each for each in RESPONSES if each == plain), None)
    wrong = [] if response else [f"its response {excerpt(given)} is none of {join_names(RESPONSES)}"]
    wrong += [] if reasoning else ["it gives no reasoning"]
    is_kept = not wrong
    wrong += [] if follow_up else ["it puts no follow-up question"]
    if not is_kept or response is None:
        return None, wrong
    answer = ArgumentCrossExamined(
        by=by, turn=turn, target=name, response=response, reasoning=reasoning, follow_up=follow_up
    )
    return answer, wrong


def cross_said(answer: ArgumentCrossExamined) -> str:
    """Return the answer to an argument as the turn has it."""
    return f"On {answer.target}, {answer.response}: {answer_text(answer)}"
