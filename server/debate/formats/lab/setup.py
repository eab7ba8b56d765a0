"""Before a lab run: what is measured, as the part ``lab`` of an opening, and what the run will take."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct
from msgspec.structs import replace

from events.errors import LogError
from events.state.debate import Labels
from events.store.listing import FINDABLE
from events.store.log import EventLog, read_all, read_rows
from events.types import (
    DebateConcluded,
    DebateLabelled,
    DebateOpened,
    TurnSpoken,
)
from events.types.lab import Battery, LabItem, LabPair, LabSetup, LeftOut, PeopleItem
from events.types.rubric import Rubric, canonical_bytes
from judge.lab.items import MAX_POINTS, digest, faults, installed
from judge.lab.trials import BATTERIES, Trial, plan
from providers.catalog.models import family
from providers.registry import BASELINE
from server.debate.formats.lab.trials import trials_digest
from server.debate.opening.privacy import NO_LABELS, check_shown
from server.errors import BadField

MOTION: Final = "Lab: how far can you trust the numbers of {judge}?"
"""The motion of a run; a judge's runs are found by it."""
TWO: Final = 2
LAST: Final = 3
"""Events at the end of a run among which its result is."""
MAX_ITEMS: Final = 2000
MAX_PEOPLE: Final = 2000
MAX_MOTIONS: Final = 500
MAX_REPEATS: Final = 20
MAX_DEBATES: Final = 500
"""Stored debates that a run takes pairs from."""
SAMPLED: Final = 6
"""Trials of a battery whose prompts are built for the estimate."""


class LabRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The part ``lab`` of a request."""

    batteries: list[Battery] | None = None
    """All that the items allow, without it."""
    items: Annotated[int, Meta(ge=1, le=MAX_ITEMS)] | None = None
    """The most items of each battery; without it each battery has its own number."""
    repeats: Annotated[int, Meta(ge=1, le=MAX_REPEATS)] | None = None
    """Times that each question is asked; without it each battery has its own number, and a judge without a model 1."""
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0
    """Draws the items and their orders."""
    debates: Annotated[list[str], Meta(max_length=MAX_DEBATES)] | None = None
    """Ids of stored debates whose turns are compared, in place of the items that come with Moot."""
    from_store: bool = False
    """Take the newest concluded debates of the store."""
    people: Annotated[list[PeopleItem], Meta(max_length=MAX_PEOPLE)] | None = None
    """Texts that people judged, for the battery of that name."""
    material: Annotated[list[LabItem], Meta(min_length=1, max_length=MAX_MOTIONS)] | None = None
    """Motions with texts of one's own, in place of the items that come with Moot."""


def setup_of(request: LabRequest, spoken: Sequence[LabItem], judge: str, rubric: Rubric) -> LabSetup:
    """What a run measures with.  ``spoken``: items from stored debates.  Raises ``BadField``."""
    items = _items(request, spoken)
    people = tuple(request.people or ())
    for number, each in enumerate(people):
        _check_people(number, each)
    wanted = tuple(dict.fromkeys(request.batteries or _possible(request, people)))
    own = family(judge)
    repeats = {battery: _repeats(request, battery, judge) for battery in wanted}
    trials: dict[Battery, tuple[Trial, ...]] = {}
    most: dict[Battery, int] = {}
    for battery in wanted:
        most[battery] = request.items or BATTERIES[battery].items
        trials[battery] = plan(
            battery, (*items, *people), most[battery], request.seed, family=own, repeats=repeats[battery]
        )
        if not trials[battery] and request.batteries:
            raise BadField("lab.batteries", f"there are no items for {battery}{_missing(battery)}")
    trials = {battery: planned for battery, planned in trials.items() if planned}
    if not trials:
        raise BadField("lab", "there is nothing to ask: no battery has an item")
    return LabSetup(
        batteries={battery: most[battery] for battery in trials},
        seed=request.seed,
        items=items,
        people=people,
        trials={battery: len(planned) for battery, planned in trials.items()},
        items_digest=digest((*items, *people)),
        trials_digest=trials_digest([each for planned in trials.values() for each in planned]),
        rubric_digest=hashlib.sha256(canonical_bytes(rubric)).hexdigest(),
        source=_source(request, spoken),
        family=own,
        repeats={battery: repeats[battery] for battery in trials},
        left_out=_left_out(people, trials.get("people", ()), most.get("people", 0)) or UNSET,
    )


def _items(request: LabRequest, spoken: Sequence[LabItem]) -> tuple[LabItem, ...]:
    """What is asked about.  Raises ``BadField`` for material of one's own that cannot be asked about."""
    if request.material is None:
        return tuple(spoken) if request.debates or request.from_store else installed()
    for number, item in enumerate(request.material):
        if wrong := next(faults(item), ""):
            raise BadField(f"lab.material.{number}", f"motion {item.id[:40]!r}: {wrong}")
    if len({each.id for each in request.material}) < len(request.material):
        raise BadField("lab.material", "two motions have the same id")
    return tuple(request.material)


def _repeats(request: LabRequest, battery: Battery, judge: str) -> int:
    """How often a question is asked: once of a judge that gives the same answer each time."""
    if judge == BASELINE or battery == "retest":
        return 1
    return request.repeats or BATTERIES[battery].repeats


def _left_out(people: Sequence[PeopleItem], trials: Sequence[Trial], most: int) -> tuple[LeftOut, ...]:
    """The items that people judged and the run does not ask about, by kind, with the reason."""
    asked = Counter({each.item: each.kind for each in trials}.values())
    given = Counter(each.kind for each in people)
    is_full = asked.total() == most
    return tuple(
        LeftOut(battery="people", kind=kind, given=number, asked=asked[kind], why=IS_FULL if is_full else HALVES)
        for kind, number in given.items()
        if asked[kind] < number and trials
    )


IS_FULL: Final = "a run asks about no more items than its number for each battery"
HALVES: Final = "the better speaker must speak first in one half"


def _check_people(number: int, item: PeopleItem) -> None:
    """Raise ``BadField`` for texts of people that a judge cannot be asked about."""
    field, few = f"lab.people.{number}", len(item.speeches) < TWO and item.kind != "scores"
    if few or (item.kind == "pairs" and len(item.speeches) > TWO):
        raise BadField(f"{field}.speeches", "speeches: a pair has two, and a debate has two or more")
    if item.kind == "scores" and (len(item.speeches) != 1 or item.score is UNSET or not 0 <= item.score <= MAX_POINTS):
        raise BadField(f"{field}.score", "score: one speech has a score from 0 to 100")
    if not all(each.strip() for each in (*item.speeches, item.id, item.topic, item.motion)):
        raise BadField(f"{field}.speeches", "speeches, id, topic and motion: none of them is empty")
    if "/" in item.id:
        raise BadField(f"{field}.id", "an id has no slash")


def _possible(request: LabRequest, people: Sequence[PeopleItem]) -> tuple[Battery, ...]:
    of_store = bool(request.debates or request.from_store)
    usual = tuple(
        name for name, each in BATTERIES.items() if (each.any_pair or name == "family" if of_store else each.trials)
    )
    return (*usual, "people") if people else usual


def _missing(battery: Battery) -> str:
    if battery == "people":
        return ": name a file of texts that people judged (--data PATH)"
    if battery == "family":
        return ": it needs stored debates between models of two families, with turns of similar length"
    return ""


def _source(request: LabRequest, spoken: Sequence[LabItem]) -> str:
    if request.material is not None:
        return f"own material: {len(request.material)} {'motion' if len(request.material) == 1 else 'motions'}"
    if not (request.debates or request.from_store):
        return "the items that come with Moot"
    return f"{sum(len(each.pairs) for each in spoken)} pairs of turns from {len(spoken)} stored debates"


# items from stored debates


async def items_for(log: EventLog, request: LabRequest | None) -> tuple[tuple[LabItem, Labels], ...]:
    """The items from stored debates that a request asks for, each with the labels of its debate.

    Raises ``BadField``, ``NotNow``, ``UnknownDebate``.
    """
    if request is None or not (request.debates or request.from_store):
        return ()
    names = request.debates or await _newest(log)
    found = []
    for name in names:
        try:
            item, labels = await _item_of(log, name)
        except LogError:
            if request.debates:
                raise
            continue  # one that cannot be read must not keep the others from being measured with
        if item is not None:
            found.append((item, labels))
    if not found:
        raise BadField("lab.debates", "no debate has two turns of both sides one after the other")
    return tuple(found)


async def _newest(log: EventLog) -> list[str]:
    names: list[str] = []
    async for row in read_rows(log, limits=replace(FINDABLE, state="concluded", format="exchange")):
        names.append(row.id)
        if len(names) == MAX_DEBATES:
            break
    return names


async def _item_of(log: EventLog, debate: str) -> tuple[LabItem | None, Labels]:
    """A debate as an item, each turn of Pro and the answer of Con, or None without such turns; and its labels."""
    opened: DebateOpened | None = None
    spoken: list[TurnSpoken] = []
    labels, has_concluded = NO_LABELS, False
    async for record in read_all(log, debate):
        match record.event:
            case DebateOpened() as event:
                opened = event
            case TurnSpoken() as event:
                spoken.append(event)
            case DebateLabelled() as event:
                labels = labels.after(event)
            case DebateConcluded():
                has_concluded = True
            case _:
                pass
    if opened is None:
        raise BadField("lab.debates", f"there is no debate {debate!r}")
    check_shown(debate, opened, has_concluded=has_concluded)
    families = family(opened.pro.model), family(opened.con.model)
    pairs = tuple(
        LabPair(
            id=f"turn{pro.turn}",
            pro=pro.text,
            con=con.text,
            target="con",
            families=families if all(families) and len(set(families)) > 1 and _alike(pro, con) else UNSET,
        )
        for pro, con in pairwise(spoken)
        if (pro.side, con.side) == ("pro", "con")
    )
    return LabItem(id=debate, motion=opened.motion, pairs=pairs) if pairs else None, labels


LENGTHS_WITHIN: Final = 1.15


def _alike(one: TurnSpoken, two: TurnSpoken) -> bool:
    """Whether two turns have about the same length."""
    few, many = sorted((one.words, two.words))
    return few > 0 and many <= few * LENGTHS_WITHIN
