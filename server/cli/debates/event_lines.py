"""Events of a protocol, a panel and a calibration, and rare events of an exchange, as lines on a terminal."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from events.types import AgreementMeasured, Origin, PanelConcluded, RaterCalibrated, Reason
from events.view.view import TranscriptView
from server.cli.debates.opinions import held_lines, judged_lines, opinion_line, titles_of
from server.evidence.passages import FOUND_BY_NAMES
from server.export.debate.exchange import closing_text
from server.export.document import Marked, Sentence
from server.export.text import one_line
from server.export.wording import (
    NAMES,
    SIGNS,
    STANDINGS,
    coefficient,
    item_name,
    left_out_words,
    sources_of,
    verdict_of,
)

ROUNDS = {6: ("openings", "cross-examination", "closings"), 8: ("openings", "cross-examination", "answers", "closings")}
"""The names of the rounds, by the turns of the debate."""
COLOURS = {"pro": "cyan", "con": "yellow"}


class StyledLine(NamedTuple):
    """One line, and its style as that of rich."""

    text: Sentence
    style: str = ""


BOLD, DIM, CHANGE = "bold", "dim", "magenta"


def source_lines(view: dict[str, Any]) -> list[StyledLine]:
    """Where the words come from, if not all of them were spoken in this debate."""
    supplied = msgspec.convert(view["transcript"], TranscriptView) if "transcript" in view else UNSET
    origin = msgspec.convert(view["origin"], Origin) if "origin" in view else UNSET
    return [StyledLine(one_line(line), DIM) for line in sources_of(supplied, origin)]


def lines(event: dict[str, Any], view: dict[str, Any]) -> Iterator[StyledLine]:  # noqa: C901, PLR0912 - a case for each event
    """The lines of an event, with the view after it; none for events of turns."""
    match event["type"]:
        case "transcript_supplied":
            yield source_lines(view)[0]
        case "evidence_supplied":
            document = view["evidence"]["documents"][event["document"]["id"]]
            yield from (StyledLine(each, DIM) for each in _on_document(document))
        case "seat_connection_lost" | "seat_returned" | "seat_resigned" | "seat_handed_over":
            yield StyledLine(f"  {_seat_words(event)}", DIM)
        case "premise_withdrawn":
            yield StyledLine(f"  {event['premise']} withdrawn openly: a concession", DIM)
        case "check_missing":
            text = f"  turn {event['turn']}: {event['purpose']} not checked, {one_line(event['reason'])}"
            yield StyledLine(text, CHANGE)
        case "debate_audited":
            missing = msgspec.convert(event["missing"], Reason) if "missing" in event else UNSET
            yield StyledLine(f"  {one_line(closing_text(event.get('found', 0), missing))}", DIM)
        case "arguments_opened" | "closing_stated":
            yield from _faulty(event["side"], "opening" if "arguments" in event else "closing", event["faults"])
        case "questions_answered":
            yield from _faulty(event["side"], "round of answers", event["faults"])
        case "cross_examination_faulted":
            yield from _faulty(event["by"], "cross-examination", event["faults"])
        case "fallacy_found":
            fallacy = event["fallacy"].replace("_", " ")
            of = f"{NAMES[event['by']]}’s cross-examination of " if event.get("by") else ""
            yield StyledLine(f"  {of}{event['argument']}, {fallacy}: “{one_line(event['quote'])}”", "dim magenta")
        case "argument_traced":
            yield StyledLine(f"  {_traced(event)}")
        case "assessment_given":
            yield from _assessed(event)
        case "panelist_scored":
            yield StyledLine(f"  {titles_of(view).get(event['rater'], event['rater'])}: {_scored(event)}", DIM)
        case "agreement_measured":
            given = msgspec.convert(event, AgreementMeasured)
            items = "turns" if view["format"] == "exchange" else "arguments"
            yield StyledLine("")
            yield StyledLine(f"agreement {coefficient(given.deciding, f'other {items} like these were rated')}")
        case "opinion_given":
            yield StyledLine(opinion_line(event, titles_of(view), view["turns"].get("1", {}).get("side")))
        case "deliberation_held":
            yield StyledLine(f"round {event['round']} of deliberation", BOLD)
            yield from (StyledLine(text) for text in held_lines(event, titles_of(view)))
        case "artifact_judged":
            yield from (StyledLine(text) for text in ["", *judged_lines(event, view)])
        case "panel_concluded":
            yield from _concluded(event, view)
        case "decision_recorded":
            why = f": {one_line(event['reason'])}" if event["reason"] else ""
            yield StyledLine(f"decided by {event['by']}: {one_line(event['decision'])}{why}", BOLD)


def heading(event: dict[str, Any], view: dict[str, Any], *, begins: bool) -> Iterator[StyledLine]:
    """The heading of a protocol's round when its first turn begins, or of a statement when it is complete."""
    turn = event["turn"]
    if not begins:
        yield StyledLine("")
        yield StyledLine(f"{SIGNS[event['side']]} · turn {turn}", f"bold {COLOURS[event['side']]}")
    elif turn % 2:
        rounds = ROUNDS[view["turns_planned"]]
        yield StyledLine("")
        yield StyledLine(f"round {turn // 2 + 1} of {len(rounds)}: {rounds[turn // 2]}", BOLD)


def _on_document(document: dict[str, Any]) -> Iterator[str]:
    """What a reader should know of a document: another language, pages that were read badly."""
    name, passages = one_line(document["name"]), document["passages"]
    if language := document.get("language"):
        yield f"{name} is in {language}, another language than the debate’s: {FOUND_BY_NAMES}"
    if misread := document.get("misread"):
        why = "passages were read badly: words run together, and nothing is charged there"
        yield f"{name}: {misread:,} of {passages:,} {why}"


def _seat_words(event: dict[str, Any]) -> str:
    """What happened at the seat of a person."""
    seat = NAMES.get(event["seat"], event["seat"])
    if event["type"] == "seat_handed_over":
        reason = event["reason"].replace("_", "-")
        return f"{one_line(event.get('model') or 'a model')} speaks for {seat} from now on, after a {reason}"
    words = {
        "seat_connection_lost": "the connection is lost, the clock goes on",
        "seat_returned": "connected again",
        "seat_resigned": "resigned",
    }
    return f"{seat}: {words[event['type']]}"


def _faulty(side: str, what: str, faults: list[str]) -> Iterator[StyledLine]:
    if faults:
        yield StyledLine(f"  {NAMES[side]}’s {what} did not keep its form: {one_line('; '.join(faults))}", CHANGE)


def _traced(event: dict[str, Any]) -> str:
    standing = STANDINGS.get(event.get("standing", ""), "no standing")
    total = event["total"]
    figure = total["missing"]["reason"] if isinstance(total, dict) else f"{total:g} of 10"
    why = one_line(event["reason"]) or event.get("missing", {}).get("reason", "")
    return f"{event['argument']} {standing} · {figure}{f' · {why}' if why else ''}"


def _assessed(event: dict[str, Any]) -> Iterator[StyledLine]:
    if "missing" in event:
        yield StyledLine(f"no assessment: {event['missing']['reason']}", BOLD)
        return
    totals = (
        f"{NAMES[side]} {'–' if isinstance(event[key], dict) else format(event[key], 'g')}"
        for side, key in (("pro", "pro_total"), ("con", "con_total"))
    )
    yield StyledLine(f"totals: {', '.join(totals)}", BOLD)


def _scored(event: dict[str, Any]) -> str:
    if "missing" in event:
        return f"no scores, {event['missing']['reason']}"
    absent = f", {len(event['absent'])} not given" if event["absent"] else ""
    finding = f". Its finding: {one_line(event['finding'])}" if event.get("finding") else ""
    return f"scored {len(event['scores'])} items{absent}{finding}"


def _concluded(event: dict[str, Any], view: dict[str, Any]) -> Iterator[StyledLine]:
    conclusion = msgspec.convert(event, PanelConcluded)
    yield StyledLine("")
    yield StyledLine(view["panel"]["says"], BOLD)
    yield from (StyledLine(f"  - {one_line(each)}") for each in conclusion.reasons)
    for name, each in conclusion.without.items():
        yield StyledLine(f"  without {titles_of(view).get(name, name)}: {left_out_words(each)}", DIM)
    if conclusion.advice:
        yield StyledLine("find out instead:" if conclusion.winner == "neither" else "find out next:", BOLD)
        yield from (StyledLine(f"  - {one_line(each)}") for each in conclusion.advice)
    if conclusion.act:
        yield StyledLine("what to do:", BOLD)
        yield from (StyledLine(f"  - {one_line(each)}") for each in conclusion.act)
    if standings := view["panel"].get("standings"):
        yield StyledLine("standings of the panel:", BOLD)
        yield from (StyledLine(f"  {item_name(item)}: {each}") for item, each in standings.items())


def case_lines(events: Iterable[RaterCalibrated]) -> Iterator[StyledLine]:
    """``tides (con) · technical right · business wrong (cases pro)``, then why anything is missing."""
    cases = list(events)
    kinds = {"right": "good", "wrong": "bad", "missing": "quiet"}
    words = ((each, verdict_of(each)) for each in cases)
    shown = (part for each, word in words for part in (" · ", Marked(f"{each.rater} {word}", kinds[word.split()[0]])))
    yield StyledLine((f"{cases[0].case} ({NAMES[cases[0].truth]})", *shown))
    yield from (
        StyledLine(f"  {each.rater}: {each.missing.reason}", DIM) for each in cases if each.missing is not UNSET
    )
