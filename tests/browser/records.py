"""Logs of debates that nobody had to hold: protocols with panels, an artifact, a calibration, event by event."""

from collections.abc import Iterator
from typing import Any, Final

from events.types import (
    NOBODY,
    AgreementMeasured,
    Argument,
    ArgumentCrossExamined,
    ArgumentsOpened,
    ArgumentTraced,
    Artifact,
    ArtifactJudged,
    AssessmentGiven,
    BothSides,
    Case,
    ClosingStated,
    CrossExaminationFaulted,
    DebateConcluded,
    DebateOpened,
    Debater,
    DeliberationHeld,
    Disagreement,
    Dispute,
    Event,
    FallacyFound,
    JudgeSeat,
    Measured,
    MindChange,
    OpinionGiven,
    PanelConcluded,
    PanelistScored,
    Rater,
    RaterCalibrated,
    Reason,
    Settings,
    Side,
    TrackRecord,
    TurnSpoken,
    TurnStarted,
    Usage,
    Without,
    missing,
)
from judge.panel.raters import shipped
from judge.rubric import rubric_v1
from personalities.archetypes import archetypes

SIDES: Final[tuple[Side, Side]] = ("pro", "con")
RECORDS: Final = {"technical": (7, 9), "business": (5, 9), "risk": (0, 0), "general": (8, 9)}
HEX: Final = "0" * 64
CASES: Final = {
    "PRO-1": (
        "Free buses carry more people than cheap ones.",
        "The fare is a decision at every trip. Where Dunkirk dropped it, weekday trips rose by two thirds within a"
        " year, and half of the new riders had driven before.",
        "Dunkirk, 2018 to 2019: counts at the doors and a survey of 2,000 riders.",
    ),
    "PRO-2": (
        "Collecting fares costs more than it seems.",
        "Machines, inspectors, appeals and slow boarding eat a fifth of what comes in. A bus that does not wait at the"
        " door needs fewer buses for the same timetable.",
        "The operator’s own accounts: 19 percent of fare income spent on collecting it.",
    ),
    "PRO-3": (
        "Once buses are free, congestion will vanish.",
        "Everybody knows that people leave their cars the day the bus is free. From there the roads empty, the air"
        " clears and the hospitals with it.",
        "Professor Lindqvist, the country’s leading traffic scholar, says so.",
    ),
    "CON-1": (
        "The money buys more as frequency than as a free ticket.",
        "Surveys of those who do not ride name waiting, not paying. Nine million a year is one more bus an hour on"
        " every line.",
        "Household survey of 2023: 61 percent name waiting, 14 percent the fare.",
    ),
    "CON-2": (
        "Free riders come from pavements, not from cars.",
        "In Tallinn the new trips were mostly walks that were ridden instead; car traffic fell by a tenth at most.",
        "Cats, Susilo and Reimal, 2017, on Tallinn.",
    ),
    "CON-3": (
        "What costs nothing is the first thing to be cut.",
        "A service without its own income stands in the budget as a pure expense, and lean years find it there.",
        "Hasselt ended its free buses in 2013 when the bill had quadrupled.",
    ),
}  # fmt: skip
CROSS: Final = {
    "CON-1": ("challenge", "The survey asked people who own cars; those who do without were not asked.", "Who was left out of your survey?"),
    "CON-2": ("partial", "Walkers who ride are riders too, but they do not empty a road.", "Would a tenth fewer cars not be worth nine million?"),
    "CON-3": ("refute", "Hasselt’s bill grew because its riders grew thirteenfold; that is the aim, not the failure.", "Which other service is cut for being used?"),
    "PRO-1": ("challenge", "Dunkirk doubled its buses in the same year, so the fare was not alone.", "What did frequency do there, and what did the fare?"),
    "PRO-2": ("concede", "The accounts are public and the figure is right.", "What would the inspectors do instead?"),
    "PRO-3": ("refute", "No city that dropped its fares saw congestion vanish; Tallinn is the largest and it did not.", "Name one city where it did?"),
}  # fmt: skip
STANDING: Final = {
    "PRO-1": ("PARTIALLY_UPHELD", (7, 8, 6, 6)), "PRO-2": ("UPHELD", (8, 8, 7, 8)), "PRO-3": ("REFUTED", (2, 1, 3, 2)),
    "CON-1": ("UPHELD", (8, 9, 7, 7)), "CON-2": ("PARTIALLY_UPHELD", (6, 7, 6, 7)), "CON-3": ("UNCERTAIN", (5, 4, 4, 6)),
}  # fmt: skip
DIMENSIONS: Final = ("logic", "evidence", "responsiveness", "honesty")
MOTION: Final = "The city should make its buses free"


def rater(name: str, *, persona: bool = False, caveat: str = "") -> Rater:
    """A shipped profile on a scripted model."""
    profile = (shipped().personas if persona else shipped().raters)[name]
    right, of = RECORDS.get(name, (0, 0))
    return Rater(
        name=name, title=profile.title, domain=profile.domain, focus=profile.focus, weights=profile.weights,
        model=f"scripted:{name}", share=profile.share, record=TrackRecord(right=right, of=of), caveat=caveat,
    )


def opened(form: str = "protocol", *, panel: tuple[Rater, ...] = (), motion: str = MOTION, **more: Any) -> DebateOpened:
    """The first event."""
    is_debate = form in {"exchange", "protocol"}
    return DebateOpened(**{
        "motion": motion, "format": form, "turns": 6 if is_debate else 0, "max_words": 180,
        "pro": Debater(model="scripted:pro", archetype="engineer", elasticity=0.5) if is_debate else NOBODY,
        "con": Debater(model="scripted:con", archetype="strategist", elasticity=0.5) if is_debate else NOBODY,
        "judge": JudgeSeat(model="scripted:judge"), "panel": panel, "rubric": rubric_v1(),
        "archetypes": dict(archetypes()), "prompts": {}, "settings": Settings(), "blind": False, "exhibition": None,
        "moot": "0.1.0", "topic_type": "default" if panel else "", **more,
    })  # fmt: skip


def _spoken(turn: int, text: str) -> TurnSpoken:
    return TurnSpoken(
        turn=turn, side="pro" if turn % 2 else "con", attempt=1, text=text, words=len(text.split()), clipped=False,
        pace=((900, len(text)),), model="scripted", usage=Usage(input_tokens=400, output_tokens=300), latency_ms=900,
    )


def _started(first: int) -> list[Event]:
    return [TurnStarted(turn=turn, side=side, attempt=1, directive=None)
            for turn, side in zip((first, first + 1), SIDES, strict=True)]


def protocol(*, claims: dict[str, str] | None = None, faulty: bool = False) -> Iterator[Event]:
    """The three rounds and the judge's trace.  ``claims`` replaces some; ``faulty``: con opens with two arguments."""
    known = {name: (claims.get(name, said[0]) if claims else said[0], *said[1:]) for name, said in CASES.items()}
    if faulty:
        del known["CON-3"]
    yield from _started(1)
    texts = {}
    for turn, side in enumerate(SIDES, 1):
        mine = [Argument(id=name, claim=c, reasoning=r, evidence=e) for name, (c, r, e) in known.items()
                if name.startswith(side.upper())]
        texts[turn] = "\n\n".join(f"{a.id}: {a.claim}\n{a.reasoning}\nEvidence: {a.evidence}" for a in mine)
        is_faulty = faulty and side == "con"
        yield _spoken(turn, texts[turn])
        yield ArgumentsOpened(
            side=side, turn=turn, arguments=tuple(mine), faults=("2 arguments where 3 are asked for",) if is_faulty else (),
            free_text="I have two good reasons and a feeling: <b>that buses will be cut</b>." if is_faulty else "",
        )
    yield from _started(3)
    for turn, side in ((3, "pro"), (4, "con")):
        theirs = [(name, said) for name, said in CROSS.items() if not name.startswith(side.upper()) and name in known]
        yield _spoken(turn, "\n\n".join(f"On {name}: {said[1]} {said[2]}" for name, said in theirs))
        for name, (response, reasoning, follow_up) in theirs:
            yield ArgumentCrossExamined(
                by=side, turn=turn, target=name, response=response, reasoning=reasoning, follow_up=follow_up,  # type: ignore[arg-type]
            )
        if faulty and side == "con":
            yield CrossExaminationFaulted(by="con", turn=4, faults=("PRO-9 is no argument",), free_text="On PRO-9: no.")
    yield from _started(5)
    for turn, side in ((5, "pro"), (6, "con")):
        position = (
            "Drop the fare and keep the timetable; the collecting alone pays for a part of it." if side == "pro"
            else "Buy frequency first. Only those who hate cars could think otherwise."
        )
        yield _spoken(turn, position)
        yield ClosingStated(
            side=side, turn=turn, final_position=position, words=len(position.split()),
            concessions=("Congestion will not vanish.",) if side == "pro" else ("Collecting fares costs a fifth.",),
            standing_arguments=("PRO-1", "PRO-2") if side == "pro" else ("CON-1", "CON-2"),
        )
    authority = "Professor Lindqvist, the country’s leading traffic scholar, says so."
    start = texts[1].index(authority)
    yield FallacyFound(argument="PRO-3", fallacy="appeal_to_authority", quote=authority, turn=1,
                       span=(start, start + len(authority)), reason="A name stands where the counts should.")
    slope = "From there the roads empty, the air clears and the hospitals with it."
    start = texts[1].index(slope)
    yield FallacyFound(argument="PRO-3", fallacy="slippery_slope", quote=slope, turn=1, span=(start, start + len(slope)),
                       reason="No step from one to the next is shown.")
    hate = "Only those who hate cars could think otherwise."
    start = len("Buy frequency first. ")
    yield FallacyFound(argument="CON-1", fallacy="ad_hominem", quote=hate, turn=6, span=(start, start + len(hate)))
    for name in known:
        standing, scores = STANDING[name]
        yield ArgumentTraced(
            argument=name, standing=standing, scores=dict(zip(DIMENSIONS, map(float, scores), strict=True)),  # type: ignore[arg-type]
            reason=f"The answer to {name} was weighed against its evidence.", total=round(sum(
                weight * score for weight, score in zip((.3, .3, .25, .15), scores, strict=True)), 2),
            spread={"logic": 2.0} if name == "CON-1" else {},
        )
    yield AssessmentGiven(
        pro_total=16.5, con_total=19.05, key_insight="Both sides want more riders; they differ on what keeps people away.",
        unresolved_questions=("How many of Dunkirk’s new riders came for the frequency?",),
        recommendation="Try one more bus an hour on two lines before the fare is touched.",
    )


SPLIT: Final = {"PRO-1": (9, 3, 4, 7), "PRO-2": (8, 8, 7, 8), "PRO-3": (2, 2, 1, 3), "CON-1": (2, 4, 7, 9),
                "CON-2": (6, 7, 6, 6), "CON-3": (8, 3, 4, 5)}
CLOSE: Final = {"PRO-1": (7, 7, 8, 7), "PRO-2": (8, 8, 8, 9), "PRO-3": (2, 2, 3, 2), "CON-1": (5, 5, 4, 5),
                "CON-2": (5, 6, 5, 5), "CON-3": (3, 3, 4, 3)}


def _standing(score: int) -> str:
    return "UPHELD" if score >= 7 else "PARTIALLY_UPHELD" if score >= 5 else "UNCERTAIN" if score == 4 else "REFUTED"


def scored(given: dict[str, tuple[int, ...]], *, absent: bool = False) -> Iterator[PanelistScored]:
    """Four raters' independent scores.  ``absent``: the risk rater leaves one item out."""
    for column, name in enumerate(shipped().raters):
        mine = {item: float(values[column]) for item, values in given.items()}
        gone = {"CON-3": "left out"} if absent and name == "risk" else {}
        kept = {item: value for item, value in mine.items() if item not in gone}
        yield PanelistScored(
            rater=name, model=f"scripted:{name}", absent=gone,
            scores={item: dict.fromkeys(DIMENSIONS, value) for item, value in kept.items()},
            standings={item: _standing(int(value)) for item, value in kept.items()},  # type: ignore[misc]
            notes={"PRO-1": "The doubling of the buses is not told apart from the fare."},
        )


def measured(value: float, low: float, high: float, band: str, items: int = 24) -> Measured:
    return Measured(value=value, low=low, high=high, items=items, band=band)


def agreement(raw: Measured, kappa: Measured) -> AgreementMeasured:
    return AgreementMeasured(
        raw=raw, calibrated=measured(.58, .40, .72, "low"), kappa=kappa, nominal=measured(.12, .02, .24, "unacceptable"),
        ordinal=measured(.46, .28, .61, "unacceptable"), ratio=Measured(undefined="a score of 0 has no ratio"),
        calibration="min-max",
    )


def rounds() -> Iterator[Event]:
    """Three rounds after which the raters still disagree."""
    said: dict[str, str] = {"technical": "pro", "business": "con", "risk": "con", "general": "tie"}
    figures = [(.41, .44), (.44, .52), (.52, .55)]
    moves = {1: [("general", "tie", "con", "evidence", "61 percent name waiting, 14 percent the fare.")],
             2: [("technical", "pro", "tie", "conformity", "")], 3: []}
    for number, (before, after) in enumerate(figures, 1):
        for name, start, end, kind, quote in moves[number]:
            assert said[name] == start, kind
            said[name] = end
        for name, verdict in said.items():
            quote = "61 percent name waiting, 14 percent the fare." if name == "general" else ""
            yield OpinionGiven(
                rater=name, model=f"scripted:{name}", round=number, verdict=verdict, confidence=0.6,  # type: ignore[arg-type]
                scores={"logic": 6.0, "evidence": 5.0, "responsiveness": 6.0, "honesty": 7.0},
                rationale=f"The {name} rater, round {number}: the question is what keeps people away.", quote=quote,
                verified=bool(quote),
            )
        yield DeliberationHeld(
            round=number, before=before, after=after, elapsed_ms=4200,
            disagreements=(Disagreement(dimension="", positions=dict(said), severity=0.75),
                           Disagreement(dimension="evidence", positions={"technical": 8.0, "business": 3.0}, severity=.55)),
            changes=tuple(MindChange(rater=n, before=b, after=a, kind=k, quote=q) for n, b, a, k, q in moves[number]),  # type: ignore[arg-type]
            ended="three rounds are the most" if number == 3 else "",
        )


def irreconcilable(**more: Any) -> list[Event]:
    """Four raters far apart, three rounds of deliberation, no winner."""
    seats = tuple(rater(name, caveat="A script, written beforehand." if name == "risk" else "") for name in shipped().raters)
    return [
        opened(panel=seats), *protocol(**more), *scored(SPLIT, absent=True),
        agreement(measured(.38, .16, .57, "unacceptable"), measured(.21, .03, .39, "unacceptable", 6)), *rounds(),
        PanelConcluded(
            outcome="irreconcilable", winner="neither", leaning="con", topic_type="default",
            weights={"technical": .28, "business": .23, "risk": .2, "general": .29},
            weighted=BothSides(pro=5.42, con=5.81), calibrated=BothSides(pro=.48, con=.53), gap=.035,
            disputed={
                "PRO-1": Dispute(variance=7.58, decides=False, scores={"technical": 9., "business": 3., "risk": 4., "general": 7.}),
                "CON-1": Dispute(variance=9.67, decides=True, scores={"technical": 2., "business": 4., "risk": 7., "general": 9.}),
                "CON-3": Dispute(variance=6.33, decides=False, scores={"technical": 8., "business": 3., "general": 5.}),
            },
            without={
                "technical": Without(outcome="cautious", winner="con", alpha=.55, gap=.12),
                "business": Without(outcome="irreconcilable", winner="neither", alpha=.33, gap=.02),
                "risk": Without(outcome="concluded", winner="pro", alpha=.71, gap=.09),
                "general": Without(outcome="undetermined", winner="neither", alpha=missing("too few items"), gap=.04),
            },
            reasons=("CON-1 is disputed with a variance of 9.67, and the winner changes without it",
                     "the sides are 3.5 % apart, under the 5 % that a winner needs"),
            advice=("Find out what the survey of 2023 asked those who do not own a car.",
                    "Have CON-1 examined by somebody who has seen the data."),
        ),
        DebateConcluded(winner="neither", by_rule="panel"),
    ]


def agreeing() -> list[Event]:
    """Four raters close together: the panel concludes."""
    return [
        opened(panel=tuple(rater(name) for name in shipped().raters), motion="The town should buy back its waterworks"),
        *protocol(), *scored(CLOSE),
        agreement(measured(.86, .74, .93, "high"), measured(.72, .51, .9, "moderate", 6)),
        PanelConcluded(
            outcome="concluded", winner="pro", leaning="pro", topic_type="default",
            weights=dict.fromkeys(shipped().raters, .25), weighted=BothSides(pro=5.92, con=4.42),
            calibrated=BothSides(pro=.61, con=.42), gap=.145,
            without={name: Without(outcome="concluded", winner="pro", alpha=.84, gap=.14) for name in shipped().raters},
            reasons=("alpha is .86, at or above .67",),
        ),
        DebateConcluded(winner="pro", by_rule="panel"),
    ]


TEXT: Final = """Release plan for the payment service

1. The migration runs during business hours so that the team is present.
2. Secrets are read from the environment; the old ones stay valid for a week.
3. A rollback is possible as long as no new column has been written.

Tests: the suite passes. Load tests will follow after the release.
"""


def artifact(finding: str = "Load tests come after the release.") -> list[Event]:
    """Five personas on a release plan."""
    names = list(shipped().personas)
    verdicts = {0: ("CONDITIONAL", "FAIL", "FAIL", "PASS", "CONDITIONAL"),
                1: ("CONDITIONAL", "FAIL", "FAIL", "CONDITIONAL", "CONDITIONAL"),
                2: ("CONDITIONAL", "CONDITIONAL", "FAIL", "CONDITIONAL", "CONDITIONAL")}
    quote = "Load tests will follow after the release."
    events: list[Event] = [opened(
        "deliberation", panel=tuple(rater(name, persona=True) for name in names), motion="Does release-plan.md pass?",
        artifact=Artifact(name="release-plan.md", text=TEXT, digest=HEX),
    )]  # fmt: skip
    for number, said in verdicts.items():
        for name, verdict in zip(names, said, strict=True):
            if name == "domain_expert" and number == 2:
                events.append(OpinionGiven(rater=name, model=f"scripted:{name}", round=2, missing=Reason("the model timed out")))
                continue
            events.append(OpinionGiven(
                rater=name, model=f"scripted:{name}", round=number, verdict=verdict, confidence=.7,  # type: ignore[arg-type]
                scores={"soundness": 2., "completeness": 1., "clarity": 3., "risk": 1.},
                findings=(finding,), remediation=("Run the load tests first.",),
                rationale="A release that is tested afterwards is an experiment on customers.",
                quote=quote if name != "qa_evaluator" else "words that nobody wrote", verified=name != "qa_evaluator",
            ))
        if number:
            before = said[names.index("compliance_auditor")]
            change = {1: ("domain_expert", "PASS", "CONDITIONAL", "evidence", quote),
                      2: ("compliance_auditor", "FAIL", "CONDITIONAL", "conformity", "")}[number]
            assert before
            events.append(DeliberationHeld(
                round=number, before=.55 + .1 * (number - 1), after=.65 + .1 * (number - 1), elapsed_ms=3000,
                changes=(MindChange(rater=change[0], before=change[1], after=change[2], kind=change[3], quote=change[4]),),  # type: ignore[arg-type]
                disagreements=(Disagreement(dimension="risk", positions={"security_analyst": 1., "domain_expert": 3.}, severity=1.),),
                ended="nobody moves any more" if number == 2 else "",
            ))
    return [*events, ArtifactJudged(
        verdict="CONDITIONAL", shares={"CONDITIONAL": .76, "FAIL": .24}, independent="FAIL",
        independent_shares={"FAIL": .45, "CONDITIONAL": .4, "PASS": .15}, agreement=.75, independent_agreement=.55,
        findings=(finding, "The old secrets stay valid for a week."),
        remediation=("Run the load tests first.", "Revoke the old secrets on the day."),
        reasons=("the greatest weight stands behind CONDITIONAL",),
    ), DebateConcluded(winner="neither", by_rule="artifact")]


def calibration() -> list[Event]:
    """Two raters on three known cases."""
    truths = {"aspirin": "pro", "canals": "con", "tulips": "neither"}
    arguments = tuple(Argument(id=f"PRO-{n}", claim="A claim of its own", reasoning="Because of this and that", evidence="Counted") for n in (1, 2))
    cases = tuple(
        Case(id=name, motion=f"On {name}: it did what was claimed", pro=arguments, con=arguments, truth=truth,  # type: ignore[arg-type]
             source="The record of 1998", digest=f"{n:064x}")
        for n, (name, truth) in enumerate(truths.items())
    )
    events: list[Event] = [opened("calibration", panel=(rater("technical"), rater("risk")), cases=cases,
                                  motion="Raters measured by 3 debates with known outcomes")]
    said = {"technical": ("pro", "con", "neither"), "risk": ("pro", "pro", None)}
    for name, verdicts in said.items():
        for case, verdict in zip(cases, verdicts, strict=True):
            given: dict[str, Any] = {"missing": Reason("the model gave nothing usable")} if verdict is None else {
                "said": verdict, "right": verdict == case.truth, "mean": BothSides(pro=6.2, con=5.1)}
            events.append(RaterCalibrated(rater=name, model=f"scripted:{name}", case=case.id, digest=case.digest, truth=case.truth, **given))
    return [*events, DebateConcluded(winner="neither", by_rule="calibration")]
