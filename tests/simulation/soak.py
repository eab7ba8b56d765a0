"""Plays many schedules, one for each seed, on all cores, and names the seeds of those that break a promise.

``python -m tests.simulation.soak --schedules N`` runs it.  ``--seed N`` plays one schedule and prints its trace.

Modules of the simulation: ``loop`` virtual time · ``clock`` its wall clock and randomness · ``plan`` sizes and rates ·
``shared_log`` the log · ``transport`` the connections · ``web_server`` the part of uvicorn · ``node`` one node ·
``format`` a debate without a judge · ``writer`` a debate without a moderator · ``client`` checks every message ·
``random_client`` connects and leaves · ``world`` the state of a schedule · ``schedule`` plays one.
"""

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from hashlib import blake2b
from multiprocessing import get_context
from typing import Final

import click
from msgspec import Struct

from server.process import observe
from tests.simulation.schedule import Report, play

STRETCH: Final = 250
"""Seeds that a process gets at once."""
MAX_FAULTS: Final = 5
"""Broken schedules after which the soak stops."""


class Tally(Struct, kw_only=True):
    """The results of many schedules.  ``faults``: seed and broken promise, ordered by seed."""

    schedules: int = 0
    events: int = 0
    messages: int = 0
    resumes: int = 0
    takeovers: int = 0
    fenced: int = 0
    slow: int = 0
    virtual_s: float = 0.0
    seconds: float = 0.0
    processes: int = 1
    faults: list[tuple[int, str]] = []
    digest: str = ""
    """The digest of all traces; only if one process played them in order."""

    @property
    def ok(self) -> bool:
        """Whether every promise was kept."""
        return not self.faults

    @property
    def per_second(self) -> float:
        """Schedules a second, all processes together."""
        return self.schedules / self.seconds if self.seconds else 0.0

    def add(self, other: "Tally | Report") -> None:
        """Add the result of one schedule or of several."""
        if isinstance(other, Report):
            self.schedules += 1
            self.takeovers += other.epochs - 1
            if other.fault:
                self.faults.append((other.seed, other.fault))
        else:
            self.schedules += other.schedules
            self.takeovers += other.takeovers
            self.faults = sorted([*self.faults, *other.faults])
        self.events += other.events
        self.messages += other.messages
        self.resumes += other.resumes
        self.fenced += other.fenced
        self.slow += other.slow
        self.virtual_s += other.virtual_s


def stretch(first: int, count: int) -> Tally:
    """Play ``count`` schedules in this process, from seed ``first`` on."""
    tally, began, digest = Tally(), time.monotonic(), blake2b(digest_size=8)
    for seed in range(first, first + count):
        report = play(seed)
        tally.add(report)
        digest.update(report.digest.encode())
        if len(tally.faults) >= MAX_FAULTS:
            break
    tally.digest, tally.seconds = digest.hexdigest(), time.monotonic() - began
    return tally


def soak(
    count: int, *, first: int = 0, processes: int | None = None, progress: Callable[[Tally], None] = lambda _: None
) -> Tally:
    """Play ``count`` schedules in one process for each core.  ``progress`` gets the tally so far."""
    processes = processes or os.cpu_count() or 1
    tally, began = Tally(processes=processes), time.monotonic()
    parts = _parts(first, count)
    context = get_context("spawn")  # a fork would copy the threads' locks
    with ProcessPoolExecutor(processes, context, observe.configure_logging, ("error",)) as pool:
        running: set[Future[Tally]] = set()
        while True:
            while len(running) < 2 * processes and len(tally.faults) < MAX_FAULTS and (part := next(parts, None)):
                running.add(pool.submit(stretch, *part))
            if not running:
                break
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for each in done:
                tally.add(each.result())
                tally.seconds = time.monotonic() - began
                progress(tally)
    return tally


def _parts(first: int, count: int) -> Iterator[tuple[int, int]]:
    for start in range(first, first + count, STRETCH):
        yield start, min(STRETCH, first + count - start)


def tally_in_words(tally: Tally) -> str:
    """The results, each fault, and how to see the first one again."""
    lines = [
        (
            f"{tally.schedules:,} schedules, {tally.per_second:,.0f} a second over {tally.processes} processes,"
            f" {tally.virtual_s / 3600:,.0f} virtual hours: {tally.events:,} events, {tally.messages:,} messages,"
            f" {tally.resumes:,} resumed, {tally.takeovers:,} taken over, {tally.fenced:,} appends fenced,"
            f" {tally.slow:,} too slow; {len(tally.faults)} broke a promise"
        )
    ]
    lines += [f"seed {seed}: {fault}" for seed, fault in tally.faults]
    if tally.faults:
        lines.append(f"see it again: python -m tests.simulation.soak --seed {tally.faults[0][0]}")
    return "\n".join(lines)


def report_in_words(report: Report) -> str:
    """The trace of one schedule, and its result."""
    end = report.fault or "every promise was kept"
    return "\n".join([*report.trace, f"seed {report.seed}, trace {report.digest}: {end}"])


def simulate(count: int) -> bool:
    """Play schedules from seed 0 on and print the results.  True: every promise was kept."""
    tally = soak(
        count,
        progress=lambda so_far: click.echo(
            f"\r{so_far.schedules:,} of {count:,} schedules, {so_far.per_second:,.0f} a second", err=True, nl=False
        ),
    )
    click.echo("", err=True)
    click.echo(tally_in_words(tally))
    return tally.ok


def show(seed: int) -> bool:
    """Play the schedule of one seed and print its trace.  True: every promise was kept."""
    report = play(seed, keep=True)
    click.echo(report_in_words(report))
    return not report.fault


@click.command()
@click.option("--schedules", type=click.IntRange(1), default=1_000_000, show_default=True)
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Play only this schedule, and print its trace.")
def main(schedules: int, seed: int | None) -> None:
    """Play schedules; exit with 1 if one breaks a promise."""
    observe.configure_logging("error")
    if not (simulate(schedules) if seed is None else show(seed)):
        raise click.exceptions.Exit(1)


if __name__ == "__main__":
    main()
