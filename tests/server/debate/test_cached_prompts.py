"""A judge that reads the whole debate reads most of it from the vendor's cache, as the vendors' fakes bill it.

The questions of a turn are asked at the same time, so each finds only what the turns before have put into the cache.
"""

import msgspec
import pytest

from events.types import DebateConcluded, ModelAnswered
from judge.rubric import rubric_v2
from server.settings import Settings
from tests.providers.vendors.running import running_vendors
from tests.server.harness import harness, shipped_registry

pytestmark = pytest.mark.anyio


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judge", "first", "least"),
    [
        ("anthropic:claude-sonnet-5-5", 4, 0.7),
        ("openai:gpt-5.4-mini", 4, 0.7),
        ("openai:gpt-6-luna", 4, 0.7),
        ("gemini:gemini-3.8-flash", 7, 0.7),
    ],
)
async def test_most_of_the_input_tokens_are_cached(
    judge: str, first: int, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From turn ``first`` on.  Gemini caches nothing below 4,096 tokens, which these debates have after six turns."""
    settings = Settings(store="memory:", tick_ms=0, retry_ms=0, idle_timeout_s=60)
    async with (
        running_vendors(monkeypatch, words=180, thought=0, natural=True, latency_s=0.2) as vendors,
        harness(settings=settings, registry=shipped_registry()) as h,
    ):
        monkeypatch.setattr(
            "providers.openai.URL", vendors.openai.url
        )  # marks for the cache go to OpenAI's address only
        debate = await h.open(judge, turns=first + 2, max_words=200, rubric=msgspec.to_builtins(rubric_v2()))
        assert isinstance(await h.ended(debate), DebateConcluded)
        events = await h.events(debate)

    judged = [
        each.usage
        for each in events
        if isinstance(each, ModelAnswered) and each.purpose != "speak" and (each.turn or 0) >= first
    ]
    share = sum(each.cached_tokens or 0 for each in judged) / sum(each.input_tokens for each in judged)
    assert share >= least, f"{share:.2f} of {len(judged)} calls"
