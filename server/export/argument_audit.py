"""The audit of one argument of format ``protocol``: what its scores are made of, by the judge and by every rater.

Every figure is recorded, or follows from recorded scores by the rules that the debate was opened with: points × weight
sum to a total, the mean of a side's totals × the rubric's number of arguments is the total of the side, and the mean
of its calibrated scores is its score by the panel.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from msgspec import UNSET, Struct, UnsetType

from events.state.debate import Debate
from events.state.parts.panel import RaterState
from events.state.parts.rounds import ArgumentState
from events.types import SIDES, DebateOpened, Dispute, Missing, PanelConcluded, PanelistScored, Reason, Side, Standing
from judge.panel.disputes import side_scores
from judge.panel.truth import weighted_total
from server.export.audit import Auditor, RefusedFinding

NAMED: Final = re.compile(r"(?:PRO|CON)-[0-9]+")
PLACES: Final = 4
"""Decimals of a sum, as those of a recorded total."""


class WeightedPoints(Struct, frozen=True, kw_only=True):
    """The points on one criterion.  ``product`` is points × weight; products sum to the total."""

    points: float
    weight: float
    product: float
    spread: float | UnsetType = UNSET
    """Highest minus lowest over the samples, if there are several."""


class SideSum(Struct, frozen=True, kw_only=True):
    """How a side's score follows from its arguments: the mean of those that have one, × ``times``."""

    arguments: dict[str, float]
    times: int = 1
    score: float | Missing
    """As it was recorded."""


class RaterAudit(Struct, frozen=True, kw_only=True):
    """What one rater said of the argument, and what became of its scores."""

    rater: str
    title: str
    position: int
    call: str | None
    points: dict[str, WeightedPoints]
    total: float | UnsetType = UNSET
    """The sum of the products ÷ the sum of the weights; unset without a score on every criterion that it weighs."""
    offset: float | UnsetType = UNSET
    """By how many points all scores of the rater lie above those of all raters; below 0 for a strict one."""
    calibrated: float | UnsetType = UNSET
    """The total without the rater's strictness and spread, on the scale that ``ArgumentAudit.calibration`` names."""
    weight: float | UnsetType = UNSET
    """Its share of the panel, 0–1; unset if its scores do not count."""
    standing: Standing | UnsetType = UNSET
    note: str = ""
    finding: str = ""
    """What it sees from its part, of the whole debate."""
    missing: Reason | UnsetType = UNSET
    """Why it gave nothing usable."""
    absent: dict[str, str] | UnsetType = UNSET
    """Criteria without points, or the argument itself, each with the reason."""


class PanelAudit(Struct, frozen=True, kw_only=True):
    """What the panel made of the argument.  Both scores are means over the raters that count, by weight."""

    position: int
    given: float | UnsetType = UNSET
    """Of the totals as given."""
    calibrated: float | UnsetType = UNSET
    calibration: str
    """``z-score`` or ``min-max``."""
    decides: str
    """The scores on which the panel's conclusion rests: ``raw`` or ``calibrated``."""
    dispute: Dispute | UnsetType = UNSET
    given_sum: SideSum
    calibrated_sum: SideSum


class RaterWords(Struct, frozen=True, kw_only=True):
    """What a rater's scores are made of: from its scores alone, and once the panel has concluded."""

    alone: str = ""
    concluded: str
    below: tuple[str, ...] = ()
    """Its note, and why criteria have no points."""
    weight: str = ""


class AuditWords(Struct, frozen=True, kw_only=True):
    """The sentences of an audit; the page shows those of parts that are recorded at its position."""

    judge: tuple[str, ...]
    raters: tuple[RaterWords, ...]
    """In the order of ``ArgumentAudit.raters``."""
    panel: tuple[str, ...]
    refused: tuple[str, ...]


class ArgumentAudit(Struct, frozen=True, kw_only=True):
    """Everything that the scores of one argument rest on.  Parts that are not recorded yet are unset or empty."""

    argument: str
    said: ArgumentState
    """The argument, what was said of it, its fallacies by position, and the judge's standing with the reason."""
    position: int | UnsetType = UNSET
    """Of the judge's assessment."""
    call: str | None = None
    points: dict[str, WeightedPoints] = {}
    """The judge's, by criterion."""
    total: float | Missing | UnsetType = UNSET
    side: SideSum | UnsetType = UNSET
    """The judge's total of the side."""
    raters: tuple[RaterAudit, ...] = ()
    panel: PanelAudit | UnsetType = UNSET
    refused: tuple[RefusedFinding, ...] = ()
    """What rules refused or corrected in answers that name the argument."""
    words: AuditWords | UnsetType = UNSET


class _ConcludedPanel(NamedTuple):
    """The conclusion of a panel, and the totals of the raters that count in it."""

    conclusion: PanelConcluded
    given: dict[str, dict[str, float]]
    calibrated: dict[str, dict[str, float]]


def argument_audit(auditor: Auditor, name: str) -> ArgumentAudit | None:
    """The audit of an argument; None if nobody opened it."""
    return next(iter(_audits(auditor, [name])), None)


def argument_audits(auditor: Auditor) -> list[ArgumentAudit]:
    """The audits of all arguments, those of Pro first; none of another format."""
    return _audits(auditor, [name for side in SIDES for name in auditor.debate.protocol.arguments_of(side)])


def _audits(auditor: Auditor, names: list[str]) -> list[ArgumentAudit]:
    """The audits of those arguments that were opened."""
    debate = auditor.debate
    arguments = {name: debate.protocol.arguments[name] for name in names if name in debate.protocol.arguments}
    if debate.opened is None or not arguments:
        return []
    panel = _concluded_panel(debate, debate.opened)
    return [
        ArgumentAudit(
            argument=name,
            said=said,
            **_judged(auditor, debate.opened, said),
            raters=tuple(
                _rater(auditor, each, each.scored, name, panel)
                for each in debate.panel.raters.values()
                if isinstance(each.scored, PanelistScored)
            ),
            panel=_panel(debate, panel, name),
            refused=tuple(each for each in auditor.refused() if name in NAMED.findall(f"{each.quote} {each.reason}")),
        )
        for name, said in arguments.items()
    ]


def _judged(auditor: Auditor, opened: DebateOpened, said: ArgumentState) -> dict[str, Any]:
    """What the judge gave, as fields of the audit; nothing before its assessment."""
    protocol, criteria, trace = auditor.debate.protocol, opened.rubric.criteria, said.trace
    if trace is UNSET or protocol.assessment is UNSET or criteria is None or opened.rubric.protocol is None:
        return {}
    position, given = protocol.positions["assessment"], protocol.assessment
    totals = {
        name: each.trace.total
        for name, each in protocol.arguments.items()
        if each.side == said.side and each.trace is not UNSET and not isinstance(each.trace.total, Missing)
    }
    return {
        "position": position,
        "call": auditor.cause_call(position),
        "points": _points(
            trace.scores, {name: each.weight for name, each in criteria.dimensions.items()}, trace.spread
        ),
        "total": trace.total,
        "side": SideSum(
            arguments=totals,
            times=opened.rubric.protocol.arguments,
            score=given.pro_total if said.side == "pro" else given.con_total,
        ),
    }


def _points(
    scores: Mapping[str, float], weights: Mapping[str, float], spread: Mapping[str, float]
) -> dict[str, WeightedPoints]:
    return {
        name: WeightedPoints(
            points=scores[name],
            weight=weight,
            product=round(scores[name] * weight, PLACES),
            spread=spread.get(name, UNSET),
        )
        for name, weight in weights.items()
        if name in scores
    }


def _rater(
    auditor: Auditor, rater: RaterState, scored: PanelistScored, name: str, panel: _ConcludedPanel | None
) -> RaterAudit:
    seat = rater.seat
    given = scored.scores.get(name, {})
    total = weighted_total(given, seat.weights)
    absent = {what: why for what, why in scored.absent.items() if what == name or what.startswith(f"{name}.")}
    position = rater.position or 0
    return RaterAudit(
        rater=seat.name,
        title=seat.title,
        position=position,
        call=auditor.cause_call(position),
        points=_points(given, seat.weights, scored.spread.get(name, {})),
        total=UNSET if total is None else total,
        standing=scored.standings.get(name, UNSET),
        note=scored.notes.get(name, ""),
        finding=scored.finding or "",
        missing=scored.missing,
        absent=absent or UNSET,
        **({} if panel is None else _counted(panel, seat.name, name)),
    )


def _counted(panel: _ConcludedPanel, rater: str, name: str) -> dict[str, Any]:
    """What the conclusion made of a rater's scores, as fields of its audit."""
    concluded, calibrated = panel.conclusion, panel.calibrated.get(rater, {}).get(name, UNSET)
    return {
        "weight": concluded.weights.get(rater, UNSET),
        "offset": UNSET if concluded.strictness is UNSET else concluded.strictness.get(rater, UNSET),
        "calibrated": calibrated if calibrated is UNSET else round(calibrated, PLACES),
    }


def _concluded_panel(debate: Debate, opened: DebateOpened) -> _ConcludedPanel | None:
    """The panel with its totals, as given and calibrated; None before its conclusion."""
    concluded = debate.panel.conclusion
    if concluded is UNSET:
        return None
    from judge.panel.scored import calibrated_totals  # noqa: PLC0415 - numpy is imported where a panel has concluded

    rules, sides = opened.rubric.panel, _sides(debate)
    assert rules is not None, "an opening fills in what a rubric leaves out"
    given = {
        name: {
            item: total
            for item, scores in rater.scored.scores.items()
            if item in sides and (total := weighted_total(scores, rater.seat.weights)) is not None
        }
        for name, rater in debate.panel.raters.items()
        if name in concluded.weights and isinstance(rater.scored, PanelistScored)
    }
    return _ConcludedPanel(concluded, given, calibrated_totals(given, sides, rules))


def _panel(debate: Debate, panel: _ConcludedPanel | None, name: str) -> PanelAudit | UnsetType:
    """What the panel made of the argument; unset before its conclusion."""
    measured = debate.panel.agreement
    if panel is None or measured is UNSET:
        return UNSET
    concluded, sides = panel.conclusion, _sides(debate)
    weights, side = concluded.weights, sides[name]
    both = []
    for totals, of in ((panel.given, concluded.weighted), (panel.calibrated, concluded.calibrated)):
        items = side_scores(totals, weights, sides).items
        own = {item: round(score, PLACES) for item, score in items.items() if sides[item] == side}
        both.append(SideSum(arguments=own, score=of.pro if side == "pro" else of.con))
    return PanelAudit(
        position=debate.panel.positions["conclusion"],
        given=both[0].arguments.get(name, UNSET),
        calibrated=both[1].arguments.get(name, UNSET),
        calibration=measured.calibration,
        decides=concluded.decides or "raw",
        dispute=concluded.disputed.get(name, UNSET),
        given_sum=both[0],
        calibrated_sum=both[1],
    )


def _sides(debate: Debate) -> dict[str, Side]:
    return {name: each.side for name, each in debate.protocol.arguments.items()}
