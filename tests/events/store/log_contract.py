"""The contract of a log.  ``test_logs.py`` runs it with each implementation."""

import re
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import msgspec
import pytest
from msgspec import structs

from events.errors import (
    BadCursor,
    BrokenChain,
    DebateDeleted,
    StoreUnavailable,
    UnknownDebate,
    WrongExpectedPosition,
)
from events.record import Draft, Recorded, copied_into, digest_before_first, first_break, new_id
from events.store.listing import MARKS, Limits
from events.store.log import EventLog, follow, read_all
from events.store.memory import MemoryLog
from events.store.tombstone import ARCHIVED
from events.types import DebateHalted, DebatePaused, DebateResumed, ModeratorSpoke, Origin
from events.verify import verify_lines, verify_log
from tests.events.samples import debate, opened, spoken, started

WORD = ModeratorSpoke(text="This is moderated.", by="test")


class LogContract:
    """The base of a test class with a ``log`` fixture."""

    async def test_appended_events_are_read_back(self, log: EventLog) -> None:
        recorded = await log.append("d1", 0, [opened(), Draft(event=started(), cause=1)])

        assert recorded == await log.read("d1")
        assert [record.position for record in recorded] == [1, 2]
        assert [record.cause for record in recorded] == [None, 1]
        assert [opened(), started()] == [record.event for record in recorded]

    async def test_digests_chain_from_the_debates_id(self, log: EventLog) -> None:
        await log.append("d1", 0, debate())
        await log.append("d1", len(debate()), [spoken(3)])

        assert first_break(await log.read("d1"), "d1") is None
        assert first_break(await log.envelopes("d1"), "d1") is None
        assert first_break(await log.read("d1"), "d2") == (1, "it belongs to debate d1")

    async def test_ids_and_salts_are_never_the_same_twice(self, log: EventLog) -> None:
        recorded = await log.append("d1", 0, [started()] * 50) + await log.append("d2", 0, [started()] * 50)

        assert len({record.id for record in recorded}) == 100
        assert len({record.salt for record in recorded}) == 100
        assert {16} == {len(record.salt) for record in recorded}

    async def test_an_unknown_debate_is_empty(self, log: EventLog) -> None:
        assert await log.read("nobody") == ()
        assert await log.envelopes("nobody", 3, 5) == ()
        assert await log.head("nobody") == 0

    async def test_pages(self, log: EventLog) -> None:
        await log.append("d1", 0, [started(n) for n in range(1, 8)])

        assert [record.position for record in await log.read("d1", 2, 2)] == [3, 4]
        assert [record.position for record in await log.envelopes("d1", 6, 100)] == [7]
        assert await log.read("d1", 7) == ()
        assert await log.head("d1") == 7

    async def test_two_writers_one_wins(self, log: EventLog) -> None:
        await log.append("d1", 0, [opened()])

        with pytest.raises(WrongExpectedPosition, match="expected 0, found 1"):
            await log.append("d1", 0, [opened()])
        with pytest.raises(WrongExpectedPosition, match="expected 5, found 1"):
            await log.append("d1", 5, [started()])

    async def test_of_concurrent_writers_exactly_one_wins(self, log: EventLog) -> None:
        outcomes: list[str] = []

        async def write(name: str) -> None:
            try:
                await log.append("d1", 0, [opened(name), started()])
                outcomes.append(name)
            except WrongExpectedPosition:
                outcomes.append("lost")

        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(write, f"motion {number}")

        (winner,) = [name for name in outcomes if name != "lost"]
        first, _ = await log.read("d1")
        assert first.event == opened(winner)

    async def test_a_repeated_append_returns_the_first_records(self, log: EventLog) -> None:
        drafts = [Draft(event=opened(), id=new_id()), Draft(event=started(), id=new_id())]
        first = await log.append("d1", 0, drafts)
        await log.append("d1", 2, [spoken()])

        assert first == await log.append("d1", 0, drafts)
        assert first[1:] == await log.append("d1", 1, drafts[1:])
        assert await log.head("d1") == 3

    async def test_a_repeated_append_hides_no_later_record(self, log: EventLog) -> None:
        drafts = [Draft(event=opened(), id=new_id())]
        await log.append("d1", 0, drafts)
        await log.append("d1", 1, [started(), spoken()])

        await log.append("d1", 0, drafts)

        assert [3] == [record.position for record in await log.read("d1", 2)]
        with anyio.fail_after(5):
            await log.wait_beyond("d1", 2)
        assert log.known_head("d1") in {None, 3}

    async def test_a_repeat_that_races_with_the_first_is_recorded_once(self, log: EventLog) -> None:
        drafts = [Draft(event=opened(), id=new_id()), Draft(event=started(), id=new_id())]
        answers: list[tuple[Recorded, ...]] = []

        async def write() -> None:
            answers.append(await log.append("d1", 0, drafts))

        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(write)

        assert answers == [await log.read("d1")] * 5

    async def test_other_ids_at_the_same_positions_are_a_conflict(self, log: EventLog) -> None:
        known = Draft(event=opened(), id=new_id())
        await log.append("d1", 0, [known])

        with pytest.raises(WrongExpectedPosition):
            await log.append("d1", 0, [Draft(event=opened(), id=new_id())])
        with pytest.raises(WrongExpectedPosition):
            await log.append("d1", 0, [known, Draft(event=started(), id=new_id())])

    async def test_a_bad_request_fails_alone(self, log: EventLog) -> None:
        failed: list[str] = []

        async def write_badly() -> None:
            try:
                await log.append("bad", 0, [opened(), spoken(text="\ud800")])
            except ValueError:
                failed.append("payload")
            try:
                await log.append("\ud800", 0, [opened()])
            except ValueError:
                failed.append("id")
            try:
                await log.append("late", 0, [Draft(event=opened(), cause=1 << 70)])
            except ValueError:
                failed.append("cause")

        async with anyio.create_task_group() as group:
            group.start_soon(write_badly)
            for number in range(5):
                group.start_soon(log.append, f"good{number}", 0, [opened()])

        assert failed == ["payload", "id", "cause"]
        assert await log.head("bad") == 0
        assert [await log.head(f"good{number}") for number in range(5)] == [1] * 5

    async def test_many_debates_at_once(self, log: EventLog) -> None:
        async def write(name: str) -> None:
            for position in range(50):
                await log.append(name, position, [started(position)])

        async with anyio.create_task_group() as group:
            for number in range(64):
                group.start_soon(write, f"d{number}")

        for number in range(64):
            records = await log.read(f"d{number}")
            assert list(range(50)) == [record.event.turn for record in records]  # type: ignore[union-attr]
            assert first_break(records, f"d{number}") is None

    async def test_a_cancelled_append_leaves_the_log_whole(self, log: EventLog) -> None:
        for attempt in range(20):
            with anyio.move_on_after(0):
                await log.append("d1", await log.head("d1"), [started(attempt), started(attempt)])
        head = await log.head("d1")
        while True:
            try:
                await log.append("d1", head, [opened()])
                break
            except WrongExpectedPosition as error:
                head = error.found  # a cancelled append was recorded after all

        assert head % 2 == 0
        assert (await verify_log(log, "d1")).ok

    async def test_follow_has_no_gap_and_no_repeat(self, log: EventLog) -> None:
        total = 200
        seen: dict[int, list[int]] = {after: [] for after in (0, 1, 57, 120)}

        async def watch(after: int) -> None:
            async for record in follow(log, "d1", after):
                seen[after].append(record.position)
                if record.position == total:
                    return

        async def write() -> None:
            position = 0
            while position < total:
                batch = 1 + position % 4
                batch = min(batch, total - position)
                await log.append("d1", position, [started()] * batch)
                position += batch

        with anyio.fail_after(30):
            async with anyio.create_task_group() as group:
                for after in seen:
                    group.start_soon(watch, after)
                group.start_soon(write)

        assert {after: list(range(after + 1, total + 1)) for after in seen} == seen

    async def test_waiting_ends_when_the_head_moves_beyond(self, log: EventLog) -> None:
        await log.append("d1", 0, [opened()])
        await log.wait_beyond("d1", 0)

        with anyio.move_on_after(0.05) as waited:
            await log.wait_beyond("d1", 1)
        assert waited.cancelled_caught

        async with anyio.create_task_group() as group:
            group.start_soon(log.wait_beyond, "d1", 2)
            group.start_soon(log.wait_beyond, "unknown", 0)
            await log.append("d1", 1, [started()])
            await log.append("d1", 2, [started()])
            await log.append("unknown", 0, [started()])

    async def test_waiting_fails_when_the_log_closes(self, log: EventLog) -> None:
        failures: list[StoreUnavailable] = []

        async def wait() -> None:
            try:
                await log.wait_beyond("d1", 5)
            except StoreUnavailable as error:
                failures.append(error)

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            await log.close()

        assert len(failures) == 1

    async def test_a_closed_log_raises(self, log: EventLog) -> None:
        await log.close()

        with pytest.raises(StoreUnavailable, match="closed"):
            await log.append("d1", 0, [opened()])
        with pytest.raises(StoreUnavailable, match="closed"):
            await log.read("d1")
        await log.close()

    async def test_a_foreign_debate_is_adopted_unchanged(self, log: EventLog) -> None:
        async with MemoryLog() as elsewhere:
            records = await elsewhere.append("d1", 0, debate())

        await log.adopt(records)
        await log.append("d1", len(records), [started(9)])

        assert records == await log.read("d1", 0, len(records))
        assert first_break(await log.read("d1"), "d1") is None
        assert [row.id for row in (await log.summaries()).debates] == ["d1"]
        with pytest.raises(WrongExpectedPosition):
            await log.adopt(records)

    async def test_a_broken_chain_is_not_adopted(self, log: EventLog) -> None:
        records = await log.append("d1", 0, debate())

        with pytest.raises(BrokenChain) as caught:
            await log.adopt([*records[:2], *records[3:]])
        assert caught.value.broken_at == 3
        with pytest.raises(WrongExpectedPosition):
            await log.adopt(records)

    async def test_the_list_is_newest_first_in_pages(self, log: EventLog) -> None:
        for number in range(7):
            await log.append(f"d{number}", 0, [opened(f"motion {number}"), spoken(1)])
        await log.append("unopened", 0, [started()])

        seen: list[str] = []
        cursor: str | None = None
        pages = 0
        while pages == 0 or cursor:
            page = await log.summaries(cursor, 3)
            seen += [row.id for row in page.debates]
            cursor = page.next
            pages += 1

        assert [f"d{number}" for number in reversed(range(7))] == seen
        assert pages == 3
        assert (page.debates[0].turns_spoken, page.debates[0].position) == (1, 2)

    async def test_the_lists_position_is_the_head(self, log: EventLog) -> None:
        await log.append("d1", 0, [opened(), started(), started()])

        (row,) = (await log.summaries()).debates

        assert row.position == 3

    @pytest.mark.parametrize("query", ["STRASSE", "straße", "ﬁn", "100%", "_", "日本", "", "\\"])
    async def test_a_query_finds_text_in_motions_whatever_its_case(self, log: EventLog, query: str) -> None:
        await log.append("hit", 0, [opened("Die Straße is FINE: 100% of snake_case \\ in 日本")])
        await log.append("miss", 0, [opened("nothing here")])

        found = {row.id for row in (await log.summaries(query=query)).debates}

        assert found == ({"hit"} if query else {"hit", "miss"})

    async def test_a_list_is_limited_by_state_format_winner_and_exhibition(self, log: EventLog) -> None:
        await log.append("ended", 0, debate())
        await log.append("played", 0, [structs.replace(opened("Trams"), exhibition="juries")])
        await log.append("paused", 0, [structs.replace(opened("Trams"), format="protocol")])
        await log.append("paused", 1, [DebatePaused(reason="r", by="b")])

        async def found(query: str = "", **limits: Any) -> set[str]:
            first = await log.summaries(None, 1, query, Limits(**limits))
            rest = await log.summaries(first.next, 9, query, Limits(**limits)) if first.next else None
            return {row.id for page in (first, rest) if page for row in page.debates}

        assert {"ended"} == await found(state="concluded")
        assert {"played"} == await found(state="open")
        assert {"paused"} == await found(format="protocol")
        assert {"ended"} == await found(winner="pro")
        assert set() == await found(winner="con")
        assert {"played"} == await found(exhibition=True)
        assert {"ended", "paused"} == await found(exhibition=False)
        assert {"paused"} == await found("trams", exhibition=False, state="paused")
        for mark in MARKS.values():
            assert {"ended", "played", "paused"} == await found(mark)  # no text of a reader is a mark

    async def test_a_list_is_limited_to_the_debates_made_from_one(self, log: EventLog) -> None:
        first = structs.replace(opened(), origin=Origin(kind="rejudge", debate="d1", position=4, digest="0" * 64))
        await log.append("d1", 0, [opened()])
        await log.append("again", 0, [first])
        await log.append("of-another", 0, [structs.replace(first, origin=structs.replace(first.origin, debate="d12"))])

        found = {row.id for row in (await log.summaries(limits=Limits(origin="d1"))).debates}

        assert {"again"} == found
        assert [] == list((await log.summaries(limits=Limits(origin="d"))).debates)
        assert [] == list((await log.summaries(query="6431")).debates)  # no query finds the digits of a mark

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("trams", [("d1", 3)]),
            ("TRAM", [("d2", 2), ("d1", 3)]),
            ("cafe strasse", [("d1", 2)]),
            ('"carry people"', [("d1", 3)]),
            ('"people carry"', []),
            ("電車 人", [("d2", 3)]),
            ("車電", []),
            ("people nowhere", []),
            ("it's", [("d2", 2)]),
            ("' OR 1=1 -- \\", []),
            ('" * NEAR ^', []),
            ("moderated", [("d1", 4)]),
            ("", []),
            ("\x00", []),
        ],
    )
    async def test_what_was_said_is_found(self, log: EventLog, query: str, found: list[tuple[str, int]]) -> None:
        await log.append("d1", 0, [opened("trams in a motion"), spoken(1, "A café. Die Straße is wide.")])
        await log.append("d1", 2, [spoken(2, "Buses are slow. Trams carry people! So there."), WORD])
        await log.append("d2", 0, [opened(), spoken(1, "It's a tram, isn't it?")])
        await log.append("d2", 2, [spoken(2, "電車は人を運ぶ。車は遅い。")])

        page = await log.search(query)

        assert found == [(hit.row.id, hit.record.position) for hit in page.hits]
        assert page.next is None

    async def test_a_hit_has_its_sentence_and_the_places_of_the_words(self, log: EventLog) -> None:
        text = "Buses are slow. Trams carry people! So there."
        await log.append("d1", 0, [opened(), spoken(1, text)])

        (hit,) = (await log.search("carry trams")).hits

        assert hit.excerpt.text == "Trams carry people!"
        assert ["Trams", "carry"] == [hit.excerpt.text[start:end] for start, end in hit.excerpt.marks]
        assert text.index("Trams") == hit.excerpt.start

    async def test_hits_come_in_pages_and_new_ones_are_found_at_once(self, log: EventLog) -> None:
        for number in range(4):
            await log.append(f"d{number}", 0, [opened(), spoken(1, "One tram."), spoken(2, "Two trams.")])
        seen: list[tuple[str, int]] = []
        cursor: str | None = None
        while not seen or cursor:
            page = await log.search("tram", cursor, 3)
            assert len(page.hits) <= 3
            seen += [(hit.row.id, hit.record.position) for hit in page.hits]
            cursor = page.next
        assert [(f"d{number}", position) for number in (3, 2, 1, 0) for position in (3, 2)] == seen

        await log.append("d0", 3, [spoken(3, "A third tram.")])
        assert ("d0", 4) in [(hit.row.id, hit.record.position) for hit in (await log.search("tram", None, 20)).hits]

    async def test_a_search_reads_texts_beside_the_event_loop(
        self, log: EventLog, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await log.append("d1", 0, [opened(), spoken(1, "A tram.")])
        readers: list[int] = []

        class Words:
            def finditer(self, text: str) -> Iterator[re.Match[str]]:
                if text == "a tram.":
                    readers.append(threading.get_ident())
                return re.finditer("[a-z0-9]+", text)

        monkeypatch.setattr("events.text.said._PLAIN", Words())

        assert () == (await log.search("ram")).hits
        assert readers
        assert threading.get_ident() not in readers

    @pytest.mark.parametrize("cursor", ["x", "1", "1-x", "-1", "", "1-2-3", "9" * 20 + "-1", "é-1"])
    async def test_an_invented_cursor_of_a_search_is_refused(self, log: EventLog, cursor: str) -> None:
        with pytest.raises(BadCursor):
            await log.search("tram", cursor)

    @pytest.mark.parametrize("cursor", ["x", "é", "AAAA", "WzEsMl0", "", "Wy" * 5000])
    async def test_an_invented_cursor_is_refused(self, log: EventLog, cursor: str) -> None:
        with pytest.raises(BadCursor):
            await log.summaries(cursor)

    async def test_unfinished_are_the_open_ones_oldest_first(self, log: EventLog) -> None:
        for name in ("b", "a", "paused", "halted", "done", "again"):
            await log.append(name, 0, [opened()])
        await log.append("paused", 1, [DebatePaused(reason="r", by="b")])
        await log.append("halted", 1, [DebateHalted(reason="r", by="b")])
        await log.append("done", 1, debate()[-1:])
        await log.append("again", 1, [DebatePaused(reason="r", by="b"), DebateResumed(reason="r", by="b")])

        assert await log.unfinished() == ("b", "a", "again")

    async def test_only_calibrations_are_found_oldest_first(self, log: EventLog) -> None:
        posing = """a motion with "format":"calibration" in it"""
        for name in ("b", "a"):
            await log.append(name, 0, [structs.replace(opened(posing), format="calibration")])
            await log.append(f"not {name}", 0, [opened(posing)])
        async with MemoryLog() as elsewhere:
            foreign = await elsewhere.append("foreign", 0, [structs.replace(opened(), format="calibration")])
        await log.adopt(foreign)
        await log.append("a", 1, [DebatePaused(reason="r", by="b")])

        assert await log.calibrations() == ("b", "a", "foreign")

    async def test_reading_all_crosses_pages(self, log: EventLog) -> None:
        await log.append("d1", 0, [started()] * 1203)

        assert list(range(1, 1204)) == [record.position async for record in read_all(log, "d1")]

    # deletion

    async def test_a_deleted_debate_is_nowhere_but_its_tombstone_verifies(self, log: EventLog) -> None:
        for name in ("d1", "d2"):
            await log.append(name, 0, debate(2, concluded=False))
        assert {hit.row.id for hit in (await log.search("belong people")).hits} == {"d1", "d2"}
        records = await log.read("d1")
        left = await log.delete("d1", len(records), "a class took it back")

        assert (left.debate, left.reason, left.events) == ("d1", "a class took it back", len(records))
        assert [left] == list(await log.tombstones())
        assert [left] == list(await log.tombstones("d"))
        assert await log.tombstones("d2") == ()
        lines = left.lines.splitlines(keepends=True)
        shown = [msgspec.json.decode(line) for line in lines]
        assert [(r.position, r.at, r.digest.hex(), r.payload_digest.hex()) for r in records] == [
            (line["position"], line["at"], line["digest"], line["payload_digest"]) for line in shown
        ]
        assert {"withheld"} == {line["event"]["type"] for line in shown}
        assert all("salt" not in line for line in shown)
        verdict = await verify_log(log, "d1")
        assert (verdict.ok, verdict.events, verdict.reason) == (True, len(records), "a class took it back")
        assert not verify_lines([*lines[:3], *lines[4:]]).ok

        assert await log.read("d1") == ()
        assert await log.envelopes("d1") == ()
        assert await log.head("d1") == 0
        assert [row.id for row in (await log.summaries()).debates] == ["d2"]
        assert {hit.row.id for hit in (await log.search("belong people")).hits} == {"d2"}
        assert await log.unfinished() == ("d2",)
        assert await log.unconcluded() == {"open": 1}
        assert (await verify_log(log, "d2")).ok

    async def test_notes_are_kept_next_to_the_events(self, log: EventLog) -> None:
        await log.append("d1", 0, [opened()])
        await log.note("hooks", "d1", b"1")
        await log.note("hooks", "d2", b"2")
        await log.note("other", "d1", b"3")
        await log.note("hooks", "d1", b"4")
        await log.note("hooks", "d2", None)
        await log.note("hooks", "d3", None)

        assert {"d1": b"4"} == await log.notes("hooks")
        assert {"d1": b"3"} == await log.notes("other")
        assert {"d1": b"4"} == await log.notes("hooks", "d1")
        assert {} == await log.notes("hooks", "d2") | await log.notes("none")
        assert 1 == await log.head("d1")

    async def test_nobody_writes_a_deleted_debate_again(self, log: EventLog) -> None:
        records = await log.append("d1", 0, debate())
        left = await log.delete("d1", len(records), "")

        for expected in (0, len(records), 99):
            with pytest.raises(DebateDeleted, match=rf"deleted on {left.deleted_at[:10]}"):
                await log.append("d1", expected, [started()])
        with pytest.raises(DebateDeleted):
            await log.adopt(records)
        with pytest.raises(DebateDeleted):
            await log.delete("d1", 0, "again")
        assert await log.read("d1") == ()
        await log.append("d2", 0, debate())
        assert await log.read("d1") == ()

    async def test_an_archived_debate_comes_back_to_the_byte_and_only_so(self, log: EventLog) -> None:
        records = await log.append("d1", 0, debate())
        other = tuple(copied_into("d1", digest_before_first("d1"), await log.append("d2", 0, debate(2))))
        before = (await log.envelopes("d1"), (await log.summaries()).debates[1])
        await log.delete("d1", len(records), "moved to an archive", archived=True)

        assert {"d1": records[-1].digest} == await log.notes(ARCHIVED)
        for refused in (other, records[:-1]):
            with pytest.raises(DebateDeleted):
                await log.adopt(refused)
        with pytest.raises(DebateDeleted):
            await log.append("d1", 0, debate())
        await log.adopt(records)
        assert before == (await log.envelopes("d1"), (await log.summaries()).debates[1])
        assert ((), {}) == (await log.tombstones(), await log.notes(ARCHIVED))
        assert {"d1", "d2"} == {hit.row.id for hit in (await log.search("belong people")).hits}
        assert len(records) + 1 == (await log.append("d1", len(records), [spoken()]))[0].position
        await log.delete("d1", len(records) + 1, "for ever")
        with pytest.raises(DebateDeleted):
            await log.adopt(records)

    async def test_a_deletion_says_what_it_has_seen(self, log: EventLog) -> None:
        await log.append("d1", 0, debate())

        with pytest.raises(UnknownDebate):
            await log.delete("nobody", 0, "")
        with pytest.raises(WrongExpectedPosition):
            await log.delete("d1", len(debate()) - 1, "")
        assert await log.head("d1") == len(debate())
        assert await log.tombstones() == ()

    async def test_a_reader_of_a_deleted_debate_is_told(self, log: EventLog) -> None:
        count = len(await log.append("d1", 0, debate()))
        seen: list[int] = []

        async def watch() -> None:
            with pytest.raises(UnknownDebate):
                await take(follow(log, "d1"))

        async def take(records: AsyncIterator[Recorded]) -> None:
            async for record in records:
                seen.append(record.position)  # noqa: PERF401 - another task looks at the list meanwhile

        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(watch)
                while len(seen) < count:
                    await anyio.lowlevel.checkpoint()
                await anyio.wait_all_tasks_blocked()
                await log.delete("d1", count, "")
            with pytest.raises(UnknownDebate):  # one that comes later
                await log.wait_beyond("d1", count)
