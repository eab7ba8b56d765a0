"""The level of thinking of each seat: its default by role, in the opening, and in every call."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

from events import codec
from events.types import DebateOpened, Debater, JudgeSeat, Rater, Think
from providers import base
from server.cli.debates import run
from server.cli.judging import deliberate
from server.cli.measure import calibrate
from server.debate.setup.request import as_request
from server.errors import BadField
from tests.judge.deliberation.judges import PERSONAS, TEXT
from tests.judge.protocol.rounds import opening
from tests.server.debate.calibrations import case
from tests.server.faulty_scripts import faulty_registry
from tests.server.harness import harness
from tests.server.panels import RATERS
from tests.server.protocol_debates import answers
from tests.server.site import MOTION, Site, refused

pytestmark = pytest.mark.anyio
Script = Callable[..., str]
CLAIM = {"claims": [{"quote": "one tram carries two hundred people", "kind": "hollow_specificity", "reason": "Who?"}]}
SAID = {"pro": {"think": "off"}, "con": {"think": "high"}}


async def asked(content: dict[str, Any], script: Script, **request: Any) -> dict[str, set[str]]:
    """The level of thinking of each call, by the first word of the question's key."""
    model = script(**content)
    seats = {role: {"model": model, **request.pop(role, {})} for role in ("pro", "con", "judge")}
    async with harness(registry=faulty_registry()) as h:
        requests = h.registry.provider("scripted").requests  # type: ignore[attr-defined]
        opened = await h.opening(model, **{**request, "pro": seats["pro"], "con": seats["con"], "seat": seats["judge"]})
        debate = await h.moderators.open(opened)
        await h.ended(debate)
    told: dict[str, set[str]] = {}
    for each in requests:
        word = each.key if each.key.startswith(("speak", "open", "cross", "close")) else each.key.partition(":")[0]
        told.setdefault(word, set()).add(each.think)
    return told


def test_the_levels_of_events_and_providers_are_the_same() -> None:
    assert base.Think == Think


async def test_debaters_think_little_and_who_judges_more(script: Script) -> None:
    told = await asked({"answers": {"claims:1": CLAIM}}, script, judge={"appeals": "all"}, panel=list(RATERS))

    assert {"low"} == told.pop("speak:pro") | told.pop("speak:con")
    turns = {"score", "claims", "premises", "compare", "second_opinion"}
    assert turns | {"audit", "narrative", "panel"} == set(told)
    assert [{"medium"}] * len(told) == list(told.values())


async def test_every_seat_thinks_as_it_was_told(script: Script) -> None:
    panel = [{"rater": "risk", "think": "off"}, "general"]
    told = await asked(
        {"answers": {"claims:1": CLAIM}}, script, **SAID, judge={"think": "default", "appeals": "all"}, panel=panel
    )

    assert ({"off"}, {"high"}) == (told["speak:pro"], told["speak:con"])
    assert {"default"} == told["score"] | told["second_opinion"] | told["narrative"]
    assert {"off", "default"} == told["panel"]


async def test_statements_and_their_second_asking_are_the_debaters(script: Script) -> None:
    faulty = answers(open_pro=[{"arguments": opening("pro")["arguments"][:2]}, opening("pro")])
    told = await asked({"answers": faulty}, script, **SAID, format="protocol", turns=6)

    assert [{"off"}, {"high"}] == [told["open:pro"], told["open:con"]]
    assert [{"off"}, {"high"}] == [told["cross:pro"], told["close:con"]]
    assert {"medium"} == told["assess"]


@pytest.mark.slow
async def test_the_judges_of_an_artifact_think_as_their_seats_say(script: Script) -> None:
    artifact = {"format": "deliberation", "artifact": {"name": "design.md", "text": TEXT}}
    seats = [{"rater": name, "think": "high"} for name in PERSONAS]

    assert {"deliberate": {"medium"}} == await asked({}, script, **artifact)
    assert {"deliberate": {"low"}} == await asked({}, script, **artifact, judge={"think": "low"})
    assert {"deliberate": {"high"}} == await asked({}, script, **artifact, panel=seats)


async def test_raters_are_measured_as_they_think(script: Script) -> None:
    told = await asked({}, script, format="calibration", cases=[case("a")], judge={"think": "off"})

    assert {"panel": {"off"}} == told


def test_an_old_opening_leaves_it_to_the_vendor() -> None:
    seats = [Debater(model="m", archetype="a", elasticity=0.5), JudgeSeat(model="m")]

    assert ["default"] * 2 == [each.think for each in seats]
    old = b'{"name":"r","title":"R","domain":"d","focus":"f","weights":{},"model":"m"}'
    assert "default" == msgspec.json.decode(old, type=Rater).think


async def test_the_opening_carries_what_every_seat_thinks(script: Script) -> None:
    async with harness() as h:
        opened = await h.opening(script(), **with_models(script()), panel=["risk", "general"])
    read = codec.decode(codec.encode(opened), 1)

    assert isinstance(read, DebateOpened)
    assert ("off", "high", "medium", ("medium", "medium")) == (
        read.pro.think,
        read.con.think,
        read.judge.think,
        tuple(each.think for each in read.panel),
    )


def with_models(model: str) -> dict[str, Any]:
    return {side: {"model": model, **said} for side, said in SAID.items()}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"pro": {"think": "much"}}, "pro.think"),
        ({"con": {"think": 1}}, "con.think"),
        ({"judge": {"think": ""}}, "judge.think"),
        ({"panel": [{"rater": "risk", "think": "xhigh"}]}, "panel.0.think"),
    ],
)
def test_a_level_that_is_none_is_refused_at_its_field(site: Site, body: dict[str, Any], field: str) -> None:
    refused(site.client.post("/api/debates", json={"motion": MOTION, **body}), 422, field)


# the command line


def body_of(command: click.Command, make: Any, *args: str) -> Any:
    """The request that a command line makes."""
    context = command.make_context("x", list(args))
    return make(context.params)


def test_a_run_says_how_much_each_seat_thinks() -> None:
    def make(requested: dict[str, Any]) -> Any:
        return run._body("m", requested)

    levels = ("--pro-think", "low", "--con-think", "off", "--judge-think", "high", "--panel-think", "medium")
    body = body_of(run.run, make, "m", *levels, "--panel", "risk,scripted:a")
    plain = body_of(run.run, make, "m", "--panel", "risk,scripted:a")

    assert ("low", "off", "high") == tuple(body[role]["think"] for role in ("pro", "con", "judge"))
    assert [("risk", None), *((name, "scripted:a") for name in RATERS)] == [
        (seat["rater"], seat.get("model")) for seat in body["panel"]
    ]
    assert {"medium"} == {seat["think"] for seat in body["panel"]}
    assert ["risk", "scripted:a"] == plain["panel"]
    assert not [role for role in ("pro", "con", "judge") if "think" in plain[role]]
    assert as_request(body).con.think == "off"


def test_nobody_on_a_panel_cannot_think() -> None:
    with pytest.raises(BadField, match="there is no panel") as caught:
        body_of(run.run, lambda requested: run._body("m", requested), "m", "--panel-think", "low")

    assert "panel_think" == caught.value.field


@pytest.mark.parametrize("panel", [(), ("--panel", "scripted:a,scripted:b")])
def test_a_deliberation_says_how_much_its_judges_think(tmp_path: Path, panel: tuple[str, ...]) -> None:
    path = tmp_path / "design.md"
    path.write_text(TEXT)
    body = body_of(
        deliberate.deliberate,
        lambda requested: deliberate._body(str(path), TEXT, requested),
        str(path),
        *panel,
        "--panel-think",
        "high",
    )

    assert "high" == as_request(body).judge.think


def test_a_calibration_says_how_much_its_raters_think(tmp_path: Path) -> None:
    body = body_of(
        calibrate.calibrate,
        lambda requested: calibrate._body((), requested),
        str(tmp_path),
        "--panel",
        "risk,general",
        "--panel-think",
        "off",
    )

    assert "off" == body["judge"]["think"]
    assert ["off", "off"] == [seat["think"] for seat in body["panel"]]
