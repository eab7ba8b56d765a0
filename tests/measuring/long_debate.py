"""A long debate whose models answer at once: what does a turn cost early and late, and of what is its log?

``python -m tests.measuring.long_debate`` prints the tables of docs/capacity.md.  Times are CPU time of the process with
its store and hub; the time in which the models make their answers is left out.  ``--profile 170`` shows where the turns
from 170 on spend theirs, ``--bytes`` of what the log is, ``--reading`` what a what-if, an audit and a difference cost.
"""

import cProfile
import pstats
import re
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

import anyio
import click
import msgspec
from msgspec import Struct

from events.record import Recorded
from events.store.log import follow, read_all
from events.store.memory import MemoryLog
from events.types import DebateConcluded, DebateHalted, DebateOpened
from events.types.rubric import Rubric
from judge.live.scoring import applicable
from judge.rubrics.rubric import shipped_rubric
from providers.answers.schema import parse
from providers.base import Answer, ModelStatus, Outcome, Request, Tokens
from providers.imports import load
from server.cli.output import run_async
from server.debate.setup.opening import build_opening
from server.debate.setup.request import as_request
from server.export.audit import auditor_of
from server.export.diff import difference
from server.export.moved import told
from server.feed.hub import Hub
from server.service import Service, running
from server.settings import Settings
from server.whatif.comparison import what_if
from server.whatif.request import read_request

T = TypeVar("T")
PROVIDER: Final = "atonce"
SENTENCES: Final = 9
WORDS: Final = re.findall(
    r"\w+",
    """street tram harbour school market bridge garden night budget council driver tenant baker nurse window river
    winter ticket parcel garage corner village engine forest cellar orchard letter signal quarter evening lesson""",
)
CONNECTED: Final = ("because", "although", "so that", "unless", "wherever", "before")
TURNS: Final = (10, 50, 100, 200)
NEAR: Final = 5
"""Turns on each side of a turn whose cost is its mean."""
SHOWN: Final = 45
"""Lines of a profile."""


def sentence(turn: int, number: int) -> str:
    """A sentence that only this turn has; some of them have a figure."""
    random = Random(turn * 100 + number)
    first, second = (" ".join(random.sample(WORDS, 5)) for _ in range(2))
    figure = f" in {random.randint(11, 99)} of {random.randint(100, 999)} cases" if number % 4 == 0 else ""
    return f"In point {turn}.{number} the {first} holds{figure} {random.choice(CONNECTED)} the {second} stands."


def speech(turn: int) -> str:
    """The text of a turn: about 150 words."""
    return " ".join(sentence(turn, number) for number in range(1, SENTENCES + 1))


def _no(_turn: int) -> None:
    """Nothing is told."""


class AtOnce:
    """A provider whose one model knows every answer: it speaks and judges without a pause."""

    name = PROVIDER

    def __init__(self, rubric: Rubric, window: int, started: Callable[[int], None] = _no) -> None:
        self._rubric, self._window, self._started = rubric, window, started
        self.cpu_s = 0.0
        """CPU time in which the answers were made."""
        self.began: dict[int, float] = {}
        """CPU time of the process, without the answers', when each turn was asked for."""

    def now(self) -> float:
        """CPU time of the process without that of the answers."""
        return time.process_time() - self.cpu_s

    @contextmanager
    def _apart(self) -> Iterator[None]:
        began = time.process_time()
        try:
            yield
        finally:
            self.cpu_s += time.process_time() - began

    @asynccontextmanager
    async def stream(self, model: str, request: Request) -> AsyncIterator["Spoken"]:
        """Speak a turn in one piece."""
        self._started(request.turn)
        self.began.setdefault(request.turn, self.now())
        with self._apart():
            spoken = Spoken(speech(request.turn), _outcome(model))
        yield spoken

    async def answer(self, model: str, request: Request, type_: type[T]) -> Answer[T]:
        """Answer a question."""
        await anyio.lowlevel.checkpoint()
        with self._apart():
            raw = msgspec.json.encode(self._answer(request)).decode()
            return Answer(value=parse(raw, type_), raw=raw, outcome=_outcome(model))

    async def check(self, model: str | None = None) -> tuple[ModelStatus, ...]:
        """The model answers."""
        name = f"{PROVIDER}:{model or 'model'}"
        return (ModelStatus(name=name, provider=PROVIDER, ok=True, detail="a model of a test", window=self._window),)

    def caveat(self, _model: str) -> str:
        """It is no model."""
        return "it is no model"

    async def close(self) -> None:
        """Nothing is open."""

    def _answer(self, request: Request) -> Any:
        turn, (purpose, _, about) = request.turn, request.key.partition(":")
        match purpose:
            case "score" | "rescore":
                return self._score(int(about))
            case "compare":
                return self._compare(int(about.partition("-")[0]), int(about.partition("-")[2]))
            case "claims":
                quote = sentence(turn, 4)
                found = [{"quote": quote, "reason": "no source", "kind": "hollow_specificity"}] if turn % 2 else []
                return {"claims": found}
            case "premises":
                return self._premises(turn)
            case "gaps":
                flaw = {"turn": turn - 1, "fails": sentence(turn - 1, 2), "exposed_by": sentence(turn, 5), "points": 2}
                return {"gaps": [flaw | {"reason": "the step from the cost to the rule is asserted"}]}
            case "second_opinion":
                return {"reason": "the turn gives no source", "verdict": "cleared" if turn % 3 else "upheld"}
            case "audit":
                return {"gaps": []}
            case "convergence":
                case = {"early": "from figures", "late": "to costs"}
                return {"A": case, "B": case, "reason": "they stay apart", "kind": "stalled"}
            case _:
                return {"winner": "A", "margin": "narrow", "text": "so", "explanation": "it answers more"}

    def _score(self, turn: int) -> dict[str, Any]:
        parts = enumerate(applicable(self._rubric, turn).items())
        return {
            "components": {
                name: {
                    "quote": sentence(turn, index % SENTENCES + 1) if each.needs_quote else "",
                    "reason": "It says so plainly and ties the claim to something that can be counted.",
                    "points": each.maximum * (3 + (turn + index) % 5) // 8,
                }
                for index, (name, each) in parts
            }
        }

    def _compare(self, first: int, second: int) -> dict[str, str]:
        later = "second" if first < second else "first"
        earlier = "first" if later == "second" else "second"
        degrees = (f"{later}_clear", f"{later}_slight", "draw", f"{earlier}_slight", f"{earlier}_clear")
        names = enumerate(self._rubric.bands)
        chosen = {name: degrees[(max(first, second) + index) % len(degrees)] for index, name in names}
        is_graded = self._rubric.harmonization == "graded" or self._rubric.ring
        return {name: value if is_graded else value.partition("_")[0] for name, value in chosen.items()}

    @staticmethod
    def _premises(turn: int) -> dict[str, Any]:
        stated = [{"text": f"It holds that {sentence(turn, n)}", "quote": sentence(turn, n)} for n in (1, 3)]
        if turn <= 2:  # the first turn of a side
            return {"stated": stated}
        revised = [{"premise": f"P{turn - 2}.1", "text": f"It holds, though not everywhere, as in turn {turn}."}]
        return {"stated": stated, "revised": revised}


class Spoken:
    """A speech that comes in one piece."""

    def __init__(self, text: str, outcome: Outcome) -> None:
        self._text, self.outcome = text, outcome

    async def __aiter__(self) -> AsyncIterator[str]:
        """The piece."""
        yield self._text


def _outcome(model: str) -> Outcome:
    return Outcome(model=model, tokens=Tokens(input=412, output=131), latency_ms=0, cost_usd=0.0)


class LongDebate(Struct, frozen=True, kw_only=True):
    """A debate that was held."""

    ms: dict[int, float]
    """CPU milliseconds of each turn: from its call to the call of the next one, without the models' time."""
    records: tuple[Recorded, ...]
    store_bytes: int
    """Size of the store's file when it was closed."""


async def hold(turns: int, rubric: str, window: int, *, started: Callable[[int], None] = _no) -> LongDebate:
    """Hold a debate of so many turns and read its log.  ``started`` is told each turn that is asked for."""
    with TemporaryDirectory(prefix="moot-long-") as folder:
        file = Path(folder) / "moot.db"
        async with running(Settings(store=f"sqlite:{file}", log_level="error")) as service:
            model = AtOnce(shipped_rubric(rubric), window, started)
            service.registry.add(PROVIDER, lambda: model)
            debate = await service.moderators.open(await _opening(service, turns, rubric))
            async for record in follow(service.log, debate):
                if isinstance(record.event, DebateConcluded | DebateHalted):
                    break
            assert isinstance(record.event, DebateConcluded), record.event
            records = tuple([record async for record in read_all(service.log, debate)])
        began = model.began
        return LongDebate(
            ms={turn: (began[turn + 1] - began[turn]) * 1000 for turn in range(1, turns)},
            records=records,
            store_bytes=file.stat().st_size,
        )


async def _opening(service: Service, turns: int, rubric: str) -> DebateOpened:
    seats = {role: {"model": f"{PROVIDER}:model"} for role in ("pro", "con", "judge")}
    body = {"motion": "Cities should ban private cars from their centres", "turns": turns, "rubric": rubric, **seats}
    return await build_opening(as_request(body), service.registry, service.settings)


def near(ms: dict[int, float], turn: int) -> float:
    """The mean cost of the turns around a turn, in milliseconds."""
    last = min(turn + NEAR, max(ms))
    around = range(last - 2 * NEAR, last + 1)
    return fmean(ms[each] for each in around if each in ms)


class HeldLog(MemoryLog):
    """A log of one debate that is in memory: reading and decoding are not measured."""

    def __init__(self, records: Sequence[Recorded]) -> None:
        super().__init__()
        self._held = records

    async def head(self, debate: str) -> int:
        """The position of its last record."""
        return len(self._held) if debate == self._held[0].debate else 0

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        """Its records."""
        return tuple(self._held[after : None if limit is None else after + limit])


async def reading_ms(records: Sequence[Recorded]) -> dict[str, float]:
    """CPU milliseconds of what is read of a debate that is folded already, each for the first time."""
    log, debate, ms = HeldLog(records), records[0].debate, dict[str, float]()

    @contextmanager
    def timed(what: str) -> Iterator[None]:
        began = time.process_time()
        yield
        ms[what] = (time.process_time() - began) * 1000

    hub, middle = Hub(log), len(records) // 2
    await load("numpy")  # importing it is not measured
    async with anyio.create_task_group() as tasks:
        await tasks.start(lambda task_status: hub.run(task_status=task_status))
        await hub.view_at(debate, None)
        with timed("audit of a turn"):
            msgspec.json.encode((await auditor_of(hub, debate)).audit(1))
        with timed("difference of 500 events"):
            msgspec.json.encode(told(await difference(hub.folds, debate, middle, middle + 500, revealed=False)))
        tasks.cancel_scope.cancel()
    for what in ("first what-if", "next what-if"):
        with timed(what):
            msgspec.json.encode(what_if(records, read_request({"rubric": "v1"})))
    return ms


def by_type(records: Sequence[Recorded]) -> dict[tuple[str, str], int]:
    """Bytes of the payloads by event type and field."""
    found: dict[tuple[str, str], int] = defaultdict(int)
    for record in records:
        fields = msgspec.json.decode(record.payload, type=dict[str, msgspec.Raw])
        for name, value in fields.items():
            found[type(record.event).__name__, name] += len(value) + len(name) + 4
    return found


@click.command()
@click.option("--turns", default=200, show_default=True, help="Turns of the debate.")
@click.option("--rubric", "rubrics", multiple=True, default=("v2", "v3"), show_default=True)
@click.option("--window", "windows", multiple=True, type=int, default=(200_000, 32_768), show_default=True)
@click.option("--profile", "since", type=int, help="Show where the turns from this one on spend their time.")
@click.option("--bytes", "is_sized", is_flag=True, help="Show of what the log is.")
@click.option("--reading", "is_read", is_flag=True, help="Show what a what-if, an audit and a difference cost.")
def main(
    turns: int, rubrics: tuple[str, ...], windows: tuple[int, ...], since: int | None, *, is_sized: bool, is_read: bool
) -> None:
    """Hold long debates and print what their turns cost."""
    shown = [turn for turn in TURNS if turn <= turns]
    click.echo(f"| rubric | window | {' | '.join(f'turn {turn}' for turn in shown)} |\n{'|---' * (len(shown) + 2)}|")
    for rubric in rubrics:
        for window in windows:
            profile = cProfile.Profile()

            def started(turn: int, profile: cProfile.Profile = profile) -> None:
                if turn == since:
                    profile.enable()

            held = run_async(partial(hold, turns, rubric, window, started=started))
            profile.disable()
            costs = " | ".join(f"{near(held.ms, turn):.1f}" for turn in shown)
            click.echo(f"| {rubric} | {window} | {costs} |")
            if since:
                pstats.Stats(profile).sort_stats("cumulative").print_stats(SHOWN)
                pstats.Stats(profile).sort_stats("tottime").print_stats(SHOWN)
            if is_sized:
                _print_bytes(held)
            if is_read:
                for what, ms in run_async(partial(reading_ms, held.records)).items():
                    click.echo(f"| {what} | {ms:.0f} ms |")


def _print_bytes(held: LongDebate) -> None:
    sizes = by_type(held.records)
    whole = sum(len(record.payload) for record in held.records)
    click.echo(
        f"{len(held.records)} events, {whole / 1e6:.1f} MB of payloads, a store of {held.store_bytes / 1e6:.1f} MB"
    )
    for (event, name), size in Counter(sizes).most_common(SHOWN):
        click.echo(f"| `{event}` | `{name}` | {size / 1e6:.2f} MB | {size / whole:.1%} |")


if __name__ == "__main__":
    main()
