"""Many debates at once in one process: all end, and the measurement notices one that does not."""

import math

import msgspec
import pytest

from tests.measuring.many_debates import hold_debates, in_words

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.slow
async def test_all_conclude_and_none_is_kept() -> None:
    seen = await hold_debates(6, 2, 16, 2)

    assert (6, 6, 0) == (seen.debates, seen.concluded, seen.kept_moderators)
    assert seen.ok
    assert 16 <= seen.models_ms_a_turn
    assert seen.overhead_p50_ms <= seen.overhead_p95_ms
    assert seen.cpu_ms_a_turn > 0
    assert "6 of 6 debates of 2 turns concluded" in in_words(seen)


@pytest.mark.slow
async def test_a_debate_that_does_not_conclude_is_reported() -> None:
    seen = await hold_debates(2, 1, 8, 1)

    assert not msgspec.structs.replace(seen, concluded=1).ok
    assert not msgspec.structs.replace(seen, kept_moderators=1).ok
    assert all(map(math.isfinite, (seen.running_kb, seen.kept_kb, seen.read_again_ms)))
