"""The child process that runs llama.cpp: started at the first use, started again if it died, stopped with Moot."""

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

from providers.environment import trusted
from providers.errors import Unreachable

CHILD = Path(__file__).with_name("child.py")
CONTEXT = 8192
"""Tokens of each slot, as SmolLM2's window.  llama.cpp lowers it for a model that was trained on less."""

START_S = 120.0
STOP_S = 3.0


def threads(cores: int) -> tuple[int, int, dict[str, str]]:
    """The number of threads that generate, the number that read the prompt, and the child's environment for them.

    Generating threads synchronise several hundred times for each token, in a busy loop.  If another process takes one
    of their cores, all of them wait.  Measured on two cores next to one busy process: two threads give 1 to 12
    tokens/s and one thread gives 40 to 50 (on an idle machine 70 and 45).  So one core stays free.  Threads that read a
    prompt synchronise rarely, so they can sleep instead of spin: as fast on an idle machine, and steady on a busy one.
    """
    generating = max(1, cores - 1)
    environment = {"OMP_WAIT_POLICY": "passive"} if generating == 1 else {}
    return generating, cores, environment


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


class LlamaProcess:
    """One model in one child process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = anyio.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._client: httpx.AsyncClient | None = None
        self.slots = min(4, max(2, _cores()))
        self.free_slots = anyio.Semaphore(self.slots)
        """A call holds one, because llama.cpp would let a call without a slot wait in silence."""

    @property
    def pid(self) -> int | None:
        """The child's process id while it lives."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    async def client(self) -> httpx.AsyncClient:
        """A client for the running child, which is started if necessary.  Valid until the next call of this method.

        If several calls come at once, the first starts the child and the others wait for it.
        """
        async with self._lock:
            if self.pid is None or self._client is None:
                await self._end()
                await self._start()
            assert self._client is not None
            return self._client

    async def stop(self) -> None:
        """End the child; a later ``client`` starts another one."""
        async with self._lock:
            await self._end()

    async def has_died(self) -> bool:
        """Whether the child is dead or dies within a second."""
        with anyio.move_on_after(1):
            while self.pid is not None:  # noqa: ASYNC110 - no event tells that a child has died
                await anyio.sleep(0.02)
        return self.pid is None

    async def _start(self) -> None:
        key, cores = secrets.token_urlsafe(24), _cores()
        generating, reading, environment = threads(cores)
        # Started in this thread, not in a worker: Linux kills the child when the *thread* that started it ends.
        self._process = subprocess.Popen(  # noqa: ASYNC220, S603 - returns at once; our own interpreter and file
            [sys.executable, "-P", str(CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment | os.environ,
            start_new_session=True,  # Ctrl-C must not reach the child: Moot ends it after the running calls
        )
        settings = {
            "model": str(self._path), "key": key, "parent": os.getpid(), "context": CONTEXT,
            "slots": self.slots, "generating": generating, "reading": reading,
        }  # fmt: skip
        try:
            with anyio.fail_after(START_S):
                url = await to_thread.run_sync(_handshake, self._process, settings, abandon_on_cancel=True)
                self._client = httpx.AsyncClient(
                    base_url=url,
                    headers={"Authorization": f"Bearer {key}"},
                    timeout=httpx.Timeout(None, connect=5),  # the stream has its own timeouts
                    limits=httpx.Limits(
                        max_connections=None, max_keepalive_connections=0
                    ),  # it closes connections at any time
                    verify=trusted(url),
                    trust_env=False,  # no proxy for this machine
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
            await to_thread.run_sync(_terminate, process)


async def _until_healthy(client: httpx.AsyncClient) -> None:
    while True:
        try:
            if (await client.get("/health")).status_code == httpx.codes.OK:
                return
        except httpx.TransportError as error:
            raise Unreachable(f"llama.cpp died while it started: {error}") from error
        await anyio.sleep(0.05)


def _handshake(process: subprocess.Popen[str], settings: Mapping[str, Any]) -> str:
    """Send the child its settings and read its address.  Raises ``Unreachable`` with the reason if it cannot serve."""
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


def _terminate(process: subprocess.Popen[str]) -> None:
    """Close the child's stdin, which ends it; kill it if it does not end."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.close()
    except OSError:
        process.kill()  # it is dead or dying
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
