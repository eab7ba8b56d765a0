"""Replay of a recorded debate under another opening: both debates are folded side by side.

Events from outside (speeches, answers, commands, failures, time, cost) are taken from the record in their order.
Events that the rules derive are derived again.  Wherever the recorded moderator recorded a batch of the rules, the
replayed debate records its own batch: ``next_steps`` of the recorded debate shows where that was, and how long the
batch is.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.record import Recorded, unstored
from events.state import debate as debates
from events.state.debate import Debate
from events.state.ledger import without_notes
from events.types import (
    AttemptAbandoned,
    ClaimAppealed,
    DebateHalted,
    DebateOpened,
    DebatePaused,
    DebateResumed,
    DecisionRecorded,
    DerivedEvent,
    Event,
    FindingRefused,
    InjectionDetected,
    LogicGapAdjusted,
    ModelAnswered,
    ModelFailed,
    PanelConcluded,
    ScoreHarmonized,
    TurnFailed,
    TurnRescored,
    TurnSpoken,
    TurnStarted,
)
from providers.errors import ProviderError
from server.debate.formats import next_steps
from server.debate.formats.exchange.judging import second_opinions
from server.debate.formats.questions import pending, verify_answer
from server.debate.formats.steps import Ask, Record, Step

Change = Callable[[DebateOpened], DebateOpened]
QuestionKey = tuple[str, int]
"""(key, sample) of a question."""
CLAIM: Final = "second_opinion:"
NEVER_DERIVED: Final = (DebateOpened, ModelAnswered, ModelFailed, DebatePaused, DebateResumed, DecisionRecorded)
SPEECH_EVENTS: Final = (TurnStarted, TurnSpoken, TurnFailed)
"""In format ``exchange`` the moderator records these from outside; in format ``protocol`` the rules derive them."""
NOT_ASKED: Final = "not asked in the recorded debate"
MAX_COURSES: Final = 16
_COURSES: Final[OrderedDict[bytes, list[tuple[int, int]]]] = OrderedDict()
"""By the digest of the last record, which stands for all of them: how many records each step of a replay took as one
batch of the rules, and where the rules had differed by then.  This takes half of a replay and does not depend on the
change, and the page asks again with each change.  At most ``MAX_COURSES`` debates, 0.2 MB for one of 200 turns.
"""


class UnansweredQuestion(Struct, frozen=True, kw_only=True):
    """A question without a usable answer in the record, and why."""

    key: str
    sample: int
    why: str


class ReplayResult(Struct, frozen=True, kw_only=True):
    """Both debates at the end of the record."""

    recorded: Debate
    would_be: Debate
    unanswered: tuple[UnansweredQuestion, ...] = ()
    unused: tuple[str, ...] = ()
    """Keys of recorded answers to questions that the replayed debate does not ask, in their order."""
    diverges_at: int = 0
    """First position at which today's rules differ from the record (an older Moot wrote it); 0 for none."""


def replay(records: Sequence[Recorded], change: Change) -> ReplayResult:
    """Both debates; the replayed one has the opening that ``change`` makes.  ``records``: a whole debate, in order."""
    replayer = _Replay(records, change)
    while replayer.at < len(records):
        replayer.advance()
    replayer.keep_course()
    return ReplayResult(
        recorded=replayer.recorded,
        would_be=replayer.debate,
        diverges_at=replayer.diverges_at,
        unused=tuple(replayer.unused),
        unanswered=tuple(
            UnansweredQuestion(key=key, sample=sample, why=why) for (key, sample), why in replayer.unanswered.items()
        ),
    )


def _injections(records: Sequence[Recorded]) -> dict[int, tuple[InjectionDetected, ...]]:
    """The recorded attempts by turn: an older Moot may have found others than today's patterns do."""
    found: dict[int, tuple[InjectionDetected, ...]] = {}
    for record in records:
        if isinstance(record.event, InjectionDetected):
            found[record.event.turn] = (*found.get(record.event.turn, ()), record.event)
    return found


class _Replay:
    """The replay in progress.  ``at`` is the number of records taken so far."""

    def __init__(self, records: Sequence[Recorded], change: Change) -> None:
        self.at = self.diverges_at = 0
        self.recorded = self.debate = replace(debates.INITIAL, known_injections=_injections(records))
        self.unanswered: dict[QuestionKey, str] = {}
        self.unused: dict[str, None] = {}
        self._records, self._change = records, change
        self._known, self._course = _COURSES.get(records[-1].digest), list[tuple[int, int]]()
        self._open: dict[QuestionKey, Ask] = {}
        self._moved = True
        opened = records[0].event
        is_exchange = isinstance(opened, DebateOpened) and opened.format == "exchange"
        self._outside = (*NEVER_DERIVED, *SPEECH_EVENTS) if is_exchange else NEVER_DERIVED
        self._last: dict[QuestionKey, int] = {
            (each.event.key, each.event.sample): number
            for number, each in enumerate(records)
            if isinstance(each.event, ModelAnswered | ModelFailed)
        }

    def advance(self) -> None:
        """Take the next records: one event from outside, or one batch of the rules."""
        if self._known is None:
            count = self._count_derived()
        else:
            count, self.diverges_at = self._known[len(self._course)]
        self._course.append((count, self.diverges_at))
        batch = self._records[self.at : self.at + max(count, 1)]
        self.at += len(batch)
        for record in batch:
            self.recorded = debates.evolve(self.recorded, record)
        if count and not any(isinstance(each.event, DebateHalted) for each in batch):
            self._decide()
            if self._is_waiting():
                while self._decide():
                    pass
            return
        for record in batch:  # a halt does not follow from a rubric: it is taken from the record
            if (event := self._from_outside(record.event)) is not None:
                self._fold(event, record.cause)
                self._moved = self._moved or not isinstance(event, ModelAnswered | ModelFailed)

    # the recorded debate

    def keep_course(self) -> None:
        """Keep what a replay of the same records under another change need not find out again."""
        if digest := self._records[-1].digest:  # without a store there is none
            _COURSES[digest] = self._course
            _COURSES.move_to_end(digest)
            if len(_COURSES) > MAX_COURSES:
                _COURSES.popitem(last=False)

    def _count_derived(self) -> int:
        """Number of the next records that form one batch of the rules; 0 if the next one came from outside."""
        event = self._records[self.at].event
        if isinstance(event, self._outside):
            return 0
        steps = next_steps(self.recorded)
        if steps and isinstance(steps[0], Record):
            drafts = steps[0].drafts
            written = self._records[self.at : self.at + len(drafts)]
            if [_outcome(draft.event) for draft in drafts] == [_outcome(each.event) for each in written]:
                return len(drafts)
        if not isinstance(event, DerivedEvent):
            return 0
        self.diverges_at = self.diverges_at or self._records[self.at].position
        following = self._records[self.at :]
        return next((n for n, each in enumerate(following) if not _is_derived(each.event)), len(following))

    def _is_waiting(self) -> bool:
        """Whether the recorded moderator had no further batch to record at this point."""
        if self.diverges_at:
            return True
        following = self._records[self.at].event if self.at < len(self._records) else None
        if isinstance(following, ModelAnswered | ModelFailed | TurnStarted) and isinstance(following, self._outside):
            return True
        return not any(isinstance(step, Record) for step in next_steps(self.recorded))

    # the replayed debate

    def _fold(self, event: Event, cause: int | None) -> None:
        self.debate = self._after(self.debate, event, cause)

    def _after(self, debate: Debate, event: Event, cause: int | None) -> Debate:
        name, at = self._records[0].debate, self._records[self.at - 1].at
        return debates.evolve(debate, unstored(name, debate.position + 1, at, cause, event))

    def _decide(self) -> bool:
        """Record one batch, after questions without an answer have failed; False if there is nothing to record."""
        while True:
            steps = self._steps()
            if steps and isinstance(steps[0], Record):
                for draft in steps[0].drafts:
                    self._fold(draft.event, draft.cause)
                self._open, self._moved = {}, True
                return True
            if not self._give_up(steps):
                return False

    def _steps(self, debate: Debate | None = None) -> tuple[Step, ...]:
        """Its next steps.  It halts only where the record does: a replay costs nothing and takes no time."""
        debate = debate or self.debate
        steps = next_steps(debate)
        if _halts(steps):
            steps = next_steps(_without_bounds(debate))
        return () if _halts(steps) else steps

    def _give_up(self, steps: Sequence[Step]) -> bool:
        """Record a failure for questions without an answer in the record; questions that wait for one stay open."""
        questions = [step for step in steps if isinstance(step, Ask)]
        asks = [step for step in questions if self._last.get(self._recorded_key(step), -1) < self.at]
        if asks and self.recorded.status.state == "open":
            waits = {(step.key, step.sample) for step in next_steps(self.recorded) if isinstance(step, Ask)}
            asks = [step for step in asks if self._recorded_key(step) not in waits]
        for ask in asks:
            asked = (ask.key, ask.sample)
            kind, why = ("not_asked", NOT_ASKED)
            if asked in self.unanswered and self.unanswered[asked] != NOT_ASKED:
                kind, _, why = self.unanswered[asked].partition(": ")
            self.unanswered.setdefault(asked, why)
            self._fold(_failed(ask, kind, why), ask.cause)
        return bool(asks)

    # from outside

    def _from_outside(self, event: Event) -> Event | None:
        """The event as the replayed debate takes it; None if it does not apply there."""
        state = self.debate.status.state
        match event:
            case DebateOpened():
                return self._change(event)
            case ModelAnswered() | ModelFailed():
                return event if event.purpose == "speak" else self._answer(event)
            case ClaimAppealed():
                return self._appeal(event)
            case DebatePaused():
                return event if state == "open" else None
            case DebateHalted():
                return event if state in {"open", "paused"} else None
            case DebateResumed():
                return None if state == "concluded" else event
            case AttemptAbandoned(turn=number):
                turn = self.debate.transcript.turns.get(number)
                return event if turn is not None and turn.state == "speaking" else None
            case _:
                return event

    def _answer(self, event: ModelAnswered | ModelFailed) -> Event | None:
        """An answer to a question that the replayed debate asks too, checked as its moderator would check it."""
        if (key := self._key_here(event.key)) is None or (ask := self._asked(key, event.sample)) is None:
            if isinstance(event, ModelAnswered):
                self.unused[event.key] = None
            return None
        if isinstance(event, ModelFailed):
            return replace(event, key=key)
        try:
            verify_answer(ask, event.answer)
        except ProviderError as error:
            self.unanswered[key, event.sample] = f"{error.kind}: {error.message}"
            return replace(
                _failed(ask, error.kind, error.message),
                usage=event.usage,
                cost_usd=event.cost_usd,
                latency_ms=event.latency_ms,
                model=event.model,
                answer=event.answer,
            )
        return replace(event, key=key)

    def _asked(self, key: str, sample: int) -> Ask | None:
        """The question in the replayed debate.  Questions of one batch are looked up before the first is answered."""
        if self._moved or (key, sample) not in self._open:
            self._open |= {(step.key, step.sample): step for step in self._asks()}
            self._moved = False
        return self._open.get((key, sample))

    def _asks(self) -> tuple[Ask, ...]:
        """All questions that it asks now, also those that it asks while a batch of the rules waits to be recorded.

        Second opinions are asked while a debater speaks.
        """
        debate, turn = self.debate, self.debate.transcript.current
        opened = debate.opened
        assert opened is not None, "a debate begins with debate_opened"
        if opened.format == "exchange" and turn is not None and turn.state == "speaking":
            return pending(debate, opened, list(second_opinions(debate, opened).values()))
        steps = self._steps()
        while steps and isinstance(steps[0], Record):
            for draft in steps[0].drafts:
                debate = self._after(debate, draft.event, draft.cause)
            steps = self._steps(debate)
        return tuple(step for step in steps if isinstance(step, Ask))

    # claims are numbered in the order of their discovery: the same claim may have another number in the replay

    def _appeal(self, event: ClaimAppealed) -> Event | None:
        name = _same_claim(self.recorded, self.debate, event.claim)
        claim = self.debate.claims[name] if name else None
        if name is None or claim is None or claim.state != "flagged" or claim.appealed:
            return None
        return replace(event, claim=name)

    def _key_here(self, key: str) -> str | None:
        """The replayed debate's key of a recorded question; None if its claim does not exist there."""
        if not key.startswith(CLAIM):
            return key
        name = _same_claim(self.recorded, self.debate, key.removeprefix(CLAIM))
        return None if name is None else CLAIM + name

    def _recorded_key(self, ask: Ask) -> QuestionKey:
        """The recorded key of a question of the replayed debate."""
        if not ask.key.startswith(CLAIM):
            return ask.key, ask.sample
        name = _same_claim(self.debate, self.recorded, ask.key.removeprefix(CLAIM))
        return f"{CLAIM}{name}", ask.sample


def _same_claim(one: Debate, other: Debate, name: str) -> str | None:
    """The other debate's name of a claim: the same words of the same turn, with the same suspicion."""
    claim = one.claims.get(name)
    if claim is None:
        return None
    known = (claim.turn, claim.span, claim.kind)
    return next((named for named, each in other.claims.items() if (each.turn, each.span, each.kind) == known), None)


def _failed(ask: Ask, kind: str, message: str) -> ModelFailed:
    return ModelFailed(
        call=ask.call,
        key=ask.key,
        purpose=ask.purpose,
        turn=ask.turn,
        sample=ask.sample,
        order=ask.order,
        kind=kind,
        message=message,
    )


def _outcome(event: Event) -> Event:
    """An event without the words of the rules: they move nothing, and an older version had others."""
    match event:
        case FindingRefused():
            return replace(event, reason="", about=UNSET)
        case ScoreHarmonized():
            return replace(event, reason="")
        case TurnRescored() if event.changes is not UNSET:
            return replace(event, changes=tuple([replace(each, reason="") for each in event.changes]))
        case LogicGapAdjusted():
            return replace(event, reason=without_notes(event.reason))
        case PanelConcluded():
            return replace(event, reasons=(), advice=(), act=UNSET)
        case _:
            return event


def _is_derived(event: Event) -> bool:
    return isinstance(event, DerivedEvent) or (isinstance(event, ClaimAppealed) and event.by == "moot")


def _halts(steps: Sequence[Step]) -> bool:
    return any(
        isinstance(draft.event, DebateHalted) for step in steps if isinstance(step, Record) for draft in step.drafts
    )


def _without_bounds(debate: Debate) -> Debate:
    """The debate without its cost cap and its deadline."""
    assert debate.opened is not None, "a debate begins with debate_opened"
    settings = replace(debate.opened.settings, max_cost_usd=UNSET, deadline_s=UNSET)
    return replace(
        debate, opened=replace(debate.opened, settings=settings), status=replace(debate.status, max_cost_usd=None)
    )
