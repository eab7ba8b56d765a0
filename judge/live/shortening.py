"""What the judge still reads of a debate that outgrows its window.

All questions begin with the whole debate (``whole``).  Once that does not fit, the oldest turns after turn 1 are
shortened to their first sentence and the sentences with words that were flagged or cost points.  Where this is not
enough, only the first sentence of the oldest stays, and of their part of the record the mean scores; then they are left
out.  Turn 1 and the newest turns stay whole.  The event ``context_shortened`` records the choice before the questions
are asked.

The choice is made in large steps, so that the beginning of the prompts stays the same for several turns, as vendors'
caches need it.  The sizes are estimated from the log alone, not from the prompts.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Final, NamedTuple

import msgspec

from events.state.claims import Claim
from events.state.debate import Debate
from events.state.derived import by_turn, derived
from events.state.ledger import TurnCard
from events.state.spine import Premise
from events.types import ContextShortened, DebateOpened, ShortenedTurn, Span
from events.types.rubric import Rubric
from judge.live.answers import overlaps
from judge.text.words import SHORT, sentences, tokens

RESERVED_TOKENS: Final = 5000
RESERVED_SHARE: Final = 0.2
"""Of a window, for the question, the answer, the thinking, and an unreadable answer that is shown again."""
FILLED: Final = 2 / 3
"""Share of the other room that turns and record fill after shortening, so that the next turns find room."""
DENSE: Final = 4 / 3
"""A window is taken to be smaller by this factor: a model may need more tokens for a text than most."""
WHOLE: Final = (4, 2)
"""So many of the newest turns stay whole; the second number where the first leaves too little room."""
FRAME_TOKENS: Final = 500
"""Tokens of the role and the rules, without the rubric's own words."""
TURN_TOKENS, DIMENSION_TOKENS, COMPONENT_TOKENS, CHANGE_TOKENS, ENTRY_TOKENS, MEANS_TOKENS = 15, 18, 6, 12, 25, 120
"""Tokens besides the words of speakers: of a turn, of a card, of an entry of the record, of the mean scores."""


def shortening_due(debate: Debate, opened: DebateOpened) -> ContextShortened | None:
    """The event that must come before the next questions; None if the judge's window holds what it is given now."""
    window = opened.judge.window
    if not window:  # unset, or without a limit
        return None
    parts = (debate.transcript.turns, debate.ledger.cards, debate.claims, debate.spine, debate.words)
    return derived(opened).of(
        "shortening", (*parts, debate.context_shortened), lambda: _shortened(debate, opened, window)
    )


def _shortened(debate: Debate, opened: DebateOpened, window: int) -> ContextShortened | None:
    """What has to go where the window does not hold the debate."""
    newest = len(debate.transcript.spoken())
    sizes, reach = _Sizes(debate, opened), _reach(debate.context_shortened)
    room = room_for_turns(opened.rubric, opened.motion, window)
    if sizes.of(reach) <= room:
        return None
    chosen = _least(sizes, reach, newest, room)
    if chosen == reach:
        return None
    return ContextShortened(
        turn=newest,
        turns_shortened=tuple(
            ShortenedTurn(turn=turn, kept=sizes.parts(turn, is_brief=turn <= chosen.brief))
            for turn in range(chosen.left_out + 1, chosen.shortened + 1)
        ),
        turns_without_record=tuple(range(2, chosen.brief + 1)),
        turns_left_out=tuple(range(2, chosen.left_out + 1)),
    )


def room_for_turns(rubric: Rubric, motion: str, window: int) -> float:
    """Tokens of a window that turns and their record may fill, in the estimate of ``tokens``."""
    rules = msgspec.json.encode((rubric.dimensions, rubric.examples or ())).decode()
    fixed = FRAME_TOKENS + MEANS_TOKENS + tokens(rules) + tokens(motion)
    return (window - max(RESERVED_TOKENS, window * RESERVED_SHARE)) / DENSE - fixed


def kept_parts(debate: Debate, turn: int) -> tuple[Span, ...]:
    """The first sentence of a turn, and its sentences with words that were flagged or cost points.

    Of a very long sentence only these words are kept.
    """
    text = debate.transcript.turns[turn].text
    assert debate.opened is not None, "turns are shortened in an open debate"
    places = derived(debate.opened).of("marked", (debate.claims, debate.ledger.cards), partial(_marked, debate))
    found, parts = sentences(text), list(first_part(text))
    for words in places.get(turn, ()):
        around = [each for each in found if overlaps(each, words)]
        parts += around if sum(end - start for start, end in around) <= 2 * SHORT else [words]
    joined: list[Span] = []
    for start, end in sorted(parts):
        if joined and start <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


def _marked(debate: Debate) -> dict[int, list[Span]]:
    """The words of turns that were flagged or cost points, by turn."""
    flagged = ((claim.turn, claim.span) for claim in debate.claims.values())
    cost = (
        (evidence.turn, evidence.span)
        for card in debate.ledger.cards.values()
        for entry in card.entries
        if entry.kind == "gap"
        for evidence in entry.evidence
        if evidence.span is not None
    )
    return by_turn((*flagged, *cost))


def first_part(text: str) -> tuple[Span, ...]:
    """The first sentence, or the beginning of a very long one; nothing of an empty text."""
    return tuple((start, min(end, start + SHORT)) for start, end in sentences(text)[:1])


class _Reach(NamedTuple):
    """The last turn that is left out, without record, and shortened: each includes those before it.  1 for none."""

    left_out: int = 1
    brief: int = 1
    shortened: int = 1


def _reach(now: ContextShortened | None) -> _Reach:
    if now is None:
        return _Reach()
    brief = max(now.turns_without_record, default=1)
    return _Reach(
        max(now.turns_left_out, default=1), brief, max((each.turn for each in now.turns_shortened), default=brief)
    )


def _least(sizes: "_Sizes", reach: _Reach, newest: int, room: float) -> _Reach:
    """The least that has to go, with room for further turns if possible; the most that may go where nothing fits."""
    most = reach
    for goal in (room * FILLED, room):
        for whole in WHOLE:
            for most in _wider(reach, newest - whole):
                if sizes.of(most) <= goal:
                    return most
    return most


def _wider(reach: _Reach, last: int) -> Iterator[_Reach]:
    """What may go of the turns up to ``last``, from the least to the most."""
    for shortened in range(reach.shortened + 1, last + 1):
        yield _Reach(reach.left_out, reach.brief, shortened)
    last = max(last, reach.shortened)
    for brief in range(reach.brief + 1, last + 1):
        yield _Reach(reach.left_out, brief, last)
    for left_out in range(reach.left_out + 1, last + 1):
        yield _Reach(left_out, last, last)


class _Sizes:
    """Estimated tokens of what a prefix holds."""

    def __init__(self, debate: Debate, opened: DebateOpened) -> None:
        self._debate, self._opened = debate, opened
        self._newest = len(debate.transcript.spoken())
        now = debate.context_shortened
        self._known = {each.turn: each.kept for each in (now.turns_shortened if now is not None else ())}
        self._is_brief = frozenset(now.turns_without_record if now is not None else ())
        self._shortened = dict(derived(opened).of("sizes of shortened", (now,), self._sizes_of_known))
        """Tokens of shortened turns, by turn and whether only the first sentence stays."""

    def of(self, reach: _Reach) -> float:
        """Turns and record, if so many turns are shortened and left out."""
        size = 0.0
        for turn in (1, *range(reach.left_out + 1, self._newest + 1)):
            is_brief = 1 < turn <= reach.brief
            size += self._before[turn] + (0 if is_brief else self._record[turn])
            size += self._short(turn, is_brief=is_brief) if 1 < turn <= reach.shortened else self._whole[turn]
        return size

    def parts(self, turn: int, *, is_brief: bool) -> tuple[Span, ...]:
        """The parts of a shortened turn; those that were chosen before stay until only the first sentence does."""
        if turn in self._known and (not is_brief or turn in self._is_brief):
            return self._known[turn]
        return first_part(self._debate.transcript.turns[turn].text) if is_brief else kept_parts(self._debate, turn)

    @cached_property
    def _whole(self) -> dict[int, float]:
        return {turn.turn: TURN_TOKENS + tokens(turn.text) for turn in self._debate.transcript.spoken()}

    def _short(self, turn: int, *, is_brief: bool) -> float:
        if (turn, is_brief) not in self._shortened:
            self._shortened[turn, is_brief] = self._of_parts(turn, self.parts(turn, is_brief=is_brief))
        return self._shortened[turn, is_brief]

    def _sizes_of_known(self) -> dict[tuple[int, bool], float]:
        """The sizes of the turns that are shortened now, whose parts stay until the next choice."""
        sizes = {turn: self._of_parts(turn, kept) for turn, kept in self._known.items()}
        return {(turn, is_brief): size for turn, size in sizes.items() for is_brief in {False, turn in self._is_brief}}

    def _of_parts(self, turn: int, spans: Sequence[Span]) -> float:
        text = self._debate.transcript.turns[turn].text
        return 2 * TURN_TOKENS + sum(tokens(text[start:end]) + 2 for start, end in spans)

    @cached_property
    def _before(self) -> dict[int, float]:
        """The moderator's messages, by the turn that they come before."""
        sizes: dict[int, float] = defaultdict(float)
        for message in self._debate.words.values():
            sizes[message.after_turn + 1] += ENTRY_TOKENS + tokens(message.text)
        return sizes

    @cached_property
    def _record(self) -> dict[int, float]:
        """The record by the turn that it is about."""
        debate, kept, sizes = self._debate, derived(self._opened), defaultdict[int, float](float)
        told = self._opened.rubric.dimensions.get(self._opened.rubric.gaps.dimension)
        components = tuple(told.components) if told else ()
        for parts in (
            kept.blocks("size of card", list(debate.ledger.cards.items()), partial(_of_card, components), _summed),
            kept.blocks("size of claim", list(debate.claims.items()), _of_claim, _summed),
            kept.blocks("size of premise", list(debate.spine.premises.items()), _of_premise, _summed),
        ):
            for block in parts:
                for turn, size in block.items():
                    sizes[turn] += size
        for each in debate.spine.contradictions:
            sizes[max(each.turns)] += ENTRY_TOKENS
        return sizes


def _summed(entries: Iterable[tuple[int, float]]) -> dict[int, float]:
    """The sizes by turn."""
    sizes: dict[int, float] = defaultdict(float)
    for turn, size in entries:
        sizes[turn] += size
    return sizes


def _of_card(told: Sequence[str], card: TurnCard) -> Iterator[tuple[int, float]]:
    """Estimated tokens of the scores of a turn, with it; ``told``: the components whose reasons are given."""
    size = float(len(card.balances) * DIMENSION_TOKENS + len(card.components) * COMPONENT_TOKENS)
    reasons = (card.components[name].reason for name in told if name in card.components)
    size += sum(ENTRY_TOKENS + tokens(reason) for reason in reasons)
    for entry in card.entries:
        size += CHANGE_TOKENS if entry.kind != "score" else 0
        if entry.kind == "gap":
            size += ENTRY_TOKENS + sum(tokens(each.quote) for each in entry.evidence[:1]) + tokens(entry.reason)
    yield card.turn, size


def _of_claim(claim: Claim) -> Iterator[tuple[int, float]]:
    """Estimated tokens of a claim, with its turn."""
    yield claim.turn, ENTRY_TOKENS + tokens(claim.quote) + tokens(claim.reason)


def _of_premise(premise: Premise) -> Iterator[tuple[int, float]]:
    """Estimated tokens of a premise and of its changes, with their turns."""
    yield premise.turn, ENTRY_TOKENS + tokens(premise.original or premise.text)
    yield from ((change.turn, ENTRY_TOKENS + tokens(change.text)) for change in premise.changes)
