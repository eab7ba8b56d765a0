"""What every provider must be able to do with every vendor as it is today: the rows of the table.

A scenario is told apart by its sentence.  ``without`` names the columns to which it does not apply, each with a reason.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, get_args

import msgspec

from providers.base import Think
from providers.schema import schema
from tests.providers.all_questions import everything
from tests.providers.session import Column, VendorSession

Check = Callable[[VendorSession], Awaitable[None]]
VENDORS: Final = ("openai", "anthropic", "gemini", "ollama")
GATEWAY: Final = "openai at a gateway"
SETTINGS: Final[tuple[Think, ...]] = get_args(Think)
THOUGHT: Final = "I weigh what was said."
"""How the fake's thoughts begin."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """``behaviour`` is each model's, as in ``Behaviour``."""

    name: str
    check: Check
    without: Mapping[str, str] = field(default_factory=dict)
    behaviour: Mapping[str, Any] = field(default_factory=dict)

    def why(self, column: Column) -> str:
        """Why it does not apply to a column; empty where it does."""
        return self.without.get(column.name, "")


ALL: Final[list[Scenario]] = []


def scenario(
    name: str, *, without: Mapping[str, str] | None = None, only: tuple[str, ...] = (), why: str = "", **behaviour: Any
) -> Callable[[Check], Check]:
    """Add a row.  ``only`` names the columns to which it applies; ``why`` says why not to the others."""
    assert bool(only) == bool(why), name
    others = {each: why for each in (*VENDORS, GATEWAY) if only and each not in only}

    def add(check: Check) -> Check:
        ALL.append(Scenario(name=name, check=check, without=others | dict(without or {}), behaviour=behaviour))
        return check

    return add


@cache
def questions() -> Mapping[str, Any]:
    """The type of each question that Moot asks, by what it is for; a second schema for the same has a number."""
    found: dict[str, Any] = {}
    seen: set[bytes] = set()
    for _, ask in everything()[0]:
        form = msgspec.json.encode(schema(ask.answer_type))
        if form not in seen:
            seen.add(form)
            alike = sum(name.partition(" ")[0] == ask.purpose for name in found)
            found[f"{ask.purpose} {alike + 1}" if alike else ask.purpose] = ask.answer_type
    return found


def score() -> Any:
    """The question for a turn's score by rubric v1."""
    return questions()["score"]
