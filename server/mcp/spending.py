"""What a tool may spend: nothing without the operator's switch, else up to a cap a call and a cap a day.

The record is the ledger: what a tool opened has the tag ``mcp``, and its cost is in its view.  So the day's sum also
holds after a restart, and for all processes on one store.
"""

from datetime import UTC, datetime
from typing import Any, Final

import anyio
from mcp.server.mcpserver.exceptions import ToolError
from msgspec import Struct

from events.text.figures import rounded
from providers.catalog.addresses import VENDORS, runs_here
from server.client.connection import AsyncClient
from server.settings import Settings

TAG: Final = "mcp"
FREE: Final = frozenset({"baseline", "hosted", "scripted"})
"""Providers that cost nothing here."""
KNOWN: Final = frozenset({*VENDORS, "ollama"})
"""Providers whose models the estimate prices."""
PAGE: Final = 200
SWITCH: Final = (
    "this costs money, and the operator has not allowed tools to start what does: moot mcp --allow-runs, or "
    "MOOT_MCP_RUNS=1 for a server. Models that cost nothing need no switch: those on this machine, and hosted ones"
)


class Charge(Struct, frozen=True, kw_only=True):
    """What an opening is estimated to cost, and may cost, in US dollars; None where no price is known."""

    estimate: dict[str, Any]
    usd: float | None
    is_free: bool


class Spending:
    """The rules of one process, and what it knows of the day's costs."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._final: dict[str, float] = {}
        """Costs of what has ended, by debate."""
        self.lock = anyio.Lock()
        """Held from the look at the day's costs until what costs more is recorded."""

    async def charge(self, client: AsyncClient, body: dict[str, Any]) -> Charge:
        """What this request would cost.  Raises the refusal of the API."""
        found = await client.post("/api/estimate", {each: body[each] for each in body if each != "max_cost_usd"})
        cost = found["cost_usd"]
        usd = float(cost) if isinstance(cost, int | float) else None
        return Charge(estimate=found, usd=usd, is_free=usd == 0 and all(map(_is_priced, models_of(body))))

    async def capped(self, client: AsyncClient, body: dict[str, Any], charge: Charge) -> dict[str, Any]:
        """The request with its cap; as it is where it costs nothing.  Raises ``ToolError``."""
        if charge.is_free:
            return body
        settings = self._settings
        if not settings.mcp_runs:
            raise ToolError(SWITCH)
        cap = min(settings.mcp_call_usd, body.get("max_cost_usd", settings.mcp_call_usd))
        if charge.usd is not None and charge.usd > cap:
            estimate = f"the estimate is {rounded(charge.usd, 2)} USD"
            raise ToolError(f"{estimate}, and one call may cost {rounded(cap, 2)} USD")
        spent = await self._spent_today(client)
        if spent + cap > settings.mcp_day_usd:
            most = f"{rounded(settings.mcp_day_usd, 2)} USD a day (UTC)"
            gone = f"{rounded(spent, 2)} USD are spent or set aside"
            raise ToolError(f"tools may spend {most}: {gone}, this would be {rounded(cap, 2)} more")
        return {**body, "max_cost_usd": cap}

    async def _spent_today(self, client: AsyncClient) -> float:
        """What was opened today with the tag has cost; the whole cap of a call for what has not ended."""
        today, spent, after = datetime.now(UTC).date().isoformat(), 0.0, ""
        while True:
            page = await client.get(f"/api/debates?tag={TAG}&limit={PAGE}{after}")
            for row in page["debates"]:
                if row["opened_at"][:10] < today:
                    return spent
                spent += await self._cost(client, row)
            if not page["next"]:
                return spent
            after = f"&after={page['next']}"

    async def _cost(self, client: AsyncClient, row: dict[str, Any]) -> float:
        if row["id"] in self._final:
            return self._final[row["id"]]
        if row["state"] not in {"concluded", "halted"}:
            return self._settings.mcp_call_usd
        cost = float((await client.get(f"/api/debates/{row['id']}"))["usage"]["cost_usd"])
        if row["state"] == "concluded":
            self._final[row["id"]] = cost
        return cost


def models_of(body: dict[str, Any]) -> list[str]:
    """The models that a request of a tool names."""
    seats = [body.get(seat, {}).get("model") for seat in ("pro", "con", "judge")]
    return [each for each in (*seats, *body.get("panel", ())) if each]


def _is_priced(model: str) -> bool:
    """Whether the estimate knows what ``provider:model`` costs: a provider of others reports its cost afterwards."""
    provider = model.partition(":")[0]
    return provider in FREE or provider in KNOWN or runs_here(model)
