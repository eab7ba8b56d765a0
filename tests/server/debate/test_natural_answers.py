"""Answers of natural length, in prose and over the limits, are accepted the first time from every vendor."""

import pytest
from msgspec import UNSET

from events.types import DebateConcluded, FindingRefused, ModelAnswered, ModelFailed, TurnScored
from server.settings import Settings
from tests.laws import spread
from tests.providers.vendors.running import running_vendors
from tests.server.harness import harness, shipped_registry

pytestmark = pytest.mark.anyio

JUDGES = (
    "openai:gpt-5-mini",
    "openai:gpt-4.1",
    "anthropic:claude-sonnet-5-5",
    "anthropic:claude-haiku-4-5",
    "gemini:gemini-3.8-flash",
    "ollama:qwen3",
)


@pytest.mark.slow
@pytest.mark.parametrize("judge", spread(JUDGES, 3))
async def test_every_readable_answer_is_accepted_the_first_time(judge: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(store="memory:", tick_ms=0, retry_ms=0, idle_timeout_s=60)
    async with running_vendors(monkeypatch, natural=True), harness(settings=settings, registry=shipped_registry()) as h:
        debate = await h.open(judge, turns=4)
        assert isinstance(await h.ended(debate), DebateConcluded)
        events = await h.events(debate)

    failed = [(each.call, each.kind, each.message) for each in events if isinstance(each, ModelFailed)]
    assert failed == []
    asked = [each for each in events if isinstance(each, ModelAnswered) and each.purpose != "speak"]
    assert len(asked) >= 4 * 3 + 3 * 3 + 1
    assert all(each.missing is UNSET for each in events if isinstance(each, TurnScored))
    assert any(isinstance(each, FindingRefused) for each in events)
