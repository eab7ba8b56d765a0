"""Short notes of the rules, which logs keep, in plain words."""

import json
from pathlib import Path
from typing import Any

import pytest

from events.types import LogicGapAdjusted, Passage
from server.export.audit import AuditEntry
from server.export.reasons import given_points, plain_charge, plain_reason
from tests.server.export.test_exchange import scored, shown

EXAMPLES = json.loads((Path(__file__).parents[2] / "web" / "reasons.json").read_text())
AHEAD = "slightly won logic against turn 2: the winner is put 1 ahead"
BAND = "lost tactics against turn 4: at most 16, but no more than 2 by one comparison"
LEFT = "only 1 was left of the 5 that the flaws of a turn may cost"
CAPPED = "It fails. (it continues C1.1, which cost 1) (requested 4, the most for one turn is 5)"
SEVERAL = (
    "It fails. (it continues C1.1, which cost 1, and process, which lost 3; requested 4; the flaws of one turn cost at "
    "most 5 together, or what the gravest costs alone)"
)


@pytest.mark.parametrize(("recorded", "words"), EXAMPLES)
def test_a_recorded_reason_has_the_same_plain_words_on_the_page_and_in_the_documents(recorded: str, words: str) -> None:
    assert plain_reason(recorded) == words


def test_what_a_comparison_did_is_said_to_leave_penalties_out() -> None:
    assert plain_reason(AHEAD) == f"{AHEAD}, penalties left out"
    assert plain_reason(BAND) == (
        "lost tactics against turn 4: the loser may have at most 16, penalties left out; one comparison moves at most 2"
    )


@pytest.mark.parametrize(
    ("reason", "requested", "given", "note"),
    [
        ("It fails.", -3, -3, ""),
        ("It fails (as it says).", -3, -3, ""),
        ("It fails. (it continues C5.1, which cost 1)", -6, -7, "7; 1 was taken before, with C5.1; 6 now"),
        (
            "It fails. (it continues process, which lost 1.5)",
            -2,
            -3.5,
            "3.5; 1.5 were taken before, under process; 2 now",
        ),
        ("It fails. (requested 9, allowed 7)", -7, -9, "9; one flaw may cost 7; 7 now"),
        (
            "It fails. (requested 3, the most for one turn is 5)",
            -1,
            -3,
            f"3; {LEFT}",
        ),
        (
            "It fails. (it continues C1.1, which cost 1; 2 of 3 applied: the floor of 0 takes the rest)",
            -3,
            -4,
            "4; 1 was taken before, with C1.1; 3 now; 2 of 3 applied: the floor of 0 takes the rest",
        ),
        (
            CAPPED,
            -1,
            -5,
            f"5; 1 was taken before, with C1.1; {LEFT}",
        ),
        (
            SEVERAL,
            -1,
            -8,
            f"8; 1 was taken before, with C1.1 and 3 were taken before, under process; {LEFT}",
        ),
    ],
)
def test_the_charge_for_a_flaw_says_what_the_judge_gave_and_what_became_of_it(
    reason: str, requested: float, given: float, note: str
) -> None:
    said = f"It fails. (the judge gave {note})" if note else reason

    assert (given_points(reason, requested), plain_charge(reason, requested)) == (given, said)


def test_an_audit_has_the_points_that_the_judge_gave_and_the_plain_words() -> None:
    words = Passage(turn=1, quote="word", span=(0, 4))
    gap: Any = LogicGapAdjusted(
        turn=1,
        dimension="logic",
        requested=-6,
        applied=-6,
        rule="logic_gap",
        because_of=3,
        reason="It fails. (it continues C1.1, which cost 1)",
        fails=words,
        exposed_by=words,
    )

    _, [audit] = shown(scored(), gap)

    entry: AuditEntry = audit.entries[-1]
    assert (entry.requested, entry.given) == (-6, -7)
    assert entry.words == "It fails. (the judge gave 7; 1 was taken before, with C1.1; 6 now)"
