"""What moved between two positions, in sentences that an exported file has too."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from server.export.diff import ViewChange, ViewDiff
from server.export.moved import MAX_LINES, told, what_moved

CASES: list[dict[str, Any]] = msgspec.json.decode((Path(__file__).parents[2] / "web" / "moved.json").read_bytes())


@pytest.mark.parametrize("case", CASES)
def test_what_moved_is_told_in_sentences(case: dict[str, Any]) -> None:
    """The same cases as those of an exported file: tests/web/moved.test.mjs."""
    changes = [each | {"path": ".".join(each["keys"])} for each in case["changes"]]
    found = ViewDiff(
        from_=1,
        to=99,
        changes=tuple(msgspec.convert(changes, list[ViewChange])),
        events=msgspec.convert({"from": 1, "to": 99, "changes": [], "events": case["events"]}, ViewDiff).events,
    )

    assert case["moved"] == [each.text for each in what_moved(found)]
    assert len(case["moved"]) <= MAX_LINES


def test_a_sentence_names_the_events_that_caused_it_once_each_and_in_order() -> None:
    changes = (
        ViewChange(path="", keys=("premises", "P1", "state"), after="kept", because_of=(4, 9)),
        ViewChange(path="", keys=("premises", "P2", "state"), after="kept", because_of=(4,)),
    )

    (sentence,) = told(ViewDiff(from_=1, to=9, changes=changes, events={})).sentences
    assert ("Premises stated: P1 and P2.", (4, 9)) == (sentence.text, sentence.because_of)
