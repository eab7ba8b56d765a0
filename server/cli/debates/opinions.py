"""A deliberation on a terminal: a line for each opinion and each round, and the verdict with its reasons."""

from collections.abc import Iterator
from typing import Any, Final

from events.text.figures import percent, rounded
from events.types import Side
from server.cli.debates.printer import FeedPrinter, say_opening
from server.export.document import Marked, Parts, Sentence, Strong
from server.export.document.terminal import say
from server.export.labels import named
from server.export.text import shortened
from server.export.wording import NAMES, dimension_name

KINDS: Final = {"PASS": "good", "CONDITIONAL": "doubt", "FAIL": "bad", "pro": "pro", "con": "con"}
SHOWN: Final = 160
"""Characters of a rationale that are shown."""


class DeliberationPrinter(FeedPrinter):
    """Prints a deliberation from the frames of its feed."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__(as_json=as_json)
        self._titles: dict[str, str] = {}
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
                self._titles = {seat["name"]: seat["title"] for seat in event["panel"]}
                say_opening(event)
            case "model_failed":
                say(f"  {event['key']}: {event['kind']}: {event['message']}", "dim red")
            case "opinion_given":
                if event["round"] != self._round:
                    self._round = event["round"]
                    say("")
                    say(f"round {self._round}" if self._round else "independently", "bold")
                say(opinion_line(event, self._titles))
            case "deliberation_held":
                for line in held_lines(event, self._titles):
                    say(line)
            case "artifact_judged":
                for found in ("", *judged_lines(event)):
                    say(found)
            case "debate_paused":
                say(f"paused: {event['reason']}", "magenta")


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
    to = "none can be measured" if isinstance(after, dict) else f"{rounded(after, 2)}"
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
        why = f"by evidence: “{change['quote']}”" if change["kind"] == "evidence" else "by conformity"
        lines.append(
            f"  {who}: {NAMES.get(change['from'], change['from'])} → {NAMES.get(change['to'], change['to'])}, {why}"
        )
    if event["ended"]:
        lines.append(f"  {event['ended']}")
    return lines


def judged_lines(event: dict[str, Any]) -> Iterator[Sentence]:
    """The verdict on an artifact: its findings, remediation and reasons, and then the verdict."""
    if "missing" in event:
        yield (Strong(f"Verdict: none, {event['missing']['reason']}"),)
        return
    for heading, name in (("Critical findings", "findings"), ("Remediation", "remediation"), ("Why", "reasons")):
        if event[name]:
            yield (Strong(heading),)
            yield from (f"  - {item}" for item in event[name])
    shares = ", ".join(f"{verdict} {percent(share, 0)}" for verdict, share in event["shares"].items())
    yield f"Independent verdict: {event['independent']}"
    yield (Marked(f"Verdict: {event['verdict']} ({shares})", KINDS[event["verdict"]]),)
