"""The table of formats: a sixth format is one place in it, and nothing else knows its name."""

from typing import Any, ClassVar

import pytest

from events.record import Draft
from events.state.debate import Debate
from events.types import SIDES, DebateConcluded, TurnSpoken
from providers.base import Segment
from server.debate.formats import FORMATS, DebateFormat
from server.debate.formats.steps import LazyPrompt, Speak, Step, record
from server.debate.opening.build import Desk, Opening, opened, rubric_of, seated
from server.debate.opening.request import DebateRequest
from server.debate.opening.sides import debater
from server.debate.setup.estimate import estimate
from server.debate.setup.opening import opening_for
from server.debate.setup.request import as_request
from server.errors import BadField
from tests.server.harness import harness

pytestmark = pytest.mark.anyio


class MonologueRequest(DebateRequest, kw_only=True, forbid_unknown_fields=True):
    """Pro speaks, and nobody answers."""

    only: ClassVar[dict[str, tuple[str, str]]] = {"louder": ("louder", "only a monologue can be louder")}

    louder: bool = False


async def build(request: MonologueRequest, desk: Desk) -> Opening:
    rubric = rubric_of(request)
    seats = await seated(request, desk, debaters=SIDES)
    return Opening(await opened(request, desk, rubric, seats, turns=request.turns, pro=debater(request, "pro", seats)))


def next_steps(debate: Debate) -> tuple[Step, ...]:
    assert debate.opened is not None
    spoken = len(debate.transcript.spoken())
    if debate.status.state != "open":
        return ()
    if spoken == debate.opened.turns:
        return record([Draft(event=DebateConcluded(winner="neither", by_rule="monologue"), cause=debate.course)])
    return (
        Speak(
            turn=spoken + 1,
            side="pro",
            attempt=1,
            model=debate.opened.pro.model,
            lazy_prompt=LazyPrompt(lambda: (Segment("user", f"Say part {spoken + 1}."),)),
            max_words=100,
            max_tokens=200,
            temperature=0.5,
            think="off",
            cause=debate.course,
        ),
    )


MONOLOGUE = DebateFormat(request=MonologueRequest, build=build, next_steps=next_steps)


async def test_a_sixth_format_is_one_line_of_the_table(script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS.places, "monologue", f"{__name__}:MONOLOGUE")
    model = script("talker", says={"pro": ["It is my turn again."]})
    seat = {"model": model}
    wanted = as_request(
        {"format": "monologue", "motion": "m", "turns": 2, "louder": True, "pro": seat, "con": seat, "judge": seat}
    )

    async with harness() as h:
        opening = await opening_for(h.log, wanted, h.registry, h.settings)
        debate = await h.moderators.open(*opening)
        ended = await h.ended(debate)
        events = await h.events(debate)
        view = await h.hub.view(debate)

    assert isinstance(wanted, MonologueRequest)
    assert isinstance(ended, DebateConcluded)
    assert ended.by_rule == "monologue"
    assert ["pro", "pro"] == [each.side for each in events if isinstance(each, TurnSpoken)]
    assert (view.format, view.state) == ("monologue", "concluded")
    assert estimate(opening.opened).calls == 2


def test_a_field_of_another_format_is_refused_if_it_says_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS.places, "monologue", f"{__name__}:MONOLOGUE")

    as_request({"motion": "m", "louder": False})
    with pytest.raises(BadField, match="only a monologue can be louder"):
        as_request({"motion": "m", "louder": True})


@pytest.mark.parametrize("said", ["x", "", "Exchange"])
def test_an_unknown_format_is_refused(said: str) -> None:
    with pytest.raises(BadField, match="format cannot be") as refused:
        as_request({"motion": "m", "format": said})

    assert refused.value.field == "format"
