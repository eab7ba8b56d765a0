"""The topic of a motion, found by whole words and phrases, not by parts of words."""

import pytest

from judge.panel.weights import topic_of
from judge.rubrics.rubric import rubric_v1

RULES = rubric_v1().panel
assert RULES is not None
TOPICS = RULES.topics


@pytest.mark.parametrize(
    "motion",
    [
        "Heroic deeds should be rewarded",  # ROI
        "Supermarkets should give away what they cannot sell",
        "Every supermarket should close on Sundays",  # market
        "Costa Rica should abolish its army again",
        "Costa Rica's model suits every island",  # cost
        "The city needs a new auditorium",
        "Auditions should be blind",  # audit
        "Asterisks do not belong in prose",
        "Accosted people should fight back",  # risk, cost
        "Insecurity makes people kind",
        "Marketing is an art",
        "Profitless trades should be taxed",
        "Microserviceable parts are better",
        "Zoos should be closed",
        "",
        "?!",
    ],
)
def test_a_part_of_a_word_tells_nothing(motion: str) -> None:
    assert "default" == topic_of(motion, TOPICS)


@pytest.mark.parametrize(
    ("motion", "topic"),
    [
        ("The cost of free transport is worth it", "business"),
        ("ROI matters more than growth", "business"),
        ("Is the roi of a heroic deed positive?", "business"),
        ("Costs, not hopes, should decide", "business"),
        ("The market decides better than a plan", "business"),
        ("A budget is a promise", "business"),
        ("We should move to microservices", "architecture"),
        ("Keep the monolith!", "architecture"),
        ("Our tech stack should be one language", "architecture"),
        ("One tech-stack is enough", "architecture"),
        ("Our TECH\nSTACK is too large", "architecture"),
        ("Every team should run its own database", "architecture"),
        ("Data protection hinders research", "security"),
        ("Data-protection hinders research", "security"),
        ("Privacy is worth its price", "security"),
        ("An audit every year is too rare", "security"),
        ("“Risk” is the wrong word", "security"),
    ],
)
def test_a_whole_word_or_phrase_tells_the_topic(motion: str, topic: str) -> None:
    assert topic == topic_of(motion, TOPICS)


@pytest.mark.parametrize(
    "motion", ["Data needs no keeper, protection does", "A stack of tech books is enough", "Techstack is one word"]
)
def test_the_words_of_a_phrase_apart_are_no_phrase(motion: str) -> None:
    assert "default" == topic_of(motion, TOPICS)


def test_more_different_keywords_outweigh_one_that_is_repeated() -> None:
    assert "security" == topic_of("Cost, cost and cost: privacy needs encryption", TOPICS)


def test_of_equals_the_rubrics_first_one_wins() -> None:
    assert "architecture" == topic_of("Does the database cost too much?", TOPICS)
    assert "business" == topic_of("Does privacy cost too much?", TOPICS)
