"""What moved between two positions, in sentences, the most important first.

web/audit/moved.js and web/words/audit.js say the same on the page.  tests/web/moved.json holds examples for both.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET

from judge.rubric import change_name
from server.export.diff import Cause, ViewChange, ViewDiff
from server.export.wording import NAMES, STANDINGS

MOST_LINES: Final = 12
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


def what_moved(found: ViewDiff) -> list[str]:
    """At most twelve sentences; empty if nothing changed."""
    parts = (_outcome, _means, lambda changes: _turns(changes, found.events), _claims, _premises, _protocol, _rest)
    lines = [line for part in parts for line in part(found.changes)]
    if not lines and found.changes:
        return [f"Only details changed: {_count(len(found.changes), 'value')}."]
    if len(lines) <= MOST_LINES:
        return lines
    left = len(lines) - (MOST_LINES - 1)
    return [*lines[: MOST_LINES - 1], f"And {_count(left, 'more change')}: see every changed value."]


def _at(changes: Iterable[ViewChange], *path: str) -> ViewChange | None:
    """The change of exactly this value."""
    return next((each for each in changes if each.keys == path), None)


def _after(changes: Iterable[ViewChange], *path: str) -> Any:
    """The new value at a path; None if it is gone or has not changed."""
    change = _at(changes, *path)
    return None if change is None or change.after is UNSET else change.after


def _members(changes: Iterable[ViewChange], *path: str) -> dict[str, list[ViewChange]]:
    """The changed members of a table, in order."""
    found: dict[str, list[ViewChange]] = {}
    for each in changes:
        if len(each.keys) > len(path) and each.keys[: len(path)] == path:
            found.setdefault(each.keys[len(path)], []).append(each)
    return found


def _outcome(changes: Sequence[ViewChange]) -> Iterator[str]:
    if winner := _after(changes, "conclusion", "winner"):
        named = "No winner is named" if winner == "neither" else f"{NAMES[winner]} wins"
        yield f"The debate ended: {named}."
    elif state := _after(changes, "state"):
        yield STATES[state]
    if verdict := _after(changes, "panel", "verdict", "verdict"):
        yield f"The verdict on the artifact: {str(verdict).capitalize()}."


def _means(changes: Sequence[ViewChange]) -> Iterator[str]:
    for side in ("pro", "con"):
        mean = _at(changes, "scorecard", side, "composite")
        if mean is None or not _is_number(mean.after):
            continue
        if _is_number(mean.before):
            yield f"The mean score of {NAMES[side]} {_rose(mean)} from {mean.before:.1f} to {mean.after:.1f}."
        else:
            yield f"The mean score of {NAMES[side]} is {mean.after:.1f}."


def _turns(changes: Sequence[ViewChange], events: Mapping[str, Cause]) -> Iterator[str]:
    for name, own in sorted(_members(changes, "turns").items(), key=lambda each: int(each[0])):
        composite = _at(own, "turns", name, "composite")
        yield from _turn(name, own, composite, events)
        for score in own:
            if score.keys[2:3] != ("scores",) or score.keys[4:] != ("effective",):
                continue
            is_told = composite is not None and score.keys[3] in IN_COMPOSITE
            if not is_told and _is_number(score.before) and _is_number(score.after):
                dimension = score.keys[3].replace("_", " ")
                yield f"Turn {name}, {dimension}, {_move(score)}{_why(score, events)}."


def _turn(
    name: str, own: Sequence[ViewChange], composite: ViewChange | None, events: Mapping[str, Cause]
) -> Iterator[str]:
    """What happened to a turn as a whole: it began, was spoken, was scored, or its composite moved."""
    if composite is not None and _is_number(composite.after):
        why = _why(composite, events)
        if _is_number(composite.before):
            yield f"Turn {name} {_move(composite)}{why}."
            return
        first = _after(own, "turns", name, "composite_admitted")
        score = _number(composite.after)
        yield f"Turn {name} was scored {f'{_number(first)}, now {score}' if _is_number(first) else score}{why}."
    elif (state := _after(own, "turns", name, "state")) in TURN_STATES:
        yield f"Turn {name} {TURN_STATES[state]}."


def _claims(changes: Sequence[ViewChange]) -> Iterator[str]:
    for name, own in _members(changes, "claims").items():
        kind = str(_after(own, "claims", name, "kind") or "").replace("_", " ")
        penalty = _after(own, "claims", name, "penalty")
        state = _after(own, "claims", name, "state")
        if state == "flagged":
            yield f"Claim {name} was flagged: {kind}{f', {_signed(penalty)}' if _is_number(penalty) else ''}."
        elif state in {"upheld", "cleared"}:
            decider = "The evidence" if _after(own, "claims", name, "decided_by") else "A second opinion"
            yield f"{decider} {state} claim {name}{f' ({kind})' if kind else ''}."


def _premises(changes: Sequence[ViewChange]) -> Iterator[str]:
    found = _members(changes, "premises")
    for state, title in PREMISES.items():
        yield from _together(title, [n for n, own in found.items() if _after(own, "premises", n, "state") == state])


def _protocol(changes: Sequence[ViewChange]) -> Iterator[str]:
    found = _members(changes, "protocol", "arguments")
    for key, title in STEPS.items():
        yield from _together(title, [n for n, own in found.items() if _after(own, "protocol", "arguments", n, key)])
    for name, own in found.items():
        if standing := _after(own, "protocol", "arguments", name, "trace", "standing"):
            yield f"Argument {name}: {STANDINGS[standing]}."


def _rest(changes: Sequence[ViewChange]) -> Iterator[str]:
    for side in ("pro", "con"):
        if traits := sum(each.keys[:2] == ("traits", side) for each in changes):
            yield f"The character of {NAMES[side]} changed in {_count(traits, 'trait')}."
    calls, tokens = (_grown(_at(changes, "usage", key)) for key in ("calls", "tokens"))
    if calls > 0:
        yield f"It took {_count(calls, 'model call')} and {_count(tokens, 'token')}."


def _together(title: str, names: Sequence[str]) -> Iterator[str]:
    """A sentence for these members; none if there are none."""
    if names:
        yield title.format(" and ".join(filter(None, (", ".join(names[:-1]), names[-1]))))


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
    return f"{round(value, 2):g}"


def _signed(value: float) -> str:
    return "0" if value == 0 else f"{'+' if value > 0 else '−'}{_number(abs(value))}"


def _count(number: int, one: str) -> str:
    return f"{number:,} {one if number == 1 else one + 's'}"
