"""The judge's question about passages and claims: what is asked, its prompts, and its answers as relations.

One question holds all claims of a turn that are compared.  It is asked in both orders of claim and passage, as two
calls.  A relation counts only if both orders name it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from events.state.claims import Claim
from events.state.debate import Debate
from events.types import DebateOpened, Relation, Span, TurnSpoken, WeighedRelation
from events.types.rubric import rule_of
from judge.evidence.checks import CheckedCitation
from judge.guard.neutralise import quoted
from judge.guard.quotes import find
from judge.live.answers import Answers, Quote, Why, majority, overlaps
from judge.live.claims import ClaimsAnswer
from judge.live.prompt import Prompt, Prompts, opening, speaker, turn_segment
from judge.material import labels_of, material_of, speeches_of
from judge.templates import EVIDENCE, fill, section
from judge.text.words import sentences
from providers.base import Material, RegisterEntry, Segment

PURPOSE: Final = EVIDENCE
MAX_PAIRS: Final = 8
"""Claims of one turn that are compared: the cited ones first."""
MAX_CLAIM: Final = 600
"""Characters of a claim in the prompt."""
MAX_PASSAGE: Final = 2_000
"""Characters of a passage in the prompt."""
Order = Literal["forward", "backward"]
"""``forward``: the claim comes before the passage."""
ORDERS: Final[tuple[Order, Order]] = ("forward", "backward")
_SECTIONS: Final[Mapping[Order, str]] = {"forward": "claim_first", "backward": "passage_first"}


class Pair(Struct, frozen=True, kw_only=True):
    """A claim of a turn and one passage."""

    passage: str
    claim: Span
    citations: tuple[int, ...] = ()
    """The findings of the turn that it is about, by their place; none for a claim without a citation."""


class PassageRelation(Struct, frozen=True, kw_only=True):
    """How one passage bears on its claim."""

    number: Annotated[int, Meta(ge=1, le=MAX_PAIRS)]
    relation: Relation
    quote: Quote = ""
    reason: Why = ""


class EvidenceAnswer(Struct, frozen=True, kw_only=True):
    """All relations of a turn: ``{"relations": [{"number", "relation", "quote", "reason"}]}``."""

    relations: Annotated[list[PassageRelation], Meta(max_length=MAX_PAIRS)]


def pairs_of(
    text: str,
    checked: Sequence[CheckedCitation],
    suspected: Iterable[Span] = (),
    best: Mapping[Span, str] | None = None,
) -> tuple[Pair, ...]:
    """Return what the judge compares: cited claims with their passages, then suspect ones with the best passage.

    ``suspected``: the words of suspect claims, of which those in a cited statement are left out.  ``best``: the passage
    that fits each of them best, if any does.
    """
    pairs: dict[tuple[str, Span], Pair] = {}
    for number, each in enumerate(checked):
        if each.finding in {"unknown_passage", "uncited"} or not _has_words(text, each):
            continue
        key = (each.passage, each.statement)
        known = pairs.get(key, Pair(passage=each.passage, claim=each.statement)).citations
        pairs[key] = Pair(passage=each.passage, claim=each.statement, citations=(*known, number))
    cited = [claim for _, claim in pairs]
    for span in suspected:
        if (passage := (best or {}).get(span)) and not any(overlaps(span, claim) for claim in cited):
            claim = _sentence_of(text, span)
            pairs.setdefault((passage, claim), Pair(passage=passage, claim=claim))
    return tuple(pairs.values())[:MAX_PAIRS]


def suspected(text: str, answers: Iterable[ClaimsAnswer], minimum: int) -> tuple[Span, ...]:
    """Return the words of the suspect claims that the judge named in a turn, each once."""
    spans: list[Span] = []
    for answer in answers:
        for claim in answer.claims:
            span = find(claim.quote, text, minimum)
            if span is not None and not any(overlaps(span, known) for known in spans):
                spans.append(span)
    return tuple(spans)


def _has_words(text: str, each: CheckedCitation) -> bool:
    """Return whether a statement says anything apart from its marks."""
    start, end = each.statement
    return any(sign.isalpha() for sign in text[start : each.span[0]] + text[each.span[1] : end])


def _sentence_of(text: str, span: Span) -> Span:
    """Return the sentences in which the words stand."""
    touched = [each for each in sentences(text) if overlaps(each, span)]
    return (touched[0][0], touched[-1][1]) if touched else span


def evidence_prompt(
    prompts: Prompts,
    motion: str,
    spoken: Sequence[TurnSpoken],
    pairs: Sequence[Pair],
    passages: Mapping[str, str],
    order: Order,
) -> Prompt:
    """Ask how each passage bears on its claim.  ``spoken``: all turns so far; the last one makes the claims."""
    turn, frame = spoken[-1], prompts[PURPOSE]
    shown = "\n\n".join(
        fill(
            section(frame, _SECTIONS[order]),
            number=str(number),
            passage=each.passage,
            claim=quoted(claim_text(turn.text, each)),
            text=quoted(passages[each.passage][:MAX_PASSAGE]),
        )
        for number, each in enumerate(pairs, 1)
    )
    ask = fill(section(frame, "ask"), turn=str(turn.turn), speaker=speaker(spoken, turn), pairs=shown)
    return (*opening(prompts, motion), turn_segment(prompts, spoken, turn), Segment("user", ask))


def claim_text(text: str, pair: Pair) -> str:
    """Return the words of a claim, as the prompt shows them."""
    return text[pair.claim[0] : pair.claim[1]][:MAX_CLAIM]


def second_prompt(debate: Debate, opened: DebateOpened, claim: Claim) -> Prompt:
    """Ask whether a passage contradicts a claim; the prompt does not tell that it has been flagged."""
    spoken, rule = debate.transcript.spoken(), rule_of(opened.rubric, claim.kind)
    assert rule is not None, "a claim is flagged by a rule"
    assert claim.evidence, "the evidence decides this kind"
    turn = next(each for each in spoken if each.turn == claim.turn)
    ask = fill(
        section(opened.prompts[PURPOSE], "second_opinion"),
        turn=str(turn.turn),
        speaker=speaker(spoken, turn),
        claim=quoted(claim.quote[:MAX_CLAIM]),
        passage=claim.evidence.passage,
        text=quoted(debate.evidence.passages[claim.evidence.passage].passage.text[:MAX_PASSAGE]),
        kind=rule.asks,
        means=rule.means or rule.asks,
        excludes=rule.excludes or "anything else",
    )
    return (*opening(opened.prompts, opened.motion), turn_segment(opened.prompts, spoken, turn), Segment("user", ask))


class WeighedPair(Struct, frozen=True, kw_only=True):
    """What both orders say of one pair."""

    forward: WeighedRelation
    backward: WeighedRelation
    relation: WeighedRelation
    quotes: tuple[str, ...]
    """What the judge copied from the passage, in the answers that name the relation."""
    reason: str
    position: int
    """Position of an answer that names the relation; of any answer if it is undecided."""


def weigh(number: int, forward: Answers[EvidenceAnswer], backward: Answers[EvidenceAnswer]) -> WeighedPair | None:
    """Return what the answers say of the pair with this number; None if an order says nothing of it."""
    named = {order: _named(number, given) for order, given in zip(ORDERS, (forward, backward), strict=True)}
    if not all(named.values()):
        return None
    chosen: dict[Order, WeighedRelation] = {
        order: majority([each.relation for _, each in found], "undecided") for order, found in named.items()
    }
    relation: WeighedRelation = chosen["forward"] if chosen["forward"] == chosen["backward"] else "undecided"
    everything = [*named["forward"], *named["backward"]]
    telling = [each for each in everything if each[1].relation == relation] or everything
    return WeighedPair(
        forward=chosen["forward"],
        backward=chosen["backward"],
        relation=relation,
        quotes=tuple(dict.fromkeys(each.quote for _, each in telling if each.quote)),
        reason=next((each.reason for _, each in telling if each.reason), ""),
        position=telling[0][0],
    )


def _named(number: int, answers: Answers[EvidenceAnswer]) -> list[tuple[int, PassageRelation]]:
    """Return what each sample says of a pair: the first entry with its number."""
    found = (
        (position, next((each for each in answer.relations if each.number == number), None))
        for position, answer in answers.given
    )
    return [(position, each) for position, each in found if each is not None]


def evidence_material(debate: Debate, turn: int, compared: Iterable[tuple[str, str, str]]) -> Material:
    """Return the passages and claims of a turn that are compared: (passage, its words, the claim's words) of each."""
    labels = labels_of(debate)
    speaker = labels[debate.transcript.turns[turn].side]
    return material_of(
        debate,
        "evidence",
        speeches=speeches_of(debate, labels),
        about=(str(turn),),
        register=tuple(
            RegisterEntry(name=name, kind="passage", speaker=speaker, speech=str(turn), text=words, quote=claim)
            for name, words, claim in compared
        ),
    )
