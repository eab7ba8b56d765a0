"""The battery people: what the judge reaches stands beside length alone and what the baseline reaches."""

from pathlib import Path
from typing import Any

import pytest

from events.store.log import read_all
from events.types import DebateOpened, LabMeasured
from events.types.lab import Effect
from judge.lab.people import read_people
from server.debate.formats.lab.trials import baseline_readings, readings_of
from tests.server.debate.test_lab import BASELINE, run, state
from tests.server.harness import harness

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).resolve().parents[3]
SHARED = next((each / "shared" / "data" for each in ROOT.parents if (each / "shared" / "data").is_dir()), None)
PAIR = b'{"id": "%d", "topic": "trams %d", "stance": "for", "first": "%s", "second": "%s", "winner": "first"}\n'
LONG = b"Trams carry more people on one street, because one tram holds two hundred, so the street is less full."


def judged() -> list[Any]:
    return list(read_people("x", b"".join(PAIR % (each, each % 3, LONG, b"Trams are nice.") for each in range(6))))


async def measured(judge: str, people: list[Any]) -> tuple[str, dict[str, Effect], list[Any]]:
    """The effects of a run by name, and the readings of the baseline beside those of the run."""
    async with harness() as made:
        debate = await run(made, judge, "people", lab={"people": people})
        await made.ended(debate)
        records = [record async for record in read_all(made.log, debate)]
        (result,) = (record.event for record in records if isinstance(record.event, LabMeasured))
        folded = await state(made, debate)
    opened = records[0].event
    assert isinstance(opened, DebateOpened)
    beside = [tuple(readings_of(folded)), tuple(baseline_readings(folded, opened))]
    return debate, {each.name: each for each in result.effects}, beside


async def test_the_baseline_that_stands_beside_a_judge_is_the_one_that_judges() -> None:
    _, effects, (asked, beside) = await measured(BASELINE, judged())

    assert asked == beside
    assert not any(each.failed for each in asked)
    assert effects.keys() >= {"pairs_accuracy", "pairs_length_alone", "pairs_brier"}
    assert f"pairs_{BASELINE}" not in effects


@pytest.mark.slow
async def test_a_judge_has_the_baseline_beside_it() -> None:
    _, effects, _ = await measured("scripted:juries", judged())

    assert effects[f"pairs_{BASELINE}"].n == 6
    assert 1 == effects["pairs_length_alone"].estimate


@pytest.mark.slow
@pytest.mark.skipif(SHARED is None, reason="the material that people judged is not beside the project")
async def test_the_baseline_agrees_with_people_like_a_coin_and_length_alone_does_better() -> None:
    """docs/judge.md has these figures from another driver: 43 of 82 agree.

    62 of the better ones have more characters; 47 have more words, and 3 have as many.
    """
    assert SHARED is not None
    people = read_people("ukp-pairs.jsonl", (SHARED / "ukp-pairs.jsonl").read_bytes())

    _, effects, _ = await measured(BASELINE, list(people))

    accuracy, length = effects["pairs_accuracy"], effects["pairs_length_alone"]
    assert accuracy.low is not None
    assert accuracy.high is not None
    assert accuracy.low < 0.5 < accuracy.high
    assert (82, pytest.approx((47 + 1.5) / 82, abs=0.01)) == (length.n, length.estimate)
    undecided = float(accuracy.note.split("; ")[1].split(" undecided")[0])
    assert accuracy.estimate == pytest.approx((43 + undecided / 2) / 82, abs=0.03)
