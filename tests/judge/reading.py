"""Answers of a model as the rules take them: read by the one reader, with what was corrected."""

from typing import Any

from judge.lenient import lenient, read_as
from judge.live.answers import Answers
from providers.answers.schema import parse
from tests.judge.protocol.rounds import as_text


def answered(type_: Any, becomes: Any, *answers: Any) -> Answers[Any]:
    """The answers to a question; one in which nothing can be read raises ``ProviderError``, as it fails the call."""
    given, notes = [], []
    for position, answer in enumerate(answers, 1):
        value, corrected = read_as(parse(as_text(answer), lenient(type_)), type_, becomes)
        given.append((position, value))
        notes += [(position, note) for note in corrected]
    return Answers(given=tuple(given), notes=tuple(notes))
