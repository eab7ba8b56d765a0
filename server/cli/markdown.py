"""A debate as Markdown: what was said, how it was scored, how it ended."""

from msgspec import UNSET

from events.state.panel import Panel
from events.types import Missing
from events.view.turn_view import TurnView
from events.view.view import Seat, View
from server.cli.arguments import protocol_lines
from server.cli.audience_text import audience_lines, word_list, words_after
from server.cli.harmless import harmless
from server.cli.measured import as_table
from server.cli.panels import panel_lines
from server.cli.wording import SIGNS, conclusion_of, inline


def as_markdown(view: View) -> str:
    """The transcript with its scores."""
    lines = [f"# {inline(view.motion)}", "", f"Debate `{view.id}` · {view.state} · opened {view.opened_at}", ""]
    for side, seat in (("pro", view.pro), ("con", view.con)):
        if isinstance(seat, Seat):
            caveat = f" ({inline(seat.caveat)})" if seat.caveat else ""
            model = "a model that is not named yet" if seat.model is UNSET else inline(seat.model)
            lines.append(f"- {SIGNS[side]}: {model}, {inline(seat.archetype)}{caveat}")
    lines.append("")
    lines += as_table(view)
    if view.format == "protocol":
        lines += [*protocol_lines(view), *_unspoken(view), *word_list(view)]
    else:
        lines += words_after(view, 0)
        for number, turn in view.turns.items():
            lines += [*_turn(number, turn), *words_after(view, int(number))]
    lines += [*panel_lines(view), *audience_lines(view), *_end(view)]
    return harmless("\n".join(lines))


def score_line(turn: TurnView) -> str:
    """The scores of a turn in one line."""
    if isinstance(turn.scores, Missing):
        return f"no score: {inline(turn.scores.missing.reason)}"
    if not turn.scores:
        return "not judged yet"
    shown = [
        f"{inline(name.replace('_', ' '))} {score.effective:g}/{score.maximum}" for name, score in turn.scores.items()
    ]
    if isinstance(turn.composite, float):
        shown.insert(0, f"composite {turn.composite:g}")
    return " · ".join(shown)


def _turn(number: str, turn: TurnView) -> list[str]:
    quoted = "\n".join(f"> {inline(line)}" if line.strip() else ">" for line in turn.text.splitlines())
    return [f"## Turn {number} · {SIGNS[turn.side]}", "", quoted or f"*{turn.state}*", "", score_line(turn), ""]


def _unspoken(view: View) -> list[str]:
    """Statements that a protocol still waits for."""
    silent = {number: turn for number, turn in view.turns.items() if not turn.text}
    waiting = [f"- {SIGNS[turn.side]}, turn {number}: {turn.state}" for number, turn in silent.items()]
    return [*waiting, ""] if waiting else []


def _end(view: View) -> list[str]:
    if view.conclusion is UNSET:
        return [f"*{view.state}{': ' if view.reason else ''}{inline(view.reason)}*", ""]
    if view.format in {"calibration", "deliberation"}:
        return []  # nobody debated, so nobody won
    if isinstance(view.panel, Panel) and view.panel.conclusion is not UNSET:
        return [f"**{conclusion_of(view.panel)}**", ""]
    verdict = view.verdicts.scorecard
    reason = f" ({inline(verdict.reason)})" if verdict is not UNSET else ""
    return [f"**Winner: {view.conclusion.winner}**, by {inline(view.conclusion.by_rule)}{reason}", ""]
