"""A thousand debates at once in one process: do all end, do they progress evenly, what do a turn and a debate cost?

``python -m tests.measuring.many_debates --debates 1000 --turns 10`` takes minutes.  The models are scripted and take a
fixed time.  The rest of a turn's time is the moderator's; both are computed from the log.
"""

import gc
import sys
import time
from collections import deque
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

import anyio
import click
import msgspec
from msgspec import Struct

from events.errors import UnknownDebate
from events.store.log import EventLog, read_all
from events.types import ModelAnswered, ScorecardVerdictReached, TurnStarted
from server.bench.material import script
from server.cli.output import run_async
from server.debate.setup.opening import build_opening
from server.debate.setup.request import as_request
from server.process import observe
from server.service import Service, running
from server.settings import Settings
from tests.measuring.spectators import resident_kb

CHUNKS: Final = 8
"""Pieces in which a turn is spoken."""
SPEAK_MS: Final = 20_000
ANSWER_MS: Final = 5_000
"""Somewhat faster than a real model with a turn of 180 words and a judge that gives reasons."""
LOOK_S: Final = 0.25
SAMPLES: Final = 50
"""Debates whose log gives the time of their turns, and whose view is read again at the end."""


class ManyDebatesReport(Struct, frozen=True, kw_only=True):
    """The result.  Times are wall clock except ``cpu_ms_a_turn``; kilobytes are resident memory."""

    debates: int
    turns: int
    concluded: int
    seconds: float
    models_ms_a_turn: float
    """Time of the models for a turn: the speech, then the slowest answer of the judge."""
    overhead_p50_ms: float
    overhead_p95_ms: float
    """Time of a turn beyond its models."""
    cpu_ms_a_turn: float
    spread_turns: int
    """The most turns by which one debate was ahead of another while all ran."""
    running_kb: float
    """Memory for each debate, at most, while all run."""
    kept_kb: float
    """Memory for each debate after all have ended, with what the allocator keeps."""
    kept_blocks: float
    """Python objects for each debate after all have ended."""
    kept_moderators: int
    read_again_ms: float
    """Median time to read the view of an ended debate."""

    @property
    def ok(self) -> bool:
        """Whether all debates ended and no moderator is kept."""
        return self.concluded == self.debates and not self.kept_moderators


class Sampler:
    """Samples memory and turns while the debates run."""

    def __init__(self, service: Service, debates: int) -> None:
        self._service, self._debates = service, debates
        self.most_kb = 0.0
        self.spread = 0

    async def run(self) -> None:
        """Sample until cancelled."""
        while True:
            self.most_kb = max(self.most_kb, resident_kb())
            turns = [len(each.transcript.turns) for each in self._service.moderators.known]
            if len(turns) == self._debates:
                self.spread = max(self.spread, max(turns) - min(turns))
            await anyio.sleep(LOOK_S)


async def hold_debates(debates: int, turns: int, speak_ms: int, answer_ms: int) -> ManyDebatesReport:
    """Open the debates, wait until all have ended, and measure what is kept."""
    with TemporaryDirectory(prefix="moot-bench-") as folder:
        settings = Settings(store=f"sqlite:{Path(folder) / 'moot.db'}", log_level="error", max_running=debates)
        async with running(settings) as service:
            one = await _model(Path(folder), turns, 0, 0)
            await _open(service, one, turns)  # so that imports and caches are not measured
            await _end(service)
            model = await _model(Path(folder), turns, speak_ms // CHUNKS, answer_ms)
            gc.collect()
            blocks, before, sampler = sys.getallocatedblocks(), resident_kb(), Sampler(service, debates)
            began, cpu = time.perf_counter(), time.process_time()
            ids: deque[str] = deque()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(sampler.run)
                async with anyio.create_task_group() as opening:
                    for number in range(debates):  # opened over the time of a turn, so that their calls are spread
                        after_s = (speak_ms + answer_ms) / 1000 * number / debates
                        opening.start_soon(_open_into, ids, service, model, turns, after_s)
                await _end(service)
                seconds, cpu_s = time.perf_counter() - began, time.process_time() - cpu
                tasks.cancel_scope.cancel()
            gc.collect()
            kept, blocks = resident_kb(), sys.getallocatedblocks() - blocks
            return await _report(
                service,
                list(ids),
                turns,
                seconds=seconds,
                cpu_s=cpu_s,
                running_kb=round((sampler.most_kb - before) / debates, 1),
                spread_turns=sampler.spread,
                kept_kb=round((kept - before) / debates, 1),
                kept_blocks=round(blocks / debates, 1),
            )


async def _model(folder: Path, turns: int, chunk_ms: int, answer_ms: int) -> str:
    content = script(turns)
    longest = max(len(text) for texts in content["says"].values() for text in texts)
    content["pace"] = {"chunk_ms": chunk_ms, "chunk_chars": -(-longest // CHUNKS), "answer_ms": answer_ms}
    file = folder / f"script-{chunk_ms}-{answer_ms}.json"
    await anyio.Path(file).write_bytes(msgspec.json.encode(content))
    return f"scripted:{file}"


async def _open(service: Service, model: str, turns: int) -> str:
    seats = {role: {"model": model} for role in ("pro", "con", "judge")}
    wish = as_request({"motion": "Cities should ban private cars from their centres", "turns": turns, **seats})
    return await service.moderators.open(await build_opening(wish, service.registry, service.settings))


async def _open_into(ids: deque[str], service: Service, model: str, turns: int, after_s: float) -> None:
    await anyio.sleep(after_s)
    ids.append(await _open(service, model, turns))


async def _end(service: Service) -> None:
    """Wait until no debate runs."""
    while service.moderators.running:  # noqa: ASYNC110 - there is no event to wait for
        await anyio.sleep(LOOK_S / 5)


async def _report(
    service: Service, ids: list[str], turns: int, *, seconds: float, cpu_s: float, **seen: Any
) -> ManyDebatesReport:
    unfinished = set(await service.log.unfinished())
    some = ids[:: max(len(ids) // SAMPLES, 1)]
    models: list[float] = []
    beyond: list[float] = []
    for debate in some:
        for took, of_models in await _turns(service.log, debate):
            models.append(of_models)
            beyond.append(took - of_models)
    again = []
    for debate in some:
        began = time.perf_counter()
        view = await service.hub.view(debate)
        again.append((time.perf_counter() - began) * 1000)
        if view.state != "concluded":
            raise UnknownDebate(debate)
    beyond.sort()
    return ManyDebatesReport(
        debates=len(ids),
        turns=turns,
        concluded=len(ids) - len(unfinished.intersection(ids)),
        seconds=round(seconds, 1),
        cpu_ms_a_turn=round(cpu_s * 1000 / len(ids) / turns, 2),
        models_ms_a_turn=round(median(models), 1),
        overhead_p50_ms=round(median(beyond), 1),
        overhead_p95_ms=round(beyond[int(len(beyond) * 0.95)], 1),
        kept_moderators=len(service.moderators.known),
        read_again_ms=round(median(again), 1),
        **seen,
    )


async def _turns(log: EventLog, debate: str) -> list[tuple[float, float]]:
    """For each turn: milliseconds until the next turn starts, and those of its models."""
    begins: list[float] = []
    speaking: dict[int, int] = {}
    judging: dict[int, int] = {}
    async for record in read_all(log, debate):
        match record.event:
            case TurnStarted() | ScorecardVerdictReached():
                begins.append(datetime.fromisoformat(record.at).timestamp() * 1000)
            case ModelAnswered(purpose="speak", turn=int(turn), latency_ms=took):
                speaking[turn] = took
            case ModelAnswered(turn=int(turn), latency_ms=took):
                judging[turn] = max(judging.get(turn, 0), took)
            case _:
                pass
    return [
        (ends - starts, speaking[turn] + judging.get(turn, 0))
        for turn, (starts, ends) in enumerate(pairwise(begins), 1)
    ]


def in_words(seen: ManyDebatesReport) -> str:
    """The result as three sentences."""
    return (
        f"{seen.concluded} of {seen.debates} debates of {seen.turns} turns concluded in {seen.seconds:.0f} s;"
        f" while all ran, one was at most {seen.spread_turns} turns ahead of another\n"
        f"a turn: {seen.models_ms_a_turn:.0f} ms of its models, beyond that p50 {seen.overhead_p50_ms:.0f} ms and"
        f" p95 {seen.overhead_p95_ms:.0f} ms; {seen.cpu_ms_a_turn:.2f} ms of this process's CPU\n"
        f"a debate: {seen.running_kb:.0f} KB at most while all ran, {seen.kept_kb:.0f} KB afterwards,"
        f" of which {seen.kept_blocks:.0f} objects are in use;"
        f" {seen.kept_moderators} moderators kept; read again in {seen.read_again_ms:.0f} ms"
    )


@click.command()
@click.option("--debates", type=click.IntRange(2), default=1000, show_default=True)
@click.option("--turns", type=click.IntRange(1, 200), default=10, show_default=True)
@click.option("--speak-ms", type=click.IntRange(0), default=SPEAK_MS, show_default=True, help="Time to speak a turn.")
@click.option(
    "--answer-ms", type=click.IntRange(0), default=ANSWER_MS, show_default=True, help="Time of an answer of the judge."
)
def main(debates: int, turns: int, speak_ms: int, answer_ms: int) -> None:
    """Run that many debates at once; exit with 1 if one does not conclude or is kept in memory."""
    observe.configure_logging("error")
    seen: ManyDebatesReport = run_async(lambda: hold_debates(debates, turns, speak_ms, answer_ms), uvloop=True)
    click.echo(in_words(seen))
    if not seen.ok:
        raise click.exceptions.Exit(1)


if __name__ == "__main__":
    main()
