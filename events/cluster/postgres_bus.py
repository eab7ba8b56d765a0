"""The bus over PostgreSQL's notifications: messages of ``BATCH_S`` seconds are sent together, compressed.

A batch is MessagePack of (debate, message) pairs, compressed by zlib, in Base64, cut into pieces of fewer than 8,000
bytes, each with the head ``node batch index count``.  The pieces are sent in one transaction, so they arrive together
and in order.
"""

import asyncio
import binascii
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import msgspec

from events.cluster.bus import BusState, Receive, Subscribers
from events.errors import StoreUnavailable
from events.store.postgres.connection import Pool
from events.store.postgres.listener import ChannelHandler, look_up_nothing
from events.store.postgres.log import PostgresLog

CHANNEL: Final = "moot_bus"
BATCH_S: Final = 0.01
MAX_WAITING: Final = 1 << 20
"""Bytes of messages that wait to be sent; further messages are dropped."""
PIECE: Final = 7_800
LARGEST: Final = 64 << 20
_SEND: Final = "SELECT pg_notify('moot_bus', piece) FROM unnest(%s::text[]) AS piece"

Batch = list[tuple[str, bytes]]
_decoder: Final = msgspec.msgpack.Decoder(Batch)


class PostgresBus:
    """``Bus`` over the database of ``log``, with one more connection for sending."""

    def __init__(self, log: PostgresLog) -> None:
        self._node, self._listener = log.node, log.listener
        self._pool = Pool(log.address, size=1, patience_s=0)
        self._subscribers = Subscribers()
        self._batch: Batch = []
        self._size = self._dropped = self._number = 0
        self._sending: asyncio.Task[None] | None = None
        self._broken = self._closed = self._is_subscribed = False
        self._incomplete: dict[str, tuple[str, list[str]]] = {}

    @property
    def state(self) -> BusState:
        """See ``Bus``."""
        return BusState(
            up=not self._broken and (self._listener.is_live or not self._is_subscribed), dropped=self._dropped
        )

    def publish(self, debate: str, message: bytes) -> None:
        """See ``Bus``."""
        if self._closed or self._size + len(message) > MAX_WAITING:
            self._dropped += 1
            return
        self._batch.append((debate, message))
        self._size += len(message)
        if self._sending is None:
            self._sending = asyncio.get_running_loop().create_task(self._send(), name="moot-postgres-bus")

    @contextmanager
    def subscribe(self, debate: str, receive: Receive) -> Iterator[None]:
        """See ``Bus``."""
        if not self._is_subscribed:
            self._is_subscribed = True
            self._listener.listen(
                CHANNEL, ChannelHandler(receive=self._receive, look_up=look_up_nothing, lost=self._incomplete.clear)
            )
        with self._subscribers.subscribed(debate, receive, _nothing, _nothing):
            yield

    async def close(self) -> None:
        """See ``Bus``."""
        self._closed = True
        if self._sending is not None:
            await asyncio.shield(self._sending)
        await self._pool.close()

    async def _send(self) -> None:
        try:
            while self._batch:
                await asyncio.sleep(BATCH_S)
                batch, self._batch, self._size = self._batch, [], 0
                self._number += 1
                pieces = write_pieces(self._node, self._number, batch)
                try:
                    await self._pool.rows(_SEND, (pieces,))
                except StoreUnavailable:
                    self._broken = True
                    self._dropped += len(batch)
                else:
                    self._broken = False
        finally:
            self._sending = None

    def _receive(self, payload: str) -> bool:
        head, _, piece = payload.partition("|")
        node, number, index, count = (*head.split(" "), "", "", "")[:4]
        if node == self._node:
            return True
        _, pieces = half = self._incomplete.get(node, ("", []))
        if index == "0" or half[0] != number or str(len(pieces)) != index:
            pieces = []
        if str(len(pieces)) == index:
            pieces.append(piece)
            self._incomplete[node] = number, pieces
        if str(len(pieces)) == count:
            del self._incomplete[node]
            for debate, message in read_pieces(pieces):
                self._subscribers.deliver(debate, message)
        return True


def write_pieces(node: str, number: int, batch: Batch) -> list[str]:
    """The notifications that carry ``batch``, each of fewer than 8,000 bytes."""
    whole = b64encode(zlib.compress(msgspec.msgpack.encode(batch), 1)).decode()
    cuts = range(0, len(whole), PIECE)
    return [f"{node} {number} {index} {len(cuts)}|{whole[start : start + PIECE]}" for index, start in enumerate(cuts)]


def read_pieces(pieces: list[str]) -> Batch:
    """The batch in ``pieces``; empty if they hold none."""
    with suppress(binascii.Error, zlib.error, msgspec.DecodeError, ValueError):
        unpacking = zlib.decompressobj()
        return _decoder.decode(unpacking.decompress(b64decode("".join(pieces), validate=True), LARGEST))
    return []


def _nothing(_debate: str) -> None:
    """All debates share one channel."""
