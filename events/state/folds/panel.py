"""How the events of a panel change it."""

from collections.abc import Mapping
from statistics import variance
from typing import Any, Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from events.record import Recorded
from events.state.parts.panel import (
    INITIAL,
    MOVED_BY_WORDS,
    PANEL_NAMES_NONE,
    STANDING_WORDS,
    THRESHOLDS,
    TWO,
    ItemSpread,
    PanelState,
    RaterState,
    item_kind,
)
from events.types import (
    AgreementMeasured,
    ArtifactJudged,
    DebateOpened,
    DecisionRecorded,
    DeliberationHeld,
    ItemStandings,
    MindChange,
    OpinionGiven,
    PanelConcluded,
    PanelistScored,
    Rater,
    RaterCalibrated,
    TrackRecord,
)

TOO_FAR: Final = "the raters are too far apart"
TOO_CLOSE: Final = "the two sides are too close to tell apart"
UNQUOTED: Final = "No judge who holds it quotes words that stand in the text."


def apply(panel: PanelState, record: Recorded) -> PanelState:  # noqa: C901 - one flat match, a case an event
    """The panel after ``record``; the same object if nothing changed."""
    event = record.event
    match event:
        case DebateOpened():
            raters = {seat.name: RaterState(seat=seat) for seat in event.panel}
            figures = event.rubric.panel
            known = {name: getattr(figures, name) for name in THRESHOLDS} if figures is not None else {}
            return PanelState(topic_type=event.topic_type, raters=raters, thresholds=known) if raters else INITIAL
        case PanelistScored(rater=name):
            scored = {"scored": event, "position": record.position}
            after = _with(panel, name, **scored, totals=_totals(panel.raters[name].seat, event))
            return replace(after, items=_items(after.raters))
        case AgreementMeasured():
            return _placed(replace(panel, agreement=event, deciding=event.deciding), "agreement", record.position)
        case OpinionGiven():
            number = str(event.round)
            said = {**panel.opinions.get(number, {}), event.rater: event}
            return replace(panel, opinions={**panel.opinions, number: said})
        case DeliberationHeld():
            moved = dict(panel.moved)
            for change in event.changes:
                moved[change.kind] = moved.get(change.kind, 0) + 1
            held = {**panel.rounds, str(event.round): event}
            after = replace(panel, rounds=held, moved=moved, changes=sum(moved.values()))
            return _placed(after, f"round:{event.round}", record.position)
        case PanelConcluded():
            says = conclusion_sentence(event, panel)
            standings = {item: standings_words(each) for item, each in (event.standings or {}).items()}
            after = replace(panel, conclusion=event, says=says, standings=standings)
            return _placed(after, "conclusion", record.position)
        case ArtifactJudged():
            says, dissent = verdict_sentence(event, panel), _dissent(event, panel)
            return _placed(replace(panel, verdict=event, says=says, dissent=dissent), "verdict", record.position)
        case DecisionRecorded():
            return _placed(replace(panel, decision=event), "decision", record.position)
        case RaterCalibrated():
            known = {**panel.raters[event.rater].calibrations, event.case: event}
            right = sum(each.right is True for each in known.values())
            of = sum(each.right is not UNSET for each in known.values())
            share = round(right / of, 4) if of else UNSET
            return _with(panel, event.rater, calibrations=known, record=TrackRecord(right=right, of=of), share=share)
        case _:
            return panel


def _totals(seat: Rater, event: PanelistScored) -> dict[str, float]:
    return {
        item: round(sum(weight * given[name] for name, weight in seat.weights.items()) / sum(seat.weights.values()), 6)
        for item, given in event.scores.items()
        if given.keys() >= seat.weights.keys()
    }


def _items(raters: Mapping[str, RaterState]) -> dict[str, ItemSpread]:
    totals: dict[str, list[float]] = {}
    for heard in raters.values():
        for item, total in heard.totals.items():
            totals.setdefault(item, []).append(total)
    return {
        item: ItemSpread(
            low=min(all_), high=max(all_), variance=round(variance(all_), 4) if len(all_) >= TWO else UNSET
        )
        for item, all_ in totals.items()
    }


def _with(panel: PanelState, name: str, **changes: Any) -> PanelState:
    return replace(panel, raters={**panel.raters, name: replace(panel.raters[name], **changes)})


def _placed(panel: PanelState, name: str, position: int) -> PanelState:
    return replace(panel, positions={**panel.positions, name: position})


def standings_words(given: ItemStandings) -> str:
    """How many raters gave which standing: ``3 of 4 refuted``, or all of them on a tie."""
    if given.commonest is not UNSET:
        return f"{given.counts[given.commonest]} of {sum(given.counts.values())} {STANDING_WORDS[given.commonest]}"
    return f"no majority, {', '.join(f'{count} {STANDING_WORDS[each]}' for each, count in given.counts.items())}"


def conclusion_sentence(conclusion: PanelConcluded, panel: PanelState) -> str:
    """The conclusion of a panel in one sentence.  ``panel``: before it."""
    if conclusion.winner != "neither":
        caution = " with caution" if conclusion.outcome == "cautious" else ""
        return f"The panel concludes{caution}: {conclusion.winner.capitalize()}."
    if conclusion.outcome in {"concluded", "cautious"} and conclusion.reference_only is not UNSET:
        agree = "agree" if conclusion.outcome == "concluded" else "agree in part"
        return f"For reference only: the raters {agree}, and they lean to {conclusion.leaning.capitalize()}."
    return f"{PANEL_NAMES_NONE}: {_undecided(conclusion, panel)}."


def _undecided(conclusion: PanelConcluded, panel: PanelState) -> str:
    """Why a panel names no winner."""
    is_even = isinstance(conclusion.gap, float) and conclusion.gap < panel.thresholds.get("least_gap", 0)
    is_leaning = conclusion.leaning != "neither" and not is_even
    leans = f"the panel leans to {conclusion.leaning.capitalize()}, but " if is_leaning else ""
    match conclusion.outcome:
        case "cautious" if any(each.turns for each in conclusion.disputed.values()):
            return f"{leans}{TOO_FAR} on {_one(conclusion)} that could change that"
        case "cautious":
            return f"{leans}one rater alone could change that"
        case "too_close":
            return TOO_CLOSE
        case "contested":
            return f"{leans}the raters are divided"
        case "undetermined":
            return "how far the raters agree could not be measured"
    if any(each.decides for each in conclusion.disputed.values()):
        return f"{TOO_FAR} on {_one(conclusion)} that decides"
    if panel.deciding is UNSET or panel.deciding.band != "unacceptable":
        return TOO_CLOSE
    is_on_arguments = panel.agreement is not UNSET and panel.agreement.arguments is not UNSET
    return f"the raters do not agree on the {item_kind(panel.items)}s" if is_on_arguments else TOO_FAR


def _one(conclusion: PanelConcluded) -> str:
    return {"turn": "a turn", "argument": "an argument"}[item_kind(conclusion.disputed)]


def verdict_sentence(verdict: ArtifactJudged, panel: PanelState) -> str:
    """The verdict on an artifact in a line: how the judges came to it, what it was on their own, whether they agree."""
    if verdict.missing is not UNSET:
        return f"No verdict: {verdict.missing.reason}."
    said, kinds = str(verdict.verdict), _moves_to(verdict, panel)
    judges = f"of {len(standing_opinions(panel))} judges moved"
    conformed = [change.kind for change in _last_changes(panel).values()].count("conformity")
    if _without_conformity(verdict, panel) != said:
        told = f"{said}, by conformity: {conformed} {judges} without new words or a reason."
    elif kinds:
        ways = (f"{kinds.count(kind)} {words}" for kind, words in MOVED_BY_WORDS.items() if kind in kinds)
        told = f"{said}: {len(kinds)} {judges} to it ({', '.join(ways)})."
    else:
        told = f"{said}."
    own = "" if verdict.independent == said else f" On their own: {verdict.independent}."
    agree = "" if verdict.converged else f" The judges {'still ' if panel.rounds else ''}differ."
    if len(verdict.shares) == 1:
        agree = " All judges hold it."
    holders = [each for each in standing_opinions(panel).values() if each.verdict == said]
    found = "" if any(each.verified for each in holders) else f" {UNQUOTED}"
    return f"{told}{own}{agree}{found}"


def standing_opinions(panel: PanelState) -> dict[str, OpinionGiven]:
    """The last opinion with a verdict of each judge."""
    rounds = sorted(panel.opinions.items(), key=lambda each: int(each[0]))
    return {rater: said for _, given in rounds for rater, said in given.items() if said.verdict is not UNSET}


def _without_conformity(verdict: ArtifactJudged, panel: PanelState) -> str:
    """The verdict without the changes by conformity; logs of before tell it only where there was no other change."""
    if verdict.unmoved is not UNSET:
        return verdict.unmoved
    kinds = {change.kind for held in panel.rounds.values() for change in held.changes}
    return str(verdict.independent if kinds == {"conformity"} else verdict.verdict)


def _last_changes(panel: PanelState) -> dict[str, MindChange]:
    """The last change of verdict of each judge that changed it."""
    return {change.rater: change for held in panel.rounds.values() for change in held.changes}


def _moves_to(verdict: ArtifactJudged, panel: PanelState) -> list[str]:
    """The kinds of change of the judges that came to the verdict from another one, one for each of them."""
    first, now = panel.opinions.get("0", {}), standing_opinions(panel)
    return [
        change.kind
        for rater, change in _last_changes(panel).items()
        if rater in now and now[rater].verdict == verdict.verdict and first[rater].verdict != verdict.verdict
    ]


def _dissent(verdict: ArtifactJudged, panel: PanelState) -> dict[str, str] | UnsetType:
    """The judges that hold another verdict, each with the round whose opinion it holds; unset if there is none."""
    if verdict.missing is not UNSET:
        return UNSET
    held = standing_opinions(panel)
    others = {rater: str(each.round) for rater, each in held.items() if each.verdict != verdict.verdict}
    return others or UNSET
