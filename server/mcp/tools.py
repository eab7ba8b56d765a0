"""The tools: each is one or a few requests to the API of Moot."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final
from urllib.parse import urlencode

import anyio
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from events.text.figures import rounded
from server.mcp import outputs
from server.mcp.outputs import ENDED, Opened, Progress, Verdict, page_of, verdict_of
from server.mcp.reach import Reach, at_debate
from server.mcp.requests import debate_body, deliberation_body, transcript_body
from server.mcp.spending import TAG, Charge, Spending, models_of

MAX_WAIT_S: Final = 50.0
"""Seconds: less than the minute after which clients give a call up."""
LOOK_S: Final = 0.5
READS: Final = ToolAnnotations(read_only_hint=True)
RUNS: Final = ToolAnnotations(read_only_hint=False, destructive_hint=False)
ANSWERS: Final = "hosted_question"
Id = Annotated[str, Field(description="The id of a debate.", min_length=1, max_length=200)]
WaitS = Annotated[float, Field(description="Seconds to wait, at most 50.", ge=0, le=MAX_WAIT_S)]
Ctx = Context[Any, Any]
Body = Callable[..., Awaitable[dict[str, Any]]]


class Consent(BaseModel):
    """The person's answer to a question about cost."""

    start: bool = Field(description="Start it at this cost?")


class Tools:
    """The tools over one reach, with the rules of spending."""

    def __init__(self, reach: Reach, spending: Spending) -> None:
        self._reach, self._spending = reach, spending

    def add_to(self, server: MCPServer[Any]) -> None:
        """Register them."""
        server.tool(annotations=READS)(self.verdict)
        server.tool(annotations=READS)(self.progress)
        server.tool(annotations=READS)(self.audit)
        server.tool(annotations=READS)(self.search)
        server.tool(annotations=READS)(self.list_models)
        server.tool(annotations=RUNS)(self.hosted_question)
        server.add_tool(self._estimating(debate_body), name="estimate", annotations=READS)
        for name, body, told in (
            ("debate", debate_body, DEBATE),
            ("deliberate", deliberation_body, DELIBERATE),
            ("judge_transcript", transcript_body, JUDGE),
        ):
            server.add_tool(self._opening(body), name=name, description=told, annotations=RUNS)

    async def verdict(self, id: Id, ctx: Ctx) -> Verdict:  # noqa: A002 - the name of the argument
        """How a debate ended or stands: the outcome, how sure it is, quotes with their places, its cost, its page."""
        async with self._reach.client(ctx) as client:
            return verdict_of(await client.get(at_debate(id)), client.address)

    async def progress(self, id: Id, ctx: Ctx, wait_s: WaitS = 20.0) -> Progress:  # noqa: A002 - likewise
        """How far a debate is.  Waits until it ends, rests or asks you, at most wait_s; reports progress meanwhile."""
        async with self._reach.client(ctx) as client:
            found = await self._progress(client, id)
            with anyio.move_on_after(wait_s):
                while found.state == "open":
                    said = f"{found.turns_spoken} of {found.turns_planned} turns, {found.position} events"
                    await ctx.report_progress(found.position, message=said)
                    if found.hosted_questions:
                        break
                    await anyio.sleep(LOOK_S)
                    found = await self._progress(client, id)
            return found

    async def _progress(self, client: Any, debate: str) -> Progress:
        view = await client.get(at_debate(debate))
        return Progress(
            id=debate,
            state=view["state"],
            turns_spoken=outputs.turns_spoken(view),
            turns_planned=view["turns_planned"],
            position=view["position"],
            waits=outputs.waits_of(view),
            outcome=outputs.outcome_words(view),
            hosted_questions=len(await self._questions(client, debate)) if view["state"] == "open" else 0,
        )

    async def audit(
        self,
        id: Id,  # noqa: A002 - likewise
        ctx: Ctx,
        part: Annotated[
            str,
            Field(
                description="A turn by its number, or an argument such as PRO-1.",
                pattern=r"^([1-9][0-9]{0,5}|(?i:pro|con)-[0-9]{1,3})$",
            ),
        ],
    ) -> outputs.PartAudit:
        """What a score is made of: every entry of its ledger, with the cause, the judge's reason and its quote."""
        kind = "turns" if part.isdecimal() else "arguments"
        async with self._reach.client(ctx) as client:
            found = await client.get(at_debate(id, f"/audit/{kind}/{part.upper()}"))
            return outputs.PartAudit(id=id, part=part, audit=found, page=page_of(client.address, id))

    async def search(
        self,
        query: Annotated[str, Field(min_length=1, max_length=200)],
        ctx: Ctx,
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        after: str = "",
    ) -> outputs.Hits:
        """Search in what was said, newest debate first."""
        asked = urlencode({"q": query, "limit": limit} | ({"after": after} if after else {}))
        async with self._reach.client(ctx) as client:
            page = await client.get(f"/api/search?{asked}")
            hits = [
                outputs.Hit(
                    debate=each["debate"]["id"],
                    motion=each["debate"]["motion"],
                    turn=each.get("turn"),
                    side=each.get("side"),
                    text=each["text"],
                    start=each["start"],
                    page=page_of(client.address, each["debate"]["id"]),
                )
                for each in page["hits"]
            ]
            return outputs.Hits(hits=hits, next=page["next"])

    async def list_models(self, ctx: Ctx) -> outputs.Models:
        """The models that can speak or judge here, and which answer now."""
        async with self._reach.client(ctx) as client:
            found = await client.get("/api/models")
        models = [
            outputs.ListedModel(
                name=each["name"],
                ok=each["ok"],
                detail=each["detail"],
                hint=each.get("hint", ""),
                only_judges=bool(each.get("baseline")),
            )
            for each in found["models"]
        ]
        return outputs.Models(default=found["default"], default_judge=found["default_judge"], models=models)

    async def hosted_question(
        self,
        id: Id,  # noqa: A002 - likewise
        ctx: Ctx,
        question: Annotated[str, Field(description="The id of the question that you answer; empty at first.")] = "",
        answer: Annotated[
            str | dict[str, Any] | None, Field(description="Your speech as text, or your answer as JSON of the schema.")
        ] = None,
        wait_s: WaitS = 20.0,
    ) -> outputs.HostedTurn:
        """Speak and judge yourself: take the next question of a debate, and give your answer with the next call.

        Answer as the question's messages ask, as well and as honestly as you can for each seat by itself.  Call again
        with the question's id and your answer until the state is concluded or halted.
        """
        async with self._reach.client(ctx) as client:
            if question:
                body = {"question": question, "answer": "" if answer is None else answer}
                await client.post(at_debate(id, "/hosted/answer"), body)
            waiting: list[dict[str, Any]] = []
            state = "open"
            with anyio.move_on_after(wait_s):
                while not (waiting := await self._questions(client, id)):
                    state = (await client.get(at_debate(id)))["state"]
                    if state != "open":
                        break
                    await anyio.sleep(LOOK_S)
            first = waiting[0] if waiting else None
            told = "answer it with hosted_question" if first else "call hosted_question again"
            return outputs.HostedTurn(
                id=id,
                state=state,
                question=None if first is None else _question(first),
                waiting=len(waiting),
                next="verdict" if state in ENDED else told,
            )

    async def _questions(self, client: Any, debate: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await client.get(at_debate(debate, "/hosted")))["questions"]
        return found

    # what opens a debate

    def _opening(self, body: Body) -> Callable[..., Awaitable[Opened]]:
        """The tool that opens what ``body`` asks for, after the person's consent to its cost."""
        consent = self._consent(body)

        async def tool(ctx: Ctx, consent: Consent, **arguments: Any) -> Opened:
            if not consent.start:
                raise ToolError("the person does not want to start it at this cost")
            async with self._reach.client(ctx) as client, self._spending.lock:
                wanted = await body(client, **arguments)
                charge = await self._spending.charge(client, wanted)
                wanted = await self._spending.capped(client, wanted, charge)
                debate = (await client.post("/api/debates", wanted))["id"]
                if not charge.is_free:
                    await client.post(f"/api/debates/{debate}/labels", {"tags": [TAG]})
                is_hosted = any(each.startswith("hosted:") for each in models_of(wanted))
                return Opened(
                    id=debate,
                    page=page_of(client.address, debate),
                    estimate_usd=charge.usd,
                    cap_usd=wanted.get("max_cost_usd"),
                    estimate_s=None if is_hosted else charge.estimate.get("seconds"),
                    next=ANSWERS if is_hosted else "progress, then verdict",
                )

        return _shaped(tool, body, Opened, consent=Annotated[Consent, Resolve(consent)])

    def _consent(self, body: Body) -> Callable[..., Awaitable[Any]]:
        """Asks the person where it costs money and the client can ask; the switch and the caps come first."""

        async def consent(ctx: Ctx, **arguments: Any) -> Any:
            async with self._reach.client(ctx) as client:
                wanted = await body(client, **arguments)
                charge = await self._spending.charge(client, wanted)
                wanted = await self._spending.capped(client, wanted, charge)
            capabilities = ctx.client_capabilities
            if charge.is_free or capabilities is None or capabilities.elicitation is None:
                return Consent(start=True)
            cost = "an unknown amount" if charge.usd is None else f"about {rounded(charge.usd, 2)} USD"
            most = f"{rounded(wanted['max_cost_usd'], 2)} USD"
            return Elicit(f"This would cost {cost}, at most {most}. Start it?", Consent)

        return _shaped(consent, body, Consent | Elicit[Consent])

    def _estimating(self, body: Body) -> Callable[..., Awaitable[outputs.Cost]]:
        """The tool that estimates what ``body`` asks for."""

        async def estimate(ctx: Ctx, **arguments: Any) -> outputs.Cost:
            """What a debate would take: calls, tokens, cost, time.  Opens nothing and calls no model."""
            async with self._reach.client(ctx) as client:
                charge: Charge = await self._spending.charge(client, await body(client, **arguments))
            found = charge.estimate
            return outputs.Cost(
                calls=found["calls"],
                input_tokens=found["input_tokens"],
                output_tokens=found["output_tokens"],
                cost_usd=charge.usd,
                seconds=found.get("seconds"),
                needs_switch=not charge.is_free,
            )

        return _shaped(estimate, body, outputs.Cost)


DEBATE: Final = (
    "Open a debate on a motion between two models, with a judge that shows its work. Answers at once with an id; the "
    "debate runs on. Then call progress, and verdict at the end."
)
DELIBERATE: Final = (
    "Have a text judged for a purpose by five judges, who read each other while they disagree: PASS, CONDITIONAL or "
    "FAIL. Answers at once with an id; then call progress, and verdict at the end."
)
JUDGE: Final = (
    "Judge a debate that was held elsewhere, from its transcript. Answers at once with an id; then call progress, and "
    "verdict at the end."
)


def _shaped(function: Callable[..., Awaitable[Any]], body: Body, returns: Any, **more: Any) -> Callable[..., Any]:
    """The function with the parameters of ``body`` in place of its client, as the SDK reads them."""
    given = list(inspect.signature(body).parameters.values())[1:]
    kind = inspect.Parameter.KEYWORD_ONLY
    own = {"ctx": Ctx, **more}
    parameters = [
        *(each.replace(kind=kind) for each in given),
        *(inspect.Parameter(name, kind, annotation=type_) for name, type_ in own.items()),
    ]
    function.__signature__ = inspect.Signature(parameters, return_annotation=returns)  # type: ignore[attr-defined]
    function.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": returns}
    return function


def _question(found: dict[str, Any]) -> outputs.HandedQuestion:
    names = ("id", "model", "kind", "turn", "attempt", "messages")
    return outputs.HandedQuestion(**{name: found[name] for name in names}, answer_schema=found.get("schema"))
