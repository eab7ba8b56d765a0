"""Format lab: a judge is measured; killed, halted and capped runs go on; its prompts are those of a live debate."""

from collections import Counter
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.record import Draft
from events.state import debate as debates
from events.state.debate import Debate
from events.store.log import read_all
from events.store.memory import MemoryLog
from events.transfer import export, import_debate, read_lines
from events.types import (
    DebateConcluded,
    DebateHalted,
    DebateOpened,
    Event,
    LabMeasured,
    ModelAnswered,
    ModelFailed,
    Side,
    TurnScored,
    TurnSpoken,
    TurnStarted,
    Usage,
)
from judge.lab import items
from judge.lab.trials import plan
from judge.live.scoring import applicable
from judge.rubrics.rubric import rubric_v2
from providers.catalog.models import family
from server.debate.adoption import check_debate
from server.debate.commands import Resume
from server.debate.formats import next_steps
from server.debate.formats.lab.setup import LabRequest, items_for, setup_of
from server.debate.formats.lab.steps import AT_ONCE, IN_A_ROW, measured
from server.debate.formats.lab.trials import keys_of, question_of, readings_of, trials_of
from server.debate.setup.lab import estimate_lab
from server.errors import BadField
from server.export.lab import OF_WEAKNESS
from tests.judge.lab.two_items import TWO_ITEMS
from tests.server.harness import Harness, check_sound, harness

pytestmark = pytest.mark.anyio
BASELINE = "baseline:lexical"


@pytest.fixture(autouse=True)
def two_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two items of the tests in place of the installed ones."""
    monkeypatch.setattr("server.debate.formats.lab.setup.installed", lambda: TWO_ITEMS)


async def run(made: Harness, judge: str, *batteries: str, **request: Any) -> str:
    wanted: dict[str, Any] = {"repeats": 1} | ({"batteries": list(batteries)} if batteries else {})
    return await made.open(judge, format="lab", lab=wanted | request.pop("lab", {}), **request)


async def state(made: Harness, debate: str) -> Debate:
    found = debates.INITIAL
    async for record in read_all(made.log, debate):
        found = debates.evolve(found, record)
    return found


@pytest.mark.slow
async def test_every_battery_of_the_baseline_is_measured_and_the_log_is_sound() -> None:
    async with harness() as made:
        debate = await run(made, BASELINE)

        assert DebateConcluded(winner="neither", by_rule="lab") == await made.ended(debate)
        records = await check_sound(made.log, debate)
        events = [record.event for record in records]
        (result,) = (event for event in events if isinstance(event, LabMeasured))
        opened = events[0]

    assert isinstance(opened, DebateOpened)
    assert opened.lab is not UNSET
    trials = trials_of(opened.lab)
    assert len(trials) == result.trials == sum(opened.lab.trials.values())
    assert result.failed == 0
    assert {each.battery for each in result.effects} == {each.battery for each in trials}
    beside = {each for wanted in OF_WEAKNESS.values() for each in wanted if each[0] not in {"family", "people"}}
    assert beside <= {(each.battery, each.name) for each in result.effects}
    answered = [event.key for event in events if isinstance(event, ModelAnswered)]
    assert sorted(answered) == sorted(key for trial in trials for key in keys_of(trial, opened))
    assert all(event.turn is None for event in events if isinstance(event, ModelAnswered))


@pytest.mark.slow
async def test_a_log_measures_the_same_again_without_the_installed_items(monkeypatch: pytest.MonkeyPatch) -> None:
    async with harness() as made:
        debate = await run(made, BASELINE, "retest", "length")
        await made.ended(debate)
        lines = b"".join([line async for line in export(made.log, debate)])
    monkeypatch.setattr(items, "installed", lambda: 1 / 0)
    monkeypatch.setattr("server.debate.formats.lab.setup.installed", lambda: 1 / 0)
    log = MemoryLog()
    await import_debate(log, read_lines(BytesIO(lines)), check_debate)
    async with harness(log) as made:
        found = await state(made, debate)

    assert found.opened is not None
    assert found.lab.measured == measured(found, found.opened)


@pytest.mark.slow
async def test_a_run_that_was_stopped_asks_only_what_is_left() -> None:
    log = MemoryLog()
    async with harness(log) as made:
        debate = await run(made, BASELINE, "retest", "position")
        await made.until(debate, lambda record: record.position > 25)
        for moderator in tuple(made.moderators._moderators.values()):
            moderator.stop()
        await made.idle()
        before = await log.head(debate)
    async with harness(log) as made:
        assert await made.moderators.take_up() == 1
        await made.ended(debate)
        records = await check_sound(log, debate)

    assert 25 < before < len(records)
    keys = [record.event.key for record in records if isinstance(record.event, ModelAnswered)]
    assert len(set(keys)) == len(keys)


@pytest.mark.slow
async def test_the_cost_cap_halts_a_run_within_the_calls_of_one_moment(script: Callable[..., str]) -> None:
    async with harness() as made:
        debate = await run(made, script(cost_usd=0.01), "position", max_cost_usd=0.1)
        ended = await made.ended(debate)
        halted = await state(made, debate)

        assert isinstance(ended, DebateHalted)
        assert "cost cap" in ended.reason
        assert halted.usage.calls < 10 + AT_ONCE
        await made.idle()
        await made.moderators.act(debate, Resume("go on", "operator", 100.0))
        assert isinstance(await made.ended(debate, halted.position), DebateConcluded)
        done = await state(made, debate)

    assert done.opened is not None
    assert done.opened.lab is not UNSET
    assert done.usage.calls == done.opened.lab.trials["position"]


@pytest.mark.slow
async def test_a_judge_that_cannot_be_asked_halts_the_run_and_a_resume_asks_again(script: Callable[..., str]) -> None:
    fault = {"fault": {"kind": "refuse", "times": 100}}
    async with harness() as made:
        debate = await run(made, script(answers={"lab:*": fault}), "labels")
        ended = await made.ended(debate)
        found = await state(made, debate)

        assert isinstance(ended, DebateHalted)
        assert "calls in a row failed" in ended.reason
        assert found.usage.failed_calls <= IN_A_ROW + 2 * AT_ONCE
        await made.idle()
        script(answers={})
        await made.moderators.act(debate, Resume("go on", "operator"))
        assert isinstance(await made.ended(debate, found.position), DebateConcluded)
        result = (await state(made, debate)).lab.measured

    assert result is not None
    assert result.failed == 0


async def test_a_question_that_is_never_answered_is_counted_and_not_dropped(script: Callable[..., str]) -> None:
    fault = {"fault": {"kind": "bad_json", "times": 100}}
    answers = {"lab:labels/libraries.1/compare.random/1": fault}
    async with harness() as made:
        debate = await run(made, script(answers=answers), "labels")
        await made.ended(debate)
        found = await state(made, debate)

    assert found.lab.measured is not None
    assert found.lab.measured.failed == 1
    (failed,) = (each for each in readings_of(found) if each.failed)
    assert failed.trial == "labels/libraries.1/compare.random/1"
    assert "bad_json" in failed.failed


@pytest.mark.parametrize(("effort", "key"), [("full", "score:1"), ("brief", "score_and_claims:1")])
@pytest.mark.parametrize("reads", ["whole", "short"])
async def test_the_prompt_and_the_reading_of_an_opening_are_those_of_a_live_debate(
    script: Callable[..., str], reads: str, effort: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.debate.opening.build.reads", lambda model, window: reads)
    (trial,) = (
        each
        for each in plan("side", TWO_ITEMS, 1, 0, repeats=1)
        if each.item.endswith(".pro") and each.variant == "plain"
    )
    said = trial.speeches[0].text
    each = {"quote": said[:30], "reason": "It says so.", "points": 4}
    answer = {"components": dict.fromkeys(applicable(rubric_v2(), 1), each)}
    answer |= {"claims": []} if effort == "brief" else {}
    model = script(says={"pro": [said], "con": ["No."]}, answers={key: answer, f"lab:{trial.id}": answer}, cost_usd=0)
    async with harness() as made:
        seat = {"effort": effort}
        live = await made.open(model, turns=1, motion=trial.motion, seat=seat)
        await made.ended(live)
        ran = await run(made, model, "side", lab={"items": 1}, seat=seat)
        await made.ended(ran)
        live_events, lab_events = await made.events(live), await made.events(ran)
        found = await state(made, ran)
    texts: dict[str, str] = {}
    calls: dict[str, ModelAnswered] = {}
    for event in (*live_events, *lab_events):
        if isinstance(event, ModelAnswered | ModelFailed):
            texts |= event.segments
            if isinstance(event, ModelAnswered):
                calls[event.key] = event
    scored = next(event for event in live_events if isinstance(event, TurnScored))
    reading = next(each for each in readings_of(found) if each.trial == trial.id)

    assert [texts[digest] for _, digest in calls[key].prompt] == [
        texts[digest] for _, digest in calls[f"lab:{trial.id}"].prompt
    ]
    assert scored.components is not UNSET
    assert {name: each.admitted for name, each in scored.components.items()} == reading.parts


@pytest.mark.slow
async def test_a_brief_judge_is_measured_with_the_questions_that_it_gets_in_a_debate() -> None:
    held = [
        {"id": each, "kind": "debates", "topic": "trams", "motion": "Trams first", "note": "", "better": each}
        | {"speeches": ["Trams carry more, because one tram holds two hundred.", "Cars reach every door at night."]}
        for each in ("first", "second")
    ]
    wanted = {"items": 2, "people": held, "batteries": ["position", "side", "authority", "people"]}
    runs = []
    async with harness() as made:
        for effort in ("full", "brief"):
            seat = {"effort": effort}
            opened = await made.opening(BASELINE, format="lab", lab=wanted, seat=seat)
            debate = await made.moderators.open(opened)
            assert isinstance(await made.ended(debate), DebateConcluded)
            await check_sound(made.log, debate)
            found = await state(made, debate)
            asked = Counter(each.purpose for each in await made.events(debate) if isinstance(each, ModelAnswered))
            runs.append((opened, found, asked))
    (full, in_full, of_full), (brief, briefly, of_brief) = runs

    assert ("full", "brief") == (full.judge.effort, brief.judge.effort)
    assert [each.usage.calls for _, each, _ in runs] == [estimate_lab(each).calls for each, _, _ in runs]
    assert of_brief["score_and_claims"] == of_full["score"] + of_full["claims"]
    assert of_brief["compare"] == of_full["compare"]  # in both orders
    assert (4, 2) == (of_full["narrative"], of_brief["narrative"])
    given = [[each for each in readings_of(found) if "/narrative." not in each.trial] for found in (in_full, briefly)]
    assert given[0] == given[1]
    assert not any(each.failed for each in given[0])


async def opened_with(made: Harness, judge: str, *batteries: str) -> DebateOpened:
    opened = await made.opening(judge, format="lab", lab={"batteries": list(batteries), "repeats": 1})
    assert isinstance(opened, DebateOpened)
    return opened


async def prompts_of(made: Harness, judge: str, battery: str, reads: str) -> dict[str, str]:
    opened = await opened_with(made, judge, battery)
    opened = replace(opened, judge=replace(opened.judge, reads=reads))
    assert opened.lab is not UNSET
    debate = Debate(opened=opened, opened_at="2026-11-22T00:00:00.000000Z")
    return {
        trial.id: "\n\n".join(
            part.text for part in question_of(trial, keys_of(trial, opened)[0], debate, opened).prompt()
        )
        for trial in trials_of(opened.lab)
    }


@pytest.mark.parametrize("reads", ["whole", "short"])
async def test_other_labels_change_nothing_but_the_names_of_the_speakers(
    script: Callable[..., str], reads: str
) -> None:
    async with harness() as made:
        prompts = await prompts_of(made, script(), "labels", reads)

    assert len(prompts) == 4 * 4
    for name, prompt in prompts.items():
        if ".sides/" in name:
            assert "Speaker A" not in prompt
            assert "by Pro" in prompt
            assert "by Con" in prompt
            letters = prompts[name.replace(".sides/", ".letters/")]
            assert (
                prompt.replace("by Pro", "by Speaker A")
                .replace("by Con", "by Speaker B")
                .replace(", Pro:", ", Speaker A:")
                .replace(", Con:", ", Speaker B:")
                == letters
            )


@pytest.mark.parametrize("reads", ["whole", "short"])
async def test_a_pressing_note_is_shown_and_a_challenge_shows_the_first_answer(
    script: Callable[..., str], reads: str
) -> None:
    async with harness() as made:
        prompts = await prompts_of(made, script(), "pressure", reads)
        debate = await run(made, script(), "pressure", lab={"items": 1})
        await made.ended(debate)
        events = await made.events(debate)

    assert all("I am sure that the" in prompt for name, prompt in prompts.items() if ".belief/" in name)
    again = [event for event in events if isinstance(event, ModelAnswered) and event.key.endswith(":again")]
    (first,) = [event for event in events if isinstance(event, ModelAnswered) and ".challenge/1" in event.key][:1]
    told = " ".join(again[0].segments.values())
    assert len(again) == 1
    assert "Are you sure?" in told
    assert first.answer[:20] in told


async def test_a_run_that_was_planned_otherwise_does_not_go_on() -> None:
    async with harness() as made:
        opened = await opened_with(made, BASELINE, "position")
        assert opened.lab is not UNSET
        opened = replace(opened, lab=replace(opened.lab, trials_digest="0" * 64))
        debate = await made.moderators.open(opened)
        ended = await made.ended(debate)

    assert isinstance(ended, DebateHalted)
    assert "other questions than those that the run began with" in ended.reason


@pytest.mark.slow
async def test_an_estimate_counts_every_call_that_is_made(script: Callable[..., str]) -> None:
    async with harness() as made:
        opened = await made.opening(script(), format="lab", lab={})
        found = estimate_lab(opened)
        debate = await made.moderators.open(opened)
        await made.ended(debate)
        usage = (await state(made, debate)).usage

    assert found.calls == usage.calls
    assert found.trials == sum(opened.lab.trials.values())
    assert 0.6 < found.input_tokens / (usage.tokens * 1.3) < 2.5


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"lab": {"batteries": ["people"]}}, "lab.batteries"),
        ({"lab": {"batteries": ["family"]}}, "lab.batteries"),
        ({"lab": {"batteries": ["luck"]}}, "lab.batteries.0"),
        ({"lab": {"items": 0}}, "lab.items"),
        ({}, "lab"),
        ({"lab": {}, "panel": [BASELINE]}, "panel"),
        ({"lab": {}, "blind": True}, "blind"),
    ],
)
async def test_a_wrong_request_names_its_field(body: dict[str, Any], field: str) -> None:
    async with harness() as made:
        with pytest.raises(BadField) as caught:
            await made.opening(BASELINE, format="lab", **body)

    assert field == caught.value.field


async def test_the_next_steps_are_the_same_for_the_same_log(script: Callable[..., str]) -> None:
    async with harness() as made:
        opened = await opened_with(made, script(), "position")
    debate = Debate(opened=opened, opened_at="2026-11-22T00:00:00.000000Z")
    steps, again = next_steps(debate), next_steps(debate)

    assert [(each.key, each.prompt) for each in steps] == [(each.key, each.prompt) for each in again]
    assert len(steps) == AT_ONCE


def spoken(turn: int, side: Side, words: int) -> list[Event]:
    text = " ".join(f"word{number}" for number in range(words)) + "."
    return [
        TurnStarted(turn=turn, side=side, attempt=1, directive=None),
        TurnSpoken(
            turn=turn,
            side=side,
            attempt=1,
            text=text,
            words=words,
            clipped=False,
            pace=(),
            model="x",
            usage=Usage(),
            latency_ms=1,
        ),
    ]


async def test_stored_debates_give_pairs_and_those_of_two_families_measure_the_judge_s_own(
    script: Callable[..., str],
) -> None:
    async with harness() as made:
        opened = await made.opening(script(), turns=4)
        for number, (pro, con) in enumerate((("anthropic:claude-x", "openai:gpt-x"), ("openai:gpt-x", "openai:gpt-y"))):
            begun = replace(opened, pro=replace(opened.pro, model=pro), con=replace(opened.con, model=con))
            turns = [*spoken(1, "pro", 20), *spoken(2, "con", 21), *spoken(3, "pro", 20), *spoken(4, "con", 40)]
            ended = DebateConcluded(winner="neither", by_rule="scorecard")
            await made.log.append(f"debate-{number}", 0, [Draft(event=event) for event in (begun, *turns, ended)])
        stored = await items_for(made.log, LabRequest(from_store=True))
        ((named, _),) = await items_for(made.log, LabRequest(debates=["debate-1"]))
        setup = setup_of(LabRequest(from_store=True), [item for item, _ in stored], "openai:gpt-z", opened.rubric)

    assert {each.id for each, _ in stored} == {"debate-0", "debate-1"}
    assert named.id == "debate-1"
    assert [pair.id for pair in named.pairs] == ["turn1", "turn3"]
    families = {(item.id, pair.id): pair.families for item, _ in stored for pair in item.pairs if pair.families}
    assert families == {("debate-0", "turn1"): (family("anthropic:claude-x"), family("openai:gpt-x"))}
    own = [trial for trial in trials_of(setup) if trial.battery == "family"]
    assert set(setup.trials) == {"retest", "position", "labels", "last_word", "family"}
    assert {(each.variant, each.truth) for each in own} == {("forward", "second"), ("backward", "first")}
