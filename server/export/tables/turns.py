"""The tables of turns, their scores on each dimension, and the components of the scores."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

from msgspec import UNSET

from events.record import Recorded
from events.types import Missing
from server.export.tables.table import (
    Debate,
    DebateTable,
    Dimension,
    End,
    Rules,
    Says,
    Seen,
    Side,
    Spread,
    Start,
    TableRow,
    Turn,
    known,
)


class TurnRow(TableRow, frozen=True, kw_only=True, gc=False):
    """One turn."""

    debate: Debate
    turn: Turn
    side: Side
    state: Annotated[str, Says("The state: `speaking`, `spoken`, `failed` or `judged`.")]
    origin: Annotated[str | None, Says("Where the words come from: `model`, `script`, `person` or `transcript`.")]
    origin_by: Annotated[str | None, Says("The model or the person that they come from, if it is known.")]
    model: Annotated[str | None, Says("The model that answered, as its vendor names it.")]
    speaker: Annotated[str | None, Says("The person who said it, here or in the transcript.")]
    attempt: Annotated[int, Says("The attempt that counts, from 1.")]
    failures: Annotated[int, Says("Attempts that failed or were abandoned.", "attempts")]
    text: Annotated[str, Says("The words.")]
    words: Annotated[int, Says("Number of words.", "words")]
    clipped: Annotated[bool, Says("Whether the text was cut at the limit of words.")]
    repetition: Annotated[
        float | None, Says("Share of its word 4-grams that stand in earlier turns of its side.", "0 to 1")
    ]
    composite: Annotated[float | None, Says("Its score now, the sum of the dimensions that count.", "points")]
    composite_maximum: Annotated[
        int | None, Says("The most that the score can be, where not all components count.", "points")
    ]
    composite_admitted: Annotated[
        float | None, Says("The score as the rules admitted it, if later changes moved it.", "points")
    ]
    composite_spread: Annotated[float | None, Says("Sum of the spreads of its dimensions.", "points")]
    missing: Annotated[str | None, Says("Why it has no score.")]
    rescored: Annotated[bool, Says("Whether the judge was asked for the score again.")]
    injections: Annotated[int, Says("Attempts to instruct the judge that were found in it.")]
    input_tokens: Annotated[int | None, Says("Tokens of the call that spoke it, cached ones included.", "tokens")]
    output_tokens: Annotated[int | None, Says("Tokens that it took, thinking included.", "tokens")]
    latency_ms: Annotated[int | None, Says("Time from the call to the last word.", "ms")]
    spoken: Annotated[int | None, Says("The position of the event with its words.")]
    judged: Annotated[int | None, Says("The position of its score.")]


class ScoreRow(TableRow, frozen=True, kw_only=True, gc=False):
    """The score of a turn on one dimension."""

    debate: Debate
    turn: Turn
    side: Side
    dimension: Dimension
    raw: Annotated[float | None, Says("Points as the judge gave them, the median where it gave several.", "points")]
    first: Annotated[float | None, Says("Points of the first reading, where a median replaced them.", "points")]
    admitted: Annotated[float | None, Says("Points that the rules admitted.", "points")]
    at_first: Annotated[float | None, Says("Points once the turn was judged, if they changed later.", "points")]
    effective: Annotated[float | None, Says("Points now.", "points")]
    harmonized: Annotated[float | None, Says("Points by which comparisons moved it.", "points")]
    maximum: Annotated[int | None, Says("The most that the dimension can have.", "points")]
    spread: Spread
    inferred: Annotated[bool, Says("Whether the points follow from comparisons, and the judge gave none.")]
    rules: Rules
    missing: Annotated[str | None, Says("Why there are no points.")]


_POINTS: Final = ("raw", "first", "admitted", "at_first", "effective", "harmonized", "maximum", "spread")


class ComponentRow(TableRow, frozen=True, kw_only=True, gc=False):
    """One component of a score, with the quote that supports it."""

    debate: Debate
    turn: Turn
    side: Side
    dimension: Dimension
    component: Annotated[str, Says("The component of the dimension.")]
    raw: Annotated[float, Says("Points as the judge gave them.", "points")]
    admitted: Annotated[float, Says("Points that the rules admitted.", "points")]
    maximum: Annotated[int, Says("The most that the component can have.", "points")]
    spread: Spread
    verified: Annotated[bool, Says("Whether the quote stands in the turn.")]
    quote: Annotated[str | None, Says("The words that support the points.")]
    start: Start
    end: End
    rules: Rules
    reason: Annotated[str | None, Says("The reason of the judge.")]


def turn_rows(seen: Seen, _: Sequence[Recorded]) -> Iterator[TurnRow]:
    """A row for each turn."""
    for name, turn in seen.view.turns.items():
        event = seen.fold.debate.transcript.turns[int(name)].event
        yield TurnRow(
            debate=seen.view.id,
            turn=int(name),
            side=turn.side,
            state=turn.state,
            origin=None if turn.origin is UNSET else turn.origin.kind,
            origin_by=None if turn.origin is UNSET else known(turn.origin.by),
            model=turn.model or None,
            speaker=turn.speaker or None,
            attempt=turn.attempt,
            failures=len(turn.failures),
            text=turn.text,
            words=turn.words,
            clipped=turn.clipped,
            repetition=known(turn.repetition),
            composite=known(turn.composite),
            composite_maximum=known(turn.composite_maximum),
            composite_admitted=known(turn.composite_admitted),
            composite_spread=known(turn.composite_spread),
            missing=turn.composite.missing.reason if isinstance(turn.composite, Missing) else None,
            rescored=turn.rescored is not UNSET,
            injections=len(turn.injections),
            input_tokens=None if event is None else event.usage.input_tokens,
            output_tokens=None if event is None else event.usage.output_tokens,
            latency_ms=None if event is None else event.latency_ms,
            spoken=known(turn.spoken),
            judged=known(turn.judged),
        )


def score_rows(seen: Seen, _: Sequence[Recorded]) -> Iterator[ScoreRow]:
    """A row for each dimension of each judged turn, also where it has no points."""
    for name, turn in seen.view.turns.items():
        of_turn: dict[str, Any] = {"debate": seen.view.id, "turn": int(name), "side": turn.side}
        for dimension, score in () if isinstance(turn.scores, Missing) else turn.scores.items():
            yield ScoreRow(
                **of_turn,
                dimension=dimension,
                raw=score.raw,
                first=known(score.first),
                admitted=score.admitted,
                at_first=known(score.at_first),
                effective=score.effective,
                harmonized=score.harmonized,
                maximum=score.maximum,
                spread=score.spread,
                inferred=score.inferred or False,
                rules="; ".join(score.rules) or None,
                missing=None,
            )
        for dimension, why in (turn.absent or {}).items():
            none: dict[str, Any] = dict.fromkeys(_POINTS)
            yield ScoreRow(**of_turn, **none, dimension=dimension, inferred=False, rules=None, missing=why.reason)


def component_rows(seen: Seen, _: Sequence[Recorded]) -> Iterator[ComponentRow]:
    """A row for each component of each score."""
    for name, turn in seen.view.turns.items():
        for dimension, components in turn.components.items():
            for component, score in components.items():
                start, end = score.span or (None, None)
                yield ComponentRow(
                    debate=seen.view.id,
                    turn=int(name),
                    side=turn.side,
                    dimension=dimension,
                    component=component,
                    raw=score.raw,
                    admitted=score.admitted,
                    maximum=score.maximum,
                    spread=score.spread,
                    verified=score.verified,
                    quote=score.quote or None,
                    start=start,
                    end=end,
                    rules="; ".join(score.rules) or None,
                    reason=score.reason or None,
                )


TURNS: Final = DebateTable(TurnRow, turn_rows)
SCORES: Final = DebateTable(ScoreRow, score_rows)
COMPONENTS: Final = DebateTable(ComponentRow, component_rows)
