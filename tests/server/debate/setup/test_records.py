"""Track records of raters: how they follow from the store, and their effect."""

from pathlib import Path
from typing import Any

import pytest

from events.store.memory import MemoryLog
from events.store.sqlite.log import SqliteLog
from events.transfer import export, import_debate
from events.types import DebateLabelled, Rater, TrackRecord
from judge.panel.weights import rater_weights
from server.debate.commands import Label
from server.debate.opening.records import calibrations, track_records
from server.debate.setup import opening
from server.debate.setup.request import as_request
from tests.server import debate_events
from tests.server.debate.calibrations import CON, PRO, RATERS, RIGHT_AND_WRONG, case, held, request
from tests.server.harness import Harness, harness

pytestmark = pytest.mark.anyio


async def panel(h: Harness, body: dict[str, Any]) -> tuple[Rater, ...]:
    """The raters' seats of a debate that is opened now."""
    return (await opening.opening_for(h.log, as_request(body), h.registry, h.settings)).opened.panel


async def seats(h: Harness, body: dict[str, Any]) -> dict[str, TrackRecord]:
    """The track records of the seats."""
    return {seat.name: seat.record for seat in await panel(h, body)}


async def test_records_enter_the_seats_of_a_later_panel_by_name_and_model(script: Any) -> None:
    model, stranger = script("raters", answers=RIGHT_AND_WRONG), script("stranger", answers=RIGHT_AND_WRONG)
    debate = {"motion": "m", "judge": {"model": model}, "pro": {"model": model}, "con": {"model": model}}
    async with harness() as h:
        before = await seats(h, debate | {"panel": [model]})
        await held(h, request(case("a"), case("b"), case("c", "con"), model=model))
        after = await seats(h, debate | {"panel": [model]})
        others = await seats(h, debate | {"panel": [stranger]})
        mixed = await seats(
            h,
            debate
            | {
                "panel": [
                    {"rater": "technical", "model": stranger},
                    {"rater": "business", "model": model},
                ]
            },
        )
        again = await seats(h, request(case("d"), model=model))

    nothing = TrackRecord()
    assert dict.fromkeys(RATERS, nothing) == before == others
    assert (
        after
        == again
        == {
            "technical": TrackRecord(right=2, of=3),
            "business": TrackRecord(right=1, of=3),
            "risk": TrackRecord(right=0, of=3),
            "general": nothing,
        }
    )
    assert mixed == {"technical": nothing, "business": TrackRecord(right=1, of=3)}


async def test_a_record_moves_the_weights_of_a_later_panel(script: Any) -> None:
    model = script(answers=RIGHT_AND_WRONG | {"panel:risk@*": {}})
    debate = {"motion": "m", "judge": {"model": model}, "pro": {"model": model}, "con": {"model": model}}
    rules = debate_events.RUBRIC.panel
    assert rules is not None
    async with harness() as h:
        before = rater_weights(await panel(h, debate | {"panel": [model]}), rules, "default")
        await held(h, request(*[case(name) for name in "abcdef"], model=model))
        after = rater_weights(await panel(h, debate | {"panel": [model]}), rules, "default")

    assert dict.fromkeys(RATERS, 0.25) == before
    assert after["technical"] > after["risk"] == after["general"] > after["business"]


async def test_agreement_with_the_others_never_counts(script: Any) -> None:
    alone = script(answers={"panel:*@*": CON, "panel:technical@*": PRO})
    async with harness() as h:
        await held(h, request(case("a", "pro"), model=alone))
        records = await track_records(h.log)

    assert {"technical": 1, "business": 0, "risk": 0, "general": 0} == {
        rater: record.right for (rater, _), record in records.items()
    }


async def test_the_same_case_counts_once_and_the_newest_verdict_stands(script: Any) -> None:
    async with harness() as h:
        model = script("r", answers={"panel:*": CON})
        await held(h, request(case("a"), case("b"), model=model))
        first = await track_records(h.log)
        assert model == script("r", answers={"panel:*": PRO, "panel:*@b": {"fault": {"kind": "refuse", "times": 9}}})
        await held(h, request(case("another name", motion="motion of a"), case("b"), model=model))
        second = await track_records(h.log)
        await held(h, request(case("a", "con"), model=model))  # somebody had the outcome wrong
        corrected = await track_records(h.log)

    key = ("risk", model)
    assert TrackRecord(right=0, of=2) == first[key]
    assert TrackRecord(right=1, of=2) == second[key]  # a is right now; of b nothing new is known
    assert TrackRecord(right=0, of=2) == corrected[key]


async def test_an_imported_calibration_counts_once(script: Any) -> None:
    model = script(answers=RIGHT_AND_WRONG)
    async with harness() as h:
        records = await held(h, request(case("a"), model=model))
        lines = [line async for line in export(h.log, records[0].debate)]
        here = await track_records(h.log)
        await import_debate(h.log, lines)
        assert here == await track_records(h.log)
    async with MemoryLog() as elsewhere:
        await import_debate(elsewhere, lines)

        assert here == await track_records(elsewhere)


@pytest.mark.parametrize("labels", [{"hidden": True}, {"link": "ab" * 32}])
async def test_a_calibration_that_readers_do_not_find_counts_in_no_record(labels: dict[str, Any], script: Any) -> None:
    async with harness() as h:
        records = await held(h, request(case("a"), model=script(answers=RIGHT_AND_WRONG)))
        counted = await track_records(h.log)
        await h.moderators.act(records[0].debate, Label(DebateLabelled(by="Ada", **labels)))

        assert counted
        assert {} == await track_records(h.log)


async def test_records_are_read_only_where_a_panel_is_seated(script: Any) -> None:
    class Unread(MemoryLog):
        async def calibrations(self) -> tuple[str, ...]:
            raise AssertionError("nobody needs a record")

    model = script("seats")
    seats = {side: {"model": model} for side in ("pro", "con", "judge")}

    async with Unread() as log, harness() as h:

        async def made(**body: Any) -> tuple[Rater, ...]:
            wanted = as_request({**seats, **body})
            return (await opening.opening_for(log, wanted, h.registry, h.settings)).opened.panel

        assert () == await made(motion="m")
        assert () == await made(motion="m", panel=[])
        with pytest.raises(AssertionError, match="nobody needs"):
            await made(motion="m", panel=[model])
        with pytest.raises(AssertionError, match="nobody needs"):
            await made(format="calibration", cases=[case("a")])


async def test_a_verdict_that_cannot_be_read_hides_no_other(script: Any, tmp_path: Path) -> None:
    model = script(answers=RIGHT_AND_WRONG)
    async with await SqliteLog.open(tmp_path / "moot.db") as log, harness(log) as h:
        await held(h, request(case("a"), model=model))
        assert log._writing is not None
        log._writing.execute(
            "UPDATE events SET payload = CAST(replace(payload, '\"truth\"', '\"unknown\"') AS BLOB)"
            ' WHERE instr(payload, \'"rater":"business"\') AND instr(payload, \'"type":"rater_calibrated"\')'
        )

        assert {"technical", "risk"} == {rater for rater, _ in await calibrations(log)}
