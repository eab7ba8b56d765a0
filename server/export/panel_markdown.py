"""A panel as Markdown: its outcome in a sentence, the agreement in words, every number, what would change it."""

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
    share,
)


def panel_lines(view: View) -> list[str]:
    """All of a debate's panel, or of an artifact's; nothing of a calibration, which has a table of its own."""
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


def _outcome(panel: PanelState, said: PanelConcluded) -> list[str]:
    lines = [f"**{conclusion_of(panel)}**", ""]
    lines += [*(f"- {escaped(each)}" for each in said.reasons), *([""] if said.reasons else [])]
    given = f"As given: Pro {figure(said.weighted.pro)}, Con {figure(said.weighted.con)}, {share(said.gap)} apart."
    calibrated = f"Calibrated: Pro {figure(said.calibrated.pro)}, Con {figure(said.calibrated.con)}."
    lines += [f"{given} {calibrated}", ""]
    if panel.decision is not UNSET:
        decided = panel.decision
        lines += [f"**Decided by {escaped(decided.by)}:** {escaped(decided.decision)}", ""]
        lines += [f"The reason: {escaped(decided.reason)}", ""] if decided.reason else []
    title = "What to find out instead" if said.winner == "neither" else "What to find out next"
    return [*lines, *_listed(title, map(escaped, said.advice))]


def _agreement(given: AgreementMeasured, items: str) -> list[str]:
    others_like_these = f"other {items} like these were"
    others = (
        f"- Scores calibrated by {given.calibration}: {interval(given.calibrated)}; ordinal {interval(given.ordinal)};"
        f" nominal {interval(given.nominal)}; ratio {interval(given.ratio)}."
    )
    return [
        "### How far the raters agree",
        "",
        f"- Scores (Krippendorff’s alpha): {escaped(coefficient(given.raw, f'{others_like_these} rated'))}.",
        f"- Standings (Fleiss’ kappa): {escaped(coefficient(given.kappa, f'{others_like_these} given a standing'))}.",
        others,
        "",
        "1 is agreement throughout, 0 what chance would give.",
        "",
    ]


def _disputes(said: PanelConcluded) -> list[str]:
    if not said.disputed:
        return ["Nothing is disputed: on no item do the raters lie far apart.", ""]
    ordered = sorted(said.disputed.items(), key=lambda each: -each[1].variance)
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
    names = [name for name, heard in panel.raters.items() if heard.scored is not UNSET]
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


def _items(heard: RaterState) -> Iterable[str]:
    return () if heard.scored is UNSET else {**heard.scored.scores, **heard.scored.standings}


def _cell(heard: RaterState, item: str) -> str:
    assert heard.scored is not UNSET, "only raters that scored have a column"
    total = f"{heard.totals[item]:.1f}" if item in heard.totals else "not given"
    standing = heard.scored.standings.get(item)
    return total if standing is None else f"{total} {STANDINGS[standing]}"


def _seats(panel: PanelState) -> list[str]:
    weights = panel.conclusion.weights if panel.conclusion is not UNSET else {}
    return _listed("Who sat", (_seat(name, heard, weights) for name, heard in panel.raters.items()))


def _seat(name: str, heard: RaterState, weights: Mapping[str, float]) -> str:
    seat, said = heard.seat, heard.scored
    record = f"right on {seat.record.right} of {seat.record.of}" if seat.record.of else "no track record yet"
    parts = [record]
    if name in weights:
        parts.insert(0, f"weight {share(weights[name])}")
    if said is not UNSET and said.missing is not UNSET:
        parts.append(f"gave no scores: {escaped(said.missing.reason)}")
    elif said is not UNSET and said.absent:
        parts.append(f"left out {escaped(', '.join(f'{what} ({why})' for what, why in said.absent.items()))}")
    caveat = f". {escaped(seat.caveat)}" if seat.caveat else ""
    return f"{escaped(seat.title)}, {escaped(seat.model)}: {'; '.join(parts)}{caveat}"


def _without(said: PanelConcluded) -> list[str]:
    return _listed(
        "If one rater were left out",
        (
            f"Without the {escaped(name.replace('_', ' '))} rater: {each.outcome},"
            f" {'no winner' if each.winner == 'neither' else NAMES[each.winner]} (alpha {figure(each.alpha)},"
            f" gap {share(each.gap)})"
            for name, each in said.without.items()
        ),
    )


# deliberation


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
        lines.append(f"  - {_title(panel, change.rater)}: {change.before} → {change.after}, {why}")
    return lines


def _title(panel: PanelState, name: str) -> str:
    return escaped(panel.raters[name].seat.title) if name in panel.raters else escaped(name)


def _artifact(panel: PanelState) -> list[str]:
    lines = _verdict(panel.verdict) if panel.verdict is not UNSET else []
    lines += ["### Who judged", ""]
    for name, heard in panel.raters.items():
        weight = "" if heard.seat.share is UNSET else f" ({share(heard.seat.share)})"
        said = [each[name] for each in panel.opinions.values() if name in each]
        given = [each for each in said if each.missing is UNSET]
        words = _opinion(given[-1]) if given else escaped(said[-1].missing.reason) if said and said[-1].missing else "–"
        lines.append(f"- **{escaped(heard.seat.title)}**{weight}: {words}")
        if len(given) > 1:
            lines.append(f"  - on its own: {given[0].verdict}")
    return [*lines, ""]


def _verdict(said: ArtifactJudged) -> list[str]:
    if said.missing is not UNSET:
        return [f"## No verdict: {escaped(said.missing.reason)}", ""]

    def weights(shares: Mapping[str, float]) -> str:
        return ", ".join(f"{escaped(verdict)} {share(weight)}" for verdict, weight in shares.items())

    lines = [
        f"## Verdict: {said.verdict}",
        "",
        f"After deliberation: {weights(said.shares)}.",
        f"On their own, the verdict of record: {said.independent} ({weights(said.independent_shares)}).",
        "",
    ]
    lines += [*(f"- {escaped(each)}" for each in said.reasons), ""]
    return [
        *lines,
        *_listed("Findings", map(escaped, said.findings)),
        *_listed("Remediation", map(escaped, said.remediation)),
    ]


def _opinion(said: OpinionGiven) -> str:
    sure = "" if said.confidence is UNSET else f", confidence {share(said.confidence)}"
    found = "" if said.verified else " (not found in the text)"
    quote = f" “{escaped(said.quote)}”{found}" if said.quote else ""
    return f"{said.verdict}{sure}. {escaped(said.rationale)}{quote}"


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
