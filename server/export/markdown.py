"""A debate as Markdown: what was said, how it was scored, how it ended."""

from collections.abc import Iterator

from msgspec import UNSET

from events.state.panel import PanelState
from events.state.words import ModeratorMessage
from events.types import Missing
from events.view.audience import Agreement, AudienceView, BeliefShift
from events.view.turn_view import TurnView
from events.view.view import SeatView, View
from server.export.panel_markdown import panel_lines
from server.export.protocol_markdown import protocol_lines
from server.export.text import escape_controls, escaped
from server.export.wording import NAMES, SIGNS, conclusion_of, verdict_of

WINNERS = {"pro": "pro", "con": "con", "neither": "neither side"}


def as_markdown(view: View) -> str:
    """The transcript with its scores."""
    lines = [f"# {escaped(view.motion)}", "", f"Debate `{view.id}` · {view.state} · opened {view.opened_at}", ""]
    for side, seat in (("pro", view.pro), ("con", view.con)):
        if isinstance(seat, SeatView):
            caveat = f" ({escaped(seat.caveat)})" if seat.caveat else ""
            model = "a model that is not named yet" if seat.model is UNSET else escaped(seat.model)
            lines.append(f"- {SIGNS[side]}: {model}, {escaped(seat.archetype)}{caveat}")
    lines.append("")
    lines += calibration_table(view)
    if view.format == "protocol":
        lines += [*protocol_lines(view), *_unspoken(view), *word_list(view)]
    else:
        lines += words_after(view, 0)
        for number, turn in view.turns.items():
            lines += [*_turn(number, turn), *words_after(view, int(number))]
    lines += [*panel_lines(view), *audience_lines(view), *_end(view)]
    return escape_controls("\n".join(lines))


def score_line(turn: TurnView) -> str:
    """The scores of a turn in one line."""
    if isinstance(turn.scores, Missing):
        return f"no score: {escaped(turn.scores.missing.reason)}"
    if not turn.scores:
        return "not judged yet"
    shown = [
        f"{escaped(name.replace('_', ' '))} {score.effective:g}/{score.maximum}" for name, score in turn.scores.items()
    ]
    if isinstance(turn.composite, float):
        shown.insert(0, f"composite {turn.composite:g}")
    return " · ".join(shown)


def _turn(number: str, turn: TurnView) -> list[str]:
    quoted = "\n".join(f"> {escaped(line)}" if line.strip() else ">" for line in turn.text.splitlines())
    return [f"## Turn {number} · {SIGNS[turn.side]}", "", quoted or f"*{turn.state}*", "", score_line(turn), ""]


def _unspoken(view: View) -> list[str]:
    """Statements that a protocol still waits for."""
    silent = {number: turn for number, turn in view.turns.items() if not turn.text}
    waiting = [f"- {SIGNS[turn.side]}, turn {number}: {turn.state}" for number, turn in silent.items()]
    return [*waiting, ""] if waiting else []


def _end(view: View) -> list[str]:
    if view.conclusion is UNSET:
        return [f"*{view.state}{': ' if view.reason else ''}{escaped(view.reason)}*", ""]
    if view.format in {"calibration", "deliberation"}:
        return []  # nobody debated, so nobody won
    if isinstance(view.panel, PanelState) and view.panel.conclusion is not UNSET:
        return [f"**{conclusion_of(view.panel)}**", ""]
    verdict = view.verdicts.scorecard
    reason = f" ({escaped(verdict.reason)})" if verdict is not UNSET else ""
    return [f"**Winner: {view.conclusion.winner}**, by {escaped(view.conclusion.by_rule)}{reason}", ""]


def calibration_table(view: View) -> list[str]:
    """Markdown: the cases with what each rater said, then the sums and the sources."""
    if not isinstance(view.panel, PanelState) or view.cases is UNSET:
        return []
    raters = view.panel.raters
    lines = [f"| case | outcome | {' | '.join(map(escaped, raters))} |", f"|---|---|{'---|' * len(raters)}"]
    for name, case in view.cases.items():
        given = [heard.calibrations.get(name) for heard in raters.values()]
        cells = ["not asked yet" if each is None else verdict_of(each) for each in given]
        lines.append(f"| {escaped(case.motion)} | {case.truth} | {' | '.join(cells)} |")
    sums = [f"{heard.record.right} of {heard.record.of}" for heard in raters.values()]
    lines += [f"| **right** | | {' | '.join(sums)} |", ""]
    lines += [f"- {escaped(name)}: {escaped(heard.seat.model)}" for name, heard in raters.items()]
    lines += [
        "",
        *(f"- {escaped(case.motion)}: {case.truth}, says {escaped(case.source)}" for case in view.cases.values()),
    ]
    return [*lines, ""]


def words_after(view: View, turn: int) -> list[str]:
    """The moderator's words that stand behind one turn; behind 0 those before the first."""
    said = () if view.words is UNSET else view.words.values()
    return [line for word in said if word.after_turn == turn for line in _word(word)]


def word_list(view: View) -> list[str]:
    """All of the moderator's words, where turns are not shown one after the other."""
    if view.words is UNSET:
        return []
    said = [f"- after turn {word.after_turn}, {escaped(word.by)}: {escaped(word.text)}" for word in view.words.values()]
    return ["## The moderator", "", *said, ""]


def _word(word: ModeratorMessage) -> list[str]:
    return [f"**{escaped(word.by)}, to both sides:** {escaped(word.text)}", ""]


def audience_lines(view: View) -> list[str]:
    """The audience beside the judge, once the debate has concluded."""
    if view.audience is UNSET or view.audience.agreement is UNSET:
        return []
    return ["## The audience", "", *(f"- {line}" for line in audience_sentences(view.audience)), ""]


def audience_sentences(audience: AudienceView) -> Iterator[str]:
    """Votes and beliefs, each beside what the judge says."""
    votes, agreement = audience.votes, audience.agreement
    if votes.cast:
        counted = f"{votes.pro} for pro, {votes.con} for con, {votes.neither} for neither"
        yield f"{votes.cast} {'vote' if votes.cast == 1 else 'votes'}: {counted}{_beside(agreement)}"
    if audience.beliefs:
        means = " · ".join(f"turn {turn}: {each.mean:g} (of {each.count})" for turn, each in audience.beliefs.items())
        yield f"belief after each turn, 0 con to 100 pro: {means}"
    if agreement is UNSET or not agreement.turns:
        return
    for turn, move in agreement.turns.items():
        yield _move(turn, move)
    yield f"beliefs moved towards the winner in {agreement.moved} of {len(agreement.turns)} exchanges"


def _beside(agreement: Agreement | object) -> str:
    if not isinstance(agreement, Agreement):
        return ""
    if isinstance(agreement.votes, Missing):
        return f"; {agreement.votes.missing.reason}"
    return f"; {agreement.votes:.0%} agree with the verdict ({WINNERS[agreement.winner]})"


def _move(turn: str, move: BeliefShift) -> str:
    people = "one person" if move.voters == 1 else f"{move.voters} people"
    way = "towards" if move.agrees else "not towards"
    return f"turn {turn}: {move.moved:+g} by {people}, {way} {NAMES[move.winner]}, who won the exchange"
