"""No text of 10,000 characters holds the loop for more than 50 ms: every pattern, and what reads texts."""

import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Final

import pytest

from events.text import said, segmentation
from judge.evidence.checks import stands_in
from judge.evidence.citations import cited_ids, find_citations
from judge.guard.injection import detect
from judge.guard.labels import exchanged
from judge.guard.neutralise import _quoted
from judge.lenient import clip as clip_answer
from judge.live.verdicts import citations
from judge.protocol.reading import argument_id, parse_loosely
from judge.text import words as live_text
from judge.text.scanner import scan
from providers.answers.schema import parse
from providers.errors import Malformed
from providers.http.retry_after import seconds
from server.debate.speech import clean, clip
from server.export.labels import named
from server.transcripts.hints import side_of
from server.transcripts.labels import heading_of, label_of, without_aside
from server.transcripts.subtitles import read_subtitles
from tests.docs.patterns import MADE, Used, hard_pieces, makers, patterns
from tests.laws import spread

LENGTH: Final = 10_000
MAX_S: Final = 0.05
TRIES: Final = 4
"""The least time counts: what else the machine does only adds to it."""
REFERENCE, REFERENCE_S = re.compile("(?:(?=[a-z])[a-m]|[n-z0-9]{1,4})+?~"), 0.003
"""A pattern that is tried on ``REFERENCE_TEXT``, and its seconds on the machine for which the bounds are."""
REFERENCE_TEXT: Final = "mn0z " * 2_000
MAX_SLOWNESS: Final = 3
STEPS: Final = ((40, MAX_S / 4), (400, MAX_S / 4), (2_500, MAX_S), (LENGTH, MAX_S))
"""Lengths and their seconds: a pattern that is exponential or cubic is found with a short text."""
GROWS_FROM_S: Final = 0.01
MAX_GROWTH: Final = 8
"""A text that takes so many seconds may take at most eight times as long as one of a quarter of its length."""
SUSPICIOUS_GROWTH: Final = 6
"""Both are timed again where one measurement gives more than this; linear is four times as long, quadratic sixteen."""


def seconds_of(run: Callable[[], object]) -> float:
    """Seconds of CPU."""
    began = time.thread_time()
    run()
    return time.thread_time() - began


def slowness() -> float:
    """How many times as long as on the machine for which the bounds are a fixed search takes now, at least 1."""
    return min(max(1, seconds_of(lambda: REFERENCE.findall(REFERENCE_TEXT)) / REFERENCE_S), MAX_SLOWNESS)


def taken(run: Callable[[str], object], text: str, most: float) -> float:
    """Seconds of CPU that a run takes, the least of some tries; beyond ``most`` in relation to the machine's speed."""
    least = float("inf")
    for _ in range(TRIES):
        seconds = seconds_of(lambda: run(text))
        least = min(least, seconds if seconds <= most or not most else seconds / slowness())
        if least <= most:
            break
    return least


def made(prefix: str, piece: str, suffix: str, length: int) -> str:
    return prefix + piece * ((length - len(prefix) - len(suffix)) // len(piece)) + suffix


def slow_with(run: Callable[[str], object], prefix: str, piece: str, suffix: str) -> str:
    """What is slow about a run on such texts; empty if nothing is."""
    texts = {length: made(prefix, piece, suffix, length) for length, _ in STEPS}
    times: list[float] = []
    for length, most in STEPS:
        times.append(taken(run, texts[length], most))
        if times[-1] > most:
            return f"{prefix!r} + {piece!r} … + {suffix!r}: {times[-1] * 1000:.0f} ms for {length} characters"
    if times[-1] > max(GROWS_FROM_S, SUSPICIOUS_GROWTH * times[-2]):
        growth = taken(run, texts[LENGTH], 0) / taken(run, texts[LENGTH // 4], 0)
        if growth > MAX_GROWTH:
            return f"{prefix!r} + {piece!r} … + {suffix!r}: {growth:.0f} times as long for four times the length"
    return ""


@pytest.mark.slow
def test_growth_is_found_in_a_text_that_is_fast_enough() -> None:
    """About 30 ms for the longest text."""
    assert slow_with(lambda text: deque(range(len(text) ** 2 // 30), 0), "", "a", "")


def slow(used: Used, most: int) -> Iterator[str]:
    """The texts that are slow, for each method with which a pattern is used."""
    for method, pieces in product(used.methods, hard_pieces(used.pattern, most)):
        run = getattr(used.pattern, method)
        if isinstance(used.pattern.pattern, bytes):
            texts = run
            run = lambda text, texts=texts: texts(text.encode("utf-8", "surrogatepass"))  # noqa: E731
        whole = (lambda text, run=run: deque(run(text), 0)) if method == "finditer" else run
        if fault := slow_with(whole, *pieces):
            yield f"{method} of {used.name}: {fault}"
            return


@pytest.mark.slow
def test_every_pattern_is_found() -> None:
    names = {used.name for used in patterns()}

    assert set(MADE) == makers()
    assert len(names) > 190
    assert {"events.text.segmentation._RUN", "judge.guard.injection._STATEMENTS", "judge.text.scanner._plain"} <= names


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_no_pattern_holds_the_loop(part: int) -> None:
    assert [] == [fault for used in patterns()[part::8] for fault in slow(used, 1)]


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(64))
def test_no_pattern_holds_the_loop_with_many_more_texts(part: int) -> None:
    """Like the test above: to find the patterns takes two seconds, which no other run shall wait for."""
    assert [] == [fault for used in patterns()[part::64] for fault in slow(used, 60)]


def parsed(raw: str) -> Any:
    try:
        return parse(raw, dict[str, str])
    except Malformed:
        return None


READERS: Final[dict[str, Callable[[str], object]]] = {
    "quoted": _quoted,
    "citations": citations,
    "sentences": live_text.sentences,
    "shortened": live_text.shortened.__wrapped__,
    "content_words": live_text.content_words,
    "count_words": segmentation.count_words,
    "first_words": lambda text: segmentation.first_words(text, 200),
    "clean": clean,
    "clip": lambda text: clip(text, 200),
    "clip of an answer": lambda text: clip_answer(text, 400),
    "sentences of a search": lambda text: deque(said.sentences(text), 0),
    "terms": said.terms_of,
    "stands_in": lambda text: stands_in(text, "Trams carry more people than cars.", 10),
    "find_citations": find_citations,
    "cited_ids": cited_ids,
    "detect": detect,
    "scan": scan,
    "exchanged": exchanged,
    "named": lambda text: named(text, "pro"),
    "argument_id": argument_id,
    "parse_loosely": parse_loosely,
    "parse": parsed,
    "seconds": seconds,
    "side_of": side_of.__wrapped__,
    "label_of": label_of,
    "heading_of": heading_of,
    "without_aside": without_aside,
    "read_subtitles": lambda text: read_subtitles(["00:01.000 --> 00:02.000", f"<v Ann>x{text}"], "webvtt"),
}
TEXTS: Final = (
    ("", "."), ("", ". "), ("", ".)"), ("", "...x"), ("", "。"), ("", "!?"), ("[", " "), ("", "["), ("", "[ "),
    ("[", "/ "), ("[x", " "), ("", "[user "), ("turns 1", " -"), ("turns 1", " - "), ("", "turns 1 - "),
    ("", "turn "), ("", "\n"), ("", "\t"), ("", " \n"), ("", "| "), ("", "# "), ("", "#"), ("> ", "> "),
    ("", "*"), ("", "“"), ("", '"'), ("", "'"), ("", "A "), ("", "the first "), ("", "first, "),
    ("", "Speaker A and "), ("", "{"), ('{"a": ', "["), ('{"a": "', "\\"), ("", '{"'), ("", '{"a":'), ("", "}"),
    ("<think>", " "), ("", "<"), ("", "<v."), ("<v", " "), ("", "1"), ("", "1."), ("", "1,"),
    ("", "12 percent "), ("", "ignore all "), ("", "a"), ("", "a "), ("", "-"), ("", " - "), ("", "–"),
    ("PRO", "-"), ("", "(E1"), ("", "[E1] "), ("“a”", " [E1]"), ("", "é"), ("", "e\u0301"), ("", "电"),
    ("", "ก"), ("", "\u200b"), ("", "0:00 "), ("Ann (", ")"), ("Ann", " ("),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("part", spread(range(5), 1))
def test_no_text_of_a_speech_or_an_answer_holds_the_loop(name: str, part: int) -> None:
    faults = [slow_with(READERS[name], *text, suffix) for text in TEXTS[part::5] for suffix in ("", "x")]

    assert [] == list(filter(None, faults))


def test_the_texts_that_stopped_a_server() -> None:
    stopped = {
        "citations": "turns 1 " + "- " * 500,
        "quoted": "[" + " " * 1_000,
        "sentences": "." * LENGTH + "x",
        "stands_in": "[" + " " * LENGTH,
        "parse_loosely": "[" * LENGTH,
        "exchanged": "A " * (LENGTH // 2),
    }

    assert {} == {name: text[:20] for name, text in stopped.items() if taken(READERS[name], text, MAX_S) > MAX_S}
