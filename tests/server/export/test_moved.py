"""What moved between two positions, in the sentences that the page has too."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from server.export.diff import ViewChange, ViewDiff
from server.export.moved import MOST_LINES, what_moved

CASES: list[dict[str, Any]] = msgspec.json.decode((Path(__file__).parents[2] / "web" / "moved.json").read_bytes())


@pytest.mark.parametrize("case", CASES)
def test_what_moved_is_told_in_sentences(case: dict[str, Any]) -> None:
    """The same cases as those of the page: tests/web/moved.test.mjs."""
    changes = [each | {"path": ".".join(each["keys"])} for each in case["changes"]]
    found = ViewDiff(
        from_=1,
        to=99,
        changes=tuple(msgspec.convert(changes, list[ViewChange])),
        events=msgspec.convert({"from": 1, "to": 99, "changes": [], "events": case["events"]}, ViewDiff).events,
    )

    assert case["moved"] == what_moved(found)
    assert len(case["moved"]) <= MOST_LINES
