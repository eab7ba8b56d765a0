"""Plays one debate of format ``exchange`` and prints which modules of Moot that imported, with their lines.

``python -m tests.measuring.core``: the request becomes an opening, the moderator runs the debate over a log in memory
with the provider ``scripted``, and the feed makes frames and the page's view of it.  The longest module is first.
"""

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import anyio

PACKAGES = frozenset({"events", "providers", "judge", "personalities", "server", "web"})
SCRIPT = "homework"
MOTION = "Primary schools should set no homework"
TURNS = 4


def imported() -> dict[str, int]:
    """The lines of each module of ours that this process has imported."""
    files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
    return {
        name: len(Path(file).read_text("utf-8").splitlines())
        for name, file in files.items()
        if file and name.partition(".")[0] in PACKAGES
    }


async def play() -> str:
    """Play the debate to its end; its state then, as the page reads it."""
    # What is imported is what is measured, so nothing of Moot is imported before.
    from events.store.log import follow  # noqa: PLC0415
    from events.store.memory import MemoryLog  # noqa: PLC0415
    from providers.registry import Registry  # noqa: PLC0415
    from server.debate.moderators import Moderators  # noqa: PLC0415
    from server.debate.setup.opening import build_opening  # noqa: PLC0415
    from server.debate.setup.request import as_request  # noqa: PLC0415
    from server.feed.hub import Hub  # noqa: PLC0415
    from server.settings import Settings  # noqa: PLC0415

    settings = Settings()
    registry = Registry([EntryPoint("scripted", "providers.scripted.provider:UnpacedProvider", "moot.providers")])
    async with MemoryLog() as log, anyio.create_task_group() as tasks:
        hub = Hub(log, tick_ms=settings.tick_ms)
        moderators = Moderators(log, registry, hub)
        await tasks.start(hub.run)
        await tasks.start(moderators.run)
        seat = {"model": f"scripted:{SCRIPT}"}
        request = as_request({"motion": MOTION, "turns": TURNS, "pro": seat, "con": seat, "judge": seat})
        debate = await moderators.open(await build_opening(request, registry, settings))
        async for record in follow(log, debate):
            if type(record.event).__name__ in {"DebateConcluded", "DebateHalted"}:
                break
        await hub.frames_page(debate, 0, 5000)
        view = await hub.view(debate)
        tasks.cancel_scope.cancel()
    await registry.close()
    return str(view.state)


if __name__ == "__main__":
    ended = anyio.run(play)
    lines = imported()
    for name, count in sorted(lines.items(), key=lambda each: -each[1]):
        print(f"{count:6}  {name}")
    print(f"{sum(lines.values()):6}  in {len(lines)} modules; the debate is {ended}")
