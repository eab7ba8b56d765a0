"""Inspect reads our logs, its viewer bundles them, and Moot judges its tasks: the code of docs/inspect.md."""

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from server.cli.main import main
from tests.docs import pages
from tests.measuring.voters import served

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(300), pytest.mark.filterwarnings("default")]

GOLDEN = sorted((pages.ROOT / "tests/events/view/golden").glob("*.ndjson"))
LOGS = [*GOLDEN, *sorted((pages.ROOT / "tests/server/debate/logs").glob("*.ndjson"))]
ANSWER = "Yes. Trams carry more people in an hour than cars do, so the street moves more."
OPINION = {
    "quote": "Trams carry more people in an hour",
    "rationale": "It answers the question and gives a reason.",
    "findings": ["It names no figure."],
    "remediation": ["Name one."],
    "scores": {"soundness": 3, "completeness": 2, "clarity": 4, "risk": 3},
    "confidence": 0.7,
    "verdict": "CONDITIONAL",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with all logs of the tests, and two logs of Inspect made of it."""
    made = tmp_path_factory.mktemp("inspect")
    store = f"sqlite:{made / 'moot.db'}"
    logs = made / "logs"
    logs.mkdir()
    for path in LOGS:
        command("import", str(path), "--store", store)
    command("export", "--as", "inspect", "--store", store, "-o", str(logs / "moot.eval"))
    command("export", "--as", "inspect", "--format", "exchange", "--store", store, "-o", str(logs / "exchange.eval"))
    return made


def command(*given: str) -> None:
    done = CliRunner().invoke(main, given)

    assert 0 == done.exit_code, done.output


def test_inspect_reads_a_log_and_its_data_frames_have_every_score(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from inspect_ai.log import read_eval_log  # noqa: PLC0415 - it takes seconds, and few runs come here

    log: Any = read_eval_log(str(folder / "logs/moot.eval"))
    samples = {each.input: each for each in log.samples}
    juries = next(each for each in log.samples if each.metadata["rubric"] == "moot 3" and each.metadata["lead"])
    score = juries.scores["moot"]
    header: Any = read_eval_log(str(folder / "logs/exchange.eval"), header_only=True)

    assert ("success", len(LOGS)) == (log.status, len(log.samples))
    assert {
        "Schulen sollten Hausaufgaben abschaffen",
        "Does plan.md pass as a migration plan that can be rolled back?",
    } <= {*samples}
    assert {"pro": 69.56, "con": 70.75} == score.value
    assert ("neither", 0.6546) == (score.answer, score.metadata["certainty"])
    assert "Not distinguishable: Con leads by 1.2 (65 % sure)" in score.explanation
    assert 7 == len(juries.messages)
    assert 116_742 == sum(each.total_tokens for each in juries.model_usage.values())
    assert ["pro", "con"] == [each.name for each in header.results.scores]
    assert [] == log.results.scores  # several formats, several scales

    made: dict[str, Any] = {}
    exec(pages.blocks(pages.read("inspect"))[1].replace("logs/", f"{folder}/logs/"), made)
    assert len(LOGS) == len(made["samples"])
    assert not made["samples"]["score_moot"].isna().any()
    assert "metadata_certainty" in capsys.readouterr().out


def test_its_viewer_takes_the_logs(folder: Path) -> None:
    inspect = Path(sys.executable).with_name("inspect")
    given = ["view", "bundle", "--log-dir", str(folder / "logs"), "--output-dir", str(folder / "bundle")]
    subprocess.run([str(inspect), *given], check=True, capture_output=True)

    listed = json.loads((folder / "bundle/logs/listing.json").read_text())
    assert {"moot.eval", "exchange.eval"} == set(listed)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A server, and the judge of a script."""
    made = tmp_path_factory.mktemp("served")
    judge = made / "judge.json"
    judge.write_text(json.dumps({"label": "A judge", "says": {}, "answers": {"deliberate:*": OPINION}}))
    with served(made, MOOT_RETRY_MS="0", MOOT_TICK_MS="0") as (url, _):
        yield SimpleNamespace(url=url, judge=f"scripted:{judge}", folder=made)


def test_a_task_is_judged_by_moot(running: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The task of the page, with a mock model, a judge of a script and the address of the server in the test."""
    from inspect_ai import eval as run  # noqa: PLC0415 - as above
    from inspect_ai.dataset import MemoryDataset, Sample  # noqa: PLC0415
    from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: PLC0415

    code = pages.blocks(pages.read("inspect"))[2]
    code = code.replace('"anthropic:claude-haiku-4-5"', f"{running.judge!r}, server={running.url!r}")
    made: dict[str, Any] = {"__name__": "task"}
    exec(code, made)
    task = made["answers"]()
    task.dataset = MemoryDataset([*task.dataset, Sample(id="none", input="Say nothing.")])
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in (ANSWER, "")]
    for each in outputs:
        each.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=outputs)
    logs: Any = run(task, model=model, log_dir=str(running.folder / "logs"), display="none", max_samples=1)
    [log] = logs

    assert "success" == log.status, log.error
    judged, empty = (each.scores["moot"] for each in sorted(log.samples, key=lambda each: -len(str(each.id))))
    assert ("P", "CONDITIONAL") == (judged.value, judged.answer)
    assert f"{running.url}/d/{judged.metadata['debate']}" == judged.explanation.splitlines()[-1]
    assert [(OPINION["quote"], True)] * 5 == [
        (each["quote"], each["quote_stands_in_text"]) for each in judged.metadata["opinions"]
    ]
    assert ["It names no figure."] == judged.metadata["findings"]
    assert math.isnan(empty.value)
    assert "the output is empty" in empty.explanation
    [score] = log.results.scores
    assert (0.5, 1, 1) == (score.metrics["accuracy"].value, score.scored_samples, score.unscored_samples)


def test_a_conversation_is_judged_as_a_debate(running: SimpleNamespace) -> None:
    from inspect_ai import Task  # noqa: PLC0415 - as above
    from inspect_ai import eval as run  # noqa: PLC0415
    from inspect_ai.dataset import Sample  # noqa: PLC0415
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser  # noqa: PLC0415
    from inspect_ai.solver import solver  # noqa: PLC0415

    from server.client.inspection import moot  # noqa: PLC0415

    @solver
    def talk() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            del generate
            said = ("Trams carry more people, because they are long.", "They cost too much, and nobody pays for them.")
            state.messages += [ChatMessageAssistant(content=said[0]), ChatMessageUser(content=said[1])]
            return state

        return solve

    task = Task(
        dataset=[Sample(id="two", input="Build trams")],
        solver=talk(),
        scorer=moot("baseline:lexical", of="debate", server=running.url),
    )
    logs: Any = run(task, model="mockllm/model", log_dir=str(running.folder / "logs"), display="none")
    [log] = logs

    assert "success" == log.status, log.error
    score = log.samples[0].scores["moot"]
    assert score.answer in {"pro", "con", "neither"}
    assert {"pro": "C", "con": "I", "neither": "P"}[score.answer] == score.value
    assert {"pro", "con"} == set(score.metadata["points"])
    assert score.metadata["audit"].startswith(f"{running.url}/d/")
