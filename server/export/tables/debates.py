"""The table of debates: one row a debate, from its view."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

from msgspec import UNSET, UnsetType

from events.record import Recorded
from events.state.parts.panel import PanelState
from events.types import NarrativeVerdictReached
from events.view.view import SeatView, View
from server.export.tables.table import Debate, DebateTable, Says, Seen, TableRow, Time, known

Model = str | None


class DebateRow(TableRow, frozen=True, kw_only=True, gc=False):
    """One debate, lab run, calibration or judged text."""

    debate: Debate
    motion: Annotated[str, Says("The motion.")]
    title: Annotated[str | None, Says("The name that an operator gave the debate.")]
    tags: Annotated[str | None, Says("Its tags, separated by commas.")]
    language: Annotated[str | None, Says("BCP 47 tag of the language that is spoken.")]
    format: Annotated[str, Says("The format: `exchange`, `protocol`, `deliberation`, `calibration` or `lab`.")]
    state: Annotated[str, Says("The state: `open`, `paused`, `halted` or `concluded`.")]
    opened_at: Annotated[Time, Says("When it was opened.", "UTC")]
    newest_at: Annotated[Time, Says("When its newest event was recorded.", "UTC")]
    events: Annotated[int, Says("Events in its log.")]
    exhibition: Annotated[str | None, Says("The exhibition that it plays.")]
    origin: Annotated[str | None, Says("How it was made from another debate: `rejudge` or `fork`.")]
    origin_debate: Annotated[str | None, Says("The id of that debate.")]
    source_kind: Annotated[str | None, Says("The form of the transcript that its turns come from.")]
    source: Annotated[str | None, Says("Where that transcript comes from.")]
    blind: Annotated[bool, Says("Whether spectators see no names of models before the end.")]
    pro_model: Annotated[Model, Says("The model of Pro; none for a person.")]
    pro_speaker: Annotated[str | None, Says("The person who speaks for Pro, or spoke in the transcript.")]
    pro_archetype: Annotated[str | None, Says("The character of Pro at the start.")]
    con_model: Annotated[Model, Says("The model of Con; none for a person.")]
    con_speaker: Annotated[str | None, Says("The person who speaks for Con, or spoke in the transcript.")]
    con_archetype: Annotated[str | None, Says("The character of Con at the start.")]
    judge_model: Annotated[Model, Says("The model of the judge.")]
    judge_samples: Annotated[int | None, Says("How often the judge is asked each question.")]
    rubric: Annotated[str, Says("The rubric, by the name that selects it.")]
    turns_planned: Annotated[int, Says("Turns that the debate is to have.", "turns")]
    turns_spoken: Annotated[int, Says("Turns that were spoken.", "turns")]
    max_words: Annotated[int, Says("Words that a turn may have.", "words")]
    winner: Annotated[str | None, Says("The winner: `pro`, `con` or `neither`; none before the end.")]
    by_rule: Annotated[str | None, Says("What decided: `scorecard`, `panel`, `assessment` and others.")]
    outcome: Annotated[str | None, Says("The outcome in a few words.")]
    pro_points: Annotated[float | None, Says("Mean composite of Pro, or its total in format `protocol`.", "points")]
    con_points: Annotated[float | None, Says("Mean composite of Con, or its total in format `protocol`.", "points")]
    lead: Annotated[float | None, Says("The points of Pro less those of Con.", "points")]
    lead_error: Annotated[float | None, Says("Standard error of the lead.", "points")]
    pro_probability: Annotated[
        float | None, Says("How probable it is that Pro was ahead, where the rubric asks for it.", "0 to 1")
    ]
    pro_rounds: Annotated[int, Says("Exchanges that Pro won.", "exchanges")]
    con_rounds: Annotated[int, Says("Exchanges that Con won.", "exchanges")]
    drawn_rounds: Annotated[int, Says("Exchanges that nobody won.", "exchanges")]
    narrative_winner: Annotated[str | None, Says("The winner by one reading of the whole debate.")]
    panel_outcome: Annotated[
        str | None, Says("How the panel concluded: `concluded`, `cautious`, `contested` and others.")
    ]
    panel_winner: Annotated[str | None, Says("The side that the panel names, or `neither`.")]
    verdict: Annotated[str | None, Says("The verdict on a judged text: `PASS`, `FAIL` or `CONDITIONAL`.")]
    calls: Annotated[int, Says("Calls to models.", "calls")]
    failed_calls: Annotated[int, Says("Calls that gave no usable answer.", "calls")]
    unpriced_calls: Annotated[int, Says("Calls of unknown cost: with any, `cost_usd` is a minimum.", "calls")]
    tokens: Annotated[int, Says("Tokens of all calls, input and output.", "tokens")]
    cost_usd: Annotated[float, Says("Cost of all calls, as far as it is known.", "USD")]
    hidden: Annotated[bool, Says("Whether lists and searches leave it out.")]
    archived: Annotated[bool, Says("Whether it is archived.")]
    unlisted: Annotated[bool, Says("Whether spectators need a link with a token.")]


def debate_rows(seen: Seen, _: Sequence[Recorded]) -> Iterator[DebateRow]:
    """The row of a debate."""
    view, debate, usage = seen.view, seen.fold.debate, seen.view.usage
    rounds, origin, conclusion = view.scorecard.rounds, view.origin, view.conclusion
    narrative, transcript = view.verdicts.narrative, view.transcript
    yield DebateRow(
        debate=view.id,
        motion=view.motion,
        title=view.title or None,
        tags=",".join(view.tags or ()) or None,
        language=view.language or None,
        format=view.format,
        state=view.state,
        opened_at=Time(view.opened_at),
        newest_at=Time(debate.at),
        events=view.position,
        exhibition=view.exhibition or None,
        origin=None if origin is UNSET else origin.kind,
        origin_debate=None if origin is UNSET else origin.debate,
        source_kind=None if transcript is UNSET else transcript.kind,
        source=None if transcript is UNSET else transcript.source or None,
        blind=view.blind or False,
        **_seat("pro", view.pro),
        **_seat("con", view.con),
        judge_model=None if view.judge is UNSET else view.judge.model or None,
        judge_samples=None if view.judge is UNSET else view.judge.samples,
        rubric=view.rubric_name or view.rubric,
        turns_planned=view.turns_planned,
        turns_spoken=len(debate.transcript.events),
        max_words=view.max_words,
        winner=None if conclusion is UNSET else conclusion.winner,
        by_rule=None if conclusion is UNSET else conclusion.by_rule,
        outcome=None if view.outcome is UNSET else view.outcome.headline,
        **_points(view),
        pro_rounds=rounds.pro,
        con_rounds=rounds.con,
        drawn_rounds=rounds.drawn,
        narrative_winner=narrative.winner or None if isinstance(narrative, NarrativeVerdictReached) else None,
        **_panel(view),
        calls=usage.calls,
        failed_calls=usage.failed_calls,
        unpriced_calls=usage.unpriced_calls,
        tokens=usage.tokens,
        cost_usd=usage.cost_usd,
        hidden=view.hidden or False,
        archived=view.archived or False,
        unlisted=view.unlisted or False,
    )


def _seat(side: str, seat: SeatView | UnsetType) -> dict[str, Any]:
    if seat is UNSET:
        return dict.fromkeys((f"{side}_model", f"{side}_speaker", f"{side}_archetype"))
    return {
        f"{side}_model": seat.model or None,
        f"{side}_speaker": seat.speaker or None,
        f"{side}_archetype": seat.archetype or None,
    }


def _points(view: View) -> dict[str, Any]:
    """The points of both sides, and how sure the lead is."""
    card, given = view.scorecard, getattr(view.protocol, "assessment", UNSET)
    pro, con = (card.pro.composite, card.con.composite) if given is UNSET else (given.pro_total, given.con_total)
    points = known(pro), known(con)
    return {
        "pro_points": points[0],
        "con_points": points[1],
        "lead": None if points[0] is None or points[1] is None else round(points[0] - points[1], 2),
        "lead_error": known(card.error),
        "pro_probability": None if view.lead is UNSET else known(view.lead.probability),
    }


def _panel(view: View) -> dict[str, Any]:
    """What the panel concluded."""
    panel = view.panel if isinstance(view.panel, PanelState) else PanelState()
    ended, verdict = panel.conclusion, panel.verdict
    return {
        "panel_outcome": None if ended is UNSET else ended.outcome,
        "panel_winner": None if ended is UNSET else ended.winner,
        "verdict": None if verdict is UNSET else verdict.verdict or None,
    }


DEBATES: Final = DebateTable(DebateRow, debate_rows)
