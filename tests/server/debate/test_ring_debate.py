"""A debate under rubric v3 from its questions to its verdict: the ring, second readings, forks, and what is told."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.state import debate as debates
from events.state.debate import Debate
from events.store import listing
from events.transfer import parse_lines
from events.types import (
    DebateAudited,
    DebateConcluded,
    ModelAnswered,
    ModelFailed,
    ScoreCapped,
    ScorecardVerdictReached,
    ScoreHarmonized,
    ScoreInferred,
    TurnRescored,
    TurnsCompared,
    TurnScored,
    TurnStarted,
)
from events.view import view as views
from server.cli.debates.transcript import DebatePrinter
from server.debate.setup.estimate import estimate
from server.debate.setup.origins import fork_of
from server.errors import BadField
from server.export.audit import Audit, Auditor
from server.export.debate.exchange import verdict_lines
from server.export.debate.transcript import as_markdown
from server.export.rows import outcome_of_row
from tests.server.debate.test_brief_judge import BACKWARD, FORWARD
from tests.server.debate.test_whole_debate import prompt_of, score
from tests.server.harness import check_sound, harness

pytestmark = pytest.mark.anyio
GOLDEN = Path(__file__).parents[2] / "events" / "view" / "golden" / "0.1-juries_v3.ndjson"
CALLS = (ModelAnswered, ModelFailed)


def recorded() -> Any:
    return parse_lines(GOLDEN.read_bytes().splitlines(keepends=True))


def of(records: Any, *kinds: type) -> list[Any]:
    return [each.event for each in records if isinstance(each.event, kinds)]


async def held(script: Any, turns: int, *, seat: dict[str, Any] | None = None, **answers: Any) -> list[Any]:
    """The records of a debate; ``answers`` by their keys, with ``__`` for the colon."""
    answers = {f"score:{turn}": score(turn) for turn in range(1, turns + 1)} | {
        key.replace("__", ":").replace("_to_", "-"): value for key, value in answers.items()
    }
    async with harness() as h:
        debate = await h.open(script(answers=answers), turns=turns, seat=seat or {})
        assert isinstance(await h.ended(debate), DebateConcluded)
        return await check_sound(h.log, debate)


def keys(records: list[Any], turn: int | None) -> set[str]:
    return {each.key for each in of(records, *CALLS) if each.turn == turn and each.purpose != "speak"}


# the questions


@pytest.mark.parametrize("turns", [3, 4])
async def test_the_last_turn_is_compared_with_the_first_and_not_asked_for_flaws(script: Any, turns: int) -> None:
    records = await held(script, turns)
    last = turns

    assert keys(records, last) == {
        f"score:{last}",
        f"claims:{last}",
        f"premises:{last}",
        f"compare:{last - 1}-{last}",
        f"compare:{last}-{last - 1}",
        f"compare:1-{last}",
        f"compare:{last}-1",
    }
    assert f"gaps:{last - 1}" in keys(records, last - 1)
    pairs = [(each.earlier, each.later) for each in of(records, TurnsCompared)]
    assert Counter([*((turn, turn + 1) for turn in range(1, last)), (1, last)]) == Counter(pairs)


async def test_a_debate_of_two_turns_has_one_comparison(script: Any) -> None:
    records = await held(script, 2)

    assert [(1, 2)] == [(each.earlier, each.later) for each in of(records, TurnsCompared)]
    assert "gaps:2" not in keys(records, 2)
    (verdict,) = of(records, ScorecardVerdictReached)
    assert 1 == verdict.pairs
    view = views.apply_all(views.INITIAL, records).view
    assert 70 == view.scorecard.pro.maximum == view.scorecard.con.maximum


async def test_a_brief_judge_is_asked_for_the_closing_comparison_in_one_order(script: Any) -> None:
    records = await held(script, 4, seat={"effort": "brief"}, compare__1_to_4=FORWARD)
    (closing,) = [each for each in of(records, TurnsCompared) if (each.earlier, each.later) == (1, 4)]

    assert {"score_and_claims:4", "premises:4", "compare:3-4", "compare:1-4"} == keys(records, 4)
    assert {"logic": (2,), "rhetoric": (0,), "tactics": (-1,)} == closing.levels


async def test_both_orders_of_the_closing_comparison_count(script: Any) -> None:
    slight = FORWARD | {"logic": "second_slight"}
    records = await held(script, 4, compare__1_to_4=slight, compare__4_to_1=BACKWARD)
    (closing,) = [each for each in of(records, TurnsCompared) if (each.earlier, each.later) == (1, 4)]

    assert {"logic": (1, 2), "rhetoric": (0, 0), "tactics": (-1, -1)} == closing.levels
    assert {"logic": "slight", "tactics": "slight"} == closing.degrees


@pytest.mark.slow
async def test_the_closing_comparison_presses_nobody(script: Any) -> None:
    """Pressure follows the comparisons of neighbours; the last one decides none any more."""
    clear = FORWARD | {"rhetoric": "second_clear", "tactics": "second_clear"}
    before, after = await held(script, 4), await held(script, 4, compare__1_to_4=clear)

    assert of(before, TurnsCompared) != of(after, TurnsCompared)
    counts = [views.apply_all(views.INITIAL, each).view.scorecard.rounds for each in (before, after)]
    assert counts[0] == counts[1]


@pytest.mark.parametrize(("effort", "calls"), [("full", 43), ("brief", 26)])
async def test_an_estimate_counts_the_closing_comparison(script: Any, effort: str, calls: int) -> None:
    async with harness() as h:
        opened = await h.opening(script(), turns=6, seat={"effort": effort})
    found = estimate(opened)

    assert calls == found.calls


# second readings


def test_second_readings_come_after_all_turns_and_before_the_closing_audit() -> None:
    events = [each.event for each in recorded()]
    at = {
        kind: [n for n, each in enumerate(events) if isinstance(each, kind)] for kind in (TurnRescored, ScoreInferred)
    }
    (audited,) = [n for n, each in enumerate(events) if isinstance(each, DebateAudited)]
    scored = [n for n, each in enumerate(events) if isinstance(each, TurnScored)]

    assert max(scored) < min(at[TurnRescored]) < min(at[ScoreInferred]) < audited
    assert of(recorded(), ScoreCapped)


def test_a_second_reading_shows_what_the_first_showed() -> None:
    """The record may hold more turns by then, and what they showed is left out."""
    events = [each.event for each in recorded()]
    again = [each for each in events if isinstance(each, ModelAnswered) and each.key == "rescore:2"]
    (first,) = [each for each in events if isinstance(each, ModelAnswered) and each.key == "score:2"]

    assert 2 == len(again)
    assert [first.prompt] * 2 == [each.prompt for each in again]
    assert "Turn 6" not in " ".join(prompt_of(events, "score:2"))


ODD = {"components": {name: each | {"points": 0} for name, each in score(3)["components"].items()}}
"""A score that does not fit comparisons that are drawn."""


EVEN = dict.fromkeys(("logic", "rhetoric", "tactics"), "draw")


@pytest.mark.slow
@pytest.mark.parametrize("effort", ["full", "brief"])
async def test_a_model_is_asked_twice_more(script: Any, effort: str) -> None:
    records = await held(script, 4, seat={"effort": effort}, score__3=ODD)
    again = [each for each in of(records, ModelAnswered) if each.key == "rescore:3"]

    assert 2 == len(again)
    assert {3} <= {each.turn for each in of(records, TurnRescored)}
    for each in of(records, TurnRescored):
        assert abs(each.residual) > 18


@pytest.mark.slow
async def test_the_record_of_a_turn_stays_when_it_is_scored_again(script: Any) -> None:
    """What is recorded after a turn never changes; the second reading follows after the last turn."""
    records = await held(script, 4, score__3=ODD, rescore__3=score(3), compare__3_to_4=EVEN, compare__4_to_3=EVEN)
    (again,) = [each for each in of(records, TurnRescored) if each.turn == 3]
    events = [each.event for each in records]
    before, audit = ("\n\n".join(prompt_of(events, key)) for key in ("premises:4", "audit"))
    third = re.search(r"Scores of turn 3.+?(?=\n\nTurn 4)", before, re.DOTALL)

    assert again.changes
    assert third
    assert third[0] in audit
    told = re.search(r"Turn 3, Speaker A, was scored again\. The median[^\n]+:\n- logic ([0-9.]+) of 40", audit)
    assert told
    assert float(told[1]) == again.dimensions["logic"].admitted
    assert "Turn 3, Speaker A, now stands at logic" in audit.partition(told[0])[2]


@pytest.mark.slow
async def test_what_moved_a_score_adds_up_in_the_judges_record(script: Any) -> None:
    """From one "now stands at" to the next, the parts in brackets are the difference."""
    answers = {f"compare__{one}_to_{two}": FORWARD for one, two in ((1, 2), (2, 3), (3, 4), (1, 4))}
    records = await held(script, 4, **answers, score__3=ODD, rescore__3=score(3))
    audit = "\n".join(prompt_of([each.event for each in records], "audit"))
    stands: dict[tuple[str, str], float] = {}
    seen = 0
    for line in audit.splitlines():
        if given := re.match(r"Scores of turn (\d+)", line):
            turn = given[1]
        elif first := re.match(r"- (\w+) ([0-9.]+) of \d+ \(", line):
            stands.setdefault((turn, first[1]), float(first[2]))
        elif now := re.match(r"Turn (\d+), Speaker [AB], now stands at (.+)\.$", line):
            for name, after, parts in re.findall(r"(\w+) (-?[0-9.]+) \(([^;]+)\)(?:;|$)", now[2]):
                moved = sum(float(each) for each in re.findall(r" ([+-][0-9.]+)(?:, |$)", parts))
                assert float(after) == pytest.approx(stands[now[1], name] + moved, abs=0.011)
                stands[now[1], name], seen = float(after), seen + 1
    assert seen > 9
    assert not re.search(r"[+-]0(?:\.0)?[,)]", audit)


# forks


async def test_no_fork_begins_after_a_second_reading(script: Any) -> None:
    answers = {f"score:{turn}": score(turn) for turn in (1, 2, 4)} | {"score:3": ODD}
    async with harness() as h:
        debate = await h.open(script(answers=answers), turns=4)
        await h.ended(debate)
        await h.idle()
        records = await check_sound(h.log, debate)
        again, *_ = [each for each in records if isinstance(each.event, TurnRescored)]
        batch = [each.position for each in records if each.at == again.at]

        with pytest.raises(BadField, match="the verdict follows event"):
            await fork_of(h.log, debate, {"at": max(batch)}, h.registry, h.settings)
        made = await fork_of(h.log, debate, {"at": min(batch) - 1}, h.registry, h.settings)

    assert made.copied


@pytest.mark.slow
async def test_a_fork_with_more_turns_closes_its_own_ring_and_keeps_the_other_comparison(script: Any) -> None:
    answers = {f"score:{turn}": score(turn) for turn in range(1, 7)}
    async with harness() as h:
        debate = await h.open(script(answers=answers), turns=4)
        await h.ended(debate)
        await h.idle()
        made = await fork_of(h.log, debate, {"turn": 4, "turns": 6}, h.registry, h.settings)
        branch = await h.moderators.open_fork(made.opened, made.copied, made.own)
        assert made.opened.origin
        assert isinstance(await h.ended(branch, after=made.opened.origin.position), DebateConcluded)
        await h.idle()
        records = await check_sound(h.log, branch)
    debate_ = folded(records)

    assert {6} <= debate_.exchanges.closing.keys()
    assert {2, 3, 4, 5, 6} == debate_.exchanges.comparisons.keys()


def folded(records: list[Any]) -> Debate:
    debate = debates.INITIAL
    for each in records:
        debate = debates.evolve(debate, each)
    return debate


# judges that understand nothing, and turns that are not scored


async def test_a_baseline_has_a_lead_without_a_certainty(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), turns=4, judge="baseline:lexical")
        await h.ended(debate)
        view = await h.view(debate)
    verdict = view["verdicts"]["scorecard"]

    assert "neither" == verdict["winner"]
    assert not {"certainty", "error"} & (verdict.keys() | view["scorecard"].keys())
    assert view["outcome"]["headline"] == "No side is named"


@pytest.mark.slow
async def test_without_any_score_nothing_is_inferred_and_no_side_is_named(script: Any) -> None:
    fault = {"fault": {"kind": "overloaded", "times": 99}}
    records = await held(script, 3, **{f"score__{turn}": fault for turn in (1, 2, 3)})
    (end,) = of(records, DebateConcluded)

    assert not of(records, ScoreInferred)
    assert ("neither", "no_judgement") == (end.winner, end.by_rule)


async def test_a_side_whose_turns_are_mostly_inferred_names_no_side(script: Any) -> None:
    fault = {"fault": {"kind": "overloaded", "times": 99}}
    records = await held(script, 4, score__1=fault, score__3=fault)
    (verdict,) = of(records, ScorecardVerdictReached)

    assert [1, 3] == [each.turn for each in of(records, ScoreInferred)]
    assert "neither" == verdict.winner


# what is told


def audits(records: Any) -> list[Audit]:
    return Auditor(views.apply_all(views.INITIAL, records)).audits()


def test_the_audit_of_the_last_turn_has_the_verdict_and_what_it_rests_on() -> None:
    records = recorded()
    *others, last = audits(records)
    (given,) = of(records, ScorecardVerdictReached)

    assert all("verdict" not in msgspec.to_builtins(each) for each in others)
    assert given == last.verdict.verdict  # type: ignore[union-attr]
    assert last.verdict.check.by_rule == round(given.mean.pro - given.mean.con, 2)  # type: ignore[union-attr]


def test_markdown_tells_the_verdict_the_readings_and_the_closing_comparison() -> None:
    fold = views.apply_all(views.INITIAL, recorded())
    text = as_markdown(fold.view, Auditor(fold).audits())

    assert "## What the verdict rests on" in text
    assert "scored again, since it lay" in text
    assert "the judge gave no score for logic, rhetoric and tactics: the points follow from the comparisons" in text
    assert "against turn 1: " in text.partition("Turn 6")[2]
    assert not re.search(r"\b(?:Pro|Con) (?:wins|won)\b", text)


def test_a_list_has_the_headline_of_the_view() -> None:
    row, fold = None, views.INITIAL
    for each in recorded():
        row, fold = listing.apply(row, each), views.apply(fold, each)

    assert row is not None
    assert fold.view.outcome.headline == outcome_of_row(row)  # type: ignore[union-attr]
    assert fold.view.outcome.headline.startswith("Not distinguishable: Con leads by")  # type: ignore[union-attr]


def test_the_terminal_tells_second_readings_and_inferred_scores(capsys: Any) -> None:
    printer, fold = DebatePrinter(as_json=False), views.INITIAL
    for each in recorded():
        fold = views.apply(fold, each)
        printer.view = msgspec.to_builtins(fold.view)
        if isinstance(each.event, TurnRescored | ScoreInferred | ScoreCapped):
            printer.event(msgspec.to_builtins(each.event))
    out = " ".join(capsys.readouterr().out.split())

    assert re.search(
        r"turn 2, scored again, since it lay [\d.]+ points of 100 above .+: the median of 3 readings counts", out
    )
    points = r"([\d.]+) \([^)]+\)"
    given = rf"; the judge gave {points}, {points} and {points} in turn: the median of 3 readings counts, {points}"
    assert re.search(rf"turn 2, scored again, [^;]+{given}\. With its comparisons and later changes it stands at", out)
    assert re.search(r"turn 3, scored again, .+: the first score stands\. With its comparisons", out)
    assert "turn 4, the judge gave no score for logic, rhetoric and tactics" in out
    assert "limit of a score" in out


@pytest.mark.slow
def test_the_terminal_says_of_how_many_points_a_composite_is_and_how_much_a_comparison_takes(capsys: Any) -> None:
    printer, fold = DebatePrinter(as_json=False), views.INITIAL
    for each in recorded():
        fold = views.apply(fold, each)
        printer.view = msgspec.to_builtins(fold.view)
        printer.event(msgspec.to_builtins(each.event))
    printer.ended = {"type": "debate_concluded"}
    printer.finish()
    out = " ".join(capsys.readouterr().out.split())

    took = "a comparison moves each of its two turns 19 % of the way from its score to what would fit it"
    assert 1 == out.count(took)
    assert out.index(took) < out.index("would fit that")
    assert re.search(r"composite [0-9.]+ of 70 ·", out)
    assert re.search(r"Scores after all changes: turn 1 Pro [0-9.]+ of 70, turn 2 Con [0-9.]+,", out)
    with_first = re.findall(r"compared with turn 1: .+? would fit", out)
    assert with_first
    assert any("of 10 (of the components that both turns have)" in each for each in with_first)
    assert out.count("; after the second reading the comparison") == sum(
        each.rule == "comparison" for event in of(recorded(), TurnRescored) for each in event.changes or ()
    )


def test_the_verdict_says_how_much_a_comparison_takes() -> None:
    *_, last = audits(recorded())

    told = [line for line in verdict_lines(last.verdict) if "19 % of the way" in line]  # type: ignore[arg-type]
    assert 1 == len(told)


def test_the_verdict_says_on_which_comparisons_it_rests_and_what_the_check_finds() -> None:
    records = recorded()
    *_, last = audits(records)
    (given,) = of(records, ScorecardVerdictReached)
    side = {each.turn: each.side for each in of(records, TurnStarted)}
    used = {each.because_of for each in of(records, ScoreHarmonized)}
    used |= {position for each in of(records, ScoreInferred) for position in each.because_of}
    compared = {each.position: each.event for each in records if isinstance(each.event, TurnsCompared)}
    between = [at for at in used if side[compared[at].earlier] != side[compared[at].later]]
    told = [*verdict_lines(last.verdict)]  # type: ignore[arg-type]
    rests = f"the error rests on {given.pairs} pairs of compared turns with two scores"

    assert f"{rests}; {len(between)} comparisons between the sides moved or filled a score" in told
    assert re.fullmatch(
        r"check, .+: Con by 1\.9 ahead; turn 5 fits its comparisons worst \(the check moves it down by 6\.6\)", told[-1]
    )


def test_the_judge_is_told_who_leads_and_how_sure_that_is_and_nothing_of_winners() -> None:
    events = [each.event for each in recorded()]
    conflict, audit, gaps = (prompt_of(events, key)[-1] for key in ("conflict", "audit", "gaps:3"))

    assert "neither is named (Speaker A 69.6 of 100, Speaker B 70.8 of 100; Speaker B leads by 1.2 points" in conflict
    assert "65 % sure; a speaker is named from 90 % on" in conflict
    assert "(second readings)" in conflict
    assert not re.search(r"\b(?:winner|wins|stronger)\b", conflict)
    assert "continues" not in audit + gaps
    assert "neither the score of that turn nor the record has taken points for" in audit
