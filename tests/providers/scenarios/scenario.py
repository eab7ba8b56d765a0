"""The scenarios: what every provider must do with every vendor.  Each is a row of the table.

Each scenario has a unique sentence.  ``without`` names the columns to which it does not apply, with a reason.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, get_args

import msgspec

from providers.answers.schema import schema
from providers.base import Think
from tests.providers.scenarios.all_questions import questions_asked
from tests.providers.scenarios.session import Column, VendorSession

Check = Callable[[VendorSession], Awaitable[None]]
VENDORS: Final = ("openai", "anthropic", "gemini", "ollama")
GATEWAY: Final = "openai at a gateway"
SETTINGS: Final[tuple[Think, ...]] = get_args(Think)
THOUGHT: Final = "I weigh what was said."
"""The beginning of the fake's thinking."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A row of the table.  ``behaviour`` changes every model of the vendor, as in ``Behaviour``."""

    name: str
    check: Check
    without: Mapping[str, str] = field(default_factory=dict)
    behaviour: Mapping[str, Any] = field(default_factory=dict)

    def why(self, column: Column) -> str:
        """Why it does not apply to a column; empty if it does."""
        return self.without.get(column.name, "")


ALL: Final[list[Scenario]] = []


def scenario(
    name: str, *, without: Mapping[str, str] | None = None, only: tuple[str, ...] = (), why: str = "", **behaviour: Any
) -> Callable[[Check], Check]:
    """Add a row.  ``only`` names the columns to which it applies; ``why`` is the reason for the others."""
    assert bool(only) == bool(why), name
    others = {each: why for each in (*VENDORS, GATEWAY) if only and each not in only}

    def add(check: Check) -> Check:
        ALL.append(Scenario(name=name, check=check, without=others | dict(without or {}), behaviour=behaviour))
        return check

    return add


@cache
def questions() -> Mapping[str, Any]:
    """The answer type of each question of Moot, by purpose; further schemas for one purpose are numbered."""
    found: dict[str, Any] = {}
    seen: set[bytes] = set()
    for _, ask in questions_asked()[0]:
        form = msgspec.json.encode(schema(ask.answer_type))
        if form not in seen:
            seen.add(form)
            alike = sum(name.partition(" ")[0] == ask.purpose for name in found)
            found[f"{ask.purpose} {alike + 1}" if alike else ask.purpose] = ask.answer_type
    return found


def score() -> Any:
    """The answer type of a turn's score by rubric v1."""
    return questions()["score"]
