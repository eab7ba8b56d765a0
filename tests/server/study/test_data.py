"""The questions of a study: those of our own hold what they promise, files of others are read or refused."""

import json
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from judge.errors import BadItem
from judge.guard.quotes import find
from judge.study.demo import installed, passages
from server.study.data import PROTOCOLS, DataFile, StudyData, read, read_files

PEOPLE = Path("shared", "data", "nyu-debates.jsonl")
NYU = next((each / PEOPLE for each in Path(__file__).parents if (each / PEOPLE).is_file()), None)


def lines(*values: dict[str, Any], name: str = "own.jsonl") -> DataFile:
    return DataFile(name=name, content="\n".join(json.dumps(each) for each in values).encode())


# demo


def test_the_questions_of_our_own_are_balanced_so_that_no_form_gives_the_answer_away() -> None:
    items = installed()
    right = [each.answers[each.right] for each in items]
    wrong = [each.answers[1 - each.right] for each in items]

    assert 24 == len(items) == len({each.id for each in items}) == len({each.question for each in items})
    assert 12 == sum(each.right == 0 for each in items)
    assert 12 == sum(len(one) > len(two) for one, two in zip(right, wrong, strict=True))
    assert abs(mean(map(len, right)) / mean(map(len, wrong)) - 1) < 0.05
    assert 48 == len({*right, *wrong})
    assert {each.passage for each in items} == set(passages())


@pytest.mark.parametrize("name", sorted(passages()))
def test_a_passage_has_800_to_1500_words_and_quotes_for_both_answers(name: str) -> None:
    text = passages()[name]

    assert 800 <= len(text.split()) <= 1500
    for item in (each for each in installed() if each.passage == name):
        assert len(item.shows) >= 3
        assert len(item.tempts) >= 3
        assert all(quote in text and find(quote, text, 1) is not None for quote in (*item.shows, *item.tempts))
        # What decides is not in one place: the quotes stand in at least three parts of ten.
        assert len({10 * text.index(quote) // len(text) for quote in item.shows}) >= 3


def test_a_sample_is_seeded_and_takes_each_passage_once_before_any_twice() -> None:
    whole = read("demo")
    sample = read("demo", items=16, seed=4)
    other = read("demo", items=16, seed=5)

    assert 16 == len({each.cluster for each in sample.items}) == len(sample.passages)
    assert sample == read("demo", items=16, seed=4)
    assert sample.items != other.items
    assert [each for each in whole.items if each in sample.items] == list(sample.items)
    assert "A sample of 16 of 24 questions, drawn with seed 4" in sample.notes[-1]


# khan-2024: QuALITY


def question(**changes: Any) -> dict[str, Any]:
    """A question that fulfils all rules; the third option tempts most."""
    validation = [
        {
            "untimed_annotator_id": str(who),
            "untimed_answer": 2,
            "untimed_eval1_answerability": 1,
            "untimed_eval2_context": 1 + who % 2,
            "untimed_best_distractor": [3, 3, 1, 3, 4][who],
        }
        for who in range(5)
    ]
    validation.append({**validation[1], "untimed_annotator_id": "5"})
    speed = [{"speed_annotator_id": str(who), "speed_answer": [3, 3, 2, 2, 1][who]} for who in range(5)]
    return {
        "question": "Who left?",
        "question_unique_id": "52845_AB_1",
        "options": ["Ann", "Bo", "Cy", "Di"],
        "gold_label": 2,
        "writer_label": 2,
        "validation": validation,
        "speed_validation": speed,
        "difficult": 1,
    } | changes


def article(*questions: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "article_id": "52845",
        "set_unique_id": "52845_AB",
        "batch_num": "22",
        "writer_id": "1012",
        "source": "Gutenberg",
        "title": "The Girl",
        "year": 1962,
        "author": "Young, R. F.",
        "topic": "Science fiction",
        "article": "Bo left at noon.",
        "questions": list(questions),
        "url": "https://www.gutenberg.org/ebooks/52845",
        "license": "public domain",
    } | changes


def said(name: str, value: int | str, *, who: slice = slice(None)) -> dict[str, Any]:
    """A question with other labels of some of the people."""
    changed = question()
    for each in changed["validation"][who]:
        each[name] = value
    return changed


def quality(*sets: dict[str, Any]) -> StudyData:
    return read_files("khan-2024", [lines(*sets, name="dev")])


def test_a_hard_question_of_quality_has_its_right_option_and_the_best_distractor() -> None:
    found = quality(article(question()))

    assert [("52845_AB_1", "52845", "Who left?", ("Bo", "Cy"), 0, "52845")] == [
        (each.id, each.cluster, each.question, each.answers, each.right, each.passage) for each in found.items
    ]
    assert {"52845": "Bo left at noon."} == found.passages


def test_both_names_of_the_distractor_and_labels_in_quotes_are_read() -> None:
    renamed = question(gold_label="4", writer_label="4")
    for each in renamed["validation"]:
        each["untimed_eval3_distractor"] = str(each.pop("untimed_best_distractor"))
        each["untimed_answer"] = "4"
    for each in renamed["speed_validation"]:
        each["speed_answer"] = "1"
    (item,) = quality(article(renamed)).items

    assert (("Cy", "Di"), 1) == (item.answers, item.right)


def test_two_lines_of_an_article_are_one_cluster_with_one_passage() -> None:
    found = quality(article(question()), article(question(), question(), set_unique_id="52845_CD"))

    assert ["52845_AB_1", "52845_CD_1", "52845_CD_2"] == [each.id for each in found.items]
    assert {"52845"} == {each.cluster for each in found.items} == set(found.passages)


@pytest.mark.parametrize(
    "broken",
    [
        article(question(), source="Slate"),
        article(question(difficult=0)),
        article(said("untimed_eval1_answerability", 2, who=slice(1))),
        article(said("untimed_answer", 3, who=slice(1))),
        article(question(speed_validation=[{"speed_answer": answer} for answer in (2, 2, 2, 1)])),
        article(said("untimed_eval2_context", 1)),
        article(question(writer_label=3)),
        article(said("untimed_best_distractor", 2)),
        article(question(options=["Ann", "Bo", "None of the above", "Di"])),
    ],
)
def test_each_rule_leaves_a_question_out_and_the_count_is_told(broken: dict[str, Any]) -> None:
    found = quality({**broken, "article_id": "1", "set_unique_id": "1_A"}, article(question()))

    assert ["52845_AB_1"] == [each.id for each in found.items]
    assert found.notes[0].startswith("Of 2 questions in dev, ")
    assert found.notes[0].endswith("1 are with a false answer that people named, and no answer about the others.")


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (article(question(gold_label=7)), "dev, line 2: question 1 has a label that is not from 1 to 4"),
        (article({"question": "?", "options": ["a", "b", "c", "d"]}), "dev, line 2: .*gold_label"),
        (article(question(), article="<html><p>Bo left.</p>"), "dev, line 2: the article is HTML: .*htmlstripped"),
        (article(question()), "two questions have this id"),
    ],
)
def test_a_file_of_quality_that_cannot_be_read_is_refused_with_line_and_reason(broken: Any, why: str) -> None:
    with pytest.raises(BadItem, match=why):
        quality(article(question()), broken)


# nyu


def debate(**changes: Any) -> dict[str, Any]:
    return {
        "id": "d-1",
        "story": '"The Girl"',
        "question": "Who left? ",
        "answers": ["Bo", "Cy"],
        "correct": 1,
        "rounds": [
            {"by": "judge", "text": "", "belief": [0.5, 0.5], "ends": False},
            {
                "by": "A",
                "round": "SimultaneousSpeeches",
                "text": "“Bo left the house.” says it, “she” says.",
                "quotes": ["Bo left the house.", "she"],
            },
            {
                "by": "B",
                "round": "SimultaneousSpeeches",
                "text": "No: “Bo left Cy in the rain”.",
                "quotes": ["Bo left Cy in the rain"],
            },
            {"by": "judge", "text": "I believe B.", "belief": [0.2, 0.8], "ends": False},
            {"by": "A", "round": "SequentialSpeeches", "text": "Well.", "quotes": []},
            {"by": "OfflineJudgments"},
        ],
        "judge_final": [0.3, 0.7],
        "offline": [],
    } | changes


def test_a_debate_of_people_gives_its_speeches_with_their_quotes_and_what_its_judge_believed() -> None:
    found = read_files("nyu", [lines(debate())])
    (item,) = found.items

    assert ("On the story “The Girl”: Who left?", ("Bo", "Cy"), 1) == (item.question, item.answers, item.right)
    assert [
        (1, 0, "<quote>Bo left the house.</quote> says it, “she” says."),
        (1, 1, "No: <quote>Bo left Cy in the rain</quote>."),
        (2, 0, "Well."),
    ] == [(each.round, each.answer, each.text) for each in item.speeches]
    assert {"The Girl": "Bo left the house.\n\nshe\n\nBo left Cy in the rain"} == found.passages
    assert [("d-1", "The Girl", 0.7)] == [(each.item, each.cluster, each.p_right) for each in found.people]


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (debate(rounds=[{"by": "A", "text": "Bo."}]), "line 1: d-1: not both answers have a speech"),
        (debate(judge_final=[0.3, 1.7]), "line 1: d-1: judge_final has a probability"),
        (debate(correct=2), r"line 1: Invalid enum value 2 - at `\$.correct`"),
    ],
)
def test_a_debate_of_people_that_cannot_be_read_is_refused(broken: dict[str, Any], why: str) -> None:
    with pytest.raises(BadItem, match=why):
        read_files("nyu", [lines(broken)])


@pytest.mark.skipif(NYU is None, reason="the debates that people judged are no part of Moot")
def test_the_61_debates_are_read_with_their_quotes() -> None:
    assert NYU is not None
    found = read("nyu", [NYU])

    assert (61, 23, 54) == (len(found.items), len(found.passages), sum(each.p_right > 0.5 for each in found.people))
    assert 896 == sum(speech.text.count("<quote>") for each in found.items for speech in each.speeches)


# files of users


def test_own_questions_may_share_a_passage_that_has_a_line() -> None:
    found = read_files(
        "own",
        [
            lines(
                {"id": "p", "passage": "Bo left."},
                {"id": "a", "question": "Who?", "answers": ["Bo", "Cy"], "right": 0, "passage_id": "p"},
                {"id": "b", "question": "When?", "answers": ["Now", "Never"], "right": 1, "passage_id": "p"},
                {"id": "c", "question": "Why?", "answers": ["x", "y"], "right": 1, "passage": "Rain.", "cluster": "z"},
                {"id": "d", "question": "What?", "answers": ["x", "y"], "right": 1},
            )
        ],
    )

    assert [("a", "p", "p"), ("b", "p", "p"), ("c", "z", "c"), ("d", "d", "")] == [
        (each.id, each.cluster, each.passage) for each in found.items
    ]
    assert {"p": "Bo left.", "c": "Rain."} == found.passages


ASKED = {"id": "a", "question": "Who?", "answers": ["Bo", "Cy"], "right": 0}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no question is left"),
        (b"\xff", "own.jsonl, line 1"),
        (b'\n{"id": "a"}', "own.jsonl, line 2: a question needs the fields question, answers and right"),
        (b'{"id": "a", "colour": 1}', "own.jsonl, line 1: .*colour"),
        (json.dumps(ASKED | {"right": 2}).encode(), r"line 1: Invalid enum value 2 - at `\$.right`"),
        (json.dumps(ASKED | {"answers": ["Bo", "Bo "]}).encode(), "'a': both answers are the same"),
        (json.dumps(ASKED | {"answers": ["Bo", " "]}).encode(), "'a': an answer is empty"),
        (json.dumps(ASKED | {"passage_id": "q"}).encode(), "'a': its passage 'q' is missing or empty"),
        (json.dumps(ASKED | {"passage_id": "q", "passage": "Bo."}).encode(), "'a': its passage is given twice"),
        (b"\n".join([json.dumps(ASKED).encode()] * 2), "'a': two questions have this id"),
    ],
)
def test_own_questions_with_a_fault_are_refused_with_line_and_reason(content: bytes, why: str) -> None:
    with pytest.raises(BadItem, match=why):
        read_files("own", [DataFile(name="own.jsonl", content=content)])


@pytest.mark.parametrize(
    ("protocol", "paths", "items", "why"),
    [
        ("khan", [], None, f"there is no study 'khan': choose from {', '.join(PROTOCOLS)}"),
        ("own", [], None, "the study own needs a file"),
        ("demo", [__file__], None, "the study demo has its own questions"),
        ("own", ["/nowhere/a.jsonl"], None, "/nowhere/a.jsonl: No such file"),
        ("demo", [], 25, "demo has 24 questions, so a sample of 25 cannot be taken"),
        ("demo", [], 0, "a sample of 0 cannot be taken"),
    ],
)
def test_a_study_that_cannot_be_read_says_why(protocol: str, paths: list[str], items: int | None, why: str) -> None:
    with pytest.raises(BadItem, match=why):
        read(protocol, [Path(each) for each in paths], items=items)
