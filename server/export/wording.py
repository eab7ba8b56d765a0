"""Words that all documents share: standings, outcomes, figures; plain texts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import UNSET, UnsetType

from events.state.parts.panel import MOVED_BY_WORDS, STANDING_WORDS
from events.text.figures import percent, rounded
from events.types import (
    ArtifactJudged,
    Coefficient,
    Effort,
    LeaveOneOut,
    MindChange,
    Missing,
    Origin,
    Point,
    RaterCalibrated,
)
from events.types.opening import JudgeSeat
from events.view.view import SeatView, TranscriptView
from providers.catalog.addresses import VENDOR

SIGNS: Final = {"pro": "▲ Pro", "con": "▼ Con"}
NAMES: Final = {"pro": "Pro", "con": "Con", "neither": "neither"}
POLL_STANCES: Final = {"pro": "Pro", "con": "Con", "undecided": "undecided"}
STANDINGS: Final[dict[str, str]] = dict(STANDING_WORDS.items())
RESPONSES: Final = {
    "refute": "refutes this",
    "challenge": "challenges this",
    "concede": "concedes this",
    "partial": "accepts this in part",
}
SUPPLIED: Final = "Transcript supplied: these words were said elsewhere, not in Moot."
JUDGED_AGAIN: Final = "Judged again: these are the turns of another debate in Moot."
ORIGINS: Final = {"rejudge": "Another judge reads the turns of", "fork": "A fork of"}
RECORD_STANDS: Final = (
    "The scores that each rater gave on its own stay the verdict of record: nothing here changes the outcome."
)


def seat_of(seat: SeatView) -> str:
    """Who speaks for a side: the person, else the model with its character."""
    if seat.speaker is not UNSET:
        return seat.speaker
    if not seat.archetype:
        return "a speaker that is not named yet" if seat.model is UNSET else seat.model
    model = "a model that is not named yet" if seat.model is UNSET else seat.model
    return f"{model}, {seat.archetype}"


def judge_name(model: str | UnsetType) -> str:
    """Who judges: a model, or a person by name; plain text."""
    if model is UNSET:
        return "a judge that is not named yet"
    person = model.removeprefix("person:")
    return model if person == model else f"{person}, a person"


BRIEF: Final = (
    "The judge is asked briefly: at most three calls a turn, four about the last one, and one order of every "
    "comparison."
)
"""What a reader is told of a judge with effort ``brief``."""
BRIEF_IN_LAB: Final = "The judge is asked briefly: score and suspect claims in one call."


def as_asked(judge: str, effort: Effort | UnsetType) -> str:
    """A judge's name, with how it is asked if that is not in full."""
    return f"{judge}, asked briefly" if effort == "brief" else judge


def as_served(seat: JudgeSeat) -> str:
    """A judge's name, with how it is asked, and with the server unless that is the vendor's."""
    elsewhere = "" if seat.server in {UNSET, VENDOR} else f", server {seat.server}"
    return f"{as_asked(seat.model, seat.effort)}{elsewhere}"


def sources_of(supplied: TranscriptView | UnsetType, origin: Origin | UnsetType) -> Iterator[str]:
    """Where the words of a debate come from, if not all of them were spoken in it; plain text."""
    if supplied is not UNSET:
        source = "not named yet" if supplied.source is UNSET else supplied.source
        licence = f". Licence: {supplied.licence}" if supplied.licence else ""
        what = JUDGED_AGAIN if supplied.kind == "moot" else SUPPLIED
        yield f"{what} Source: {source}{licence}. SHA-256 of the turns: {supplied.digest}."
    if origin is not UNSET:
        at = f"debate {origin.debate} up to event {origin.position} (digest {origin.digest})"
        yield f"{ORIGINS[origin.kind]} {at}."


def figure(value: float | Missing) -> str:
    """A figure of a panel with two decimals, or the reason why it is missing."""
    return f"none ({value.missing.reason})" if isinstance(value, Missing) else rounded(value, 2)


def share(value: float | Missing) -> str:
    """A share of 1 in percent."""
    return f"none ({value.missing.reason})" if isinstance(value, Missing) else percent(value)


def coefficient(each: Coefficient, again: str) -> str:
    """A coefficient in words.  ``again`` completes the sentence "If …" about a repetition."""
    if each.value is UNSET:
        return f"undefined: {each.undefined}"
    band = f", {each.band}" if each.band is not UNSET else ""
    value = f"{rounded(each.value, 2)}{band}"
    if each.low is UNSET or each.high is UNSET:
        return value
    low, high = rounded(each.low, 2), rounded(each.high, 2)
    return f"{value}. If {again}, the agreement would likely lie between {low} and {high}"


def interval(each: Coefficient) -> str:
    """A coefficient and its interval, short."""
    if each.value is UNSET:
        return f"undefined ({each.undefined!s})"
    if each.low is UNSET or each.high is UNSET:
        return rounded(each.value, 2)
    return f"{rounded(each.value, 2)} ({rounded(each.low, 2)} to {rounded(each.high, 2)})"


def left_out_words(each: LeaveOneOut) -> str:
    """What the panel would come to without one rater: ``concluded, Pro``, ``irreconcilable, no winner``."""
    outcome = each.outcome.replace("_", " ")
    if each.winner == "neither" and each.leaning in {"pro", "con"}:
        return f"{outcome}, leans to {NAMES[each.leaning]}"
    return f"{outcome}, {'no winner' if each.winner == 'neither' else NAMES[each.winner]}"


def dimension_name(name: str) -> str:
    """``pro.logic``, a dimension of a debate's deliberation, as ``Pro logic``."""
    side, dot, rest = name.partition(".")
    return (f"{NAMES[side]} {rest}" if dot and side in NAMES else name).replace("_", " ")


def item_name(item: str) -> str:
    """The name of an item: a turn is a number, an argument has its own id."""
    return f"turn {item}" if item.isdecimal() else item


def verdict_of(event: RaterCalibrated) -> str:
    """``right``, ``wrong (said Pro)`` or ``missing``."""
    if event.said is UNSET:
        return "missing"
    return "right" if event.right else f"wrong (said {NAMES.get(event.said, event.said)})"


def listed(parts: Sequence[str]) -> str:
    """Parts of a sentence, the last one after "and"."""
    return " and ".join([*([", ".join(parts[:-1])] if parts[1:] else []), *parts[-1:]])


def why_changed(change: MindChange, titles: Mapping[str, str]) -> str:
    """Why a judge changed its verdict, with the words that moved it."""
    words = {"evidence": change.quote, "reason": change.reason}.get(change.kind)
    whose = f" of the {titles.get(change.moved_by, change.moved_by)}" if change.moved_by is not UNSET else ""
    return f"{MOVED_BY_WORDS[change.kind]}{whose}" + (f": “{words}”" if words else "")


def weight_lines(verdict: ArtifactJudged) -> Iterator[str]:
    """The weight behind each verdict on an artifact, and before the judges read each other if that was another one."""
    known = {"Weight behind each verdict": verdict.shares, "Before they read each other": verdict.independent_shares}
    for title, shares in known.items():
        if title == "Weight behind each verdict" or shares != verdict.shares:
            yield f"{title}: {', '.join(f'{name} {share(weight)}' for name, weight in shares.items())}."


def point_lines(
    points: tuple[Point, ...] | UnsetType, texts: tuple[str, ...], titles: Mapping[str, str]
) -> Iterator[str]:
    """Each finding, or step of remediation, with the judges who named it; the texts alone in logs of before."""
    if points is UNSET:
        yield from texts
        return
    for each in points:
        alike = "" if each.alike is UNSET else f"; also “{'”, “'.join(each.alike)}”"
        yield f"{each.text} ({listed([titles[rater] for rater in each.by])}{alike})"
