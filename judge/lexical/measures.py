"""A speech measured by its marks of argument, and by the speech that it answers.

A level is in [0, 1].  It grows with the share of sentences that have a mark, not with their number: words without a
mark lower it, and a sentence that is said twice counts once.  So a longer speech is not a better one.  Nothing depends
on who speaks, and two speeches are measured alike whichever is named first.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Final

from msgspec import Struct

from events.text.figures import percent, rounded
from judge.lexical.reading import Sentence, TextReading
from judge.text.words import stem

SMOOTHING: Final = 50
"""Words added to those of a speech, so that one mark in a very short one does not count as many."""
ANY: Final = 0.3
"""The level of a speech with a mark, however rare; without one the level is 0."""
FULL: Final = {
    "cause": 1.2,
    "process": 2.0,
    "consequence": 2.0,
    "weakest_premise": 1.2,
    "framing": 0.8,
    "structure": 2.5,
    "resonance": 2.0,
    "positioning": 2.5,
    "evidence": 1.5,
    "caution": 2.0,
    "excess": 1.5,
}
"""Marked sentences for each hundred words from which on a level is 1."""
UNMEASURED: Final = 0.5
"""Weight of a consequence without a figure, a quantity or a comparison."""
UNARGUED: Final = 0.6
"""Weight of a stake in a sentence that names no cause, step or effect."""
ANSWERED: Final = 0.6
"""Share of the opponent's sentences from which on all of it counts as answered."""
SHARED: Final = 2
"""Words with content that two sentences have in common at least, if one answers the other."""
COMMON: Final = 1 / 3
"""A word in more than this share of the opponent's sentences does not tell which of them is answered."""
NEW: Final = 0.5
"""Share of new words with content that a new reason has at least."""
SHORT, LONG, TOO_LONG = 6, 28, 40
"""Words of a sentence that is easy to follow, and of one that is not."""
DENSE, EMPTY = 0.45, 0.15
"""Shares of words with content: plain, and without content."""
FIRST_WORDS: Final = 3
"""Words at the beginning of a sentence in which a mark orders it."""
NAMED: Final = 3
"""Marks that a reason names."""
REASONS: Final = ("cause", "process", "consequence")
_CAREFUL: Final = ("hedge", "concession", "source", "example")


class Measured(Struct, frozen=True):
    """One component: its level, words that support it, and what was counted."""

    level: float
    quote: str
    reason: str


class MeasuredSpeech(Struct, frozen=True, kw_only=True):
    """A speech and what is needed to measure it."""

    text: TextReading
    motion: TextReading
    opponent: TextReading | None = None
    """The speech that it answers, if there is one."""
    own: tuple[TextReading, ...] = ()
    """The earlier speeches of the same speaker."""


def measure(name: str, speech: MeasuredSpeech) -> Measured | None:
    """Return a component of a speech; None for one that cannot be counted, or that needs an opponent."""
    if name not in COMPONENTS or (name in NEEDS_OPPONENT and speech.opponent is None):
        return None
    return COMPONENTS[name](speech)


def level(names: Iterable[str], speech: MeasuredSpeech) -> float:
    """Return the mean level of these components, of those that can be measured."""
    found = [each.level for name in names if (each := measure(name, speech)) is not None]
    return sum(found) / len(found) if found else 0.0


# counting


def _level(weight: float, reading: TextReading, full: float) -> float:
    if weight <= 0:
        return 0.0
    rate = 100 * weight / (reading.words + SMOOTHING)
    return ANY + (1 - ANY) * min(1.0, rate / full)


def _counted(
    name: str, speech: MeasuredSpeech, kinds: Sequence[str], weigh: Callable[[Sentence], float], what: str
) -> Measured:
    """Measure the sentences that weigh something; the heaviest one is quoted around its first mark of ``kinds``."""
    reading = speech.text
    weighed = [(weigh(each), each) for each in reading.sentences]
    found = [(weight, each) for weight, each in weighed if weight > 0]
    total = len(reading.sentences) + reading.repeated
    if not found:
        return Measured(0.0, "", f"It has no {what} in {_sentences(total)}.")
    best = max(found, key=lambda each: each[0])[1]
    mark = next((mark for kind in kinds for mark in best.marks if mark.kind == kind), None)
    named = _names([each for _, each in found], kinds)
    reason = f"It has {what} in {len(found)} of {_sentences(total)}{f': {named}' if named else ''}."
    return Measured(_level(sum(w for w, _ in found), reading, FULL[name]), reading.quote_at(best, mark), reason)


def _sentences(number: int) -> str:
    return "1 sentence" if number == 1 else f"{number} sentences"


def _names(found: Sequence[Sentence], kinds: Sequence[str]) -> str:
    """Return the first marks of these kinds, in the order of the text."""
    shown = [
        " ".join(word.text for word in each.words[mark.first : mark.last])
        for each in found
        for mark in each.marks
        if mark.kind in kinds
    ]
    return ", ".join(f"“{each}”" for each in list(dict.fromkeys(shown))[:NAMED])


def _has(*kinds: str) -> Callable[[Sentence], float]:
    return lambda sentence: float(sentence.has(*kinds))


def _repetition(reading: TextReading) -> float:
    """Return the share of sentences that repeat an earlier one."""
    total = len(reading.sentences) + reading.repeated
    return reading.repeated / total if total else 0.0


# logic


def _effect(sentence: Sentence) -> float:
    if not sentence.has("consequence"):
        return 0.0
    return 1.0 if sentence.has_figure or sentence.has("measure") else UNMEASURED


def _weakest_premise(speech: MeasuredSpeech) -> Measured:
    """Sentences that answer one of the opponent's, turn against it, and have a reason in them or after them."""
    answers = {each.span for each, _ in answered(speech)}
    following = dict(zip(speech.text.sentences, speech.text.sentences[1:], strict=False))

    def weigh(sentence: Sentence) -> float:
        if sentence.span not in answers or not sentence.has("contrast", "negation"):
            return 0.0
        after = following.get(sentence)
        return float(sentence.has(*REASONS) or (after is not None and after.has(*REASONS)))

    return _counted(
        "weakest_premise", speech, ("contrast", "negation"), weigh, "answers that turn against it with a reason"
    )


# rhetoric


def _structure(speech: MeasuredSpeech) -> Measured:
    kinds = ("order", "contrast", "consequence", "cause", "example")

    def weigh(sentence: Sentence) -> float:
        begins = any(mark.kind in kinds and mark.first < FIRST_WORDS for mark in sentence.marks)
        return float(begins or sentence.has("order"))

    found = _counted("structure", speech, kinds, weigh, "words that connect or order")
    return Measured(found.level * (1 - _repetition(speech.text)), found.quote, found.reason)


def _delivery(speech: MeasuredSpeech) -> Measured:
    reading = speech.text
    if not reading.sentences:
        return Measured(0.0, "", "It has no sentence.")
    plain = [(_plainness(each, reading), each) for each in reading.sentences]
    mean = sum(each for each, _ in plain) / len(plain) * (1 - _repetition(reading))
    best = max(plain, key=lambda each: each[0])[1]
    words = sum(len(each.words) for each in reading.sentences)
    share = sum(len(each.content) for each in reading.sentences) / words if words else 0.0
    length = words / len(reading.sentences)
    reason = f"Its sentences have {rounded(length, 0)} words on average; {percent(share, 0)} of the words have content."
    return Measured(mean, reading.quote(best), reason)


def _plainness(sentence: Sentence, reading: TextReading) -> float:
    """Return how plain a sentence is: of a usual length, with words that have content, and without shouting."""
    number = len(sentence.words)
    length = number / SHORT if number < SHORT else max(0.0, 1 - max(0, number - LONG) / (TOO_LONG - LONG))
    share = (len(sentence.content) / number - EMPTY) / (DENSE - EMPTY)
    shown = reading.shown(sentence)
    shouts = sum(len(word) > 3 and word.isupper() for word in shown.split()) > 1 or "!!" in shown or "??" in shown  # noqa: PLR2004
    return min(1.0, length) * min(1.0, max(0.0, share)) * (0.5 if shouts else 1.0)


def _stake(sentence: Sentence) -> float:
    if not sentence.has("stake"):
        return 0.0
    return 1.0 if sentence.has(*REASONS) else UNARGUED


# tactics


def answered(speech: MeasuredSpeech) -> tuple[tuple[Sentence, Sentence], ...]:
    """Return (sentence, opponent's sentence) for each sentence of the opponent that a sentence answers."""
    return () if speech.opponent is None else _answered(speech.text, speech.opponent, speech.motion.content)


@lru_cache(maxsize=512)
def _answered(
    text: TextReading, opponent: TextReading, motion: frozenset[str]
) -> tuple[tuple[Sentence, Sentence], ...]:
    """Two sentences belong together by the words that they share, except the motion's and the opponent's usual ones.

    The result has each of the opponent's sentences at most once.
    """
    theirs = opponent.sentences
    number: dict[str, int] = {}
    for each in theirs:
        for word in each.content:
            number[word] = number.get(word, 0) + 1
    telling = {word for word, count in number.items() if count <= max(1, COMMON * len(theirs))} - motion
    least = [1 if own.has("opponent", "contrast", "concession") else SHARED for own in text.sentences]
    pairs = []
    for each in theirs:
        sought = each.content & telling
        shared = [(len(sought & own.content), own) for own in text.sentences]
        needed = [pair for pair, at_least in zip(shared, least, strict=True) if pair[0] >= at_least]
        if needed:
            pairs.append((max(needed, key=lambda pair: pair[0])[1], each))
    return tuple(pairs)


def _responsiveness(speech: MeasuredSpeech) -> Measured:
    pairs = answered(speech)
    assert speech.opponent is not None, "it needs an opponent"
    total = len(speech.opponent.sentences)
    if not pairs:
        return Measured(0.0, "", f"It shares no two telling words with any of the opponent's {_sentences(total)}.")
    own, theirs = pairs[0]
    common = own.content & theirs.content
    shared = dict.fromkeys(f"“{word.text}”" for word in own.words if stem(word.text) in common)
    reason = (
        f"It takes up words of {len(pairs)} of the opponent's {_sentences(total)}: {', '.join(list(shared)[:NAMED])}."
    )
    return Measured(min(1.0, len(pairs) / total / ANSWERED), speech.text.quote(own, "opponent"), reason)


def _targeting(speech: MeasuredSpeech) -> Measured:
    """The share of sentences that have a word of the motion, or answer the opponent."""
    reading, answers = speech.text, {own.span for own, _ in answered(speech)}
    found = [each for each in reading.sentences if each.content & speech.motion.content or each.span in answers]
    total = len(reading.sentences) + reading.repeated
    if not found:
        return Measured(0.0, "", f"None of its {_sentences(total)} has a word of the motion or answers the opponent.")
    best = max(found, key=lambda each: len(each.content & speech.motion.content))
    reason = f"{len(found)} of its {_sentences(total)} have a word of the motion or answer the opponent."
    return Measured(len(found) / total, reading.quote(best), reason)


def _positioning(speech: MeasuredSpeech) -> Measured:
    before = frozenset[str]().union(*(each.content for each in speech.own)) | speech.motion.content

    def weigh(sentence: Sentence) -> float:
        is_reason = sentence.has(*REASONS, "example") or sentence.has_figure
        return float(is_reason and len(sentence.content - before) >= max(1, NEW * len(sentence.content)))

    return _counted("positioning", speech, (*REASONS, "example"), weigh, "reasons in words that are new for its side")


# outside the composite


def _frame_control(speech: MeasuredSpeech) -> Measured:
    """Half by the words that are not the opponent's, half by marks of what the question turns on."""
    said = speech.text.content - speech.motion.content
    theirs = frozenset[str]() if speech.opponent is None else speech.opponent.content
    theirs -= frozenset[str]().union(*(each.content for each in speech.own))
    share = len(said - theirs) / len(said) if said else 0.0
    framing = _by_marks("framing", speech)
    return Measured(
        (share + framing.level) / 2, framing.quote, f"{percent(share, 0)} of its words are its own. {framing.reason}"
    )


def _credibility(speech: MeasuredSpeech) -> Measured:
    cautious, excess = _by_marks("caution", speech), _by_marks("excess", speech)
    found = min(1.0, max(0.0, 0.6 + 0.4 * cautious.level - 0.6 * excess.level))
    return Measured(found, cautious.quote, f"{cautious.reason} {excess.reason}")


# the protocol's criteria


def _logic(speech: MeasuredSpeech) -> Measured:
    parts = [_by_marks(name, speech) for name in REASONS]
    best = max(parts, key=lambda each: each.level)
    return Measured(sum(each.level for each in parts) / len(parts), best.quote, " ".join(each.reason for each in parts))


_BY_MARKS: Final[dict[str, tuple[tuple[str, ...], Callable[[Sentence], float], str]]] = {
    "cause": (("cause",), _has("cause"), "marks of cause"),
    "process": (("process",), _has("process"), "marks of a step"),
    "consequence": (("consequence",), _effect, "marks of an effect"),
    "framing": (("frame",), _has("frame"), "marks of what the question turns on"),
    "resonance": (("stake",), _stake, "words for groups of people or what is at stake for them"),
    "evidence": (
        ("source", "example"),
        lambda each: float(each.has("example", "source") or each.has_figure or each.has_source),
        "figures, sources or examples",
    ),
    "caution": (_CAREFUL, _has(*_CAREFUL), "marks of caution, concessions, sources or examples"),
    "excess": (
        ("absolute", "attack"),
        lambda each: float(each.has("attack") or (each.has("absolute") and not each.has("negation"))),
        "words that allow no exception or attack a person",
    ),
}
"""Components that are counted sentence by sentence: the marks that are named, the weight of a sentence, in words."""


def _by_marks(name: str, speech: MeasuredSpeech) -> Measured:
    kinds, weigh, what = _BY_MARKS[name]
    return _counted(name, speech, kinds, weigh, what)


COMPONENTS: Final[dict[str, Callable[[MeasuredSpeech], Measured]]] = {
    "cause": partial(_by_marks, "cause"),
    "process": partial(_by_marks, "process"),
    "consequence": partial(_by_marks, "consequence"),
    "weakest_premise": _weakest_premise,
    "framing": partial(_by_marks, "framing"),
    "structure": _structure,
    "delivery": _delivery,
    "resonance": partial(_by_marks, "resonance"),
    "responsiveness": _responsiveness,
    "targeting": _targeting,
    "positioning": _positioning,
    "frame_control": _frame_control,
    "credibility": _credibility,
    "logic": _logic,
    "evidence": partial(_by_marks, "evidence"),
    "honesty": _credibility,
    "clarity": _delivery,
}
NEEDS_OPPONENT: Final = frozenset({"weakest_premise", "responsiveness"})
HELPED_BY_OPPONENT: Final = NEEDS_OPPONENT | {"targeting"}
"""Components by which a speech that answers nothing is not compared."""
DIMENSIONS: Final = {
    "logic": ("cause", "process", "consequence", "weakest_premise"),
    "rhetoric": ("framing", "structure", "delivery", "resonance"),
    "tactics": ("responsiveness", "targeting", "positioning"),
}
"""The components of the dimensions that a comparison names."""
