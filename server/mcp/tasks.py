"""The extension ``io.modelcontextprotocol/tasks``: for clients that declare it, a debate is a task with its id.

Source: ``modelcontextprotocol/ext-tasks``, ``specification/draft/tasks.md``.  The SDK has no runtime for it.
"""

from collections.abc import Sequence
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, RequestParams, TextContent

from server.mcp.outputs import outcome_words, verdict_of
from server.mcp.reach import Reach, at_debate

IDENTIFIER: Final = "io.modelcontextprotocol/tasks"
VERSIONS: Final = frozenset({"2026-07-28"})
OPENS: Final = frozenset({"debate", "deliberate", "judge_transcript"})
POLL_MS: Final = 2000
STATUS: Final = {"open": "working", "paused": "working", "concluded": "completed", "halted": "failed"}


class TaskParams(RequestParams):
    """A request about a task."""

    task_id: str


class Tasks(Extension):
    """Tasks over one reach."""

    identifier = IDENTIFIER

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    def methods(self) -> Sequence[MethodBinding]:
        """``tasks/get`` and ``tasks/cancel``; nothing is asked within a task, so ``tasks/update`` has nothing to do."""
        return (
            MethodBinding("tasks/get", TaskParams, self._get, VERSIONS),
            MethodBinding("tasks/cancel", TaskParams, self._cancel, VERSIONS),
        )

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """The handle of a task in place of the answer, for clients that declare tasks and tools that open a debate."""
        result = await call_next(ctx)
        declared = ctx.session.client_capabilities
        knows = declared is not None and IDENTIFIER in (declared.extensions or {})
        if params.name not in OPENS or not knows or not isinstance(result, CallToolResult) or result.is_error:
            return result
        assert result.structured_content is not None
        return {"resultType": "task", **await self._task(ctx, result.structured_content["id"])}

    async def _get(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        return {"resultType": "complete", **await self._task(ctx, params.task_id)}

    async def _cancel(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        try:
            async with self._reach.client(Context(request_context=ctx)) as client:
                await client.post(at_debate(params.task_id, "/halt"), {"reason": "the task was cancelled"})
        except ToolError as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from error
        return {"resultType": "complete"}

    async def _task(self, ctx: ServerRequestContext[Any, Any], debate: str) -> dict[str, Any]:
        """How the task of a debate stands, with the verdict once it has ended."""
        try:
            async with self._reach.client(Context(request_context=ctx)) as client:
                view = await client.get(at_debate(debate))
                verdict = verdict_of(view, client.address)
                (last,) = (await client.get(at_debate(debate, f"/events?after={view['position'] - 1}&limit=1")))[
                    "events"
                ]
        except ToolError as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from error
        task = {
            "taskId": debate,
            "status": STATUS[view["state"]],
            "statusMessage": outcome_words(view) or f"{verdict.turns_spoken} of {verdict.turns_planned} turns",
            "createdAt": view["opened_at"],
            "lastUpdatedAt": last["at"],
            "ttlMs": None,
            "pollIntervalMs": POLL_MS,
        }
        if view["state"] == "concluded":
            said = CallToolResult(
                content=[TextContent(text=verdict.model_dump_json())],
                structured_content=verdict.model_dump(mode="json"),
            )
            task["result"] = said.model_dump(mode="json", by_alias=True, exclude_none=True)
        elif view["state"] == "halted":
            task["error"] = {"code": -32603, "message": verdict.outcome}
        return task
