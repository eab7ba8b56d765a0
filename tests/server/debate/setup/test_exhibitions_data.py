"""The shipped exhibitions as data: every quote is exact, and the script has an answer for every question."""

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest

from judge.lenient import read
from judge.live.claims import ClaimsAnswer, SecondOpinion
from judge.live.comparison import compare_type
from judge.live.convergence import ConvergenceAnswer
from judge.live.gaps import AuditAnswer, GradedGaps
from judge.live.scoring import score_type
from judge.live.spine import GradedPremises
from judge.live.verdicts import WholeConflict, WholeNarrative
from judge.rubrics.rubric import rubric_v2
from providers.scripted.script import Script, ScriptedTurn, load

FOLDER = Path(str(resources.files("providers.scripted").joinpath("exhibitions")))
TURNS = {"juries": 6, "cars": 10, "homework": 12}
INVENTED = {
    "juries": {"a jury has never convicted an innocent person"},
    "cars": set[str](),
    "homework": {"each kept promise makes the next one easier to keep"},
}
"""Quotes that no debater said: the judge's finding is refused."""
UNKNOWN = {"juries": set[str](), "cars": set[str](), "homework": {"turn 14"}}
"""Citations of what does not exist: they are left out."""
MISSING = {"juries": set[str](), "cars": {"compare:8-7"}, "homework": {"score:7"}}
"""Questions that no attempt answers."""
AGAIN = {"juries": {"gaps_again:5"}}
"""Questions that are asked once more because a quote of a serious finding does not hold."""
RESCORED = {"cars": {"rescore:6", "rescore:7"}}
"""Second readings that differ from the first."""
FLIPS = {
    "juries": {(3, 4, "rhetoric"), (1, 6, "tactics")},
    "cars": {(4, 5, "tactics")},
    "homework": {(5, 6, "rhetoric"), (10, 11, "tactics")},
}
"""Dimensions on which the two orders disagree."""
ATTEMPTS = 3
TYPES = {
    "claims": ClaimsAnswer,
    "premises": GradedPremises,
    "gaps": GradedGaps,
    "second_opinion": SecondOpinion,
    "audit": AuditAnswer,
    "narrative": WholeNarrative,
    "conflict": WholeConflict,
    "convergence": ConvergenceAnswer,
}
names = pytest.mark.parametrize("name", TURNS)


def script(name: str) -> Script:
    return load(FOLDER / f"{name}.json")


def side_of(turn: int) -> str:
    return "pro" if turn % 2 else "con"


def speech(name: str, turn: int) -> str:
    entry = script(name).says[side_of(turn)][(turn - 1) // 2]
    return entry.text if isinstance(entry, ScriptedTurn) else entry


def answer(name: str, key: str) -> Any:
    """The final answer to the question; None if three attempts give none."""
    given = [script(name).answer_of(key, attempt) for attempt in range(1, ATTEMPTS + 1)]
    assert None not in given, f"{key} is left to the neutral answer"
    return given[-1].value if given[-1] and given[-1].fault is None else None


def answers(name: str, purpose: str) -> Iterator[tuple[int, Any]]:
    """(turn, final answer) of every question with one purpose."""
    for turn in range(1, TURNS[name] + 1):
        key = f"{purpose}:{turn}"
        if key in needed(name) - MISSING[name]:
            yield turn, answer(name, key)


def needed(name: str) -> set[str]:
    """The key of every question that the debate asks."""
    last = TURNS[name]
    every = {f"{purpose}:{turn}" for purpose in ("score", "claims", "premises") for turn in range(1, last + 1)}
    every |= {f"gaps:{turn}" for turn in range(2, last + 1)}
    every |= {f"compare:{turn - 1}-{turn}" for turn in range(2, last + 1)}
    every |= {f"compare:{turn}-{turn - 1}" for turn in range(2, last + 1)}
    every |= {f"second_opinion:{claim}" for claim in claims(name)}
    every |= {f"compare:1-{last}", f"compare:{last}-1"}
    every |= {"audit", "narrative", "narrative:swapped", "conflict"}
    return every | ({"convergence"} if last >= 10 else set()) | AGAIN.get(name, set()) | RESCORED.get(name, set())


def claims(name: str) -> set[str]:
    """The id of every flag; a quote that is flagged again gets no id."""
    flagged: dict[str, str] = {}
    for turn in range(1, TURNS[name] + 1):
        new = [each["quote"] for each in answer(name, f"claims:{turn}")["claims"] if each["quote"] not in flagged]
        flagged |= {quote: f"C{turn}.{number}" for number, quote in enumerate(new, 1)}
    return set(flagged.values())


def premises(name: str) -> dict[str, int]:
    """The turn in which each premise was stated."""
    return {
        f"P{turn}.{number}": turn
        for turn, said in answers(name, "premises")
        for number, _ in enumerate(said["stated"], 1)
    }


def quotes(name: str) -> Iterator[tuple[int, str]]:
    """(turn, words quoted from it)."""
    for turn, said in (*answers(name, "score"), *answers(name, "rescore")):
        parts = [part for part in said["components"].values() if part["points"] and "quote" in part]
        yield from ((turn, part["quote"]) for part in parts)
    for turn, said in answers(name, "claims"):
        yield from ((turn, each["quote"]) for each in said["claims"])
    for turn, said in answers(name, "premises"):
        yield from ((turn, each["quote"]) for each in said["stated"] + said.get("withdrawn", []))
    for turn, said in answers(name, "gaps"):
        for each in said["gaps"]:
            yield from ((each["turn"], each["fails"]), (turn, each["exposed_by"]))
    for each in answer(name, "audit")["gaps"]:
        yield from ((each["turn"], each["fails"]), (each["shown_in"], each["exposed_by"]))


@names
def test_it_says_that_it_is_scripted_and_by_whom(name: str) -> None:
    assert "scripted throughout" in script(name).label


@names
def test_it_names_what_is_played(name: str) -> None:
    shown = script(name).exhibition

    assert shown is not None
    assert {"title", "motion", "turns", "pro", "con", "judge", "summary", "shows"} == shown.keys()
    assert TURNS[name] == shown["turns"]


@names
def test_every_turn_has_a_speech_of_its_own(name: str) -> None:
    said = [speech(name, turn) for turn in range(1, TURNS[name] + 1)]

    assert len(set(said)) == TURNS[name]
    assert all(90 <= len(text.split()) <= 150 for text in said)


@names
def test_every_question_has_its_answer_and_no_answer_waits_for_a_question(name: str) -> None:
    given = json.loads((FOLDER / f"{name}.json").read_bytes())["answers"]

    assert needed(name) == given.keys()
    assert MISSING[name] == {key for key in given if answer(name, key) is None}


@pytest.mark.slow
@names
def test_every_answer_has_the_type_that_is_asked_for(name: str) -> None:
    for key in needed(name) - MISSING[name]:
        purpose, _, about = key.partition(":")
        match purpose:
            case "score" | "rescore":
                type_ = score_type(rubric_v2(), int(about))
            case "compare":
                type_ = compare_type(rubric_v2())
            case _:
                type_ = TYPES[purpose.removesuffix("_again")]

        assert isinstance(msgspec.convert(answer(name, key), type_), type_)
        assert () == read(answer(name, key), type_).notes


@pytest.mark.slow
@names
def test_every_quote_stands_in_its_turn_but_the_invented_ones(name: str) -> None:
    missing = {quote for turn, quote in quotes(name) if len(quote) < 8 or quote not in speech(name, turn)}

    assert INVENTED[name] == missing


@names
def test_both_orders_agree_but_for_the_flips(name: str) -> None:
    swapped = {"first": "second", "second": "first", "draw": "draw"}

    def winner(choice: str) -> str:
        return choice.partition("_")[0]

    flips = set()
    last = TURNS[name]
    for earlier, later in [*((turn, turn + 1) for turn in range(1, last)), (1, last)]:
        forward = answer(name, f"compare:{earlier}-{later}")
        backward = answer(name, f"compare:{later}-{earlier}")
        if forward and backward:
            dimensions = ("logic", "rhetoric", "tactics")
            flips |= {
                (earlier, later, each)
                for each in dimensions
                if winner(forward[each]) != swapped[winner(backward[each])]
            }

    assert FLIPS[name] == flips


@pytest.mark.slow
@names
def test_premises_are_those_of_the_side_that_speaks(name: str) -> None:
    stated = premises(name)
    for turn, said in answers(name, "premises"):
        lists = [each for part in ("revised", "withdrawn", "dropped") for each in said.get(part, [])]
        changed = [each["premise"] for each in lists]
        against = [premise for each in said.get("contradictions", []) for premise in each["premises"]]

        assert all(stated[premise] < turn and side_of(stated[premise]) == side_of(turn) for premise in changed)
        assert all(stated[premise] < turn and side_of(stated[premise]) == side_of(turn) for premise in against)


@names
def test_verdicts_cite_what_exists(name: str) -> None:
    exist = {f"turn {turn}" for turn in range(1, TURNS[name] + 1)} | claims(name) | set(premises(name))
    cites = {cite for key in ("narrative", "narrative:swapped", "conflict") for cite in answer(name, key)["cites"]}

    assert cites & exist
    assert UNKNOWN[name] == cites - exist
