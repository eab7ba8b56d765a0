"""A report for a debater in format ``exchange``: the sections about its turns."""

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET, Struct

from events.state.debate import Debate
from events.state.ledger import TurnCard
from events.types import CitationChecked, ComponentScore, Side, Span, other
from events.types.rubric import Rubric
from events.view.turn_view import TurnView
from events.view.view import Fold, View
from judge.live.answers import overlaps
from server.errors import NotNow
from server.export.debate.exchange import first_side
from server.export.document import CitedTurn, Part, Parts, QuotedWords, Strong
from server.export.labels import named
from server.export.reports.document import (
    MIN_LOSS,
    STATED,
    ReportSection,
    count,
    quote_of,
    ranked_advice,
)
from server.export.reports.losses import Loss, losses_of
from server.export.wording import NAMES

MAX_OPEN: Final = 3
MAX_LOST: Final = 3
MAX_MISCITED: Final = 4
"""Entries of a section: the report is to stay on one page."""
WRONGLY: Final = {
    "misquoted": "these words do not stand in that passage",
    "unknown_passage": "the documents have no such passage",
}
"""By finding: what is wrong with a citation."""
UNCORRECTED: Final = " The judge recorded no correction of it in your later turns."
CONDUCT: Final = {
    "dropped_premise": ("a premise that was dropped without a word", "When you give a premise up, say so."),
    "contradiction": ("a contradiction", "Say nothing that contradicts your own earlier turns."),
    "injection": ("an attempt to instruct the judge", "Speak to the audience, and never tell the judge what to do."),
}
"""By rule of conduct: what cost the points, and the advice."""


class _SideOfExchange(Struct, frozen=True):
    """The side's turns in an exchange."""

    debate: Debate
    side: Side
    rubric: Rubric
    turns: dict[int, TurnView]
    """The side's turns."""
    cards: dict[int, TurnCard]
    """Its judged turns."""
    composites: dict[int, float]
    first: Side
    """The side that spoke first."""
    losses: tuple[Loss, ...]

    def words(self, turn: int, quote: str) -> QuotedWords:
        """Words of a debater."""
        return quote_of(self.debate.transcript.turns[turn].text, quote)

    def said(self, text: str) -> QuotedWords:
        """Words of the judge, with the names of the sides."""
        return QuotedWords(named(text, self.first))


def turn_sections(fold: Fold, view: View, side: Side) -> tuple[ReportSection, ...]:
    """The sections for one side.  Raises ``NotNow`` before a turn of it is judged."""
    debate, rubric = fold.debate, fold.debate.ledger.rubric
    cards = {number: card for number, card in sorted(debate.ledger.cards.items()) if card.side == side}
    if not cards or rubric is None:
        raise NotNow(f"no turn of {NAMES[side]} is judged yet, so there is nothing to report")
    composites = {
        number: whole
        for number, card in cards.items()
        if card.missing is None and (whole := card.composite(debate.ledger.dimensions)) is not None
    }
    turns = {int(number): turn for number, turn in view.turns.items() if turn.side == side}
    losses = tuple(losses_of(debate, cards.values()))
    case = _SideOfExchange(debate, side, rubric, turns, cards, composites, first_side(view.turns), losses)
    sections = [*_moments(case)]
    for title, entries in (
        ("Where you lost points afterwards, and why", _lost_later(case)),
        ("What was left unanswered, as far as the record shows", _unanswered(case)),
    ):
        found = tuple(entries)
        sections.append(ReportSection(title=title, entries=found or (("The record has nothing here.",),)))
    if miscited := tuple(_miscited(case)):
        sections.append(ReportSection(title="What the other side cited wrongly", entries=miscited))
    sections.append(ranked_advice((*_by_component(case), *_by_rule(case))))
    if unscored := tuple(_unscored(case)):
        sections.append(ReportSection(title="Not scored", entries=unscored))
    return tuple(sections)


class _Point(Struct, frozen=True):
    """A component of a turn with the judge's points."""

    turn: int
    name: str
    asks: str
    maximum: int
    score: ComponentScore

    @property
    def share(self) -> float:
        return self.score.admitted / self.maximum


def _points(case: _SideOfExchange, number: int) -> Iterator[_Point]:
    """The components of a turn's composite."""
    card = case.debate.ledger.cards[number]
    for dimension in case.debate.ledger.dimensions:
        for name, component in case.rubric.dimensions[dimension].components.items():
            if dimension in card.balances and name in card.components and number >= component.applies_from:
                yield _Point(number, name, component.asks, component.maximum, card.components[name])


def _moments(case: _SideOfExchange) -> Iterator[ReportSection]:
    if not case.composites:
        yield ReportSection(title="Your strongest and weakest moment", entries=(("None of your turns has a score.",),))
        return
    best = max(case.composites, key=lambda number: case.composites[number])
    worst = min(case.composites, key=lambda number: case.composites[number])
    yield ReportSection(title="Your strongest moment", entries=(_strongest(case, best),))
    yield ReportSection(title="Your weakest moment", entries=(_weakest(case, worst, is_only=best == worst),))


def _strongest(case: _SideOfExchange, number: int) -> Parts:
    quoted = [each for each in _points(case, number) if each.score.verified and each.score.quote]
    only = "your only turn with a score" if len(case.composites) == 1 else "your best turn"
    head = (
        CitedTurn(number, case.cards[number].position),
        f" is {only}, with {case.composites[number]:.1f} of 100 points in the end.",
    )
    if not quoted:
        return (*head, " No quote in it could be verified.")
    point = max(quoted, key=lambda each: (each.share, each.maximum))
    return (
        *head,
        f" The judge gave {point.score.admitted:g} of {point.maximum} for ",
        Strong(point.name.replace("_", " ")),
        f" (it {point.asks}) and quoted: ",
        case.words(number, point.score.quote),
        *_reason(case, point.score.reason),
    )


def _weakest(case: _SideOfExchange, number: int, *, is_only: bool) -> Parts:
    """The turn with the lowest score, and the component on which it lost most."""
    head: Parts = (CitedTurn(number, case.cards[number].position),)
    if is_only:
        head = (*head, " also holds your weakest moment.")
    else:
        head = (*head, f" is your lowest turn, with {case.composites[number]:.1f} of 100 points in the end.")
    points = [each for each in _points(case, number) if each.score.reason]
    point = max(points, key=lambda each: (each.maximum - each.score.admitted, each.maximum), default=None)
    if point is not None:
        quote: Parts = (" and quoted: ", case.words(number, point.score.quote)) if point.score.quote else (".",)
        doubt = "" if point.score.verified or not point.score.quote else " (these words are not in the turn)"
        head = (
            *head,
            f" The judge gave {point.score.admitted:g} of {point.maximum} for ",
            Strong(point.name.replace("_", " ")),
            f" (whether it {point.asks})",
            *quote,
            doubt,
            *_reason(case, point.score.reason),
        )
    lost = -sum(each.points for each in case.losses if each.turn == number and each.counts)
    return (*head, f" After it was scored, the turn lost {count(lost, 'point')} more: see below.") if lost else head


def _reason(case: _SideOfExchange, reason: str) -> Parts:
    return (" The judge wrote: ", case.said(reason)) if reason else ()


# what was lost after the score


def _lost_later(case: _SideOfExchange) -> Iterator[Parts]:
    listed = _largest(case)
    yield from (_loss(case, each) for each in listed)
    if rest := [each for each in case.losses if each not in listed]:
        lost = count(-sum(each.points for each in rest), "point")
        yield (f"{count(len(rest), 'further loss', 'further losses')} took {lost}.",)
    bands = {
        number: sum(entry.applied for entry in card.entries if entry.kind == "band")
        for number, card in case.cards.items()
    }
    if (moved := sum(bands.values())) <= -MIN_LOSS:
        parts: list[Part] = []
        for number, points in bands.items():
            if points:
                lead, verb = (", " if parts else " "), "down" if points < 0 else "up"
                cited = CitedTurn(number, case.cards[number].position)
                parts += [lead, cited, f" {verb} by {count(abs(round(points, 2)), 'point')}"]
        total = count(round(-moved, 2), "point")
        yield ("Comparisons with the turns beside them moved", *parts, f". Together your turns lost {total} by it.")


def _largest(case: _SideOfExchange) -> list[Loss]:
    """The losses that the report tells one by one."""
    return sorted(case.losses, key=lambda each: (each.points, each.position))[:MAX_LOST]


def _loss(case: _SideOfExchange, loss: Loss) -> Parts:
    head: Parts = (
        CitedTurn(loss.turn, loss.position),
        f" lost {count(-loss.points, 'point')} of {loss.dimension}",
    )
    if loss.kind in CONDUCT:
        said: Parts = (": ", case.words(loss.turn, loss.quote)) if loss.quote else (".",)
        return (*head, f" for {CONDUCT[loss.kind][0]}", *said, *_reason(case, loss.reason))
    if loss.kind != "gap":
        asks = f" (it {loss.asks})" if loss.asks else ""
        words: Parts = (
            f" for what the judge calls {loss.kind.replace('_', ' ')}{asks}: ",
            case.words(loss.turn, loss.quote),
        )
        return (*head, *words, *_reason(case, loss.reason))
    sides = case.debate.ledger.sides
    by, is_own = NAMES[sides[loss.shown_in]], sides[loss.shown_in] == case.side
    verb = "had said" if loss.shown_in < loss.turn else "answered"
    shown: Parts
    if loss.shown_in == loss.turn:
        shown = (" The same turn says: ", case.words(loss.shown_in, loss.shown_by))
    elif is_own:
        shown = (
            " You contradict it in ",
            CitedTurn(loss.shown_in, loss.position),
            ": ",
            case.words(loss.shown_in, loss.shown_by),
        )
    else:
        shown = (
            f" {by} {verb} in ",
            CitedTurn(loss.shown_in, loss.position),
            ": ",
            case.words(loss.shown_in, loss.shown_by),
        )
    left: Parts = (UNCORRECTED,) if _is_left(case, loss) else ()
    return (*head, ". You said: ", case.words(loss.turn, loss.quote), *shown, *_reason(case, loss.reason), *left)


# what was left open


def _unanswered(case: _SideOfExchange) -> Iterator[Parts]:
    """Flaws that stayed, premises that the side let go, and premises of the opponent that it left standing."""
    own = [*_unmended(case), *_let_go(case)][: MAX_OPEN - 1]
    yield from own
    yield from [*_still_standing(case)][: MAX_OPEN - len(own)]


def _unmended(case: _SideOfExchange) -> Iterator[Parts]:
    """Those of the flaws that stayed that the report has not told yet, by points."""
    told = _largest(case)
    left = [each for each in case.losses if _is_left(case, each) and each not in told]
    for loss in sorted(left, key=lambda each: (each.points, each.position)):
        yield (
            "You said in ",
            CitedTurn(loss.turn, case.cards[loss.turn].position),
            ": ",
            case.words(loss.turn, loss.quote),
            f" {NAMES[other(case.side)]} answered in ",
            CitedTurn(loss.shown_in, loss.position),
            ": ",
            case.words(loss.shown_in, loss.shown_by),
            UNCORRECTED,
        )


def _is_left(case: _SideOfExchange, loss: Loss) -> bool:
    """Whether the opponent exposed a flaw after which the side spoke again, and nothing recorded repairs it."""
    is_due = loss.kind == "gap" and loss.turn < loss.shown_in < max(case.cards)
    return is_due and case.debate.ledger.sides[loss.shown_in] != case.side and not _is_mended(case, loss)


def _is_mended(case: _SideOfExchange, loss: Loss) -> bool:
    """Whether a later turn changed a premise with these words, or exposed a flaw in the words against them."""
    is_changed = any(
        change.what in {"revised", "withdrawn"} and change.turn > loss.shown_in
        for premise in case.debate.spine.premises.values()
        if premise.turn == loss.turn and _meet(premise.span, loss.span)
        for change in premise.changes
    )
    return is_changed or any(
        each.turn == loss.shown_in and _meet(each.span, loss.shown_span) for each in _exposed_by(case)
    )


def _exposed_by(case: _SideOfExchange) -> Iterator[Loss]:
    """The flaws of the opponent's turns that the side exposed."""
    cards = (card for card in case.debate.ledger.cards.values() if card.side != case.side)
    sides = case.debate.ledger.sides
    return (each for each in losses_of(case.debate, cards) if each.kind == "gap" and sides[each.shown_in] == case.side)


def _meet(one: Span | None, other_span: Span | None) -> bool:
    return one is not None and other_span is not None and overlaps(one, other_span)


def _let_go(case: _SideOfExchange) -> Iterator[Parts]:
    """Premises that the side dropped, but for those that the report has told already."""
    told = {each.cause for each in _largest(case)}
    for premise in case.debate.spine.premises.values():
        for change in premise.changes:
            if premise.side == case.side and change.what == "dropped" and change.position not in told:
                yield (
                    "You built on this in ",
                    CitedTurn(premise.turn, premise.stated),
                    ": ",
                    case.words(premise.turn, premise.quote),
                    " In ",
                    CitedTurn(change.turn, change.position),
                    " you let it go without saying so.",
                )


def _still_standing(case: _SideOfExchange) -> Iterator[Parts]:
    """Premises of the opponent that stood when the side still spoke, and in which none of its turns exposed a flaw."""
    rival, last = other(case.side), max(case.cards)
    met = [(each.turn, each.span) for each in _exposed_by(case)]
    met += [(each.shown_in, each.shown_span) for each in case.losses if each.kind == "gap"]  # told with the losses
    met += [(each.turn, each.span) for each in case.debate.claims.values() if each.state != "cleared"]
    met += [(each.turn, each.claim) for each in _wrong_citations(case)]
    for premise in case.debate.spine.premises.values():
        if premise.side != rival or premise.turn > last or premise.state not in {"kept", "revised"}:
            continue
        if any(turn == premise.turn and _meet(span, premise.span) for turn, span in met):
            continue
        yield (
            f"{NAMES[rival]} built on this in ",
            CitedTurn(premise.turn, premise.stated),
            ": ",
            case.words(premise.turn, premise.quote),
            " It still stands, and the judge recorded no flaw in it that a turn of yours exposed.",
        )


def _wrong_citations(case: _SideOfExchange) -> Iterator[CitationChecked]:
    """The citations of the opponent whose words or passage do not stand in the documents."""
    for each in case.debate.citations.checked.values():
        if each.finding in WRONGLY and case.debate.ledger.sides.get(each.turn) == other(case.side):
            yield each


def _miscited(case: _SideOfExchange) -> Iterator[Parts]:
    listed = [*_wrong_citations(case)]
    for each in listed[:MAX_MISCITED]:
        text = case.debate.transcript.turns[each.turn].text
        quote = each.quote or text[each.claim[0] : each.claim[1]]
        yield (
            f"{NAMES[other(case.side)]} cited [{each.passage}] in ",
            CitedTurn(each.turn, case.debate.citations.positions[each.citation]),
            f", but {WRONGLY[each.finding]}: ",
            case.words(each.turn, quote),
        )
    if (rest := len(listed) - MAX_MISCITED) > 0:
        yield (f"{count(rest, 'further citation')} of {NAMES[other(case.side)]} did not stand in the documents.",)


# what to do next time


def _by_component(case: _SideOfExchange) -> Iterator[tuple[float, Parts]]:
    """Of each component: the points below its best turn in this debate, over the side's turns."""
    everywhere = [each for number in case.debate.ledger.cards for each in _points(case, number)]
    best: dict[str, float] = {}
    for each in everywhere:
        best[each.name] = max(best.get(each.name, 0.0), each.score.admitted)
    for name, top in best.items():
        mine = [each for each in everywhere if each.name == name and each.turn in case.cards]
        lost = sum(top - each.score.admitted for each in mine)
        given = [each for each in mine if each.score.reason and each.score.admitted < top]
        if not given or lost < MIN_LOSS:
            continue
        worst = min(given, key=lambda each: each.score.admitted)
        respect = f"{name.replace('_', ' ')}, {top:g} of {worst.maximum}"
        total = f"{count(round(lost, 2), 'point')} over {count(len(mine), 'turn')}"
        advice: Parts = (
            Strong(f"See that each turn {worst.asks}."),
            f" Against the best turn of this debate in this respect ({respect}) you lost {total}. Least in ",
            CitedTurn(worst.turn, case.debate.ledger.cards[worst.turn].position),
            f", with {worst.score.admitted:g}.",
            *_reason(case, worst.score.reason),
        )
        yield lost, advice


def _by_rule(case: _SideOfExchange) -> Iterator[tuple[float, Parts]]:
    """The points taken for flaws, for each kind of suspect claim, and for each rule of conduct."""
    told = _largest(case)
    for kind in dict.fromkeys(each.kind for each in case.losses):
        losses = [each for each in case.losses if each.kind == kind]
        lost = -sum(each.points for each in losses)
        if lost < MIN_LOSS:
            continue
        worst = min(losses, key=lambda each: each.points)
        if kind == "gap":
            what = "Before you speak, look for the step that the other side can attack, and close it."
            how = f"{count(len(losses), 'flaw')} in your turns cost"
        elif kind in CONDUCT:
            what, how = CONDUCT[kind][1], f"{count(len(losses), kind.replace('_', ' '))} cost"
        else:
            asks = worst.asks or f"can be called {kind.replace('_', ' ')}"
            what, how = f"Make no claim that {asks}.", f"{count(len(losses), 'such claim')} cost"
        yield (
            lost,
            (
                Strong(what),
                f" {how} you {count(round(lost, 2), 'point')}; most in ",
                CitedTurn(worst.turn, worst.position),
                ".",
                *((STATED,) if worst in told else _reason(case, worst.reason)),
            ),
        )


# what has no score


def _unscored(case: _SideOfExchange) -> Iterator[Parts]:
    for number, turn in case.turns.items():
        card = case.cards.get(number)
        if card is None:
            if turn.spoken is not UNSET:
                yield (CitedTurn(number, turn.spoken), " is not judged yet.")
        elif card.missing is not None:
            yield (CitedTurn(number, card.position), f" has no score: {card.missing.reason}.")
        else:
            for name, why in card.absent.items():
                yield (CitedTurn(number, card.position), f" has no score for {name.replace('_', ' ')}: {why.reason}.")
