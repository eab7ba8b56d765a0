"""The material of a judge's question as values, for a provider that does not read prompts (``providers.base``)."""

from collections.abc import Iterable, Mapping

from msgspec import UNSET
from msgspec.structs import replace

from events.state.claims import Claim
from events.state.debate import Debate
from events.types import SIDES, Case, DebateOpened, Missing, Rater, Side, Winner, other
from events.types.criteria import Criteria
from events.types.rubric import Anchors, ClaimRule, Rubric, rule_of
from judge.live.scoring import applicable
from judge.live.whole import rule_effect
from judge.protocol.assess import faulty_citations
from judge.rubric import fmt
from providers.base import Material, RegisterEntry, Speech, Term

GONE = frozenset({"dropped", "withdrawn"})


def turns_material(
    debate: Debate, purpose: str, about: Iterable[int] = (), *, kinds: Iterable[str] = (), swapped: bool = False
) -> Material:
    """Return all turns so far with the premises that stand.  ``swapped``: whoever spoke first is Speaker B."""
    opened, labels = _opened(debate), _labels(debate, swapped=swapped)
    names, premises = (
        tuple(map(str, about)),
        tuple(
            RegisterEntry(
                name=name,
                kind="premise",
                speaker=labels[each.side],
                speech=str(each.turn),
                text=each.text,
                quote=each.quote,
            )
            for name, each in debate.spine.premises.items()
            if each.state not in GONE
        ),
    )
    claims = tuple(
        RegisterEntry(
            name=name,
            kind=each.kind,
            speaker=labels[debate.transcript.turns[each.turn].side],
            speech=str(each.turn),
            text=each.quote,
            quote=each.quote,
        )
        for name, each in debate.claims.items()
    )
    return Material(
        purpose=purpose,
        motion=opened.motion,
        language=opened.language or "en",
        speeches=_turns(debate, labels),
        about=names,
        register=premises + claims,
        kinds=tuple(kinds),
        terms=_terms(opened.rubric, purpose, names),
        context=_moderator_words(debate),
        least_quote=opened.rubric.quote_minimum,
    )


def conflict_material(debate: Debate) -> Material:
    """Return all turns with the two readings of the debate that differ."""
    read, verdicts = turns_material(debate, "conflict"), debate.verdicts
    card, narrative = verdicts.scorecard, verdicts.narrative
    assert card is not None, "two verdicts differ"
    assert narrative is not None, "two verdicts differ"
    labels = _labels(debate)
    means = ", ".join(
        f"Speaker {label} {'has no score' if isinstance(mean, Missing) else f'has {fmt(mean)} of 100 points'}"
        for side, label in sorted(labels.items(), key=lambda each: each[1])
        for mean in (getattr(card.mean, side),)
    )
    readings = (
        f"By the scores of the single turns {_winner(card.winner, labels)}: {means}.",
        f"What the rules changed after the turns were scored: {rule_effect(debate, labels)}.",
        f"By the reading of the whole debate {_winner(narrative.winner or 'neither', labels)}: {narrative.explanation}",
    )
    return replace(read, context="\n".join((*readings, *((read.context,) if read.context else ()))))


def _winner(winner: Winner, labels: Mapping[Side, str]) -> str:
    return "neither speaker wins" if winner == "neither" else f"Speaker {labels[winner]} wins"


def panel_material(debate: Debate, purpose: str, seat: Rater, about: Iterable[str]) -> Material:
    """Return what a rater reads: the turns or the arguments, its part, and the criteria."""
    opened = _opened(debate)
    read = arguments_material(debate, purpose) if opened.format == "protocol" else turns_material(debate, purpose)
    return replace(
        read,
        about=tuple(about),
        register=(),
        terms=_criteria_terms(opened.rubric.criteria),
        context="\n".join(part for part in (_part(seat), read.context) if part),
    )


def opinion_material(debate: Debate, seat: Rater, asks: Mapping[str, str], shown: str) -> Material:
    """Return what a judge of a deliberation reads; ``asks``: each dimension with its question, ``shown``: positions."""
    opened = _opened(debate)
    labels = _labels(debate)
    speeches = _turns(debate, labels)
    if opened.artifact is not UNSET:
        speeches = (Speech(name=opened.artifact.name, speaker="", text=opened.artifact.text, kind="text"),)
    return Material(
        purpose="deliberate",
        motion=opened.motion,
        language=opened.language or "en",
        speeches=speeches,
        terms=tuple(Term(name=name, asks=each) for name, each in asks.items()),
        context="\n\n".join(part for part in (_part(seat), shown) if part),
        least_quote=opened.rubric.quote_minimum,
    )


def claim_material(debate: Debate, purpose: str, name: str, claim: Claim) -> Material:
    """Return one claim with all turns so far."""
    labels = _labels(debate)
    entry = RegisterEntry(
        name=name,
        kind=claim.kind,
        speaker=labels[debate.transcript.turns[claim.turn].side],
        speech=str(claim.turn),
        text=claim.quote,
        quote=claim.quote,
    )
    opened = _opened(debate)
    rule = rule_of(opened.rubric, claim.kind)
    return Material(
        purpose=purpose,
        motion=opened.motion,
        language=opened.language or "en",
        speeches=_turns(debate, labels),
        about=(str(claim.turn),),
        register=(entry,),
        kinds=(claim.kind,),
        terms=() if rule is None else (_claim_term(claim.kind, rule),),
        context=_moderator_words(debate),
        least_quote=opened.rubric.quote_minimum,
    )


def evidence_material(debate: Debate, turn: int, compared: Iterable[tuple[str, str, str]]) -> Material:
    """Return the passages and claims of a turn that are compared: (passage, its words, the claim's words) of each."""
    labels, opened = _labels(debate), _opened(debate)
    speaker = labels[debate.transcript.turns[turn].side]
    return Material(
        purpose="evidence",
        motion=opened.motion,
        language=opened.language or "en",
        speeches=_turns(debate, labels),
        about=(str(turn),),
        register=tuple(
            RegisterEntry(name=name, kind="passage", speaker=speaker, speech=str(turn), text=words, quote=claim)
            for name, words, claim in compared
        ),
        context=_moderator_words(debate),
        least_quote=opened.rubric.quote_minimum,
    )


def arguments_material(debate: Debate, purpose: str) -> Material:
    """Return the arguments of a protocol debate, what was said of them, their authors' answers, and the closings."""
    labels: dict[Side, str] = {"pro": "A", "con": "B"}
    arguments = debate.protocol.arguments
    speeches = [
        Speech(
            name=name,
            speaker=labels[each.side],
            text=_joined(each.claim, each.reasoning, each.evidence),
            kind="argument",
        )
        for name, each in arguments.items()
    ]
    speeches += [
        Speech(
            name=f"answer to {name}",
            speaker=labels[other(each.side)],
            text=_joined(each.cross.reasoning, each.cross.follow_up),
            kind="answer",
            answers=name,
        )
        for name, each in arguments.items()
        if each.cross is not UNSET
    ]
    speeches += [
        Speech(name=f"reply about {name}", speaker=labels[each.side], text=each.answer, kind="reply", answers=name)
        for name, each in arguments.items()
        if each.answer is not UNSET
    ]
    last = {turn.side: turn for turn in debate.transcript.spoken()}
    speeches += [
        Speech(name=f"closing of {labels[side]}", speaker=labels[side], text=last[side].text, kind="closing")
        for side in SIDES
        if side in debate.protocol.closings and side in last
    ]
    opened = _opened(debate)
    fallacies = opened.rubric.protocol.fallacies if opened.rubric.protocol is not None else {}
    return Material(
        purpose=purpose,
        motion=opened.motion,
        language=opened.language or "en",
        speeches=tuple(speeches),
        about=tuple(arguments),
        terms=(
            *_criteria_terms(opened.rubric.criteria),
            *(Term(name=name, asks=means) for name, means in fallacies.items()),
        ),
        context="\n".join(filter(None, (_moderator_words(debate), *faulty_citations(debate)))),
        least_quote=opened.rubric.quote_minimum,
    )


def case_material(case: Case, seat: Rater, opened: DebateOpened) -> Material:
    """Return the arguments of a case with a known outcome."""
    speeches = tuple(
        Speech(name=each.id, speaker=label, text=_joined(each.claim, each.reasoning, each.evidence), kind="argument")
        for label, arguments in (("A", case.pro), ("B", case.con))
        for each in arguments
    )
    about = tuple(each.name for each in speeches)
    return Material(
        purpose="panel",
        motion=case.motion,
        language=opened.language or "en",
        speeches=speeches,
        about=about,
        terms=_criteria_terms(opened.rubric.criteria),
        context=_part(seat),
    )


def _terms(rubric: Rubric, purpose: str, about: tuple[str, ...]) -> tuple[Term, ...]:
    """What the rubric says of the parts of an answer, by the purpose of the question."""
    match purpose:
        case "score":
            asked = applicable(rubric, int(about[0]))
            return tuple(
                Term(name=name, asks=each.asks, anchors=_anchors(each.anchors, 0, each.maximum), part_of=dimension)
                for dimension, group in rubric.dimensions.items()
                for name, each in group.components.items()
                if name in asked
            )
        case "compare":
            return tuple(
                Term(name=name, asks="; ".join(each.asks for each in rubric.dimensions[name].components.values()))
                for name in rubric.bands
            )
        case "claims":
            return tuple(_claim_term(kind, rule) for kind, rule in rubric.claims.items())
        case "gaps" | "audit":
            gaps, dimension = rubric.gaps, rubric.dimensions.get(rubric.gaps.dimension)
            parts = dimension.components.items() if dimension is not None else ()
            return (
                Term(name="points", anchors=_anchors(gaps.anchors, gaps.least, gaps.most)),
                *(Term(name=name, asks=each.asks, part_of="continues") for name, each in parts),
            )
        case _:
            return ()


def _claim_term(kind: str, rule: ClaimRule) -> Term:
    means = f": {rule.means}" if rule.means else ""
    excludes = f"; it is not {rule.excludes}" if rule.excludes else ""
    return Term(name=kind, asks=f"it {rule.asks}{means}{excludes}")


def _criteria_terms(criteria: Criteria | None) -> tuple[Term, ...]:
    if criteria is None:
        return ()
    return tuple(
        Term(name=name, asks=each.asks, anchors=_anchors(each.anchors, criteria.low, criteria.high))
        for name, each in criteria.dimensions.items()
    )


def _anchors(anchors: Anchors, least: float, most: float) -> dict[str, str]:
    """The anchors that are on the scale."""
    return {points: text for points, text in (anchors or {}).items() if least <= int(points) <= most}


def _part(seat: Rater) -> str:
    """The part of a rater on its panel, in words."""
    scepticism = f" {seat.scepticism}" if seat.scepticism else ""
    return f"Your part is that of the {seat.title.lower()}. Look above all at this: {seat.focus}.{scepticism}"


def _moderator_words(debate: Debate) -> str:
    """What the moderator has said, with its place."""
    return "\n".join(
        f"The moderator said {f'after turn {each.after_turn}' if each.after_turn else 'before the first turn'}: "
        f"{each.text}"
        for each in debate.words.values()
    )


def _turns(debate: Debate, labels: dict[Side, str]) -> tuple[Speech, ...]:
    return tuple(
        Speech(name=str(turn.turn), speaker=labels[turn.side], text=turn.text) for turn in debate.transcript.spoken()
    )


def _labels(debate: Debate, *, swapped: bool = False) -> dict[Side, str]:
    spoken = debate.transcript.spoken()
    first: Side = spoken[0].side if spoken else "pro"
    one, two = "BA" if swapped else "AB"
    return {first: one, other(first): two}


def _opened(debate: Debate) -> DebateOpened:
    assert debate.opened is not None, "questions are asked in an open debate"
    return debate.opened


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
