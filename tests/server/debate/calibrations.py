"""What the tests of calibration share: cases, raters' answers, and checks that hold for every calibration."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from events.record import Recorded
from events.types import Argument, DebateConcluded, ModelAnswered, RaterCalibrated
from server.debate.formats.calibration.cases import CaseRequest
from server.debate.setup import opening
from server.debate.setup.request import as_request
from tests.server.harness import Harness

DIMENSIONS = ("logic", "evidence", "responsiveness", "honesty")
RATERS = ("technical", "business", "risk", "general")


def arguments(side: str) -> list[Argument]:
    return [Argument(id=f"{side}-{n}", claim=f"{side} {n}", reasoning="because", evidence="look") for n in (1, 2)]


def case(name: str, truth: Any = "pro", motion: str = "") -> dict[str, Any]:
    """A case as in a request."""
    request = CaseRequest(
        id=name,
        motion=motion or f"motion of {name}",
        pro=arguments("PRO"),
        con=arguments("CON"),
        truth=truth,
        source="a fact",
    )
    return dict(msgspec.to_builtins(request))


def says(pro: int, con: int) -> dict[str, Any]:
    """An answer that gives these points to the arguments of each side in every dimension."""
    points = {"PRO-1": pro, "PRO-2": pro, "CON-1": con, "CON-2": con}
    return {"scores": {name: dict.fromkeys(DIMENSIONS, each) for name, each in points.items()}}


PRO, CON, EVEN = says(8, 4), says(4, 8), says(6, 6)


def request(*cases: dict[str, Any], model: str, panel: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"format": "calibration", "cases": list(cases), "panel": panel or [model], "judge": {"model": model}, **more}


NONE = {"scores": {"PRO-1": {"logic": 5}}}
RIGHT_AND_WRONG = {
    "panel:technical@*": PRO,
    "panel:business@*": CON,
    "panel:risk@*": EVEN,
    "panel:general@*": NONE,
}
"""Answers to a case whose motion holds."""


def check(records: Sequence[Recorded], cases: int, raters: int = 4) -> None:
    """Check that every question was asked once and every verdict recorded once."""
    answers = [each.event.key for each in records if isinstance(each.event, ModelAnswered)]
    verdicts = [(each.event.rater, each.event.case) for each in records if isinstance(each.event, RaterCalibrated)]

    assert len(set(answers)) == len(answers) == cases * raters
    assert len(set(verdicts)) == len(verdicts) == cases * raters
    assert isinstance(records[-1].event, DebateConcluded)
    for record in records:
        if isinstance(record.event, RaterCalibrated) and record.event.said is not UNSET:
            assert record.cause is not None
            call = records[record.cause - 1].event
            assert isinstance(call, ModelAnswered)
            assert f"panel:{record.event.rater}@{record.event.case}" == call.key


async def held(h: Harness, body: dict[str, Any]) -> list[Recorded]:
    """Run a calibration from beginning to end."""
    asked = as_request(body)
    debate = await h.moderators.open(*await opening.opening_for(h.log, asked, h.registry, h.settings))
    ended = await h.ended(debate)

    assert isinstance(ended, DebateConcluded), ended
    return list(await h.log.read(debate))
