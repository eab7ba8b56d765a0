"""The longest debate that is allowed, judged in full: 200 turns and exactly 5,000 events."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

import msgspec
from msgspec.structs import replace

from events import codec
from events.record import Draft, Recorded, digest_before_first, full_line, stamp
from events.types import (
    BothSides,
    ClaimAppealed,
    ClaimCleared,
    ClaimFlagged,
    ClaimUpheld,
    ComparisonOutcome,
    DebateConcluded,
    DirectiveIssued,
    Event,
    FindingRefused,
    LogicGapAdjusted,
    ModelAnswered,
    NarrativeVerdictReached,
    Passage,
    PenaltyApplied,
    PenaltyReversed,
    PremiseRevised,
    PremiseStated,
    PressureApplied,
    Rounds,
    ScorecardVerdictReached,
    ScoreHarmonized,
    SideNarrative,
    SideNarratives,
    TraitsShifted,
    TurnsCompared,
    TurnSpoken,
    other,
)
from personalities.archetypes import archetypes
from server.bench.material import SENTENCES, answered, opening, turn_events
from server.debate.formats.exchange.steps import side_of

TURNS: Final = 200
EVENTS: Final = 5_000
DEBATE: Final = "longest"
BEGAN: Final = datetime.fromisoformat("2026-01-05T09:00:00+00:00")
SECONDS: Final = 1.5
"""Seconds between two events."""
OUTCOMES: Final[tuple[ComparisonOutcome, ...]] = ("earlier", "later", "draw")


class _Log:
    """Drafts in order, each with the position that it will have."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = []

    def add(self, event: Event, cause: int | None = None) -> int:
        self.drafts.append(Draft(event=event, cause=cause))
        return len(self.drafts)


def drafts(turns: int = TURNS) -> list[Draft]:
    """The whole debate: 25 events for each turn, each with its cause.

    It is open at its end unless it has all 200 turns.
    """
    log = _Log()
    log.add(opening(turns))
    texts = [""]
    for turn in range(1, turns + 1):
        *spoken, scored = turn_events(turn)
        position = len(log.drafts)
        for event in spoken:
            position = log.add(event, position)
            if isinstance(event, TurnSpoken):
                texts.append(event.text)
        _judge(log, turn, texts, scored, position)
    if turns == TURNS:
        _conclude(log)
    return log.drafts


def _judge(log: _Log, turn: int, texts: list[str], scored: Event, score: int) -> None:
    """All questions of the judge about a turn, then the events that follow from the answers."""
    side, cause = side_of(turn), score - 1
    order = (f"compare:{turn - 1}-{turn}", f"compare:{turn}-{turn - 1}") if turn > 1 else ()
    keys = (f"claims:{turn}", f"second_opinion:C{turn}.1", f"premises:{turn}", f"gaps:{turn}", *order)
    asked = {key.partition(":")[0]: log.add(_answered(key, turn), cause) for key in keys}
    log.add(scored, score)
    compared = _compare(log, turn, asked["compare"]) if turn > 1 else asked["gaps"]
    _claims(log, turn, texts[turn], asked["claims"], asked["second_opinion"])
    for number in (1, 2):
        quote, span = _passage(texts[turn], number)
        log.add(
            PremiseStated(
                premise=f"P{turn}.{number}",
                side=side,
                turn=turn,
                text=f"It holds that {quote}",
                quote=quote,
                span=span,
            ),
            asked["premises"],
        )
    if turn > 2:
        revised = PremiseRevised(premise=f"P{turn - 2}.1", turn=turn, text="It holds, though not everywhere.")
        log.add(revised, asked["premises"])
    else:
        log.add(_refused(turn, "premises"), asked["premises"])
    if turn > 1:
        log.add(_gap(turn, texts, asked["gaps"]), asked["gaps"])
    felt = log.add(
        PressureApplied(
            side=other(side),
            turn=turn,
            cognitive=0.4,
            emotional=0.2,
            strategic=(turn % 5) / 10,
            credibility=0.1,
        ),
        compared,
    )
    traits = archetypes()["engineer" if other(side) == "pro" else "provocateur"].traits
    name = sorted(traits)[turn % len(traits)]
    shifts = {name: (traits[name], round(traits[name] + (turn % 7) / 10, 2))}
    moved = log.add(TraitsShifted(side=other(side), shifts=shifts), felt)
    log.add(DirectiveIssued(side=other(side), text="Answer the figure before you bring one of your own."), moved)


def _compare(log: _Log, turn: int, asked: int) -> int:
    outcomes = {name: OUTCOMES[(turn + index) % 3] for index, name in enumerate(("logic", "rhetoric", "tactics"))}
    compared = log.add(
        TurnsCompared(
            earlier=turn - 1,
            later=turn,
            outcomes=outcomes,
            flipped=("tactics",) if turn % 4 == 0 else (),
            reason="The later turn answers the figure and brings one that can be checked.",
        ),
        asked,
    )
    return log.add(
        ScoreHarmonized(
            turn=turn,
            dimension="rhetoric",
            requested=-1,
            applied=-1,
            rule="band_loser",
            because_of=compared,
            reason="Its band ends there.",
        ),
        compared,
    )


def _gap(turn: int, texts: list[str], asked: int) -> LogicGapAdjusted:
    """The gap that a turn exposes in the turn before it."""
    fails, exposes = _passage(texts[turn - 1], 2), _passage(texts[turn], 5)
    return LogicGapAdjusted(
        turn=turn - 1,
        dimension="logic",
        requested=-2,
        applied=-2,
        rule="logic_gap",
        because_of=asked,
        reason="The step from the cost to the rule is asserted, and the answer shows it.",
        fails=Passage(turn=turn - 1, quote=fails[0], span=fails[1]),
        exposed_by=Passage(turn=turn, quote=exposes[0], span=exposes[1]),
    )


def _claims(log: _Log, turn: int, text: str, asked: int, second: int) -> None:
    """A claim that is flagged, penalised, appealed, and sometimes cleared."""
    quote, span = _passage(text, 0)
    claim = f"C{turn}.1"
    flagged = log.add(
        ClaimFlagged(
            claim=claim,
            turn=turn,
            quote=quote,
            span=span,
            kind="hollow_specificity",
            reason="The figure is exact, and no source or cause is given for it.",
            by="judge",
        ),
        asked,
    )
    log.add(
        PenaltyApplied(
            turn=turn,
            dimension="logic",
            requested=-2,
            applied=-2,
            rule="hollow_specificity",
            because_of=flagged,
            claim=claim,
        ),
        flagged,
    )
    log.add(ClaimAppealed(claim=claim, by="rules"), flagged)
    if turn % 3:
        log.add(ClaimUpheld(claim=claim, by="judge", reason="The source cannot be found."), second)
        log.add(_refused(turn, "claims"), asked)
    else:
        cleared = log.add(ClaimCleared(claim=claim, by="judge", reason="The source stands in turn 1."), second)
        log.add(
            PenaltyReversed(
                turn=turn,
                dimension="logic",
                requested=2,
                applied=2,
                rule="cleared",
                because_of=cleared,
                claim=claim,
            ),
            cleared,
        )


def _conclude(log: _Log) -> None:
    asked = log.add(_answered("narrative", TURNS))
    log.add(
        ScorecardVerdictReached(
            winner="pro",
            mean=BothSides(pro=61.5, con=60.25),
            rounds=Rounds(pro=70, con=66, drawn=63),
            margin=1.25,
        )
    )
    arc = SideNarrative(evolution="From figures to costs.", fractures="The exceptions.", held="The space of one car.")
    narrative = log.add(
        NarrativeVerdictReached(
            winner="pro",
            pattern="recovery_arc",
            explanation="It came back by counting.",
            sides=SideNarratives(pro=arc, con=arc),
            cites=("C3.1", "P5.1"),
        ),
        asked,
    )
    log.add(DebateConcluded(winner="pro", by_rule="scorecard"), narrative)


def _refused(turn: int, purpose: str) -> FindingRefused:
    return FindingRefused(
        turn=turn,
        purpose=purpose,
        quote="words that nobody said",
        reason="the quote is not in the turn",
    )


def _answered(key: str, turn: int) -> ModelAnswered:
    """An answered call with the key of its question."""
    purpose, _, about = key.partition(":")
    return replace(answered(purpose, turn, "{}"), key=key, call=f"{purpose}.{about or turn}.1")


def _passage(text: str, sentence: int) -> tuple[str, tuple[int, int]]:
    """The start of a sentence of a turn, and its range in code points."""
    start = sorted(text.index(each) for each in SENTENCES if each in text)[sentence % len(SENTENCES)]
    quote = text[start : start + 48]
    return quote, (start, start + len(quote))


def longest(debate: str = DEBATE) -> tuple[Recorded, ...]:
    """The records of the concluded debate, one event every 1.5 seconds."""
    records: list[Recorded] = []
    previous = digest_before_first(debate)
    for draft in drafts():
        at = (BEGAN + timedelta(seconds=SECONDS * len(records))).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        records += stamp(debate, len(records), previous, [draft], at, [codec.encode(draft.event)])
        previous = records[-1].digest
    return tuple(records)


def lines(debate: str = DEBATE) -> Iterator[bytes]:
    """The lines of its export."""
    for record in longest(debate):
        yield msgspec.json.encode(full_line(record)) + b"\n"
