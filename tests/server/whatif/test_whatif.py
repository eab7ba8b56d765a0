"""What if: the debate's own rubric gives the record itself; another rubric changes only what depends on it."""

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.record import Draft
from events.transfer import parse_lines
from events.types import (
    ClaimAppealed,
    DebateHalted,
    DebateOpened,
    DebateResumed,
    ScorecardVerdictReached,
    TurnSpoken,
)
from judge.guard import injection
from server.debate.formats.steps import Record
from server.errors import BadField, NotNow
from server.whatif.comparison import NOTE, WhatIf, what_if
from server.whatif.outcome import arguments_of, outcome_of, turns_of
from server.whatif.replay import NOT_ASKED, ReplayResult, replay
from server.whatif.request import WhatIfRequest
from server.whatif.table import rows_of
from tests.judge.deliberation import judges
from tests.judge.deliberation.judges import PERSONAS, answers_by_round, artifact_opened, opinion_answer
from tests.judge.played_turns import answer_steps, claims_answer, gap_answer, play_turn, score_answer
from tests.judge.random_debate import RandomDebate
from tests.laws import examples
from tests.server.debate.test_by_hand import without_words
from tests.server.debate_events import Play, answered, opened, random_debates, recorded, spoken, started

GOLDEN = sorted((Path(__file__).parents[2] / "events" / "view" / "golden").glob("*.ndjson"))
STUDY = "A study of 2019 proves that nurses prefer the tram. Streets are the lungs of a city."
PROVES, LUNGS = "A study of 2019 proves", "the lungs of a city"
TRACK = "Trams carry more people than cars, because they share one track."


def same(debate: DebateOpened) -> DebateOpened:
    return debate


def under(play: Play, without: str = "", **rubric: Any) -> WhatIf:
    """The comparison for a debate with changes in its rubric."""
    return what_if(play.records, WhatIfRequest(rubric=rubric, without_rater=without))


def differing(answer: WhatIf) -> dict[str, Any]:
    """The values under the changed rules, by path."""
    return {each.path: each.after for each in answer.changes}


def public(walked: ReplayResult) -> list[list[Any]]:
    both = (walked.recorded, walked.would_be)
    return [[part(debate) for debate in both] for part in (outcome_of, turns_of, arguments_of)]


def heard(*texts: tuple[str, dict[str, Any]], **changes: Any) -> Play:
    """Turns with the answers to the questions about each; then the end, if they are all turns."""
    play = Play(opened(changes.pop("turns", len(texts)), **changes))
    for text, answers in texts:
        play_turn(play, text, **answers)
    return play


def suspicious() -> Play:
    """Pro names a study and lungs, con finds a gap of two points: three entries on turn 1."""
    return heard(
        (STUDY, {"claims": claims_answer((PROVES, "fabricated_citation"), (LUNGS, "no_mechanism"))}),
        (TRACK, {"gaps": gap_answer(1, LUNGS, "because they share one track", 2)}),
    )


def judged_text() -> Play:
    """An artifact on which one of five personas never changes its opinion."""
    play = Play(artifact_opened())
    first = {
        "*": opinion_answer("PASS", 3),
        PERSONAS[0]: opinion_answer("FAIL", 1),
        PERSONAS[1]: opinion_answer("FAIL", 1),
    }
    judges.answer_steps(
        play, answers_by_round(first, {"*": opinion_answer("PASS", 3), PERSONAS[0]: opinion_answer("FAIL", 1)})
    )
    return play


# nothing changed


@pytest.mark.slow
@examples(12, whole=40)
@given(st.integers(0, 2**32))
def test_with_nothing_changed_a_what_if_is_the_record_itself(seed: int) -> None:
    random_debate, ends = RandomDebate(seed), []
    add = random_debate.play.add

    def noted(*events: Any) -> None:
        add(*events)
        ends.append(len(random_debate.play.records))

    random_debate.play.add = noted  # type: ignore[method-assign]  # a log ends where a batch ends
    records = random_debate.run().records

    for end in (len(records), *Random(seed).sample(ends, min(3, len(ends)))):
        walked = replay(records[:end], same)

        assert walked.recorded == walked.would_be
        assert (0, ()) == (walked.diverges_at, walked.unanswered)


@pytest.mark.slow
@examples(20, whole=60)
@given(random_debates())
def test_so_it_is_for_any_order_in_which_a_moderator_may_record(events: Any) -> None:
    for one, two in public(replay(recorded(events), same)):
        assert one == two


@pytest.mark.slow
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_so_it_is_for_the_logs_of_released_schemas(path: Path) -> None:
    walked = replay(tuple(parse_lines(path.read_bytes().splitlines(keepends=True))), same)

    assert without_words(walked.recorded) == without_words(walked.would_be)
    assert 0 == walked.diverges_at


def test_so_it_is_for_an_artifact_with_rounds() -> None:
    walked = replay(judged_text().records, same)

    assert walked.recorded.panel.rounds
    assert walked.recorded == walked.would_be


def test_so_it_is_where_the_money_ran_out_and_more_came() -> None:
    play = Play(opened(1, max_cost_usd=1.0))
    said = answered(1, key="speak:pro", purpose="speak", cost_usd=2.0)
    play.add(started(1), said, spoken(1, text=STUDY))
    (step,) = play.steps
    assert isinstance(step, Record)
    assert isinstance(step.drafts[0].event, DebateHalted)
    play.add(*step.drafts)
    poor = replay(play.records, same)
    play.add(DebateResumed(reason="more", by="x", max_cost_usd=9.0))
    answer_steps(play, lambda _: None)
    rich = replay(play.records, same)

    assert "halted" == poor.would_be.status.state
    assert poor.recorded == poor.would_be
    assert "concluded" == rich.would_be.status.state
    assert rich.recorded == rich.would_be


# other figures


def test_what_the_other_rules_do_not_ask_for_is_listed() -> None:
    """Rubric v2 has neither second readings nor a comparison of the last turn with the first."""
    records = parse_lines((GOLDEN[0].parent / "0.1-juries_v3.ndjson").read_bytes().splitlines(keepends=True))
    answer = what_if(records, WhatIfRequest(rubric={}, base="v2"))

    assert {"rescore:2", "rescore:3", "compare:1-6", "compare:6-1"} <= {*answer.unused}
    assert not any(each.startswith(("score:", "claims:", "gaps:")) for each in answer.unused)
    assert () == what_if(records, WhatIfRequest(rubric={})).unused


def test_a_composite_of_another_maximum_says_of_how_many_points_it_is() -> None:
    records = parse_lines((GOLDEN[0].parent / "0.1-juries_v3.ndjson").read_bytes().splitlines(keepends=True))
    rows = {each.name: each for each in rows_of(what_if(records, WhatIfRequest(rubric={}, base="v2")))}
    first, second = rows["turn 1 composite"], rows["turn 2 composite"]

    assert re.fullmatch(r"[0-9.]+ of 70", first.recorded)
    assert re.fullmatch(r"[0-9.]+ of 100", first.would_be)
    assert isinstance(second.recorded, float)
    same_rules = what_if(records, WhatIfRequest(rubric={"certainty": {"name_at": 0.6}}))
    assert "turn 1 composite (of 70)" in {each.name for each in rows_of(same_rules)}


def test_a_claim_costs_what_the_other_rubric_says() -> None:
    answer = under(suspicious(), claims={"fabricated_citation": {"points": 5}})
    turn = answer.turns["1"]
    assert isinstance(turn.recorded, dict)
    assert isinstance(turn.would_be, dict)

    assert [("claims.fabricated_citation.points", 2.0, 5.0)] == [
        (each.path, each.before, each.after) for each in answer.rubric_changes
    ]
    assert turn.recorded["logic"] - 3 == pytest.approx(turn.would_be["logic"])
    assert turn.recorded["composite"] - 3 == pytest.approx(turn.would_be["composite"])
    assert answer.turns["2"].recorded == answer.turns["2"].would_be
    assert {"turns.1.logic", "turns.1.composite", "outcome.scorecard.pro.logic", "outcome.scorecard.pro.composite"} < (
        differing(answer).keys()
    )


def test_without_its_rule_a_claim_is_none_and_a_gap_costs_the_most_that_it_may() -> None:
    answer = under(suspicious(), claims={"fabricated_citation": None, "no_mechanism": None}, gaps={"most": 1})
    turn = answer.turns["1"]
    assert isinstance(turn.recorded, dict)
    assert isinstance(turn.would_be, dict)

    assert turn.recorded["logic"] + 2 + 1 + 1 == pytest.approx(turn.would_be["logic"])


def test_attempts_that_an_older_moot_recorded_are_those_of_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """Today's patterns may find fewer attempts: the replay takes the recorded ones and does not look again."""
    attempt = injection.InjectionAttempt(pattern="leet", quote="share one track", span=(45, 60))
    monkeypatch.setattr(injection, "detect", lambda _: (attempt,))
    play = heard((TRACK, {}), (TRACK, {}))
    monkeypatch.undo()
    assert injection.detect(TRACK) == ()

    walked = replay(play.records, same)

    assert 0 == walked.diverges_at
    assert len(walked.would_be.injections) == 2
    assert walked.recorded.ledger == walked.would_be.ledger


def test_a_band_lifts_the_winner_of_an_exchange() -> None:
    play = heard((TRACK, {}), (TRACK, {"won": {"logic": "later"}}))
    answer = under(play, bands={"logic": {"winner": [30, 40]}})

    assert 30 == differing(answer)["turns.2.logic"]
    assert "turns.1.logic" not in differing(answer)


def test_a_wider_tie_leaves_nobody_the_winner() -> None:
    play = heard((TRACK, {"score": score_answer(1, rhetoric=(8, 7, 8, 7))}), (TRACK, {}))
    answer = under(play, tie_within=50)

    assert "pro" == answer.recorded.winner
    assert ("neither", "neither") == (answer.would_be.winner, differing(answer)["outcome.winner"])


def test_a_share_and_a_cap_reach_every_turn() -> None:
    play = heard((TRACK, {"score": score_answer(1, "words that nobody said")}), (TRACK, {}))
    answer = under(play, unquoted_share=0)

    assert 0 == differing(answer)["turns.1.rhetoric"]
    assert "turns.2.rhetoric" not in differing(answer)


# answers that do not fit, and questions that nobody asked


def test_points_beyond_a_smaller_maximum_become_that_maximum() -> None:
    parts = {"components": {"cause": {"maximum": 9}, "process": {"maximum": 11}}}
    play = heard(*((TRACK, {"score": score_answer(turn, logic=(10, 5, 5, 5))}) for turn in (1, 2)))
    answer = under(play, dimensions={"logic": parts})
    turn = answer.turns["2"]

    assert isinstance(turn.recorded, dict)
    assert isinstance(turn.would_be, dict)
    assert turn.recorded["logic"] - 1 == pytest.approx(turn.would_be["logic"])
    assert () == answer.unanswered


def test_a_component_that_was_never_asked_about_is_left_out_and_one_taken_away_is_not_missed() -> None:
    play = heard((TRACK, {}), (TRACK, {}))
    more = {"maximum": 50, "components": {"candour": {"maximum": 10, "asks": "admits what is against it"}}}
    less = {"maximum": 20, "components": {"positioning": None}}

    turn = under(play, dimensions={"logic": more}).turns["2"]
    assert isinstance(turn.recorded, dict)
    assert isinstance(turn.would_be, dict)
    assert turn.recorded["logic"] / 40 * 50 == pytest.approx(turn.would_be["logic"])
    rest = {"tactics": {"winner": [0, 20], "loser": [0, 20]}}
    assert 12 == differing(under(play, dimensions={"tactics": less}, bands=rest))["turns.2.tactics"]


def test_a_question_that_was_not_asked_has_no_answer() -> None:
    answer = under(heard((TRACK, {}), (TRACK, {}), (TRACK, {}), (TRACK, {})), convergence_from=4)

    assert [("convergence", NOT_ASKED)] == [(each.key, each.why) for each in answer.unanswered]
    assert "concluded" == answer.would_be.state
    assert () == answer.changes


def test_the_end_comes_also_where_the_other_rules_would_ask_for_more_than_there_was_money() -> None:
    play = Play(opened(2, max_cost_usd=1.0))
    play_turn(play, TRACK, score=score_answer(1, rhetoric=(6, 4, 5, 4)))
    play_turn(play, TRACK)
    drafts = [Draft(event=each.event, cause=each.cause) for each in play.records]
    at = next(n for n, each in enumerate(drafts) if getattr(each.event, "key", "") == "narrative")
    dear = replace(drafts[at].event, cost_usd=5.0)  # type: ignore[type-var]
    records = recorded([*drafts[:at], replace(drafts[at], event=dear), *drafts[at + 1 :]])
    answer = what_if(records, WhatIfRequest(rubric={"tie_within": 0}))

    assert "neither" == answer.recorded.winner
    assert ["conflict"] == [each.key for each in answer.unanswered]
    assert ("concluded", "pro") == (answer.would_be.state, answer.would_be.winner)


def test_what_is_answered_later_is_waited_for() -> None:
    play = Play(opened(1, appeals="all"))
    play_turn(play, STUDY, claims=claims_answer((LUNGS, "no_mechanism")))
    answer = under(play, claims={"no_mechanism": None})

    assert "neither" == answer.recorded.narrative == answer.would_be.narrative
    assert () == answer.unanswered


def test_a_second_opinion_follows_its_claim_where_the_claims_are_counted_otherwise() -> None:
    play = Play(opened(2, appeals="none"))
    play_turn(play, STUDY, claims=claims_answer((LUNGS, "no_mechanism"), (PROVES, "fabricated_citation")))
    play.add(ClaimAppealed(claim="C1.2", by="moderator"))
    answer_steps(play, lambda step: {"reason": "it exists", "verdict": "cleared"})
    play_turn(play, TRACK)
    walked = replay(play.records, WhatIfRequest(rubric={"claims": {"no_mechanism": None}}).opening)

    assert "cleared" == walked.recorded.claims["C1.2"].state
    assert [("fabricated_citation", "cleared")] == [(each.kind, each.state) for each in walked.would_be.claims.values()]


def test_an_appeal_of_what_is_no_claim_there_is_nothing() -> None:
    play = Play(opened(2, appeals="none"))
    play_turn(play, STUDY, claims=claims_answer((PROVES, "fabricated_citation")))
    play.add(ClaimAppealed(claim="C1.1", by="moderator"))
    answer_steps(play, lambda step: {"reason": "it exists", "verdict": "cleared"})
    play_turn(play, TRACK)
    walked = replay(play.records, WhatIfRequest(rubric={"claims": {"fabricated_citation": None}}).opening)

    assert {} == walked.would_be.claims
    assert "concluded" == walked.would_be.status.state
    assert () == walked.unanswered


# a judge less


def test_a_verdict_on_a_text_without_one_persona() -> None:
    answer = under(judged_text(), without=PERSONAS[0])

    assert answer.recorded.verdict
    assert answer.would_be.verdict
    assert PERSONAS[0] == answer.without_rater
    assert "FAIL" in answer.recorded.verdict.shares
    assert {"PASS": 1.0} == answer.would_be.verdict.shares


@pytest.mark.parametrize(("name", "says_"), [("nobody", "none of"), (PERSONAS[0], "is the only rater")])
def test_a_rater_to_leave_out_must_sit_and_not_alone(name: str, says_: str) -> None:
    play = judged_text()
    first = play.records[0].event
    assert isinstance(first, DebateOpened)
    kept = first if name == "nobody" else replace(first, panel=first.panel[:1])

    with pytest.raises(BadField, match=says_):
        WhatIfRequest(without_rater=name).opening(kept)


# what it says of itself


def test_a_log_that_older_rules_wrote_is_named_and_still_compared() -> None:
    play = heard((TRACK, {"score": score_answer(1, rhetoric=(8, 7, 8, 7))}), (TRACK, {}))
    drafts = [Draft(event=each.event, cause=each.cause) for each in play.records]
    at = next(n for n, each in enumerate(drafts) if isinstance(each.event, ScorecardVerdictReached))
    other = replace(drafts[at].event, reason="in the words of an older Moot")  # type: ignore[type-var]
    records = recorded([*drafts[:at], replace(drafts[at], event=other), *drafts[at + 1 :]])
    answer = what_if(records, WhatIfRequest(rubric={"gaps": {"most": 7}}))

    assert at + 1 == replay(records, same).diverges_at
    assert f"differ at position {at + 1}" in answer.note
    assert () == answer.changes


def test_the_note_says_what_is_not_known_and_how_far_the_record_goes() -> None:
    whole, half = suspicious(), heard((TRACK, {}), turns=2)

    assert NOTE == under(whole, tie_within=1).note
    assert f"{NOTE} The debate is open: this is what is recorded so far." == under(half, tie_within=1).note


def test_what_was_never_judged_has_no_outcome_to_compare() -> None:
    with pytest.raises(NotNow, match="nothing has been judged"):
        under(Play(opened(2)), tie_within=1)


def test_a_calibration_has_no_outcome_to_compare() -> None:
    with pytest.raises(NotNow, match="a calibration measures raters"):
        under(Play(replace(opened(0), format="calibration")), tie_within=1)


def test_records_that_lead_to_an_impossible_question_are_not_run_again() -> None:
    fines = Path(__file__).parents[1] / "debate" / "logs" / "library_fines_v2.ndjson"
    events = [each.event for each in parse_lines(fines.read_bytes().splitlines(keepends=True))]
    emptied = [replace(event, text="") if isinstance(event, TurnSpoken) else event for event in events]

    with pytest.raises(NotNow, match=r"cannot be run again \(\w+: "):
        what_if(recorded(emptied), WhatIfRequest(rubric={"tie_within": 3}))
