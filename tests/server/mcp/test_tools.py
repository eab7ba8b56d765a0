"""The tools, resources and prompts of MCP, by the SDK's client in both versions of the protocol."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import httpx
import msgspec
import pytest
from mcp import Client
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, Request, Result

from events.store.listing import Limits
from server.client.connection import AsyncClient
from server.debate.commands import Halt
from server.http.access import Access
from server.http.app import make_app
from server.mcp import reach as reaches
from server.mcp.outputs import DATA
from server.mcp.server import make_server
from server.mcp.spending import Charge, Spending
from server.mcp.tasks import IDENTIFIER, TaskParams
from server.service import Service, running
from server.settings import Settings

pytestmark = pytest.mark.anyio
MODES = ("auto", "legacy")
QUOTE = "Every change of a score names its cause in the ledger"
DESIGN = f"# Design\n\n{QUOTE}. A replay gives the same view to the byte.\n"
BASE = "http://127.0.0.1:8484"


class Direct:
    """The API of a service in this process."""

    def __init__(self, service: Service, settings: Settings) -> None:
        self._settings = settings
        self._transport = httpx.ASGITransport(make_app(service, Access(settings)))

    @asynccontextmanager
    async def client(self, ctx: Any) -> AsyncIterator[AsyncClient]:
        del ctx
        async with (
            reaches._refusals(),
            AsyncClient(BASE, self._settings.token, transport=self._transport) as client,
        ):
            yield client


@asynccontextmanager
async def tools(mode: str = "auto", store: str = "memory:", **given: Any) -> AsyncIterator[tuple[Client, Service]]:
    options = {name: given.pop(name) for name in ("elicitation_callback", "extensions") if name in given}
    settings = Settings(store=store, retry_ms=0, tick_ms=0, **given)
    async with running(settings) as service:
        await service.take_up()
        async with Client(make_server(settings, Direct(service, settings)), mode=mode, **options) as client:
            yield client, service


async def call(client: Client, name: str, /, **given: Any) -> dict[str, Any]:
    result = await client.call_tool(name, given)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return dict(result.structured_content)


async def refusal(client: Client, name: str, /, **given: Any) -> str:
    result = await client.call_tool(name, given)
    assert result.is_error
    return str(result.content[0].text)


def opinion() -> dict[str, Any]:
    scores = dict.fromkeys(("soundness", "completeness", "clarity", "risk"), 3)
    said = {"quote": QUOTE, "rationale": "It can be traced.", "findings": [], "remediation": []}
    return {**said, "scores": scores, "confidence": 0.9, "verdict": "PASS"}


async def judged(client: Client) -> dict[str, Any]:
    """The verdict of a deliberation in which this test is the host's model."""
    opened = await call(client, "deliberate", text=DESIGN, name="design.md", purpose="a design", hosted="tester")
    turn = await call(client, "hosted_question", id=opened["id"])
    while turn["state"] == "open":
        asked = turn["question"]
        given = {"question": asked["id"], "answer": opinion()} if asked else {}
        turn = await call(client, "hosted_question", id=opened["id"], **given)
    return await call(client, "verdict", id=opened["id"])


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
async def test_the_hosts_own_model_judges_a_text_and_the_verdict_has_quotes_with_their_places(mode: str) -> None:
    async with tools(mode) as (client, _):
        verdict = await judged(client)

    assert verdict["verdict"] == "PASS"
    assert verdict["certainty"] == 1.0
    assert "weight" in verdict["certainty_is"]
    assert verdict["outcome"].startswith("PASS. ")
    assert verdict["cost_usd"] == 0.0
    assert verdict["page"] == f"{BASE}/d/{verdict['id']}"
    (quote,) = verdict["quotes"]
    assert DESIGN[quote["start"] : quote["end"]] == quote["text"] == QUOTE
    assert verdict["note"] == DATA


async def test_every_tool_has_an_output_schema_and_says_whether_it_changes_something() -> None:
    async with tools() as (client, _):
        found = (await client.list_tools()).tools

    changing = {each.name for each in found if not each.annotations.read_only_hint}
    assert changing == {"debate", "deliberate", "judge_transcript", "hosted_question"}
    assert all(each.output_schema and each.description for each in found)
    reading = {each.name for each in found} - changing
    assert reading == {"verdict", "progress", "audit", "search", "list_models", "estimate"}


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
async def test_a_debate_is_opened_followed_audited_and_found(mode: str) -> None:
    async with tools(mode) as (client, _):
        opened = await call(
            client, "debate", motion="Trams beat buses", turns=2, hosted="tester", judge="baseline:lexical"
        )
        asked = await call(client, "progress", id=opened["id"])
        assert asked["hosted_questions"] == 1
        turn = await call(client, "hosted_question", id=opened["id"])
        assert "Trams beat buses" in str(turn["question"]["messages"])
        while turn["state"] == "open":
            speech = {"question": turn["question"]["id"], "answer": "Rails tell riders where trams run."}
            turn = await call(client, "hosted_question", id=opened["id"], **speech)
        audit = await call(client, "audit", id=opened["id"], part="1")
        hits = await call(client, "search", query="riders")
        missing = await refusal(client, "audit", id=opened["id"], part="9")

    assert turn["state"] == "concluded"
    assert audit["audit"]["entries"][0]["rule"] == "score"
    assert {each["turn"] for each in hits["hits"]} == {1, 2}
    assert "not_found" in missing


async def test_an_answer_that_cannot_be_read_is_refused_and_its_question_waits_on() -> None:
    async with tools() as (client, _):
        opened = await call(client, "deliberate", text=DESIGN, purpose="a design", hosted="tester")
        asked = (await call(client, "hosted_question", id=opened["id"]))["question"]
        said = await refusal(client, "hosted_question", id=opened["id"], question=asked["id"], answer="It is good")
        again = (await call(client, "hosted_question", id=opened["id"]))["question"]
        unknown = await refusal(client, "hosted_question", id=opened["id"], question="nope", answer="x")

    assert "bad_field (answer)" in said
    assert again["id"] == asked["id"]
    assert "not_now" in unknown


@pytest.mark.slow
async def test_questions_of_a_hosted_model_wait_again_after_a_restart(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'moot.db'}"
    async with tools(store=store) as (client, _):
        opened = await call(client, "debate", motion="Trams beat buses", turns=2, hosted="a", judge="baseline:lexical")
        before = (await call(client, "hosted_question", id=opened["id"]))["question"]
    async with tools(store=store) as (client, _):
        after = (await call(client, "hosted_question", id=opened["id"]))["question"]
        given = {"question": after["id"], "answer": "Rails stay, because they are steel."}
        turn = await call(client, "hosted_question", id=opened["id"], **given)

    assert after["messages"] == before["messages"]
    assert turn["question"]["turn"] == 2


async def test_what_costs_money_needs_the_switch(monkeypatch: pytest.MonkeyPatch, script: Any) -> None:
    costs(monkeypatch, 0.12)
    model = script()
    async with tools() as (client, _):
        said = await refusal(client, "debate", motion="Trams beat buses", pro=model, con=model, judge=model)

    assert "--allow-runs" in said


def costs(monkeypatch: pytest.MonkeyPatch, usd: float) -> None:
    async def charge(*_: Any) -> Charge:
        return Charge(estimate={}, usd=usd, is_free=False)

    monkeypatch.setattr(Spending, "charge", charge)


@pytest.mark.parametrize(("call_usd", "day_usd", "says"), [(0.1, 5.0, "one call may cost 0.10"), (1.0, 1.5, "a day")])
async def test_a_call_and_a_day_have_caps(
    monkeypatch: pytest.MonkeyPatch, script: Any, call_usd: float, day_usd: float, says: str
) -> None:
    costs(monkeypatch, 0.12)
    given = {"motion": "Trams beat buses", "turns": 2, **dict.fromkeys(("pro", "con", "judge"), script())}
    async with tools(mcp_runs=True, mcp_call_usd=call_usd, mcp_day_usd=day_usd) as (client, _):
        if call_usd > 0.12:
            opened = await call(client, "debate", **given)
            assert opened["cap_usd"] == call_usd
        said = await refusal(client, "debate", **given)

    assert says in said


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("start", [True, False])
async def test_a_client_that_can_ask_its_person_asks_about_the_cost(
    monkeypatch: pytest.MonkeyPatch, script: Any, mode: str, start: bool
) -> None:
    costs(monkeypatch, 0.12)
    asked: list[str] = []

    async def answer(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"start": start})

    given = {"motion": "Trams beat buses", "turns": 2, **dict.fromkeys(("pro", "con", "judge"), script())}
    async with tools(mode, mcp_runs=True, elicitation_callback=answer) as (client, service):
        result = await client.call_tool("debate", given)
        opened = await service.log.summaries(None, 10, "", Limits())

    assert asked == ["This would cost about 0.12 USD, at most 1.00 USD. Start it?"]
    assert result.is_error is not start
    assert [each.tags for each in opened.debates] == ([("mcp",)] if start else [])


async def test_a_provider_of_others_needs_the_switch_since_it_reports_its_cost_afterwards() -> None:
    class Answers:
        async def post(self, *_: Any) -> dict[str, Any]:
            return {"cost_usd": 0.0}

    spending = Spending(Settings())
    free = await spending.charge(Answers(), {"pro": {"model": "hosted:a"}, "panel": ["baseline:lexical"]})  # type: ignore[arg-type]
    other = await spending.charge(Answers(), {"pro": {"model": "corp:a"}})  # type: ignore[arg-type]

    assert free.is_free
    assert not other.is_free


@pytest.mark.slow
async def test_resources_and_prompts() -> None:
    async with tools() as (client, _):
        verdict = await judged(client)
        read = (await client.read_resource(f"moot://debates/{verdict['id']}")).contents[0].text
        view = (await client.read_resource(f"moot://debates/{verdict['id']}/view")).contents[0]
        log = (await client.read_resource(f"moot://debates/{verdict['id']}/log")).contents[0].text
        prompts = {each.name for each in (await client.list_prompts()).prompts}
        with pytest.raises(MCPError):
            await client.read_resource("moot://debates/nope")

    mark = re.findall(r"<(moot-data-[0-9a-f]{16})>\n", read)[0]
    assert read.startswith(DATA)
    assert read.rstrip().endswith(f"</{mark}>")
    assert msgspec.json.decode(view.text)["id"] == verdict["id"]
    assert '"debate_opened"' in log.splitlines()[0]
    assert prompts == {"steelman", "judge_design"}


@pytest.mark.slow
async def test_a_client_that_listens_is_told_of_each_change_of_a_debate() -> None:
    async with tools() as (client, service):
        opened = await call(client, "debate", motion="Trams beat buses", turns=2, hosted="a", judge="baseline:lexical")
        uri = f"moot://debates/{opened['id']}/view"
        async with client.listen(resource_subscriptions=[uri]) as updates:
            await service.moderators.act(opened["id"], Halt("enough", "test"))
            event = await anext(updates)
        view = msgspec.json.decode((await client.read_resource(uri)).contents[0].text)
        for wrong in ("moot://debates/nope", "moot://other"):
            with pytest.raises(MCPError):
                async with client.listen(resource_subscriptions=[wrong]):
                    pass

    assert event.uri == uri
    assert view["state"] == "halted"


async def test_an_id_leads_to_no_other_route() -> None:
    names = ("..", ".", "../models", "x/../../models", "%2e%2e/models", "a?limit=1", "\n", "é" * 150)
    async with tools() as (client, _):
        said = [await refusal(client, tool, id=each) for each in names for tool in ("verdict", "hosted_question")]
        said += [await refusal(client, "audit", id=each, part="1") for each in names]

    assert [each for each in said if "unknown_debate" not in each and "not_found" not in each] == []


@pytest.mark.slow
async def test_a_transcript_is_judged_once_its_sides_are_said() -> None:
    text = "Ann: Trams carry more people, because they are long.\nBen: Buses turn with the street, so they serve more."
    async with tools() as (client, _):
        said = await refusal(client, "judge_transcript", text=text, motion="Trams beat buses", judge="baseline:lexical")
        sides = {"pro": ["Ann"], "con": ["Ben"]}
        unknown = await refusal(client, "judge_transcript", text=text, motion="x", pro=["Cleo"], con=["Ben"])
        opened = await call(
            client, "judge_transcript", text=text, motion="Trams beat buses", judge="baseline:lexical", **sides
        )
        turn = await call(client, "hosted_question", id=opened["id"])
        while turn["state"] == "open":
            turn = await call(client, "hosted_question", id=opened["id"])
        verdict = await call(client, "verdict", id=opened["id"])

    assert "say in pro and con" in said
    assert "none of the speakers" in unknown
    assert verdict["turns_spoken"] == 2
    assert verdict["outcome"].startswith("No side is named: the judge counts words")


class TaskHandle(Result):
    """What the server gives in place of an answer."""

    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    poll_interval_ms: int


class TaskNow(Result):
    """How a task stands; nothing for a task that is cancelled."""

    task_id: str = ""
    status: str = ""
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class Knows(ClientExtension):
    """A client that knows tasks."""

    identifier = IDENTIFIER

    def claims(self) -> Any:
        async def resolve(*_: Any) -> Any:
            raise NotImplementedError

        return (ResultClaim(result_type="task", model=TaskHandle, resolve=resolve),)


async def about(client: Client, method: str, task: str) -> TaskNow:
    request = Request[TaskParams, str](method=method, params=TaskParams(task_id=task))
    return await client.session.send_request(request, TaskNow)


@pytest.mark.slow
async def test_a_client_that_declares_tasks_gets_a_task_with_the_verdict_as_its_result() -> None:
    async with tools(extensions=[Knows()]) as (client, _):
        given = {"text": DESIGN, "purpose": "a design", "hosted": "tester"}
        handle = await client.session.call_tool("deliberate", given, allow_claimed=True)
        assert isinstance(handle, TaskHandle)
        begun = await about(client, "tasks/get", handle.task_id)
        turn = await call(client, "hosted_question", id=handle.task_id)
        while turn["state"] == "open":
            brought = {"question": turn["question"]["id"], "answer": opinion()} if turn["question"] else {}
            turn = await call(client, "hosted_question", id=handle.task_id, **brought)
        ended = await about(client, "tasks/get", handle.task_id)
        other = await client.session.call_tool("deliberate", given, allow_claimed=True)
        assert isinstance(other, TaskHandle)
        await about(client, "tasks/cancel", other.task_id)
        cancelled = await about(client, "tasks/get", other.task_id)
        with pytest.raises(MCPError, match="unknown_debate"):
            await about(client, "tasks/get", "nope")

    seen = [each.status for each in (handle, begun, ended, cancelled)]
    assert seen == ["working", "working", "completed", "failed"]
    assert ended.result is not None
    assert ended.result["structuredContent"]["verdict"] == "PASS"
    assert cancelled.error is not None
    assert "cancelled" in cancelled.error["message"]
