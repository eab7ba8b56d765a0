"""What the scores of an argument are made of, to read: the judge's points, every rater's, and the sums."""

from collections.abc import Iterator, Mapping

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from events.text.figures import rounded, shortest
from events.types import Missing
from server.export.argument_audit import ArgumentAudit, AuditWords, RaterAudit, RaterWords, SideSum, WeightedPoints
from server.export.debate.protocol import argument_blocks, argument_heading
from server.export.document import Block, Item, Listing, Paragraph, Section, Strong
from server.export.labels import named
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
    yield from map(Paragraph, _judge(audit))
    if audit.raters:
        yield Section("The raters", (Listing(tuple(map(_rater, audit.raters))),), 4)
    if panel := tuple(_panel(audit)):
        yield Listing(panel)
    if audit.refused:
        yield Listing(tuple(_refused(audit)))


def with_words(audit: ArgumentAudit) -> ArgumentAudit:
    """The audit with its sentences, for a page that knows which parts it may show."""
    words = AuditWords(
        judge=tuple(_judge(audit)),
        raters=tuple(map(_rater_words, audit.raters)),
        panel=tuple(_panel(audit)),
        refused=tuple(map(capital, _refused(audit))),
    )
    return replace(audit, words=words)


def _judge(audit: ArgumentAudit) -> Iterator[str]:
    if audit.points and audit.total is not UNSET:
        total = UNSET if isinstance(audit.total, Missing) else audit.total
        yield f"The judge’s points × weights: {_products(audit.points, total)}."
    if isinstance(audit.total, Missing):
        yield f"No total: {audit.total.missing.reason}."
    if audit.side is not UNSET:
        yield _side_total(NAMES[audit.said.side], audit.side)


def _refused(audit: ArgumentAudit) -> Iterator[str]:
    for each in audit.refused:
        reason = plain_reason(each.reason)
        yield f"event {each.position}: refused or corrected: “{one_line(each.quote)}”: {reason}"


def _side_total(side: str, of: SideSum) -> str:
    if isinstance(of.score, Missing):
        return f"{side} has no total: {of.score.missing.reason}."
    totals = [_exact(each) for each in of.arguments.values()]
    times = f", times {of.times}" if of.times > 1 else ""
    return f"{side}’s total is the mean of {listed(totals)}{times}: {rounded(of.score, 2)}."


def _rater(each: RaterAudit) -> Item:
    words = [] if each.weight is UNSET else [f"{share(each.weight)} of the panel"]
    words += [] if each.standing is UNSET else [STANDINGS[each.standing]]
    words += [*_scores(each), *_calibrated(each)]
    below = [*_below(each)]
    below += [f"Its finding on the whole debate: {named(each.finding, 'pro')}"] if each.finding else []
    return Item((Strong(each.title), f": {'; '.join(words)}."), tuple(map(one_line, below)))


def _rater_words(each: RaterAudit) -> RaterWords:
    alone = "; ".join(_scores(each))
    concluded = "; ".join((*_scores(each), *_calibrated(each)))
    return RaterWords(
        alone=f"{capital(alone)}." if alone else "",
        concluded=f"{capital(concluded)}." if concluded else "",
        below=tuple(_below(each)),
        weight="" if each.weight is UNSET else f"{share(each.weight)} of the panel",
    )


def _scores(each: RaterAudit) -> Iterator[str]:
    if each.missing is not UNSET:
        yield f"no scores: {each.missing.reason}"
    if each.points:
        yield _products(each.points, each.total)


def _calibrated(each: RaterAudit) -> Iterator[str]:
    """What the conclusion of the panel made of the scores."""
    if each.offset is not UNSET:
        yield _offset(each.offset)
    if each.calibrated is not UNSET:
        yield f"calibrated {rounded(each.calibrated, 2)}"


def _below(each: RaterAudit) -> Iterator[str]:
    if each.note:
        yield named(each.note, "pro")
    yield from (f"{what}: {why}" for what, why in (each.absent or {}).items())


def _products(points: Mapping[str, WeightedPoints], total: float | UnsetType) -> str:
    """``logic 7 × 0.4 + … = 6.75``; ±: half of what lies between the answers, if there are several."""
    sums = " + ".join(
        f"{name.replace('_', ' ')} {_exact(each.points)}{f' (±{_exact(each.spread / 2)})' if each.spread else ''}"
        f" × {_exact(each.weight)}"
        for name, each in points.items()
    )
    return sums if total is UNSET else f"{sums} = {_exact(total)}"


def _panel(audit: ArgumentAudit) -> Iterator[str]:
    argument, side, panel = audit.argument, NAMES[audit.said.side], audit.panel
    if panel is UNSET:
        return
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


def capital(text: str) -> str:
    """The text with a capital letter first, and the rest as it is."""
    return text[:1].upper() + text[1:]


def _exact(value: float) -> str:
    return shortest(value, EXACT)


def _offset(points: float) -> str:
    """How strict or lenient a rater is."""
    if not points:
        return "its scores lie on average where those of all raters lie"
    return (
        f"its scores lie on average {rounded(abs(points), 2)} points {'above' if points > 0 else 'below'} those of all "
        "raters"
    )
