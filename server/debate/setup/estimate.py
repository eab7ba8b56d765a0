"""Estimate of a debate before it starts: calls, tokens, and cost if prices are known.

The debate is rehearsed (``server.debate.setup.rehearsal``): its prompts are real, its speeches and answers are
filler of natural length.  The tokens of thinking come from the data on the models.  The estimate leaves out what
cannot be foreseen: failed attempts, a conflict of the verdicts, the rounds of a deliberation, and which findings
are found to be the same in it.

The estimate assumes that a cache holds everything that was read before in the same debate, except in calls of the same
moment.  Gemini, and OpenAI with older models, cache the beginning of every prompt themselves.  Anthropic, and OpenAI
with newer models, cache what comes before our marks.  Anthropic and OpenAI keep a cache for each form of answer.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.text.figures import rounded
from events.text.languages import language_name
from events.types import DebateOpened, Event, EvidenceSupplied, Missing, missing
from judge.live.whole import reads_whole
from judge.text.words import tokens
from providers.base import Think
from providers.catalog.addresses import BATCH, VENDORS, is_free
from providers.catalog.models import Model, likely_model, model_catalog
from providers.catalog.pricing import cost, is_priced
from providers.limits import DEFAULT_LIMITS, Limit
from server.debate.setup.rehearsal import LONGEST, RehearsedCall, rehearse
from server.evidence.passages import FOUND_BY_NAMES

PIECE_TOKENS: Final = 4
"""Tokens of a message besides its text."""
CALL_TOKENS: Final = 10
Durations = Mapping[tuple[str, str], float]
"""Seconds of a call, by provider and purpose, as this process has measured them."""
NONE_MEASURED: Final[Durations] = MappingProxyType({})
USUAL_S: Final[Mapping[str, tuple[float, float]]] = {
    "anthropic": (8.0, 5.0),
    "baseline": (0.1, 0.1),
    "gemini": (8.0, 5.0),
    "openai": (8.0, 5.0),
}
"""Seconds of a speech and of an answer, where none was measured: rough values, so that a reader can plan."""
PACES: Final[Mapping[str, tuple[float, float]]] = {"embedded": (250.0, 20.0), "ollama": (500.0, 30.0)}
"""Tokens read and written a second by models that run on this machine, where no call was measured: rough guesses."""
AT_ONCE: Final = 2
"""Calls at once of a model on this machine; they share its pace."""


BRIEF_S: Final = 45
"""Fewer seconds are no minute."""


class EstimatedCalls(Struct, frozen=True, kw_only=True):
    """Calls of one model in one turn, with the sum of their tokens.

    ``read`` includes ``cached`` and ``kept`` (written to the cache); ``written`` includes ``thought``.
    """

    model: str
    purpose: str
    turn: int
    batch: int
    number: float
    read: float
    written: float
    cached: float = 0.0
    kept: float = 0.0
    thought: float = 0.0


class Estimate(Struct, frozen=True, kw_only=True):
    """What a debate will take: ``input_tokens`` with ``cached_tokens``, ``output_tokens`` with ``thought_tokens``."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | Missing
    cached_tokens: int = 0
    thought_tokens: int = 0
    seconds: float | UnsetType = UNSET
    """Unset if it is not known how long a call of one of the models takes."""
    max_words: int | UnsetType = UNSET
    """The most words that a turn will have; unset if the turns are supplied."""
    caveat: str | UnsetType = UNSET
    """What the documents' languages mean for the debate; unset if all are in its own."""
    says: str | UnsetType = UNSET
    """The estimate in a sentence, for the page that opens the debate."""


def in_a_sentence(found: Estimate) -> str:
    """What a debate takes: its time where that is known, its calls, its price where it is known, and the caveat."""
    parts = [] if found.seconds is UNSET else [f"{_about(found.seconds)} on this machine"]
    parts.append(f"about {found.calls:,} call{'' if found.calls == 1 else 's'}")
    if not isinstance(found.cost_usd, Missing):
        parts.append(f"about ${rounded(found.cost_usd, 2)}" if found.cost_usd else "no cost")
    return f"It takes {', '.join(parts)}.{f' {found.caveat}' if found.caveat else ''}"


def _about(seconds: float) -> str:
    if seconds < BRIEF_S:
        return "less than a minute"
    minutes = int(seconds / 60 + 0.5)
    unit, many = ("minute", minutes) if minutes < 60 else ("hour", int(minutes / 60 + 0.5))  # noqa: PLR2004 - an hour
    return f"about {'an' if unit == 'hour' else 'a'} {unit}" if many == 1 else f"about {many} {unit}s"


def estimate(opened: DebateOpened, measured: Durations = NONE_MEASURED, supplied: Sequence[Event] = ()) -> Estimate:
    """The estimate of a debate with this opening; ``measured`` is how long calls took before.

    ``supplied``: what follows the opening, such as a transcript.
    """
    played = tuple(_counted(opened, supplied))
    calls = tuple(_all(opened, played))
    unknown = sorted({each.model for each in calls if not is_priced(each.model)})
    cost_usd = missing(f"no price is known for {', '.join(unknown)}") if unknown else round(sum(map(_cost, calls)), 4)
    return Estimate(
        calls=round(sum(each.number for each in calls)),
        input_tokens=round(sum(each.read for each in calls)),
        output_tokens=round(sum(each.written for each in calls)),
        cost_usd=cost_usd,
        cached_tokens=round(sum(each.cached for each in calls)),
        thought_tokens=round(sum(each.thought for each in calls)),
        seconds=_seconds(opened, played, measured),
        max_words=opened.max_words or UNSET,
        caveat=_language_caveat(opened, supplied) or UNSET,
    )


def _seconds(opened: DebateOpened, played: Sequence[EstimatedCalls], measured: Durations) -> float | UnsetType:
    """Calls of one batch run at the same time, as many as the provider takes; a long debate goes on as it begins."""
    batches: dict[int, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for each in played:
        provider = each.model.partition(":")[0]
        if provider in BATCH:  # within a day
            return UNSET
        one = measured.get((provider, each.purpose), _usual_s(provider, each))
        if one is None:
            return UNSET
        batches[each.batch][provider].append((each.number, one))
    total = sum(max(_together(*of) for of in batch.items()) for batch in batches.values())
    return round(total * max(1.0, opened.turns / LONGEST), 1)


def _usual_s(provider: str, calls: EstimatedCalls) -> float | None:
    """Seconds of a call that was not measured; None if nothing is known of the provider."""
    if provider in PACES:
        reading, writing = PACES[provider]
        return AT_ONCE * (calls.read / reading + calls.written / writing) / calls.number
    return USUAL_S.get(provider, (None, None))[calls.purpose != "speak"]


def _together(provider: str, calls: Sequence[tuple[float, float]]) -> float:
    """Seconds of calls, each with their number and their seconds, that one provider gets at the same moment."""
    at_once = AT_ONCE if provider in PACES else DEFAULT_LIMITS.get(provider, Limit()).concurrent or math.inf
    one_after_another = sum(number * one for number, one in calls)
    return max(one_after_another / at_once, *(one for _, one in calls))


def in_words(found: Estimate) -> str:
    """The estimate in one line for a reader, and a line on the languages of the documents where they differ."""
    tokens = round(found.input_tokens + found.output_tokens, -3)
    said = f"about {found.calls} calls and {tokens:,} tokens, {money(found.cost_usd)}"
    said = said if found.seconds is UNSET else f"{said}, {lasting(found.seconds / 60)}"
    return said if found.caveat is UNSET else f"{said}\n{found.caveat}"


def _language_caveat(opened: DebateOpened, supplied: Sequence[Event]) -> str:
    """The documents in another language than the debate, in words; empty without any."""
    own = opened.language or "en"
    found = {each.document.language or own for each in supplied if isinstance(each, EvidenceSupplied)} - {own}
    named = " and ".join(sorted(map(language_name, found)))
    return f"The debate is in {language_name(own)}. Of a document in {named} {FOUND_BY_NAMES}." if found else ""


def lasting(minutes: float) -> str:
    """How long a run takes, in words."""
    if minutes < 1:
        return "under a minute"
    return "very roughly a minute" if round(minutes) == 1 else f"very roughly {rounded(minutes, 0)} minutes"


def money(cost_usd: float | Missing) -> str:
    """A cost in words; why it is unknown, if it is."""
    if isinstance(cost_usd, Missing):
        return f"cost unknown ({cost_usd.missing.reason})"
    return f"about {rounded(cost_usd, 2)} USD" if cost_usd else "no cost"


def thought_tokens(model: str, think: Think) -> int:
    """Tokens that a model spends on thinking in one call at a level of thinking, by our data on models.

    With ``default`` the request names no level; the data say what the model does then.
    """
    found = likely_model(model)
    if found is None or found.thinks == "never":
        return 0
    spent = model_catalog().thought
    level = _level(found, think)
    return round(spent.tokens[level] * (spent.between_tags if found.tags else 1))


def _level(found: Model, think: Think) -> str:
    if think == "default":
        return "off" if found.thinks == "on_request" else found.default or "medium"
    if think == "off" and (found.off or found.thinks == "on_request"):
        return "off"
    if think == "off":  # it cannot stop thinking: it is asked for its lowest level
        return found.levels[0] if found.levels else "low"
    return think


# the calls


def _counted(opened: DebateOpened, supplied: Sequence[Event]) -> Iterator[EstimatedCalls]:
    """The rehearsed calls in tokens."""
    caches: dict[str, _PromptCache] = defaultdict(_PromptCache)
    baseline = opened.judge.model if opened.judge.baseline else ""
    for each in rehearse(opened, supplied):
        if each.model == baseline:  # it reads no prompt and writes no text
            yield EstimatedCalls(
                model=each.model,
                purpose=each.purpose,
                turn=each.turn,
                batch=each.batch,
                number=each.number,
                read=0,
                written=0,
            )
            continue
        found = likely_model(each.model)
        swells = 1.0 if found is None else found.swells
        pieces = [f"{segment.role}: {segment.text}\n\n" for segment in each.prompt]
        read = swells * (CALL_TOKENS + tokens(each.form) + sum(tokens(text) + PIECE_TOKENS for text in pieces))
        cached, kept = caches[each.model].take(each, pieces, found, read)
        thought = thought_tokens(each.model, each.think)
        yield EstimatedCalls(
            model=each.model,
            purpose=each.purpose,
            turn=each.turn,
            batch=each.batch,
            number=each.number,
            read=each.number * read,
            written=each.number * (swells * tokens(each.answer) + thought),
            cached=each.number * cached,
            kept=each.number * kept,
            thought=each.number * thought,
        )


class _PromptCache:
    """A vendor's cache of the prompts of one debate to one model."""

    def __init__(self) -> None:
        self._whole: list[tuple[int, str]] = []
        self._marked: dict[tuple[str, ...], int] = {}
        """Marked beginnings after their form of answer, each with the batch that wrote it."""

    def take(
        self, asked: RehearsedCall, pieces: Sequence[str], found: Model | None, read: float
    ) -> tuple[float, float]:
        """Of a prompt with ``read`` tokens, those read from the cache and those written to it."""
        vendor = asked.model.partition(":")[0]
        if found is None or found.cache_least is None or vendor not in VENDORS or is_free(asked.model):
            return 0.0, 0.0
        marks = [number for number, each in enumerate(asked.prompt, 1) if each.ends_prefix]
        if vendor == "anthropic":
            return self._by_mark(asked, pieces, found, marks or [len(pieces) - 1])
        if found.needs_cache_marks:
            return self._by_mark(asked, pieces, found, marks)
        prompt = "".join(pieces) if vendor == "gemini" else asked.form + "".join(pieces)
        before = (_shared(prompt, old) for batch, old in self._whole if batch < asked.batch)
        shared = max(before, key=len, default="")
        self._whole.append((asked.batch, prompt))
        cached = tokens(shared) * found.swells
        cached = cached if cached >= found.cache_least else 0.0
        return cached, read - cached if read >= found.cache_least else 0.0

    def _by_mark(
        self, asked: RehearsedCall, pieces: Sequence[str], found: Model, marks: Sequence[int]
    ) -> tuple[float, float]:
        """The longest beginning that was marked before is read; the rest, up to the last mark, is written."""
        size = sum(map(tokens, pieces[: marks[-1]])) * found.swells if marks else 0.0
        if found.cache_least is None or size < found.cache_least:
            return 0.0, 0.0
        ends = (tuple(pieces[:number]) for number in range(marks[-1], 0, -1))
        known = next((end for end in ends if self._marked.get((asked.form, *end), asked.batch) < asked.batch), ())
        for mark in marks:
            self._marked.setdefault((asked.form, *pieces[:mark]), asked.batch)
        cached = sum(map(tokens, known)) * found.swells
        return cached, size - cached


def _shared(one: str, other: str) -> str:
    """The common beginning of two texts."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return one[:low]


def _all(opened: DebateOpened, played: Sequence[EstimatedCalls]) -> Iterator[EstimatedCalls]:
    """The rehearsed calls and those of later turns: like the last turn but one of the side, with a longer prompt.

    The last turn that was rehearsed stands for the last one of the debate: its questions may be others.
    """
    if opened.turns <= LONGEST:
        yield from played
        return
    turns = {number: [each for each in played if each.turn == number] for number in range(LONGEST - 4, LONGEST + 1)}
    yield from (each for each in played if each.turn != LONGEST)
    for number in range(LONGEST, opened.turns + 1):
        calls = turns[LONGEST - 1 - (LONGEST - 1 - number) % 2]
        if number == opened.turns:
            speech = [each for each in calls if each.purpose == "speak"]
            calls = [*speech, *(each for each in turns[LONGEST] if each.purpose != "speak")]
        for each in calls:
            before = {other.purpose: other for other in turns[each.turn - 2]}
            yield _grown(opened, each, before.get(each.purpose, each), (number - each.turn) / 2)


def _grown(opened: DebateOpened, last: EstimatedCalls, before: EstimatedCalls, times: float) -> EstimatedCalls:
    """The calls ``times`` rounds later.

    The prompt of a debater, and of a judge that reads the whole debate, grows until it fills the model's window.
    """
    if last.purpose == "speak":
        window = (opened.pro if last.turn % 2 else opened.con).window
    elif reads_whole(opened):
        window = opened.judge.window or 0
    else:
        return last

    def later(one: float, other: float) -> float:
        return max(0.0, other + times * (other - one))

    read = later(before.read, last.read)
    fits = min(1.0, window * last.number / read) if window and read else 1.0
    cached, kept = later(before.cached, last.cached) * fits, later(before.kept, last.kept) * fits
    return replace(last, read=read * fits, cached=cached, kept=kept)


def _cost(calls: EstimatedCalls) -> float:
    provider, _, model = calls.model.partition(":")
    if is_free(calls.model):
        return 0.0
    each = max(calls.number, 1)
    one = cost(
        provider,
        model,
        round(calls.read / each),
        round(calls.written / each),
        cached=round(calls.cached / each),
        written=round(calls.kept / each),
    )
    return 0.0 if one is None else one * calls.number
