"""Verify the chain of a debate, from exported lines or from a log.

The payload digest of a line is computed from the bytes in the file, which are never decoded and encoded again; hex must
be lower-case.  Of a line with withheld fields only the envelope and ``payload_digest`` can be verified: the chain does
not cover the fields that it still shows.
"""

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.errors import BrokenChain, StoreDamaged, UnknownDebate
from events.record import (
    MAX_PAYLOAD,
    Envelope,
    EventLine,
    digest_after,
    digest_before_first,
    digest_payload,
    first_break,
)
from events.store.log import PAGE, EventLog
from events.store.tombstone import Tombstone

MAX_LINE: Final = MAX_PAYLOAD + (1 << 20)
"""Bytes of the longest line that is read: the largest event with its envelope."""

_SALT_BYTES: Final = 16
_DIGEST_BYTES: Final = 32
_line_decoder: Final = msgspec.json.Decoder(EventLine)


class Verification(Struct, frozen=True, kw_only=True):
    """The result: ``events`` positions verify; ``broken_at`` is the first that does not, and ``why``.

    ``deleted_at`` and ``reason`` are there for a deleted debate, of which the tombstone was verified.
    """

    ok: bool
    debate: str
    events: int
    broken_at: int | None = None
    why: str = ""
    deleted_at: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class LineChecker:
    """Checks lines in order: each must follow from the line before."""

    def __init__(self) -> None:
        self.debate = ""
        self.position = 0
        self.digest = b""

    def feed(self, raw: bytes) -> EventLine:
        """The decoded line.  Raises ``BrokenChain`` with the position that was expected."""
        line = self._parse(raw)
        if not self.position:
            self.debate = line.debate
        elif line.debate != self.debate:
            raise self._broken(f"it belongs to debate {line.debate}")
        expected = self.position + 1
        if line.position != expected:
            raise self._broken(f"position {line.position} stands there")
        digest = digest_after(self.digest or digest_before_first(line.debate), line, self._payload_digest(line))
        if digest != self._unhex(line.digest, _DIGEST_BYTES, "digest"):
            raise self._broken("its digest does not follow from the line and the one before")
        self.position, self.digest = expected, digest
        return line

    def _parse(self, raw: bytes) -> EventLine:
        if len(raw) > MAX_LINE:
            raise self._broken(f"the line is longer than {MAX_LINE} bytes")
        text = raw.removesuffix(b"\n")
        if not (text.startswith(b"{") and text.endswith(b"}")):
            raise self._broken("the line is not one whole JSON object")
        try:
            return _line_decoder.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._broken(f"the line cannot be read: {error}") from error

    def _payload_digest(self, line: EventLine) -> bytes:
        if isinstance(line.salt, str) and line.payload_digest is UNSET:
            return digest_payload(self._unhex(line.salt, _SALT_BYTES, "salt"), line.event)
        if isinstance(line.payload_digest, str) and line.salt is UNSET:
            return self._unhex(line.payload_digest, _DIGEST_BYTES, "payload_digest")
        raise self._broken("the line needs either salt or payload_digest")

    def _unhex(self, text: str, size: int, name: str) -> bytes:
        try:
            value = bytes.fromhex(text)
        except ValueError:
            value = b""
        if len(value) != size or value.hex() != text:
            raise self._broken(f"its {name} is not {size} bytes of lower-case hex")
        return value

    def _broken(self, why: str) -> BrokenChain:
        return BrokenChain(self.debate, self.position + 1, why)


def verify_lines(lines: Iterable[bytes]) -> Verification:
    """Verify an export, full or with withheld fields.  Empty lines are skipped."""
    checker = LineChecker()
    try:
        for raw in lines:
            if raw != b"\n":
                checker.feed(raw)
    except BrokenChain as error:
        return _broken(checker.debate, error)
    if not checker.position:
        return Verification(ok=False, debate="", events=0, broken_at=1, why="there is no event")
    return Verification(ok=True, debate=checker.debate, events=checker.position)


async def verify_log(log: EventLog, debate: str) -> Verification:
    """Verify a debate in a log, or the tombstone of a deleted one.  Raises ``UnknownDebate``, ``StoreUnavailable``."""
    position, previous = 0, b""
    try:
        while page := await _page(log, debate, position):
            if found := first_break(page, debate, position, previous):
                return _broken(debate, BrokenChain(debate, *found))
            position, previous = page[-1].position, page[-1].digest
    except StoreDamaged as error:
        return _broken(debate, BrokenChain(debate, position + 1, str(error)))
    if not position:
        for left in await log.tombstones(debate):
            if left.debate == debate:
                return verify_tombstone(left)
        raise UnknownDebate(debate)
    return Verification(ok=True, debate=debate, events=position)


def verify_tombstone(left: Tombstone) -> Verification:
    """Verify what is left of a deleted debate."""
    verdict = verify_lines(left.lines.splitlines(keepends=True))
    if verdict.ok and (verdict.debate, verdict.events) != (left.debate, left.events):
        verdict = replace(verdict, ok=False, broken_at=verdict.events + 1, why="events are missing in the tombstone")
    return replace(verdict, debate=left.debate, deleted_at=left.deleted_at, reason=left.reason)


async def _page(log: EventLog, debate: str, after: int) -> tuple[Envelope, ...]:
    """The next envelopes; one at a time if the store is damaged, to find the first broken position."""
    try:
        return await log.envelopes(debate, after, PAGE)
    except StoreDamaged:
        return await log.envelopes(debate, after, 1)


def _broken(debate: str, error: BrokenChain) -> Verification:
    return Verification(ok=False, debate=debate, events=error.broken_at - 1, broken_at=error.broken_at, why=error.why)
