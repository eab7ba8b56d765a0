"""``moot calibrate``: folders of cases, the output, refusals, and a process that is killed."""

import shutil
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from msgspec.structs import replace

from events.record import Draft, Recorded
from events.store.memory import MemoryLog
from events.store.sqlite.log import SqliteLog
from events.transfer import export
from events.types import ArgumentsOpened
from tests.server import debate_events
from tests.server.children import Cli, as_json, line_with, said
from tests.server.debate.calibrations import CON, PRO, RIGHT_AND_WRONG, arguments, check

CASES = Path(__file__).parents[2] / "judge" / "panel" / "cases"


FOLDER = {"a.json": {"motion": "motion of a", "winner": "pro"}, "b.json": {"motion": "motion of b", "winner": "con"}}


def folder(at: Path, files: dict[str, Any] = FOLDER) -> Path:
    """A folder of cases; missing fields are filled in."""
    path = at / "cases"
    path.mkdir()
    for name, content in files.items():
        arguments = [{"claim": "c", "reasoning": "r", "evidence": "e"}] * 2
        whole = (
            {"pro": arguments, "con": arguments, "source": "a fact"} | content if isinstance(content, dict) else content
        )
        (path / name).write_bytes(whole if isinstance(whole, bytes) else msgspec.json.encode(whole))
    return path


@pytest.mark.slow
def test_it_prints_a_line_for_each_case_then_the_records_and_the_id(moot: Cli, script: Any, tmp_path: Path) -> None:
    model = script(answers=RIGHT_AND_WRONG | {"panel:general@a": {"fault": {"kind": "refuse", "times": 9}}})
    done = moot("calibrate", str(folder(tmp_path)), "--panel", model)
    lines = done.stdout.decode().splitlines()

    assert done.returncode == 0, done.stderr.decode()
    assert (
        "a (Pro) · technical right · business wrong (said Con) · risk wrong (said neither) · general missing" in lines
    )
    assert any(line.startswith("  general: ") and "refused" in line for line in lines)
    row = next(line.split() for line in lines if line.startswith("technical "))
    assert ["1/2", "1/2", "0.50", "0.09–0.91"] == row[2:6]
    assert "0/0, 2 missing" in next(line for line in lines if line.startswith("general "))
    assert "not known" in done.stdout.decode()
    assert [lines[-1]] == [each["id"] for each in moot.json("list")["debates"]]


@pytest.mark.slow
def test_json_is_one_object_a_line_then_the_records_and_the_id(moot: Cli, script: Any, tmp_path: Path) -> None:
    model, cases = script(answers=RIGHT_AND_WRONG), folder(tmp_path)
    moot("calibrate", str(cases), "--panel", model)
    (cases / "c.json").write_bytes((cases / "a.json").read_bytes().replace(b"motion of a", b"motion of c"))
    done = moot("calibrate", str(cases), "--panel", model, "--json")
    lines = [msgspec.json.decode(line) for line in done.stdout.splitlines()]
    technical = next(each for each in lines[-2]["records"] if each["rater"] == "technical")

    assert {"id"} == lines[-1].keys()
    assert all({"frame"} == line.keys() for line in lines[:-2])
    assert {
        "rater": "technical",
        "model": model,
        "here": [2, 3],
        "missing": 0,
        "right": 2,
        "of": 3,
        "accuracy": 0.5714,
        "chance": 0.6667,
        "low": 0.2077,
        "high": 0.9385,
        "meaning": "not known: 3 verdicts cannot tell it from chance",
    } == technical


@pytest.mark.slow
def test_every_fault_of_every_file_is_named_and_nothing_is_run(moot: Cli, script: Any, tmp_path: Path) -> None:
    cases = folder(
        tmp_path,
        {
            "broken.json": b'{"motion": ',
            "list.json": b"[]",
            "latin.json": b'"\xff"',
            "named.json": {"motion": "m", "winner": "tie", "sauce": "x", "pro": "none", "con": [{"claim": 3}]},
            "empty.json": {"motion": " ", "winner": "pro", "source": "", "pro": []},
            "long.json": {"motion": "m" * 2001, "winner": "pro"},
            "twice.json": {"motion": "m", "winner": "pro", "id": "good"},
            "good.json": {"motion": "m", "winner": "pro"},
            "alone.truth.json": {"winner": "pro", "source": "s"},
            "other.ndjson": b"{}\n",
            "notes.txt": b"not ours",
        },
    )
    errors = said(moot("calibrate", str(cases), "--panel", script()), 2, "nothing was run")

    for fault in (
        "broken.json: it is not JSON",
        "list.json: it must be a JSON object",
        "latin.json: it is not JSON",
        "named.json: winner: ",
        "named.json: sauce: no such field",
        "named.json: pro: it must be a list",
        "named.json: con.0.claim: ",
        "named.json: con.0.reasoning: it is missing",
        "named.json: con.0.evidence: it is",
        "empty.json: motion: a motion has 1 to 2000",
        "empty.json: source: ",
        "empty.json: pro: a side has 1 to 9",
        "long.json: motion: ",
        "twice.json: id: another case has the id 'good'",
        "alone.truth.json: the folder has no alone.ndjson",
        "other.ndjson: the folder has no other.truth.json",
    ):
        assert fault in errors
    assert "notes.txt" not in errors
    assert not moot.store.exists()
    as_json(moot("calibrate", str(cases), "--json"), 2, "cases")


@pytest.mark.slow
def test_for_an_empty_folder_the_error_shows_an_example_of_a_case(moot: Cli, tmp_path: Path) -> None:
    errors = said(moot("calibrate", str(folder(tmp_path, {}))), 2, "there are no cases in")

    assert '"winner": "pro|con|neither"' in errors
    said(moot("calibrate", str(tmp_path / "nowhere")), 2, "does not exist")


def exported(form: Any = "protocol") -> bytes:
    """The export of a debate that has only its openings."""
    begun = replace(debate_events.opened(), format=form, motion="motion of the export")
    openings = [
        Draft(event=ArgumentsOpened(side=side, turn=turn, arguments=tuple(arguments(side.upper()))), cause=1)
        for turn, side in ((1, "pro"), (2, "con"))
    ]

    async def lines() -> bytes:
        async with MemoryLog() as log:
            await log.append("d1", 0, [begun, *openings])
            return b"".join([line async for line in export(log, "d1")])

    return anyio.run(lines)


@pytest.mark.slow
def test_an_exported_debate_beside_a_truth_file_is_a_case(moot: Cli, script: Any, tmp_path: Path) -> None:
    cases = folder(tmp_path, {"held.truth.json": b'{"winner": "con", "source": "it was tried"}'})
    (cases / "held.ndjson").write_bytes(exported())
    debate = moot("calibrate", str(cases), "--panel", script(answers=RIGHT_AND_WRONG)).stdout.decode().split()[-1]
    (shown,) = moot.json("show", debate)["cases"].values()

    assert ("held", "motion of the export", "con", "it was tried") == (
        shown["id"],
        shown["motion"],
        shown["truth"],
        shown["source"],
    )
    assert ["PRO-1", "PRO-2"] == [each["id"] for each in shown["pro"]]


@pytest.mark.slow
def test_an_export_that_was_altered_or_is_of_another_format_is_refused(moot: Cli, tmp_path: Path) -> None:
    truth = b'{"winner": "con", "source": "s"}'
    cases = folder(tmp_path, {"altered.truth.json": truth, "exchange.truth.json": truth})
    (cases / "altered.ndjson").write_bytes(exported().replace(b"CON 2", b"CON 3"))
    (cases / "exchange.ndjson").write_bytes(exported("exchange"))
    errors = said(moot("calibrate", str(cases)), 2, "altered.ndjson: debate d1 does not verify at position 3")

    assert "exchange.ndjson: its format is exchange" in errors


@pytest.mark.slow
def test_other_raters_come_from_a_file(moot: Cli, script: Any, tmp_path: Path) -> None:
    profiles = tmp_path / "raters.json"
    profiles.write_bytes(
        msgspec.json.encode(
            {
                "raters": {
                    "cook": {"title": "A cook", "focus": "taste", "weights": {"logic": 1}},
                    "baker": {"title": "A baker", "focus": "bread", "weights": {"evidence": 1}},
                }
            }
        )
    )
    one, two = script("one", answers={"panel:*": PRO}), script("two", answers={"panel:*": CON})
    cases = str(folder(tmp_path))
    done = moot("calibrate", cases, "--raters", str(profiles), "--panel", f"{one},{two}")

    assert done.returncode == 0, done.stderr.decode()
    assert "a (Pro) · cook right · baker wrong (said Con)" in done.stdout.decode()
    profiles.write_bytes(b'{"raters": {"cook": {"title": "x", "focus": "y", "weights": {"taste": 1}}}}')
    why = "weighs taste, which the rubric does not score"
    said(moot("calibrate", cases, "--raters", str(profiles), "--panel", one), 2, why)
    profiles.write_bytes(b"{}")
    said(moot("calibrate", cases, "--raters", str(profiles), "--panel", one), 2, "has no raters")


@pytest.mark.slow
def test_the_cases_of_the_tests_run(moot: Cli, script: Any, tmp_path: Path) -> None:
    copied = shutil.copytree(CASES, tmp_path / "cases")
    done = moot("calibrate", str(copied), "--panel", script(answers={"panel:*": CON}))

    assert done.returncode == 0, done.stderr.decode()
    assert "technical" in done.stdout.decode()
    assert "3/6" in done.stdout.decode()  # a rater that always names con is right in half of the cases


@pytest.mark.slow
def test_reading_commands_cope_with_a_calibration(moot: Cli, script: Any, tmp_path: Path) -> None:
    model = script(answers=RIGHT_AND_WRONG)
    debate = moot("calibrate", str(folder(tmp_path)), "--panel", model).stdout.decode().split()[-1]
    markdown = moot("export", debate, "--as", "md").stdout.decode()
    exported_to = tmp_path / "moved.ndjson"
    exported_to.write_bytes(moot("export", debate).stdout)

    assert "| motion of b | Con | wrong (said Pro) | right | wrong (said neither) |" in markdown
    assert "winner" not in markdown.lower()
    assert moot("show", debate).returncode == 0
    assert moot.json("verify", debate)["ok"]
    assert "a (Pro) · technical right" in moot("replay", debate, "--speed", "0").stdout.decode()
    assert moot("audit", debate).returncode == 0
    assert "measured, calibration" in moot("list").stdout.decode()
    other = Cli(tmp_path / "other")
    other.home.mkdir()
    assert debate == other("import", str(exported_to)).stdout.decode().strip()
    assert moot.json("show", debate) == other.json("show", debate)


@pytest.mark.slow
def test_after_a_kill_and_a_resume_no_question_is_asked_twice(moot: Cli, script: Any, tmp_path: Path) -> None:
    cases = folder(tmp_path, {f"{n}.json": {"motion": f"motion {n}", "winner": "pro"} for n in range(5)})
    model = script(pace={"answer_ms": 60}, answers=RIGHT_AND_WRONG)
    process = moot.start("calibrate", str(cases), "--panel", model, "--json")
    try:
        debate = line_with(process.stderr, b"debate ").decode().split()[1]
        line_with(process.stdout, b"rater_calibrated")
    finally:
        process.kill()
        process.communicate()
    done = moot("run", "--resume", debate)
    assert done.returncode == 0, done.stderr.decode()
    assert debate == done.stdout.decode().split()[-1]

    async def records() -> tuple[Recorded, ...]:
        async with await SqliteLog.open(moot.store, read_only=True) as log:
            return await log.read(debate)

    check(anyio.run(records), 5)


@pytest.mark.slow
def test_a_server_that_holds_the_store_is_asked(moot: Cli, script: Any, tmp_path: Path) -> None:
    model = script(answers=RIGHT_AND_WRONG)
    with moot.server():
        done = moot("calibrate", str(folder(tmp_path)), "--panel", model)
        again = moot("calibrate", str(tmp_path / "cases"), "--panel", model, "--json")

    assert done.returncode == 0, done.stderr.decode()
    assert "b (Con) · technical wrong (said Pro) · business right" in done.stdout.decode()
    records = msgspec.json.decode(again.stdout.splitlines()[-2])["records"]
    assert (2, 1) == (records[0]["of"], records[0]["right"])
