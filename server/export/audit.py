"""The ledger of one turn, entry by entry: what each asked for, what it got, because of which words and which call."""

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

KEPT: Final = 8


class AuditEntry(Struct, frozen=True, kw_only=True):
    """One entry.  ``call`` names the model call that it follows from, where it does."""

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
    """All entries of a turn in order, and where they leave it."""

    turn: int
    side: str
    entries: tuple[AuditEntry, ...]
    effective: dict[str, float]
    missing: Reason | UnsetType = UNSET


class Auditor:
    """Fed with a debate's records in order; knows what each of them follows from."""

    def __init__(self) -> None:
        self.debate = debates.INITIAL
        self._causes: dict[int, int | None] = {}
        self._calls: dict[int, str] = {}

    def take(self, record: Recorded) -> None:
        """One more record."""
        self.debate = debates.evolve(self.debate, record)
        self._causes[record.position] = record.cause
        if isinstance(record.event, ModelAnswered | ModelFailed):
            self._calls[record.position] = record.event.call

    def call_behind(self, position: int) -> str | None:
        """The judge's call that an event follows from; None where none does."""
        at: int | None = position
        while at is not None and at not in self._calls:
            at = self._causes.get(at)
        call = None if at is None else self._calls[at]
        return None if call is None or call.startswith("speak.") else call

    def audit(self, number: int) -> Audit | None:
        """The audit of a turn; None where the debate has no such turn."""
        return _audit(self, self.debate, number)


class Auditors:
    """Those of the debates that were asked about last: each reads only what has come since."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._kept: OrderedDict[str, Auditor] = OrderedDict()
        self._turn = anyio.Lock()

    async def audit(self, debate: str, number: int) -> Audit | None:
        """Audit one turn of a debate; None where it has no such turn."""
        async with self._turn:  # a record is to be taken once
            auditor = self._kept.setdefault(debate, Auditor())
            self._kept.move_to_end(debate)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
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
                call=auditor.call_behind(each.position),
            )
            for each in card.entries
        ),
        effective={name: balance.effective for name, balance in card.balances.items()},
        missing=UNSET if card.missing is None else card.missing,
    )
