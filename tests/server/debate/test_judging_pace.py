"""The judge's questions run at the same time: a turn takes as long as the debater plus the slowest question."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from events.record import Recorded
from events.store.sqlite.log import SqliteLog
from events.types import ModelAnswered
from tests.server.harness import check_sound, harness

pytestmark = pytest.mark.anyio

TURNS, SPEECH_S, ANSWER_S = 12, 0.4, 0.2
MAX_RATIO = 1.15
PACE = {"chunk_ms": SPEECH_S * 1000, "chunk_chars": 2000, "answer_ms": ANSWER_S * 1000}


def seconds(one: Recorded, other: Recorded) -> float:
    return (datetime.fromisoformat(other.at) - datetime.fromisoformat(one.at)).total_seconds()


@pytest.mark.slow
async def test_twelve_turns_take_hardly_longer_than_their_critical_path(script: Any, tmp_path: Path) -> None:
    """Measured by the times in the log, on a durable store.  It may try again: other processes may use the machine."""
    ratios = []
    for attempt in range(5):
        async with await SqliteLog.open(tmp_path / f"{attempt}.db") as log, harness(log) as h:
            debate = await h.open(script(pace=PACE), turns=TURNS)
            await h.ended(debate)
            records = await check_sound(log, debate)
        purposes = [record.event.purpose for record in records if isinstance(record.event, ModelAnswered)]
        assert purposes.count("speak") == TURNS
        assert len(purposes) == TURNS + 3 + (TURNS - 1) * 6 + 1 + 4, "the last turn: a comparison more and no flaws"
        # after the last turn the audit is asked, then both narratives and the convergence at once
        ideal = TURNS * (SPEECH_S + ANSWER_S) + 2 * ANSWER_S
        ratios.append(seconds(records[0], records[-1]) / ideal)
        if ratios[-1] <= MAX_RATIO:
            return
    pytest.fail(f"{ratios} times the critical path")


@pytest.mark.slow
async def test_a_second_opinion_is_not_waited_for(script: Any) -> None:
    """A second opinion is asked while the next turn is spoken."""
    quote = "Trams give it back"
    flag = {"claims": [{"quote": quote, "reason": "so", "kind": "no_mechanism"}]}
    async with harness() as h:
        debate = await h.open(script(answers={"claims:1": flag}, pace=PACE), turns=2, seat={"appeals": "all"})
        await h.ended(debate)
        records = await check_sound(h.log, debate)

    at = {record.event.call: record.position for record in records if isinstance(record.event, ModelAnswered)}
    assert at["score.1.1.1"] < at["second_opinion.C1.1.1.1"] < at["speak.2.1"]
