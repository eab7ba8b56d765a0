"""What is asked about a turn and at the end, and the batch that follows from the answers.

The questions about a turn are asked at once, so that a turn costs its slowest question and not their sum.  The rules
then run in one order on one batch: score, comparison, bands, attempts on the judge, claims, gaps, spine, and last the
pressure.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import UNSET

from events.record import Draft
from events.state.claims import Claim
from events.state.debate import Debate, question
from events.state.transcript import Turn
from events.types import ClaimAppealed, DebateOpened
from judge.guard import injection
from judge.live import claims, comparison, convergence, gaps, scoring, spine, verdicts
from judge.live.answers import Answers
from judge.live.entries import record_injection
from judge.live.event_batch import EventBatch
from judge.live.prompt import with_moderator_words, words_before_turn
from personalities.pressure import after_exchange
from server.debate.formats.questions import Question, answers

TOKENS: Final = {
    "score": 1600,
    "compare": 240,
    "claims": 700,
    "gaps": 700,
    "premises": 900,
    "second_opinion": 240,
    "narrative": 1600,
    "conflict": 700,
    "convergence": 800,
}
"""Most tokens that an answer may have."""


def turn_questions(debate: Debate, opened: DebateOpened, turn: Turn) -> dict[str, Question]:
    """Everything that is asked about a turn that has been spoken, by name."""
    number, rubric, prompts, motion = turn.number, opened.rubric, opened.prompts, opened.motion
    spoken = debate.transcript.spoken()

    def ask(purpose: str, key: str, answer_type: Any, prompt: Any, order: tuple[int, ...] = ()) -> Question:
        return Question(
            key=key,
            purpose=purpose,
            turn=number,
            model=opened.judge.model,
            prompt=lambda: with_moderator_words(prompt(), prompts, words_before_turn(debate.words, number)),
            answer_type=answer_type,
            max_tokens=TOKENS[purpose],
            think=opened.judge.think,
            samples=opened.judge.samples,
            order=order,
            cause=turn.spoken,
        )

    asked = {
        "score": ask(
            "score",
            f"score:{number}",
            scoring.score_type(rubric, number),
            lambda: scoring.score_prompt(prompts, rubric, motion, spoken),
        ),
        "claims": ask(
            "claims",
            f"claims:{number}",
            claims.ClaimsAnswer,
            lambda: claims.claims_prompt(prompts, rubric, motion, spoken),
        ),
        "premises": ask(
            "premises",
            f"premises:{number}",
            spine.premises_type(debate.spine, turn.side),
            lambda: spine.premises_prompt(prompts, motion, spoken, debate.spine),
        ),
    }
    if number > 1:
        for name, order in (("forward", (number - 1, number)), ("backward", (number, number - 1))):
            asked[name] = ask(
                "compare",
                f"compare:{order[0]}-{order[1]}",
                comparison.compare_type(rubric),
                lambda order=order: comparison.compare_prompt(prompts, rubric, motion, spoken, order),
                order,
            )
        asked["gaps"] = ask(
            "gaps",
            f"gaps:{number}",
            gaps.GapsAnswer,
            lambda: gaps.gaps_prompt(prompts, rubric, motion, spoken),
        )
    return asked


def judged(debate: Debate, opened: DebateOpened, turn: Turn, asked: dict[str, Question]) -> Sequence[Draft]:
    """The batch that follows once every question about a turn is answered or given up."""
    said = {name: answers(debate, each) for name, each in asked.items()}
    batch, number = EventBatch(debate), turn.number
    scoring.record_score(batch, number, said["score"])
    compared = None
    if number > 1:
        compared = comparison.compare_turns(batch, number - 1, number, said["forward"], said["backward"])
        comparison.harmonize(batch, compared)
    record_injection(batch, number, injection.detect(turn.text))
    claims.flag_claims(batch, number, said["claims"])
    _appeal_new(batch, opened, number)
    if number > 1:
        gaps.dock(batch, number, said["gaps"])
    spine.record_premises(batch, number, said["premises"])
    if compared is not None:
        cause = compared
        for event in after_exchange(batch.debate, batch.debate.exchanges.comparisons[number]):
            cause = batch.add(event, cause)
    return batch.drafts


# second opinions


def second_opinions(debate: Debate, opened: DebateOpened) -> dict[str, Question]:
    """Claims on which a second opinion is due, with the question of each; none once the scorecard has been read."""
    if debate.verdicts.scorecard is not None:
        return {}
    return {
        claim: _second_opinion(debate, opened, claim, entry)
        for claim, entry in debate.claims.items()
        if entry.state == "flagged" and entry.appealed
    }


def _appeal_new(batch: EventBatch, opened: DebateOpened, number: int) -> None:
    """Appeal what nobody has to ask for: every flag, or the serious ones where a second judge sits."""
    for claim, entry in batch.debate.claims.items():
        rule = opened.rubric.claims.get(entry.kind)
        has_second = opened.judge.appeals == "serious" and opened.judge.second is not UNSET
        serious = has_second and rule is not None and rule.second_opinion
        if entry.turn == number and (serious or opened.judge.appeals == "all"):
            batch.add(ClaimAppealed(claim=claim, by="moot"), entry.flagged)


def _second_opinion(debate: Debate, opened: DebateOpened, claim: str, entry: Claim) -> Question:
    model = opened.judge.model if opened.judge.second is UNSET else opened.judge.second
    return Question(
        key=f"second_opinion:{claim}",
        purpose="second_opinion",
        turn=entry.turn,
        model=model,
        prompt=lambda: with_moderator_words(
            claims.second_prompt(opened.prompts, opened.rubric, opened.motion, debate.transcript.spoken(), entry),
            opened.prompts,
            words_before_turn(debate.words, entry.turn),
        ),
        answer_type=claims.SecondOpinion,
        max_tokens=TOKENS["second_opinion"],
        think=opened.judge.think,
        cause=entry.appealed,
    )


def settled(debate: Debate, opened: DebateOpened, due: dict[str, Question]) -> Sequence[Draft]:
    """What follows from the second opinions that are there."""
    batch = EventBatch(debate)
    by = "second judge" if opened.judge.second is not UNSET else "judge, asked again"
    for claim, asked in due.items():
        if question(asked.key, 1) in debate.calls.given:
            claims.settle(batch, claim, answers(debate, asked), by=by)
    return batch.drafts


# the end


def final_questions(debate: Debate, opened: DebateOpened) -> dict[str, Question]:
    """What is asked of the whole debate: the narrative, and the convergence of a long one."""
    asked: dict[str, Question] = {}
    spoken = debate.transcript.spoken()
    if debate.verdicts.narrative is None:
        asked["narrative"] = Question(
            key="narrative",
            purpose="narrative",
            turn=None,
            model=opened.judge.model,
            prompt=lambda: verdicts.narrative_prompt(opened.prompts, opened.motion, debate),
            answer_type=verdicts.NarrativeAnswer,
            max_tokens=TOKENS["narrative"],
            think=opened.judge.think,
            cause=debate.course,
            check=lambda answer: verdicts.check_narrative(debate, answer),
        )
    if debate.verdicts.convergence is None and opened.turns >= opened.rubric.convergence_from:
        asked["convergence"] = Question(
            key="convergence",
            purpose="convergence",
            turn=None,
            model=opened.judge.model,
            prompt=lambda: with_moderator_words(
                convergence.convergence_prompt(opened.prompts, opened.motion, spoken),
                opened.prompts,
                debate.words.values(),
            ),
            answer_type=convergence.ConvergenceAnswer,
            max_tokens=TOKENS["convergence"],
            think=opened.judge.think,
            cause=debate.course,
        )
    return asked


def concluded_from(debate: Debate, asked: dict[str, Question]) -> Sequence[Draft]:
    """Narrative and convergence, or their absence."""
    batch = EventBatch(debate)
    if "narrative" in asked:
        verdicts.record_narrative(batch, answers(debate, asked["narrative"]))
    if "convergence" in asked:
        convergence.record_convergence(batch, answers(debate, asked["convergence"]))
    return batch.drafts


def conflict_question(debate: Debate, opened: DebateOpened) -> Question | None:
    """Asked where the narrative names another winner than the scorecard."""
    said = debate.verdicts
    if said.conflict is not None or said.narrative is None or said.scorecard is None:
        return None
    if said.narrative.winner is UNSET or said.narrative.winner == said.scorecard.winner:
        return None
    return Question(
        key="conflict",
        purpose="conflict",
        turn=None,
        model=opened.judge.model,
        prompt=lambda: verdicts.conflict_prompt(opened.prompts, opened.motion, debate),
        answer_type=verdicts.ConflictAnswer,
        max_tokens=TOKENS["conflict"],
        think=opened.judge.think,
        cause=debate.course,
        check=lambda answer: verdicts.check_conflict(debate, answer),
    )


def resolved(debate: Debate, asked: Question) -> Sequence[Draft]:
    """The conflict explained, or the absence of an explanation."""
    batch = EventBatch(debate)
    said: Answers[Any] = answers(debate, asked)
    verdicts.record_conflict(batch, said)
    return batch.drafts
