"""The verdicts at the end: the scorecard's, the narrative one, and an explanation where the two differ.

The scorecard names the side with more points, if the rubric finds that clear or sure enough.  The narrative verdict is
the judge's, over the whole debate: of what it cites, what exists is kept, and what does not is recorded as refused.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from events.state.debate import Debate
from events.state.scorecard import Scorecard, leader_of
from events.text.figures import sure
from events.types import (
    BothSides,
    Confidence,
    ConflictResolved,
    Margin,
    Missing,
    NarrativeVerdictReached,
    Pattern,
    Rounds,
    ScorecardVerdictReached,
    Side,
    SideNarrative,
    SideNarratives,
    TurnSpoken,
    Winner,
    missing,
    other,
)
from events.types.rubric import Rubric
from judge.guard.neutralise import quoted
from judge.live.answers import Answers, why_missing
from judge.live.conflict import means_words, winner_words
from judge.live.entries import record_notes, refuse_finding
from judge.live.event_batch import EventBatch
from judge.live.prompt import Prompt, Prompts, opening, speaker, turn_segment, with_moderator_messages
from judge.live.spine import premise_history
from judge.rubrics.rubric import fmt
from judge.templates import fill, section
from judge.text.words import IN_FULL, shortened
from providers.base import Segment

Measures = Mapping[str, tuple[float | Missing, float | Missing]]
"""Values besides the composite, as (pro, con): ``credibility`` and ``stability``."""


def scorecard_verdict(
    means: BothSides,
    rounds: Rounds,
    rubric: Rubric,
    *,
    measures: Measures | None = None,
    unsupported: Sequence[Side] = (),
    baseline: str = "",
    noise: float | UnsetType = UNSET,
) -> ScorecardVerdictReached:
    """Return the side with the higher mean composite; ``neither`` for a tie, or if a side has no judged turn.

    A lead within the tie margin is decided by ``measures``, if the rubric says so.  ``unsupported`` are the sides more
    than half of whose turns have too few quotes for a score: then neither side is named.  ``baseline`` is the name of a
    judge that understands nothing: its lead is told, and neither side is named.  ``noise`` is how far the judge differs
    from itself in such a lead: within it neither side is named, if the rubric says so.
    """
    pro, con = means.pro, means.con
    if unsupported or isinstance(pro, Missing) or isinstance(con, Missing):
        reason = _unsupported(unsupported) or _unjudged(pro, con)
        return ScorecardVerdictReached(
            winner="neither",
            mean=means,
            rounds=rounds,
            margin=missing(reason),
            reason=reason,
        )
    margin = round(abs(pro - con), 6)
    leader: Winner = "pro" if pro > con else "con"
    decided_by: str | UnsetType = UNSET
    score = f"pro {fmt(pro)}, con {fmt(con)}"
    reason = f"{score}: {leader} leads by {fmt(margin)}"
    if baseline:
        lead = f"puts {leader} {fmt(margin)} ahead" if margin else "puts neither side ahead"
        leader, reason = "neither", f"{score}: {baseline} {lead}; it understands nothing, so no winner is named"
    elif noise is not UNSET and margin <= noise and rubric.lead_beyond_noise:
        lead = f"{leader} leads by {fmt(margin)}" if margin else "no lead"
        leader = "neither"
        reason = f"{score}: {lead}, this judge differs from itself by {fmt(noise)}: no winner is named"
    elif leader_of(pro, con, rubric) == "neither":
        leader, decided_by, why = _decided(measures or {}, rubric)
        reason = f"{score}: within {fmt(rubric.tie_within)} {why}"
    return ScorecardVerdictReached(
        winner=leader,
        mean=means,
        rounds=rounds,
        margin=margin,
        reason=reason,
        noise=noise,
        decided_by=decided_by,
    )


def certain_verdict(
    card: Scorecard, rubric: Rubric, *, unsupported: Sequence[Side] = (), baseline: str = ""
) -> ScorecardVerdictReached:
    """Return the side with more points if that is sure enough for the rubric; ``neither`` otherwise, with the leaning.

    ``unsupported`` and ``baseline`` are those of ``scorecard_verdict``.
    """
    means, rule = BothSides(pro=card.pro.composite, con=card.con.composite), rubric.certainty
    pro, con = means.pro, means.con
    is_known = card.certainty is not UNSET or bool(baseline)
    if unsupported or isinstance(pro, Missing) or isinstance(con, Missing) or not is_known:
        reason = _unsupported(unsupported) or _unjudged(pro, con) or "a side has no turn with a score by the judge"
        return ScorecardVerdictReached(
            winner="neither", mean=means, rounds=card.rounds, margin=missing(reason), reason=reason
        )
    margin, leaning = round(abs(pro - con), 2), leader_of(pro, con, rubric)
    lead = f"{leaning} leads by {fmt(margin)}" if margin else "no lead"
    score = f"pro {fmt(pro)}, con {fmt(con)}"
    reason, winner = f"{score}: {lead}", leaning
    if baseline:
        puts = f"puts {leaning} {fmt(margin)} ahead" if margin else "puts neither side ahead"
        winner = "neither"
        reason = f"{score}: {baseline} {puts}; it understands nothing, so no side is named"
    elif card.certainty is not UNSET and card.error is not UNSET and rule is not UNSET:
        is_named = card.certainty >= rule.name_at and leaning != "neither"
        winner = leaning if is_named else "neither"
        needs = "" if is_named else f"; a side is named from {sure(rule.name_at)} on"
        reason += f", {sure(card.certainty)} sure (standard error {fmt(card.error)}){needs}"
    return ScorecardVerdictReached(
        winner=winner,
        mean=means,
        rounds=card.rounds,
        margin=margin,
        reason=reason,
        leaning=leaning,
        certainty=card.certainty,
        error=card.error,
        pairs=card.pairs,
    )


def _decided(measures: Measures, rubric: Rubric) -> tuple[Winner, str | UnsetType, str]:
    """Who wins a tie of the composites, the measure that decides it, and why."""
    for name, least in (rubric.decided_by or {}).items():
        pro, con = measures.get(name, (missing("unknown"), missing("unknown")))
        if isinstance(pro, Missing) or isinstance(con, Missing) or round(abs(pro - con), 6) < least:
            continue
        return "pro" if pro > con else "con", name, f"{name} decides: pro {pro:g}, con {con:g}"
    return "neither", UNSET, "nobody wins"


def _unsupported(sides: Sequence[Side]) -> str:
    if not sides:
        return ""
    return f"more than half of the turns of {' and of '.join(sides)} have too few quotes that stand in them"


def _unjudged(pro: float | Missing, con: float | Missing) -> str:
    if isinstance(pro, Missing) and isinstance(con, Missing):
        return "no turn of either side was judged"
    if not isinstance(pro, Missing) and not isinstance(con, Missing):
        return ""
    return f"no turn of {'pro' if isinstance(pro, Missing) else 'con'} was judged"


_NAMED: Final = re.compile(
    r"\b(?P<id>[CP][0-9]{1,4}\.[0-9]{1,3})\b"
    r"|\bturns?\s++(?P<turns>[0-9]{1,4}+(?:(?:\s*+(?:,|and|to|&|–|-))++\s*+[0-9]{1,4}+)*)(?![0-9])",
    re.IGNORECASE,
)
_RANGE: Final = re.compile(r"([0-9]+)(\s*(?:to|–|-)\s*([0-9]+))?")
LONGEST_RANGE: Final = 200
Text = Annotated[str, Meta(max_length=400)]
Cites = Annotated[list[Annotated[str, Meta(max_length=80)]], Meta(max_length=12)]


class SpeakerNarrative(Struct, frozen=True, kw_only=True):
    """One speaker's part of the narrative."""

    evolution: Text = ""
    fractures: Text = ""
    held: Text = ""


class NarrativeAnswer(Struct, frozen=True, kw_only=True):
    """The answer: ``{"A": {"evolution", "fractures", "held"}, "B", "pattern", "explanation", "winner", "cites"}``.

    ``A`` is the side that spoke first: the judge does not know the sides, and the rule restores them.
    """

    A: SpeakerNarrative = SpeakerNarrative()
    B: SpeakerNarrative = SpeakerNarrative()
    pattern: Pattern = "none"
    explanation: Annotated[str, Meta(max_length=1200)] = ""
    winner: Literal["A", "B", "neither"]
    cites: Cites = []


class WholeNarrative(Struct, frozen=True, kw_only=True):
    """The answer of a judge that reads the whole debate; the pattern is chosen later, with the scorecard in view."""

    A: SpeakerNarrative = SpeakerNarrative()
    B: SpeakerNarrative = SpeakerNarrative()
    explanation: Annotated[str, Meta(max_length=1200)] = ""
    winner: Literal["A", "B", "neither"]
    margin: Margin = "none"
    confidence: Confidence = "medium"
    cites: Cites = []


class ConflictAnswer(Struct, frozen=True, kw_only=True):
    """Why two verdicts differ: ``{"text", "cites"}``."""

    text: Annotated[str, Meta(max_length=1200)]
    cites: Cites = []


def narrative_prompt(prompts: Prompts, motion: str, debate: Debate, *, in_full: int = IN_FULL) -> Prompt:
    """Ask for the verdict over the whole debate; the last ``in_full`` turns are shown in full."""
    frame, spoken = prompts["narrative"], debate.transcript.spoken()
    labels = {turn.side: speaker(spoken, turn) for turn in spoken}
    premises = (
        f"{name} ({labels[each.side]}, {premise_history(each)}):\n{quoted(each.text)}"
        for name, each in debate.spine.premises.items()
    )
    claims = (
        f"{name} ({labels[debate.transcript.turns[each.turn].side]}, {each.kind.replace('_', ' ')}, {each.state}):\n"
        f"{quoted(each.quote)}"
        for name, each in debate.claims.items()
    )
    ask = fill(
        section(frame, "ask"),
        premises="\n".join(premises) or section(frame, "none"),
        claims="\n".join(claims) or section(frame, "none"),
    )
    prompt = (*opening(prompts, motion), *_turn_segments(prompts, spoken, in_full), Segment("user", ask))
    return with_moderator_messages(prompt, prompts, debate.words.values())


def conflict_prompt(prompts: Prompts, motion: str, debate: Debate) -> Prompt:
    """Ask why the scorecard and the narrative differ; both verdicts must exist."""
    card, narrative = debate.verdicts.scorecard, debate.verdicts.narrative
    assert card is not None
    assert narrative is not None
    spoken = debate.transcript.spoken()
    first, frame = _first_side(debate), prompts["conflict"]
    labels: dict[Side, str] = {first: "A", other(first): "B"}
    says_ahead = frame.version >= AHEAD
    read = winner_words(narrative.winner or "neither", labels, says_ahead=says_ahead)
    ask = fill(
        section(frame, "ask"),
        scorecard=f"{winner_words(card.winner, labels, says_ahead=says_ahead)} ({means_words(debate, card, labels)})",
        narrative=f"{read}, because:\n{quoted(narrative.explanation)}",
    )
    prompt = (*opening(prompts, motion), *_turn_segments(prompts, spoken, IN_FULL), Segment("user", ask))
    return with_moderator_messages(prompt, prompts, debate.words.values())


AHEAD: Final = 2
"""The version of the short template from which on the verdicts say who is ahead."""


def _turn_segments(prompts: Prompts, spoken: Sequence[TurnSpoken], in_full: int) -> Iterable[Segment]:
    """Yield the turns; early turns of a long debate are shortened and marked as shortened."""
    whole = spoken[-in_full:] if in_full else ()
    for turn in spoken[: len(spoken) - len(whole)]:
        text = shortened(turn.text)
        frame = section(prompts["narrative"], "omitted")
        yield Segment("user", fill(frame, turn=str(turn.turn), speaker=speaker(spoken, turn), text=quoted(text)))
    for turn in whole:
        yield turn_segment(prompts, spoken, turn)


def citations(text: str) -> tuple[str, ...]:
    """What a text cites, by name and in order: ``turns 3 and 4`` is ``turn 3`` and ``turn 4``."""
    names: list[str] = []
    for found in _NAMED.finditer(text):
        if found["id"]:
            names.append(found["id"].upper())
            continue
        for first, _, last in _RANGE.findall(found["turns"]):
            end = min(int(last or first), int(first) + LONGEST_RANGE)
            names += [f"turn {number}" for number in range(int(first), max(int(first), end) + 1)]
    return tuple(dict.fromkeys(names))


def is_citable(debate: Debate, cite: str) -> bool:
    """Whether ``turn 3``, ``P1.1`` or ``C3.1`` exists in the debate."""
    if cite.startswith("turn "):
        return any(cite == f"turn {number}" for number in debate.transcript.turns)
    return cite in debate.claims or cite in debate.spine.premises


class WholeConflict(Struct, frozen=True, kw_only=True):
    """Why two verdicts differ, and the pattern of the debate: ``{"pattern", "text", "cites"}``."""

    pattern: Pattern = "none"
    text: Annotated[str, Meta(max_length=1200)]
    cites: Cites = []


def record_narrative(
    batch: EventBatch,
    plain: Answers[NarrativeAnswer] | Answers[WholeNarrative],
    swapped: Answers[WholeNarrative] | None = None,
) -> None:
    """Record the narrative verdict of one or both orders of the labels, or that there is none.

    A winner that flips is no winner.  If only one of two orders was answered, its reading counts and names no winner.
    """
    last, first = len(batch.debate.transcript.turns), _first_side(batch.debate)
    asked = [(plain, (first, other(first)))] + ([] if swapped is None else [(swapped, (other(first), first))])
    for each, _ in asked:
        record_notes(batch, last, "narrative", each)
    readings = [(*each.given[0], sides) for each, sides in asked if each.given]
    if not readings:
        batch.add(NarrativeVerdictReached(missing=why_missing(plain)), batch.debate.course)
        return
    winners = {_winner_of(answer, sides) for _, answer, sides in readings}
    is_sure = len(readings) == len(asked) and len(winners) == 1
    position, answer, sides = readings[0]
    narratives = dict(zip(sides, (_speaker_arc(answer.A), _speaker_arc(answer.B)), strict=True))
    texts = [answer.explanation]
    texts += [text for each in narratives.values() for text in (each.evolution, each.fractures, each.held)]
    reached = NarrativeVerdictReached(
        winner=_winner_of(answer, sides) if is_sure else "neither",
        explanation=answer.explanation,
        sides=SideNarratives(pro=narratives["pro"], con=narratives["con"]),
        cites=_existing_cites(batch, "narrative", answer.cites, " ".join(texts), position),
    )
    if isinstance(answer, NarrativeAnswer):
        reached = replace(reached, pattern=answer.pattern)
    else:
        reached = replace(
            reached,
            margin=answer.margin if is_sure else "none",
            confidence=answer.confidence if is_sure else "low",
            flipped=len(winners) > 1,
        )
    batch.add(reached, position)


def _winner_of(answer: NarrativeAnswer | WholeNarrative, sides: tuple[Side, Side]) -> Winner:
    return "neither" if answer.winner == "neither" else sides["AB".index(answer.winner)]


def record_conflict(batch: EventBatch, answers: Answers[ConflictAnswer] | Answers[WholeConflict]) -> None:
    """Record why the verdicts differ, or that there is no explanation."""
    if not answers.given:
        batch.add(ConflictResolved(missing=why_missing(answers)), batch.debate.course)
        return
    position, answer = answers.given[0]
    record_notes(batch, len(batch.debate.transcript.turns), "conflict", answers)
    cites = _existing_cites(batch, "conflict", answer.cites, answer.text, position)
    pattern = answer.pattern if isinstance(answer, WholeConflict) else UNSET
    batch.add(ConflictResolved(text=answer.text, cites=cites, pattern=pattern), position)


def _existing_cites(batch: EventBatch, purpose: str, cites: Iterable[str], text: str, cause: int) -> tuple[str, ...]:
    """The citations that exist.  Those that do not, in ``cites`` or in ``text``, are recorded as refused."""
    last, kept = len(batch.debate.transcript.turns), []
    for cite in cites:
        for name in citations(cite) or (cite,):
            if is_citable(batch.debate, name):
                kept.append(name)
            else:
                refuse_finding(batch, last, purpose, name, "it does not exist", cause)
    for name in citations(text):
        if not is_citable(batch.debate, name):
            refuse_finding(batch, last, purpose, name, "the text names it, and it does not exist", cause)
    return tuple(dict.fromkeys(kept))


def _speaker_arc(answer: SpeakerNarrative) -> SideNarrative:
    return SideNarrative(evolution=answer.evolution, fractures=answer.fractures, held=answer.held)


def _first_side(debate: Debate) -> Side:
    """Return the side of Speaker A."""
    return next((turn.side for turn in debate.transcript.turns.values()), "pro")
