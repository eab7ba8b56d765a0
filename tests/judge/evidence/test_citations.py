"""Citations in a turn: marks, the words that belong to them, and the sentences that they support."""

import time

import pytest

from judge.evidence.citations import MAX_MARKS, MAX_STATEMENT, CitationMark, find_citations


def marks(text: str) -> tuple[CitationMark, ...]:
    return find_citations(text).marks


def shown(text: str) -> list[tuple[str, list[str]]]:
    return [(each.passage, [quotation.text for quotation in each.quotations]) for each in marks(text)]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Ridership rose [E3].", ["E3"]),
        ("Ridership rose [E3, E5] and (E7).", ["E3", "E5", "E7"]),
        ("Ridership rose [e3; E 5] and [E3 and E4].", ["E3", "E5", "E3", "E4"]),
        ("Ridership rose [E03, p. 4].", ["E3"]),
        ("Ridership rose (E3, page 12) and 【E9】.", ["E3", "E9"]),
        ("Ridership rose [E٣].", ["E3"]),
        ("Model E3 and [EE3], [3], E3: nothing is cited, [Eleven].", []),
        ("[E3] [E3]", ["E3", "E3"]),
        ("[E1, E1]", ["E1"]),
    ],
)
def test_marks_in_their_usual_forms(text: str, ids: list[str]) -> None:
    assert ids == [each.passage for each in marks(text)]


def test_a_mark_has_the_span_of_its_brackets_and_of_its_id_among_others() -> None:
    text = "Buses fill up [E3]; roads stay full [E4, E5]."

    assert ["[E3]", "E4", "E5"] == [text[start:end] for start, end in (each.span for each in marks(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('It says "ridership rose by 12 percent" [E1].', [("E1", ["ridership rose by 12 percent"])]),
        ('[E1] says that "ridership rose by 12 percent".', [("E1", ["ridership rose by 12 percent"])]),
        ("“Ridership rose by 12 percent.” [E1] The rest is noise.", [("E1", ["Ridership rose by 12 percent."])]),
        (
            '"Ridership rose by 12 percent" [E1], and "the council spent 8 million" [E2].',
            [("E1", ["Ridership rose by 12 percent"]), ("E2", ["the council spent 8 million"])],
        ),
        (
            '[E1] says "ridership rose by 12 percent", while [E2] says "the council spent 8 million".',
            [("E1", ["ridership rose by 12 percent"]), ("E2", ["the council spent 8 million"])],
        ),
        ('"One thing is certain here." Ridership rose [E1].', [("E1", [])]),
        ('A so-called "efficiency dividend" pays for it [E2].', [("E2", [])]),
        ('It rose by "12 percent" [E1].', [("E1", ["12 percent"])]),
        (
            '"Ridership rose by 12 percent. Most of the new trips replaced walking." [E1]',
            [("E1", ["Ridership rose by 12 percent. Most of the new trips replaced walking."])],
        ),
        ("«Die Fahrgastzahl stieg um 12 Prozent» [E1].", [("E1", ["Die Fahrgastzahl stieg um 12 Prozent"])]),
        ("报告说「第一年乘客增加了百分之十二」[E1]。", [("E1", ["第一年乘客增加了百分之十二"])]),
        (
            '"ridership rose by 12 percent" [E1, E2].',
            [("E1", ["ridership rose by 12 percent"]), ("E2", ["ridership rose by 12 percent"])],
        ),
    ],
)
def test_quoted_words_belong_to_the_nearest_mark_of_their_sentence(text: str, expected: list[object]) -> None:
    assert expected == shown(text)


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("Costs fell. Ridership rose [E1]. Cars stayed.", "Ridership rose [E1]."),
        ("Costs fell. Ridership rose. [E1] Cars stayed.", "Ridership rose. [E1] "),
        ("Costs fell. [E1] shows that ridership rose. Cars stayed.", "[E1] shows that ridership rose."),
        ("Ridership rose.\n[E1]", "Ridership rose.\n[E1]"),
    ],
)
def test_a_citation_supports_its_sentence(text: str, statement: str) -> None:
    [mark] = marks(text)

    assert statement == text[mark.statement[0] : mark.statement[1]]


def test_of_a_very_long_sentence_the_part_around_the_mark_counts() -> None:
    text = "word " * 400 + "ridership rose [E1] and " + "more " * 400

    [mark] = marks(text)

    start, end = mark.statement
    assert end - start <= MAX_STATEMENT
    assert "ridership rose [E1] and" in text[start:end]


def test_sources_without_a_mark_are_told_apart() -> None:
    text = "A 2019 study by Harvard University says so. The Smith Institute agrees [E1]."

    assert [each.quote for each in find_citations(text).sources if each.kind == "study"]
    assert all("Smith" not in each.quote for each in find_citations(text).sources)


def test_a_thousand_citations_take_bounded_time_and_are_counted() -> None:
    text = '"ridership rose by 12 percent" [E1, E2, E3]. ' * 1000
    began = time.process_time()

    found = find_citations(text)

    assert time.process_time() - began < 3
    assert 3 * MAX_MARKS == len(found.marks)
    assert 1000 - MAX_MARKS == found.unread
