"""The citations of a turn: what is found of them, the judge's question about them in ``exchange``, what follows."""

from functools import lru_cache, partial
from typing import Any, Final

from msgspec import Struct

from events.state.debate import Debate
from events.state.parts.evidence import EvidencePack
from events.state.transcript import Turn
from events.types import DebateOpened
from judge.evidence.checks import CheckedTurn, check_turn
from judge.evidence.question import (
    ORDERS,
    PURPOSE,
    EvidenceAnswer,
    Pair,
    claim_text,
    evidence_material,
    evidence_prompt,
    pairs_of,
    second_prompt,
    suspected,
)
from judge.evidence.rules import record_citations, record_evidence
from judge.live.answers import Answers
from judge.live.claims import ClaimsAnswer
from judge.live.event_batch import EventBatch
from server.debate.formats.questions import Question
from server.evidence.retrieval import best_passages
from server.people.names import is_person

TOKENS: Final = 1600
"""Maximum tokens of an answer about all claims of a turn."""
__all__ = ["evidence_questions", "record_statement_citations", "second_prompt", "turn_evidence", "weigh_evidence"]


class TurnEvidence(Struct, frozen=True):
    """What the evidence shows of a turn before the judge is asked: its findings, and the claims to compare."""

    checked: CheckedTurn
    pairs: tuple[Pair, ...]
    passages: dict[str, str]
    """The texts of all passages, by id."""


class _SamePack:
    """The evidence of a debate as a key: equal to itself only."""

    __slots__ = ("pack",)

    def __init__(self, pack: EvidencePack) -> None:
        self.pack = pack

    @property
    def texts(self) -> dict[str, str]:
        return {name: each.passage.text for name, each in self.pack.passages.items()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SamePack) and self.pack is other.pack

    def __hash__(self) -> int:
        return id(self.pack)


@lru_cache(maxsize=8)
def _checked(
    text: str, pack: _SamePack, minimum: int, earlier: tuple[str, ...], own: tuple[str, ...], language: str
) -> CheckedTurn:
    """The findings of a turn: each step of its judgement asks for them, and a large pack takes tenths of a second."""
    return check_turn(
        text,
        pack.texts,
        misread=pack.pack.misread,
        minimum=minimum,
        earlier=earlier,
        own=own,
        language=language,
        languages=pack.pack.foreign(language).values(),
        rules=pack.pack.rules,
    )


def turn_evidence(
    debate: Debate, opened: DebateOpened, turn: Turn, claims: Answers[ClaimsAnswer]
) -> TurnEvidence | None:
    """Check the citations of a turn, whose suspect claims are answered or given up.  None without evidence."""
    if not debate.evidence.passages:
        return None
    minimum, passages = opened.rubric.quote_minimum, _SamePack(debate.evidence).texts
    checked = _citations_of(debate, opened, turn, before=turn.number)
    if PURPOSE not in opened.prompts:
        return TurnEvidence(checked, (), passages)
    spans = suspected(turn.text, claims.values, minimum)
    best = {
        (start, end): found[0]
        for start, end in spans
        if (found := best_passages(debate.evidence, turn.text[start:end], opened.language or "en", 1))
    }
    misread = debate.evidence.misread  # the judge would rest a charge on words that run together
    pairs = tuple(each for each in pairs_of(turn.text, checked.citations, spans, best) if each.passage not in misread)
    return TurnEvidence(checked, pairs, passages)


def _citations_of(debate: Debate, opened: DebateOpened, turn: Turn, *, before: int) -> CheckedTurn:
    """The findings of a turn.  ``before``: the turns before this one were said earlier."""
    spoken = [each for each in debate.transcript.spoken() if each.turn < before]
    earlier = (opened.motion, *(each.text for each in spoken if each.side != turn.side))
    own = tuple(each.text for each in spoken if each.side == turn.side)
    minimum, pack = opened.rubric.quote_minimum, _SamePack(debate.evidence)
    return _checked(turn.text, pack, minimum, earlier, own, opened.language or "en")


def record_statement_citations(batch: EventBatch, opened: DebateOpened, number: int) -> None:
    """Check the citations of a statement by protocol, which the batch has recorded.  The judge is not asked."""
    if batch.debate.evidence.passages:
        turn, first_of_round = batch.debate.transcript.turns[number], number - 1 + number % 2
        record_citations(batch, number, _citations_of(batch.debate, opened, turn, before=first_of_round))


def evidence_questions(
    debate: Debate, opened: DebateOpened, turn: Turn, evidence: TurnEvidence | None
) -> dict[str, Question]:
    """The question how passages bear on claims; none without a claim to compare.

    A model is asked in both orders, a person once.
    """
    if evidence is None or not evidence.pairs:
        return {}
    spoken, passages = debate.transcript.spoken(), evidence.passages
    compared = [(each.passage, passages[each.passage], claim_text(turn.text, each)) for each in evidence.pairs]
    return {
        f"{PURPOSE}:{order}": Question(
            key=f"{PURPOSE}:{turn.number}:{order}",
            purpose=PURPOSE,
            turn=turn.number,
            model=opened.judge.model,
            prompt=partial(evidence_prompt, opened.prompts, opened.motion, spoken, evidence.pairs, passages, order),
            answer_type=EvidenceAnswer,
            becomes=EvidenceAnswer,
            max_tokens=TOKENS,
            think=opened.judge.think,
            samples=opened.judge.samples,
            cause=turn.spoken,
            material=partial(evidence_material, debate, turn.number, compared),
        )
        for order in (ORDERS[:1] if is_person(opened.judge.model) else ORDERS)
    }


def weigh_evidence(batch: EventBatch, turn: Turn, evidence: TurnEvidence, given: dict[str, Answers[Any]]) -> None:
    """Add what follows from the evidence to the batch of a turn, after its suspect claims are flagged."""
    weighed: dict[str, Answers[Any]] = {
        order: given[f"{PURPOSE}:{order}"] for order in ORDERS if f"{PURPOSE}:{order}" in given
    }
    if len(weighed) == 1:  # a person's one answer stands for both orders
        weighed = dict.fromkeys(ORDERS, next(iter(weighed.values())))
    record_evidence(batch, turn.number, evidence.checked, evidence.pairs, evidence.passages, weighed)
