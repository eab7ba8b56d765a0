"""Retries of failed calls, and why Moot itself halts a debate: a turn that keeps failing, the cost cap, the deadline.

Some failures show how a model must be asked (``ADAPTED``).  The first one of each such kind does not count, and the
call is repeated at once.  An outage of the vendor passes: such calls get more attempts, further apart.

All formats share these functions.  They are pure: the time is what the records of the log say.  The moderator calls
``seconds_left`` with the time of its clock, so that the deadline also holds while nothing is recorded.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from events.record import Draft
from events.state.debate import Debate
from events.state.transcript import OUTAGES
from events.text.figures import rounded
from events.types import AttemptAbandoned, DebateHalted, DebateOpened, Side
from events.types.opening import DebateSettings
from providers.errors import PromptCut, Starved, ThinkingAsText
from server.debate.formats.steps import Record, Step

ADAPTED: Final = frozenset(each.kind for each in (Starved, ThinkingAsText, PromptCut))
LONGEST_DELAY_MS: Final = 30_000


def is_forgiven(kind: str, earlier: Collection[str]) -> bool:
    """Whether a failure does not count: its kind shows how to ask, and it is the first failure of this kind."""
    return kind in ADAPTED and kind not in earlier


def count_tries(kinds: Sequence[str]) -> int:
    """The failures that count as tries.  ``kinds`` in the order of the failures."""
    return sum(not is_forgiven(kind, kinds[:number]) for number, kind in enumerate(kinds))


def count_outages(kinds: Sequence[str]) -> int:
    """The failures that were the vendor's."""
    return sum(kind in OUTAGES for kind in kinds)


def is_exhausted(tries: int, outages: int, attempts: int, settings: DebateSettings) -> bool:
    """Whether no attempt is left after so many tries, ``outages`` of them the vendor's."""
    return tries - outages >= attempts or tries >= max(attempts, settings.outage_attempts)


def delay_ms(tries: int, settings: DebateSettings) -> int:
    """Milliseconds before the next attempt: doubled with each try, at most ``LONGEST_DELAY_MS``."""
    return min(settings.retry_ms * 2 ** (tries - 1), LONGEST_DELAY_MS) if tries else 0


def halt(reason: str, cause: int | None) -> Record:
    """A halt.  The reason tells the reader what to do about it."""
    return Record(drafts=(Draft(event=DebateHalted(reason=reason, by="moot"), cause=cause),))


def give_up_reason(
    opened: DebateOpened, turn: int, side: Side, tries: int, kind: str, message: str, model: str = ""
) -> str:
    """Why a turn is given up.  Spectators see the reason: in a blind debate it gives the kind and names no model.

    ``model`` speaks in the seat, if it is not the one of the opening.
    """
    model = model or (opened.pro if side == "pro" else opened.con).model
    who, last = (side, kind) if opened.blind else (f"{side}, {model}", message)
    times = "once" if tries == 1 else f"{tries} times"
    return f"turn {turn} ({who}) failed {times}, last: {last}. Mend the cause and resume."


def abandon_turns(debate: Debate, reason: str, cause: int | None, *, but: int = 0) -> list[Draft]:
    """One ``AttemptAbandoned`` for every turn that is being spoken, except turn ``but``."""
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


# cost


def unless_spent(debate: Debate, opened: DebateOpened, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps, or a halt of the turns under way if the cost cap is reached or cannot be kept."""
    stop = halt_if_unaffordable(debate, opened)
    if stop is None:
        return steps
    why = "the cost cap cannot be kept" if debate.unpriced else "the cost cap is reached"
    return (Record(drafts=(*stop.drafts, *abandon_turns(debate, why, debate.position + 1))),)


def halt_if_unaffordable(debate: Debate, opened: DebateOpened) -> Record | None:
    """A halt before a step that costs: the cap is reached, or the cost so far is unknown."""
    return halt_if_unpriced(debate, opened) or halt_if_spent(debate, opened)


def halt_if_spent(debate: Debate, opened: DebateOpened) -> Record | None:
    """A halt once the cost cap is reached."""
    cap = cost_cap(debate, opened)
    if cap is None or debate.charged_usd < cap:
        return None
    sums = f"{rounded(debate.charged_usd, 4)} of {rounded(cap, 4)} USD"
    if unknown := debate.uncertain_calls:
        calls = "a call of unknown cost counts" if unknown == 1 else f"{unknown} calls of unknown cost count"
        sums += f" ({calls} as much as the dearest call)"
    return halt(f"the cost cap is reached: {sums}; resume it with a higher cap", debate.course)


def halt_if_unpriced(debate: Debate, opened: DebateOpened) -> Record | None:
    """A halt if the cap cannot be kept, because an answer since the last resume has no price."""
    cap = cost_cap(debate, opened)
    if cap is None or not debate.unpriced:
        return None
    why = f"{debate.unpriced}, so the cap of {cap:g} USD cannot be kept"
    return halt(f"{why}; put its price into a file for MOOT_PRICES and resume", debate.course)


def cost_cap(debate: Debate, opened: DebateOpened) -> float | None:
    """The most that the debate may cost, in US dollars: the cap of the last resume, else the cap of the opening."""
    if debate.status.max_cost_usd is not None:
        return debate.status.max_cost_usd
    cap = opened.settings.max_cost_usd
    return cap if isinstance(cap, float) else None


# deadline


def seconds_left(debate: Debate, at: str) -> float | None:
    """Seconds from ``at`` to the deadline, negative once it has passed; None if the debate has no deadline.

    The time runs from the opening, and again in full from every resume.
    """
    assert debate.opened is not None
    deadline_s = debate.opened.settings.deadline_s
    if not isinstance(deadline_s, int | float):
        return None
    return deadline_s - seconds_between(debate.status.since, at)


def seconds_between(earlier: str, later: str) -> float:
    """Seconds from one time of the wall clock to another."""
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()


def halt_if_overdue(debate: Debate) -> Record | None:
    """A halt once the log itself shows that the deadline has passed."""
    left = seconds_left(debate, debate.at)
    return halt_for_deadline(debate) if left is not None and left <= 0 else None


def halt_for_deadline(debate: Debate, why: str = "") -> Record:
    """The halt of a debate without time left, with the turns that it abandons.

    ``why`` replaces the usual reason, for example if a model cannot be asked again before the deadline.
    """
    assert debate.opened is not None
    deadline_s = debate.opened.settings.deadline_s
    reason = why or f"the deadline of {deadline_s:g} s has passed"
    reason += f"; resume it, and it has {deadline_s:g} s again"
    return halt_within_turn(debate, reason, "the deadline has passed")


def halt_within_turn(debate: Debate, reason: str, why: str) -> Record:
    """A halt with the turns that it abandons, and why."""
    halted = Draft(event=DebateHalted(reason=reason, by="moot"), cause=debate.course)
    return Record(drafts=(halted, *abandon_turns(debate, why, debate.position + 1)))
