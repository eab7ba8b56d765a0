"""Random faults in JSON values and in bytes, repeatable by a seed."""

import copy
from functools import reduce
from operator import getitem
from random import Random
from typing import Any

import msgspec

STRANGE: tuple[Any, ...] = (
    None, True, False, 0, -1, -5, 1, 99, 201, 10**6, 10**12, 10**15, 2**63, 2**64 - 1, -(2**63),
    0.5, -0.5, 1e-320, 1e308, -1e308, "", " ", "..", "__class__", "\x00", "é́", "\u202e", "𝒳" * 40, "{0}", "$motion",
    "a.b", "x" * 3000, "-1", "1e9", "٣", "9" * 400,
    [], {}, [[]], [{}], {"": {}}, {"reason": 1}, [None], [0, -1], ["", ""],
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value inside."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in inner for place in places(each, (*path, key)))]


def mutated(value: Any, random: Random, times: int = 1) -> Any:
    """A copy with faults: values lost, strange, renamed, doubled, swapped or out of order."""
    changed = copy.deepcopy(value)
    for _ in range(times):
        every = places(changed)[1:]
        if not every:
            return changed
        *above, key = random.choice(every)
        into = reduce(getitem, above, changed)
        name, found = random.randrange(8), into[key]
        if name == 0:
            del into[key]
        elif name == 1:
            into[key] = copy.deepcopy(reduce(getitem, random.choice(every), changed))
        elif name == 2 and isinstance(into, dict):
            into[random.choice((f"{key}x", "", "reason", "class", "é", "x" * 200))] = into.pop(key)
        elif name == 3 and isinstance(into, list):
            into[:] = random.choice((into[::-1], [*into, found]))
        else:
            into[key] = _strange(found, random)
    return changed


def _strange(found: Any, random: Random) -> Any:
    if isinstance(found, str) and random.randrange(2):
        return random.choice((found + "x", found * 50, found.upper(), found[:3]))
    if isinstance(found, int | float) and random.randrange(2):
        return random.choice((-found, found + 1, found * 10**6, str(found)))
    return copy.deepcopy(random.choice(STRANGE))


def mutated_bytes(value: Any, random: Random) -> bytes:
    """The JSON of a value with one to three faults; of one in four also the bytes are damaged."""
    raw = msgspec.json.encode(mutated(value, random, random.randint(1, 3)))
    if random.randrange(4) or not raw:
        return raw
    at = random.randrange(len(raw))
    return random.choice(
        (raw[:at], raw[:at] + bytes([random.randrange(256)]) + raw[at + 1 :], raw[at:], raw + raw[:at])
    )
