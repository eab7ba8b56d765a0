"""Every fault of a model at a random point of a debate: it concludes or halts with a reason, and leaves nothing behind.

``MOOT_FAULTS=N`` holds N debates more.
"""

import asyncio
import itertools
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
import pytest

from events.types import (
    AttemptAbandoned,
    DebateConcluded,
    DebateHalted,
    ModelFailed,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
)
from providers import imports
from providers.limits import breaker
from server.debate.commands import Resume
from server.settings import Settings
from tests.providers.vendors import faults
from tests.providers.vendors.faults import Fault
from tests.providers.vendors.running import running_vendors
from tests.server.conftest import CON, PRO
from tests.server.debate.test_moderator import FAULTS
from tests.server.harness import Harness, check_sound, fault, harness, shipped_registry

pytestmark = pytest.mark.anyio

WIRE_FAULTS = (
    *faults.STATUSES,
    "429 with retry-after",
    "context overflow",
    "wrong content type",
    "hang up",
    "refused",
    "refusal",
    "length stop",
    "empty",
    "truncated JSON",
    "broken JSON",
    "prose around JSON",
    "extra field",
    "reset",
    "silence",
    "slow drip",
    "endless",
    "cut in mid-character",
    "garbage",
    "quits early",
)
MODELS = {
    "anthropic": "claude-haiku-4-5",
    "gemini": "gemini-2.5-flash",
    "ollama": "qwen3:latest",
    "openai": "gpt-4.1",
}
"""The model of each vendor whose behaviour the models of the debates copy."""

SEED = 5
DEBATES = 40 + int(os.environ.get("MOOT_FAULTS", "0"))
AT_ONCE = 20
CALLS = 5
"""A debate makes a few calls more than this for each turn."""
TIMES = (1, 1, 2, 5)
PATIENT = Settings(store="memory:", retry_ms=5, tick_ms=0, idle_timeout_s=0.4, turn_timeout_s=1.5, judge_timeout_s=1.5)
LATE_S = 60
RESUMES = 30


def left_over() -> tuple[set[str], int, int]:
    """The names of the running tasks, and the numbers of children and of open sockets."""
    tasks = {task.get_name() for task in asyncio.all_tasks()}
    children = sum(len(each.read_text().split()) for each in Path("/proc/self/task").glob("*/children"))
    sockets = 0
    for each in Path("/proc/self/fd").iterdir():
        try:
            sockets += "socket:" in str(each.readlink())
        except OSError:
            continue
    return tasks, children, sockets


def scripted(script: Any, chance: random.Random, number: int, turns: int) -> str:
    """A script in which one of the calls fails once or more often."""
    kind, times = FAULTS[number % len(FAULTS)], chance.choice(TIMES)
    says: dict[str, list[Any]] = {"pro": [PRO] * 3, "con": [CON] * 3}
    answers: dict[str, Any] = {}
    turn = chance.randint(1, turns)
    failing = fault(kind, times=times)
    match chance.choice(("speak", "score", "compare", "claims", "gaps", "premises", "narrative")):
        case "speak":
            text = PRO if turn % 2 else CON
            given = {"text": text, "fault": failing, "then": text}
            says["pro" if turn % 2 else "con"][(turn - 1) // 2] = given
        case "compare":
            answers[f"compare:{max(turn, 2) - 1}-{max(turn, 2)}"] = {"fault": failing}
        case "narrative":
            answers["narrative"] = {"fault": failing}
        case purpose:
            answers[f"{purpose}:{turn}"] = {"fault": failing}
    return str(script(f"chaos-{number}", says=says, answers=answers))


async def check_whole(h: Harness, debate: str) -> Counter[str]:
    """Check that there is no half turn, besides the checks for every log."""
    records = await check_sound(h.log, debate)
    begun, ended = [], []
    for record in records:
        match record.event:
            case TurnStarted(turn=turn, attempt=attempt):
                begun.append((turn, attempt))
            case TurnSpoken(turn=turn, attempt=attempt) | TurnFailed(turn=turn, attempt=attempt):
                ended.append((turn, attempt))
            case AttemptAbandoned(turn=turn, attempt=attempt):
                ended.append((turn, attempt))
    assert begun == ended
    return Counter(type(record.event).__name__ for record in records)


async def to_the_end(h: Harness, debate: str) -> int:
    """Wait for the end.  A halt must say what to do, and is followed by a resume.  Returns the number of halts."""
    position = halts = 0
    with anyio.fail_after(LATE_S):
        while True:
            end = await h.until(
                debate, lambda record: isinstance(record.event, DebateConcluded | DebateHalted), position
            )
            await check_whole(h, debate)
            if isinstance(end.event, DebateConcluded):
                return halts
            assert isinstance(end.event, DebateHalted)
            assert "turn " in end.event.reason
            assert "Mend the cause and resume." in end.event.reason
            halts += 1
            assert halts <= RESUMES
            await anyio.sleep(0.06)  # a provider that was left alone may be asked again
            position = await h.moderators.act(debate, Resume("mended", "test"))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Breakers that open for so short a time that a test can wait."""
    monkeypatch.setattr(breaker, "REST_S", 0.05)
    monkeypatch.setattr(breaker, "LONGEST_REST_S", 0.2)


@pytest.fixture(scope="module")
def sdks() -> None:
    """Import the SDKs: an import would take longer than the deadlines here."""
    for each in imports.SDKS:
        imports.load_now(each)


@pytest.mark.slow
@pytest.mark.usefixtures("sdks")
@pytest.mark.parametrize("kind", ["odd part", "odd error"])
@pytest.mark.parametrize("name", sorted(MODELS))
async def test_parts_that_nobody_expects_are_tried_again(monkeypatch: pytest.MonkeyPatch, name: str, kind: str) -> None:
    async with (
        running_vendors(monkeypatch, thought=0, words=20) as vendors,
        harness(settings=PATIENT, registry=shipped_registry()) as h,
    ):
        vendors[name].faults += [Fault(kind, of="speech"), Fault(kind, of="question")]
        debate = await h.open(f"{name}:{MODELS[name]}", turns=1)
        end, events = await h.ended(debate), await h.events(debate)

    assert isinstance(end, DebateConcluded)
    assert ["reset", "reset"] == [each.kind for each in events if isinstance(each, ModelFailed)]


@pytest.mark.slow
@pytest.mark.usefixtures("sdks")
@pytest.mark.parametrize("turns", [3, pytest.param(6, marks=pytest.mark.thorough)])
async def test_a_fault_anywhere_hurts_no_debate(
    script: Any, monkeypatch: pytest.MonkeyPatch, impatient: None, turns: int
) -> None:
    chance = random.Random(SEED)
    halts: Counter[int] = Counter()
    wired = itertools.cycle(WIRE_FAULTS)
    async with running_vendors(monkeypatch, thought=0, words=20) as vendors:
        before = left_over()
        met: Counter[str] = Counter()
        for start in range(0, DEBATES, AT_ONCE):
            async with harness(settings=PATIENT, registry=shipped_registry()) as h, anyio.create_task_group() as tasks:

                async def one(model: str, h: Harness = h) -> None:
                    debate = await h.open(model, turns=turns)
                    halts[await to_the_end(h, debate)] += 1

                for number in range(start, min(start + AT_ONCE, DEBATES)):
                    if number % 10 < 3:
                        tasks.start_soon(one, scripted(script, chance, number, turns))
                        continue
                    name, of_speeches = chance.choice(sorted(vendors)), chance.random() < 0.5
                    vendor, model = vendors[name], f"d{number}"
                    vendor.models[f"{model}:latest" if name == "ollama" else model] = vendor.models[MODELS[name]]
                    vendor.faults.append(
                        Fault(
                            next(wired),
                            model=model,
                            first=chance.randint(1, turns if of_speeches else turns * CALLS),
                            times=chance.choice(TIMES),
                            of="speech" if of_speeches else "any",
                        )
                    )
                    tasks.start_soon(one, f"{name}:d{number}")
            met += sum((vendor.fault_counts for vendor in vendors.values()), Counter())
            for vendor in vendors.values():
                vendor.fault_counts.clear()
        with anyio.fail_after(5):
            while any(vendor._connections for vendor in vendors.values()):  # noqa: ASYNC110 - the other side's sockets
                await anyio.sleep(0.01)
        after = left_over()

    assert DEBATES == halts.total()
    assert set(WIRE_FAULTS) == set(met)
    assert before[0] == after[0]
    assert (before[1], before[2]) == (after[1], after[2])
