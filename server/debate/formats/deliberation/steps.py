"""Format ``deliberation``: judges of a text give independent opinions (round 0) and discuss them; then it is judged."""

from collections.abc import Sequence

from msgspec import UNSET

from events.record import Draft
from events.state.debate import Debate
from events.types import DebateConcluded, DebateOpened
from judge.deliberation import questions
from judge.deliberation.subject import subject_of
from judge.deliberation.verdict import judge_artifact
from judge.live.event_batch import EventBatch
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
    return rounds(debate, opened) or record(_verdict_drafts(debate, opened))


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
        state.opinions,
        state.held,
        state.rules,
        state.subject,
        why_none=why_no_rounds(debate, state) or "",
    )
    return [Draft(event=verdict, cause=debate.course)]
