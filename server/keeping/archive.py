"""Debates in one file: a zip with the log of each to the byte, and a manifest with their digests.

The zip's comment ends in the SHA-256 of everything before it.  So a file with any changed, missing or further byte is
refused, and every log in it is also checked by its own digest and its chain.  The same debates give the same bytes.
"""

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

import msgspec
from msgspec import Struct

from events import codec
from events.errors import BadTransfer
from events.record import Envelope, EventLine
from events.store.listing import Summary
from events.store.log import PAGE, EventLog, not_there
from events.store.new_file import new_file
from events.store.tombstone import ARCHIVED
from events.transfer import line_of, read_lines
from events.types.evidence import EvidenceSupplied
from events.verify import verify_lines
from server.process.version import VERSION

FORM: Final = "moot-archive/1"
MANIFEST: Final = "manifest.json"
COMMENT: Final = b"moot archive, sha256 "
DIGEST_BYTES: Final = 64
"""Bytes of a digest in hexadecimal digits, at the end of the file."""
MAX_MANIFEST: Final = 256 << 20
BLOCK: Final = 1 << 20
SUPPLIES: Final = b'"type":"evidence_supplied"'


class ArchivedDocument(Struct, frozen=True, kw_only=True):
    """A document that a debate was held with; its passages are in the log.  ``digest``: SHA-256 of its file."""

    id: str
    name: str
    digest: str


class ArchivedDebate(Struct, frozen=True, kw_only=True):
    """A debate in an archive.  ``sha256`` is that of its log, ``digest`` the last one of its chain."""

    debate: str
    motion: str
    title: str
    format: str
    state: str
    opened_at: str
    newest_at: str
    events: int
    bytes: int
    sha256: str
    digest: str
    documents: tuple[ArchivedDocument, ...] = ()

    @property
    def member(self) -> str:
        """The name of its log in the zip."""
        return f"logs/{self.debate}.ndjson"


class Manifest(Struct, frozen=True, kw_only=True):
    """What is in an archive."""

    form: str
    moot: str
    debates: tuple[ArchivedDebate, ...]


async def write(log: EventLog, rows: Sequence[Summary], target: Path) -> Manifest:
    """Write debates to a new file, each up to the position of its row, and check it before it gets its name.

    Raises ``UnknownDebate``, ``OSError``; ``FileExistsError``, since nothing is replaced.
    """
    with new_file(target) as part:
        with ZipFile(part, "w", ZIP_DEFLATED, compresslevel=6) as file:
            found = [await _add(file, log, row) for row in rows]
            manifest = Manifest(form=FORM, moot=VERSION, debates=tuple(found))
            file.writestr(_member(MANIFEST), msgspec.json.format(msgspec.json.encode(manifest), indent=1))
            file.comment = COMMENT + b"0" * DIGEST_BYTES
        with part.open("r+b") as whole:
            digest = _digest(whole, part.stat().st_size - DIGEST_BYTES)
            whole.write(digest)
        with opened(part):
            pass
    return manifest


async def _add(file: ZipFile, log: EventLog, row: Summary) -> ArchivedDebate:
    """Add the log of a debate."""
    digest, size, after = hashlib.sha256(), 0, 0
    documents = list[ArchivedDocument]()
    with file.open(_member(f"logs/{row.id}.ndjson"), "w", force_zip64=True) as member:
        while after < row.position:
            page = await log.envelopes(row.id, after, min(PAGE, row.position - after))
            if not page:
                raise await not_there(log, row.id)  # it was deleted meanwhile
            for each in page:
                line = line_of(each)
                member.write(line)
                digest.update(line)
                size += len(line)
                documents += _documents(each)
            after, newest = page[-1].position, page[-1]
    return ArchivedDebate(
        debate=row.id,
        motion=row.motion,
        title=row.title,
        format=row.format,
        state=row.state,
        opened_at=row.opened_at,
        newest_at=newest.at,
        events=row.position,
        bytes=size,
        sha256=digest.hexdigest(),
        digest=newest.digest.hex(),
        documents=tuple(documents),
    )


def _documents(each: Envelope) -> Iterator[ArchivedDocument]:
    """The document that an event supplies, if it does."""
    if SUPPLIES in each.payload[: 2 * len(SUPPLIES)]:
        event = codec.decode(each.payload, each.schema)
        if isinstance(event, EvidenceSupplied):
            given = event.document
            yield ArchivedDocument(id=given.id, name=given.name, digest=given.digest)


def _member(name: str) -> ZipInfo:
    """A member that says nothing of the time and of this machine."""
    member = ZipInfo(name)
    member.compress_type, member.external_attr = ZIP_DEFLATED, 0o600 << 16
    return member


def _digest(file: IO[bytes], size: int) -> bytes:
    """The SHA-256 of the first bytes of a file, whose place is then after them."""
    digest, left = hashlib.sha256(), size
    file.seek(0)
    while left > 0 and (block := file.read(min(BLOCK, left))):
        digest.update(block)
        left -= len(block)
    return digest.hexdigest().encode()


class CheckedArchive:
    """An archive that has been checked from its first byte to its last."""

    def __init__(self, file: ZipFile, manifest: Manifest) -> None:
        self._file, self.manifest = file, manifest

    def lines(self, debate: ArchivedDebate) -> Iterator[bytes]:
        """The lines of a log."""
        with self._file.open(debate.member) as log:
            yield from read_lines(log)  # type: ignore[arg-type]


@contextmanager
def opened(path: Path) -> Iterator[CheckedArchive]:
    """An archive, once all of it is checked.  Raises ``BadTransfer``, ``OSError``."""
    with path.open("rb") as whole:
        size = path.stat().st_size
        given = _digest(whole, size - DIGEST_BYTES), whole.read()
        if given[0] != given[1]:
            raise BadTransfer(f"{path} is no whole archive: its SHA-256 is not the one at its end")
        try:
            with ZipFile(whole) as file:
                archive = CheckedArchive(file, _manifest(file))
                for each in archive.manifest.debates:
                    _check(archive, each)
                yield archive
        except (BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise BadTransfer(f"{path} is no archive: {error}") from error


def _manifest(file: ZipFile) -> Manifest:
    """The manifest, which names every member of the file once.  Raises ``BadTransfer``."""
    names = file.namelist()
    try:
        size = file.getinfo(MANIFEST).file_size
        manifest = msgspec.json.decode(file.read(MANIFEST) if size <= MAX_MANIFEST else b"", type=Manifest)
    except (KeyError, msgspec.DecodeError) as error:
        raise BadTransfer(f"it has no manifest that this version can read: {error}") from error
    if manifest.form != FORM:
        raise BadTransfer(f"its form is {manifest.form[:40]!r}, and this version reads {FORM}")
    if sorted(names) != sorted([MANIFEST, *(each.member for each in manifest.debates)]):
        raise BadTransfer("its manifest does not name what is in it")
    return manifest


def _check(archive: CheckedArchive, debate: ArchivedDebate) -> None:
    """Check a log against the manifest, and its chain.  Raises ``BadTransfer``."""
    digest, size, last = hashlib.sha256(), 0, b""

    def lines() -> Iterator[bytes]:
        nonlocal size, last
        for line in archive.lines(debate):
            digest.update(line)
            size += len(line)
            last = line
            yield line

    verdict = verify_lines(lines())
    found = verdict.debate, verdict.events, size, digest.hexdigest()
    if not verdict.ok or found != (debate.debate, debate.events, debate.bytes, debate.sha256):
        raise BadTransfer(f"the log of {debate.debate} is not the one of the manifest: {verdict.why or 'another log'}")
    if msgspec.json.decode(last, type=EventLine).digest != debate.digest:
        raise BadTransfer(f"the log of {debate.debate} does not end with the digest of the manifest")


async def conflicts(log: EventLog, manifest: Manifest) -> dict[str, str]:
    """The debates of an archive that a store cannot take, with the reason."""
    found = {}
    for each in manifest.debates:
        if head := await log.head(each.debate):
            there = await log.envelopes(each.debate, each.events - 1, 1)
            if not there or there[0].digest.hex() != each.digest:
                found[each.debate] = (
                    "the store holds another debate of this id"
                    if there
                    else (f"the store holds only {head} of its {each.events} events")
                )
        else:
            for left in await log.tombstones(each.debate):
                archived = (await log.notes(ARCHIVED, each.debate)).get(each.debate, b"")
                if left.debate == each.debate and archived.hex() != each.digest:
                    found[each.debate] = str(left.refusal())
    return found
