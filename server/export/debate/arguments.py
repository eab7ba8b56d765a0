"""What the scores of an argument are made of, to read: the judge's points, every rater's, and the sums."""

from collections.abc import Iterator

from msgspec import UNSET

from events.text.figures import rounded, shortest
from events.types import Missing
from server.export.argument_audit import ArgumentAudit, PanelAudit, RaterAudit, SideSum, WeightedPoints
from server.export.debate.protocol import argument_blocks, argument_heading
from server.export.document import Block, Column, Item, Listing, Paragraph, Section, Sentence, Strong, Table
from server.export.reasons import plain_reason
from server.export.text import one_line
from server.export.wording import NAMES, SIGNS, STANDINGS, figure, listed, share

EXACT = 4
"""Decimals of points × weight: as many as they need."""


def argument_section(audit: ArgumentAudit) -> Section:
    """The argument with all that was said of it, and its scores."""
    name, *judged = argument_heading(audit.argument, audit.said)
    heading = " · ".join((name, SIGNS[audit.said.side], *(judged or ["not judged yet"])))
    return Section(heading, (*argument_blocks(audit.said), *score_blocks(audit)))


def score_blocks(audit: ArgumentAudit) -> Iterator[Block]:
    """How each of the argument's scores follows from points; nothing before it has any."""
    side = NAMES[audit.said.side]
    if audit.points:
        yield _judge(audit)
        if audit.side is not UNSET:
            yield Paragraph(_side_total(side, audit.side))
    if audit.raters:
        yield Section("The raters", (Listing(tuple(map(_rater, audit.raters))),), 4)
    if audit.panel is not UNSET:
        yield Listing(tuple(_panel(audit.argument, side, audit.panel)))
    if audit.refused:
        found = (
            f"event {each.position}: refused or corrected: {one_line(each.quote)} {plain_reason(each.reason)}"
            for each in audit.refused
        )
        yield Listing(tuple(found))


def _judge(audit: ArgumentAudit) -> Table:
    """The judge's points × weight, and their sum."""
    columns: list[str | Column] = ["the judge’s points", *(Column(each, "n") for each in ("points", "weight", "points × weight"))]
    has_spread = any(each.spread for each in audit.points.values())
    rows: list[tuple[Sentence, ...]] = [
        (name, _exact(each.points), _exact(each.weight), _exact(each.product), _spread(each))
        for name, each in audit.points.items()
    ]
    total = "none" if isinstance(audit.total, Missing) or audit.total is UNSET else _exact(audit.total)
    rows.append(((Strong("sum"),), "", "", total, ""))
    if has_spread:
        return Table((*columns, Column("between the answers", "n")), tuple(rows))
    return Table(tuple(columns), tuple(row[:-1] for row in rows))


def _spread(each: WeightedPoints) -> str:
    return _exact(each.spread) if each.spread else ""


def _side_total(side: str, of: SideSum) -> str:
    if isinstance(of.score, Missing):
        return f"{side} has no total: {of.score.missing.reason}."
    totals = [_exact(each) for each in of.arguments.values()]
    times = f", times {of.times}" if of.times > 1 else ""
    return f"{side}’s total is the mean of {listed(totals)}{times}: {rounded(of.score, 2)}."


def _rater(each: RaterAudit) -> Item:
    words = []
    if each.weight is not UNSET:
        words.append(f"{share(each.weight)} of the panel")
    if each.standing is not UNSET:
        words.append(STANDINGS[each.standing])
    if each.missing is not UNSET:
        words.append(f"no scores: {each.missing.reason}")
    if each.points:
        words.append(_products(each))
    if each.offset is not UNSET:
        words.append(f"all its scores lie {_signed(each.offset)} points beside the mean of all raters")
    if each.calibrated is not UNSET:
        words.append(f"calibrated {rounded(each.calibrated, 2)}")
    below = [each.note] if each.note else []
    below += [f"{what}: {why}" for what, why in (each.absent or {}).items()]
    below += [f"Its finding on the whole debate: {each.finding}"] if each.finding else []
    return Item((Strong(each.title), f": {'; '.join(words)}."), tuple(map(one_line, below)))


def _products(each: RaterAudit) -> str:
    """``logic 7 × 0.4 + … = 6.75``."""
    sums = " + ".join(f"{name} {_exact(one.points)} × {_exact(one.weight)}" for name, one in each.points.items())
    return f"{sums} = {'no total' if each.total is UNSET else _exact(each.total)}"


def _panel(argument: str, side: str, panel: PanelAudit) -> Iterator[str]:
    decides = "calibrated scores" if panel.decides == "calibrated" else "scores as given"
    given, calibrated = ("none" if each is UNSET else rounded(each, 2) for each in (panel.given, panel.calibrated))
    yield (
        f"The panel’s score of {argument}, the mean of the raters by weight: {given} as given, {calibrated} calibrated "
        f"by {panel.calibration}. The {decides} decide."
    )
    for name, of in (("as given", panel.given_sum), ("calibrated", panel.calibrated_sum)):
        items = (f"{each} {rounded(score, 2)}" for each, score in of.arguments.items())
        yield f"{side} by the panel, {name}: the mean of {listed([*items])} is {figure(of.score)}."
    if panel.dispute is not UNSET:
        ends = ", and this alone prevents a winner" if panel.dispute.decides else ""
        yield f"The raters dispute it: the variance of their scores is {rounded(panel.dispute.variance, 2)}{ends}."


def _exact(value: float) -> str:
    return shortest(value, EXACT)


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else '+'}{rounded(abs(value), 2)}"
