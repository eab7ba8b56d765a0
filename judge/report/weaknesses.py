"""Known weaknesses of model judges (``weaknesses.json``), each with its measurement on this server."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from events.types import Missing, missing
from judge.report import measures
from judge.report.measures import MeasurementOrReason
from judge.report.table import ReportTable
from judge.report.tally import Tally


class KnownWeakness(Struct, frozen=True, kw_only=True):
    """One weakness in the file.  ``known`` is the published evidence."""

    id: str
    name: str
    what: str
    does: str
    known: str | UnsetType = UNSET


class Weakness(KnownWeakness, frozen=True, kw_only=True):
    """A weakness with ``measured``: the figures and the number of cases ``of``, or why there are none.

    ``shows`` is the main figure and what it measures, ``says`` the sentences, ``table`` the details.
    """

    measured: dict[str, Any] | Missing
    shows: tuple[str, str]
    says: tuple[str, ...]
    table: ReportTable | UnsetType = UNSET


MEASURES: Final[Mapping[str, Callable[[Tally], MeasurementOrReason]]] = {
    "order": measures.order,
    "length": measures.length,
    "side": measures.side,
    "family": measures.family,
    "quotes": measures.quotes,
    "absent": measures.absent,
    "afterwards": measures.afterwards,
    "alarms": measures.alarms,
    "leniency": measures.leniency,
    "anomalies": measures.anomalies,
    "verdicts": measures.verdicts,
    "samples": measures.samples,
    "raters": measures.raters,
    "conformity": measures.conformity,
    "injection": measures.injection,
    "truth": measures.truth,
}


def weaknesses(tally: Tally) -> tuple[Weakness, ...]:
    """Return all known weaknesses with their measurements."""
    shown = []
    for each in _known_weaknesses():
        found, words = MEASURES[each.id](tally), asdict(each)
        if isinstance(found, str):
            none = (f"Not measured: {found}.",)
            shown.append(Weakness(**words, measured=missing(found), shows=("–", "nothing yet"), says=none))
        else:
            measured, table = {**found.figures, "of": found.of}, found.table or UNSET
            shown.append(Weakness(**words, measured=measured, shows=found.shows, says=found.says, table=table))
    return tuple(shown)


@cache
def _known_weaknesses() -> tuple[KnownWeakness, ...]:
    data = resources.files("judge").joinpath("report/weaknesses.json").read_bytes()
    return msgspec.json.decode(data, type=tuple[KnownWeakness, ...])
