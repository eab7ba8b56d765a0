"""``moot rejudge`` and ``moot fork``, in this process: what they print, and their exit codes."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from server.cli.main import main

BASELINE = "baseline:lexical"
UNKNOWN = "019a8b7c-4e21-7000-8000-000000000000"
PRO, CON = "Trams are quicker, because they have a lane.", "Buses cost less, so more people ride."
SCRIPT = msgspec.json.encode({"says": {"pro": [PRO], "con": [CON]}})


def command(folder: Path) -> Callable[..., Result]:
    """The command with the store in a folder."""

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["--store", f"sqlite:{folder / 'moot.db'}", *arguments])

    return run


def hold(moot: Callable[..., Result], script: Path, turns: int) -> str:
    """The id of a debate."""
    script.write_bytes(SCRIPT)
    model = f"scripted:{script}"
    done = moot("run", "Trams", "--turns", str(turns), "--pro", model, "--con", model, "--judge", BASELINE)
    assert done.exit_code == 0, done.output
    return str(done.stdout.split()[-1])


@pytest.fixture
def moot(tmp_path: Path) -> Callable[..., Result]:
    return command(tmp_path)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with a store, and the debate in it."""
    folder = tmp_path_factory.mktemp("held")
    return folder, hold(command(folder), folder / "script.json", 2)


@pytest.fixture
def debate(held: tuple[Path, str], tmp_path: Path) -> str:
    """The debate, in a store of the test's own."""
    folder, debate = held
    shutil.copy(folder / "moot.db", tmp_path)
    return debate


@pytest.mark.slow
def test_the_last_line_is_the_id_of_a_debate_that_names_its_origin(moot: Any, debate: str) -> None:
    again = moot("rejudge", debate, "--judge", BASELINE, "--rubric", "v1")
    forked = moot("fork", debate, "--turn", "1", "--say", "Speak of costs")
    rows = {row["id"]: row for row in msgspec.json.decode(moot("list", "--json").stdout)["debates"]}

    for done, kind in ((again, "rejudge"), (forked, "fork")):
        made = done.stdout.split()[-1]
        assert 0 == done.exit_code, done.output
        assert f"debate {made}" in done.stderr
        assert (kind, debate) == (rows[made]["origin"]["kind"], rows[made]["origin"]["debate"])
        assert "concluded" == rows[made]["state"]
    copied, other = (moot("show", done.stdout.split()[-1]).stdout for done in (again, forked))
    assert PRO in copied
    assert CON in copied
    exported = msgspec.json.decode(moot("export", again.stdout.split()[-1], "--as", "json").stdout)
    assert "v1" == exported["rubric_name"]
    assert PRO in other
    assert "Speak of costs" in other


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("rejudge", UNKNOWN, "--judge", BASELINE), 3, UNKNOWN),
        (("fork", UNKNOWN, "--turn", "1"), 3, UNKNOWN),
        (("rejudge", "DEBATE"), 2, "--judge"),
        (("rejudge", "DEBATE", "--judge", BASELINE, "--rubric", "v9"), 2, "v9"),
        (("fork", "DEBATE"), 2, "say from where"),
        (("fork", "DEBATE", "--at", "9999"), 2, "the debate has"),
        (("fork", "DEBATE", "--turn", "7"), 2, "turn 7 has not been judged"),
        (("fork", "DEBATE", "--turn", "1", "--directive", "both=Be brief"), 2, "a directive is"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    moot: Any, debate: str, arguments: tuple[str, ...], code: int, said: str
) -> None:
    result = moot(*(debate if each == "DEBATE" else each for each in arguments))

    assert said in result.stderr
    assert "Traceback" not in result.output
    assert code == result.exit_code


def test_a_debate_in_which_one_side_has_spoken_is_not_judged_again(moot: Any, tmp_path: Path) -> None:
    short = hold(moot, tmp_path / "script.json", 1)
    result = moot("rejudge", short, "--judge", BASELINE)

    assert "both sides must have spoken" in result.stderr
    assert 1 == result.exit_code
