"""Every route of the application, asked by many strangers at once: memory, the wait of others, and the answers.

``python -m tests.measuring.routes_at_once`` takes a quarter of an hour and prints a table.  The rows are made from the
application's table of routes.  For each row a server of its own starts over one store with a debate of 100 turns; its
operators have a token and the clients have none.  Each client has an address of its own (127.0.1.1, 127.0.1.2 …, on
Linux), so that no limit on one address hides a cost.  Memory is the peak of the server's resident memory above that
before; the wait is the longest of ``/healthz``, which is asked all the time.
"""

import asyncio
import json
import multiprocessing
import os
import random
import re
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlsplit

import click
import httpx
from msgspec import Struct
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute

from server.export.receipt.keys import make_keys
from server.http.app import ROUTES
from server.settings import Settings
from tests.measuring.voters import served

TOKEN: Final = "s3cret-of-the-operators"
OPERATOR: Final = {"authorization": f"Bearer {TOKEN}"}
MAX_MB: Final = 150
"""The aim: megabytes that a route may cost."""
MAX_MS: Final = 500
"""The aim: milliseconds that ``/healthz`` may take meanwhile."""
MB: Final = 1024
"""Kilobytes."""
LOOK_S: Final = 0.02
FEED_S: Final = 3.0
"""Seconds for which a client of a socket reads."""
UNREAD_S: Final = 3.0
"""Seconds for which a client that does not read stays."""
WITHIN_S: Final = 120.0
"""Seconds after which a client gives up."""
WORDS: Final = (
    "trams", "cities", "cars", "streets", "people", "time", "air", "noise", "shops", "buses", "tracks", "lanes",
    "drivers", "children", "safety", "health", "costs", "taxes", "roads", "parks", "trains", "bicycles", "planners",
    "markets", "workers", "visitors", "evidence", "figures", "studies", "traffic",
)  # fmt: skip

QUERIES: Final[Mapping[str, tuple[str, ...]]] = {
    "/oembed": ("url=http://127.0.0.1/d/{debate}",),
    "/api/compare": ("a={debate}&b={again}",),
    "/compare": ("a={debate}&b={again}",),
    "/api/search": ("q=trams",),
    "/api/debates": ("limit=200",),
    "/api/judge": ("", "debate={debate}"),
    "/api/league": ("", "q=trams"),
    "/league": ("player=a&against=b",),
    "/api/debates/{debate}": ("", "at={position}"),
    "/api/debates/{debate}/events": ("limit=1000",),
    "/api/debates/{debate}/frames": ("limit=1000",),
    "/api/debates/{debate}/diff": ("from=0",),
    "/api/debates/{debate}/report": ("side=pro&as=html", "side=con&as=md"),
    "/api/debates/{debate}/export.html": ("", "calls=0"),
    "/api/labs/{lab}/report": ("as=html", "as=json", "as=csv"),
}
"""What is asked of a route that needs a query, or costs more with one."""
BODIES: Final[Mapping[str, Any]] = {
    "/api/debates/{debate}/whatif": {"rubric": {"tie_within": 7}},
    "/api/debates/{debate}/votes": {"winner": "pro"},
    "/api/session": {"token": "wrong"},
}
ROOM: Final = (
    "/vote/{debate}",
    "/vote/{debate}/wall",
    "/api/debates/{debate}/poll",
    "/api/debates/{debate}/poll/qr.svg",
)
"""Routes of a debate with a poll."""


class Target(Struct, frozen=True, kw_only=True):
    """One row: a request, and the route that it belongs to."""

    route: str
    method: str
    path: str
    """The path of the request, with its query."""
    query: str = ""
    """The query before its names are filled in."""
    body: bytes = b""
    is_socket: bool = False


class Row(Struct, frozen=True, kw_only=True):
    """What so many requests at once did."""

    target: Target
    answers: Mapping[str, int]
    """How many answers had each status; ``cut`` and ``late`` for those that did not end."""
    received_mb: float
    cost_mb: float
    healthz_ms: float
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether the aim is reached."""
        return self.cost_mb <= MAX_MB and self.healthz_ms <= MAX_MS

    def line(self) -> str:
        """The row of the table."""
        answers = ", ".join(f"{number} × {status}" for status, number in sorted(self.answers.items()))
        route = f"{self.target.route}?{self.target.query}" if self.target.query else self.target.route
        figures = f"{self.received_mb:8.1f} {self.cost_mb:+6.0f} {self.healthz_ms:7.0f} {self.seconds:6.1f}"
        return f"{'  ' if self.holds else '! '}{self.target.method:<6} {route:<50} {answers:<22} {figures}"


HEADING: Final = f"  {'':<6} {'route':<50} {'answers':<22} {'MB sent':>8} {'MB':>6} {'healthz':>7} {'s':>6}"


# the requests


def targets(routes: Sequence[BaseRoute], names: Mapping[str, str]) -> Iterator[Target]:
    """A row for each method and query of each route.  Raises ``KeyError`` for a parameter that ``names`` lacks."""
    for route in routes:
        if isinstance(route, Mount):
            yield Target(route=route.path, method="GET", path=f"{route.path}/{names['file']}")
            continue
        assert isinstance(route, Route | WebSocketRoute)
        known = {**names, "debate": names["room"]} if route.path in ROOM else names
        path = re.sub(r"\{(\w+)(?::\w+)?\}", lambda name: known[name[1]], route.path)  # noqa: B023 - called at once
        if isinstance(route, WebSocketRoute):
            yield Target(route=route.path, method="GET", path=path, is_socket=True)
            continue
        for method in sorted((route.methods or set()) - {"HEAD"}):
            body = b"" if method == "GET" else json.dumps(BODIES.get(route.path, {})).encode()
            for query in QUERIES.get(route.path, ("",)) if method == "GET" else ("",):
                asked = f"{path}?{query.format(**known)}" if query else path
                yield Target(route=route.path, method=method, path=asked, query=query, body=body)


async def ask(url: str, target: Target, number: int, *, reads: bool) -> tuple[str, int]:
    """Send one request from an address of its own: the status of the answer, and its bytes."""
    host = urlsplit(url).netloc
    own = (f"127.0.{1 + number // 250}.{1 + number % 250}", 0)
    reader, writer = await asyncio.open_connection(*host.split(":"), local_addr=own)
    lines = [f"{target.method} {target.path} HTTP/1.1", f"host: {host}"]
    if target.is_socket:
        lines += ["connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13"]
        lines += [f"sec-websocket-key: {'A' * 22}==", "sec-websocket-protocol: moot.v1"]
    else:
        lines += ["connection: close", f"content-length: {len(target.body)}", "content-type: application/json"]
    writer.write("\r\n".join([*lines, "", ""]).encode() + target.body)
    status, size = "cut", 0
    try:
        if not reads:
            writer.transport.pause_reading()  # type: ignore[attr-defined]  # a socket's transport
            await asyncio.sleep(UNREAD_S)
            return "unread", 0
        async with asyncio.timeout(FEED_S if target.is_socket else WITHIN_S):
            status = (await reader.readline()).decode().partition(" ")[2][:3] or "cut"
            while part := await reader.read(1 << 18):
                size += len(part)
    except TimeoutError:
        status = status if target.is_socket else "late"
    except OSError:
        status = "cut"
    finally:
        writer.transport.abort()
    return status, size


def ask_at_once(url: str, target: Target, number: int, *, reads: bool) -> tuple[Counter[str], int]:
    """Send so many requests at once, and read all answers."""

    async def run() -> list[tuple[str, int]]:
        return await asyncio.gather(*(ask(url, target, each, reads=reads) for each in range(number)))

    found = asyncio.run(run())
    return Counter(status for status, _ in found), sum(size for _, size in found)


# the server


def memory_mb(process: int, field: str) -> float:
    """``VmRSS``, resident memory, or ``VmHWM``, its peak."""
    text = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    found = re.search(rf"{field}:\s+(\d+) kB", text)
    assert found is not None
    return int(found[1]) / MB


class Watch:
    """Asks ``/healthz`` in a thread all the time, and keeps the longest wait."""

    def __init__(self, url: str) -> None:
        self._url, self._stop, self.worst_ms = url, threading.Event(), 0.0
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        with httpx.Client(base_url=self._url, timeout=WITHIN_S) as client:
            while not self._stop.is_set():
                began = time.perf_counter()
                client.get("/healthz")
                self.worst_ms = max(self.worst_ms, (time.perf_counter() - began) * 1000)
                self._stop.wait(LOOK_S)


def measured(store: Path, target: Target, number: int, *, reads: bool = True) -> Row:
    """One row, with a server of its own over a copy of the store."""
    with tempfile.TemporaryDirectory(prefix="moot-routes-") as folder:
        copy = Path(folder) / "moot.db"
        shutil.copyfile(store, copy)
        make_keys(Settings(store=f"sqlite:{copy}"))
        started = served(copy.parent, MOOT_TOKEN=TOKEN)
        with started as (url, process), multiprocessing.get_context("spawn").Pool(1) as load:
            load.apply(os.getpid)
            before = memory_mb(process, "VmRSS")
            Path(f"/proc/{process}/clear_refs").write_text("5", encoding="utf-8")  # the peak begins anew
            began = time.perf_counter()
            with Watch(url) as watch:
                answers, size = load.apply(ask_at_once, (url, target, number), {"reads": reads})
                took = time.perf_counter() - began
                time.sleep(0.2)
            return Row(
                target=target,
                answers=dict(answers),
                received_mb=size / MB / MB,
                cost_mb=memory_mb(process, "VmHWM") - before,
                healthz_ms=watch.worst_ms,
                seconds=took,
            )


# the store


def speech(turn: int, dice: random.Random) -> str:
    """Some 180 words that no other turn has."""
    sentences = []
    for _ in range(9):
        one, two, three, four, five, six = dice.choices(WORDS, k=6)
        sentences.append(
            f"In turn {turn} the {one} need {two}, because {three} and {four} depend on {five}, and so {six} pay less."
        )
    return " ".join(sentences)


def build(store: Path, turns: int) -> dict[str, str]:
    """Fill a store: a debate that is judged twice, a lab run, one with a poll and a person; names for routes."""
    dice = random.Random(turns)
    script = store.with_suffix(".json")
    says = {
        side: [speech(turn, dice) for turn in range(first, turns + 1, 2)] for first, side in ((1, "pro"), (2, "con"))
    }
    script.write_text(json.dumps({"label": "Routes", "says": says, "pace": {}}), encoding="utf-8")
    seat, judge = {"model": f"scripted:{script}"}, {"judge": {"model": "baseline:lexical"}}
    started = served(store.parent, MOOT_TOKEN=TOKEN)
    with started as (url, _), httpx.Client(base_url=url, headers=OPERATOR, timeout=60) as client:

        def made(path: str, body: Any) -> dict[str, Any]:
            answer = client.post(path, json=body)
            assert answer.is_success, answer.text
            return dict(answer.json())

        def ended(debate: str) -> str:
            while client.get(f"/api/debates/{debate}").json()["state"] == "open":
                time.sleep(0.2)
            return debate

        spoken = {"motion": "Cities should build trams", "turns": turns, "pro": seat, "con": seat, **judge}
        debate = ended(made("/api/debates", spoken)["id"])
        again = ended(made(f"/api/debates/{debate}/rejudge", judge)["id"])
        lab = ended(made("/api/labs", {**judge, "batteries": ["retest"], "items": 5})["id"])
        people = {"motion": "Trams", "turns": 2, "pro": {"person": "Ann"}, "con": seat, "poll": {}, **judge}
        room = made("/api/debates", people)
        position = client.get(f"/api/debates/{debate}").json()["position"]
        begun = client.get(f"/api/debates/{debate}/events?limit=200").json()["events"]
    return {
        "debate": debate,
        "again": again,
        "lab": lab,
        "room": room["id"],
        "token": room["links"]["pro"].rpartition("/")[2],
        "call": next(each["event"]["call"] for each in begun if each["event"]["type"] == "model_answered"),
        "turn": str(turns // 2),
        "argument": "PRO-1",
        "table": "components",
        "form": "csv",
        "position": str(position // 2),
        "code": "ABCD",
        "hook": "chat",
        "claim": "C1.1",
        "seat": "pro",
        "name": "juries",
        "file": "debate/debate.js",
    }


@click.command
@click.option("--number", default=100, show_default=True, help="Requests at once.")
@click.option("--turns", default=100, show_default=True, help="Turns of the debate.")
@click.option("--only", default="", help="Only routes that contain this text.")
@click.option("--unread", is_flag=True, help="The clients do not read their answers.")
@click.option("--folder", type=click.Path(path_type=Path), help="Keep the store in this folder, and use it again.")
def main(number: int, turns: int, only: str, folder: Path | None, *, unread: bool) -> None:
    """Ask every route many times at once, and print a table; rows beyond the aim begin with an exclamation mark."""
    with tempfile.TemporaryDirectory(prefix="moot-routes-") as temporary:
        kept = (folder or Path(temporary)).absolute() / "moot.db"
        kept.parent.mkdir(parents=True, exist_ok=True)
        named = kept.with_suffix(".names.json")
        if not named.exists():
            named.write_text(json.dumps(build(kept, turns)), encoding="utf-8")
        click.echo(HEADING)
        over = 0
        for target in targets(ROUTES, json.loads(named.read_text(encoding="utf-8"))):
            if only in f"{target.method} {target.path} {target.route}":
                row = measured(kept, target, number, reads=not unread)
                over += not row.holds
                click.echo(row.line())
        click.echo(f"{over} beyond the aim of {MAX_MB} MB and {MAX_MS} ms")


if __name__ == "__main__":
    main()
