"""The levels of the judge: each question, and the rules that apply to the answer, with the rubric's figures."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.text.figures import rounded, sure
from events.types import Template
from events.types.rubric import Dimension, DockingRule, Ring, Rubric, composite_dimensions, is_unscaled
from judge.report.figures import percent
from judge.rubrics.rubric import evidence_rules, fmt

Rules = Callable[[Rubric], Iterator[str]]


class Level(Struct, frozen=True, kw_only=True):
    """One task of the judge.  ``number`` is 1 to 5 for the live judge's levels.

    ``prompt`` is the template of the question, with its placeholders.
    """

    id: str
    name: str
    does: str
    asks: str
    rules: tuple[str, ...] = ()
    number: int | UnsetType = UNSET
    prompt: str | UnsetType = UNSET
    version: int | UnsetType = UNSET


def _score(rubric: Rubric) -> Iterator[str]:
    composite = " + ".join(
        f"{name} {rubric.dimensions[name].maximum}".replace("_", " ") for name in composite_dimensions(rubric)
    )
    yield f"The composite is {composite}; other dimensions do not count in it."
    least, share = rubric.quote_minimum, percent(rubric.unquoted_share)
    yield f"A quote holds when its words stand in the turn and have {least} characters or more."
    yield f"Without a quote that holds a component keeps {share} of its maximum at most."
    for name, dimension in rubric.dimensions.items():
        yield from _dependences(name.replace("_", " "), dimension)
    if is_unscaled(rubric):
        first = sum(
            each.maximum
            for name in composite_dimensions(rubric)
            for each in rubric.dimensions[name].components.values()
            if each.applies_from == 1
        )
        yield f"What cannot apply yet is left out, and nothing is scaled: turn 1 can have {first} points."
        yield "A side’s points are the sum over the components of their means over the turns in which each applies."
    else:
        yield "What cannot apply yet is left out, and its dimension is scaled up from the rest."
    yield "Nothing is lowered without a sentence that says why."
    yield "Of several samples the median counts, with their spread."


def _dependences(name: str, dimension: Dimension) -> Iterator[str]:
    chain, excellence, leash = dimension.chain, dimension.excellence, dimension.leash
    if chain is not None:
        caps = ", ".join(f"{number} to {fmt(cap)}" for number, cap in enumerate(chain.caps, 1))
        yield f"Links of the chain {', '.join(chain.links)} that are at 0 points cap {name}: {caps}."
    if excellence is not None:
        yield f"Above {fmt(excellence.above)} of {name} every component needs {fmt(excellence.each_at_least)}."
    if leash is not None:
        ceiling = f"{leash.leader} + {fmt(leash.slack)}"
        yield f"{leash.leader.capitalize()} under {fmt(leash.under)} holds {leash.follower} at {ceiling} at most."


def _comparison(rubric: Rubric) -> Iterator[str]:
    yield "Asked twice, each turn first once. Where the answers differ the dimension is a draw, recorded as flipped."
    if rubric.ring is not UNSET:
        yield from _ring(rubric, rubric.ring)
        return
    if rubric.harmonization == "graded":
        yield from _graded(rubric)
        return
    for name, band in rubric.bands.items():
        (floor, ceiling), (least, most) = band.winner, band.loser
        won, lost = f"{fmt(floor)}–{fmt(ceiling)}", f"{fmt(least)}–{fmt(most)}"
        yield f"{name.replace('_', ' ').capitalize()}: the winner is held to {won}, the loser to {lost}."
    yield "Only the newer turn is moved, and turn 1 once. Bands move what was admitted: later penalties land in full."
    yield "What still disagrees is listed as an anomaly."


def _graded(rubric: Rubric) -> Iterator[str]:
    yield "A slight win moves both values alike, by the least that puts the winner one point ahead."
    reach = "" if rubric.band_reach is UNSET else f", by at most {fmt(rubric.band_reach)} points"
    bands = ", ".join(
        f"{name.replace('_', ' ')} {fmt(band.winner[0])} or more against {fmt(band.loser[1])} or less"
        for name, band in rubric.bands.items()
    )
    yield f"A clear win moves both turns towards their bands{reach}: {bands}. The winner ends at least one point ahead."
    yield "A turn that clearly won one comparison and clearly lost the other is left, and listed as an anomaly."
    yield "Comparisons move what was admitted: later penalties count in full."


def _ring(rubric: Rubric, ring: Ring) -> Iterator[str]:
    yield "The last turn is compared with the first one, too: so a judge that grows milder or stricter is noticed."
    degree, half = f"{fmt(ring.per_degree * 100)} %", f"{fmt(ring.weight * 50)} %"
    yield f"Slightly better is 1 degree, clearly 2, as a mean of both orders; a degree is worth {degree} of the points."
    yield f"Each turn moves by {half} of what it lacks to what the other one’s score and the comparison say of it."
    yield "A draw pulls two turns together, and nobody is pushed beyond what the comparison says."
    yield "Only scores as they were admitted are read, so the order in which turns are compared changes nothing."
    if rubric.rescore_above is not UNSET:
        off = f"more than {fmt(rubric.rescore_above)} points of 100 off its comparisons"
        yield f"A turn that lies {off} is scored again, once: the median counts."
    yield "A score that is missing is filled from the comparisons of its turn, and that is said."
    yield "What lies outside the bands is listed as an anomaly."


def _in_both_orders(rubric: Rubric) -> bool:
    return rubric.narrative_orders is not UNSET and rubric.narrative_orders > 1


def _narrative(rubric: Rubric) -> Iterator[str]:
    if _in_both_orders(rubric):
        yield "Asked twice, with the labels of the speakers swapped. If the winner changes, it names neither."
    yield "Read once over the whole debate; of a long one, early turns by their first sentences."
    yield "It may cite only turns, premises and claims that exist; an answer that cites others is asked again."
    if rubric.certainty is not UNSET:
        at = sure(rubric.certainty.name_at)
        yield f"The scorecard names the side with more points if it is {at} sure that it was ahead in this debate."
        yield "How sure that is follows from how far scores and comparisons lie apart in this debate."
        yield "Otherwise the sides are not distinguishable: it is said which one leads, and nothing breaks the tie."
        yield "Conduct, premises kept and the reading of the whole stand beside it: they agree, or not, or are silent."
        return
    tied = "no winner is named"
    if rubric.decided_by:
        tied = (
            " then ".join(f"{name} (by {fmt(least)} or more)" for name, least in rubric.decided_by.items()) + " decides"
        )
    yield f"The scorecard: the higher mean composite; within {fmt(rubric.tie_within)} points {tied}."
    if rubric.lead_beyond_noise:
        yield (
            "Where a lab run on this server has measured how much the judge differs from itself, a lead within that "
            "names no winner."
        )
    yield "The scorecard names the debate’s winner."


def _conflict(rubric: Rubric) -> Iterator[str]:
    if rubric.certainty is not UNSET:
        yield "Asked where the reading names another side than the scorecard, or one clearly where it names none."
    elif _in_both_orders(rubric):
        yield "Asked where scorecard and narrative differ in the winner or in how clear the win is."
    else:
        yield "Asked only where scorecard and narrative name different winners."
    yield "It explains and changes nothing: both verdicts stay."


def _convergence(rubric: Rubric) -> Iterator[str]:
    yield f"From {rubric.convergence_from} turns on: the first two turns against the last two."
    yield "Genuine agreement, a dispute about words or degree, degenerate convergence, stalled, or unresolved."
    yield "A similarity of words, counted by the server, is shown with it."


def _claims(rubric: Rubric) -> Iterator[str]:
    yield "The server lists figures, years, named studies and quotations so that none is overlooked; the judge decides."
    for kind, rule in rubric.claims.items():
        second = "; a second judge, where one sits, is asked at once" if rule.second_opinion else ""
        yield f"{kind.replace('_', ' ').capitalize()}: −{fmt(rule.points)} {rule.dimension.replace('_', ' ')}{second}."
    yield "The same claim costs a side once."


def _evidence(rubric: Rubric) -> Iterator[str]:
    yield "No model decides whether quoted words stand in a passage: they are compared, by the rules of every quote."
    yield "Asked twice, claim first and passage first. Where the answers differ, the relation is undecided."
    for kind, rule in (rubric.evidence or evidence_rules()).items():
        yield f"{kind.replace('_', ' ').capitalize()}: −{fmt(rule.points)} {rule.dimension.replace('_', ' ')}."
    yield "A source outside the documents is uncited, and costs nothing."
    yield "A flag of a fabricated citation is upheld or cleared by the documents."


def _gaps(rubric: Rubric) -> Iterator[str]:
    gaps = rubric.gaps
    dimension = gaps.dimension.replace("_", " ")
    if rubric.docking is not UNSET:
        yield from _docking(rubric, rubric.docking)
        return
    together = (
        f", all flaws of one turn {fmt(gaps.most_per_turn)} or what the gravest takes" if gaps.most_per_turn else ""
    )
    yield f"{fmt(gaps.least)} to {fmt(gaps.most)} points of {dimension}{together}, never more than the turn has left."
    yield "The words that fail must stand in the earlier turn, those that expose them in this one; else it is refused."
    yield "The same words cost points once."
    if gaps.closing_audit:
        yield "A flaw that continues a flagged claim or a low component costs the difference only."
        yield "After the last turn every turn of both sides is searched once more."


def _docking(rubric: Rubric, docking: DockingRule) -> Iterator[str]:
    gaps = rubric.gaps
    yield f"{fmt(gaps.least)} to {fmt(gaps.most)} points of {gaps.dimension.replace('_', ' ')} for each flaw."
    yield "The words that fail must stand in the earlier turn, those that expose them in this one; else it is refused."
    yield "Flaws and suspect claims are weighed together: a sentence pays once, for its gravest finding."
    yield f"A turn pays at most {fmt(docking.at_most)} points, or what its gravest finding costs alone."
    low, high = fmt(docking.longer), fmt(docking.shorter)
    yield f"Points are multiplied by mean words ÷ own words, from {low} to {high}: the same density costs the same."
    yield "The last turn takes nothing from others; after it every turn of both sides is searched once more."


def _spine(rubric: Rubric) -> Iterator[str]:
    yield "A premise needs its quote. One dropped in silence counts only where the turn’s own words bear it out."
    yield "Stability is premises kept ÷ premises stated."
    for name, cost in rubric.conduct.items():
        yield f"{name.replace('_', ' ').capitalize()}: −{fmt(cost.points)} {cost.dimension.replace('_', ' ')}."


def _pressure(rubric: Rubric) -> Iterator[str]:
    yield "Who lost the exchange feels it on four signals, worked out from effective scores; a draw presses neither."
    if rubric.flags_press:
        yield "A penalty presses its side also where it did not lose the exchange."
    yield f"{fmt(rubric.full_pressure)} points of penalty on one turn put credibility under full pressure."
    yield "Traits move by elasticity × Σ √pressure × weight × (target − trait); no model is asked."
    yield "The directive that follows is hidden from spectators until the debate has ended."


def _protocol(rubric: Rubric) -> Iterator[str]:
    if rubric.criteria is not None:
        weights = ", ".join(f"{name} {percent(each.weight)}" for name, each in rubric.criteria.dimensions.items())
        yield f"From {rubric.criteria.low} to {rubric.criteria.high} on {weights}."
    yield "The totals are the server’s arithmetic, never the judge’s."
    yield "A fallacy needs words that stand in what the argument’s side said, or in the cross-examination of it."
    if rubric.protocol is not None:
        rules = rubric.protocol
        even, clear = fmt(rules.even_within), fmt(rules.clear_above)
        if rules.answer_words:
            words = f"{rules.answer_words} words each"
            yield f"Each side answers the questions put to it, in {words}; responsiveness is scored on these answers."
        if rules.both_orders:
            yield "The judge reads the debate twice, with each side first once; a score is the mean of both readings."
            yield "Half of the raters of a panel read each side first."
        yield f"A gap of totals under {even} is no lead, one over {clear} a clear one."


def _panel(rubric: Rubric) -> Iterator[str]:
    yield "No rater knows the answers of another. What is left out or off the scale is missing and never filled in."
    if rubric.panel is not None:
        rules = rubric.panel
        if rules.decides == "calibrated":
            yield "Scores are calibrated first, so that a strict or a lenient rater changes nothing."
        if rules.rests_on == "arguments":
            yield "The alpha that decides is that over arguments, with one calibrated score of each by each rater."
        elif rules.decides == "calibrated":
            yield "The lower one of two alphas decides: of the calibrated scores, and of the margins between the sides."
        from_, care = rounded(rules.moderate, 2), rounded(rules.low, 2)
        yield f"Alpha from {from_} concludes, from {care} with care; below it nobody is named."
        if rules.cautious_survives:
            yield "With care means: the winner is named if it leads also without any one rater."
        if rules.reliable_raters is not UNSET and rules.reliable_items is not UNSET:
            fewer = f"With fewer than {rules.reliable_raters} raters or {rules.reliable_items} arguments"
            yield f"{fewer} a panel is for reference only: a winner needs the judge as well."
        yield f"Nobody is named where the gap is under {percent(rules.least_gap)} or a disputed argument decides."
        if rules.rests_on == "arguments":
            yield f"From {rounded(rules.high, 2)} on one decides only if the same side would not lead without it."
        domain, accuracy = percent(rules.domain_share), percent(rules.accuracy_share)
        yield f"A rater weighs {domain} by the motion’s topic, {accuracy} by verdicts on debates with known outcomes."


def _deliberation(rubric: Rubric) -> Iterator[str]:
    if rubric.deliberation is not None:
        rules = rubric.deliberation
        shared = f"{rules.rounds} rounds and {fmt(rules.timeout_s)} s"
        each = shared if rules.judge_s is UNSET else f"{rules.rounds} rounds of {fmt(rules.judge_s)} s a judge"
        yield f"Up to {each} while agreement is below {rules.converged:g}."
        verdict, closeness = f"{rules.verdict_share:g}", f"{rules.dimension_share:g}"
        yield f"Agreement is {verdict} × share of the commonest verdict + {closeness} × closeness of the scores."
    yield "In a debate it does not change the winner; on a document the opinions after it decide."
    has_reasons = rubric.deliberation is not None and rubric.deliberation.reasons is True
    reason = " a reason where it quotes another judge," if has_reasons else ""
    yield f"A change of mind is evidence where it names checked words not named before,{reason} else conformity."


def in_short(rubric: Rubric) -> tuple[str, ...]:
    """Five sentences for a reader about how a verdict comes about; none for rubrics before version 3."""
    ring, docking, certainty = rubric.ring, rubric.docking, rubric.certainty
    if ring is UNSET or docking is UNSET or certainty is UNSET:
        return ()
    at, most = sure(certainty.name_at), fmt(docking.at_most)
    who = "The scorecard says who was ahead in this debate as it was held, and not who debates better in general"
    points = "A side’s points are the sum of its components, each as a mean over the turns in which it applies"
    compared = "Each turn is compared with its neighbours, and the last with the first, in both orders"
    found = f"Flaws and suspect claims cost a sentence once, and a turn at most {most} points together"
    named = f"A side is named only if that is {at} sure, by how far scores and comparisons lie apart in this debate"
    return (
        f"{who}: a few turns do not show that.",
        f"{points}; nothing is scaled, and every limit is an entry.",
        f"{compared}; every comparison moves both turns a little towards what it says, a draw too.",
        f"{found}, unless one alone is graver; in a longer turn each counts less.",
        f"{named}; otherwise you read who leads, by how much, and how sure that is.",
    )


RULES: Final[Mapping[str, Rules]] = {
    "score": _score,
    "comparison": _comparison,
    "narrative": _narrative,
    "conflict": _conflict,
    "convergence": _convergence,
    "claims": _claims,
    "evidence": _evidence,
    "gaps": _gaps,
    "spine": _spine,
    "pressure": _pressure,
    "protocol": _protocol,
    "panel": _panel,
    "deliberation": _deliberation,
}


def levels(rubric: Rubric, prompts: Mapping[str, Template]) -> tuple[Level, ...]:
    """Return the five levels of the live judge, then its other tasks; rules have the figures of ``rubric``."""
    return tuple(
        replace(
            each,
            rules=each.rules or tuple(RULES[each.id](rubric)),
            **_words(prompts.get(each.prompt or "")),
        )
        for each in _steps()
    )


def _words(prompt: Template | None) -> dict[str, Any]:
    """Return the fields that replace the prompt's name by its text."""
    return {"prompt": UNSET} if prompt is None else {"prompt": prompt.text, "version": prompt.version}


@cache
def _steps() -> tuple[Level, ...]:
    data = resources.files("judge").joinpath("report/levels.json").read_bytes()
    return msgspec.json.decode(data, type=tuple[Level, ...])
