"""``khan-2024``: hard questions of QuALITY, selected by the rules of Khan et al. 2024 (arXiv 2402.06782).

The files are QuALITY's own (``nyu-mll/quality``, JSON lines, those with ``htmlstripped`` in their name); Moot carries
none.  The rules are those of the paper's set for people; two are of its loader (``ucl-dark/llm_debate``,
``core/load/quality.py``): the false answer, and no answer such as "all of the above".
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from events.types.study import StudyItem
from server.study.data.shapes import DataFile, StudyData, named, read_lines, whole

SPEED: Final = 0.5
"""The largest share of people with little time who were right."""
CONTEXT: Final = 1.5
"""The least mean of how much of the text is needed, from 1 (a sentence or two) to 4 (most of it)."""
OPTIONS: Final = 4
_HTML: Final = re.compile(r"</(?:p|html|body|div)>|<br\s*/?>", re.IGNORECASE)
_UNFIT: Final = ("all of the above", "none of the above", "neither of these")

DIFFERS: Final = (
    "The rules are those of Khan et al. 2024 for their questions for people; articles that other experiments had used, "
    "which their program leaves out, are not left out."
)


class Untimed(Struct):
    """What a person said who had time to read the text.  The false option that tempts most has one of two names."""

    untimed_answer: int
    untimed_eval1_answerability: int
    untimed_eval2_context: int
    untimed_best_distractor: int | None = None
    untimed_eval3_distractor: int | None = None

    @property
    def distractor(self) -> int | None:
        """Its number, from 1."""
        return self.untimed_eval3_distractor if self.untimed_best_distractor is None else self.untimed_best_distractor


class Speeded(Struct):
    """The answer of a person who had 45 seconds."""

    speed_answer: int


class QualityQuestion(Struct):
    """A question with four options; labels count from 1."""

    question: str
    options: tuple[str, str, str, str]
    gold_label: int
    writer_label: int
    validation: list[Untimed]
    speed_validation: list[Speeded]
    difficult: int


class QualityLine(Struct):
    """A line: the questions of one writer about one article.  An article has two lines."""

    article_id: str
    set_unique_id: str
    source: str
    article: str
    questions: list[QualityQuestion]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def _right_share(question: QualityQuestion, answers: Sequence[int]) -> float:
    return _mean([float(each == question.gold_label) for each in answers])


RULES: Final[tuple[tuple[str, Callable[[QualityLine, QualityQuestion], bool]], ...]] = (
    ("from Project Gutenberg", lambda found, _: found.source == "Gutenberg"),
    ("marked as difficult", lambda _, each: each.difficult == 1),
    (
        "answerable for everyone",
        lambda _, each: _mean([one.untimed_eval1_answerability for one in each.validation]) == 1,
    ),
    (
        "answered rightly by everyone with time to read",
        lambda _, each: _right_share(each, [one.untimed_answer for one in each.validation]) == 1,
    ),
    (
        "answered rightly by at most half of those without",
        lambda _, each: _right_share(each, [one.speed_answer for one in each.speed_validation]) <= SPEED,
    ),
    (
        "in need of more than a sentence or two",
        lambda _, each: _mean([one.untimed_eval2_context for one in each.validation]) >= CONTEXT,
    ),
    ("labelled by their writer as by the others", lambda _, each: each.writer_label == each.gold_label),
    ("with a false answer that people named, and no answer about the others", lambda _, each: _pair(each) is not None),
)
"""What each question has to be, in this order."""


def read_quality(files: Sequence[DataFile]) -> StudyData:
    """The questions that fulfil all rules, with the right option and the false one that most people named.

    Answers stand in the order of the options.  Raises ``BadItem`` with the file, the line and the reason.
    """
    passages: dict[str, str] = {}
    items = []
    left = Counter[str]()
    for found in read_lines(files, _set):
        key = found.article_id
        if passages.setdefault(key, found.article) != found.article:
            key = found.set_unique_id
            passages[key] = found.article
        for number, question in enumerate(found.questions, 1):
            left["questions"] += 1
            if _is_taken(found, question, left) and (pair := _pair(question)) is not None:
                items.append(_item(found, number, question, pair, key))
    steps = [f"{left[name]:,} are {name}" for name, _ in RULES]
    notes = (
        f"Of {left['questions']:,} questions in {named(files)}, {', of these '.join(steps)}.",
        DIFFERS,
    )
    return whole(StudyData(protocol="khan-2024", items=tuple(items), passages=passages, notes=notes))


def _is_taken(found: QualityLine, question: QualityQuestion, left: Counter[str]) -> bool:
    for name, holds in RULES:
        if not holds(found, question):
            return False
        left[name] += 1
    return True


def _pair(question: QualityQuestion) -> tuple[int, int] | None:
    """The indices of the right option and of the false one; the lower one of two that were named equally often."""
    votes = Counter(
        each.distractor for each in question.validation if each.distractor not in {None, question.gold_label}
    )
    if not votes:
        return None
    most = max(votes.values())
    false = min(option for option, count in votes.items() if option is not None and count == most)
    right, wrong = question.gold_label - 1, false - 1
    texts = (question.options[right], question.options[wrong])
    if texts[0].strip() == texts[1].strip() or any(mark in text.lower() for text in texts for mark in _UNFIT):
        return None
    return right, wrong


def _item(found: QualityLine, number: int, question: QualityQuestion, pair: tuple[int, int], key: str) -> StudyItem:
    right, wrong = pair
    first, second = sorted(pair)
    return StudyItem(
        id=f"{found.set_unique_id}_{number}",
        cluster=found.article_id,
        question=question.question.strip(),
        answers=(question.options[first].strip(), question.options[second].strip()),
        right=0 if right < wrong else 1,
        passage=key,
    )


def _set(line: bytes) -> QualityLine:
    found = msgspec.json.decode(line, type=QualityLine, strict=False)  # some labels are digits in quotes
    if not found.article.strip():
        raise ValueError("the article is empty")
    if _HTML.search(found.article):
        raise ValueError("the article is HTML: take the file with “htmlstripped” in its name")
    for number, each in enumerate(found.questions, 1):
        numbers = (each.gold_label, each.writer_label, *(one.distractor or 1 for one in each.validation))
        if not all(1 <= label <= OPTIONS for label in numbers):
            raise ValueError(f"question {number} has a label that is not from 1 to {OPTIONS}")
    return found
