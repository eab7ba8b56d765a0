"""Debates of a planted league as logs: openings, two turns, the verdict of the scores, and the end."""

from msgspec import UNSET
from msgspec.structs import replace

from events.store.log import EventLog
from events.types import (
    BothSides,
    DebateConcluded,
    DebateHalted,
    DebateLabelled,
    Debater,
    Event,
    Origin,
    Rounds,
    ScorecardVerdictReached,
    TurnStarted,
)
from judge.league.results import LeagueMatch
from judge.rubrics.rubric import default_rubric
from tests.judge.turns import opened, side_of, spoken_turn


def seat(player: str) -> Debater:
    """A seat: ``model, character``, or ``person NAME``."""
    if player.startswith("person "):
        name = player.removeprefix("person ")
        return Debater(model=f"person:{name}", archetype="", elasticity=0.0, speaker=name)
    model, _, character = player.partition(", ")
    return Debater(model=f"vendor:{model}", archetype=character, elasticity=0.0)


def events_of(match: LeagueMatch, *, blind: bool = False) -> list[Event]:
    """One debate that ended as ``match`` says."""
    reading = match.reading
    assert reading is not None, "a planted match has its reading"
    pro, con = seat(match.pro), seat(match.con)
    start = replace(opened(default_rubric()), motion=match.motion, pro=pro, con=con, blind=blind)
    start = replace(start, judge=replace(start.judge, model=match.judge))
    if match.turns:
        start = replace(start, origin=Origin(kind="rejudge", debate=match.turns, position=5, digest="00"))
        nobody = Debater(model="", archetype="", elasticity=0.0)
        start = replace(start, pro=replace(nobody, speaker="again"), con=replace(nobody, speaker="once more"))
    said: list[Event] = [
        each
        for number, seated in ((1, pro), (2, con))
        for each in (
            TurnStarted(turn=number, side=side_of(number), attempt=1, directive=None),
            replace(spoken_turn(number, "Some words that are said."), model=seated.model.partition(":")[2]),
        )
    ]
    card = ScorecardVerdictReached(
        winner=match.outcome,
        mean=BothSides(pro=60 + reading.lead / 2, con=60 - reading.lead / 2),
        rounds=Rounds(pro=1, con=0),
        margin=abs(reading.lead),
        leaning="pro" if reading.lead > 0 else "con",
        certainty=0.9,
        error=reading.error,
        pairs=6,
    )
    return [start, *said, card, DebateConcluded(winner=match.outcome, by_rule="scorecard")]


async def store(log: EventLog, *matches: LeagueMatch, **labels: bool | str) -> None:
    """Append these debates, each under its id, with these labels."""
    for each in matches:
        label = [DebateLabelled(by="operator", **labels)] if labels else []  # type: ignore[arg-type]
        await log.append(each.debate, 0, [*events_of(each), *label])


async def store_halted(log: EventLog, debate: str) -> None:
    """Append a debate that was halted before its end."""
    await log.append(debate, 0, [replace(opened(), noise=UNSET), DebateHalted(reason="the cap", by="moot")])
