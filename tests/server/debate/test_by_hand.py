"""A debate under rubric v2 in which every prompt was answered by hand, as a capable model answers it.

The answers were written from the prompts alone, at natural length: ``logs/free_transport_v2.ndjson``, eight turns.
"""

import json
from pathlib import Path
from statistics import mean

import pytest
from msgspec import UNSET
from msgspec.structs import replace
from scipy.stats import spearmanr

from events.record import Recorded
from events.transfer import parse_lines
from events.types import DebateOpened, ModelAnswered, ModelFailed, NarrativeVerdictReached, TurnsCompared, TurnScored
from judge.rubric import rubric_v2
from server.whatif.replay import replay

LOG = Path(__file__).parent / "logs" / "free_transport_v2.ndjson"
READERS = LOG.with_name("free_transport_v2_readers.json")
"""What two readers of the turns alone made of them: a number for each turn, and who leads by how much."""


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


def test_the_rules_follow_readers_of_the_words_as_well_as_the_scores_before_them(records: tuple[Recorded, ...]) -> None:
    def under_todays_rules(opened: DebateOpened) -> DebateOpened:
        return replace(opened, rubric=rubric_v2())

    ledger = replay(records, under_todays_rules).would_be.ledger
    readers = json.loads(READERS.read_bytes())["readers"]
    holistic = [mean(numbers) for numbers in zip(*(each["turns"] for each in readers), strict=True)]
    raw = [sum(card.balances[name].admitted for name in ledger.dimensions) for card in ledger.cards.values()]
    effective = [card.composite(ledger.dimensions) or 0 for card in ledger.cards.values()]

    assert spearmanr(effective, holistic).statistic >= spearmanr(raw, holistic).statistic
    lead = mean(effective[1::2]) - mean(effective[0::2])
    assert min(each["lead"] for each in readers) - 2 <= lead <= max(each["lead"] for each in readers) + 2
