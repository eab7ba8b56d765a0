"""A lab run as the page shows it: how far it is, and its effects once it has them."""

from msgspec import UNSET, Struct, UnsetType

from events.state.debate import Debate
from events.state.parts.lab import INITIAL as NO_CALLS
from events.types import Battery, CalibrationBin, Effect
from events.types.lab import LeftOut


class BatteryView(Struct, frozen=True, kw_only=True, gc=False):
    """The course of one battery.  ``answered`` and ``failed`` count calls; a trial may take two."""

    items: int
    """The most items that it draws."""
    trials: int
    answered: int = 0
    failed: int = 0


class LabView(Struct, frozen=True, kw_only=True, gc=False):
    """The whole run."""

    model: str = ""
    """The model that gave the last answer, as its vendor names it."""
    seed: int = 0
    source: str = ""
    items_digest: str = ""
    rubric_digest: str = ""
    batteries: dict[Battery, BatteryView] = {}
    effects: tuple[Effect, ...] | UnsetType = UNSET
    """Present once the run has its result."""
    curve: tuple[CalibrationBin, ...] | UnsetType = UNSET
    failed_trials: int | UnsetType = UNSET
    """Trials without an answer, once it has its result."""
    left_out: tuple[LeftOut, ...] | UnsetType = UNSET
    """Items that were given and are not asked about."""
    repeats: dict[Battery, int] | UnsetType = UNSET
    """Times that each trial is asked, by battery."""


def lab_view(debate: Debate) -> LabView | UnsetType:
    """The view of the run; unset in other formats."""
    if debate.opened is None or debate.opened.lab is UNSET:
        return UNSET
    setup, lab = debate.opened.lab, debate.lab or NO_CALLS
    measured = lab.measured
    return LabView(
        model=lab.model,
        seed=setup.seed,
        source=setup.source,
        items_digest=setup.items_digest,
        rubric_digest=setup.rubric_digest,
        batteries={
            name: BatteryView(
                items=setup.batteries[name],
                trials=planned,
                answered=lab.answered.get(name, 0),
                failed=lab.failed.get(name, 0),
            )
            for name, planned in setup.trials.items()
        },
        effects=UNSET if measured is None else measured.effects,
        curve=UNSET if measured is None else measured.curve,
        failed_trials=UNSET if measured is None else measured.failed,
        left_out=setup.left_out,
        repeats=setup.repeats,
    )
