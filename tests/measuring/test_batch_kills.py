"""A short batch whose server is killed: each debate is held once, and the report notices one that is not."""

from pathlib import Path

import msgspec
import pytest

from tests.measuring.batch_kills import in_words, run

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.slow
async def test_each_debate_is_held_once_and_the_sums_agree(tmp_path: Path) -> None:
    found = await run(f"sqlite:{tmp_path / 'moot.db'}", tmp_path, 20, 2, 1)

    assert found.ok, in_words(found)
    assert (found.held, found.planned, found.ended, found.doubled) == (20, 20, 20, 0)
    assert "20 of 20 debates held" in in_words(found)
    for wrong in ({"doubled": 1}, {"held": 21}, {"booked_usd": 0.0}, {"most_usd": 11.0}, {"broken": 1}):
        assert not msgspec.structs.replace(found, **wrong).ok
