"""Rounds of deliberation on an artifact, step by step: questions, the end, limits of time and money."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec import UNSET

from events.types import DebateConcluded, DebateHalted, DebateResumed, Missing, ModelAnswered, Reason
from events.types.deliberation import ArtifactJudged, DeliberationHeld, OpinionGiven
from server.debate.formats.steps import Ask, Record
from tests.judge.deliberation.judges import (
    NO_REPLY,
    OTHER_QUOTE,
    PERSONAS,
    QUOTE,
    answer_steps,
    answers_by_round,
    artifact_opened,
    model_reply,
    opinion_answer,
)
from tests.server.debate_events import HALTED, PAUSED, RESUMED, Play

SPLIT = {
    "technical_architect": opinion_answer("PASS", 3),
    "compliance_auditor": opinion_answer("PASS", 3),
    "*": opinion_answer("FAIL", 1),
}
BATCHED = (OpinionGiven, DeliberationHeld)
AGREED = {"*": opinion_answer("FAIL", 1, QUOTE)}


def heard(*answers: Mapping[str, Any], latency_ms: Any = 1, cost_usd: float = 0.0, **opening: Any) -> Play:
    play = Play(artifact_opened(**opening))
    answer_steps(play, answers_by_round(*answers), latency_ms=latency_ms, cost_usd=cost_usd)
    return play


def keys(play: Play) -> list[str]:
    return [step.key for step in play.steps if isinstance(step, Ask)]


def held(play: Play) -> list[DeliberationHeld]:
    return play.of(DeliberationHeld)


def verdict(play: Play) -> ArtifactJudged:
    (said,) = play.of(ArtifactJudged)
    assert isinstance(said, ArtifactJudged)
    return said


def asked(play: Play) -> list[str]:
    return [event.key for event in play.of(ModelAnswered)]


# the course


def test_all_five_are_asked_at_once_and_none_knows_of_another() -> None:
    play = Play(artifact_opened())

    assert [f"deliberate:{name}:0" for name in PERSONAS] == keys(play)
    texts = ["\n".join(segment.text for segment in step.prompt) for step in play.steps if isinstance(step, Ask)]
    for name, text in zip(PERSONAS, texts, strict=True):
        others = {seat.title for seat in play.debate.panel.raters.values() for seat in [seat.seat] if seat.name != name}
        assert not [title for title in others if title in text]
        assert "scripted:judge" not in text


def test_who_agree_at_once_are_not_asked_again() -> None:
    play = heard({"*": opinion_answer("PASS", 3)})

    assert [f"deliberate:{name}:0" for name in PERSONAS] == asked(play)
    assert [] == held(play)
    said = verdict(play)
    assert ("PASS", "PASS", 1.0, True) == (said.verdict, said.independent, said.agreement, said.converged)
    assert "no deliberation was needed: an agreement of 1.00 where 0.80 is enough" in said.reasons
    assert DebateConcluded(winner="neither", by_rule="artifact") == play.events[-1]


def test_two_to_one_with_equal_scores_is_enough() -> None:
    share = dict.fromkeys(PERSONAS[:3], 0.3)
    play = heard({"technical_architect": opinion_answer("FAIL", 2), "*": opinion_answer("PASS", 2)}, share=share)

    assert [] == held(play)
    assert (0.8, True) == (verdict(play).agreement, verdict(play).converged)


def test_one_to_one_goes_through_all_rounds() -> None:
    share = dict.fromkeys(PERSONAS[:2], 0.5)
    play = heard({"technical_architect": opinion_answer("FAIL", 2), "*": opinion_answer("PASS", 2)}, share=share)

    assert [(0.7, 0.7)] * 3 == [(each.before, each.after) for each in held(play)]
    assert "FAIL" == verdict(play).verdict


def test_they_converge_in_the_first_round() -> None:
    play = heard(SPLIT, AGREED)
    (only,) = held(play)

    assert (1, 0.36, 1.0) == (only.round, only.before, only.after)
    assert ["soundness", "completeness", "clarity", "risk", ""] == [each.dimension for each in only.disagreements]
    assert [("technical_architect", "evidence"), ("compliance_auditor", "evidence")] == [
        (each.rater, each.kind) for each in only.changes
    ]
    assert "the judges agree: an agreement of 1.00 where 0.80 is enough" == only.ended
    assert ("FAIL", "FAIL", True) == (verdict(play).verdict, verdict(play).independent, verdict(play).converged)
    assert {"evidence": 2} == play.debate.panel.moved


def test_three_rounds_without_convergence_end_it() -> None:
    play = heard(SPLIT)

    assert [1, 2, 3] == [each.round for each in held(play)]
    assert ["", "", "3 rounds held, and the judges still differ"] == [each.ended for each in held(play)]
    assert 20 == len(asked(play))
    said = verdict(play)
    assert ("FAIL", False, 0.36) == (said.verdict, said.converged, said.agreement)
    assert {"PASS": 0.5, "FAIL": 0.5} == said.shares


def test_the_record_keeps_every_opinion_of_every_round() -> None:
    play = heard(SPLIT, AGREED)
    opinions = play.debate.panel.opinions

    assert {"0", "1"} == opinions.keys()
    assert ["PASS", "PASS", "FAIL", "FAIL", "FAIL"] == [each.verdict for each in opinions["0"].values()]
    assert {"FAIL"} == {each.verdict for each in opinions["1"].values()}


def test_who_follows_without_a_new_quote_conforms() -> None:
    first = SPLIT | {"technical_architect": opinion_answer("PASS", 3, OTHER_QUOTE)}
    second = {
        "technical_architect": opinion_answer("FAIL", 1, OTHER_QUOTE),
        "*": opinion_answer("FAIL", 1, "words that nobody wrote"),
    }
    play = heard(first, second)

    assert {"conformity": 2} == play.debate.panel.moved
    counted = "the verdict stayed FAIL in deliberation; changes of verdict: 2 by conformity, none by new evidence"
    assert counted in verdict(play).reasons


def test_a_round_shows_the_others_positions() -> None:
    play = Play(artifact_opened())
    for step in play.steps:
        assert isinstance(step, Ask)
        play.add(model_reply(step, answers_by_round(SPLIT)(step)))
    play.add(*play.steps[0].drafts)  # type: ignore[union-attr]
    steps = [step for step in play.steps if isinstance(step, Ask)]

    assert [f"deliberate:{name}:1" for name in PERSONAS] == [step.key for step in steps]
    assert 1 == len({step.prompt[:-1] for step in steps})  # all prompts differ only in the judge's own part
    shown = steps[0].prompt[-2].text
    assert "Compliance auditor: PASS" in shown
    assert "| Why: so FAIL" in shown
    assert "Your own opinion so far: PASS" in steps[0].prompt[-1].text


@pytest.mark.parametrize("rules", [{"rounds": 0}, {"least_judges": 6}])
def test_without_rounds_or_judges_enough_the_independent_verdict_is_all(rules: dict[str, Any]) -> None:
    play = heard(SPLIT, **rules)

    assert [] == held(play)
    assert "FAIL" == verdict(play).verdict
    assert [reason for reason in verdict(play).reasons if reason.startswith("no deliberation")]


def test_a_difference_that_is_nowhere_wide_is_not_argued_about() -> None:
    share = dict.fromkeys(PERSONAS[:2], 0.5)
    play = heard(
        {"technical_architect": opinion_answer("PASS", 1.6), "*": opinion_answer("PASS", 3)}, share=share, converged=0.9
    )

    assert [] == held(play)
    assert "no deliberation: the judges differ, but nowhere far enough to be asked again" in verdict(play).reasons


# failures


def test_nobody_answered_is_no_verdict() -> None:
    play = heard({"*": NO_REPLY})

    assert isinstance(verdict(play).missing, Reason)
    assert DebateConcluded(winner="neither", by_rule="artifact") == play.events[-1]


def test_who_gave_no_independent_opinion_takes_no_part() -> None:
    play = heard(SPLIT | {"qa_evaluator": NO_REPLY}, AGREED)

    assert 4 == len(play.debate.panel.opinions["1"])
    assert "qa_evaluator" not in play.debate.panel.opinions["1"]
    assert isinstance(play.debate.panel.opinions["0"]["qa_evaluator"].missing, Reason)


def test_a_judge_that_fails_in_the_middle_is_left_out_of_that_round_and_asked_in_the_next() -> None:
    middle = SPLIT | {"security_analyst": NO_REPLY}
    play = heard(SPLIT, middle, SPLIT, AGREED)
    rounds = play.debate.panel.opinions

    assert isinstance(rounds["1"]["security_analyst"].missing, Reason)
    assert "FAIL" == rounds["0"]["security_analyst"].verdict == rounds["2"]["security_analyst"].verdict
    assert pytest.approx(0.6 * 0.5) == held(play)[0].after  # two against two of the judges that answered
    assert [3, 1.0] == [held(play)[-1].round, held(play)[-1].after]
    said = [reason for reason in verdict(play).reasons if "in round 1" in reason]
    assert 1 == len(said)
    assert said[0].startswith("Security analyst gave no opinion")


def test_a_round_that_nobody_answers_is_the_last_and_measures_nothing() -> None:
    play = heard(SPLIT, {"*": NO_REPLY})
    (only,) = held(play)

    assert isinstance(only.after, Missing)
    assert "fewer than 2 judges answered in round 1" == only.ended
    assert ("FAIL", "FAIL", 0.36) == (verdict(play).verdict, verdict(play).independent, verdict(play).agreement)


def test_a_verdict_that_does_not_exist_is_a_missing_opinion() -> None:
    play = heard({"technical_architect": opinion_answer("MAYBE"), "*": opinion_answer("PASS")})
    silent = play.debate.panel.opinions["0"]["technical_architect"]

    assert isinstance(silent.missing, Reason)
    assert {"PASS": 1.0} == verdict(play).shares


# time


def test_a_round_takes_as_long_as_its_slowest_judge() -> None:
    play = heard(SPLIT, latency_ms=lambda step: 100 * (1 + PERSONAS.index(step.key.split(":")[1])))

    assert [500, 500, 500] == [each.elapsed_ms for each in held(play)]


def test_each_round_has_the_time_that_is_left() -> None:
    play = Play(artifact_opened(timeout_s=2.0))
    limits: dict[str, float | None] = {}

    def say(step: Ask) -> Any:
        limits[step.key.rpartition(":")[2]] = step.timeout_s
        return answers_by_round(SPLIT)(step)

    answer_steps(play, say, latency_ms=700)

    assert {"0": None, "1": 2.0, "2": 1.3, "3": 0.6} == limits


def test_no_round_starts_once_the_time_is_used_up() -> None:
    play = heard(SPLIT, latency_ms=60_000)

    assert [1, 2] == [each.round for each in held(play)]
    assert "the 120 s of model time are used up" == held(play)[-1].ended
    assert "the 120 s of model time are used up" in verdict(play).reasons


def test_a_judge_that_is_too_slow_is_cut_off_and_not_asked_again() -> None:
    slow = {"qa_evaluator": 9000}
    play = heard(SPLIT, latency_ms=lambda step: slow.get(step.key.split(":")[1], 10), timeout_s=0.5)
    (only,) = held(play)

    assert isinstance(play.debate.panel.opinions["1"]["qa_evaluator"].missing, Reason)
    assert 4 == sum(each.verdict is not UNSET for each in play.debate.panel.opinions["1"].values())
    assert 500 == only.elapsed_ms
    assert "the 0.5 s of model time are used up" == only.ended
    assert 1 == play.debate.questions.asked["deliberate:qa_evaluator:1/1"]


def test_failed_calls_take_time_too() -> None:
    limits: list[float | None] = []
    play = Play(artifact_opened(timeout_s=1.0))

    def say(step: Ask) -> Any:
        if step.key == "deliberate:qa_evaluator:1":
            limits.append(step.timeout_s)
            return NO_REPLY
        return answers_by_round(SPLIT)(step)

    answer_steps(play, say, latency_ms=300)

    assert [1.0, 0.7, 0.4] == limits
    assert 900 == held(play)[0].elapsed_ms


# money, pauses, crashes


def test_the_cost_cap_lets_no_round_begin_and_judges_what_was_paid_for() -> None:
    play = heard(SPLIT, cost_usd=0.1, settings={"max_cost_usd": 0.4})

    assert 5 == len(asked(play))
    assert [] == held(play)
    assert "no deliberation: the cost cap is reached" in verdict(play).reasons
    assert "FAIL" == verdict(play).verdict


def test_the_cost_cap_ends_it_between_rounds() -> None:
    play = heard(SPLIT, cost_usd=0.1, settings={"max_cost_usd": 0.9})

    assert ["the cost cap is reached"] == [each.ended for each in held(play)]
    assert 10 == len(asked(play))


def test_a_rest_in_the_middle_asks_nothing_twice() -> None:
    play = Play(artifact_opened())
    said = answers_by_round(SPLIT, AGREED)
    for rest in (PAUSED, HALTED):
        first = next(step for step in play.steps if isinstance(step, Ask))
        play.add(model_reply(first, said(first)), rest)
        assert () == play.steps
        play.add(RESUMED)
    answer_steps(play, said)

    assert len(asked(play)) == len(set(asked(play))) == 10
    assert "FAIL" == verdict(play).verdict


def test_whatever_has_been_recorded_the_next_step_is_the_same() -> None:
    whole = heard(SPLIT, SPLIT, AGREED)
    for cut in range(1, len(whole.records)):
        if isinstance(whole.events[cut - 1], OpinionGiven) and isinstance(whole.events[cut], BATCHED):
            continue  # a log never ends inside a batch
        play = Play(*[record.event for record in whole.records[:cut]])
        done = set(asked(play))

        assert not done & set(keys(play))
        answer_steps(play, answers_by_round(SPLIT, SPLIT, AGREED))
        assert len(asked(play)) == len(set(asked(play))) == 15
        assert verdict(whole) == verdict(play)


def test_who_was_given_up_is_asked_again_after_a_halt() -> None:
    play = Play(artifact_opened())
    for step in play.steps:
        assert isinstance(step, Ask)
        play.add(model_reply(step, answers_by_round(SPLIT | {"qa_evaluator": NO_REPLY})(step)))
    play.add(DebateHalted(reason="x", by="x"), DebateResumed(reason="x", by="x"))

    assert ["deliberate:qa_evaluator:0"] == keys(play)


def test_opinions_come_in_one_batch_with_what_they_come_to() -> None:
    play = Play(artifact_opened())
    batches = []
    say = answers_by_round(SPLIT, AGREED)
    while steps := play.steps:
        if isinstance(steps[0], Record):
            batches.append([type(draft.event) for draft in steps[0].drafts])
            play.add(*steps[0].drafts)
        else:
            play.add(*(model_reply(step, say(step)) for step in steps if isinstance(step, Ask)))

    assert [[OpinionGiven] * 5, [*[OpinionGiven] * 5, DeliberationHeld], [ArtifactJudged], [DebateConcluded]] == batches
