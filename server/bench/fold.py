"""Folding the longest debates into the view, against decoding the same payloads and doing nothing with them."""

import time
from typing import Final

import msgspec

from events.codec import decode
from events.projections import view as views
from events.record import Recorded
from events.types import Event
from server.bench.figure import Figure, figure, interleaved
from server.bench.material import debate

EVENTS: Final = 10_000
LONGEST: Final = 1_000
"""Events of a debate of 200 turns, the longest that may be opened: the log holds ten of them."""


async def fold(*, quick: bool) -> Figure:
    """From payloads to the view: what rebuilding a debate costs."""
    records = debate(LONGEST)
    debates = EVENTS // LONGEST
    decoder = msgspec.json.Decoder(Event)

    async def ours() -> float:
        began = time.perf_counter()
        for _ in range(debates):
            folded = views.INITIAL
            for record in records:
                folded = views.apply(folded, _reread(record))
        took = time.perf_counter() - began
        assert folded.view.position == LONGEST
        return EVENTS / took

    async def limit() -> float:
        began = time.perf_counter()
        for _ in range(debates):
            for record in records:
                decoder.decode(record.payload)
        return EVENTS / (time.perf_counter() - began)

    reached, decoded = await interleaved(ours, limit, 3 if quick else 7)
    return figure(
        "fold", reached, decoded, aim=0.5, unit="events/s", against=f"msgspec decoding of the same {EVENTS} payloads"
    )


def _reread(record: Recorded) -> Recorded:
    """The record as a log gives it: its event read from the payload."""
    return Recorded(
        debate=record.debate, position=record.position, id=record.id, at=record.at, cause=record.cause,
        schema=record.schema, salt=record.salt, payload=record.payload, digest=record.digest,
        event=decode(record.payload, record.schema),
    )
