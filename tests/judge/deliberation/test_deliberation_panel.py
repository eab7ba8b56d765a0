"""Deliberation of a debate's panel: opinions from scores, when a round is due, and that scores do not change."""

from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from events.types import DebateOpened, ModelAnswered, PanelistScored, Rater, Reason
from events.types.deliberation import DeliberationHeld, OpinionGiven
from judge.deliberation.positions import independent_opinions
from judge.panel.raters import shipped
from server.debate.formats.parts.rounds import rounds
from server.debate.formats.steps import Ask, Record
from tests.judge.deliberation.judges import model_reply, rubric
from tests.server.debate_events import Play, opened, spoken, started

RATERS = ("technical", "business", "risk", "general")
CRITERIA = ("logic", "evidence", "responsiveness", "honesty")
WORDS = "Trams carry more people than cars, because they share one track."


def seat(name: str, **changes: Any) -> Rater:
    profile = shipped().raters[name]
    known = Rater(
        name=name,
        title=profile.title,
        domain=profile.domain,
        focus=profile.focus,
        weights=profile.weights,
        model="grand:model",
    )
    return msgspec.structs.replace(known, **changes)


def opening(*names: str, settings: Any = None, **rules: Any) -> DebateOpened:
    return msgspec.structs.replace(
        opened(2, **(settings or {})), panel=tuple(seat(name) for name in names or RATERS), rubric=rubric(**rules)
    )


def scored(rater: str, pro: float | None, con: float | None, **items: Any) -> PanelistScored:
    """One score a side on every dimension; None is a side without a score."""
    given = {"1": pro, "2": con}
    scores = {item: dict.fromkeys(CRITERIA, score) for item, score in given.items() if score is not None}
    return PanelistScored(rater=rater, model="m", scores=scores | items)


def play_of(opened_: DebateOpened, *scores: PanelistScored) -> Play:
    """A debate of three turns that the panel has scored."""
    play = Play(opened_)
    for turn in (1, 2, 3):
        play.add(started(turn), spoken(turn))
    play.add(*scores)
    return play


def panel(*scores: tuple[float | None, float | None], **rules: Any) -> Play:
    names = RATERS[: len(scores)]
    return play_of(opening(*names, **rules), *(scored(name, *each) for name, each in zip(names, scores, strict=True)))


def steps(play: Play) -> Any:
    assert play.debate.opened is not None
    return rounds(play.debate, play.debate.opened)


def settle(play: Play, answers: Any = None, cost_usd: float = 0.0) -> None:
    while todo := steps(play):
        if isinstance(todo[0], Record):
            play.add(*todo[0].drafts)
        else:
            play.add(*(model_reply(step, (answers or {}).get(step.key), 5, cost_usd) for step in todo))


def stand(play: Play) -> dict[str, Any]:
    assert play.debate.opened is not None
    return {name: each.verdict for name, each in independent_opinions(play.debate, play.debate.opened).items()}


# opinions from scores


def test_a_raters_verdict_is_its_own_weighted_gap() -> None:
    assert {"technical": "pro", "business": "con", "risk": "tie"} == stand(panel((7, 5), (5, 7), (6, 6)))


@pytest.mark.parametrize(("pro", "con", "verdict"), [(10.0, 9.0, "pro"), (9.5, 9.0, "tie"), (9.0, 10.0, "con")])
def test_a_gap_under_a_twentieth_is_a_tie(pro: float, con: float, verdict: str) -> None:
    assert verdict == stand(panel((pro, con)))["technical"]


def test_exactly_a_twentieth_is_no_tie() -> None:
    assert "pro" == stand(panel((4.2, 3.8)))["technical"]  # .4 ÷ 8


def test_the_raters_own_weights_decide() -> None:
    pro = {"1": {"logic": 9, "evidence": 5, "responsiveness": 5, "honesty": 5}}
    con = {"2": {"logic": 3, "evidence": 6, "responsiveness": 7, "honesty": 7}}
    play = play_of(
        opening("technical", "risk"), *(scored(name, None, None, **pro, **con) for name in ("technical", "risk"))
    )

    assert {"technical": "pro", "risk": "con"} == stand(play)


def test_scores_are_means_of_each_side_and_dimension() -> None:
    play = play_of(
        opening("technical"),
        PanelistScored(
            rater="technical",
            model="m",
            scores={"1": {"logic": 4}, "3": {"logic": 7, "honesty": 2}, "2": dict.fromkeys(CRITERIA, 5)},
        ),
    )
    assert play.debate.opened is not None
    (only,) = independent_opinions(play.debate, play.debate.opened).values()

    assert isinstance(only.missing, Reason)  # no argument of pro has every score
    play = play_of(
        opening("technical"),
        PanelistScored(
            rater="technical",
            model="m",
            scores={
                "1": dict.fromkeys(CRITERIA, 4),
                "3": {"logic": 7},
                "2": dict.fromkeys(CRITERIA, 5),
            },
        ),
    )
    assert play.debate.opened is not None
    (only,) = independent_opinions(play.debate, play.debate.opened).values()
    assert "con" == only.verdict
    assert (5.5, 4, 5) == (only.scores["pro.logic"], only.scores["pro.honesty"], only.scores["con.logic"])


def test_a_rater_without_scores_stands_nowhere() -> None:
    silent = PanelistScored(rater="risk", model="m", missing=Reason("it was silent"))
    play = play_of(opening(*RATERS[:3]), scored("technical", 9, 1), scored("business", None, 5), silent)
    assert play.debate.opened is not None
    found = independent_opinions(play.debate, play.debate.opened)

    assert "pro" == found["technical"].verdict
    assert Reason("no item of pro has a score on every dimension") == found["business"].missing
    assert Reason("it was silent") == found["risk"].missing


# when a round is due


def test_a_panel_that_agrees_does_not_deliberate() -> None:
    play = panel((7, 5), (7, 5), (7, 5), (6, 5))

    assert () == steps(play)


@pytest.mark.parametrize("scores", [((9, 1),), ((9, 1), (None, 5))])
def test_one_rater_alone_does_not_deliberate(scores: Any) -> None:
    assert () == steps(panel(*scores))


def test_two_against_one_deliberate_as_soon_as_their_scores_differ() -> None:
    play = panel((5.0, 4.5), (5.0, 4.5), (5.0, 5.0))

    assert ["pro", "pro", "tie"] == list(stand(play).values())
    assert steps(play)


def test_a_panel_that_differs_first_records_where_it_stands() -> None:
    play = panel((9, 1), (1, 9))
    (first,) = steps(play)

    assert isinstance(first, Record)
    assert [("technical", 0, "pro"), ("business", 0, "con")] == [
        (each.rater, each.round, each.verdict)
        for draft in first.drafts
        if isinstance(each := draft.event, OpinionGiven)
    ]
    assert [8, 9] == [draft.cause for draft in first.drafts]  # the scores behind the opinions
    assert [] == play.of(ModelAnswered)


def test_then_every_rater_is_asked_at_once_by_its_key() -> None:
    play = panel((9, 1), (1, 9))
    play.add(*steps(play)[0].drafts)
    asked = [step for step in steps(play) if isinstance(step, Ask)]

    assert ["deliberate:technical:1", "deliberate:business:1"] == [step.key for step in asked]
    assert {120.0} == {step.timeout_s for step in asked}
    prompts = ["\n".join(segment.text for segment in step.prompt) for step in asked]
    for prompt in prompts:
        assert "Technical rater: A" in prompt
        assert "- A.logic: Technical rater 9, Business rater 1" in prompt
        assert "grand" not in prompt
        assert "Speaker A" in prompt


# results


def answer(verdict: str, pro: float, con: float, quote: str = "") -> dict[str, Any]:
    scores = {f"A.{name}": pro for name in CRITERIA} | {f"B.{name}": con for name in CRITERIA}
    return {"verdict": verdict, "confidence": 0.8, "scores": scores, "rationale": "so", "quote": quote}


def test_a_rater_that_is_convinced_names_words_that_were_spoken() -> None:
    play = panel((9, 1), (1, 9))
    settle(
        play,
        {
            "deliberate:technical:1": answer("A", 9, 1),
            "deliberate:business:1": answer("A", 8, 1, WORDS[:24]),
        },
    )
    (held,) = play.of(DeliberationHeld)

    assert (0.3 + 0.4 / 9, 1.0) == (pytest.approx(held.before), pytest.approx(held.after, abs=0.1))
    assert [("business", "con", "pro", "evidence")] == [
        (each.rater, each.before, each.after, each.kind) for each in held.changes
    ]


def test_deliberation_leaves_every_independent_score_as_it_was() -> None:
    play = panel((9, 1), (1, 9), (2, 8))
    before = {name: (each.scored, each.totals) for name, each in play.debate.panel.raters.items()}
    settle(play, {f"deliberate:{name}:1": answer("A", 9, 1) for name in RATERS})

    assert before == {name: (each.scored, each.totals) for name, each in play.debate.panel.raters.items()}
    assert {"conformity": 2} == play.debate.panel.moved
    assert UNSET is play.debate.panel.conclusion
    assert () == steps(play)


def test_three_rounds_without_convergence_are_the_last() -> None:
    play = panel((9, 1), (1, 9))
    settle(
        play,
        {
            f"deliberate:{name}:{number}": answer(said, *scores)
            for number in (1, 2, 3)
            for name, said, scores in (("technical", "A", (9, 1)), ("business", "B", (1, 9)))
        },
    )

    assert [1, 2, 3] == [each.round for each in play.of(DeliberationHeld)]
    assert 6 == len(play.of(ModelAnswered))
    assert [] == [change for each in play.of(DeliberationHeld) for change in each.changes]


def test_no_round_is_bought_beyond_the_cost_cap() -> None:
    play = play_of(
        opening(*RATERS[:2], settings={"max_cost_usd": 0.15}), scored("technical", 9, 1), scored("business", 1, 9)
    )
    settle(
        play,
        {
            f"deliberate:{name}:1": answer(said, *scores)
            for name, said, scores in (("technical", "A", (9, 1)), ("business", "B", (1, 9)))
        },
        cost_usd=0.1,
    )
    (held,) = play.of(DeliberationHeld)

    assert "the cost cap is reached" == held.ended


def test_a_rubric_without_deliberation_asks_for_none() -> None:
    play = panel((9, 1), (1, 9))
    assert play.debate.opened is not None
    bare = msgspec.structs.replace(
        play.debate.opened, rubric=msgspec.structs.replace(play.debate.opened.rubric, deliberation=None)
    )

    assert () == rounds(play.debate, bare)
