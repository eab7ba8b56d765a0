"""A person's decision where a panel names no winner: what it holds, and when it may be recorded."""

from typing import Any, Final

from msgspec import UNSET, Struct

from events.state.debate import Debate
from server.debate.speech import clean
from server.errors import BadField, NotNow

MOST: Final = {"decision": 200, "reason": 2000, "by": 80}
"""Characters of each part; each has at least one."""


class Decision(Struct, frozen=True, kw_only=True):
    """What is recorded."""

    decision: str
    reason: str
    by: str


def read_decision(said: dict[str, Any]) -> Decision:
    """The decision in a request, ``{"decision", "reason"}`` and optionally ``by``.  Raises ``BadField``."""
    if unknown := said.keys() - MOST.keys():
        raise BadField(min(unknown), "a decision has no such field")
    return as_decision({"by": "moderator", **said})


def as_decision(said: dict[str, Any]) -> Decision:
    """The parts, each checked.  Raises ``BadField``."""
    return Decision(**{name: _part(said.get(name), name, most) for name, most in MOST.items()})


def _part(said: Any, name: str, most: int) -> str:
    text = clean(said).strip() if isinstance(said, str) else ""
    if not 1 <= len(text) <= most:
        raise BadField(name, f"{name} is a text of 1 to {most:,} characters")
    return text


def undecided(debate: Debate) -> int:
    """Position of the panel's conclusion that leaves it to a person.  Raises ``NotNow`` where none does."""
    panel, opened = debate.panel, debate.opened
    if not panel.raters or opened is None or opened.format not in {"exchange", "protocol"}:
        raise NotNow("no panel judges a debate here, so it leaves nothing to decide")
    if panel.conclusion is UNSET:
        raise NotNow("the panel has not concluded yet")
    if panel.conclusion.winner != "neither":
        raise NotNow(f"the panel names a winner: {panel.conclusion.winner} ({panel.conclusion.outcome})")
    if panel.decision is not UNSET:
        raise NotNow(f"{panel.decision.by} has decided already: {panel.decision.decision}")
    return panel.positions["conclusion"]
