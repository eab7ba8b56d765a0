"""The rounds of a deliberation: judges that have given independent opinions discuss where they differ.

An artifact and the panel of a debate have the same rounds.  A judge that has given an independent opinion takes part
in every round.  If its call fails, its last opinion stands.  Each judge has its own time in each round, so every round
that begins has time for all of them.

In rubrics of before version 3 all rounds share one limit, and a judge whose call fails has no opinion in that round.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.record import Draft
from events.state.debate import Debate, question
from events.text.figures import rounded
from events.types import DebateOpened, Missing, Rater
from events.types.criteria import DeliberationRules
from events.types.deliberation import DeliberationHeld, Disagreement, OpinionGiven
from judge.deliberation import questions
from judge.deliberation.agreement import (
    LISTED,
    agreement,
    disagreements,
    has_converged,
    mind_changes,
    standing,
    with_verdict,
)
from judge.deliberation.opinions import NO_TITLES, OpinionAnswer, no_opinion, own_points, read_opinion
from judge.deliberation.positions import independent_opinions
from judge.deliberation.subject import Opinions, Subject, rules_of, subject_of, titles_of
from judge.live.answers import Answers, why_missing
from judge.live.entries import record_notes
from judge.live.event_batch import EventBatch
from judge.panel.material import opinion_material
from judge.templates import has_section
from server.debate.formats.halts import halt_if_spent, halt_if_unpriced
from server.debate.formats.questions import Question, answers, pending
from server.debate.formats.steps import Step, record
from server.people.names import is_hosted, is_person

TOKENS: Final = 900
"""Maximum tokens of an opinion."""


class DeliberationState(Struct, frozen=True, kw_only=True):
    """The opening, and everything that the judges have given so far."""

    opened: DebateOpened
    subject: Subject
    rules: DeliberationRules
    given: tuple[Opinions, ...]
    """The opinions of round 0 and of each round that has been held, as they were given."""
    held: tuple[DeliberationHeld, ...]

    @property
    def opinions(self) -> tuple[Opinions, ...]:
        """The opinions that stand after each round."""
        return standing(self.given) if self.rules.carries is True else self.given

    @property
    def left_ms(self) -> int:
        """Model time of a judge in the next round, in milliseconds."""
        if self.rules.judge_s is not UNSET:
            return round(self.rules.judge_s * 1000)
        return round(self.rules.timeout_s * 1000) - sum(each.elapsed_ms for each in self.held)

    @property
    def is_too_late(self) -> bool:
        """Whether the rounds share one limit, and less of it is left than the longest round took."""
        is_shared = self.rules.carries is True and self.rules.judge_s is UNSET
        return is_shared and self.left_ms < max((each.elapsed_ms for each in self.held), default=0)

    @property
    def to_discuss(self) -> tuple[Disagreement, ...]:
        """The disagreements that the next round would discuss."""
        return disagreements(self.opinions[-1], self.subject.dimensions, self.rules, self.subject.scale)


def rounds(debate: Debate, opened: DebateOpened) -> tuple[Step, ...]:
    """The steps of the rounds; none if no deliberation is due, or after it has ended.

    In a debate the opinions of round 0 follow from the scores that the panel has given.
    """
    state = deliberation_of(debate, opened)
    if state.held:
        if state.held[-1].ended:
            return ()
    elif why_no_rounds(debate, state) is not None:
        return ()
    if not debate.panel.opinions:
        return record([_opinion_draft(debate, each) for each in state.opinions[0].values()])
    number = len(state.held) + 1
    asked = _round_questions(debate, state, number)
    return affordable(debate, opened, list(asked.values())) or record(_round_drafts(debate, state, number))


def deliberation_of(debate: Debate, opened: DebateOpened) -> DeliberationState:
    """The opening, and everything that the judges have given so far."""
    panel = debate.panel
    held = tuple(panel.rounds[str(number)] for number in range(1, len(panel.rounds) + 1))
    given_answers = (
        tuple(panel.opinions.get(str(number), {}) for number in range(len(held) + 1)) if panel.opinions else ()
    )
    return DeliberationState(
        opened=opened,
        subject=subject_of(debate, opened),
        rules=rules_of(opened),
        held=held,
        given=given_answers or (independent_opinions(debate, opened),),
    )


def why_no_rounds(debate: Debate, state: DeliberationState) -> str | None:
    """Why no first round is held; None if one is due."""
    measured = agreement(state.opinions[0], state.rules, state.subject.scale)
    if state.rules.rounds < 1 or state.left_ms <= 0:
        return "no deliberation was asked for"
    if isinstance(measured, Missing):
        return f"no deliberation: {measured.missing.reason}"
    if has_converged(measured, state.rules):
        return f"no deliberation was needed: {_enough(measured, state.rules)}"
    if not state.to_discuss:
        return "no deliberation: the judges differ, but nowhere far enough to be asked again"
    if _has_begun(debate, 1):
        return None
    return "no deliberation: the cost cap is reached" if halt_if_spent(debate, state.opened) is not None else None


def _why_ended(debate: Debate, state: DeliberationState, number: int, after: float | Missing) -> str:
    """Why no further round follows round ``number``; empty if one may follow."""
    rules = state.rules
    if not isinstance(after, Missing) and has_converged(after, rules):
        return ("" if rules.carries is True else "the judges agree: ") + _enough(after, rules)
    if state.left_ms <= 0:
        return f"the {rules.timeout_s:g} s of model time are used up"
    if state.is_too_late:
        return f"{state.left_ms / 1000:g} s of model time are left, and a round has taken longer"
    if len(with_verdict(state.given[-1])) < rules.least_judges:
        return f"fewer than {rules.least_judges} judges answered in round {number}"
    if number >= rules.rounds:
        return f"{number} round{'s' if number > 1 else ''} held, and the judges still differ"
    if not state.to_discuss:
        return "the judges differ, but nowhere far enough to be asked again"
    return "the cost cap is reached" if halt_if_spent(debate, state.opened) is not None else ""


def _enough(measured: float, rules: DeliberationRules) -> str:
    return f"an agreement of {rounded(measured, 2)} where {rounded(rules.converged, 2)} is enough"


# questions


def _round_questions(debate: Debate, state: DeliberationState, number: int) -> dict[str, Question]:
    """The questions of a round, by rater, for each rater with model time left."""
    opened, subject = state.opened, state.subject
    last = state.opinions[-1]
    listed = LISTED if state.rules.carries is True else questions.MAX_LISTED
    shown = questions.positions_text(opened.prompts, subject, opened.panel, last, state.to_discuss, number, listed)
    cause = debate.panel.positions.get(f"round:{number - 1}", debate.course)
    asked = {}
    for seat in _participants(state):
        own, again = _own(state, seat), _again(state, seat)

        def prompt(seat: Rater = seat, own: OpinionGiven = own, again: questions.Again | None = again) -> Any:
            if opened.artifact is not UNSET:
                return questions.artifact_round_prompt(
                    opened.prompts, opened.artifact, subject, shown, seat, own, again=again
                )
            return questions.debate_round_prompt(opened, debate, subject, shown, seat, own, again=again)

        left_ms = state.left_ms - _spent_ms(debate, seat, number)
        if left_ms > 0:
            asked[seat.name] = question_to(
                debate,
                seat,
                number,
                subject,
                opened,
                prompt,
                cause=cause,
                timeout_s=left_ms / 1000,
                shown="\n\n".join(filter(None, (shown, questions.own_words(again, own)))),
                again=again,
            )
    return asked


def _own(state: DeliberationState, seat: Rater) -> OpinionGiven:
    """The last opinion of a judge that takes part."""
    return [each[seat.name] for each in state.opinions if seat.name in with_verdict(each)][-1]


def _again(state: DeliberationState, seat: Rater) -> questions.Again | None:
    """What a judge is asked about the others and about its own findings; None by the rules of before."""
    opened = state.opened
    if state.rules.reasons is not True or not has_section(opened.prompts["deliberate"], questions.MOVED):
        return None
    others = {name: title for name, title in titles_of(opened.panel).items() if name != seat.name}
    is_listed = state.rules.carries is True and opened.artifact is not UNSET
    return questions.Again(
        titles={name: title for name, title in others.items() if name in with_verdict(state.opinions[-1])},
        points=tuple(own_points(_own(state, seat))) if is_listed else (),
    )


def question_to(
    debate: Debate,
    seat: Rater,
    number: int,
    subject: Subject,
    opened: DebateOpened,
    prompt: Any,
    *,
    cause: int,
    timeout_s: float | None = None,
    shown: str = "",
    again: questions.Again | None = None,
) -> Question:
    """The question for one judge's opinion in a round."""
    asks = {subject.label(name): each for name, each in subject.dimensions.items()}
    return Question(
        key=_key(seat, number),
        purpose="deliberate",
        turn=None,
        model=seat.model,
        prompt=prompt,
        answer_type=questions.opinion_type(subject, lists=opened.artifact is not UNSET, again=again),
        becomes=OpinionAnswer,
        max_tokens=TOKENS,
        think=seat.think,
        cause=cause,
        timeout_s=timeout_s,
        material=lambda: opinion_material(debate, seat, asks, shown, subject.sides),
    )


def affordable(debate: Debate, opened: DebateOpened, asked: Sequence[Question]) -> tuple[Step, ...]:
    """The calls still to make; none once the cost cap is reached, so that the opinions so far are judged.

    A halt replaces them if the cost so far is unknown.
    """
    calls = pending(debate, opened, asked)
    if calls and (stop := halt_if_unpriced(debate, opened)) is not None:
        return (stop,)
    return () if halt_if_spent(debate, opened) is not None else calls


def _participants(state: DeliberationState) -> list[Rater]:
    """The seats that have given an independent opinion."""
    return [seat for seat in state.opened.panel if seat.name in with_verdict(state.opinions[0])]


def _key(seat: Rater, number: int) -> str:
    return f"deliberate:{seat.name}:{number}"


def _spent_ms(debate: Debate, seat: Rater, number: int) -> int:
    """Model time of a judge in a round, in milliseconds, with its failed calls; 0 for one that answers outside."""
    if is_person(seat.model) or is_hosted(seat.model):
        return 0
    return debate.questions.spent_ms.get(question(_key(seat, number), 1), 0)


def _has_begun(debate: Debate, number: int) -> bool:
    return any(key.startswith("deliberate:") and key.endswith(f":{number}/1") for key in debate.questions.asked)


# batches


def _opinion_draft(debate: Debate, opinion: Any) -> Draft:
    """A rater's opinion of round 0 in a debate: it follows from its scores."""
    at = debate.panel.raters[opinion.rater].position
    return Draft(event=opinion, cause=None if at is UNSET else at)


def _round_drafts(debate: Debate, state: DeliberationState, number: int) -> Sequence[Draft]:
    """The opinions of a round, and its result."""
    batch, subject, seats = EventBatch(debate), state.subject, _participants(state)
    for seat in seats:
        again = _again(state, seat)
        asked = question_to(debate, seat, number, subject, state.opened, tuple, cause=debate.course, again=again)
        own = _own(state, seat) if state.rules.carries is True and state.opened.artifact is not UNSET else None
        titles = {} if again is None else again.titles
        add_opinion(batch, seat, number, subject, answers(debate, asked), cause=debate.course, own=own, titles=titles)
    given = batch.debate.panel.opinions[str(number)]
    on = replace(state, given=(*state.given, given))
    now = on.opinions[-1]
    before = agreement(state.opinions[-1], state.rules, subject.scale)
    assert isinstance(before, float), "a round begins with an agreement"
    after = agreement(now, state.rules, subject.scale)
    carried = {name: each.round for name, each in with_verdict(now).items() if each.round != number}
    event = DeliberationHeld(
        round=number,
        before=before,
        after=after,
        disagreements=state.to_discuss,
        changes=mind_changes(state.opinions, now, subject.quote_minimum),
        elapsed_ms=max(_spent_ms(debate, seat, number) for seat in seats),
        carried=carried or UNSET,
    )
    on = replace(on, held=(*state.held, event))
    batch.add(replace(event, ended=_why_ended(debate, on, number, after)), batch.debate.course)
    return batch.drafts


def add_opinion(
    batch: EventBatch,
    seat: Rater,
    number: int,
    subject: Subject,
    given_answers: Answers[Any],
    *,
    cause: int,
    own: OpinionGiven | None = None,
    titles: Mapping[str, str] = NO_TITLES,
) -> None:
    """Add the opinion that follows from a judge's answer, or why there is none.

    ``own`` is its opinion so far, ``titles`` those of the judges that it read.
    """
    if not given_answers.given:
        silent = no_opinion(why_missing(given_answers), rater=seat.name, model=seat.model, number=number)
        batch.add(silent, cause)
        return
    position, answer = given_answers.given[0]
    record_notes(batch, 0, "deliberate", given_answers, kinds=("number",))
    notes = [note for _, note in given_answers.notes]
    opinion = read_opinion(
        answer, notes, subject, rater=seat.name, model=seat.model, number=number, own=own, titles=titles
    )
    batch.add(opinion, position)
