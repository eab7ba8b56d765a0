"""The verdicts at the end: scorecard, narrative, conflict and convergence."""

from typing import Any

import pytest
from msgspec import UNSET

from events.types import (
    BothSides,
    ConflictResolved,
    ConvergenceAssessed,
    FindingRefused,
    Missing,
    NarrativeVerdictReached,
    Rounds,
    TurnStarted,
    missing,
)
from judge.live.answers import Answers
from judge.live.claims import ClaimsAnswer, SuspectClaim, flag_claims
from judge.live.convergence import ConvergenceAnswer, DriftAnswer, record_convergence
from judge.live.event_batch import EventBatch
from judge.live.spine import FirstPremises, Stated, record_premises
from judge.live.verdicts import (
    ConflictAnswer,
    NarrativeAnswer,
    SpeakerNarrative,
    citations,
    is_citable,
    record_conflict,
    record_narrative,
    scorecard_verdict,
)
from judge.text.words import similarity
from tests.judge.turns import NO_ANSWER, RUBRIC, debate_of, events_of, given, refusals, score, spoken_turn

TEXTS = ("Cars stand in each other's way.", "Cars carry what trams cannot.", "Trams carry more people.", "Not boilers.")
A = SpeakerNarrative(evolution="from cars to trams", fractures="none", held="the way")
B = SpeakerNarrative(evolution="from cars to boilers", fractures="at boilers", held="little")


def debate() -> EventBatch:
    batch = debate_of(*TEXTS)
    score(batch, 1)
    flag_claims(batch, 1, given(ClaimsAnswer(claims=[SuspectClaim(quote=TEXTS[0], kind="no_mechanism")])))
    record_premises(batch, 1, given(FirstPremises(stated=(Stated(text="Cars block cars", quote=TEXTS[0]),))))
    return batch


def narrative(winner: Any = "A", cites: tuple[str, ...] = ("turn 1",), explanation: str = "so") -> NarrativeAnswer:
    return NarrativeAnswer(
        A=A,
        B=B,
        pattern="none",
        explanation=explanation,
        winner=winner,
        cites=list(cites),
    )


# citations


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("turn 1", ("turn 1",)),
        ("Turn 4", ("turn 4",)),
        (" turn 2 ", ("turn 2",)),
        ("turns 3 and 4", ("turn 3", "turn 4")),
        ("turns 1, 2 and 4", ("turn 1", "turn 2", "turn 4")),
        ("Turns 1-3", ("turn 1", "turn 2", "turn 3")),
        ("turns 2 to 4; P1.1", ("turn 2", "turn 3", "turn 4", "P1.1")),
        ("c1.1 and P1.1 in turn 1", ("C1.1", "P1.1", "turn 1")),
        ("turn 9-1", ("turn 9",)),
        ("turn one", ()),
        ("P1", ()),
        ("", ()),
    ],
)
def test_a_text_cites_by_name(text: str, names: tuple[str, ...]) -> None:
    assert names == citations(text)


def test_a_range_without_end_is_bounded() -> None:
    assert len(citations("turns 1 to 9999")) <= 201
    assert citations("turn " + "9" * 5000) == ()


@pytest.mark.parametrize(
    ("cite", "exists"),
    [("turn 1", True), ("turn 4", True), ("C1.1", True), ("P1.1", True), ("turn 5", False), ("turn 0", False)]
    + [(each, False) for each in ("turn -1", "turn", "turn one", "1", "C1.2", "C2.1", "P2.1", "P1", "", "turn ²")],
)
def test_a_citation_names_what_exists(cite: str, exists: bool) -> None:
    assert exists == is_citable(debate().debate, cite)


@pytest.mark.parametrize(
    ("answer", "kept", "refused"),
    [
        (narrative(), ("turn 1",), []),
        (narrative(cites=("turn 1", "C1.1", "P1.1")), ("turn 1", "C1.1", "P1.1"), []),
        (narrative("neither", ()), (), []),
        (narrative("A", ()), (), []),
        (narrative("B", ("turn 7",)), (), ["turn 7"]),
        (narrative("B", ("turns 3 and 4", "turns 4 and 5")), ("turn 3", "turn 4"), ["turn 5"]),
        (narrative("B", ("the beginning",)), (), ["the beginning"]),
        (narrative(explanation="It fell with P1.1."), ("turn 1",), []),
        (narrative(explanation="It fell with P3.1 and C1.1."), ("turn 1",), ["P3.1"]),
    ],
)
def test_unknown_citations_are_recorded_and_the_rest_is_kept(
    answer: NarrativeAnswer, kept: tuple[str, ...], refused: list[str]
) -> None:
    batch = debate()
    before = len(events_of(batch, FindingRefused))
    record_narrative(batch, given(answer))

    [reached] = events_of(batch, NarrativeVerdictReached)
    assert kept == reached.cites
    assert refused == [each.quote for each in events_of(batch, FindingRefused)[before:]]


# narrative and conflict


@pytest.mark.parametrize(
    ("first", "answer", "winner"),
    [
        ("pro", "A", "pro"),
        ("pro", "B", "con"),
        ("con", "A", "con"),
        ("con", "B", "pro"),
        ("con", "neither", "neither"),
    ],
)
def test_speakers_are_given_their_sides_back(first: Any, answer: str, winner: str) -> None:
    batch = debate_of()
    batch.add(TurnStarted(turn=1, side=first, attempt=1, directive=None), 1)
    batch.add(spoken_turn(1, TEXTS[0], first), 2)

    record_narrative(batch, given(narrative(answer)))

    [found] = events_of(batch, NarrativeVerdictReached)
    assert (winner, "none", ("turn 1",)) == (found.winner, found.pattern, found.cites)
    assert found.sides
    mine, theirs = (found.sides.pro, found.sides.con) if first == "pro" else (found.sides.con, found.sides.pro)
    assert ("from cars to trams", "from cars to boilers") == (mine.evolution, theirs.evolution)


def test_a_citation_that_slips_through_is_refused() -> None:
    batch = debate()

    record_narrative(batch, given(narrative(cites=("turn 1", "turn 9", " turn 1 "))))
    record_conflict(batch, given(ConflictAnswer(text="so", cites=["P8.8"])))

    assert ("turn 1",) == events_of(batch, NarrativeVerdictReached)[0].cites
    assert () == events_of(batch, ConflictResolved)[0].cites
    assert ["it does not exist"] * 2 == refusals(batch)


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        (record_narrative, NarrativeVerdictReached),
        (record_conflict, ConflictResolved),
        (record_convergence, ConvergenceAssessed),
    ],
)
@pytest.mark.parametrize(("answers", "why"), [(NO_ANSWER, "timeout"), (given(), "it was not asked")])
def test_what_is_not_said_is_missing(rule: Any, kind: Any, answers: Answers[Any], why: str) -> None:
    batch = debate()

    rule(batch, answers)

    [found] = events_of(batch, kind)
    assert why in found.missing.reason
    assert UNSET is getattr(found, "winner", UNSET)
    assert UNSET is getattr(found, "kind", UNSET)


# convergence


@pytest.mark.parametrize(
    ("one", "two", "alike"),
    [
        ("trams carry people", "trams carry people", 1.0),
        ("trams carry people", "boilers need cars", 0.0),
        ("trams carry", "trams wait", 0.5),  # 1 / (√2 · √2)
        ("trams trams carry", "trams wait", 0.63),  # 2 / (√5 · √2)
        ("trams", "the trams and the tram", 1.0),
        ("", "trams", 0.0),
        ("it is so", "and so it is", 0.0),
    ],
)
def test_similarity_is_a_cosine_of_content_words(one: str, two: str, alike: float) -> None:
    assert alike == similarity(one, two) == similarity(two, one)


def test_convergence_compares_what_was_said_last() -> None:
    batch = debate_of("Trams carry boilers.", "Boilers need cars.", "Nothing of it.", "Everything of it.")
    ends = DriftAnswer(early="early A", late="late A")
    answer = ConvergenceAnswer(A=ends, B=DriftAnswer(early="early B", late="late B"), kind="stalled", reason="so")

    record_convergence(batch, given(answer))

    [found] = events_of(batch, ConvergenceAssessed)
    assert ("stalled", 0.0, "so") == (found.kind, found.similarity, found.reason)
    assert found.sides
    assert ("early A", "late B") == (found.sides.pro.early, found.sides.con.late)


@pytest.mark.parametrize("spoken", [0, 1, 2])
def test_a_debate_that_hardly_began_breaks_no_verdict(spoken: int) -> None:
    batch = debate_of(*TEXTS[:spoken])
    answer = ConvergenceAnswer(A=DriftAnswer(early="", late=""), B=DriftAnswer(early="", late=""), kind="stalled")

    record_convergence(batch, given(answer))
    record_narrative(batch, given(narrative()))

    assert 0.0 <= float(events_of(batch, ConvergenceAssessed)[0].similarity or 0) <= 1.0
    assert "pro" == events_of(batch, NarrativeVerdictReached)[0].winner


# scorecard


@pytest.mark.parametrize(
    ("pro", "con", "winner", "margin", "reason"),
    [
        (60.0, 50.0, "pro", 10, "pro 60, con 50: pro leads by 10"),
        (50.0, 52.1, "con", 2.1, "pro 50, con 52.1: con leads by 2.1"),
        (52.1, 50.1, "neither", 2, "pro 52.1, con 50.1: within 2 nobody wins"),
        (50.0, 50.0, "neither", 0, "pro 50, con 50: within 2 nobody wins"),
    ],
)
def test_the_higher_mean_wins(pro: float, con: float, winner: str, margin: float, reason: str) -> None:
    verdict = scorecard_verdict(BothSides(pro=pro, con=con), Rounds(pro=1), RUBRIC)

    assert (winner, margin, reason, 1) == (verdict.winner, verdict.margin, verdict.reason, verdict.rounds.pro)


@pytest.mark.parametrize(
    ("pro", "con", "reason"),
    [
        (missing("failed"), 50.0, "no turn of pro was judged"),
        (50.0, missing("failed"), "no turn of con was judged"),
        (missing("failed"), missing("failed"), "no turn of either side was judged"),
    ],
)
def test_a_missing_mean_favours_nobody(pro: float | Missing, con: float | Missing, reason: str) -> None:
    verdict = scorecard_verdict(BothSides(pro=pro, con=con), Rounds(), RUBRIC)

    assert ("neither", missing(reason)) == (verdict.winner, verdict.margin)
