"""A debate as Markdown: its outcome and key moments, its turns with their scores, and what the judge left open."""

from collections.abc import Iterable, Iterator

from msgspec import UNSET

from events.state.evidence import INITIAL as NO_EVIDENCE
from events.state.evidence import EvidencePack
from events.state.panel import PanelState
from events.state.words import ModeratorMessage
from events.types import STANCES, Missing
from events.view.audience import Agreement, AudienceView, BeliefShift
from events.view.poll import LeadChange, StanceShare
from events.view.turn_view import TurnView
from events.view.view import SeatView, View
from server.evidence.passages import READ_BADLY
from server.export import exchange
from server.export.audit import Audit
from server.export.lab import lab_lines
from server.export.panel_markdown import panel_lines
from server.export.protocol_markdown import protocol_lines
from server.export.text import escape_controls, escaped
from server.export.wording import NAMES, POLL_STANCES, SIGNS, conclusion_of, rule_name, seat_of, sources_of, verdict_of


def as_markdown(view: View, audits: Iterable[Audit] = (), pack: EvidencePack = NO_EVIDENCE) -> str:
    """The whole document.

    ``audits`` of its turns add why each score changed, and what was missing, refused or settled by a second opinion.
    ``pack`` adds all documents; without it only cited passages are there.
    """
    by_turn = {str(each.turn): each for each in audits}
    lines = [f"# {escaped(view.motion)}", "", f"Debate `{view.id}` · {view.state} · opened {view.opened_at}", ""]
    for side, seat in (("pro", view.pro), ("con", view.con)):
        if isinstance(seat, SeatView):
            caveat = f" ({escaped(seat.caveat)})" if seat.caveat else ""
            lines.append(f"- {SIGNS[side]}: {seat_of(seat)}{caveat}")
    lines += ["", *(line for each in sources_of(view.transcript, view.origin) for line in (f"*{escaped(each)}*", ""))]
    lines += [*calibration_table(view), *lab_lines(view)]
    if view.summary is not UNSET:
        lines += [*_end(view), *_headline(view)]
    if view.format == "protocol":
        lines += [*protocol_lines(view), *_unspoken(view), *message_list(view)]
    else:
        lines += messages_after(view, 0)
        for number, turn in view.turns.items():
            lines += [*_turn(view, number, turn, by_turn.get(number)), *messages_after(view, int(number))]
    lines += [*panel_lines(view), *_verdicts(view), *poll_lines(view), *audience_lines(view), *_evidence(view)]
    if view.summary is UNSET:
        lines += _end(view)
    lines += [*_audits(view, by_turn.values()), *_documents(pack)]
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


def _headline(view: View) -> list[str]:
    """The outcome of a concluded exchange in three lines, and its key moments."""
    lines = [f"- **{line.title}:** {escaped(line.text)}" for line in exchange.headline(view.verdicts, view.summary)]
    moments = [*exchange.moments(view.summary, exchange.first_side(view.turns))]
    if moments:
        lines += ["", "## Key moments", ""]
        lines += [f"- {line.title}: {escaped(line.text)}" for line in moments]
    return [*lines, ""]


def _turn(view: View, number: str, turn: TurnView, audit: Audit | None) -> list[str]:
    quoted = "\n".join(_quoted(turn.text))
    shaped = " · ".join(f"{line.title}: {escaped(line.text)}" for line in exchange.shaped_by(view, turn))
    notes = [score_line(turn)]
    if turn.compared is not UNSET:
        notes.append(escaped(exchange.comparison_text(turn.compared)))
        notes += map(escaped, exchange.comparison_reasons(view, turn.compared))
    notes += map(escaped, (*exchange.missing_parts(turn.absent, turn.unchecked), *exchange.concessions(view, number)))
    details = [
        *exchange.components(turn),
        *exchange.citations(view, number),
        *exchange.suspect_claims(view, number),
    ]
    if audit is not None:
        details += [exchange.given_passages(audit.passages)] if audit.passages else []
        details += exchange.changes(audit.entries, exchange.first_side(view.turns))
    return [
        f"## Turn {number} · {SIGNS[turn.side]}{_speaker(turn)}",
        "",
        *([f"*{shaped}*", ""] if shaped else []),
        quoted or f"*{turn.state}*",
        "",
        "  \n".join(notes),
        "",
        *(f"- {escaped(line)}" for line in details),
        *([""] if details else []),
    ]


def _speaker(turn: TurnView) -> str:
    return "" if turn.speaker is UNSET else f" · {escaped(turn.speaker)}"


def _verdicts(view: View) -> list[str]:
    """The judge's words on the whole debate."""
    texts = exchange.verdict_texts(view.verdicts, exchange.first_side(view.turns))
    return [line for each in texts for line in (f"## {each.title}", "", escaped(each.text), "")]


def _evidence(view: View) -> list[str]:
    """The passages that were cited, whole."""
    found = [*exchange.cited_passages(view)]
    texts = [line for each in found for line in (f"**{escaped(each.title)}**", "", *_quoted(each.text), "")]
    return ["## Evidence", "", *texts] if found else []


def _documents(pack: EvidencePack) -> Iterator[str]:
    """All documents, passage by passage."""
    for name, document in pack.documents.items():
        title = document.name if document.title is UNSET else f"{document.title} ({document.name})"
        yield from (
            f"## Document {name}: {escaped(title)}",
            "",
            f"{document.media_type}, SHA-256 `{document.digest}`",
            "",
        )
        for each in pack.passages.values():
            if each.document == name:
                page = "" if each.passage.page is UNSET else f" · page {each.passage.page}"
                heading = "" if each.passage.heading is UNSET else f" · {escaped(each.passage.heading)}"
                misread = f" · {READ_BADLY}" if each.passage.misread else ""
                yield from (f"**{each.passage.id}**{page}{misread}{heading}", "", *_quoted(each.passage.text), "")


def _quoted(text: str) -> list[str]:
    return [f"> {escaped(line)}" if line.strip() else ">" for line in text.splitlines()]


def _audits(view: View, audits: Iterable[Audit]) -> list[str]:
    """What was missing, refused or settled by a second opinion, by turn."""
    first = exchange.first_side(view.turns)
    lines = [f"- turn {each.turn}, {escaped(line)}" for each in audits for line in exchange.audit_lines(each, first)]
    return ["## Not checked, refused, and second opinions", "", *lines, ""] if lines else []


def _unspoken(view: View) -> list[str]:
    """The statements of a protocol that are not spoken yet."""
    silent = {number: turn for number, turn in view.turns.items() if not turn.text}
    waiting = [f"- {SIGNS[turn.side]}, turn {number}: {turn.state}" for number, turn in silent.items()]
    return [*waiting, ""] if waiting else []


def _end(view: View) -> list[str]:
    if view.conclusion is UNSET:
        return [f"*{view.state}{': ' if view.reason else ''}{escaped(view.reason)}*", ""]
    if view.format in {"calibration", "deliberation", "lab"}:
        return []  # without debaters there is no winner
    if isinstance(view.panel, PanelState) and view.panel.conclusion is not UNSET:
        return [f"**{conclusion_of(view.panel)}**", ""]
    named = f"Winner: {NAMES[view.conclusion.winner]}" if view.conclusion.winner != "neither" else "No winner is named"
    return [f"**{named}**, by {escaped(rule_name(view.conclusion.by_rule))}", ""]


def calibration_table(view: View) -> list[str]:
    """The cases of a calibration with the answer of each rater, then the sums and the sources."""
    if not isinstance(view.panel, PanelState) or view.cases is UNSET:
        return []
    raters = view.panel.raters
    lines = [f"| case | outcome | {' | '.join(map(escaped, raters))} |", f"|---|---|{'---|' * len(raters)}"]
    for name, case in view.cases.items():
        given = [rater.calibrations.get(name) for rater in raters.values()]
        cells = ["not asked yet" if each is None else verdict_of(each) for each in given]
        lines.append(f"| {escaped(case.motion)} | {NAMES[case.truth]} | {' | '.join(cells)} |")
    sums = [f"{rater.record.right} of {rater.record.of}" for rater in raters.values()]
    lines += [f"| **right** | | {' | '.join(sums)} |", ""]
    lines += [f"- {escaped(name)}: {escaped(rater.seat.model)}" for name, rater in raters.items()]
    lines += [
        "",
        *(
            f"- {escaped(case.motion)}: {NAMES[case.truth]}, says {escaped(case.source)}"
            for case in view.cases.values()
        ),
    ]
    return [*lines, ""]


def messages_after(view: View, turn: int) -> list[str]:
    """The moderator's messages after one turn; after turn 0 are those before the first."""
    messages = () if view.words is UNSET else view.words.values()
    return [line for message in messages if message.after_turn == turn for line in _message(message)]


def message_list(view: View) -> list[str]:
    """All of the moderator's messages, for a format that does not show its turns in order."""
    if view.words is UNSET:
        return []
    items = [
        f"- after turn {word.after_turn}, {escaped(word.by)}: {escaped(word.text)}" for word in view.words.values()
    ]
    return ["## The moderator", "", *items, ""]


def _message(message: ModeratorMessage) -> list[str]:
    return [f"**{escaped(message.by)}, to both sides:** {escaped(message.text)}", ""]


def poll_lines(view: View) -> list[str]:
    """The audience's winner beside the judge's, both votes, and who moved; nothing before the end."""
    if view.poll is UNSET or view.poll.result is UNSET:
        return []
    result = view.poll.result
    columns = " | ".join(POLL_STANCES.values())
    rows = [
        f"| {name} | {' | '.join(map(_stance_share, shares.values())) if shares else 'no votes | |'} |"
        for name, shares in (("before", result.before), ("after", result.after))
    ]
    moved = [
        f"{number} from {POLL_STANCES[was]} to {POLL_STANCES[now]}"
        for was, row in result.moved.items()
        for now, number in row.items()
        if number and was != now
    ]
    stayed = sum(result.moved[each][each] for each in STANCES)
    return [
        "## The poll of the audience",
        "",
        f"- **The winner of the audience** (who moved more, among those who voted twice): {_lead_change(result.twice)}",
        f"- By all votes (the Oxford rule): {_lead_change(result.everyone)}",
        f"- Moved: {', '.join(moved) or 'no voter'}; {stayed} stayed",
        f"- Voted only before: {sum(result.left.values())}; only after: {sum(result.joined.values())}",
        "",
        f"| vote | {columns} |",
        f"|---|{'---|' * len(POLL_STANCES)}",
        *rows,
        "",
    ]


def _stance_share(share: StanceShare) -> str:
    return f"{share.count} ({share.share:.0%}; {share.low:.0%} to {share.high:.0%})"


def _lead_change(change: LeadChange | Missing) -> str:
    """Who won by a change of the lead, and the gains of both sides."""
    if isinstance(change, Missing):
        return f"none, because {change.missing.reason}"
    gains = ", ".join(f"{NAMES[side]} {100 * gain:+.1f} points" for side, gain in change.gains.items())
    return f"{'a tie' if change.winner == 'neither' else NAMES[change.winner]} ({gains})"


def audience_lines(view: View) -> list[str]:
    """The audience compared with the judge, after the debate has concluded."""
    if view.audience is UNSET or view.audience.agreement is UNSET:
        return []
    return ["## The audience", "", *(f"- {line}" for line in audience_sentences(view.audience)), ""]


def audience_sentences(audience: AudienceView) -> Iterator[str]:
    """Votes and beliefs, compared with the judge."""
    votes, agreement = audience.votes, audience.agreement
    if votes.cast:
        counted = f"{votes.pro} for Pro, {votes.con} for Con, {votes.neither} for neither"
        yield f"{votes.cast} {'vote' if votes.cast == 1 else 'votes'}: {counted}{_beside(agreement)}"
    if audience.beliefs:
        means = " · ".join(f"turn {turn}: {each.mean:g} (of {each.count})" for turn, each in audience.beliefs.items())
        yield f"belief after each turn, 0 Con to 100 Pro: {means}"
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
    winner = "neither side" if agreement.winner == "neither" else NAMES[agreement.winner]
    return f"; {agreement.votes:.0%} agree with the verdict ({winner})"


def _move(turn: str, move: BeliefShift) -> str:
    people = "one person" if move.voters == 1 else f"{move.voters} people"
    way = "towards" if move.agrees else "not towards"
    return f"turn {turn}: {move.moved:+g} by {people}, {way} {NAMES[move.winner]}, who won the exchange"
