"""A debate as one JSON value that a page replays without a server: frames, audits, and the model calls."""

from collections.abc import Container
from functools import partial
from typing import Any, Final

import msgspec
from anyio import to_thread
from msgspec import UNSET, Struct

from events.errors import UnknownDebate
from events.record import Recorded
from events.short_names import with_short_names
from events.store.log import EventLog, read_all
from events.types import EvidenceSupplied, ModelAnswered, ModelFailed
from events.view import view as views
from server.export.audit import Auditor
from server.feed import frames
from server.version import VERSION

_json: Final = msgspec.json.Encoder()


class Archive(Struct, frozen=True, kw_only=True):
    """The archive as JSON, and its facts.  ``calls_bytes`` is the size of the model calls in it."""

    body: bytes
    motion: str
    position: int
    state: str
    revealed: bool
    has_calls: bool
    calls_bytes: int


async def archive_of(
    log: EventLog, debate: str, *, director: bool = False, with_calls: bool = True, all_evidence: bool = False
) -> Archive:
    """Everything that this client may see: before the debate concludes, only a director sees all of it.

    Of documents it has the passages that are cited, or all with ``all_evidence``.
    A thread computes it: a debate with many votes takes seconds.  Raises ``UnknownDebate``.
    """
    records = [record async for record in read_all(log, debate)]
    if not records:
        raise UnknownDebate(debate)
    made = partial(_archive, debate, records, director=director, with_calls=with_calls, all_evidence=all_evidence)
    return await to_thread.run_sync(made)


def _archive(debate: str, records: list[Recorded], *, director: bool, with_calls: bool, all_evidence: bool) -> Archive:
    auditor = Auditor()
    for record in records:
        auditor.take(record)
    state = auditor.debate.status.state
    revealed = director or state == "concluded"
    fold, made = views.INITIAL, list[str]()
    for record in records:
        fold, frame = frames.step(fold, record, revealed=revealed)
        made.append(frame)
    if fold.view.evidence is not UNSET and not all_evidence:
        cited = fold.view.evidence.passages
        made = [
            _with_cited(frame, record, cited) if isinstance(record.event, EvidenceSupplied) else frame
            for frame, record in zip(made, records, strict=True)
        ]
    shown = with_calls and revealed
    calls = _calls(records) if shown else b""
    members = {
        "id": debate,
        "moot": VERSION,
        "position": fold.view.position,
        "state": state,
        "revealed": revealed,
        "view": views.for_director(fold) if revealed else fold.view,
        "audits": {str(number): auditor.audit(number) for number in auditor.debate.transcript.turns},
        "frames": msgspec.Raw(b"[" + ",".join(made).encode() + b"]"),
    }
    if shown:
        members["asked"] = msgspec.Raw(calls)
    return Archive(
        body=_json.encode(members),
        motion=fold.view.motion,
        position=fold.view.position,
        state=state,
        revealed=revealed,
        has_calls=shown,
        calls_bytes=len(calls),
    )


def _with_cited(frame: str, record: Recorded, cited: Container[str]) -> str:
    """The frame of a document with its cited passages; the digest of its payload stands for the others."""
    content = msgspec.json.decode(frame)
    content["event"]["passages"] = [each for each in content["event"]["passages"] if each["id"] in cited]
    content["payload_digest"] = record.payload_digest.hex()
    return _json.encode(content).decode()


def _calls(records: list[Recorded]) -> bytes:
    """``{"calls": {call: …}, "segments": {digest: text}}``: a text that several prompts share is written once."""
    calls: dict[str, Any] = {}
    segments: dict[str, str] = {}
    for record in records:
        if isinstance(record.event, ModelAnswered | ModelFailed):
            shown = msgspec.to_builtins(with_short_names(record.event))
            segments |= shown.pop("segments")
            calls.setdefault(record.event.call, {"position": record.position, **shown})
    return _json.encode({"calls": calls, "segments": segments})
