"""A panel to read: its outcome, the agreement of the raters, every number, and the outcome without each rater."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import UNSET

from events.state.parts.panel import MOVED_BY_WORDS, PanelState, RaterState
from events.text.figures import rounded, signed
from events.types import AgreementMeasured, ArtifactJudged, DeliberationHeld, OpinionGiven, PanelConcluded
from events.view.view import View
from server.export import document as doc
from server.export.wording import (
    NAMES,
    RECORD_STANDS,
    STANDINGS,
    coefficient,
    figure,
    interval,
    item_name,
    left_out_words,
    point_lines,
    share,
    weight_lines,
    why_changed,
)

CRITERIA: Final = "The value of the criteria counts as well which criterion is rated higher than another."


def panel_blocks(view: View) -> Iterator[doc.Block]:
    """The panel of a debate or of an artifact; nothing for a calibration, which has its own table."""
    panel = view.panel
    if not isinstance(panel, PanelState) or view.cases is not UNSET:
        return
    if view.format == "deliberation":
        yield from (*_artifact(panel), *_deliberation(panel))
        if view.artifact is not UNSET:
            yield doc.Section(view.artifact.name, (doc.Verbatim(view.artifact.text),), 3)
        return
    concluded = panel.conclusion
    blocks: list[doc.Block] = []
    if concluded is not UNSET:
        blocks += _outcome(panel, concluded)
    if panel.agreement is not UNSET:
        blocks.append(_agreement(panel.agreement, "turns" if view.format == "exchange" else "arguments"))
    if concluded is not UNSET:
        blocks.append(_disputes(concluded, panel.thresholds.get("disputed_variance")))
    blocks += (*_numbers(panel), *_seats(panel))
    if concluded is not UNSET:
        blocks += _without(panel, concluded)
    yield doc.Section("The panel", (*blocks, *_deliberation(panel)))


def _outcome(panel: PanelState, conclusion: PanelConcluded) -> Iterator[doc.Block]:
    assert panel.says is not UNSET, "the panel has concluded"
    yield doc.Paragraph(panel.says, "lead")
    yield doc.Listing(conclusion.reasons)
    yield doc.Paragraph(_sums(conclusion))
    if panel.decision is not UNSET:
        decided = panel.decision
        yield doc.Paragraph((doc.Strong(f"Decided by {decided.by}:"), f" {decided.decision}"))
        if decided.reason:
            yield doc.Paragraph(f"The reason: {decided.reason}")
    title = "What to find out instead" if conclusion.winner == "neither" else "What to find out next"
    yield from doc.listed(title, conclusion.advice)
    yield from doc.listed("What to do", conclusion.act or ())


def _sums(conclusion: PanelConcluded) -> str:
    """The scores of the sides, with the gap of those that decide."""
    sums = {"As given": conclusion.weighted, "Calibrated": conclusion.calibrated}
    decides = "Calibrated" if conclusion.decides == "calibrated" else "As given"
    return " ".join(
        f"{name}: Pro {figure(each.pro)}, Con {figure(each.con)}"
        f"{f', {share(conclusion.gap)} apart' if name == decides else ''}."
        for name, each in sums.items()
    )


def _agreement(given: AgreementMeasured, items: str) -> doc.Section:
    rated, stood = f"other {items} like these were rated", f"other {items} like these were given a standing"
    others = f"ordinal {interval(given.ordinal)}; nominal {interval(given.nominal)}; ratio {interval(given.ratio)}."
    if given.margins is UNSET:
        scores = [f"Scores (Krippendorff’s alpha): {coefficient(given.raw, rated)}."]
        others = f"Scores calibrated by {given.calibration}: {interval(given.calibrated)}; {others}"
    else:
        by = f"Krippendorff’s alpha, calibrated by {given.calibration}"
        what = "Scores" if given.arguments is UNSET else f"Criteria: every one of the {items}, on every criterion"
        scores = [
            f"{what} ({by}): {coefficient(given.calibrated, rated)}.",
            f"Lead (alpha of the margins between the sides): {coefficient(given.margins, rated)}.",
        ]
        others = f"Scores as given: {interval(given.raw)}; {others}"
    if given.arguments is not UNSET:
        each = f"one calibrated score by each rater for each of the {items}; this decides"
        scores.insert(0, f"{items.capitalize()} ({each}): {coefficient(given.arguments, rated)}.")
    found = [*scores, f"Standings (Fleiss’ kappa): {coefficient(given.kappa, stood)}.", others]
    if given.icc_agreement is not UNSET and given.icc_consistency is not UNSET:
        icc = f"ICC(2,k) {interval(given.icc_agreement)}; without strictness ICC(3,k) {interval(given.icc_consistency)}"
        found.append(f"The raters’ mean: {icc}.")
    about = "1 is agreement throughout, 0 what chance would give."
    if given.arguments is not UNSET:
        about = f"{about} {CRITERIA}"
    return doc.Section("How far the raters agree", (doc.Listing(tuple(found)), doc.Paragraph(about)), 3)


def _disputes(conclusion: PanelConcluded, variance: float | None) -> doc.Block:
    if not conclusion.disputed:
        low = "" if variance is None else f": no item’s scores have a variance of {variance:g} or more"
        return doc.Paragraph(f"Nothing is disputed{low}.")
    ordered = sorted(conclusion.disputed.items(), key=lambda each: -each[1].variance)
    items = (
        f"{item_name(item)}: {', '.join(f'{name} {rounded(score)}' for name, score in each.scores.items())};"
        f" variance {rounded(each.variance, 2)}{'; it decides' if each.decides else ''}"
        for item, each in ordered
    )
    return doc.Section("Most disputed", (doc.Listing(tuple(items)),), 3)


def _numbers(panel: PanelState) -> Iterator[doc.Section]:
    names = [name for name, rater in panel.raters.items() if rater.scored is not UNSET]
    if not names:
        return
    items = dict.fromkeys(item for name in names for item in _items(panel.raters[name]))
    cells = {item: [_cell(panel.raters[name], item) for name in names] for item in items}
    rows = ((item_name(item), *cells[item], _variance(panel, item), *_standings(panel, item)) for item in items)
    columns = (*(doc.Column(each, "n") for each in (*names, "variance")), *(("standings",) if panel.standings else ()))
    table = doc.Table(("item", *columns), tuple(rows))
    yield doc.Section("Every rater’s numbers", (table,), 3)


def _items(rater: RaterState) -> Iterable[str]:
    return () if rater.scored is UNSET else {**rater.scored.scores, **rater.scored.standings}


def _variance(panel: PanelState, item: str) -> str:
    known = panel.items.get(item)
    return "–" if known is None or known.variance is UNSET else rounded(known.variance, 2)


def _standings(panel: PanelState, item: str) -> tuple[str, ...]:
    return (panel.standings.get(item, "–"),) if panel.standings else ()


def _cell(rater: RaterState, item: str) -> str:
    assert rater.scored is not UNSET, "only raters that scored have a column"
    total = rounded(rater.totals[item]) if item in rater.totals else "not given"
    standing = rater.scored.standings.get(item)
    return total if standing is None else f"{total} {STANDINGS[standing]}"


def _seats(panel: PanelState) -> tuple[doc.Section, ...]:
    weights = panel.conclusion.weights if panel.conclusion is not UNSET else {}
    offsets = panel.conclusion.strictness if panel.conclusion is not UNSET else UNSET
    return doc.listed("Who sat", (_seat(name, rater, weights, offsets or {}) for name, rater in panel.raters.items()))


def _seat(name: str, rater: RaterState, weights: Mapping[str, float], offsets: Mapping[str, float]) -> str:
    seat, scored = rater.seat, rater.scored
    record = f"right on {seat.record.right} of {seat.record.of}" if seat.record.of else "no track record yet"
    parts = [record]
    if name in weights:
        parts.insert(0, f"weight {share(weights[name])}")
    if name in offsets:
        parts.append(f"{signed(offsets[name])} points beside the mean")
    if scored is not UNSET and scored.missing is not UNSET:
        parts.append(f"gave no scores: {scored.missing.reason}")
    elif scored is not UNSET and scored.absent:
        parts.append(f"left out {', '.join(f'{what} ({why})' for what, why in scored.absent.items())}")
    caveat = f". {seat.caveat}" if seat.caveat else ""
    finding = f". Its finding: {scored.finding}" if scored is not UNSET and scored.finding else ""
    return f"{seat.title}, {seat.model}: {'; '.join(parts)}{caveat}{finding}"


def _without(panel: PanelState, conclusion: PanelConcluded) -> tuple[doc.Section, ...]:
    return doc.listed(
        "If one rater were left out",
        (
            f"Without {panel.raters[name].seat.title}: {left_out_words(each)}"
            f" (alpha {figure(each.alpha)}, gap {share(each.gap)})"
            for name, each in conclusion.without.items()
        ),
    )


# deliberation


def _deliberation(panel: PanelState) -> Iterator[doc.Section]:
    if not panel.rounds:
        return
    stands = (doc.Paragraph(RECORD_STANDS),) if panel.verdict is UNSET else ()
    rounds = doc.Listing(tuple(_round(panel, held) for held in panel.rounds.values()))
    ways = ", ".join(f"{panel.moved.get(kind, 0)} {words}" for kind, words in MOVED_BY_WORDS.items())
    changed = doc.Paragraph(f"Minds changed: {ways}.")
    yield doc.Section("Deliberation", (*stands, rounds, changed), 3)


def _round(panel: PanelState, held: DeliberationHeld) -> doc.Item:
    ended = f"; {held.ended}" if held.ended else ""
    changes, titles = [], _titles(panel)
    for change in held.changes:
        before, after = (NAMES.get(each, each) for each in (change.before, change.after))
        changes.append(f"{titles.get(change.rater, change.rater)}: {before} → {after}, {why_changed(change, titles)}")
    changes += [
        f"{titles[rater]} gave no opinion: its opinion of round {number} stands"
        for rater, number in (held.carried or {}).items()
    ]
    return doc.Item(
        f"Round {held.round}: agreement {figure(held.before)} → {figure(held.after)}{ended}", tuple(changes)
    )


def _artifact(panel: PanelState) -> Iterator[doc.Section]:
    if panel.verdict is not UNSET:
        yield _verdict(panel, panel.verdict)
    yield doc.Section("Who judged", (doc.Listing(tuple(_judged(panel, name) for name in panel.raters)),), 3)


def _judged(panel: PanelState, name: str) -> doc.Item:
    """A judge with its last opinion, and with its first if that was another one."""
    seat = panel.raters[name].seat
    weight = "" if seat.share is UNSET else f" ({share(seat.share)})"
    opinions = [each[name] for each in panel.opinions.values() if name in each]
    given = [each for each in opinions if each.missing is UNSET]
    words = _opinion(given[-1]) if given else opinions[-1].missing.reason if opinions and opinions[-1].missing else "–"
    own = (f"on its own: {given[0].verdict}",) if len(given) > 1 else ()
    text: doc.Sentence = (doc.Strong(seat.title), f"{weight}: {words}")
    return doc.Item(text, own)


def _verdict(panel: PanelState, verdict: ArtifactJudged) -> doc.Section:
    """The verdict in a line; under it the reasons of those that hold another one, and the weights."""
    assert panel.says is not UNSET, "the artifact has been judged"
    if verdict.missing is not UNSET:
        return doc.Section(panel.says, ())
    titles = _titles(panel)
    against = (
        doc.Item((doc.Strong(titles[rater]), f": {_opinion(panel.opinions[number][rater])}"))
        for rater, number in (panel.dissent or {}).items()
    )
    blocks: tuple[doc.Block, ...] = (
        *doc.listed("Against it", against),
        doc.Section("How it came about", (doc.Lines(tuple(weight_lines(verdict))), doc.Listing(verdict.reasons)), 3),
        *doc.listed("Findings", point_lines(verdict.named_findings, verdict.findings, titles)),
        *doc.listed("Remediation", point_lines(verdict.named_remediation, verdict.remediation, titles)),
    )
    return doc.Section(f"Verdict: {panel.says}", blocks)


def _titles(panel: PanelState) -> dict[str, str]:
    return {name: rater.seat.title for name, rater in panel.raters.items()}


def _opinion(opinion: OpinionGiven) -> str:
    sure = "" if opinion.confidence is UNSET else f", confidence {share(opinion.confidence)}"
    found = "" if opinion.verified else " (not found in the text)"
    quote = f" “{opinion.quote}”{found}" if opinion.quote else ""
    return f"{opinion.verdict}{sure}. {opinion.rationale}{quote}"
