"""Every typed question that Moot asks a model, found by playing a debate of each format to its end.

``sites`` are the places in the code that make a question.  A test checks that the debates here reach all of them.
"""

import ast
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events.types import NOBODY, DebateOpened, Event, EvidenceDocument, EvidencePassage, EvidenceSupplied
from events.types.rubric import Component, Dimension
from events.types.study import AnswersSetup, Arm
from judge.answers.prompt import TEMPLATE as ANSWERS
from judge.rubrics.rubric import rubric_v2, with_evidence
from judge.templates import EVIDENCE, load_template
from server.debate import formats
from server.debate.formats.calibration.cases import CaseRequest, cases_of
from server.debate.formats.questions import Question
from server.debate.formats.steps import Ask, Step
from tests.judge.deliberation import judges
from tests.judge.panel.rater_scores import rater_seats
from tests.judge.played_turns import CALM, answer_steps, claim_answer, play_turn
from tests.judge.protocol import rounds
from tests.server.debate.calibrations import case
from tests.server.debate_events import CHARACTERS, RUBRIC, Play, opened
from tests.server.panels import of_turns
from tests.server.protocol_debates import answers

Site = tuple[str, int]
MODULES = [
    importlib.import_module(each.name) for each in pkgutil.walk_packages(formats.__path__, f"{formats.__name__}.")
]
QUOTE = "Trams carry more people"
DIFFERING = {
    f"panel:{seat.name}": of_turns(*points) for seat, points in zip(rater_seats(), ((9, 2), (2, 9)) * 2, strict=True)
}
SUPPLIED = EvidenceSupplied(
    document=EvidenceDocument(id="D1", name="trams.txt", digest="00", media_type="text/plain"),
    passages=(EvidencePassage(id="E1", text="The trams of Aldern carried 4,000 people an hour."),),
)
CITING = 'The report says "trams of Aldern carried 4,000 people an hour" [E1].'
ARC = {"evolution": "it grew", "fractures": "none", "held": "all"}
NARRATIVE = {
    "A": ARC,
    "B": ARC,
    "pattern": "none",
    "explanation": "so",
    "winner": "B",
    "cites": ["turn 1"],
}

WHOLE_NARRATIVE = {
    "A": ARC,
    "B": ARC,
    "explanation": "so",
    "winner": "B",
    "margin": "clear",
    "confidence": "high",
    "cites": ["turn 1"],
}
LETTER = {"reason": "so", "p_a": 0.7, "answer": "A", "quotes": []}
CHOSEN: dict[str, dict[str, Any]] = {
    "choose": LETTER,
    "critique": {"critique": "It is one.", **LETTER},
    "speech": {"speech": "It is one."},
    "inquire": {"question": "Why?"},
}


class RecordedPlay(Play):
    """A debate that records its questions."""

    asked: dict[str, Ask]

    @property
    def steps(self) -> tuple[Step, ...]:
        steps = super().steps
        self.__dict__.setdefault("asked", {}).update({each.call: each for each in steps if isinstance(each, Ask)})
        return steps


def sites() -> set[Site]:
    """The places that make a question: module and line."""
    return {
        (module.__name__, node.lineno)
        for module in MODULES
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Question"
    }


def questions_asked() -> tuple[list[tuple[str, Ask]], set[Site]]:
    """All questions, each with its debate, and the places that made them."""
    made: set[Site] = set()

    def question(**fields: Any) -> Question:
        caller = sys._getframe(1)
        made.add((caller.f_globals["__name__"], caller.f_lineno))
        return Question(**fields)

    with pytest.MonkeyPatch.context() as patch:
        for module in MODULES:
            if "Question" in vars(module):
                patch.setattr(module, "Question", question)
        asked = [(name, ask) for name, play in debates() for ask in play.asked.values()]
    return asked, made


def debates() -> Iterator[tuple[str, RecordedPlay]]:
    """A finished debate of each kind."""
    yield "exchange", exchange(opened(2, appeals="all"), claims=claim_answer(QUOTE), narrative=NARRATIVE)
    yield "exchange with a panel", exchange(replace(opened(2), panel=tuple(rater_seats())), **DIFFERING)
    yield "a long exchange", exchange(opened(RUBRIC.convergence_from))
    yield "an exchange by a large rubric", exchange(replace(opened(2), rubric=large_rubric()), score=None)
    yield "an exchange by rubric v2", exchange(whole_debate(), narrative=WHOLE_NARRATIVE)
    yield "an exchange with documents", exchange(with_documents(), SUPPLIED, text=CITING)
    said = answers()
    yield (
        "protocol",
        ended(
            rounds.protocol_opened(panel=tuple(rater_seats()), archetypes=CHARACTERS), lambda step: said.get(step.key)
        ),
    )
    calibration = replace(
        opened(0),
        format="calibration",
        turns=0,
        pro=NOBODY,
        con=NOBODY,
        panel=tuple(rater_seats()),
        cases=cases_of([msgspec.convert(case("tides"), CaseRequest)]),
    )
    yield "calibration", ended(calibration)
    yield (
        "deliberation",
        ended(
            judges.artifact_opened(**judges.STANDS),
            judges.answers_by_round(
                {
                    "qa_evaluator": judges.opinion_answer("FAIL", 1, findings=["no test"]),
                    "*": judges.opinion_answer("PASS", 3, findings=["no password"]),
                }
            ),
        ),
    )
    yield "a question with a critique", ended(with_answers("critique", critic="x"), lambda step: CHOSEN[step.purpose])
    yield "a consultancy", ended(with_answers("consultancy", assigned="B", rounds=2), lambda step: CHOSEN[step.purpose])


def with_answers(arm: Arm, **more: Any) -> DebateOpened:
    """A question with two answers."""
    opening = opened(2 if arm == "consultancy" else 0)
    return replace(
        opening,
        format="consultancy" if arm == "consultancy" else "answers",
        prompts=opening.prompts | {ANSWERS: load_template(ANSWERS)},
        question=AnswersSetup(question="Which?", answers=("One", "Two"), arm=arm, **more),
    )


def whole_debate() -> DebateOpened:
    """Judged by a model that reads the whole debate."""
    opening = opened(3)
    return replace(opening, rubric=rubric_v2(), judge=replace(opening.judge, reads="whole"))


def with_documents() -> DebateOpened:
    """A debate with evidence, whose rubric and templates have what that needs."""
    opening = opened(2)
    prompts = opening.prompts | {EVIDENCE: load_template(EVIDENCE)}
    return replace(opening, rubric=with_evidence(opening.rubric), prompts=prompts)


def exchange(opening: DebateOpened, *after: Event, text: str = CALM, **said: Any) -> RecordedPlay:
    """A debate in which every turn is ``text`` and judged; pro is better unless ``said`` says otherwise."""
    play = RecordedPlay(opening, *after)
    while play.debate.status.state != "concluded":
        play_turn(play, text, **said)
    return play


def ended(opening: DebateOpened, say: Callable[[Ask], Any] = lambda _: None) -> RecordedPlay:
    """A debate without turns; questions that ``say`` does not answer get a neutral answer."""
    play = RecordedPlay(opening)
    answer_steps(play, say)

    assert play.debate.status.state == "concluded", play.events[-1]
    return play


def large_rubric() -> Any:
    """Ten dimensions of ten components of ten points."""
    return replace(
        RUBRIC,
        dimensions=RUBRIC.dimensions
        | {
            f"dimension_{row}": Dimension(
                maximum=100,
                in_composite=False,
                components={
                    f"component_{row}_{column}": Component(maximum=10, asks="what it is") for column in range(10)
                },
            )
            for row in range(10)
        },
    )
