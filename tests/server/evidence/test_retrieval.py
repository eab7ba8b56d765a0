"""Retrieval: the passages with the rare words of a query come first, in any script; the same query gives the same."""

import pytest
from msgspec.structs import replace

from events.state.parts.evidence import EvidencePack, SuppliedPassage
from events.text.segmentation import words
from events.types import EvidenceDocument, EvidencePassage
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


ABROAD = (
    "In Aldern stieg die Zahl der Fahrgäste 2019 um 12 Prozent. Das war eine gute Nachricht.",
    "Der Stadtrat zahlte 1.200 Euro. Die Kosten sind also gering, und die Menschen sind froh.",
    "Wer fährt, den stört der Preis des Scheins nicht. Man will es so.",
)


@pytest.mark.parametrize(
    ("query", "language", "found"),
    [
        ("What became of the buses in Aldern?", "en", ("E1",)),
        ("The council paid 1,200 euros: who will die of it?", "en", ("E2",)),
        ("The figure of 12 percent is from 2019", "en", ("E1",)),
        ("will die man so also an war in den", "en", ()),
        ("阿尔登的aldern公共汽车", "zh", ("E1",)),
        ("In Aldern stört der Preis", "de", ("E3", "E1")),
    ],
)
def test_documents_in_another_language_are_searched_by_numbers_and_names(
    query: str, language: str, found: tuple[str, ...]
) -> None:
    german = EvidenceDocument(id="D1", name="bus.txt", digest="", media_type="text/plain", language="de")

    assert found == best_passages(replace(pack(*ABROAD), documents={"D1": german}), query, language, 3)


def test_documents_of_both_languages_are_found_in_one_order() -> None:
    texts = pack("In Aldern fuhren 2019 mehr Busse.", "More buses ran in Aldern in 2019.", "Die Stadt ist still.")
    german, english = (
        EvidenceDocument(id=name, name=name, digest="", media_type="text/plain", language=tag)
        for name, tag in (("D1", "de"), ("D2", "en"))
    )
    mixed = replace(texts, documents={"D1": german, "D2": english})
    mixed.passages["E2"] = replace(mixed.passages["E2"], document="D2")

    assert ("E2", "E1") == best_passages(mixed, "Did more buses run in Aldern in 2019? Die still!", "en", 3)


def test_numbers_are_found_in_the_digits_of_the_documents_language() -> None:
    arabic = EvidenceDocument(id="D1", name="bus.txt", digest="", media_type="text/plain", language="ar")
    texts = pack("في الصيف تبرد الأشجار الشارع.", "زاد عدد الركاب في عام ٢٠١٩ بنسبة ١٢ في المئة.")

    assert ("E2",) == best_passages(replace(texts, documents={"D1": arabic}), "It rose in 2019", "en", 3)


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
