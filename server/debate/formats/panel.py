"""What a panel does beside a debate: independent scores, agreement, deliberation where it differs, and its verdict.

The scores are asked once and never again: deliberation is recorded beside them and changes nothing that follows from
them.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import UNSET

from events.record import Draft
from events.state.debate import Debate
from events.types import DebateOpened, PanelistScored, Rater, Winner
from judge.live.answers import Answers
from judge.live.entries import refuse_finding
from judge.live.event_batch import EventBatch
from judge.panel.questions import item_sides, panel_prompt, panel_type
from judge.panel.reading import invented, read_rater
from server.debate.formats import deliberation
from server.debate.formats.halts import halt_if_unaffordable
from server.debate.formats.questions import Question, answers, pending
from server.debate.formats.steps import Ask, Step, record

TOKENS: Final = 800
"""Most tokens of a rater's answer, without its items."""
ITEM_TOKENS: Final = 120
"""More of them for each item: four scores, a standing, a note."""
PURPOSE: Final = "panel"


def asks(debate: Debate, opened: DebateOpened) -> tuple[Ask, ...]:
    """The raters' independent questions that are still open; they may be asked beside others.

    None is asked once the money is spent: ``steps`` then says so.
    """
    if debate.panel.agreement is not UNSET or halt_if_unaffordable(debate, opened) is not None:
        return ()
    return pending(debate, opened, _questions(debate, opened))


def steps(debate: Debate, opened: DebateOpened) -> tuple[Step, ...]:
    """All that the panel has still to do; none once it is done, or where no panel sits."""
    if not opened.panel or debate.panel.conclusion is not UNSET:
        return ()
    if debate.panel.agreement is UNSET:
        if due := pending(debate, opened, _questions(debate, opened)):
            stop = halt_if_unaffordable(debate, opened)
            return due if stop is None else (stop,)
        return record(_scored(debate, opened))
    return deliberation.rounds(debate, opened) or record(_concluded(debate, opened))


def most_tokens(items: int) -> int:
    """Most tokens of an answer that rates so many items."""
    return TOKENS + ITEM_TOKENS * items


def winner(debate: Debate) -> Winner | None:
    """Whom the panel names; None where no panel sits or has concluded."""
    return None if debate.panel.conclusion is UNSET else debate.panel.conclusion.winner


def _questions(debate: Debate, opened: DebateOpened) -> list[Question]:
    return [_question(debate, opened, seat) for seat in opened.panel]


def _question(debate: Debate, opened: DebateOpened, seat: Rater) -> Question:
    criteria, names = opened.rubric.criteria, tuple(item_sides(debate, opened))
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
        answer_type=panel_type(names, criteria),
    )


def _last_word(debate: Debate) -> int:
    turn = debate.transcript.current
    return turn.spoken if turn is not None else debate.course


def _scored(debate: Debate, opened: DebateOpened) -> Sequence[Draft]:
    """What every rater gave, and how far they agree: the record, whatever deliberation brings."""
    batch, names, criteria = EventBatch(debate), tuple(item_sides(debate, opened)), opened.rubric.criteria
    assert criteria is not None, "an opening fills in what a rubric leaves out"
    cause = debate.course
    for asked, seat in zip(_questions(debate, opened), opened.panel, strict=True):
        said: Answers[Any] = answers(debate, asked)
        cause = batch.add(read_rater(seat, said, names, criteria), said.cause or debate.course)
        for name in invented(said, names, criteria):
            refuse_finding(batch, 0, PURPOSE, name, f"the {seat.title.lower()} rated {_nothing(opened)}", said.cause)
    measured, _ = _conclusion(batch.debate, opened)
    batch.add(measured, cause)
    return batch.drafts


def _nothing(opened: DebateOpened) -> str:
    return "an argument that nobody opened" if opened.format == "protocol" else "a turn that nobody spoke"


def _concluded(debate: Debate, opened: DebateOpened) -> Sequence[Draft]:
    _, verdict = _conclusion(debate, opened)
    return (Draft(event=verdict, cause=debate.panel.positions["agreement"]),)


def _conclusion(debate: Debate, opened: DebateOpened) -> Any:
    from judge.panel.outcome import conclude  # noqa: PLC0415 - numpy is imported where a panel concludes

    rules, criteria = opened.rubric.panel, opened.rubric.criteria
    assert rules is not None, "an opening fills in what a rubric leaves out"
    assert criteria is not None, "likewise"
    given = {
        name: heard.scored for name, heard in debate.panel.raters.items() if isinstance(heard.scored, PanelistScored)
    }
    return conclude(opened.panel, given, item_sides(debate, opened), rules, criteria, opened.topic_type)
