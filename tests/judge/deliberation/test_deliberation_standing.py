"""Rules of version 3: opinions and findings that stand, time for each judge, reasons, near-duplicates, the purpose."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from events.types import ModelAnswered
from events.types.deliberation import ArtifactJudged, DeliberationHeld, Point
from judge.deliberation.agreement import agreement, mind_changes, standing
from judge.deliberation.points import grouped, listed_points
from judge.rubrics.rubric import rubric_v2, rubric_v3
from server.debate.formats.steps import Ask, Record
from tests.judge.deliberation.judges import (
    NO_REPLY,
    PERSONAS,
    QUOTE,
    RULES,
    STANDS,
    answer_steps,
    answers_by_round,
    artifact_opened,
    even_scores,
    model_reply,
    opinion,
    opinion_answer,
    opinions,
)
from tests.server.debate_events import Play

SPLIT = {"security_analyst": opinion_answer("PASS", 3), "*": opinion_answer("FAIL", 1)}
"""One of five differs: an agreement of 0.48."""
WHY = "a password that nobody asks for is a door that nobody closes"

UNQUOTED = " No judge who holds it quotes words that stand in the text."


def heard(*answers: Mapping[str, Any], purpose: Any = UNSET, grouping: Any = None, **opening: Any) -> Play:
    opened = artifact_opened(**{**STANDS, **opening})
    assert opened.artifact is not UNSET
    play = Play(replace(opened, artifact=replace(opened.artifact, purpose=purpose)))
    said = answers_by_round(*answers)
    answer_steps(play, lambda step: grouping if step.key == "group" else said(step))
    return play


def held(play: Play) -> list[DeliberationHeld]:
    return play.of(DeliberationHeld)


def verdict(play: Play) -> ArtifactJudged:
    (said,) = play.of(ArtifactJudged)
    assert isinstance(said, ArtifactJudged)
    return said


def asks(play: Play) -> dict[str, Ask]:
    return {step.key: step for step in play.steps if isinstance(step, Ask)}


def answer_all(play: Play, *answers: Mapping[str, Any]) -> None:
    """Answer the questions that are open, and record what follows from them."""
    said = answers_by_round(*answers)
    play.add(*(model_reply(step, said(step)) for step in asks(play).values()))
    while play.steps and isinstance(play.steps[0], Record):
        play.add(*play.steps[0].drafts)


def test_version_3_has_these_rules_and_version_2_none_of_them() -> None:
    old, new = rubric_v2().deliberation, rubric_v3().deliberation
    assert old is not None
    assert new is not None

    assert dict(STANDS) == {name: getattr(new, name) for name in STANDS}
    assert {UNSET} == {getattr(old, name) for name in STANDS}
    assert old == replace(new, **dict.fromkeys(STANDS, UNSET))


# opinions that stand


def test_a_dissenter_that_is_cut_off_is_no_consensus() -> None:
    play = heard(SPLIT, SPLIT | {"security_analyst": NO_REPLY}, rounds=1)
    (only,) = held(play)

    assert only.before == only.after == 0.48
    assert {"security_analyst": 0} == only.carried
    assert "1 round held, and the judges still differ" == only.ended
    assert {"FAIL": pytest.approx(0.8), "PASS": pytest.approx(0.2)} == verdict(play).shares
    assert not verdict(play).converged
    stands = (
        "Security analyst gave no opinion in round 1 (the judge gave no usable answer (refused: it did not answer))"
    )
    assert f"{stands}: its opinion of round 0 stands" in verdict(play).reasons
    assert f"FAIL. The judges still differ.{UNQUOTED}" == play.debate.panel.says
    assert {"security_analyst": "0"} == play.debate.panel.dissent


def test_by_version_2_it_was_one() -> None:
    play = heard(SPLIT, SPLIT | {"security_analyst": NO_REPLY}, rounds=1, carries=UNSET)
    (only,) = held(play)

    assert (1.0, UNSET) == (only.after, only.carried)
    assert {"FAIL": 1.0} == verdict(play).shares


def test_who_answers_again_later_counted_in_between() -> None:
    play = heard(SPLIT, SPLIT | {"security_analyst": NO_REPLY}, SPLIT)

    assert [0.48] * 3 == [each.after for each in held(play)]
    assert [{"security_analyst": 0}, UNSET, UNSET] == [each.carried for each in held(play)]
    assert [each for each in verdict(play).reasons if each.endswith("its opinion of round 0 counted in it")]


def test_a_round_that_nobody_answers_is_the_last_and_changes_nothing() -> None:
    play = heard(SPLIT, {"*": NO_REPLY})
    (only,) = held(play)

    assert (0.48, 0.48) == (only.before, only.after)
    assert "fewer than 2 judges answered in round 1" == only.ended


@pytest.mark.slow
@given(
    st.lists(
        st.lists(st.sampled_from(["PASS", "CONDITIONAL", "FAIL", ""]), min_size=4, max_size=4), min_size=1, max_size=4
    )
)
def test_silence_is_never_agreement(rounds: list[list[str]]) -> None:
    """The opinions that stand are those of the judges' last answers, and a silent round leaves them as they are."""
    given_ = [
        opinions(*(opinion(said, even_scores(2), number=n) if said else opinion() for said in each))
        for n, each in enumerate(rounds)
    ]
    stood = standing(given_)

    for number, now in enumerate(stood):
        for at, rater in enumerate("ABCD"):
            last = next((each[at] for each in reversed(rounds[: number + 1]) if each[at]), UNSET)
            assert last == now[rater].verdict
    silent = opinions(*(opinion() for _ in range(4)))
    assert stood[-1] == standing([*given_, silent])[-1]
    assert agreement(stood[-1], RULES, 2) == agreement(standing([*given_, silent])[-1], RULES, 2)


# time


def test_each_judge_has_its_own_time_in_each_round() -> None:
    play = Play(artifact_opened(**{**STANDS, "judge_s": 2.0, "timeout_s": 0.1}))
    limits: dict[str, set[float | None]] = {}

    def say(step: Ask) -> Any:
        limits.setdefault(step.key.rpartition(":")[2], set()).add(step.timeout_s)
        return answers_by_round(SPLIT)(step)

    answer_steps(play, say, latency_ms=1500)

    assert {"0": {None}, "1": {2.0}, "2": {2.0}, "3": {2.0}} == {k: v for k, v in limits.items() if k != "group"}


def test_failed_calls_of_a_judge_take_its_time_in_that_round_alone() -> None:
    limits: dict[str, list[float | None]] = {}
    play = Play(artifact_opened(**{**STANDS, "judge_s": 1.0}))

    def say(step: Ask) -> Any:
        name = step.key.partition(":")[2]
        limits.setdefault(name, []).append(step.timeout_s)
        return NO_REPLY if name == "qa_evaluator:1" else answers_by_round(SPLIT)(step)

    answer_steps(play, say, latency_ms=300)

    assert [1.0, 0.7, 0.4] == limits["qa_evaluator:1"]
    assert [1.0] == limits["qa_evaluator:2"] == limits["domain_expert:1"]


def test_where_rounds_share_one_limit_none_begins_without_time_for_a_round() -> None:
    play = Play(artifact_opened(**{**STANDS, "judge_s": UNSET, "timeout_s": 1.0}))
    answer_steps(play, answers_by_round(SPLIT), latency_ms=700)

    assert ["0.3 s of model time are left, and a round has taken longer"] == [each.ended for each in held(play)]


# why a verdict changed


def moved(**words: Any) -> Any:
    """The change of A, which read that B says FAIL for ``WHY``."""
    before = opinions(
        opinion("PASS", quote=QUOTE, verified=True, rater="A"),
        opinion("FAIL", rater="B", rationale=f"I say so since {WHY}.", findings=("no password is asked for",)),
    )
    now = opinions(opinion("FAIL", rater="A", **({"quote": QUOTE, "verified": True} | words)))
    (change,) = mind_changes([before], now, 8)
    return change


@pytest.mark.parametrize("words", [WHY, "A password that nobody   asks for", "no password is asked for"])
def test_words_of_another_judges_position_are_a_reason(words: str) -> None:
    change = moved(moved_by="B", moved_words=words)

    assert ("reason", "B", words) == (change.kind, change.moved_by, change.reason)


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"moved_by": "B", "moved_words": "words that nobody wrote"},
        {"moved_by": "B", "moved_words": "I"},
        {"moved_by": "B"},
        {"moved_by": "C", "moved_words": WHY},
        {"moved_by": "A", "moved_words": WHY},
        {"moved_words": WHY},
    ],
)
def test_words_that_no_position_has_are_conformity(words: dict[str, str]) -> None:
    change = moved(**words)

    assert ("conformity", UNSET, UNSET) == (change.kind, change.moved_by, change.reason)


def test_new_words_of_the_text_are_evidence_also_with_a_reason() -> None:
    assert "evidence" == moved(moved_by="B", moved_words=WHY, quote="A copy is made every night").kind


def test_a_judge_names_who_moved_it_by_title() -> None:
    follows = opinion_answer("FAIL", 1, moved_by="Domain expert", moved_words="so FAIL, plainly")
    first = SPLIT | {"domain_expert": opinion_answer("FAIL", 1, rationale="so FAIL, plainly, and no less")}
    play = heard(first, first | {"security_analyst": follows})
    (change,) = held(play)[0].changes

    assert ("reason", "domain_expert", "so FAIL, plainly") == (change.kind, change.moved_by, change.reason)
    assert f"FAIL: 1 of 5 judges moved to it (1 by a reason). All judges hold it.{UNQUOTED}" == play.debate.panel.says


def test_it_may_name_only_judges_that_it_has_read() -> None:
    play = Play(artifact_opened(**STANDS, settings={"judge_attempts": 1}))
    answer_all(play, SPLIT | {"qa_evaluator": NO_REPLY})
    prompt = asks(play)["deliberate:security_analyst:1"]

    names = prompt.answer_type.__annotations__["moved_by"].__origin__.__args__
    assert {"Technical architect", "Compliance auditor", "Domain expert", "nobody"} == set(names)
    assert "never because others are more, or surer" in prompt.prompt[-1].text
    assert '"moved_words": 3 to 25 words of that judge\'s reasons' in prompt.prompt[-1].text


# the headline


FOLLOWERS = PERSONAS[:3]
MOST_CONDITIONAL = dict.fromkeys(FOLLOWERS, opinion_answer("CONDITIONAL", 2)) | {"*": opinion_answer("FAIL", 1)}


def test_a_verdict_by_conformity_says_so() -> None:
    play = heard(MOST_CONDITIONAL, {"*": opinion_answer("FAIL", 1)})
    said = verdict(play)

    assert ("FAIL", "CONDITIONAL", "CONDITIONAL") == (said.verdict, said.independent, said.unmoved)
    by = "FAIL, by conformity: 3 of 5 judges moved without new words or a reason. On their own: CONDITIONAL."
    assert f"{by} All judges hold it.{UNQUOTED}" == play.debate.panel.says


def test_one_that_holds_without_the_conformists_does_not() -> None:
    quoting = dict.fromkeys(FOLLOWERS[:2], opinion_answer("FAIL", 1, QUOTE))
    play = heard(MOST_CONDITIONAL, {**quoting, "*": opinion_answer("FAIL", 1)})

    assert "FAIL" == verdict(play).unmoved
    ways = "3 of 5 judges moved to it (2 by evidence, 1 by conformity)"
    assert f"FAIL: {ways}. On their own: CONDITIONAL. All judges hold it." == play.debate.panel.says


def test_a_verdict_without_rounds_says_whether_they_differ() -> None:
    assert f"PASS. All judges hold it.{UNQUOTED}" == heard({"*": opinion_answer("PASS", 3)}).debate.panel.says
    assert f"FAIL. The judges differ.{UNQUOTED}" == heard(SPLIT, rounds=0).debate.panel.says


# findings


def lists(findings: Any = (), remediation: Any = (), **more: Any) -> dict[str, Any]:
    return {"findings": list(findings), "remediation": list(remediation), **more}


def test_what_a_judge_found_stands_until_it_withdraws_it() -> None:
    first = SPLIT | {"domain_expert": opinion_answer("FAIL", 1, **lists(["no password", "no copy"], ["ask for one"]))}
    later = SPLIT | {"domain_expert": opinion_answer("FAIL", 1, **lists(["no test"], withdraws=["F2", "R7"]))}
    play = heard(first, later, SPLIT, rounds=2)
    last = play.debate.panel.opinions["2"]["domain_expert"]

    assert ("no copy",) == play.debate.panel.opinions["1"]["domain_expert"].withdrawn
    assert (("no password", "no test"), ("ask for one",)) == (last.findings, last.remediation)
    assert ("no password", "no test") == verdict(play).findings
    assert (Point(text="ask for one", by=("domain_expert",)),) == verdict(play).named_remediation


def test_a_judge_is_shown_what_it_holds_with_ids() -> None:
    play = Play(artifact_opened(**STANDS))
    answer_all(play, SPLIT | {"domain_expert": opinion_answer("FAIL", 1, **lists(["no password"], ["ask for one"]))})
    own, other = (asks(play)[f"deliberate:{name}:1"] for name in ("domain_expert", "qa_evaluator"))

    assert "| F1: no password\n| R1: ask for one" in own.prompt[-1].text
    assert "| F1:" not in other.prompt[-1].text
    assert "| Finding: no password" in other.prompt[-2].text
    assert "withdraws" not in other.answer_type.__annotations__


FOUND = {
    "technical_architect": opinion_answer("FAIL", 1, **lists(["no password", "no test"], ["ask for one"])),
    "security_analyst": opinion_answer("FAIL", 1, **lists(["a password is missing"], ["ask for a password"])),
    "qa_evaluator": opinion_answer("FAIL", 1, **lists(["No  password"])),
    "*": opinion_answer("FAIL", 1),
}


def test_near_duplicates_are_one_with_everybody_who_named_it() -> None:
    play = heard(FOUND, grouping={"same_as": {"F2": "none", "F3": "F1", "R2": "R1"}})
    by = ("technical_architect", "qa_evaluator", "security_analyst")

    assert 1 == sum(event.key == "group" for event in play.of(ModelAnswered))
    assert (
        Point(text="no password", by=by, alike=("a password is missing",)),
        Point(text="no test", by=("technical_architect",)),
    ) == verdict(play).named_findings
    assert ("no password", "no test") == verdict(play).findings
    assert (("ask for a password",),) == tuple(each.alike for each in verdict(play).named_remediation or ())


@pytest.mark.parametrize(
    "grouping",
    [
        {"same_as": {"F2": "F9", "F3": "a password is missing", "R2": "F1"}},
        {"same_as": {"F3": "R1", "F4": "F1"}},
        {"same_as": {}},
        {},
        NO_REPLY,
    ],
)
def test_what_is_no_id_groups_nothing(grouping: Any) -> None:
    said = verdict(heard(FOUND, grouping=grouping))

    assert ("no password", "no test", "a password is missing") == said.findings
    assert ("ask for one", "ask for a password") == said.remediation
    assert {UNSET} == {each.alike for each in (*said.named_findings, *said.named_remediation)}  # type: ignore[misc]
    is_silent = grouping in ({}, NO_REPLY)
    assert is_silent == any(each.startswith("near-duplicates are not grouped: ") for each in said.reasons)


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(["F", "R"]), min_size=1, max_size=8),
    st.dictionaries(st.sampled_from([f"{k}{n}" for k in "FRX" for n in range(1, 9)]), st.text(max_size=3), max_size=8),
    st.data(),
)
def test_grouping_loses_and_invents_nothing(kinds: list[str], noise: dict[str, str], data: Any) -> None:
    names = [f"{kind}{kinds[: at + 1].count(kind)}" for at, kind in enumerate(kinds)]
    points = {name: Point(text=f"text {name}", by=(data.draw(st.sampled_from("AB")),)) for name in sorted(names)}
    chosen = data.draw(st.dictionaries(st.sampled_from(names), st.sampled_from(names)))
    found = grouped(points, noise | chosen, {"A": 0.6, "B": 0.4})

    texts = [text for each in found.values() for text in (each.text, *(each.alike or ()))]
    assert sorted(each.text for each in points.values()) == sorted(texts)
    for name, each in found.items():
        assert {text[5] for text in (each.alike or ())} <= {name[0]}
        assert set(each.by) == {
            by for p in points.values() if p.text in {each.text, *(each.alike or ())} for by in p.by
        }


def test_nothing_to_group_is_not_asked() -> None:
    play = heard({"*": opinion_answer("FAIL", 1, **lists(["no password"], ["ask for one"]))})

    assert "group" not in {event.key for event in play.of(ModelAnswered)}
    assert (Point(text="no password", by=PERSONAS),) == verdict(play).named_findings


def test_what_more_weight_found_comes_first() -> None:
    both = opinions(opinion("FAIL", findings=("b", "a")), opinion("FAIL", findings=("c", "a")))

    assert ["a", "c", "b"] == [each.text for each in listed_points(both, {"A": 0.4, "B": 0.6}).values()]


# the purpose


def test_a_document_is_judged_for_its_purpose() -> None:
    play = Play(artifact_opened(**STANDS))
    opened = play.debate.opened
    assert opened is not None
    assert opened.artifact is not UNSET
    play = Play(replace(opened, artifact=replace(opened.artifact, purpose="a plan\nthat can be rolled back")))
    first = asks(play)["deliberate:domain_expert:0"]
    answer_all(play, SPLIT)
    later = asks(play)["deliberate:domain_expert:1"]

    for ask in (first, later):
        assert "It is judged for this purpose:\n| a plan\n| that can be rolled back" in ask.prompt[1].text
    assert "Does the document pass for its purpose?" in first.prompt[-1].text
    assert "Does the document pass?" in asks(Play(artifact_opened()))["deliberate:domain_expert:0"].prompt[-1].text
