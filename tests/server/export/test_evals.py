"""Debates as a log of Inspect: what a sample has.  tests/measuring/test_inspect.py has Inspect read them."""

import io
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import anyio
import pytest
from click.testing import CliRunner

from events.record import Recorded
from events.store.memory import MemoryLog
from server.cli.main import main
from server.export.evals import write_evals
from tests.server.export.map.test_map import LOGS

NAMES = ("0.1-juries_v3", "library_fines_v2", "loan_register_reasons")


def read(*debates: Sequence[Recorded]) -> dict[str, Any]:
    """The files of a log of these debates, by name."""

    async def written() -> bytes:
        async def chosen() -> AsyncIterator[tuple[str, int]]:
            for records in debates:
                yield records[0].debate, len(records)
            yield "nowhere", 0  # nothing is left of it

        file = io.BytesIO()
        async with MemoryLog() as log:
            for records in debates:
                await log.adopt(records)
            assert len(debates) == await write_evals(log, chosen(), file)
        return file.getvalue()

    with ZipFile(io.BytesIO(anyio.run(written))) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


def test_each_debate_is_a_sample_and_several_scales_have_no_mean() -> None:
    files = read(*(LOGS[name] for name in NAMES))
    header, summaries = files["header.json"], files["summaries.json"]
    samples = [files[f"samples/{LOGS[name][0].debate}_epoch_1.json"] for name in NAMES]
    juries, fines, loan = (each["scores"]["moot"] for each in samples)

    assert ("success", 2, 3) == (header["status"], header["version"], header["results"]["total_samples"])
    assert [] == header["results"]["scores"]
    assert (
        [each["id"] for each in samples]
        == [each["id"] for each in summaries]
        == header["eval"]["dataset"]["sample_ids"]
    )
    assert ({"pro": 69.56, "con": 70.75}, "neither") == (juries["value"], juries["answer"])
    assert (0.6546, 0.3454) == (juries["metadata"]["certainty"], juries["metadata"]["pro_probability"])
    assert ({"pro": 20.0, "con": 17.85}, "panel") == (fines["value"], fines["metadata"]["by_rule"])
    assert ({"FAIL": 0.8, "CONDITIONAL": 0.2}, "FAIL") == (loan["value"], loan["answer"])
    assert [1, 6] == [sum(each["role"] == role for each in samples[0]["messages"]) for role in ("user", "assistant")]
    for sample in samples:
        used = sample["model_usage"].values()
        assert sample["metadata"]["tokens"] == sum(each["total_tokens"] for each in used)
        assert all(each["input_tokens"] + each["output_tokens"] <= each["total_tokens"] for each in used)


def test_debates_of_one_format_have_means_and_one_that_goes_on_has_no_score() -> None:
    running = LOGS["0.1-cars"][:30]
    files = read(LOGS["0.1-juries_v3"], LOGS["free_transport_v2"], running)
    [pro, con] = files["header.json"]["results"]["scores"]

    assert {} == files[f"samples/{running[0].debate}_epoch_1.json"]["scores"]
    assert ("pro", "con", 2, 1) == (pro["name"], con["name"], pro["scored_samples"], pro["unscored_samples"])
    assert pytest.approx((69.56 + 55.95) / 2) == pro["metrics"]["mean"]["value"]
    assert pytest.approx((69.56 - 55.95) / 2) == pro["metrics"]["stderr"]["value"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("-o", "moot.json"), "must be .eval"),
        (("latest", "--winner", "pro", "-o", "moot.eval"), "not both"),
        (("--table", "turns", "-o", "moot.eval"), "not of inspect"),
    ],
)
def test_a_log_that_inspect_would_not_read_is_refused(given: tuple[str, ...], says: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ("export", "--as", "inspect", "--store", f"sqlite:{tmp_path / 'moot.db'}", *given))

    assert 2 == done.exit_code
    assert says in done.output
