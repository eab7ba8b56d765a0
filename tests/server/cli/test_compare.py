"""``moot compare``."""

from typing import Any

import msgspec
import pytest

from providers.scripted.provider import shipped
from tests.server.children import Cli


@pytest.mark.slow
def test_a_debate_and_its_second_judging_are_compared_in_the_terminal(moot: Cli, script: Any) -> None:
    said = msgspec.json.decode(shipped()["juries"].read_bytes())
    model = script("juries", says=said["says"], answers=said["answers"])
    seats = ["--pro", model, "--con", model, "--turns", "5"]
    one = moot("run", "A motion", *seats, "--judge", model).stdout.decode().split()[-1]
    two = moot("rejudge", one, "--judge", "baseline:lexical").stdout.decode().split()[-1]
    shown = moot("compare", one, two, "--components")
    found = moot.json("compare", one, two)
    refusal = moot("compare", one, one)

    assert 0 == shown.returncode, shown.stderr
    text = shown.stdout.decode()
    assert "weakest premise" in text
    assert "turn 2, first judging only: “" in text
    assert "(C2.1 of the first judging, " in " ".join(text.split())
    assert "Level: the second judge gives a turn on average" in text
    assert 5 == found["scores"]["turns"] == len(found["turns"])
    assert 0 != refusal.returncode
    assert b"this is one debate twice: moot diff compares two positions of one debate" in refusal.stderr


@pytest.mark.slow
def test_a_rubric_that_changes_nothing_about_the_turns_is_said_to_do_so(moot: Cli, script: Any) -> None:
    model = script()
    seats = ["--pro", model, "--con", model, "--turns", "2"]
    said = "The rubric v2-evidence scores turns as v2 does"
    first = moot("run", "A motion", *seats, "--judge", "baseline:lexical", "--rubric", "v2-evidence")
    one = first.stdout.decode().split()[-1]
    two, three = (moot("rejudge", one, "--judge", "baseline:lexical", "--rubric", name) for name in ("v2", "v1"))
    same, other = (moot.json("compare", one, each.stdout.decode().split()[-1]) for each in (two, three))

    assert said in first.stderr.decode()
    assert said not in two.stderr.decode()
    assert ("v2-evidence", "v2") == (same["first"]["rubric"], same["second"]["rubric"])
    assert any("turns are scored by the same rules" in each for each in same["notes"])
    assert "v1" == other["second"]["rubric"]
    assert not any("how far it differs from itself" in each for each in other["notes"])
    assert any("a difference comes from the rules, or the judge" in each for each in other["notes"])
