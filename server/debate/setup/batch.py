"""What a batch will take, before it begins: its debates, calls, tokens, price and hours."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

import anyio
import msgspec
from msgspec import UNSET, Struct, UnsetType

from events.text.figures import rounded
from events.types import DebateOpened, Event, Missing
from events.types.batch import BatchPlan
from providers.base import ModelStatus
from providers.catalog.models import known_model
from providers.registry import Registry
from server.debate.formats.batch.plan import PlannedDebate, planned
from server.debate.formats.batch.steps import most_at_once
from server.debate.setup.estimate import NONE_MEASURED, Durations, Estimate, estimate, money
from server.debate.setup.lab import LabEstimate, estimate_of
from server.debate.setup.opening import opening_for
from server.debate.setup.request import as_request
from server.settings import Settings

MAX_REHEARSED: Final = 60
"""Debates that are rehearsed; others of the plan are like them."""
MINUTE_S: Final = 60
HOUR_S: Final = 3600


class BatchEstimate(Struct, frozen=True, kw_only=True):
    """What all debates will take."""

    debates: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | Missing
    dearest_usd: float | Missing
    """The price of the dearest debate: a cap for each debate is above it."""
    seconds: float | UnsetType = UNSET
    """With as many debates at once as the plan says; unset if it is not known how long a call takes."""
    by_arm: dict[str, int] | UnsetType = UNSET
    """Tokens of one debate by arm, on average, in a study."""
    cap_usd: float | UnsetType = UNSET
    """The cap of each debate."""
    budget_usd: float | UnsetType = UNSET
    rehearsed: int
    """The debates of which each other one is alike: in models, judge, rubric, documents and characters."""


class ForeseeingRegistry(Registry):
    """For a dry run: a model of the catalog is taken to answer, also without its key or without a network."""

    def __init__(self) -> None:
        super().__init__()
        self.silent: dict[str, str] = {}
        """Why a model does not answer, by its name."""

    async def check(self, name: str) -> ModelStatus:
        """The status of a model, with the window of the catalog."""
        status = await super().check(name)
        if status.ok or known_model(name) is None:
            return status
        self.silent[name] = f"{status.detail}{' · ' if status.hint else ''}{status.hint}"
        return msgspec.structs.replace(status, ok=True)


async def estimate_batch(
    opened: DebateOpened, registry: Registry, settings: Settings, measured: Durations = NONE_MEASURED
) -> BatchEstimate:
    """The estimate of a batch; no model is asked for words.  Of debates that are alike, one is rehearsed."""
    assert opened.batch is not UNSET, "a batch has a plan"
    plan = opened.batch
    alike: dict[bytes, list[PlannedDebate]] = defaultdict(list)
    for each in planned(plan).values():
        arm = "" if each.study is UNSET else each.study.arm
        kind = (arm, each.models, each.judge, each.rubric, each.evidence, each.characters)
        alike[msgspec.json.encode(kind)].append(each)
    groups = [_usual_first(plan, group) for group in alike.values()]
    step = math.ceil(len(groups) / MAX_REHEARSED)
    found: list[tuple[PlannedDebate, float, Estimate]] = []
    for start in range(0, len(groups), step):
        near = groups[start : start + step]
        one, number = near[0][0], sum(map(len, near))
        made, follows = await opening_for(None, as_request(one.body(plan)), registry, settings)
        found.append((one, number, await anyio.to_thread.run_sync(estimate, made, measured, follows)))
    unknown = next((each.cost_usd for _, _, each in found if isinstance(each.cost_usd, Missing)), None)
    prices = [(number, each.cost_usd) for _, number, each in found if not isinstance(each.cost_usd, Missing)]
    return BatchEstimate(
        debates=plan.debates,
        calls=round(sum(number * each.calls for _, number, each in found)),
        input_tokens=round(sum(number * each.input_tokens for _, number, each in found)),
        output_tokens=round(sum(number * each.output_tokens for _, number, each in found)),
        cost_usd=unknown or round(sum(number * cost for number, cost in prices), 4),
        dearest_usd=unknown or max(cost for _, cost in prices),
        seconds=_seconds(plan, found),
        by_arm=_by_arm(found) if plan.study else UNSET,
        cap_usd=plan.each.get("max_cost_usd") or UNSET,
        budget_usd=opened.settings.max_cost_usd or UNSET,
        rehearsed=len(found),
    )


def _usual_first(plan: BatchPlan, alike: list[PlannedDebate]) -> list[PlannedDebate]:
    """Debates that are alike; in a study one with a passage of usual length is the first."""
    if plan.study is UNSET:
        return alike
    lengths = {each.id: len(plan.study.passages.get(each.passage, "")) for each in plan.study.items}
    ordered = sorted(alike, key=lambda each: 0 if each.study is UNSET else lengths[each.study.item])
    middle = len(ordered) // 2
    return [*ordered[middle:], *ordered[:middle]]


def _by_arm(found: Sequence[tuple[PlannedDebate, float, Estimate]]) -> dict[str, int]:
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for one, number, each in found:
        if one.study is not UNSET:
            arm = sums[one.study.arm]
            arm[0] += number * (each.input_tokens + each.output_tokens)
            arm[1] += number
    return {name: round(all_tokens / number) for name, (all_tokens, number) in sums.items()}


def _seconds(plan: BatchPlan, found: Sequence[tuple[PlannedDebate, float, Estimate]]) -> float | UnsetType:
    """The time of the provider with the most to do, if as many debates as it takes run at once."""
    busy: dict[str, float] = defaultdict(float)
    for one, number, each in found:
        if each.seconds is UNSET:
            return UNSET
        for provider in one.providers:
            busy[provider] += number * each.seconds
    return round(max(all_s / most_at_once(plan, provider) for provider, all_s in busy.items()), 1)


async def foreseen(
    opened: DebateOpened,
    follows: Sequence[Event],
    registry: Registry,
    settings: Settings,
    measured: Durations = NONE_MEASURED,
    limiter: anyio.CapacityLimiter | None = None,
) -> Estimate | LabEstimate | BatchEstimate:
    """The estimate of anything that this opens."""
    if opened.batch is not UNSET:
        return await estimate_batch(opened, registry, settings, measured)
    return await anyio.to_thread.run_sync(estimate_of, opened, measured, follows, limiter=limiter)


def batch_in_words(found: BatchEstimate) -> str:
    """The estimate in one line for a reader."""
    tokens = round(found.input_tokens + found.output_tokens, -3)
    which = "1 debate" if found.debates == 1 else f"{found.debates:,} debates"
    said = f"{which}, about {found.calls:,} calls and {tokens:,} tokens, {money(found.cost_usd)}"
    if not isinstance(found.dearest_usd, Missing) and found.dearest_usd:
        said += f" (the dearest debate about {rounded(found.dearest_usd, 4)} USD)"
    if found.seconds is not UNSET:
        said += f", very roughly {_long(found.seconds)}"
    return f"{said}{''.join(_too_low(found))}"


def _long(seconds: float) -> str:
    if seconds >= HOUR_S:
        return f"{rounded(seconds / HOUR_S, 1)} hours"
    minutes = math.ceil(seconds / MINUTE_S)
    return "1 minute" if minutes <= 1 else f"{minutes} minutes"


def _too_low(found: BatchEstimate) -> Iterator[str]:
    """What is said of a cap or a budget below the estimate."""
    for limit, cost, then in (
        (
            found.cap_usd,
            found.dearest_usd,
            "The cap of a debate, {}, is below that: some would halt before their end",
        ),
        (found.budget_usd, found.cost_usd, "The budget, {}, is below that: it does not hold all debates"),
    ):
        if isinstance(limit, int | float) and not isinstance(cost, Missing) and limit < cost:
            yield f". {then.format(f'{rounded(limit, 4)} USD')}"
