"""The judge in format ``exchange``: its questions, and the batches of events that follow from the answers.

The questions about a turn run at the same time, so a turn waits for the slowest of them only.  Then the rules run in
a fixed order on one batch: score, comparisons and what they move, attempts on the judge, claims, gaps, spine, pressure.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.record import Draft
from events.state.claims import Claim
from events.state.debate import Debate, question
from events.state.transcript import Turn
from events.types import ClaimAppealed, ContextShortened, DebateOpened, PressureApplied
from events.types.rubric import rule_of
from judge.guard import injection
from judge.live import (
    claims,
    comparison,
    docking,
    gaps,
    scoring,
    second_reading,
    spine,
    verdicts,
)
from judge.live.answers import Answers
from judge.live.conflict import is_conflict
from judge.live.entries import record_injection, record_unchecked
from judge.live.event_batch import EventBatch
from judge.live.prompt import Prompt, messages_before_turn, with_moderator_messages
from judge.live.whole import WholeDebate, both_asked, reads_whole
from judge.material import claim_material, conflict_material, turns_material
from personalities.pressure import after_exchange
from providers.base import JOINS, Material, Segment
from server.debate.formats.parts import PARTS
from server.debate.formats.questions import Question, answers
from server.debate.formats.steps import no_fault
from server.people.names import is_person

TOKENS: Final = {
    "score": 3000,
    "compare": 400,
    "claims": 1200,
    "gaps": 1200,
    "audit": 2400,
    "premises": 1600,
    "second_opinion": 400,
    "narrative": 2400,
    "conflict": 1000,
    "convergence": 1200,
}
"""Maximum tokens of an answer, by purpose."""


def turn_questions(debate: Debate, opened: DebateOpened, turn: Turn) -> dict[str, Question]:
    """All questions about a turn that has been spoken, by name; some of them share a call if the judge is brief."""
    number, rubric, prompts, motion = turn.number, opened.rubric, opened.prompts, opened.motion
    spoken = debate.transcript.spoken()
    whole = _whole(debate, opened)
    ask = partial(_asked_about, debate, opened, turn, whole)
    said, version = spoken[number - 1], 0 if whole is None else prompts["whole"].version
    asked = {
        "score": _score_question(debate, opened, turn, whole),
        "claims": ask(
            "claims",
            f"claims:{number}",
            claims.ClaimsAnswer,
            lambda: claims.claims_prompt(prompts, rubric, motion, spoken),
            lambda whole: whole.claims(said),
            misquotes=partial(claims.misquoted, debate, number),
        ),
        "premises": ask(
            "premises",
            f"premises:{number}",
            spine.premises_type(debate.spine, turn.side, version),
            lambda: spine.premises_prompt(prompts, motion, spoken, debate.spine),
            lambda whole: whole.premises(said),
            misquotes=partial(spine.misquoted, debate, number) if version >= spine.ASKED_ANSWERED else no_fault,
        ),
    }
    for name, order in _orders(opened, number).items():
        asked[name] = ask(
            "compare",
            f"compare:{order[0]}-{order[1]}",
            comparison.compare_type(rubric),
            partial(comparison.compare_prompt, prompts, rubric, motion, spoken, order),
            partial(WholeDebate.compare, order=order),
            becomes=comparison.CompareAnswer,
            order=order,
        )
    if number > 1 and not (rubric.docking and number >= opened.turns):
        asked["gaps"] = ask(
            "gaps",
            f"gaps:{number}",
            gaps.gaps_type(rubric, reads_whole=whole is not None),
            lambda: gaps.gaps_prompt(prompts, rubric, motion, spoken),
            lambda whole: whole.gaps(said),
            misquotes=partial(gaps.misquoted, debate, number),
        )
    return _joined(opened, asked) if opened.judge.effort == "brief" and not is_person(opened.judge.model) else asked


def _asked_about(
    debate: Debate,
    opened: DebateOpened,
    turn: Turn,
    whole: WholeDebate | None,
    purpose: str,
    key: str,
    answer_type: Any,
    short: Callable[[], Prompt],
    long: Callable[[WholeDebate], Prompt],
    *,
    becomes: Any = None,
    order: tuple[int, ...] = (),
    misquotes: Callable[[Any], str] = no_fault,
) -> Question:
    """A question about a turn: ``long`` is its prompt for a judge that reads the whole debate, else ``short``."""

    def prompt() -> Prompt:
        if whole is not None:
            return long(whole)
        return with_moderator_messages(short(), opened.prompts, messages_before_turn(debate.words, turn.number))

    return Question(
        key=key,
        purpose=purpose,
        turn=turn.number,
        model=opened.judge.model,
        prompt=prompt,
        answer_type=answer_type,
        becomes=becomes or answer_type,
        max_tokens=TOKENS[purpose],
        think=opened.judge.think,
        samples=opened.judge.samples,
        order=order,
        misquotes=misquotes,
        cause=turn.spoken,
        material=lambda: turns_material(debate, purpose, order or (turn.number,), kinds=opened.rubric.claims),
    )


def _score_question(debate: Debate, opened: DebateOpened, turn: Turn, whole: WholeDebate | None) -> Question:
    """The question for the score of a turn."""
    number, rubric = turn.number, opened.rubric
    spoken = debate.transcript.spoken()[:number]
    return _asked_about(
        debate,
        opened,
        turn,
        whole,
        "score",
        f"score:{number}",
        scoring.score_type(rubric, number),
        lambda: scoring.score_prompt(opened.prompts, rubric, opened.motion, spoken),
        lambda whole: whole.score(spoken[-1]),
        becomes=scoring.ScoreAnswer,
    )


def _orders(opened: DebateOpened, number: int) -> dict[str, tuple[int, int]]:
    """The comparisons about a turn by name, each in the order in which its turns are shown.

    Each turn is compared with the one before; where the rubric has a ring, the last one with the first, too.  A person
    and a judge that is asked briefly see each pair in the order of the debate only.
    """
    found: dict[str, tuple[int, int]] = {}
    if number > 1:
        found |= {"forward": (number - 1, number), "backward": (number, number - 1)}
    if comparison.closes_ring(opened, number):
        found |= {"closing": (1, number), "closing_backward": (number, 1)}
    one_order = is_person(opened.judge.model) or opened.judge.effort == "brief"
    return {name: order for name, order in found.items() if not one_order or order[0] < order[1]}


JOINED: Final = (("score", "claims"), ("gaps", "premises"))
"""The questions about a turn that share a call of a judge with effort ``brief``."""


def _joined(opened: DebateOpened, asked: dict[str, Question]) -> dict[str, Question]:
    """The questions of a judge with effort ``brief``: two share a call."""
    kept = dict(asked)
    for names in JOINED:
        if kept.keys() >= set(names):
            kept |= _both(opened, *((name, kept[name]) for name in names))
    return kept


def _both(opened: DebateOpened, one: tuple[str, Question], other: tuple[str, Question]) -> dict[str, Question]:
    """Two questions in one call, each with its part of the answer.

    The prompt begins as the longer one of the two.
    """
    (first_name, first), (second_name, second) = one, other
    purpose = f"{first_name}{JOINS}{second_name}"

    def prompt() -> Prompt:
        asks = first.prompt(), second.prompt()
        ask = both_asked(opened.prompts, asks[0][-1].text, asks[1][-1].text)
        return (*max(asks, key=len)[:-1], Segment("user", ask))

    def misquotes(answer: Any) -> str:
        return "\n".join(found for each in (first, second) if (found := each.misquotes(answer)))

    def material() -> Material | None:
        found = first.material()
        return None if found is None else replace(found, purpose=purpose)

    both = replace(
        first,
        key=f"{purpose}:{first.turn}",
        purpose=purpose,
        prompt=prompt,
        answer_type=_merged(first.answer_type, second.answer_type),
        becomes=_merged(first.becomes, second.becomes),
        max_tokens=first.max_tokens + second.max_tokens,
        misquotes=misquotes,
        material=material,
    )
    return {first_name: replace(both, part=first.becomes), second_name: replace(both, part=second.becomes)}


@lru_cache(maxsize=64)
def _merged(first: type[Struct], second: type[Struct]) -> type[Struct]:
    """The type of an answer with the members of both."""
    members = [
        (each.name, each.type) if each.required else (each.name, each.type, each.default)
        for type_ in (first, second)
        for each in msgspec.structs.fields(type_)
    ]
    name = f"{first.__name__}And{second.__name__}"
    return msgspec.defstruct(name, members, frozen=True, kw_only=True, module=__name__)


def shortening_due(debate: Debate, opened: DebateOpened) -> ContextShortened | None:
    """The event that must come before the next questions, if the debate outgrows the window of its judge."""
    if not reads_whole(opened) or not opened.judge.window:  # unset, or without a limit
        return None
    due: ContextShortened | None = PARTS["shortening"].shortening_due(debate, opened)
    return due


def _whole(debate: Debate, opened: DebateOpened, up_to: int | None = None) -> WholeDebate | None:
    """The prompts of a judge that reads the whole debate; None for one that reads the newest turns."""
    return WholeDebate(debate, opened, up_to=up_to) if reads_whole(opened) else None


def evidence_of(
    debate: Debate, opened: DebateOpened, turn: Turn, asked: dict[str, Question]
) -> tuple[Any, dict[str, Question]]:
    """What the evidence shows of a turn, and the questions about it, once ``asked`` is answered or given up."""
    if not debate.evidence.passages:
        return None, {}
    citing = PARTS["evidence"]
    evidence = citing.turn_evidence(debate, opened, turn, answers(debate, asked["claims"]))
    return evidence, citing.evidence_questions(debate, opened, turn, evidence)


def judged(
    debate: Debate,
    opened: DebateOpened,
    turn: Turn,
    asked: dict[str, Question],
    evidence: Any = None,
) -> Sequence[Draft]:
    """The batch that follows from the answers, once every question about a turn is answered or given up."""
    given = {name: answers(debate, each) for name, each in asked.items()}
    batch, number = EventBatch(debate), turn.number
    scoring.record_score(batch, number, given["score"])
    compared = None
    if number > 1:
        compared = comparison.compare_turns(batch, number - 1, number, given["forward"], given.get("backward"))
        comparison.harmonize(batch, compared)
    if "closing" in given:
        closing = comparison.compare_turns(batch, 1, number, given["closing"], given.get("closing_backward"))
        comparison.harmonize(batch, closing)
    docking.recount_by_length(batch, number - 1)
    known = debate.known_injections
    record_injection(batch, number, injection.detect(turn.text) if known is None else known.get(number, ()))
    claims.flag_claims(batch, number, given["claims"])
    if evidence is not None:
        PARTS["evidence"].weigh_evidence(batch, turn, evidence, given)
    _appeal_new(batch, opened, number)
    if "gaps" in given:
        gaps.dock(batch, number, given["gaps"])
    spine.record_premises(batch, number, given["premises"])
    for purpose in ("claims", "gaps", "premises"):
        if purpose in given:
            record_unchecked(batch, number, purpose, given[purpose])
    if compared is not None:
        cause, side = compared, ""
        for event in after_exchange(batch.debate, batch.debate.exchanges.comparisons[number]):
            if isinstance(event, PressureApplied) or event.side != side:
                cause = compared
            cause, side = batch.add(event, cause), event.side
    return batch.drafts


# second opinions


def second_opinions(debate: Debate, opened: DebateOpened) -> dict[str, Question]:
    """The questions for second opinions, by claim; none after the verdict of the scorecard."""
    if debate.verdicts.scorecard is not None:
        return {}
    return {
        claim: _second_opinion(debate, opened, claim, entry)
        for claim, entry in debate.claims.items()
        if entry.state == "flagged" and entry.appealed
    }


def _appeal_new(batch: EventBatch, opened: DebateOpened, number: int) -> None:
    """Appeal automatically: every flag, or the serious ones if there is a second judge, as the opening says."""
    for claim, entry in batch.debate.claims.items():
        rule = rule_of(opened.rubric, entry.kind)
        has_second = opened.judge.appeals == "serious" and opened.judge.second is not UNSET
        serious = has_second and rule is not None and rule.second_opinion
        if entry.turn == number and entry.state == "flagged" and (serious or opened.judge.appeals == "all"):
            batch.add(ClaimAppealed(claim=claim, by="moot"), entry.flagged)


def _second_opinion(debate: Debate, opened: DebateOpened, claim: str, entry: Claim) -> Question:
    model = opened.judge.model if opened.judge.second is UNSET else opened.judge.second
    return Question(
        key=f"second_opinion:{claim}",
        purpose="second_opinion",
        turn=entry.turn,
        model=model,
        prompt=partial(_second_prompt, debate, opened, entry),
        answer_type=claims.SecondOpinion,
        becomes=claims.SecondOpinion,
        max_tokens=TOKENS["second_opinion"],
        think=opened.judge.think,
        cause=entry.appealed,
        material=lambda: claim_material(debate, "second_opinion", claim, entry),
    )


def _second_prompt(debate: Debate, opened: DebateOpened, entry: Claim) -> Prompt:
    if entry.evidence:
        prompt: Prompt = PARTS["evidence"].second_prompt(debate, opened, entry)
        return prompt
    if (whole := _whole(debate, opened)) is not None:
        return whole.second_opinion(entry)
    return with_moderator_messages(
        claims.second_prompt(opened.prompts, opened.rubric, opened.motion, debate.transcript.spoken(), entry),
        opened.prompts,
        messages_before_turn(debate.words, entry.turn),
    )


def settled(debate: Debate, opened: DebateOpened, due: dict[str, Question]) -> Sequence[Draft]:
    """What follows from the second opinions that have been given."""
    batch = EventBatch(debate)
    by = "second judge" if opened.judge.second is not UNSET else "judge, asked again"
    for claim, asked in due.items():
        if question(asked.key, 1) in debate.questions.answers:
            claims.settle(batch, claim, answers(debate, asked), by=by)
    return batch.drafts


# the end


def final_questions(debate: Debate, opened: DebateOpened) -> dict[str, Question]:
    """The questions about the whole debate: the narrative, and the convergence if the debate is long enough."""
    asked: dict[str, Question] = {}
    spoken = debate.transcript.spoken()
    if debate.verdicts.narrative is None:
        asked |= _narrative_questions(debate, opened)
    if debate.verdicts.convergence is None and opened.turns >= opened.rubric.convergence_from:
        long = PARTS["convergence"]
        asked["convergence"] = Question(
            key="convergence",
            purpose="convergence",
            turn=None,
            model=opened.judge.model,
            prompt=lambda: with_moderator_messages(
                long.convergence_prompt(opened.prompts, opened.motion, spoken),
                opened.prompts,
                debate.words.values(),
            ),
            answer_type=long.ConvergenceAnswer,
            becomes=long.ConvergenceAnswer,
            max_tokens=TOKENS["convergence"],
            think=opened.judge.think,
            cause=debate.course,
            material=partial(turns_material, debate, "convergence"),
        )
    return asked


def narrative_orders(opened: DebateOpened) -> int:
    """How often the narrative is asked: twice if the rubric says so, the judge reads all and is asked in full."""
    is_asked_twice = reads_whole(opened) and opened.judge.effort == "full" and not is_person(opened.judge.model)
    return opened.rubric.narrative_orders if is_asked_twice and opened.rubric.narrative_orders else 1


def _narrative_questions(debate: Debate, opened: DebateOpened) -> dict[str, Question]:
    """The narrative, and perhaps once more with the speakers' labels swapped."""
    whole = reads_whole(opened)

    def prompt(*, swapped: bool) -> Prompt:
        if whole:
            return WholeDebate(debate, opened, swapped=swapped).narrative()
        return verdicts.narrative_prompt(opened.prompts, opened.motion, debate)

    answer_type = verdicts.WholeNarrative if whole else verdicts.NarrativeAnswer
    return {
        name: Question(
            key=name,
            purpose="narrative",
            turn=None,
            model=opened.judge.model,
            prompt=partial(prompt, swapped=name != "narrative"),
            answer_type=answer_type,
            becomes=answer_type,
            max_tokens=TOKENS["narrative"],
            think=opened.judge.think,
            cause=debate.course,
            material=partial(turns_material, debate, "narrative", swapped=name != "narrative"),
        )
        for name in ("narrative", "narrative:swapped")[: narrative_orders(opened)]
    }


def concluded_from(debate: Debate, asked: dict[str, Question]) -> Sequence[Draft]:
    """The narrative and the convergence as events, or why one of them is missing."""
    batch = EventBatch(debate)
    if "narrative" in asked:
        plain, swapped = asked["narrative"], asked.get("narrative:swapped")
        verdicts.record_narrative(batch, answers(debate, plain), None if swapped is None else answers(debate, swapped))
    if "convergence" in asked:
        PARTS["convergence"].record_convergence(batch, answers(debate, asked["convergence"]))
    return batch.drafts


def second_readings(debate: Debate, opened: DebateOpened) -> dict[int, Question]:
    """The scores that are asked for again, by turn, since they do not fit the comparisons.

    The question is the one of the turn, as it was put when the turn had been spoken.  A person remembers the first
    answer, and a baseline gives the same one: neither is asked again.
    """
    if is_person(opened.judge.model) or opened.judge.baseline:
        return {}
    return {
        turn: replace(
            _score_question(debate, opened, debate.transcript.turns[turn], _whole(debate, opened, up_to=turn)),
            key=f"rescore:{turn}",
            samples=second_reading.READINGS,
        )
        for turn in second_reading.misfits(debate)
    }


def reread(debate: Debate, asked: dict[int, Question]) -> Sequence[Draft]:
    """What follows from the second readings, and the points of turns that have no score."""
    batch, lies = EventBatch(debate), second_reading.misfits(debate)
    for turn, question_ in asked.items():
        second_reading.rescore(batch, turn, lies[turn], answers(debate, question_))
    second_reading.infer(batch)
    return batch.drafts


def audit_question(debate: Debate, opened: DebateOpened) -> Question | None:
    """The closing audit by a judge that reads all turns; None if the rubric has none or it was made."""
    if not opened.rubric.gaps.closing_audit or debate.audited is not None or not reads_whole(opened):
        return None
    if not debate.ledger.cards:
        return None
    return Question(
        key="audit",
        purpose="audit",
        turn=None,
        model=opened.judge.model,
        prompt=lambda: WholeDebate(debate, opened).audit(),
        answer_type=gaps.audit_type(opened.rubric),
        becomes=gaps.audit_type(opened.rubric),
        max_tokens=TOKENS["audit"],
        think=opened.judge.think,
        cause=debate.course,
        material=partial(turns_material, debate, "audit"),
    )


def audited(debate: Debate, asked: Question) -> Sequence[Draft]:
    """The points that the closing audit takes off, and that it was made."""
    batch = EventBatch(debate)
    gaps.audit(batch, answers(debate, asked))
    return batch.drafts


def conflict_question(debate: Debate, opened: DebateOpened) -> Question | None:
    """The question about a conflict: the narrative names another winner than the scorecard.  None without one."""
    given = debate.verdicts
    if given.conflict is not None or given.narrative is None or given.scorecard is None:
        return None
    whole = reads_whole(opened)
    asks_by_margins = whole or given.scorecard.lead is not UNSET
    if not (is_conflict(debate) if asks_by_margins else given.narrative.winner not in {UNSET, given.scorecard.winner}):
        return None
    answer_type = verdicts.WholeConflict if whole else verdicts.ConflictAnswer
    return Question(
        key="conflict",
        purpose="conflict",
        turn=None,
        model=opened.judge.model,
        prompt=lambda: (
            WholeDebate(debate, opened).conflict()
            if whole
            else verdicts.conflict_prompt(opened.prompts, opened.motion, debate)
        ),
        answer_type=answer_type,
        becomes=answer_type,
        max_tokens=TOKENS["conflict"],
        think=opened.judge.think,
        cause=debate.course,
        material=partial(conflict_material, debate),
    )


def resolved(debate: Debate, asked: Question) -> Sequence[Draft]:
    """The explanation of the conflict as an event, or why it is missing."""
    batch = EventBatch(debate)
    given: Answers[Any] = answers(debate, asked)
    verdicts.record_conflict(batch, given)
    return batch.drafts
