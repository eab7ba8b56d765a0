"""One debate with readers that read and readers that do not: latency, gaps and memory.

``python -m tests.measuring.stalled_readers --reading 4000 --stalled 400``
"""

from statistics import median

import anyio
import click

from tests.measuring.clients import affordable_sockets, readers
from tests.measuring.served import QUIET_S, moot
from tests.measuring.spectators import KB, latency_ms, resident_kb, stalled_readers


async def measure(reading: int, stalled: int, events: int = 40, joined: int = 10) -> str:
    """Append ``events`` events one by one, then as often ``joined`` at once; the figures as a sentence."""
    async with moot() as server:
        await anyio.sleep(QUIET_S)
        empty_kb = resident_kb()
        async with stalled_readers(server, stalled):
            before_kb = resident_kb()
            async with readers(server.port, reading, server.path, look_us=0) as clients:
                await anyio.sleep(QUIET_S)
                after_kb = resident_kb()
                latencies = [await latency_ms(server, clients) for _ in range(events)]
                for _ in range(events):
                    await clients.expect(joined)
                    await server.append(joined)
                    received = await clients.received()
                most = max(spectator.waiting for spectator in server.connections.spectators()) / KB
    per_reading, per_stalled = (after_kb - before_kb) / reading, (before_kb - empty_kb) / max(stalled, 1)
    return (
        f"{reading:,} read and {stalled:,} do not: 99 % have an event {median(latencies):.0f} ms after its commit "
        f"(median of {events} events, worst {max(latencies):.0f} ms); {received.gaps} gaps; {per_reading:.1f} KB for "
        f"each that reads, {per_stalled:.1f} KB for each that does not, at most {most:.0f} KB waiting for one"
    )


@click.command
@click.option("--reading", default=4000, show_default=True)
@click.option("--stalled", default=400, show_default=True)
def main(reading: int, stalled: int) -> None:
    """Measure what stalled readers cost the others."""
    click.echo(anyio.run(measure, affordable_sockets(reading), stalled, backend_options={"use_uvloop": True}))


if __name__ == "__main__":
    main()
