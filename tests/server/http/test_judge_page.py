"""The page about the judge over HTTP: its figures, debates that are read once, and the time limit."""

from typing import Any

import anyio
import msgspec
import pytest
from structlog.testing import capture_logs

from events.record import Envelope
from events.store.log import PAGE, EventLog
from events.store.memory import MemoryLog
from events.types import DebateConcluded, DebateOpened, DimensionScore, TurnScored
from judge.report.levels import in_short
from judge.report.summary import summary
from judge.rubrics.rubric import default_rubric, digest
from server.http.judge import Survey
from tests.judge.turns import opened, spoken_turn
from tests.server.site import Site


class RecordingLog(MemoryLog):
    """A log that records which debates were read, and can block a reader."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[str] = []
        self.held: anyio.Event | None = None

    async def envelopes(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Envelope, ...]:
        if after == 0:
            self.reads.append(debate)
        if self.held is not None:
            await self.held.wait()
        return await super().envelopes(debate, after, limit)


async def concluded(log: EventLog, name: str, turns: int = 1, judge: str = "wise:judge") -> None:
    seat = msgspec.structs.replace(opened().judge, model=judge)
    spoken = [spoken_turn(number, "Some words") for number in range(1, turns + 1)]
    end = DebateConcluded(winner="neither", by_rule="scorecard")
    await log.append(name, 0, [msgspec.structs.replace(opened(), judge=seat), *spoken, end])


def test_without_any_debate_every_figure_is_missing(site: Site) -> None:
    report = site.get("/api/judge")

    assert digest(default_rubric()) == report["digest"]
    assert msgspec.json.decode(msgspec.json.encode(default_rubric())) == report["rubric"]
    assert [*in_short(default_rubric())] == report["in_short"]
    assert [*summary(default_rubric())] == report["summary"]
    assert (0, 0, 0) == tuple(report["measured_over"][name] for name in ("debates", "turns", "unread"))
    assert all("reason" in each["measured"]["missing"] for each in report["weaknesses"])


@pytest.mark.anyio
async def test_a_debate_that_cannot_be_read_is_passed_over() -> None:
    log = MemoryLog()
    await concluded(log, "good", turns=2)
    scored = TurnScored(turn=9, components={}, dimensions={"charm": DimensionScore(raw=1, admitted=1)}, samples=1)
    end = DebateConcluded(winner="neither", by_rule="scorecard")
    await log.append("bad", 0, [opened(), scored, scored, end])
    survey = Survey(log)
    with capture_logs() as logged:
        await survey.update()
    over, _ = survey.measured()

    assert ["bad"] == [line["debate"] for line in logged if line["event"] == "debate_not_counted"]
    assert (1, 2) == (over.debates, over.turns)
    assert "1 debate cannot be read and is not counted." in over.says


def test_concluded_debates_are_measured(site: Site, script: Any) -> None:
    first = {"reason": "", "logic": "first", "rhetoric": "draw", "tactics": "second"}
    debate = site.open(script(answers={"compare:1-2": first, "compare:2-1": first}))
    site.ended(debate)
    report = site.get("/api/judge")
    measured = {each["id"]: each["measured"] for each in report["weaknesses"]}

    over = report["measured_over"]

    assert (1, 2, [{"name": "scripted", "debates": 1}]) == (over["debates"], over["turns"], over["judges"])
    assert (1, ["logic", "tactics"], 1) == (
        measured["order"]["comparisons_flipped"],
        sorted(measured["order"]["by_dimension"]),
        measured["order"]["of"],
    )
    assert (2, 2) == (measured["order"]["named_first"], measured["order"]["named_second"])
    assert 2 == measured["length"]["of"]
    assert "Measured on this server over 1 concluded debate, with 2 turns." == over["says"][0]
    assert "All of them judged by a script" in " ".join(over["says"])


def test_a_running_debate_is_not_counted(site: Site, slow: str) -> None:
    debate = site.open(slow)
    site.watch(debate, "turn_started")

    assert 0 == site.get("/api/judge")["measured_over"]["debates"]


def test_the_default_rubric_of_a_debate_is_not_compared_with_itself(site: Site, script: Any) -> None:
    report = site.get(f"/api/judge?debate={site.open(script())}")

    assert report["about"] == "“v3”: the rubric of one debate. The debate: "


def test_a_debates_own_rubric_is_shown_with_what_differs(site: Site, script: Any) -> None:
    own = msgspec.to_builtins(default_rubric()) | {"name": "strict", "quote_minimum": 7}
    debate = site.open(script(), rubric=own)
    report = site.get(f"/api/judge?debate={debate}")
    (thresholds,) = (table["rows"] for table in report["tables"] if table["id"] == "thresholds")
    (tie,) = (row for row in thresholds if row["key"] == "quote_minimum")

    assert report["about"].startswith("“strict 3”: the rubric of one debate. It differs from “v3” in 1 place, ")
    assert (1, {"1": 8.0}, 7.0) == (report["differences"], tie["was"], tie["cells"][1])
    assert ("strict", debate) == (report["rubric"]["name"], report["debate"])
    assert "7 characters or more" in " ".join(rule for level in report["levels"] for rule in level["rules"])


def test_an_unknown_debate_is_404(site: Site) -> None:
    assert 404 == site.client.get("/api/judge?debate=nobody").status_code
    assert 200 == site.client.get("/judge?debate=nobody").status_code


@pytest.mark.anyio
async def test_every_debate_is_read_once() -> None:
    async with RecordingLog() as log:
        survey = Survey(log)
        await concluded(log, "one")
        await survey.update()
        await concluded(log, "two", turns=PAGE + 3)
        await survey.update()
        await survey.update()
        over, _ = survey.measured()

    assert (["one", "two"], 2, PAGE + 4) == (log.reads, over.debates, over.turns)


@pytest.mark.anyio
async def test_only_the_newest_debates_are_counted() -> None:
    async with RecordingLog() as log:
        survey = Survey(log, most=2)
        for name in ("old", "new", "newer"):
            await concluded(log, name)
        await survey.update()
        over, _ = survey.measured()

    assert (["newer", "new"], 2) == (log.reads, over.debates)
    assert "the newest ones" in over.says[0]


@pytest.mark.anyio
async def test_a_request_waits_for_a_limited_time() -> None:
    async with RecordingLog() as log:
        survey = Survey(log)
        await concluded(log, "one")
        await survey.update()
        await concluded(log, "two")
        log.held = anyio.Event()
        await survey.update_for(0)
        meanwhile, _ = survey.measured()
        log.held.set()
        await survey.update()
        after, _ = survey.measured()

    assert (1, 2) == (meanwhile.debates, after.debates)


@pytest.mark.anyio
async def test_a_debate_that_is_not_read_yet_is_reported() -> None:
    async with RecordingLog() as log:
        survey = Survey(log)
        await concluded(log, "one")
        log.held = anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(survey.update)
            while not log.reads:
                await anyio.lowlevel.checkpoint()
            meanwhile, _ = survey.measured()
            log.held.set()
        after, _ = survey.measured()

    assert (0, 1, 1, 0) == (meanwhile.debates, meanwhile.unread, after.debates, after.unread)
    assert "1 further debate being read" in " ".join(meanwhile.says)


@pytest.mark.anyio
async def test_the_figures_of_one_judge_alone() -> None:
    async with RecordingLog() as log:
        survey = Survey(log)
        for number, judge in enumerate(("wise:judge", "wise:judge", "scripted:one", "scripted:two")):
            await concluded(log, str(number), judge=judge, turns=number + 1)
        await survey.update()
        every_judge, _ = survey.measured()
        scripts, tally = survey.measured("scripted")
        no_judge, _ = survey.measured("no:such")

    assert {"wise:judge": 2, "scripted": 2} == {each.name: each.debates for each in every_judge.judges}
    assert (2, 7, 7) == (scripts.debates, scripts.turns, tally.of("turns"))
    assert "No debate here judged by no:such has concluded yet" in no_judge.says[0]


@pytest.mark.anyio
async def test_an_event_that_cannot_be_read_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    async with RecordingLog() as log:
        await concluded(log, "one")
        (first, *rest) = await log.read("one")
        assert isinstance(first.event, DebateOpened)
        broken = msgspec.structs.replace(rest[0], payload=b'{"type":"from_the_future"}')

        async def envelopes(debate: str, after: int = 0, limit: int | None = None) -> tuple[Envelope, ...]:
            return () if after else (first, broken, rest[1])

        monkeypatch.setattr(log, "envelopes", envelopes)
        survey = Survey(log)
        await survey.update()
        over, _ = survey.measured()

    assert (1, 0) == (over.debates, over.turns)


@pytest.mark.anyio
async def test_figures_of_a_baseline_are_marked() -> None:
    log = MemoryLog()
    for number, judge in enumerate(("wise:judge", "baseline:lexical")):
        await concluded(log, f"d{number}", judge=judge)
    survey = Survey(log)
    await survey.update()

    marked = "judged by a baseline, which counts marks of argument and understands nothing."
    assert f"1 of them {marked}" in survey.measured()[0].says
    assert f"All of them {marked}" in survey.measured("baseline:lexical")[0].says
    assert not [each for each in survey.measured("wise:judge")[0].says if marked in each]
