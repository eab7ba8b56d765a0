"""Protocols made of stored ones: the same statements before another judge and panel, and forks after a round."""

from collections.abc import Callable
from typing import Any

import pytest

from events.record import Recorded
from events.types import (
    ArgumentsOpened,
    ArgumentTraced,
    AssessmentGiven,
    ClosingStated,
    DebateConcluded,
    DebateOpened,
    DebateResumed,
    ModelAnswered,
    ModeratorSpoke,
    PanelConcluded,
    PollOpened,
    QuestionsAnswered,
    TurnSpoken,
)
from server.debate.commands import AddWord, ClosePoll
from server.debate.setup.origins import fork_of, rejudged
from server.errors import BadField, NotNow
from server.whatif.replay import replay
from tests.judge.protocol.rounds import NAMES, argument_answer, assessment
from tests.server.debate.setup.test_origins import of, records_of
from tests.server.debate.test_poll import opens
from tests.server.harness import Harness, fault, harness
from tests.server.panels import AGREED
from tests.server.protocol_debates import answers, check, held

pytestmark = pytest.mark.anyio
Script = Callable[..., str]
STATED = (TurnSpoken, ArgumentsOpened, QuestionsAnswered, ClosingStated)
CON_LEADS = assessment(arguments={n: argument_answer(n, 4 if n.startswith("PRO") else 8) for n in NAMES})


async def again(h: Harness, debate: str, **said: Any) -> tuple[str, list[Recorded]]:
    """The debate judged again; it must conclude with a sound log."""
    made = await rejudged(h.log, debate, said, h.registry, h.settings)
    found = await h.moderators.open_again(made.opened, made.copied, made.own)
    await h.ended(found)
    await h.idle()
    return found, await check(h.log, found)


async def forked(h: Harness, debate: str, **said: Any) -> tuple[str, list[Recorded]]:
    made = await fork_of(h.log, debate, said, h.registry, h.settings)
    found = await h.moderators.open_fork(made.opened, made.copied, made.own)
    await h.ended(found, after=made.opened.origin.position)  # type: ignore[union-attr]
    await h.idle()
    return found, await check(h.log, found)


def is_of(answer: ModelAnswered, model: str) -> bool:
    """Whether a model, by its full name, gave an answer."""
    return model.endswith(answer.model)


# judged again


async def test_another_judge_and_panel_read_the_same_statements(script: Script) -> None:
    async with harness() as h:
        debate, _ = await held(h, script(answers=answers()))
        other = script("other", answers={"assess": CON_LEADS} | AGREED)
        _, after = await again(h, debate, judge={"model": other}, panel=[other])
        before = await records_of(h.log, debate)
    opened = of(DebateOpened, after)[0]

    assert [of(kind, before) for kind in STATED] == [of(kind, after) for kind in STATED]
    assert ("rejudge", debate, len(before)) == (opened.origin.kind, opened.origin.debate, opened.origin.position)
    assert before[-1].digest.hex() == opened.origin.digest
    assert other == opened.judge.model
    assert of(DebateOpened, before)[0].pro == opened.pro
    assert [(21, 15), (12, 24)] == [(each.pro_total, each.con_total) for each in of(AssessmentGiven, [*before, *after])]
    assert 1 == len(of(PanelConcluded, after))
    assert {"assess", "panel"} == {each.purpose for each in of(ModelAnswered, after) if is_of(each, other)}
    assert isinstance(after[-1].event, DebateConcluded)


async def test_the_rules_of_the_statements_stay_and_the_others_change(script: Script) -> None:
    async with harness() as h:
        debate, _ = await held(h, script(answers=answers()))
        _, after = await again(h, debate, judge={"model": script(answers=answers())}, rubric="v1")
        before = await records_of(h.log, debate)
    old, new = (of(DebateOpened, each)[0] for each in (before, after))

    assert (old.rubric.protocol.answer_words, 8) == (new.rubric.protocol.answer_words, new.turns)
    assert old.rubric.criteria != new.rubric.criteria
    assert all(old.prompts[name] == new.prompts[name] for name in ("protocol", "open", "cross", "answer", "close"))
    assert 6 == len(of(ArgumentTraced, after))


async def test_messages_stay_and_votes_do_not(script: Script) -> None:
    async with harness() as h:
        model = script(answers=answers())
        debate = await h.open(model, turns=8, format="protocol", poll={"after_s": 1})
        await h.until(debate, opens("before"))
        await h.moderators.act(debate, AddWord(ModeratorSpoke(text="Speak of costs.", by="moderator")))
        await h.moderators.act(debate, ClosePoll(None, "moderator"))
        await h.ended(debate)
        await h.idle()
        _, after = await again(h, debate, judge={"model": model})

    assert ["Speak of costs."] == [each.text for each in of(ModeratorSpoke, after)]
    assert [] == of(PollOpened, after)
    assert list(range(1, len(after) + 1)) == [each.position for each in after]
    by_place = {each.position: each.event for each in after}
    stated = [each for each in after if isinstance(each.event, ArgumentsOpened | ClosingStated)]
    assert 4 == len(stated)
    assert all(by_place[each.cause or 0].turn == each.event.turn for each in stated)  # type: ignore[attr-defined]


async def test_a_debate_without_all_statements_is_not_judged_again(script: Script) -> None:
    async with harness() as h:
        debate, _ = await held(h, script(answers=answers(close_con={"fault": fault("empty", 99)})))
        with pytest.raises(NotNow, match="all statements must have been made"):
            await again(h, debate, judge={"model": script(answers=answers())})


async def test_a_cap_counts_what_the_new_judge_costs(script: Script) -> None:
    async with harness() as h:
        debate, _ = await held(h, script(answers=answers()))
        _, after = await again(h, debate, judge={"model": script(answers=answers())}, max_cost_usd=1.0)
    resumed = of(DebateResumed, after)[0]

    assert 1.0 == resumed.max_cost_usd
    assert debate in resumed.reason


@pytest.mark.slow
async def test_what_is_judged_again_can_be_judged_again_and_replayed(script: Script) -> None:
    async with harness() as h:
        model = script(answers=answers())
        debate, _ = await held(h, model)
        first, records = await again(h, debate, judge={"model": model})
        _, last = await again(h, first, judge={"model": model})
    replayed = replay(last, lambda opened: opened)

    assert [of(kind, records) for kind in STATED] == [of(kind, last) for kind in STATED]
    assert 1 == len(of(DebateResumed, last))
    assert not replayed.diverges_at
    assert replayed.recorded.protocol == replayed.would_be.protocol


# forks


@pytest.mark.parametrize("turn", [0, 2, 4, 6, 8])
async def test_a_fork_goes_on_after_a_round(turn: int, script: Script) -> None:
    async with harness() as h:
        debate, _ = await held(h, script(answers=answers()))
        other = script("other", answers=answers())
        seats = {name: {"model": other} for name in ("pro", "con", "judge")}
        _, after = await forked(h, debate, turn=turn, **seats)
        before = await records_of(h.log, debate)
    at = of(DebateOpened, after)[0].origin.position
    copied, own = after[1:at], after[at:]

    assert [each.event for each in before[1:at]] == [each.event for each in copied]
    assert turn == len(of(TurnSpoken, copied))
    assert 8 - turn == len(of(TurnSpoken, own))
    assert all(is_of(each, other) for each in of(ModelAnswered, own))
    assert isinstance(after[-1].event, DebateConcluded)


async def test_an_event_within_a_round_means_the_round_before(script: Script) -> None:
    async with harness() as h:
        debate, _ = await held(h, script(answers=answers()))
        before = await records_of(h.log, debate)
        fourth = next(each.position for each in before if isinstance(each.event, TurnSpoken) and each.event.turn == 4)
        _, after = await forked(h, debate, at=fourth - 1, say="Speak of costs.")
    at = of(DebateOpened, after)[0].origin.position

    assert 2 == len(of(TurnSpoken, after[:at]))
    assert [] == [each for each in of(TurnSpoken, after[:at]) if each.turn > 2]
    assert "Speak of costs." == of(ModeratorSpoke, after[at:])[0].text
    asked = next(each for each in of(ModelAnswered, after[at:]) if each.key == "cross:pro")
    assert any("Speak of costs." in text for text in asked.segments.values())


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("turn", {"turn": 3}),
        ("at", {}),
        ("at", {"at": 9999}),
        ("at", {"at": 50}),
        ("turns", {"turn": 2, "turns": 6}),
        ("directive.pro", {"turn": 2, "directive": {"pro": "Be brief."}}),
    ],
)
async def test_what_makes_no_fork_is_refused_with_its_field(field: str, said: dict[str, Any], script: Script) -> None:
    async with harness() as h:
        debate, _ = await held(h, script(answers=answers()))
        if said.get("at") == 50:
            said = {
                "at": next(each.position for each in await records_of(h.log, debate) if of(AssessmentGiven, [each]))
            }
        with pytest.raises(BadField) as refused:
            await fork_of(h.log, debate, said, h.registry, h.settings)

    assert field == refused.value.field
