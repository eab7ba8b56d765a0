"""Openings: each side states its arguments without knowing the other side's."""

from functools import lru_cache
from typing import Any, Final

from msgspec.structs import replace

from events.types import Argument, ArgumentsOpened, DebateOpened, Side
from events.types.criteria import ProtocolRules
from judge.lenient import keyed, longest, loose
from judge.protocol.prompt import STANCE, Prompt, argument_text, prompt_opening
from judge.protocol.reading import (
    NOT_JSON,
    StatementReading,
    all_text,
    argument_id,
    argument_ids,
    clean_text,
    entries,
    excerpt,
    first_sentence,
    first_value,
    join_names,
    parse_loosely,
)
from judge.templates import fill, section
from providers.answers.schema import guided
from providers.base import Segment

MAX_CLAIM: Final = 240
MAX_REASONING: Final = 900
MAX_EVIDENCE: Final = 500
_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "claim": ("claim", "title"),
    "reasoning": ("reasoning", "reason", "reasons"),
    "evidence": ("evidence", "support"),
}


def opening_type(side: Side, rules: ProtocolRules) -> Any:
    """``{"PRO-1": {"claim", "reasoning", "evidence"}, …}``; a list under ``arguments`` is read as well."""
    least = (rules.claim_minimum, rules.reasoning_minimum, rules.evidence_minimum)
    return _opening_type(argument_ids(side, rules.arguments), *least)


@lru_cache(maxsize=32)
def _opening_type(names: tuple[str, ...], claim: int, reasoning: int, evidence: int) -> Any:
    argument = loose(
        "OpeningArgument",
        ("claim", longest(MAX_CLAIM, claim)),
        ("reasoning", longest(MAX_REASONING, reasoning)),
        ("evidence", longest(MAX_EVIDENCE, evidence)),
    )
    neutral = {
        name: {
            "claim": f"The script gives no claim for {name}.",
            "reasoning": "The script gives no reasoning for it.",
            "evidence": "The script gives no evidence for it.",
        }
        for name in names
    }
    return guided(Any, keyed("Opening", names, argument), neutral)


def opening_prompt(opened: DebateOpened, side: Side) -> Prompt:
    """Ask a side for its arguments.  The prompt contains nothing of the other side."""
    rules = opened.rubric.protocol
    assert rules is not None, "an opening fills in what a rubric leaves out"
    ask = fill(
        section(opened.prompts["open"], "ask"),
        stance=STANCE[side],
        count=str(rules.arguments),
        ids=join_names(argument_ids(side, rules.arguments)),
    )
    return (*prompt_opening(opened, side), Segment("user", ask))


def read_opening(raw: str, side: Side, turn: int, rules: ProtocolRules, also: tuple[str, ...] = ()) -> StatementReading:
    """Read the arguments in the required form, at most the rubric's number; without any, the text becomes one argument.

    ``also``: further faults, of the question and not of the answer.
    """
    value, names = parse_loosely(raw), argument_ids(side, rules.arguments)
    found = [(argument_id(name), item) for name, item in entries(value, ("arguments", "opening"), ("id", "argument"))]
    faults = [*_counted(value, found, rules), *_misnamed(found, names), *also]
    sound: list[tuple[str, Argument]] = []
    for number, (name, item) in enumerate(found, 1):
        parts = {field: clean_text(first_value(item, spellings)) for field, spellings in _FIELDS.items()}
        if short := _short(parts, rules):
            faults += [f"{name or f'argument {number}'}: {each}" for each in short]
        else:
            sound.append((name, Argument(id="", **parts)))
    kept = _placed(sound, names)
    whole = all_text(value)
    arguments = kept or (Argument(id=names[0], claim=first_sentence(whole), reasoning=whole, evidence=""),)
    event = ArgumentsOpened(
        side=side, turn=turn, arguments=arguments, faults=tuple(faults), free_text=raw if faults else ""
    )
    text = "\n\n".join(f"{each.id}: {argument_text(each)}" for each in kept) or whole
    return StatementReading(text=text, events=(event,), faults=tuple(faults), kept=len(kept))


def _counted(value: Any, found: list[tuple[str, Any]], rules: ProtocolRules) -> list[str]:
    if not found and isinstance(value, str):
        return [NOT_JSON]
    if len(found) == rules.arguments:
        return []
    there = "is 1 argument" if len(found) == 1 else f"are {len(found) or 'no'} arguments"
    return [f"there {there}, exactly {rules.arguments} are wanted"]


def _misnamed(found: list[tuple[str, Any]], names: tuple[str, ...]) -> list[str]:
    given = [name for name, _ in found]
    wrong = dict.fromkeys(excerpt(name) for name in given if name and name not in names)
    twice = dict.fromkeys(name for name in given if name in names and given.count(name) > 1)
    faults = [f"the ids are {join_names(names)}, not {join_names(wrong)}"] if wrong else []
    return faults + [f"{name} stands there more than once" for name in twice]


def _short(parts: dict[str, str], rules: ProtocolRules) -> list[str]:
    least = {
        "claim": rules.claim_minimum,
        "reasoning": rules.reasoning_minimum,
        "evidence": rules.evidence_minimum,
    }
    return [
        f"its {field} has {len(parts[field])} characters, at least {most} are wanted"
        for field, most in least.items()
        if len(parts[field]) < most
    ]


def _placed(sound: list[tuple[str, Argument]], names: tuple[str, ...]) -> tuple[Argument, ...]:
    """Keep the first arguments: each under its own id if that is free, the others under the next free id."""
    first_ones = sound[: len(names)]
    placed: dict[str, Argument] = {}
    others = []
    for name, argument in first_ones:
        if name in names and name not in placed:
            placed[name] = argument
        else:
            others.append(argument)
    free = (name for name in names if name not in placed)
    placed |= dict(zip(free, others, strict=False))
    return tuple(replace(placed[name], id=name) for name in names if name in placed)
