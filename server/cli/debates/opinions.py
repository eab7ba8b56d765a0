"""A deliberation on a terminal: a line for each opinion and each round, and the verdict with its reasons."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import UNSET

from events.text.figures import percent, rounded
from events.types import ArtifactJudged, MindChange, Side
from server.cli.debates.printer import FeedPrinter, say_opening
from server.export.document import Marked, Parts, Sentence, Strong
from server.export.document.terminal import say
from server.export.labels import named
from server.export.text import shortened
from server.export.wording import NAMES, dimension_name, point_lines, weight_lines, why_changed

KINDS: Final = {"PASS": "good", "CONDITIONAL": "doubt", "FAIL": "bad", "pro": "pro", "con": "con"}
SHOWN: Final = 160
"""Characters of a rationale that are shown."""


class DeliberationPrinter(FeedPrinter):
    """Prints a deliberation from the frames of its feed."""

    def __init__(self, *, as_json: bool, is_quiet: bool = False) -> None:
        super().__init__(as_json=as_json, is_quiet=is_quiet)
        self._round = -1
        self.no_verdict = ""
        """The reason why there is no verdict; empty if there is one."""

    def note(self, event: dict[str, Any]) -> None:
        """Note a missing verdict."""
        if event["type"] == "artifact_judged" and "missing" in event:
            self.no_verdict = event["missing"]["reason"]

    def event(self, event: dict[str, Any]) -> None:
        """Print an event."""
        match event["type"]:
            case "debate_opened":
                say_opening(event)
            case "model_failed":
                say(f"  {event['key']}: {event['kind']}: {event['message']}", "dim red")
            case "opinion_given":
                if event["round"] != self._round:
                    self._round = event["round"]
                    say("")
                    say(f"round {self._round}" if self._round else "independently", "bold")
                say(opinion_line(event, titles_of(self.view)))
            case "deliberation_held":
                for line in held_lines(event, titles_of(self.view)):
                    say(line)
            case "artifact_judged":
                for found in ("", *judged_lines(event, self.view)):
                    say(found)
            case "debate_paused":
                say(f"paused: {event['reason']}", "magenta")


def titles_of(view: dict[str, Any]) -> dict[str, str]:
    """The titles of the raters by their names; none without a panel."""
    return {name: rater["seat"]["title"] for name, rater in view.get("panel", {}).get("raters", {}).items()}


def opinion_line(event: dict[str, Any], titles: dict[str, str], first: Side | None = None) -> Parts:
    """One opinion: the judge, its verdict, confidence, scores and rationale.

    ``first`` is the side that spoke first; None if the debate has no sides.
    """
    who = f"  {titles.get(event['rater'], event['rater']):<20} "
    if "missing" in event:
        return who, Marked(f"no opinion: {event['missing']['reason']}", "quiet")
    verdict = Marked(f"{NAMES.get(event['verdict'], event['verdict']):<11}", KINDS.get(event["verdict"], ""))
    sure = f" {percent(event['confidence'], 0)}" if "confidence" in event else ""
    scores = " ".join(f"{dimension_name(name)} {score:g}" for name, score in event["scores"].items())
    rationale = named(event["rationale"], first) if first else event["rationale"]
    quote = f" · “{event['quote']}”{'' if event['verified'] else ' (not found)'}" if event["quote"] else ""
    return who, verdict, f"{sure:>5}  {scores}", Marked(f" · {shortened(rationale, SHOWN)}{quote}", "quiet")


def held_lines(event: dict[str, Any], titles: dict[str, str]) -> list[str]:
    """The result of a round: the agreement, the changed verdicts and why, and the reason why it was the last."""
    after = event["after"]
    to = "none can be measured" if isinstance(after, dict) else rounded(after, 2)
    lines = [
        f"  agreement {rounded(event['before'], 2)} → {to} · {rounded(event['elapsed_ms'] / 1000)} s of model time"
    ]
    if event["disagreements"]:
        differed = (
            f"{dimension_name(each['dimension']) or 'the verdict'} {rounded(each['severity'], 2)}"
            for each in event["disagreements"]
        )
        lines.insert(0, f"  they differed on {', '.join(differed)}")
    for change in event["changes"]:
        who = titles.get(change["rater"], change["rater"])
        why = why_changed(msgspec.convert(change, MindChange), titles)
        lines.append(
            f"  {who}: {NAMES.get(change['from'], change['from'])} → {NAMES.get(change['to'], change['to'])}, {why}"
        )
    for rater, number in event.get("carried", {}).items():
        lines.append(f"  {titles.get(rater, rater)} gave no opinion: its opinion of round {number} stands")
    if event["ended"]:
        lines.append(f"  {event['ended']}")
    return lines


def judged_lines(event: dict[str, Any], view: dict[str, Any]) -> Iterator[Sentence]:
    """The verdict on an artifact: what was found, the weights, who holds another verdict and why, and the verdict."""
    panel, verdict = view["panel"], msgspec.convert(event, ArtifactJudged)
    titles = titles_of(view)
    if verdict.missing is UNSET:
        for heading, lines in (
            ("Findings", point_lines(verdict.named_findings, verdict.findings, titles)),
            ("Remediation", point_lines(verdict.named_remediation, verdict.remediation, titles)),
            ("Why", verdict.reasons),
        ):
            if listed := [f"  - {line}" for line in lines]:
                yield (Strong(heading),)
                yield from listed
        yield from weight_lines(verdict)
    if against := panel.get("dissent", {}):
        yield (Strong("Against it"),)
        yield from (opinion_line(panel["opinions"][number][rater], titles) for rater, number in against.items())
    yield (Marked(f"Verdict: {panel['says']}", KINDS.get(str(verdict.verdict), "")),)
