"""The judge's labels in its own words."""

import pytest

from judge.guard.labels import exchanged


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Speaker A rests on B's test.", "Speaker B rests on Speaker A's test."),
        ("Which A's own test asks for.", "Which Speaker B's own test asks for."),
        ("Speaker A and B agree.", "Speaker B and Speaker A agree."),
        ("A claim of Speaker B.", "A claim of Speaker A."),
        ("It quotes “A's plan” and answers A.", "It quotes “A's plan” and answers Speaker B."),
        ("No label here.", "No label here."),
    ],
)
def test_the_labels_are_exchanged_outside_of_quotes(text: str, other: str) -> None:
    assert other == exchanged(text)
