"""The models of an opening: each is asked whether it answers, and what it can read."""

from collections.abc import Callable
from typing import Any, Final, Literal

import anyio
from msgspec import Struct

from events.table import LazyTable
from providers.catalog.addresses import is_batched
from providers.errors import ProviderError
from providers.registry import Registry
from server.debate.speech import clean
from server.errors import BadField
from server.people.names import NAME, PREFIX, is_person

CATALOG: Final = LazyTable[Any]({"pricing": "providers.catalog.pricing"})
QUESTION_S: Final = 1800.0
"""Seconds that a person has for a question by default."""
SAFE_WINDOW: Final = 32_768
"""The window of a model, in tokens, if its provider does not name it."""
SPEAKERS: Final = frozenset({"pro.model", "con.model"})
TINY: Final = "embedded:smollm2"
"""The model that gets the first words of its speeches."""
WHOLE_WINDOW: Final = 8192
"""Tokens of a window from which on a model gets the long prompts."""


class FoundModels(Struct, frozen=True):
    """What the providers say of each model of an opening, by its name."""

    caveats: dict[str, str]
    windows: dict[str, int]
    baselines: dict[str, str]
    """The names of those that judge without a model."""


def is_small(model: str, window: int) -> bool:
    """Whether a model gets short prompts.  ``window`` 0: it has no known limit."""
    return model.startswith("embedded:") or 0 < window < WHOLE_WINDOW


def person_or_model(field: str, person: str | None, model: str | None) -> str | None:
    """The model that a seat names, which is ``person:NAME`` for a person.  Raises ``BadField`` for both, and a link."""
    if person is None:
        if model is not None and is_person(model):
            raise BadField(field, 'a person answers on a page of `moot serve`: name it as "person": "Name"')
        return model
    if model is not None:
        raise BadField(field, "a seat has a model or a person, not both")
    return f"{PREFIX}{' '.join(clean(person).split())}"


def reads(model: str, window: int) -> Literal["short", "whole"]:
    """How much of the debate a judge reads: small models quote from wrong turns when they read all of it."""
    return "short" if is_small(model, window) else "whole"


async def must_be_priced(models: dict[str, str]) -> None:
    """Raise ``BadField`` if a cost cap could not be kept, because a model has no known price."""
    pricing = CATALOG["pricing"]
    await pricing.prepare()
    for field, model in models.items():
        if not pricing.is_priced(model):
            why = f"the cap cannot be kept: no price is known for {model} ({field}); put it into a file for MOOT_PRICES"
            raise BadField("max_cost_usd", why)


def must_be_models(names: dict[str, str], found: FoundModels, may_count: Callable[[str], bool]) -> None:
    """Raise ``BadField`` for a baseline in a seat where ``may_count`` allows none.

    A baseline does not speak.  It names no winner, so it has no vote on a panel, and it gives no second opinion on what
    only a reader who understands can tell.
    """
    for field, model in names.items():
        if is_batched(model) and field in SPEAKERS:
            raise BadField(field, f"{model} answers within a day and only judges: name a model that answers at once")
        if model in found.baselines and not may_count(field):
            why = f"{found.baselines[model]} only judges a debate, and names no winner: name a model here"
            raise BadField(field, why)


async def find_models(names: dict[str, str], registry: Registry) -> FoundModels:
    """Ask each distinct model.  Raises ``BadField`` for one that does not answer."""
    caveats: dict[str, str] = {}
    windows: dict[str, int] = {}
    baselines: dict[str, str] = {}
    faults: dict[str, str] = {}

    async def ask(name: str) -> None:
        status = await registry.check(name)  # it imports the provider in a thread, not on the loop
        try:
            provider, model = registry.resolve(name)
        except ProviderError as error:
            faults[name] = error.message
            return
        if not status.ok:
            faults[name] = f"{name}: {status.detail}{' · ' if status.hint else ''}{status.hint}"
            return
        caveats[name] = provider.caveat(model)
        if status.baseline:
            baselines[name] = status.baseline
        is_unlimited = provider.name in {"scripted", NAME} or bool(status.baseline)
        windows[name] = 0 if is_unlimited else status.window or SAFE_WINDOW

    async with anyio.create_task_group() as tasks:
        for name in set(names.values()):
            tasks.start_soon(ask, name)
    for field, name in names.items():
        if name in faults:
            raise BadField(field, faults[name])
    return FoundModels(caveats, windows, baselines)
