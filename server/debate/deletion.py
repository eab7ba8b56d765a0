"""Delete a debate, and what was made of it: forks, rejudged debates and lab runs hold the same words.

``privacy.py`` says which debates are made of which: a fork and a rejudged debate by the origin in their opening, a lab
run by its items.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import asdict

from events.errors import LogError
from events.store.listing import Limits, Summary
from events.store.log import EventLog, not_there, read_rows
from events.store.tombstone import MAX_REASON, Tombstone
from events.table import LazyTable
from events.types import DebateOpened
from server.errors import BadField, NotNow

FORGOTTEN: Final = LazyTable[Any]({"hooks": "server.hooks.deliveries:forget"})
"""What forgets deleted debates in the store besides their events; called with the log and their ids."""


async def delete(
    log: EventLog,
    debate: str,
    reason: str,
    *,
    with_derived: bool = False,
    position: int | None = None,
    archived: bool = False,
) -> tuple[Tombstone, ...]:
    """Delete a debate that does not run, after the debates that were made of it; the tombstones, its own last.

    Each is deleted in one transaction, the debate itself last: after a crash the same call deletes the rest.
    ``position``: the last one that the caller has seen.  ``archived``: the logs may be imported again, unchanged.

    Raises ``UnknownDebate``, ``BadField``; ``NotNow`` for a debate that runs, for one that has events after
    ``position``, and for one of which others were made unless ``with_derived``; ``WrongExpectedPosition`` if something
    was recorded meanwhile.
    """
    reason = checked_reason(reason)
    heads = {each: await log.head(each) for each in (debate, *await derived_of(log, debate))}
    if not heads[debate]:
        raise await not_there(log, debate)
    if position not in {None, heads[debate]}:
        raise NotNow(f"debate {debate} has {heads[debate]} events by now, and not {position}")
    if len(heads) > 1 and not with_derived:
        names = ", ".join(list(heads)[1:])
        raise NotNow(f"the same words are in debates that were made of {debate}: {names}; delete them with it")
    running = heads.keys() & set(await log.unfinished())
    if running:
        raise NotNow(f"debate {', '.join(sorted(running))} is running: pause or halt it first")
    left = [await log.delete(each, head, reason, archived=archived) for each, head in reversed(heads.items())]
    await forget(log, heads.keys())
    return tuple(left)


async def forget(log: EventLog, debates: AbstractSet[str]) -> None:
    """Remove what parts of the server keep about deleted debates in the store."""
    for name in FORGOTTEN:
        await FORGOTTEN[name](log, debates)


def checked_reason(reason: str) -> str:
    """A reason without needless white space.  Raises ``BadField``."""
    reason = " ".join(reason.split())
    if len(reason) > MAX_REASON:
        raise BadField("reason", f"a reason is a text of at most {MAX_REASON} characters")
    return reason


async def derived_of(log: EventLog, debate: str) -> tuple[str, ...]:
    """The debates that were made of a debate, and those that were made of them, each after what it is made of."""
    labs = {row.id: await _material_of(log, row.id) async for row in read_rows(log, Limits(format="lab"))}
    found = {debate: None}
    waiting = [debate]
    while waiting:
        source = waiting.pop(0)
        made = [row.id async for row in read_rows(log, Limits(origin=source))]
        made += [lab for lab, material in labs.items() if source in material]
        waiting += [each for each in made if each not in found]
        found |= dict.fromkeys(made)
    return tuple(found)[1:]


async def made_of(log: EventLog, rows: Mapping[str, Summary]) -> dict[str, list[str]]:
    """The debates among ``rows`` that were made of each, without those that were made of them."""
    made: dict[str, list[str]] = {}
    for row in rows.values():
        if row.origin is not UNSET and row.origin is not None:
            made.setdefault(row.origin.debate, []).append(row.id)
        for source in await _material_of(log, row.id) if row.format == "lab" else ():
            made.setdefault(source, []).append(row.id)
    return made


async def _material_of(log: EventLog, lab: str) -> frozenset[str]:
    """The names of a lab run's items: those from the store have the ids of their debates."""
    try:
        records = await log.read(lab, 0, 1)
    except LogError:  # a run that this version cannot read
        return frozenset()
    opened = records[0].event if records else None
    if not isinstance(opened, DebateOpened) or opened.lab is UNSET or opened.lab is None:
        return frozenset()
    return frozenset(item.id for item in opened.lab.items)


def shown_tombstone(left: Tombstone) -> dict[str, Any]:
    """A tombstone as answers show it: without its lines."""
    shown = asdict(left)
    del shown["lines"]
    return shown
