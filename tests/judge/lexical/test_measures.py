"""Levels follow marks: what lowers them, what raises them, and that length alone does neither."""

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import mean

import pytest

from events.transfer import parse_lines
from events.types import DebateOpened, TurnSpoken
from judge.lexical.measures import COMPONENTS, DIMENSIONS, NEEDS_OPPONENT, MeasuredSpeech, level, measure
from judge.lexical.reading import read
from tests.judge.lexical.judged_debates import MOTION, TURNS

LOGS = Path(__file__).parents[2] / "server" / "debate" / "logs"
BLAND = "This is how it is and that is what it was for them. It is what it is and they have had it here before."
BESIDE_THE_POINT = (
    "The river Danube passes ten countries between the Black Forest and the Black Sea. Amber floats in salt water. "
    "Old violins were varnished with resin from spruce trees."
)
COUNTED = [name for names in DIMENSIONS.values() for name in names]


def speech(text: str, opponent: str = "", *own: str, language: str = "en", motion: str = MOTION) -> MeasuredSpeech:
    return MeasuredSpeech(
        text=read(text, language),
        motion=read(motion, language),
        opponent=read(opponent, language) if opponent else None,
        own=tuple(read(each, language) for each in own),
    )


def levels(text: str, opponent: str = "", *own: str) -> dict[str, float]:
    measured = {name: measure(name, speech(text, opponent, *own)) for name in COMPONENTS}
    return {name: each.level for name, each in measured.items() if each is not None}


@cache
def good_debates() -> dict[str, tuple[str, list[str]]]:
    """Motion and turns of the debates that were answered by hand."""
    debates = {}
    for name in ("free_transport", "under_sixteen"):
        records = parse_lines((LOGS / f"{name}_v2.ndjson").read_bytes().splitlines(keepends=True))
        assert isinstance(records[0].event, DebateOpened)
        texts = [record.event.text for record in records if isinstance(record.event, TurnSpoken)]
        debates[name] = (records[0].event.motion, texts)
    return debates


def real_turns() -> list[tuple[str, str]]:
    """(turn, the turn that it answers) of these debates."""
    return [(text, before) for _, texts in good_debates().values() for before, text in pairwise(texts)]


@pytest.mark.parametrize(
    ("name", "with_mark", "without"),
    [
        ("cause", "Trams are quiet because they run on rails.", "Trams are quiet and they run on rails."),
        ("process", "Trams run on rails so that many people fit.", "Trams run on rails and many people fit."),
        ("consequence", "Therefore noise falls by 40 percent.", "There is noise by the tracks."),
        ("framing", "The question is who may use the street.", "Many people may use the street."),
        ("resonance", "Children can reach the park alone.", "Trams can reach the park alone."),
        ("evidence", "A study by Basel University measured it.", "Many towns felt it."),
    ],
)
def test_a_mark_counts_and_is_quoted(name: str, with_mark: str, without: str) -> None:
    found, nothing = measure(name, speech(with_mark)), measure(name, speech(without))

    assert found is not None
    assert nothing is not None
    assert found.level > 0
    assert found.quote in with_mark
    assert (0.0, "") == (nothing.level, nothing.quote)


def test_a_consequence_with_a_figure_counts_more() -> None:
    assert (
        levels("Therefore noise falls by 40 percent.")["consequence"] > levels("Therefore noise falls.")["consequence"]
    )


def test_a_reason_says_what_was_counted() -> None:
    found = measure("cause", speech("Trams win because they are quiet. Cars lose."))

    assert found is not None
    assert "It has marks of cause in 1 of 2 sentences: “because”." == found.reason


@pytest.mark.parametrize("name", sorted(NEEDS_OPPONENT))
def test_an_opening_answers_nothing_and_has_no_such_component(name: str) -> None:
    assert measure(name, speech(TURNS[0])) is None


def test_a_component_that_cannot_be_counted_is_none() -> None:
    assert measure("wit", speech(TURNS[0])) is None


def test_an_answer_takes_up_words_of_the_opponent() -> None:
    answer, no_answer = levels(TURNS[1], TURNS[0]), levels("Whales sing at night. Their songs travel far.", TURNS[0])

    assert answer["responsiveness"] > 0
    assert 0 == no_answer["responsiveness"] == no_answer["weakest_premise"] == no_answer["targeting"]


def test_words_of_the_motion_alone_are_no_answer() -> None:
    assert 0 == levels("Cities and private cars and centres: these are words.", TURNS[0])["responsiveness"]


def test_certainty_without_a_reason_and_insults_cost_credibility() -> None:
    plain = levels("Trams are quiet.")["credibility"]

    assert levels("Trams are always quiet, it is obvious.")["credibility"] < plain
    assert levels("Only an idiot takes a car.")["credibility"] < plain
    assert levels("Trams are probably quiet, according to a survey.")["credibility"] > plain


# length


@pytest.mark.slow
@pytest.mark.parametrize("padding", [BLAND, BESIDE_THE_POINT])
def test_padding_raises_no_speech(padding: str) -> None:
    """Neither words without content nor sentences on another matter, in front of a real turn or behind it."""
    for text, before in real_turns():
        was = level(COUNTED, speech(text, before))
        for padded in (f"{text} {padding}", f"{padding} {text}", f"{text} {padding} {padding}"):
            assert level(COUNTED, speech(padded, before)) < was


@pytest.mark.parametrize(
    "name", [name for name in COMPONENTS if name not in {"credibility", "honesty", "frame_control"}]
)
def test_saying_it_twice_raises_nothing(name: str) -> None:
    for text, before in real_turns():
        once, twice = measure(name, speech(text, before)), measure(name, speech(f"{text} {text}", before))

        assert once is not None
        assert twice is not None
        assert twice.level <= once.level


@pytest.mark.slow
def test_half_of_a_turn_is_not_much_worse_than_the_whole() -> None:
    """The mean over real turns: a level does not grow with the number of words."""
    whole, half = [], []
    for text, before in real_turns():
        sentences = text.split(". ")
        whole.append(level(COUNTED, speech(text, before)))
        half.append(level(COUNTED, speech(". ".join(sentences[: len(sentences) // 2]), before)))

    assert abs(sum(whole) - sum(half)) / len(whole) < 0.08


# what it can tell apart


def test_people_who_argue_have_higher_levels_than_text_without_argument() -> None:
    argued = [level(COUNTED, speech(text, before)) for text, before in real_turns()]

    assert min(argued) > level(COUNTED, speech(BESIDE_THE_POINT * 4, real_turns()[0][1]))


def test_other_languages_have_levels_too() -> None:
    german = (
        "Trams sind leise, weil sie auf Schienen fahren. Deshalb sinkt der Lärm um 40 Prozent, sodass Kinder schlafen."
    )
    french = "Le tram est calme parce qu'il roule sur des rails. Par conséquent, le bruit diminue de 40 pour cent."
    spanish = "El tranvía es silencioso porque va sobre raíles. Por lo tanto, el ruido disminuye un 40 por ciento."
    for text, language in ((german, "de"), (french, "fr"), (spanish, "es")):
        for name in ("cause", "consequence"):
            found = measure(name, speech(text, language=language))
            assert found is not None
            assert found.level > 0


def test_among_good_turns_its_levels_do_not_follow_readers() -> None:
    """The rank correlations with the numbers that two readers gave, as docs/judge.md has them."""
    from scipy.stats import spearmanr  # noqa: PLC0415 - the import takes seconds

    found = {}
    for name, (motion, texts) in good_debates().items():
        readers = json.loads((LOGS / f"{name}_v2_readers.json").read_bytes())["readers"]
        holistic = [mean(numbers) for numbers in zip(*(each["turns"] for each in readers), strict=True)]
        counted = [level(COUNTED, speech(text, before, motion=motion)) for before, text in pairwise(("", *texts))]
        found[name] = round(float(spearmanr(counted, holistic).statistic), 2)

    assert {"free_transport": 0.12, "under_sixteen": 0.21} == found
