"""``scripted:study``: its skill is what it says, and a study of our own questions runs with it alone."""

from statistics import mean
from typing import Any

import msgspec
import pytest

from events.types import AnswerGiven, BatchDebatePlanned, ConsultantQuestioned, CritiqueGiven, Missing, SpeechQuoted
from judge.study.demo import DemoItem, installed
from judge.study.demo.skilled import SKILLS, SkilledScript
from providers.base import Material, Request, Segment, Speech
from providers.errors import BadRequest
from providers.scripted.provider import ScriptedProvider
from server.debate.setup.opening import opening_for
from server.debate.setup.request import as_request
from server.study.data import read
from tests.server.harness import harness

pytestmark = pytest.mark.anyio


def request(item: DemoItem, key: str, *speakers: str, kind: Any = "turn", attempt: int = 1) -> Request:
    """What a judge is asked after speeches for these letters; A is the first answer."""
    said = tuple(Speech(name=str(turn), speaker=each, text="So.", kind=kind) for turn, each in enumerate(speakers, 1))
    asked = f"The question:\n| {item.question}\n\nAnswer A:\n| {item.answers[0]}\n\nAnswer B:\n| {item.answers[1]}"
    return Request(
        key=key,
        turn=0,
        attempt=attempt,
        prompt=(Segment("system", "A question has two answers."), Segment("user", asked)),
        max_tokens=100,
        temperature=0.0,
        material=Material(purpose="choose", motion=item.question, speeches=said),
    )


@pytest.mark.parametrize(
    ("skill", "key", "speakers", "kind"),
    [
        ("naive", "choose:alone", "", "turn"),
        ("debate", "choose:final", "ABAB", "turn"),
        ("critique", "choose:final", "C", "text"),
        ("critic", "critique:given", "", "turn"),
    ],
)
def test_the_script_is_right_as_often_as_it_says(skill: str, key: str, speakers: str, kind: str) -> None:
    shares = {}
    for given in ("0.3", "0.9", ""):
        script = SkilledScript(f"{skill}={given}" if given else "")
        answers = [
            (item, script.answer(request(item, key, *speakers, kind=kind, attempt=attempt)))
            for item in installed()
            for attempt in range(1, 60)
        ]
        assert all((value["p_a"] > 0.5) == (value["answer"] == "A") for _, value in answers)
        shares[given] = mean(value["answer"] == "AB"[item.right] for item, value in answers)

    # 24 questions differ by chance: the standard error of a share is at most 0.07.
    assert [0.3, 0.9, SKILLS[skill]] == pytest.approx([shares["0.3"], shares["0.9"], shares[""]], abs=0.15)


def test_a_consultant_for_the_wrong_answer_misleads_the_script() -> None:
    script = SkilledScript("")
    answers = {
        is_right: mean(
            script.answer(
                request(item, "choose:final", "AB"[item.right if is_right else 1 - item.right], attempt=each)
            )["answer"]
            == "AB"[item.right]
            for item in installed()
            for each in range(30)
        )
        for is_right in (True, False)
    }

    assert answers[True] > SKILLS["consultancy"] > answers[False]


async def test_options_that_are_no_shares_and_other_questions_are_refused() -> None:
    (good,) = await ScriptedProvider().check("study:naive=0.5,debate=0.85")
    (bad,) = await ScriptedProvider().check("study:naive=1.5")
    other = msgspec.structs.replace(installed()[0], question="Who?")

    assert (True, False) == (good.ok, bad.ok)
    assert "'naive=1.5' is no skill: write a share from 0 to 1 after naive, consultancy" in bad.detail
    with pytest.raises(BadRequest, match="knows only the questions of the study demo"):
        SkilledScript("").answer(request(other, "choose:alone"))


@pytest.mark.slow
async def test_a_study_of_our_own_questions_runs_by_the_script_which_quotes_truly() -> None:
    found = read("demo", items=1, seed=3)
    plan = {
        "data": "demo",
        "items": msgspec.to_builtins(found.items),
        "passages": dict(found.passages),
        "arms": ["naive", "consultancy", "debate", "critique", "vote"],
        "swaps": False,
        "vote_tokens": 500,
    }
    body = {
        "name": "demo",
        "models": ["scripted:study"],
        "judges": ["scripted:study"],
        "study": plan,
        "each": {"language": "en"},
    }
    async with harness() as h:
        made = await opening_for(h.log, as_request({"format": "batch", "batch": body}), h.registry, h.settings)
        batch = await h.moderators.open(made.opened, made.follows)
        await h.ended(batch)
        planned = [each for each in await h.events(batch) if isinstance(each, BatchDebatePlanned)]
        events = [event for each in planned for event in await h.events(each.debate)]

    answers = [each for each in events if isinstance(each, AnswerGiven)]
    quotes = [quote for each in events if isinstance(each, (SpeechQuoted, CritiqueGiven)) for quote in each.quotes]

    assert len(planned) == 6
    assert not [each for each in answers if isinstance(each.p_a, Missing) or isinstance(each.choice, Missing)]
    assert len({each.p_a for each in answers if each.stage == "alone" and each.by == "judge"}) > 1, "votes differ"
    assert len([each for each in events if isinstance(each, ConsultantQuestioned)]) == 4
    assert len(quotes) > 15
    assert all(each.stands for each in quotes)
