"""Motions: of policy, fact or value; and what each side has to show.

A motion that asks for a change is one of policy, one that weighs values is one of value, every other one is of fact.
"""

import re
from functools import cache
from importlib import resources
from typing import Final

import msgspec
from msgspec import Struct

from events.types import MotionKind, Side

DEMAND: Final = (
    r"^(?:abolish|adopt|allow|ban|break up|build|close|cut|end|forbid|introduce|keep|legali[sz]e|limit|lower|make|move"
    r"|pay|prohibit|raise|replace|require|stop|tax|use)\b"
)
"""The beginning of a motion that is a demand."""
_POLICY: Final = re.compile(
    r"\b(?:should(?: not|n['’]t)?|shall|ought to(?! be (?:valued|preferred))|must|needs? to|ha(?:s|ve) to|let us|let's"
    r"|this house (?:would|will|supports?|opposes?|calls)|thw|cette assemblée \w+rait|esta casa \w+ría"
    r"|soll(?:te|ten|en)?|muss|müssen|müsste|devr(?:ait|aient|ons)|doit|doivent|faut"
    r"|deber[ií]an?|debe|deben|hay que|चाहिए)\b"
    rf"|{DEMAND}"
    r"|应该|应当|不应|必须|يجب|ينبغي",
    re.IGNORECASE,
)
_VALUE: Final = re.compile(
    r"\b(?:(?:is|are|was|were|be)(?: not| never| always)? (?:\w+ )?(?:more|less) "
    r"(?:important|valuable|ethical|moral|just|fair|humane|beautiful|admirable)"
    r"|matters? (?:more|less)|superior|inferior|valued|vaut mieux|better|worse|best|worst|overrated|underrated"
    r"|justified|unjustified|justifiable|moral|immoral|morally|ethical|unethical|unjust|fair|unfair|wrong|virtue|vice"
    r"|duty|a right|human right|right to|worth|deserves?|good|bad|evil|regrets?|prefers?"
    r"|wichtiger|besser|schlechter|gerecht|ungerecht|moralisch|unmoralisch"
    r"|important que|meilleure?s?|pire|juste|injuste|morale?"
    r"|importante que|mejor|peor|just[oa]|injust[oa]|moral|inmoral|बेहतर|नैतिक)\b"
    r"|更重要|更好|道德|公平|أهم|أفضل|أخلاقي",
    re.IGNORECASE,
)


class _Guidance(Struct, frozen=True):
    phases: dict[str, str]
    burdens: dict[MotionKind, dict[Side, str]]


@cache
def _guidance() -> _Guidance:
    return msgspec.json.decode(resources.files("personalities").joinpath("phases.json").read_bytes(), type=_Guidance)


def motion_kind(motion: str) -> MotionKind:
    """Whether a motion is one of policy, of value or of fact, by its words."""
    if _POLICY.search(motion.strip()):
        return "policy"
    return "value" if _VALUE.search(motion) else "fact"


def burden(kind: MotionKind, side: Side) -> str:
    """What a side has to show for a motion of this kind."""
    return _guidance().burdens[kind][side]


def phase(turn: int, turns: int) -> str:
    """The instruction for a turn: to open, to clash or to close.  Sides alternate, so each speaks every second turn."""
    is_first, is_last = turn <= len(("pro", "con")), turn + 2 > turns
    name = "only" if is_first and is_last else "close" if is_last else "clash"
    if is_first and not is_last:
        name = "open" if turn == 1 else "answer"
    return _guidance().phases[name]
