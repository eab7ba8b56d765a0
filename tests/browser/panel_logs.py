"""Logs of protocols with panels: four raters who are far apart, and four who agree."""

from collections.abc import Iterator
from typing import Any, Final

from events.types import (
    AgreementMeasured,
    BothSides,
    Coefficient,
    DebateConcluded,
    DeliberationHeld,
    Disagreement,
    Dispute,
    Event,
    LeaveOneOut,
    MindChange,
    OpinionGiven,
    PanelConcluded,
    PanelistScored,
    missing,
)
from judge.panel.outcome import conclude
from judge.panel.raters import shipped
from judge.rubrics.rubric import rubric_v2, rubric_v3
from tests.browser.protocol_logs import DIMENSIONS, opened, protocol, rater

SPLIT: Final = {
    "PRO-1": (9, 3, 4, 7),
    "PRO-2": (8, 8, 7, 8),
    "PRO-3": (2, 2, 1, 3),
    "CON-1": (2, 4, 7, 9),
    "CON-2": (6, 7, 6, 6),
    "CON-3": (8, 3, 4, 5),
}
STRICT: Final = {
    "PRO-1": (8, 8, 5, 5),
    "PRO-2": (9, 9, 6, 6),
    "PRO-3": (7, 7, 4, 4),
    "CON-1": (5, 5, 2, 2),
    "CON-2": (4, 4, 1, 1),
    "CON-3": (6, 6, 3, 3),
}
EVEN: Final = {
    "PRO-1": (7, 7, 8, 7),
    "PRO-2": (5, 5, 5, 4),
    "PRO-3": (2, 2, 3, 2),
    "CON-1": (7, 7, 7, 8),
    "CON-2": (5, 5, 4, 5),
    "CON-3": (2, 2, 3, 3),
}
CLOSE: Final = {
    "PRO-1": (7, 7, 8, 7),
    "PRO-2": (8, 8, 8, 9),
    "PRO-3": (2, 2, 3, 2),
    "CON-1": (5, 5, 4, 5),
    "CON-2": (5, 6, 5, 5),
    "CON-3": (3, 3, 4, 3),
}


def _standing(score: int) -> str:
    return "UPHELD" if score >= 7 else "PARTIALLY_UPHELD" if score >= 5 else "UNCERTAIN" if score == 4 else "REFUTED"


def scored(given: dict[str, tuple[int, ...]], *, absent: bool = False) -> Iterator[PanelistScored]:
    """The independent scores of four raters. ``absent``: the risk rater leaves one item out."""
    for column, name in enumerate(shipped().raters):
        mine = {item: float(values[column]) for item, values in given.items()}
        gone = {"CON-3": "left out"} if absent and name == "risk" else {}
        kept = {item: value for item, value in mine.items() if item not in gone}
        yield PanelistScored(
            rater=name,
            model=f"scripted:{name}",
            absent=gone,
            scores={item: dict.fromkeys(DIMENSIONS, value) for item, value in kept.items()},
            standings={item: _standing(int(value)) for item, value in kept.items()},  # type: ignore[misc]
            notes={"PRO-1": "The doubling of the buses is not told apart from the fare."},
        )


def measured(value: float, low: float, high: float, band: str, items: int = 24) -> Coefficient:
    return Coefficient(value=value, low=low, high=high, items=items, band=band)


def agreement(raw: Coefficient, kappa: Coefficient) -> AgreementMeasured:
    return AgreementMeasured(
        raw=raw,
        calibrated=measured(0.58, 0.40, 0.72, "low"),
        kappa=kappa,
        nominal=measured(0.12, 0.02, 0.24, "unacceptable"),
        ordinal=measured(0.46, 0.28, 0.61, "unacceptable"),
        ratio=Coefficient(undefined="a score of 0 has no ratio"),
        calibration="min-max",
    )


def changed(name: str, before: str, after: str, kind: str, quote: str) -> MindChange:
    return MindChange(rater=name, before=before, after=after, kind=kind, quote=quote)  # type: ignore[arg-type]


def disputed(variance: float, *given: float, decides: bool = False) -> Dispute:
    """A disputed item with the scores of the four raters in their order; that of the risk rater may be left out."""
    names = list(shipped().raters) if len(given) == len(shipped().raters) else ["technical", "business", "general"]
    return Dispute(variance=variance, decides=decides, scores=dict(zip(names, given, strict=True)))


def rounds() -> Iterator[Event]:
    """Three rounds after which the raters still disagree."""
    said: dict[str, str] = {"technical": "pro", "business": "con", "risk": "con", "general": "tie"}
    figures = [(0.41, 0.44), (0.44, 0.52), (0.52, 0.55)]
    moves = {
        1: [("general", "tie", "con", "evidence", "61 percent name waiting, 14 percent the fare.")],
        2: [("technical", "pro", "tie", "conformity", "")],
        3: [],
    }
    for number, (before, after) in enumerate(figures, 1):
        said |= {name: end for name, _, end, _, _ in moves[number]}
        for name, verdict in said.items():
            quote = "61 percent name waiting, 14 percent the fare." if name == "general" else ""
            yield OpinionGiven(
                rater=name,
                model=f"scripted:{name}",
                round=number,
                verdict=verdict,
                confidence=0.6,  # type: ignore[arg-type]
                scores={"logic": 6.0, "evidence": 5.0, "responsiveness": 6.0, "honesty": 7.0},
                rationale=f"The {name} rater, round {number}: the question is what keeps people away.",
                quote=quote,
                verified=bool(quote),
            )
        yield DeliberationHeld(
            round=number,
            before=before,
            after=after,
            elapsed_ms=4200,
            disagreements=(
                Disagreement(dimension="", positions=dict(said), severity=0.75),
                Disagreement(dimension="evidence", positions={"technical": 8.0, "business": 3.0}, severity=0.55),
            ),
            changes=tuple(changed(*each) for each in moves[number]),
            ended="three rounds are the most" if number == 3 else "",
        )


def irreconcilable(**more: Any) -> list[Event]:
    """Four raters far apart, three rounds of deliberation, no winner."""
    caveats = {"risk": "A script, written beforehand."}
    seats = tuple(rater(name, caveat=caveats.get(name, "")) for name in shipped().raters)
    return [
        opened(panel=seats),
        *protocol(**more),
        *scored(SPLIT, absent=True),
        agreement(measured(0.38, 0.16, 0.57, "unacceptable"), measured(0.21, 0.03, 0.39, "unacceptable", 6)),
        *rounds(),
        PanelConcluded(
            outcome="irreconcilable",
            winner="neither",
            leaning="con",
            topic_type="default",
            weights={"technical": 0.28, "business": 0.23, "risk": 0.2, "general": 0.29},
            weighted=BothSides(pro=5.42, con=5.81),
            calibrated=BothSides(pro=0.48, con=0.53),
            gap=0.035,
            disputed={
                "PRO-1": disputed(7.58, 9, 3, 4, 7),
                "CON-1": disputed(9.67, 2, 4, 7, 9, decides=True),
                "CON-3": disputed(6.33, 8, 3, 5),
            },
            without={
                "technical": LeaveOneOut(outcome="cautious", winner="con", alpha=0.55, gap=0.12),
                "business": LeaveOneOut(outcome="irreconcilable", winner="neither", alpha=0.33, gap=0.02),
                "risk": LeaveOneOut(outcome="concluded", winner="pro", alpha=0.71, gap=0.09),
                "general": LeaveOneOut(
                    outcome="undetermined", winner="neither", alpha=missing("too few items"), gap=0.04
                ),
            },
            reasons=(
                "CON-1 is disputed with a variance of 9.67, and the winner changes without it",
                "the sides are 3.5 % apart, under the 5 % that a winner needs",
            ),
            advice=(
                "Find out what the survey of 2023 asked those who do not own a car.",
                "Have CON-1 examined by somebody who has seen the data.",
            ),
        ),
        DebateConcluded(winner="neither", by_rule="panel"),
    ]


def strict() -> list[Event]:
    """Four raters with the same ranking, two of them three points stricter, by rubric v2."""
    seats = tuple(rater(name) for name in shipped().raters)
    given = list(scored(STRICT))
    rubric, sides = rubric_v2(), {item: item[:3].lower() for item in STRICT}
    conclusion = conclude(seats, {each.rater: each for each in given}, sides, rubric.panel, rubric.criteria, "default")  # type: ignore[arg-type]
    return [
        opened(panel=seats, motion="The town should plant a tree for every parking space"),
        *protocol(),
        *given,
        *conclusion,
        DebateConcluded(winner="pro", by_rule="judge_and_panel"),
    ]


def too_close() -> list[Event]:
    """Four raters who see the same arguments as good, by rubric v3; the sides are too close for them."""
    seats = tuple(rater(name) for name in shipped().raters)
    given = list(scored(EVEN))
    rubric, sides = rubric_v3(), {item: item[:3].lower() for item in EVEN}
    conclusion = conclude(seats, {each.rater: each for each in given}, sides, rubric.panel, rubric.criteria, "default")  # type: ignore[arg-type]
    return [
        opened(panel=seats, motion="The town should close the lane behind the school", rubric=rubric),
        *protocol(),
        *given,
        *conclusion,
        DebateConcluded(winner="neither", by_rule="judge_and_panel"),
    ]


def agreeing() -> list[Event]:
    """Four raters close together: the panel concludes."""
    return [
        opened(panel=tuple(rater(name) for name in shipped().raters), motion="The town should buy back its waterworks"),
        *protocol(),
        *scored(CLOSE),
        agreement(measured(0.86, 0.74, 0.93, "high"), measured(0.72, 0.51, 0.9, "moderate", 6)),
        PanelConcluded(
            outcome="concluded",
            winner="pro",
            leaning="pro",
            topic_type="default",
            weights=dict.fromkeys(shipped().raters, 0.25),
            weighted=BothSides(pro=5.92, con=4.42),
            calibrated=BothSides(pro=0.61, con=0.42),
            gap=0.145,
            without={
                name: LeaveOneOut(outcome="concluded", winner="pro", alpha=0.84, gap=0.14) for name in shipped().raters
            },
            reasons=("alpha is .86, at or above .67",),
        ),
        DebateConcluded(winner="pro", by_rule="panel"),
    ]
