"""A judge that reads the whole debate reads most of it from the vendor's cache, as the vendors' fakes bill it.

The questions of a turn are asked at the same time, so each finds only what the turns before have put into the cache.
"""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events.state import debate as debates
from events.transfer import parse_lines
from events.types import DebateConcluded, DebateOpened, ModelAnswered, Template, TurnSpoken
from judge.rubric import rubric_v2
from judge.templates import judge_templates, load_template, parse_template
from providers.base import Segment
from server.debate.formats import next_steps
from server.debate.formats.steps import Ask
from server.settings import Settings
from tests.providers.vendors.running import running_vendors
from tests.providers.vendors.tokens import tokens
from tests.server.harness import harness, shipped_registry

pytestmark = pytest.mark.anyio


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judge", "first", "least"),
    [
        ("anthropic:claude-sonnet-5-5", 4, 0.7),
        ("openai:gpt-5.4-mini", 4, 0.7),
        ("openai:gpt-6-luna", 4, 0.7),
        ("gemini:gemini-3.8-flash", 7, 0.65),
    ],
)
async def test_most_of_the_input_tokens_are_cached(
    judge: str, first: int, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From turn ``first`` on.  Gemini caches nothing below 4,096 tokens, and then in blocks of 2,048."""
    settings = Settings(store="memory:", tick_ms=0, retry_ms=0, idle_timeout_s=60)
    async with (
        running_vendors(monkeypatch, words=180, thought=0, natural=True, latency_s=0.2) as vendors,
        harness(settings=settings, registry=shipped_registry()) as h,
    ):
        monkeypatch.setattr(
            "providers.openai.OpenAIProvider.default_address", vendors.openai.url
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


def asked(name: str, **templates: Template) -> dict[int, dict[Any, tuple[Segment, ...]]]:
    """The prompts of a debate that was answered by hand, with today's templates, by turn and form of answer."""
    path = Path(__file__).parent / "logs" / f"{name}_v2.ndjson"
    debate, found = debates.INITIAL, {}
    for record in parse_lines(path.read_bytes().splitlines(keepends=True)):
        event = record.event
        if isinstance(event, DebateOpened):
            event = replace(event, prompts=event.prompts | judge_templates() | templates)
        debate = debates.evolve(debate, replace(record, event=event))
        if isinstance(event, TurnSpoken):
            asks = [step for step in next_steps(debate) if isinstance(step, Ask)]
            found[event.turn] = {each.answer_type: each.prompt for each in asks}
    return found


@pytest.mark.parametrize("name", ["free_transport", "under_sixteen"])
def test_a_question_begins_with_what_the_same_question_wrote_a_turn_before(name: str) -> None:
    """In debates that were answered by hand at natural length: the rule of Anthropic, and of OpenAI with marks."""
    prompts = asked(name)
    read = cached = 0
    for turn in range(4, 9):
        for form, prompt in prompts[turn].items():
            before = prompts[turn - 1][form]
            end = max(at for at, each in enumerate(before, 1) if each.ends_prefix)
            written = [each.text for each in before[:end]]

            assert written == [each.text for each in prompt[:end]]
            read += sum(tokens(each.text) for each in prompt)
            cached += sum(map(tokens, written))
    assert cached >= 0.75 * read


def test_a_debate_that_was_opened_with_an_older_template_is_judged_on() -> None:
    """Its template has the record in one piece: the sections for the record of a turn are those of today."""
    today = load_template("whole").text
    new = "noted|unrecorded|given|stands|flagged|upheld|cleared|revised|withdrawn|dropped"
    cut = re.sub(rf"(?ms)^--- (?:{new})\n.*?(?=^--- )", "", today).replace("version: 2", "version: 1")
    older = parse_template(
        cut + "--- ledger\nThe record so far:\n$entries\n--- scored\nTurn $turn, $speaker:\n$scores\n--- claim\n"
        "Claim $name of turn $turn ($kind, $state, $points points), and why it was flagged:\n$quote\n$reason\n"
    )

    assert len(older.text) < len(today)
    assert asked("under_sixteen") == asked("under_sixteen", whole=older)
