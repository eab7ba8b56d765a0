"""Every kind of sentence of a report, checked against the raw events: those it cites imply it, and none denies it.

The checks use neither the folds nor the wordings of the reports: each kind has its pattern and its reading of events.
"""

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.record import Recorded
from events.state.ledger import turns_moved
from events.types import (
    ArgumentCrossExamined,
    ArgumentsOpened,
    ArgumentTraced,
    AssessmentGiven,
    BothSides,
    CheckMissing,
    CitationChecked,
    ClaimCleared,
    ClaimFlagged,
    ClaimUpheld,
    ContradictionFound,
    CrossExaminationFaulted,
    DebateConcluded,
    DebateHalted,
    DebateOpened,
    DebatePaused,
    DebateResumed,
    Event,
    FallacyFound,
    FindingRefused,
    InjectionDetected,
    LogicGapAdjusted,
    Missing,
    NarrativeVerdictReached,
    OpponentAnswered,
    Passage,
    PenaltyApplied,
    PenaltyReversed,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
    PremiseWithdrawn,
    QuestionsAnswered,
    Reason,
    ScoreCapped,
    ScorecardVerdictReached,
    ScoreChange,
    ScoreHarmonized,
    ScoreInferred,
    TranscriptSupplied,
    TurnRescored,
    TurnsCompared,
    TurnScored,
    TurnSpoken,
    missing,
    other,
)
from server.export.document import CitedTurn, QuotedWords, Strong
from server.export.labels import named
from server.export.reports.sentences import KINDS, ReportSentence
from tests.server.debate.cited_debate import ANSWERS, MISQUOTED, SAYS
from tests.server.debate.test_citing import open_cited
from tests.server.export.reports.test_debater import BY_HAND, LOGS, exhibited, made, recorded, records, sentences
from tests.server.harness import harness

Log = tuple[Recorded, ...]
NAMES = {"pro": "Pro", "con": "Con"}


class Told(NamedTuple):
    """A sentence with the raw events: all, and those that it cites."""

    log: dict[int, Any]
    cited: dict[int, Any]
    side: Any
    sentence: ReportSentence
    found: re.Match[str]
    report: tuple[ReportSentence, ...] = ()

    @property
    def told_alone(self) -> list[Any]:
        """The changes that sentences of the report tell one by one."""
        kinds = "gap", "claim", "dropped", "contradiction", "injection"
        alone = {"flagged_too", "charged", *(f"lost_{kind}" for kind in kinds)}
        events = [self.log[at] for each in self.report if each.kind in alone for at in each.because_of]
        return [each for each in events if isinstance(each, LogicGapAdjusted | PenaltyApplied)]

    def __getitem__(self, name: str) -> str:  # type: ignore[override]
        return self.found[name]

    def all(self, *types: type[Event], **values: Any) -> list[Any]:
        return [each for each in self.log.values() if is_such(each, types, values)]

    def cites(self, *types: type[Event], **values: Any) -> list[Any]:
        return [each for each in self.cited.values() if is_such(each, types, values)]

    def one(self, *types: type[Event], **values: Any) -> Any:
        (found,) = self.cites(*types, **values)
        return found

    @property
    def turn(self) -> int:
        return int(self["turn"])

    @property
    def rival(self) -> Any:
        return other(self.side)

    @property
    def mine(self) -> list[int]:
        """The side's turns."""
        return [each.turn for each in self.all(TurnSpoken, side=self.side)]

    @property
    def opened(self) -> DebateOpened:
        (found,) = self.all(DebateOpened)
        return found  # type: ignore[no-any-return]

    def text(self, turn: int) -> str:
        (spoken,) = self.all(TurnSpoken, turn=turn)
        return str(spoken.text)

    def says(self, turn: int, quote: str = "") -> bool:
        """Whether a turn has the quoted words."""
        return plain(quote or self["quote"]) in plain(self.text(turn))


def is_such(event: Any, types: tuple[type[Event], ...], values: dict[str, Any]) -> bool:
    return isinstance(event, types) and all(getattr(event, name) == value for name, value in values.items())


def plain(text: str) -> str:
    return " ".join(text.split())


def words(sentence: ReportSentence) -> str:
    """The whole sentence as text; quotes in double angles, so that a pattern finds their ends."""

    def part(each: Any) -> str:
        match each:
            case QuotedWords() | Strong():
                return f"«{plain(each.text)}»" if isinstance(each, QuotedWords) else each.text
            case CitedTurn():
                return f"turn {each.turn}"
        return str(each)

    return "".join(map(part, sentence.text))


def composites(told: Told, events: list[Any]) -> dict[int, float]:
    """The points of the turns, from some events alone: the last reading of each score, or what comparisons imply."""
    parts = [name for name, each in told.opened.rubric.dimensions.items() if each.in_composite]
    given: dict[int, dict[str, float]] = {}
    for each in events:
        if isinstance(each, TurnScored | TurnRescored) and each.dimensions is not UNSET:
            given.setdefault(each.turn, {}).update({name: one.admitted for name, one in each.dimensions.items()})
        elif isinstance(each, ScoreInferred):
            given.setdefault(each.turn, {}).update(each.dimensions)
    found: dict[int, float] = {}
    for turn, points in sorted(given.items()):
        if all(name in points for name in parts):
            changes = changes_of(events, turn)
            applied = sum(each.applied for each in changes if each.dimension in parts)
            found[turn] = round(sum(points[name] for name in parts) + applied, 2)
    return found


def changes_of(events: list[Any], turn: int) -> list[Any]:
    """The changes of the score of a turn, also those that follow from a second reading."""
    every = (
        one
        for each in events
        for one in (*((each.changes or ()) if isinstance(each, TurnRescored) else ()), each)
        if isinstance(one, ScoreChange)
    )
    return [each for each in every if each.turn == turn]


def highest(told: Told, turn: int) -> float:
    """The most that a turn can have: by the newer rubrics turn 1 has no points of what does not apply to it."""
    rubric = told.opened.rubric
    counted = [each for each in rubric.dimensions.values() if each.in_composite]
    if rubric.base != "components":
        return sum(each.maximum for each in counted)
    components = [one for each in counted for one in each.components.values() if one.applies_from <= turn]
    return sum(each.maximum for each in components)


def ranks(told: Told, *, of: Callable[..., float] | None, alone: bool) -> bool:
    """Whether a turn has the most (``max``) or the least (``min``) of the side's turns, of what each could have."""
    mine = {turn: points for turn, points in composites(told, told.cites(Event)).items() if turn in told.mine}
    everything = {turn: points for turn, points in composites(told, told.all(Event)).items() if turn in told.mine}
    shares = {turn: points / highest(told, turn) for turn, points in mine.items()}
    is_extreme = (len(shares) == 1) if of is None else shares[told.turn] == of(shares.values())
    is_alone = [*shares.values()].count(shares[told.turn]) == 1
    says_when = told["when"] == ("in the end" if told.all(DebateConcluded) else "so far")
    differ = len({highest(told, turn) for turn in mine}) > 1
    return (
        mine == everything
        and is_extreme
        and is_alone == alone
        and says_when
        and float(told["points"]) == mine[told.turn]
        and float(told["most"]) == highest(told, told.turn)
        and (of is None or differ == bool(told["by"]))
    )


def shown(value: float, told: Told, name: str = "points") -> bool:
    return (
        abs(float(told[name]) - value) < 0.0551
    )  # the record has two decimals: 72.045 is 72.05, which is shown as 72.1


def outcome(told: Told) -> bool:
    """The winner, what decided, and what the reading of the whole debate says, as recorded."""
    end, text = told.one(DebateConcluded), told["text"]
    cards, rubric = told.cites(ScorecardVerdictReached), told.opened.rubric
    is_by_lead = end.by_rule == "scorecard" and any(card.leaning is not UNSET for card in cards)
    no_winner = any(each in text for each in ("No winner", "no winner", "No side", "For reference only"))
    no_winner = text.startswith("Not distinguishable") if is_by_lead else no_winner
    ahead = "was ahead in this debate" if is_by_lead else "wins"
    names_winner = f"{NAMES[end.winner]} {ahead}" in text if end.winner != "neither" else no_winner
    other_wins = end.winner != "neither" and f"{NAMES[other(end.winner)]} {ahead}" in text
    is_fair = "You" not in text and names_winner and not other_wins
    for card in cards:
        if is_by_lead:
            is_fair = is_fair and by_lead(told, card, text)
            continue
        is_tie = not isinstance(card.margin, Missing) and card.margin <= rubric.tie_within
        if end.by_rule == "scorecard" and end.winner != "neither":
            is_fair = is_fair and is_tie == ("tie" in text) and (card.decided_by is UNSET or card.decided_by in text)
    for read in told.cites(NarrativeVerdictReached):
        names = re.search(r"The reading of the whole debate names (Pro|Con)", text)
        expected = NAMES.get(read.winner) if read.winner and not read.flipped else None
        is_fair = is_fair and (names[1] if names else None) == expected
    figures: list[Any] = [rubric.tie_within]
    for card in cards:
        figures += [card.margin, card.noise, *((card.mean.pro, card.mean.con))]
    for given in told.cites(AssessmentGiven):
        figures += [given.pro_total, given.con_total]
    known = [each for each in figures if isinstance(each, float | int)]
    text = (
        re.sub(r"A side is named from .*(?= The reading of the whole)|\(\d+ % sure\)", "", text) if is_by_lead else text
    )
    numbers = [float(each) for each in re.findall(r"\d+(?:\.\d+)?", text)]
    is_fair = is_fair and all(any(abs(number - each) < 0.051 for each in known) for number in numbers)
    for pro, con in re.findall(r"Pro (\d+\.\d+), Con (\d+\.\d+)", text):
        both = [(each.mean.pro, each.mean.con) for each in cards]
        both += [(each.pro_total, each.con_total) for each in told.cites(AssessmentGiven)]
        is_fair = is_fair and any(abs(float(pro) - x) < 0.051 and abs(float(con) - y) < 0.051 for x, y in both)
    missed = [each for each in told.all(NarrativeVerdictReached) if each not in told.cited.values()]
    return is_fair and not missed


SECOND_READINGS: dict[str, Callable[[TurnRescored], bool]] = {
    "no further reading was given": lambda again: again.missing is not UNSET,
    "the readings confirm the first one": lambda again: again.missing is UNSET and again.components is UNSET,
    "the median of the readings counts": lambda again: again.components is not UNSET,
}


def by_lead(told: Told, card: ScorecardVerdictReached, text: str) -> bool:
    """Who leads by how much, how sure that is, on what it rests, and which turns were read again or not at all."""
    rule, mean = told.opened.rubric.certainty, card.mean
    assert isinstance(mean.pro, float)
    assert isinstance(mean.con, float)
    margin = round(mean.pro - mean.con, 2)
    leads = "pro" if margin > 0 else "con" if margin else "neither"
    sure = f"({math.floor(card.certainty * 100)} % sure)" if margin else "both sides have the same points"
    noise = told.opened.noise
    again = told.all(TurnRescored)
    read = [[*map(int, re.findall(r"\d+", each))] for each in re.findall(r"Turns? ([\d, and]+) did not fit", text)]
    without = [int(each) for each in re.findall(r"Turn (\d+) has no score", text)]
    return (
        (card.leaning, card.margin) == (leads, abs(margin))
        and (card.winner != "neither") == (bool(margin) and card.certainty >= rule.name_at)
        and all(each in text for each in (sure, f"named from {rule.name_at * 100:.0f} % on", f"from {card.pairs} pair"))
        and f" {card.error:.1f}".removesuffix(".0") + " point" in text
        and "tie" not in text
        and ("was not measured" in text) == (noise is UNSET or noise.residual is UNSET)
        and again == told.cites(TurnRescored)
        and sorted(each.turn for each in again) == sorted(turn for turns in read for turn in turns)
        and [each.turn for each in told.all(ScoreInferred)] == without
        and all((said in text) == any(map(is_so, again)) for said, is_so in SECOND_READINGS.items())
        and all(
            map(
                by_witness(told, leads), re.findall(r"points to (Pro|Con)( too)? \((.+?): Pro (.+?), Con (.+?)\)", text)
            )
        )
    )


def by_witness(told: Told, leads: str) -> Callable[[tuple[str, ...]], bool]:
    """Whether what conduct and premises point to follows from their figures, and conduct's figures from the events."""
    sides = {each.turn: each.side for each in told.all(TurnSpoken)}
    conduct: dict[str, dict[int, float]] = {"pro": {}, "con": {}}
    for each in told.all(TurnScored, TurnRescored):
        if each.dimensions is not UNSET and "credibility" in each.dimensions:
            changes = [one for one in changes_of(told.all(Event), each.turn) if one.dimension == "credibility"]
            applied = sum(one.applied for one in changes)
            conduct[sides[each.turn]][each.turn] = each.dimensions["credibility"].admitted + applied

    def holds(said: tuple[str, ...]) -> bool:
        side, too, measure, *figures = said
        pro, con = map(float, figures)
        known = [sum(points.values()) / len(points) for points in conduct.values()]
        is_known = measure != "credibility" or all(abs(x - y) < 0.0051 for x, y in zip(known, (pro, con), strict=True))
        return is_known and side == ("Pro" if pro > con else "Con") and bool(too) == (side == NAMES.get(leads))

    return holds


def means(told: Told) -> bool:
    points = composites(told, told.all(Event))
    sides = {each.turn: each.side for each in told.all(TurnSpoken)}
    enough = told.cites(ScorecardVerdictReached) or composites(told, told.cites(Event)) == points

    def holds(side: str, name: str) -> bool:
        mine = [each for turn, each in points.items() if sides[turn] == side]
        return shown(sum(mine) / len(mine), told, name) if mine else told[name] == "none"

    return (
        bool(enough) and holds(told.side, "mine") and holds(told.rival, "theirs") and told["rival"] == NAMES[told.rival]
    )


def exchanges(told: Told) -> bool:
    counts = {"won": 0, "lost": 0, "drawn": 0}
    neighbours = [each for each in told.all(TurnsCompared) if each.later == each.earlier + 1]
    for each in neighbours:
        if each.missing is not UNSET:
            continue
        given = [*each.outcomes.values()]
        earlier, later = given.count("earlier"), given.count("later")
        winner = each.earlier if earlier > later else each.later
        counts["drawn" if earlier == later else "won" if winner in told.mine else "lost"] += 1
    names = {name.replace("_", " ") for each in told.cites(TurnsCompared) for name in each.outcomes or ()}
    return (
        told.cites(TurnsCompared) == neighbours
        and all(int(told[name]) == number for name, number in counts.items())
        and int(told["pairs"]) == sum(counts.values())
        and names == {*told["dimensions"].replace(" and ", ", ").split(", ")}
    )


def points_(told: Told) -> bool:
    """The points of both sides from the last values of all components, each over the turns that have it.

    What one side has in no turn counts for neither; what changed the scores is a mean over a side's turns.
    """
    rubric = told.opened.rubric
    parts = {
        name: one.maximum
        for each in rubric.dimensions.values()
        if each.in_composite
        for name, one in each.components.items()
    }
    had: dict[str, dict[int, dict[str, float]]] = {"pro": {}, "con": {}}
    sides = {each.turn: each.side for each in told.all(TurnSpoken)}
    wholes = composites(told, told.all(Event))
    for each in told.all(TurnScored, TurnRescored, ScoreInferred):
        if each.components is UNSET or each.turn not in wholes:
            continue
        read = {name: getattr(one, "admitted", one) for name, one in each.components.items() if name in parts}
        had[sides[each.turn]].setdefault(each.turn, {}).update(read)

    def total(side: str, names: list[str]) -> float:
        turns = had[side]
        by_name = [[given[name] for given in turns.values() if name in given] for name in names]
        changes = [wholes[turn] - sum(given.values()) for turn, given in turns.items()]
        return sum(sum(each) / len(each) for each in by_name) + sum(changes) / len(changes)

    def has(side: str, name: str) -> bool:
        return any(name in given for given in had[side].values())

    both = all(had.values())
    for side, name in ((told.side, "mine"), (told.rival, "theirs")):
        names = [each for each in parts if has(side, each) and (not both or has(other(side), each))]
        if not had[side]:
            if told[name] != "none":
                return False
        elif not shown(total(side, names), told, name):
            return False
        most = sum(parts[each] for each in names)
        if (side == "pro" or not had["pro"]) and had[side] and int(told["most"]) != most:
            return False
    return told["rival"] == NAMES[told.rival]


def component(told: Told) -> bool:
    score = [each for each in told.cites(TurnScored, TurnRescored) if each.components is not UNSET][-1]
    name = told["component"].replace(" ", "_")
    rules = {name: each for part in told.opened.rubric.dimensions.values() for name, each in part.components.items()}
    given, rule = score.components[name], rules[name]
    admitted = told["admitted"]
    is_given = float(told["given"]) == given.raw and int(told["of"]) == rule.maximum and rule.asks == told["asks"]
    is_admitted = given.admitted == (float(admitted) if admitted else given.raw)
    quotes = "quote" not in told.found.re.groupindex or (given.verified and told.says(score.turn))
    return is_given and is_admitted and quotes


def judge_wrote(told: Told) -> bool:
    """The words are those of an answer of the judge, in an event that is the judge's."""
    (event,) = told.cited.values()
    first = next(each.side for each in told.all(TurnSpoken) if each.turn == 1) if told.all(TurnSpoken) else "pro"
    is_score = isinstance(event, TurnScored | TurnRescored)
    texts = [each.reason for each in (event.components.values() if is_score else (event,))]
    by = getattr(event, "by", "judge")
    return by != "evidence" and any(plain(named(text, first)).startswith(told["quote"]) for text in texts)


def lost(told: Told) -> Any:
    """The loss that the sentence tells: a change of this turn, by these points, that was not undone."""
    change = told.one(LogicGapAdjusted, PenaltyApplied)
    undone = [each for each in told.all(PenaltyReversed) if change in told.all(PenaltyApplied, claim=each.claim)]
    assert not undone
    assert (change.turn, scale(told, change)) == (told.turn, told["dimension"])
    assert shown(-change.applied, told)
    return change


def scale(told: Told, change: Any) -> str:
    """The dimension of a change, and whether it counts."""
    counts = told.opened.rubric.dimensions[change.dimension].in_composite
    return str(change.dimension.replace("_", " ") + ("" if counts else " (not in the total)"))


def lost_claim(told: Told) -> bool:
    change, flag = lost(told), told.one(ClaimFlagged)
    cleared = told.all(ClaimCleared, claim=flag.claim)
    is_it = change.claim == flag.claim and flag.kind.replace("_", " ") == told["flag"]
    return is_it and not cleared and told.says(change.turn) and plain(flag.quote).startswith(told["quote"][:20])


def contradicted(told: Told) -> bool:
    found, stated = told.one(ContradictionFound, side=told.side), told.one(PremiseStated)
    is_mine = (stated.side, stated.turn) == (told.side, told.turn)
    return stated.premise in found.premises and is_mine and told.says(stated.turn)


def charged(told: Told) -> bool:
    """The points that a drop cost; which drop, the sentence before says."""
    change = told.one(PenaltyApplied, rule="dropped_premise")
    return scale(told, change) == told["dimension"] and shown(-change.applied, told)


def flagged_at_no_cost(told: Told) -> bool:
    flag = told.one(ClaimFlagged, turn=told.turn)
    rule = told.opened.rubric.claims[flag.kind]
    taken = told.all(PenaltyApplied, claim=flag.claim) + told.all(ClaimCleared, claim=flag.claim)
    is_it = flag.kind.replace("_", " ") == told["flag"] and rule.asks == told["asks"] and told.says(told.turn)
    return is_it and told.turn in told.mine and not taken and not rule.points


def lost_dropped(told: Told) -> bool:
    change, dropped, stated = lost(told), told.one(PremiseDropped), told.one(PremiseStated)
    return (change.turn, dropped.turn, stated.premise) == (told.turn, told.turn, dropped.premise) and told.says(
        stated.turn
    )


def lost_gap(told: Told) -> bool:
    gap = lost(told)
    return gap.fails.turn == told.turn and told.says(told.turn) and plain(gap.fails.quote) in plain(told["quote"])


def shown_by(told: Told) -> bool:
    """Only a later turn of the other side can show a flaw; other words show it without any act of their speaker."""
    gap = told.one(LogicGapAdjusted)
    turn = gap.exposed_by.turn
    return turn == told.turn and turn > gap.turn and told.says(turn) and turn not in told.mine


def shown_before(told: Told) -> bool:
    gap = told.one(LogicGapAdjusted)
    turn = gap.exposed_by.turn
    whose = "Your own" if turn in told.mine else f"{NAMES[told.rival]}’s"
    is_other = turn != gap.turn and (turn in told.mine or turn < gap.turn)
    return turn == told.turn and told["whose"] == whose and told.says(turn) and is_other


def many_lost(told: Told) -> bool:
    """A number of losses with their points, all of the dimensions that are named."""
    changes = told.cites(LogicGapAdjusted, PenaltyApplied)
    reversed_claims = {each.claim for each in told.all(PenaltyReversed)}
    stand = all(
        isinstance(each, LogicGapAdjusted) or each.claim is UNSET or each.claim not in reversed_claims
        for each in changes
    )
    mine = all(each.turn in told.mine for each in changes)
    of_scale = {scale(told, each) for each in changes} == {*told["dimension"].split(" and ")}
    return (
        stand
        and mine
        and of_scale
        and int(told["number"]) == len(changes)
        and shown(-sum(each.applied for each in changes), told)
    )


def further(told: Told) -> bool:
    """The losses that no other sentence of the report tells."""
    alone = told.told_alone
    return many_lost(told) and not any(each in alone for each in told.cites(LogicGapAdjusted, PenaltyApplied))


def cost(told: Told) -> bool:
    """The turns that lost most together are named with their sums, and no other is."""
    sums: dict[int, float] = {}
    for each in told.cites(LogicGapAdjusted, PenaltyApplied):
        sums[each.turn] = sums.get(each.turn, 0) - each.applied
    most = {turn: points for turn, points in sums.items() if abs(points - max(sums.values())) < 0.001}
    text = told["most"]
    if len(sums) == 1:
        return many_lost(told) and text == f"all in turn {next(iter(sums))}"
    said = {int(turn): float(points) for points, turn in re.findall(r"([\d.]+) (?:of them )?in turn (\d+)", text)}
    return many_lost(told) and said == most


def changed(told: Told) -> bool:
    """The first score and each kind of change add up to what is left, from the turn's events alone."""
    parts = [name for name, each in told.opened.rubric.dimensions.items() if each.in_composite]
    scored = told.one(TurnScored)
    first = sum(scored.dimensions[name].admitted for name in parts)
    every = [each for each in changes_of(told.all(Event), scored.turn) if each.dimension in parts]
    sums: dict[str, float] = {}
    kinds = {LogicGapAdjusted: "flaws", ScoreHarmonized: "comparisons", ScoreCapped: "limits of a score"}
    for each in every:
        of_claim = isinstance(each, PenaltyReversed) or getattr(each, "claim", UNSET) is not UNSET
        kind = "flagged claims" if of_claim else kinds.get(type(each), "rules of conduct")
        kind = "weighing all findings again" if each.rule == "docking" else kind
        sums[kind] = sums.get(kind, 0) + each.applied
    for again in told.cites(TurnRescored, turn=scored.turn):
        if again.dimensions is not UNSET:
            read = sum(again.dimensions[name].admitted for name in parts)
            sums["a second reading"] = read - first
    said = {
        kind.removeprefix(" and ").strip(): float(points) * (-1 if verb == "took" else 1)
        for kind, verb, points in re.findall(r"([a-z ]+?) (took|gave) ([\d.]+) points?", told["changes"])
    }
    return (
        [each for each in changes_of(told.cites(Event), scored.turn) if each.dimension in parts] == every
        and told.cites(TurnRescored)
        == [
            each for each in told.all(TurnRescored) if each.components is not UNSET and scored.turn in turns_moved(each)
        ]
        and said == {kind: round(points, 2) for kind, points in sums.items() if round(points, 2)}
        and float(told["first"]) == round(first, 2)
        and float(told["points"]) == round(first + sum(said.values()), 2)
    )


def bands(told: Told) -> bool:
    moved: dict[int, float] = {}
    for turn in told.mine:
        applied = [each.applied for each in changes_of(told.all(Event), turn) if isinstance(each, ScoreHarmonized)]
        moved |= {turn: sum(applied)} if applied else {}
    listed = {
        int(t): float(p) * (-1 if way == "down" else 1)
        for t, way, p in re.findall(r"turn (\d+) (down|up) by ([\d.]+) point", told[0])
    }
    return listed == {turn: round(points, 2) for turn, points in moved.items() if points}


def bands_total(told: Told) -> bool:
    every, cited = (
        [each for turn in told.mine for each in changes_of(events, turn) if isinstance(each, ScoreHarmonized)]
        for events in (told.all(Event), told.cites(Event))
    )
    return cited == every and shown(-sum(each.applied for each in every), told)


def dropped(told: Told) -> bool:
    """Nothing later says that the premise came back, nor does a refused finding; that it was given up may follow."""
    drop = told.one(PremiseDropped)
    (stated,) = told.all(PremiseStated, premise=drop.premise)
    later = [each for each in told.all(PremiseRevised, premise=drop.premise) if each.turn > drop.turn]
    refused = [each for each in told.all(FindingRefused, purpose="premises") if drop.premise in each.quote.split(", ")]
    denied = later or [each for each in refused if each.turn > drop.turn]
    return drop.turn == told.turn and stated.side == told.side and told.says(stated.turn) and not denied


def premise(told: Told) -> bool:
    stated = told.one(PremiseStated)
    gone = told.all(PremiseDropped, PremiseWithdrawn, premise=stated.premise)
    came_back = told.all(PremiseRevised, premise=stated.premise)
    is_it = (stated.side, stated.turn) == (told.rival, told.turn) and told.says(stated.turn)
    return is_it and told["rival"] == NAMES[told.rival] and (not gone or bool(came_back))


def not_answered(told: Told, stated: Any) -> bool:
    """The judge's answer on each later turn of the side does not name the premise, and no finding is against it.

    Words that show a flaw of another turn are not thereby answered.
    """
    later = [turn for turn in told.mine if turn > stated.turn]
    answers = {each.turn: each.answered for each in told.cites(OpponentAnswered)}
    start, end = stated.span

    def meets(span: Any) -> bool:
        return bool(span[0] < end and start < span[1])

    flaws = [each.fails for each in told.all(LogicGapAdjusted)]
    spans = [each.span for each in (*flaws, *told.all(ClaimFlagged)) if each.turn == stated.turn]
    refused = [each.quote for each in told.all(FindingRefused) if each.purpose != "premises" and each.quote]
    text = told.text(stated.turn)
    spans += [(text.index(quote), text.index(quote) + len(quote)) for quote in refused if quote in text]
    return (
        bool(later)
        and [*answers] == later
        and not any(stated.premise in each for each in answers.values())
        and not any(map(meets, spans))
    )


def is_open(told: Told, stated: Any) -> bool:
    """As ``not_answered``, of one premise among others, by the answers about the turns after it."""
    later = [turn for turn in told.mine if turn > stated.turn]
    cited = {at: event for at, event in told.cited.items() if getattr(event, "turn", 0) in later}
    return not_answered(told._replace(cited=cited), stated)


def withdrawn(told: Told) -> bool:
    event, stated = told.one(PremiseWithdrawn), told.one(PremiseStated)
    is_mine = stated.side == told.side and event.premise == stated.premise
    return is_mine and event.turn == told.turn and told.says(told.turn)


def miscited(told: Told) -> bool:
    each = told.one(CitationChecked)
    fault = {"misquoted": "these words do not stand", "unknown_passage": "the documents have no such"}[each.finding]
    is_it = (each.turn, each.passage) == (told.turn, told["passage"]) and each.turn not in told.mine
    return is_it and told["fault"].startswith(fault) and told.says(each.turn)


def readings(told: Told, name: str) -> dict[int, Any]:
    """By turn, the last reading that has a component."""
    every = [each for each in told.all(TurnScored, TurnRescored) if each.components is not UNSET]
    return {each.turn: each for each in every if name in each.components}


def points_of(event: Any, name: str) -> float:
    assert event.components is not UNSET
    return event.components[name].admitted


def below_best(told: Told) -> bool:
    name = told["component"].replace(" ", "_")
    rule = next(each.components[name] for each in told.opened.rubric.dimensions.values() if name in each.components)
    every = [each for each in readings(told, name).values() if each.turn >= rule.applies_from]
    top = max(points_of(each, name) for each in every)
    held = [each for each in every if not rule.needs_quote or each.components[name].verified]
    below = [top - points_of(each, name) for each in held if each.turn in told.mine]
    figures = (float(told["best"]), int(told["of"]), int(told["turns"])) == (top, rule.maximum, len(below))
    scored_turns = [each for each in told.all(TurnScored) if each.turn in told.mine]
    figures = figures and bool(told["some"]) == (len(below) < len(scored_turns))
    is_cited = {each.turn for each in every} <= {each.turn for each in told.cites(TurnScored)}
    return figures and is_cited and shown(sum(below), told)


def unscored(told: Told) -> bool:
    scored = told.one(TurnScored)
    reason = (
        scored.missing.reason
        if "dimension" not in told.found.re.groupindex
        else (scored.absent[told["dimension"].replace(" ", "_")].reason)
    )
    return scored.turn == told.turn and reason == told["reason"]


def traced(told: Told) -> Any:
    return told.one(ArgumentTraced)


def argument(told: Told) -> bool:
    opened = told.one(ArgumentsOpened)
    return opened.turn == told.turn and any(
        each.id == told["name"] and plain(each.claim) == told["quote"] for each in opened.arguments
    )


def is_highest(told: Told) -> bool:
    criteria = told.opened.rubric.criteria
    return criteria is not None and int(told["of"]) == criteria.high


def below_best_argument(told: Told) -> bool:
    name = told["criterion"].replace(" ", "_")
    every = [each for each in told.cites(ArgumentTraced) if name in each.scores]
    top = max(each.scores[name] for each in every)
    mine = [top - each.scores[name] for each in every if each.argument.startswith(told.side.upper())]
    is_all = told.cites(ArgumentTraced) == told.all(ArgumentTraced)
    return is_all and is_highest(told) and float(told["best"]) == top and shown(sum(mine), told)


def asked(told: Told) -> bool:
    each = told.one(ArgumentCrossExamined)
    return (each.by, each.turn, each.target, plain(each.follow_up)) == (
        told.rival,
        told.turn,
        told["name"],
        told["quote"],
    )


def in_respect_of(text: str) -> str:
    """The component or the criterion that the sentence before names."""
    return text[text.index("(") + 1 : text.index(")")].replace(" ", "_")


QUOTE, POINTS, TURN = "«(?P<quote>.*)»", "(?P<points>[\\d.]+) points?", "turn (?P<turn>\\d+)"
DIMENSION = "(?P<dimension>[a-z ]+(?: \\(not in the total\\))?)"
LOST = f"{TURN} lost {POINTS} of {DIMENSION}"
BY_SHARE = "(?P<by>, by the share of what a turn could have)?"
OF_MOST = f"(?P<points>[\\d.]+) of (?P<most>\\d+) (?P<when>in the end|so far){BY_SHARE}\\."
WITH = f"with (?P<points>[\\d.]+) of (?P<most>\\d+) points (?P<when>in the end|so far){BY_SHARE}\\."
GIVEN = "(?P<given>[\\d.]+) of (?P<of>\\d+)(?:, of which the rules admit (?P<admitted>[\\d.]+),)?"
BEST = "In this respect \\({what}\\) the best {best} of this debate has (?P<best>[\\d.]+) of (?P<of>\\d+)\\. Your "
Check = Callable[[Told], Any]
CHECKS: dict[str, tuple[str, Check]] = {
    "judge": (
        "Judged by (?P<judge>.+)\\.",
        lambda t: t.one(DebateOpened).judge.model.endswith(t["judge"].removesuffix(", a person").rpartition(":")[2]),
    ),
    "judge_brief": ("The judge is asked briefly: .+", lambda t: t.one(DebateOpened).judge.effort == "brief"),
    "judge_caveat": ("(?P<text>.+)", lambda t: t.one(DebateOpened).judge.caveat == t["text"]),
    "supplied": (
        "The turns come from a transcript.*\\. They were not spoken in Moot\\.",
        lambda t: t.one(TranscriptSupplied).kind != "moot",
    ),
    "judged_again": (
        "These are the turns of another debate in Moot.*\\.",
        lambda t: t.one(TranscriptSupplied).kind == "moot",
    ),
    "not_ended": (
        "The debate has not ended; it is (?P<state>open|paused|halted).*\\.",
        lambda t: (
            not t.all(DebateConcluded)
            and isinstance(
                ([None, *t.all(DebatePaused, DebateHalted, DebateResumed)])[-1],
                {"open": DebateResumed | None, "paused": DebatePaused, "halted": DebateHalted}[t["state"]],  # type: ignore[arg-type]
            )
        ),
    ),
    "ends_at": ("This report ends at event (?P<at>\\d+)\\.", lambda t: {int(t["at"])} == {*t.cited} == {max(t.log)}),
    "outcome": ("(?P<text>.+)", outcome),
    "means": (
        "Mean score of your turns: (?P<mine>[\\d.]+|none) of 100\\. (?P<rival>Pro|Con): (?P<theirs>[\\d.]+|none)\\.",
        means,
    ),
    "points": (
        "Your points: (?P<mine>[\\d.]+|none) of (?P<most>\\d+)\\. (?P<rival>Pro|Con): (?P<theirs>[\\d.]+|none)\\.",
        points_,
    ),
    "exchanges": (
        (
            "Of (?P<pairs>\\d+) pairs? of neighbouring turns you won (?P<won>\\d+) and lost (?P<lost>\\d+);"
            " (?P<drawn>\\d+) (?:was|were) drawn\\. The turn that is better in more of (?P<dimensions>.+) wins the"
            " pair\\."
        ),
        exchanges,
    ),
    "totals": (
        "Total of your arguments: (?P<mine>.+)\\. (?P<rival>Pro|Con): (?P<theirs>[\\d.]+|none)\\.",
        lambda t: all(
            t[name] == ("none" if isinstance(total, Missing) else f"{total:.1f}")
            for name, side in (("mine", t.side), ("theirs", t.rival))
            for total in (getattr(t.one(AssessmentGiven), f"{side}_total"),)
        ),
    ),
    "no_scores": (
        "None of your turns has a score\\.",
        lambda t: not any(turn in t.mine for turn in composites(t, t.all(Event))),
    ),
    "only_turn": (f"{TURN} is your only turn with a score: {OF_MOST}", lambda t: ranks(t, of=None, alone=True)),
    "best_turn": (f"{TURN} is your best turn, {WITH}", lambda t: ranks(t, of=max, alone=True)),
    "no_better_turn": (
        f"None of your turns has more points than {TURN}: {OF_MOST}",
        lambda t: ranks(t, of=max, alone=False),
    ),
    "worst_turn": (f"{TURN} is your lowest turn, {WITH}", lambda t: ranks(t, of=min, alone=True)),
    "no_lower_turn": (
        f"None of your turns has fewer points than {TURN}: {OF_MOST}",
        lambda t: ranks(t, of=min, alone=False),
    ),
    "component": (f"The judge gave it {GIVEN} for (?P<component>.+?) \\(whether it (?P<asks>.+)\\)\\.", component),
    "component_quoted": (
        f"The judge gave it {GIVEN} for (?P<component>.+?) \\(whether it (?P<asks>.+)\\) and quoted: {QUOTE}",
        component,
    ),
    "changed": (
        (
            "It had (?P<first>[\\d.]+) points? when it was scored; since then (?P<changes>.+), which leaves"
            " (?P<points>[\\d.]+)\\."
        ),
        changed,
    ),
    "judge_wrote": (f"The judge wrote: {QUOTE}", judge_wrote),
    "lost_gap": (f"{LOST} for a flaw in these words: {QUOTE}", lost_gap),
    "shown_by": (f"(?P<rival>Pro|Con) showed it in {TURN}, as the judge says: {QUOTE}", shown_by),
    "shown_before": (f"(?P<whose>.+) words in {TURN} show it, as the judge says: {QUOTE}", shown_before),
    "shown_by_itself": (
        f"The same turn shows it, as the judge says: {QUOTE}",
        lambda t: (
            t.says(t.one(LogicGapAdjusted).turn)
            and t.one(LogicGapAdjusted).exposed_by.turn == t.one(LogicGapAdjusted).turn
        ),
    ),
    "lost_claim": (f"{LOST} for a claim that was flagged as (?P<flag>.+?) \\(it (?P<asks>.+)\\): {QUOTE}", lost_claim),
    "second_opinion": (
        f"The second opinion agrees: {QUOTE}",
        lambda t: t.one(ClaimUpheld).by != "evidence" and not t.all(ClaimCleared, claim=t.one(ClaimUpheld).claim),
    ),
    "checked": (
        f"The check against the documents says: {QUOTE}",
        lambda t: (
            t.one(ClaimUpheld, ClaimFlagged).by == "evidence"
            and plain(t.one(ClaimUpheld, ClaimFlagged).reason) == t["quote"]
        ),
    ),
    "lost_dropped": (f"{LOST} for a premise that it dropped in silence, as the judge says: {QUOTE}", lost_dropped),
    "lost_contradiction": (
        f"{LOST} for a contradiction, as the judge says\\.",
        lambda t: lost(t).turn in t.one(ContradictionFound, side=t.side).turns,
    ),
    "contradicted": (f"It denies this premise of yours from {TURN}: {QUOTE}", contradicted),
    "lost_injection": (
        f"{LOST} for words that give orders to the judge: {QUOTE}",
        lambda t: lost(t).turn == t.one(InjectionDetected).turn and t.says(t.turn),
    ),
    "withdrawn": (f"You gave up this premise openly in {TURN}: {QUOTE}", withdrawn),
    "flagged_too": (f"{LOST} for another (?P<flag>.+?): {QUOTE}", lost_claim),
    "flagged_at_no_cost": (
        f"{TURN} makes a claim that was flagged as (?P<flag>.+?) \\(it (?P<asks>.+)\\), which costs no points: {QUOTE}",
        flagged_at_no_cost,
    ),
    "further_losses": (f"(?P<number>\\d+) further loss(?:es)? took {POINTS} of {DIMENSION}\\.", further),
    "bands": (
        "Comparisons with the neighbouring turns moved (?:turn \\d+ (?:down|up) by [\\d.]+ points?(?:, )?)+\\.",
        bands,
    ),
    "compared": (
        "Comparisons with other turns moved (?:turn \\d+ (?:down|up) by [\\d.]+ points?(?:, )?)+\\.",
        bands,
    ),
    "bands_total": (f"Together your turns lost {POINTS} by it\\.", bands_total),
    "dropped": (f"The judge says that {TURN} dropped a premise of yours in silence: {QUOTE}", dropped),
    "charged": (f"It cost the turn {POINTS} of {DIMENSION}\\.", charged),
    "dropped_too": (
        "The judge says that your turns dropped (?P<number>\\d+) further premises? of yours in silence\\.",
        lambda t: (
            int(t["number"]) == len(t.cites(PremiseDropped))
            and all(t.all(PremiseStated, premise=each.premise, side=t.side) for each in t.cites(PremiseDropped))
        ),
    ),
    "premise": (f"(?P<rival>Pro|Con) built on this in {TURN}: {QUOTE}", premise),
    "not_answered": (
        "The judge does not name it among what your later turns answered\\.",
        lambda t: bool(t.cites(OpponentAnswered)),  # and ``not_answered``, for the premise of the sentence before
    ),
    "not_answered_too": (
        (
            "Nor does the judge name (?P<number>\\d+) further premises? of (?P<rival>Pro|Con) among what your"
            " later turns answered\\."
        ),
        lambda t: (
            int(t["number"]) == len(t.cites(PremiseStated))
            and all(is_open(t, each) and each.side == t.rival for each in t.cites(PremiseStated))
        ),
    ),
    "miscited": (f"(?P<rival>Pro|Con) cited \\[(?P<passage>.*)\\] in {TURN}, but (?P<fault>.+?): {QUOTE}", miscited),
    "miscited_too": (
        "(?P<number>\\d+) further citations? of (?P<rival>Pro|Con) did not stand in the documents\\.",
        lambda t: (
            int(t["number"]) == len(t.cites(CitationChecked))
            and all(each.finding in {"misquoted", "unknown_passage"} for each in t.cites(CitationChecked))
        ),
    ),
    "advice": ("(?P<text>.+)", lambda t: bool(t.cited)),  # no statement; the sentences after it say what it rests on
    "below_best": (
        BEST.format(what="(?P<component>.+)", best="turn")
        + "(?P<turns>\\d+) turns?(?P<some> with a score for it that rests on a quote)? (?:is|are)"
        + f" {POINTS} below that(?:, added up)?\\.",
        below_best,
    ),
    "lowest": (
        f"{TURN} has {POINTS}\\.",
        lambda t: t.cites(TurnScored, TurnRescored, turn=t.turn) == t.all(TurnScored, TurnRescored, turn=t.turn),
    ),
    "cost": (f"(?P<number>\\d+) .+? cost you {POINTS} of (?P<dimension>.+), (?P<most>.+)\\.", cost),
    "not_judged": (
        f"{TURN} is not judged yet\\.",
        lambda t: t.one(TurnSpoken).turn == t.turn and not t.all(TurnScored, turn=t.turn),
    ),
    "unscored": (f"{TURN} has no score: (?P<reason>.+)\\.", unscored),
    "unscored_part": (f"{TURN} has no score for (?P<dimension>[a-z ]+): (?P<reason>.+)\\.", unscored),
    "inferred": (
        (
            f"The judge gave {TURN} no score \\((?P<reason>.+)\\); its points of (?P<dimensions>.+) follow from its"
            " comparisons\\."
        ),
        lambda t: (
            t.one(ScoreInferred).turn == t.turn
            and t.one(ScoreInferred).reason == t["reason"]
            and {*t["dimensions"].replace(", ", " and ").split(" and ")} == {*t.one(ScoreInferred).dimensions}
            and all(isinstance(t.log[at], TurnsCompared) for at in t.one(ScoreInferred).because_of)
        ),
    ),
    "no_totals": (
        "None of your arguments has a score\\.",
        lambda t: (
            bool(t.cites(ArgumentTraced)) and all(isinstance(each.total, Missing) for each in t.cites(ArgumentTraced))
        ),
    ),
    "argument": (f"(?P<name>\\S+) \\({TURN}\\): {QUOTE}", argument),
    "total": (
        "It has (?P<points>[\\d.]+) of (?P<of>\\d+) points\\.",
        lambda t: is_highest(t) and shown(traced(t).total, t),
    ),
    "stands": (
        "It is (?P<standing>.+)\\.",
        lambda t: (
            t["standing"].removesuffix(" in part") in {"upheld", "refuted", "uncertain"}
            and traced(t).standing.endswith(t["standing"].removesuffix(" in part").upper())
            and traced(t).standing.startswith("PARTIALLY") == t["standing"].endswith("in part")
        ),
    ),
    "asked": (f"(?P<rival>Pro|Con) asked about (?P<name>\\S+) in {TURN}: {QUOTE}", asked),
    "no_answer": ("No answer of yours to it is recorded\\.", lambda t: bool(t.cites(QuestionsAnswered, side=t.side))),
    "stayed_uncertain": ("The argument stayed uncertain\\.", lambda t: traced(t).standing == "UNCERTAIN"),
    "answered_uncertain": (
        "You answered, and the argument stayed uncertain\\.",
        lambda t: (
            traced(t).standing == "UNCERTAIN" and traced(t).argument in t.one(QuestionsAnswered, side=t.side).answers
        ),
    ),
    "no_reply": ("No reply of yours to it is recorded\\.", lambda t: bool(t.cited)),
    "replied": (
        f"(?P<rival>Pro|Con) (?P<response>.+) in {TURN}: {QUOTE}",
        lambda t: (
            (t.one(ArgumentCrossExamined).by, t.one(ArgumentCrossExamined).turn) == (t.rival, t.turn)
            and t["response"].startswith(
                {"partial": "accept"}.get(t.one(ArgumentCrossExamined).response, t.one(ArgumentCrossExamined).response)
            )
        ),
    ),
    "fallacy": (
        f"(?P<name>\\S+), (?P<fallacy>.+) in {TURN}: {QUOTE}",
        lambda t: (
            (t.one(FallacyFound).argument, t.one(FallacyFound).fallacy.replace("_", " "), t.one(FallacyFound).turn)
            == (t["name"], t["fallacy"], t.turn)
            and plain(t.one(FallacyFound).quote) == t["quote"]
        ),
    ),
    "below_best_argument": (
        BEST.format(what="(?P<criterion>.+)", best="argument")
        + f"\\d+ arguments? (?:is|are) {POINTS} below that(?:, added up)?\\.",
        below_best_argument,
    ),
    "lowest_argument": (
        f"(?P<name>\\S+) \\({TURN}\\) has (?P<points>[\\d.]+)\\.",
        lambda t: traced(t).argument == t["name"] and t.one(ArgumentsOpened).turn == t.turn,
    ),
    "no_total": (
        "(?P<name>\\S+) has no score: (?P<reason>.+)\\.",
        lambda t: traced(t).total.missing.reason == t["reason"],
    ),
    "no_standing": (
        "(?P<name>\\S+) has no standing: (?P<reason>.+)\\.",
        lambda t: traced(t).missing.reason == t["reason"],
    ),
}
"""Of each kind: its pattern, and what its events must say.  ``fullmatch`` finds the words that the check reads."""
ABOUT_THE_ONE_BEFORE: dict[str, Callable[[Told, Any, str], bool]] = {
    "lowest": lambda told, _, text: shown(
        points_of(readings(told, in_respect_of(text))[told.turn], in_respect_of(text)), told
    ),
    "lowest_argument": lambda told, _, text: shown(traced(told).scores[in_respect_of(text)], told),
    "not_answered": lambda told, before, _: not_answered(told, before),
    "charged": lambda told, before, _: before in told.cites(PremiseDropped) + told.cites(PremiseStated),
    "no_answer": lambda told, before, _: before.target not in told.one(QuestionsAnswered).answers,
    "no_reply": lambda told, _, text: not told.all(ArgumentCrossExamined, by=told.side, target=text.split(" ")[0]),
}
"""Of kinds that speak of what the sentence before names: checks that get its event and its text."""


def checked(log: Log, side: Any) -> Iterator[str]:
    """Check every sentence of a report; their kinds."""
    events: dict[int, Any] = {record.position: record.event for record in log}
    before: ReportSentence | None = None
    report = tuple(sentences(made(log, side)))
    for sentence in report:
        pattern, check = CHECKS[sentence.kind]
        found = re.fullmatch(pattern, words(sentence), re.DOTALL)
        assert found, (sentence.kind, words(sentence))
        assert sentence.because_of, (sentence.kind, words(sentence))
        assert {part.position for part in sentence.text if isinstance(part, CitedTurn)} <= {*sentence.because_of}
        told = Told(events, {at: events[at] for at in sentence.because_of}, side, sentence, found, report)
        assert {*sentence.deciding} <= {*sentence.because_of}
        assert found.groupdict().get("rival") in {None, NAMES[other(side)]}
        assert check(told), (sentence.kind, words(sentence), sentence.because_of)
        if (about := ABOUT_THE_ONE_BEFORE.get(sentence.kind)) is not None:
            assert before is not None
            assert about(told, events[before.because_of[0]], words(before)), (words(before), words(sentence))
        before = sentence
        yield sentence.kind


def edited(log: Log, change: Callable[[Any], Event | None]) -> Log:
    """A log with other events in the places of some."""
    return tuple(replace(each, event=new) if (new := change(each.event)) else each for each in log)


def longer(log: Log, *events: Event) -> Log:
    """A log with further events at its end."""
    last = log[-1]
    return (*log, *(replace(last, position=last.position + at, event=each) for at, each in enumerate(events, 1)))


def test_every_kind_of_sentence_has_a_check() -> None:
    assert {*KINDS} == {*CHECKS}


@pytest.mark.slow
@pytest.mark.parametrize("side", ["pro", "con"])
@pytest.mark.parametrize("source", [source for _, source in LOGS], ids=[name for name, _ in LOGS])
def test_the_cited_events_imply_every_sentence_and_none_denies_it(source: Any, side: Any) -> None:
    assert [*checked(recorded(source) if isinstance(source, Path) else exhibited(source), side)]


# planted


def told_of(log: Log, side: Any, kind: str) -> list[str]:
    """The sentences of a kind, after all of the report are checked."""
    assert [*checked(log, side)]
    return [words(each) for each in sentences(made(log, side)) if each.kind == kind]


OPEN = "leaves no trace in good prose"
"""Words of Con's premise P4.2 in the exhibition ``juries``, which no turn of Pro answers."""
GIVEN_UP = "Weighing evidence is a skill"
"""Words of Pro's premise P1.1 there, which turn 3 drops."""


def named_in(event: Any, kind: type[Event], **values: Any) -> bool:
    return is_such(event, (kind,), values)


def premise_of(log: Log, quote: str) -> PremiseStated:
    return next(each.event for each in log if isinstance(each.event, PremiseStated) and quote in each.event.quote)


@pytest.mark.slow
def test_a_premise_is_left_unanswered_only_if_nothing_recorded_denies_it() -> None:
    """A refused finding, the judge's own answer, or an answer that is missing: each takes the sentence away."""
    log = exhibited("juries")
    stated = premise_of(log, OPEN)
    refused = FindingRefused(turn=5, purpose="gaps", quote=OPEN, reason="turn 4 has lost 5 points for flaws")
    answered = OpponentAnswered(turn=5, answered=(stated.premise,))
    failed = CheckMissing(turn=5, purpose="premises", reason="the judge gave no usable answer")

    assert [f"Con built on this in turn 4: «{OPEN}»"] == told_of(log, "pro", "premise")
    assert not told_of(longer(log, refused), "pro", "premise")
    for event in (answered, failed):
        other_log = edited(log, lambda each, new=event: new if named_in(each, OpponentAnswered, turn=5) else None)  # type: ignore[misc]
        assert not told_of(other_log, "pro", "premise")


@pytest.mark.slow
def test_words_that_show_a_flaw_are_not_thereby_answered() -> None:
    """A flaw in the premise's own words is an answer to it; that its words show a flaw of another turn is none."""
    log = exhibited("juries")
    stated = premise_of(log, OPEN)
    gap = next(each.event for each in log if named_in(each.event, LogicGapAdjusted, turn=1))
    words_ = Passage(turn=4, quote=stated.quote, span=stated.span)
    shows, fails = replace(gap, exposed_by=words_), replace(gap, turn=4, fails=words_, exposed_by=gap.fails)

    assert told_of(longer(log, shows), "pro", "premise")
    assert not told_of(longer(log, fails), "pro", "premise")


def crowded() -> Log:
    """A debate with more dropped and more unanswered premises than a report names."""
    log = exhibited("juries")
    open_, dropped = premise_of(log, OPEN), premise_of(log, GIVEN_UP)
    further = [replace(open_, premise=f"P4.{number}") for number in (7, 8, 9)]
    lost = replace(dropped, premise="P1.9")
    return longer(log, *further, lost, PremiseDropped(premise=lost.premise, turn=3, reason="…"))


@pytest.mark.slow
def test_premises_that_have_no_place_in_the_report_are_counted() -> None:
    log = crowded()
    drops = [each.event for each in log if isinstance(each.event, PremiseDropped) and each.event.turn % 2]

    assert len(told_of(log, "pro", "dropped")) == 2
    assert [f"The judge says that your turns dropped {len(drops) - 2} further premise of yours in silence."] == [
        each.replace("premises", "premise") for each in told_of(log, "pro", "dropped_too")
    ]
    assert len(told_of(log, "pro", "premise")) == 1
    assert ["Nor does the judge name 3 further premises of Con among what your later turns answered."] == told_of(
        log, "pro", "not_answered_too"
    )


@pytest.mark.slow
def test_a_drop_is_told_with_its_charge_and_points_outside_the_total_say_so() -> None:
    log = exhibited("juries")
    drop = next(each for each in log if isinstance(each.event, PremiseDropped) and each.event.turn == 3)
    charge = next(each.event for each in log if named_in(each.event, PenaltyApplied, because_of=drop.position))

    assert charge.dimension == "credibility"
    told = [words(each) for each in sentences(made(log, "pro")) if drop.position in each.because_of]
    assert any("credibility (not in the total)" in each for each in told)


def uncheckable() -> Log:
    """A debate in which the judge flags a claim that it cannot check."""
    log = exhibited("juries")
    text = next(each.event.text for each in log if named_in(each.event, TurnSpoken, turn=1))
    flag = ClaimFlagged(
        claim="C1.9",
        turn=1,
        quote=text[:30],
        span=(0, 30),
        kind="unverifiable",
        reason="Nobody can check it.",
        by="judge",
    )
    return longer(log, flag)


@pytest.mark.slow
def test_a_claim_that_nobody_can_check_is_told_until_it_is_cleared() -> None:
    log = uncheckable()
    cleared = ClaimCleared(claim="C1.9", reason="It can be checked.", by="judge")

    (told,) = told_of(log, "pro", "flagged_at_no_cost")
    assert "turn 1 makes a claim that was flagged as unverifiable (it names a study" in told
    assert not told_of(longer(log, cleared), "pro", "flagged_at_no_cost")
    assert not told_of(log, "con", "flagged_at_no_cost")


@pytest.mark.slow
def test_turns_that_lost_the_same_are_named_together() -> None:
    """The sums by turn decide, and not the largest single loss."""
    log = exhibited("juries")
    gap = next(each.event for each in log if named_in(each.event, LogicGapAdjusted, turn=1))
    lost = [
        replace(gap, turn=turn, fails=replace(gap.fails, turn=turn), requested=-points, applied=-points)
        for turn, points in ((1, 30.0 + gap.applied), (5, 15.0), (5, 15.0))
    ]
    text = next(each.event.text for each in log if named_in(each.event, TurnSpoken, turn=5))
    lost = [
        each if each.turn == 1 else replace(each, fails=replace(each.fails, quote=text[:30], span=(0, 30)))
        for each in lost
    ]
    before = [each.event for each in log if isinstance(each.event, LogicGapAdjusted) and each.event.turn == 5]
    assert not before

    told = next(each for each in told_of(longer(log, *lost), "pro", "cost") if "flaws" in each)
    assert told.endswith("30 of them in turn 1 and 30 in turn 5.")


@pytest.mark.parametrize(
    "path", [path for path in BY_HAND if path.stem != "library_fines_v2"], ids=lambda path: path.stem
)
def test_debates_whose_judge_was_not_asked_what_is_answered_say_nothing_of_it(path: Path) -> None:
    log = recorded(path)

    assert not [each for each in log if isinstance(each.event, OpponentAnswered)]
    assert not told_of(log, "pro", "not_answered") + told_of(log, "con", "not_answered")


@pytest.mark.slow
def test_a_premise_that_came_back_is_not_dropped_and_one_that_was_given_up_afterwards_is() -> None:
    log = exhibited("juries")
    stated, text = (
        premise_of(log, GIVEN_UP),
        next(each.event.text for each in log if named_in(each.event, TurnSpoken, turn=5)),
    )
    withdrawn = PremiseWithdrawn(premise=stated.premise, turn=5, quote=text[:30], span=(0, 30))
    revised = PremiseRevised(premise=stated.premise, turn=5, text="Weighing evidence can be taught.")
    refused = FindingRefused(turn=5, purpose="premises", quote=stated.premise, reason="it was dropped before")

    assert [each for each in told_of(log, "pro", "dropped") if GIVEN_UP in each]
    given_up = longer(log, withdrawn)
    assert [each for each in told_of(given_up, "pro", "dropped") if GIVEN_UP in each]
    assert f"You gave up this premise openly in turn 5: «{text[:30].strip()}»" in told_of(given_up, "pro", "withdrawn")
    for event in (revised, refused):
        assert not [each for each in told_of(longer(log, event), "pro", "dropped") if GIVEN_UP in each]


@pytest.mark.slow
def test_the_withdrawal_of_words_that_lost_points_is_told_with_them() -> None:
    log = exhibited("juries")
    gap = next(each.event for each in log if named_in(each.event, LogicGapAdjusted, turn=1))
    text = next(each.event.text for each in log if named_in(each.event, TurnSpoken, turn=5))
    held = PremiseStated(premise="P1.9", side="pro", turn=1, text="…", quote=gap.fails.quote, span=gap.fails.span)
    given_up = PremiseWithdrawn(premise="P1.9", turn=5, quote=text[:30], span=(0, 30))

    told = f"You gave up this premise openly in turn 5: «{text[:30]}»"
    assert [] == told_of(longer(log, held), "pro", "withdrawn")
    assert [told] == told_of(longer(log, held, given_up), "pro", "withdrawn")


@pytest.mark.slow
def test_a_tie_break_is_named_and_nobody_is_told_that_they_won() -> None:
    def close(event: Any) -> Event | None:
        if isinstance(event, ScorecardVerdictReached):
            mean = BothSides(pro=71.17, con=70.5)
            return replace(event, winner="pro", margin=0.67, mean=mean, decided_by="credibility")
        return None

    log = edited(exhibited("juries", rubric="v2"), close)
    (told,) = told_of(log, "pro", "outcome")

    assert told.startswith("Pro wins by a tie-break on credibility: the scores lie within the tie margin of 2 points")
    assert "The reading of the whole debate names Con instead" in told
    assert [told] == told_of(log, "con", "outcome")


@pytest.mark.anyio
async def test_a_judge_that_failed_is_not_read_as_one_that_found_nothing(script: Any) -> None:
    fault = {"fault": {"kind": "overloaded", "times": 99}}
    checks = {f"{what}:{turn}": fault for what in ("claims", "premises", "gaps") for turn in range(1, 5)}
    async with harness() as h:
        debate = await h.open(script(answers={**checks, "score:2": fault}), turns=4)
        await h.ended(debate)
        log = await records(h, debate)
    kinds = {kind for side in ("pro", "con") for kind in checked(log, side)}

    assert "inferred" in kinds
    assert not kinds & {"premise", "not_answered", "dropped", "lost_gap", "lost_claim"}


def traces(event: Any) -> Event | None:
    """Arguments without a total, and one without a standing."""
    if isinstance(event, ArgumentTraced) and event.argument != "PRO-1":
        return replace(event, total=missing("the judge gave no score"))
    return replace(event, missing=Reason("no standing"), standing=UNSET) if isinstance(event, ArgumentTraced) else None


def silences(event: Any) -> Event | None:
    """Answers that leave out what was asked."""
    return replace(event, answers={}) if isinstance(event, QuestionsAnswered) else None


def passes_over(event: Any) -> Event | None:
    """A cross-examination that leaves every argument out."""
    if not named_in(event, ArgumentCrossExamined, by="pro"):
        return None
    return CrossExaminationFaulted(by="pro", turn=event.turn, faults=("…",), free_text="")


def scored_in_part(event: Any) -> Event | None:
    """A turn without a score for one dimension."""
    if not isinstance(event, TurnScored) or event.turn != 1 or event.dimensions is UNSET:
        return None
    dimensions = {name: each for name, each in event.dimensions.items() if name != "credibility"}
    return replace(event, dimensions=dimensions, absent={"credibility": Reason("the judge gave no points")})


@pytest.mark.slow
@pytest.mark.anyio
async def test_every_kind_of_sentence_is_told_of_some_log_and_holds(script: Any) -> None:
    logs = [recorded(source) if isinstance(source, Path) else exhibited(source) for _, source in LOGS]
    logs += [edited(exhibited("lamps"), change) for change in (traces, silences, passes_over)]
    logs.append(edited(exhibited("juries"), scored_in_part))
    supplied = {"source": "a hall", "digest": "0" * 64, "licence": "", "turns": ()}
    logs += [longer(exhibited("juries"), TranscriptSupplied(kind=kind, **supplied)) for kind in ("text", "moot")]
    fault = {"fault": {"kind": "overloaded", "times": 99}}
    cited = {
        "pro": SAYS["pro"],
        "con": [f"{SAYS['con'][0]} {MISQUOTED} {MISQUOTED} {MISQUOTED} {MISQUOTED}", SAYS["con"][1]],
    }
    async with harness() as h:
        for opening in (
            h.open(script("even"), turns=4, seat={"effort": "brief"}),
            h.open(script("silent", answers={"score:1": fault, "score:2": fault})),
            open_cited(h, script("cited", says=cited, answers=ANSWERS)),
        ):
            debate = await opening
            await h.ended(debate)
            logs.append(await records(h, debate))
    logs += [crowded(), uncheckable()]
    whole = recorded(BY_HAND[0])
    logs += [
        whole[: each.position]
        for each in whole
        if isinstance(each.event, TurnSpoken | TurnScored) and each.position > 60
    ]
    told = {kind for log in logs for side in ("pro", "con") for kind in checked(log, side)}

    assert {*KINDS} == told
