"""What is kept of earlier turns changes no prompt, and a late turn costs little more than an early one."""

import cProfile
import pstats
from typing import Any

import pytest
from msgspec.structs import replace

from events.state import debate as debates
from events.state.debate import Debate
from server.debate.formats import next_steps
from server.debate.formats.steps import Ask, Record, Speak
from tests.laws import spread
from tests.measuring.long_debate import LongDebate, by_type, hold, near

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def shown(debate: Debate) -> list[Any]:
    """The next steps with their prompts and materials, as values."""
    assert debate.opened is not None
    return [
        (step.prompt, step.material if isinstance(step, Ask) else None) if isinstance(step, Ask | Speak) else step
        for step in next_steps(debate)
        if isinstance(step, Ask | Speak | Record)
    ]


@pytest.mark.parametrize("rubric", ["v1", "v2", "v3"])
async def test_what_is_kept_of_earlier_turns_changes_no_step(rubric: str) -> None:
    held = await hold(14, rubric, 10_000)
    debate = debates.INITIAL
    for record in held.records:
        debate = debates.evolve(debate, record)
        if debate.opened is not None and debate.status.state == "open":
            afresh = replace(debate, opened=replace(debate.opened))  # of another opening nothing is kept

            assert shown(afresh) == shown(debate), record.position


@pytest.mark.parametrize(
    ("rubric", "window"), spread([("v3", 32_768), ("v3", 200_000), ("v2", 32_768), ("v2", 200_000)], 1)
)
async def test_a_late_turn_makes_few_more_calls_than_an_early_one(rubric: str, window: int) -> None:
    early, late = cProfile.Profile(), cProfile.Profile()

    def started(turn: int) -> None:
        for profile, first in ((early, 8), (late, 92)):
            if turn == first:
                profile.enable()
            if turn == first + 6:
                profile.disable()

    await hold(100, rubric, window, started=started)
    calls = [pstats.Stats(each).total_calls for each in (early, late)]  # type: ignore[attr-defined]

    assert calls[1] <= 1.5 * calls[0], calls


async def test_the_table_is_of_what_was_held() -> None:
    held: LongDebate = await hold(12, "v3", 200_000)
    sizes = by_type(held.records)

    assert set(range(1, 12)) == held.ms.keys()
    assert 0 < near(held.ms, 6) < max(held.ms.values()) + 1
    assert max(sizes, key=lambda each: sizes[each]) in {("ModelAnswered", "segments"), ("ModelAnswered", "prompt")}
    assert 0.9 < sum(sizes.values()) / sum(len(each.payload) for each in held.records) < 1.1
    assert held.store_bytes > 0
