"""A debate on a terminal or in a pipe, printed from the messages of its feed."""

import sys
from collections.abc import Iterable
from typing import Any

import click
import msgspec
from msgspec import UNSET

from events.patch import merge
from events.types import Briefing, RaterCalibrated, Side
from events.view.audience import AudienceView
from events.view.summary import DebateSummary
from events.view.view import VerdictsView
from judge.rubric import change_name
from server.cli import event_lines
from server.cli.event_lines import case_lines
from server.export import exchange
from server.export.labels import named
from server.export.markdown import audience_sentences
from server.export.protocol_markdown import briefing_lines
from server.export.text import escape_controls, escape_json, one_line
from server.export.wording import NAMES, rule_name

SIGNS = {"pro": ("▲ Pro", "cyan"), "con": ("▼ Con", "yellow")}


class DebatePrinter:
    """Prints a debate.  On a terminal, text appears as it is spoken; in a pipe, each turn is printed whole."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._streams = sys.stdout.isatty() and not as_json
        self._shown = ""
        self.view: Any = {}
        self.ended: dict[str, Any] | None = None

    def take(self, message: str) -> None:
        """Take one message of the feed."""
        content = escape_controls(msgspec.json.decode(message))
        kind = content["kind"]
        if self._as_json:
            if kind == "frame":
                click.echo(f'{{"frame":{escape_json(message)}}}')
            elif kind == "delta":
                click.echo(f'{{"delta":{escape_json(message)}}}')
        if kind == "snapshot":
            self.view = content["view"]
        elif kind == "frame":
            self.view = merge(self.view, content["patch"])
            self._event(content["event"])
        elif kind == "delta" and self._streams:
            fresh = content["text"][max(0, len(self._shown) - content["at"]) :]
            self._shown += fresh
            click.echo(fresh, nl=False)

    def _event(self, event: dict[str, Any]) -> None:  # noqa: C901, PLR0912 - a case for each event that is shown
        if event["type"] in {"debate_concluded", "debate_halted"}:
            self.ended = event
        elif event["type"] == "debate_resumed":
            self.ended = None
        if self._as_json:
            return
        match event["type"]:
            case "debate_opened":
                click.secho(event["motion"], bold=True)
                seats = [*(event[role] for role in ("pro", "con", "judge")), *event["panel"]]
                for caveat in sorted({seat.get("caveat", "") for seat in seats} - {""}):
                    click.secho(caveat, dim=True)
                self._print(event_lines.source_lines(self.view))
            case "turn_started" if self.view["format"] == "protocol":
                self._print(event_lines.heading(event, self.view, begins=True))
            case "turn_started":
                sign, colour = SIGNS[event["side"]]
                again = f" (attempt {event['attempt']})" if event["attempt"] > 1 else ""
                speaker = self.view["turns"][str(event["turn"])].get("speaker")
                who = f" · {one_line(speaker)}" if speaker else ""
                click.echo()
                click.secho(f"{sign} · turn {event['turn']}{who}{again}", fg=colour, bold=True)
                self._shown = ""
            case "turn_spoken" if self.view["format"] == "protocol":
                self._print(event_lines.heading(event, self.view, begins=False))
                click.echo(event["text"])
            case "turn_spoken":
                if self._streams and event["text"].startswith(self._shown):
                    click.echo(event["text"][len(self._shown) :])
                else:
                    click.echo(f"\n{event['text']}" if self._shown else event["text"])
            case "turn_failed" | "attempt_abandoned":
                why = event.get("message", "withheld; moot show --json has it")  # in a blind debate
                click.secho(f"  {event['kind']}: {why}", fg="red")
            case "turn_scored":
                click.secho(f"  {self._scores(event['turn'])}", dim=True)
            case "score_harmonized" | "penalty_applied" | "penalty_reversed" | "logic_gap_adjusted":
                got = "" if event["applied"] == event["requested"] else f" (requested: {event['requested']:+g})"
                why = f"{change_name(event['rule'])}: {named(event['reason'], self._first())}"
                changed = f"turn {event['turn']} {event['dimension']} {event['applied']:+g}{got}"
                click.secho(f"  {changed} · {why}", fg="magenta", dim=True)
            case "claim_cleared" | "claim_upheld":
                click.secho(
                    f"  {event['claim']} {event['type'][6:]} · {named(event['reason'], self._first())}", dim=True
                )
            case "rater_calibrated":
                click.echo("\n".join(case_lines([msgspec.convert(event, RaterCalibrated)])))
            case "moderator_spoke":
                click.secho(one_line(f"{event['by']}, to both sides: {event['text']}"), fg="magenta")
            case "debate_paused":
                click.secho(f"paused: {event['reason']}", fg="magenta")
            case _:
                self._print(event_lines.lines(event, self.view))

    def _print(self, lines: Iterable[event_lines.StyledLine]) -> None:
        for line in lines:
            click.secho(line.text, **line.style)

    def _scores(self, turn: int) -> str:
        scored = self.view["turns"][str(turn)]
        if "missing" in scored["scores"]:
            return f"no score: {scored['scores']['missing']['reason']}"
        parts = [f"{name.replace('_', ' ')} {each['effective']:g}" for name, each in scored["scores"].items()]
        composite = scored["composite"]
        whole = (
            f"no composite: {composite['missing']['reason']}"
            if isinstance(composite, dict)
            else f"composite {composite:g}"
        )
        return " · ".join([whole, *parts])

    def finish(self) -> None:
        """Print the outcome."""
        if self._as_json or self.ended is None:
            return
        click.echo()
        if self.ended["type"] == "debate_halted":
            click.secho(f"halted: {self.ended['reason']}", fg="red")
            return
        if self.ended["by_rule"] in {"calibration", "artifact"}:
            return  # without debaters there is no winner
        self._briefing()
        self._outcome()
        self._audience()
        rule, winner = self.ended["by_rule"], self.ended["winner"]
        named = "No winner is named" if winner == "neither" else f"Winner: {NAMES[winner]}"
        click.secho(f"{named}, by {one_line(rule_name(rule))}", bold=True)

    def _briefing(self) -> None:
        """Print the decision briefing of a protocol."""
        protocol = self.view.get("protocol", {})
        if "briefing" not in protocol:
            return
        claims = {name: each["claim"] for name, each in protocol["arguments"].items()}
        for line in briefing_lines(msgspec.convert(protocol["briefing"], Briefing), claims):
            click.secho(line.lstrip("#").strip().replace("**", ""), bold=line.startswith(("#", "**")))

    def _audience(self) -> None:
        """Print the votes and beliefs of the audience, compared with the judge."""
        if "audience" in self.view:
            for line in audience_sentences(msgspec.convert(self.view["audience"], AudienceView)):
                click.echo(line)

    def _final_scores(self) -> None:
        """Print the composites at the end: the numbers under a turn are those before the changes that follow."""
        scored = [
            f"turn {number} {NAMES[turn['side']]} {turn['composite']:g}"
            for number, turn in self.view["turns"].items()
            if isinstance(turn.get("composite"), int | float)
        ]
        if scored:
            click.echo(f"Scores after all changes: {', '.join(scored)}.")

    def _outcome(self) -> None:
        """Print the outcome of an exchange, its key moments, and the judge's words on the whole debate."""
        if self.view["format"] != "exchange":
            return
        verdicts = msgspec.convert(self.view["verdicts"], VerdictsView)
        summary = msgspec.convert(self.view["summary"], DebateSummary) if "summary" in self.view else UNSET
        first = self._first()
        self._final_scores()
        for line in exchange.verdict_texts(verdicts, first):
            click.echo(one_line(f"{line.title}: {line.text}"))
        moments = [*exchange.moments(summary, first)]
        if moments:
            click.secho("Key moments", bold=True)
        for line in moments:
            click.echo(one_line(f"- {line.title}: {line.text}"))
        for line in exchange.headline(verdicts, summary):
            click.echo(one_line(f"{line.title}: {line.text}"))

    def _first(self) -> Side:
        """The side that spoke first."""
        side: Side = self.view["turns"].get("1", {}).get("side", "pro")
        return side
