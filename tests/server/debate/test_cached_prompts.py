"""A judge that reads the whole debate reads most of it from the vendor's cache, as the vendors' fakes bill it.

The questions of a turn are asked at the same time, so each finds only what the turns before have put into the cache.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events.state import debate as debates
from events.transfer import parse_lines
from events.types import DebateConcluded, DebateOpened, ModelAnswered, Template, TurnSpoken
from judge.rubrics.rubric import rubric_v2
from judge.templates import judge_templates, load_template, parse_template, section
from providers.base import Segment
from server.debate.formats import next_steps
from server.debate.formats.steps import Ask
from server.debate.setup.estimate import estimate
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
        ("openai:gpt-6-luna", 4, 0.7),
        pytest.param("openai:gpt-5.4-mini", 4, 0.7, marks=pytest.mark.thorough),
        pytest.param("gemini:gemini-3.8-flash", 7, 0.5, marks=pytest.mark.thorough),
    ],
)
async def test_most_of_the_input_tokens_are_cached(
    judge: str, first: int, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From turn ``first`` on, and about as much of the whole debate as the estimate foresees.

    Gemini caches nothing below 4,096 tokens, and then in blocks of 2,048: so nothing of comparisons, whose prompts hold
    the turns alone. A few words more in a prompt can leave a block uncached, which is a fifth of a prompt of 10,000.
    """
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

    answered = [each for each in events if isinstance(each, ModelAnswered)]
    share = cached_share(each for each in answered if each.purpose != "speak" and (each.turn or 0) >= first)
    for name in ("ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)  # at another address nothing is paid, and no cache is estimated
    expected = estimate(events[0])

    assert share >= least
    assert cached_share(answered) == pytest.approx(expected.cached_tokens / expected.input_tokens, abs=0.15)


def cached_share(answered: Iterable[ModelAnswered]) -> float:
    """The share of the tokens read that came from a cache."""
    usages = [each.usage for each in answered]
    return sum(each.cached_tokens or 0 for each in usages) / sum(each.input_tokens for each in usages)


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


def test_a_debate_whose_template_has_the_record_in_one_piece_is_judged_on() -> None:
    """The sections for the record of a turn are those of today."""
    today = load_template("whole").text
    new = "noted|unrecorded|given|stands|flagged|upheld|cleared|revised|withdrawn|dropped"
    older = parse_template(
        re.sub(rf"(?ms)^--- (?:{new})\n.*?(?=^--- )", "", today)
        + "--- ledger\nThe record so far:\n$entries\n--- scored\nTurn $turn, $speaker:\n$scores\n--- claim\n"
        "Claim $name of turn $turn ($kind, $state, $points points), and why it was flagged:\n$quote\n$reason\n"
    )

    assert len(older.text) < len(today)
    assert asked("under_sixteen") == asked("under_sixteen", whole=older)


def test_a_debate_with_a_template_before_version_3_is_asked_as_it_began() -> None:
    """It tells the rules, shows the record before a comparison, and does not ask what a turn answers."""
    changes = {
        "version: 4": "version: 2",
        "$scaling": "In turn 1 the components that count there are scaled up to the maximum of their dimension:",
        "$paid": section(load_template("whole"), "continued"),
        "Two examples from": "The server applies:\n$rules\n\nTwo examples from",
        "cost points of $charged there": "cost points there",
        'Otherwise leave "continues" empty.': '$limit Otherwise leave "continues" empty.',
    }
    text = load_template("whole").text + "--- gap_limit\nAt most $points points together.\n"
    for today, before in changes.items():
        assert today in text
        text = text.replace(today, before)

    prompts = asked("under_sixteen", whole=parse_template(text))[8]

    forms = {form.__name__: form for form in prompts}
    assert len({tuple(prompt[:-1]) for prompt in prompts.values()}) == 1
    assert "The server applies:\n- Without a quote" in prompts[forms["Comparison"]][1].text
    assert "Nothing is on record after turn 8." == prompts[forms["Comparison"]][-2].text
    assert "AnsweredPremises" not in forms
    assert "GradedPremises" in forms
