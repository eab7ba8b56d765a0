"""The register of claims: flags, their costs, repeated claims, and the points that a second opinion returns."""

from typing import Any, get_args

import pytest
from msgspec.structs import replace

from events.types import ClaimCleared, ClaimFlagged, ClaimKind, ClaimUpheld, PenaltyApplied, PenaltyReversed
from judge.live.answers import Answers
from judge.live.claims import ClaimsAnswer, SecondOpinion, SuspectClaim, flag_claims, settle
from judge.live.event_batch import EventBatch
from judge.live.gaps import Gap, GapsAnswer, dock
from judge.rubrics.rubric import rubric_v2
from tests.judge.turns import NO_ANSWER, RUBRIC, balance, debate_of, effective, events_of, given, refusals, score, speak

TEXT = (
    "The Brannick Ledger has the count: 63 percent of shops are gone. “A street without an engine” has no voice. "
    "Shops close, therefore people leave; and the sign killed the trade."
)
COUNT = "63 percent of shops are gone"
SIGN = "the sign killed the trade"


def suspect(quote: str = COUNT, kind: ClaimKind = "fabricated_citation", reason: str = "so") -> SuspectClaim:
    return SuspectClaim(quote=quote, kind=kind, reason=reason)


def answer(*suspicions: SuspectClaim) -> ClaimsAnswer:
    return ClaimsAnswer(claims=list(suspicions))


def debate(text: str = TEXT, logic: float = 20) -> EventBatch:
    batch = debate_of(text)
    score(batch, 1, logic=logic)
    return batch


def opinion(verdict: Any = "cleared") -> Answers[SecondOpinion]:
    return given(SecondOpinion(verdict=verdict, reason="it is known"))


# flags


@pytest.mark.parametrize(
    ("kind", "points"),
    [
        ("hollow_specificity", 1),
        ("no_mechanism", 1),
        ("fabricated_citation", 2),
        ("inverted_fact", 2),
        ("reversed_causality", 2),
    ],
)
def test_a_flag_costs_what_the_rubric_says_at_once(kind: ClaimKind, points: float) -> None:
    batch = debate()

    flag_claims(batch, 1, given(answer(suspect("“63 Percent  of shops are GONE”", kind))))

    [flag] = events_of(batch, ClaimFlagged)
    [penalty] = events_of(batch, PenaltyApplied)
    assert ("C1.1", COUNT, TEXT[slice(*flag.span)], kind, "judge") == (
        flag.claim,
        flag.quote,
        COUNT,
        flag.kind,
        flag.by,
    )
    assert (-points, -points, kind, "C1.1", "logic") == (
        penalty.requested,
        penalty.applied,
        penalty.rule,
        penalty.claim,
        penalty.dimension,
    )
    assert batch.debate.claims["C1.1"].flagged == penalty.because_of
    assert (20 - points, -points) == (effective(batch, 1), batch.debate.claims["C1.1"].penalty)


@pytest.mark.parametrize(
    ("logic", "applied", "words"),
    [
        (5, -2, ""),
        (2, -2, ""),
        (1.5, -1.5, "(1.5 of 2 applied: the floor of 0 takes the rest)"),
        (1, -1, "(1 of 2 applied: the floor of 0 takes the rest)"),
        (0, 0, "(0 of 2 applied: the floor of 0 takes the rest)"),
    ],
)
def test_what_a_floor_absorbs_is_shown(logic: float, applied: float, words: str) -> None:
    batch = debate(logic=logic)

    flag_claims(batch, 1, given(answer(suspect())))

    [penalty] = events_of(batch, PenaltyApplied)
    assert (-2, applied, max(logic - 2, 0)) == (penalty.requested, penalty.applied, effective(batch, 1))
    assert words == penalty.reason.removeprefix(f"C1.1 {RUBRIC.claims['fabricated_citation'].asks}").strip()


def test_a_turn_without_a_score_is_flagged_and_pays_nothing() -> None:
    batch = debate_of(TEXT)

    flag_claims(batch, 1, given(answer(suspect())))
    settle(batch, "C1.1", opinion(), by="second")

    assert ["C1.1"] == [each.claim for each in events_of(batch, ClaimFlagged)]
    assert "cleared" == batch.debate.claims["C1.1"].state
    assert [] == [*events_of(batch, PenaltyApplied), *events_of(batch, PenaltyReversed)]


@pytest.mark.parametrize(
    ("quote", "why"),
    [
        ("64 percent of shops are gone", "not in the turn"),
        ("", "not in the turn"),
        ("shops", "too short to tell"),
        ("Shops close, therefore people stay", "not in the turn"),
    ],
)
def test_words_that_nobody_said_are_refused(quote: str, why: str) -> None:
    batch = debate()

    flag_claims(batch, 1, given(answer(suspect(quote))))

    [refusal] = refusals(batch)
    assert why in refusal
    assert {} == batch.debate.claims
    assert 20 == effective(batch, 1)


def test_a_kind_that_the_rubric_does_not_know_is_refused() -> None:
    batch = debate_of(TEXT, rubric=replace(RUBRIC, claims={"no_mechanism": RUBRIC.claims["no_mechanism"]}))

    flag_claims(batch, 1, given(answer(suspect(kind="inverted_fact"), suspect(SIGN, "no_mechanism"))))

    assert ["the rubric has no rule for inverted_fact"] == refusals(batch)
    assert ["no_mechanism"] == [each.kind for each in events_of(batch, ClaimFlagged)]


def test_claims_of_a_turn_are_counted() -> None:
    batch = debate()

    flag_claims(batch, 1, given(answer(suspect(), suspect(SIGN, "reversed_causality"), suspect("has no voice"))))

    assert ["C1.1", "C1.2", "C1.3"] == list(batch.debate.claims)
    assert 14 == effective(batch, 1)


@pytest.mark.parametrize("answers", [NO_ANSWER, given(), given(answer())])
def test_nothing_said_is_nothing_flagged(answers: Answers[ClaimsAnswer]) -> None:
    batch = debate()
    before = batch.debate

    flag_claims(batch, 1, answers)

    assert before is batch.debate


# samples


@pytest.mark.parametrize(
    ("samples", "kinds", "refused"),
    [
        ([[suspect()], [suspect()], []], ["fabricated_citation"], []),
        ([[suspect()], [], []], [], ["only 1 of 3 samples find it suspect"]),
        ([[suspect()], []], [], ["only 1 of 2 samples find it suspect"]),
        ([[suspect()], [suspect("63 percent of shops", "hollow_specificity")], []], ["hollow_specificity"], []),
        ([[suspect()], [suspect(kind="inverted_fact")], [suspect(kind="inverted_fact")]], ["inverted_fact"], []),
        ([[suspect(kind="no_mechanism")], [suspect(kind="hollow_specificity")]], ["hollow_specificity"], []),
        ([[suspect(), suspect(kind="inverted_fact")], []], [], ["only 1 of 2 samples find it suspect"]),
        (
            [[suspect(), suspect(SIGN)], [suspect(SIGN)]],
            ["fabricated_citation"],
            ["only 1 of 2 samples find it suspect"],
        ),
    ],
)
def test_a_claim_stands_when_more_than_half_of_the_samples_flag_it(
    samples: list[list[SuspectClaim]],
    kinds: list[str],
    refused: list[str],
) -> None:
    batch = debate()

    flag_claims(batch, 1, given(*(answer(*each) for each in samples)))

    assert kinds == [each.kind for each in events_of(batch, ClaimFlagged)]
    assert refused == refusals(batch)


def test_a_flag_bears_the_words_and_the_reason_of_its_kind() -> None:
    batch = debate()
    first = suspect("percent of shops", "inverted_fact", "one")
    others = [suspect("63 percent of shops", "no_mechanism", "two"), suspect(COUNT, "no_mechanism", "three")]

    flag_claims(batch, 1, given(answer(first), *(answer(each) for each in others)))

    [flag] = events_of(batch, ClaimFlagged)
    assert ("no_mechanism", "63 percent of shops", "two") == (flag.kind, flag.quote, flag.reason)
    assert 2 == batch.drafts[-2].cause


# the same claim again


@pytest.mark.parametrize(
    ("again", "quote", "refused"),
    [
        ("The count stands: 63 percent of shops are gone.", "63 percent of shops are gone", True),
        ("I say: “63 PERCENT of Shops are gone”!", "63 PERCENT of Shops are gone", True),
        ("The count, 63 percent of shops are gone, stands.", "The count, 63 percent of shops are gone, stands", True),
        ("It was 63 percent, as we heard.", "It was 63 percent, as we heard", True),
        ("It was 63% of them all.", "It was 63% of them all", True),
        ("It was 62 percent, as we heard.", "It was 62 percent, as we heard", False),
        ("Prices rose by a third in a year.", "Prices rose by a third in a year", False),
    ],
)
def test_a_side_pays_once_for_the_same_claim(again: str, quote: str, refused: bool) -> None:
    batch = debate()
    flag_claims(batch, 1, given(answer(suspect())))
    speak(batch, "And so on it goes.")
    speak(batch, again)
    score(batch, 3)

    flag_claims(batch, 3, given(answer(suspect(quote))))

    assert (["already flagged as C1.1"] if refused else []) == refusals(batch)
    assert (20 if refused else 18) == effective(batch, 3)


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (SIGN, f"and so {SIGN} in the end"),
        (f"and {SIGN}", SIGN),
        ("the sign killed", "sign killed the trade"),
    ],
)
def test_words_around_a_claim_make_no_new_one(first: str, again: str) -> None:
    batch = debate()
    flag_claims(batch, 1, given(answer(suspect(first))))
    speak(batch, "And so on it goes.")
    speak(batch, f"I repeat: {again}.")

    flag_claims(batch, 3, given(answer(suspect(again))))

    contained = first in again or again in first
    assert (["already flagged as C1.1"] if contained else []) == refusals(batch)


def test_the_same_words_twice_in_one_answer_are_one_claim() -> None:
    batch = debate("63 percent of shops are gone, I say: 63 percent of shops are gone. And 63 percent of them is many.")

    flag_claims(batch, 1, given(answer(suspect(), suspect("And 63 percent of them is many"))))

    assert ["C1.1"] == list(batch.debate.claims)
    assert ["already flagged as C1.1"] == refusals(batch)


def test_the_other_side_answers_for_its_own_words() -> None:
    batch = debate()
    flag_claims(batch, 1, given(answer(suspect())))
    speak(batch, TEXT)
    score(batch, 2)

    flag_claims(batch, 2, given(answer(suspect())))

    assert ["C1.1", "C2.1"] == list(batch.debate.claims)


def test_a_claim_that_was_cleared_is_not_flagged_again() -> None:
    batch = debate()
    flag_claims(batch, 1, given(answer(suspect())))
    settle(batch, "C1.1", opinion(), by="second")

    flag_claims(batch, 1, given(answer(suspect())))

    assert ["already flagged as C1.1"] == refusals(batch)
    assert 20 == effective(batch, 1)


# second opinions


def test_clearing_gives_the_points_back() -> None:
    batch = debate()
    flag_claims(batch, 1, given(answer(suspect())))

    settle(batch, "C1.1", opinion(), by="second judge")

    [cleared], [back] = events_of(batch, ClaimCleared), events_of(batch, PenaltyReversed)
    assert ("C1.1", "second judge", "it is known") == (cleared.claim, cleared.by, cleared.reason)
    assert (2, 2, "C1.1", batch.debate.position - 1) == (back.requested, back.applied, back.claim, back.because_of)
    assert (20, 0, "cleared") == (
        effective(batch, 1),
        batch.debate.claims["C1.1"].penalty,
        batch.debate.claims["C1.1"].state,
    )


def test_upholding_leaves_the_points_where_they_are() -> None:
    batch = debate()
    flag_claims(batch, 1, given(answer(suspect())))

    settle(batch, "C1.1", opinion("upheld"), by="second judge")

    assert ["C1.1"] == [each.claim for each in events_of(batch, ClaimUpheld)]
    assert [] == events_of(batch, PenaltyReversed)
    assert (18, "upheld") == (effective(batch, 1), batch.debate.claims["C1.1"].state)


@pytest.mark.parametrize(
    ("verdicts", "state"),
    [
        (["cleared", "cleared", "upheld"], "cleared"),
        (["cleared", "upheld"], "upheld"),
        (["upheld", "upheld"], "upheld"),
    ],
)
def test_more_than_half_of_the_samples_must_clear_a_claim(verdicts: list[Any], state: str) -> None:
    batch = debate()
    flag_claims(batch, 1, given(answer(suspect())))

    settle(batch, "C1.1", given(*(SecondOpinion(verdict=each, reason=each) for each in verdicts)), by="second")

    assert (state, state) == (batch.debate.claims["C1.1"].state, batch.debate.claims["C1.1"].answer)


def test_a_failed_second_opinion_leaves_the_flag() -> None:
    batch = debate()
    flag_claims(batch, 1, given(answer(suspect())))

    settle(batch, "C1.1", NO_ANSWER, by="second")

    assert ("flagged", 18) == (batch.debate.claims["C1.1"].state, effective(batch, 1))


@pytest.mark.parametrize("first", ["upheld", "cleared"])
def test_a_claim_is_settled_once(first: str) -> None:
    batch = debate()
    flag_claims(batch, 1, given(answer(suspect())))
    settle(batch, "C1.1", opinion(first), by="second")
    before = batch.debate

    settle(batch, "C1.1", opinion("cleared"), by="third")
    settle(batch, "C9.9", opinion("cleared"), by="third")

    assert before is batch.debate


def test_a_reversal_returns_what_a_floor_had_left_to_take() -> None:
    batch = debate(logic=1)
    flag_claims(batch, 1, given(answer(suspect())))

    settle(batch, "C1.1", opinion(), by="second")

    [back] = events_of(batch, PenaltyReversed)
    assert (2, 1, 1) == (back.requested, back.applied, effective(batch, 1))
    assert "C1.1 was cleared (1 of 2 applied: the floor of 0 had absorbed the rest before)" == back.reason


@pytest.mark.parametrize(
    ("logic", "points", "back", "left"),
    [
        (10, 8, 2, 2),  # 10 - 2 - 8 = 0; without the penalty 2
        (10, 7, 2, 3),  # 10 - 2 - 7 = 1; without the penalty 3
        (9, 8, 1, 1),  #  9 - 2 - 8 < 0; without the penalty 1
        (1, 8, 0, 0),  #  the docking alone takes all points
    ],
)
def test_a_reversal_after_a_docking(logic: float, points: int, back: float, left: float) -> None:
    batch = debate(logic=logic)
    flag_claims(batch, 1, given(answer(suspect())))
    speak(batch, "Shops do not close for signs.")
    gap = Gap(turn=1, fails=SIGN, exposed_by="Shops do not close for signs", reason="", points=points)
    dock(batch, 2, given(GapsAnswer(gaps=[gap])))

    settle(batch, "C1.1", opinion(), by="second")

    [reversal] = events_of(batch, PenaltyReversed)
    assert (2, back, left) == (reversal.requested, reversal.applied, effective(batch, 1))
    assert left == balance(batch, 1).after()


def test_the_rubric_prices_every_kind() -> None:
    assert set(get_args(ClaimKind)) == set(rubric_v2().claims)
    assert set(get_args(ClaimKind)) - {"overclaim", "unverifiable"} == set(RUBRIC.claims)
    assert {"fabricated_citation", "inverted_fact", "reversed_causality"} == {
        kind for kind, rule in RUBRIC.claims.items() if rule.second_opinion and rule.points == 2
    }
