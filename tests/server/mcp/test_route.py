"""``/mcp`` of a server, and ``moot mcp``: who may use them, and that they work over real transports."""

import os
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.server.children import MOOT
from tests.server.site import Site, serving

DISCOVER = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def test_without_the_token_it_answers_nobody(guarded: Site) -> None:
    response = guarded.client.post("/mcp", json=DISCOVER)

    assert response.status_code == 401
    assert response.json()["error"]["code"] == "token_missing"


@pytest.mark.parametrize(("mcp", "host", "status"), [("off", "127.0.0.1", 404), ("loopback", "0.0.0.0", 404)])
def test_it_is_off_beyond_loopback_unless_asked_for(mcp: str, host: str, status: int) -> None:
    token = "t" * 16
    for site in serving(mcp=mcp, host=host, token=token):
        response = site.client.post("/mcp", json=DISCOVER, headers={"authorization": f"Bearer {token}"})

        assert response.status_code == status
        assert "MOOT_MCP=on" in response.json()["error"]["message"]


def test_a_foreign_host_or_origin_is_refused(site: Site) -> None:
    assert site.client.post("/mcp", json=DISCOVER, headers={"host": "evil.example"}).status_code == 403
    assert site.client.post("/mcp", json=DISCOVER, headers={"origin": "https://evil.example"}).status_code == 403


def test_hosted_questions_are_for_operators(guarded: Site) -> None:
    assert guarded.client.get("/api/debates/x/hosted").status_code == 401
    answer = {"question": "a", "answer": "b"}
    assert guarded.client.post("/api/debates/x/hosted/answer", json=answer).status_code == 401


async def listed(client: Client) -> None:
    result = await client.call_tool("search", {"query": "trams"})
    assert not result.is_error, result.content


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.thorough)])
async def test_two_programs_share_one_store_over_stdio(tmp_path: Any, mode: str) -> None:
    environment = {**os.environ, "MOOT_STORE": f"sqlite:{tmp_path / 'moot.db'}", "MOOT_LOG_LEVEL": "warning"}
    server = StdioServerParameters(command=MOOT[0], args=[*MOOT[1:], "mcp"], env=environment)
    async with Client(stdio_client(server), mode=mode) as one, Client(stdio_client(server), mode=mode) as two:
        async with anyio.create_task_group() as first:  # neither finds a server, and only one can have the store
            for each in (one, two):
                first.start_soon(listed, each)
        given = {"motion": "Trams beat buses", "turns": 2, "hosted": "a", "judge": "baseline:lexical"}
        opened = (await one.call_tool("debate", given)).structured_content
        assert opened is not None
        asked = (await two.call_tool("hosted_question", {"id": opened["id"]})).structured_content

    assert asked is not None
    assert asked["question"]["turn"] == 1
