"""Two judgings of the same turns side by side, and how far they agree.

``first`` and ``second`` are the two judgings; every difference is second less first.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.state.claims import Claim
from events.state.exchanges import Comparison
from events.state.outcome import OutcomeWords
from events.state.parts.panel import PanelState
from events.state.parts.rounds import ArgumentState
from events.types import SIDES, Coefficient, DebateOpened, DebateState, Effort, Missing, Side, Span, Winner, missing
from events.types.rubric import composite_dimensions, is_unscaled, name_of_rubric
from events.view.turn_view import ComponentView, TurnView
from events.view.view import Fold, View
from judge.live.answers import overlaps
from judge.rubrics.rubric import scores_turns_as
from server.errors import NotNow
from server.export.reports.paired import ScoreAgreement, choice_agreement, score_agreement

PLACES: Final = 4
NOT_JUDGED: Final = missing("it is not judged")
NOT_GIVEN: Final = missing("its points follow from comparisons, since the judge gave no whole score")


class Judging(Struct, frozen=True, kw_only=True):
    """One of the two judgings as a whole."""

    debate: str
    judge: str | UnsetType = UNSET
    """Absent while a blind debate hides it."""
    caveat: str = ""
    effort: Effort | UnsetType = UNSET
    """Present if the judge was asked briefly."""
    rubric: str
    """The name that selects a shipped one; of another, its name and version."""
    state: DebateState
    turns: int
    """Turns that are spoken."""
    winner: Winner | UnsetType = UNSET
    """Absent before the debate has concluded."""
    by_rule: str | UnsetType = UNSET
    outcome: OutcomeWords | UnsetType = UNSET
    """The same in words."""
    mean: dict[Side, float | Missing]
    """Mean composite of each side's judged turns; in format protocol the mean total of its arguments."""
    narrative: Winner | UnsetType = UNSET
    """The winner of the reading of the whole debate, if there is one."""
    panel: str | UnsetType = UNSET
    """The conclusion of the panel in one sentence, if there is one."""


class ComponentPair(Struct, frozen=True, kw_only=True):
    """One component of a turn, as both judges scored it."""

    dimension: str
    component: str
    first: ComponentView | UnsetType = UNSET
    second: ComponentView | UnsetType = UNSET
    difference: float | UnsetType = UNSET
    """Of the admitted points."""
    shares_words: bool | UnsetType = UNSET
    """Whether their quotes have words in common; absent unless both quotes stand in the turn."""


class Flag(Struct, frozen=True, kw_only=True):
    """A suspect claim as one judge flagged it."""

    claim: str
    kind: str
    state: str
    quote: str
    span: Span
    reason: str
    points: float


class Docking(Struct, frozen=True, kw_only=True):
    """Points that a turn lost for a flaw, with the words that fail and those that show it."""

    position: int
    points: float
    quote: str
    span: Span
    shown_in: int
    shown_by: str
    reason: str


class NamedFallacy(Struct, frozen=True, kw_only=True):
    """A fallacy in a statement for an argument, as one judge named it."""

    argument: str
    fallacy: str
    quote: str
    span: Span
    reason: str


F = TypeVar("F", Flag, Docking, NamedFallacy)


class FindingPair(Struct, Generic[F], frozen=True, kw_only=True):
    """A suspect claim, or a flaw that cost points, that one judge found, or both in words that overlap."""

    turn: int
    first: F | UnsetType = UNSET
    second: F | UnsetType = UNSET


class PreferencePair(Struct, frozen=True, kw_only=True):
    """Which of two turns that are compared each judge preferred: ``earlier``, ``later`` or ``draw``."""

    earlier: int
    later: int
    first: str | Missing
    second: str | Missing


class TurnInBoth(Struct, frozen=True, kw_only=True):
    """One turn in both judgings."""

    turn: int
    side: Side
    first: float | Missing
    """The composite after all rules."""
    second: float | Missing
    difference: float | UnsetType = UNSET
    components: tuple[ComponentPair, ...] = ()


class CriterionPair(Struct, frozen=True, kw_only=True):
    """One criterion of an argument, as both judges scored it."""

    criterion: str
    first: float | UnsetType = UNSET
    second: float | UnsetType = UNSET
    difference: float | UnsetType = UNSET


class ArgumentInBoth(Struct, frozen=True, kw_only=True):
    """One argument of a protocol in both judgings; ``first`` and ``second`` are its totals."""

    argument: str
    side: Side
    first: float | Missing
    second: float | Missing
    difference: float | UnsetType = UNSET
    standings: tuple[str, str]
    """Empty for one that has none."""
    reasons: tuple[str, str]
    criteria: tuple[CriterionPair, ...] = ()


class Overlap(Struct, frozen=True, kw_only=True):
    """How many findings each judge made, and how many of them both made in overlapping words."""

    first: int = 0
    second: int = 0
    both: int = 0


class JudgingComparison(Struct, frozen=True, kw_only=True):
    """Both judgings, turn by turn, and their agreement."""

    motion: str
    language: str
    """BCP 47 tag of quotes and of the motion."""
    digest: str
    """SHA-256 of the turns that are compared: their sides and words."""
    first: Judging
    second: Judging
    notes: tuple[str, ...]
    """What limits the comparison."""
    turns: tuple[TurnInBoth, ...] = ()
    flags: tuple[FindingPair[Flag], ...] = ()
    dockings: tuple[FindingPair[Docking], ...] = ()
    preferences: tuple[PreferencePair, ...] = ()
    scores: ScoreAgreement
    """Of the composites."""
    preferred: Coefficient
    """Fleiss' kappa over the preferred turns."""
    preferred_alike: int = 0
    preferred_of: int = 0
    """Pairs of turns that both judges compared, and those where both preferred the same."""
    common_flags: Overlap = Overlap()
    common_dockings: Overlap = Overlap()
    arguments: tuple[ArgumentInBoth, ...] = ()
    """Of format protocol, whose arguments take the place of turns; ``scores`` are then those of their totals."""
    standings: Coefficient | UnsetType = UNSET
    """Fleiss' kappa over the standings of arguments."""
    standings_alike: int = 0
    standings_of: int = 0
    """Arguments to which both judges gave a standing, and those to which both gave the same."""
    fallacies: tuple[FindingPair[NamedFallacy], ...] = ()
    common_fallacies: Overlap | UnsetType = UNSET


class _Seen(NamedTuple):
    """A debate: its whole fold, and the view that this reader may see."""

    fold: Fold
    view: View

    @property
    def opened(self) -> DebateOpened:
        """The opening of a debate that has turns."""
        assert self.fold.debate.opened is not None, "a debate with turns has been opened"
        return self.fold.debate.opened


def compare_judgings(first: Fold, second: Fold, views: tuple[View, View]) -> JudgingComparison:
    """Compare two judgings of the same turns.  ``views`` are what this reader may see of them.

    Raises ``NotNow`` if the turns are not the same words, or a debate is of neither format exchange nor protocol.
    """
    one, two = _Seen(first, views[0]), _Seen(second, views[1])
    numbers = _common_turns(one.view, two.view)
    if one.view.format == "protocol":
        return _compare_protocols(one, two, numbers)
    is_comparable = _scale(one) == _scale(two)
    turns = tuple(_turn(number, one.view, two.view, is_comparable=is_comparable) for number in numbers)
    flags = tuple(_matched(numbers, _flags(one), _flags(two)))
    docks = tuple(_matched(numbers, _docks(one), _docks(two)))
    preferences = tuple(_preferences(numbers, one, two))
    chosen = [
        {f"{each.earlier}-{each.later}": said for each in preferences if isinstance(said := getattr(each, who), str)}
        for who in ("first", "second")
    ]
    common = chosen[0].keys() & chosen[1].keys()
    return JudgingComparison(
        motion=one.view.motion,
        language=one.view.language or "en",
        digest=sha256(msgspec.json.encode(_words(one.view, numbers))).hexdigest(),
        first=_judging(one),
        second=_judging(two),
        notes=tuple(_notes(one, two, len(numbers), is_comparable=is_comparable)),
        turns=turns,
        flags=flags,
        dockings=docks,
        preferences=preferences,
        scores=_score_agreement(turns, "turn"),
        preferred=choice_agreement(*chosen),
        preferred_alike=sum(chosen[0][item] == chosen[1][item] for item in common),
        preferred_of=len(common),
        common_flags=_overlap(flags),
        common_dockings=_overlap(docks),
    )


# whether they can be compared


def _common_turns(one: View, two: View) -> list[int]:
    """The turns that both debates have, with the same words.  Raises ``NotNow``."""
    for view in (one, two):
        if view.format not in {"exchange", "protocol"} or view.format != one.format:
            needs = "moot compare needs two of format exchange, or two of format protocol"
            raise NotNow(f"debate {view.id} has the format {view.format}: {needs}")
    if one.id == two.id:
        raise NotNow("this is one debate twice: moot diff compares two positions of one debate")
    spoken = [[int(number) for number, turn in view.turns.items() if turn.text] for view in (one, two)]
    numbers = [number for number in spoken[0] if number in spoken[1]]
    if not numbers:
        raise NotNow("one of the debates has no turn yet, so there is nothing to compare")
    for number, words, others in zip(numbers, _words(one, numbers), _words(two, numbers), strict=True):
        if words != others:
            raise NotNow(
                f"turn {number} is not the same in both debates: moot compare is for two judgings of the same words; "
                "moot diff compares two positions of one debate"
            )
    return numbers


def _words(view: View, numbers: Iterable[int]) -> list[tuple[str, str]]:
    return [(view.turns[str(number)].side, view.turns[str(number)].text) for number in numbers]


def _scale(seen: _Seen) -> dict[str, int]:
    """The dimensions of the composite with their maximum."""
    rubric = seen.opened.rubric
    return {name: rubric.dimensions[name].maximum for name in composite_dimensions(rubric)}


def _notes(one: _Seen, two: _Seen, common: int, *, is_comparable: bool) -> Iterator[str]:
    if not is_comparable:
        yield "The rubrics score other dimensions or have other maxima, so composites are not compared."
    elif one.opened.rubric != two.opened.rubric:
        yield (
            "The two rubrics differ only in what a panel and the protocol use: turns are scored by the same rules."
            if scores_turns_as(one.opened.rubric, two.opened.rubric)
            else "The two judgings have different rubrics, so a difference may come from the rules and not from the "
            "judge."
        )
    if is_comparable and is_unscaled(one.opened.rubric) != is_unscaled(two.opened.rubric):
        yield "One rubric scales turn 1 and the other one does not, so the composites of turn 1 are not compared."
    yield from _limits(one, two, is_one_rule=scores_turns_as(one.opened.rubric, two.opened.rubric))
    for seen, name in ((one, "first"), (two, "second")):
        spoken = sum(bool(turn.text) for turn in seen.view.turns.values())
        if spoken > common:
            yield f"The {name} debate has {spoken} turns; only the {common} that both have are compared."


def _limits(one: _Seen, two: _Seen, *, is_one_rule: bool) -> Iterator[str]:
    """What limits the comparison in every format.  ``is_one_rule``: whether both score by the same rules."""
    models = [seen.view.judge.model if seen.view.judge is not UNSET else UNSET for seen in (one, two)]
    if models[0] is not UNSET and models[0] == models[1]:
        yield (
            "Both have the same judge: a difference shows how far it differs from itself."
            if is_one_rule
            else "Both have the same judge: a difference comes from the rules, or the judge differs from itself."
        )
    if _messages(one) != _messages(two):
        yield "The messages of the moderator differ, so the two judges did not read the same."
    for seen, name in ((one, "first"), (two, "second")):
        if seen.view.state != "concluded":
            yield f"The {name} debate is {seen.view.state}: this is what is recorded so far."


def _messages(seen: _Seen) -> list[tuple[int, str]]:
    """The messages of the moderator, each with the turn that it follows: another debate records them elsewhere."""
    return [(each.after_turn, each.text) for each in seen.fold.debate.words.values()]


# the whole


def _judging(seen: _Seen) -> Judging:
    view, opened = seen.view, seen.opened
    seat, ended, narrative = view.judge, view.conclusion, view.verdicts.narrative
    return Judging(
        debate=view.id,
        judge=UNSET if seat is UNSET else seat.model,
        caveat="" if seat is UNSET else seat.caveat,
        effort=UNSET if seat is UNSET else seat.effort,
        rubric=name_of_rubric(opened.rubric),
        state=view.state,
        turns=sum(bool(turn.text) for turn in view.turns.values()),
        winner=UNSET if ended is UNSET else ended.winner,
        by_rule=UNSET if ended is UNSET else ended.by_rule,
        outcome=view.outcome,
        mean=_means(seen),
        narrative=UNSET if narrative is UNSET else narrative.winner,
        panel=view.panel.says if isinstance(view.panel, PanelState) else UNSET,
    )


def _means(seen: _Seen) -> dict[Side, float | Missing]:
    """The mean score of each side's turns, or of its arguments."""
    given, card = seen.fold.debate.protocol.assessment, seen.view.scorecard
    if seen.view.format != "protocol":
        return {"pro": card.pro.composite, "con": card.con.composite}
    if given is UNSET or seen.opened.rubric.protocol is None:
        return dict.fromkeys(SIDES, NOT_JUDGED)
    times = seen.opened.rubric.protocol.arguments
    totals: dict[Side, float | Missing] = {"pro": given.pro_total, "con": given.con_total}
    return {
        side: total if isinstance(total, Missing) else round(total / times, PLACES) for side, total in totals.items()
    }


def _overlap(pairs: Sequence[FindingPair[Any]]) -> Overlap:
    first, second = ([each for each in pairs if getattr(each, who) is not UNSET] for who in ("first", "second"))
    both = sum(each.first is not UNSET and each.second is not UNSET for each in pairs)
    return Overlap(first=len(first), second=len(second), both=both)


def _score_agreement(pairs: Iterable[TurnInBoth | ArgumentInBoth], what: str) -> ScoreAgreement:
    """How far both judges gave the same scores, of those whose scores can be compared."""
    scored = [
        (each.first, each.second)
        for each in pairs
        if isinstance(each.first, float) and isinstance(each.second, float) and each.difference is not UNSET
    ]
    return score_agreement([a for a, _ in scored], [b for _, b in scored], what)


def _apart(first: object, second: object) -> float | UnsetType:
    return round(second - first, 2) if isinstance(first, float) and isinstance(second, float) else UNSET


# protocols


def _compare_protocols(one: _Seen, two: _Seen, numbers: Sequence[int]) -> JudgingComparison:
    """Compare argument by argument."""
    is_comparable = one.opened.rubric.criteria == two.opened.rubric.criteria
    known = [seen.fold.debate.protocol.arguments for seen in (one, two)]
    arguments = tuple(
        _argument(name, known[0][name], known[1][name], is_comparable=is_comparable)
        for side in SIDES
        for name in one.fold.debate.protocol.arguments_of(side)
        if name in known[1]
    )
    stood = [{each.argument: each.standings[at] for each in arguments if all(each.standings)} for at in (0, 1)]
    fallacies = tuple(_matched(numbers, _fallacies(known[0]), _fallacies(known[1])))
    return JudgingComparison(
        motion=one.view.motion,
        language=one.view.language or "en",
        digest=sha256(msgspec.json.encode(_words(one.view, numbers))).hexdigest(),
        first=_judging(one),
        second=_judging(two),
        notes=tuple(_protocol_notes(one, two, is_comparable=is_comparable)),
        scores=_score_agreement(arguments, "argument"),
        preferred=choice_agreement({}, {}),
        arguments=arguments,
        standings=choice_agreement(*stood),
        standings_alike=sum(stood[1][name] == said for name, said in stood[0].items()),
        standings_of=len(stood[0]),
        fallacies=fallacies,
        common_fallacies=_overlap(fallacies),
    )


def _protocol_notes(one: _Seen, two: _Seen, *, is_comparable: bool) -> Iterator[str]:
    rules = [
        (seen.opened.rubric.criteria, seen.opened.rubric.protocol, seen.opened.rubric.panel) for seen in (one, two)
    ]
    if not is_comparable:
        yield "The rubrics have other criteria or weights, so totals are not compared."
    elif rules[0] != rules[1]:
        yield "The two judgings have different rubrics, so a difference may come from the rules and not from the judge."
    yield from _limits(one, two, is_one_rule=rules[0] == rules[1])


def _argument(name: str, one: ArgumentState, two: ArgumentState, *, is_comparable: bool) -> ArgumentInBoth:
    first, second = (NOT_JUDGED if each.trace is UNSET else each.trace.total for each in (one, two))
    given = [{} if each.trace is UNSET else each.trace.scores for each in (one, two)]
    return ArgumentInBoth(
        argument=name,
        side=one.side,
        first=first,
        second=second,
        difference=_apart(first, second) if is_comparable else UNSET,
        standings=(one.standing or "", two.standing or ""),
        reasons=("" if one.trace is UNSET else one.trace.reason, "" if two.trace is UNSET else two.trace.reason),
        criteria=tuple(
            CriterionPair(
                criterion=each,
                first=given[0].get(each, UNSET),
                second=given[1].get(each, UNSET),
                difference=_apart(given[0].get(each), given[1].get(each)),
            )
            for each in dict.fromkeys((*given[0], *given[1]))
        ),
    )


def _fallacies(arguments: Mapping[str, ArgumentState]) -> dict[int, list[NamedFallacy]]:
    found: dict[int, list[NamedFallacy]] = {}
    for each in (fallacy for argument in arguments.values() for fallacy in argument.fallacies.values()):
        named = NamedFallacy(
            argument=each.argument, fallacy=each.fallacy, quote=each.quote, span=each.span, reason=each.reason
        )
        found.setdefault(each.turn, []).append(named)
    return found


# turn by turn


def _turn(number: int, one: View, two: View, *, is_comparable: bool) -> TurnInBoth:
    a, b = one.turns[str(number)], two.turns[str(number)]
    first, second = _composite(a), _composite(b)
    is_alike = is_comparable and a.composite_maximum == b.composite_maximum
    return TurnInBoth(
        turn=number,
        side=a.side,
        first=first,
        second=second,
        difference=_apart(first, second) if is_alike else UNSET,
        components=tuple(_components(a, b)),
    )


def _composite(turn: TurnView) -> float | Missing:
    """The points of a turn, if the judge gave them all."""
    if not isinstance(turn.scores, Missing) and any(each.inferred for each in turn.scores.values()):
        return NOT_GIVEN
    return NOT_JUDGED if turn.composite is UNSET else turn.composite


def _components(one: TurnView, two: TurnView) -> Iterator[ComponentPair]:
    for dimension in dict.fromkeys((*one.components, *two.components)):
        found, others = one.components.get(dimension, {}), two.components.get(dimension, {})
        for name in dict.fromkeys((*found, *others)):
            a, b = found.get(name, UNSET), others.get(name, UNSET)
            pair = ComponentPair(dimension=dimension, component=name, first=a, second=b)
            if a is not UNSET and b is not UNSET:
                pair = replace(
                    pair,
                    difference=round(b.admitted - a.admitted, 2) if a.maximum == b.maximum else UNSET,
                    shares_words=UNSET if a.span is UNSET or b.span is UNSET else overlaps(a.span, b.span),
                )
            yield pair


def _flags(seen: _Seen) -> dict[int, list[Flag]]:
    found: dict[int, list[Flag]] = {}
    for name, claim in seen.view.claims.items():
        found.setdefault(claim.turn, []).append(_flag(name, claim))
    return found


def _flag(name: str, claim: Claim) -> Flag:
    return Flag(
        claim=name,
        kind=claim.kind,
        state=claim.state,
        quote=claim.quote,
        span=claim.span,
        reason=claim.reason,
        points=claim.penalty,
    )


def _docks(seen: _Seen) -> dict[int, list[Docking]]:
    found: dict[int, list[Docking]] = {}
    for entry in seen.fold.debate.ledger.entries:
        if entry.kind == "gap":
            fails, shows = entry.evidence
            assert fails.span is not None, "the words that fail stand in the turn"
            docking = Docking(
                position=entry.position,
                points=entry.applied,
                quote=fails.quote,
                span=fails.span,
                shown_in=shows.turn,
                shown_by=shows.quote,
                reason=entry.reason,
            )
            found.setdefault(entry.turn, []).append(docking)
    return found


def _matched(numbers: Iterable[int], first: dict[int, list[F]], second: dict[int, list[F]]) -> Iterator[FindingPair[F]]:
    """Findings of both judges, paired where their words overlap; each finding is in one pair."""
    for number in numbers:
        left = list(second.get(number, ()))
        for each in first.get(number, ()):
            match = next((one for one in left if overlaps(each.span, one.span)), None)
            if match is not None:
                left.remove(match)
            yield FindingPair(turn=number, first=each, second=UNSET if match is None else match)
        yield from (FindingPair(turn=number, second=each) for each in left)


def _preferences(numbers: Sequence[int], one: _Seen, two: _Seen) -> Iterator[PreferencePair]:
    made = [{(each.earlier, each.later): each for each in seen.fold.debate.exchanges.pairs} for seen in (one, two)]
    for pair in sorted(made[0].keys() | made[1].keys(), key=lambda pair: (pair[1], -pair[0])):
        if pair[1] in numbers:
            first, second = (_preferred(each.get(pair)) for each in made)
            yield PreferencePair(earlier=pair[0], later=pair[1], first=first, second=second)


def _preferred(comparison: Comparison | None) -> str | Missing:
    if comparison is None:
        return NOT_JUDGED
    if comparison.missing is not None:
        return Missing(comparison.missing)
    return comparison.winner() or "draw"
