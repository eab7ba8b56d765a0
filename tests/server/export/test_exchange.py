"""An exchange in sentences: its outcome, what shaped a turn, and what was not checked, refused or settled."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET, structs

from events.record import Draft
from events.transfer import parse_lines
from events.types import (
    BothSides,
    CheckMissing,
    ClaimCleared,
    ClaimFlagged,
    ComponentScore,
    ConflictResolved,
    DebateAudited,
    DebateConcluded,
    DimensionScore,
    FindingRefused,
    NarrativeVerdictReached,
    PremiseStated,
    PremiseWithdrawn,
    Reason,
    Rounds,
    ScorecardVerdictReached,
    ScoreHarmonized,
    TurnsCompared,
    TurnScored,
)
from events.view import view as views
from events.view.view import View
from server.export.audit import Audit, Auditor
from server.export.debate.exchange import audit_lines
from server.export.debate.transcript import as_markdown, debate_document
from server.export.document.markdown import to_markdown
from tests.server.debate_events import answered, failed, folds, opened, question_failed, recorded, spoken, started

TESTS = Path(__file__).parents[2]
V1 = TESTS / "events" / "view" / "golden" / "0.1-juries.ndjson"
V2 = TESTS / "server" / "debate" / "logs" / "free_transport_v2.ndjson"
SCORES = {name: DimensionScore(raw=10, admitted=10) for name in ("logic", "rhetoric", "tactics", "credibility")}


@cache
def document(path: Path) -> str:
    """The Markdown of a recorded debate with the audits of its turns."""
    records = parse_lines(path.read_bytes().splitlines(keepends=True))
    view = views.apply_all(views.INITIAL, records).view
    return as_markdown(view, audits(records))


def audits(records: Any) -> list[Audit]:
    return Auditor(views.apply_all(views.INITIAL, records)).audits()


def shown(*events: Any) -> tuple[View, list[Audit]]:
    records = recorded([opened(), started(1), spoken(1), *events])
    return folds(records)[-1].view, audits(records)


def scored(turn: int = 1, **more: Any) -> TurnScored:
    return TurnScored(turn=turn, components={}, dimensions=SCORES, samples=1, **more)


def test_the_outcome_stands_at_the_top() -> None:
    top = document(V2).partition("## Turn 1")[0]

    assert "Con wins by the scorecard, 13.7 points ahead (Pro 56.0, Con 69.7)." in top
    assert "- **The scorecard:** Con. Pro 56, Con 69.7, 13.7 apart. Exchanges won: Pro 1, Con 5, 1 drawn. An" in top
    assert "- **The reading of the whole debate:** Con, by a narrow margin, confidence medium." in top
    assert "- **What moved the lead:** The lead moved 9.4 points towards Con after the judge gave its points (" in top
    moments = top.partition("## Key moments")[2].strip().splitlines()
    assert len(moments) == 8
    assert moments[2].startswith("- event 67: Pro withdrew premise P1.2 openly in turn 3. “")


def test_the_judges_words_on_the_whole_debate_name_the_sides() -> None:
    text = document(V2)

    assert "Con attacked the road effect from turn 2 on, and Pro conceded it in turns 3 and 7" in text
    assert "Both readings name Con as the winner" in text
    assert "Speaker A" not in text
    assert "Speaker B" not in text


def test_a_turn_tells_what_shaped_it_how_it_compares_and_what_it_concedes() -> None:
    third = document(V2).partition("## Turn 3")[2].partition("## Turn 4")[0]

    assert third.startswith(
        " · ▲ Pro\n\n*Pressure on the debater after turn 1, from 0 to 1: cognitive 0.25, emotional 0.07"
    )
    assert "Directive: Be readier to adapt where you have been answered." in third
    assert "against turn 2: logic won slightly · rhetoric lost slightly · tactics drawn" in third
    assert "read in the order Con, Pro: Pro answers with evidence, turns the cleaner into a case for fairness" in third
    assert "concession: it withdraws P1.2 openly (Removing the fare moves short car trips" in third


def test_a_turn_tells_its_quotes_its_suspect_claims_and_why_it_was_docked() -> None:
    first = document(V1).partition("## Turn 1")[2].partition("## Turn 2")[0]
    third = document(V1).partition("## Turn 3")[2].partition("## Turn 4")[0]

    assert (
        "\n- logic, process 8/10: The step from training to verdict is named and illustrated by eyewitnesses.\n"
        in first
    )
    assert "\n  - “the trained mind discounts what deserves discounting”\n" in first
    assert (
        "- event 25: tactics -5 (a clear loss). "
        "lost tactics against turn 2: the loser may have at most 16, penalties left out" in first
    )
    assert "- event 63: logic -4 (logic gap). The appeal reads a defence of the verdict, not its making" in first
    assert "; turn 4: “Reasons are composed after the decision" in first
    assert "- suspect claim C3.1 (fabricated citation, upheld): “The Larkmoor Bench Audit measured it" in third


def test_the_rule_of_a_comparison_says_no_degree_that_its_reason_could_contradict() -> None:
    why = "clearly won tactics against turn 2: the winner is put 1 ahead"
    won = ScoreHarmonized(
        turn=1, dimension="tactics", requested=0.5, applied=0.5, rule="slight_winner", because_of=4, reason=why
    )
    view, found = shown(scored(), won)

    assert f"- event 5: tactics +0.5 (won the comparison). {why}, penalties left out\n" in as_markdown(view, found)


def test_a_directive_that_may_not_be_read_yet_is_left_out() -> None:
    records = parse_lines(V1.read_bytes().splitlines(keepends=True))
    view = views.apply_all(views.INITIAL, records[:-1]).view

    assert "*Pressure on the debater after turn 2, from 0 to 1: " in as_markdown(view)
    assert "Directive:" not in as_markdown(view)
    assert "Directive:" in document(V1)
    assert "Key moments" not in as_markdown(view)


def test_second_opinions_and_refusals_are_listed_with_their_events() -> None:
    assert "- turn 3, event 54: second opinion (judge, asked again): C3.1 upheld. No court statistics" in document(V1)
    ending = document(V2).partition("## Not checked, refused, paid for already, and second opinions")[2]
    assert (
        "- turn 6, event 170: found, and paid for already, flaw (judged with turn 7): “the city already knows" in ending
    )
    assert "- turn 8, event 219: the closing audit took points from 4 turns" in ending


def test_what_failed_is_not_checked_and_never_nothing_found() -> None:
    absent = {"rhetoric": Reason("only 1 of 4 quotes is in the turn")}
    failure = CheckMissing(turn=1, purpose="claims", reason="timeout: it took too long")
    view, [audit] = shown(question_failed(1), scored(absent=absent), failure, DebateAudited(missing=Reason("gone")))
    text = as_markdown(view, [audit])

    assert audit.absent == absent
    assert audit.unchecked == {"claims": Reason("timeout: it took too long")}
    assert [(each.key, each.kind) for each in audit.failed or ()] == [("score:1", "timeout")]
    first, _, last = text.partition("## Not checked")
    for part in (first, last):
        assert "no score for rhetoric: only 1 of 4 quotes is in the turn" in part
        assert "claims not checked: timeout: it took too long" in part
    assert "event 4: no usable answer to score:1 (timeout)" in last
    assert "the closing audit was not made: gone" in last


def test_a_debaters_own_failure_is_no_question_to_the_judge() -> None:
    _, [audit] = shown(failed(1), started(1, 2), spoken(1, 2), scored())

    assert (audit.failed, audit.refused, audit.opinions, audit.closing) == (UNSET, UNSET, UNSET, UNSET)


def test_a_finding_and_an_opinion_belong_to_the_turn_that_they_are_about() -> None:
    claim = ClaimFlagged(
        claim="C1.1", turn=1, quote="Trams carry", span=(0, 11), kind="overclaim", reason="so", by="judge"
    )
    refused = FindingRefused(turn=2, purpose="gaps", quote="words", reason="they are not in turn 1")
    cleared = ClaimCleared(claim="C1.1", by="second", reason="Speaker A is right.")
    view, [one, two] = shown(claim, scored(), started(2), spoken(2), refused, scored(2), cleared)

    assert [(each.claim, each.verdict) for each in one.opinions or ()] == [("C1.1", "cleared")]
    assert [each.reason for each in two.refused or ()] == ["they are not in turn 1"]
    assert "second opinion (second): C1.1 cleared. Pro is right." in as_markdown(view, [one, two])


def test_a_refused_flaw_stands_under_the_turn_that_it_is_about() -> None:
    refused = FindingRefused(turn=2, purpose="gaps", quote="words", reason="nothing is left to pay", about=1)
    view, [one, two] = shown(scored(), started(2), spoken(2), refused, scored(2))

    assert [(each.reason, each.judged_with) for each in one.refused or ()] == [("nothing is left to pay", 2)]
    assert two.refused is UNSET
    ending = as_markdown(view, [one, two]).partition("## Not checked")[2]
    assert "found, and paid for already, flaw (judged with turn 2): “words” nothing is left to pay" in ending
    assert ending.count("- turn 1, event") == 1


def test_a_flaw_that_the_closing_audit_found_is_judged_with_no_turn() -> None:
    asked = structs.replace(answered(2), key="audit", call="audit.1.1", purpose="audit", turn=None)
    refused = FindingRefused(turn=2, purpose="gaps", quote="words", reason="nothing is left to pay", about=1)
    records = recorded([opened(), started(1), spoken(1), scored(), started(2), spoken(2), scored(2), asked, refused])
    records = [*records[:-1], structs.replace(records[-1], cause=records[-2].position)]
    one, _ = audits(records)
    [line] = [each for each in audit_lines(one, "pro") if "paid for" in each]

    assert [(UNSET, True, True)] == [(each.judged_with, each.by_audit, each.is_paid) for each in one.refused or ()]
    assert "found, and paid for already, flaw (the closing audit): “words”" in line


@pytest.mark.parametrize(("quote", "stands_under"), [("because they share one track", 1), ("nobody says this here", 2)])
def test_a_refused_flaw_of_an_older_log_stands_under_the_turn_that_has_its_words(quote: str, stands_under: int) -> None:
    other = spoken(2)
    other = structs.replace(other, text="Roads are for all, and nobody owns them.")
    refused = FindingRefused(turn=2, purpose="gaps", quote=quote, reason="turn 1 is docked for these words already")

    _, found = shown(scored(), started(2), other, refused, scored(2))

    assert [each.turn for each in found if each.refused] == [stands_under]


@pytest.mark.parametrize(
    ("winner", "title"), [("pro", "Why one is clearer than the other"), ("con", "Why they differ")]
)
def test_the_verdicts_are_said_to_differ_only_if_they_name_different_sides(winner: Any, title: str) -> None:
    verdicts = [VERDICT, NarrativeVerdictReached(winner=winner), ConflictResolved(text="So it is.")]
    view, _ = shown(
        scored(), started(2), spoken(2), scored(2), *verdicts, DebateConcluded(winner="pro", by_rule="scorecard")
    )

    assert f"## {title}\n" in as_markdown(view)


def test_every_component_has_its_points_its_reason_its_quote_and_its_rules() -> None:
    part: dict[str, Any] = {"raw": 8, "spread": 0.0}
    found = {
        "cause": ComponentScore(
            admitted=4,
            quote="Trams carry",
            span=None,
            verified=False,
            reason="Speaker B is met.",
            rules=("halved",),
            **part,
        ),
        "frame_control": ComponentScore(admitted=8, quote="", span=None, verified=True, reason="It sets it.", **part),
    }
    dimensions = {**SCORES, "frame_control": DimensionScore(raw=8, admitted=8, rules=("counted once",))}
    view, audited = shown(TurnScored(turn=1, components=found, dimensions=dimensions, samples=1))
    text = as_markdown(view, audited)

    assert (
        "- logic, cause 4/10 (the judge gave 8): Con is met.\n"
        "  - “Trams carry” (these words are not in the turn)\n"
        "  - halved\n"
        "- frame control 8/10: It sets it.\n"
        "- frame control: counted once\n"
    ) in text
    assert audited[0].components == view.turns["1"].components


def test_a_brief_document_has_the_scores_without_their_reasons() -> None:
    records = parse_lines(V2.read_bytes().splitlines(keepends=True))
    view = views.apply_all(views.INITIAL, records).view
    brief = to_markdown(debate_document(view, audits(records), is_brief=True))

    assert "against turn 2: logic won slightly" in brief
    assert "read in the order" not in brief
    assert "logic, process" not in brief
    assert "concession: it withdraws P1.2 openly" in brief


VERDICT = ScorecardVerdictReached(
    winner="pro",
    mean=BothSides(pro=30.0, con=30.0),
    rounds=Rounds(),
    margin=0.0,
    reason="pro 30, con 30: within 2 credibility decides: pro 8, con 5",
)


@pytest.mark.parametrize(
    ("verdict", "text"),
    [
        (VERDICT, "Pro (Pro 30, Con 30: at most 2 apart, so the mean credibility decides: Pro 8, Con 5). Pro 30, Con"),
        (NarrativeVerdictReached(missing=Reason("refused")), "there is none: refused."),
        (NarrativeVerdictReached(winner="neither", flipped=True), "no winner: it changed when the labels"),
        (NarrativeVerdictReached(winner="con", pattern="recovery_arc"), "Con, recovery."),
    ],
)
def test_the_headline_says_why_a_verdict_is_what_it_is(verdict: Any, text: str) -> None:
    verdicts = [verdict] if verdict is VERDICT else [VERDICT, verdict]
    view, _ = shown(
        scored(), started(2), spoken(2), scored(2), *verdicts, DebateConcluded(winner="pro", by_rule="scorecard")
    )

    assert text in as_markdown(view)


def test_the_pattern_of_a_conflict_is_told() -> None:
    conflict = ConflictResolved(text="A leads by rule.", pattern="rule_effect")

    view, _ = shown(scored(), VERDICT, NarrativeVerdictReached(winner="con", explanation="B held."), conflict)

    assert "The rules made the difference: Pro leads by rule." in as_markdown(view)


def test_the_labels_of_a_swapped_narrative_are_the_other_way_round() -> None:
    asked = question_failed(1)
    swapped = {"key": "narrative:swapped", "purpose": "narrative"}
    answer = Draft(event=answered(1, **swapped), cause=3)
    verdict = NarrativeVerdictReached(winner="neither", explanation="A conceded the point.")

    view, _ = shown(scored(), asked, answer, Draft(event=verdict, cause=6))

    assert "Con conceded the point." in as_markdown(view)


def test_a_comparison_that_is_missing_and_a_premise_withdrawn_are_told_beside_the_turn() -> None:
    stated = PremiseStated(premise="P1.1", side="pro", turn=1, text="B is wrong", quote="q", span=(0, 1))
    view, _ = shown(
        stated,
        scored(),
        started(2),
        spoken(2),
        scored(2),
        TurnsCompared(earlier=1, later=2, missing=Reason("shown as 1-2: timeout")),
        PremiseWithdrawn(premise="P1.1", turn=2, quote="q", span=(0, 1)),
    )

    second = as_markdown(view).partition("## Turn 2")[2]
    assert "no comparison with turn 1: shown as 1-2: timeout" in second
    assert "concession: it withdraws P1.1 openly (Con is wrong)" in second
