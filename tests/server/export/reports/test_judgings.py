"""Two judgings of the same turns: what differs in each turn, which findings they share, and what is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from events.store.log import read_all
from events.view import view as views
from events.view.view import Fold
from providers.scripted.provider import shipped
from server.errors import NotNow
from server.export.reports.judgings import JudgingComparison, compare_judgings
from server.export.reports.judgings_text import agreement_sentences, comparison_page, judge_caveats
from tests.server.harness import Harness, harness

pytestmark = pytest.mark.anyio

Change = Callable[[dict[str, Any]], None]


def script(folder: Path, name: str, change: Change | None = None) -> str:
    """The exhibition ``juries`` without pauses, with other answers of its judge; the model's name."""
    said: dict[str, Any] = msgspec.json.decode(shipped()["juries"].read_bytes()) | {"pace": {}}
    if change is not None:
        change(said)
    path = folder / f"{name}.json"
    path.write_bytes(msgspec.json.encode(said))
    return f"scripted:{path}"


async def judged(h: Harness, debaters: str, judge: str, **request: Any) -> Fold:
    debate = await h.open(debaters, turns=request.pop("turns", 6), judge=judge, **request)
    await h.ended(debate)
    return views.apply_all(views.INITIAL, [record async for record in read_all(h.log, debate)])


def compared(one: Fold, two: Fold) -> JudgingComparison:
    return compare_judgings(one, two, (views.for_director(one), views.for_director(two)))


def harsher(said: dict[str, Any]) -> None:
    """Two points less for the cause of every turn; of turn 3 other words are flagged, of the others none."""
    for key, answer in said["answers"].items():
        if key.startswith("score:"):
            answer["components"]["cause"]["points"] -= 2
        if key.startswith("claims:"):
            said["answers"][key] = {"claims": []}
    quote = said["says"]["pro"][1][:40]
    flag = {"quote": quote, "kind": "overclaim", "reason": "wider than its grounds"}
    said["answers"]["claims:3"] = {"claims": [flag]}


@pytest.mark.slow
async def test_two_judgings_of_one_debate_are_compared_turn_by_turn(tmp_path: Path) -> None:
    mild = script(tmp_path, "mild")
    async with harness() as h:
        one, two = await judged(h, mild, mild), await judged(h, mild, script(tmp_path, "harsh", harsher))
        found = compared(one, two)
    pairs = {(each.turn, part.component): part for each in found.turns for part in each.components}

    assert [1, 2, 3, 4, 5, 6] == [each.turn for each in found.turns]
    for each in found.turns:
        first, second = (fold.view.turns[str(each.turn)].composite for fold in (one, two))
        assert (first, second) == (each.first, each.second)
        assert isinstance(first, float)
        assert isinstance(second, float)
        assert pytest.approx(second - first) == each.difference
    assert [-2.0] * 6 == [pairs[turn, "cause"].difference for turn in range(1, 7)]
    assert all(pairs[turn, "cause"].shares_words is True for turn in range(1, 7))
    assert 6 == found.scores.turns
    assert found.scores.bias is not UNSET
    assert found.scores.bias.value < 0
    assert (6, 6) == (found.preferred_of, found.preferred_alike), "the closing comparison is one of them"
    flags = {name for name, claim in one.view.claims.items() if claim.turn != 3}
    alone = {each.first.claim for each in found.flags if each.first is not UNSET and each.second is UNSET}
    assert flags <= alone
    assert ["overclaim"] == [each.second.kind for each in found.flags if each.second is not UNSET]
    assert (len(one.view.claims), 1) == (found.common_flags.first, found.common_flags.second)


@pytest.mark.slow
async def test_a_judging_compared_with_its_like_differs_in_nothing(tmp_path: Path) -> None:
    mild = script(tmp_path, "mild")
    async with harness() as h:
        found = compared(await judged(h, mild, mild), await judged(h, mild, mild))

    assert {0.0} == {each.difference for each in found.turns}
    assert found.scores.alpha is not UNSET
    assert 1.0 == found.scores.alpha.value
    assert found.common_flags.first == found.common_flags.both == found.common_flags.second > 0
    assert found.common_dockings.first == found.common_dockings.both > 0
    assert "Both have the same judge: a difference shows how far it differs from itself." in found.notes


@pytest.mark.slow
async def test_turn_1_is_not_compared_where_one_rubric_scales_it(tmp_path: Path) -> None:
    mild = script(tmp_path, "mild")
    async with harness() as h:
        one, two = await judged(h, mild, mild, rubric="v2"), await judged(h, mild, mild, rubric="v3")
        found = compared(one, two)
        alike = compared(two, await judged(h, mild, mild, rubric="v3"))

    note = "One rubric scales turn 1 and the other one does not, so the composites of turn 1 are not compared."
    assert note in found.notes
    assert note not in alike.notes
    assert UNSET is found.turns[0].difference
    assert all(each.difference is not UNSET for each in found.turns[1:])
    assert len(found.turns) - 1 == found.scores.turns
    assert len(alike.turns) == alike.scores.turns


async def test_a_note_on_the_judge_stands_once_where_both_judgings_have_it(tmp_path: Path) -> None:
    mild = script(tmp_path, "mild")
    async with harness() as h:
        counted = [await judged(h, mild, "baseline:lexical", turns=1) for _ in range(2)]
        read = await judged(h, mild, mild, turns=1)
    (alike,) = judge_caveats(compared(*counted))
    of_model, alone = judge_caveats(compared(read, counted[0]))

    assert alike.startswith("Both judgings: The lexical baseline is no model.")
    assert of_model.startswith("First judging: ")
    assert alone.startswith("Second judging: The lexical baseline is no model.")


@pytest.mark.slow
async def test_other_words_and_other_formats_are_refused_in_a_sentence(tmp_path: Path) -> None:
    def other_words(said: dict[str, Any]) -> None:
        said["says"]["con"][0] = f"Another beginning. {said['says']['con'][0]}"

    mild, other = script(tmp_path, "mild"), script(tmp_path, "other", other_words)
    async with harness() as h:
        one = await judged(h, mild, mild)
        with pytest.raises(NotNow, match=r"turn 2 is not the same in both debates: .*; moot diff compares two"):
            compared(one, await judged(h, other, other))
        with pytest.raises(NotNow, match=r"this is one debate twice"):
            compared(one, one)
        protocol = await h.open("scripted:monolith", turns=8, format="protocol")
        fold = views.apply_all(views.INITIAL, [record async for record in read_all(h.log, protocol)])
        with pytest.raises(NotNow, match=r"has the format protocol"):
            compared(one, fold)


@pytest.mark.slow
async def test_missing_scores_and_few_turns_give_no_figures(tmp_path: Path) -> None:
    def silent(said: dict[str, Any]) -> None:
        said["answers"]["score:1"] = {"fault": {"kind": "overloaded", "times": 99}}

    mild = script(tmp_path, "mild")
    async with harness() as h:
        one = await judged(h, mild, script(tmp_path, "silent", silent), turns=5)
        two = await judged(h, mild, "baseline:lexical", turns=5)
        found = compared(one, two)
        page = comparison_page(found, "pro")

    assert "4 turns have a score from both judges; figures are given from 5 turns on" == found.scores.too_few
    assert "Scores: 4 turns have a score from both judges; figures are given from 5 turns on." in [
        *agreement_sentences(found)
    ]
    assert "First judging" in page
    assert 5 == page.count('<details class="compared">')
    assert UNSET is found.turns[0].difference
    assert "The first judging has no score" in page
    assert "<script src" in page
    assert "baseline:lexical" in page


@pytest.mark.slow
async def test_a_longer_debate_is_compared_where_both_have_turns(tmp_path: Path) -> None:
    mild = script(tmp_path, "mild")
    async with harness() as h:
        found = compared(await judged(h, mild, mild), await judged(h, mild, mild, turns=4))

    assert 4 == len(found.turns)
    assert "The first debate has 6 turns; only the 4 that both have are compared." in found.notes


@pytest.mark.slow
async def test_words_of_debaters_and_judges_are_never_markup_on_the_page(tmp_path: Path) -> None:
    def hostile(said: dict[str, Any]) -> None:
        said["says"]["pro"][0] = f"<script>alert(1)</script> {said['says']['pro'][0]}"
        said["answers"]["score:1"]["components"]["cause"]["quote"] = "<script>alert(1)</script>"
        said["answers"]["claims:1"] = {
            "claims": [{"quote": "<script>alert(1)</script>", "kind": "overclaim", "reason": "<img src=x>"}]
        }

    model = script(tmp_path, "hostile", hostile)
    async with harness() as h:
        found = compared(await judged(h, model, model), await judged(h, model, "baseline:lexical"))
    page = comparison_page(found, "pro")

    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "<img" not in page
    assert '<q lang="en" dir="auto">' in page
