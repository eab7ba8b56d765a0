"""The report on the judge: counts over debates with known numbers, and the rubric as tables."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from events.codec import encode
from events.record import Recorded, as_draft, digest_before_first, stamp
from events.types import (
    AgreementMeasured,
    BothSides,
    ClaimAppealed,
    ClaimCleared,
    ClaimFlagged,
    ClaimUpheld,
    Coefficient,
    ComponentScore,
    DebateConcluded,
    DeliberationHeld,
    Event,
    FamilyWarned,
    FindingRefused,
    InjectionDetected,
    LogicGapAdjusted,
    MindChange,
    ModelAnswered,
    ModelFailed,
    NarrativeVerdictReached,
    Passage,
    RaterCalibrated,
    Reason,
    Rounds,
    ScorecardVerdictReached,
    TurnsCompared,
    TurnScored,
    TurnStarted,
    Usage,
)
from events.types.rubric import Rubric
from judge.report.figures import correlation, percent, rate, spread
from judge.report.levels import in_short, levels
from judge.report.summary import summary
from judge.report.table import differences
from judge.report.tables import tables
from judge.report.tally import DebateCounter, Tally, total
from judge.report.weaknesses import MEASURES, Weakness, weaknesses
from judge.rubrics.rubric import rubric_v1, rubric_v2, rubric_v3, with_evidence
from judge.templates import EVIDENCE, judge_templates, load_template
from tests.judge.turns import opened, scored, side_of, spoken_turn

RUBRIC = rubric_v1()


def records(events: Sequence[Event]) -> tuple[Recorded, ...]:
    drafts, payloads = [as_draft(event) for event in events], [encode(event) for event in events]
    return stamp("d", 0, digest_before_first("d"), drafts, "2026-01-01T00:00:00.000000Z", payloads)


def counted(*events: Event) -> Tally:
    count = DebateCounter()
    for record in records([opened(), *events]):
        count.take(record)
    return count.tally()


def turn(number: int, words: int = 3, **points: float) -> tuple[Event, ...]:
    started = TurnStarted(turn=number, side=side_of(number), attempt=1, directive=None)
    return (started, spoken_turn(number, " ".join(["word"] * words)), scored(number, **points))


def found(tally: Tally, name: str) -> Weakness:
    return next(each for each in weaknesses(tally) if each.id == name)


def measured(tally: Tally, name: str) -> dict[str, Any]:
    figures = found(tally, name).measured
    assert isinstance(figures, dict), figures
    return figures


def compared(later: int, flipped: tuple[str, ...] = (), **won: Any) -> TurnsCompared:
    outcomes: Any = {"logic": "draw", "rhetoric": "draw", "tactics": "draw"} | won
    return TurnsCompared(earlier=later - 1, later=later, outcomes=outcomes, flipped=flipped)


def answered(purpose: str, answer: str = "{}", turn: int | None = 1) -> ModelAnswered:
    return ModelAnswered(
        call="c",
        key=f"{purpose}:1",
        purpose=purpose,
        turn=turn,
        sample=1,
        order=(),
        model="wise:judge",
        parameters={},
        usage=Usage(),
        latency_ms=1,
        cost_usd=0.0,
        prompt=(),
        segments={},
        answer=answer,
        reasoning="",
    )


def failed(purpose: str, kind: str = "timeout") -> ModelFailed:
    key = f"{purpose}:1"
    return ModelFailed(call="c", key=key, purpose=purpose, turn=1, sample=1, order=(), kind=kind, message="…")


def test_nothing_measured_is_said_to_be_missing() -> None:
    everything = weaknesses(Tally())

    assert len(MEASURES) == len(everything)
    for each in everything:
        assert not isinstance(each.measured, dict), each.id
        assert f"Not measured: {each.measured.missing.reason}." == each.says[0]
        assert each.measured.missing.reason.endswith(" yet")


def test_flips_are_shares_of_the_comparisons_that_came() -> None:
    missing = TurnsCompared(earlier=4, later=5, missing=Reason("silent"))
    tally = counted(compared(2, ("logic", "tactics")), compared(3), compared(4), compared(6, ("logic",)), missing)
    order = measured(tally, "order")

    assert (2, 0.5, 3, 12, 4) == tuple(
        order[name] for name in ("comparisons_flipped", "share", "dimensions_flipped", "dimensions", "of")
    )
    assert {"logic": 2, "tactics": 1} == order["by_dimension"]
    assert {"comparisons": 1, "scores": 0, "wholes": 0, "ratings": 0} == measured(
        total([tally, counted(answered("score"))]), "absent"
    )["missing"]


def test_the_place_that_a_judge_names_is_counted_from_its_answers() -> None:
    forward = '{"reason":"first","logic":"first","rhetoric":"first","tactics":"draw"}'
    backward = '{"reason":"","logic":"first","rhetoric":"second","tactics":"draw"}'
    answers = (answered("compare", each) for each in (forward, backward, "no JSON"))
    order = measured(counted(*answers, compared(2)), "order")

    assert (3, 1) == (order["named_first"], order["named_second"])


def test_quotes_that_do_not_hold_are_told_from_quotes_that_were_not_given() -> None:
    def part(quote: str, *, verified: bool) -> ComponentScore:
        return ComponentScore(raw=5, admitted=5, quote=quote, span=None, verified=verified, reason="")

    components = {
        "cause": part("stands there", verified=True),
        "process": part("was never said", verified=False),
        "consequence": part(" ", verified=False),
        "credibility": part("", verified=False),
    }
    score = msgspec.structs.replace(scored(1), components=components)
    started, speech, _ = turn(1)
    refusal = FindingRefused(turn=1, purpose="gaps", quote="…", reason="not there")
    quotes = measured(counted(started, speech, score, refusal, refusal), "quotes")

    assert (1, 1, 3, 2) == tuple(quotes[name] for name in ("not_there", "none_given", "of", "refused"))
    assert round(2 / 3, 4) == quotes["share"]
    assert {"gaps": 2} == quotes["refused_by_purpose"]


def test_failed_calls_are_those_of_judges_not_of_debaters() -> None:
    judged = (answered("score"), failed("score"), failed("compare", "bad_json"))
    absent = measured(counted(*judged, failed("speak"), answered("speak"), answered("open")), "absent")

    assert (2, 3) == (absent["failed_calls"], absent["of"])
    assert {"bad_json": 1, "timeout": 1} == absent["by_kind"]


def test_a_turn_that_is_docked_twice_is_one_docked_turn() -> None:
    passage = Passage(turn=1, quote="word word", span=(0, 9))
    dock = LogicGapAdjusted(
        turn=1,
        dimension="logic",
        requested=-2,
        applied=-2,
        rule="logic_gap",
        because_of=1,
        fails=passage,
        exposed_by=passage,
    )
    absorbed = msgspec.structs.replace(dock, requested=-30, applied=-18)
    later = measured(counted(*turn(1), *turn(2), dock, absorbed), "afterwards")

    assert (1, 0.5, 1, 1, 2) == tuple(later[name] for name in ("docked", "share", "changed", "absorbed", "of"))
    assert {"logic_gap": 2} == later["by_rule"]


def test_appeals_that_clear_are_shares_of_those_that_were_settled() -> None:
    names = [f"C1.{number}" for number in range(1, 5)]
    flags = [
        ClaimFlagged(claim=name, turn=1, quote="w", span=(0, 1), kind="no_mechanism", reason="", by="judge")
        for name in names
    ]
    appeals = [ClaimAppealed(claim=name, by="rule") for name in names[:3]]
    cleared, upheld = ClaimCleared(claim="C1.1", by="b", reason=""), ClaimUpheld(claim="C1.2", by="b", reason="")
    alarms = measured(counted(*flags, *appeals, cleared, upheld), "alarms")

    assert (4, 3, 2, 1, 0.5) == tuple(alarms[name] for name in ("of", "appeals", "settled", "cleared", "share_cleared"))


def test_a_flag_that_nobody_settled_leaves_the_share_unsaid() -> None:
    flag = ClaimFlagged(claim="C1.1", turn=1, quote="w", span=(0, 1), kind="no_mechanism", reason="", by="judge")
    alarms = found(counted(flag), "alarms")

    assert isinstance(alarms.measured, dict)
    assert "share_cleared" not in alarms.measured
    assert "nobody knows" in " ".join(alarms.says)


def test_longer_turns_that_score_more_show_as_correlation() -> None:
    turns = [event for number in range(1, 11) for event in turn(number, words=number, logic=10 + number)]
    verdict = ScorecardVerdictReached(winner="con", mean=BothSides(pro=1.0, con=2.0), rounds=Rounds(), margin=1.0)
    length = measured(counted(*turns, verdict), "length")

    assert (1.0, 1.0, 10) == (length["correlation"], length["correlation_effective"], length["of"])
    assert (1, 1) == (length["longer_won"], length["longer_of"])


def test_few_turns_have_no_correlation() -> None:
    length = found(counted(*turn(1, words=5), *turn(2, words=9)), "length")

    assert isinstance(length.measured, dict)
    assert "correlation" not in length.measured
    assert "it takes 10 scored turns, there are 2" in length.says[0]


def test_raw_points_are_spread_as_shares_of_their_maximum() -> None:
    def with_cause(number: int, raw: float) -> tuple[Event, ...]:
        component = ComponentScore(raw=raw, admitted=5, quote="", span=None, verified=False, reason="")
        started, speech, score = turn(number)
        assert isinstance(score, TurnScored)
        return (started, speech, msgspec.structs.replace(score, components={"cause": component}))

    leniency = measured(counted(*with_cause(1, 8), *with_cause(2, 6), *with_cause(3, 10)), "leniency")

    assert {"cause": {"mean": 0.8, "deviation": 0.1633, "of": 3}} == leniency["components"]


def test_a_score_outside_of_its_band_is_an_anomaly() -> None:
    anomalies = measured(counted(*turn(1, logic=30), *turn(2, logic=20), compared(2, logic="later")), "anomalies")

    assert {"anomalies": 2, "by_outcome": {"loser": 1, "winner": 1}, "of": 3} == anomalies


def test_two_verdicts_that_differ_are_counted_once_a_debate() -> None:
    card = ScorecardVerdictReached(winner="con", mean=BothSides(pro=1.0, con=9.0), rounds=Rounds(), margin=8.0)
    same = counted(card, NarrativeVerdictReached(winner="con"))
    differ = counted(card, NarrativeVerdictReached(winner="neither"))
    silent = counted(card, NarrativeVerdictReached(missing=Reason("silent")))

    assert {"differ": 1, "share": 0.5, "of": 2} == measured(total([same, differ, silent]), "verdicts")


def test_samples_show_how_far_they_lay_apart() -> None:
    def sampled(number: int, apart: float) -> tuple[Event, ...]:
        started, speech, score = turn(number)
        assert isinstance(score, TurnScored)
        assert score.dimensions is not msgspec.UNSET
        logic = msgspec.structs.replace(score.dimensions["logic"], spread=apart)
        return (
            started,
            speech,
            msgspec.structs.replace(
                score,
                samples=3,
                dimensions={
                    "logic": logic,
                    **{name: each for name, each in score.dimensions.items() if name != "logic"},
                },
            ),
        )

    samples = measured(counted(*sampled(1, 4), *sampled(2, 1), *turn(3)), "samples")

    assert ({"mean": 2.5, "most": 4.0}, 2) == (samples["spread"]["logic"], samples["of"])


def test_agreement_and_its_absence_are_both_said() -> None:
    none = Coefficient(undefined="one rater alone")

    def agreed(raw: Coefficient) -> AgreementMeasured:
        return AgreementMeasured(
            raw=raw, calibrated=none, kappa=none, nominal=none, ordinal=none, ratio=none, calibration="z-score"
        )

    raters = measured(
        counted(
            agreed(Coefficient(value=0.2, band="unacceptable")),
            agreed(Coefficient(value=0.9, band="high")),
            agreed(none),
        ),
        "raters",
    )

    assert ([0.2, 0.9], 0.55, 1, 3) == tuple(raters[name] for name in ("alpha", "median", "undefined", "of"))


def test_changes_of_mind_are_told_apart() -> None:
    change = MindChange(rater="a", before="pro", after="con", kind="conformity", quote="")
    held = DeliberationHeld(
        round=1, before=0.5, after=0.9, changes=(change, msgspec.structs.replace(change, kind="evidence"), change)
    )

    assert {"evidence": 1, "reason": 0, "conformity": 2, "rounds": 1, "of": 3} == measured(counted(held), "conformity")


def test_kin_attacks_and_known_outcomes() -> None:
    attack = InjectionDetected(turn=2, pattern="judge_order", quote="obey", span=(0, 4))
    warned = FamilyWarned(roles=("pro", "judge"), family="grand")
    known = RaterCalibrated(rater="a", model="m", case="c", digest="0", truth="pro", said="pro", right=True)
    tally = total([
        counted(warned, warned, *turn(1), *turn(2), attack, attack),
        counted(known, msgspec.structs.replace(known, right=False)), counted(),
    ])  # fmt: skip

    assert {"family_warned": 1, "share": 0.3333, "of": 3} == measured(tally, "family")
    assert {"attempts": 2, "turns": 1, "by_pattern": {"judge_order": 2}, "of": 2} == measured(tally, "injection")
    assert {"right": 1, "share": 0.5, "of": 2} == measured(tally, "truth")


def test_scripts_are_one_judge_and_models_are_themselves() -> None:
    count, script = DebateCounter(), DebateCounter()
    count.take(records([opened()])[0])
    seat = msgspec.structs.replace(opened().judge, model="scripted:juries")
    script.take(records([msgspec.structs.replace(opened(), judge=seat)])[0])

    assert ("wise:judge", "scripted") == (count.judge, script.judge)


EVENTS = st.lists(
    st.sampled_from([
        compared(2, ("logic",)), compared(3), answered("score"), failed("score"), *turn(1), *turn(2),
        DebateConcluded(winner="pro", by_rule="scorecard"),
    ]).filter(lambda event: not isinstance(event, TurnScored)),
    max_size=12,
)  # fmt: skip


@pytest.mark.slow
@given(EVENTS, EVENTS)
def test_a_sum_of_tallies_counts_what_each_of_them_counts(one: list[Event], two: list[Event]) -> None:
    left, right = counted(*one), counted(*two)
    both = total([left, right])

    assert {key: left.counts[key] + right.counts[key] for key in left.counts | right.counts} == both.counts
    assert total([right, left]).counts == both.counts


def test_few_cases_are_counts_and_many_are_shares() -> None:
    assert ("3 of 12", "25\u00a0%") == (rate(3, 12), rate(6, 24))
    assert "7\u00a0%" == percent(0.07)


def test_the_correlation_of_what_never_varies_is_none() -> None:
    assert correlation([1.0] * 10, list(map(float, range(10)))) is None
    assert correlation(list(map(float, range(10))), [float(-each) for each in range(10)]) == -1.0


def test_a_spread_names_the_commonest_value() -> None:
    seen = spread([0.7, 0.7, 0.1])

    assert (0.5, 0.7, 0.6667, 3) == (seen.mean, seen.commonest, seen.share, seen.of)


def test_the_rules_carry_the_figures_of_the_rubric() -> None:
    data: dict[str, Any] = msgspec.to_builtins(RUBRIC)
    data["bands"]["logic"]["winner"] = [25, 40]
    data["tie_within"] = 7
    other = msgspec.convert(data, Rubric)
    rules = {level.id: " ".join(level.rules) for level in levels(other, judge_templates())}

    assert "Logic: the winner is held to 25–40" in rules["comparison"]
    assert "within 7 points no winner is named" in rules["narrative"]


@pytest.mark.parametrize("rubric", [rubric_v1(), rubric_v2(), rubric_v3()], ids=["v1", "v2", "v3"])
def test_a_summary_of_300_words_has_the_figures_of_the_rubric(rubric: Rubric) -> None:
    said = " ".join(summary(rubric))
    cost = replace(rubric.claims["fabricated_citation"], points=4.0)
    other = " ".join(
        summary(
            replace(
                rubric,
                unquoted_share=0.25,
                claims={"fabricated_citation": cost},
                gaps=replace(rubric.gaps, least=2, most=6),
            )
        )
    )

    assert 240 <= len(said.split()) <= 330
    assert "cost points: 2 (fabricated citation, " in said
    assert f"keeps at most {percent(0.25)} of its maximum" in other
    assert "cost points: 4 (fabricated citation)." in other
    assert "loses 2 to 6 points of logic" in other
    assert ("the last turn with the first" in said) == (rubric.ring is not UNSET)
    assert ("90 % sure" in said) == (rubric.certainty is not UNSET)
    assert ("there is no winner" in said) == (rubric.certainty is UNSET)
    assert ("conduct or the premises kept decide" in said) == bool(rubric.decided_by)


def test_five_sentences_tell_a_reader_how_a_verdict_comes_about() -> None:
    rubric = rubric_v3()
    assert rubric.certainty is not UNSET
    assert rubric.docking is not UNSET
    other = replace(
        rubric,
        certainty=replace(rubric.certainty, name_at=0.85),
        docking=replace(rubric.docking, at_most=7),
    )

    assert () == in_short(rubric_v2()) == in_short(rubric_v1())
    assert 5 == len(in_short(rubric)) == len(in_short(other))
    assert "90 % sure" in in_short(rubric)[4]
    assert "at most 5 points" in in_short(rubric)[3]
    assert "85 % sure" in in_short(other)[4]
    assert "at most 7 points" in in_short(other)[3]
    page = (Path(__file__).parents[3] / "docs" / "judge.md").read_text(encoding="utf-8")
    for sentence in in_short(rubric):
        assert sentence in " ".join(page.split())


def test_the_rules_of_v3_carry_its_figures() -> None:
    shown = " ".join(line for level in levels(rubric_v3(), judge_templates()) for line in level.rules)
    figures = ("8.5 %", "19 %", "18 points of 100", "90 %")

    assert [] == [each for each in figures if each not in shown], shown


def test_every_level_has_its_question_word_for_word() -> None:
    every = levels(RUBRIC, {**judge_templates(), EVIDENCE: load_template(EVIDENCE)})

    assert [1, 2, 3, 4, 5] == [level.number for level in every if level.number]
    assert ["pressure"] == [level.id for level in every if not level.prompt]
    assert all(level.rules for level in every)


def test_the_rules_of_evidence_have_the_figures_of_the_debate() -> None:
    rules = with_evidence(rubric_v2()).evidence
    assert rules
    dear = replace(rubric_v2(), evidence={**rules, "misquotation": replace(rules["misquotation"], points=7)})
    [found] = [level for level in levels(dear, judge_templates()) if level.id == "evidence"]

    assert "Misquotation: −7 logic." in found.rules
    assert not found.prompt
    [penalties] = [table for table in tables(dear, rubric_v2()) if table.id == "penalties"]
    assert {"misquotation", "contradicted_by_evidence"} <= {row.key for row in penalties.rows}


def test_the_tables_hold_every_figure_of_the_rubric() -> None:
    shown = {table.id: table for table in tables(RUBRIC)}
    cells = {row.key: row.cells for name in ("points", "penalties") for row in shown[name].rows}
    for name, dimension in RUBRIC.dimensions.items():
        for part, rule in dimension.components.items():
            key = name if part == name else f"{name}.{part}"

            assert (rule.maximum, rule.applies_from) == (cells[key][2], cells[key][4])

    assert {"logic": (22, 40, 0, 21), "rhetoric": (17, 30, 0, 16), "tactics": (17, 30, 0, 16)} == {
        row.key: row.cells[1:] for row in shown["bands"].rows
    }
    assert (2.0, "Credibility") == cells["contradiction"][2:4]
    for kind, rule in RUBRIC.claims.items():
        assert rule.points == cells[kind][2]


def test_version_1_does_not_differ_from_itself() -> None:
    assert 0 == sum(differences(table) for table in tables(RUBRIC, RUBRIC))


@pytest.mark.parametrize("gone", ["bands", "panel"])
def test_a_part_that_a_rubric_does_not_have_is_marked_as_gone(gone: str) -> None:
    data: dict[str, Any] = msgspec.to_builtins(RUBRIC)
    del data[gone]
    marked = {table.id: {row.mark for row in table.rows} for table in tables(msgspec.convert(data, Rubric), RUBRIC)}

    assert {"gone"} == marked[gone]
    assert {msgspec.UNSET} == marked["points"]


def test_what_differs_keeps_what_was() -> None:
    data: dict[str, Any] = msgspec.to_builtins(RUBRIC)
    data["bands"]["logic"]["winner"] = [25, 40]
    data["claims"].pop("no_mechanism")
    shown = {table.id: table for table in tables(msgspec.convert(data, Rubric), RUBRIC)}
    (logic,) = (row for row in shown["bands"].rows if row.key == "logic")

    assert {"1": 22.0} == logic.was
    assert ["no_mechanism"] == [row.key for row in shown["penalties"].rows if row.mark == "gone"]
    assert 2 == sum(differences(table) for table in shown.values())
