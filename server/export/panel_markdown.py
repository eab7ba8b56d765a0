"""A panel as Markdown: its outcome, the agreement of the raters, every number, and the outcome without each rater."""

from collections.abc import Iterable, Mapping

from msgspec import UNSET

from events.state.panel import PanelState, RaterState
from events.types import AgreementMeasured, ArtifactJudged, DeliberationHeld, OpinionGiven, PanelConcluded
from events.view.view import View
from server.export.text import escaped
from server.export.wording import (
    NAMES,
    RECORD_STANDS,
    STANDINGS,
    coefficient,
    conclusion_of,
    figure,
    interval,
    item_name,
    left_out_words,
    share,
)


def panel_lines(view: View) -> list[str]:
    """The panel of a debate or of an artifact; nothing for a calibration, which has its own table."""
    panel = view.panel
    if not isinstance(panel, PanelState) or view.cases is not UNSET:
        return []
    if view.format == "deliberation":
        return [*_artifact(panel), *_deliberation(panel), *_text(view)]
    lines = ["## The panel", ""]
    if panel.conclusion is not UNSET:
        lines += _outcome(panel, panel.conclusion)
    if panel.agreement is not UNSET:
        lines += _agreement(panel.agreement, "turns" if view.format == "exchange" else "arguments")
    if panel.conclusion is not UNSET:
        lines += _disputes(panel.conclusion)
    lines += [*_numbers(panel), *_seats(panel)]
    if panel.conclusion is not UNSET:
        lines += _without(panel.conclusion)
    return [*lines, *_deliberation(panel)]


def _outcome(panel: PanelState, conclusion: PanelConcluded) -> list[str]:
    lines = [f"**{conclusion_of(panel)}**", ""]
    lines += [*(f"- {escaped(each)}" for each in conclusion.reasons), *([""] if conclusion.reasons else [])]
    lines += [_sums(conclusion), ""]
    if panel.decision is not UNSET:
        decided = panel.decision
        lines += [f"**Decided by {escaped(decided.by)}:** {escaped(decided.decision)}", ""]
        lines += [f"The reason: {escaped(decided.reason)}", ""] if decided.reason else []
    title = "What to find out instead" if conclusion.winner == "neither" else "What to find out next"
    return [*lines, *_listed(title, map(escaped, conclusion.advice))]


def _sums(conclusion: PanelConcluded) -> str:
    """The scores of the sides, with the gap of those that decide."""
    sums = {"As given": conclusion.weighted, "Calibrated": conclusion.calibrated}
    decides = "Calibrated" if conclusion.decides == "calibrated" else "As given"
    return " ".join(
        f"{name}: Pro {figure(each.pro)}, Con {figure(each.con)}"
        f"{f', {share(conclusion.gap)} apart' if name == decides else ''}."
        for name, each in sums.items()
    )


def _agreement(given: AgreementMeasured, items: str) -> list[str]:
    rated, stood = f"other {items} like these were rated", f"other {items} like these were given a standing"
    others = f"ordinal {interval(given.ordinal)}; nominal {interval(given.nominal)}; ratio {interval(given.ratio)}."
    if given.margins is UNSET:
        scores = [f"- Scores (Krippendorff’s alpha): {escaped(coefficient(given.raw, rated))}."]
        others = f"- Scores calibrated by {given.calibration}: {interval(given.calibrated)}; {others}"
    else:
        by = f"Krippendorff’s alpha, calibrated by {given.calibration}"
        scores = [
            f"- Scores ({by}): {escaped(coefficient(given.calibrated, rated))}.",
            f"- Lead (alpha of the margins between the sides): {escaped(coefficient(given.margins, rated))}.",
        ]
        others = f"- Scores as given: {interval(given.raw)}; {others}"
    lines = [*scores, f"- Standings (Fleiss’ kappa): {escaped(coefficient(given.kappa, stood))}.", others]
    if given.icc_agreement is not UNSET and given.icc_consistency is not UNSET:
        icc = f"ICC(2,k) {interval(given.icc_agreement)}; without strictness ICC(3,k) {interval(given.icc_consistency)}"
        lines.append(f"- The raters’ mean: {icc}.")
    about = ["1 is agreement throughout, 0 what chance would give.", ""]
    return ["### How far the raters agree", "", *lines, "", *about]


def _disputes(conclusion: PanelConcluded) -> list[str]:
    if not conclusion.disputed:
        return ["Nothing is disputed: on no item do the raters lie far apart.", ""]
    ordered = sorted(conclusion.disputed.items(), key=lambda each: -each[1].variance)
    return _listed(
        "Most disputed",
        (
            f"{escaped(item_name(item))}: "
            f"{', '.join(f'{escaped(name)} {score:.1f}' for name, score in each.scores.items())};"
            f" variance {each.variance:.2f}{'; it decides' if each.decides else ''}"
            for item, each in ordered
        ),
    )


def _numbers(panel: PanelState) -> list[str]:
    names = [name for name, rater in panel.raters.items() if rater.scored is not UNSET]
    if not names:
        return []
    items = list(dict.fromkeys(item for name in names for item in _items(panel.raters[name])))
    lines = [
        "### Every rater’s numbers",
        "",
        f"| item | {' | '.join(map(escaped, names))} | variance |",
        f"|---|{'---:|' * len(names)}---:|",
    ]
    for item in items:
        known = panel.items.get(item)
        variance = "–" if known is None or known.variance is UNSET else f"{known.variance:.2f}"
        cells = " | ".join(_cell(panel.raters[name], item) for name in names)
        lines.append(f"| {escaped(item_name(item))} | {cells} | {variance} |")
    return [*lines, ""]


def _items(rater: RaterState) -> Iterable[str]:
    return () if rater.scored is UNSET else {**rater.scored.scores, **rater.scored.standings}


def _cell(rater: RaterState, item: str) -> str:
    assert rater.scored is not UNSET, "only raters that scored have a column"
    total = f"{rater.totals[item]:.1f}" if item in rater.totals else "not given"
    standing = rater.scored.standings.get(item)
    return total if standing is None else f"{total} {STANDINGS[standing]}"


def _seats(panel: PanelState) -> list[str]:
    weights = panel.conclusion.weights if panel.conclusion is not UNSET else {}
    offsets = panel.conclusion.strictness if panel.conclusion is not UNSET else UNSET
    return _listed("Who sat", (_seat(name, rater, weights, offsets or {}) for name, rater in panel.raters.items()))


def _seat(name: str, rater: RaterState, weights: Mapping[str, float], offsets: Mapping[str, float]) -> str:
    seat, scored = rater.seat, rater.scored
    record = f"right on {seat.record.right} of {seat.record.of}" if seat.record.of else "no track record yet"
    parts = [record]
    if name in weights:
        parts.insert(0, f"weight {share(weights[name])}")
    if name in offsets:
        parts.append(f"{offsets[name]:+.1f} points beside the mean".replace("-", "−"))
    if scored is not UNSET and scored.missing is not UNSET:
        parts.append(f"gave no scores: {escaped(scored.missing.reason)}")
    elif scored is not UNSET and scored.absent:
        parts.append(f"left out {escaped(', '.join(f'{what} ({why})' for what, why in scored.absent.items()))}")
    caveat = f". {escaped(seat.caveat)}" if seat.caveat else ""
    finding = f". Its finding: {escaped(scored.finding)}" if scored is not UNSET and scored.finding else ""
    return f"{escaped(seat.title)}, {escaped(seat.model)}: {'; '.join(parts)}{caveat}{finding}"


def _without(conclusion: PanelConcluded) -> list[str]:
    return _listed(
        "If one rater were left out",
        (
            f"Without the {escaped(name.replace('_', ' '))} rater: {left_out_words(each)}"
            f" (alpha {figure(each.alpha)}, gap {share(each.gap)})"
            for name, each in conclusion.without.items()
        ),
    )


# deliberation


def _verdict_name(verdict: str) -> str:
    return NAMES.get(verdict, verdict)


def _deliberation(panel: PanelState) -> list[str]:
    if not panel.rounds:
        return []
    lines = ["### Deliberation", ""] + ([RECORD_STANDS, ""] if panel.verdict is UNSET else [])
    for held in panel.rounds.values():
        lines += _round(panel, held)
    moved = {kind: panel.moved.get(kind, 0) for kind in ("evidence", "conformity")}
    return [*lines, "", f"Minds changed: {moved['evidence']} by evidence, {moved['conformity']} by conformity.", ""]


def _round(panel: PanelState, held: DeliberationHeld) -> list[str]:
    ended = f"; {escaped(held.ended)}" if held.ended else ""
    lines = [f"- Round {held.round}: agreement {figure(held.before)} → {figure(held.after)}{ended}"]
    for change in held.changes:
        why = f"by evidence: “{escaped(change.quote)}”" if change.kind == "evidence" else "by conformity"
        lines.append(
            f"  - {_title(panel, change.rater)}: {_verdict_name(change.before)} → {_verdict_name(change.after)}, {why}"
        )
    return lines


def _title(panel: PanelState, name: str) -> str:
    return escaped(panel.raters[name].seat.title) if name in panel.raters else escaped(name)


def _artifact(panel: PanelState) -> list[str]:
    lines = _verdict(panel.verdict) if panel.verdict is not UNSET else []
    lines += ["### Who judged", ""]
    for name, rater in panel.raters.items():
        weight = "" if rater.seat.share is UNSET else f" ({share(rater.seat.share)})"
        opinions = [each[name] for each in panel.opinions.values() if name in each]
        given = [each for each in opinions if each.missing is UNSET]
        words = (
            _opinion(given[-1])
            if given
            else escaped(opinions[-1].missing.reason)
            if opinions and opinions[-1].missing
            else "–"
        )
        lines.append(f"- **{escaped(rater.seat.title)}**{weight}: {words}")
        if len(given) > 1:
            lines.append(f"  - on its own: {given[0].verdict}")
    return [*lines, ""]


def _verdict(verdict: ArtifactJudged) -> list[str]:
    if verdict.missing is not UNSET:
        return [f"## No verdict: {escaped(verdict.missing.reason)}", ""]

    def weights(shares: Mapping[str, float]) -> str:
        return ", ".join(f"{escaped(name)} {share(weight)}" for name, weight in shares.items())

    lines = [
        f"## Verdict: {verdict.verdict}",
        "",
        f"After deliberation: {weights(verdict.shares)}.",
        f"On their own, the verdict of record: {verdict.independent} ({weights(verdict.independent_shares)}).",
        "",
    ]
    lines += [*(f"- {escaped(each)}" for each in verdict.reasons), ""]
    return [
        *lines,
        *_listed("Findings", map(escaped, verdict.findings)),
        *_listed("Remediation", map(escaped, verdict.remediation)),
    ]


def _opinion(opinion: OpinionGiven) -> str:
    sure = "" if opinion.confidence is UNSET else f", confidence {share(opinion.confidence)}"
    found = "" if opinion.verified else " (not found in the text)"
    quote = f" “{escaped(opinion.quote)}”{found}" if opinion.quote else ""
    return f"{opinion.verdict}{sure}. {escaped(opinion.rationale)}{quote}"


def _text(view: View) -> list[str]:
    if view.artifact is UNSET:
        return []
    fence = "`" * 6
    return [
        f"### {escaped(view.artifact.name)}",
        "",
        fence,
        view.artifact.text.replace(fence, "'" * 6),
        fence,
        "",
    ]


def _listed(title: str, items: Iterable[str]) -> list[str]:
    found = [f"- {each}" for each in items]
    return [f"### {title}", "", *found, ""] if found else []
