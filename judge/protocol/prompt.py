"""Shared parts of the protocol's questions: the opening of a prompt, the retry, arguments as text."""

from collections.abc import Mapping, Sequence
from typing import Any

from events.types import DebateOpened, Side, Template
from judge.guard.neutralise import quoted
from judge.templates import fill, has_section, section
from providers.base import Segment

STANCE: Mapping[Side, str] = {"pro": "for", "con": "against"}
SPEAKER: Mapping[Side, str] = {"pro": "Pro", "con": "Con"}
REPEATED = 4000
"""Characters of a faulty answer that the retry shows."""

Prompts = Mapping[str, Template]
Prompt = tuple[Segment, ...]


def prompt_opening(opened: DebateOpened, side: Side) -> Prompt:
    """Return the role, the stance and the motion, and the manner of an archetype, if the side has one."""
    template = opened.prompts["protocol"]
    seat = opened.pro if side == "pro" else opened.con
    character = opened.archetypes.get(seat.archetype)
    manner = character.manner if character is not None else ""
    if not has_section(template, "manner"):
        system = fill(section(template, "system"), stance=STANCE[side], manner=manner)
    else:
        system = fill(section(template, "system"), stance=STANCE[side])
        system += f"\n\n{fill(section(template, 'manner'), manner=manner)}" if manner else ""
    return Segment("system", system), Segment("user", fill(section(template, "motion"), motion=quoted(opened.motion)))


def retry_prompt(opened: DebateOpened, before: Prompt, answer: str, faults: Sequence[str]) -> Prompt:
    """Return the same question, with the previous answer and its faults.  The faults repeat words of the answer."""
    shown = answer if len(answer) <= REPEATED else f"{answer[:REPEATED]}…"
    ask = fill(
        section(opened.prompts["protocol"], "again"),
        answer=quoted(shown),
        faults=quoted("\n".join(f"- {fault}" for fault in faults)),
    )
    return (*before, Segment("user", ask))


def argument_text(argument: Any) -> str:
    """Return an argument, or its state in the fold, as text with the claim first."""
    evidence = f"Evidence: {argument.evidence}" if argument.evidence else ""
    return "\n".join(part for part in (argument.claim, argument.reasoning, evidence) if part)
