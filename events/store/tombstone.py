"""What is left of a deleted debate: its chain of digests, without a word of it.

The chain covers the envelopes and the digests of the payloads.  So a log in which every event is withheld still
verifies.  The salts are deleted with the payloads: without them no payload can be guessed from its digest.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.errors import DebateDeleted
from events.record import WITHHELD, Envelope, full_line

MAX_REASON: Final = 500
"""Characters of a reason."""
ARCHIVED: Final = "archived"
"""The kind of the notes that say, by debate, with which last digest a deleted debate may be written again."""
_encoder: Final = msgspec.json.Encoder()


class Tombstone(Struct, frozen=True, kw_only=True):
    """A deleted debate.  ``lines`` is its log as NDJSON, with every event withheld.

    ``is_erased``: whether the bytes that the debate had are overwritten in the files of the store.  PostgreSQL does
    not tell.
    """

    debate: str
    deleted_at: str
    reason: str
    events: int
    is_erased: bool
    lines: bytes

    def refusal(self) -> DebateDeleted:
        """The error for whoever asks for the debate."""
        return DebateDeleted(self.debate, self.deleted_at, self.reason, self.events)


def withheld_lines(records: Sequence[Envelope]) -> bytes:
    """The lines of a tombstone: for each event its envelope, the digest of its payload and the chained digest."""
    return b"".join([_encoder.encode(_line(record)) + b"\n" for record in records])


def _line(record: Envelope) -> object:
    shown = replace(full_line(record), salt=UNSET, event=WITHHELD)
    return replace(shown, payload_digest=record.payload_digest.hex())
