"""What the outcome of a debate, and the rank of a turn among its side's, must be in the raw events."""

import math
import re
from collections.abc import Callable
from itertools import takewhile
from typing import Any

from msgspec import UNSET

from events.types import (
    AssessmentGiven,
    DebateConcluded,
    DebateHalted,
    DebateOpened,
    DebatePaused,
    DebateResumed,
    Event,
    Missing,
    NarrativeVerdictReached,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
    PremiseWithdrawn,
    ScorecardVerdictReached,
    ScoreInferred,
    Side,
    TranscriptSupplied,
    TurnRescored,
    TurnsCompared,
    TurnScored,
    TurnSpoken,
    other,
)
from tests.server.export.reports.told_sentences import (
    NAMES,
    OF_MOST,
    TURN,
    WITH,
    Check,
    Told,
    changes_of,
    composites,
    highest,
    shown,
)


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
    """Whether what conduct and premises point to follows from their figures, and these from the events."""
    sides = {each.turn: each.side for each in told.all(TurnSpoken)}
    conduct: dict[str, dict[int, float]] = {"pro": {}, "con": {}}
    for each in told.all(TurnScored, TurnRescored):
        if each.dimensions is not UNSET and "credibility" in each.dimensions:
            changes = [one for one in changes_of(told.all(Event), each.turn) if one.dimension == "credibility"]
            applied = sum(one.applied for one in changes)
            conduct[sides[each.turn]][each.turn] = each.dimensions["credibility"].admitted + applied
    until = [*takewhile(lambda each: not isinstance(each, DebateConcluded), told.log.values())]
    changed = (PremiseRevised, PremiseDropped, PremiseWithdrawn)
    last = {each.premise: each for each in until if isinstance(each, changed)}

    def kept(side: Side) -> float:
        stated = [each for each in until if isinstance(each, PremiseStated) and each.side == side]
        mine = [last.get(each.premise) for each in stated]
        return sum(not isinstance(each, PremiseDropped) for each in mine) / len(mine)

    def holds(said: tuple[str, ...]) -> bool:
        side, too, measure, *figures = said
        pro, con = map(float, figures)
        known = [sum(points.values()) / len(points) for points in conduct.values()]
        known = {"credibility": known, "stability": [kept("pro"), kept("con")]}[measure]
        is_known = all(abs(x - y) < 0.0051 for x, y in zip(known, (pro, con), strict=True))
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


def origin(told: Told) -> bool:
    """Models, people and transcripts are named as writers if a turn that was spoken is by one, and only then."""
    opened = told.one(DebateOpened)
    spoken = [each for each in told.log.values() if isinstance(each, TurnSpoken)]
    is_script = opened.exhibition is not None
    by = {
        ("script" if is_script or getattr(opened, each.side).model.startswith("scripted:") else "model")
        if each.by is UNSET
        else each.by
        for each in spoken
    }
    words = {"model": "language models", "script": "a script", "person": "people", "transcript": "held elsewhere"}
    return all((kind in by) == (text in told["speeches"]) for kind, text in words.items())


CHECKS: dict[str, tuple[str, Check]] = {
    "origin": ("(?P<speeches>The speeches .+?\\.)? ?(The judgements .+\\.)?", origin),
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
}
