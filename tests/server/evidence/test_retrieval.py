"""Retrieval: the passages with the rare words of a query come first, in any script; the same query gives the same."""

import pytest

from events.state.parts.evidence import EvidencePack, SuppliedPassage
from events.text.segmentation import words
from events.types import EvidencePassage
from server.evidence.retrieval import best_passages, best_sentences, query_terms

TEXTS = (
    "Buses carry more people than cars.",
    "A tree cools its street by four degrees in summer.",
    "The noise of motors harms the heart.",
    "Eine Straßenbahn fährt über die Brücke.",
    "公共汽车比小汽车运送更多的人。",
    "樹木冷卻街道。",
    "バスは車より多くの人を運びます。",
    "รถโดยสารบรรทุกคนได้มากกว่ารถยนต์",
    "Деревья охлаждают улицу летом.",
    "الأشجار تبرد الشارع في الصيف.",
    "पेड़ गर्मियों में सड़क को ठंडा करते हैं।",
    "나무는 여름에 거리를 식힌다.",
)


def pack(*texts: str) -> EvidencePack:
    return EvidencePack(
        passages={
            f"E{number}": SuppliedPassage(document="D1", passage=EvidencePassage(id=f"E{number}", text=text))
            for number, text in enumerate(texts, 1)
        }
    )


@pytest.mark.parametrize(
    ("query", "language", "first"),
    [
        ("Do trees cool streets?", "en", "E2"),
        ("NOISY motors", "en", "E3"),
        ("Uber welche Brucken fahrt sie?", "de", "E4"),
        ("公共汽车", "zh", "E5"),
        ("街道的樹木", "zh", "E6"),
        ("車は人を運ぶ", "ja", "E7"),
        ("รถยนต์", "th", "E8"),
        ("охлаждение летних улиц", "ru", "E9"),
        ("أشجار الصيف", "ar", "E10"),
        ("सड़क", "hi", "E11"),
        ("여름 거리를", "ko", "E12"),
    ],
)
def test_the_passage_that_fits_comes_first(query: str, language: str, first: str) -> None:
    assert first == best_passages(pack(*TEXTS), query, language, 3)[0]


def test_a_rare_word_counts_for_more_than_a_frequent_one() -> None:
    found = best_passages(
        pack(*(["The bus stops here today."] * 9), "A crane stops there today."), "bus crane", "en", 2
    )

    assert "E10" == found[0]


def test_passages_that_fit_alike_stand_in_their_order_and_the_same_query_gives_the_same() -> None:
    alike = pack(*["A bus stops."] * 5, "Nothing of it.")

    assert ("E1", "E2", "E3") == best_passages(alike, "buses", "en", 3) == best_passages(alike, "buses", "en", 3)


@pytest.mark.parametrize(
    "query", ["", "the and of", "zebra", '" OR * NEAR(', "a AND b", "\x00", "'; DROP TABLE x", "🚌"]
)
def test_a_query_without_a_word_of_any_passage_finds_nothing_and_is_no_syntax(query: str) -> None:
    assert () == best_passages(pack("Buses carry more people."), query, "en", 3)


def test_a_query_is_bounded() -> None:
    assert 200 == len(query_terms(" ".join(f"x{number:04}" for number in range(5000)), "en"))
    assert words("x0001") == list(query_terms("x0001", "en"))


def test_the_best_sentence_has_most_of_the_words() -> None:
    text = "Buses are red. A tree cools its street. It rains."

    assert [0, 3, 0] == [count for count, _ in best_sentences(text, "trees that cool a street", "en")]
