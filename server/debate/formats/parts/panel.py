"""The panel of a debate: independent scores, their agreement, a deliberation if the raters differ, and the verdict.

Every rater is asked for its scores once.  The verdict follows from these scores alone: a deliberation is recorded
as well and does not change it.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from events.record import Draft
from events.state.debate import Debate
from events.types import DebateConcluded, DebateOpened, PanelConcluded, PanelistScored, Rater
from events.types.criteria import PanelRules
from judge.live.answers import Answers
from judge.live.entries import record_notes
from judge.live.event_batch import EventBatch
from judge.panel.disputes import hangs_on_one
from judge.panel.material import panel_material
from judge.panel.questions import RaterAnswer, asks_finding, item_sides, items_of, panel_prompt, panel_type
from judge.panel.reading import rated_nothing, read_rater
from judge.protocol.order import first_sides
from server.debate.formats.halts import halt_if_unaffordable
from server.debate.formats.parts.rounds import rounds
from server.debate.formats.questions import Question, answers, pending
from server.debate.formats.steps import Ask, Step, record

TOKENS: Final = 800
"""Maximum tokens of a rater's answer, apart from its items."""
ITEM_TOKENS: Final = 120
"""Tokens for each item: four scores, a standing, a note."""
PURPOSE: Final = "panel"
BOTH: Final = "judge_and_panel"
"""The rule by which a debate ends whose panel is for reference only."""


def asks(debate: Debate, opened: DebateOpened) -> tuple[Ask, ...]:
    """The raters' questions that are still open; they may run at the same time as other questions.

    None if the cost cap is reached: then ``steps`` gives the halt.
    """
    if debate.panel.agreement is not UNSET or halt_if_unaffordable(debate, opened) is not None:
        return ()
    return pending(debate, opened, _questions(debate, opened))


def steps(debate: Debate, opened: DebateOpened) -> tuple[Step, ...]:
    """What the panel still has to do; none once it has concluded, or without a panel."""
    if not opened.panel or debate.panel.conclusion is not UNSET:
        return ()
    if debate.panel.agreement is UNSET:
        if due := pending(debate, opened, _questions(debate, opened)):
            stop = halt_if_unaffordable(debate, opened)
            return due if stop is None else (stop,)
        return record(_scored(debate, opened))
    return rounds(debate, opened) or record(_concluded(debate, opened))


def most_tokens(items: int) -> int:
    """Maximum tokens of an answer that rates this number of items."""
    return TOKENS + ITEM_TOKENS * items


def ending(debate: Debate, opened: DebateOpened, judged: DebateConcluded, cause: int) -> Draft:
    """The end of a debate; ``judged`` is its end by the judge alone, which follows from ``cause``.

    A panel names the winner, if there is one.  A panel for reference only does not name one alone: then there is a
    winner if the judge names the side to which the panel leans.
    """
    conclusion = debate.panel.conclusion
    if conclusion is UNSET:
        return Draft(event=judged, cause=cause)
    assert opened.rubric.panel is not None, "an opening fills in what a rubric leaves out"
    cause = debate.panel.positions["conclusion"]
    if conclusion.reference_only is UNSET:
        return Draft(event=DebateConcluded(winner=conclusion.winner, by_rule="panel"), cause=cause)
    is_same = judged.winner == conclusion.leaning and supports(conclusion, opened.rubric.panel)
    return Draft(event=DebateConcluded(winner=judged.winner if is_same else "neither", by_rule=BOTH), cause=cause)


def supports(conclusion: PanelConcluded, rules: PanelRules) -> bool:
    """Whether the raters agree enough on the side that leads, however many they are."""
    if conclusion.outcome == "cautious" and rules.cautious_survives:
        return not hangs_on_one(conclusion.leaning, conclusion.without, conclusion.disputed, rules)
    return conclusion.outcome in {"concluded", "cautious"}


def _questions(debate: Debate, opened: DebateOpened) -> list[Question]:
    return [_question(debate, opened, seat) for seat in opened.panel]


def _question(debate: Debate, opened: DebateOpened, seat: Rater) -> Question:
    criteria, names = opened.rubric.criteria, items_of(debate, opened, seat)
    assert criteria is not None, "an opening fills in what a rubric leaves out"
    return Question(
        key=f"{PURPOSE}:{seat.name}",
        purpose=PURPOSE,
        turn=None,
        model=seat.model,
        samples=seat.samples,
        prompt=lambda: panel_prompt(opened, debate, seat),
        max_tokens=most_tokens(len(names)),
        think=seat.think,
        cause=_last_word(debate),
        answer_type=panel_type(names, criteria, finding=asks_finding(opened)),
        becomes=RaterAnswer,
        check=rated_nothing,
        material=lambda: panel_material(debate, PURPOSE, seat, names),
    )


def _last_word(debate: Debate) -> int:
    turn = debate.transcript.current
    return turn.spoken if turn is not None else debate.course


def _scored(debate: Debate, opened: DebateOpened) -> Sequence[Draft]:
    """The scores of every rater, and how far the raters agree."""
    batch, names, criteria = EventBatch(debate), tuple(item_sides(debate, opened)), opened.rubric.criteria
    assert criteria is not None, "an opening fills in what a rubric leaves out"
    cause = debate.course
    what = "an argument that nobody opened" if opened.format == "protocol" else "a turn that nobody spoke"
    for asked, seat in zip(_questions(debate, opened), opened.panel, strict=True):
        given: Answers[RaterAnswer] = answers(debate, asked)
        scored = replace(
            read_rater(seat, given, names, criteria), first=first_sides(debate, opened).get(seat.name, UNSET)
        )
        cause = batch.add(scored, given.cause or debate.course)
        rated = f"{seat.title} rated {what}"
        record_notes(batch, 0, PURPOSE, given, kinds=("number",), unknown=rated)
    measured, _ = _conclusion(batch.debate, opened)
    batch.add(measured, cause)
    return batch.drafts


def _concluded(debate: Debate, opened: DebateOpened) -> Sequence[Draft]:
    _, verdict = _conclusion(debate, opened)
    return (Draft(event=verdict, cause=debate.panel.positions["agreement"]),)


def _conclusion(debate: Debate, opened: DebateOpened) -> Any:
    from judge.panel.outcome import conclude  # noqa: PLC0415 - numpy is imported where a panel concludes

    rules, criteria = opened.rubric.panel, opened.rubric.criteria
    assert rules is not None, "an opening fills in what a rubric leaves out"
    assert criteria is not None, "likewise"
    given = {
        name: rater.scored for name, rater in debate.panel.raters.items() if isinstance(rater.scored, PanelistScored)
    }
    return conclude(opened.panel, given, item_sides(debate, opened), rules, criteria, opened.topic_type)
