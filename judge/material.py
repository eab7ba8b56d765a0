"""The material of a judge's question as values, for a provider that does not read prompts (``providers.base``)."""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from events.state.claims import Claim
from events.state.debate import Debate
from events.state.derived import Derived, derived
from events.state.scorecard import most_of
from events.state.spine import Premise
from events.types import DebateOpened, Missing, Side, TurnSpoken, Winner, other
from events.types.rubric import Anchors, ClaimRule, Rubric, rule_of
from judge.live.conflict import mean_changes
from judge.live.scoring import applicable
from judge.rubrics.rubric import fmt
from providers.base import Material, RegisterEntry, Speech, Term

GONE = frozenset({"dropped", "withdrawn"})


def turns_material(
    debate: Debate, purpose: str, about: Iterable[int] = (), *, kinds: Iterable[str] = (), swapped: bool = False
) -> Material:
    """Return all turns so far with the premises that stand.  ``swapped``: whoever spoke first is Speaker B."""
    names, kept = tuple(map(str, about)), derived(opened_of(debate))
    speeches, register = kept.of(
        ("material", swapped),
        (debate.transcript.turns, debate.spine.premises, debate.claims),
        lambda: (_speeches(debate, kept, swapped=swapped), _register(debate, kept, swapped=swapped)),
    )
    return material_of(
        debate,
        purpose,
        speeches=speeches,
        about=names,
        register=register,
        kinds=tuple(kinds),
        terms=_terms(opened_of(debate).rubric, purpose, names),
    )


def _speeches(debate: Debate, kept: Derived, *, swapped: bool) -> tuple[Speech, ...]:
    """Return all turns so far."""
    labels = labels_of(debate, swapped=swapped)
    spoken = [(turn.turn, turn) for turn in debate.transcript.spoken()]
    blocks = kept.blocks(f"speeches {swapped}", spoken, lambda turn: (_speech(turn, labels),), tuple)
    return tuple(chain.from_iterable(blocks))


def _register(debate: Debate, kept: Derived, *, swapped: bool) -> tuple[RegisterEntry, ...]:
    """Return the premises that stand, and all claims."""
    labels, turns = labels_of(debate, swapped=swapped), debate.transcript.turns
    premises = [(name, (name, each)) for name, each in debate.spine.premises.items() if each.state not in GONE]
    claims = [(name, (name, each, turns[each.turn].side)) for name, each in debate.claims.items()]
    told = kept.blocks(f"premises {swapped}", premises, lambda each: (_premise_entry(*each, labels),), tuple)
    flagged = kept.blocks(f"claims {swapped}", claims, lambda each: (_claim_entry(*each, labels),), tuple)
    return tuple(chain.from_iterable((*told, *flagged)))


def _premise_entry(name: str, premise: Premise, labels: Mapping[Side, str]) -> RegisterEntry:
    return RegisterEntry(
        name=name,
        kind="premise",
        speaker=labels[premise.side],
        speech=str(premise.turn),
        text=premise.text,
        quote=premise.quote,
    )


def material_of(debate: Debate, purpose: str, **fields: Any) -> Material:
    """Return a question's material with what every question about a debate has; ``fields`` replace rather than add."""
    opened = opened_of(debate)
    given: dict[str, Any] = {
        "motion": opened.motion,
        "language": opened.language or "en",
        "context": moderator_words(debate),
        "least_quote": opened.rubric.quote_minimum,
    }
    return Material(purpose=purpose, **(given | fields))


def _claim_entry(name: str, claim: Claim, side: Side, labels: Mapping[Side, str]) -> RegisterEntry:
    return RegisterEntry(
        name=name,
        kind=claim.kind,
        speaker=labels[side],
        speech=str(claim.turn),
        text=claim.quote,
        quote=claim.quote,
    )


def conflict_material(debate: Debate) -> Material:
    """Return all turns with the two readings of the debate that differ."""
    read, verdicts = turns_material(debate, "conflict"), debate.verdicts
    card, narrative = verdicts.scorecard, verdicts.narrative
    assert card is not None, "two verdicts differ"
    assert narrative is not None, "two verdicts differ"
    labels, most = labels_of(debate), most_of(debate.ledger)
    means = ", ".join(
        f"Speaker {label} {'has no score' if isinstance(mean, Missing) else f'has {fmt(mean)} of {most} points'}"
        for side, label in sorted(labels.items(), key=lambda each: each[1])
        for mean in (getattr(card.mean, side),)
    )
    readings = (
        f"By the scores of the single turns {_winner(card.winner, labels)}: {means}.",
        f"What the rules changed after the turns were scored: {mean_changes(debate, labels)}.",
        f"By the reading of the whole debate {_winner(narrative.winner or 'neither', labels)}: {narrative.explanation}",
    )
    return replace(read, context="\n".join((*readings, *((read.context,) if read.context else ()))))


def _winner(winner: Winner, labels: Mapping[Side, str]) -> str:
    return "neither speaker is named" if winner == "neither" else f"Speaker {labels[winner]} is ahead"


def claim_material(debate: Debate, purpose: str, name: str, claim: Claim) -> Material:
    """Return one claim with all turns so far."""
    labels, rule = labels_of(debate), rule_of(opened_of(debate).rubric, claim.kind)
    return material_of(
        debate,
        purpose,
        speeches=speeches_of(debate, labels),
        about=(str(claim.turn),),
        register=(_claim_entry(name, claim, debate.transcript.turns[claim.turn].side, labels),),
        kinds=(claim.kind,),
        terms=() if rule is None else (_claim_term(claim.kind, rule),),
    )


def _terms(rubric: Rubric, purpose: str, about: tuple[str, ...]) -> tuple[Term, ...]:
    """What the rubric says of the parts of an answer, by the purpose of the question."""
    match purpose:
        case "score":
            asked = applicable(rubric, int(about[0]))
            return tuple(
                Term(name=name, asks=each.asks, anchors=anchors_on(each.anchors, 0, each.maximum), part_of=dimension)
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
                Term(name="points", anchors=anchors_on(gaps.anchors, gaps.least, gaps.most)),
                *(
                    Term(name=name, asks=each.asks, part_of="continues")
                    for name, each in parts
                    if rubric.docking is UNSET
                ),
            )
        case _:
            return ()


def _claim_term(kind: str, rule: ClaimRule) -> Term:
    means = f": {rule.means}" if rule.means else ""
    excludes = f"; it is not {rule.excludes}" if rule.excludes else ""
    return Term(name=kind, asks=f"it {rule.asks}{means}{excludes}")


def anchors_on(anchors: Anchors, least: float, most: float) -> dict[str, str]:
    """The anchors that are on the scale."""
    return {points: text for points, text in (anchors or {}).items() if least <= int(points) <= most}


def moderator_words(debate: Debate) -> str:
    """What the moderator has said, with its place."""
    return "\n".join(
        f"The moderator said {f'after turn {each.after_turn}' if each.after_turn else 'before the first turn'}: "
        f"{each.text}"
        for each in debate.words.values()
    )


def speeches_of(debate: Debate, labels: Mapping[Side, str]) -> tuple[Speech, ...]:
    """Return all turns so far."""
    return tuple(_speech(turn, labels) for turn in debate.transcript.spoken())


def _speech(turn: TurnSpoken, labels: Mapping[Side, str]) -> Speech:
    return Speech(name=str(turn.turn), speaker=labels[turn.side], text=turn.text)


def labels_of(debate: Debate, *, swapped: bool = False) -> dict[Side, str]:
    """Return the label of each side: whoever spoke first is Speaker A, unless they are swapped."""
    spoken = debate.transcript.spoken()
    first: Side = spoken[0].side if spoken else "pro"
    one, two = "BA" if swapped else "AB"
    return {first: one, other(first): two}


def opened_of(debate: Debate) -> DebateOpened:
    """Return the opening."""
    assert debate.opened is not None, "questions are asked in an open debate"
    return debate.opened
