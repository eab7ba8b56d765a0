"""Faults planted in the product, each of which the simulation must find."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest

from events import codec
from events.record import Recorded, as_draft, stamp
from server.feed import channel, reader
from server.feed.channel import Channel, TextInFlight
from server.feed.cursor import Cursor
from server.feed.hub import Hub
from server.feed.websocket import broadcast_group
from server.feed.websocket.broadcast_group import BroadcastGroup
from server.feed.websocket.connections import Connections
from server.feed.websocket.spectator import Spectator
from server.http import websocket
from tests.simulation.shared_log import NodeLog, SharedLog

Plant = Callable[[pytest.MonkeyPatch], None]


def skips_a_frame_in_catching_up(patch: pytest.MonkeyPatch) -> None:
    frames_after = Channel.frames_after

    def lossy(self: Channel, position: int, most: int = 256, *, director: bool = False) -> list[str] | None:
        frames = frames_after(self, position, most, director=director)
        return frames[1:] if frames is not None and len(frames) > 3 else frames

    patch.setattr(Channel, "frames_after", lossy)


def loses_the_end_of_a_page(patch: pytest.MonkeyPatch) -> None:
    def write_page(self: BroadcastGroup, one: Spectator, cursor: Cursor, frames: list[str]) -> None:
        written = broadcast_group.first_page(frames, self._page)
        cursor.position += len(frames)
        self._write_to(one, written)
        self._loop.call_soon(self.catch_up, one)

    patch.setattr(BroadcastGroup, "_write_page", write_page)


def delivers_before_the_commit(patch: pytest.MonkeyPatch) -> None:
    append, read = NodeLog.append, NodeLog.read
    early: dict[Any, tuple[Recorded, ...]] = {}

    async def hasty(self: NodeLog, debate: str, expected: int, events: Sequence[Any]) -> tuple[Recorded, ...]:
        records = self.shared.records(debate)
        if expected and len(records) == expected:
            drafts = [as_draft(event) for event in events]
            payloads = [codec.encode(draft.event) for draft in drafts]
            early[self] = stamp(debate, expected, records[-1].digest, drafts, "2026", payloads)
            self._notice(debate, expected + len(drafts))
        return await append(self, debate, expected, events)

    async def eager(self: NodeLog, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        found = await read(self, debate, after, limit)
        return found or tuple(each for each in early.get(self, ()) if each.position > after)

    patch.setattr(NodeLog, "append", hasty)
    patch.setattr(NodeLog, "read", eager)


def resumes_one_event_too_early(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(broadcast_group, "Cursor", lambda channel, after, **how: Cursor(channel, after and after - 1, **how))


def resumes_one_event_too_late(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(reader, "Cursor", lambda channel, after, **how: Cursor(channel, after and after + 1, **how))


def forgets_to_drop_a_stale_delta(patch: pytest.MonkeyPatch) -> None:
    def text_in_flight(self: Channel) -> TextInFlight | None:
        current = self.fold.debate.transcript.current
        return self.text if current is not None else None

    patch.setattr(Channel, "text_in_flight", text_in_flight)


def accepts_a_stale_epoch(patch: pytest.MonkeyPatch) -> None:
    refusal = SharedLog.refusal
    patch.setattr(
        SharedLog, "refusal", lambda self, debate, node, held: None if held else refusal(self, debate, node, held)
    )


def never_closes_the_slow(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Connections, "_check_slow", lambda *_: None)


def keeps_writing_to_the_slow(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(BroadcastGroup, "fall_behind", lambda *_: None)
    patch.setattr(Spectator, "is_busy", lambda self: self.is_closing)


def overfills_in_a_burst(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(BroadcastGroup, "_check_buffers", lambda *_: None)
    patch.setattr(channel, "RING_CHARACTERS", 1 << 30)  # frames are as many as the plan's ring says


def closes_with_a_wrong_position(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Spectator, "position", property(lambda self: self.group.channel.position))


def never_forgets_a_reader(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Hub, "leave", lambda *_: None)


def keeps_empty_groups(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Connections, "_remove_group", lambda *_: None)


def sometimes_wakes_no_reader(patch: pytest.MonkeyPatch) -> None:
    wake = Channel.wake

    def forgetful(self: Channel) -> None:
        if self.position % 5:
            wake(self)

    patch.setattr(Channel, "wake", forgetful)


def compresses_with_text_that_a_newcomer_lacks(patch: pytest.MonkeyPatch) -> None:
    make_live = BroadcastGroup._make_live

    def hasty(self: BroadcastGroup, one: Spectator) -> None:
        before = self._newcomers_compressor
        make_live(self, one)
        self._newcomers_compressor = before

    patch.setattr(BroadcastGroup, "_make_live", hasty)


def shows_private_events_to_everyone(patch: pytest.MonkeyPatch) -> None:
    frames_after = Channel.frames_after
    patch.setattr(
        Channel,
        "frames_after",
        lambda self, position, most=256, *, director=False: frames_after(self, position, most, director=True),
    )


def repeats_text_after_catching_up(patch: pytest.MonkeyPatch) -> None:
    copy = Cursor.copy

    def forgetful(self: Cursor) -> Cursor:
        other = copy(self)
        other.text_end = 0
        return other

    patch.setattr(Cursor, "copy", forgetful)


def leaves_out_text_of_a_turn(patch: pytest.MonkeyPatch) -> None:
    delta_from = TextInFlight.delta_from
    patch.setattr(TextInFlight, "delta_from", lambda self, at: delta_from(self, at if not at else at + 1))


def refuses_a_client_that_is_ahead_of_the_node(patch: pytest.MonkeyPatch) -> None:
    async def channel(service: Any, debate: str, after: int | None) -> Channel:
        del after
        return await service.hub.channel(debate)  # type: ignore[no-any-return]

    patch.setattr(websocket, "_channel", channel)


def skips_an_event_of_a_page(patch: pytest.MonkeyPatch) -> None:
    """A follower goes on after a page as if no event of it were missing."""
    read = NodeLog.read

    async def short(self: NodeLog, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        found = await read(self, debate, after, limit)
        return found[:2] + found[3:] if len(found) > 4 and not after % 3 else found

    patch.setattr(NodeLog, "read", short)


FAULTS: Final[tuple[Plant, ...]] = (
    skips_a_frame_in_catching_up,
    loses_the_end_of_a_page,
    delivers_before_the_commit,
    resumes_one_event_too_early,
    resumes_one_event_too_late,
    forgets_to_drop_a_stale_delta,
    accepts_a_stale_epoch,
    never_closes_the_slow,
    keeps_writing_to_the_slow,
    overfills_in_a_burst,
    closes_with_a_wrong_position,
    never_forgets_a_reader,
    keeps_empty_groups,
    sometimes_wakes_no_reader,
    compresses_with_text_that_a_newcomer_lacks,
    shows_private_events_to_everyone,
    repeats_text_after_catching_up,
    leaves_out_text_of_a_turn,
    refuses_a_client_that_is_ahead_of_the_node,
    skips_an_event_of_a_page,
)
