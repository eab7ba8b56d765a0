"""The desk of a debate's people: what the pages of its seats do, and lost connections."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import anyio

from events.record import Draft
from events.state.debate import Debate
from events.types import SeatConnectionLost
from providers.errors import ProviderError
from server.debate.formats.steps import Ask, Speak
from server.debate.speech import clean
from server.debate.stream_writer import Build, StreamWriter
from server.errors import BadAnswer, BadField, NotNow
from server.people.acts import (
    MAX_TEXT,
    AtSeat,
    held,
    resign_drafts,
    return_drafts,
    take_drafts,
)
from server.people.names import is_person, request_id, seat_of
from server.people.provider import People

RECORDED_S: Final = 10.0
"""Seconds within which an answer is recorded, or its sender is told to look again."""
WATCH_S: Final = 1.0
"""Wait before a seat's connection is looked at again."""
NOT_OPEN: Final = "this turn or question is not open now"


class SeatDesk:
    """What happens at the seats of one debate."""

    def __init__(self, debate: str, people: People, writer: StreamWriter) -> None:
        self._id, self._people, self._writer = debate, people, writer
        self._sent: dict[str, tuple[str, anyio.Event]] = {}
        """By the id of an answered request: the text, and what is set once the result is recorded."""

    async def act(self, act: AtSeat) -> int:
        """Carry out what the page of a seat does; the position of the debate after it."""
        await self._act(act)
        return self._writer.debate.position

    async def _act(self, act: AtSeat) -> None:
        seat, debate = act.seat, self._writer.debate
        if act.act == "take":
            await self._append(lambda now: take_drafts(now, seat, act.link, act.holder))
            self._people.hear(self._id, seat)
            return
        if act.act == "resign":
            await self._append(lambda now: resign_drafts(now, seat, act.link, act.holder))
            self._people.resign(self._id, seat)
            return
        held(debate, seat, act.link, act.holder)
        self._people.hear(self._id, seat)
        if debate.seats[seat].is_away:
            await self._append(lambda now: return_drafts(now, seat))
        if act.act == "draft":
            self._people.keep_draft(self._id, seat, act.request, _bounded(act.text))
        elif act.act == "send":
            await self._send(act)

    async def _send(self, act: AtSeat) -> None:
        """Answer an open request, and wait until it is recorded.  Raises ``NotNow``, ``BadField``.

        The same text may be sent again while it is not recorded: its sender waits further.
        """
        text = clean(_bounded(act.text))
        sent, recorded = self._sent.get(act.request, ("", anyio.Event()))
        if not sent or sent != text:
            self._check_and_send(act, text)
            self._sent[act.request] = text, recorded
        with anyio.move_on_after(RECORDED_S):
            await recorded.wait()
            return
        raise NotNow("the text has not been recorded yet: keep it until the debate shows it")

    def _check_and_send(self, act: AtSeat, text: str) -> None:
        asked = self._people.find(self._id, act.seat, act.request)
        if asked is None or asked.answered.done():
            raise NotNow(NOT_OPEN)
        if not text.strip():
            raise BadField("text", "there is no text to send")
        try:
            found = asked.check(text)
        except ProviderError as error:
            raise BadField("text", error.message) from error
        if found:
            raise BadAnswer(tuple((each.path, each.message) for each in found))
        self._people.send(asked, text)

    async def _append(self, build: Build) -> None:
        await self._writer.append_at_once(build)

    @asynccontextmanager
    async def watched(self, step: Speak | Ask) -> AsyncIterator[None]:
        """Within it a person is asked: a lost connection is recorded, and at the end the sender learns the result."""
        if not is_person(step.model):
            yield
            return
        key = f"speak:{step.side}" if isinstance(step, Speak) else step.key
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._watch, seat_of(key))
                yield
                tasks.cancel_scope.cancel()
        finally:
            if sent := self._sent.pop(request_id(key, step.turn or 0), None):
                sent[1].set()

    async def _watch(self, seat: str) -> None:
        """Record that the connection of a seat is lost.  Its return is recorded when its page is heard of."""

        def lost(debate: Debate) -> Sequence[Draft]:
            state = debate.seats[seat]
            is_lost = state.holder and not state.is_away and debate.status.state != "concluded"
            return [Draft(event=SeatConnectionLost(seat=seat))] if is_lost else []

        while True:
            await anyio.sleep(WATCH_S)
            state = self._writer.debate.seats.get(seat)
            if state is not None and state.holder and not state.is_away and self._people.is_away(self._id, seat):
                await self._writer.append(lost)

    def settle(self) -> None:
        """End the requests of seats whose resignation was recorded although its answer was lost."""
        for seat, state in self._writer.debate.seats.items():
            if state.resigned:
                self._people.resign(self._id, seat)

    def forget(self) -> None:
        """Drop the drafts of a debate that has ended."""
        self._people.forget(self._id)


def _bounded(text: str) -> str:
    """A text of at most ``MAX_TEXT`` characters.  Raises ``BadField``."""
    if len(text) > MAX_TEXT:
        raise BadField("text", f"a text has at most {MAX_TEXT:,} characters, this one has {len(text):,}")
    return text
