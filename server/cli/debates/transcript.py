"""A debate on a terminal or in a pipe, printed from the messages of its feed."""

import sys
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET

from events.types import Briefing, LogicGapAdjusted, RaterCalibrated, Side
from events.view.audience import AudienceView
from events.view.summary import DebateSummary
from events.view.turn_view import SecondReadingView
from events.view.view import VerdictsView
from judge.rubrics.rubric import change_name
from server.cli.debates import event_lines
from server.cli.debates.event_lines import case_lines
from server.cli.debates.printer import FeedPrinter, say_opening
from server.export.debate import exchange
from server.export.debate.protocol import briefing_section
from server.export.debate.transcript import audience_sentences
from server.export.document.terminal import SpokenWords, say, show, tell
from server.export.labels import named
from server.export.text import one_line
from server.export.wording import NAMES, SIGNS


class DebatePrinter(FeedPrinter):
    """Prints a debate.  On a terminal, text appears as it is spoken; in a pipe, each turn is printed whole."""

    def __init__(self, *, as_json: bool, is_quiet: bool = False) -> None:
        super().__init__(as_json=as_json, is_quiet=is_quiet)
        self._streams = sys.stdout.isatty()
        self._shown, self._words = "", SpokenWords()
        self._weight: float | None = None
        self.flaws: list[LogicGapAdjusted] = []
        self.audit_missing = ""
        """Why the last look for flaws gave no answer; empty if it gave one or was not due."""

    def note(self, event: dict[str, Any]) -> None:
        """Note a flaw, and a missing audit: the view holds neither."""
        if event["type"] == "logic_gap_adjusted":
            self.flaws.append(msgspec.convert(event, LogicGapAdjusted))
        elif event["type"] == "debate_audited" and "missing" in event:
            self.audit_missing = event["missing"]["reason"]

    def delta(self, content: dict[str, Any]) -> None:
        """Print a piece of a turn on a terminal."""
        if self._streams:
            fresh = content["text"][max(0, len(self._shown) - content["at"]) :]
            self._shown += fresh
            self._words.add(fresh)

    def event(self, event: dict[str, Any]) -> None:  # noqa: C901, PLR0912 - a case for each event that is shown
        """Print an event."""
        match event["type"]:
            case "debate_opened":
                say_opening(event, "pro", "con", "judge")
                self._weight = (event["rubric"].get("ring") or {}).get("weight")
                self._print(event_lines.source_lines(self.view))
            case "turn_started" if self.view["format"] == "protocol":
                self._print(event_lines.heading(event, self.view, begins=True))
            case "turn_started":
                again = f" (attempt {event['attempt']})" if event["attempt"] > 1 else ""
                speaker = self.view["turns"][str(event["turn"])].get("speaker")
                who = f" · {one_line(speaker)}" if speaker else ""
                say("")
                say(
                    f"{SIGNS[event['side']]} · turn {event['turn']}{who}{again}",
                    f"bold {event_lines.COLOURS[event['side']]}",
                )
                self._shown, self._words = "", SpokenWords()
            case "turn_spoken" if self.view["format"] == "protocol":
                self._print(event_lines.heading(event, self.view, begins=False))
                tell(event["text"])
            case "turn_spoken":
                if self._shown and event["text"].startswith(self._shown):
                    self._words.add(event["text"][len(self._shown) :])
                    self._words.end()
                else:
                    tell(f"\n{event['text']}" if self._shown else event["text"])
            case "turn_failed" | "attempt_abandoned":
                if self._shown:
                    self._words.end()
                    self._shown = ""
                why = event.get("message", "withheld; moot show --json has it")  # in a blind debate
                say(f"  {event['kind']}: {why}", "red")
            case "turn_scored":
                say(f"  {self._scores(event['turn'])}", "dim")
            case "turn_rescored" | "score_inferred":
                say(f"  turn {event['turn']}, {self._read_again(event)}", "dim")
                for change in event.get("changes", ()):
                    self._change(change)
            case "score_capped" | "score_harmonized" | "penalty_applied" | "penalty_reversed" | "logic_gap_adjusted":
                self._change(event)
            case "claim_cleared" | "claim_upheld":
                say(f"  {event['claim']} {event['type'][6:]} · {named(event['reason'], self._first())}", "dim")
            case "rater_calibrated":
                self._print(case_lines([msgspec.convert(event, RaterCalibrated)]))
            case "moderator_spoke":
                say(one_line(f"{event['by']}, to both sides: {event['text']}"), "magenta")
            case "debate_paused":
                say(f"paused: {event['reason']}", "magenta")
            case _:
                self._print(event_lines.lines(event, self.view))

    def _change(self, event: dict[str, Any]) -> None:
        """Print a change of a score; before the first one by a ring, how much of what lacks a comparison takes."""
        if self._weight and event["type"] == "score_harmonized":
            say(f"  {exchange.pull_words(self._weight)}", "dim magenta")
            self._weight = None
        got = "" if event["applied"] == event["requested"] else f" (requested: {event['requested']:+g})"
        why = f"{change_name(event['rule'])}: {named(event['reason'], self._first())}"
        changed = f"turn {event['turn']} {event['dimension']} {event['applied']:+g}{got}"
        say(f"  {changed} · {why}", "dim magenta")

    def _print(self, lines: Iterable[event_lines.StyledLine]) -> None:
        for line in lines:
            say(line.text, line.style)

    def _scores(self, turn: int) -> str:
        scored = self.view["turns"][str(turn)]
        if "missing" in scored["scores"]:
            return f"no score: {scored['scores']['missing']['reason']}"
        parts = [f"{name.replace('_', ' ')} {each['effective']:g}" for name, each in scored["scores"].items()]
        composite = scored["composite"]
        whole = (
            f"no composite: {composite['missing']['reason']}"
            if isinstance(composite, dict)
            else f"composite {_of_most(scored)}"
        )
        return " · ".join([whole, *parts])

    def _read_again(self, event: dict[str, Any]) -> str:
        """A second reading, or a score that the comparisons imply."""
        turn = self.view["turns"][str(event["turn"])]
        again = msgspec.convert(turn["rescored"], SecondReadingView) if "rescored" in turn else UNSET
        scores = {} if "missing" in turn["scores"] else turn["scores"]
        read = exchange.readings(again, [name for name, each in scores.items() if each.get("inferred")])
        return f"{'; '.join(read)}. With its comparisons and later changes it stands at {self._scores(event['turn'])}"

    def finish(self) -> None:
        """Print the outcome."""
        if self.as_json or self.is_quiet or self.ended is None:
            return
        say("")
        if self.ended["type"] == "debate_halted":
            super().finish()
            return
        if "outcome" not in self.view:
            return  # without debaters there is no winner
        self._briefing()
        self._outcome()
        self._audience()
        say(one_line(self.view["outcome"]["text"]), "bold")

    def _briefing(self) -> None:
        """Print the decision briefing of a protocol."""
        protocol = self.view.get("protocol", {})
        if "briefing" not in protocol:
            return
        claims = {name: each["claim"] for name, each in protocol["arguments"].items()}
        show(briefing_section(msgspec.convert(protocol["briefing"], Briefing), claims))

    def _audience(self) -> None:
        """Print the votes and beliefs of the audience, compared with the judge."""
        if "audience" in self.view:
            for line in audience_sentences(msgspec.convert(self.view["audience"], AudienceView)):
                say(line)

    def _final_scores(self) -> None:
        """Print the composites at the end: the numbers under a turn are those before the changes that follow."""
        scored = [
            f"turn {number} {NAMES[turn['side']]} {_of_most(turn)}"
            for number, turn in self.view["turns"].items()
            if isinstance(turn.get("composite"), int | float)
        ]
        if scored:
            say(f"Scores after all changes: {', '.join(scored)}.")

    def _outcome(self) -> None:
        """Print the outcome of an exchange, its key moments, and the judge's words on the whole debate."""
        if self.view["format"] != "exchange":
            return
        verdicts = msgspec.convert(self.view["verdicts"], VerdictsView)
        summary = msgspec.convert(self.view["summary"], DebateSummary) if "summary" in self.view else UNSET
        first = self._first()
        self._final_scores()
        for line in exchange.verdict_texts(verdicts, first):
            say(one_line(f"{line.title}: {line.text}"))
        moments = [*exchange.moments(summary, first)]
        if moments:
            say("Key moments", "bold")
        for line in moments:
            say(one_line(f"- {line.title}: {line.text}"))
        for line in exchange.headline(verdicts, summary):
            say(one_line(f"{line.title}: {line.text}"))

    def _first(self) -> Side:
        """The side that spoke first."""
        side: Side = self.view["turns"].get("1", {}).get("side", "pro")
        return side


def _of_most(turn: dict[str, Any]) -> str:
    """The composite of a turn, with the most that it can be where that is not 100."""
    most = turn.get("composite_maximum")
    return f"{turn['composite']:g}{f' of {most:g}' if most else ''}"
