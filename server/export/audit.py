"""The audit of one turn: its score entries, each with the change it requested, the change applied, and its cause."""

from collections import OrderedDict
from typing import Final

import anyio
from msgspec import UNSET, Struct, UnsetType

from events.record import Recorded
from events.state import debate as debates
from events.state.debate import Debate
from events.state.ledger import Evidence
from events.store.log import PAGE, EventLog
from events.types import ModelAnswered, ModelFailed, Reason

MAX_CACHED: Final = 8
"""Debates that ``Auditors`` keeps in memory."""


class AuditEntry(Struct, frozen=True, kw_only=True):
    """One score entry.  ``call`` names the model call that it follows from, if it follows from one."""

    position: int
    cause: int | None
    rule: str
    kind: str
    dimension: str
    requested: float
    applied: float
    before: float
    after: float
    evidence: tuple[Evidence, ...]
    reason: str
    call: str | None


class Audit(Struct, frozen=True, kw_only=True):
    """All score entries of a turn in order, and the scores after them."""

    turn: int
    side: str
    entries: tuple[AuditEntry, ...]
    effective: dict[str, float]
    missing: Reason | UnsetType = UNSET


class Auditor:
    """Takes a debate's records in order, and makes the audit of any turn."""

    def __init__(self) -> None:
        self.debate = debates.INITIAL
        self._causes: dict[int, int | None] = {}
        self._calls: dict[int, str] = {}

    def take(self, record: Recorded) -> None:
        """Take the next record."""
        self.debate = debates.evolve(self.debate, record)
        self._causes[record.position] = record.cause
        if isinstance(record.event, ModelAnswered | ModelFailed):
            self._calls[record.position] = record.event.call

    def cause_call(self, position: int) -> str | None:
        """The judge's call that an event follows from; None if it follows from none."""
        at: int | None = position
        while at is not None and at not in self._calls:
            at = self._causes.get(at)
        call = None if at is None else self._calls[at]
        return None if call is None or call.startswith("speak.") else call

    def audit(self, number: int) -> Audit | None:
        """The audit of a turn; None if the debate has no such turn."""
        return _audit(self, self.debate, number)


class Auditors:
    """A cache of auditors for the debates that were asked about last: each reads only the records that are new."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._cache: OrderedDict[str, Auditor] = OrderedDict()
        self._lock = anyio.Lock()

    async def audit(self, debate: str, number: int) -> Audit | None:
        """The audit of one turn of a debate; None if it has no such turn."""
        async with self._lock:  # each record must be taken once
            auditor = self._cache.setdefault(debate, Auditor())
            self._cache.move_to_end(debate)
            if len(self._cache) > MAX_CACHED:
                self._cache.popitem(last=False)
            while records := await self._log.read(debate, auditor.debate.position, PAGE):
                for record in records:
                    auditor.take(record)
        return auditor.audit(number)


def _audit(auditor: Auditor, debate: Debate, number: int) -> Audit | None:
    turn = debate.transcript.turns.get(number)
    if turn is None:
        return None
    card = debate.ledger.cards.get(number)
    if card is None:
        return Audit(turn=number, side=turn.side, entries=(), effective={})
    flagged = {
        claim.flagged: (Evidence(turn=claim.turn, quote=claim.quote, span=claim.span),)
        for claim in debate.claims.values()
    }
    return Audit(
        turn=number,
        side=turn.side,
        entries=tuple(
            AuditEntry(
                position=each.position,
                cause=each.cause,
                rule=each.rule,
                kind=each.kind,
                dimension=each.dimension,
                requested=each.requested,
                applied=each.applied,
                before=each.before,
                after=each.after,
                evidence=each.evidence or flagged.get(each.cause or 0, ()),
                reason=each.reason,
                call=auditor.cause_call(each.position),
            )
            for each in card.entries
        ),
        effective={name: balance.effective for name, balance in card.balances.items()},
        missing=UNSET if card.missing is None else card.missing,
    )
