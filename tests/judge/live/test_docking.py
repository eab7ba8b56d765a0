"""What the findings of a turn take together: a function of what was found, in any order, and of the turn's length."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from events.types import ClaimKind, FindingRefused, LogicGapAdjusted, PenaltyApplied, PenaltyReversed
from events.types.rubric import DockingRule
from judge.live.claims import ClaimsAnswer, SecondOpinion, SuspectClaim, flag_claims, settle
from judge.live.docking import Finding, docked, findings, recount_by_length, times, times_of
from judge.live.event_batch import EventBatch
from judge.live.gaps import Gap, GapsAnswer, ShownGap, ShownGaps, audit, dock
from judge.rubrics.rubric import rubric_v3
from tests.judge.turns import debate_of, effective, events_of, given, refusals, score, speak
from tests.laws import examples

RUBRIC = rubric_v3()
RULE = DockingRule(at_most=5, longer=0.5, shorter=2)
SENTENCES = ("The first road is short and dry.", "A second bridge stands empty.", "Every third lamp is dark tonight.")
WORDS = (
    ("The first road", "road is short", "short and dry"),
    ("A second bridge", "bridge stands", "stands empty"),
    ("Every third", "third lamp is", "dark tonight"),
)
"""Words of each sentence that can be quoted; no two of one sentence overlap but for a word."""
LATE = "The road is long and wet. The bridge is full of people. The lamps are lit every night."
"""It has as many words as turn 1: 18."""
KINDS: tuple[ClaimKind, ...] = ("overclaim", "no_mechanism", "fabricated_citation", "inverted_fact")


class Found(NamedTuple):
    """A finding in turn 1: a claim of this kind or, with points, a flaw."""

    sentence: int
    words: int
    kind: ClaimKind
    points: int
    """Of a flaw; 0 for a claim."""


founds = st.lists(
    st.builds(Found, st.integers(0, 2), st.integers(0, 2), st.sampled_from(KINDS), st.sampled_from((0, 0, 0, 1, 3, 6))),
    max_size=7,
    unique_by=lambda each: (each.sentence, each.words),
)


def debate(words: int = 0) -> EventBatch:
    """Turn 1 with three sentences, turn 2 with that many words more, both scored."""
    batch = debate_of(" ".join(SENTENCES), LATE + " so" * words, rubric=RUBRIC)
    score(batch, 1, logic=30)
    score(batch, 2)
    return batch


def claim(quote: str, kind: ClaimKind = "fabricated_citation") -> Any:
    return given(ClaimsAnswer(claims=[SuspectClaim(quote=quote, kind=kind, reason="so")]))


def flaw(quote: str, points: int, exposed_by: str = "The road is long") -> Any:
    return given(GapsAnswer(gaps=[Gap(turn=1, fails=quote, exposed_by=exposed_by, reason="so", points=points)]))


def find(batch: EventBatch, found: Found) -> None:
    quote = WORDS[found.sentence][found.words]
    if found.points:
        dock(batch, 2, flaw(quote, found.points))
    else:
        flag_claims(batch, 1, claim(quote, found.kind))


def costs(found: Found) -> float:
    return float(found.points or RUBRIC.claims[found.kind].points)


def expected(found: list[Found], factor: float = 1.0) -> float:
    """The points by the words of the rule: the gravest of each sentence, at most 5 or the gravest alone."""
    gravest = [max((costs(each) * factor for each in found if each.sentence == n), default=0.0) for n in range(3)]
    return round(min(sum(gravest), max(5, *gravest)), 2)


def taken(batch: EventBatch) -> float:
    return round(30 - effective(batch, 1), 2)


@pytest.mark.slow
@examples(60, whole=600)
@drawn(founds, st.randoms(use_true_random=False))
def test_what_is_taken_depends_on_what_is_found_and_not_on_the_order(found: list[Found], chance: Any) -> None:
    other = sorted(found, key=lambda _: chance.random())
    first, second = debate(), debate()
    for one, two in zip(found, other, strict=True):
        find(first, one)
        find(second, two)

    assert taken(first) == taken(second) == expected(found)
    assert all(each.requested == each.applied for each in events_of(first, PenaltyApplied))
    assert all(each.requested == each.applied < 0 for each in events_of(first, LogicGapAdjusted))


@pytest.mark.slow
@examples(60, whole=600)
@drawn(founds, st.randoms(use_true_random=False))
def test_a_claim_that_is_cleared_leaves_what_the_others_take(found: list[Found], chance: Any) -> None:
    """Claims are cleared at any time, also one that another of its sentence has paid for; in the end all are."""
    batch, names = debate(), dict[str, Found]()
    kept = list[Found]()

    def clear_one(flagged: list[str]) -> None:
        name = chance.choice(flagged)
        settle(batch, name, given(SecondOpinion(verdict="cleared", reason="known")), by="x")
        kept.remove(names.pop(name))
        assert expected(kept) == taken(batch)

    for each in found:
        find(batch, each)
        kept.append(each)
        flagged = [name for name, known in batch.debate.claims.items() if known.state == "flagged"]
        names |= {name: each for name in flagged if name not in names}
        if names and chance.random() < 0.3:
            clear_one([*names])
    while names:
        clear_one([*names])


@examples(60, whole=600)
@drawn(st.lists(st.builds(Finding, st.just(""), st.integers(1, 4), st.integers(1, 8)), max_size=8), st.integers(1, 8))
def test_a_further_finding_never_gives_points_and_costs_at_most_its_own(found: list[Finding], points: int) -> None:
    before = docked(found, 1.0, RULE)
    after = docked([*found, Finding("", 5, points)], 1.0, RULE)

    assert 0 <= after - before <= points
    assert after <= max(5, points, *(each.points for each in found), 0)


@pytest.mark.parametrize(
    ("words", "usual", "factor"),
    [(100, 100, 1.0), (100, 130, 1.3), (100, 104, 1.0), (100, 250, 2.0), (300, 100, 0.5), (0, 100, 2.0)],
)
def test_points_count_more_in_a_short_turn_and_less_in_a_long_one(words: int, usual: float, factor: float) -> None:
    assert factor == times_of(words, usual, RULE)


def test_the_mean_of_the_words_is_that_of_both_sides_and_stays_after_the_next_turn() -> None:
    """Turn 1 has 18 words, turn 2 has 36: the mean is 27, and 27 ÷ 18 is 1.5."""
    batch = debate(words=18)
    dock(batch, 2, flaw(WORDS[0][0], 2))

    assert 1.5 == times(batch.debate, 1)
    assert 3 == taken(batch)
    (entry,) = events_of(batch, LogicGapAdjusted)
    assert entry.reason == "so (2 by itself; 1.5 times that, since the turn is shorter than the mean)"
    assert 2 == entry.given

    speak(batch, "so " * 400)
    assert 1.5 == times(batch.debate, 1)


def test_what_a_turn_has_paid_is_brought_to_its_length_once_the_next_turn_is_spoken() -> None:
    batch = debate_of(" ".join(SENTENCES), rubric=RUBRIC)
    score(batch, 1, logic=30)
    flag_claims(batch, 1, claim(WORDS[0][0]))
    assert 2 == taken(batch)

    speak(batch, LATE + " so" * 18)
    recount_by_length(batch, 1)
    recount_by_length(batch, 1)

    assert 3 == taken(batch)
    (_, again) = events_of(batch, PenaltyApplied)
    assert ("docking", -1) == (again.rule, again.applied)
    assert again.reason == "turn 1 has 18 words, and the mean up to turn 2 is 27"


def test_a_sentence_pays_once_and_the_entry_says_so() -> None:
    batch = debate()
    flag_claims(batch, 1, claim(WORDS[0][0]))
    dock(batch, 2, flaw(WORDS[0][2], 3))

    assert 3 == taken(batch)
    (entry,) = events_of(batch, LogicGapAdjusted)
    assert -1 == entry.applied
    assert entry.reason == "so (3 by itself; its sentence pays once, and claim C1.1 has cost 2 of that)"


def test_a_finding_that_adds_nothing_is_refused_in_words_and_counts_once_another_is_cleared() -> None:
    batch = debate()
    flag_claims(batch, 1, claim(WORDS[0][0]))
    dock(batch, 2, flaw(WORDS[0][2], 1))

    (refused,) = events_of(batch, FindingRefused)
    assert (1, 1) == (refused.given, refused.about)
    assert refused.reason.startswith("nothing is left to pay (1 by itself; its sentence pays once")

    settle(batch, "C1.1", given(SecondOpinion(verdict="cleared", reason="known")), by="x")

    assert 1 == taken(batch)
    assert [
        ("cleared", 2),
    ] == [(each.rule, each.applied) for each in events_of(batch, PenaltyReversed)]
    (_, again) = events_of(batch, PenaltyApplied)
    assert ("docking", -1, "C1.1 was cleared, so the findings of its turn count again") == (
        again.rule,
        again.applied,
        again.reason,
    )


def test_the_findings_of_a_turn_take_at_most_their_limit_together() -> None:
    batch = debate()
    for sentence in range(3):
        dock(batch, 2, flaw(WORDS[sentence][0], 3))

    assert 5 == taken(batch)
    assert [-3, -2] == [each.applied for each in events_of(batch, LogicGapAdjusted)]
    assert "the findings of one turn take at most 5 together" in events_of(batch, LogicGapAdjusted)[1].reason
    limit = "the findings of one turn take at most 5 together, or what the gravest costs"
    assert [f"nothing is left to pay (3 by itself; {limit})"] == refusals(batch)


def test_the_gravest_finding_counts_in_full() -> None:
    batch = debate()
    dock(batch, 2, flaw(WORDS[0][0], 6))

    assert 6 == taken(batch)


def test_points_may_fall_below_0() -> None:
    batch = debate_of(" ".join(SENTENCES), LATE, rubric=RUBRIC)
    score(batch, 1, logic=1)
    score(batch, 2)
    dock(batch, 2, flaw(WORDS[0][0], 4))

    assert -3 == effective(batch, 1)


def test_the_closing_audit_may_show_a_flaw_of_the_last_turn_by_earlier_words() -> None:
    batch = debate()
    shown = ShownGap(turn=2, fails="The bridge is full", exposed_by=WORDS[1][0], shown_in=1, reason="so", points=2)
    audit(batch, given(ShownGaps(gaps=[shown])))

    (entry,) = events_of(batch, LogicGapAdjusted)
    assert (2, 1) == (entry.turn, entry.exposed_by.turn)
    assert [Finding("the flaw that turn 1 shows", 2, 2)] == [*findings(batch.debate, 2)]


def test_what_a_turn_pays_for_conduct_is_apart() -> None:
    assert {"credibility"} == {each.dimension for each in RUBRIC.conduct.values()}
    assert {"logic"} == {each.dimension for each in RUBRIC.claims.values() if each.points}


def test_two_claims_of_one_sentence_that_are_both_cleared_take_nothing() -> None:
    batch = debate()
    for words in (0, 2):
        flag_claims(batch, 1, claim(WORDS[0][words]))
    assert 2 == taken(batch)

    for name in ("C1.1", "C1.2"):
        settle(batch, name, given(SecondOpinion(verdict="cleared", reason="known")), by="x")

    assert 0 == taken(batch)
