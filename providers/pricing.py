"""What a call costs, from data with a date and a source; what they do not hold is unknown.

Three places are asked, in this order: the file that ``MOOT_PRICES`` names, our own table, and Pydantic's
``genai-prices``, whose data come with the package: it asks no network.  A table's price is one rate however long the
prompt is.  The package knows more: a dearer rate for the whole of a long prompt (over 200,000 or 272,000 tokens), and
rates that change on a day.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from .environment import is_local, variable
from .errors import BadRequest
from .imports import load, load_here
from .models import bare

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo
    from genai_prices.types import Provider as Vendor

Usd = Annotated[float, Meta(ge=0)]
MILLION = 1_000_000
PACKAGE: Final = "genai_prices"
VENDORS: Final = {"anthropic": "anthropic", "gemini": "google", "openai": "openai"}
"""Our providers, as the package names them."""
PREFIXES: Final = {
    "anthropic": "anthropic", "deepseek": "deepseek", "google": "google", "meta-llama": "openrouter",
    "mistralai": "mistral", "moonshotai": "moonshotai", "openai": "openai", "qwen": "openrouter", "x-ai": "x-ai",
    "z-ai": "zai",
}  # fmt: skip
"""What gateways put before a model's name, and whose prices are meant."""


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
    """The price of a model by its name, its name without a date, or its name without a gateway's prefix.

    A row of a table counts by its whole name, else by the longest pattern that fits.  None where nobody knows.
    """
    found = _tabled(provider, model)
    if found is not None or (kept := _packaged(provider, model, variable("OPENAI_BASE_URL"))) is None:
        return found
    rates = kept[1].get_prices(datetime.now(UTC))
    said = {name: _base(getattr(rates, f"{of}_mtok", None)) for name, of in _RATES.items()}
    if said["input"] is None or said["output"] is None:
        return None
    return msgspec.convert(said, Price)


def cost(
    provider: str, model: str, read: int, said: int, *, cached: int = 0, written: int = 0, asked: str = ""
) -> float | None:
    """US dollars of a call; ``read`` counts ``cached`` and ``written`` too.  None where no price is known.

    ``model`` is the name that answered; where it has no price, that of ``asked`` counts.
    """
    for name in dict.fromkeys((model, asked or model)):
        known = price(provider, name)
        if known is None:
            continue
        if _tabled(provider, name) is None:
            return _reckoned(provider, name, read, said, cached, written)
        fresh = max(0, read - cached - written)
        dear = known.input if known.written is None else known.written
        cheap = known.input if known.cached is None else known.cached
        return (fresh * known.input + said * known.output + cached * cheap + written * dear) / MILLION
    return None


def is_vendors(provider: str) -> bool:
    """Whether a provider is a vendor that is asked at its own address, and not a gateway or a server like it."""
    return provider in VENDORS and not variable(_ADDRESSES[provider])


def is_free(name: str) -> bool:
    """Whether nothing is paid for ``provider:model`` as far as is known here; what others' providers cost they say."""
    return runs_here(name) or name.partition(":")[0] not in _ADDRESSES


def runs_here(name: str) -> bool:
    """Whether ``provider:model`` runs on this machine, where nothing is paid."""
    provider, _, model = name.partition(":")
    address = _ADDRESSES.get(provider)
    if address is None:
        return provider == "embedded"
    is_here = is_local(variable(address) or _ELSEWHERE.get(provider, "https://far.away"))
    return is_here and not model.endswith("cloud")


def is_priced(name: str) -> bool:
    """Whether the cost of ``provider:model`` will be known.  Models on this machine cost nothing."""
    provider, _, model = name.partition(":")
    return is_free(name) or price(provider, model) is not None


async def prepare() -> None:
    """Import the package of prices in a thread, so that the first price does not hold up the loop."""
    await load(PACKAGE)


_ADDRESSES = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "gemini": "GOOGLE_GEMINI_BASE_URL",
    "ollama": "OLLAMA_HOST",
    "openai": "OPENAI_BASE_URL",
}
_ELSEWHERE = {"ollama": "127.0.0.1"}
_RATES: Final = {"input": "input", "output": "output", "cached": "cache_read", "written": "cache_write"}


# the tables


def _tabled(provider: str, model: str) -> Price | None:
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
    """The name as it is, without its date, and at the vendor that a gateway's prefix names."""
    yield f"{provider}:{model}"
    yield f"{provider}:{bare(model)}"
    vendor = PREFIXES.get(model.rpartition("/")[0])
    ours = next((name for name, theirs in VENDORS.items() if theirs == vendor), None)
    if ours is not None:
        yield f"{ours}:{bare(model)}"


def tables() -> tuple[Table, ...]:
    """The tables in force, the first one first.  Raises ``BadRequest`` for a file that is none."""
    own = variable("MOOT_PRICES")
    return (*((_own(own, Path(own).stat().st_mtime_ns if Path(own).exists() else 0),) if own else ()), shipped())


@cache
def shipped() -> Table:
    """The table that comes with Moot: what the package does not hold yet."""
    return msgspec.json.decode(resources.files("providers").joinpath("prices.json").read_bytes(), type=Table)


@cache
def _own(path: str, version: int) -> Table:
    del version  # a key of the cache: a file that changed is read again
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=Table)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadRequest(f"MOOT_PRICES: {path} is no table of prices: {error}") from error


# the package


@lru_cache(1024)
def _packaged(provider: str, model: str, address: str) -> "tuple[Vendor, ModelInfo] | None":
    """The package's entry: the gateway's own where it knows the address, else the vendor's."""
    if provider not in VENDORS:
        return None
    load_here(PACKAGE)
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - 0.2 s, for who pays only

    prefix = PREFIXES.get(model.rpartition("/")[0])
    tries: list[tuple[str, str | None, str | None]] = []
    if provider == "openai" and address:
        tries = [(name, None, address) for name in (model, bare(model))]
    tries += [(name, vendor, None) for vendor in (prefix, VENDORS[provider]) if vendor for name in (model, bare(model))]
    for name, vendor, url in tries:
        try:
            return get_snapshot().find_provider_model(name, None, vendor, url)
        except LookupError:
            continue
    return None


def _reckoned(provider: str, model: str, read: int, said: int, cached: int, written: int) -> float:
    kept = _packaged(provider, model, variable("OPENAI_BASE_URL"))
    assert kept is not None, "it has a price"
    from genai_prices import Usage  # noqa: PLC0415

    usage = Usage(
        input_tokens=max(read, cached + written),
        output_tokens=said,
        cache_read_tokens=cached,
        cache_write_tokens=written,
    )
    return float(kept[1].calc_price(usage, kept[0]).total_price)


def _base(rate: Any) -> float | None:
    """A rate, or what it begins with where a long prompt is dearer."""
    return None if rate is None else float(getattr(rate, "base", rate))
