"""The table of what the raters of a panel say, and the judge of a protocol about its arguments."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

from msgspec import UNSET

from events.record import Recorded
from events.state.parts.panel import PanelState, RaterState
from events.state.parts.rounds import ProtocolState
from events.types import OpinionGiven
from server.export.tables.table import Debate, DebateTable, Says, Seen, TableRow, known

JUDGE: Final = "judge"


class PanelRow(TableRow, frozen=True, kw_only=True, gc=False):
    """One score, standing, opinion or calibration by one rater."""

    debate: Debate
    rater: Annotated[str, Says("The rater; `judge` for the judge of a protocol.")]
    model: Annotated[str | None, Says("The model of the rater.")]
    kind: Annotated[str, Says("What it is: `score`, `standing`, `opinion` or `calibration`.")]
    round: Annotated[int | None, Says("Of an opinion, the round: 0 before the raters read each other.")]
    item: Annotated[str | None, Says("The argument, turn or case that it is about.")]
    dimension: Annotated[str | None, Says("Of a score, the dimension.")]
    score: Annotated[float | None, Says("The score.", "1 to 10")]
    spread: Annotated[float | None, Says("Highest less lowest value over the samples of the rater.", "points")]
    said: Annotated[
        str | None, Says("The standing, as `UPHELD`; the verdict of an opinion; the winner that a calibration names.")
    ]
    truth: Annotated[str | None, Says("Of a calibration, the winner that is known.")]
    right: Annotated[bool | None, Says("Of a calibration, whether the rater names that one.")]
    confidence: Annotated[float | None, Says("Of an opinion, how sure the rater says that it is.", "0 to 1")]
    quote: Annotated[str | None, Says("Of an opinion, the words that it rests on.")]
    verified: Annotated[bool | None, Says("Whether these words stand in what was judged.")]
    reason: Annotated[str | None, Says("The reason.")]
    missing: Annotated[str | None, Says("Why there is no usable answer.")]


_NOTHING: Final[Mapping[str, Any]] = dict.fromkeys(
    each for each in PanelRow.__struct_fields__ if each not in {"debate", "rater", "kind"}
)


def panel_rows(seen: Seen, _: Sequence[Recorded]) -> Iterator[PanelRow]:
    """The rows of each rater, then those of the judge of a protocol."""
    panel, protocol, debate = seen.view.panel, seen.view.protocol, seen.view.id
    if isinstance(panel, PanelState):
        for rater, state in panel.raters.items():
            yield from _rated(debate, rater, state)
        for said in panel.opinions.values():
            for opinion in said.values():
                yield _opinion(debate, opinion)
    if isinstance(protocol, ProtocolState):
        yield from _judged(seen, protocol)


def _rated(debate: str, rater: str, state: RaterState) -> Iterator[PanelRow]:
    """The scores and standings of a rater, and its calibrations."""
    given = {**_NOTHING, "debate": debate, "rater": rater, "model": state.seat.model or None}
    if state.scored is not UNSET:
        scored = state.scored
        for item, scores in scored.scores.items():
            for dimension, score in scores.items():
                spread = scored.spread.get(item, {}).get(dimension)
                about = {"item": item, "dimension": dimension}
                yield PanelRow(**{**given, **about, "kind": "score", "score": score, "spread": spread})
        for item, standing in scored.standings.items():
            note = scored.notes.get(item) or None
            yield PanelRow(**{**given, "kind": "standing", "item": item, "said": standing, "reason": note})
        for about_, why in scored.absent.items():
            item, _, dimension = about_.partition(".")
            kind = "score" if dimension else "standing"
            absent = {"item": item, "dimension": dimension or None, "missing": why}
            yield PanelRow(**{**given, **absent, "kind": kind})
        if scored.missing is not UNSET:
            yield PanelRow(**{**given, "kind": "score", "missing": scored.missing.reason})
    for case, found in state.calibrations.items():
        measured = {"item": case, "said": found.said or None, "truth": found.truth, "right": known(found.right)}
        why_not = None if found.missing is UNSET else found.missing.reason
        yield PanelRow(**{**given, **measured, "kind": "calibration", "missing": why_not})


def _opinion(debate: str, opinion: OpinionGiven) -> PanelRow:
    return PanelRow(
        **{
            **_NOTHING,
            "debate": debate,
            "rater": opinion.rater,
            "model": opinion.model or None,
            "kind": "opinion",
            "round": opinion.round,
            "said": opinion.verdict or None,
            "confidence": known(opinion.confidence),
            "quote": opinion.quote or None,
            "verified": opinion.verified if opinion.quote else None,
            "reason": opinion.rationale or None,
            "missing": None if opinion.missing is UNSET else opinion.missing.reason,
        }
    )


def _judged(seen: Seen, protocol: ProtocolState) -> Iterator[PanelRow]:
    """What the judge of a protocol says of each argument."""
    model = None if seen.view.judge is UNSET else seen.view.judge.model or None
    given = {**_NOTHING, "debate": seen.view.id, "rater": JUDGE, "model": model}
    for name, argument in protocol.arguments.items():
        trace = argument.trace
        if trace is UNSET:
            continue
        for dimension, score in trace.scores.items():
            about = {"item": name, "dimension": dimension, "score": score, "spread": trace.spread.get(dimension)}
            yield PanelRow(**{**given, **about, "kind": "score"})
        why = None if trace.missing is UNSET else trace.missing.reason
        said = {"item": name, "said": trace.standing or None, "reason": trace.reason or None, "missing": why}
        yield PanelRow(**{**given, **said, "kind": "standing"})


PANEL: Final = DebateTable(PanelRow, panel_rows)
