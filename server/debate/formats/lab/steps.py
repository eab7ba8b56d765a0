"""Format ``lab``: a judge is measured.  Its trials are planned from the items that the opening holds.

A batch of steps is a few chains of questions that run at the same time: each chain asks its next question when the
last one is answered.  So many calls need few batches, and the cost cap is kept to within the calls of one moment.  A
run can be paused, halted or killed between any two calls and goes on from there.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from events.record import Draft
from events.state.debate import Debate, question
from events.state.parts.lab import AGAIN
from events.state.parts.lab import INITIAL as NO_CALLS
from events.types import DebateConcluded, DebateOpened, LabMeasured
from judge.lab.trials import Trial
from providers.catalog.addresses import is_batched
from providers.registry import BASELINE
from server.debate.formats.halts import halt, halt_if_unaffordable
from server.debate.formats.lab.trials import (
    baseline_readings,
    is_as_planned,
    keys_of,
    question_of,
    questions_about,
    readings_of,
    trials_of,
)
from server.debate.formats.questions import is_given_up, pending
from server.debate.formats.steps import Ask, Step, record

AT_ONCE: Final = 8
"""Chains that run at the same time."""
LENGTH: Final = 20
"""Questions of one chain."""
IN_BATCH: Final = 2000
"""Questions at the same time to a model that answers by a vendor's batches, each in a chain of its own."""
IN_A_ROW: Final = 24
"""Failed calls in a row after which a run is halted: a judge that answers nothing is not measured."""
NO_ACCESS: Final = frozenset({"auth", "unknown_model"})
"""Kinds of failures after which it is halted at once."""

OTHER_PLAN: Final = (
    "this version of Moot would ask other questions than those that the run began with. Go on with the version that "
    "began it, or begin a new run."
)
Due = tuple[Trial, str]
"""A question to ask: its trial and its key."""


def next_steps(debate: Debate) -> tuple[Step, ...]:
    """The steps that may be taken now."""
    opened = debate.opened
    if opened is None or opened.lab is UNSET or debate.status.state != "open":
        return ()
    if (debate.lab or NO_CALLS).measured is not None:
        return record([Draft(event=DebateConcluded(winner="neither", by_rule="lab"), cause=debate.course)])
    if not is_as_planned(opened.lab):
        return (halt(OTHER_PLAN, debate.course),)
    chains, length = (IN_BATCH, 1) if is_batched(opened.judge.model) else (AT_ONCE, LENGTH)
    due = list(islice(_due(debate, opened), chains * length))
    if due:
        if why := _why_halted(debate):
            return (halt(why, debate.course),)
        stop = halt_if_unaffordable(debate, opened)
        return (stop,) if stop is not None else _chains(debate, opened, due, chains)
    return record([Draft(event=measured(debate, opened), cause=debate.course)])


def measured(debate: Debate, opened: DebateOpened) -> LabMeasured:
    """The effects, from all recorded answers."""
    from judge.lab.effects import calibration_of, effects_of  # noqa: PLC0415 - scipy is imported where a run ends

    assert opened.lab is not UNSET, "its format has a setup"
    trials, readings = trials_of(opened.lab), tuple(readings_of(debate))
    beside = {} if opened.judge.model == BASELINE else {BASELINE: tuple(baseline_readings(debate, opened))}
    return LabMeasured(
        effects=effects_of(trials, readings, beside),
        curve=calibration_of(trials, readings),
        trials=len(trials),
        failed=sum(bool(each.failed) for each in readings),
        items_digest=opened.lab.items_digest,
        rubric_digest=opened.lab.rubric_digest,
    )


def _due(debate: Debate, opened: DebateOpened) -> Iterator[Due]:
    """The questions that are neither answered nor given up, in the order of the plan."""
    assert opened.lab is not UNSET, "its format has a setup"
    for trial in trials_of(opened.lab):
        for key in keys_of(trial, opened):
            if key.endswith(AGAIN) and not _is_answered(debate, key.removesuffix(AGAIN)):
                continue
            if _is_due(debate, opened, key):
                yield trial, key


def _is_answered(debate: Debate, key: str) -> bool:
    call = (debate.lab or NO_CALLS).calls.get(question(key, 1))
    return call is not None and bool(call.position)


def _is_due(debate: Debate, opened: DebateOpened, key: str) -> bool:
    for sample in range(1, opened.judge.samples + 1):
        call = (debate.lab or NO_CALLS).calls.get(question(key, sample))
        if call is None:
            return True
        if not call.position and not is_given_up(call.failed, opened.settings.judge_attempts, opened.settings):
            return True
    return False


def _chains(debate: Debate, opened: DebateOpened, due: Sequence[Due], chains: int) -> tuple[Step, ...]:
    """The first question of each chain; each answer leads to the next one."""
    return tuple(step for first in range(min(chains, len(due))) for step in _chain(debate, opened, due[first::chains]))


def _chain(debate: Debate, opened: DebateOpened, due: Sequence[Due]) -> Sequence[Ask]:
    """The next question of a chain that is still to ask; the last of its samples leads on."""
    while due:
        trial, key = due[0]
        due = due[1:]
        asked = question_of(trial, key, debate, opened)
        asks = pending(replace(debate, questions=questions_about(debate, key, asked.samples)), opened, [asked])
        if asks:
            return (*asks[:-1], replace(asks[-1], then=partial(_onward, opened=opened, due=due)))
    return ()


def _onward(debate: Debate, *, opened: DebateOpened, due: Sequence[Due]) -> Sequence[Ask]:
    """The rest of a chain, if the run goes on."""
    if debate.status.state != "open" or halt_if_unaffordable(debate, opened) is not None or _why_halted(debate):
        return ()
    return _chain(debate, opened, due)


def _why_halted(debate: Debate) -> str:
    """Why a run cannot go on: no call is answered any more.  Empty if it can."""
    lab = debate.lab or NO_CALLS
    is_refused = lab.last_failure.partition(":")[0] in NO_ACCESS
    if lab.failed_in_a_row < (1 if is_refused else IN_A_ROW):
        return ""
    return f"{lab.failed_in_a_row} calls in a row failed, last: {lab.last_failure}. Mend the cause and resume."
