"""One schedule, drawn from a seed and run in no time."""

import random
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from tests.simulation.loop import Loop, run
from tests.simulation.plan import drawn
from tests.simulation.world import World

MOST_S: Final = 3000.0
"""Virtual seconds after which a schedule that has not ended never will."""


class Report(Struct, frozen=True):
    """How a schedule went.  ``fault``: the promise that was not kept, or empty."""

    seed: int
    digest: str
    fault: str
    events: int
    messages: int
    resumes: int
    epochs: int
    fenced: int
    slow: int
    """Connections that were closed because they were too slow."""
    virtual_s: float
    trace: tuple[str, ...] = ()


def play(seed: int, *, keep: bool = False, **shape: Any) -> Report:
    """Run the schedule of a seed; ``shape`` fixes parts of its plan."""
    chance = random.Random(seed)
    plan, loop = replace(drawn(chance), **shape), Loop(MOST_S)
    fault = ""
    world = World(seed, loop, plan, chance, keep=keep)
    try:
        run(world.play, loop)
    except BaseExceptionGroup as group:
        fault = "; ".join(f"{type(each).__name__}: {each}" for each in group.exceptions)
    except Exception as error:  # noqa: BLE001 - whatever went wrong is what is looked for
        fault = f"{type(error).__name__}: {error}"
    if fault:
        world.note(fault)
    return Report(
        seed=seed,
        digest=world.digest,
        fault=fault,
        events=world.truth.head if world.debate else 0,
        messages=world.messages,
        resumes=world.resumes,
        epochs=len(world.shared.claims) - 1,
        fenced=world.shared.fenced,
        slow=world.slow,
        virtual_s=round(loop.now, 3),
        trace=tuple(world.lines),
    )
