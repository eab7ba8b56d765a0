"""What is known of a model by its name: how it thinks, what it takes, how much it reads, when it ends.

The knowledge is data with a source and a day (``models.json``).  A name is looked up without its gateway's prefix, its
date and its ``-latest``; the most specific pattern wins.
"""

import re
from datetime import date
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib import resources
from typing import Final, Literal

import msgspec
from msgspec import Struct

Thinks = Literal["always", "by_default", "on_request", "never"]
Vendor = Literal["openai", "anthropic", "gemini", "open"]
ThinkingType = Literal["adaptive", "enabled", "disabled", "between_tools"]


class Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One family of models.  ``pattern`` is a name without its date, or a glob over one."""

    pattern: str
    thinks: Thinks
    levels: tuple[str, ...] = ()
    """What its effort may be, the least first; without the value that switches thinking off."""
    default: str = ""
    """The level that it thinks at when nothing is asked."""
    off: str = ""
    """The value that switches thinking off where there is one: of the effort, the type, or the budget."""
    off_up_to: str = ""
    """Thinking is switched off at this level of effort and below, not above."""
    budget: tuple[int, int] | None = None
    """Fewest and most tokens of thinking that may be asked for, where it is asked for in tokens."""
    types: tuple[ThinkingType, ...] = ()
    """Values of Anthropic's ``thinking.type``."""
    tags: bool = False
    """It may write its thoughts between ``<think>`` tags into its text."""
    takes_sampling: bool = True
    """``temperature`` may be given."""
    samples_when_off: bool = False
    """``temperature`` may be given while thinking is switched off, and not otherwise."""
    takes_forced_tool: bool = True
    """A tool may be forced on it."""
    only_responses: bool = False
    """It answers at OpenAI's ``/v1/responses`` and not at ``/v1/chat/completions``."""
    window: int | None = None
    """Tokens of a prompt and its answer together."""
    most_output: int | None = None
    """Tokens of an answer with its thoughts."""
    cache_least: int | None = None
    """Tokens that the beginning of a prompt has at least for the vendor to keep it; None where it keeps none."""
    swells: float = 1.0
    """Tokens of a text, against those that the vendor's earlier models make of it."""
    ends_on: date | None = None
    """The day on which the vendor switches it off, or has done so."""
    becomes: str = ""
    """The model that its vendor names in its place."""
    is_guess: bool = False
    """A name that nobody has seen yet is taken to be like its relatives."""


class Model(Row, frozen=True, kw_only=True):
    """What is known of a model, by whom it is, and from where and when this is known."""

    vendor: Vendor
    source: str
    as_of: date


class Group(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Families with one source."""

    vendor: Vendor
    source: str
    as_of: date
    rows: tuple[Row, ...]


class Thought(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tokens that a model spends on thinking before it answers, by its level; ``between_tags`` times as many there."""

    source: str
    as_of: date
    tokens: dict[str, int]
    between_tags: float


class Knowledge(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that is known.  ``unconfirmed`` says in sentences what nobody has confirmed."""

    as_of: date
    unconfirmed: tuple[str, ...]
    not_chat: tuple[str, ...]
    """Words in the names of models that make no text of text."""
    thought: Thought
    groups: tuple[Group, ...]


PROVIDERS: Final = frozenset({"anthropic", "embedded", "gemini", "ollama", "openai", "scripted"})
_BEFORE: Final = re.compile(r"^(?:[a-z]{2,6}\.)?(?:anthropic|openai|google|meta|mistral|deepseek|qwen)\.")
_AFTER: Final = re.compile(
    r"(?:[-@](?:20\d{2}-\d{2}-\d{2}|20\d{6}|latest)|-v\d+(?::\d+)?|-preview-\d{2}-(?:\d{2}|20\d{2})|-00\d)$"
)
_DOTTED: Final = re.compile(r"(?<=\d)\.(?=\d)")


def bare(name: str) -> str:
    """A model's name without the provider, the gateway's prefix, the date and ``-latest``; Ollama's tag stays.

    ``openai:anthropic/claude-sonnet-4.5`` is ``claude-sonnet-4-5``; ``models/gemini-2.5-flash-001`` is
    ``gemini-2.5-flash``.
    """
    said = _unprefixed(name)
    while (shorter := _AFTER.sub("", said)) != said:
        said = shorter
    return _DOTTED.sub("-", said) if said.startswith("claude") else said


def _unprefixed(name: str) -> str:
    said = name.strip().lower()
    provider, colon, model = said.partition(":")
    if colon and provider in PROVIDERS:
        said = model
    return _BEFORE.sub("", said.rpartition("/")[2])


def known(name: str) -> Model | None:
    """What is known of a model; None where its name is in nobody's list."""
    found = presumed(name)
    return None if found is None or found.is_guess else found


@lru_cache(4096)
def presumed(name: str) -> Model | None:
    """What is known of a model, else what is to be expected of the newest of its family (``is_guess``)."""
    said = bare(name)
    if any(word in said for word in knowledge().not_chat):
        return None
    spellings = {said, bare(said.partition(":")[0]), _unprefixed(name)}
    fitting = [each for each in _models() if any(_fits(each.pattern, spelling) for spelling in spellings)]
    return max(fitting, key=_precision) if fitting else None


def notice(name: str, today: date, *, is_vendors: bool = True) -> str:
    """What the user of a model should know, in words; empty where there is nothing.

    ``is_vendors``: the vendor itself serves it, so that a name in nobody's list is worth a word.
    """
    found = known(name)
    if found is None:
        told = f"not among the models that Moot knows (data of {knowledge().as_of})"
        return told if is_vendors else ""
    if found.only_responses:
        return "answers at /v1/responses only, which Moot does not speak"
    if found.ends_on is None:
        return ""
    instead = f"; {found.becomes} takes its place" if found.becomes else ""
    verb = "is announced to end" if found.ends_on >= today else "was announced to end"
    return f"{verb} on {found.ends_on}{instead}"


@cache
def knowledge() -> Knowledge:
    """The data that come with Moot."""
    return msgspec.json.decode(resources.files("providers").joinpath("models.json").read_bytes(), type=Knowledge)


@cache
def _models() -> tuple[Model, ...]:
    return tuple(
        Model(**{name: getattr(row, name) for name in row.__struct_fields__}, vendor=group.vendor,
              source=group.source, as_of=group.as_of)
        for group in knowledge().groups
        for row in group.rows
    )  # fmt: skip


def _fits(pattern: str, said: str) -> bool:
    return said == pattern or fnmatchcase(said, pattern)


def _precision(model: Model) -> tuple[bool, int]:
    """Rows before guesses, and the more letters a pattern says the better."""
    return not model.is_guess, sum(letter not in "*?" for letter in model.pattern)
