"""Format ``deliberation``: judges of a text give independent opinions (round 0) and discuss them.

Then the judge says which of their findings are the same in other words, and the text is judged.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from events.record import Draft
from events.state.debate import Debate
from events.types import DebateConcluded, DebateOpened
from judge.deliberation import questions
from judge.deliberation.points import listed_points
from judge.deliberation.subject import subject_of
from judge.deliberation.verdict import judge_artifact, judge_weights
from judge.live.answers import why_missing
from judge.live.event_batch import EventBatch
from judge.panel.material import points_material
from judge.templates import has_section
from server.debate.formats.parts.rounds import (
    add_opinion,
    affordable,
    deliberation_of,
    question_to,
    rounds,
    why_no_rounds,
)
from server.debate.formats.questions import Question, answers
from server.debate.formats.steps import Step, record

GROUP: Final = "group"
"""The question about near-duplicates, and the section of the template that asks it."""
MAX_GROUPED: Final = 40
"""Findings, and steps of remediation, that the judge is asked about: those with more weight."""
GROUP_TOKENS: Final = 200
POINT_TOKENS: Final = 20
"""Maximum tokens of that answer, besides those of each point."""


def next_steps(debate: Debate) -> tuple[Step, ...]:
    """The steps that may be taken now."""
    opened, panel = debate.opened, debate.panel
    if opened is None or debate.status.state != "open":
        return ()
    if panel.verdict is not UNSET:
        ended = DebateConcluded(winner="neither", by_rule="artifact")
        return record([Draft(event=ended, cause=panel.positions["verdict"])])
    if not panel.opinions:
        asked = _independent_questions(debate, opened)
        return affordable(debate, opened, asked) or record(_first_opinions(debate, opened, asked))
    if steps := rounds(debate, opened):
        return steps
    return affordable(debate, opened, _grouping(debate, opened)) or record(_verdict_drafts(debate, opened))


def _grouping(debate: Debate, opened: DebateOpened) -> list[Question]:
    """The question to the judge which findings, and which steps of remediation, say the same.

    None if there is nothing to group, or by rules of before.
    """
    state, template = deliberation_of(debate, opened), opened.prompts["artifact"]
    if state.rules.groups is not True or not has_section(template, GROUP):
        return []
    points = listed_points(state.opinions[-1], judge_weights(opened.panel))
    if points.keys().isdisjoint({"F2", "R2"}):
        return []
    texts = {name: each.text for name, each in points.items() if int(name[1:]) <= MAX_GROUPED}
    return [
        Question(
            key=GROUP,
            purpose=GROUP,
            turn=None,
            model=opened.judge.model,
            prompt=lambda: questions.group_prompt(opened.prompts, texts),
            answer_type=questions.group_type(texts),
            becomes=questions.GroupsAnswer,
            max_tokens=GROUP_TOKENS + POINT_TOKENS * len(texts),
            think=opened.judge.think,
            cause=debate.course,
            material=lambda: points_material(debate, GROUP, texts),
        )
    ]


def _same_as(debate: Debate, opened: DebateOpened) -> dict[str, str] | str:
    """The near-duplicates as the judge grouped them, or why they are not known; empty if there was no question."""
    for asked in _grouping(debate, opened):
        given = answers(debate, asked)
        return given.given[0][1].same_as if given.given else why_missing(given).reason
    return {}


def _independent_questions(debate: Debate, opened: DebateOpened) -> list[Question]:
    """The questions of round 0: every judge alone."""
    assert opened.artifact is not UNSET
    artifact, subject = opened.artifact, subject_of(debate, opened)
    return [
        question_to(
            debate,
            seat,
            0,
            subject,
            opened,
            lambda seat=seat: questions.artifact_prompt(opened.prompts, artifact, subject, seat),
            cause=1,
        )
        for seat in opened.panel
    ]


def _first_opinions(debate: Debate, opened: DebateOpened, asked: Sequence[Question]) -> Sequence[Draft]:
    batch = EventBatch(debate)
    for seat, each in zip(opened.panel, asked, strict=True):
        add_opinion(batch, seat, 0, subject_of(debate, opened), answers(debate, each), cause=1)
    return batch.drafts


def _verdict_drafts(debate: Debate, opened: DebateOpened) -> Sequence[Draft]:
    state = deliberation_of(debate, opened)
    verdict = judge_artifact(
        opened.panel,
        state.given,
        state.held,
        state.rules,
        state.subject,
        why_none=why_no_rounds(debate, state) or "",
        same_as=_same_as(debate, opened),
    )
    return [Draft(event=verdict, cause=debate.course)]
