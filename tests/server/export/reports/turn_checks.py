"""What is said of a turn, and of what lowered its score, in the raw events; also the advice that rests on it."""

import re
from typing import Any

from msgspec import UNSET

from events.state.ledger import turns_moved
from events.types import (
    CitationChecked,
    ClaimCleared,
    ClaimFlagged,
    ClaimUpheld,
    ContradictionFound,
    Event,
    FindingRefused,
    InjectionDetected,
    LogicGapAdjusted,
    OpponentAnswered,
    PenaltyApplied,
    PenaltyReversed,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
    PremiseWithdrawn,
    ScoreCapped,
    ScoreHarmonized,
    ScoreInferred,
    TurnRescored,
    TurnsCompared,
    TurnScored,
    TurnSpoken,
)
from server.export.labels import named
from tests.server.export.reports.told_sentences import (
    BEST,
    DIMENSION,
    GIVEN,
    LOST,
    NAMES,
    POINTS,
    QUOTE,
    TURN,
    Check,
    CheckOfBoth,
    Told,
    changes_of,
    in_respect_of,
    plain,
    points_of,
    readings,
    shown,
)


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


CHECKS: dict[str, tuple[str, Check]] = {
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
}
ABOUT_THE_ONE_BEFORE: dict[str, CheckOfBoth] = {
    "lowest": lambda told, _, text: shown(
        points_of(readings(told, in_respect_of(text))[told.turn], in_respect_of(text)), told
    ),
    "not_answered": lambda told, before, _: not_answered(told, before),
    "charged": lambda told, before, _: before in told.cites(PremiseDropped) + told.cites(PremiseStated),
}
