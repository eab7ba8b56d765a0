"""A deliberation on a terminal: a line for each opinion and each round, and the verdict with its reasons."""

from typing import Any, Final

import click
import msgspec

from events.types import Side
from server.export.labels import named
from server.export.text import escape_controls, escape_json
from server.export.wording import NAMES, dimension_name

COLOURS: Final = {"PASS": "green", "CONDITIONAL": "yellow", "FAIL": "red", "pro": "cyan", "con": "yellow"}
SHOWN: Final = 160
"""Characters of a rationale that are shown."""


class DeliberationPrinter:
    """Prints a deliberation from the frames of its feed."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._titles: dict[str, str] = {}
        self._round = -1
        self.ended: dict[str, Any] | None = None
        self.no_verdict = ""
        """The reason why there is no verdict; empty if there is one."""

    def take(self, message: str) -> None:
        """Take one message of the feed."""
        content = escape_controls(msgspec.json.decode(message))
        if content["kind"] != "frame":
            return
        self._note(content["event"])
        if self._as_json:
            click.echo(f'{{"frame":{escape_json(message)}}}')
        else:
            self._print(content["event"])

    def finish(self) -> None:
        """Print a halt.  A verdict was printed when it came."""
        if not self._as_json and self.ended is not None and self.ended["type"] == "debate_halted":
            click.secho(f"halted: {self.ended['reason']}", fg="red")

    def _note(self, event: dict[str, Any]) -> None:
        """Note the end, and a missing verdict."""
        if event["type"] in {"debate_concluded", "debate_halted"}:
            self.ended = event
        elif event["type"] == "debate_resumed":
            self.ended = None
        elif event["type"] == "artifact_judged" and "missing" in event:
            self.no_verdict = event["missing"]["reason"]

    def _print(self, event: dict[str, Any]) -> None:
        match event["type"]:
            case "debate_opened":
                self._opened(event)
            case "model_failed":
                click.secho(f"  {event['key']}: {event['kind']}: {event['message']}", fg="red", dim=True)
            case "opinion_given":
                self._opinion(event)
            case "deliberation_held":
                for line in held_lines(event, self._titles):
                    click.echo(line)
            case "artifact_judged":
                click.echo("\n".join(["", *judged_lines(event)]))
            case "debate_paused":
                click.secho(f"paused: {event['reason']}", fg="magenta")

    def _opened(self, event: dict[str, Any]) -> None:
        self._titles = {seat["name"]: seat["title"] for seat in event["panel"]}
        click.secho(event["motion"], bold=True)
        for caveat in sorted({seat.get("caveat", "") for seat in event["panel"]} - {""}):
            click.secho(caveat, dim=True)

    def _opinion(self, event: dict[str, Any]) -> None:
        if event["round"] != self._round:
            self._round = event["round"]
            click.echo()
            click.secho(f"round {self._round}" if self._round else "independently", bold=True)
        click.echo(opinion_line(event, self._titles))


def opinion_line(event: dict[str, Any], titles: dict[str, str], first: Side | None = None) -> str:
    """One opinion: the judge, its verdict, confidence, scores and rationale.

    ``first`` is the side that spoke first; None if the debate has no sides.
    """
    who = titles.get(event["rater"], event["rater"])
    if "missing" in event:
        return f"  {who:<20} " + click.style(f"no opinion: {event['missing']['reason']}", dim=True)
    verdict = click.style(f"{NAMES.get(event['verdict'], event['verdict']):<11}", fg=COLOURS.get(event["verdict"]))
    sure = f" {event['confidence']:.0%}" if "confidence" in event else ""
    scores = " ".join(f"{dimension_name(name)} {score:g}" for name, score in event["scores"].items())
    rationale = named(event["rationale"], first) if first else event["rationale"]
    quote = f" · “{event['quote']}”{'' if event['verified'] else ' (not found)'}" if event["quote"] else ""
    return f"  {who:<20} {verdict}{sure:>5}  {scores}" + click.style(f" · {_cut(rationale)}{quote}", dim=True)


def held_lines(event: dict[str, Any], titles: dict[str, str]) -> list[str]:
    """The result of a round: the agreement, the changed verdicts and why, and the reason why it was the last."""
    after = event["after"]
    to = "none can be measured" if isinstance(after, dict) else f"{after:.2f}"
    lines = [f"  agreement {event['before']:.2f} → {to} · {event['elapsed_ms'] / 1000:.1f} s of model time"]
    if event["disagreements"]:
        differed = (
            f"{dimension_name(each['dimension']) or 'the verdict'} {each['severity']:.2f}"
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


def judged_lines(event: dict[str, Any]) -> list[str]:
    """The verdict on an artifact: its findings, remediation and reasons, and then the verdict."""
    if "missing" in event:
        return [click.style(f"Verdict: none, {event['missing']['reason']}", bold=True)]
    lines = []
    parts = (("Critical findings", "findings"), ("Remediation", "remediation"), ("Why", "reasons"))
    for heading, items in ((heading, event[name]) for heading, name in parts):
        if items:
            lines += [click.style(heading, bold=True), *(f"  - {item}" for item in items)]
    shares = ", ".join(f"{verdict} {share:.0%}" for verdict, share in event["shares"].items())
    verdict_line = f"Verdict: {event['verdict']} ({shares})"
    return [
        *lines,
        f"Independent verdict: {event['independent']}",
        click.style(verdict_line, bold=True, fg=COLOURS[event["verdict"]]),
    ]


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"
