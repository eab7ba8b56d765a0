"""What-ifs as sentences with blanks: each outcome is that of the changed rules, and a wrong blank is refused."""

from pathlib import Path
from typing import Any

import pytest

from events.record import Recorded
from events.state.outcome import NOT_DISTINGUISHABLE
from events.transfer import parse_lines
from server.errors import BadField
from server.whatif.comparison import what_if
from server.whatif.figures import figures_of
from server.whatif.ifs import Blank, Filled, If, offer, read_blanks, sentence
from server.whatif.request import WhatIfRequest, read_request
from server.whatif.table import told

LOGS = Path(__file__).parents[1] / "debate" / "logs"
EXCHANGES = ("free_transport_v2", "under_sixteen_v2", "homework_german_v2")


def records(name: str) -> tuple[Recorded, ...]:
    return tuple(parse_lines((LOGS / f"{name}.ndjson").read_bytes().splitlines(keepends=True)))


def asked(name: str, which: str, **blanks: Any) -> If:
    return sentence(records(name), Filled(which, blanks))


@pytest.mark.slow
@pytest.mark.parametrize("name", EXCHANGES)
def test_each_sentence_has_the_winner_of_its_rules(name: str) -> None:
    log = records(name)
    by_name = {each.name: each for each in offer(log).ifs}
    wishes = {
        "as_it_is": WhatIfRequest(),
        "no_claims": WhatIfRequest(rubric={"claims": None}),
        "tie": WhatIfRequest(rubric={"tie_within": 5.0, "decided_by": None}),
        "rubric": WhatIfRequest(base="v3"),
    }

    assert wishes.keys() <= by_name.keys() | {"no_claims"}
    for which in wishes.keys() & by_name.keys():
        answer, result = what_if(log, wishes[which]), by_name[which].would_be
        assert answer.would_be.winner == result.winner
        assert (answer.recorded.winner != answer.would_be.winner) == result.changes_winner
        assert result.says in by_name[which].text


@pytest.mark.parametrize("name", EXCHANGES)
def test_no_winner_is_named_below_the_gate(name: str) -> None:
    log = records(name)
    under = sentence(log, Filled("rubric", {"rubric": "v3"}))
    outcome = what_if(log, WhatIfRequest(base="v3")).would_be_text

    assert str(outcome).startswith(NOT_DISTINGUISHABLE) == (under.would_be.winner == "neither")
    assert ("nobody" in under.text) == (under.would_be.winner == "neither")


def test_what_the_reader_writes_is_in_the_rules_and_in_the_sentence() -> None:
    wide, narrow = (asked("free_transport_v2", "tie", points=points, by="nothing") for points in (100, 0))

    assert ("neither", "con") == (wide.would_be.winner, narrow.would_be.winner)
    assert wide.text.startswith("If 100 points were a tie, and nothing broke it: nobody, leaning to Con by ")
    assert wide.text.endswith("This changes the winner.")
    assert ["points", "by"] == [part.name for part in wide.parts if isinstance(part, Blank)]


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ({"if": "tie", "blanks": {"points": "much"}}, "blanks.points"),
        ({"if": "tie", "blanks": {"points": -1}}, "blanks.points"),
        ({"if": "tie", "blanks": {"by": "luck"}}, "blanks.by"),
        ({"if": "sure"}, "if"),
        ({"if": "nothing"}, "if"),
        ({"if": 3}, "if"),
        ({"if": "tie", "blanks": []}, "if"),
        ({"if": "tie", "more": 1}, "more"),
    ],
)
def test_a_wrong_blank_is_refused_at_its_place(said: dict[str, Any], place: str) -> None:
    with pytest.raises(BadField) as refused:
        sentence(records("free_transport_v2"), read_blanks(said))

    assert place == refused.value.field


def test_a_panel_without_one_rater() -> None:
    names = [each.name for each in offer(records("loan_register_reasons")).ifs]

    assert ["as_it_is", "without_rater"] == names


def test_every_figure_that_is_offered_can_be_changed_by_its_path() -> None:
    log = records("free_transport_v2")
    opened: Any = log[0].event
    figures = [each for group in figures_of(opened) for each in group.figures]
    answer = told(log, read_request({"figures": {each.path: each.value for each in figures}}))

    assert () == answer.changes
    assert len(figures) == len({each.path for each in figures}) > 20
    stricter = told(log, read_request({"figures": {"claims.overclaim.points": 9}}))
    assert ["claims.overclaim.points"] == [each.path for each in stricter.rubric_changes]
    assert any(was != now for name, was, now in stricter.rows if name.endswith("composite"))
    assert "logic, winner at least" in {each.label for each in figures}
