"""Debates that the lexical baseline judges: by default where only the embedded model answers, and without a winner."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import UNSET

from events.types import (
    ArgumentTraced,
    AssessmentGiven,
    DebateConcluded,
    DebateOpened,
    ModelAnswered,
    ModelFailed,
    RaterCalibrated,
    TurnScored,
)
from providers.registry import BASELINE, FALLBACK, Registry
from server.debate.setup.estimate import estimate
from server.debate.setup.opening import build_opening
from server.debate.setup.request import as_request
from server.errors import BadField
from tests.judge.lexical.judged_debates import TURNS
from tests.judge.protocol.rounds import cross, replies
from tests.server.debate.calibrations import case
from tests.server.debate_events import folds, recorded
from tests.server.harness import QUICK, harness, shipped_registry
from tests.server.protocol_debates import answers, check, of

pytestmark = pytest.mark.anyio
Script = Callable[..., str]
SAYS = {"pro": [TURNS[0], TURNS[2]], "con": [TURNS[1], TURNS[3]]}
UNDERSTANDS_NOTHING = "understands nothing"


async def opening_of(**body: Any) -> DebateOpened:
    return await build_opening(as_request({"motion": "Cities should ban cars", **body}), shipped_registry(), QUICK)


@pytest.fixture
def nothing_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, no server: only the embedded model answers."""

    async def default_model(registry: Registry) -> str:
        return FALLBACK

    monkeypatch.setattr(Registry, "default_model", default_model)


# seats


@pytest.mark.usefixtures("nothing_configured")
async def test_where_only_the_embedded_model_answers_the_baseline_judges_a_debate() -> None:
    for form in ("exchange", "protocol"):
        opened = await opening_of(format=form)

        assert (FALLBACK, FALLBACK, BASELINE) == (opened.pro.model, opened.con.model, opened.judge.model)
        assert ("the lexical baseline", "whole", 0) == (opened.judge.baseline, opened.judge.reads, opened.judge.window)
        assert UNDERSTANDS_NOTHING in opened.judge.caveat


@pytest.mark.usefixtures("nothing_configured")
async def test_raters_without_a_model_are_models() -> None:
    for judge in ({}, {"judge": {"model": BASELINE}}):
        opened = await opening_of(panel=["technical", "business"], **judge)

        assert BASELINE == opened.judge.model
        assert {FALLBACK} == {seat.model for seat in opened.panel}


@pytest.mark.usefixtures("nothing_configured")
async def test_an_artifact_is_judged_by_models() -> None:
    opened = await opening_of(format="deliberation", artifact={"text": "A plan."})

    assert {FALLBACK} == {seat.model for seat in opened.panel} | {opened.judge.model}


async def test_a_model_that_is_named_judges(script: Script) -> None:
    model = script()
    opened = await opening_of(judge={"model": model}, pro={"model": model}, con={"model": model})

    assert (model, UNSET) == (opened.judge.model, opened.judge.baseline)


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("pro.model", {"pro": {"model": BASELINE}}),
        ("con.model", {"con": {"model": BASELINE}}),
        ("judge.second", {"judge": {"second": BASELINE}}),
        ("panel.0", {"panel": [BASELINE]}),
        ("judge.model", {"format": "deliberation", "artifact": {"text": "A plan."}, "judge": {"model": BASELINE}}),
    ],
)
async def test_a_baseline_takes_no_other_seat(script: Script, field: str, body: dict[str, Any]) -> None:
    seats: dict[str, Any] = {role: {"model": script()} for role in ("pro", "con", "judge")}
    with pytest.raises(BadField, match="only judges a debate, and names no winner: name a model here") as refused:
        await opening_of(
            **{
                **seats,
                **{
                    name: seats.get(name, {}) | value if isinstance(value, dict) and name in seats else value
                    for name, value in body.items()
                },
            }
        )

    assert field == refused.value.field


@pytest.mark.slow
async def test_a_baseline_costs_nothing_and_reads_nothing(script: Script) -> None:
    seats: dict[str, Any] = {role: {"model": script()} for role in ("pro", "con")}
    with_model = estimate(await opening_of(**seats, judge={"model": script()}))
    found = estimate(await opening_of(**seats, judge={"model": BASELINE}, max_cost_usd=1))

    assert (0.0, with_model.calls) == (found.cost_usd, found.calls)
    assert found.input_tokens < with_model.input_tokens / 4


# debates


@pytest.mark.slow
async def test_an_exchange_is_judged_with_a_lead_and_without_a_winner(script: Script) -> None:
    async with harness() as h:
        debate = await h.open(script(says=SAYS), turns=4, judge=BASELINE)
        end = await h.ended(debate)
        events, view = await h.events(debate), await h.view(debate)

    assert DebateConcluded(winner="neither", by_rule="baseline") == end
    assert not of(events, ModelFailed)
    assert all(each.missing is UNSET for each in of(events, TurnScored))
    judged = [each for each in of(events, ModelAnswered) if each.purpose != "speak"]
    assert {(0, 0, 0.0)} == {(each.usage.input_tokens, each.usage.output_tokens, each.cost_usd) for each in judged}
    assert "the lexical baseline puts" in view["verdicts"]["scorecard"]["reason"]
    assert "neither" == view["verdicts"]["scorecard"]["winner"] == view["verdicts"]["narrative"]["winner"]
    assert "the lexical baseline" == view["judge"]["baseline"]


async def test_a_protocol_debate_has_totals_and_no_winner(script: Script) -> None:
    async with harness() as h:
        model = script(answers=answers(assess=None))
        debate = await h.open(model, turns=6, format="protocol", judge=BASELINE)
        end = await h.ended(debate)
        await check(h.log, debate)
        events, view = await h.events(debate), await h.view(debate)

    assert DebateConcluded(winner="neither", by_rule="baseline") == end
    assert {"UNCERTAIN"} == {each.standing for each in of(events, ArgumentTraced)}
    (assessment,) = of(events, AssessmentGiven)
    assert UNDERSTANDS_NOTHING in assessment.key_insight
    briefing = view["protocol"]["briefing"]
    assert briefing["meaning"].startswith("no lead that means anything")
    assert any(UNDERSTANDS_NOTHING in each for each in briefing["cautions"])


async def test_a_blind_debate_tells_that_its_judge_understands_nothing(script: Script) -> None:
    seats: dict[str, Any] = {role: {"model": script()} for role in ("pro", "con")}
    opened = await opening_of(**seats, judge={"model": BASELINE}, blind=True)

    judge = folds(recorded([opened]))[-1].view.judge

    assert judge is not UNSET
    assert (UNSET, "the lexical baseline") == (judge.model, judge.baseline)
    assert UNDERSTANDS_NOTHING in judge.caveat


async def test_a_debate_in_a_language_without_marks_has_no_judgement(script: Script) -> None:
    async with harness() as h:
        debate = await h.open(script(says=SAYS), turns=2, judge=BASELINE, language="hi")
        end = await h.ended(debate)
        events = await h.events(debate)

    assert DebateConcluded(winner="neither", by_rule="no_judgement") == end
    failures = of(events, ModelFailed)
    assert {"bad_request"} == {each.kind for each in failures}
    assert len({each.call.rpartition(".")[0] for each in failures}) == len(failures), "no question is asked again"


@pytest.mark.slow
async def test_responsiveness_is_counted_in_the_answer_to_the_question(script: Script) -> None:
    asked = cross("con", **{"1": {"reasoning": "Tram lines force night nurses to walk home through empty streets."}})
    points = []
    for reply in (
        "Night nurses do not walk home through empty streets, because the tram lines run until the last shift ends.",
        "The weather was fine last week.",
    ):
        async with harness() as h:
            model = script(answers=answers(cross_con=asked, answer_pro=replies("pro", n1=reply)))
            debate = await h.open(model, judge=BASELINE, turns=8, format="protocol")
            await h.ended(debate)
            traced = {each.argument: each.scores for each in of(await h.events(debate), ArgumentTraced)}
            points.append(traced["PRO-1"]["responsiveness"])

    assert points[0] >= 5 > points[1]


async def test_a_flag_of_the_baseline_can_be_appealed(script: Script) -> None:
    says = {"pro": ["Trams carry 63 percent of commuters.", "Trams win."], "con": [TURNS[1]]}
    async with harness() as h:
        debate = await h.open(script(says=says), turns=2, judge=BASELINE, seat={"appeals": "all"})
        await h.ended(debate)
        view = await h.view(debate)

    assert ["upheld"] == [each["state"] for each in view["claims"].values()]


async def test_a_rater_without_a_model_is_measured_by_cases(script: Script) -> None:
    async with harness() as h:
        opened = await build_opening(
            as_request(
                {"format": "calibration", "cases": [case("one")], "panel": [BASELINE], "judge": {"model": BASELINE}}
            ),
            h.registry,
            h.settings,
        )
        debate = await h.moderators.open(opened)
        await h.ended(debate)
        events = await h.events(debate)

    measured = of(events, RaterCalibrated)
    assert 4 == len(measured)
    assert all(each.missing is UNSET for each in measured)
