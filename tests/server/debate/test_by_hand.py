"""A debate under rubric v2 in which every prompt was answered by hand, as a capable model answers it.

The answers were written from the prompts alone, at natural length: ``logs/free_transport_v2.ndjson``, eight turns.
"""

from pathlib import Path

import pytest
from msgspec import UNSET

from events.record import Recorded
from events.transfer import parse_lines
from events.types import DebateOpened, ModelAnswered, ModelFailed, NarrativeVerdictReached, TurnsCompared, TurnScored
from server.whatif.replay import replay

LOG = Path(__file__).parent / "logs" / "free_transport_v2.ndjson"


@pytest.fixture(scope="module")
def records() -> tuple[Recorded, ...]:
    return parse_lines(LOG.read_bytes().splitlines(keepends=True))


def test_every_answer_was_accepted_the_first_time_and_nothing_is_missing(records: tuple[Recorded, ...]) -> None:
    events = [record.event for record in records]
    judged = [each for each in events if isinstance(each, ModelAnswered) and each.purpose != "speak"]

    assert 49 == len(judged)
    assert not [each for each in events if isinstance(each, ModelFailed)]
    for each in events:
        if isinstance(each, TurnScored | TurnsCompared | NarrativeVerdictReached):
            assert each.missing is UNSET


def test_todays_rules_make_the_same_events_of_the_answers(records: tuple[Recorded, ...]) -> None:
    def unchanged(opened: DebateOpened) -> DebateOpened:
        return opened

    result = replay(records, unchanged)

    assert (0, ()) == (result.diverges_at, result.unanswered)
    assert result.recorded == result.would_be
