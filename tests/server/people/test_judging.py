"""A person as judge and as rater: the questions over HTTP, answers with faults, time-outs, one order, the record."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from events.types import DebateConcluded, Reason, TurnRescored, TurnsCompared, TurnScored
from events.types.rubric import Rubric
from judge.rubrics.rubric import rubric_v2, rubric_v3
from tests.judge.played_turns import NO_REPLY, play_turn, score_answer
from tests.server.debate.calibrations import case, says
from tests.server.debate_events import Play, opened
from tests.server.people.test_seats import MINE, PATIENCE_S, api, seated
from tests.server.site import Site, refused

BEN = {"person": "Ben", "time_s": 600}


def filled(schema: dict[str, Any], name: str, question: dict[str, Any]) -> Any:
    """The least that a person can answer: no findings, and words of the turn for each component."""
    if "enum" in schema:
        return "draw" if "draw" in schema["enum"] else schema["enum"][0]
    match schema["type"]:
        case "object":
            return {key: filled(each, key, question) for key, each in schema["properties"].items()}
        case "array":
            return []
        case "integer" | "number":
            return schema["maximum"]
        case _:
            return words(question) if name == "quote" else "So it seems to me."


def words(question: dict[str, Any]) -> str:
    material = question["material"]
    return next(each["text"][:30] for each in material["speeches"] if each["name"] in material["about"])


def questions(site: Site, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = site.client.get(f"{path}/questions", headers=MINE).json()["questions"]
    return found


def send(site: Site, path: str, question: dict[str, Any], answer: Any) -> Any:
    return site.client.post(
        f"{path}/answer", headers=MINE, json={"request": question["id"], "text": json.dumps(answer)}
    )


def least(question: dict[str, Any]) -> Any:
    return filled(question["schema"], "", question)


def answer_all(
    site: Site, debate: str, path: str, answer: Callable[[dict[str, Any]], Any] = least
) -> dict[str, dict[str, Any]]:
    """Answer whatever is asked until the debate has ended; the questions by id."""
    seen: dict[str, dict[str, Any]] = {}
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if site.get(f"/api/debates/{debate}")["state"] == "concluded":
            return seen
        for each in questions(site, path):
            seen[each["id"]] = each
            sent = send(site, path, each, answer(each))
            assert sent.status_code == 200, sent.text
        time.sleep(0.01)
    raise AssertionError(seen.keys())


def waiting(site: Site, path: str) -> list[dict[str, Any]]:
    """The questions, once the judge is asked all three about the first turn."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if len(found := questions(site, path)) == 3:
            return found
        time.sleep(0.01)
    raise AssertionError(found)


def test_a_person_judges_a_whole_debate(site: Site, script: Callable[..., str]) -> None:
    debate = site.open(script(), judge=BEN)
    path = seated(site, debate, "judge")

    seen = answer_all(site, debate, path)

    view = site.get(f"/api/debates/{debate}")
    assert [*seen] == [
        *(f"{name}:1/1" for name in ("score", "claims", "premises")),
        *(f"{name}/2" for name in ("score:2", "claims:2", "premises:2", "compare:1-2")),
        "audit/0",
        "narrative/0",
        "conflict/0",
    ]
    assert "Speaker A has 70 of 70 points" in seen["conflict/0"]["material"]["context"]
    assert view["judge"]["model"] == "person:Ben"
    assert view["turns"]["2"]["composite"] == 100
    assert view["verdicts"]["scorecard"]["winner"] == "neither"
    assert view["verdicts"]["narrative"]["winner"] == "pro"
    frames = site.get(f"/api/debates/{debate}/frames?limit=1000")["frames"]
    scored = next(each["event"] for each in frames if each["event"]["type"] == "turn_scored")
    assert [each["verified"] for each in scored["components"].values() if each["quote"]] == [True] * 8
    answered = [each["event"] for each in frames if each["event"]["type"] == "model_answered"]
    assert {each["model"] for each in answered if each["purpose"] != "speak"} == {"Ben"}


def test_a_judge_sees_no_side_and_no_name(site: Site, script: Callable[..., str]) -> None:
    debate = site.open(script(), judge=BEN)
    path = seated(site, debate, "judge")

    found = waiting(site, path)

    shown = site.client.get(path, headers=MINE).json()
    assert shown["turns"] == []
    assert shown["request"] is None
    assert [each["id"] for each in shown["questions"]] == [each["id"] for each in found]
    assert all(0 < each["left_s"] <= 600 for each in shown["questions"])
    for each in found:
        told = json.dumps(each["material"])
        assert "scripted" not in told
        assert not {'"pro"', '"con"', "Pro", "Con"} & set(told.split())
        assert [speech["speaker"] for speech in each["material"]["speeches"]] == ["A"]


def test_only_the_browser_that_took_the_seat_reads_the_questions(site: Site, script: Callable[..., str]) -> None:
    debate = site.open(script(), judge=BEN)
    path = seated(site, debate, "judge")
    waiting(site, path)

    assert site.client.get(f"{path}/questions").status_code == 403
    assert site.client.get(path).json()["questions"] == []


def test_an_answer_with_faults_comes_back_and_can_be_mended(site: Site, script: Callable[..., str]) -> None:
    debate = site.open(script(), judge=BEN)
    path = seated(site, debate, "judge")
    score = next(each for each in waiting(site, path) if each["id"] == "score:1/1")
    answer = filled(score["schema"], "", score)
    bad = json.loads(json.dumps(answer))
    bad["components"]["cause"] |= {"quote": "words that nobody has said", "points": 99}
    invented = json.loads(json.dumps(answer))
    invented["components"]["cause"]["quote"] = "words that nobody has said"

    off_scale, unfound = send(site, path, score, bad), send(site, path, score, invented)

    assert off_scale.status_code == unfound.status_code == 422
    assert off_scale.json()["error"]["faults"] == [
        {"path": ["components", "cause", "points"], "message": "Give a whole number from 0 to 10."}
    ]
    assert unfound.json()["error"] == {
        "code": "bad_field",
        "message": "1 place of the answer must be corrected",
        "field": "text",
        "faults": [{"path": ["components", "cause", "quote"], "message": "These words are not in turn 1."}],
    }
    assert send(site, path, score, answer).status_code == 200
    assert send(site, path, score, answer).status_code == 409


def test_what_a_score_will_count_stands_before_it_is_sent(site: Site, script: Callable[..., str]) -> None:
    debate = site.open(script(), judge=BEN)
    path = seated(site, debate, "judge")
    score, *others = waiting(site, path)
    answer = least(score)
    unquoted = json.loads(json.dumps(answer))
    for each in unquoted["components"].values():
        each.update({"quote": ""} if "quote" in each else {})
    half = {"components": {"cause": answer["components"]["cause"]}}

    def parts(text: str) -> list[dict[str, Any]]:
        body = {"request": score["id"], "text": text}
        found: list[dict[str, Any]] = site.client.post(f"{path}/preview", headers=MINE, json=body).json()["parts"]
        return found

    whole, lost, begun = (parts(json.dumps(each)) for each in (answer, unquoted, half))
    assert parts("{}") == []
    body = {"request": score["id"], "text": "{}"}
    refused(site.client.post(f"{path}/preview", json=body), 403, says="take the seat")

    assert send(site, path, score, unquoted).status_code == 422
    assert send(site, path, score, answer).status_code == 200
    for each in others:
        assert send(site, path, each, least(each)).status_code == 200
    frame = site.watch(debate, "turn_scored")
    assert {each["name"]: each["points"] for each in whole[:-1]} == {
        name: each["admitted"] for name, each in frame["dimensions"].items()
    }
    total = {"name": "sum", "points": 70, "most": 70, "says": [], "title": "Sum", "counts": "70 of 70"}
    assert whole[-1] == total
    assert [each["points"] for each in lost if each["name"] == "logic"] == [None]
    assert any("quotes are in the turn" in says for each in lost for says in each["says"])
    assert {each["points"] for each in begun} == {None}


def test_a_draft_of_a_form_comes_back(site: Site, script: Callable[..., str]) -> None:
    debate = site.open(script(), judge=BEN)
    path = seated(site, debate, "judge")
    (first, *_) = waiting(site, path)
    draft = {"request": first["id"], "text": '{"components": {"cause": {"points": 4}}}'}

    kept = site.client.put(f"{path}/draft", headers=MINE, json=draft)

    assert kept.status_code == 200, kept.text
    assert questions(site, path)[0]["draft"] == draft["text"]
    assert [each["draft"] for each in questions(site, path)[1:]] == ["", ""]


def test_a_judge_who_resigns_is_asked_nothing_more(site: Site, script: Callable[..., str]) -> None:
    debate = site.open(script(), judge=BEN)
    path = seated(site, debate, "judge")
    waiting(site, path)

    resigned = site.client.post(f"{path}/resign", headers=MINE, json={})

    assert resigned.status_code == 200, resigned.text
    ended = site.ended(debate)
    assert (ended["winner"], ended["by_rule"]) == ("neither", "no_judgement")
    score = site.get(f"/api/debates/{debate}")["turns"]["2"]["scores"]
    assert "missing" in score


def test_a_person_rates_beside_a_model_and_the_agreement_is_measured(site: Site, script: Callable[..., str]) -> None:
    model = script()
    panel = [{"rater": "general", "person": "Cleo"}, {"rater": "technical", "model": model}]
    debate = site.open(model, panel=panel)
    path = seated(site, debate, "general")

    seen = answer_all(site, debate, path)

    rated = seen["panel:general/0"]["material"]
    view = site.get(f"/api/debates/{debate}")
    assert rated["purpose"] == "panel"
    assert [each["name"] for each in rated["terms"]] == ["logic", "evidence", "responsiveness", "honesty"]
    assert "General rater" in rated["context"]
    assert view["panel"]["raters"]["general"]["seat"]["model"] == "person:Cleo"
    assert view["panel"]["raters"]["general"]["scored"]["scores"]["1"]["logic"] == 10
    assert "agreement" in view["panel"]


# the rules, without a server


def judged_by_ben(turns: int = 2, rubric: Rubric | None = None) -> Play:
    opening = opened(turns)
    judge = replace(opening.judge, model="person:Ben", reads="whole", time_s=60.0)
    return Play(replace(opening, rubric=rubric or rubric_v2(), judge=judge))


def test_a_question_that_a_person_does_not_answer_in_time_is_not_asked_again() -> None:
    play = judged_by_ben()

    play_turn(play, score=NO_REPLY)

    scored = next(each for each in play.of(TurnScored) if each.turn == 1)
    assert isinstance(scored.missing, Reason)
    assert "timeout" in scored.missing.reason
    assert sum(getattr(each, "purpose", "") == "score" for each in play.events) == 1


def test_a_person_is_asked_for_a_comparison_once_and_nothing_is_flipped() -> None:
    play = judged_by_ben()
    won = {"logic": "second_clear", "rhetoric": "first_slight", "tactics": "draw", "reason": "It answers."}

    play_turn(play)
    play_turn(play, **{"compare:1-2": won})

    (compared,) = play.of(TurnsCompared)
    assert not isinstance(compared.missing, Reason)
    assert compared.outcomes == {"logic": "later", "rhetoric": "earlier", "tactics": "draw"}
    assert compared.degrees == {"logic": "clear", "rhetoric": "slight"}
    assert compared.flipped == ()
    assert compared.reason == "Shown as 1-2: It answers."


def test_a_comparison_that_a_person_left_out_is_missing() -> None:
    play = judged_by_ben()

    play_turn(play)
    play_turn(play, **{"compare:1-2": NO_REPLY})

    (compared,) = play.of(TurnsCompared)
    assert isinstance(compared.missing, Reason)
    assert compared.missing.reason.startswith("shown as 1-2: ")


def test_a_person_reads_the_whole_debate_in_one_order() -> None:
    play = judged_by_ben()

    play_turn(play)
    play_turn(play)

    assert play.debate.verdicts.narrative is not None
    assert [each for each in play.debate.questions.answers if each.startswith("narrative")] == ["narrative/1"]


def test_a_person_is_asked_once_for_the_closing_comparison_and_never_for_a_score_again() -> None:
    """Turn 3 has 0 points and is drawn with turns of 70 and 56 points of 100."""
    play = judged_by_ben(3, rubric_v3())
    zero = {"components": {name: each | {"points": 0} for name, each in score_answer(3)["components"].items()}}
    for _ in range(2):
        play_turn(play)
    play_turn(play, score=zero)

    assert [(1, 2), (2, 3), (1, 3)] == [(each.earlier, each.later) for each in play.of(TurnsCompared)]
    assert {1} == {len(levels) for each in play.of(TurnsCompared) for levels in each.levels.values()}
    assert not play.of(TurnRescored)
    assert play.of(DebateConcluded)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("judge.samples", {"judge": BEN | {"samples": 3}}),
        ("judge.second", {"judge": {"second": "person:Ben"}}),
        ("judge.person", {"judge": BEN, "format": "lab", "lab": {"batteries": ["retest"], "items": 2}}),
        ("judge", {"judge": {"model": "person:Ben"}}),
    ],
)
def test_where_no_person_can_be(site: Site, field: str, body: dict[str, Any]) -> None:
    response = site.client.post("/api/debates", json={"motion": "So", **body})

    assert response.status_code == 422
    assert response.json()["error"]["field"] == field


# a person beside the model


def test_the_record_of_a_person_counts_in_later_panels(site: Site, script: Callable[..., str]) -> None:
    model = script()
    panel = [{"rater": "general", "person": "Cleo"}, {"rater": "technical", "model": model}]
    cases = [case(name) for name in ("tides", "seasons")]
    measured = site.client.post("/api/debates", json={"format": "calibration", "cases": cases, "panel": panel}).json()
    path = api(measured["links"]["general"])
    assert site.client.post(f"{path}/take", headers=MINE).status_code == 200

    answer_all(site, measured["id"], path, of_case)
    records = [
        site.get(f"/api/debates/{site.open(model, panel=[seat, panel[1]])}")["panel"]["raters"][name]["seat"]["record"]
        for name, seat in (("general", panel[0]), ("risk", {"rater": "risk", "person": "Cleo"}))
    ]

    assert records == [{"right": 2, "of": 2}, {"right": 0, "of": 0}]


def test_a_person_has_one_seat_on_a_panel(site: Site, script: Callable[..., str]) -> None:
    panel = [{"rater": name, "person": "Cleo"} for name in ("general", "risk")]
    body = {"motion": "So", "panel": panel, "judge": {"model": script()}}
    response = site.client.post("/api/debates", json=body)

    assert response.status_code == 422
    assert response.json()["error"] == {
        "code": "bad_field",
        "message": "Cleo has a seat on this panel already",
        "field": "panel.1",
    }


def of_case(question: dict[str, Any]) -> dict[str, Any]:
    """A rating of a case: nobody has answered its arguments, so it has scores and notes alone."""
    scores = {
        name: {criterion: points for criterion, points in each.items() if criterion != "responsiveness"}
        for name, each in says(9, 2)["scores"].items()
    }
    return {"scores": scores, "notes": standings(question)["notes"]}


def standings(question: dict[str, Any]) -> dict[str, Any]:
    """What a rating has beside its scores."""
    about = question["material"]["about"]
    return {"standings": dict.fromkeys(about, "UPHELD"), "notes": dict.fromkeys(about, ""), "finding": ""}


@pytest.mark.slow
def test_a_person_judges_again_what_a_model_has_judged(site: Site, script: Callable[..., str]) -> None:
    source = site.open(script(), turns=6)
    assert site.ended(source)["type"] == "debate_concluded"
    made = site.client.post(f"/api/debates/{source}/rejudge", json={"judge": BEN})
    assert made.status_code == 201, made.text
    debate, address = made.json()["id"], made.json()["links"]["judge"]
    path = api(address)
    assert site.client.post(f"{path}/take", headers=MINE).status_code == 200

    seen = answer_all(site, debate, path)

    assert {f"score:{turn}/{turn}" for turn in range(2, 7)} < seen.keys()
    compared = site.get(f"/api/compare?a={source}&b={debate}")
    assert [each["judge"] for each in (compared["first"], compared["second"])][1] == "person:Ben"
    assert compared["scores"]["turns"] == 6
    assert "value" in compared["scores"]["alpha"]


def test_a_person_in_place_of_a_model_is_told_where_a_person_answers(site: Site) -> None:
    response = site.client.post("/api/debates", json={"motion": "So", "judge": {"model": "person:Ben"}})

    assert response.status_code == 422
    assert "moot serve" in response.json()["error"]["message"]
