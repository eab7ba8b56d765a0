"""Where the words of a debate come from: ``origin_of`` for a speech, ``judged_by`` for a judgement, from events alone.

Every view, page and export takes its marks from here.  Source of the types: IPTC NewsCodes, digital source type, and
the members of the same meaning of schema.org's ``IPTCDigitalSourceEnumeration``.
"""

from collections.abc import Iterable
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from events.state.debate import Debate
from events.state.seats import debater_of
from events.state.transcript import Turn

OriginKind = Literal["model", "script", "person", "transcript", "baseline"]
"""``transcript``: said elsewhere; ``baseline``: a judge that counts and understands nothing."""
SourceType = Literal[
    "trainedAlgorithmicMedia", "compositeWithTrainedAlgorithmicMedia", "algorithmicMedia", "digitalCreation"
]
TYPES: Final[dict[OriginKind, SourceType]] = {
    "model": "trainedAlgorithmicMedia",
    "script": "algorithmicMedia",
    "baseline": "algorithmicMedia",
    "person": "digitalCreation",
}
"""None for a transcript: it does not say who or what wrote it."""
WRITERS: Final[dict[OriginKind, str]] = {
    "model": "language models",
    "script": "a script that was written beforehand",
    "person": "people",
    "transcript": "speakers in a debate that was held elsewhere",
    "baseline": "a judge that counts words and understands nothing",
}
SCRIPTED: Final = "scripted:"
PERSON: Final = "person:"


class OriginView(Struct, frozen=True, kw_only=True, gc=False):
    """Where a speech or a judgement comes from."""

    kind: OriginKind
    by: str | UnsetType = UNSET
    """The model as it was served, the person, or who spoke in the transcript; hidden as ``model`` of a turn is."""
    source: str | UnsetType = UNSET
    """Of a transcript; hidden as ``by`` is."""
    source_type: SourceType | UnsetType = UNSET
    """The IPTC digital source type; absent where it is not known."""
    text: str
    """The same in words, without a capital and a full stop."""


class MarkView(Struct, frozen=True, kw_only=True, gc=False):
    """What a reader of the debate is told once about who and what wrote its words."""

    text: str
    source_type: SourceType | UnsetType = UNSET
    """Of speeches and judgements together."""
    judge: OriginView | UnsetType = UNSET
    panel: dict[str, OriginView] | UnsetType = UNSET
    """By the name of the rater, if there is a panel."""


def origin_of(debate: Debate, turn: Turn) -> OriginView:
    """Where the words of a turn come from; while they are spoken without a name, which ``turn_spoken`` tells."""
    origin = _spoken(debate, turn)
    return origin if turn.event is not None else _origin(origin.kind)


def _spoken(debate: Debate, turn: Turn) -> OriginView:
    supplied, opened = debate.transcript.supplied, debate.opened
    assert opened is not None, "a turn is one of an opened debate"
    seat, person = debater_of(opened, debate.seats, turn.side), debate.seats.get(turn.side)
    by = (turn.event.by or "model") if turn.event is not None else ""
    if by == "transcript" or (not by and supplied is not None and turn.number <= len(supplied.turns)):
        speakers = () if supplied is None else supplied.turns[turn.number - 1].speakers
        source, kind = (UNSET, "") if supplied is None else (supplied.source, supplied.kind)
        return _origin("transcript", ", ".join(speakers), source, in_moot=kind == "moot")
    if by == "person" or (not by and person is not None and not person.model):
        return _origin("person", seat.speaker or "" if person is None else person.name)
    return _by_model(turn.model or seat.model, is_script=opened.exhibition is not None or _is_script(seat.model))


def judged_by(model: str, baseline: str | UnsetType = UNSET, *, is_exhibition: bool = False) -> OriginView:
    """Where the judgements of a judge or a rater come from."""
    if baseline is not UNSET:
        return _origin("baseline", baseline)
    if model.startswith(PERSON):
        return _origin("person", model.removeprefix(PERSON))
    return _by_model(model, is_script=is_exhibition or _is_script(model))


def unnamed_origin(origin: OriginView | UnsetType) -> OriginView | UnsetType:
    """The origin without names, for readers of a blind debate: whether a model wrote it is told all the same."""
    return UNSET if origin is UNSET else _origin(origin.kind)


def mark_of(debate: Debate, speeches: Iterable[OriginView], *, hides: bool) -> MarkView | UnsetType:
    """The mark of the whole debate; ``hides``: without names.  None without an opening."""
    opened = debate.opened
    if opened is None:
        return UNSET
    is_exhibition = opened.exhibition is not None
    judge: OriginView | UnsetType = UNSET
    if opened.judge.model or opened.judge.baseline is not UNSET:
        judge = judged_by(opened.judge.model, opened.judge.baseline, is_exhibition=is_exhibition)
    panel = {each.name: judged_by(each.model, is_exhibition=is_exhibition) for each in opened.panel}
    spoken = sorted({each.kind for each in speeches})
    judging = sorted({each.kind for each in (*([judge] if judge is not UNSET else []), *panel.values())})
    critic = opened.question.critic if opened.question else UNSET
    critique = [] if critic is UNSET else [judged_by(critic, is_exhibition=is_exhibition).kind]
    parts = {"The speeches": spoken, "The words of the critique": critique, "The judgements": judging}
    if spoken == judging:
        parts = {"The speeches and the judgements": spoken}
    said = [f"{what} {_written(kinds, is_generated=kinds == ['model'])}" for what, kinds in parts.items() if kinds]
    return MarkView(
        text=" ".join(said),
        source_type=_type_of({*spoken, *critique, *judging}),
        judge=unnamed_origin(judge) if hides else judge,
        panel={name: _origin(each.kind) if hides else each for name, each in panel.items()} or UNSET,
    )


def _written(kinds: list[OriginKind], *, is_generated: bool) -> str:
    return f"{'were generated by' if is_generated else 'are by'} {' and '.join(WRITERS[kind] for kind in kinds)}."


def _type_of(kinds: set[OriginKind]) -> SourceType | UnsetType:
    if "model" in kinds:
        return "trainedAlgorithmicMedia" if kinds == {"model"} else "compositeWithTrainedAlgorithmicMedia"
    types = {TYPES.get(kind) for kind in kinds}
    (only, *others) = types or {None}
    return UNSET if others or only is None else only


def _is_script(model: str) -> bool:
    return model.startswith(SCRIPTED)


def _by_model(model: str, *, is_script: bool) -> OriginView:
    return _origin("script" if is_script else "model", model)


def _origin(kind: OriginKind, by: str = "", source: str | UnsetType = UNSET, *, in_moot: bool = False) -> OriginView:
    if kind == "model":
        text = f"generated by the model {by}" if by else "generated by a language model"
    elif kind == "script":
        text = "from a script that was written beforehand"
    elif kind == "person":
        text = f"by {by}, a person" if by else "by a person"
    elif kind == "baseline":
        text = f"counted by {by}, which understands nothing" if by else "counted by a judge that understands nothing"
    else:
        where = "the record of another debate in Moot" if in_moot else "a transcript of words that were said elsewhere"
        text = f"from {where}{f', spoken by {by}' if by else ''}{f'; source: {source}' if source else ''}"
    return OriginView(kind=kind, by=by or UNSET, source=source or UNSET, source_type=TYPES.get(kind, UNSET), text=text)
