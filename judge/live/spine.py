"""The causal spine: premises that a side states, revises, drops silently or contradicts.

The judge says what a turn does to the premises of its own side, and which premises and claims of the opponent it
answers.  A drop counts only if the opponent's turn before answered that premise, where the judge was asked that.
"""

from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from typing import Annotated, Final, Literal, TypeVar, cast

from msgspec import Meta, Struct

from events.state.debate import Debate
from events.state.spine import Premise, Spine
from events.types import (
    ContradictionFound,
    OpponentAnswered,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
    PremiseWithdrawn,
    Side,
    TurnSpoken,
)
from judge.guard.neutralise import quoted
from judge.guard.quotes import comparable, not_quoted, place
from judge.live.answers import Answers, Quote, Why, is_majority
from judge.live.entries import misquote, penalize_conduct, record_notes, refuse_finding
from judge.live.event_batch import EventBatch
from judge.live.prompt import Prompt, Prompts, speaker, turn_prompt
from judge.templates import fill, section

T = TypeVar("T")
Conduct = Literal["dropped_premise", "contradiction"]
PURPOSE: Final = "premises"
Text = Annotated[str, Meta(max_length=300)]
Id = Annotated[str, Meta(max_length=12)]
Ids = Annotated[tuple[Id, ...], Meta(max_length=12)]
"""Ids of premises and claims."""
GONE_STATES: Final = frozenset({"dropped", "withdrawn"})
ASKED_ANSWERED: Final = 3
"""The template's version from which on the judge is asked what a turn answers, and a dropped premise may return."""


class Stated(Struct, frozen=True, kw_only=True):
    """A new premise."""

    text: Text
    quote: Quote


class Revised(Struct, frozen=True, kw_only=True):
    """A known premise in another form."""

    premise: Id
    text: Text


class Dropped(Struct, frozen=True, kw_only=True):
    """A known premise that the turn drops."""

    premise: Id
    reason: Why = ""


class Contradicted(Struct, frozen=True, kw_only=True):
    """Known premises that the turn contradicts."""

    premises: Annotated[list[Id], Meta(max_length=4)]
    reason: Why = ""


class FirstPremises(Struct, frozen=True, kw_only=True):
    """The premises of a turn whose side has no active premise yet."""

    stated: Annotated[tuple[Stated, ...], Meta(max_length=5)] = ()


class PremisesAnswer(FirstPremises, frozen=True, kw_only=True):
    """What a turn does to its side's premises; a missing list is empty."""

    revised: Annotated[tuple[Revised, ...], Meta(max_length=5)] = ()
    dropped: Annotated[tuple[Dropped, ...], Meta(max_length=5)] = ()
    contradictions: Annotated[tuple[Contradicted, ...], Meta(max_length=5)] = ()


class Withdrawn(Struct, frozen=True, kw_only=True):
    """A known premise that the turn gives up openly."""

    premise: Id
    quote: Quote


class GradedPremises(PremisesAnswer, frozen=True, kw_only=True):
    """The answer of a judge that reads the whole debate: open concessions are told apart from silent drops."""

    withdrawn: Annotated[tuple[Withdrawn, ...], Meta(max_length=5)] = ()


class FirstReply(FirstPremises, frozen=True, kw_only=True):
    """The premises of a side's first turn, and what of the opponent it answers."""

    answered: Ids = ()


class AnsweredPremises(GradedPremises, frozen=True, kw_only=True):
    """What a turn does to its side's premises, and what of the opponent it answers."""

    answered: Ids = ()


def premises_type(spine: Spine, side: Side, version: int = 0) -> type[FirstPremises]:
    """Return the type of an answer; changes of premises are possible only if the side has some.

    ``version``: that of the template of a judge that reads the whole debate; 0 for one that reads the newest turns.
    """
    if version >= ASKED_ANSWERED:
        sides = {each.side for each in spine.premises.values()}
        return AnsweredPremises if side in sides else FirstReply if sides else FirstPremises
    if not _active_premises(spine, side):
        return FirstPremises
    return GradedPremises if version else PremisesAnswer


def _active_premises(spine: Spine, side: Side) -> dict[str, Premise]:
    return {name: each for name, each in spine.premises.items() if each.side == side and each.state not in GONE_STATES}


def premises_prompt(prompts: Prompts, motion: str, spoken: Sequence[TurnSpoken], spine: Spine) -> Prompt:
    """Ask what the last of ``spoken`` does to its side's premises."""
    turn, frame = spoken[-1], prompts["premises"]
    live = _active_premises(spine, turn.side)
    named = {"turn": str(turn.turn), "speaker": speaker(spoken, turn)}
    ask = (
        fill(section(frame, "ask"), premises=premise_list(live), **named)
        if live
        else fill(section(frame, "first"), **named)
    )
    return turn_prompt(prompts, motion, spoken, ask)


def premise_history(premise: Premise) -> str:
    """Return in which turns a premise was stated and changed."""
    changes = (f"{change.what} in turn {change.turn}" for change in premise.changes)
    return ", ".join((f"stated in turn {premise.turn}", *changes))


def premise_list(premises: dict[str, Premise]) -> str:
    """Return premises by id, each with its latest form as material."""
    return "\n".join(f"{name}:\n{quoted(each.text)}" for name, each in premises.items())


def misquoted(debate: Debate, number: int, answer: FirstPremises) -> str:
    """Return the premises and withdrawals whose quotes leave out or put in what they may not; empty if there are none.

    A quote whose words are not in the turn at all is not told: its finding is refused.
    """
    text, rubric = debate.transcript.turns[number].text, debate.ledger.rubric
    withdrawn = answer.withdrawn if isinstance(answer, GradedPremises) else ()
    quotes = {
        **{f"stated, number {at}": each.quote for at, each in enumerate(answer.stated, start=1)},
        **{f"withdrawn, number {at}": each.quote for at, each in enumerate(withdrawn, start=1)},
    }
    faults = [
        f'{name}: {not_quoted(why)}; it was "{quote}"'
        for name, quote in quotes.items()
        if isinstance(why := place(quote, text, rubric.quote_minimum if rubric else 1), str) and why
    ]
    return misquote(faults)


def record_premises(batch: EventBatch, number: int, answers: Answers[FirstPremises]) -> None:
    """Record what a turn does to premises.

    Statements and revisions are in the judge's own words and cannot be compared, so the first sample counts.  Drops and
    contradictions cost points, so more than half of the samples must name the same ones; so with what it answers.
    """
    if not answers.given:
        return
    record_notes(batch, number, PURPOSE, answers)
    position, answer = answers.given[0]
    for stated in answer.stated:
        _state(batch, number, stated, position)
    full = [(at, given) for at, given in answers.given if isinstance(given, PremisesAnswer)]
    for revised in answer.revised if isinstance(answer, PremisesAnswer) else ():
        _revise(batch, number, revised, position, revives=isinstance(answer, GradedPremises))
    for withdrawn in answer.withdrawn if isinstance(answer, GradedPremises) else ():
        _withdraw(batch, number, withdrawn, position, late=isinstance(answer, AnsweredPremises))
    contradictions = [(frozenset(each.premises), at, each) for at, given in full for each in given.contradictions]
    for at, contradicted in _agreed(batch, number, contradictions, len(answers.given)):
        _contradict(batch, number, contradicted, at)
    drops = [(each.premise, at, each) for at, given in full for each in given.dropped]
    for at, dropped in _agreed(batch, number, drops, len(answers.given)):
        _drop(batch, number, dropped, at)
    asked = [(at, given) for at, given in answers.given if isinstance(given, FirstReply | AnsweredPremises)]
    if asked:
        named = [(name, at, name) for at, given in asked for name in dict.fromkeys(given.answered)]
        found = [(at, name) for at, name in _agreed(batch, number, named, len(answers.given))]
        batch.add(OpponentAnswered(turn=number, answered=tuple(_known(batch, number, found))), asked[0][0])


def _known(batch: EventBatch, number: int, named: Sequence[tuple[int, str]]) -> Iterator[str]:
    """Yield the ids that are premises or claims of the opponent; others are recorded as refused."""
    debate, side = batch.debate, batch.debate.transcript.turns[number].side
    for at, name in named:
        known = debate.spine.premises.get(name) or debate.claims.get(name)
        if known is None or known.turn >= number or debate.transcript.turns[known.turn].side == side:
            refuse_finding(batch, number, PURPOSE, name, "it is no premise or claim of the opponent", at)
        else:
            yield name


def _agreed(
    batch: EventBatch, number: int, findings: Sequence[tuple[Hashable, int, T]], samples: int
) -> Iterator[tuple[int, T]]:
    """Yield the first of each (key, position of the answer, finding) that more than half of the samples made."""
    voters: dict[Hashable, set[int]] = {}
    for what, at, _ in findings:
        voters.setdefault(what, set()).add(at)
    first = {what: (at, finding) for what, at, finding in reversed(findings)}
    for what, votes in voters.items():
        if is_majority(len(votes), samples):
            yield first[what]
        else:
            named = what if isinstance(what, str) else ", ".join(sorted(cast("frozenset[str]", what)))
            refuse_finding(
                batch, number, PURPOSE, named, f"only {len(votes)} of {samples} samples find it", first[what][0]
            )


def _state(batch: EventBatch, number: int, stated: Stated, cause: int) -> None:
    turn, rubric = batch.debate.transcript.turns[number], batch.debate.ledger.rubric
    found = place(stated.quote, turn.text, rubric.quote_minimum if rubric else 1)
    words = _comparable_words(stated.text)
    known = [
        name
        for name, each in batch.debate.spine.premises.items()
        if each.side == turn.side and each.state not in GONE_STATES and _comparable_words(each.text) == words
    ]
    fault = (
        "the premise has no words"
        if not words
        else not_quoted(found)
        if isinstance(found, str)
        else f"stated before as {known[0]}"
        if known
        else ""
    )
    if fault or isinstance(found, str):
        refuse_finding(batch, number, PURPOSE, stated.quote, fault, cause)
        return
    mine = sum(each.turn == number for each in batch.debate.spine.premises.values())
    batch.add(
        PremiseStated(
            premise=f"P{number}.{mine + 1}",
            side=turn.side,
            turn=number,
            text=stated.text,
            quote=turn.text[slice(*found)],
            span=found,
        ),
        cause,
    )


@lru_cache(4096)
def _comparable_words(text: str) -> str:
    """Return a premise in the form for comparison; empty if it has no words.  Cached, since later ones are compared."""
    return comparable(text) if any(character.isalnum() for character in text) else ""


def _fault(batch: EventBatch, number: int, name: str, gone: frozenset[str] = GONE_STATES) -> str:
    """Return why a premise cannot be named, as in the states ``gone``; empty if it can."""
    premise = batch.debate.spine.premises.get(name)
    if premise is None:
        return f"there is no premise {name!r}"
    if premise.side != batch.debate.transcript.turns[number].side:
        return f"premise {name} is the other side's"
    return f"premise {name} was {premise.state} before" if premise.state in gone else ""


def _withdraw(batch: EventBatch, number: int, withdrawn: Withdrawn, cause: int, *, late: bool) -> None:
    """Record a withdrawal.  ``late``: also of a premise that was dropped; what the drop has cost is not given back."""
    turn, rubric = batch.debate.transcript.turns[number], batch.debate.ledger.rubric
    found = place(withdrawn.quote, turn.text, rubric.quote_minimum if rubric else 1)
    fault = _fault(batch, number, withdrawn.premise, GONE_STATES - {"dropped"} if late else GONE_STATES)
    if not fault and isinstance(found, str):
        fault = not_quoted(found)
    if not fault and batch.debate.spine.premises[withdrawn.premise].turn == number:
        fault = f"turn {number} itself states {withdrawn.premise}"
    if fault or isinstance(found, str):
        refuse_finding(batch, number, PURPOSE, withdrawn.premise, fault, cause)
        return
    quote = turn.text[slice(*found)]
    batch.add(PremiseWithdrawn(premise=withdrawn.premise, turn=number, quote=quote, span=found), cause)


def _revise(batch: EventBatch, number: int, revised: Revised, cause: int, *, revives: bool) -> None:
    """Record a revision.  ``revives``: a premise that was dropped in silence may be taken up again."""
    fault = _fault(batch, number, revised.premise, GONE_STATES - {"dropped"} if revives else GONE_STATES)
    if not fault:
        known = batch.debate.spine.premises[revised.premise]
        said, before = _comparable_words(revised.text), _comparable_words(known.text)
        is_taken_up = said == before and known.state == "dropped"
        fault = "" if is_taken_up or said not in {"", before} else "it says nothing new"
    if fault:
        refuse_finding(batch, number, PURPOSE, revised.premise, fault, cause)
    else:
        batch.add(PremiseRevised(premise=revised.premise, turn=number, text=revised.text), cause)


def _contradict(batch: EventBatch, number: int, contradicted: Contradicted, cause: int) -> None:
    names = tuple(dict.fromkeys(contradicted.premises))
    faults = [fault for name in names if (fault := _fault(batch, number, name))]
    if not faults:
        turns = {batch.debate.spine.premises[name].turn for name in names}
        if not names:
            faults = ["no premise is named"]
        elif turns == {number} and len(names) == 1:
            faults = [f"turn {number} itself states {names[0]}"]
        elif any(set(names) == set(each.premises) for each in batch.debate.spine.contradictions):
            faults = ["the contradiction was found before"]
    if faults:
        refuse_finding(batch, number, PURPOSE, ", ".join(names), "; ".join(faults), cause)
        return
    found = ContradictionFound(
        side=batch.debate.transcript.turns[number].side,
        turns=tuple(sorted(turns | {number})),
        premises=names,
        reason=contradicted.reason,
    )
    _charge(batch, number, "contradiction", batch.add(found, cause), f"it contradicts {', '.join(names)}")


def _drop(batch: EventBatch, number: int, dropped: Dropped, cause: int) -> None:
    name = dropped.premise
    fault = _fault(batch, number, name) or _not_dropped(batch, number, name)
    if fault:
        refuse_finding(batch, number, PURPOSE, name, fault, cause)
        return
    at = batch.add(PremiseDropped(premise=name, turn=number, reason=dropped.reason), cause)
    _charge(batch, number, "dropped_premise", at, f"{name} was dropped in silence")


def _not_dropped(batch: EventBatch, number: int, name: str) -> str:
    """Return why a premise is not dropped silently; empty if it is."""
    premise = batch.debate.spine.premises[name]
    if premise.turn == number:
        return f"turn {number} itself states {name}"
    if any(change.turn == number for change in premise.changes):
        return f"turn {number} revises {name}"
    if any(name in each.premises and number in each.turns for each in batch.debate.spine.contradictions):
        return f"turn {number} contradicts {name}, which is not silence"
    met = batch.debate.spine.answered.get(number - 1)
    if met is not None and name not in met:
        return f"turn {number - 1} did not answer {name}"
    return ""


def _charge(batch: EventBatch, number: int, rule: Conduct, because_of: int, reason: str) -> None:
    rubric = batch.debate.ledger.rubric
    cost = rubric.conduct.get(rule) if rubric else None
    penalize_conduct(batch, number, cost, rule=rule, because_of=because_of, reason=reason)
