"""The answers to one question: its samples, and what more than half of them agree on."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta, Struct

from events.types import Reason, Span
from judge.lenient import Note

T = TypeVar("T")
Quote = Annotated[str, Meta(max_length=300, extra={"verbatim": True})]
"""Words that are copied from a turn."""
Why = Annotated[str, Meta(max_length=400)]
"""A reason of up to two sentences."""


class Answers(Struct, Generic[T], frozen=True, kw_only=True):
    """The answers to one question: (position, answer) of each sample, or why there is none."""

    given: tuple[tuple[int, T], ...] = ()
    failed: Reason | None = None
    notes: tuple[tuple[int, Note], ...] = ()
    """(position of the call, what was corrected in its answer)."""

    @property
    def values(self) -> tuple[T, ...]:
        """The answers without positions."""
        return tuple(value for _, value in self.given)

    @property
    def cause(self) -> int | None:
        """Position of the first answer."""
        return self.given[0][0] if self.given else None


def majority(choices: Sequence[T], otherwise: T) -> T:
    """Return the choice of more than half, else ``otherwise``."""
    choice, votes = Counter(choices).most_common(1)[0]
    return choice if votes * 2 > len(choices) else otherwise


def overlaps(one: Span, two: Span) -> bool:
    """Return whether two spans share a character."""
    return one[0] < two[1] and two[0] < one[1]


def is_majority(votes: int, samples: int) -> bool:
    """Return whether ``votes`` are more than half of ``samples``."""
    return votes * 2 > samples


def overlapping(findings: Iterable[tuple[int, Span, T]]) -> list[list[tuple[int, Span, T]]]:
    """Group findings (sample, span, finding) by overlapping spans, in the order of their first appearance."""
    groups: list[list[tuple[int, Span, T]]] = []
    for finding in findings:
        for group in groups:
            if overlaps(group[0][1], finding[1]):
                group.append(finding)
                break
        else:
            groups.append([finding])
    return groups


def why_missing(answers: Answers[Any]) -> Reason:
    """Return why there is no answer."""
    return answers.failed or Reason("it was not asked")
