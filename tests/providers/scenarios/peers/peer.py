"""A third-party server, the providers that call it, and the scenarios that it can show."""

import asyncio
import json
import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import pytest

from providers.answers.schema import schema
from providers.base import Segment
from providers.errors import Unreachable
from tests.providers.scenarios.session import ProviderSession, without_certificates
from tests.providers.vendors import texts
from tests.server.harness import shipped_registry

READY_S: Final = 60.0


class PeerSession(ProviderSession):
    """A provider of Moot connected to a third-party server."""

    def cue(self, word: str) -> dict[str, Any]:
        """The prompt that contains a cue, which selects the server's answer."""
        return {"prompt": (Segment("system", "You debate."), Segment("user", f"Now do this: {word}."))}


Check = Callable[[PeerSession], Awaitable[None]]


@dataclass(frozen=True)
class Row:
    """A scenario of one server.  ``without`` names the providers that it cannot show."""

    name: str
    check: Check
    without: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A third-party server: its models by provider, and ``opened``, which starts it and yields its environment."""

    models: Mapping[str, str]
    opened: Callable[[str], AbstractAsyncContextManager[Mapping[str, str]]]
    variable: str = ""
    rows: list[Row] = field(default_factory=list)

    def row(self, name: str, *, without: tuple[str, ...] = ()) -> Callable[[Check], Check]:
        def add(check: Check) -> Check:
            self.rows.append(Row(name, check, without))
            return check

        return add


@asynccontextmanager
async def peer_session(environment: Mapping[str, str], provider: str, model: str) -> AsyncIterator[PeerSession]:
    """A session of one provider with a running third-party server."""
    with pytest.MonkeyPatch.context() as patch:
        without_certificates(patch)
        for name, value in environment.items():
            patch.setenv(name, value)
        providers = shipped_registry()
        try:
            yield PeerSession(providers.provider(provider), model)
        finally:
            await providers.close()


@asynccontextmanager
async def running(*command: str, health: str, **more: str) -> AsyncIterator[None]:
    """A server in a child process.  Yields when it answers at ``health``."""
    child = await asyncio.create_subprocess_exec(
        *command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | more
    )
    try:
        async with httpx.AsyncClient(trust_env=False) as client:
            until = time.monotonic() + READY_S
            while not await _is_healthy(client, health):
                if child.returncode is not None or time.monotonic() > until:
                    raise Unreachable(f"{command[0]} did not start")
                await asyncio.sleep(0.1)
        yield
    finally:
        if child.returncode is None:
            child.terminate()
        await child.wait()


async def _is_healthy(client: httpx.AsyncClient, health: str) -> bool:
    try:
        return (await client.get(health)).is_success
    except httpx.HTTPError:
        return False


def free_port() -> int:
    with socket.socket() as proxy:
        proxy.bind(("127.0.0.1", 0))
        return int(proxy.getsockname()[1])


def answer_of(type_: Any) -> str:
    return json.dumps(texts.smallest(schema(type_)))
