"""What a lab run in the store has measured of a judge: no winner within its noise, or the error of a lead by it."""

import math
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.errors import UnknownEvent
from events.record import Draft
from events.state import ledger as ledgers
from events.state.scorecard import noise_of_lead
from events.types import (
    BothSides,
    DebateConcluded,
    DebateLabelled,
    DebateOpened,
    Effect,
    JudgeNoise,
    LabMeasured,
    Rounds,
    ScorecardVerdictReached,
)
from events.view import view as views
from judge.live.verdicts import scorecard_verdict
from judge.rubrics.rubric import rubric_v1, rubric_v2
from server.debate.commands import Label
from server.debate.opening.noise import noise_of
from server.debate.setup import opening
from server.debate.setup.opening import opening_for
from server.debate.setup.request import as_request
from tests.judge.lab.two_items import TWO_ITEMS
from tests.server.debate_events import recorded
from tests.server.harness import Harness, harness, unpaced

pytestmark = pytest.mark.anyio
MEANS = BothSides(pro=63.1, con=61.0)
JUDGE = "scripted:juries"


@pytest.fixture(autouse=True)
def two_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.debate.formats.lab.setup.installed", lambda: TWO_ITEMS)


def test_the_noise_of_a_lead_is_that_of_two_means() -> None:
    assert noise_of_lead(2.0, 4, 4) == round(1.96 * 2.0 * math.sqrt(0.5), 2)
    assert noise_of_lead(0.0, 1, 1) == 0


def test_a_lead_within_the_noise_names_no_winner_and_says_why() -> None:
    verdict = scorecard_verdict(MEANS, Rounds(), rubric_v2(), noise=3.4)

    assert verdict.winner == "neither"
    assert verdict.margin == 2.1
    assert verdict.noise == 3.4
    assert verdict.reason == (
        "pro 63.1, con 61: pro leads by 2.1, this judge differs from itself by 3.4: no winner is named"
    )


@pytest.mark.parametrize(
    ("noise", "rubric"),
    [(2.0, rubric_v2()), (UNSET, rubric_v2()), (3.4, replace(rubric_v2(), lead_beyond_noise=False))],
)
def test_a_lead_beyond_the_noise_or_without_the_rule_wins(noise: Any, rubric: Any) -> None:
    verdict = scorecard_verdict(MEANS, Rounds(), rubric, noise=noise)

    assert verdict.winner == "pro"
    assert verdict.noise == noise


def test_an_older_rubric_has_no_such_rule() -> None:
    assert rubric_v1().lead_beyond_noise is UNSET
    assert scorecard_verdict(MEANS, Rounds(), rubric_v1(), noise=3.4).winner == "pro"


async def lab_run(made: Harness, sd: float, *effects: Effect, **request: Any) -> str:
    """A concluded run of the judge with this deviation."""
    body = {"format": "lab", "lab": {"batteries": ["retest"]}, "judge": {"model": JUDGE}, "rubric": "v2", **request}
    opened = await opening.build_opening(as_request(body), made.registry, made.settings)
    assert opened.lab is not UNSET
    found = Effect(
        battery="retest",
        name="sd",
        unit="points",
        estimate=sd,
        low=sd - 0.5,
        high=sd + 0.5,
        null=0.0,
        n=40,
        clusters=20,
        failed=0,
        verdict="measured",
    )
    result = LabMeasured(
        effects=(found, *effects),
        trials=1,
        failed=0,
        items_digest=opened.lab.items_digest,
        rubric_digest=opened.lab.rubric_digest,
    )
    ended = DebateConcluded(winner="neither", by_rule="lab")
    debate = f"run-{sd}"
    await made.log.append(debate, 0, [Draft(event=event) for event in (opened, result, ended)])
    return debate


async def wanted(made: Harness, **request: Any) -> DebateOpened:
    body = {"motion": "Juries are better", "turns": 2, "rubric": "v2"}
    body |= {seat: {"model": JUDGE} for seat in ("pro", "con", "judge")}
    opened, _ = await opening_for(made.log, as_request(body | request), made.registry, made.settings)
    return opened


async def test_an_opening_records_the_newest_run_of_the_same_judge_and_rubric() -> None:
    async with harness() as made:
        await lab_run(made, 9.0, rubric="v1")
        debate = await lab_run(made, 2.5)
        await lab_run(made, 7.0, judge={"model": JUDGE, "samples": 3})
        opened = await wanted(made)
        other = await wanted(made, judge={"model": "baseline:lexical"})
        ignored = await wanted(made, ignore_noise=True)

    assert opened.noise == JudgeNoise(sd=2.5, low=2.0, high=3.0, items=40, run=debate)
    assert opened.rubric.lead_beyond_noise is True
    assert other.noise is UNSET
    assert ignored.noise == opened.noise
    assert ignored.rubric.lead_beyond_noise is False


async def test_a_run_counts_only_for_a_judge_that_is_asked_in_the_same_way() -> None:
    async with harness() as made:
        await lab_run(made, 2.5)
        unmeasured = await wanted(made, judge={"model": JUDGE, "effort": "brief"})
        run = await lab_run(made, 4.5, judge={"model": JUDGE, "effort": "brief"})
        brief = await wanted(made, judge={"model": JUDGE, "effort": "brief"})
        full = await wanted(made)

    assert unmeasured.noise is UNSET
    assert brief.noise == JudgeNoise(sd=4.5, low=4.0, high=5.0, items=40, run=run)
    assert full.noise is not UNSET
    assert full.noise.sd == 2.5


async def test_a_run_counts_only_for_the_server_that_it_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of before names no server: it counts for each."""
    served = iter(["one", "one", "two", "", "two"])
    monkeypatch.setattr("server.debate.opening.build.server_of", lambda _: next(served))
    async with harness() as made:
        run = await lab_run(made, 2.5)
        opened = [await wanted(made) for _ in range(2)]
        before = await lab_run(made, 4.5)
        other = await wanted(made)

    assert [run, None] == [None if each.noise is UNSET else each.noise.run for each in opened]
    assert other.noise is not UNSET
    assert before == other.noise.run


@pytest.mark.parametrize("labels", [{"hidden": True}, {"link": "ab" * 32}])
async def test_an_opening_names_no_run_that_readers_do_not_find(labels: dict[str, Any]) -> None:
    async with harness() as made:
        debate = await lab_run(made, 2.5)
        newer = await lab_run(made, 4.5)
        await made.moderators.act(newer, Label(DebateLabelled(by="Ada", **labels)))
        opened = await wanted(made)

    assert opened.noise is not UNSET
    assert debate == opened.noise.run


async def test_a_run_that_cannot_be_read_keeps_no_debate_from_its_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    async with harness() as made:
        await lab_run(made, 2.5)
        opened = await wanted(made)

        def broken(*_: Any) -> Any:
            raise UnknownEvent("no type")

        monkeypatch.setattr("server.debate.opening.noise.decode", broken)
        assert await noise_of(made.log, opened) is UNSET


@pytest.mark.slow
@pytest.mark.parametrize(("sd", "rule"), [(0.01, True), (60.0, True), (60.0, False)])
async def test_a_debate_ends_by_the_noise_of_its_opening(tmp_path: Path, sd: float, rule: bool) -> None:
    async with harness() as made:
        opened = await opening.build_opening(unpaced("juries", tmp_path, rubric="v2"), made.registry, made.settings)
        opened = replace(opened, noise=JudgeNoise(sd=sd, low=sd, high=sd, items=40, run="run"))
        opened = replace(opened, rubric=replace(opened.rubric, lead_beyond_noise=rule))
        debate = await made.moderators.open(opened)
        ended = await made.ended(debate)
        records = await made.log.read(debate)
    events = [record.event for record in records]
    (verdict,) = (event for event in events if isinstance(event, ScorecardVerdictReached))

    assert isinstance(ended, DebateConcluded)
    assert verdict.noise == noise_of_lead(sd, 3, 3)
    assert (ended.winner == "neither") == (sd > 1 and rule)
    shown, fold = [], views.INITIAL
    for record in records:
        fold = views.apply(fold, record)
        shown.append(fold.view.scorecard.noise)
    known = [noise_of_lead(sd, *turns) for turns in ((1, 1), (2, 1), (2, 2), (3, 2), (3, 3))]
    assert list(dict.fromkeys([UNSET, *known])) == list(dict.fromkeys(shown))


# a lead that must be sure enough


def measured(name: str, estimate: float, n: int) -> Effect:
    return Effect(
        battery="side",
        name=name,
        unit="share",
        estimate=estimate,
        low=estimate,
        high=estimate,
        null=0.0,
        n=n,
        clusters=n,
        failed=0,
        verdict="measured",
    )


@pytest.mark.parametrize(
    ("sd", "residual", "floor"), [(0.0, 3.74, 20.0), (2.5, 5.15, 18.12), (4.2, 7.02, 14.71), (9.0, 13.27, 0.0)]
)
async def test_the_error_of_a_lead_uses_what_was_measured_of_the_judge(
    sd: float, residual: float, floor: float
) -> None:
    async with harness() as made:
        run = await lab_run(made, sd, rubric="v3")
        opened = await wanted(made, rubric="v3")
        ignored = await wanted(made, rubric="v3", ignore_noise=True)

    by_run: dict[str, Any] = {"items": 40, "run": run, "residual": residual, "floor": floor}
    assert opened.noise == JudgeNoise(sd=sd, low=sd - 0.5, high=sd + 0.5, **by_run)
    assert opened.noise.is_of_leads
    ledger = ledgers.apply(ledgers.INITIAL, *recorded([opened]))
    assert ledger.certainty is not None
    assert (ledger.certainty.residual, ledger.certainty.floor) == (residual, floor)
    assert ignored.noise is UNSET


@pytest.mark.parametrize(
    ("slope", "n", "per_degree"), [(0.06, 100, 0.06), (0.06, 99, UNSET), (0.4, 200, 0.15), (-0.1, 200, 0.03)]
)
async def test_what_a_degree_is_worth_is_measured_if_there_are_enough_pairs(
    slope: float, n: int, per_degree: Any
) -> None:
    async with harness() as made:
        await lab_run(made, 2.5, measured("per_degree", slope, n), rubric="v3")
        opened = await wanted(made, rubric="v3")

    assert opened.noise is not UNSET
    assert per_degree == opened.noise.per_degree


@pytest.mark.slow
@pytest.mark.parametrize(("sd", "says"), [(0.5, "what a lab run measured of this judge"), (UNSET, "was not measured")])
async def test_the_outcome_says_on_what_the_error_rests(tmp_path: Path, sd: Any, says: str) -> None:
    noise = (
        UNSET if sd is UNSET else JudgeNoise(sd=sd, low=sd, high=sd, items=40, run="run", residual=3.81, floor=19.92)
    )
    async with harness() as made:
        request = unpaced("juries", tmp_path, rubric="v3")
        opened = await opening.build_opening(request, made.registry, made.settings)
        debate = await made.moderators.open(replace(opened, noise=noise))
        await made.ended(debate)
        view = await made.view(debate)

    assert says in view["outcome"]["text"]
    assert "noise" not in view["verdicts"]["scorecard"]
