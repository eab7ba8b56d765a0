"""A what-if in sentences: the outcome comes first, and each sentence follows from the two outcomes."""

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from events.transfer import parse_lines
from server.cli.main import main
from server.whatif.comparison import WhatIf, what_if
from server.whatif.request import WhatIfRequest

LOGS = Path(__file__).parents[1] / "debate" / "logs"
NAMES = ("free_transport_v2", "under_sixteen_v2", "homework_german_v2")
RULES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"base": "v3"}, "Under the rubric v3: "),
    ({"rubric": {"tie_within": 20}}, "If 20 points were a tie: "),
    ({"rubric": {"tie_within": 1}}, "If 1 point were a tie: "),
    ({"base": "v3", "rubric": {"certainty": {"name_at": 0.6}}}, "Under these rules: "),
    ({"rubric": {"claims": None}}, "Without deductions for suspect claims: "),
    ({"rubric": {"claims": None, "conduct": None}}, "Without deductions for suspect claims and conduct: "),
    ({"rubric": {"claims": None, "tie_within": 3}}, "Under these rules: "),
    ({"rubric": {}}, "Under these rules: "),
)


def asked(name: str, **wish: Any) -> WhatIf:
    records = parse_lines((LOGS / f"{name}.ndjson").read_bytes().splitlines(keepends=True))
    return what_if(records, WhatIfRequest(**wish))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("wish", "begins"), RULES)
def test_the_first_sentence_is_the_outcome_under_these_rules(name: str, wish: dict[str, Any], begins: str) -> None:
    answer = asked(name, **wish)
    first, second = answer.sentences

    assert f"{begins}{answer.would_be_text}" == first
    if not answer.changes:
        assert "Nothing would change." == second
    elif answer.recorded_text == answer.would_be_text:
        assert "The recorded outcome is the same." == second
    else:
        headline = second.removeprefix("As recorded: ").removesuffix(".")
        assert second != headline
        assert str(answer.recorded_text).startswith(headline)


@pytest.mark.parametrize("name", NAMES)
def test_a_tie_that_is_wider_than_every_lead_names_nobody(name: str) -> None:
    answer = asked(name, rubric={"tie_within": 100, "decided_by": None})

    assert "neither" == answer.would_be.winner
    assert not re.search(r"\b(Pro|Con) wins\b", answer.sentences[0])


def test_without_deductions_for_claims_no_turn_is_lower_than_with_them() -> None:
    answer = asked("free_transport_v2", rubric={"claims": None})

    assert answer.sentences[0].startswith("Without deductions for suspect claims: ")
    assert not any(key.startswith("claims.") for key in answer.unused)
    assert any(change.path.startswith("turns.") for change in answer.changes)
    assert all(
        change.after >= change.before for change in answer.changes if re.fullmatch(r"turns\.\d+\.logic", change.path)
    )


def test_the_changed_rules_are_one_sentence_with_the_number_of_figures() -> None:
    answer = asked("free_transport_v2", base="v3")
    said = re.match(r"Changed: (\d+) figures of the rubric: (.+?)[.;]", answer.rules_in_short)

    assert said
    counts = [int(found[1] or 1) for found in re.finditer(r"[a-z ]+(?: \((\d+)\))?(?:, |$)", said[2])]
    assert int(said[1]) == sum(counts) <= len(answer.rubric_changes)
    assert "" == asked("free_transport_v2").rules_in_short


@pytest.mark.slow
def test_the_command_begins_with_the_outcome_and_keeps_the_figures_for_values(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'moot.db'}"
    moot = CliRunner()
    imported = moot.invoke(main, ["--store", store, "import", str(LOGS / "free_transport_v2.ndjson")])
    assert 0 == imported.exit_code, imported.output
    shown, with_values = (
        moot.invoke(main, ["--store", store, "whatif", "latest", "--rubric", "v3", *more]).stdout
        for more in ((), ("--values",))
    )
    assert shown.startswith("Under the rubric v3: ")
    assert "→" not in shown
    assert "would be " not in shown
    assert with_values.startswith("Under the rubric v3: ")
    assert "tie_within: 2 → 0" in with_values
    assert re.search(r"turn 2 composite +[\d.]+ +[\d.]+", with_values)
