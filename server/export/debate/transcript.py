"""A debate to read: its outcome and key moments, its turns with their scores, and what the judge left open."""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import UNSET

from events.state.parts.evidence import INITIAL as NO_EVIDENCE
from events.state.parts.evidence import EvidencePack
from events.state.parts.panel import PanelState
from events.text.figures import percent, signed
from events.types import STANCES, Missing
from events.view.audience import Agreement, AudienceView, BeliefShift
from events.view.poll import LeadChange, StanceShare
from events.view.turn_view import TurnView
from events.view.view import SeatView, View
from server.evidence.passages import FOUND_BY_NAMES, READ_BADLY
from server.export import document as doc
from server.export.argument_audit import ArgumentAudit
from server.export.audit import Audit
from server.export.debate import exchange
from server.export.debate.answers import answers_blocks
from server.export.debate.arguments import score_blocks
from server.export.debate.panel import panel_blocks
from server.export.debate.protocol import protocol_blocks
from server.export.document.markdown import to_markdown
from server.export.lab.report import lab_blocks
from server.export.wording import BRIEF, NAMES, POLL_STANCES, SIGNS, judge_name, seat_of, sources_of, verdict_of

Blocks = tuple[doc.Block, ...]
LEFT_OPEN: Final = "Not checked, refused, paid for already, and second opinions"


def as_markdown(
    view: View,
    audits: Iterable[Audit] = (),
    pack: EvidencePack = NO_EVIDENCE,
    arguments: Iterable[ArgumentAudit] = (),
) -> str:
    """The debate as Markdown; see ``debate_document``."""
    return to_markdown(debate_document(view, audits, pack, arguments))


def debate_document(
    view: View,
    audits: Iterable[Audit] = (),
    pack: EvidencePack = NO_EVIDENCE,
    arguments: Iterable[ArgumentAudit] = (),
    *,
    is_brief: bool = False,
) -> doc.Document:
    """The whole debate; a brief one leaves out why its turns and arguments have their scores.

    ``audits`` of its turns add why each score changed, and what was missing, refused or settled by a second opinion;
    those of ``arguments`` add what their scores are made of.
    ``pack`` adds all documents; without it only cited passages are there.
    """
    by_turn = {str(each.turn): each for each in audits}
    scores = {} if is_brief else {each.argument: tuple(score_blocks(each)) for each in arguments}
    blocks = _blocks(view, by_turn, pack, scores, is_brief=is_brief)
    return doc.Document(view.motion, tuple(blocks), view.language or "en")


def _blocks(
    view: View, audits: dict[str, Audit], pack: EvidencePack, scores: dict[str, Blocks], *, is_brief: bool
) -> Iterator[doc.Block]:
    yield doc.Paragraph(("Debate ", doc.Marked(view.id, "code"), f" · {view.state} · opened {view.opened_at}"))
    yield doc.Listing((*_seats(view), *judges_of(view)))
    if view.mark is not UNSET and view.mark.text:
        yield doc.Paragraph((doc.Marked(view.mark.text),))
    yield from (doc.Paragraph((doc.Marked(each),)) for each in sources_of(view.transcript, view.origin))
    yield from (*_calibration(view), *lab_blocks(view))
    if view.summary is not UNSET:
        yield from (*_end(view), *_headline(view))
    if view.answers is not UNSET:
        yield from (*answers_blocks(view), *_messages(view))
    elif view.format == "protocol":
        silent = (f"{SIGNS[turn.side]}, turn {n}: {turn.state}" for n, turn in view.turns.items() if not turn.text)
        said = (f"{SIGNS[turn.side]}, turn {n}: {origin_text(turn)}" for n, turn in view.turns.items() if turn.text)
        yield from (*protocol_blocks(view, scores), doc.Listing(tuple(silent)), *_messages(view))
        yield from doc.listed("Who said what", said, 2)
    else:
        yield from messages_after(view, 0)
        for number, turn in view.turns.items():
            title = f"Turn {number} · {SIGNS[turn.side]}{'' if turn.speaker is UNSET else f' · {turn.speaker}'}"
            yield doc.Section(title, tuple(_turn(view, number, turn, audits.get(number), is_brief=is_brief)))
            yield from messages_after(view, int(number))
    yield from (*panel_blocks(view), *_verdicts(view), *verdict_sections(audits.values()), *_poll(view))
    if view.audience is not UNSET and view.audience.agreement is not UNSET:
        yield from doc.listed("The audience", audience_sentences(view.audience), 2)
    yield from _evidence(view)
    if view.summary is UNSET:
        yield from _end(view)
    first = exchange.first_side(view.turns)
    open_points = (
        f"turn {each.turn}, {line}" for each in audits.values() for line in exchange.audit_lines(each, first)
    )
    yield from (*doc.listed(LEFT_OPEN, open_points, 2), *_documents(pack))


def _seats(view: View) -> Iterator[str]:
    for side, seat in (("pro", view.pro), ("con", view.con)):
        if isinstance(seat, SeatView):
            yield f"{SIGNS[side]}: {seat_of(seat)}{f' ({seat.caveat})' if seat.caveat else ''}"
    for document in (view.evidence.documents if view.evidence else {}).values():
        if document.language is not UNSET:
            yield f"{document.name} is in {document.language}, another language than the debate’s: {FOUND_BY_NAMES}"
    if view.judge is not UNSET and view.judge.effort == "brief" and view.lab is UNSET:
        yield f"Judge: {judge_name(view.judge.model)}. {BRIEF}"


def origin_text(turn: TurnView) -> str:
    """Where the words of a turn come from: ``Generated by the model …``."""
    return "" if turn.origin is UNSET else f"{turn.origin.text[0].upper()}{turn.origin.text[1:]}"


def judges_of(view: View) -> Iterator[str]:
    """Where the judgements come from, a line for the judge and each rater."""
    if view.mark is UNSET:
        return
    if view.mark.judge is not UNSET:
        yield f"Judgements: {view.mark.judge.text}"
    for name, each in ({} if view.mark.panel is UNSET else view.mark.panel).items():
        yield f"Judgements of {name}: {each.text}"


def score_line(turn: TurnView) -> str:
    """The scores of a turn in one line."""
    if isinstance(turn.scores, Missing):
        return f"no score: {turn.scores.missing.reason}"
    if not turn.scores:
        return "not judged yet"
    shown = [f"{name.replace('_', ' ')} {score.effective:g}/{score.maximum}" for name, score in turn.scores.items()]
    if isinstance(turn.composite, float):
        most = "" if turn.composite_maximum is UNSET else f"/{turn.composite_maximum}"
        shown.insert(0, f"composite {turn.composite:g}{most}")
    return " · ".join(shown)


def _headline(view: View) -> Iterator[doc.Block]:
    """The outcome of a concluded exchange in three lines, and its key moments."""
    heads = exchange.headline(view.verdicts, view.summary)
    yield doc.Listing(tuple((doc.Strong(f"{line.title}:"), f" {line.text}") for line in heads))
    moments = exchange.moments(view.summary, exchange.first_side(view.turns))
    yield from doc.listed("Key moments", (f"{line.title}: {line.text}" for line in moments), 2)


def _turn(view: View, number: str, turn: TurnView, audit: Audit | None, *, is_brief: bool) -> Iterator[doc.Block]:
    if shaped := " · ".join(f"{line.title}: {line.text}" for line in exchange.shaped_by(view, turn)):
        yield doc.Paragraph((doc.Marked(shaped),))
    yield doc.Paragraph((doc.Marked(origin_text(turn)),))
    yield doc.Quoted(turn.text) if turn.text.strip() else doc.Paragraph((doc.Marked(turn.state),))
    notes = [score_line(turn)]
    for comparison in (turn.compared, turn.closing):
        if comparison is not UNSET:
            notes.append(exchange.comparison_text(comparison))
            notes += () if is_brief else exchange.comparison_reasons(view, comparison)
    notes += (*exchange.readings_of(turn),)
    notes += (*exchange.missing_parts(turn.absent, turn.unchecked), *exchange.concessions(view, number))
    yield doc.Lines(tuple(notes))
    if is_brief:
        return
    details: list[doc.Sentence | doc.Item] = [
        *exchange.components(turn.components, exchange.first_side(view.turns)),
        *exchange.score_rules(turn),
        *exchange.citations(view, number),
        *exchange.suspect_claims(view, number),
    ]
    if audit is not None:
        details += [exchange.given_passages(audit.passages)] if audit.passages else []
        details += exchange.changes(audit.entries, exchange.first_side(view.turns))
    yield doc.Listing(tuple(details))


def _verdicts(view: View) -> Iterator[doc.Section]:
    """The judge's words on the whole debate."""
    for each in exchange.verdict_texts(view.verdicts, exchange.first_side(view.turns)):
        yield doc.Section(each.title, (doc.Paragraph(each.text),))


def verdict_sections(audits: Iterable[Audit]) -> Iterator[doc.Block]:
    """What the verdict of the scores rests on, where its certainty was measured."""
    found = [each.verdict for each in audits if each.verdict is not UNSET]
    yield from doc.listed(
        "What the verdict rests on", (line for each in found for line in exchange.verdict_lines(each)), 2
    )


def _evidence(view: View) -> Iterator[doc.Section]:
    """The passages that were cited, whole."""
    found = [*exchange.cited_passages(view)]
    texts = (block for each in found for block in (doc.Paragraph((doc.Strong(each.title),)), doc.Quoted(each.text)))
    if found:
        yield doc.Section("Evidence", tuple(texts))


def _documents(pack: EvidencePack) -> Iterator[doc.Section]:
    """All documents, passage by passage."""
    for name, document in pack.documents.items():
        title = document.name if document.title is UNSET else f"{document.title} ({document.name})"
        blocks: list[doc.Block] = [
            doc.Paragraph((f"{document.media_type}, SHA-256 ", doc.Marked(document.digest, "code")))
        ]
        for each in pack.passages.values():
            if each.document == name:
                page = "" if each.passage.page is UNSET else f" · page {each.passage.page}"
                heading = "" if each.passage.heading is UNSET else f" · {each.passage.heading}"
                misread = f" · {READ_BADLY}" if each.passage.misread else ""
                blocks += [
                    doc.Paragraph((doc.Strong(each.passage.id), f"{page}{misread}{heading}")),
                    doc.Quoted(each.passage.text),
                ]
        yield doc.Section(f"Document {name}: {title}", tuple(blocks))


def _end(view: View) -> Iterator[doc.Paragraph]:
    if view.conclusion is UNSET:
        yield doc.Paragraph((doc.Marked(f"{view.state}{': ' if view.reason else ''}{view.reason}"),))
    elif view.outcome is not UNSET:
        yield doc.Paragraph(view.outcome.text, "lead")


def _calibration(view: View) -> Iterator[doc.Block]:
    """The cases of a calibration with the answer of each rater, then the sums and the sources."""
    if not isinstance(view.panel, PanelState) or view.cases is UNSET:
        return
    raters = view.panel.raters
    rows: list[tuple[doc.Sentence, ...]] = []
    for name, case in view.cases.items():
        given = [rater.calibrations.get(name) for rater in raters.values()]
        cells = ("not asked yet" if each is None else verdict_of(each) for each in given)
        rows.append((case.motion, NAMES[case.truth], *cells))
    sums = (f"{rater.record.right} of {rater.record.of}" for rater in raters.values())
    yield doc.Table(("case", "outcome", *raters), (*rows, ((doc.Strong("right"),), "", *sums)))
    yield doc.Listing(tuple(f"{name}: {rater.seat.model}" for name, rater in raters.items()))
    cases = view.cases.values()
    yield doc.Listing(tuple(f"{case.motion}: {NAMES[case.truth]}, says {case.source}" for case in cases))


def messages_after(view: View, turn: int) -> Iterator[doc.Paragraph]:
    """The moderator's messages after one turn; after turn 0 are those before the first."""
    for message in () if view.words is UNSET else view.words.values():
        if message.after_turn == turn:
            yield doc.Paragraph((doc.Strong(f"{message.by}, to both sides:"), f" {message.text}"))


def _messages(view: View) -> Iterator[doc.Section]:
    """All of the moderator's messages, for a format that does not show its turns in order."""
    words = () if view.words is UNSET else view.words.values()
    yield from doc.listed(
        "The moderator", (f"after turn {word.after_turn}, {word.by}: {word.text}" for word in words), 2
    )


def _poll(view: View) -> Iterator[doc.Section]:
    """The audience's winner and the judge's, both votes, and who moved; nothing before the end."""
    if view.poll is UNSET or view.poll.result is UNSET:
        return
    result = view.poll.result
    rows = (
        (name, *(map(_stance_share, shares.values()) if shares else ("no votes",)))
        for name, shares in (("before", result.before), ("after", result.after))
    )
    moved = [
        f"{number} from {POLL_STANCES[was]} to {POLL_STANCES[now]}"
        for was, row in result.moved.items()
        for now, number in row.items()
        if number and was != now
    ]
    stayed = sum(result.moved[each][each] for each in STANCES)
    facts: tuple[doc.Sentence, ...] = (
        (
            doc.Strong("The winner of the audience"),
            f" (who moved more, among those who voted twice): {_lead_change(result.twice)}",
        ),
        f"By all votes (the Oxford rule): {_lead_change(result.everyone)}",
        f"Moved: {', '.join(moved) or 'no voter'}; {stayed} stayed",
        f"Voted only before: {sum(result.left.values())}; only after: {sum(result.joined.values())}",
    )
    table = doc.Table(("vote", *POLL_STANCES.values()), tuple(rows))
    yield doc.Section("The poll of the audience", (doc.Listing(facts), table))


def _stance_share(share: StanceShare) -> str:
    return f"{share.count} ({percent(share.share, 0)}; {percent(share.low, 0)} to {percent(share.high, 0)})"


def _lead_change(change: LeadChange | Missing) -> str:
    """Who won by a change of the lead, and the gains of both sides."""
    if isinstance(change, Missing):
        return f"none, because {change.missing.reason}"
    gains = ", ".join(f"{NAMES[side]} {signed(100 * gain)} points" for side, gain in change.gains.items())
    return f"{'a tie' if change.winner == 'neither' else NAMES[change.winner]} ({gains})"


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
    return f"; {percent(agreement.votes, 0)} agree with the verdict ({winner})"


def _move(turn: str, move: BeliefShift) -> str:
    people = "one person" if move.voters == 1 else f"{move.voters} people"
    way = "towards" if move.agrees else "not towards"
    return f"turn {turn}: {move.moved:+g} by {people}, {way} {NAMES[move.winner]}, who won the exchange"
