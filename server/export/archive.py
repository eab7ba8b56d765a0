"""A debate as one JSON value that a page replays without a server: frames, audits, and the model calls.

A long debate has tens of megabytes of prompts and answers.  So the value is made in parts, a page of the log at a time.
"""

from collections.abc import AsyncIterator, Container, Sequence
from typing import Any, Final

import msgspec
from anyio import to_thread
from msgspec import UNSET, UnsetType

from events.record import Recorded
from events.short_names import with_short_names
from events.store.log import EventLog, not_there, read_pages
from events.types import DebateState, EvidenceSupplied, ModelAnswered, ModelFailed
from events.view import view as views
from events.view.origin import MarkView
from server.export.argument_audit import argument_audits
from server.export.audit import Auditor
from server.export.debate.arguments import with_words
from server.export.said import said_in
from server.export.terms import terms
from server.feed import frames
from server.process.version import VERSION

_json: Final = msgspec.json.Encoder()


class Archive:
    """A debate up to ``position``: before it concludes, only a director sees all of it.

    Of documents it has the passages that are cited, or all with ``all_evidence``.
    """

    def __init__(
        self, log: EventLog, auditor: Auditor, *, director: bool, with_calls: bool, all_evidence: bool
    ) -> None:
        """``auditor`` is that of the debate now: how it ends decides what its frames show."""
        assert auditor.debate.opened is not None, "a log begins with its opening"
        self._log, self._auditor, self._all_evidence = log, auditor, all_evidence
        self.debate, self.position = auditor.debate.id, auditor.debate.position
        self.motion = auditor.debate.opened.motion
        self.state: DebateState = auditor.debate.status.state
        self.revealed = director or self.state == "concluded"
        self.has_calls = with_calls and self.revealed
        self.mark: MarkView | UnsetType = UNSET
        """Who and what wrote the words, for the head of the page."""
        self.calls_bytes = 0
        """Bytes of the model calls in the parts so far."""

    async def parts(self) -> AsyncIterator[bytes]:
        """The JSON, in parts that follow one another.  Threads make them."""
        made = _Recording(revealed=self.revealed, has_calls=self.has_calls)
        yield b'{"asked":{"calls":{' if self.has_calls else b"{"
        async for page in read_pages(self._log, self.debate):
            calls = await to_thread.run_sync(made.take, page[: self.position - page[0].position + 1])
            self.calls_bytes += len(calls)
            yield calls
            if page[-1].position >= self.position:
                break
        if self.has_calls:
            segments = _json.encode(made.segments)
            self.calls_bytes += len(segments)
            yield b'},"segments":' + segments + b"},"
        yield await to_thread.run_sync(self._rest, made)

    def _rest(self, made: "_Recording") -> bytes:
        view = views.for_director(made.fold) if self.revealed else made.fold.view
        if view.evidence is not UNSET and not self._all_evidence:
            made.cut_documents(view.evidence.passages)
        members = {
            "id": self.debate,
            "moot": VERSION,
            "position": self.position,
            "state": self.state,
            "revealed": self.revealed,
            "view": view,
            "audits": {str(each.turn): each for each in self._auditor.audits()}
            | {each.argument: with_words(each) for each in argument_audits(self._auditor)},
            "terms": terms(),
            "said": list(map(said_in, made.frames)),
            "frames": [msgspec.Raw(frame.encode()) for frame in made.frames],
        }
        return _json.encode(members)[1:]


async def archive_of(
    log: EventLog, debate: str, *, director: bool = False, with_calls: bool = True, all_evidence: bool = False
) -> Archive:
    """The archive of a debate as it is now.  Raises ``UnknownDebate``."""
    fold = views.INITIAL
    async for page in read_pages(log, debate):
        fold = await to_thread.run_sync(views.apply_all, fold, page)  # a debate with many votes takes seconds
    if not fold.view.position:
        raise await not_there(log, debate)
    archive = Archive(log, Auditor(fold), director=director, with_calls=with_calls, all_evidence=all_evidence)
    archive.mark = fold.view.mark
    return archive


class _Recording:
    """The frames of a debate, and the texts of its prompts, taken record by record."""

    def __init__(self, *, revealed: bool, has_calls: bool) -> None:
        self._revealed, self._has_calls = revealed, has_calls
        self.fold = views.INITIAL
        self.frames: list[str] = []
        self.segments: dict[str, str] = {}
        """Texts by digest: a text that several prompts share is written once."""
        self._documents: list[Recorded] = []
        self._calls: set[str] = set()

    def take(self, records: Sequence[Recorded]) -> bytes:
        """Take the next records; their model calls as members of a JSON object."""
        calls = list[bytes]()
        for record in records:
            self.fold, frame = frames.step(self.fold, record, revealed=self._revealed)
            self.frames.append(frame)
            event = record.event
            if isinstance(event, EvidenceSupplied):
                self._documents.append(record)
            elif isinstance(event, ModelAnswered | ModelFailed) and self._has_calls:
                shown = msgspec.to_builtins(with_short_names(event))
                self.segments |= shown.pop("segments")
                if event.call not in self._calls:
                    begin = b"," if self._calls else b""
                    self._calls.add(event.call)
                    calls += begin, _json.encode(event.call), b":", _json.encode({"position": record.position, **shown})
        return b"".join(calls)

    def cut_documents(self, cited: Container[str]) -> None:
        """Leave only the cited passages in the frames of documents."""
        for record in self._documents:
            content: dict[str, Any] = msgspec.json.decode(self.frames[record.position - 1])
            content["event"]["passages"] = [each for each in content["event"]["passages"] if each["id"] in cited]
            content["payload_digest"] = record.payload_digest.hex()  # it stands for the others
            self.frames[record.position - 1] = _json.encode(content).decode()
