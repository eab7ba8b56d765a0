"""The authority battery with a pack: mock judges flag citations at random, and the pack decides what stands."""

import random
from collections import Counter

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.types import EvidenceDocument, EvidencePassage, EvidenceSupplied
from judge.evidence.checks import check_turn
from judge.evidence.rules import FABRICATED as FLAG
from judge.evidence.rules import record_evidence
from judge.lab.items import installed
from judge.live.answers import Answers
from judge.live.claims import ClaimsAnswer, SuspectClaim, flag_claims
from judge.rubrics.rubric import rubric_v2, with_evidence
from tests.judge.turns import debate_of, effective, opened, score
from tests.measuring.packed_citations import FORMS, PackedCitation, packed_citations

CITATIONS = [each for item in installed() for each in packed_citations(item)]
RUBRIC = with_evidence(rubric_v2())
LOGIC = 20.0


def cost(citation: PackedCitation, *, is_flagged: bool) -> float:
    """Points that a citation costs after the pack has decided; the judge has flagged it or not."""
    batch = debate_of(citation.text, rubric=RUBRIC)
    document = EvidenceDocument(id="D1", name="report", digest="00", media_type="text/plain")
    passages = tuple(EvidencePassage(id=name, text=text) for name, text in citation.passages.items())
    batch.add(EvidenceSupplied(document=document, passages=passages), None)
    score(batch, 1, logic=LOGIC)
    checked = check_turn(citation.text, citation.passages, minimum=RUBRIC.quote_minimum, earlier=[opened().motion])
    if is_flagged:
        span = next((each.quoted or each.statement for each in checked.citations), (0, len(citation.text)))
        words = citation.text[span[0] : span[1]][:300]
        answer = ClaimsAnswer(claims=[SuspectClaim(quote=words, kind=FLAG, reason="so")])
        flag_claims(batch, 1, Answers(given=((1, answer),)))
    record_evidence(batch, 1, checked, (), citation.passages, {})
    return LOGIC - effective(batch, 1)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.3, *(pytest.param(each, marks=pytest.mark.thorough) for each in (0.0, 0.7, 1.0))])
def test_the_pack_decides_right_whatever_the_judge_flags(rate: float) -> None:
    chance = random.Random(7)
    without, wrong = Counter[bool](), []
    for each in CITATIONS:
        is_flagged = chance.random() < rate
        without[is_flagged == each.is_fabricated] += 1
        if bool(cost(each, is_flagged=is_flagged)) != each.is_fabricated:
            wrong.append((each.item, each.variant, each.form, is_flagged))

    assert wrong == []
    assert without[False] > len(CITATIONS) / 4, "without the pack such a judge is wrong about many of them"


@pytest.mark.slow
def test_a_fabricated_citation_costs_the_same_flagged_or_not() -> None:
    fabricated = [each for each in CITATIONS if each.is_fabricated]

    assert {2.0} == {cost(each, is_flagged=flagged) for each in fabricated for flagged in (False, True)}


def test_every_motion_has_every_variant_in_every_form() -> None:
    counted = Counter(each.variant for each in CITATIONS)

    assert {"held": 150, "misquoted": 150, "invented": 150, "outside": 30} == counted
    assert 30 * (3 * len(FORMS) + 1) == len(CITATIONS)


def test_a_motion_without_such_texts_has_none() -> None:

    assert list(packed_citations(replace(installed()[0], authority=UNSET))) == []
