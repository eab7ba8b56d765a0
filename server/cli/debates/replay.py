"""``moot replay``: play a debate again from its log."""

from collections.abc import AsyncIterator
from datetime import datetime

import anyio
import click

from events.record import Recorded
from events.store.log import read_all
from events.types import TurnSpoken
from events.view import view as views
from server.cli.debates.transcript import DebatePrinter
from server.cli.options import find_debate, open_store, with_json, with_settings
from server.cli.output import run_async
from server.feed import frames
from server.settings import Settings

LONGEST_GAP_S = 5.0
"""The longest wait of a replay: a debate may have been paused for a night."""
READING_RATE = 22
"""Characters a second that most people read."""


@click.command()
@click.argument("debate", metavar="ID")
@click.option(
    "--speed",
    type=click.FloatRange(0, 1000),
    default=1.0,
    show_default=True,
    help="Times the recorded pace; 0 does not wait.",
)
@with_settings
@with_json
def replay(settings: Settings, debate: str, speed: float, *, as_json: bool) -> None:
    """Play a debate again from its log, at its own pace.  No model is called."""
    run_async(lambda: _replay(settings, debate, speed, as_json=as_json))


async def _replay(settings: Settings, prefix: str, speed: float, *, as_json: bool) -> None:
    transcriber = DebatePrinter(as_json=as_json)
    async with open_store(settings) as log:
        async for message in _paced(read_all(log, await find_debate(log, prefix)), speed):
            transcriber.take(message)
    transcriber.finish()


async def _paced(records: AsyncIterator[Recorded], speed: float) -> AsyncIterator[str]:
    """Frames at the recorded pace, times ``speed``; a turn that came in one piece stays as long as it takes to read."""
    fold, before, reading_s = views.INITIAL, None, 0.0
    async for record in records:
        at = datetime.fromisoformat(record.at)
        if before is not None and speed:
            gap_s = min(max((at - before).total_seconds(), 0), LONGEST_GAP_S)
            await anyio.sleep(max(gap_s, reading_s) / speed)
        before, event = at, record.event
        reading_s = 0.0
        if isinstance(event, TurnSpoken) and event.by in {"transcript", "person"}:
            reading_s = len(event.text) / READING_RATE
        fold, frame = frames.step(fold, record, revealed=True)
        yield frame
