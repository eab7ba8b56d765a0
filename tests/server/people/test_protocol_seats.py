"""People debate in format ``protocol``: their statements as forms over HTTP, the checks, the clock, who takes over."""

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.store.log import read_all
from events.store.memory import MemoryLog
from events.types import (
    AttemptAbandoned,
    DebateConcluded,
    DebateHalted,
    DebateOpened,
    SeatHandedOver,
    Side,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
)
from events.verify import verify_log
from server.debate.commands import MakeSeatLink, Resume
from server.people.acts import AtSeat
from server.people.links import digest_of_link
from server.people.provider import OpenRequest
from server.whatif.replay import replay
from tests.judge.protocol.rounds import KINDS, closing, cross, opening, replies
from tests.server.harness import PATIENCE_S, Harness, harness
from tests.server.people.test_judging import answer_all, least, questions, send
from tests.server.people.test_rules import of
from tests.server.people.test_seats import MINE, seated
from tests.server.protocol_debates import answers
from tests.server.site import Site

ANN = {"person": "Ann", "time_s": 600}
BEA = {"person": "Bea", "time_s": 600}
CROSS = {"response": "refute", "reasoning": "It leaves out what it costs.", "follow_up": "Who pays for it?"}


def statement(kind: str, side: str, **changes: Any) -> dict[str, Any]:
    """What a form of the page sends, by argument."""
    match kind:
        case "open":
            said: dict[str, Any] = {each.pop("id"): each for each in opening(side)["arguments"]}
        case "cross":
            in_part = {"3": {"response": "partial"}}
            said = {each.pop("target"): each for each in cross(side, **in_part)["responses"]}
        case "answer":
            said = replies(side)
        case _:
            said = closing(
                side, final_position=f"What {side} said first still holds, within the limits that were shown."
            )
    return {**said, **changes}


def asked(site: Site, path: str, name: str) -> dict[str, Any]:
    """The question of this id, once it is open."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if found := [each for each in questions(site, path) if each["id"] == name]:
            return found[0]
        time.sleep(0.01)
    raise AssertionError(site.client.get(path, headers=MINE).json())


def held(site: Site, script: Callable[..., str], **request: Any) -> str:
    model = script(answers={"assess": answers()["assess"]})
    return site.open(model, format="protocol", **{"turns": 8, "pro": ANN, "con": BEA, **request})


def faults_of(response: Any) -> dict[str, str]:
    assert response.status_code == 422, response.text
    return {".".join(map(str, each["path"])): each["message"] for each in response.json()["error"]["faults"]}


@pytest.mark.slow
def test_two_people_hold_a_debate_and_no_statement_of_a_round_is_shown_before_the_other_one(
    site: Site, script: Callable[..., str]
) -> None:
    debate = held(site, script, panel=["technical", "business", "general"])
    paths: dict[str, str] = {side: seated(site, debate, side) for side in ("pro", "con")}

    for number, kind in enumerate(KINDS):
        for turn, (side, path) in enumerate(paths.items(), 2 * number + 1):
            question = asked(site, path, f"{kind}:{side}/{turn}")
            shown = site.client.get(path, headers=MINE).json()
            assert (shown["request"], shown["has_sent"], len(shown["turns"])) == (None, False, 2 * number)
            assert 0 < question["left_s"] <= 600
            assert {each["speaker"] for each in question["material"]["speeches"]} == (
                {"Pro", "Con"} if number else set()
            )
            assert send(site, path, question, statement(kind, side)).status_code == 200
            if side == "pro":
                assert site.client.get(path, headers=MINE).json()["has_sent"]
                assert site.get(f"/api/debates/{debate}")["people"]["pro"]["has_sent"]

    assert site.ended(debate)["type"] == "debate_concluded"
    view = site.get(f"/api/debates/{debate}")
    frames = [each["event"] for each in site.get(f"/api/debates/{debate}/frames?limit=1000")["frames"]]
    spoken = [each for each in frames if each["type"] == "turn_spoken"]
    assert [(each["turn"], each["by"], each["model"]) for each in spoken] == [(n, "person", "") for n in range(1, 9)]
    assert [view["turns"][turn]["speaker"] for turn in "12"] == ["Ann", "Bea"]
    assert view["protocol"]["arguments"]["PRO-1"]["claim"] == "The tram decides what a city is for."
    assert view["protocol"]["arguments"]["PRO-1"]["cross"]["response"] == "refute"
    assert not any(each.get("faults") for each in frames)
    assert view["panel"]["raters"].keys() == {"technical", "business", "general"}
    assert view["usage"]["cost_usd"] == 0


@pytest.mark.slow
def test_what_people_said_is_judged_again_as_it_was_recorded(site: Site, script: Callable[..., str]) -> None:
    debate = held(site, script)
    paths: dict[str, str] = {side: seated(site, debate, side) for side in ("pro", "con")}
    for number, kind in enumerate(KINDS):
        for turn, (side, path) in enumerate(paths.items(), 2 * number + 1):
            assert (
                send(site, path, asked(site, path, f"{kind}:{side}/{turn}"), statement(kind, side)).status_code == 200
            )
    site.ended(debate)
    judge = {"model": script("other", answers={"assess": answers()["assess"]})}
    made = site.client.post(f"/api/debates/{debate}/rejudge", json={"judge": judge})
    assert made.status_code == 201, made.text
    again = made.json()["id"]
    before = site.get(f"/api/debates/{debate}")
    assert site.ended(again)["type"] == "debate_concluded"
    after = site.get(f"/api/debates/{again}")

    assert {"id": again} == made.json(), "nobody is asked for a statement, so nobody needs a link"
    assert [turn["text"] for turn in before["turns"].values()] == [turn["text"] for turn in after["turns"].values()]
    assert ["Ann", "Bea"] == [after["turns"][turn]["speaker"] for turn in "12"]
    assert before["protocol"]["assessment"] == after["protocol"]["assessment"]
    told = site.client.post(f"/api/debates/{again}/whatif", json={"rubric": {"protocol": {"even_within": 2}}}).json()
    assert "the rules of today differ" not in told["note"]
    assert [] == told.get("unanswered", [])


@pytest.mark.parametrize(
    ("kind", "changes", "found"),
    [
        ("open", {"PRO-2": {"claim": "Short.", "reasoning": "", "evidence": "2019"}}, {
            "PRO-2.claim": "Write at least 10 characters.",
            "PRO-2.reasoning": "Write at least 20 characters.",
            "PRO-2.evidence": "Write at least 5 characters.",
        }),
        ("open", {"PRO-3": None}, {"PRO-3": "This part of the answer is missing."}),
        ("open", {"PRO-4": {}}, {"PRO-4": "The question does not ask for this."}),
        ("cross", {"CON-1": CROSS | {"response": "deny"}}, {"CON-1.response": "Choose one of the answers."}),
        ("cross", {"CON-1": CROSS | {"follow_up": " "}}, {"CON-1.follow_up": "Write at least 12 characters."}),
        ("answer", {"PRO-1": {"answer": "so " * 101}}, {"PRO-1.answer": "Shorten this to 100 words; it has 101."}),
        ("close", {"final_position": "I hold it. " * 60, "shift": "none"}, {"shift": "Choose one of the answers."}),
        ("close", {"final_position": "So it is. " * 65}, {"": "Shorten this to 200 words; it has 209."}),
    ],
)  # fmt: skip
def test_a_statement_that_lacks_something_comes_back_with_the_place(
    site: Site, script: Callable[..., str], kind: str, changes: dict[str, Any], found: dict[str, str]
) -> None:
    model = script(answers=answers())
    debate = site.open(model, format="protocol", turns=8, pro=ANN)
    path = seated(site, debate)
    for number, each in enumerate(KINDS[: KINDS.index(kind) + 1]):
        question = asked(site, path, f"{each}:pro/{2 * number + 1}")
        if each != kind:
            assert send(site, path, question, statement(each, "pro")).status_code == 200

    assert found == faults_of(send(site, path, question, statement(kind, "pro", **changes)))

    assert send(site, path, question, statement(kind, "pro")).status_code == 200


@pytest.mark.slow
def test_a_draft_of_a_statement_comes_back_and_the_form_shows_what_it_answers(
    site: Site, script: Callable[..., str]
) -> None:
    model = script(answers=answers())
    debate = site.open(
        model, format="protocol", turns=8, pro=ANN, evidence=[{"name": "shade.txt", "text": "Trams cool a street."}]
    )
    path = seated(site, debate)
    question = asked(site, path, "open:pro/1")

    draft = {"request": question["id"], "text": '{"PRO-1": {"claim": "Trams"}}'}
    assert site.client.put(f"{path}/draft", headers=MINE, json=draft).status_code == 200
    again = asked(site, path, "open:pro/1")
    assert send(site, path, again, statement("open", "pro")).status_code == 200
    cross = asked(site, path, "cross:pro/3")

    assert again["draft"] == draft["text"]
    assert [each["name"] for each in question["material"]["register"]] == ["E1"]
    assert question["material"]["about"] == ["PRO-1", "PRO-2", "PRO-3"]
    assert cross["material"]["about"] == ["CON-1", "CON-2", "CON-3"]
    assert [each["name"] for each in cross["material"]["speeches"]] == [
        f"{side}-{n}" for side in ("PRO", "CON") for n in (1, 2, 3)
    ]


def test_a_person_who_resigns_loses_while_the_other_one_still_writes(site: Site, script: Callable[..., str]) -> None:
    debate = held(site, script)
    pro, con = seated(site, debate), seated(site, debate, "con")
    asked(site, con, "open:con/2")

    resigned = site.client.post(f"{pro}/resign", headers=MINE, json={})

    assert resigned.status_code == 200, resigned.text
    ended = site.ended(debate)
    assert (ended["winner"], ended["by_rule"]) == ("con", "resignation")
    assert questions(site, con) == []
    assert {each["state"] for each in site.get(f"/api/debates/{debate}")["turns"].values()} == {"failed"}


def test_a_debate_of_two_models_has_no_seats_and_says_so(site: Site, script: Callable[..., str]) -> None:
    debate = site.open(script(answers=answers()), format="protocol", turns=8)

    refused = site.client.post(f"/api/debates/{debate}/seats/pro/link")

    assert refused.status_code == 404


# who judges and rates


def judged(question: dict[str, Any]) -> dict[str, Any]:
    """An answer of a person to an assessment or a rating: 8 points for Pro's arguments and 6 for Con's."""
    if question["material"]["purpose"] == "deliberate":
        speeches = question["material"]["speeches"]
        return dict(least(question | {"material": {"about": [speeches[0]["name"]], "speeches": speeches}}))
    about, (*dimensions,) = question["material"]["about"], ("logic", "evidence", "responsiveness", "honesty")
    scores = {name: dict.fromkeys(dimensions, 8 if name.startswith("PRO") else 6) for name in about}
    if question["material"]["purpose"] == "panel":
        return {
            "scores": scores,
            "standings": dict.fromkeys(about, "UPHELD"),
            "notes": dict.fromkeys(about, ""),
            "finding": "",
        }
    return {
        "fallacies": [],
        "arguments": {name: {"reason": "", "standing": "UPHELD", "scores": given} for name, given in scores.items()},
        "key_insight": "Costs decide, and nobody has counted them.",
        "unresolved_questions": [],
        "recommendation": "Count the costs before you decide.",
    }


def previewed(site: Site, path: str, question: dict[str, Any], answer: Any) -> dict[str, Any]:
    """By part: the points and what lowers them."""
    body = {"request": question["id"], "text": json.dumps(answer)}
    response = site.client.post(f"{path}/preview", headers=MINE, json=body)

    assert response.status_code == 200, response.text
    return {each["name"]: each for each in response.json()["parts"]}


def test_a_person_judges_a_debate_and_knows_the_totals_before(site: Site, script: Callable[..., str]) -> None:
    debate = site.open(script(answers=answers()), format="protocol", turns=8, judge={"person": "Ben", "time_s": 600})
    path = seated(site, debate, "judge")
    question = asked(site, path, "assess/0")
    whole = judged(question)
    half = {"arguments": {name: whole["arguments"][name] for name in ("PRO-1", "PRO-2", "PRO-3")}}

    before, ready = previewed(site, path, question, half), previewed(site, path, question, whole)
    lacking = faults_of(send(site, path, question, half))
    assert send(site, path, question, whole).status_code == 200

    assert (before["pro"]["points"], before["con"]["points"], before["CON-1"]["points"]) == (24, None, None)
    assert {name: each["points"] for name, each in ready.items() if "-" not in name} == {"pro": 24, "con": 18}
    assert lacking["key_insight"] == "This part of the answer is missing."
    ended = site.ended(debate)
    assert (ended["winner"], ended["by_rule"]) == ("pro", "assessment")
    given = site.get(f"/api/debates/{debate}")["protocol"]["assessment"]
    assert (given["pro_total"], given["con_total"]) == (24, 18)


@pytest.mark.slow
def test_a_person_rates_a_debate_beside_a_model(site: Site, script: Callable[..., str]) -> None:
    model = script(answers=answers())
    panel = [{"rater": "general", "person": "Cleo"}, {"rater": "technical", "model": model}]
    debate = site.open(model, format="protocol", turns=8, panel=panel)
    path = seated(site, debate, "general")
    question = asked(site, path, "panel:general/0")

    ready = previewed(site, path, question, judged(question))
    seen = answer_all(site, debate, path, judged)

    assert {name: each["points"] for name, each in ready.items()} == {
        f"{side}-{n}": points for side, points in (("PRO", 8), ("CON", 6)) for n in (1, 2, 3)
    }
    assert {each["material"]["purpose"] for each in seen.values()} == {"panel", "deliberate"}
    rater = site.get(f"/api/debates/{debate}")["panel"]["raters"]["general"]
    assert rater["seat"]["model"] == "person:Cleo"
    assert rater["scored"]["scores"]["PRO-1"]["logic"] == 8
    assert rater["scored"]["standings"]["CON-3"] == "UPHELD"


# without HTTP

LINK, HOLDER = digest_of_link("link"), digest_of_link("mine")


async def opened_with(h: Harness, model: str, seats: dict[str, dict[str, Any]], time_s: float = 600.0) -> str:
    """A protocol debate with people in some seats, whose time may be shorter than a request allows."""
    opening: DebateOpened = await h.opening(model, format="protocol", turns=8, **seats)
    changed = {side: replace(getattr(opening, side), time_s=time_s) for side in seats}
    debate = await h.moderators.open(replace(opening, **changed))
    for side in seats:
        await h.moderators.act(debate, MakeSeatLink(side, LINK, "moderator"))
        await at(h, debate, side, "take")
    return debate


async def at(h: Harness, debate: str, seat: str, act: Any, **fields: str) -> None:
    await h.moderators.act(debate, AtSeat(seat=seat, link=LINK, holder=HOLDER, act=act, **fields))


async def waits(h: Harness, debate: str, seat: str, name: str) -> OpenRequest:
    with anyio.fail_after(PATIENCE_S):
        while (found := h.moderators.people.find(debate, seat, name)) is None:
            await anyio.lowlevel.checkpoint()
    return found


async def gives(h: Harness, debate: str, seat: Side, turn: int) -> None:
    kind = KINDS[(turn - 1) // 2]
    name = f"{kind}:{seat}/{turn}"
    await waits(h, debate, seat, name)
    await at(h, debate, seat, "send", request=name, text=json.dumps(statement(kind, seat)))


@pytest.mark.anyio
@pytest.mark.usefixtures("short")
async def test_a_time_out_halts_and_both_clocks_begin_again_with_a_resume(script: Callable[..., str]) -> None:
    async with harness() as h:
        debate = await opened_with(h, script(answers=answers()), {"pro": {"person": "Ann"}}, time_s=0.05)

        halted = await h.ended(debate)
        again = await h.ended(debate, await h.moderators.act(debate, Resume("", "moderator")))
        failed = await of(h, debate, TurnFailed, AttemptAbandoned)
        started = await of(h, debate, TurnStarted)

    assert isinstance(halted, DebateHalted)
    assert isinstance(again, DebateHalted)
    assert halted.reason == (
        "turn 1 (pro, Ann): the time of 0.05 s has passed. Resume the debate, and the clock of this turn begins again."
    )
    assert [(each.turn, each.kind) for each in failed] == [(1, "timeout"), (2, "halted")] * 2
    assert [(each.turn, each.attempt) for each in started] == [(1, 1), (2, 1), (1, 2), (2, 2)]


@pytest.mark.anyio
@pytest.mark.usefixtures("short")
async def test_a_model_takes_over_at_once_while_the_other_person_still_writes(script: Callable[..., str]) -> None:
    model = script(answers=answers())
    async with harness() as h:
        seats = {"pro": {"person": "Ann", "takeover": model}, "con": {"person": "Bea"}}
        opening: DebateOpened = await h.opening(model, format="protocol", turns=8, **seats)
        debate = await h.moderators.open(replace(opening, pro=replace(opening.pro, time_s=0.05)))
        await h.moderators.act(debate, MakeSeatLink("con", LINK, "moderator"))
        await at(h, debate, "con", "take")
        await waits(h, debate, "con", "open:con/2")
        with anyio.fail_after(PATIENCE_S):
            while not await of(h, debate, SeatHandedOver):
                await anyio.lowlevel.checkpoint()
        assert not await of(h, debate, TurnSpoken)
        for turn in (2, 4, 6, 8):
            await gives(h, debate, "con", turn)

        end = await h.ended(debate)
        spoken = await of(h, debate, TurnSpoken)
        handed = await of(h, debate, SeatHandedOver)

    assert isinstance(end, DebateConcluded)
    assert handed == [SeatHandedOver(seat="pro", model=model, reason="time_out")]
    assert [(each.turn, each.by) for each in spoken] == [(n, UNSET if n % 2 else "person") for n in range(1, 9)]


@pytest.mark.anyio
async def test_what_a_person_sent_before_resigning_stays_the_person_s(script: Callable[..., str]) -> None:
    model = script(answers=answers())
    async with harness() as h:
        seats = {"pro": {"person": "Ann", "takeover": model}, "con": {"person": "Bea"}}
        debate = await opened_with(h, model, seats)
        await gives(h, debate, "pro", 1)
        await at(h, debate, "pro", "resign")
        for turn in (2, 4, 6, 8):
            await gives(h, debate, "con", turn)

        end = await h.ended(debate)
        spoken = await of(h, debate, TurnSpoken)

    assert isinstance(end, DebateConcluded)
    assert [each.by for each in spoken if each.side == "pro"] == ["person", UNSET, UNSET, UNSET]


@pytest.mark.anyio
async def test_a_restart_in_mid_round_loses_nothing_and_the_clock_goes_on(script: Callable[..., str]) -> None:
    log, model = MemoryLog(), script(answers=answers())
    seats = {"pro": {"person": "Ann"}, "con": {"person": "Bea"}}
    async with harness(log) as h:
        debate = await opened_with(h, model, seats)
        for turn in (1, 2, 3):
            await gives(h, debate, "pro" if turn % 2 else "con", turn)
        asked_at_first = await waits(h, debate, "con", "cross:con/4")

    async with harness(log) as h:
        assert await h.moderators.take_up() == 1
        again = await waits(h, debate, "con", "cross:con/4")
        for turn in (4, 6, 5, 7, 8):
            await gives(h, debate, "pro" if turn % 2 else "con", turn)
        end = await h.ended(debate)
        spoken = await of(h, debate, TurnSpoken)
        assert (await verify_log(log, debate)).ok
        records: Sequence[Any] = [each async for each in read_all(log, debate)]

    assert again.request.limit_s is not None
    assert asked_at_first.request.limit_s is not None
    assert again.request.limit_s < asked_at_first.request.limit_s
    assert isinstance(end, DebateConcluded)
    assert [each.turn for each in spoken] == [*range(1, 9)]
    replayed = replay(records, lambda opened: opened)
    assert replayed.diverges_at == 0
    assert replayed.would_be.protocol == replayed.recorded.protocol
