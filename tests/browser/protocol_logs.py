"""Logs of protocols, written event by event without a debate."""

from collections.abc import Container, Iterator
from typing import Any, Final

from events.types import (
    NOBODY,
    Argument,
    ArgumentCrossExamined,
    ArgumentsOpened,
    ArgumentTraced,
    AssessmentGiven,
    ClosingStated,
    CrossExaminationFaulted,
    DebateOpened,
    Debater,
    DebateSettings,
    Event,
    FallacyFound,
    JudgeSeat,
    QuestionsAnswered,
    Rater,
    Side,
    TrackRecord,
    TurnSpoken,
    TurnStarted,
    Usage,
)
from judge.panel.raters import shipped
from judge.rubrics.rubric import rubric_v1
from personalities.archetypes import archetypes

SIDES: Final[tuple[Side, Side]] = ("pro", "con")
RECORDS: Final = {"technical": (7, 9), "business": (5, 9), "risk": (0, 0), "general": (8, 9)}
CASES: Final = {
    "PRO-1": (
        "Free buses carry more people than cheap ones.",
        "At every trip the fare is a decision. In Dunkirk, which dropped it, trips rose by two thirds within a year.",
        "Dunkirk, 2018 to 2019: counts at the doors and a survey of 2,000 riders.",
    ),
    "PRO-2": (
        "Collecting fares costs more than it seems.",
        "Machines, inspectors, appeals and slow boarding eat a fifth of what comes in, and buses wait at every stop.",
        "The operator’s own accounts: 19 percent of fare income spent on collecting it.",
    ),
    "PRO-3": (
        "Once buses are free, congestion will vanish.",
        "People leave their cars that very day. From there the roads empty, the air clears and the hospitals with it.",
        "Professor Lindqvist, the country’s leading traffic scholar, says so.",
    ),
    "CON-1": (
        "The money buys more as frequency than as a free ticket.",
        "Those who do not ride name waiting, not paying. Nine million is one more bus an hour on every line.",
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
    "CON-1": (
        "challenge", "The survey asked people who own cars; those who do without were not asked.",
        "Who was left out of your survey?",
    ),
    "CON-2": (
        "partial", "Walkers who ride are riders too, but they do not empty a road.",
        "Would a tenth fewer cars not be worth nine million?",
    ),
    "CON-3": (
        "refute", "Hasselt’s bill grew because its riders grew thirteenfold; that is the aim, not the failure.",
        "Which other service is cut for being used?",
    ),
    "PRO-1": (
        "challenge", "Dunkirk doubled its buses in the same year, so the fare was not alone.",
        "What did frequency do there, and what did the fare?",
    ),
    "PRO-2": ("concede", "The accounts are public and the figure is right.", "What would the inspectors do instead?"),
    "PRO-3": (
        "refute", "No city that dropped its fares saw congestion vanish; Tallinn is the largest and it did not.",
        "Name one city where it did?",
    ),
}  # fmt: skip
STANDING: Final = {
    "PRO-1": ("PARTIALLY_UPHELD", (7, 8, 6, 6)), "PRO-2": ("UPHELD", (8, 8, 7, 8)), "PRO-3": ("REFUTED", (2, 1, 3, 2)),
    "CON-1": ("UPHELD", (8, 9, 7, 7)), "CON-2": ("PARTIALLY_UPHELD", (6, 7, 6, 7)),
    "CON-3": ("UNCERTAIN", (5, 4, 4, 6)),
}  # fmt: skip
FALLACIES: Final = (
    ("PRO-3", "appeal_to_authority", 1, CASES["PRO-3"][2], "A name stands where the counts should."),
    (
        "PRO-3",
        "slippery_slope",
        1,
        "From there the roads empty, the air clears and the hospitals with it.",
        "No step from one to the next is shown.",
    ),
    ("CON-1", "ad_hominem", 6, "Only those who hate cars could think otherwise.", ""),
)
DIMENSIONS: Final = ("logic", "evidence", "responsiveness", "honesty")
MOTION: Final = "The city should make its buses free"


def rater(name: str, *, persona: bool = False, caveat: str = "") -> Rater:
    """A shipped profile on a scripted model."""
    profile = (shipped().personas if persona else shipped().raters)[name]
    right, of = RECORDS.get(name, (0, 0))
    return Rater(
        name=name,
        title=profile.title,
        domain=profile.domain,
        focus=profile.focus,
        weights=profile.weights,
        model=f"scripted:{name}",
        share=profile.share,
        record=TrackRecord(right=right, of=of),
        caveat=caveat,
    )


def opened(form: str = "protocol", *, panel: tuple[Rater, ...] = (), motion: str = MOTION, **more: Any) -> DebateOpened:
    """The event that opens a debate."""
    is_debate = form in {"exchange", "protocol"}
    return DebateOpened(**{
        "motion": motion, "format": form, "turns": 6 if is_debate else 0, "max_words": 180,
        "pro": Debater(model="scripted:pro", archetype="engineer", elasticity=0.5) if is_debate else NOBODY,
        "con": Debater(model="scripted:con", archetype="strategist", elasticity=0.5) if is_debate else NOBODY,
        "judge": JudgeSeat(model="scripted:judge"), "panel": panel, "rubric": rubric_v1(),
        "archetypes": dict(archetypes()), "prompts": {}, "settings": DebateSettings(), "blind": False,
        "exhibition": None, "moot": "0.1.0", "topic_type": "default" if panel else "", **more,
    })  # fmt: skip


def _spoken(turn: int, text: str) -> TurnSpoken:
    return TurnSpoken(
        turn=turn,
        side="pro" if turn % 2 else "con",
        attempt=1,
        text=text,
        words=len(text.split()),
        clipped=False,
        pace=((900, len(text)),),
        model="scripted",
        usage=Usage(input_tokens=400, output_tokens=300),
        latency_ms=900,
    )


def _started(first: int) -> list[Event]:
    return [
        TurnStarted(turn=turn, side=side, attempt=1, directive=None)
        for turn, side in zip((first, first + 1), SIDES, strict=True)
    ]


def _answers(known: Container[str], *, faulty: bool) -> Iterator[Event]:
    """The round of answers to the questions of cross-examination."""
    yield from _started(5)
    for turn, side in ((5, "pro"), (6, "con")):
        own = [(name, said) for name, said in CROSS.items() if name.startswith(side.upper()) and name in known]
        answers = {name: f"To the question “{said[2]}”: <b>not yet</b>." for name, said in own}
        yield _spoken(turn, "\n\n".join(f"{name}: {text}" for name, text in answers.items()))
        words = {name: len(text.split()) for name, text in answers.items()}
        is_faulty = faulty and side == "con"
        yield QuestionsAnswered(
            side=side,  # type: ignore[arg-type]
            turn=turn,
            answers=answers,
            words=words,
            faults=("CON-9 is no argument",) if is_faulty else (),
            free_text="On CON-9: no." if is_faulty else "",
        )


def protocol(*, claims: dict[str, str] | None = None, faulty: bool = False, answered: bool = False) -> Iterator[Event]:
    """The rounds and the judge's findings.

    ``claims`` replaces some; ``faulty``: con opens with two arguments; ``answered``: with a round of answers.
    """
    known = {name: (claims.get(name, said[0]) if claims else said[0], *said[1:]) for name, said in CASES.items()}
    if faulty:
        del known["CON-3"]
    yield from _started(1)
    texts = {}
    for turn, side in enumerate(SIDES, 1):
        mine = [
            Argument(id=name, claim=c, reasoning=r, evidence=e)
            for name, (c, r, e) in known.items()
            if name.startswith(side.upper())
        ]
        texts[turn] = "\n\n".join(f"{a.id}: {a.claim}\n{a.reasoning}\nEvidence: {a.evidence}" for a in mine)
        is_faulty = faulty and side == "con"
        yield _spoken(turn, texts[turn])
        yield ArgumentsOpened(
            side=side,
            turn=turn,
            arguments=tuple(mine),
            faults=("2 arguments where 3 are asked for",) if is_faulty else (),
            free_text="I have two good reasons and a feeling: <b>that buses will be cut</b>." if is_faulty else "",
        )
    yield from _started(3)
    for turn, side in ((3, "pro"), (4, "con")):
        theirs = [(name, said) for name, said in CROSS.items() if not name.startswith(side.upper()) and name in known]
        yield _spoken(turn, "\n\n".join(f"On {name}: {said[1]} {said[2]}" for name, said in theirs))
        for name, (response, reasoning, follow_up) in theirs:
            yield ArgumentCrossExamined(
                by=side,
                turn=turn,
                target=name,
                response=response,
                reasoning=reasoning,
                follow_up=follow_up,  # type: ignore[arg-type]
            )
        if faulty and side == "con":
            yield CrossExaminationFaulted(by="con", turn=4, faults=("PRO-9 is no argument",), free_text="On PRO-9: no.")
    closing = 7 if answered else 5
    if answered:
        yield from _answers(known, faulty=faulty)
    yield from _started(closing)
    for turn, side in ((closing, "pro"), (closing + 1, "con")):
        position = (
            "Drop the fare and keep the timetable; the collecting alone pays for a part of it."
            if side == "pro"
            else "Buy frequency first. Only those who hate cars could think otherwise."
        )
        yield _spoken(turn, position)
        yield ClosingStated(
            side=side,
            turn=turn,
            final_position=position,
            words=len(position.split()),
            concessions=("Congestion will not vanish.",) if side == "pro" else ("Collecting fares costs a fifth.",),
            standing_arguments=("PRO-1", "PRO-2") if side == "pro" else ("CON-1", "CON-2"),
        )
    for argument, fallacy, turn, quote, reason in FALLACIES:
        start = (texts[1] if turn == 1 else position).index(quote)
        yield FallacyFound(
            argument=argument,
            fallacy=fallacy,
            quote=quote,
            turn=turn,
            span=(start, start + len(quote)),
            reason=reason,  # type: ignore[arg-type]
        )
    for name in known:
        standing, scores = STANDING[name]
        yield ArgumentTraced(
            argument=name,
            standing=standing,
            scores=dict(zip(DIMENSIONS, map(float, scores), strict=True)),  # type: ignore[arg-type]
            reason=f"The answer to {name} was weighed against its evidence.",
            total=round(sum(weight * score for weight, score in zip((0.3, 0.3, 0.25, 0.15), scores, strict=True)), 2),
            spread={"logic": 2.0} if name == "CON-1" else {},
        )
    yield AssessmentGiven(
        pro_total=16.5,
        con_total=19.05,
        key_insight="Both sides want more riders; they differ on what keeps people away.",
        unresolved_questions=("How many of Dunkirk’s new riders came for the frequency?",),
        recommendation="Try one more bus an hour on two lines before the fare is touched.",
    )
