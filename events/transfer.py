"""Export debates as NDJSON, one event in each line, and import them.

An import writes envelopes and digests unchanged, in one atomic batch.  The batch also pauses a debate that had not
ended, so that an imported debate never runs unasked.
"""

import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import BinaryIO, Final

import msgspec
from anyio import to_thread
from msgspec import UNSET, Struct

from events import codec
from events.errors import BadTransfer, UnknownEvent
from events.record import Draft, Envelope, EventLine, Recorded, decoded, full_line, now, public_line, stamp
from events.store import listing
from events.store.listing import Summary
from events.store.log import PAGE, EventLog, not_there, read_all
from events.types import DebateOpened, DebatePaused
from events.verify import MAX_LINE, LineChecker, verify_lines, verify_log

__all__ = ["MAX_LINE", "Imported", "export", "import_debate", "parse_lines", "read_lines", "verify_lines", "verify_log"]

_ID: Final = re.compile(r"[A-Za-z0-9._~-]{1,128}")
_AT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_encoder: Final = msgspec.json.Encoder()


class Imported(Struct, frozen=True, kw_only=True):
    """The result of an import.  ``already``: the store had all of its events; ``paused``: the debate had not ended."""

    debate: str
    events: int
    already: bool
    paused: bool


async def export(
    log: EventLog, debate: str, *, withhold: bool = False, shorten: bool = False, seal: bool = False
) -> AsyncIterator[bytes]:
    """The debate as lines of NDJSON.

    ``withhold`` leaves out private fields, ``shorten`` folders of scripts, ``seal`` those of sealed events.
    Raises ``UnknownDebate`` before the first line.
    """
    known = False
    lines = _full_lines(log, debate)
    if withhold or shorten:
        lines = _public_lines(log, debate, revealed=not withhold, has_ended=not seal)
    elif seal:
        lines = _sealed_lines(log, debate)
    async for line in lines:
        known = True
        yield _encoder.encode(line) + b"\n"
    if not known:
        raise await not_there(log, debate)


async def _public_lines(log: EventLog, debate: str, *, revealed: bool, has_ended: bool) -> AsyncIterator[EventLine]:
    blind = False
    async for record in read_all(log, debate):
        blind = blind or (isinstance(record.event, DebateOpened) and record.event.blind)
        yield public_line(record, blind=blind, revealed=revealed, has_ended=has_ended)


async def _sealed_lines(log: EventLog, debate: str) -> AsyncIterator[EventLine]:
    async for record in read_all(log, debate):
        yield public_line(record) if record.event.sealed else full_line(record)


async def _full_lines(log: EventLog, debate: str) -> AsyncIterator[EventLine]:
    after = 0
    while page := await log.envelopes(debate, after, PAGE):
        for envelope in page:
            yield full_line(envelope)
        after = page[-1].position


def line_of(envelope: Envelope) -> bytes:
    """The whole event as a line of NDJSON, as ``export`` gives it."""
    return _encoder.encode(full_line(envelope)) + b"\n"


def read_lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines of a file; of a line that is too long only the part that shows it."""
    while line := file.readline(MAX_LINE + 1):
        yield line


def parse_lines(lines: Iterable[bytes]) -> tuple[Recorded, ...]:
    """The records of one whole debate, its chain verified.  Raises ``BrokenChain``, ``BadTransfer``."""
    checker = LineChecker()
    records: list[Recorded] = []
    withheld = 0
    for raw in lines:
        if raw == b"\n":
            continue
        line = checker.feed(raw)
        if line.salt is UNSET:
            withheld = withheld or line.position
        elif not withheld:
            records.append(_record(line, checker.digest))
    if withheld:
        raise BadTransfer(f"position {withheld} is withheld: such an export verifies but does not import")
    if not records:
        raise BadTransfer("there is no event in it")
    if not isinstance(records[0].event, DebateOpened):
        raise BadTransfer("it does not begin with debate_opened")
    if not _ID.fullmatch(checker.debate):
        raise BadTransfer(f"{checker.debate[:80]!r} is no id of a debate")
    return tuple(records)


async def import_debate(
    log: EventLog, lines: Iterable[bytes], check: Callable[[tuple[Recorded, ...]], None] | None = None
) -> Imported:
    """Import a debate that passes ``check``, which may raise ``BadTransfer``.

    Raises ``BrokenChain``; ``BadTransfer``, also if the id names another debate; ``DebateDeleted`` for the log of a
    debate that was deleted in this store.
    """
    records = await to_thread.run_sync(_checked, lines, check)  # a long log takes seconds of computing
    last = records[-1]
    debate = last.debate
    if await log.head(debate):
        there = await log.envelopes(debate, last.position - 1, 1)
        if not there or there[0].digest != last.digest:
            raise BadTransfer(f"the store holds another debate {debate}, or less of it; nothing was changed")
        return Imported(debate=debate, events=len(records), already=True, paused=False)
    pause = _pause_after(records)
    await log.adopt(records + pause)
    return Imported(debate=debate, events=len(records), already=False, paused=bool(pause))


def _checked(lines: Iterable[bytes], check: Callable[[tuple[Recorded, ...]], None] | None) -> tuple[Recorded, ...]:
    records = parse_lines(lines)
    if check is not None:
        check(records)
    return records


def _pause_after(records: tuple[Recorded, ...]) -> tuple[Recorded, ...]:
    row: Summary | None = None
    for record in records:
        row = listing.apply(row, record)
    if row is None or row.state != "open":
        return ()
    last: Envelope = records[-1]
    paused = Draft(event=DebatePaused(reason="imported before it had ended", by="import"))
    return stamp(last.debate, last.position, last.digest, [paused], now(), [codec.encode(paused.event)])


def _record(line: EventLine, digest: bytes) -> Recorded:
    assert isinstance(line.salt, str)
    if not _AT.fullmatch(line.at):
        raise BadTransfer(f"position {line.position}: {line.at[:80]!r} is no time")
    if line.cause is not None and not 0 < line.cause < line.position:
        raise BadTransfer(f"position {line.position}: its cause {line.cause} is not an earlier position")
    head = line.debate, line.position, line.id, line.at, line.cause, line.schema
    try:
        return decoded(Envelope(*head, bytes.fromhex(line.salt), bytes(line.event), digest))
    except UnknownEvent as error:
        raise BadTransfer(f"position {line.position}: {error}") from error
