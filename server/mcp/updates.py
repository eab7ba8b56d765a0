"""Updates of debates for clients that listen (``subscriptions/listen``, version 2026-07-28).

The SDK serves the streams; this follows the debates whose resources a stream names, while it is open.
"""

import re
from typing import Any, Final

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, SubscriptionsListenRequestParams
from pydantic import ValidationError

from server.mcp.outputs import ENDED
from server.mcp.reach import Reach, at_debate

LISTEN: Final = "subscriptions/listen"
MAX_RESOURCES: Final = 20
"""Resources that one stream may name."""
LOOK_S: Final = 1.0
RESOURCE: Final = re.compile(r"moot://debates/([^/?#]+)(?:/view|/log)?")


class Updates:
    """A middleware over one reach: it tells ``bus`` that a resource has changed."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self.bus = InMemorySubscriptionBus()

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Follow what a stream names until the stream ends; other requests pass."""
        if ctx.method != LISTEN or not (named := _named(ctx.params)):
            return await call_next(ctx)
        found = {uri: RESOURCE.fullmatch(uri) for uri in named}
        if len(found) > MAX_RESOURCES or None in found.values():
            raise MCPError(
                code=INVALID_PARAMS, message=f"name 1 to {MAX_RESOURCES} resources such as moot://debates/ID"
            )
        begun = {uri: await self._at(ctx, match[1]) for uri, match in found.items() if match}
        async with anyio.create_task_group() as following:
            for uri, (position, _) in begun.items():
                following.start_soon(self._follow, ctx, uri, position)
            result = await call_next(ctx)
            following.cancel_scope.cancel()
        return result

    async def _follow(self, ctx: ServerRequestContext[Any, Any], uri: str, position: int) -> None:
        """Tell of each change until the debate has ended."""
        match, has_ended = RESOURCE.fullmatch(uri), False
        while match and not has_ended:
            await anyio.sleep(LOOK_S)
            try:
                now, has_ended = await self._at(ctx, match[1])
            except MCPError:  # deleted, or its server is gone: who reads it now is told why
                now, has_ended = position + 1, True
            if now > position:
                position = now
                await self.bus.publish(ResourceUpdated(uri=uri))

    async def _at(self, ctx: ServerRequestContext[Any, Any], debate: str) -> tuple[int, bool]:
        """The position of a debate, and whether it has ended.  Raises ``MCPError`` with the refusal of the API."""
        try:
            async with self._reach.client(Context(request_context=ctx)) as client:
                view = await client.get(at_debate(debate))
        except ToolError as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from error
        return view["position"], view["state"] in ENDED


def _named(params: Any) -> list[str]:
    """The resources that a stream names; none where the SDK will refuse the request."""
    try:
        asked = SubscriptionsListenRequestParams.model_validate(params, by_name=False)
    except ValidationError:
        return []
    return list(asked.notifications.resource_subscriptions or ())
