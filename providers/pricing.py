"""What a call costs, from a table that is data with a date and a source.  What the table does not hold is unknown.

``MOOT_PRICES`` names a JSON file of the shipped one's shape; its rows come before the shipped ones.
"""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from .environment import is_local, variable
from .errors import BadRequest

Usd = Annotated[float, Meta(ge=0)]
MILLION = 1_000_000


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars for a million tokens.  ``cached``: read from the vendor's cache; ``written``: put there."""

    input: Usd
    output: Usd
    cached: Usd | None = None
    written: Usd | None = None


class Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Prices by ``provider:model``; a model's name may end in ``*``."""

    as_of: str
    source: str
    per_million_tokens_usd: dict[str, Price] = {}


def price(provider: str, model: str) -> Price | None:
    """The price of a model, by its whole name, else by the longest pattern that fits; None where nobody knows."""
    name = f"{provider}:{model}"
    for table in tables():
        rows: Mapping[str, Price] = table.per_million_tokens_usd
        if name in rows:
            return rows[name]
        fitting = [row for row in rows if row.endswith("*") and name.startswith(row[:-1])]
        if fitting:
            return rows[max(fitting, key=len)]
    return None


def cost(
    provider: str, model: str, read: int, said: int, *, cached: int = 0, written: int = 0, asked: str = ""
) -> float | None:
    """US dollars of a call; ``read`` counts ``cached`` and ``written`` too.  None where no price is known."""
    known = price(provider, model)
    if known is None:
        return None
    fresh = max(0, read - cached - written)
    dear = known.input if known.written is None else known.written
    cheap = known.input if known.cached is None else known.cached
    return (fresh * known.input + said * known.output + cached * cheap + written * dear) / MILLION


def is_priced(name: str) -> bool:
    """Whether the cost of ``provider:model`` will be known.  Models on this machine cost nothing."""
    provider, _, model = name.partition(":")
    address = _ADDRESSES.get(provider)
    if address is None:   # scripted and embedded know; what others' providers know is theirs to say
        return True
    is_here = is_local(variable(address) or _ELSEWHERE.get(provider, "https://far.away"))
    return price(provider, model) is not None or (is_here and not model.endswith("cloud"))


_ADDRESSES = {
    "anthropic": "ANTHROPIC_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL", "ollama": "OLLAMA_HOST",
    "openai": "OPENAI_BASE_URL",
}
_ELSEWHERE = {"ollama": "127.0.0.1"}


def tables() -> tuple[Table, ...]:
    """The tables in force, the first one first.  Raises ``BadRequest`` for a file that is none."""
    own = variable("MOOT_PRICES")
    return (*((_own(own, Path(own).stat().st_mtime_ns if Path(own).exists() else 0),) if own else ()), shipped())


@cache
def shipped() -> Table:
    """The table that comes with Moot."""
    return msgspec.json.decode(resources.files("providers").joinpath("prices.json").read_bytes(), type=Table)


@cache
def _own(path: str, version: int) -> Table:
    del version   # a key of the cache: a file that changed is read again
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=Table)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadRequest(f"MOOT_PRICES: {path} is no table of prices: {error}") from error
