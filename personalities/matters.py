"""What a directive names: points of the record, each in words that stand in a turn, with the judge's reason.

From version 4 of the debater's template on.  Source: docs/design.md.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, repeat
from operator import contains
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from events.state.claims import BY_EVIDENCE, Claim
from events.state.debate import Debate
from events.state.derived import by_turn, derived
from events.state.ledger import ScoreEntry, TurnCard, without_notes
from events.text.said import sentences
from events.types import Side, Span, other

MAX_WORDS: Final = 300
"""Characters of a quote; a longer one ends with its last sentence or clause that fits."""
MAX_REASON: Final = 200
"""The same for a reason of the judge."""
MAX_TEXT: Final = 1000
"""Characters of a directive; a longer one leaves reasons out, the last one first."""
SOURCES: Final = frozenset(
    {"fabricated_citation", "unverifiable", "misquotation", "wrong_passage", "invented_passage", "hollow_specificity"}
)
"""Kinds of claims that name a source or a figure: without it little of the claim is left."""
NAMES: Final = {"pro": "Pro", "con": "Con"}
_ROLES: Final = re.compile(r"\b[Tt]he (speaker|opponent)\b")
_MARKS = str.maketrans({"“": "‘", "”": "’", "„": "‘", "‟": "’", '"': "’"})
_QUOTED: Final = re.compile("“([^“”]*)”")
_CLAUSE_END: Final = re.compile(r"(?<=[;；؛])\s*")
_ENDS: Final = " .,;:!?…—–-‘’'"


class _Matter(Struct, frozen=True):
    """A point of a directive: what it cost, the words that it quotes, what the record says, why, and what to do."""

    cost: float
    quotes: tuple[str, ...]
    fact: str
    why: str
    order: str
    is_new: bool = False
    """Whether it is told although an earlier directive names its words: they were dropped or contradicted since."""

    @property
    def text(self) -> str:
        """The point as sentences."""
        if not self.why:
            return f"{self.fact}. {self.order}"
        return f"{self.fact}, because: “{self.why}”{'' if self.why[-1] in '.!?。！？।؟' else '.'} {self.order}"


def matters(debate: Debate, side: Side, *, closes: bool) -> tuple[str, ...]:
    """What ``side``, which speaks next, should take up: at most three points; empty if the record has none.

    First what cost its own side most; then a weak point of the opponent's newest turn; then one more: a premise that
    the side dropped, one of its premises that the judge saw no answer to, or the next of its own faults.  No words are
    named that an earlier directive of the side names, and none that their speaker has taken back.  A turn that
    ``closes`` gets a weak point of the opponent only: last turns that were told their own faults became confessions.
    """
    last = max((turn.turn for turn in debate.transcript.spoken() if turn.side == side), default=0)
    if not last:
        return ()
    told = [each.text for each in debate.characters.directives.values() if each.side == side]
    named = [quote for text in told for quote in _named(text)]
    own = sorted(_own_faults(debate, side, last), key=lambda each: -each.cost)
    found: list[_Matter] = []

    def take(points: Iterable[_Matter]) -> None:
        """Take the first point whose words are not named yet."""
        here = [words for point in found for quote in point.quotes if (words := quote.strip(_ENDS))]
        for each in points:
            known = here if each.is_new else [*here, *named]
            if each not in found and not any(_overlaps(quote, known) for quote in each.quotes):
                found.append(each)
                return

    if not closes:
        take(own)
    take(_weak_points(debate, side, last + 1, closes=closes))
    if not closes:
        take([*(each for each in own if each.is_new), *_unanswered(debate, side, last), *own])
    for at in reversed(range(len(found))):
        if len(" ".join(each.text for each in found)) > MAX_TEXT:
            found[at] = replace(found[at], why="")
    return tuple(each.text for each in found)


def flaws(debate: Debate, side: Side) -> Iterator[ScoreEntry]:
    """The flaws in turns of ``side`` that the newest turn exposed, in words that the side has not taken back."""
    newest = len(debate.transcript.spoken())
    if debate.opened is None:
        return
    shown = derived(debate.opened).blocks("shown flaws", list(debate.ledger.cards.items()), _shown, by_turn)
    for entry in chain.from_iterable(block.get(newest, ()) for block in shown):
        fails = entry.evidence[0]
        is_own = debate.ledger.sides[entry.turn] == side
        if is_own and fails.span is not None and not _is_taken_back(debate, fails.turn, fails.span):
            yield entry


def _shown(card: TurnCard) -> Iterator[tuple[int, ScoreEntry]]:
    """The flaws of a turn, each with the turn that exposed it."""
    for entry in card.entries:
        if entry.kind == "gap" and len(entry.evidence) > 1:
            yield entry.evidence[1].turn, entry


def _own_faults(debate: Debate, side: Side, last: int) -> Iterator[_Matter]:
    """What the record holds against a side: exposed flaws, and doubted claims and broken conduct of its last turn."""
    rubric = debate.ledger.rubric
    costs: dict[str, float] = {} if rubric is None else {name: rule.points for name, rule in rubric.conduct.items()}
    for entry in flaws(debate, side):
        quotes = tuple(_words(debate, each.turn, each.span) for each in entry.evidence[:2] if each.span is not None)
        if all(quotes):
            fact = f"The judge sees a flaw in your “{quotes[0]}” after “{quotes[1]}”"
            order = "Defend it, narrow it or give it up."
            yield _Matter(-entry.applied, quotes, fact, _why(entry.reason, side), order)
    for claim, quote, doubted in _doubted(debate, last):
        order = "Support it, weaken it or withdraw it."
        yield _Matter(-claim.requested, (quote,), f"{doubted} your “{quote}”", _why(claim.reason, side), order)
    for quotes, told, why in _contradictions(debate, side, last):
        cost, fact = costs.get("contradiction", 0.0), f"The judge says that your last turn contradicts {told}"
        yield _Matter(cost, quotes, fact, why, "Say which of it holds.", is_new=True)
    for quote in _dropped(debate, side, last):
        fact, order = f"As the judge reads it, you left “{quote}” without a word", "Defend it or give it up openly."
        yield _Matter(costs.get("dropped_premise", 0.0), (quote,), fact, "", order, is_new=True)


def _weak_points(debate: Debate, side: Side, newest: int, *, closes: bool) -> Iterator[_Matter]:
    """The weak points of the opponent's newest turn, the best first: doubted claims, broken conduct, own flaws.

    A flaw that ``side`` has shown itself is none: it has been said.
    """
    opponent = other(side)
    order = "Weigh the other side without it." if closes else "Press it."
    claims = sorted(_doubted(debate, newest), key=lambda each: (each[0].kind not in SOURCES, each[0].requested))
    for claim, quote, doubted in claims:
        yield _Matter(0, (quote,), f"{doubted} the opponent’s “{quote}”", _why(claim.reason, opponent), order)
    for quotes, told, why in _contradictions(debate, opponent, newest):
        yield _Matter(0, quotes, f"The judge says that the opponent’s last turn contradicts {told}", why, order)
    for quote in _dropped(debate, opponent, newest):
        yield _Matter(0, (quote,), f"As the judge reads it, the opponent left “{quote}” without a word", "", order)
    for entry in sorted(flaws(debate, opponent), key=lambda each: each.applied):
        fails = entry.evidence[0]
        if fails.span is not None and (quote := _words(debate, fails.turn, fails.span)):
            fact = f"The judge sees a flaw in the opponent’s “{quote}”"
            yield _Matter(0, (quote,), fact, _why(entry.reason, opponent), order)


def _unanswered(debate: Debate, side: Side, last: int) -> Iterator[_Matter]:
    """The premises of a side's last turn that the judge saw no answer to in the turn after it.

    None if that turn gave way on something that the last one had answered: the record does not say to which premise.
    None stands in a sentence with a doubted claim or a flaw, and none was named to either side.
    """
    spine, newest = debate.spine, last + 1
    if newest not in spine.answered:
        return
    attacked = spine.answered.get(last, ())
    if any(
        name in attacked and any(change.turn == newest and change.what != "dropped" for change in premise.changes)
        for name, premise in spine.premises.items()
    ):
        return
    contradicted = {name for found in spine.contradictions for name in found.premises}
    named = [quote for each in debate.characters.directives.values() for quote in _named(each.text)]
    faults = [claim.span for claim in debate.claims.values() if claim.turn == last]
    entries = debate.ledger.cards[last].entries if last in debate.ledger.cards else ()
    faults += [each.span for entry in entries if entry.kind == "gap" for each in entry.evidence[:1] if each.span]
    passed_over = contradicted | {*spine.answered[newest]}
    for name, premise in spine.premises.items():
        if premise.side == side and premise.turn == last and premise.state == "kept" and name not in passed_over:
            around, quote = _sentences_around(debate, last, premise.span), _words(debate, last, premise.span)
            if quote and not _overlaps(quote, named) and not any(_meet(each, at) for each in around for at in faults):
                yield _Matter(0, (quote,), f"The judge names no answer to your “{quote}”", "", "Carry it further.")


def _doubted(debate: Debate, turn: int) -> Iterator[tuple[Claim, str, str]]:
    """The claims of a turn that are flagged and not cleared: their words, and who speaks against them."""
    for claim in debate.claims.values():
        if claim.turn == turn and claim.state != "cleared" and (quote := _words(debate, turn, claim.span)):
            yield claim, quote, "The evidence speaks against" if claim.by == BY_EVIDENCE else "The judge doubts"


def _contradictions(debate: Debate, side: Side, turn: int) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """The contradictions that the side's ``turn`` made: the words that it contradicts, also as text, and why.

    None of which a premise was revised or withdrawn: its side no longer holds the words that were spoken.
    """
    known, stands = debate.spine.premises, {"kept", "dropped"}
    for found in debate.spine.contradictions:
        premises = [known[name] for name in found.premises if name in known]
        if found.side == side and max(found.turns) == turn and stands >= {each.state for each in premises}:
            earlier = [each for each in premises if each.turn < turn] or premises
            if words := tuple(quote for each in earlier if (quote := _words(debate, each.turn, each.span))):
                yield words, " and ".join(f"“{quote}”" for quote in words), _why(found.reason, side)


def _dropped(debate: Debate, side: Side, turn: int) -> Iterator[str]:
    """The words of the premises that the side's ``turn`` dropped."""
    for each in debate.spine.premises.values():
        is_dropped = each.side == side and each.state == "dropped" and each.changes[-1].turn == turn
        if is_dropped and (quote := _words(debate, each.turn, each.span)):
            yield quote


def _is_taken_back(debate: Debate, turn: int, span: Span) -> bool:
    """Whether words of a turn are part of a premise that its speaker has revised or withdrawn."""
    return any(
        each.turn == turn and each.state in {"revised", "withdrawn"} and _meet(each.span, span)
        for each in debate.spine.premises.values()
    )


def _words(debate: Debate, turn: int, span: Span) -> str:
    """The words of a turn as a directive quotes them; words over a break between sentences as whole sentences.

    A part of two sentences may lack the word that makes the first one wrong.
    """
    places = _sentences_around(debate, turn, span)
    place = (places[0][0], places[-1][1]) if len(places) > 1 else span
    return _shortened(debate.transcript.turns[turn].text[slice(*place)], MAX_WORDS).rstrip(" .,;:")


def _sentences_around(debate: Debate, turn: int, span: Span) -> list[Span]:
    """The places of the sentences of a turn in which words stand."""
    return [each for each in sentences(debate.transcript.turns[turn].text) if _meet(each, span)]


def _why(reason: str, speaker: Side) -> str:
    """The judge's reason; empty if it is too long to be told in whole sentences or clauses.

    An English reason about a turn calls its ``speaker`` so, and the other side the opponent.  A directive names both:
    to one of its readers "the opponent" would mean the wrong side.
    """
    sides = {"speaker": NAMES[speaker], "opponent": NAMES[other(speaker)]}
    return _shortened(_ROLES.sub(lambda role: sides[role[1]], without_notes(reason)), MAX_REASON)


def _shortened(text: str, most: int) -> str:
    """A text of at most ``most`` characters without quotation marks of its own.

    It ends where a sentence or a clause of the text ends; empty if none of them is short enough.
    """
    line = " ".join(text.split()).translate(_MARKS)
    if len(line) <= most:
        return line
    ends = {end for _, end in sentences(line)} | {match.start() for match in _CLAUSE_END.finditer(line)}
    return line[: max((end for end in ends if end <= most), default=0)].rstrip(" ;；؛")


@lru_cache(4096)
def _named(text: str) -> tuple[str, ...]:
    """The words that a directive names, without their ends; cached, since no later directive names them again."""
    return tuple(words for quote in _QUOTED.findall(text) if (words := quote.strip(_ENDS)))


def _overlaps(quote: str, others: Iterable[str]) -> bool:
    """Whether one of the other quotes holds this one, or is a part of it.  They are given without their ends."""
    words, known = quote.strip(_ENDS), tuple(others)
    return any(map(contains, known, repeat(words))) or any(map(contains, repeat(words), known))


def _meet(one: Span, another: Span) -> bool:
    return one[0] < another[1] and another[0] < one[1]
