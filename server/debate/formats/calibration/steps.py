"""Format ``calibration``: raters are measured with debates whose outcome is known, the cases.

The cases come one after the other.  All raters of a case are asked at the same time, and none sees the answers of the
others.  A calibration can be paused or interrupted between any two calls, and goes on from there.  The key of a
question is ``panel:NAME@CASE``: in a script ``panel:technical@*`` answers every case and ``panel:technical@tides`` one.
"""

from typing import Final

from events.record import Draft
from events.state.debate import Debate, question
from events.types import Case, DebateConcluded, DebateOpened, Rater
from judge.panel.case import case_criteria, case_prompt, case_seat, case_type, read_case
from judge.panel.material import case_material
from judge.panel.questions import RaterAnswer
from judge.panel.reading import rated_nothing
from judge.panel.truth import calibrate_rater
from server.debate.formats.halts import halt, halt_if_unaffordable
from server.debate.formats.questions import Question, answers, kind_of, pending
from server.debate.formats.steps import Step, record

TOKENS: Final = 2400
UNANSWERED: Final = frozenset({"unreachable", "auth", "unknown_model", "rate_limit", "overloaded"})
"""Kinds of failures that say nothing about a rater: its model could not be asked."""


def next_steps(debate: Debate) -> tuple[Step, ...]:
    """The steps that may be taken now."""
    opened = debate.opened
    if opened is None or debate.status.state != "open":
        return ()
    for case in opened.cases:
        if due := [seat for seat in opened.panel if case.id not in debate.panel.raters[seat.name].calibrations]:
            return _measure(debate, opened, case, due)
    return record([Draft(event=DebateConcluded(winner="neither", by_rule="calibration"), cause=debate.course)])


def _measure(debate: Debate, opened: DebateOpened, case: Case, due: list[Rater]) -> tuple[Step, ...]:
    """The questions about a case; once all are answered or given up, the results of all raters in one batch."""
    asked = {seat.name: _question(opened, case, seat) for seat in due}
    if calls := pending(debate, opened, list(asked.values())):
        stop = halt_if_unaffordable(debate, opened)
        return (stop,) if stop is not None else calls
    if (why := _unanswered(debate, list(asked.values()))) is not None:
        reason = f"no rater could be asked about {case.id}, last: {why}. Mend the cause and resume."
        return (halt(reason, debate.course),)
    assert opened.rubric.panel is not None, "an opening fills in what a rubric leaves out"
    drafts = []
    for seat in due:
        given = answers(debate, asked[seat.name])
        scores = read_case(seat, given, case, case_criteria(opened))
        measured = calibrate_rater(case_seat(opened, seat), case, scores, opened.rubric.panel)
        drafts.append(Draft(event=measured, cause=given.cause or debate.course))
    return record(drafts)


def _question(opened: DebateOpened, case: Case, seat: Rater) -> Question:
    return Question(
        key=f"panel:{seat.name}@{case.id}",
        purpose="panel",
        turn=None,
        model=seat.model,
        prompt=lambda: case_prompt(opened, seat, case),
        answer_type=case_type(opened, case),
        becomes=RaterAnswer,
        check=rated_nothing,
        max_tokens=TOKENS,
        think=seat.think,
        samples=seat.samples,
        cause=1,
        material=lambda: case_material(case, seat, opened),
    )


def _unanswered(debate: Debate, asked: list[Question]) -> str | None:
    """Why no rater could be asked; None if at least one could."""
    last = ""
    for each in asked:
        for sample in range(1, each.samples + 1):
            name = question(each.key, sample)
            failures = debate.questions.failed.get(name, ())
            if name in debate.questions.answers or not failures or kind_of(failures[-1]) not in UNANSWERED:
                return None
            last = failures[-1].reason
    return last
