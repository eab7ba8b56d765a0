"""What a judge reads, finds in the vendor's cache, and writes: by turn and for a whole debate, under rubric v1 and v2.

``python -m tests.measuring.judge_cost`` prints the tables of docs/judge.md.  The vendors are fakes that bill by the
vendors' rules (``tests/providers/vendors``).  Their speeches have 180 words unless ``--words`` is given, their answers
natural lengths, and they do not think.  A call finds in the cache what was written by calls whose response had begun:
the questions of one turn are asked at the same time, so they do not find each other's.
"""

import math
from collections.abc import Sequence
from typing import Final, get_args

import click
import msgspec
import pytest
from msgspec import Struct

from events.store.log import read_all
from events.types import DebateConcluded, Effort, Event, ModelAnswered, ModelFailed
from judge.rubrics.rubric import rubric_v1, rubric_v2
from providers.catalog.pricing import cost
from server.cli.output import run_async
from server.debate.setup.estimate import PACES
from server.process import observe
from server.settings import Settings
from tests.providers.vendors.running import running_vendors
from tests.server.harness import harness, shipped_registry

JUDGES: Final = ("anthropic:claude-sonnet-5-5", "openai:gpt-5.4-mini", "openai:gpt-6-luna", "gemini:gemini-3.8-flash")
LOCAL: Final = "ollama:llama3.1:8b"
WORDS: Final = 180
LATENCY_MS: Final = 300
WARM: Final = 4
"""The turn from which on the share of cached tokens is given."""
SIZES: Final = ((180, 8), (180, 12), (400, 8), (400, 12))
"""Words of a speech, and turns, of the table of shares."""
SHOWN: Final = (1, 4, 8, 12)
"""Turns that the table shows."""
RUBRICS: Final = {"v1": rubric_v1, "v2": rubric_v2}


class JudgeUse(Struct, frozen=True, kw_only=True):
    """Calls of the judge with the sum of their tokens.

    ``read`` includes ``cached`` (read from the vendor's cache) and ``kept`` (written to it).
    """

    calls: int = 0
    read: int = 0
    cached: int = 0
    kept: int = 0
    written: int = 0
    usd: float = 0.0
    """By the price list; NaN where it has no price."""

    def plus(self, other: "JudgeUse") -> "JudgeUse":
        """The sum of both."""
        names = self.__struct_fields__
        return JudgeUse(**{name: getattr(self, name) + getattr(other, name) for name in names})


DebateUse = dict[int, JudgeUse]
"""By turn; 0 for the questions at the end."""


async def measured(
    judge: str, rubric: str, turns: int, latency_s: float, words: int = WORDS, effort: str = "full"
) -> DebateUse:
    """Hold a debate before fakes."""
    patch = pytest.MonkeyPatch()
    settings = Settings(store="memory:", tick_ms=0, retry_ms=0, idle_timeout_s=60, log_level="error")
    try:
        async with (
            running_vendors(patch, words=words, thought=0, natural=True, latency_s=latency_s) as vendors,
            harness(settings=settings, registry=shipped_registry()) as h,
        ):
            patch.setattr(
                "providers.openai.OpenAIProvider.default_address", vendors.openai.url
            )  # marks for the cache go to OpenAI's address only
            rules = msgspec.to_builtins(RUBRICS[rubric]())
            seat = {"effort": effort}
            debate = await h.open(judge, turns=turns, max_words=words + 20, rubric=rules, seat=seat)
            end = await h.ended(debate)
            assert isinstance(end, DebateConcluded), f"the debate before {judge} did not conclude: {end}"
            events = [record.event async for record in read_all(h.log, debate)]
    finally:
        patch.undo()
    return by_turn(events, judge)


def by_turn(events: Sequence[Event], judge: str) -> DebateUse:
    """The use of the judge's calls, failed ones included."""
    provider, _, model = judge.partition(":")
    used: DebateUse = {}
    for each in events:
        if isinstance(each, ModelAnswered | ModelFailed) and each.purpose != "speak":
            use, turn = each.usage, each.turn or 0
            cached, kept = use.cached_tokens or 0, use.written_tokens or 0
            usd = cost(provider, model, use.input_tokens, use.output_tokens, cached=cached, written=kept)
            call = JudgeUse(
                calls=1,
                read=use.input_tokens,
                cached=cached,
                kept=kept,
                written=use.output_tokens,
                usd=math.nan if usd is None else usd,
            )
            used[turn] = used.get(turn, JudgeUse()).plus(call)
    return used


def summed(used: DebateUse, since: int = 0) -> JudgeUse:
    """The whole debate, or its turns from ``since`` on, without the questions at the end."""
    total = JudgeUse()
    for turn, each in used.items():
        if turn >= since:
            total = total.plus(each)
    return total


def share(use: JudgeUse) -> str:
    """The share of cached tokens, as a table gives it."""
    return f"{use.cached / use.read * 100:.0f} %" if use.read else "–"


def totals_table(found: dict[tuple[str, str], DebateUse], turns: int) -> str:
    """A row for each judge and rubric, for the whole debate, with the share of cached tokens from turn 4 on."""
    names = "rubric | calls | tokens in | from the cache"
    head = f"| {turns} turns | {names} | from turn {WARM} on | written to it | out | USD |"
    lines = [head, "|---" * 9 + "|"]
    for (judge, rubric), used in found.items():
        all_of_it = summed(used)
        cached = f"{all_of_it.cached:,} ({share(all_of_it)}) | {share(summed(used, WARM))}"
        numbers = f"{all_of_it.calls} | {all_of_it.read:,} | {cached} | {all_of_it.kept:,} | {all_of_it.written:,}"
        lines.append(f"| `{judge}` | {rubric} | {numbers} | {all_of_it.usd:.2f} |")
    return "\n".join(lines)


def shares_table(found: dict[tuple[int, int, str], DebateUse]) -> str:
    """The cached share from turn 4 on and the price, by words of a speech, turns, and judge."""
    judges = list(dict.fromkeys(judge for _, _, judge in found))
    lines = [f"| words | turns | {' | '.join(f'`{judge}`' for judge in judges)} |", "|---" * (len(judges) + 2) + "|"]
    for words, turns in dict.fromkeys((words, turns) for words, turns, _ in found):
        uses = [found[words, turns, judge] for judge in judges]
        cells = " | ".join(f"{share(summed(used, WARM))}, ${summed(used).usd:.3f}" for used in uses)
        lines.append(f"| {words} | {turns} | {cells} |")
    return "\n".join(lines)


def turns_table(found: dict[tuple[str, str], DebateUse], judge: str) -> str:
    """A row for some turns of the debate before one judge, and for its end."""
    head = f"| `{judge}` | v1: calls | in | cached | out | v2: calls | in | cached | out |"
    lines = [head, "|---" * 9 + "|"]
    both = [found[judge, rubric] for rubric in RUBRICS]
    for turn in (*(turn for turn in SHOWN if turn in both[0]), 0):
        uses = (used.get(turn, JudgeUse()) for used in both)
        cells = (f"{each.calls} | {each.read:,} | {each.cached:,} | {each.written:,}" for each in uses)
        lines.append(f"| {f'turn {turn}' if turn else 'at the end'} | {' | '.join(cells)} |")
    return "\n".join(lines)


def efforts_table(found: dict[str, DebateUse], turns: int) -> str:
    """A row for each effort of a model that keeps no prompts: what it reads and writes, and how long that takes."""
    reading, writing = PACES["ollama"]
    lines = [f"| {turns} turns | calls | tokens in | out | minutes |", "|---" * 5 + "|"]
    for effort, used in found.items():
        all_of_it = summed(used)
        minutes = (all_of_it.read / reading + all_of_it.written / writing) / 60
        numbers = f"{all_of_it.calls} | {all_of_it.read:,} | {all_of_it.written:,} | {minutes:.0f}"
        lines.append(f"| `{effort}` | {numbers} |")
    return "\n".join(lines)


async def measure_efforts(turns: int, words: int) -> dict[str, DebateUse]:
    """A local model asked in full and briefly."""
    return {effort: await measured(LOCAL, "v2", turns, 0.0, words, effort) for effort in get_args(Effort)}


async def measure_all(
    judges: Sequence[str], turns: int, latency_s: float, words: int
) -> dict[tuple[str, str], DebateUse]:
    """Every judge under both rubrics, one after the other: the fakes are found by variables of the environment."""
    return {
        (judge, rubric): await measured(judge, rubric, turns, latency_s, words)
        for judge in judges
        for rubric in RUBRICS
    }


async def measure_sizes(judges: Sequence[str], latency_s: float) -> dict[tuple[int, int, str], DebateUse]:
    """Every judge under rubric v2, in debates of four sizes."""
    return {
        (words, turns, judge): await measured(judge, "v2", turns, latency_s, words)
        for words, turns in SIZES
        for judge in judges
    }


@click.command()
@click.option("--turns", type=click.IntRange(1, 200), default=12, show_default=True)
@click.option("--words", type=click.IntRange(10), default=WORDS, show_default=True, help="Words of a speech.")
@click.option("--judge", "judges", multiple=True, help="provider:model of a fake, once for each; by default four.")
@click.option("--shares", is_flag=True, help="Print the cached share and the price under v2 in debates of four sizes.")
@click.option("--efforts", is_flag=True, help="Print what a local judge takes that is asked in full, and briefly.")
@click.option(
    "--latency-ms",
    type=click.IntRange(0),
    default=LATENCY_MS,
    show_default=True,
    help="Time before a response begins; with 0 each call finds what the one before it wrote.",
)
def main(turns: int, words: int, judges: tuple[str, ...], latency_ms: int, *, shares: bool, efforts: bool) -> None:
    """Print what the judge's calls take, under rubric v1 and v2."""
    observe.configure_logging("error")
    chosen = judges or JUDGES
    if efforts:
        click.echo(efforts_table(run_async(lambda: measure_efforts(turns, words)), turns))
        return
    if shares:
        click.echo(shares_table(run_async(lambda: measure_sizes(chosen, latency_ms / 1000))))
        return
    found: dict[tuple[str, str], DebateUse] = run_async(lambda: measure_all(chosen, turns, latency_ms / 1000, words))
    click.echo(totals_table(found, turns))
    click.echo()
    click.echo(turns_table(found, chosen[0]))


if __name__ == "__main__":
    main()
