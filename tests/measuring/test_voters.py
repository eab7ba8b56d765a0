"""The driver that lets a room vote."""

import anyio
import pytest

from tests.measuring.voters import measure


@pytest.mark.thorough
def test_every_voter_of_a_small_room_votes_twice() -> None:
    told = anyio.run(measure, 6, 0.2, 1)

    assert "6 voters before the debate" in told
    assert 2 == told.count("refused: none")
    assert "cast: 6 and 6" in told
