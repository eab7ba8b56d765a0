"""The rubric's three rules about how components depend on each other, each with the sentence that explains it."""

import math
from collections.abc import Mapping

import msgspec

from events.types import ComponentScore
from events.types.rubric import Dimension

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_FREE = (math.inf, "")


def say(points: float) -> str:
    """Points as people write them: 8, 3.5."""
    return f"{points:.1f}".removesuffix(".0")


def pull_leash(dimension: Dimension, components: Mapping[str, ComponentScore]) -> dict[str, ComponentScore]:
    """The follower, lowered, while its leader is weak.  Source: seed 003, level 1."""
    leash = dimension.leash
    if leash is None or leash.leader not in components or leash.follower not in components:
        return {}
    leader, follower = components[leash.leader].admitted, components[leash.follower]
    ceiling = leader + leash.slack
    if leader >= leash.under or follower.admitted <= ceiling:
        return {}
    rule = f"{leash.leader} at {say(leader)} is under {say(leash.under)}: {leash.follower} at most {say(ceiling)}"
    return {leash.follower: msgspec.structs.replace(follower, admitted=ceiling, rules=(*follower.rules, rule))}


def cap_chain(name: str, dimension: Dimension, points: Mapping[str, float]) -> tuple[float, str]:
    """The most that the dimension may hold with links at 0 points, and why."""
    chain = dimension.chain
    if chain is None:
        return _FREE
    absent = [link for link in chain.links if points.get(link) == 0]
    if not absent:
        return _FREE
    ceiling = chain.caps[len(absent) - 1]
    count = f"{_number(len(absent))} of {_number(len(chain.links))} links missing"
    return ceiling, f"{count} ({', '.join(absent)}): {name} at most {say(ceiling)}"


def cap_excellence(name: str, dimension: Dimension, points: Mapping[str, float]) -> tuple[float, str]:
    """The most that the dimension may hold unless every component is strong, and why."""
    excellence = dimension.excellence
    if excellence is None:
        return _FREE
    weak = [component for component, value in points.items() if value < excellence.each_at_least]
    if not weak:
        return _FREE
    why = f"above {say(excellence.above)} every component needs {say(excellence.each_at_least)} ({', '.join(weak)})"
    return excellence.above, f"{why}: {name} at most {say(excellence.above)}"


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)
