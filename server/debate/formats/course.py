"""What every format does alike: rest, halt, count the money, end."""

from collections.abc import Sequence

from events.record import Draft
from events.state.debate import Debate
from events.types import AttemptAbandoned, DebateHalted, DebateOpened, Side
from server.debate.formats.steps import Record, Step


def record(drafts: Sequence[Draft]) -> tuple[Step, ...]:
    """One batch as the next step; no step where there is nothing to record."""
    return (Record(drafts=tuple(drafts)),) if drafts else ()


def halt(reason: str, cause: int | None) -> Record:
    """A halt that says what to do."""
    return Record(drafts=(Draft(event=DebateHalted(reason=reason, by="moot"), cause=cause),))


def gave_up(opened: DebateOpened, turn: int, side: Side, tries: int, kind: str, message: str) -> str:
    """Why a turn is given up.  A reason is everybody's: in a blind debate it tells the kind and names no model."""
    model = (opened.pro if side == "pro" else opened.con).model
    who, last = (side, kind) if opened.blind else (f"{side}, {model}", message)
    times = "once" if tries == 1 else f"{tries} times"
    return f"turn {turn} ({who}) failed {times}, last: {last}. Mend the cause and resume."


def cut_off(debate: Debate, reason: str, cause: int | None, *, but: int = 0) -> list[Draft]:
    """The turns that a halt cuts off: every one that is being spoken, ``but`` one."""
    return [
        Draft(
            event=AttemptAbandoned(
                turn=turn.number, side=turn.side, attempt=turn.attempt, kind="halted", message=reason
            ),
            cause=cause,
        )
        for turn in debate.transcript.turns.values()
        if turn.state == "speaking" and turn.number != but
    ]


def spent(debate: Debate, opened: DebateOpened) -> Record | None:
    """A halt once the money is spent."""
    most = cap(debate, opened)
    if most is None or debate.usage.cost_usd < most:
        return None
    sums = f"{debate.usage.cost_usd:.4f} of {most:.4f} USD"
    return halt(f"the cost cap is reached: {sums}; resume it with a higher cap", debate.course)


def unpriced(debate: Debate, opened: DebateOpened) -> Record | None:
    """A halt where a cap cannot be kept: an answer since the last resume has no price."""
    most = cap(debate, opened)
    if most is None or not debate.unpriced:
        return None
    why = f"{debate.unpriced}, so the cap of {most:g} USD cannot be kept"
    return halt(f"{why}; put its price into a file for MOOT_PRICES and resume", debate.course)


def unaffordable(debate: Debate, opened: DebateOpened) -> Record | None:
    """A halt before whatever costs: the money is spent, or nobody knows how much of it."""
    return unpriced(debate, opened) or spent(debate, opened)


def cap(debate: Debate, opened: DebateOpened) -> float | None:
    """The most that the debate may cost, in US dollars: as it was last resumed, else as it was opened."""
    if debate.standing.max_cost_usd is not None:
        return debate.standing.max_cost_usd
    most = opened.settings.max_cost_usd
    return most if isinstance(most, float) else None
