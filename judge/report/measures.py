"""Measure each weakness from a tally: figures and sentences, or why there is no measurement yet."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from msgspec import Struct

from events.text.figures import rounded, signed
from judge.report.figures import (
    MIN_TURNS,
    Spread,
    correlation,
    counts_text,
    out_of,
    percent,
    plural,
    rate,
    share,
    spread,
)
from judge.report.table import ReportRow, ReportTable
from judge.report.tally import SETTLED, Tally
from judge.rubrics.rubric import change_name


class Measurement(Struct, frozen=True, kw_only=True):
    """Figures by name, the number of cases, and the same in sentences.

    ``shows`` is the main figure, and what it measures.
    """

    shows: tuple[str, str]
    figures: dict[str, Any]
    of: int
    says: tuple[str, ...]
    table: ReportTable | None = None


MeasurementOrReason = Measurement | str
"""A measurement, or a sentence that says why there is none."""


def order(tally: Tally) -> MeasurementOrReason:
    """Measure how many comparisons depended on the order, and which place the judge named more often."""
    asked = tally.of("comparisons", "given")
    if not asked:
        return "no debate here has compared two turns yet"
    turned, flipped, compared = tally.of("turned"), tally.of("flipped"), tally.of("compared")
    first, second = tally.of("shown", "first"), tally.of("shown", "second")
    on = out_of(flipped, compared, "dimensions")
    says = [f"{out_of(turned, asked, 'comparisons')} came out otherwise when the order was turned, on {on}."]
    if flipped:
        says.append(f"By dimension: {counts_text(tally.by('flipped'))}.")
    if first + second:
        says.append(
            f"It named the speech shown first {first:,} times, the other {second:,} times. As every pair is shown in "
            "both orders, a judge without a favourite place would name them equally often."
        )
    figures = {
        "comparisons_flipped": turned,
        "share": share(turned, asked),
        "dimensions_flipped": flipped,
        "dimensions": compared,
        "by_dimension": tally.by("flipped"),
        "named_first": first,
        "named_second": second,
    }
    shows = (rate(turned, asked), "comparisons turned by the order")
    return Measurement(shows=shows, figures=figures, of=asked, says=tuple(says))


def length(tally: Tally) -> MeasurementOrReason:
    """Measure the correlation of words and composite, and how often the longer side won."""
    words = tally.values.get("words", ())
    if not words:
        return "no debate here has a scored turn yet"
    given = correlation(words, tally.values["given"])
    stands = correlation(words, tally.values["composite"])
    won, lost = tally.of("longer", "won"), tally.of("longer", "lost")
    figures: dict[str, Any] = {"longer_won": won, "longer_of": won + lost}
    says = []
    if given is None:
        few = len(words) < MIN_TURNS
        why = f"it takes {MIN_TURNS} scored turns, there are {len(words)}" if few else "nothing varies"
        says.append(f"No correlation of words and composite yet: {why}.")
    else:
        figures |= {"correlation": given} | ({} if stands is None else {"correlation_effective": stands})
        after = "" if stands is None else f" ({signed(stands, 2)} after all rules)"
        over = f"over {len(words):,} turns; 0 is none, 1 is lockstep"
        says.append(f"Words and composite correlate at r = {signed(given, 2)}{after} {over}.")
    if won + lost:
        says.append(f"The side that said more won {out_of(won, won + lost, 'scorecards that name a winner')}.")
    shows = (
        (signed(given, 2), "correlation of words and score")
        if given is not None
        else (rate(won, won + lost), "scorecards to the longer side")
    )
    return Measurement(shows=shows, figures=figures, of=len(words), says=tuple(says))


def side(tally: Tally) -> MeasurementOrReason:
    """Measure which side wins the scorecards."""
    reached = tally.of("scorecards")
    if not reached:
        return "no debate here has reached a scorecard verdict yet"
    wins = {side: tally.of("scorecards", side) for side in ("pro", "con", "neither")}
    pro = share(wins["pro"], reached)
    says = (
        f"Pro won {out_of(wins['pro'], reached, 'scorecards')}, Con {wins['con']:,}, nobody {wins['neither']:,}.",
        "Motions and debaters differ, so this alone proves no leaning.",
    )
    shows = (rate(wins["pro"], reached), "scorecards to Pro")
    return Measurement(shows=shows, figures=wins | {"share_pro": pro}, of=reached, says=says)


def family(tally: Tally) -> MeasurementOrReason:
    """Measure how many debates had a judge or rater of a debater's model family."""
    debates = tally.of("debates")
    if not debates:
        return "no debate here has concluded yet"
    kin = tally.of("kin")
    says = f"{out_of(kin, debates, 'debates')} had a judge or rater of a debater’s family."
    figures = {"family_warned": kin, "share": share(kin, debates)}
    return Measurement(shows=(rate(kin, debates), "debates judged by kin"), figures=figures, of=debates, says=(says,))


def quotes(tally: Tally) -> MeasurementOrReason:
    """Measure quotes that were not found, and findings that were refused."""
    asked, refused = tally.of("quotes"), tally.of("refused")
    if not asked and not refused:
        return "no debate here has a scored turn yet"
    invented, none = tally.of("quotes", "not_there"), tally.of("quotes", "none_given")
    says = []
    if asked:
        says.append(
            f"{out_of(invented, asked, 'components')} came with a quote that did not hold, {none:,} with none at all."
        )
    about = f" ({counts_text(tally.by('refused'))})" if refused else ""
    says.append(f"{plural(refused, 'finding')} refused because words, ids or rules did not bear them out{about}.")
    figures = {
        "not_there": invented,
        "none_given": none,
        "share": share(invented + none, asked),
        "refused": refused,
        "refused_by_purpose": tally.by("refused"),
    }
    shows = (rate(invented + none, asked), "components without a quote that holds")
    return Measurement(shows=shows, figures=figures, of=asked, says=tuple(says))


def absent(tally: Tally) -> MeasurementOrReason:
    """Measure failed calls, and answers that stayed missing."""
    calls, failed = tally.of("calls"), tally.of("failed")
    if not calls:
        return "no judge here has been asked anything yet"
    lost = {what: tally.of(what, "missing") for what in ("scores", "comparisons", "wholes", "ratings")}
    kinds = f" ({counts_text(tally.by('failed'))})" if failed else ""
    said = {"wholes": "verdicts on the whole", "ratings": "raters’ answers"}
    gone = ", ".join(f"{said.get(what, what)} {count:,}" for what, count in lost.items() if count)
    return Measurement(
        shows=(rate(failed, calls), "calls failed"),
        figures={"failed_calls": failed, "share": share(failed, calls), "by_kind": tally.by("failed"), "missing": lost},
        of=calls,
        says=(
            f"{out_of(failed, calls, 'calls to judges')} failed{kinds}.",
            f"Missing for good: {gone}." if gone else "Nothing stayed missing: each question was answered in the end.",
        ),
    )


def afterwards(tally: Tally) -> MeasurementOrReason:
    """Measure how many turns were changed after their first score."""
    judged = tally.of("scores", "given")
    if not judged:
        return "no debate here has a scored turn yet"
    docked, changed, rules = tally.of("docked"), tally.of("changed"), tally.by("changes")
    absorbed = tally.of("absorbed")
    says = [
        f"Lost points for what a later turn exposed: {out_of(docked, judged, 'scored turns')}.",
        f"Changed by any entry after the first score: {out_of(changed, judged, 'scored turns')}.",
    ]
    if rules:
        says.append(f"Entries by rule: {counts_text({change_name(rule): count for rule, count in rules.items()})}.")
        says.append(f"Entries that a floor or ceiling absorbed in part: {absorbed:,}.")
    figures = {"docked": docked, "share": share(docked, judged), "changed": changed, "by_rule": rules}
    shows = (rate(docked, judged), "scored turns that lost points later")
    return Measurement(shows=shows, figures=figures | {"absorbed": absorbed}, of=judged, says=tuple(says))


def alarms(tally: Tally) -> MeasurementOrReason:
    """Measure the outcome of appeals against flags."""
    flags, appeals = tally.of("claims"), tally.of("appeals")
    if not flags:
        return "no debate here has a suspect claim yet"
    cleared, upheld = tally.of(SETTLED, "cleared"), tally.of(SETTLED, "upheld")
    settled = cleared + upheld
    says = [f"{plural(flags, 'claim')} flagged ({counts_text(tally.by('claims'))}), {appeals:,} appealed."]
    if settled:
        says.append(f"{out_of(cleared, settled, 'settled appeals')} cleared the claim; its points came back.")
    else:
        says.append("No appeal has been settled yet, so nobody knows how many of these alarms were false.")
    figures: dict[str, Any] = {"appeals": appeals, "settled": settled, "cleared": cleared}
    if settled:
        figures["share_cleared"] = share(cleared, settled)
    shows = (rate(cleared, settled), "settled appeals cleared") if settled else (f"{flags:,}", "flags, none settled")
    return Measurement(shows=shows, figures=figures | {"by_kind": tally.by("claims")}, of=flags, says=tuple(says))


def leniency(tally: Tally) -> MeasurementOrReason:
    """Measure the spread of the raw points of each component."""
    named = tally.below("component")
    if not named:
        return "no debate here has a scored turn yet"
    spreads = {name: spread(values) for name, values in named.items()}
    pooled = spread([value for values in named.values() for value in values])
    figures = {
        "mean": pooled.mean,
        "deviation": pooled.deviation,
        "components": {
            name: {"mean": each.mean, "deviation": each.deviation, "of": each.of} for name, each in spreads.items()
        },
    }
    mean, deviation = percent(pooled.mean), percent(pooled.deviation)
    says = (
        f"On average a component got {mean} of its points, with a standard deviation of {deviation} of its maximum.",
        "A small deviation means that the judge hardly tells speeches apart.",
    )
    shows = (mean, f"of the points, give or take {deviation}")
    return Measurement(shows=shows, figures=figures, of=pooled.of, says=says, table=_components(spreads))


def _components(spreads: dict[str, Spread]) -> ReportTable:
    rows = tuple(
        ReportRow(key=name, cells=(
            name.replace("_", " ").capitalize(), percent(each.mean), percent(each.deviation), percent(each.commonest),
            percent(each.share), float(each.of),
        ))
        for name, each in spreads.items()
    )  # fmt: skip
    return ReportTable(
        id="spread-of-components",
        title="Raw points by component",
        caption="Raw points by component, as shares of the most that can be had",
        head=("Component", "Mean", "Standard deviation", "Commonest", "How often", "Turns"),
        figures=(1, 2, 3, 4, 5),
        rows=rows,
    )


def anomalies(tally: Tally) -> MeasurementOrReason:
    """Measure scores outside the band of their comparison."""
    compared = tally.of("compared")
    if not compared:
        return "no debate here has compared two turns yet"
    standing = tally.of("anomalies")
    over = plural(compared, "compared dimension")
    says = f"{plural(standing, 'score')} stood against a comparison when the debates ended, over {over}."
    shows = (f"{standing:,}", f"{'score' if standing == 1 else 'scores'} against the comparison")
    figures = {"anomalies": standing, "by_outcome": tally.by("anomalies")}
    return Measurement(shows=shows, figures=figures, of=compared, says=(says,))


def verdicts(tally: Tally) -> MeasurementOrReason:
    """Measure how often scorecard and narrative name different winners."""
    differ, both = tally.of("verdicts", "differ"), tally.of("verdicts")
    if not both:
        return "no debate here has both a scorecard and a narrative verdict yet"
    says = f"{out_of(differ, both, 'debates')} ended with a scorecard and a narrative that disagree."
    shows = (rate(differ, both), "debates with two winners")
    return Measurement(shows=shows, figures={"differ": differ, "share": share(differ, both)}, of=both, says=(says,))


def samples(tally: Tally) -> MeasurementOrReason:
    """Measure highest minus lowest over the samples of one turn, by dimension."""
    sampled = tally.of("sampled")
    if not sampled:
        return "no debate here has asked its judge for more than one sample yet"
    spreads = {
        name: {"mean": round(sum(found) / len(found), 2), "most": max(found)}
        for name, found in tally.below("spread").items()
    }
    said = ", ".join(
        f"{name.replace('_', ' ')} {each['mean']:g} (at most {each['most']:g})" for name, each in spreads.items()
    )
    says = f"Over {plural(sampled, 'sampled turn')} the samples of a turn lay apart by, on average: {said} points."
    widest = max(spreads, key=lambda name: spreads[name]["mean"])
    shows = (f"{spreads[widest]['mean']:g}", f"points apart in {widest.replace('_', ' ')}")
    return Measurement(shows=shows, figures={"spread": spreads}, of=sampled, says=(says,))


def raters(tally: Tally) -> MeasurementOrReason:
    """Measure the agreement of panels."""
    measured = tally.of("alphas")
    if not measured:
        return "no panel has sat in a debate here yet"
    alphas, undefined = tally.values.get("alpha", ()), tally.of("alphas", "undefined")
    outcomes = tally.by("panel_outcomes")
    figures: dict[str, Any] = {"undefined": undefined, "bands": tally.by("alphas"), "outcomes": outcomes}
    says = []
    if alphas:
        figures |= {"alpha": [round(each, 4) for each in alphas], "median": round(median(alphas), 4)}
        says.append(
            f"Krippendorff’s alpha on the scores that decide, over {plural(measured, 'panel')}: {_range(alphas)}."
        )
    if undefined:
        says.append(f"It was undefined for {undefined:,}.")
    if outcomes:
        says.append(f"What the panels came to: {counts_text(outcomes)}.")
    shows = (_plain(median(alphas)), "median alpha") if alphas else ("none", "alpha was defined")
    return Measurement(shows=shows, figures=figures, of=measured, says=tuple(says))


def conformity(tally: Tally) -> MeasurementOrReason:
    """Measure changes of verdict in deliberation, by their cause."""
    rounds = tally.of("rounds")
    if not rounds:
        return "no judges have deliberated here yet"
    evidence, reason, conformed = (tally.of("minds", kind) for kind in ("evidence", "reason", "conformity"))
    changed = evidence + reason + conformed
    by_reason = f"{reason:,} by a reason, " if reason else ""
    moved = f"{evidence:,} by new evidence, {by_reason}{conformed:,} by conformity" if changed else "so nobody gave way"
    says = f"Verdicts that judges changed in {plural(rounds, 'round')}: {changed:,}, {moved}."
    shows = (rate(conformed, changed), "changes of mind by conformity")
    figures = {"evidence": evidence, "reason": reason, "conformity": conformed, "rounds": rounds}
    return Measurement(shows=shows, figures=figures, of=changed, says=(says,))


def injection(tally: Tally) -> MeasurementOrReason:
    """Measure attempts to instruct the judge."""
    turns = tally.of("turns")
    if not turns:
        return "no debate here has a turn yet"
    found, attacked = tally.of("injections"), tally.of("attacked")
    kinds = f" ({counts_text(tally.by('injections'))})" if found else ""
    says = (
        f"{plural(found, 'attempt')} found{kinds}, in {out_of(attacked, turns, 'turns')}.",
        "What goes unnoticed is not counted, and gains nothing.",
    )
    figures = {"attempts": found, "turns": attacked, "by_pattern": tally.by("injections")}
    shows = (f"{found:,}", "attempt" if found == 1 else "attempts")
    return Measurement(shows=shows, figures=figures, of=turns, says=says)


def truth(tally: Tally) -> MeasurementOrReason:
    """Measure raters' verdicts on debates with a known outcome."""
    right, verdict_count = tally.of("truths", "right"), tally.of("truths")
    if not verdict_count:
        return "no rater here has been measured by debates whose outcome is known yet"
    says = f"Raters named the known outcome in {out_of(right, verdict_count, 'verdicts')}."
    shows = (rate(right, verdict_count), "known outcomes named")
    return Measurement(
        shows=shows, figures={"right": right, "share": share(right, verdict_count)}, of=verdict_count, says=(says,)
    )


def _plain(value: float) -> str:
    return rounded(value, 2).replace("-", "−")


def _range(values: Sequence[float]) -> str:
    if len(values) == 1:
        return _plain(values[0])
    return f"median {_plain(median(values))}, from {_plain(min(values))} to {_plain(max(values))}"
