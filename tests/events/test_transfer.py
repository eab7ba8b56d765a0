"""Export, import and verify: debates survive unchanged, and each flipped byte is found at its position."""

import io
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from events.codec import encode
from events.errors import BadTransfer, BrokenChain, StoreDamaged, UnknownDebate, WrongExpectedPosition
from events.record import (
    Draft,
    EventLine,
    as_draft,
    chain,
    digest_before_first,
    digest_payload,
    full_line,
    now,
    public_line,
    stamp,
)
from events.store.log import EventLog
from events.store.memory import MemoryLog
from events.store.sqlite.log import SqliteLog
from events.transfer import MAX_LINE, Imported, export, import_debate, parse_lines, read_lines
from events.types import DebateHalted, DebatePaused, Event
from events.verify import Verification, verify_lines, verify_log
from tests.events.samples import debate, opened, spoken, started

pytestmark = pytest.mark.anyio

AT = "2026-11-21T09:30:00.123456Z"


def written(events: list[Event], name: str = "d1", *, withhold: bool = False) -> list[bytes]:
    """The lines of an export, made without a log."""
    drafts = [as_draft(event) for event in events]
    records = stamp(name, 0, digest_before_first(name), drafts, now(), [encode(event) for event in events])
    return [msgspec.json.encode((public_line if withhold else full_line)(record)) + b"\n" for record in records]


WHOLE = written(debate())
WITHHELD = written(debate(), withhold=True)


@pytest.fixture
async def target() -> AsyncIterator[MemoryLog]:
    async with MemoryLog() as elsewhere:
        yield elsewhere


async def test_an_exported_and_imported_debate_is_equal_byte_for_byte(log: EventLog, target: MemoryLog) -> None:
    await log.append("d1", 0, [Draft(event=opened(), id="given"), Draft(event=started(), cause=1), *debate()[2:]])
    lines = [line async for line in export(log, "d1")]

    imported = await import_debate(target, lines)

    assert Imported(debate="d1", events=len(debate()), already=False, paused=False) == imported
    assert await log.read("d1") == await target.read("d1")
    assert lines == [line async for line in export(target, "d1")]
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)


async def test_a_line_has_the_fields_of_the_contract(log: EventLog) -> None:
    await log.append("d1", 0, debate())
    full = [msgspec.json.decode(line) async for line in export(log, "d1")]
    public = [msgspec.json.decode(line) async for line in export(log, "d1", withhold=True)]

    envelope = {"debate", "position", "id", "at", "cause", "schema", "digest", "event"}
    assert {*envelope, "salt"} == set(full[3])
    assert {*envelope, "payload_digest"} == set(public[3])
    assert {"answer", "prompt"} <= set(full[3]["event"])
    assert not {"answer", "prompt", "segments", "reasoning"} & set(public[3]["event"])
    assert full[:3] == public[:3]


async def test_an_import_pauses_a_debate_that_had_not_ended(log: EventLog) -> None:
    lines = written(debate(concluded=False))

    imported = await import_debate(log, lines)

    last = (await log.read("d1"))[-1]
    assert imported.paused
    assert DebatePaused(reason="imported before it had ended", by="import") == last.event
    assert len(lines) + 1 == last.position
    assert await log.unfinished() == ()
    assert (await verify_log(log, "d1")).ok


@pytest.mark.parametrize("end", [DebatePaused(reason="r", by="b"), DebateHalted(reason="r", by="b")])
async def test_an_import_leaves_a_paused_debate_unchanged(log: EventLog, end: Event) -> None:
    imported = await import_debate(log, written([*debate(concluded=False), end]))

    assert not imported.paused
    assert end == (await log.read("d1"))[-1].event


@pytest.mark.parametrize("concluded", [True, False])
async def test_a_second_import_of_the_same_debate_changes_nothing(log: EventLog, concluded: bool) -> None:
    lines = written(debate(concluded=concluded))
    await import_debate(log, lines)
    head = await log.head("d1")

    assert Imported(debate="d1", events=len(lines), already=True, paused=False) == await import_debate(log, lines)
    assert head == await log.head("d1")


async def test_another_debate_of_that_id_is_refused(log: EventLog) -> None:
    await log.append("d1", 0, [opened("another motion")])

    with pytest.raises(BadTransfer, match="holds another debate d1"):
        await import_debate(log, WHOLE)
    assert await log.head("d1") == 1


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (WITHHELD, "position 4 is withheld"),
        ([], "no event"),
        (written([started()]), "does not begin with debate_opened"),
        (written([opened()], "../etc"), "no id of a debate"),
    ],
)
async def test_a_refused_import_says_why(log: EventLog, lines: list[bytes], says: str) -> None:
    with pytest.raises(BadTransfer, match=says):
        await import_debate(log, lines)
    assert (await log.summaries()).debates == ()


async def test_a_payload_of_a_newer_moot_is_not_imported() -> None:
    newer = stamped(b'{"type":"turn_sung"}', schema=1)

    assert verify_lines(newer).ok
    with pytest.raises(BadTransfer, match=r"position 1: .*turn_sung"):
        parse_lines(newer)


def stamped(payload: bytes, schema: int) -> list[bytes]:
    digest = chain(
        digest_before_first("d1"),
        debate="d1",
        position=1,
        id="i",
        at=AT,
        cause=None,
        schema=schema,
        payload_digest=digest_payload(bytes(16), payload),
    )
    line = EventLine(
        debate="d1",
        position=1,
        id="i",
        at=AT,
        cause=None,
        schema=schema,
        digest=digest.hex(),
        salt=bytes(16).hex(),
        event=msgspec.Raw(payload),
    )
    return [msgspec.json.encode(line) + b"\n"]


async def test_verdicts(log: EventLog) -> None:
    count = len(WHOLE)
    await import_debate(log, WHOLE)

    assert Verification(ok=True, debate="d1", events=count) == verify_lines(WHOLE)
    assert Verification(ok=True, debate="d1", events=count) == verify_lines(WITHHELD)
    assert Verification(ok=True, debate="d1", events=count) == verify_lines([line.rstrip(b"\n") for line in WHOLE])
    assert Verification(ok=True, debate="d1", events=count) == await verify_log(log, "d1")
    with pytest.raises(UnknownDebate):
        await verify_log(log, "d2")
    with pytest.raises(UnknownDebate):
        [line async for line in export(log, "d2")]


@pytest.mark.parametrize("cut", range(1, 6))
def test_a_missing_swapped_or_torn_line_is_found(cut: int) -> None:
    assert cut + 1 == verify_lines([*WHOLE[:cut], *WHOLE[cut + 1 :]]).broken_at
    assert cut + 1 == verify_lines([*WHOLE[:cut], WHOLE[cut + 1], WHOLE[cut]]).broken_at
    assert cut + 1 == verify_lines([*WHOLE[:cut], WHOLE[cut][:-9]]).broken_at
    assert cut + 1 == verify_lines([*WHOLE[:cut], WHOLE[cut - 1]]).broken_at
    assert cut + 1 == verify_lines([*WHOLE[:cut], *written(debate(), "d2")[cut:]]).broken_at


@pytest.mark.parametrize("junk", [b"null\n", b"[]\n", b"{}\n", b"\xff\n", b"{" * 5000 + b"}\n", b" \n", b"}{\n"])
def test_junk_does_not_verify(junk: bytes) -> None:
    verdict = verify_lines([WHOLE[0], junk])

    assert (verdict.ok, verdict.broken_at, verdict.events) == (False, 2, 1)
    assert verdict.why


@pytest.mark.slow
def test_an_answer_of_20_megabytes_verifies_and_can_be_read_as_a_file() -> None:
    lines = written([opened(), started(), spoken(text="x" * 20_000_000)])

    assert Verification(ok=True, debate="d1", events=3) == verify_lines(read_lines(io.BytesIO(b"".join(lines))))
    assert 3 == len(parse_lines(lines))


def test_what_could_not_be_read_back_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("events.record.MAX_PAYLOAD", 1000)

    assert written([spoken(text="x" * 500)])
    with pytest.raises(ValueError, match=r"an event of 1,\d\d\d bytes: it may have 1,000"):
        written([spoken(text="x" * 1000)])


def test_an_endless_line_is_refused_and_not_read_to_its_end() -> None:
    class Endless(io.BytesIO):
        taken = 0

        def readline(self, size: int | None = -1, /) -> bytes:
            assert size is not None
            assert size > 0
            self.taken += size
            return b"x" * size

    file = Endless()
    verdict = verify_lines(read_lines(file))

    assert (1, f"the line is longer than {MAX_LINE} bytes") == (verdict.broken_at, verdict.why)
    assert file.taken <= MAX_LINE + 1


@pytest.mark.slow
@settings(max_examples=400)
@given(line=st.integers(0, len(WHOLE) - 1), where=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255))
def test_one_changed_byte_anywhere_is_found_at_its_position(line: int, where: float, change: int) -> None:
    file = flipped(WHOLE, line, where, change)

    verdict = verify_lines(read_lines(io.BytesIO(file)))

    assert (False, line + 1) == (verdict.ok, verdict.broken_at)
    with pytest.raises((BrokenChain, BadTransfer)):
        parse_lines(read_lines(io.BytesIO(file)))


@pytest.mark.slow
@settings(max_examples=200)
@given(line=st.integers(0, len(WHOLE) - 1), where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_one_flipped_bit_anywhere_is_found_at_its_position(line: int, where: float, bit: int) -> None:
    assert line + 1 == verify_lines(read_lines(io.BytesIO(flipped(WHOLE, line, where, 1 << bit)))).broken_at


def flipped(lines: list[bytes], line: int, where: float, change: int) -> bytes:
    broken = bytearray(lines[line])
    broken[int(where * len(broken))] ^= change
    return b"".join([*lines[:line], bytes(broken), *lines[line + 1 :]])


@pytest.mark.slow
@pytest.mark.parametrize("column", ["id", "at", "salt", "digest", "payload", "cause", "schema"])
@pytest.mark.parametrize("position", [1, 4, 8])
async def test_a_changed_row_is_found_without_a_crash(tmp_path: Path, column: str, position: int) -> None:
    async with await SqliteLog.open(tmp_path / "moot.db") as log:
        await import_debate(log, WHOLE)
        assert log._writing is not None
        (value,) = log._writing.execute(f"SELECT {column} FROM events WHERE key & 0xFFFFFF = ?", (position,)).fetchone()
        was = value.encode() if isinstance(value, str) else value
        values: list[object] = [b"", b"\xff\xfe", "text", 5, -1, 1 << 62]
        if isinstance(was, bytes):
            values += [was[:-1] + bytes([was[-1] ^ 1]), bytes([was[0] ^ 0x80]) + was[1:]]
        for broken in values:
            as_text = f"CAST(? AS {'TEXT' if isinstance(value, str) else 'BLOB'})" if isinstance(broken, bytes) else "?"
            log._writing.execute(f"UPDATE events SET {column} = {as_text} WHERE key & 0xFFFFFF = ?", (broken, position))
            verdict = await verify_log(log, "d1")

            assert (False, position, position - 1) == (verdict.ok, verdict.broken_at, verdict.events)
        log._writing.execute(f"UPDATE events SET {column} = ? WHERE key & 0xFFFFFF = ?", (value, position))
        assert (await verify_log(log, "d1")).ok


async def test_a_removed_row_is_found(tmp_path: Path) -> None:
    async with await SqliteLog.open(tmp_path / "moot.db") as log:
        await import_debate(log, WHOLE)
        assert log._writing is not None
        log._writing.execute("DELETE FROM events WHERE key & 0xFFFFFF = 3")

        assert (await verify_log(log, "d1")).broken_at == 3


@pytest.mark.slow
async def test_a_damaged_file_gives_a_verification_not_an_exception(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    async with await SqliteLog.open(path) as log:
        for start in range(0, 900, 100):
            await log.append("d1", start, [spoken(text="x" * 3000)] * 100)
    content = bytearray(path.read_bytes())
    for page in range(202, len(content) // 4096, 7):
        content[page * 4096 : page * 4096 + 200] = bytes(200)
    path.write_bytes(content)

    async with await SqliteLog.open(path) as log:
        verdict = await verify_log(log, "d1")
        with pytest.raises(StoreDamaged, match="damaged"):
            await log.read("d1")

    assert not verdict.ok
    assert 1 < (verdict.broken_at or 0) <= 900
    assert "damaged" in verdict.why


async def test_two_imports_at_once_leave_one_debate(log: EventLog) -> None:
    async def take() -> None:
        try:
            await import_debate(log, WHOLE)
        except WrongExpectedPosition:
            lost.append(1)

    lost: list[int] = []
    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(take)

    assert len(WHOLE) == await log.head("d1")
    assert (await verify_log(log, "d1")).ok


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=80), min_size=1, max_size=6))
async def test_any_text_survives_export_and_import(texts: list[str]) -> None:
    async with MemoryLog() as source, MemoryLog() as target:
        await source.append("d1", 0, [opened(texts[0]), *[spoken(n, text) for n, text in enumerate(texts, 1)]])
        lines = [line async for line in export(source, "d1")]
        await import_debate(target, lines)
        again = [line async for line in export(target, "d1")]

        assert lines == again[:-1]
        assert verify_lines(again).ok
