"""Debates made of stored ones: the same turns before another judge, and forks."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.record import Recorded
from events.state import debate as debates
from events.store.listing import LISTED
from events.store.log import EventLog, read_all
from events.store.memory import MemoryLog
from events.types import (
    AttemptAbandoned,
    CitationChecked,
    DebateAudited,
    DebateConcluded,
    DebateLabelled,
    DebateOpened,
    DebateResumed,
    DirectiveIssued,
    EvidenceSupplied,
    ModelAnswered,
    ModeratorSpoke,
    TranscriptSupplied,
    TurnScored,
    TurnSpoken,
    TurnStarted,
)
from events.verify import verify_log
from events.view import view as folded
from providers.registry import BASELINE
from server.debate.commands import AddWord, Label
from server.debate.setup.opening import opening_for
from server.debate.setup.origins import fork_of, rejudged
from server.debate.setup.request import as_request
from server.errors import BadField, NotNow
from server.export.reports.judgings import compare_judgings
from tests.events.conftest import database, log, postgres  # noqa: F401 - fixtures
from tests.laws import examples
from tests.server.conftest import CON, PRO
from tests.server.debate.test_supplied import TOWN_HALL, body, opened
from tests.server.harness import Harness, check_sound, harness

pytestmark = pytest.mark.anyio
Script = Callable[..., str]
ANEW = "Streets without cars are quiet, because engines are gone. So people stay and shops sell more than before."


async def records_of(store: EventLog, debate: str) -> list[Recorded]:
    return [record async for record in read_all(store, debate)]


def of(kind: type, records: list[Recorded]) -> list[Any]:
    return [record.event for record in records if isinstance(record.event, kind)]


async def spoken(h: Harness, script: Script, turns: int = 4, **request: Any) -> str:
    """A debate of scripted models that the baseline has judged."""
    debate = await h.open(script(), turns=turns, judge=BASELINE, **request)
    await h.ended(debate)
    await h.idle()
    return debate


async def rejudge(h: Harness, debate: str, **said: Any) -> str:
    made = await rejudged(h.log, debate, {"judge": {"model": BASELINE}} | said, h.registry, h.settings)
    found = await h.moderators.open_again(made.opened, made.copied, made.own)
    await h.ended(found)
    return found


async def fork(h: Harness, debate: str, **said: Any) -> str:
    made = await fork_of(h.log, debate, said, h.registry, h.settings)
    found = await h.moderators.open_fork(made.opened, made.copied, made.own)
    await h.ended(found, after=made.opened.origin.position)  # type: ignore[union-attr]
    await h.idle()
    return found


# rejudging


@pytest.mark.slow
async def test_another_judge_reads_the_same_turns(script: Script) -> None:
    async with harness() as h:
        debate = await spoken(h, script)
        again = await rejudge(h, debate, rubric="v2-evidence")
        before, after = await records_of(h.log, debate), await records_of(h.log, again)
        await check_sound(h.log, again)
    origin = of(DebateOpened, after)[0].origin

    assert [turn.text for turn in of(TurnSpoken, before)] == [turn.text for turn in of(TurnSpoken, after)]
    assert {"transcript"} == {turn.by for turn in of(TurnSpoken, after)}
    assert ("rejudge", debate, len(before)) == (origin.kind, origin.debate, origin.position)
    assert before[-1].digest.hex() == origin.digest
    assert "moot" == of(TranscriptSupplied, after)[0].kind
    assert f"debate {debate} in Moot" == of(TranscriptSupplied, after)[0].source
    assert "scripted:debate.json" == of(DebateOpened, after)[0].pro.speaker
    assert isinstance(after[-1].event, DebateConcluded)


@pytest.mark.slow
async def test_a_supplied_transcript_keeps_its_digest_when_it_is_judged_again() -> None:
    async with harness() as h:
        debate = await opened(h, body(*TOWN_HALL))
        await h.ended(debate)
        again = await rejudge(h, await rejudge(h, debate))
        first, last = [of(TranscriptSupplied, await records_of(h.log, each))[0] for each in (debate, again)]

    assert first.digest == last.digest
    assert "CC BY 4.0" == last.licence
    assert last.source.endswith("from: Town hall, 3 May 2026")


@pytest.mark.slow
async def test_another_judge_checks_the_citations_against_the_same_documents(script: Script) -> None:
    says = {"pro": [f"{PRO} “Trees cool a street” [E1]."], "con": [f"{CON} “Trees heat a street up” [E1]."]}
    wanted = as_request(
        {
            "motion": "Cities should ban cars",
            "turns": 2,
            "evidence": [{"name": "shade.txt", "text": "Trees cool a street by four degrees."}],
            "judge": {"model": BASELINE},
            "pro": {"model": (model := script(says=says))},
            "con": {"model": model},
        }
    )
    async with harness() as h:
        source = await h.moderators.open(*await opening_for(None, wanted, h.registry, h.settings))
        await h.ended(source)
        found = await rejudge(h, source)
        before, after = await records_of(h.log, source), await records_of(h.log, found)

    assert of(EvidenceSupplied, before) == of(EvidenceSupplied, after) != []
    checked = [[(each.turn, each.finding) for each in of(CitationChecked, records)] for records in (before, after)]
    assert [[(1, "verified"), (2, "misquoted")]] * 2 == checked
    assert of(DebateOpened, before)[0].rubric == of(DebateOpened, after)[0].rubric


async def test_messages_of_the_moderator_stay_in_their_places(script: Script) -> None:
    async with harness() as h:
        debate = await h.open(script("slow", pace={"chunk_ms": 20, "chunk_chars": 40}), turns=2, judge=BASELINE)
        await h.moderators.act(debate, AddWord(ModeratorSpoke(text="Speak to costs", by="Ada")))
        await h.ended(debate)
        again = await rejudge(h, debate)
        views = [await h.view(debate), await h.view(again)]
        folds = [folded.apply_all(folded.INITIAL, await records_of(h.log, each)) for each in (debate, again)]
    before, after = ([{**each} for each in view["words"].values()] for view in views)

    assert ["Speak to costs"] == [each["text"] for each in before]
    assert before == after
    one, two = folds
    assert one.debate.words.keys() != two.debate.words.keys(), "other positions, so no key tells that they are the same"
    unheard = replace(two, debate=replace(two.debate, words={}))
    seen = (folded.for_director(one), folded.for_director(two))
    notes = [compare_judgings(one, other, seen).notes for other in (two, unheard)]
    assert [False, True] == [
        "The messages of the moderator differ, so the two judges did not read the same." in each for each in notes
    ]


async def test_a_debate_in_which_one_side_has_not_spoken_is_not_judged_again(script: Script) -> None:
    async with harness() as h:
        debate = await spoken(h, script, turns=1)

        with pytest.raises(NotNow, match="both sides must have spoken"):
            await rejudge(h, debate)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rejudge", "fork"])
async def test_who_may_not_see_a_debate_does_not_see_what_is_made_of_it(kind: str, script: Script) -> None:
    async with harness() as h:
        debate = await spoken(h, script)
        await h.moderators.act(debate, Label(DebateLabelled(by="Ada", hidden=True, link="ab" * 32)))
        made = await (rejudge(h, debate) if kind == "rejudge" else fork(h, debate, turn=1))
        page = await h.log.summaries(None, 10, "", LISTED)
        labels = await h.view(made)

    assert () == page.debates
    assert (True, True) == (labels["hidden"], labels["unlisted"])


@pytest.mark.slow
async def test_a_debate_made_of_another_keeps_or_changes_how_often_its_judge_is_asked(script: Script) -> None:
    async with harness() as h:
        debate = await spoken(h, script, seat={"effort": "brief"})
        kept = await fork(h, debate, turn=2)
        changed = await fork(h, debate, turn=2, judge={"model": BASELINE})
        again = await rejudge(h, debate)
        briefly = await rejudge(h, debate, judge={"model": BASELINE, "effort": "brief"})
        efforts, calls = [], []
        for each in (debate, kept, changed, again, briefly):
            records = await check_sound(h.log, each)
            efforts.append(of(DebateOpened, records)[0].judge.effort)
            calls.append(sum(answer.turn == 4 and answer.purpose != "speak" for answer in of(ModelAnswered, records)))

    assert efforts == ["brief", "brief", "full", "full", "brief"]
    assert calls == [4, 4, 7, 7, 4]


# forking


@pytest.mark.slow
async def test_a_fork_copies_what_was_before_and_goes_on_anew(script: Script) -> None:
    async with harness() as h:
        debate = await spoken(h, script)
        other = script("other", says={"pro": [ANEW], "con": [ANEW]})
        branch = await fork(h, debate, turn=2, con={"model": other}, turns=6)
        before, after = await records_of(h.log, debate), await records_of(h.log, branch)
        await check_sound(h.log, branch)
    origin = after[0].event.origin  # type: ignore[attr-defined]
    copied = origin.position

    assert ("fork", debate) == (origin.kind, origin.debate)
    assert before[copied - 1].digest.hex() == origin.digest
    assert [(r.id, r.at, r.cause, r.salt, r.payload) for r in before[1:copied]] == [
        (r.id, r.at, r.cause, r.salt, r.payload) for r in after[1:copied]
    ]
    assert isinstance(after[copied].event, DebateResumed)
    assert [PRO, CON, PRO, ANEW, PRO, ANEW] == [turn.text for turn in of(TurnSpoken, after)]
    assert isinstance(after[-1].event, DebateConcluded)


@pytest.mark.slow
async def test_directives_and_words_reach_the_next_prompt(script: Script) -> None:
    async with harness() as h:
        debate = await spoken(h, script)
        branch = await fork(h, debate, turn=2, directive={"pro": "Concede the cost"}, say="Speak of trams only")
        after = await records_of(h.log, branch)
    calls = [each for each in of(ModelAnswered, after) if each.key == "speak:pro" and each.turn == 3]
    told = {digest: text for each in of(ModelAnswered, after) for digest, text in each.segments.items()}
    prompt = "\n".join(told[digest] for each in calls for _, digest in each.prompt)

    assert "Concede the cost" in prompt
    assert "Speak of trams only" in prompt
    assert ["Concede the cost"] == [each.text for each in of(DirectiveIssued, after) if each.side == "pro"][-1:]


@pytest.mark.slow
async def test_a_fork_in_mid_turn_abandons_the_turn_and_speaks_it_anew(script: Script) -> None:
    async with harness() as h:
        debate = await spoken(h, script)
        before = await records_of(h.log, debate)
        started = next(each for each in before if isinstance(each.event, TurnStarted) and each.event.turn == 3)
        branch = await fork(h, debate, at=started.position, pro={"model": script("b", says={"pro": [ANEW]})})
        after = await records_of(h.log, branch)
        await check_sound(h.log, branch)

    assert ["forked"] == [each.kind for each in of(AttemptAbandoned, after)]
    assert [1, 2] == [each.attempt for each in of(TurnStarted, after) if each.turn == 3]
    assert ANEW == of(TurnSpoken, after)[2].text


async def test_a_cap_counts_what_the_fork_itself_spends(script: Script) -> None:
    async with harness() as h:
        debate = await spoken(h, script)
        branch = await fork(h, debate, turn=2, max_cost_usd=0.5)
        records = await records_of(h.log, branch)
    state, copied = debates.INITIAL, records[0].event.origin.position  # type: ignore[attr-defined]
    for record in records:
        state = debates.evolve(state, dear(record) if record.position <= copied else record)

    assert state.usage.cost_usd > 1
    assert 0 == state.spent_usd


def dear(record: Recorded) -> Recorded:
    """The record of a call that cost one dollar."""
    event = record.event
    return replace(record, event=replace(event, cost_usd=1.0)) if isinstance(event, ModelAnswered) else record


@pytest.mark.slow
async def test_a_fork_of_a_transcript_goes_on_with_models(script: Script) -> None:
    async with harness() as h:
        debate = await opened(h, body(*TOWN_HALL))
        await h.ended(debate)
        model = script("other", says={"pro": [ANEW], "con": [ANEW]})
        branch = await fork(h, debate, turn=2, turns=4, pro={"model": model}, con={"model": model})
        judged_on = await fork(h, debate, turn=1, judge={"model": BASELINE, "samples": 2})
        one, two = of(TurnSpoken, await records_of(h.log, branch)), of(TurnSpoken, await records_of(h.log, judged_on))
        await check_sound(h.log, branch)

    assert ["transcript", "transcript", None, None] == [turn.by or None for turn in one]
    assert ["con", "pro", "con", "pro"] == [turn.side for turn in one]
    assert ["transcript"] * 3 == [turn.by for turn in two]


@pytest.mark.slow
@pytest.mark.parametrize("log", ["postgres"], indirect=True)
async def test_a_fork_of_a_fork(log: EventLog, script: Script) -> None:  # noqa: F811 - a fixture
    async with harness(log) as h:
        first = await fork(h, await spoken(h, script), turn=1)
        second = await fork(h, first, turn=3)
        await check_sound(h.log, second)
        records = await records_of(h.log, second)

    assert first == records[0].event.origin.debate  # type: ignore[attr-defined]
    assert isinstance(records[-1].event, DebateConcluded)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("at", {}),
        ("at", {"at": 9, "turn": 2}),
        ("at", {"at": 10_000}),
        ("turn", {"turn": 9}),
        ("turns", {"turn": 2, "turns": 1}),
        ("directive.pro", {"turn": 2, "directive": {"pro": " "}}),
        ("directive.us", {"turn": 2, "directive": {"us": "Win"}}),
        ("pro.model", {"turn": 2, "pro": {"model": "none:at-all"}}),
        ("text", {"turn": 2, "say": "x" * 1001}),
        ("motion", {"turn": 2, "motion": "Another"}),
    ],
)
async def test_what_makes_no_fork_is_refused_with_its_field(field: str, said: dict[str, Any], script: Script) -> None:
    async with harness() as h:
        debate = await spoken(h, script)

        with pytest.raises(BadField) as refused:
            await fork_of(h.log, debate, said, h.registry, h.settings)

    assert field == refused.value.field


async def test_the_end_of_a_debate_is_not_forked(script: Script) -> None:
    async with harness() as h:
        debate = await spoken(h, script)
        records = await records_of(h.log, debate)

        with pytest.raises(BadField, match="the verdict follows event"):
            await fork(h, debate, at=len(records))
        last = await records_of(h.log, await fork(h, debate, turn=4))

    assert isinstance(last[-1].event, DebateConcluded)


# laws


@pytest.mark.slow
@examples(4, whole=25, suppressed=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1))
async def test_a_fork_from_any_position_ends_with_the_same_scores(share: float, script: Script) -> None:
    async with harness() as h:
        debate = await spoken(h, script)
        before = await records_of(h.log, debate)
        last = next(each.position for each in before if isinstance(each.event, DebateAudited)) - 1
        branch = await fork(h, debate, at=1 + round(share * (last - 1)))
        after = await check_sound(h.log, branch)

        assert (await verify_log(h.log, branch)).ok
        assert [each.dimensions for each in of(TurnScored, before)] == [
            each.dimensions for each in of(TurnScored, after)
        ]


@pytest.mark.slow
@examples(8, whole=25)
@given(share=st.floats(0, 1))
async def test_every_prefix_of_a_supplied_debate_resumes_to_the_same_end(share: float) -> None:
    async with harness() as h:
        debate = await opened(h, body(*TOWN_HALL))
        await h.ended(debate)
        whole = await records_of(h.log, debate)
    prefix = whole[: 2 + round(share * (len(whole) - 3))]
    store = MemoryLog()
    await store.adopt(prefix)
    async with harness(store) as h:
        await h.moderators.take_up()
        await h.ended(debate, after=0)
        again = await check_sound(store, debate)

    assert prefix == again[: len(prefix)]
    assert [each.text for each in of(TurnSpoken, whole)] == [each.text for each in of(TurnSpoken, again)]
    assert [each.dimensions for each in of(TurnScored, whole)] == [each.dimensions for each in of(TurnScored, again)]
    assert len(of(ModeratorSpoke, whole)) == len(of(ModeratorSpoke, again))
