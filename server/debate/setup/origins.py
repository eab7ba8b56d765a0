"""Debates made of stored ones: the same turns before another judge, and forks that go on from a position.

The turns of format ``exchange`` are judged again as a transcript.  Of format ``protocol`` the records of the statements
are copied, with the answers that they were read from: so everything that reads a protocol reads this one too.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct
from msgspec.structs import replace

from events.record import Recorded
from events.short_names import short_name
from events.state import debate as debates
from events.state.debate import Debate
from events.state.words import ModeratorMessage
from events.store.log import EventLog, not_there, read_all
from events.types import (
    SIDES,
    ArgumentCrossExamined,
    ArgumentsOpened,
    AssessmentGiven,
    AttemptAbandoned,
    CitationChecked,
    ClosingStated,
    CrossExaminationFaulted,
    DebateOpened,
    Debater,
    DebateResumed,
    DirectiveIssued,
    Event,
    EvidenceSupplied,
    FamilyWarned,
    ModelAnswered,
    ModelFailed,
    ModeratorSpoke,
    Origin,
    QuestionsAnswered,
    SeatHandedOver,
    SuppliedEntry,
    Think,
    TranscriptSupplied,
    TurnFailed,
    TurnScored,
    TurnSpoken,
    TurnStarted,
)
from judge.evidence.checks import RULES
from judge.rubrics.rubric import ShippedRubric, with_evidence
from judge.templates import EVIDENCE, load_template
from providers.registry import Registry
from server.debate.acts import check_word
from server.debate.formats.exchange.opening import ExchangeRequest
from server.debate.formats.exchange.supplied import TranscriptRequest, TurnRequest
from server.debate.formats.exchange.transcripts import MAX_SOURCE, MAX_SPEAKER
from server.debate.formats.protocol.opening import ProtocolRequest
from server.debate.opening.build import Desk, rubric_of, seated
from server.debate.opening.build import opened as build_opened
from server.debate.opening.privacy import check_shown, filed_as
from server.debate.opening.request import (
    DebateRequest,
    DebaterRequest,
    JudgeRequest,
    Name,
    PanelRequest,
    as_field_error,
)
from server.debate.opening.sides import sides_panel
from server.debate.setup.opening import opening_for
from server.debate.speech import clean
from server.errors import BadField, BadQuery, NotNow
from server.people.names import is_person
from server.process.version import VERSION
from server.settings import Settings

MAX_DIRECTIVE: Final = 1000
"""Characters."""
OF_STATEMENTS: Final = (
    "arguments",
    "claim_minimum",
    "reasoning_minimum",
    "evidence_minimum",
    "answer_words",
    "closing_words",
    "closing_shift",
    "whole_sentences",
    "temperature",
)
"""Rules of the protocol by which statements are asked for and read."""
STATEMENT_PROMPTS: Final = frozenset({"protocol", "open", "cross", "answer", "close"})
STATED: Final = (
    ArgumentCrossExamined,
    ArgumentsOpened,
    CitationChecked,
    ClosingStated,
    CrossExaminationFaulted,
    QuestionsAnswered,
)
"""Events that follow from a statement."""
OF_ROUNDS: Final = (
    *STATED,
    AttemptAbandoned,
    EvidenceSupplied,
    ModelAnswered,
    ModelFailed,
    ModeratorSpoke,
    SeatHandedOver,
    TurnFailed,
    TurnSpoken,
    TurnStarted,
)
"""Events of the rounds of a protocol, and what its debaters were given."""
BEGINNING: Final = (TranscriptSupplied, EvidenceSupplied, FamilyWarned)
"""Events that belong to an opening: a fork copies all of them."""
R = TypeVar("R", bound=Struct)


class RejudgeRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of ``POST /api/debates/{id}/rejudge``."""

    judge: JudgeRequest
    rubric: dict[str, Any] | ShippedRubric | None = None
    """That of the debate without it."""
    panel: Annotated[PanelRequest, Meta(max_length=12)] | None = None
    ignore_noise: bool = False
    max_cost_usd: Annotated[float, Meta(gt=0)] | None = None
    deadline_s: Annotated[float, Meta(ge=1, le=86_400)] | None = None


class ForkSeatRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """What changes in a seat; what is not named stays."""

    model: Name | None = None
    archetype: Name | None = None
    elasticity: Annotated[float, Meta(ge=0, le=1)] | None = None
    think: Think | None = None


class DirectivesRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """Instructions for the next turn of each side."""

    pro: str | None = None
    con: str | None = None


class ForkRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of ``POST /api/debates/{id}/fork``: from where, and what changes from there on."""

    at: Annotated[int, Meta(ge=1)] | None = None
    """The last position that is copied."""
    turn: Annotated[int, Meta(ge=0, le=200)] | None = None
    """In place of ``at``: the last turn that is copied, with everything that was judged about it; 0 for none."""
    turns: Annotated[int, Meta(ge=1, le=200)] | None = None
    """Turns of the fork; those of the debate without it."""
    pro: ForkSeatRequest = msgspec.field(default_factory=ForkSeatRequest)
    con: ForkSeatRequest = msgspec.field(default_factory=ForkSeatRequest)
    judge: JudgeRequest | None = None
    directive: DirectivesRequest = msgspec.field(default_factory=DirectivesRequest)
    say: str | None = None
    """A message of the moderator to both sides."""
    max_cost_usd: Annotated[float, Meta(gt=0)] | None = None
    """What the fork itself may cost; the copied calls do not count."""
    deadline_s: Annotated[float, Meta(ge=1, le=86_400)] | None = None


class Fork(Struct, frozen=True, kw_only=True):
    """A debate made of another one before it is recorded: its opening, the copied records, its first own events."""

    opened: DebateOpened
    copied: tuple[Recorded, ...] = ()
    """From position 2 on; without any, the own events follow the opening."""
    own: tuple[Event, ...] = ()


async def rejudged(log: EventLog, debate: str, said: Any, registry: Registry, settings: Settings) -> Fork:
    """A debate with the turns of ``debate`` before another judge.

    Raises ``BadField``, ``NotNow``, ``UnknownDebate``.
    """
    wanted = _read(said, RejudgeRequest)
    records = await _records(log, debate)
    source = _folded(records)
    opened = _opened(source)
    desk = Desk(registry, settings, log)
    if opened.format == "protocol":
        made = await _protocol_again(wanted, records, source, opened, desk)
    else:
        made = await _turns_again(wanted, records, source, opened, desk)
    own = (*made.own, *filed_as([source.labels]))
    return replace(made, opened=replace(made.opened, origin=_origin("rejudge", records)), own=own)


async def fork_of(log: EventLog, debate: str, said: Any, registry: Registry, settings: Settings) -> Fork:
    """A fork of ``debate``.  Raises ``BadField``, ``NotNow``, ``UnknownDebate``."""
    wanted = _read(said, ForkRequest)
    records = await _records(log, debate)
    whole = _folded(records)
    opened = _opened(whole)
    if opened.poll is not UNSET and whole.status.conclusion is None:
        raise NotNow("this debate has a poll, and a fork would copy its sealed votes: fork it once it has ended")
    is_protocol = opened.format == "protocol"
    copied = records[: (_cut_at_round if is_protocol else _cut)(records, wanted)]
    source = _folded(copied)
    is_read_again = any(card.rescored or card.inferred for card in source.ledger.cards.values())
    has_verdict = source.verdicts.scorecard is not None or source.status.conclusion is not None
    if is_read_again or source.audited is not None or has_verdict:
        last = _end_of_turn(records, len(source.transcript.turns))
        raise BadField("at", f"the verdict follows event {last}: fork from there or before")
    made = await _changed(log, wanted, source, opened, registry, settings)
    own = (*_own(wanted, source, debate), *filed_as([whole.labels], known=source.labels))
    return Fork(opened=replace(made, origin=_origin("fork", copied)), copied=copied[1:], own=own)


def _read(said: Any, kind: type[R]) -> R:
    if not isinstance(said, dict):
        raise BadQuery("the body must be a JSON object")
    try:
        return msgspec.convert(said, kind)
    except msgspec.ValidationError as error:
        raise as_field_error(error) from error


async def _records(log: EventLog, debate: str) -> tuple[Recorded, ...]:
    records = tuple([record async for record in read_all(log, debate)])
    if not records:
        raise await not_there(log, debate)
    return records


def _folded(records: Sequence[Recorded]) -> Debate:
    debate = debates.INITIAL
    for record in records:
        debate = debates.evolve(debate, record)
    return debate


def _opened(source: Debate) -> DebateOpened:
    """The opening of a debate that others can be made of.  Raises ``NotNow``."""
    assert source.opened is not None, "a log begins with its opening"
    if source.opened.format not in {"exchange", "protocol"}:
        raise NotNow(
            "only a debate of format exchange or protocol can be judged again or forked, and this is "
            f"{source.opened.format}"
        )
    check_shown(source.id, source.opened, has_concluded=source.status.conclusion is not None)
    return source.opened


def _origin(kind: Literal["rejudge", "fork"], records: Sequence[Recorded]) -> Origin:
    last = records[-1]
    return Origin(kind=kind, debate=last.debate, position=last.position, digest=last.digest.hex())


# rejudging


async def _turns_again(
    wanted: RejudgeRequest, records: Sequence[Recorded], source: Debate, opened: DebateOpened, desk: Desk
) -> Fork:
    """The turns of an exchange as a transcript before the judge."""
    spoken = {turn.side for turn in source.transcript.spoken()}
    if spoken != set(SIDES):
        raise NotNow("both sides must have spoken before another judge can read the debate")
    request = ExchangeRequest(
        **_wishes(wanted, opened), transcript=_transcript(records, source, opened), ignore_noise=wanted.ignore_noise
    )
    made, follows = await opening_for(desk.log, request, desk.registry, desk.settings)
    documents = tuple(
        replace(record.event, rules=RULES) for record in records if isinstance(record.event, EvidenceSupplied)
    )
    if documents:
        prompts = {**made.prompts, EVIDENCE: load_template(EVIDENCE)}
        made = replace(made, rubric=with_evidence(made.rubric), prompts=prompts)
    return Fork(opened=made, own=(*follows, *documents))


def _wishes(wanted: RejudgeRequest, opened: DebateOpened) -> dict[str, Any]:
    """The fields of a request for what is judged again."""
    return {
        "motion": opened.motion,
        "format": opened.format,
        "judge": wanted.judge,
        "rubric": wanted.rubric or msgspec.to_builtins(opened.rubric),
        "panel": wanted.panel,
        "topic_type": opened.topic_type or None,
        "motion_kind": opened.motion_kind or None,
        "language": opened.language or "en",
        "max_cost_usd": wanted.max_cost_usd,
        "deadline_s": wanted.deadline_s,
    }


async def _protocol_again(
    wanted: RejudgeRequest, records: Sequence[Recorded], source: Debate, opened: DebateOpened, desk: Desk
) -> Fork:
    """The statements of a protocol as they were recorded, before the judge and the panel.

    The rules by which the statements were asked for and read stay those of the source; no debater is asked.
    """
    ends = _round_ends(records)
    if opened.turns not in ends:
        raise NotNow("all statements must have been made before another judge can read the debate")
    request = ProtocolRequest(**_wishes(wanted, opened))
    rubric = rubric_of(request)
    if any(isinstance(each.event, EvidenceSupplied) for each in records):
        rubric = with_evidence(rubric)
    assert rubric.protocol is not None, "an opening fills in what a rubric leaves out"
    stated = {name: getattr(opened.rubric.protocol, name) for name in OF_STATEMENTS}
    rubric = replace(rubric, protocol=replace(rubric.protocol, **stated))
    seats = await seated(request, desk, panel=sides_panel(request, rubric))
    made = await build_opened(
        request, desk, rubric, seats, turns=opened.turns, max_words=opened.max_words, archetypes=opened.archetypes
    )
    prompts = {name: text for name, text in opened.prompts.items() if name in STATEMENT_PROMPTS or name == EVIDENCE}
    made = replace(made, pro=opened.pro, con=opened.con, prompts={**made.prompts, **prompts})
    cap = UNSET if wanted.max_cost_usd is None else wanted.max_cost_usd
    why = f"another judge reads the statements of debate {source.id}"
    resumed = DebateResumed(reason=why, by="operator", max_cost_usd=cap)
    return Fork(opened=made, copied=_statements(records[: ends[opened.turns]]), own=(resumed,))


def _statements(records: Sequence[Recorded]) -> tuple[Recorded, ...]:
    """The records that statements rest on, from position 2 on.

    Votes, labels, halts, and what is said of the first judge stay where they were.  So positions move together; ids,
    times, salts and payloads stay.
    """
    kept: list[Recorded] = []
    places = {records[0].position: records[0].position}
    for record in records[1:]:
        if isinstance(record.event, OF_ROUNDS):
            places[record.position] = len(kept) + 2
            cause = None if record.cause is None else places.get(record.cause, 1)
            kept.append(replace(record, position=places[record.position], cause=cause))
    return tuple(kept)


def _transcript(records: Sequence[Recorded], source: Debate, opened: DebateOpened) -> TranscriptRequest:
    """The turns of a debate as a transcript; one that was supplied stays as it was, so that its digest does too."""
    said = next((each.event for each in records if isinstance(each.event, TranscriptSupplied)), None)
    is_supplied = said is not None and all(turn.by == "transcript" for turn in source.transcript.spoken())
    entries = said.turns if said is not None and is_supplied else _entries(source, opened)
    origin = f"debate {source.id} in Moot" + (f", from: {said.source}" if said is not None else "")
    return TranscriptRequest(
        turns=[
            TurnRequest(
                side=each.side, speaker=each.speaker, text=each.text, at_ms=None if each.at_ms is UNSET else each.at_ms
            )
            for each in entries
        ],
        source=origin[:MAX_SOURCE],
        licence="" if said is None else said.licence,
        kind="moot",
    )


def _entries(source: Debate, opened: DebateOpened) -> tuple[SuppliedEntry, ...]:
    """What was said in a debate, the moderator's messages in their places."""
    entries: list[SuppliedEntry] = []
    messages = list(source.words.values())
    spoken = source.transcript.spoken()
    for turn in spoken:
        entries += _messages(messages, turn.turn - 1)
        seat = opened.pro if turn.side == "pro" else opened.con
        speaker = seat.speaker or short_name(seat.model)
        entries.append(SuppliedEntry(side=turn.side, speaker=speaker[:MAX_SPEAKER], text=turn.text))
    return (*entries, *_messages(messages, len(spoken)))


def _messages(messages: Sequence[ModeratorMessage], after_turn: int) -> list[SuppliedEntry]:
    return [
        SuppliedEntry(side="context", speaker=each.by[:MAX_SPEAKER], text=each.text)
        for each in messages
        if each.after_turn == after_turn
    ]


# forking


def _cut(records: Sequence[Recorded], wanted: ForkRequest) -> int:
    """The last position that a fork copies: one at which Moot had recorded everything that belongs together.

    Records of one append have one time.  A position within such a batch means the one before it: what the batch
    held follows from the answers again.
    """
    _check_place(records, wanted)
    begun = _begun(records)
    if wanted.turn is not None:
        return begun if wanted.turn == 0 else _end_of_turn(records, wanted.turn)
    assert wanted.at is not None
    at = max(wanted.at, begun)
    while begun < at < len(records) and records[at].at == records[at - 1].at:
        at -= 1
    return at


def _check_place(records: Sequence[Recorded], wanted: ForkRequest) -> None:
    """Raise ``BadField`` unless the request names one place of the debate."""
    if (wanted.at is None) == (wanted.turn is None):
        raise BadField("at", "say from where: at an event, or after a turn")
    if wanted.at is not None and wanted.at > len(records):
        raise BadField("at", f"the debate has {len(records)} events")


def _begun(records: Sequence[Recorded]) -> int:
    """The last position of the opening and of what belongs to it."""
    begun = 1
    while begun < len(records) and isinstance(records[begun].event, BEGINNING):
        begun += 1
    return begun


def _round_ends(records: Sequence[Recorded]) -> dict[int, int]:
    """By its last turn, the position at which each round of a protocol ends; 0 is the beginning."""
    spoken = {record.event.turn: record.position for record in records if isinstance(record.event, TurnSpoken)}
    ends = {0: _begun(records)}
    for turn in range(2, len(spoken) + 1, 2):
        at = max(spoken[turn - 1], spoken[turn])
        while at < len(records) and isinstance(records[at].event, STATED):
            at += 1
        ends[turn] = at
    return ends


def _cut_at_round(records: Sequence[Recorded], wanted: ForkRequest) -> int:
    """The last position that a fork of a protocol copies: the end of a round, or the beginning."""
    ends = _round_ends(records)
    _check_place(records, wanted)
    if wanted.turn is not None:
        if wanted.turn not in ends:
            known = ", ".join(map(str, ends))
            raise BadField("turn", f"a fork of a protocol begins at the end of a round: after turn {known}")
        return ends[wanted.turn]
    assert wanted.at is not None
    judged = next((each.position for each in records if isinstance(each.event, AssessmentGiven)), None)
    if judged is not None and wanted.at >= judged:
        raise BadField("at", f"the verdict follows event {max(ends.values())}: fork from there or before")
    return max(end for end in ends.values() if end <= max(wanted.at, ends[0]))


def _end_of_turn(records: Sequence[Recorded], turn: int) -> int:
    scored = (each for each in records if isinstance(each.event, TurnScored) and each.event.turn == turn)
    found = next(scored, None)
    if found is None:
        raise BadField("turn", f"turn {turn} has not been judged in this debate")
    at = found.position
    while at < len(records) and records[at].at == found.at:
        at += 1
    return at


async def _changed(
    log: EventLog, wanted: ForkRequest, source: Debate, opened: DebateOpened, registry: Registry, settings: Settings
) -> DebateOpened:
    """The opening of a fork: that of its source, with what the request changes."""
    turns = wanted.turns or opened.turns
    if opened.format == "protocol":
        _check_protocol(wanted, opened)
    if turns < (spoken := len(source.transcript.turns)):
        raise BadField("turns", f"{spoken} turns are copied: the fork has at least as many")
    seats = {"pro": (wanted.pro, opened.pro), "con": (wanted.con, opened.con)}
    models = {side: new.model or old.model for side, (new, old) in seats.items()}
    for side, model in models.items():
        if not model and any(models.values()):
            raise BadField(f"{side}.model", "the turns of this side came from a transcript: name a model to go on with")
        if is_person(model):
            raise BadField(f"{side}.model", "a person held this seat: name a model to go on with")
    if not any(models.values()) and turns > opened.turns:
        raise BadField("turns", f"the transcript has {opened.turns} turns: name models for both sides to go on")
    judge = wanted.judge or JudgeRequest(model=opened.judge.model, samples=opened.judge.samples)
    if judge.person is None and judge.model and is_person(judge.model):
        raise BadField("judge.model", "a person judged this debate: name a model to go on with")
    said: dict[str, Any] = {
        "motion": opened.motion,
        "format": opened.format,
        "turns": turns,
        "max_words": opened.max_words or None,
        "pro": _seat_request(*seats["pro"]) if any(models.values()) else DebaterRequest(),
        "con": _seat_request(*seats["con"]) if any(models.values()) else DebaterRequest(),
        "judge": judge,
        "max_cost_usd": wanted.max_cost_usd,
        "deadline_s": wanted.deadline_s,
        "language": opened.language or "en",
    }
    if opened.format == "protocol":
        request: DebateRequest = ProtocolRequest(**said)
    else:
        request = ExchangeRequest(**said, transcript=None if any(models.values()) else _same_transcript(source))
    made, _ = await opening_for(log, request, registry, settings)
    limits = {"max_cost_usd": wanted.max_cost_usd, "deadline_s": wanted.deadline_s}
    return replace(
        opened,
        turns=turns,
        max_words=made.max_words,
        pro=made.pro if _is_changed(wanted.pro) else opened.pro,
        con=made.con if _is_changed(wanted.con) else opened.con,
        judge=opened.judge if wanted.judge is None else made.judge,
        noise=opened.noise if wanted.judge is None else made.noise,
        archetypes={**made.archetypes, **opened.archetypes},
        prompts=opened.prompts if "debater" in opened.prompts else {**made.prompts, **opened.prompts},
        settings=replace(opened.settings, **{name: value for name, value in limits.items() if value is not None}),
        exhibition=None,
        moot=VERSION,
    )


def _check_protocol(wanted: ForkRequest, opened: DebateOpened) -> None:
    """Raise ``BadField`` for what a fork of a protocol cannot change."""
    if wanted.turns not in {None, opened.turns}:
        raise BadField(
            "turns", f"this protocol has {opened.turns} statements, and so has its fork: leave the turns out"
        )
    for side in SIDES:
        if getattr(wanted.directive, side) is not None:
            why = "a debater of a protocol gets no directives: send a message of the moderator to both sides"
            raise BadField(f"directive.{side}", why)


def _is_changed(seat: ForkSeatRequest) -> bool:
    return any(getattr(seat, name) is not None for name in seat.__struct_fields__)


def _seat_request(new: ForkSeatRequest, old: Debater) -> DebaterRequest:
    return DebaterRequest(
        model=new.model or old.model,
        archetype=new.archetype or old.archetype or None,
        elasticity=old.elasticity if new.elasticity is None else new.elasticity,
        think=new.think or old.think,
    )


def _same_transcript(source: Debate) -> TranscriptRequest | None:
    """The transcript again, so that its speakers are known; the fork copies its event."""
    supplied = source.transcript.supplied
    if supplied is None:
        return None
    turns = [TurnRequest(side=each.side, speaker=", ".join(each.speakers), text=each.text) for each in supplied.turns]
    return TranscriptRequest(turns=turns, source=supplied.source, licence=supplied.licence, kind=supplied.kind)


def _own(wanted: ForkRequest, source: Debate, debate: str) -> list[Event]:
    """The first events of the fork itself."""
    why = f"a fork of debate {debate} from event {source.position}"
    own: list[Event] = [
        AttemptAbandoned(turn=each.number, side=each.side, attempt=each.attempt, kind="forked", message=why)
        for each in source.transcript.turns.values()
        if each.state == "speaking"
    ]
    cap = UNSET if wanted.max_cost_usd is None else wanted.max_cost_usd
    own.append(DebateResumed(reason=why, by="operator", max_cost_usd=cap))
    for side in SIDES:
        if (said := getattr(wanted.directive, side)) is None:
            continue
        text = clean(said).strip()
        if not 1 <= len(text) <= MAX_DIRECTIVE:
            raise BadField(f"directive.{side}", f"a directive is a text of 1 to {MAX_DIRECTIVE:,} characters")
        own.append(DirectiveIssued(side=side, text=text))
    if wanted.say is not None:
        own.append(check_word(wanted.say, "moderator"))
    return own
