"""The cost of a call, from prices with a date and a source.  A model without a price has an unknown cost.

Prices come from three sources, in this order: the file that ``MOOT_PRICES`` names, our own table, and Pydantic's
``genai-prices``, whose data come with the package and need no network.  A table has one rate for every length of
prompt.  The package also has higher rates for long prompts (over 200,000 or 272,000 tokens) and rates that change on a
given day.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict

from providers.base import Tokens
from providers.environment import is_local, variable
from providers.errors import BadRequest
from providers.imports import load, load_now

from .addresses import BATCH, VENDORS, is_free
from .models import normalized_name

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo
    from genai_prices.types import Provider as Vendor

Usd = Annotated[float, Meta(ge=0)]
MILLION = 1_000_000
PACKAGE: Final = "genai_prices"
PREFIXES: Final = {
    "anthropic": "anthropic", "deepseek": "deepseek", "google": "google", "meta-llama": "openrouter",
    "mistralai": "mistral", "moonshotai": "moonshotai", "openai": "openai", "qwen": "openrouter", "x-ai": "x-ai",
    "z-ai": "zai",
}  # fmt: skip
"""The prefixes that gateways put before a model's name, with the vendor whose prices count."""


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars for a million tokens.  ``cached``: read from the vendor's cache; ``written``: written to it."""

    input: Usd
    output: Usd
    cached: Usd | None = None
    written: Usd | None = None


class PriceTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Prices by ``provider:model``; a model's name may end in ``*``."""

    as_of: str
    source: str
    per_million_tokens_usd: dict[str, Price] = {}


def price(provider: str, model: str) -> Price | None:
    """The price of a model, found by its name, also without its date or a gateway's prefix; None if unknown.

    In a table, the whole name comes before a pattern, and a longer pattern before a shorter one.
    """
    if provider in BATCH:
        whole = price(BATCH[provider], model)
        return (
            None if whole is None else msgspec.convert({of: _half(each) for of, each in asdict(whole).items()}, Price)
        )
    listed = _listed_price(provider, model)
    if listed is not None or (entry := _package_entry(provider, model, variable("OPENAI_BASE_URL"))) is None:
        return listed
    rates = entry[1].get_prices(datetime.now(UTC))
    prices = {name: _base(getattr(rates, f"{of}_mtok", None)) for name, of in _RATES.items()}
    if prices["input"] is None or prices["output"] is None:
        return None
    return msgspec.convert(prices, Price)


def _half(value: float | None) -> float | None:
    """Half a price: what the batches of vendors cost."""
    return None if value is None else value / 2


def cost(
    provider: str, model: str, input_: int, output: int, *, cached: int = 0, written: int = 0, requested: str = ""
) -> float | None:
    """US dollars of a call, from its tokens; ``input_`` includes ``cached`` and ``written``.  None if unknown.

    ``model`` is the name in the response.  If it has no price, the price of the ``requested`` name counts.
    """
    if provider in BATCH:
        whole = cost(BATCH[provider], model, input_, output, cached=cached, written=written, requested=requested)
        return None if whole is None else whole / 2
    for name in dict.fromkeys((model, requested or model)):
        known = price(provider, name)
        if known is None:
            continue
        if _listed_price(provider, name) is None:
            return _package_cost(provider, name, input_, output, cached, written)
        fresh = max(0, input_ - cached - written)
        write_price = known.input if known.written is None else known.written
        cache_price = known.input if known.cached is None else known.cached
        return (fresh * known.input + output * known.output + cached * cache_price + written * write_price) / MILLION
    return None


def call_cost(provider: str, url: str, model: str, tokens: Tokens, *, requested: str) -> float | None:
    """US dollars of a call to the server at ``url``; nothing on this machine.

    None if the price is unknown or the server did not report the tokens.  The names are those of ``cost``.
    """
    if is_local(url):
        return 0.0
    if not tokens.input:
        return None
    return cost(
        provider, model, tokens.input, tokens.output, cached=tokens.cached, written=tokens.written, requested=requested
    )


def is_priced(name: str) -> bool:
    """Whether the cost of ``provider:model`` is known.  Models on this machine cost nothing."""
    provider, _, model = name.partition(":")
    return is_free(name) or price(provider, model) is not None


async def prepare() -> None:
    """Import the package of prices in a thread, so that the first price does not block the event loop."""
    await load(PACKAGE)


_RATES: Final = {"input": "input", "output": "output", "cached": "cache_read", "written": "cache_write"}


# the tables


def _listed_price(provider: str, model: str) -> Price | None:
    for table in tables():
        rows: Mapping[str, Price] = table.per_million_tokens_usd
        names = tuple(_names(provider, model))
        if whole := next((name for name in names if name in rows), ""):
            return rows[whole]
        fitting = [row for row in rows if row.endswith("*") and any(name.startswith(row[:-1]) for name in names)]
        if fitting:
            return rows[max(fitting, key=len)]
    return None


def _names(provider: str, model: str) -> Iterator[str]:
    """The full name, the name without its date, and the name at the vendor of a gateway's prefix."""
    yield f"{provider}:{model}"
    yield f"{provider}:{normalized_name(model)}"
    vendor = PREFIXES.get(model.rpartition("/")[0])
    ours = next((name for name, theirs in VENDORS.items() if theirs == vendor), None)
    if ours is not None:
        yield f"{ours}:{normalized_name(model)}"


def tables() -> tuple[PriceTable, ...]:
    """The price tables in order of precedence.  Raises ``BadRequest`` for a file that is not a table."""
    path = variable("MOOT_PRICES")
    if not path:
        return (shipped(),)
    return (_user_table(path, Path(path).stat().st_mtime_ns if Path(path).exists() else 0), shipped())


@cache
def shipped() -> PriceTable:
    """The table that comes with Moot, with prices that the package does not have yet."""
    data = resources.files("providers.catalog").joinpath("prices.json").read_bytes()
    return msgspec.json.decode(data, type=PriceTable)


@cache
def _user_table(path: str, version: int) -> PriceTable:
    del version  # part of the cache key: a changed file is read again
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=PriceTable)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadRequest(f"MOOT_PRICES: {path} is not a table of prices: {error}") from error


# the package


@lru_cache(1024)
def _package_entry(provider: str, model: str, address: str) -> "tuple[Vendor, ModelInfo] | None":
    """The package's entry of a model: the gateway's if the package knows its address, else the vendor's."""
    if provider not in VENDORS:
        return None
    load_now(PACKAGE)
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - it takes 0.2 s

    prefix = PREFIXES.get(model.rpartition("/")[0])
    tries: list[tuple[str, str | None, str | None]] = []
    if provider == "openai" and address:
        tries = [(name, None, address) for name in (model, normalized_name(model))]
    tries += [
        (name, vendor, None)
        for vendor in (prefix, VENDORS[provider])
        if vendor
        for name in (model, normalized_name(model))
    ]
    for name, vendor, url in tries:
        try:
            return get_snapshot().find_provider_model(name, None, vendor, url)
        except LookupError:
            continue
    return None


def _package_cost(provider: str, model: str, input_: int, output: int, cached: int, written: int) -> float:
    entry = _package_entry(provider, model, variable("OPENAI_BASE_URL"))
    assert entry is not None, "it has a price"
    from genai_prices import Usage  # noqa: PLC0415 - the table of prices takes long to import

    usage = Usage(
        input_tokens=max(input_, cached + written),
        output_tokens=output,
        cache_read_tokens=cached,
        cache_write_tokens=written,
    )
    return float(entry[1].calc_price(usage, entry[0]).total_price)


def _base(rate: Any) -> float | None:
    """A rate, or its base rate if long prompts cost more."""
    return None if rate is None else float(getattr(rate, "base", rate))
