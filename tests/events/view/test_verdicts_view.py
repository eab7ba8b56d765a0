"""The verdicts as the view tells them."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.record import Draft
from events.types import NarrativeVerdictReached
from tests.server.debate_events import answered, folds, opened, recorded, spoken, started

VERDICT = NarrativeVerdictReached(winner="neither", explanation="A led.")


@pytest.mark.parametrize(("cause", "swapped"), [(4, UNSET), (5, True)])
def test_it_tells_whose_label_is_a_if_only_the_swapped_question_was_answered(cause: int, swapped: Any) -> None:
    asked = [replace(answered(1), key=key, purpose="narrative") for key in ("narrative", "narrative:swapped")]
    events = [opened(), started(1), spoken(1), *asked, Draft(event=VERDICT, cause=cause)]

    assert swapped == folds(recorded(events))[-1].view.verdicts.swapped
