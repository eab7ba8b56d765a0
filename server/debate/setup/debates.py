"""A debate of a batch is opened, resumed and waited for, on whichever node it runs.

Each step can be repeated: a process that begins after another was killed does the same again, and nothing happens
twice.  The debate has an id that follows from the batch and the key, so a store takes its first event only once.
"""

from typing import TYPE_CHECKING, Final

import anyio
import structlog
from msgspec import UNSET
from msgspec.structs import replace

from events.errors import DebateDeleted, Fenced, StoreUnavailable, Unanswered, UnknownDebate, WrongExpectedPosition
from events.state import debate as debates
from events.state.debate import Debate
from events.store.log import EventLog, not_there, read_pages
from events.types import ModelFailed
from events.types.batch import BatchDebateState
from providers.registry import Registry
from server.debate.commands import Halt, Resume
from server.debate.formats.batch.steps import Rested
from server.debate.formats.halts import seconds_between
from server.debate.formats.steps import Open
from server.debate.setup.opening import opening_for
from server.debate.setup.request import as_request
from server.errors import BadField, Draining, NotNow, NotOwner, TooMany
from server.settings import Settings

if TYPE_CHECKING:
    from server.debate.moderator import Moderator
    from server.debate.moderators import Moderators

logger = structlog.get_logger()

LOOK_S: Final = 1.0
"""Seconds after which a debate that is waited for is looked at again, whatever was heard of it."""
HALTING_S: Final = 10.0
HALTED: Final = "its batch was halted; resume the batch, and it goes on"
"""Why a debate is halted with its batch: such a debate has not failed."""


class _Fold:
    """A debate that is read on again and again, and the model whose call failed last."""

    def __init__(self, log: EventLog, debate: str) -> None:
        self._log, self._id = log, debate
        self.debate: Debate = debates.INITIAL
        self.failed_model = ""

    async def read_on(self) -> Debate:
        """The debate as it stands.  Raises ``DebateDeleted``, ``UnknownDebate`` for one that is not there."""
        async for records in read_pages(self._log, self._id, self.debate.position):
            for record in records:
                self.debate = debates.evolve(self.debate, record)
                if isinstance(record.event, ModelFailed) and not record.event.is_cut_off:
                    self.failed_model = record.event.model
        if self.debate.opened is None or not await self._log.head(self._id):
            raise await not_there(self._log, self._id)
        return self.debate

    def rested(self, state: BatchDebateState) -> Rested:
        """What the batch records of its end."""
        debate, ended = self.debate, self.debate.status.conclusion
        assert debate.opened is not None, "it was read"
        return Rested(
            state=state,
            position=debate.course,
            winner=UNSET if ended is None else ended.winner,
            by_rule=UNSET if ended is None else ended.by_rule,
            reason="" if state == "concluded" else debate.status.reason,
            provider="" if state == "concluded" else self.failed_model.partition(":")[0],
            cost_usd=round(debate.charged_usd, 6),
            unpriced=debate.unpriced,
            calls=debate.usage.calls,
            tokens=debate.usage.tokens,
            seconds=round(seconds_between(debate.opened_at, debate.at), 1),
        )


class Debates:
    """Opens debates that another debate asks for, and waits for them."""

    def __init__(self, moderators: "Moderators", log: EventLog, registry: Registry, settings: Settings | None) -> None:
        self._moderators, self._log, self._registry = moderators, log, registry
        self._settings = settings or Settings()

    async def rest(self, step: Open, batch: "Moderator") -> Rested | None:
        """Open the debate of a step unless it is there, and wait until it has ended; None if the batch drains."""
        try:
            return await self._rest(step, batch)
        except anyio.get_cancelled_exc_class():
            if batch.debate.status.state == "halted":
                await self._halt(step.debate)
            raise

    async def _rest(self, step: Open, batch: "Moderator") -> Rested | None:
        fold, is_opened = _Fold(self._log, step.debate), False
        while not batch.is_draining:
            try:
                is_opened = is_opened or bool(await self._log.head(step.debate)) or await self._is_deleted(step.debate)
                if not is_opened:
                    await self._open(step)
                    is_opened = True
                if (moderator := self._moderators.local(step.debate)) is not None:
                    with anyio.move_on_after(LOOK_S):
                        await moderator.finished.wait()
                    continue
                if (rested := await self._looked(step, fold)) is not None:
                    return rested
            except DebateDeleted:
                return Rested(state="deleted", reason="it was deleted", cost_usd=round(fold.debate.charged_usd, 6))
            except WrongExpectedPosition:
                is_opened = True
            except BadField as error:
                return Rested(state="refused", reason=str(error), provider=self._blamed(str(error)))
            except (StoreUnavailable, TooMany, Draining, Fenced, NotOwner, Unanswered, UnknownDebate) as error:
                logger.debug("batch_waits", debate=step.debate, message=str(error))
                await anyio.sleep(LOOK_S)
        return None

    async def _is_deleted(self, debate: str) -> bool:
        """Raise ``DebateDeleted`` if the debate was there; it is not opened again."""
        found = await not_there(self._log, debate)
        if isinstance(found, DebateDeleted):
            raise found
        return False

    async def _open(self, step: Open) -> None:
        """Record the opening, with what files the debate.  Raises ``BadField`` if it cannot be opened now."""
        request = as_request(step.request())
        opened, follows = await opening_for(self._log, request, self._registry, self._settings)
        made = replace(opened, part_of=step.part_of)
        await self._moderators.open(made, (*follows, step.labels), named=step.debate)

    async def _looked(self, step: Open, fold: _Fold) -> Rested | None:
        """How the debate has ended; if it has not, let it go on, and wait for its next event."""
        debate = await fold.read_on()
        state, reason = debate.status.state, debate.status.reason
        if state == "concluded":
            return fold.rested("concluded")
        if state == "halted":
            if debate.course > step.after and reason != HALTED:
                return fold.rested("halted")
            await self._resume(step.debate)
            return None
        if state == "open" and not self._moderators.shares and not await self._moderators.take_up_one(step.debate):
            return Rested(state="halted", position=debate.course, reason="its log cannot be continued")
        if self._moderators.local(step.debate) is None:
            with anyio.move_on_after(LOOK_S):
                await self._log.wait_beyond(step.debate, debate.position)
        return None

    async def _resume(self, debate: str) -> None:
        try:
            await self._moderators.act(debate, Resume("its batch goes on", "moot"))
        except NotNow:  # a person has resumed it
            return

    async def _halt(self, debate: str) -> None:
        with anyio.move_on_after(HALTING_S, shield=True):
            try:
                await self._moderators.act(debate, Halt(HALTED, "moot"))
            except (NotNow, UnknownDebate, StoreUnavailable, Unanswered) as error:
                logger.debug("not_halted_with_batch", debate=debate, message=str(error))

    def _blamed(self, why: str) -> str:
        """The provider that an opening failed at: its refusal begins with the name of the model."""
        name = why.partition(":")[0]
        return name if name in self._registry.names else ""
