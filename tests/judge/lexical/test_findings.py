"""Findings rest on words that stand there, and are few: no finding that words cannot show, and none in real debates."""

from itertools import combinations
from pathlib import Path

import pytest

from events.transfer import parse_lines
from events.types import TurnSpoken
from judge.lexical.findings import KNOWABLE, contradict, contradictions, premises, suspect_claims
from judge.lexical.reading import read

LOGS = Path(__file__).parents[2] / "server" / "debate" / "logs"
EVERY_KIND = (
    "hollow_specificity", "no_mechanism", "overclaim", "unverifiable", "fabricated_citation", "inverted_fact",
    "reversed_causality",
)  # fmt: skip


def kinds_in(text: str) -> list[str]:
    return [each.kind for each in suspect_claims(read(text, "en"), EVERY_KIND)]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Trams carry 63 percent of commuters.", ["hollow_specificity"]),
        ("Trams carry about 63 percent of commuters.", []),
        ("Trams carry 63 percent of commuters because they run often.", []),
        ("Trams carry 63 percent of commuters. According to the city they run often.", []),
        ("Trams carry two thirds of commuters.", []),
        ("Trams came in 1987.", []),
        ("Trams are obviously better.", ["overclaim"]),
        ("Trams are not always better.", []),
        ("Trams are always better because they need no parking.", []),
        ("A study by Basel University counted trams.", ["unverifiable"]),
    ],
)
def test_a_claim_is_suspect_by_its_words(text: str, kinds: list[str]) -> None:
    assert kinds == kinds_in(text)


def test_only_kinds_that_are_asked_for_are_found() -> None:
    assert () == suspect_claims(read("A study by Basel University counted trams.", "en"), ("hollow_specificity",))


def test_no_claim_is_called_invented_or_wrong() -> None:
    assert frozenset({"hollow_specificity", "overclaim", "unverifiable"}) == KNOWABLE
    for text in ("The Larkmoor Bench Audit of 2019 proves that 41.7 percent sleep.", "The sun circles the earth."):
        assert set(kinds_in(text)) <= KNOWABLE


@pytest.mark.parametrize(
    ("one", "two", "by"),
    [
        ("Free buses fill the shops of the centre.", "Free buses do not fill the shops of the centre.", "a negation"),
        ("Free buses raise rents in the centre.", "Free buses lower rents in the centre.", "“raise” against “lower”"),
        ("Free buses fill the shops of the centre.", "Free buses fill the shops of the centre.", ""),
        ("Free buses fill the shops of the centre.", "Free trams do not fill the schools.", ""),
        ("Free buses fill the shops of the centre.", "If nobody pays, free buses do not fill the shops.", ""),
        ("Free buses raise rents in the centre.", "Free buses do not lower rents in the centre.", ""),
        ("Free buses do not fill shops here.", "Buses that are free never fill our shops.", ""),
    ],
)
def test_two_sentences_contradict_by_a_negation_or_by_opposites(one: str, two: str, by: str) -> None:
    (first,), (second,) = read(one, "en").sentences, read(two, "en").sentences

    assert contradict(first, second, "en").startswith(by)
    assert bool(by) == bool(contradict(first, second, "en"))
    assert bool(contradict(first, second, "en")) == bool(contradict(second, first, "en"))


def test_a_text_may_contradict_itself() -> None:
    reading = read("Free buses fill the shops of the centre. Free buses do not fill the shops of the centre.", "en")

    (found,) = contradictions(reading, reading)
    assert found.earlier.span < found.later.span


def test_german_sentences_contradict_each_other() -> None:
    one, two = read(
        "Freie Busse füllen die Läden der Stadt. Freie Busse füllen die Läden der Stadt nicht.", "de"
    ).sentences

    assert contradict(one, two, "de")


@pytest.mark.parametrize("name", ["free_transport", "under_sixteen"])
def test_nobody_contradicts_himself_in_debates_of_capable_debaters(name: str) -> None:
    """Two readers found no contradiction in them either."""
    records = parse_lines((LOGS / f"{name}_v2.ndjson").read_bytes().splitlines(keepends=True))
    turns = [record.event for record in records if isinstance(record.event, TurnSpoken)]
    for side in ("pro", "con"):
        readings = [read(turn.text, "en") for turn in turns if turn.side == side]
        assert not [pair for one, two in combinations(readings, 2) for pair in contradictions(one, two)]


def test_premises_are_sentences_with_a_reason_in_the_order_of_the_text() -> None:
    text = (
        "Buses need less street than cars because they carry forty people each. I like trams. Street that buses do not "
        "need becomes pavement, so people walk. My opponent says that streets are for cars."
    )
    found = premises(read(text, "en"))

    assert ["Buses need", "Street that"] == [
        " ".join(word.text for word in each.words[:2]).capitalize() for each in found
    ]


def test_a_question_and_a_concession_are_no_premises() -> None:
    assert () == premises(
        read("Why do buses stop because drivers sleep? Granted, buses stop because drivers sleep.", "en")
    )
