"""Debates under rubric v2 in which every prompt was answered by hand, as a capable model answers it.

The answers were written from the prompts alone, at natural length: two exchanges of eight turns, one of six turns in
German, and a debate of format protocol with a panel of four seats on three models. Two readers of each exchange gave
every turn a number and said who leads by how much, from the words alone (``…_readers.json``).
"""

import json
from hashlib import sha256
from pathlib import Path
from statistics import mean

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.record import Recorded
from events.state.debate import INITIAL, Debate, evolve
from events.transfer import parse_lines
from events.types import DebateOpened, ModelAnswered, ModelFailed, NarrativeVerdictReached, TurnsCompared, TurnScored
from judge.rubrics.rubric import rubric_v2
from server.debate.formats import next_steps
from server.debate.formats.steps import Ask
from server.whatif.replay import replay

LOGS = Path(__file__).parent / "logs"
SPOKEN = {"speak", "open", "cross", "close"}
"""Purposes of the debaters' calls."""
EXCHANGES = ("free_transport", "under_sixteen")


def read_log(name: str) -> tuple[Recorded, ...]:
    return parse_lines((LOGS / f"{name}_v2.ndjson").read_bytes().splitlines(keepends=True))


@pytest.mark.parametrize(
    ("name", "calls"), [("free_transport", 49), ("under_sixteen", 49), ("library_fines", 5), ("homework_german", 36)]
)
def test_every_answer_was_accepted_the_first_time_and_nothing_is_missing(name: str, calls: int) -> None:
    events = [record.event for record in read_log(name)]
    judged = [each for each in events if isinstance(each, ModelAnswered) and each.purpose not in SPOKEN]

    assert calls == len(judged)
    assert not [each for each in events if isinstance(each, ModelFailed)]
    for each in events:
        if isinstance(each, TurnScored | TurnsCompared | NarrativeVerdictReached):
            assert each.missing is UNSET


def test_a_german_debate_is_judged_in_german_and_its_quotes_are_found() -> None:
    events = [record.event for record in read_log("homework_german")]
    opened = next(each for each in events if isinstance(each, DebateOpened))
    scores = [score for each in events if isinstance(each, TurnScored) for score in each.components.values()]
    reasons = " ".join(score.reason for score in scores).split()

    assert "de" == opened.language
    assert len(scores) > 50
    assert [] == [score.quote for score in scores if score.quote and not score.verified]
    assert reasons.count("die") + reasons.count("der") > 10 * (reasons.count("the") + reasons.count("and"))


def unchanged(opened: DebateOpened) -> DebateOpened:
    return opened


@pytest.mark.parametrize("name", ["free_transport", "library_fines"])
def test_todays_rules_make_the_same_events_of_the_answers(name: str) -> None:
    result = replay(read_log(name), unchanged)

    assert (0, ()) == (result.diverges_at, result.unanswered)
    assert without_words(result.recorded) == without_words(result.would_be)


def test_todays_code_makes_the_same_prompts_of_a_recorded_protocol() -> None:
    debate, made, recorded = INITIAL, [], []
    asks: dict[tuple[str, int], Ask] = {}
    for record in read_log("library_fines"):
        steps = next_steps(debate) if debate.opened else ()
        asks |= {(each.key, each.sample): each for each in steps if isinstance(each, Ask)}
        if isinstance(event := record.event, ModelAnswered):
            recorded.append(event.prompt)
            prompt = asks[event.key, event.sample].prompt
            made.append(tuple((each.role, sha256(each.text.encode()).hexdigest()) for each in prompt))
        debate = evolve(debate, record)

    assert recorded == made


def without_words(debate: Debate) -> Debate:
    """The state without refusals, the reasons of entries, and what a panel says: today's rules use other words."""
    cards = {
        turn: replace(card, entries=tuple(replace(each, reason="") for each in card.entries))
        for turn, card in debate.ledger.cards.items()
    }
    said = debate.panel.conclusion
    conclusion = UNSET if said is UNSET else replace(said, reasons=(), advice=())
    panel = replace(debate.panel, conclusion=conclusion)
    return replace(debate, ledger=replace(debate.ledger, cards=cards), refused=(), panel=panel)


@pytest.mark.parametrize("part", ["ledger", "claims", "spine", "exchanges", "verdicts"])
def test_todays_rules_make_the_same_record_where_a_refusal_has_other_words(part: str) -> None:
    """A flaw that continues a component of turn 1 has paid 4/3 of its points: the refusal now names 4, and not 3."""
    result = replay(read_log("under_sixteen"), unchanged)

    assert () == result.unanswered
    assert getattr(without_words(result.recorded), part) == getattr(without_words(result.would_be), part)


@pytest.mark.parametrize("name", EXCHANGES)
def test_the_rules_follow_readers_of_the_words_as_well_as_the_scores_before_them(name: str) -> None:
    from scipy.stats import spearmanr  # noqa: PLC0415 - the import takes seconds

    def under_todays_rules(opened: DebateOpened) -> DebateOpened:
        return replace(opened, rubric=rubric_v2())

    ledger = replay(read_log(name), under_todays_rules).would_be.ledger
    readers = json.loads((LOGS / f"{name}_v2_readers.json").read_bytes())["readers"]
    holistic = [mean(numbers) for numbers in zip(*(each["turns"] for each in readers), strict=True)]
    raw = [sum(card.balances[name].admitted for name in ledger.dimensions) for card in ledger.cards.values()]
    effective = [card.composite(ledger.dimensions) or 0 for card in ledger.cards.values()]

    assert spearmanr(effective, holistic).statistic >= spearmanr(raw, holistic).statistic
    lead = mean(effective[1::2]) - mean(effective[0::2])
    assert min(each["lead"] for each in readers) - 2 <= lead <= max(each["lead"] for each in readers) + 2
