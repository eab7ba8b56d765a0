"""What changed between two positions of a debate, path by path, and because of which events.

A path leads through the objects of the view.  Lists, and the components of a score, are compared as a whole.  A new
object is reported leaf by leaf, a removed one as a whole.  The earlier view with every change applied is the later one.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import asdict, replace

from events import codec
from events.record import Recorded
from events.types import ALL_PRIVATE
from events.view import view as views
from events.view.view import Fold
from server.errors import BadQuery
from server.feed import frames
from server.feed.folds import Folds

_IGNORED: Final = frozenset({"position", "lead"})
"""The lead follows from the scorecard and the turns, which are told."""
_COMPONENT: Final = 5
"""``turns.3.components.logic.cause``: the points, quote and reason of a component are one value."""


class ViewChange(Struct, frozen=True, kw_only=True):
    """One value that differs.  ``before`` or ``after`` is left out if there was no value."""

    path: str
    """The keys, joined by dots, for people."""
    keys: tuple[str, ...]
    """The keys, for programs: a claim's id holds a dot itself."""
    before: Any = UNSET
    after: Any = UNSET
    because_of: tuple[int, ...]
    """Positions of the events that changed the value, in order."""


class Cause(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An event that caused changes, as this client may see it."""

    type: str
    turn: int | UnsetType = UNSET
    rule: str | UnsetType = UNSET
    cause: int | UnsetType = UNSET


class ViewDiff(Struct, frozen=True, kw_only=True):
    """The changes between two positions, and the events that caused them, by position."""

    from_: int = field(name="from")
    to: int
    changes: tuple[ViewChange, ...]
    events: dict[str, Cause]


class _PositionTree:
    """Positions of the events that changed a value of the view, and of those that changed a part of it."""

    __slots__ = ("below", "positions")

    def __init__(self) -> None:
        self.positions: list[int] = []
        self.below: dict[str, _PositionTree] = {}

    def note(self, patch: Any, position: int, depth: int = 0) -> None:
        """Note a merge patch.  Paths deeper than a component count as the component."""
        if isinstance(patch, Struct):
            patch = msgspec.to_builtins(patch)
        if not isinstance(patch, dict) or not patch or depth == _COMPONENT:
            self.positions.append(position)
            return
        for key, deeper in patch.items():
            if depth == 0 and key in _IGNORED:
                continue
            if (below := self.below.get(key)) is None:
                below = self.below[key] = _PositionTree()
            below.note(deeper, position, depth + 1)

    def all(self) -> Iterator[int]:
        """Positions of this value and of its parts."""
        yield from self.positions
        for each in self.below.values():
            yield from each.all()


_UNTOUCHED: Final = _PositionTree()


async def difference(folds: Folds, debate: str, start: int, end: int, *, revealed: bool) -> ViewDiff:
    """What changed after ``start``, up to and with ``end``; 0 is the position before the first event.

    ``revealed`` gives the director's view, which shows everything.  Raises ``BadQuery`` for positions out of order.
    """
    if start > end:
        raise BadQuery(f"from={start} is beyond to={end}", field="from")
    if start == end:
        return ViewDiff(from_=start, to=end, changes=(), events={})
    fold = first = await folds.at(debate, start)
    touched, causes = _PositionTree(), dict[int, Cause]()
    async for before, record, after in folds.steps(debate, first, end):
        touched.note(_patch(before, after, record, revealed=revealed), record.position)
        causes[record.position] = _cause(record, revealed=revealed)
        fold = after
    found: list[ViewChange] = []
    _compare(_shown(first, revealed=revealed), _shown(fold, revealed=revealed), (), touched, (), found)
    cited = sorted({position for change in found for position in change.because_of})
    return ViewDiff(from_=start, to=end, changes=tuple(found), events={str(at): causes[at] for at in cited})


def _shown(fold: Fold, *, revealed: bool) -> Any:
    """The view; empty before the first event."""
    if not fold.view.position:
        return {}
    return views.for_director(fold) if revealed else fold.view


def _patch(before: Fold, after: Fold, record: Recorded, *, revealed: bool) -> Any:
    """The patch of an event.  The director's patch is slow, so it is made only if it may differ."""
    ends = before.view.state != after.view.state == "concluded"  # then spectators see what the director saw
    if revealed and before.view.position and (ends or frames.differs_for_director(before, record)):
        return views.difference(views.for_director(before), views.for_director(after))
    return views.difference(replace(before.view, lead=UNSET), replace(after.view, lead=UNSET))


def _cause(record: Recorded, *, revealed: bool) -> Cause:
    if record.event.private == ALL_PRIVATE and not revealed:
        return Cause(type="withheld")
    turn, rule = getattr(record.event, "turn", None), getattr(record.event, "rule", None)
    return Cause(
        type=codec.tag_of(record.event),
        cause=UNSET if record.cause is None else record.cause,
        turn=turn if isinstance(turn, int) else UNSET,
        rule=rule if isinstance(rule, str) else UNSET,
    )


def _compare(
    before: Any,
    after: Any,
    keys: tuple[str, ...],
    touched: _PositionTree,
    above: tuple[int, ...],
    found: list[ViewChange],
) -> None:
    """Add what differs to ``found``.  ``above``: positions of the events that replaced an object around this value."""
    is_component = len(keys) == _COMPONENT and keys[2] == "components"
    if is_component or type(before) is not type(after):
        before, after = _plain(before), _plain(after)
    if (
        not is_component
        and isinstance(after, Struct | dict)
        and (isinstance(before, Struct | dict) or (before is UNSET and after))
    ):
        old, new = _members(before), _members(after)
        replaced = (*above, *touched.positions) if touched.positions else above
        for key in (*new, *[key for key in old if key not in new]):
            was, now = old.get(key, UNSET), new.get(key, UNSET)
            if (keys or key not in _IGNORED) and was is not now and was != now:  # far below the time of a walk
                _compare(was, now, (*keys, key), touched.below.get(key, _UNTOUCHED), replaced, found)
    elif before != after:
        because_of = tuple(sorted({*above, *touched.all()}))
        was, now = _plain(before), _plain(after)
        found.append(ViewChange(path=".".join(keys), keys=keys, before=was, after=now, because_of=because_of))


def _plain(value: Any) -> Any:
    """The value as JSON values; UNSET as it is."""
    return value if value is UNSET else msgspec.to_builtins(value)


def _members(value: Any) -> dict[str, Any]:
    """The members of an object that are there; none of UNSET."""
    if isinstance(value, Struct):
        return {name: each for name, each in asdict(value).items() if each is not UNSET}
    return value if isinstance(value, dict) else {}
