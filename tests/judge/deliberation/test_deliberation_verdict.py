"""The verdict on an artifact: weights, the more severe of equal verdicts, findings without duplicates, reasons."""

from typing import Any

import pytest
from msgspec import UNSET

from events.types import Reason
from events.types.deliberation import ArtifactJudged, DeliberationHeld, MindChange
from judge.deliberation.subject import ARTIFACT_VERDICTS, Subject
from judge.deliberation.verdict import judge_artifact, judge_weights, leading, shares
from tests.judge.deliberation.judges import DIMENSIONS, PERSONAS, RULES, TEXT, even_scores, opinion, persona_seats

SUBJECT = Subject(
    verdicts=ARTIFACT_VERDICTS, dimensions=dict.fromkeys(DIMENSIONS, "x"), low=1, high=3, texts=(TEXT,), quote_minimum=8
)


def panel(*verdicts: str, **more: Any) -> dict[str, Any]:
    """Opinions of the personas in their order; an empty verdict is a missing opinion."""
    return {
        name: opinion(said, even_scores(2) if said else None, **more)
        for name, said in zip(PERSONAS, verdicts, strict=True)
    }


def verdict(*rounds: dict[str, Any], held: tuple[DeliberationHeld, ...] = (), **more: Any) -> ArtifactJudged:
    return judge_artifact(persona_seats(), rounds, held, RULES, SUBJECT, **more)


def held(number: int = 1, ended: str = "over", *kinds: Any) -> DeliberationHeld:
    moves = tuple(MindChange(rater="x", before="PASS", after="FAIL", kind=kind, quote="") for kind in kinds)
    return DeliberationHeld(round=number, before=0.5, after=0.6, changes=moves, ended=ended)


def test_the_personas_weigh_what_the_seed_says() -> None:
    assert dict(zip(PERSONAS, (0.25, 0.25, 0.20, 0.15, 0.15), strict=True)) == judge_weights(persona_seats())


def test_half_the_weight_against_half_is_a_tie_and_the_graver_verdict_counts() -> None:
    said = verdict(panel("PASS", "PASS", "FAIL", "FAIL", "FAIL"))

    assert {"PASS": 0.5, "FAIL": 0.5} == said.shares
    assert "FAIL" == said.verdict == said.independent
    assert "FAIL and PASS have equal weight (50 %): the graver one counts" in said.reasons


def test_three_of_five_lose_where_two_have_as_much_weight_and_are_graver() -> None:
    said = verdict(panel("FAIL", "FAIL", "PASS", "PASS", "PASS"))

    assert "FAIL" == said.verdict


def test_three_of_five_lose_by_weight() -> None:
    share = dict(zip(PERSONAS, (0.35, 0.25, 0.20, 0.10, 0.10), strict=True))
    opinions = panel("PASS", "PASS", "FAIL", "FAIL", "FAIL")
    said = judge_artifact(persona_seats(share), (opinions,), (), RULES, SUBJECT)

    assert {"PASS": pytest.approx(0.6), "FAIL": pytest.approx(0.4)} == said.shares
    assert "PASS" == said.verdict


def test_the_greatest_share_needs_no_majority() -> None:
    said = verdict(panel("PASS", "CONDITIONAL", "PASS", "FAIL", "FAIL"))

    assert {"PASS": 0.45, "CONDITIONAL": 0.25, "FAIL": 0.3} == said.shares
    assert "PASS" == said.verdict


@pytest.mark.parametrize(
    ("behind", "graver"),
    [
        ({"PASS": 0.5, "CONDITIONAL": 0.5}, "CONDITIONAL"),
        ({"CONDITIONAL": 0.5, "FAIL": 0.5}, "FAIL"),
        ({"PASS": 1 / 3, "FAIL": 1 / 3, "CONDITIONAL": 1 / 3}, "FAIL"),
        ({"PASS": 1.0}, "PASS"),
    ],
)
def test_of_equals_the_graver_counts(behind: dict[str, float], graver: str) -> None:
    assert graver == leading(behind, ARTIFACT_VERDICTS)


def test_weights_are_shared_out_among_those_who_answered() -> None:
    opinions = panel("PASS", "", "FAIL", "", "FAIL")
    said = verdict(opinions)

    assert {"PASS": pytest.approx(0.25 / 0.6), "FAIL": pytest.approx(0.35 / 0.6)} == said.shares
    assert pytest.approx(1) == sum(shares(opinions, judge_weights(persona_seats())).values())
    assert "FAIL" == said.verdict
    assert "Compliance auditor gave no opinion in round 0: it did not answer" in said.reasons


def test_nobody_answered_is_a_missing_verdict() -> None:
    said = verdict(panel("", "", "", "", ""))

    assert isinstance(said.missing, Reason)
    assert (UNSET, UNSET, {}, {}) == (said.verdict, said.independent, said.shares, said.independent_shares)
    assert not said.converged
    assert 1 == said.missing.reason.count("it did not answer")


def test_one_answer_is_a_verdict_without_an_agreement() -> None:
    said = verdict(panel("PASS", "", "", "", ""))

    assert ("PASS", UNSET, False) == (said.verdict, said.agreement, said.converged)


def test_the_independent_verdict_stays_the_one_of_record() -> None:
    said = verdict(
        panel("CONDITIONAL", "CONDITIONAL", "PASS", "PASS", "CONDITIONAL"),
        panel(*["PASS"] * 5),
        held=(held(1, "the judges agree", "conformity", "conformity", "evidence"),),
    )

    assert ("CONDITIONAL", "PASS") == (said.independent, said.verdict)
    assert 0.65 == said.independent_shares["CONDITIONAL"]
    assert {"PASS": 1.0} == said.shares
    assert (0.76, 1.0, True) == (said.independent_agreement, said.agreement, said.converged)
    moved = "the verdict moved from CONDITIONAL to PASS in deliberation"
    assert f"{moved}; changes of verdict: 2 by conformity, 1 by new evidence" in said.reasons
    assert "the judges agree" in said.reasons


def test_reasons_say_that_nothing_moved() -> None:
    before = panel("PASS", "PASS", "FAIL", "FAIL", "PASS")

    assert (
        "the verdict stayed PASS in deliberation; nobody changed a verdict"
        in verdict(before, before, held=(held(),)).reasons
    )
    counted = "the verdict stayed PASS in deliberation; changes of verdict: 1 by conformity, none by new evidence"
    assert counted in verdict(before, before, held=(held(1, "over", "conformity"),)).reasons
    assert "nobody asked for it" in verdict(before, why_none="nobody asked for it").reasons


def test_a_round_that_too_few_answered_does_not_count() -> None:
    before = panel("PASS", "PASS", "FAIL", "FAIL", "PASS")
    said = verdict(before, panel("", "", "FAIL", "", ""), held=(held(),))

    assert "PASS" == said.verdict
    assert said.shares == said.independent_shares
    assert said.agreement == said.independent_agreement


def test_findings_stand_once_and_the_weightiest_first() -> None:
    opinions = panel("FAIL", "FAIL", "FAIL", "FAIL", "FAIL") | {
        "qa_evaluator": opinion("FAIL", findings=("no test", "No  password"), remediation=("test it",)),
        "security_analyst": opinion("FAIL", findings=("no password",), remediation=("ask for one",)),
        "compliance_auditor": opinion("FAIL", findings=("no record",), remediation=("test it",)),
    }
    said = verdict(opinions)

    assert ("no password", "no record", "no test") == said.findings
    assert ("test it", "ask for one") == said.remediation


def test_a_finding_is_not_taken_back_by_silence() -> None:
    first = panel("FAIL", "FAIL", "FAIL", "PASS", "PASS") | {"domain_expert": opinion("FAIL", findings=("old",))}
    later = panel("FAIL", "FAIL", "FAIL", "FAIL", "") | {"technical_architect": opinion("FAIL", findings=("new",))}

    assert ("new", "old") == verdict(first, later, held=(held(),)).findings
