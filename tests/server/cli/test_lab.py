"""``moot lab``: run, compare and report in the terminal."""

import csv
import io
import re
import shutil
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree as ET

import msgspec
import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

from judge.lab.compare import PairedDifference
from judge.lab.items import digest, read_items
from server.cli.main import main
from server.export.lab.latex import escaped
from server.export.tables.trials import TrialRow
from tests.judge.lab.two_items import TWO_ITEMS

BASELINE = "baseline:lexical"


@pytest.fixture(autouse=True)
def two_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.debate.formats.lab.setup.installed", lambda: TWO_ITEMS)


@pytest.fixture
def lab(tmp_path: Path) -> Any:
    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["--store", f"sqlite:{tmp_path / 'moot.db'}", "lab", *arguments])

    return run


@pytest.mark.slow
def test_a_run_is_printed_reported_and_compared(lab: Any) -> None:
    first = lab(BASELINE, "--only", "length,style")
    one = first.stdout.split()[-1]
    two = lab(BASELINE, "--only", "style", "--seed", "3").stdout.split()[-1]
    compared = lab("compare", one, two)
    as_json = msgspec.json.decode(lab("compare", one, two, "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(lab("report", one, "--as", "csv").stdout)))

    assert first.exit_code == 0, first.output
    assert "Style" in first.stdout
    assert "trials, about" in first.stderr
    assert {each["battery"] for each in rows} == {"length", "style"}
    assert "could be chance" in compared.stdout
    assert "lexical (1)" in compared.stdout
    assert "lexical (2)" in compared.stdout
    assert {each["battery"] for each in as_json["differences"]} == {"style"}
    assert as_json["judges"] == {"one": BASELINE, "other": BASELINE}
    assert "<h1>Judge lab: baseline:lexical</h1>" in lab("report", one).stdout


@pytest.mark.slow
def test_a_run_of_a_judge_that_is_asked_briefly_says_so_and_is_compared_with_one_in_full(lab: Any) -> None:
    runs = [lab(BASELINE, "--only", "authority", "--effort", effort) for effort in ("full", "brief")]
    full, brief = (each.stdout.split()[-1] for each in runs)
    report = msgspec.json.decode(lab("report", brief, "--as", "json").stdout)
    compared = lab("compare", full, brief)

    assert [each.exit_code for each in runs] == [0, 0]
    assert "score and suspect claims in one call" in " ".join(runs[1].stdout.split())
    assert (report["judge"], report["effort"]) == (BASELINE, "brief")
    assert f"<h1>Judge lab: {BASELINE}, asked briefly</h1>" in lab("report", brief).stdout
    assert f"{BASELINE} and {BASELINE}, asked briefly, on the same trials" in " ".join(compared.stdout.split())
    assert "lexical is better" not in compared.stdout
    assert "effort" not in msgspec.json.decode(lab("report", full, "--as", "json").stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "give a judge"),
        ((BASELINE, "--only", "luck"), 2, "'luck' is none of retest"),
        ((BASELINE, "--only", "people"), 2, "--data PATH"),
        ((BASELINE, "--from-store"), 2, "no debate has two turns of both sides"),
        (("report", "019a8b7c-4e21-7000-8000-000000000000"), 3, "there is no"),
    ],
)
def test_wrong_usage_is_one_line(lab: Any, arguments: tuple[str, ...], code: int, said: str) -> None:
    result = lab(*arguments)

    assert said in result.stderr
    assert "Traceback" not in result.output
    assert code == result.exit_code


def test_a_file_that_cannot_be_read_is_named_with_its_line(lab: Any, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"id": 1}\n', encoding="utf-8")
    result = lab(BASELINE, "--only", "people", "--data", str(path))

    assert "pairs.jsonl, line 1" in result.stderr
    assert result.exit_code == 2


@pytest.mark.slow
def test_the_list_says_how_many_trials_are_answered_until_a_run_is_measured(lab: Any, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"cost_usd": 1}', encoding="utf-8")
    halted = lab(f"scripted:{script}", "--only", "style", "--max-cost", "2").stdout.split()[-1]
    measured = lab(BASELINE, "--only", "style").stdout.split()[-1]
    listed = CliRunner().invoke(main, ["--store", f"sqlite:{tmp_path / 'moot.db'}", "list"]).stdout
    state = {line.split()[0]: "  ".join(line.split("  ")[3:]) for line in listed.splitlines() if line.startswith("  ")}

    assert re.fullmatch(r"halted, [1-9]\d* of \d+ trials answered", state[halted])
    assert state[measured] == "measured"


@pytest.mark.slow
def test_trials_without_a_usable_answer_are_told(lab: Any, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text("{}", encoding="utf-8")
    told = lab(f"scripted:{script}", "--only", "style")

    left_out = "36 of 36 trials have no answer that can be used. They are left out of the figures."
    assert left_out in " ".join(told.stdout.split())


@pytest.mark.parametrize(("better", "said"), [("one", "lexical (1) is better"), ("other", "lexical (2) is better")])
def test_a_comparison_names_the_better_judge(
    lab: Any, monkeypatch: pytest.MonkeyPatch, better: Literal["one", "other"], said: str
) -> None:
    run = lab(BASELINE, "--only", "level").stdout.split()[-1]
    found = PairedDifference(
        battery="level",
        name="points",
        unit="points",
        one=1,
        other=9,
        advantage=8,
        low=6,
        high=10,
        n=6,
        clusters=2,
        p=0.0,
        better=better,
    )
    monkeypatch.setattr("judge.lab.compare.compare", lambda *_: (found,))
    printed = " ".join(lab("compare", run, run).stdout.split())

    assert said in printed
    assert 1 == printed.count(") is better")


# for a paper


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store with a short run, and the run."""
    store = tmp_path_factory.mktemp("lab") / "moot.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("server.debate.formats.lab.setup.installed", lambda: TWO_ITEMS)
        asked = ["--store", f"sqlite:{store}", "lab", BASELINE, "--only", "position,authority,level"]
        return store, CliRunner().invoke(main, asked).stdout.split()[-1]


@pytest.fixture
def short_run(measured: tuple[Path, str], tmp_path: Path) -> str:
    """The run, in a store of the test's own."""
    store, run = measured
    shutil.copy(store, tmp_path)
    return run


@pytest.mark.slow
def test_the_calls_of_a_run_are_a_table(lab: Any, short_run: str) -> None:
    rows = list(csv.DictReader(io.StringIO(lab("report", short_run, "--table", "trials", "--as", "csv").stdout)))
    report = msgspec.json.decode(lab("report", short_run, "--as", "json").stdout)
    backward = [each for each in rows if each["order"] == "backward"]

    assert len(rows) == sum(each["trials"] for each in report["batteries"].values())
    assert set(TrialRow.__struct_fields__) == set(rows[0])
    assert {"position", "authority", "level"} == {each["battery"] for each in rows}
    assert 2 * len(backward) == sum(each["battery"] == "position" for each in rows)
    assert all(each["trial_chose"] in {"first", "second", "draw"} for each in backward)
    assert {short_run} == {each["run"] for each in rows}
    first = rows[0]
    again = [each for each in rows if each["prompt_digest"] == first["prompt_digest"]]
    assert {first["answer"]} == {each["answer"] for each in again}
    assert 64 == len(first["prompt_digest"])
    assert ("True", "lexical", "0.0") == (first["answered"], first["served_model"], first["cost_usd"])
    levels = [float(each["trial_total"]) for each in rows if each["battery"] == "level"]
    assert len(levels) == 6


def test_the_same_table_is_a_parquet_file(lab: Any, short_run: str) -> None:
    table = parquet.read_table(
        io.BytesIO(lab("report", short_run, "--table", "trials", "--as", "parquet").stdout_bytes)
    )
    rows = list(csv.DictReader(io.StringIO(lab("report", short_run, "--table", "trials").stdout)))

    assert len(rows) == table.num_rows
    assert list(TrialRow.__struct_fields__) == table.column_names
    assert [each["answer"] for each in rows] == table.column("answer").to_pylist()
    assert ["bool", "int64", "double"] == [
        str(table.schema.field(name).type) for name in ("answered", "repeat", "trial_total")
    ]


def test_without_pyarrow_the_extra_is_named(lab: Any, short_run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.export.tables.forms.is_installed", lambda _: False)
    said = lab("report", short_run, "--table", "trials", "--as", "parquet")

    assert (2, "") == (said.exit_code, said.stdout)
    assert "pip install 'moot[parquet]'; csv and jsonl need nothing" in said.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--as", "parquet"), "parquet is a form of --table trials"),
        (("--table", "trials", "--as", "html"), "is csv or jsonl or parquet"),
    ],
)
def test_a_form_that_a_table_does_not_have_is_refused(
    lab: Any, short_run: str, arguments: tuple[str, ...], said: str
) -> None:
    refused = lab("report", short_run, *arguments)

    assert 2 == refused.exit_code
    assert said in refused.stderr


def test_a_report_in_latex_has_its_table_its_methods_and_its_sources(lab: Any, short_run: str) -> None:
    tex = lab("report", short_run, "--as", "latex").stdout
    body = tex.split(r"\end{filecontents*}")[1]
    cited = {key for keys in re.findall(r"\\cite\{([^}]*)\}", body) for key in keys.split(",")}

    assert tex.count("{") == tex.count("}")
    assert body.count("$") % 2 == 0
    assert cited == set(re.findall(r"^@\w+\{(\w+),", tex, re.MULTILINE))
    for name in re.findall(r"\\begin\{([\w*]+)\}", tex):
        assert tex.count(rf"\begin{{{name}}}") == tex.count(rf"\end{{{name}}}")
    rows = [line for line in body.splitlines() if line.endswith(r" \\") and not line.startswith((r"\multi", r"\top"))]
    assert {7} == {line.replace(r"\&", "").count("&") for line in rows}
    assert not re.search(r"(?<!\\)[%#]", "\n".join(rows))
    assert "standard error CR2" in body
    assert "The judge reports no temperature." in body
    assert "was asked once" in body


def test_nothing_in_a_name_is_a_command_of_latex() -> None:
    assert r"a\_b\textbackslash{}input\{x\} 5 \% \& \#1 \$2 $-$3" == escaped("a_b\\input{x} 5 % & #1 $2 −3")


def test_the_figures_are_files_that_stand_alone(lab: Any, short_run: str, tmp_path: Path) -> None:
    folder = tmp_path / "figures"
    said = lab("report", short_run, "--figures", str(folder))

    assert {"forest-share.svg", "forest-points.svg"} == {each.name for each in folder.iterdir()}
    assert [str(each) for each in sorted(folder.iterdir())] == sorted(said.stdout.split())
    for each in folder.iterdir():
        svg = ET.fromstring(each.read_text("utf-8"))
        assert "{http://www.w3.org/2000/svg}svg" == svg.tag
        assert svg.find("{http://www.w3.org/2000/svg}style") is not None
        assert "Position: first speech chosen" in each.read_text("utf-8") or "points" in each.name


# texts of one's own


def test_motions_of_ones_own_are_asked_about(lab: Any, tmp_path: Path) -> None:
    own = tmp_path / "own.jsonl"
    own.write_bytes(b"\n".join(msgspec.json.encode(each) for each in TWO_ITEMS))
    ran = lab(BASELINE, "--items-file", str(own), "--only", "position")
    report = msgspec.json.decode(lab("report", ran.stdout.split()[-1], "--as", "json").stdout)

    assert 0 == ran.exit_code, ran.output
    assert "own material: 2 motions" == report["items"]
    assert digest(read_items(own.name, own.read_bytes())) == report["items_digest"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("nonsense", "own.json"),
        ('{"id": "x"}', "own.json, motion 1: Object missing required field `motion`"),
        ('[{"id": "x", "motion": "m"}, {"id": "x", "motion": "n"}]', "two motions have the same id"),
        ('{"id": "a/b", "motion": "m"}', "motion 1: an item has an id without a slash"),
        ('{"id": "x", "motion": "m"}\n{"id": "y", "moton": "m"}', "motion 2: Object contains unknown field `moton`"),
        ('{"id": "x", "motion": "m", "level": {"weak": {"text": "t", "points": 400}}}', "points from 0 to 100"),
    ],
)
def test_a_file_of_motions_with_a_mistake_is_refused_with_its_place(
    lab: Any, tmp_path: Path, content: str, said: str
) -> None:
    own = tmp_path / "own.json"
    own.write_text(content, encoding="utf-8")
    refused = lab(BASELINE, "--items-file", str(own))

    assert 2 == refused.exit_code
    assert said in refused.stderr
    assert "Traceback" not in refused.output


@pytest.mark.slow
def test_what_is_left_out_is_said(lab: Any, tmp_path: Path) -> None:
    held = '{"id": "%d", "story": "s%d", "question": "q", "answers": ["yes", "no"], "correct": %d, "rounds": '
    held += '[{"by": "A", "text": "It is so."}, {"by": "B", "text": "It is not."}], "judge_final": [0.6, 0.4]}\n'
    path = tmp_path / "debates.jsonl"
    path.write_text("".join(held % (each, each, each > 4) for each in range(8)), encoding="utf-8")
    ran = lab(BASELINE, "--only", "people", "--data", str(path))
    sentence = "6 of 8 debates that people judged are asked about: the better speaker must speak first in one half."

    assert sentence in " ".join(ran.stdout.split())
    assert sentence in lab("report", ran.stdout.split()[-1]).stdout
    capped = lab(BASELINE, "--only", "people", "--data", str(path), "--items", "4")
    assert "4 of 8 debates that people judged are asked about: a run asks about no more" in " ".join(
        capped.stdout.split()
    )
