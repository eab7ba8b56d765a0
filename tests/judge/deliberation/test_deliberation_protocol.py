"""Deliberation of the panel of a protocol debate: the names of the sides, and what round 1 passes on."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events.types import PanelistScored, Template
from judge.deliberation.agreement import LISTED
from judge.deliberation.positions import most_disputed
from judge.rubrics.rubric import rubric_v2, rubric_v3
from judge.templates import load_template
from server.debate.formats.parts.rounds import rounds
from server.debate.formats.steps import Ask, Record
from tests.judge.deliberation.judges import model_reply
from tests.judge.panel.rater_scores import rater_seats
from tests.judge.protocol.rounds import NAMES, RUBRIC_2, debate_after_rounds
from tests.server.debate_events import Play

CRITERIA = ("logic", "evidence", "responsiveness", "honesty")
SAID = {"technical": (8, 3), "business": (3, 8)}
FINDING = "the nurse has no tram"


def debate(*, rubric: Any = None, deliberate: Template | None = None) -> Play:
    """Two raters that differ on every argument, each with notes and a finding."""
    events: list[Any] = [draft.event for draft in debate_after_rounds(rubric=RUBRIC_2).drafts]
    opened = replace(events[0], rubric=rubric or rubric_v3(), panel=tuple(rater_seats(2)))
    if deliberate is not None:
        opened = replace(opened, prompts=opened.prompts | {"deliberate": deliberate})
    play = Play(opened, *events[1:])
    for name, (pro, con) in SAID.items():
        scores = {item: dict.fromkeys(CRITERIA, pro if item.startswith("PRO") else con) for item in NAMES}
        notes = {item: f"{name} says of {item}" for item in NAMES}
        play.add(PanelistScored(rater=name, model="m", scores=scores, notes=notes, finding=f"{FINDING}, {name}"))
    return play


def asked(play: Play) -> dict[str, Ask]:
    """The questions of round 1, after the opinions of round 0 are recorded."""
    assert play.debate.opened is not None
    steps = rounds(play.debate, play.debate.opened)
    assert isinstance(steps[0], Record)
    play.add(*steps[0].drafts)
    return {step.key: step for step in rounds(play.debate, play.debate.opened) if isinstance(step, Ask)}


def old_template() -> Template:
    """The template of before: without the sections that came later."""
    known = load_template("deliberate")
    text = known.text.partition("--- look_again")[0].replace("version: 2", "version: 1")
    return replace(known, version=1, text=text)


def test_the_question_names_the_sides_as_the_material_does() -> None:
    question = asked(debate())["deliberate:technical:1"]
    look = question.prompt[-1].text
    form = question.answer_type.__annotations__

    assert '"Pro" if Pro has the stronger case, "Con" if Con has' in look
    assert "- Pro.logic: " in look
    assert look.index("- Pro.honesty: ") < look.index("- Con.logic: ")
    assert "Speaker" not in look
    assert {"Pro", "Con", "tie"} == set(form["verdict"].__origin__.__args__)
    assert any("Argument PRO-1" in segment.text or "PRO-1 (Pro)" in segment.text for segment in question.prompt)
    assert question.material is not None
    assert {"Pro", "Con"} == {each.speaker for each in question.material.speeches}


def test_a_debate_with_the_template_of_before_keeps_its_labels() -> None:
    question = asked(debate(deliberate=old_template()))["deliberate:technical:1"]

    assert "- A.logic: " in question.prompt[-1].text
    assert {"A", "B", "tie"} == set(question.answer_type.__annotations__["verdict"].__origin__.__args__)
    assert "moved_by" not in question.answer_type.__annotations__


def test_an_answer_with_these_names_is_read() -> None:
    play = debate()
    scores = {f"{side}.{name}": 7 for side in ("Pro", "Con") for name in CRITERIA}
    answer = {
        "quote": "", "rationale": "so", "scores": scores, "confidence": 0.5, "verdict": "Con",
        "moved_by": "Business rater", "moved_words": FINDING,
    }  # fmt: skip
    play.add(*(model_reply(step, answer) for step in asked(play).values()))
    assert play.debate.opened is not None
    (step,) = rounds(play.debate, play.debate.opened)
    assert isinstance(step, Record)
    play.add(*step.drafts)
    technical = play.debate.panel.opinions["1"]["technical"]

    assert ("con", 8) == (technical.verdict, len(technical.scores))
    (change,) = play.debate.panel.rounds["1"].changes
    assert ("reason", "business", FINDING) == (change.kind, change.moved_by, change.reason)


def test_round_1_passes_notes_and_finding_of_each_rater() -> None:
    play = debate()
    shown = asked(play)["deliberate:technical:1"].prompt[-2].text

    for name in SAID:
        assert f"| Why: {FINDING}, {name}" in shown
        assert [f"| Finding: {item}: {name} says of {item}" for item in NAMES] == [
            line for line in shown.splitlines() if f"{name} says of" in line
        ]
    assert "weighted" not in shown


def test_notes_are_those_on_the_items_that_the_raters_rated_most_differently() -> None:
    play = debate()
    spread = play.debate.panel.items
    assert len(spread) < LISTED
    turns = {str(n): replace(next(iter(spread.values())), variance=float(n)) for n in range(1, LISTED + 3)}
    crowded = replace(play.debate, panel=replace(play.debate.panel, items=turns))

    assert tuple(str(n) for n in range(3, LISTED + 3)) == most_disputed(crowded)


@pytest.mark.parametrize("rubric", [rubric_v2()])
def test_version_2_passes_totals(rubric: Any) -> None:
    shown = asked(debate(rubric=rubric))["deliberate:technical:1"].prompt[-2].text

    assert "| Why: independent scores, weighted: pro 8.00, con 3.00" in shown
    assert FINDING not in shown
    assert msgspec.UNSET is rubric.deliberation.reasons
