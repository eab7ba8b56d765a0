"""What the evidence decides: flags with both quotes, their cost, and flags of fabricated citations."""

from typing import Any

import pytest

from events.types import (
    CheckMissing,
    CitationChecked,
    ClaimCleared,
    ClaimFlagged,
    EvidenceDocument,
    EvidencePassage,
    EvidenceSupplied,
    EvidenceWeighed,
    PenaltyApplied,
    PenaltyReversed,
    Relation,
)
from judge.evidence.checks import check_turn
from judge.evidence.question import EvidenceAnswer, Pair, PassageRelation, pairs_of, suspected
from judge.evidence.rules import record_evidence
from judge.live.answers import Answers
from judge.live.claims import ClaimsAnswer, SuspectClaim, flag_claims
from judge.live.event_batch import EventBatch
from judge.rubrics.rubric import evidence_rules, rubric_v1, rubric_v2, with_evidence
from tests.judge.evidence.bus_passages import PASSAGES
from tests.judge.turns import NO_ANSWER, debate_of, effective, events_of, given, refusals, score

RUBRIC = with_evidence(rubric_v2())
SUPPLIED = EvidenceSupplied(
    document=EvidenceDocument(id="D1", name="buses.txt", digest="00", media_type="text/plain"),
    passages=tuple(EvidencePassage(id=name, text=text) for name, text in PASSAGES.items()),
)
TRUE = 'The report says "ridership on the city\'s buses rose by 12 percent" [E1].'
MISQUOTED = 'The report says "ridership on the city\'s buses rose by 40 percent" [E1].'
INVENTED = "Trust in the council doubled [E9]."
OPPOSITE = "Car traffic collapsed after the change [E1]."


def relation(number: int, relation: Relation, quote: str = "", reason: str = "so") -> PassageRelation:
    return PassageRelation(number=number, relation=relation, quote=quote, reason=reason)


def says(*relations: PassageRelation) -> Answers[EvidenceAnswer]:
    return given(EvidenceAnswer(relations=list(relations)))


def judged(
    text: str,
    *said: SuspectClaim,
    forward: Answers[EvidenceAnswer] | None = None,
    backward: Answers[EvidenceAnswer] | None = None,
    rubric: Any = RUBRIC,
) -> EventBatch:
    """A turn with logic 20, after the claims that the judge flags and what the evidence decides."""
    batch = debate_of(text, rubric=rubric)
    batch.add(SUPPLIED, None)
    score(batch, 1, logic=20)
    claims = given(ClaimsAnswer(claims=list(said)))
    flag_claims(batch, 1, claims)
    checked = check_turn(text, PASSAGES, minimum=8, earlier=["Cities should ban cars"])
    pairs = pairs_of(text, checked.citations, suspected(text, claims.values, 8), {})
    answers = {} if forward is None else {"forward": forward, "backward": backward or forward}
    record_evidence(batch, 1, checked, pairs, PASSAGES, answers)
    return batch


def fabricated(quote: str) -> SuspectClaim:
    return SuspectClaim(quote=quote, kind="fabricated_citation", reason="never heard of it")


def flags(batch: EventBatch) -> list[tuple[str, float]]:
    return [(each.kind, -each.requested) for each in batch.debate.claims.values()]


# findings


def test_each_citation_is_an_event_by_name_with_its_words() -> None:
    batch = judged(f"{TRUE} {INVENTED}")

    true, invented = events_of(batch, CitationChecked)
    assert ("R1.1", "E1", "verified") == (true.citation, true.passage, true.finding)
    assert ("R1.2", "E9", "unknown_passage") == (invented.citation, invented.passage, invented.finding)
    assert "ridership on the city's buses rose by 12 percent" == true.quote
    assert true.stands
    assert true.quote == PASSAGES["E1"][true.stands[0] : true.stands[1]]
    assert tuple(batch.debate.citations.checked.values()) == (true, invented)


def test_more_citations_than_are_checked_leave_a_note() -> None:
    batch = judged(" ".join(f"Point {n} is that buses fill up [E1]." for n in range(100)))

    assert any("further citations were not checked" in each for each in refusals(batch))


# what the words decide


def test_a_misquotation_costs_and_shows_both_quotes() -> None:
    batch = judged(MISQUOTED)

    [flag] = events_of(batch, ClaimFlagged)
    assert ("misquotation", "evidence") == (flag.kind, flag.by)
    assert "rose by 40 percent" in flag.quote
    assert flag.evidence
    assert "rose by 12 percent" in flag.evidence.quote
    assert effective(batch, 1) == 18
    assert "upheld" == batch.debate.claims[flag.claim].state
    assert "evidence" == batch.debate.claims[flag.claim].decided_by


def test_an_invented_passage_costs() -> None:
    batch = judged(INVENTED)

    assert [("invented_passage", 2)] == flags(batch)
    assert effective(batch, 1) == 18


def test_true_words_with_the_wrong_id_cost_less_and_show_where_they_stand() -> None:
    batch = judged('"frequency mattered more to them than the price" [E1].')

    [flag] = events_of(batch, ClaimFlagged)
    assert ("wrong_passage", 19) == (flag.kind, effective(batch, 1))
    assert flag.evidence
    assert ("E3", "frequency mattered more to them than the price") == (flag.evidence.passage, flag.evidence.quote)


@pytest.mark.parametrize(
    "text",
    [TRUE, "Buses filled up [E1].", "A 2019 study by Harvard University says so.", "Nothing is cited here at all."],
)
def test_true_words_paraphrases_and_sources_outside_the_evidence_cost_nothing(text: str) -> None:
    batch = judged(text)

    assert flags(batch) == []
    assert effective(batch, 1) == 20


def test_without_a_rule_findings_cost_nothing() -> None:
    batch = judged(f"{MISQUOTED} {INVENTED}", rubric=rubric_v1())

    assert ["misquoted", "unknown_passage"] == [each.finding for each in events_of(batch, CitationChecked)]
    assert events_of(batch, ClaimFlagged) == []


def test_the_same_words_are_paid_for_once() -> None:
    unverifiable = SuspectClaim(
        quote="ridership on the city's buses rose by 40 percent", kind="unverifiable", reason="?"
    )
    inverted = SuspectClaim(quote="ridership on the city's buses rose by 40 percent", kind="inverted_fact", reason="no")

    assert [("unverifiable", 0), ("misquotation", 2)] == flags(judged(MISQUOTED, unverifiable))
    assert [("inverted_fact", 2)] == flags(judged(MISQUOTED, inverted))


# flags of fabricated citations


def test_a_flag_on_a_verified_citation_is_cleared_and_its_points_return() -> None:
    batch = judged(TRUE, fabricated("ridership on the city's buses rose by 12 percent"))

    [cleared] = events_of(batch, ClaimCleared)
    assert "evidence" == cleared.by
    assert "E1" in cleared.reason
    assert [2] == [each.requested for each in events_of(batch, PenaltyReversed)]
    assert effective(batch, 1) == 20


@pytest.mark.parametrize("text", [MISQUOTED, INVENTED])
def test_a_flag_on_a_misquoted_or_invented_citation_is_upheld_and_paid_for_once(text: str) -> None:
    batch = judged(text, fabricated(text[:-1]))

    assert events_of(batch, ClaimCleared) == []
    assert "upheld" == batch.debate.claims["C1.1"].state
    assert [("fabricated_citation", 2)] == flags(batch)
    assert effective(batch, 1) == 18


def test_a_source_outside_the_evidence_is_uncited_and_not_fabricated() -> None:
    text = "A 2019 study by Harvard University says so."

    batch = judged(text, fabricated("A 2019 study by Harvard University"))

    [cleared] = events_of(batch, ClaimCleared)
    assert "uncited" in cleared.reason
    assert effective(batch, 1) == 20


def test_a_flag_on_words_that_name_no_source_is_cleared_too() -> None:
    batch = judged("Everybody in town knows this figure.", fabricated("Everybody in town knows"))

    assert "cleared" == batch.debate.claims["C1.1"].state


def test_other_flags_are_not_decided_by_the_evidence() -> None:
    batch = judged(TRUE, SuspectClaim(quote="rose by 12 percent", kind="overclaim", reason="too sure"))

    assert "flagged" == batch.debate.claims["C1.1"].state


# what the judge says


CONTRADICTS = relation(1, "contradicts", "Car traffic on the main roads fell by less than 2 percent", "it hardly fell")


def test_a_contradiction_in_both_orders_costs_and_shows_both_quotes() -> None:
    batch = judged(OPPOSITE, forward=says(CONTRADICTS))

    [weighed] = events_of(batch, EvidenceWeighed)
    assert ("contradicts", ("R1.1",)) == (weighed.relation, weighed.citations)
    [flag] = events_of(batch, ClaimFlagged)
    assert ("contradicted_by_evidence", "judge", OPPOSITE) == (flag.kind, flag.by, flag.quote)
    assert flag.evidence
    assert "Car traffic on the main roads fell by less than 2 percent" == flag.evidence.quote
    assert ["contradicted_by_evidence"] == [each.rule for each in events_of(batch, PenaltyApplied)]
    assert effective(batch, 1) == 18
    assert "flagged" == batch.debate.claims[flag.claim].state, "a second opinion may be asked for"


@pytest.mark.parametrize("backward", ["supports", "beside_the_point"])
def test_orders_that_disagree_are_undecided_and_cost_nothing(backward: Relation) -> None:
    batch = judged(OPPOSITE, forward=says(CONTRADICTS), backward=says(relation(1, backward)))

    [weighed] = events_of(batch, EvidenceWeighed)
    assert ("contradicts", backward, "undecided") == (weighed.forward, weighed.backward, weighed.relation)
    assert flags(batch) == []


def test_samples_that_disagree_are_undecided() -> None:
    split = given(*(EvidenceAnswer(relations=[relation(1, each)]) for each in ("supports", "contradicts")))

    [weighed] = events_of(judged(OPPOSITE, forward=split), EvidenceWeighed)

    assert "undecided" == weighed.relation


def test_a_contradiction_without_words_of_the_passage_is_refused() -> None:
    batch = judged(OPPOSITE, forward=says(relation(1, "contradicts", "traffic grew a lot")))

    assert ["contradicts"] == [each.relation for each in events_of(batch, EvidenceWeighed)]
    assert flags(batch) == []
    assert any("not in passage E1" in each for each in refusals(batch))


def test_a_supporting_passage_costs_nothing() -> None:
    batch = judged(OPPOSITE, forward=says(relation(1, "supports", "Car traffic on the main roads fell")))

    assert ["supports"] == [each.relation for each in events_of(batch, EvidenceWeighed)]
    assert flags(batch) == []


def test_an_order_without_an_answer_is_a_missing_check() -> None:
    batch = judged(OPPOSITE, forward=says(CONTRADICTS), backward=NO_ANSWER)

    assert ["evidence"] == [each.purpose for each in events_of(batch, CheckMissing)]
    assert events_of(batch, EvidenceWeighed) == []
    assert flags(batch) == []


def test_a_pair_that_an_answer_leaves_out_is_refused() -> None:
    batch = judged(OPPOSITE, forward=says(relation(7, "supports")))

    assert events_of(batch, EvidenceWeighed) == []
    assert any("did not say" in each for each in refusals(batch))


# what is compared


def test_cited_claims_come_first_and_suspect_ones_have_the_best_passage() -> None:
    text = f"{OPPOSITE} The survey proves that price is all that counts. {INVENTED}"
    checked = check_turn(text, PASSAGES, minimum=8).citations
    span = suspected(text, [ClaimsAnswer(claims=[fabricated("proves that price is all that counts")])], 8)[0]

    pairs = pairs_of(text, checked, [span], {span: "E3"})

    sentence = text.index("The survey"), text.index(" Trust")
    assert (
        Pair(passage="E1", claim=(0, len(OPPOSITE)), citations=(0,)),
        Pair(passage="E3", claim=sentence),
    ) == pairs


def test_a_suspect_claim_in_a_cited_sentence_is_compared_once() -> None:
    checked = check_turn(OPPOSITE, PASSAGES, minimum=8).citations

    assert 1 == len(pairs_of(OPPOSITE, checked, [(0, 11)], {(0, 11): "E3"}))


def test_pairs_are_bounded() -> None:
    text = " ".join(f"Point {n} is that buses fill up [E{n % 3 + 1}]." for n in range(100))

    assert 8 == len(pairs_of(text, check_turn(text, PASSAGES, minimum=8).citations))


def test_the_shipped_rules_cost_what_the_documentation_says() -> None:
    points = {kind: rule.points for kind, rule in evidence_rules().items()}

    assert {
        "misquotation": 2,
        "wrong_passage": 1,
        "invented_passage": 2,
        "contradicted_by_evidence": 2,
    } == points
    assert not rubric_v2().evidence
    assert with_evidence(rubric_v1()) == rubric_v1()
    assert with_evidence(RUBRIC) == RUBRIC
