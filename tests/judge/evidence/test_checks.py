"""Citations against the passages: what is verified, misquoted, invented, paraphrased, and what is not cited at all."""

import time
from collections.abc import Collection

import pytest

from judge.evidence.checks import MAX_CHECKED, CheckedCitation, check_turn, nearest_sentence, stands_in
from tests.judge.evidence.bus_passages import PASSAGES


def checked(text: str, *earlier: str) -> tuple[CheckedCitation, ...]:
    return check_turn(text, PASSAGES, minimum=8, earlier=earlier).citations


def findings(text: str, *earlier: str) -> list[tuple[str, str]]:
    return [(each.passage, each.finding) for each in checked(text, *earlier)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The report says “Ridership on the city’s buses ROSE by 12 percent” [E1].", [("E1", "verified")]),
        ('The report says "ridership on the city\'s buses rose by 40 percent" [E1].', [("E1", "misquoted")]),
        ('The report says "ridership rose by 12 percent" [E1].', [("E1", "misquoted")]),
        ('"ridership … rose by 12 percent" [E1].', [("E1", "verified")]),
        ('"ridership [in that city] rose by 12 percent." [E1].', [("E1", "verified")]),
        ('"ridership on the [...] buses rose by 12 percent." [E1].', [("E1", "verified")]),
        ('"rose by 12 percent … In the first year" [E1].', [("E1", "misquoted")]),
        ('"rose by 12 percent," as the report has it [E1].', [("E1", "verified")]),
        ("More people took the bus [E1].", [("E1", "paraphrased")]),
        ("More people took the bus [E7].", [("E7", "unknown_passage")]),
        ("More people took the bus (E7).", []),
        ('"more people took the bus" (E7).', [("E7", "unknown_passage")]),
        ("The additive (E330) is harmless.", []),
        ('"ridership on the city\'s buses rose by 12 percent" [E1, E2].', [("E1", "verified"), ("E2", "paraphrased")]),
        ('"ridership fell by 12 percent that year" [E1, E2].', [("E1", "misquoted"), ("E2", "paraphrased")]),
        ("A 2019 study by Harvard University says so.", [("", "uncited")]),
    ],
)
def test_findings(text: str, expected: list[tuple[str, str]]) -> None:
    assert expected == findings(text)


def test_words_of_another_passage_are_found_there() -> None:
    [found] = checked('"frequency mattered more to them than the price" [E1].')

    assert ("misquoted", "E3") == (found.finding, found.found_in)


def test_an_invented_id_with_true_words_tells_where_they_stand() -> None:
    [found] = checked('"frequency mattered more to them than the price" [E9].')

    assert ("unknown_passage", "E3") == (found.finding, found.found_in)


def test_a_verified_quote_has_both_places() -> None:
    text = 'The report says "Most of the new trips replaced walking" [E1].'

    [found] = checked(text)

    assert found.quoted is not None
    assert found.stands is not None
    assert "Most of the new trips replaced walking" == text[found.quoted[0] : found.quoted[1]]
    assert "Most of the new trips replaced walking" == PASSAGES["E1"][found.stands[0] : found.stands[1]]


def test_of_misquoted_words_the_nearest_sentence_is_shown() -> None:
    [found] = checked('"Car traffic on the main roads fell by more than 20 percent" [E1].')

    assert found.stands is not None
    assert (
        "Car traffic on the main roads fell by less than 2 percent."
        == PASSAGES["E1"][found.stands[0] : found.stands[1]]
    )


def test_words_of_the_opponent_are_no_quotation_of_the_passage() -> None:
    said = "Free buses will empty the streets of all cars."
    text = 'You said "free buses will empty the streets", but car traffic hardly fell [E1].'

    assert [("E1", "paraphrased")] == findings(text, said)
    assert [("E1", "misquoted")] == findings(text)


def test_words_of_the_speaker_that_no_document_has_are_not_excused_by_saying_them_before() -> None:
    said = "Free buses will empty the streets of all cars."
    text = 'The report says that "free buses will empty the streets" [E1].'

    [found] = check_turn(text, PASSAGES, minimum=8, own=[said]).citations
    assert "misquoted" == found.finding
    [before] = check_turn(text, PASSAGES, minimum=8, own=[said], rules=1).citations
    assert "paraphrased" == before.finding, "a debate that was opened under the rules of before"


POLICY = {
    "E1": "Scripts must not depend on files in /usr/local. Those scripts must not fail. Packages, of which there are "
    "30,000, must be removed by hand. In 2019 the rule changed. Since then nothing breaks. Users may depend on it.",
    "E2": "Scripts must always depend on files in /usr/local.",
}


@pytest.mark.parametrize(
    ("quote", "expected", "hides"),
    [
        ("Scripts must … depend on files in /usr/local", "misquoted", "not"),
        ("Scripts must [...] depend on files", "misquoted", "not"),
        ("Scripts must not [always] depend on files in /usr/local", "verified", ""),
        ("Packages … must [not] be removed by hand", "misquoted", "not"),
        ("Packages must be removed by hand", "misquoted", ""),
        ("Packages, … must be removed by hand", "paraphrased", ""),
        ("Scripts must not depend on files … must be removed by hand", "paraphrased", ""),
        ("scripts must not fail … Since then nothing breaks", "verified", ""),
        ("Scripts must … be removed by hand", "misquoted", "not"),
    ],
)
def test_a_quotation_that_hides_a_negation_is_none_and_one_that_hides_a_number_counts_for_nothing(
    quote: str, expected: str, hides: str
) -> None:
    [found] = check_turn(f"It says “{quote}” [E1].", {"E1": POLICY["E1"]}, minimum=8).citations

    assert (expected, hides) == (found.finding, found.hides)
    [before] = check_turn(f"It says “{quote}” [E1].", {"E1": POLICY["E1"]}, minimum=8, rules=1).citations
    assert ("misquoted" if quote == "Packages must be removed by hand" else "verified") == before.finding


def test_a_cut_is_tried_at_each_place_and_a_passage_in_which_it_hides_nothing_is_named() -> None:
    text = "I find “Scripts must … depend on files in /usr/local” in it [E1]."

    [found] = check_turn(text, POLICY, minimum=8).citations
    assert ("misquoted", "E2") == (found.finding, found.found_in)
    [found] = check_turn(text, {"E1": f"{POLICY['E1']} {POLICY['E2']}"}, minimum=8).citations
    assert "verified" == found.finding


def test_words_that_an_earlier_turn_took_from_the_passage_are_still_verified() -> None:
    text = '"ridership on the city\'s buses rose by 12 percent" [E1]'

    assert [("E1", "verified")] == findings(text, f"They say {text}.")


def test_who_talks_about_an_invented_id_of_the_opponent_did_not_invent_it() -> None:
    said = "Trust grew [E9]."

    assert [("E9", "unknown_passage")] == findings(said)
    assert findings("There is no [E9] in the evidence.", said) == []
    assert [("E9", "unknown_passage")] == findings('It even says "trust grew by 30 percent" [E9].', said)


def test_a_citation_is_checked_once_in_a_sentence() -> None:
    assert [("E1", "paraphrased")] == findings("Buses are full [E1] and full [E1].")


GLUED = {"E1": "Inthefirstyear, ridershiponthecity’sbusesrose by12percent. Cartrafficfellbylessthan2percent."}


@pytest.mark.parametrize(
    ("text", "misread", "expected"),
    [
        ('"ridership on the city\'s buses rose by 12 percent" [E1].', {"E1"}, "verified"),
        ('"ridership … rose by 12 percent." [E1].', {"E1"}, "verified"),
        ('"ridership on the city\'s buses rose by 40 percent" [E1].', {"E1"}, "misread"),
        ('"ridership on the city\'s buses rose by 12 percent" [E1].', (), "misquoted"),
    ],
)
def test_on_a_page_that_was_read_badly_spaces_do_not_count_and_nothing_is_misquoted(
    text: str, misread: Collection[str], expected: str
) -> None:
    [found] = check_turn(text, GLUED, misread=misread, minimum=8).citations

    assert expected == found.finding
    if expected == "verified":
        assert found.stands is not None
        words = GLUED["E1"][found.stands[0] : found.stands[1]]
        assert words.startswith("ridership")
        assert words.endswith("by12percent")


@pytest.mark.parametrize(
    ("said", "stands", "expected"),
    [
        ("it must run with backward-compatible tools", "It must run with backwardcompatible tools.", "verified"),
        ("it must run with backwardcompatible tools", "It must run with backward-compatible tools.", "verified"),
        ("the years 1914-18 were hard ones", "The years 191418 were hard ones.", "misquoted"),
        ("it is not able to run there", "It is notable to run there.", "misquoted"),
    ],
)
def test_a_hyphen_that_the_end_of_a_line_may_have_hidden_does_not_count(said: str, stands: str, expected: str) -> None:
    [found] = check_turn(f"“{said}” [E1].", {"E1": f"First. {stands}"}, minimum=8).citations

    assert expected == found.finding


@pytest.mark.slow
def test_many_citations_are_bounded_and_counted() -> None:
    big = {f"E{n}": f"{text} Copy number {n}." for n in range(1, 3001) for text in PASSAGES.values()}
    text = " ".join(f'"the moon is made of green cheese {n}" [E{n}].' for n in range(1, 1001))
    began = time.process_time()

    found = check_turn(text, big, minimum=8)

    assert time.process_time() - began < 5
    assert MAX_CHECKED == len(found.citations)
    assert 1000 - MAX_CHECKED == found.unchecked


@pytest.mark.parametrize("passage", ["", "…", "[E3]", "\u202e", "| " * 500, "<|im_end|>", "a" * 5000])
def test_odd_passages_and_quotes_are_no_fault(passage: str) -> None:
    pack = {"E1": passage, "E3": "x"}

    found = check_turn(f'"{passage[:300]} and four words more" [E1]. [E1] … "…" [E1]', pack, minimum=8).citations

    assert all(each.finding in {"misquoted", "paraphrased"} for each in found)


def test_where_parts_stand() -> None:
    assert stands_in("one … three", "one x three", 3) == (0, 11)
    assert stands_in("…", "…", 1) is None
    assert stands_in("three … one", "one x three", 3) is None
    assert nearest_sentence("moon", PASSAGES["E1"]) is None
