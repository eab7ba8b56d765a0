"""Battery people finds what planted judges do, as counted from the file itself."""

import json
import random
import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from events.state import debate as states
from events.state.debate import Debate
from events.store.log import read_all
from events.types import Effect
from events.types.lab import PeopleItem
from judge.errors import BadItem
from judge.lab.people import read_people
from judge.lab.trials import Reading
from judge.live.scoring import applicable
from judge.rubrics.rubric import default_rubric
from providers.answers.schema import parse
from providers.base import Answer, ModelStatus, Outcome, Request, TextStream, Tokens
from providers.errors import BadRequest
from providers.registry import Registry
from server.debate.formats.lab.trials import readings_of, trials_of
from server.debate.setup import opening
from server.debate.setup.request import as_request
from server.errors import BadField
from tests.server.harness import harness

pytestmark = pytest.mark.anyio
TURN = re.compile(r"^Turn (\d+), Speaker (\w):\n((?:\| .*(?:\n|$))+)", re.MULTILINE)
SHOWN = re.compile(r"first speech is turn (\d+).* second speech is turn (\d+)")
Planted = Callable[[str, str], Any]
"""Answers a question from its key and prompt."""


class PlantedProvider:
    """A model that follows a rule, so that its agreement with people can be counted without it."""

    name = "planted"

    def __init__(self, rule: Planted, window: int) -> None:
        self._rule, self._window = rule, window
        self.prompts: list[str] = []

    def stream(self, model: str, request: Request) -> AbstractAsyncContextManager[TextStream]:
        raise NotImplementedError

    async def answer(self, model: str, request: Request, type_: Any) -> Answer[Any]:
        prompt = "\n\n".join(each.text for each in request.prompt)
        self.prompts.append(prompt)
        raw = json.dumps(points_to_b(prompt) if "/score." in request.key else self._rule(request.key, prompt))
        outcome = Outcome(model=model, tokens=Tokens(input=100, output=10), latency_ms=1, cost_usd=0.5)
        return Answer(value=parse(raw, type_), raw=raw, outcome=outcome)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        return (ModelStatus(name=f"planted:{model}", provider="planted", ok=True, detail="", window=self._window),)

    def caveat(self, model: str) -> str:
        return ""

    async def close(self) -> None:
        """Nothing to close."""


def points_to_b(prompt: str) -> Any:
    """Points for the speaker B of the file, and none for A."""
    turn, _, said = max(TURN.findall(prompt), key=lambda each: int(each[0]))
    text = said.replace("| ", "").strip()
    points, quote = (7, " ".join(text.split()[:3])) if text.startswith("B") else (0, "")
    each = {"quote": quote, "reason": "It says so.", "points": points}
    return {"components": dict.fromkeys(applicable(default_rubric(), int(turn)), each)}


def items_of(path: Path) -> tuple[PeopleItem, ...]:
    return read_people(path.name, path.read_bytes())


async def measured(
    rule: Planted, path: Path, *, window: int = 100_000
) -> tuple[dict[str, Effect], PlantedProvider, list[Reading], Debate]:
    """The effects by name, with the readings that they are made of."""
    provider = PlantedProvider(rule, window)
    entry = SimpleNamespace(name="planted", module=__name__, load=lambda: lambda: provider)
    people = msgspec.to_builtins(items_of(path))
    body = {"format": "lab", "judge": {"model": "planted:it"}, "lab": {"batteries": ["people"], "people": people}}
    async with harness(registry=Registry([entry])) as made:  # type: ignore[list-item]
        opened = await opening.build_opening(as_request(body), made.registry, made.settings)
        debate = await made.moderators.open(opened)
        await made.ended(debate)
        found = states.INITIAL
        async for record in read_all(made.log, debate):
            found = states.evolve(found, record)
    assert found.lab.measured is not None
    return {each.name: each for each in found.lab.measured.effects}, provider, list(readings_of(found)), found


# the rules


def longer(key: str, prompt: str) -> Any:
    """The longer speech in every dimension; the speaker with more text in the narrative."""
    said = {int(turn): (speaker, text) for turn, speaker, text in TURN.findall(prompt)}
    if SHOWN.search(prompt):
        shown = SHOWN.search(prompt)
        assert shown is not None
        one, two = (len(said[int(turn)][1]) for turn in shown.groups())
        return compared(*["first_clear" if one > two else "second_slight"] * 3)
    total = {label: sum(len(text) for speaker, text in said.values() if speaker == label) for label in "AB"}
    return {"winner": "A" if total["A"] > total["B"] else "B", "margin": "clear"}


def first(key: str, prompt: str) -> Any:
    """What the prompt names first, whatever it is."""
    is_comparison = "First speech" in prompt or SHOWN.search(prompt)
    return compared(*["first_slight"] * 3) if is_comparison else {"winner": "A", "margin": "narrow"}


def compared(logic: str, rhetoric: str, tactics: str) -> Any:
    return {"reason": "so", "logic": logic, "rhetoric": rhetoric, "tactics": tactics}


# the files


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Thirty pairs; in about two thirds of them the longer argument wins."""
    chance = random.Random(1)
    path = tmp_path / "pairs.jsonl"
    lines = [
        {
            "id": str(number),
            "topic": f"Topic {number}",
            "stance": "yes",
            "first": f"First of {number}. " + "So it is. " * chance.randint(1, 9),
            "second": f"Second of {number}. " + "So it is. " * chance.randint(10, 20),
            "winner": chance.choice(("first", "second", "second")),
        }
        for number in range(30)
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def debates(tmp_path: Path) -> Path:
    """Twenty debates of two rounds; the first answer is right in seven of them, B opens every third one."""
    chance = random.Random(2)
    path = tmp_path / "debates.jsonl"
    lines = []
    for number in range(20):
        order = "BA" if number % 3 == 0 else "AB"
        spoken = [
            {"by": who, "text": f"{who} speaks. " * chance.randint(1, 40) + "Yes." * (who == "B"), "quotes": []}
            for who in order * 2
        ]
        rounds = [spoken[0], spoken[1], {"by": "judge", "text": "Go on.", "belief": [0.5, 0.5]}, *spoken[2:]]
        belief = round(chance.random(), 2)
        lines.append(
            {
                "id": f"d{number}",
                "story": f"Story {number % 4}",
                "question": "Who did it?",
                "answers": ["the butler", "the cook"],
                "correct": int(number >= 7),
                "rounds": [*rounds, {"by": "OfflineJudgments"}],
                "judge_final": [0.5, 0.5] if number == 0 else [belief, 1 - belief],
            }
        )
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def counted(path: Path, ids: set[str] | None = None) -> list[dict[str, Any]]:
    """The lines of a file, read apart from the code under test."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if ids is None or line["id"] in ids]


# pairs


@pytest.mark.slow
async def test_a_judge_that_prefers_length_agrees_as_often_as_length(pairs: Path) -> None:
    effects, _, readings, _ = await measured(longer, pairs)
    right = sum((len(each["first"]) > len(each["second"])) == (each["winner"] == "first") for each in counted(pairs))

    assert 15 < right < 30
    assert len(readings) == 60
    assert effects["pairs_accuracy"].estimate == pytest.approx(right / 30)
    assert effects["pairs_accuracy"].estimate == effects["pairs_length_alone"].estimate
    assert effects["pairs_beyond_length"].estimate == 0
    assert effects["pairs_baseline:lexical"].n == 30


@pytest.mark.slow
async def test_a_judge_that_prefers_the_first_is_right_as_often_as_a_coin(pairs: Path) -> None:
    effects, _, readings, _ = await measured(first, pairs)

    assert {each.chose for each in readings} == {"first"}
    assert effects["pairs_accuracy"].estimate == 0.5


@pytest.mark.slow
async def test_the_real_prompts_are_asked_in_both_orders_and_name_no_winner(pairs: Path) -> None:
    _, provider, _, _ = await measured(longer, pairs)
    shown = [found.groups() for prompt in provider.prompts if (found := SHOWN.search(prompt))]

    assert sorted(shown) == [("1", "2")] * 30 + [("2", "1")] * 30
    prompt = provider.prompts[0]
    assert "The position of both speakers: yes" in prompt
    assert "Neither of you reads what the other one says" in prompt
    assert "winner" not in prompt


@pytest.mark.slow
async def test_a_judge_with_a_small_window_gets_the_short_prompts(pairs: Path) -> None:
    effects, provider, _, _ = await measured(first, pairs, window=4000)

    assert all("First speech:\n| " in prompt for prompt in provider.prompts)
    assert effects["pairs_accuracy"].estimate == 0.5


@pytest.mark.slow
async def test_items_without_an_answer_are_left_out_and_counted(pairs: Path) -> None:
    def rule(key: str, prompt: str) -> Any:
        if "Topic 7\n" in prompt:
            raise BadRequest("not this one")
        return longer(key, prompt)

    effects, _, readings, found = await measured(rule, pairs)

    assert found.lab.measured is not None
    assert found.lab.measured.failed == 2
    assert effects["pairs_accuracy"].n == 29
    assert ["bad_request" in each.failed for each in readings if each.failed] == [True, True]


# debates


@pytest.mark.slow
async def test_a_judge_that_prefers_length_agrees_with_the_answer_as_often_as_length(debates: Path) -> None:
    effects, provider, readings, found = await measured(longer, debates)
    assert found.opened is not None
    assert found.opened.lab
    lines = counted(debates, {each.item for each in trials_of(found.opened.lab)})

    def size(line: Any, who: str) -> int:
        return sum(len(each["text"]) for each in line["rounds"] if each["by"] == who)

    named = {line["id"]: int(size(line, "B") > size(line, "A")) for line in lines}
    opened_by_right = [line["correct"] == "AB".index(line["rounds"][0]["by"]) for line in lines]
    beliefs = {line["id"]: line["judge_final"] for line in lines}
    believed = {name: int(second > one) for name, (one, second) in beliefs.items() if one != second}
    right = sum(named[line["id"]] == line["correct"] for line in lines)
    person = sum(believed[line["id"]] == line["correct"] for line in lines if line["id"] in believed)

    told = [each for each in readings if "/narrative." in each.trial]
    assert len(lines) == len(told) == 2 * sum(opened_by_right) > 10
    assert 4 * len(lines) == len(readings) - len(told)
    assert effects["debates_points_accuracy"].estimate == pytest.approx(
        sum(line["correct"] == 1 for line in lines) / len(lines)
    )
    assert effects["debates_accuracy"].estimate == pytest.approx(right / len(lines))
    assert effects["debates_length_alone"].estimate == pytest.approx(right / len(lines))
    assert effects["debates_person"].estimate == pytest.approx(person / len(believed))
    assert "Go on." not in "".join(provider.prompts)  # what the person said would tell what the person believes
    assert any("Turn 1, Speaker B:" in prompt for prompt in provider.prompts)  # the labels are swapped as well


@pytest.mark.slow
async def test_a_judge_that_prefers_a_label_names_neither(debates: Path) -> None:
    _, _, readings, _ = await measured(first, debates)

    assert {"draw"} == {each.chose for each in readings if "/narrative." in each.trial}


# reading


def test_who_opens_a_debate_is_the_first_speaker(debates: Path) -> None:
    items = {each.id: each for each in read_people(debates.name, debates.read_bytes())}

    assert (items["d0"].better, items["d0"].speeches[0][0]) == ("second", "B")  # A is right, and B opens
    assert items["d0"].person is msgspec.UNSET
    assert "The speaker of turn 1 defends this answer: the cook" in items["d0"].motion
    assert (items["d1"].better, items["d1"].speeches[0][0]) == ("first", "A")


DEBATE = {"id": "x", "story": "s", "question": "q", "answers": ["a", "b"], "correct": 0, "judge_final": [1, 0]}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "holds no line"),
        ("{", "line 1"),
        ('{"id": "x", "topic": "t", "stance": "s", "first": "a", "second": "b", "winner": "both"}', "line 1: .*winner"),
        (json.dumps(DEBATE | {"rounds": [{"by": "A"}, {"by": "A"}]}), "A and B do not speak in turn"),
        ('{"id": "x", "topic": "t", "stance": "s", "first": "a", "second": "b", "winner": "first"}\n' * 2, "same id"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(BadItem, match=why):
        read_people(path.name, path.read_bytes())


@pytest.mark.parametrize(
    "change", [{"speeches": ["only one"]}, {"speeches": ["a", "b", "c"]}, {"speeches": ["a", " "]}, {"id": "a/b"}]
)
async def test_people_s_texts_that_cannot_be_asked_about_are_refused(change: dict[str, Any]) -> None:
    item = {"id": "1", "topic": "t", "motion": "m", "note": "", "speeches": ["a", "b"], "better": "first"}
    wanted = {"batteries": ["people"], "people": [item | {"kind": "pairs"} | change]}
    body = {"format": "lab", "judge": {"model": "baseline:lexical"}, "lab": wanted}
    async with harness() as made:
        with pytest.raises(BadField, match=r"speeches|slash"):
            await opening.build_opening(as_request(body), made.registry, made.settings)
