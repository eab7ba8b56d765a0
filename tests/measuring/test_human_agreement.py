"""The measurement of a judge against people finds what planted judges do, as counted from the file itself."""

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

from providers.answers.schema import parse
from providers.base import Answer, ModelStatus, Outcome, Request, TextStream, Tokens
from providers.errors import NotAuthorised
from providers.registry import Registry
from tests.measuring.human_agreement import EXCHANGE, NARRATIVE, AgreementReport, in_words, judge_items
from tests.measuring.human_judged import JudgedItem, balanced, read_items

pytestmark = pytest.mark.anyio
TURN = re.compile(r"^Turn (\d+), Speaker (\w):\n((?:\| .*(?:\n|$))+)", re.MULTILINE)
SHOWN = re.compile(r"first speech is turn (\d+).* second speech is turn (\d+)")
Planted = Callable[[str, str], Any]
"""Answers a question from its key and prompt."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


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
        raw = json.dumps(self._rule(request.key, prompt))
        outcome = Outcome(model=model, tokens=Tokens(input=100, output=10), latency_ms=1, cost_usd=0.5)
        return Answer(value=parse(raw, type_), raw=raw, outcome=outcome)

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        return (ModelStatus(name=f"planted:{model}", provider="planted", ok=True, detail="", window=self._window),)

    def caveat(self, model: str) -> str:
        return ""

    async def close(self) -> None:
        """Nothing to close."""


async def measured(rule: Planted, path: Path, *, window: int = 100_000) -> tuple[AgreementReport, PlantedProvider]:
    kind, items = read_items(path)
    provider = PlantedProvider(rule, window)
    entry = SimpleNamespace(name="planted", module=__name__, load=lambda: lambda: provider)
    report = await judge_items(kind, balanced(kind, items, None, 0), "planted:it", Registry([entry]))  # type: ignore[list-item]
    return report, provider


def row(report: AgreementReport, name: str) -> dict[str, Any]:
    [found] = [each for each in (*report.judge, *report.beside) if each.name == name]
    return {name: value for name, value in msgspec.to_builtins(found).items() if name != "name"}


# the rules


def longer(key: str, prompt: str) -> Any:
    """The longer speech in every dimension; the speaker with more text in the narrative."""
    said = {int(turn): (speaker, text) for turn, speaker, text in TURN.findall(prompt)}
    if key.startswith("compare"):
        shown = SHOWN.search(prompt)
        assert shown is not None
        one, two = (len(said[int(turn)][1]) for turn in shown.groups())
        return compared(*["first_clear" if one > two else "second_slight"] * 3)
    total = {label: sum(len(text) for speaker, text in said.values() if speaker == label) for label in "AB"}
    return {"winner": "A" if total["A"] > total["B"] else "B", "margin": "clear"}


def first(key: str, prompt: str) -> Any:
    """What the prompt names first, whatever it is."""
    return compared(*["first_slight"] * 3) if key.startswith("compare") else {"winner": "A", "margin": "narrow"}


def mixed(key: str, prompt: str) -> Any:
    """The longer speech in logic, what is named first in rhetoric, a draw in tactics."""
    return compared(longer(key, prompt)["logic"], "first_clear", "draw")


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
                "story": "A Story",
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


async def test_a_judge_that_prefers_length_agrees_as_often_as_length(pairs: Path) -> None:
    report, _ = await measured(longer, pairs)
    right = sum((len(each["first"]) > len(each["second"])) == (each["winner"] == "first") for each in counted(pairs))

    assert 15 < right < 30
    assert row(report, EXCHANGE) == {"agreed": right, "of": 30, "drawn": 0, "flipped": 0, "asked_twice": 30}
    assert row(report, "logic") == row(report, EXCHANGE)
    assert row(report, "length alone: the longer one")["agreed"] == right
    assert (60, 0, 6000, 600, 30.0) == (
        report.calls,
        report.failed,
        report.input_tokens,
        report.output_tokens,
        report.cost_usd,
    )


async def test_a_judge_that_prefers_the_first_flips_always_and_agrees_never(pairs: Path) -> None:
    report, _ = await measured(first, pairs)

    for name in (EXCHANGE, "logic", "rhetoric", "tactics"):
        assert row(report, name) == {"agreed": 0, "of": 30, "drawn": 30, "flipped": 30, "asked_twice": 30}


async def test_each_dimension_is_counted_by_itself(pairs: Path) -> None:
    report, _ = await measured(mixed, pairs)
    by_length = row(report, "length alone: the longer one")["agreed"]

    assert row(report, "logic") == {"agreed": by_length, "of": 30, "drawn": 0, "flipped": 0, "asked_twice": 30}
    assert row(report, "rhetoric") == {"agreed": 0, "of": 30, "drawn": 30, "flipped": 30, "asked_twice": 30}
    assert row(report, "tactics") == {"agreed": 0, "of": 30, "drawn": 30, "flipped": 0, "asked_twice": 30}
    # Rhetoric flips, so logic decides.  One order says "won 2 to 0", the other one "1 to 1".
    assert row(report, EXCHANGE) == {"agreed": by_length, "of": 30, "drawn": 0, "flipped": 30, "asked_twice": 30}


async def test_the_real_prompts_are_asked_in_both_orders_and_name_no_winner(pairs: Path) -> None:
    _, provider = await measured(longer, pairs)
    shown = [found.groups() for prompt in provider.prompts if (found := SHOWN.search(prompt))]

    assert sorted(shown) == [("1", "2")] * 30 + [("2", "1")] * 30
    prompt = provider.prompts[0]
    assert "The position of both speakers: yes" in prompt
    assert "Neither of you reads what the other one says" in prompt
    assert "winner" not in prompt


async def test_a_judge_with_a_small_window_gets_the_short_prompts(pairs: Path) -> None:
    report, provider = await measured(first, pairs, window=4000)

    assert all("First speech:\n| " in prompt for prompt in provider.prompts)
    assert row(report, EXCHANGE)["drawn"] == 30


async def test_items_without_an_answer_are_left_out_and_counted(pairs: Path) -> None:
    def rule(key: str, prompt: str) -> Any:
        if "Topic 7\n" in prompt:
            raise NotAuthorised("no key")
        return longer(key, prompt)

    report, _ = await measured(rule, pairs)

    assert row(report, EXCHANGE)["of"] == 29
    assert report.failed == 2
    assert "(2 failed)" in in_words(report, "planted:it")


# debates


async def test_a_judge_that_prefers_length_agrees_with_the_answer_and_the_person_as_often_as_length(
    debates: Path,
) -> None:
    report, _ = await measured(longer, debates)
    sample = {each.id for each in balanced("debates", read_items(debates)[1], None, 0)}
    lines = counted(debates, sample)

    def size(line: Any, who: str) -> int:
        return sum(len(each["text"]) for each in line["rounds"] if each["by"] == who)

    named = {line["id"]: int(size(line, "B") > size(line, "A")) for line in lines}
    opened_by_right = [line["correct"] == "AB".index(line["rounds"][0]["by"]) for line in lines]
    beliefs = {line["id"]: line["judge_final"] for line in lines}
    believed = {name: int(second > one) for name, (one, second) in beliefs.items() if one != second}
    right = sum(named[line["id"]] == line["correct"] for line in lines)
    same = sum(named[each] == belief for each, belief in believed.items())
    person = sum(believed[line["id"]] == line["correct"] for line in lines if line["id"] in believed)

    assert len(lines) == 2 * sum(opened_by_right) > 10
    assert row(report, f"{NARRATIVE}, the right answer") == {
        "agreed": right,
        "of": len(lines),
        "drawn": 0,
        "flipped": 0,
        "asked_twice": len(lines),
    }
    assert row(report, f"{NARRATIVE}, the person")["agreed"] == same
    assert row(report, f"{NARRATIVE}, the person")["of"] == len(believed)
    assert row(report, "the person, the right answer")["agreed"] == person
    assert row(report, "length alone: the longer one")["agreed"] == right


async def test_a_judge_that_prefers_a_label_names_neither(debates: Path) -> None:
    report, provider = await measured(first, debates)
    found = row(report, f"{NARRATIVE}, the right answer")

    assert found["drawn"] == found["flipped"] == found["asked_twice"] == found["of"]
    assert found["agreed"] == 0
    assert "Go on." not in "".join(provider.prompts)  # what the person said would tell what the person believes
    assert any("Turn 1, Speaker B:" in prompt for prompt in provider.prompts)


async def test_asked_once_nothing_can_flip(debates: Path) -> None:
    report, _ = await measured(first, debates, window=4000)

    assert row(report, f"{NARRATIVE}, the right answer")["asked_twice"] == 0
    assert re.search(rf"{NARRATIVE}, the right answer .* –$", in_words(report, "planted:it"), re.MULTILINE)


# reading


def test_who_opens_a_debate_is_the_first_speaker(debates: Path) -> None:
    items = {each.id: each for each in read_items(debates)[1]}

    assert (1, "B") == (items["d0"].better, items["d0"].speeches[0][0])  # A is right, and B opens
    assert items["d0"].person is None
    assert "The speaker of turn 1 defends this answer: the cook" in items["d0"].motion
    assert (0, "A") == (items["d1"].better, items["d1"].speeches[0][0])


def test_the_better_one_speaks_first_in_one_half(pairs: Path) -> None:
    items = read_items(pairs)[1]
    sample = balanced("pairs", items, 11, 3)
    known = {each.id: each for each in items}

    assert [each.better for each in sample] == [0, 1] * 5 + [0]
    assert balanced("pairs", items, 11, 3) == sample
    assert {each.id for each in balanced("pairs", items, 11, 4)} != {each.id for each in sample}
    for each in sample:
        assert each.speeches[each.better] == known[each.id].speeches[known[each.id].better]


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

    with pytest.raises(ValueError, match=why):
        read_items(path)


def test_the_table_says_how_sure_it_is() -> None:
    items: list[JudgedItem] = []

    assert balanced("debates", items, None, 0) == []
    report = AgreementReport(
        kind="pairs", items=0, judge=(), beside=(), calls=0, failed=0, input_tokens=0, output_tokens=0, cost_usd=None
    )
    assert "cost unknown" in in_words(report, "planted:it")
