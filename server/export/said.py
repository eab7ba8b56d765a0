"""What each event says to a reader of the log: a sentence, who made it happen, and of which kinds it is.

All of it follows from the event as the reader may see it, so that no sentence says what is withheld.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from events.text.figures import percent, shortest
from judge.report.figures import plural
from judge.rubrics.rubric import change_name
from server.export.reasons import plain_reason
from server.export.wording import NAMES, STANDINGS

Shown = dict[str, Any]
"""An event as JSON; a field that is withheld is not there."""

FAILURES: Final = {
    "refuse": "refused",
    "timeout": "timed out",
    "reset": "broke off",
    "drip": "was too slow",
    "empty": "returned no text",
    "rate_limit": "rate limited",
    "auth": "not authorised",
    "context_length": "too long for the model",
    "resigned": "the person has resigned",
}
CUT_OFF: Final = frozenset({"halted", "interrupted"})
"""Kinds of calls that Moot itself ended: they are no failures."""
DEBATERS: Final = frozenset({"speak", "open", "cross", "answer", "close", "speech"})
CRITIQUE: Final = "critique"
RATERS: Final = frozenset({"panel", "deliberate"})
QUESTIONS: Final = {
    "speak": "the speech of turn {turn}",
    "open": "the opening",
    "cross": "the cross-examination",
    "answer": "answers to the other side’s questions",
    "close": "the closing",
    "speech": "the speech of turn {turn}",
    "critique": "a critique",
    "inquire": "a question to the consultant",
    "choose": "which answer is right",
    "score": "the score of turn {turn}",
    "claims": "suspect claims in turn {turn}",
    "premises": "the premises of turn {turn}",
    "compare": "which is better, read in the order {order}",
    "gaps": "gaps that turn {turn} exposes in earlier turns",
    "score_and_claims": "the score of turn {turn}, and suspect claims in it",
    "gaps_and_premises": "gaps that turn {turn} exposes in earlier turns, and its premises",
    "evidence": "how passages bear on claims of turn {turn}, {first} first",
    "second_opinion": "a second opinion on claim {rest}",
    "audit": "the closing audit",
    "narrative": "the narrative verdict{swapped}",
    "conflict": "why the two verdicts differ",
    "convergence": "the agreement at the end",
    "assess": "the standing of every argument",
    "panel": "the scores of rater {rater}",
    "group": "which findings say the same",
    "deliberate": "rater {round} of deliberation",
}
"""What a model was asked, by the purpose of the call."""
FINDINGS: Final = {
    "verified": "the quoted words stand there",
    "paraphrased": "no words are quoted",
    "misquoted": "the quoted words do not stand there",
    "misread": "the quoted words were not found, but the page was read badly",
    "unknown_passage": "there is no such passage",
    "uncited": "it cannot be checked",
}
RELATIONS: Final = {
    "supports": "supports",
    "contradicts": "contradicts",
    "beside_the_point": "is beside the point of",
    "undecided": "has no decided relation to",
}
BATCH_ENDS: Final = {
    "concluded": "has concluded",
    "halted": "was halted",
    "deleted": "was deleted",
    "refused": "could not be opened",
}
VOTES: Final = {"before": "first", "after": "second"}


def plain(name: object) -> str:
    """A name of the log as words: ``frame_control`` is frame control."""
    return str(name).replace("_", " ")


def joined(names: Sequence[str]) -> str:
    """Names as a list: a, b and c."""
    return " and ".join((", ".join(names[:-1]), names[-1]) if len(names) > 1 else names)


def failure(kind: str) -> str:
    """How a call failed."""
    return FAILURES.get(kind, plain(kind))


def _side(event: Shown, name: str = "side") -> str:
    return NAMES.get(event.get(name, ""), str(event.get(name, "")))


def _seat(event: Shown) -> str:
    seat = event["seat"]
    return NAMES.get(seat) or ("the judge" if seat == "judge" else f"rater {plain(seat)}")


def _points(points: float) -> str:
    return "0" if not points else f"{'+' if points > 0 else '−'}{shortest(abs(points), 2)}"


def _reason(event: Shown) -> str:
    """Why a value is missing; empty if it is there."""
    missing = event.get("missing")
    return "" if not missing else missing["reason"]


def _asked(event: Shown) -> str:
    """The question of a model call: the score of turn 3."""
    purpose, rest = event.get("purpose", ""), event.get("key", "").partition(":")[2]
    words = QUESTIONS.get(purpose, plain(purpose)).format(
        turn=event.get("turn"),
        order=", ".join(f"turn {turn}" for turn in event.get("order") or ()),
        first="passage" if rest.endswith("backward") else "claim",
        rest=rest,
        rater=plain(rest),
        swapped=", with the speakers’ labels swapped" if rest else "",
        round=plain(rest.replace(":", ", round ")),
    )
    return f"{words}, sample {event['sample']}" if event.get("sample", 1) > 1 else words


def _answered(event: Shown) -> str:
    purpose = event.get("purpose")
    if purpose in DEBATERS:
        is_scripted = event.get("model", "").startswith("scripted:")
        return f"{'the script gave' if is_scripted else 'the model wrote'} {_asked(event)}"
    if purpose == CRITIQUE:
        return f"the critic answered: {_asked(event)}"
    return f"{'a rater' if purpose in RATERS else 'the judge'} answered: {_asked(event)}"


def _failed(event: Shown) -> str:
    asked = f": {_asked(event)}" if event.get("purpose") else ""
    if event["kind"] in CUT_OFF:
        return f"call cut off{asked} ({plain(event['kind'])})"
    return f"no usable answer{asked} ({failure(event['kind'])})"


def _spoken(event: Shown) -> str:
    length = plural(event["words"], "word")
    if event.get("by") == "transcript":
        return f"turn {event['turn']}, {_side(event)}, was taken from the transcript, {length}"
    return f"{_side(event)} finished turn {event['turn']}, {length}"


def _scored(event: Shown) -> str:
    if reason := _reason(event):
        return f"no score for turn {event['turn']}: {reason}"
    absent = ", ".join(map(plain, event.get("absent") or ()))
    return f"turn {event['turn']} was scored{f', without {absent}' if absent else ''}"


def _rescored(event: Shown) -> str:
    if reason := _reason(event):
        return f"turn {event['turn']} was not scored again: {reason}"
    counts = "the median of the readings counts" if event.get("components") else "the first score stands"
    return f"turn {event['turn']} was scored again, {counts}"


def _compared(event: Shown) -> str:
    how = f"not compared: {_reason(event)}" if _reason(event) else "compared"
    return f"turns {event['earlier']} and {event['later']} were {how}"


def _moved(event: Shown) -> str:
    return f"turn {event['turn']}: {plain(event['dimension'])} {_points(event['applied'])}"


def _changed(event: Shown) -> str:
    return f"{_moved(event)}, {change_name(event['rule'])}"


def _gap(event: Shown) -> str:
    by = event["exposed_by"]["turn"]
    shows = "exposed" if by > event["turn"] else "shows"
    return f"turn {event['turn']} changed by {_points(event['applied'])} for a gap that turn {by} {shows}"


def _decider(event: Shown) -> str:
    return "the evidence" if event["by"] == "evidence" else f"a second opinion ({event['by']})"


def _citation(event: Shown) -> str:
    cited = event.get("passage") or "a source outside the evidence"
    found = FINDINGS.get(event["finding"], event["finding"])
    return f"turn {event['turn']} cites {cited} ({event['citation']}): {found}"


def _weighed(event: Shown) -> str:
    bears = RELATIONS.get(event["relation"], event["relation"])
    return f"passage {event['passage']} {bears} a claim of turn {event['turn']}"


def _audited(event: Shown) -> str:
    if reason := _reason(event):
        return f"the closing audit was not made: {reason}"
    took = f"points from {plural(event['found'], 'turn')}" if event["found"] else "no points"
    return f"the closing audit took {took}"


def _refused(event: Shown) -> str:
    of = f" about turn {event['about']}" if event.get("about") else ""
    is_paid = event["reason"].startswith("nothing is left to pay")
    return f"a finding of the judge{of} {'is paid for' if is_paid else 'was refused'}: {plain_reason(event['reason'])}"


def _fallacy(event: Shown) -> str:
    where = "the cross-examination of " if event.get("by") else ""
    return f"a fallacy in {where}{event['argument']}: {plain(event['fallacy'])}"


def _labelled(event: Shown) -> str:
    """What an operator changed; an absent field stayed as it was."""
    title, tags = event.get("title"), event.get("tags")
    said = [
        title is not None and (f"the title is now “{title}”" if title else "the title was removed"),
        tags is not None and (f"the tags are now {', '.join(tags)}" if tags else "the tags were removed"),
        _switched(event, "hidden", "the debate was hidden", "the debate is no longer hidden"),
        _switched(event, "archived", "the debate was archived", "the debate is no longer archived"),
        _switched(event, "link", "only readers with a new link see the debate", "the debate is listed for all"),
    ]
    return "; ".join(each for each in said if each) or "the labels stayed as they were"


def _switched(event: Shown, name: str, on: str, off: str) -> str:
    if name not in event:
        return ""
    return on if event[name] else off


def _supplied(event: Shown) -> str:
    source = f": {event['source']}" if event.get("source") else ""
    entries = len(event["turns"])
    return f"a transcript with {entries:,} {'entry' if entries == 1 else 'entries'} was supplied{source}"


def _started(event: Shown) -> str:
    attempt = f", attempt {event['attempt']}" if event.get("attempt", 1) > 1 else ""
    return f"{_side(event)} started turn {event['turn']}{attempt}"


def _closed(event: Shown) -> str:
    shift = f", its position {event['shift']}" if event.get("shift") else ""
    return f"{_side(event)} closed{shift}"


def _opinion(event: Shown) -> str:
    verdict = event["verdict"].capitalize() if event.get("verdict") else "no verdict"
    return f"{plain(event['rater'])}, round {event['round']}: {verdict}"


def _quoted(event: Shown) -> str:
    quotes = event["quotes"]
    stand = sum(each["stands"] for each in quotes)
    return f"turn {event['turn']}: quotes that stand in the passage: {stand} of {len(quotes)}"


def _questioned(event: Shown) -> str:
    text = event["text"]
    if isinstance(text, str):
        return f"the judge asked the consultant: {text}"
    return f"the judge asked the consultant nothing: {text['missing']['reason']}"


def _chosen(event: Shown) -> str:
    choice, p_a = event["choice"], event["p_a"]
    who = f"the {event['by']}"
    if event.get("sample", 1) > 1:
        who += f", sample {event['sample']},"
    if not isinstance(choice, str):
        return f"{who} gave no answer: {choice['missing']['reason']}"
    sure = (
        "" if isinstance(p_a, dict) else f", {percent(p_a if choice == 'A' else 1 - p_a, 0)} sure by its own statement"
    )
    when = " before it read what others say" if event["by"] == "judge" and event["stage"] == "alone" else ""
    return f"{who} answered {choice}{when}{sure}"


SENTENCES: Final[dict[str, str | Callable[[Shown], str]]] = {
    "debate_opened": "the debate opened",
    "transcript_supplied": _supplied,
    "turn_started": _started,
    "turn_spoken": _spoken,
    "seat_link_made": lambda event: f"a link was made for the seat of {_seat(event)}",
    "seat_link_revoked": lambda event: f"the link of the seat of {_seat(event)} was revoked",
    "seat_taken": lambda event: f"the person for {_seat(event)} took the seat",
    "seat_connection_lost": lambda event: f"the connection of {_seat(event)} is lost, the clock goes on",
    "seat_returned": lambda event: f"{_seat(event)} is connected again",
    "seat_resigned": lambda event: f"{_seat(event)} resigned",
    "seat_handed_over": lambda event: (
        f"{event.get('model') or 'a model'} speaks for {_seat(event)} from now on, after a {plain(event['reason'])}"
    ),
    "turn_failed": lambda event: f"turn {event['turn']}, attempt {event['attempt']}: {failure(event['kind'])}",
    "attempt_abandoned": lambda event: (
        f"turn {event['turn']}, attempt {event['attempt']} does not count: {plain(event['kind'])}"
    ),
    "model_answered": _answered,
    "model_failed": _failed,
    "turn_scored": _scored,
    "turns_compared": _compared,
    "turn_rescored": _rescored,
    "score_inferred": lambda event: (
        f"turn {event['turn']}: {', '.join(map(plain, event['dimensions']))} follow from its comparisons"
    ),
    "score_capped": _changed,
    "score_harmonized": _changed,
    "penalty_applied": _changed,
    "penalty_reversed": lambda event: f"{_moved(event)}, penalty reversed",
    "logic_gap_adjusted": _gap,
    "claim_flagged": "claim {claim} was flagged",
    "claim_appealed": "claim {claim} was appealed",
    "claim_upheld": lambda event: f"{_decider(event)} upheld claim {event['claim']}",
    "claim_cleared": lambda event: f"{_decider(event)} cleared claim {event['claim']}",
    "evidence_supplied": lambda event: f"document {event['document']['name']} is evidence",
    "citation_checked": _citation,
    "evidence_weighed": _weighed,
    "premise_stated": lambda event: f"{_side(event)} stated premise {event['premise']}",
    "premise_revised": "premise {premise} was revised",
    "premise_dropped": "premise {premise} was dropped without mention",
    "premise_withdrawn": "premise {premise} was withdrawn openly, a concession",
    "contradiction_found": lambda event: f"{_side(event)} contradicts {', '.join(event['premises'])}",
    "opponent_answered": lambda event: (
        f"turn {event['turn']} answers {joined(event.get('answered') or ()) or 'no premise of the other side'}"
    ),
    "check_missing": "{purpose} of turn {turn} were not checked: {reason}",
    "debate_audited": _audited,
    "finding_refused": _refused,
    "injection_detected": "turn {turn} tries to instruct the judge",
    "pressure_applied": lambda event: f"{_side(event)} is under pressure after turn {event['turn']}",
    "traits_shifted": lambda event: f"{_side(event)}’s traits changed",
    "directive_issued": lambda event: f"a directive was issued to {_side(event)}: {event.get('text', '')}",
    "narrative_verdict_reached": "the narrative verdict",
    "conflict_resolved": "why the verdicts differ",
    "convergence_assessed": "the agreement at the end was assessed",
    "scorecard_verdict_reached": "the scorecard’s verdict",
    "arguments_opened": lambda event: f"{_side(event)} opened with {plural(len(event['arguments']), 'argument')}",
    "argument_cross_examined": lambda event: f"{_side(event, 'by')} cross-examined {event['target']}",
    "cross_examination_faulted": lambda event: f"{_side(event, 'by')}’s cross-examination did not keep its form",
    "questions_answered": lambda event: f"{_side(event)} answered {plural(len(event['answers']), 'question')}",
    "closing_stated": _closed,
    "fallacy_found": _fallacy,
    "argument_traced": lambda event: (
        f"{event['argument']}: {STANDINGS.get(event.get('standing', ''), 'no standing').lower()}"
    ),
    "assessment_given": "the judge’s assessment",
    "panelist_scored": lambda event: (
        f"rater {plain(event['rater'])} {'gave no scores' if _reason(event) else 'scored'}"
    ),
    "agreement_measured": "the raters’ agreement was measured",
    "opinion_given": _opinion,
    "deliberation_held": "round {round} of deliberation ended",
    "panel_concluded": "the panel’s outcome",
    "artifact_judged": "the verdict on the artifact",
    "decision_recorded": "a person’s decision was recorded",
    "batch_debate_planned": "debate {key} of the batch begins, attempt {attempt}",
    "batch_debate_ended": lambda event: f"debate {event['key']} of the batch {BATCH_ENDS[event['state']]}",
    "passage_supplied": lambda event: (
        f"a passage was supplied, which the judge {'reads' if event.get('text') else 'does not read'}"
    ),
    "speech_quoted": _quoted,
    "consultant_questioned": _questioned,
    "critique_given": "the critic’s critique",
    "answer_given": _chosen,
    "rater_calibrated": "the {rater} rater on {case}",
    "moderator_spoke": "the moderator said: {text}",
    "audience_voted": "a spectator voted",
    "poll_opened": lambda event: f"the {VOTES[event['when']]} vote of the audience began",
    "poll_closed": lambda event: f"the {VOTES[event['when']]} vote closed: {plural(event['cast'], 'voter')}",
    "stance_stated": "a voter voted in the poll",
    "belief_stated": "a spectator stated a belief after turn {turn}",
    "family_warned": lambda event: f"judge and debater are of one family: {event.get('family') or 'named at the end'}",
    "context_shortened": "from turn {turn} on the judge reads earlier turns in a shortened form",
    "context_summarised": "earlier turns were summarised for the model",
    "debate_labelled": _labelled,
    "debate_paused": "paused",
    "debate_resumed": "resumed",
    "debate_halted": "halted",
    "debate_concluded": "the debate ended",
    "lab_measured": lambda event: f"the judge was measured: {plural(len(event['effects']), 'figure')}",
    "withheld": "withheld until the debate has ended",
}
"""The sentence of each event by its type: a template of its fields, or a function."""


def event_words(event: Shown) -> str:
    """An event as a sentence, in small letters and without a full stop; its type if it has no sentence."""
    words = SENTENCES.get(event["type"], plain(event["type"]))
    if not isinstance(words, str):
        return words(event)
    return words.format_map(event) if "{" in words else words


# who made an event happen

SPEAKER: Final = "speaker"
"""The side whose turn an event is about."""
JUDGES: Final = (
    *("turn_scored", "turn_rescored", "turns_", "claim_flagged", "claim_upheld", "claim_cleared", "premise_"),
    *("contradiction_", "opponent_answered", "check_missing", "finding_refused", "injection_", "argument_traced"),
    *("assessment_", "fallacy_", "narrative_", "conflict_", "convergence_", "debate_audited", "consultant_"),
)
SPOKEN: Final = (
    *("turn_started", "turn_spoken", "turn_failed", "attempt_", "arguments_", "argument_cross", "cross_"),
    *("questions_", "closing_", "seat_resigned"),
)
RULES: Final = (
    *("claim_appealed", "score_", "penalty_", "logic_gap", "pressure_", "traits_", "directive_", "scorecard_"),
    *("seat_handed_over", "agreement_", "panel_", "deliberation_", "artifact_", "debate_concluded", "family_"),
    *("context_", "speech_quoted"),
)


def actor(event: Shown) -> str:
    """Who made an event happen: ``pro``, ``con``, ``speaker``, ``judge``, ``rater``, ``rules`` or ``people``."""
    kind, purpose = event["type"], event.get("purpose")
    if kind == "critique_given" or (kind == "answer_given" and event["by"] == "critic") or purpose == CRITIQUE:
        return "rater"
    if kind == "answer_given":
        return "judge"
    if kind.startswith("model_"):
        return SPEAKER if purpose in DEBATERS else "rater" if purpose in RATERS else "judge"
    if kind.startswith(SPOKEN):
        own = event.get("side") or event.get("by")
        return own if own in NAMES else SPEAKER
    if kind.startswith(JUDGES):
        return "judge"
    if kind.startswith(("panelist_", "opinion_", "rater_")):
        return "rater"
    return "rules" if kind.startswith(RULES) else "people"


# kinds of events

SCORED: Final = ("turn_scored", "turn_rescored")
JUDGED: Final = (*SCORED, "turns_compared", "narrative_", "conflict_", "convergence_", "debate_audited")
KINDS: Final = {
    "turns": (
        *("turn_", "attempt_", "arguments_", "argument_cross", "cross_", "questions_", "closing_"),
        *("speech_", "consultant_", "critique_"),
    ),
    "scores": (
        *(*SCORED, "turns_compared", "score_", "penalty_", "logic_gap", "argument_traced", "assessment_"),
        "fallacy_",
    ),
    "claims": ("claim_", "finding_refused", "injection_"),
    "premises": ("premise_", "contradiction_", "opponent_answered"),
    "characters": ("pressure_", "traits_", "directive_"),
    "model calls": ("model_", "check_missing", "debate_audited"),
    "panel": ("panel", "agreement_", "opinion_", "deliberation_", "artifact_", "decision_", "rater_"),
    "verdicts": ("scorecard_verdict", "narrative_", "conflict_", "convergence_", "debate_concluded", "answer_"),
    "audience": ("audience_", "belief_", "poll_", "stance_"),
    "moderator": ("debate_", "moderator_", "family_", "context_", "passage_"),
}
"""Beginnings of the types of events, by kind."""
LEFT_OPEN: Final[dict[str, Callable[[Shown], bool]]] = {
    "no usable answer": lambda event: (
        event["type"] == "model_failed" and event.get("purpose") != "speak" and event.get("kind") not in CUT_OFF
    ),
    "not checked": lambda event: (
        event["type"] == "check_missing"
        or (event["type"].startswith(JUDGED) and bool(event.get("missing") or event.get("absent")))
    ),
    "refused or corrected": lambda event: event["type"] == "finding_refused",
    "second opinions": lambda event: event["type"] in {"claim_upheld", "claim_cleared"},
    "read in a shortened form": lambda event: event["type"] == "context_shortened",
    "closing audit": lambda event: event["type"] == "debate_audited",
}
"""What the judge left open, and its second looks: whether an event belongs to it."""
ALL_KINDS: Final = (*KINDS, *LEFT_OPEN)


def kinds_of(event: Shown) -> Iterator[str]:
    """The kinds of an event."""
    for name, beginnings in KINDS.items():
        if event["type"].startswith(beginnings) and not (name == "turns" and event["type"] in SCORED):
            yield name
    yield from (name for name, holds in LEFT_OPEN.items() if holds(event))


class SaidEvent(Struct, frozen=True):
    """What an event says to a reader."""

    words: str
    by: str
    kinds: tuple[str, ...]


class _Frame(Struct, frozen=True):
    """The part of a frame that is read here."""

    event: dict[str, Any]


_frames: Final = msgspec.json.Decoder(_Frame)


def said_in(frame: str) -> SaidEvent:
    """What the event of a frame says, as far as the reader of the frame may see it."""
    event = _frames.decode(frame).event
    return SaidEvent(words=event_words(event), by=actor(event), kinds=tuple(kinds_of(event)))
