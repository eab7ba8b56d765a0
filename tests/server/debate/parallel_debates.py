"""Five debates at the same time over four vendors, one of them down for a while: recorded tokens beside billed ones.

``python -m tests.server.debate.parallel_debates --turns 12 --down-s 60`` starts cold: the debates import the SDKs.
"""

import argparse
import asyncio
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import anyio
import msgspec
import pytest

from events.store.log import follow
from events.types import DebateConcluded, ModelAnswered, ModelFailed
from server.settings import Settings
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.running import Vendors, running_vendors
from tests.server.harness import Harness, harness, is_end, shipped_registry

SEATS = (
    ("openai:gpt-5-mini", "anthropic:claude-sonnet-5-5", "gemini:gemini-3.8-flash"),
    ("anthropic:claude-sonnet-5-5", "gemini:gemini-3.8-flash", "openai:gpt-5-mini"),
    ("gemini:gemini-2.5-flash", "ollama:qwen3", "anthropic:claude-haiku-4-5"),
    ("ollama:qwen3", "openai:gpt-4.1", "gemini:gemini-3.8-flash"),
    ("openai:gpt-5.6-sol", "anthropic:claude-opus-5-5", "ollama:gpt-oss:20b"),
)
"""Pro, con and judge of each debate."""
FIGURES = ("input_tokens", "output_tokens", "cached_tokens", "written_tokens")
SECOND = 2
FOREVER = 10**6


@dataclass
class Report:
    """The results of the debates."""

    ends: list[str] = field(default_factory=list)
    booked: Mapping[str, Counter[str]] = field(default_factory=dict)
    billed: Mapping[str, Counter[str]] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    seconds: float = 0.0


async def run_parallel_debates(
    vendors: Vendors, *, turns: int, down: str = "", down_s: float = 0.0, retry_ms: int = 500
) -> Report:
    """Hold the debates.  ``down``: a vendor that answers 503 for ``down_s`` seconds, from turn 2 of a debate on."""
    report, began = Report(), time.monotonic()
    settings = Settings(store="memory:", tick_ms=100, idle_timeout_s=60, retry_ms=retry_ms)
    async with harness(settings=settings, registry=shipped_registry()) as at, anyio.create_task_group() as tasks:
        debates: list[str] = []
        opened = anyio.Event()

        async def hold(seats: Sequence[str]) -> None:
            pro, con, judge = seats
            debate = await at.open(pro, turns=turns, con={"model": con}, judge=judge)
            debates.append(debate)
            opened.set()
            report.ends.append(await _end(at, debate))

        async def fail() -> None:
            await opened.wait()
            await at.until(debates[0], lambda record: getattr(record.event, "turn", None) == SECOND)
            fault = Fault("503", times=FOREVER)
            vendors[down].faults.append(fault)
            await anyio.sleep(down_s)
            vendors[down].faults.remove(fault)

        async with anyio.create_task_group() as holding:
            for seats in SEATS:
                holding.start_soon(hold, seats)
            if down:
                tasks.start_soon(fail)
        await _book(at, debates, report)
    report.billed = {name: _billed(vendors, name) for name in vendors}
    report.seconds = time.monotonic() - began
    return report


async def _end(at: Harness, debate: str) -> str:
    """The end of a debate in words."""
    async for record in follow(at.log, debate, 0):
        if is_end(record):
            event = record.event
            return "concluded" if isinstance(event, DebateConcluded) else getattr(event, "reason", str(event))
    raise AssertionError


async def _book(at: Harness, debates: Sequence[str], report: Report) -> None:
    booked: dict[str, Counter[str]] = {}
    for debate in debates:
        for event in await at.events(debate):
            if not isinstance(event, ModelAnswered | ModelFailed):
                continue
            report.calls += 1
            name = _vendor(event.model)
            counted = booked.setdefault(name, Counter())
            for figure in FIGURES:
                told = getattr(event.usage, figure)
                counted[figure] += 0 if told is msgspec.UNSET else told
            if isinstance(event, ModelFailed):
                report.failures[f"{name}: {event.kind}"] += 1
    report.booked = booked


def _vendor(model: str) -> str:
    """The vendor of a model: failures hold the whole name, answers the vendor's own name."""
    name = model.partition(":")[2] if model.partition(":")[0] in {"openai", "anthropic", "gemini", "ollama"} else model
    if name.startswith(("qwen", "gpt-oss")):
        return "ollama"
    return {"gpt": "openai", "cla": "anthropic", "gem": "gemini"}[name[:3]]


def _billed(vendors: Vendors, name: str) -> Counter[str]:
    counted: Counter[str] = Counter()
    for bill in vendors[name].bills:
        if bill.is_usage_sent:
            counted.update({figure: getattr(bill, figure.removesuffix("_tokens")) for figure in FIGURES})
    return counted


def in_words(report: Report) -> str:
    """The report as text."""
    lines = [f"{len(report.ends)} debates in {report.seconds:.0f} s, {report.calls} calls: {Counter(report.ends)}"]
    for name, billed in sorted(report.billed.items()):
        booked = report.booked.get(name, Counter())
        same = "equal" if +booked == +billed else "NOT EQUAL"
        lines.append(f"{name}: booked {dict(booked)}, billed {dict(billed)}: {same}")
    return "\n".join([*lines, f"failures: {dict(report.failures)}"])


async def main(turns: int, down: str, down_s: float) -> int:
    """Run the debates and print the report; 1 if a debate did not conclude or the tokens differ."""
    with pytest.MonkeyPatch.context() as patch:
        async with running_vendors(patch) as vendors:
            report = await run_parallel_debates(vendors, turns=turns, down=down, down_s=down_s)
    sys.stdout.write(in_words(report) + "\n")
    differs = any(+report.booked.get(name, Counter()) != +billed for name, billed in report.billed.items())
    return int(differs or set(report.ends) != {"concluded"})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--down", default="anthropic")
    parser.add_argument("--down-s", type=float, default=60.0)
    asked = parser.parse_args()
    sys.exit(asyncio.run(main(asked.turns, asked.down, asked.down_s)))
