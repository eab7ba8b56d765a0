"""The child that runs llama.cpp, seen from our side: started on first use, found dead or alive, stopped with us."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import httpx
from anyio import to_thread

from .errors import Unreachable

CHILD = Path(__file__).with_name("llama_child.py")
CONTEXT = 8192
"""Tokens of each slot: SmolLM2's window.  llama.cpp lowers it where a model was trained on less."""

START_S = 120.0
STOP_S = 3.0


def threads(cores: int) -> tuple[int, int, dict[str, str]]:
    """How many threads generate and how many read the prompt, and what the child's environment says of their waiting.

    Generating threads meet several hundred times a token, in a busy loop.  When anything else wants one of their cores,
    all wait for the one that was sent away: measured on two cores beside one busy process, two threads give 1 to 12
    tokens/s and one gives 40 to 50 (on an idle machine 70 and 45).  So one core is left to the others.  Threads that
    read a prompt meet seldom, and bear sleeping instead of spinning: as fast when idle, and steady when not.
    """
    speaking = max(1, cores - 1)
    waiting = {"OMP_WAIT_POLICY": "passive"} if speaking == 1 else {}
    return speaking, cores, waiting


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


class LlamaProcess:
    """One model in one child.  ``client`` is to be used between ``ready`` and the next ``ready`` only."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = anyio.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._client: httpx.AsyncClient | None = None
        self.slots = min(4, max(2, _cores()))
        self.floor = anyio.Semaphore(self.slots)
        """Held by whoever is answered: llama.cpp keeps a call beyond its slots waiting in silence."""

    @property
    def pid(self) -> int | None:
        """The child's process id while it lives."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    async def ready(self) -> httpx.AsyncClient:
        """A client of the running child, started or restarted if need be.  Raises ``Unreachable`` if it will not start.

        Many may call at once: the first starts the child and the others wait for it.
        """
        async with self._lock:
            if self.pid is None or self._client is None:
                await self._end()
                await self._start()
            assert self._client is not None
            return self._client

    async def stop(self) -> None:
        """End the child; a later ``ready`` starts another."""
        async with self._lock:
            await self._end()

    async def buried(self) -> bool:
        """Whether the child is gone, after a moment's grace for one that is dying."""
        with anyio.move_on_after(1):
            while self.pid is not None:  # noqa: ASYNC110 - a dead child announces itself to nobody
                await anyio.sleep(0.02)
        return self.pid is None

    async def _start(self) -> None:
        key, cores = secrets.token_urlsafe(24), _cores()
        speaking, reading, waiting = threads(cores)
        # Started in this thread, not in a worker: Linux kills the child when the *thread* that made it ends.
        self._process = subprocess.Popen(  # noqa: ASYNC220, S603 - returns at once; our own interpreter and file
            [sys.executable, "-P", str(CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=waiting | os.environ,
            start_new_session=True,  # Ctrl-C is for us; we end the child when the calls in flight are through
        )
        settings = {
            "model": str(self._path), "key": key, "parent": os.getpid(), "context": CONTEXT,
            "slots": self.slots, "speaking": speaking, "reading": reading,
        }  # fmt: skip
        try:
            with anyio.fail_after(START_S):
                url = await to_thread.run_sync(_greet, self._process, settings, abandon_on_cancel=True)
                self._client = httpx.AsyncClient(
                    base_url=url,
                    headers={"Authorization": f"Bearer {key}"},
                    timeout=httpx.Timeout(None, connect=5),  # patience is the caller's
                    limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),  # it hangs up as it likes
                    trust_env=False,  # a proxy has no business on the loopback
                )
                await _until_healthy(self._client)
        except BaseException as error:
            with anyio.CancelScope(shield=True):
                await self._end()
            if isinstance(error, TimeoutError):
                raise Unreachable(f"llama.cpp was not ready after {START_S:g} s") from None
            raise

    async def _end(self) -> None:
        process, client = self._process, self._client
        self._process = self._client = None
        if client is not None:
            await client.aclose()
        if process is not None:
            await to_thread.run_sync(_bury, process)


async def _until_healthy(client: httpx.AsyncClient) -> None:
    while True:
        try:
            if (await client.get("/health")).status_code == httpx.codes.OK:
                return
        except httpx.TransportError as error:
            raise Unreachable(f"llama.cpp died while it started: {error}") from error
        await anyio.sleep(0.05)


def _greet(process: subprocess.Popen[str], settings: Mapping[str, Any]) -> str:
    """Tell the child what to serve, and hear where.  Raises ``Unreachable`` with what kept it from serving."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(settings) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except (OSError, ValueError) as error:
        raise Unreachable(f"llama.cpp did not start: {error}") from error
    answer: dict[str, str] = json.loads(line) if line else {"error": f"it died with status {process.wait()}"}
    if "error" in answer:
        raise Unreachable(f"llama.cpp could not load {settings['model']}: {answer['error']}")
    return answer["url"]


def _bury(process: subprocess.Popen[str]) -> None:
    """Close its stdin, which tells it to go; kill it if it does not."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.close()
    except OSError:
        process.kill()  # it is dead already, or about to be
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
