"""The driver that lets a room vote."""

import anyio
import pytest

from tests.measuring.voters import measure


@pytest.mark.slow
def test_every_voter_of_a_small_room_votes_twice() -> None:
    told = anyio.run(measure, 12, 0.5, 1)

    assert "12 voters before the debate" in told
    assert 2 == told.count("refused: none")
    assert "cast: 12 and 12" in told
