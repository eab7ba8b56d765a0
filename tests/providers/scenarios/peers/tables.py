"""The tables of third-party servers, which take the place of our fake."""

import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from tests.providers.scenarios.peers.aimock import AIMOCK
from tests.providers.scenarios.peers.litellm import LITELLM
from tests.providers.scenarios.peers.llama import LLAMA
from tests.providers.scenarios.peers.peer import Row, peer_session

PEERS: Final = {"aimock": AIMOCK, "litellm": LITELLM, "llama": LLAMA}


async def peer_table(
    name: str, executable: str, table: Callable[..., Any], cell: Callable[..., Any]
) -> tuple[str, bool]:
    """The table of one third-party server."""
    peer = PEERS[name]
    if peer.variable and not executable:
        sys.exit(f"--peer {name} needs --{name} PATH, or {peer.variable}")
    async with peer.opened(executable) as environment:
        cells = [
            cell(row.name, f"{provider} at {name}", _run(row, environment, provider, model),
                 "this server cannot show it" if provider in row.without else "")
            for row in peer.rows for provider, model in peer.models.items()
        ]  # fmt: skip
        found: tuple[str, bool] = await table(cells)
        return found


def _run(row: Row, environment: Mapping[str, str], provider: str, model: str) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        async with peer_session(environment, provider, model) as visit:
            await row.check(visit)

    return run
