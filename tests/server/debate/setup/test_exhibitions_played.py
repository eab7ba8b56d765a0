"""The protocol's exhibitions, run to their end: the rules conclude, not the script."""

from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from events.types import (
    ArgumentCrossExamined,
    ArgumentsOpened,
    ArgumentTraced,
    AssessmentGiven,
    ClosingStated,
    CrossExaminationFaulted,
    DebateConcluded,
    DebateOpened,
    DeliberationHeld,
    Event,
    FallacyFound,
    FindingRefused,
    ModelAnswered,
    ModelFailed,
    OpinionGiven,
    PanelConcluded,
    PanelistScored,
    QuestionsAnswered,
    TurnSpoken,
)
from server.debate.setup.exhibitions import exhibitions
from server.debate.setup.request import as_request
from tests.server.harness import harness
from tests.server.protocol_debates import calls, check, of

Played = tuple[list[Event], Any]
RATERS = ["technical", "business", "risk", "general"]
PANELS = {"monolith": RATERS, "transit": RATERS, "lamps": ["risk", "general"]}
names = pytest.mark.parametrize("name", list(PANELS))


async def play(name: str, folder: Path) -> Played:
    """The events and the view of an exhibition that runs without pauses."""
    async with harness() as h:
        debate = await h.exhibit(name, folder)
        await check(h.log, debate)
        return await h.events(debate), await h.view(debate)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Played]:
    folder = tmp_path_factory.mktemp("played")
    return {name: anyio.run(play, name, folder) for name in PANELS}


@pytest.mark.slow
@names
def test_nothing_is_answered_neutrally_refused_tried_again_or_faulty(played: dict[str, Played], name: str) -> None:
    events, _ = played[name]
    answered = of(events, ModelAnswered)

    assert {False} == {each.parameters.get("neutral", False) for each in answered}
    assert [] == of(events, ModelFailed, FindingRefused, CrossExaminationFaulted)
    assert {()} == {each.faults for each in of(events, ArgumentsOpened, QuestionsAnswered, ClosingStated)}
    assert all(each.verified and not each.absent for each in of(events, OpinionGiven) if each.round > 0)


@names
def test_all_four_rounds_are_whole(played: dict[str, Played], name: str) -> None:
    events, view = played[name]

    assert ("concluded", "done") == (view["state"], view["protocol"]["round"])
    assert (8, 2, 6, 2, 2, 6, 1, len(PANELS[name])) == tuple(
        len(of(events, each))
        for each in (
            TurnSpoken,
            ArgumentsOpened,
            ArgumentCrossExamined,
            QuestionsAnswered,
            ClosingStated,
            ArgumentTraced,
            AssessmentGiven,
            PanelistScored,
        )
    )
    assert not any(each.clipped for each in of(events, TurnSpoken))
    assert all(each.words < 200 for each in of(events, ClosingStated))


def fallacy(played: Played) -> tuple[str, str, str, str]:
    """(argument, fallacy, quote, the words at its span)."""
    events, view = played
    (found,) = of(events, FallacyFound)
    spoken = view["turns"][str(found.turn)]["text"]
    return found.argument, found.fallacy, found.quote, spoken[slice(*found.span)]


def standings(played: Played) -> dict[str, str]:
    return {each.argument: each.standing for each in of(played[0], ArgumentTraced)}


def test_monolith_is_agreed_on(played: dict[str, Played]) -> None:
    events, view = played["monolith"]
    agreement, concluded = view["panel"]["agreement"], view["panel"]["conclusion"]

    assert DebateConcluded(winner="pro", by_rule="judge_and_panel") == events[-1]
    assert ("concluded", "pro", "architecture") == (concluded["outcome"], concluded["leaning"], concluded["topic_type"])
    assert {} == concluded.get("disputed", {})
    assert ("high", 24) == (agreement["calibrated"]["band"], agreement["calibrated"]["items"])
    assert agreement["margins"]["value"] >= 0.80
    assert agreement["calibrated"]["low"] > 0.67, "also at the low end of its interval it would be enough to conclude"
    assert agreement["kappa"]["value"] >= 0.80
    assert concluded["gap"] > 0.10
    assert max(concluded["weights"], key=concluded["weights"].get) == "technical"


def test_monolith_needs_no_deliberation_and_no_single_rater(played: dict[str, Played]) -> None:
    events, view = played["monolith"]
    without = view["panel"]["conclusion"]["without"]

    assert [] == of(events, OpinionGiven, DeliberationHeld)
    assert dict.fromkeys(RATERS, ("concluded", "pro")) == {
        name: (each["outcome"], each["leaning"]) for name, each in without.items()
    }


def test_monolith_shows_every_standing_and_a_concession_that_survives(played: dict[str, Played]) -> None:
    events, view = played["monolith"]
    crossed = {each.target: each.response for each in of(events, ArgumentCrossExamined)}
    briefing = view["protocol"]["briefing"]

    assert standings(played["monolith"]) == {
        "PRO-1": "UPHELD",
        "PRO-2": "UPHELD",
        "PRO-3": "PARTIALLY_UPHELD",
        "CON-1": "REFUTED",
        "CON-2": "UNCERTAIN",
        "CON-3": "UPHELD",
    }
    assert ("concede", "refute") == (crossed["CON-3"], crossed["CON-1"])
    assert "CON-3 stands" in view["turns"]["7"]["text"]
    assert {"refute", "challenge", "partial", "concede"} == set(crossed.values())
    assert (["PRO-1", "PRO-2", "CON-3"], ["PRO-3"], ["CON-1"], ["CON-2"]) == tuple(
        briefing[part] for part in ("rely_on", "with_care", "do_not_use", "still_open")
    )
    assert "the judge’s totals put Pro clearly ahead: 4.4 points apart, more than 3" == briefing["meaning"]
    assert len(briefing["find_out"]) >= 4
    assert not any(each.startswith("PRO-3:") for each in briefing["find_out"]), "its question was answered"
    few = "6 arguments where at least 10 are needed to rely on its agreement"
    assert [f"The panel is for reference only: {few}."] == [
        each for each in briefing["cautions"] if "panel" in each.casefold()
    ]


def test_monolith_has_a_claim_taken_back_in_an_answer_and_two_positions_that_shift(played: dict[str, Played]) -> None:
    events, view = played["monolith"]

    assert "“Never” was more than we can support." in view["protocol"]["arguments"]["CON-1"]["answer"]
    assert {"pro": "adjusted", "con": "weakened"} == {each.side: each.shift for each in of(events, ClosingStated)}


def test_monolith_has_a_slippery_slope_in_the_words_that_were_spoken(played: dict[str, Played]) -> None:
    argument, kind, quote, there = fallacy(played["monolith"])

    assert ("CON-1", "slippery_slope") == (argument, kind)
    assert quote == there
    assert quote.startswith("Once the first shortcut is merged")


def test_transit_names_no_winner(played: dict[str, Played]) -> None:
    events, view = played["transit"]
    agreement, concluded = view["panel"]["agreement"], view["panel"]["conclusion"]

    assert DebateConcluded(winner="neither", by_rule="judge_and_panel") == events[-1]
    assert ("irreconcilable", "neither", "con") == tuple(concluded[part] for part in ("outcome", "winner", "leaning"))
    assert {"raw": "low", "calibrated": "low", "margins": "unacceptable"} == {
        name: agreement[name]["band"] for name in ("raw", "calibrated", "margins")
    }
    assert {} == concluded["disputed"]
    assert agreement["kappa"]["value"] < 0.40


def test_transit_has_a_question_that_is_passed_over_and_pays_for_it(played: dict[str, Played]) -> None:
    events, view = played["transit"]
    traced = {each.argument: each.scores["responsiveness"] for each in of(events, ArgumentTraced)}

    assert "drivers are what we looked for" in view["protocol"]["arguments"]["CON-2"]["answer"]
    assert min(traced, key=traced.__getitem__) == "CON-2"
    assert max(traced, key=traced.__getitem__) == "PRO-3", "it takes a claim back"
    assert {"pro": "adjusted", "con": "weakened"} == {each.side: each.shift for each in of(events, ClosingStated)}


def test_transit_has_raters_split_by_what_they_weigh(played: dict[str, Played]) -> None:
    _, view = played["transit"]
    concluded = view["panel"]["conclusion"]

    assert ("irreconcilable", "con") == tuple(concluded["without"]["risk"][part] for part in ("outcome", "leaning"))
    assert {"pro", "con"} == {each["leaning"] for each in concluded["without"].values()}


def test_transit_is_deliberated_for_three_rounds_without_agreement(played: dict[str, Played]) -> None:
    events, view = played["transit"]
    rounds = of(events, DeliberationHeld)

    assert [1, 2, 3] == [each.round for each in rounds]
    assert all(each.before < 0.8 and each.after < 0.8 for each in rounds)
    assert all("" == each.disagreements[0].dimension for each in rounds), "they differ on the verdict"
    assert ["", "", "3 rounds held, and the judges still differ"] == [each.ended for each in rounds]
    assert {"0": ["con", "con", "pro", "tie"], "3": ["pro", "con", "pro", "pro"]} == {
        number: [view["panel"]["opinions"][number][rater]["verdict"] for rater in RATERS] for number in ("0", "3")
    }


def test_transit_has_one_mind_changed_by_evidence_and_one_by_conformity(played: dict[str, Played]) -> None:
    events, view = played["transit"]
    changes = [(each.round, change) for each in of(events, DeliberationHeld) for change in each.changes]
    moved = [(number, each.rater, each.before, each.after, each.kind) for number, each in changes]

    assert [(1, "technical", "con", "pro", "evidence"), (2, "general", "tie", "pro", "conformity")] == moved
    assert {"evidence": 1, "conformity": 1} == view["panel"]["moved"]
    assert changes[0][1].quote in view["turns"]["3"]["text"]
    assert "con" == view["panel"]["conclusion"]["leaning"], "three of four now say pro: the scores stay the record"


def test_transit_asks_one_opening_again(played: dict[str, Played]) -> None:
    events, _ = played["transit"]
    (again,) = [each for each in of(events, ModelAnswered) if (each.key, each.sample) == ("open:con", 2)]
    told = " ".join(again.segments.values())

    assert {"open:con": [1, 2], "open:pro": [1]} == {key: calls(events, key) for key in ("open:con", "open:pro")}
    assert "there are 2 arguments, exactly 3 are wanted" in told
    assert ["CON-1", "CON-2", "CON-3"] == [
        each.id for opened in of(events, ArgumentsOpened) if opened.side == "con" for each in opened.arguments
    ]


def test_transit_keeps_missing_what_one_rater_left_out(played: dict[str, Played]) -> None:
    events, view = played["transit"]
    given = {each.rater: each for each in of(events, PanelistScored)}

    assert {"PRO-2": "the rater left it out"} == given["risk"].absent
    assert "PRO-2" not in given["risk"].scores
    assert "PRO-2" not in given["risk"].standings
    assert [{}, {}, {}] == [given[name].absent for name in RATERS if name != "risk"]
    assert 24 == view["panel"]["agreement"]["raw"]["items"], "three others rated it"
    assert any("left out PRO-2" in each for each in view["panel"]["conclusion"]["reasons"])


def test_transit_says_what_to_find_out(played: dict[str, Played]) -> None:
    events, view = played["transit"]
    briefing, concluded = view["protocol"]["briefing"], of(events, PanelConcluded)[0]
    follow_ups = {each.target: each.follow_up for each in of(events, ArgumentCrossExamined)}

    assert "Without Technical rater or without Business rater Pro would lead: read what it saw." in concluded.act
    assert not {*concluded.act} & {*briefing["find_out"]}
    assert {view["panel"]["says"], *concluded.act} <= {*briefing["cautions"]}
    assert "evenly matched: 0.7 points apart, less than 1" == briefing["meaning"]
    assert f"PRO-3: {follow_ups['PRO-3']}" in briefing["find_out"]
    assert set(briefing["unresolved"]) | set(concluded.advice) <= set(briefing["find_out"])


def test_transit_has_a_false_dilemma_in_the_words_that_were_spoken(played: dict[str, Played]) -> None:
    argument, kind, quote, there = fallacy(played["transit"])

    assert ("PRO-1", "false_dilemma") == (argument, kind)
    assert quote == there
    assert quote.endswith("there is nothing in between")


def test_lamps_has_a_strict_and_a_lenient_rater_that_agree(played: dict[str, Played]) -> None:
    """Both give the same standings and nearly the same order; as given, the scores look like a quarrel."""
    events, view = played["lamps"]
    agreement, concluded = view["panel"]["agreement"], view["panel"]["conclusion"]

    assert DebateConcluded(winner="pro", by_rule="judge_and_panel") == events[-1]
    assert ("concluded", "pro", {}) == tuple(concluded[part] for part in ("outcome", "leaning", "disputed"))
    assert agreement["raw"]["value"] < 0
    assert min(agreement[name]["value"] for name in ("calibrated", "margins")) > 0.9
    assert agreement["kappa"]["value"] == 1
    assert [] == of(events, OpinionGiven, DeliberationHeld)


def test_lamps_says_who_is_strict_and_by_how_much(played: dict[str, Played]) -> None:
    concluded = played["lamps"][1]["panel"]["conclusion"]
    (said,) = [each for each in concluded["reasons"] if "strictness" in each]
    agreed, measured = (each for each in concluded["reasons"] if each.startswith(("On the arguments", "Measured")))

    assert said == (
        "The raters differ in strictness by 2.8 points: Risk rater −1.4, General rater +1.4, beside the mean of all. "
        "Calibration takes this out, so it decides nothing."
    )
    assert agreed.endswith("with one calibrated score of each by each rater, agreement is 0.97: enough to rely on.")
    assert "; 0.96 on the lead; −0.20 on the scores as given." in measured
    assert ["2 raters where at least 3 are needed", "6 arguments where at least 10 are needed"] == (
        concluded["reference_only"]
    )


@names
def test_it_opens_as_itself(name: str) -> None:
    request = as_request({"exhibition": name})

    assert (name, "protocol", 8) == (request.exhibition, request.format, request.turns)
    assert [(rater, f"scripted:{name}") for rater in PANELS[name]] == [
        (each.rater, each.model) for each in request.panel or () if not isinstance(each, str)
    ]
    assert exhibitions()[name].topic_type == request.topic_type


def test_a_debate_says_which_exhibition_it_is_and_who_sits(site: Any) -> None:
    response = site.client.post("/api/debates", json={"exhibition": "transit"})
    events = site.get(f"/api/debates/{response.json()['id']}/events")["events"]
    opened = msgspec.convert(events[0]["event"], DebateOpened)

    assert ("transit", "protocol", "default") == (opened.exhibition, opened.format, opened.topic_type)
    assert RATERS == [each.name for each in opened.panel]


def test_lists_of_exhibitions_say_their_format(site: Any, moot: Any) -> None:
    expected = {
        "cars": ("exchange", []),
        "homework": ("exchange", []),
        "juries": ("exchange", []),
        "lamps": ("protocol", PANELS["lamps"]),
        "monolith": ("protocol", RATERS),
        "transit": ("protocol", RATERS),
    }
    told = moot.here("exhibitions", "--json").stdout
    rows = [line.split() for line in moot.here("exhibitions").stdout.decode().splitlines()]
    for known in (site.get("/api/exhibitions")["exhibitions"], msgspec.json.decode(told)):
        assert expected == {each["name"]: (each["format"], each["panel"]) for each in known}
    assert {name: form for name, (form, _) in expected.items()} == {
        row[0]: row[1].rstrip(",") for row in rows if row[0] in expected and row[1][:4] in {"exch", "prot"}
    }
