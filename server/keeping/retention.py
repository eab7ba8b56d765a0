"""Delete the debates that a rule names, each as one that a person deletes; a server does it once a day."""

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime, timedelta
from typing import Any, Final

import anyio
import anyio.abc
import structlog
from anyio import CapacityLimiter

from events.clock import SYSTEM
from events.errors import LogError, UnknownDebate, WrongExpectedPosition
from events.store.log import EventLog
from events.store.tombstone import Tombstone
from server.debate.deletion import checked_reason, forget
from server.debate.moderators import Moderators
from server.errors import leaves
from server.keeping.rule import Chosen, Rule, before_time, chosen

logger = structlog.get_logger()

DAY_S: Final = 86_400.0
AT_ONCE: Final = 64
"""Debates that are deleted at the same time: SQLite then writes its file again once for all of them."""

DeleteOne = Callable[[str, int], Awaitable[bool]]
"""Deletes a debate up to its last position; False if it has changed since it was chosen, or is deleted already."""


async def delete_chosen(chosen_: Chosen, delete_one: DeleteOne, at_once: int = AT_ONCE) -> tuple[str, ...]:
    """Delete what a rule has chosen, each debate after what was made of it; those that stayed because they changed.

    After a crash the same rule deletes the rest.
    """
    stayed: set[str] = set()
    limiter = CapacityLimiter(at_once)

    async def one(debate: str) -> None:
        async with limiter:
            if not await delete_one(debate, chosen_.positions[debate]):
                stayed.add(debate)

    for step in chosen_.steps:
        async with anyio.create_task_group() as tasks:
            for debate in step:
                if stayed & set(chosen_.made[debate]):
                    stayed.add(debate)
                else:
                    tasks.start_soon(one, debate)
    return tuple(sorted(stayed))


async def delete_from(
    log: EventLog, chosen_: Chosen, reason: str, *, archived: bool = False
) -> tuple[list[Tombstone], tuple[str, ...]]:
    """Delete what a rule has chosen from a store of this process: the tombstones, and what stayed."""
    reason, left = checked_reason(reason), list[Tombstone]()

    async def one(debate: str, position: int) -> bool:
        try:
            left.append(await log.delete(debate, position, reason, archived=archived))
        except (WrongExpectedPosition, UnknownDebate):
            return False
        return True

    try:
        stayed = await delete_chosen(chosen_, one)
    finally:
        await forget(log, {each.debate for each in left})
    return left, stayed


class Retention:
    """A ``Watcher`` that deletes what is older than so many days; it follows no debate."""

    def __init__(
        self, log: EventLog, days: int, *, now: Callable[[], str] = SYSTEM.now, pause_s: float = DAY_S
    ) -> None:
        self._log, self._days, self._now, self._pause_s = log, days, now, pause_s

    async def watch(self, debate: str, position: int) -> None:
        """See ``Watcher``."""

    def rested(self, debate: str) -> None:
        """See ``Watcher``."""

    def lost(self, debate: str) -> None:
        """See ``Watcher``."""

    async def run(
        self, moderators: Moderators, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED
    ) -> None:
        """Delete what is old now, and then once a day."""
        task_status.started()
        if self._days:
            logger.info("keep_days", days=self._days)
        while self._days:
            try:
                await self.once(moderators.forget)
            except Exception as error:
                found = leaves(error)
                if not all(isinstance(each, LogError) for each in found):
                    raise
                logger.warning("keep_days_failed", message=str(found[0]))
            await anyio.sleep(self._pause_s)

    async def once(self, forget_here: Callable[[str], Any]) -> Iterable[str]:
        """Delete what is old now; the ids."""
        moment = datetime.fromisoformat(self._now())
        found = await chosen(self._log, Rule(before=before_time(moment, timedelta(days=self._days))))
        reason = f"older than {self._days} {'day' if self._days == 1 else 'days'}"
        left, stayed = await delete_from(self._log, found, reason)
        for each in left:
            forget_here(each.debate)
            logger.info("debate_deleted", debate=each.debate, reason=reason, erased=each.is_erased)
        for debate, why in found.kept.items():
            logger.info("debate_kept", debate=debate, message=why)
        for debate in stayed:
            logger.info("debate_kept", debate=debate, message="it changed meanwhile")
        return [each.debate for each in left]
