"""Raters and scores for the panel's tests."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from events.types import AgreementMeasured, PanelConcluded, PanelistScored, Rater, Side, TrackRecord
from events.types.rubric import Rubric
from judge.panel.outcome import conclude
from judge.panel.raters import shipped
from judge.rubrics.rubric import rubric_v1

SIDES: tuple[Side, ...] = ("pro", "con")
ITEMS: dict[str, Side] = {f"{side.upper()}-{number}": side for side in SIDES for number in (1, 2, 3)}
TEN: dict[str, Side] = {f"{side.upper()}-{number}": side for side in SIDES for number in (1, 2, 3, 4, 5)}
"""As many arguments as a panel needs to name a winner alone."""
DIMENSIONS = ("logic", "evidence", "responsiveness", "honesty")
STANDING = {"pro": "UPHELD", "con": "REFUTED"}


def few_resamples(rubric: Rubric) -> Rubric:
    """The rubric with the fewest resamples that are allowed: for laws, which hold whatever their number."""
    assert rubric.panel is not None
    return replace(rubric, panel=replace(rubric.panel, bootstrap=100))


def rater_seats(count: int = 4, **records: TrackRecord) -> list[Rater]:
    """The shipped raters, or the first ones."""
    return [
        Rater(
            name=name,
            title=profile.title,
            domain=profile.domain,
            focus=profile.focus,
            scepticism=profile.scepticism,
            weights=profile.weights,
            model=f"scripted:{name}",
            record=records.get(name, TrackRecord()),
        )
        for name, profile in list(shipped().raters.items())[:count]
    ]


def equal_raters(count: int, weights: Mapping[str, float] | None = None) -> list[Rater]:
    """Raters that differ only in their names."""
    profile = shipped().raters["general"]
    return [
        Rater(
            name=f"r{number}",
            title=f"Rater {number}",
            domain="general",
            focus=profile.focus,
            weights=dict(weights or profile.weights),
            model="scripted:x",
        )
        for number in range(count)
    ]


def even_scores(scores: Mapping[str, float | None], standings: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Scores with one number for each item, the same on all dimensions; None leaves the item out."""
    given = {item: dict.fromkeys(DIMENSIONS, float(score)) for item, score in scores.items() if score is not None}
    said = {item: STANDING[TEN[item]] for item in given} if standings is None else dict(standings)
    return {"scores": given, "standings": said}


def panel_of(
    raters: Sequence[Rater],
    rows: Sequence[Sequence[float | None]],
    *,
    topic: str = "default",
    standings: Sequence[Mapping[str, str]] | None = None,
    items: Mapping[str, Side] = ITEMS,
    rubric: Rubric | None = None,
) -> tuple[AgreementMeasured, PanelConcluded]:
    """The conclusion of a panel whose raters give these scores, one number for each of ``items``."""
    scored = {
        seat.name: PanelistScored(
            rater=seat.name,
            model=seat.model,
            **even_scores(dict(zip(items, row, strict=True)), None if standings is None else standings[number]),
        )
        for number, (seat, row) in enumerate(zip(raters, rows, strict=True))
    }
    return concluded(raters, scored, topic, items, rubric)


def concluded(
    raters: Sequence[Rater],
    scored: Mapping[str, PanelistScored],
    topic: str = "default",
    items: Mapping[str, Side] = ITEMS,
    rubric: Rubric | None = None,
) -> tuple[AgreementMeasured, PanelConcluded]:
    """The conclusion by a rubric, v1 if none is given."""
    rubric = rubric or rubric_v1()
    assert rubric.panel is not None
    assert rubric.criteria is not None
    return conclude(raters, scored, items, rubric.panel, rubric.criteria, topic)
