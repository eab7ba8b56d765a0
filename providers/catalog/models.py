"""The model catalog: how a model thinks, which parameters it takes, its limits and its end date, by its name.

The catalog is data with a source and a date (``models.json``).  A name is looked up without its gateway's prefix, its
date and ``-latest``; the most specific pattern wins.  A model's family (``families.json``) shows when a judge and a
debater are related: judges favour their own family.
"""

import re
from datetime import date
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib import resources
from typing import Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from .addresses import BATCH

Thinks = Literal["always", "by_default", "on_request", "never"]
Vendor = Literal["openai", "anthropic", "gemini", "open"]
ThinkingType = Literal["adaptive", "enabled", "disabled", "between_tools"]


class ModelEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of the models that a pattern matches: a name without its date, or a glob."""

    pattern: str
    thinks: Thinks
    levels: tuple[str, ...] = ()
    """The values of its effort, lowest first, without the value that switches thinking off."""
    default: str = ""
    """The level at which it thinks by default."""
    off: str = ""
    """The value of the effort, the type or the budget that switches thinking off, if there is one."""
    off_up_to: str = ""
    """Thinking can be switched off at this level of effort and below."""
    budget: tuple[int, int] | None = None
    """The fewest and the most tokens of thinking, if the model takes a number of tokens."""
    types: tuple[ThinkingType, ...] = ()
    """The values of Anthropic's ``thinking.type`` that it takes."""
    tags: bool = False
    """It may write its thinking into its text, between ``<think>`` tags."""
    takes_sampling: bool = True
    """It takes ``temperature``."""
    samples_when_off: bool = False
    """It takes ``temperature`` only while thinking is switched off."""
    takes_forced_tool: bool = True
    """A call can force it to use a tool."""
    only_responses: bool = False
    """It answers at OpenAI's ``/v1/responses`` and not at ``/v1/chat/completions``."""
    window: int | None = None
    """Tokens of a prompt and its answer together."""
    most_output: int | None = None
    """Tokens of an answer including its thinking."""
    cache_least: int | None = None
    """The fewest tokens that the vendor caches; None if it caches nothing."""
    needs_cache_marks: bool = False
    """It caches only beginnings whose end a call marks (OpenAI's ``prompt_cache_breakpoint``), and bills writing."""
    swells: float = 1.0
    """Tokens of a text, relative to the vendor's earlier models."""
    ends_on: date | None = None
    """The day on which the vendor switches it off or did so."""
    becomes: str = ""
    """The model that its vendor names as its successor."""
    is_guess: bool = False
    """A name that is not known yet, taken to be like the others of its family."""


class Model(ModelEntry, frozen=True, kw_only=True):
    """A catalog entry with its vendor, its source and its date."""

    vendor: Vendor
    source: str
    as_of: date


class ModelGroup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Entries with one source."""

    vendor: Vendor
    source: str
    as_of: date
    rows: tuple[ModelEntry, ...]


class ThinkingTokens(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tokens that a model spends on thinking, by level.  ``between_tags``: factor for thinking in its text."""

    source: str
    as_of: date
    tokens: dict[str, int]
    between_tags: float


class ModelCatalog(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole catalog.  ``unconfirmed`` lists, in sentences, the facts without confirmation."""

    as_of: date
    unconfirmed: tuple[str, ...]
    not_chat: tuple[str, ...]
    """Words in the names of models that do not turn text into text."""
    thought: ThinkingTokens
    groups: tuple[ModelGroup, ...]


PROVIDERS: Final = frozenset({"anthropic", "embedded", "gemini", "ollama", "openai", "scripted", *BATCH})
_BEFORE: Final = re.compile(r"^(?:[a-z]{2,6}\.)?(?:anthropic|openai|google|meta|mistral|deepseek|qwen)\.")
_AFTER: Final = re.compile(
    r"(?:[-@](?:20\d{2}-\d{2}-\d{2}|20\d{6}|latest)|-v\d+(?::\d+)?|-preview-\d{2}-(?:\d{2}|20\d{2})|-00\d)$"
)
_DOTTED: Final = re.compile(r"(?<=\d)\.(?=\d)")
_WORD: Final = re.compile(r"[a-z]+[0-9]*|[0-9]+")
_LETTER: Final = re.compile(r"[^*?]")
_LETTERS: Final = re.compile(r"[a-z]+")


def normalized_name(name: str) -> str:
    """A model's name without the provider, the gateway's prefix, the date and ``-latest``; Ollama's tag stays.

    ``openai:anthropic/claude-sonnet-4.5`` is ``claude-sonnet-4-5``; ``models/gemini-2.5-flash-001`` is
    ``gemini-2.5-flash``.
    """
    short = _without_prefix(name)
    while (shorter := _AFTER.sub("", short)) != short:
        short = shorter
    return _DOTTED.sub("-", short) if short.startswith("claude") else short


def _without_prefix(name: str) -> str:
    full = name.strip().lower()
    provider, colon, model = full.partition(":")
    return _BEFORE.sub("", (model if colon and provider in PROVIDERS else full).rpartition("/")[2])


def known_model(name: str) -> Model | None:
    """The catalog entry of a model; None if the catalog does not have its name."""
    found = likely_model(name)
    return None if found is None or found.is_guess else found


@lru_cache(4096)
def likely_model(name: str) -> Model | None:
    """The catalog entry of a model, else a guess from the newest of its family (``is_guess``)."""
    short = normalized_name(name)
    if any(word in short for word in model_catalog().not_chat):
        return None
    spellings = {short, normalized_name(short.partition(":")[0]), _without_prefix(name)}
    fitting = [each for each in _models() if any(fnmatchcase(spelling, each.pattern) for spelling in spellings)]
    # An entry comes before a guess, and a pattern with more letters before one with fewer.
    return max(fitting, key=lambda each: (not each.is_guess, len(_LETTER.findall(each.pattern))), default=None)


def model_notice(name: str, today: date, *, is_vendors: bool = True) -> str:
    """What the user of a model should know, in words; empty if there is nothing.

    ``is_vendors``: the vendor itself serves the model, so an unknown name is worth a notice.
    """
    found = known_model(name)
    if found is None:
        unknown = f"not among the models that Moot knows (data of {model_catalog().as_of})"
        return unknown if is_vendors else ""
    if found.only_responses:
        return "answers at /v1/responses only, which Moot does not speak"
    if found.ends_on is None:
        return ""
    instead = f"; {found.becomes} takes its place" if found.becomes else ""
    verb = "is announced to end" if found.ends_on >= today else "was announced to end"
    return f"{verb} on {found.ends_on}{instead}"


@cache
def model_catalog() -> ModelCatalog:
    """The catalog that comes with Moot."""
    data = resources.files("providers.catalog").joinpath("models.json").read_bytes()
    return msgspec.json.decode(data, type=ModelCatalog)


@cache
def _models() -> tuple[Model, ...]:
    return tuple(
        Model(**asdict(row), vendor=group.vendor, source=group.source, as_of=group.as_of)
        for group in model_catalog().groups
        for row in group.rows
    )


def family(model: str) -> str:
    """The family of ``provider:model``, found by the words of its name; the whole name if the family is unknown.

    A script or a person is not a model and has no family: the empty string.  For a distilled model
    (``deepseek-r1-distill-llama``) the first word that names a family counts.
    """
    provider, _, name = model.partition(":")
    if provider in {"scripted", "person"}:
        return ""
    full = (name or provider).lower()
    for word in _WORD.findall(full.rpartition("/")[2]):
        letters = _LETTERS.match(word)
        for candidate in (word, letters[0] if letters else ""):
            if candidate in _families():
                return _families()[candidate]
    return full


@cache
def _families() -> dict[str, str]:
    data = resources.files("providers.catalog").joinpath("families.json").read_bytes()
    families = msgspec.json.decode(data, type=dict[str, list[str]])
    return {word: name for name, words in families.items() for word in words}
