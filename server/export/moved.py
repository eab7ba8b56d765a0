"""What moved between two positions, in sentences, the most important first.

An exported file tells the events that made most of the changes.  tests/web/moved.json holds examples.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET, Struct, structs

from events.text.figures import rounded, shortest
from judge.rubrics.rubric import change_name
from server.export.diff import Cause, ViewChange, ViewDiff
from server.export.wording import NAMES, STANDINGS

MAX_LINES: Final = 12
IN_COMPOSITE: Final = frozenset({"logic", "rhetoric", "tactics"})
"""The dimensions of which the composite consists."""
STATES: Final = {
    "open": "The debate runs.",
    "paused": "The debate was paused.",
    "halted": "The debate was halted.",
    "concluded": "The debate ended.",
}
TURN_STATES: Final = {"speaking": "began", "spoken": "was spoken", "judged": "was judged, without a score"}
PREMISES: Final = {
    "dropped": "Premises dropped without mention: {}.",
    "withdrawn": "Premises withdrawn openly: {}.",
    "revised": "Premises revised: {}.",
    "kept": "Premises stated: {}.",
}
STEPS: Final = {
    "opened": "Arguments opened: {}.",
    "crossed": "Cross-examined: {}.",
    "answered": "Questions answered about {}.",
}


class MovedLine(Struct, frozen=True, kw_only=True):
    """A sentence about changes, and the positions of the events that caused them, in order."""

    text: str
    because_of: tuple[int, ...]


class ToldDiff(ViewDiff, frozen=True, kw_only=True):
    """A difference with the sentences about it."""

    sentences: tuple[MovedLine, ...]


def told(found: ViewDiff) -> ToldDiff:
    """The difference with ``what_moved``."""
    return ToldDiff(**structs.asdict(found), sentences=what_moved(found))


def what_moved(found: ViewDiff) -> tuple[MovedLine, ...]:
    """At most twelve sentences; empty if nothing changed."""
    parts = (_outcome, _means, lambda changes: _turns(changes, found.events), _claims, _premises, _protocol, _rest)
    lines = tuple(line for part in parts for line in part(found.changes))
    if not lines and found.changes:
        return (_line(f"Only details changed: {_count(len(found.changes), 'value')}.", *found.changes),)
    if len(lines) <= MAX_LINES:
        return lines
    left = len(lines) - (MAX_LINES - 1)
    return (*lines[: MAX_LINES - 1], _line(f"And {_count(left, 'more change')}: see every changed value."))


def _line(text: str, *changes: ViewChange) -> MovedLine:
    return MovedLine(text=text, because_of=tuple(sorted({at for each in changes for at in each.because_of})))


def _at(changes: Iterable[ViewChange], *path: str) -> ViewChange | None:
    """The change of exactly this value."""
    return next((each for each in changes if each.keys == path), None)


def _after(changes: Iterable[ViewChange], *path: str) -> Any:
    """The new value at a path; None if it is gone or has not changed."""
    change = _at(changes, *path)
    return None if change is None or change.after is UNSET else change.after


def _set(changes: Iterable[ViewChange], *path: str) -> ViewChange | None:
    """The change that gave the value at a path; None if it is gone or has not changed."""
    change = _at(changes, *path)
    return None if change is None or change.after is UNSET or not change.after else change


def _members(changes: Iterable[ViewChange], *path: str) -> dict[str, list[ViewChange]]:
    """The changed members of a table, in order."""
    found: dict[str, list[ViewChange]] = {}
    for each in changes:
        if len(each.keys) > len(path) and each.keys[: len(path)] == path:
            found.setdefault(each.keys[len(path)], []).append(each)
    return found


def _outcome(changes: Sequence[ViewChange]) -> Iterator[MovedLine]:
    said, state = _set(changes, "outcome", "headline"), _set(changes, "state")
    if said is not None:
        yield _line(f"The debate ended: {said.after}.", said)
    elif state is not None:
        yield _line(STATES[state.after], state)
    if (verdict := _set(changes, "panel", "verdict", "verdict")) is not None:
        yield _line(f"The verdict on the artifact: {str(verdict.after).capitalize()}.", verdict)


def _means(changes: Sequence[ViewChange]) -> Iterator[MovedLine]:
    for side in ("pro", "con"):
        mean = _at(changes, "scorecard", side, "composite")
        if mean is None or not _is_number(mean.after):
            continue
        if _is_number(mean.before):
            way = f"{_rose(mean)} from {rounded(mean.before)} to {rounded(mean.after)}"
            text = f"The mean score of {NAMES[side]} {way}."
        else:
            text = f"The mean score of {NAMES[side]} is {rounded(mean.after)}."
        yield _line(text, mean)


def _turns(changes: Sequence[ViewChange], events: Mapping[str, Cause]) -> Iterator[MovedLine]:
    for name, own in sorted(_members(changes, "turns").items(), key=lambda each: int(each[0])):
        composite = _at(own, "turns", name, "composite")
        yield from _turn(name, own, composite, events)
        for score in own:
            if score.keys[2:3] != ("scores",) or score.keys[4:] != ("effective",):
                continue
            is_told = composite is not None and score.keys[3] in IN_COMPOSITE
            if not is_told and _is_number(score.before) and _is_number(score.after):
                dimension = score.keys[3].replace("_", " ")
                yield _line(f"Turn {name}, {dimension}, {_move(score)}{_why(score, events)}.", score)


def _turn(
    name: str, own: Sequence[ViewChange], composite: ViewChange | None, events: Mapping[str, Cause]
) -> Iterator[MovedLine]:
    """What happened to a turn as a whole: it began, was spoken, was scored, or its composite moved."""
    if composite is not None and _is_number(composite.after):
        why = _why(composite, events)
        if _is_number(composite.before):
            yield _line(f"Turn {name} {_move(composite)}{why}.", composite)
            return
        first = _after(own, "turns", name, "composite_admitted")
        score = _number(composite.after)
        text = f"Turn {name} was scored {f'{_number(first)}, now {score}' if _is_number(first) else score}{why}."
        yield _line(text, composite)
        return
    state = _set(own, "turns", name, "state")
    if state is not None and state.after in TURN_STATES:
        yield _line(f"Turn {name} {TURN_STATES[state.after]}.", state)


def _claims(changes: Sequence[ViewChange]) -> Iterator[MovedLine]:
    for name, own in _members(changes, "claims").items():
        kind = str(_after(own, "claims", name, "kind") or "").replace("_", " ")
        penalty = _after(own, "claims", name, "penalty")
        state = _set(own, "claims", name, "state")
        if state is None:
            continue
        if state.after == "flagged":
            points = f", {_signed(penalty)}" if _is_number(penalty) else ""
            yield _line(f"Claim {name} was flagged: {kind}{points}.", state)
        elif state.after in {"upheld", "cleared"}:
            decider = "The evidence" if _after(own, "claims", name, "decided_by") else "A second opinion"
            yield _line(f"{decider} {state.after} claim {name}{f' ({kind})' if kind else ''}.", state)


def _premises(changes: Sequence[ViewChange]) -> Iterator[MovedLine]:
    found = {name: _set(own, "premises", name, "state") for name, own in _members(changes, "premises").items()}
    for state, title in PREMISES.items():
        yield from _together(title, {n: each for n, each in found.items() if each is not None and each.after == state})


def _protocol(changes: Sequence[ViewChange]) -> Iterator[MovedLine]:
    found = _members(changes, "protocol", "arguments")
    for key, title in STEPS.items():
        steps = {name: _set(own, "protocol", "arguments", name, key) for name, own in found.items()}
        yield from _together(title, {name: each for name, each in steps.items() if each is not None})
    for name, own in found.items():
        if (standing := _set(own, "protocol", "arguments", name, "trace", "standing")) is not None:
            yield _line(f"Argument {name}: {STANDINGS[standing.after]}.", standing)


def _rest(changes: Sequence[ViewChange]) -> Iterator[MovedLine]:
    for side in ("pro", "con"):
        if traits := [each for each in changes if each.keys[:2] == ("traits", side)]:
            yield _line(f"The character of {NAMES[side]} changed in {_count(len(traits), 'trait')}.", *traits)
    asked = _at(changes, "usage", "calls")
    calls, tokens = _grown(asked), _grown(_at(changes, "usage", "tokens"))
    if asked is not None and calls > 0:
        yield _line(f"It took {_count(calls, 'model call')} and {_count(tokens, 'token')}.", asked)


def _together(title: str, told: Mapping[str, ViewChange]) -> Iterator[MovedLine]:
    """A sentence for these members; none if there are none."""
    names = list(told)
    if names:
        listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        yield _line(title.format(listed), *told.values())


def _why(change: ViewChange, events: Mapping[str, Cause]) -> str:
    """The rules that changed a score, in words."""
    causes = (events[str(position)] for position in change.because_of if str(position) in events)
    rules = dict.fromkeys(each.rule for each in causes if each.rule is not UNSET)
    words = ", ".join(dict.fromkeys(change_name(rule) for rule in rules))
    return f" ({words})" if words else ""


def _grown(change: ViewChange | None) -> int:
    if change is None or change.after is UNSET:
        return 0
    return int(change.after) - (0 if change.before is UNSET else int(change.before))


def _rose(change: ViewChange) -> str:
    return "rose" if change.after > change.before else "fell"


def _move(change: ViewChange) -> str:
    return f"{_rose(change)} from {_number(change.before)} to {_number(change.after)}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: float) -> str:
    return shortest(value, 2)


def _signed(value: float) -> str:
    return "0" if value == 0 else f"{'+' if value > 0 else '−'}{_number(abs(value))}"


def _count(number: int, one: str) -> str:
    return f"{number:,} {one if number == 1 else one + 's'}"
