"""The time that the moderator adds to a turn, compared with the same calls made directly."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from events.store.log import read_all
from events.types import ModelAnswered
from judge.live.scoring import score_type
from judge.rubrics.rubric import rubric_v1
from providers.base import Request, Segment
from server.bench.figure import BenchFigure, figure, interleaved
from server.bench.material import script
from server.debate.formats.exchange.steps import side_of
from server.debate.setup.opening import build_opening
from server.debate.setup.request import as_request
from server.feed.reader import Reader
from server.service import Service, running
from server.settings import Settings


async def overhead(*, quick: bool) -> BenchFigure:
    """Milliseconds per turn beyond the model's own time: prompts, appends, rules, frames to one spectator."""
    turns, repetitions = (12, 2) if quick else (40, 5)
    with TemporaryDirectory(prefix="moot-bench-") as folder:
        file = Path(folder) / "script.json"
        file.write_bytes(msgspec.json.encode(script(turns)))
        settings = Settings(store=f"sqlite:{Path(folder) / 'moot.db'}", log_level="error")
        async with running(settings) as service:
            model = f"scripted:{file}"
            debate, _ = await _run_debate(service, model, turns)
            calls = [call async for call in _calls(service, debate)]

            async def ours() -> float:
                _, took = await _run_debate(service, model, turns)
                return took * 1000 / turns

            async def limit() -> float:
                return await _call_directly(service, model, calls) * 1000 / turns

            whole, models = await interleaved(ours, limit, repetitions)
    return figure(
        "moderator overhead",
        whole - models,
        models,
        aim=5,
        aim_of="value",
        better="less",
        unit="ms a turn",
        against="the model's own time, called directly",
    )


async def _run_debate(service: Service, model: str, turns: int) -> tuple[str, float]:
    """Run a debate to its conclusion with one spectator; its id, and the seconds that it took."""
    seats = {role: {"model": model} for role in ("pro", "con", "judge")}
    request = as_request({"motion": "Cities should ban private cars from their centres", "turns": turns, **seats})
    opening = await build_opening(request, service.registry, service.settings)
    began = time.perf_counter()
    debate = await service.moderators.open(opening)
    channel = await service.hub.channel(debate)
    async with Reader(service.hub, channel, 0, every_frame=True) as reader:
        async for _ in reader.messages():
            if channel.fold.view.state != "open":
                break
    took = time.perf_counter() - began
    assert channel.fold.view.state == "concluded", channel.fold.view.reason
    return debate, took


async def _calls(service: Service, debate: str) -> AsyncIterator[tuple[str, Request]]:
    """Every call of a debate, with the prompt that it had."""
    segments: dict[str, str] = {}
    async for record in read_all(service.log, debate):
        event = record.event
        if not isinstance(event, ModelAnswered):
            continue
        segments |= event.segments
        turn = event.turn or 0
        key = f"speak:{side_of(turn)}" if event.purpose == "speak" else f"score:{turn}"
        prompt = tuple(Segment(role, segments[digest]) for role, digest in event.prompt)  # type: ignore[arg-type]  # a role as recorded
        yield event.purpose, Request(key=key, turn=turn, attempt=1, prompt=prompt, max_tokens=1600, temperature=0.8)


async def _call_directly(service: Service, model: str, calls: list[tuple[str, Request]]) -> float:
    began = time.perf_counter()
    for purpose, request in calls:
        provider, name = service.registry.resolve(model)
        if purpose == "speak":
            async with provider.stream(name, request) as stream:
                async for _ in stream:
                    pass
        else:
            await provider.answer(name, request, score_type(rubric_v1(), request.turn))
    return time.perf_counter() - began
