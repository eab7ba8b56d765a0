"""The state that the next steps of a debate are decided on."""

from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.record import Recorded
from events.state import character, claims, exchanges, ledger, seats, spine, transcript, usage, words
from events.state.character import Characters
from events.state.claims import Register
from events.state.exchanges import Exchanges
from events.state.growing import GrowingMap
from events.state.ledger import Ledger
from events.state.parts import audience, citations, evidence, panel, rounds
from events.state.parts.audience import Audience
from events.state.parts.citations import Citations
from events.state.parts.evidence import EvidencePack
from events.state.parts.panel import PanelState
from events.state.parts.rounds import ProtocolState
from events.state.seats import Seats
from events.state.spine import Spine
from events.state.transcript import Transcript
from events.state.usage import UsageTotals
from events.state.words import ModeratorMessages
from events.table import LazyTable
from events.types import (
    AudienceVoted,
    BeliefStated,
    CheckMissing,
    ClaimCleared,
    ClaimUpheld,
    ConflictResolved,
    ContextShortened,
    ContextSummarised,
    ConvergenceAssessed,
    DebateAudited,
    DebateConcluded,
    DebateHalted,
    DebateLabelled,
    DebateOpened,
    DebatePaused,
    DebateResumed,
    DebateState,
    FamilyWarned,
    FindingRefused,
    InjectionDetected,
    Missing,
    ModelAnswered,
    ModelFailed,
    NarrativeVerdictReached,
    RaterCalibrated,
    Reason,
    ScorecardVerdictReached,
    SeatHandedOver,
    Side,
    StanceStated,
    TurnRescored,
    TurnScored,
    Usage,
    Winner,
)

if TYPE_CHECKING:
    from events.state.parts.answers import AnswersState
    from events.state.parts.batch import BatchState
    from events.state.parts.lab import LabState

FOLDS: Final = LazyTable[Any](
    {
        "audience": "events.state.folds.audience",
        "panel": "events.state.folds.panel",
        "protocol": "events.state.folds.protocol",
        "lab": "events.state.folds.lab",
        "batch": "events.state.folds.batch",
        "answers": "events.state.folds.answers",
    }
)
"""How events change the parts that few debates have, by the field here."""
OF_FORMAT: Final = {"lab": "lab", "batch": "batch", "answers": "answers", "consultancy": "answers"}
"""Fields that hold the state of a format, by its name; their modules are imported where such a debate is."""
LAB_KEY: Final = "lab:"
"""Begins the key of every question of a lab run: ``lab:BATTERY/ITEM/…``."""
UNREADABLE: Final = frozenset({"bad_json", "wrong_type"})
"""Failures of a call that returned text."""
UNNAMED: Final = "its message may name a model, and this debate is blind"
"""Replaces a provider's message in a blind debate; the director reads the message in the event."""


class Conclusion(Struct, frozen=True, kw_only=True, gc=False):
    """The end of a debate."""

    winner: Winner
    by_rule: str


class RunStatus(Struct, frozen=True, kw_only=True, gc=False):
    """Whether the debate runs, and why not."""

    state: DebateState = "open"
    reason: str = ""
    by: str = ""
    conclusion: Conclusion | None = None
    since: str = ""
    """When the debate was opened or last resumed."""
    max_cost_usd: float | None = None
    """The cap of the last resumption; it replaces the cap of the opening."""


class UnusedAnswer(Struct, frozen=True, kw_only=True, gc=False):
    """An answer that no derived event has used yet."""

    position: int
    answer: str
    model: str
    usage: Usage = Usage()


class OpenQuestions(Struct, frozen=True, kw_only=True, gc=False):
    """The judge's open questions, by name: ``score:3/1`` is the first sample of the score of turn 3."""

    answers: dict[str, UnusedAnswer] = {}
    failed: dict[str, tuple[Reason, ...]] = {}
    """Failures since the debate was last resumed."""
    asked: dict[str, int] = {}
    """How often each question was asked: the next call is numbered after it."""
    spent_ms: dict[str, int] = {}
    """Model time of all calls of each question, failed ones included."""
    unread: dict[str, UnusedAnswer] = {}
    """The last answer to each question that is not JSON of the requested type."""


class Verdicts(Struct, frozen=True, kw_only=True, gc=False):
    """The verdicts reached so far."""

    scorecard: ScorecardVerdictReached | None = None
    narrative: NarrativeVerdictReached | None = None
    conflict: ConflictResolved | None = None
    convergence: ConvergenceAssessed | None = None
    positions: dict[str, int] = {}
    """The position of each verdict."""
    is_swapped: bool = False
    """Whether the narrative's words are an answer in which Speaker A is the side that spoke second."""


SWAPPED: Final = "narrative:swapped"
"""The key of the question in which the speakers' labels are swapped."""


class Labels(Struct, frozen=True, kw_only=True, gc=False):
    """How operators named and filed the debate."""

    title: str = ""
    tags: tuple[str, ...] = ()
    hidden: bool = False
    archived: bool = False
    link: str = ""
    """SHA-256 of the token that a spectator needs; empty for none."""

    @property
    def is_findable(self) -> bool:
        """Whether readers find the debate without its address, as the limits ``FINDABLE`` of a list say."""
        return not (self.hidden or self.link)

    def after(self, event: DebateLabelled) -> "Labels":
        """The labels with what the event sets."""
        said = {name: getattr(event, name) for name in self.__struct_fields__}
        return replace(self, **{name: value for name, value in said.items() if value is not UNSET})


class Debate(Struct, frozen=True, kw_only=True, gc=False):
    """The whole state.  ``opened`` is None before position 1."""

    id: str = ""
    position: int = 0
    course: int = 0
    """Position of the last record that is no vote, belief or label, and nothing about a seat's link or connection: the
    next steps do not depend on those."""
    at: str = ""
    """Time of the last record."""
    opened: DebateOpened | None = None
    opened_at: str = ""
    status: RunStatus = RunStatus()
    transcript: Transcript = transcript.INITIAL
    ledger: Ledger = ledger.INITIAL
    usage: UsageTotals = usage.INITIAL
    questions: OpenQuestions = OpenQuestions()
    segments: GrowingMap[str, None] = GrowingMap()
    """Digests of prompt segments that the log already holds."""
    exchanges: Exchanges = exchanges.INITIAL
    claims: Register = claims.INITIAL
    settled: dict[str, int] = {}
    """The position at which each claim was upheld or cleared."""
    refused: tuple[tuple[int, FindingRefused], ...] = ()
    """(position, event)."""
    spine: Spine = spine.INITIAL
    characters: Characters = character.INITIAL
    injections: tuple[tuple[int, InjectionDetected], ...] = ()
    """(position, event)."""
    known_injections: dict[int, tuple[InjectionDetected, ...]] | None = None
    """In a what-if: the recorded attempts by turn, which the rules then use.  None: the rules look for attempts."""
    unchecked: dict[int, dict[str, Reason]] = {}
    """What the judge gave no usable answer about, by turn: ``claims``, ``gaps``, ``premises``."""
    audited: DebateAudited | None = None
    verdicts: Verdicts = Verdicts()
    context: dict[Side, ContextSummarised] = {}
    """The turns that each side was last given, if not all of them."""
    context_shortened: ContextShortened | None = None
    """What the judge reads of earlier turns, if not all of them."""
    families: tuple[FamilyWarned, ...] = ()
    protocol: ProtocolState = rounds.INITIAL
    panel: PanelState = panel.INITIAL
    lab: "LabState | None" = None
    batch: "BatchState | None" = None
    answers: "AnswersState | None" = None
    evidence: EvidencePack = evidence.INITIAL
    citations: Citations = citations.INITIAL
    words: ModeratorMessages = words.INITIAL
    """Messages of the moderator."""
    inherited_usd: float | None = None
    """What the calls cost that a fork has copied: its cap does not count them.  None in other debates."""
    uncertain_calls: int = 0
    """Own calls that ended before their vendors had reported all tokens: their cost is unknown."""
    dearest_usd: float = 0.0
    """The cost of the most expensive call whose cost is known."""
    unpriced: str = ""
    """Why the first answer without a price, since the debate was last resumed, has none; empty if all have one."""
    audience: Audience = audience.INITIAL
    labels: Labels = Labels()
    seats: Seats = seats.INITIAL
    """The seats of people."""

    @property
    def is_blind(self) -> bool:
        """Whether events that are recorded now must not name a model."""
        return self.opened is not None and self.opened.blind

    @property
    def spent_usd(self) -> float:
        """What this debate has spent itself, as far as it is known."""
        return self.usage.cost_usd - (self.inherited_usd or 0.0)

    @property
    def charged_usd(self) -> float:
        """What counts against the cap: a call of unknown cost counts as much as the most expensive one."""
        return self.spent_usd + self.uncertain_calls * self.dearest_usd

    @property
    def language(self) -> str:
        """The BCP 47 tag of the language that is spoken; debates older than the field are in English."""
        return "en" if self.opened is None else self.opened.language or "en"


INITIAL = Debate()
MOVED_BY: Final = frozenset(
    {
        DebateOpened,
        DebatePaused,
        DebateHalted,
        DebateResumed,
        DebateConcluded,
        DebateLabelled,
        ModelAnswered,
        ModelFailed,
        TurnScored,
        TurnRescored,
        ClaimUpheld,
        ClaimCleared,
        RaterCalibrated,
        SeatHandedOver,
        ContextSummarised,
        ContextShortened,
        FamilyWarned,
        FindingRefused,
        InjectionDetected,
        CheckMissing,
        DebateAudited,
        ScorecardVerdictReached,
        NarrativeVerdictReached,
        ConflictResolved,
        ConvergenceAssessed,
    }
)
"""Events that the debate itself stores something of, besides its parts."""


def question(key: str, sample: int) -> str:
    """The name of a question in ``OpenQuestions``."""
    return f"{key}/{sample}"


def evolve(debate: Debate, record: Recorded) -> Debate:  # noqa: C901, PLR0912 - one flat if a part, in their order
    """The debate after ``record``.  Parts that it does not change stay the same objects.

    Neither the position nor the chain of the record is checked: the log has done that.
    """
    event, position = record.event, record.position
    kind = type(event)
    moved: dict[str, Any] = {"position": position, "at": record.at}
    if kind in audience.MOVED_BY and (kind is not DebateConcluded or debate.audience.recorded):
        moved["audience"] = FOLDS["audience"].apply(debate.audience, record)
        if isinstance(
            event, AudienceVoted | BeliefStated | StanceStated
        ):  # there may be many, and they change nothing else
            return replace(debate, **moved)
    if isinstance(event, DebateLabelled):
        return replace(debate, **moved, labels=debate.labels.after(event))
    if kind in seats.MOVED_BY:
        moved["seats"] = seats.apply(debate.seats, record)
        if kind in seats.COURSELESS:
            return replace(debate, **moved)
    moved["course"] = position
    if not debate.id:
        moved["id"] = record.debate
    if kind in MOVED_BY:
        _move(debate, record, moved)
    if kind in transcript.MOVED_BY:
        moved["transcript"] = transcript.apply(debate.transcript, record)
    if kind in ledger.MOVED_BY:
        moved["ledger"] = ledger.apply(debate.ledger, record)
    if kind in exchanges.MOVED_BY:
        moved["exchanges"] = exchanges.apply(debate.exchanges, moved.get("ledger", debate.ledger), record)
    if kind in usage.MOVED_BY:
        moved["usage"] = usage.apply(debate.usage, record)
    if kind in claims.MOVED_BY:
        moved["claims"] = claims.apply(debate.claims, record)
    if kind in spine.MOVED_BY:
        moved["spine"] = spine.apply(debate.spine, record)
    if kind in character.MOVED_BY:
        moved["characters"] = character.apply(debate.characters, record)
    if kind in panel.MOVED_BY and (not isinstance(event, DebateOpened) or event.panel):
        moved["panel"] = FOLDS["panel"].apply(debate.panel, record)
    if kind in rounds.MOVED_BY:
        after = moved.get("panel", debate.panel)
        moved["protocol"] = FOLDS["protocol"].apply(debate.protocol, debate.opened, record, after)
    if debate.opened is not None and (own := OF_FORMAT.get(debate.opened.format)):
        moved[own] = FOLDS[own].apply(getattr(debate, own), record)
    if kind in evidence.MOVED_BY:
        moved["evidence"] = evidence.apply(debate.evidence, record)
    if kind in citations.MOVED_BY:
        moved["citations"] = citations.apply(debate.citations, record)
    if kind in words.MOVED_BY:
        moved["words"] = words.apply(debate.words, debate.transcript, record)
    return replace(debate, **moved)


def _move(debate: Debate, record: Recorded, moved: dict[str, Any]) -> None:  # noqa: C901, PLR0912, PLR0915 - one flat match, a case an event
    """Put the fields that ``record`` changes into ``moved``."""
    event, position = record.event, record.position
    match event:
        case DebateOpened():
            moved |= {"opened": event, "opened_at": record.at, "status": RunStatus(since=record.at)}
        case DebatePaused():
            moved["status"] = replace(debate.status, state="paused", reason=event.reason, by=event.by)
        case DebateHalted():
            moved["status"] = replace(debate.status, state="halted", reason=event.reason, by=event.by)
        case DebateResumed():
            status, questions = debate.status, debate.questions
            cap = status.max_cost_usd if event.max_cost_usd is UNSET else event.max_cost_usd
            moved["status"] = replace(
                status, state="open", reason=event.reason, by=event.by, max_cost_usd=cap, since=record.at
            )
            moved |= {"questions": replace(questions, failed={}) if questions.failed else questions, "unpriced": ""}
            if debate.inherited_usd is None and _is_own(debate, position):
                moved |= {"inherited_usd": debate.usage.cost_usd, "uncertain_calls": 0}
        case DebateConcluded():
            conclusion = Conclusion(winner=event.winner, by_rule=event.by_rule)
            moved["status"] = RunStatus(state="concluded", conclusion=conclusion)
        case ModelAnswered() | ModelFailed():
            moved["segments"] = debate.segments.with_(
                {digest: None for digest in event.segments if digest not in debate.segments}
            )
            moved["questions"] = _call(debate.questions, record, event, blind=debate.is_blind)
            moved |= _costs(debate, event)
        case TurnScored(turn=turn) | TurnRescored(turn=turn):
            questions = debate.questions
            moved["questions"] = _without(questions, {key for key in questions.asked if _turn_of(key) == turn})
        case ClaimUpheld(claim=claim) | ClaimCleared(claim=claim):
            questions = _without(debate.questions, {f"second_opinion:{claim}/1"})
            moved |= {"questions": questions, "settled": {**debate.settled, claim: position}}
        case RaterCalibrated(rater=rater, case=measured):
            questions = debate.questions
            about = f"panel:{rater}@{measured}/"
            moved["questions"] = _without(questions, {key for key in questions.asked if key.startswith(about)})
        case SeatHandedOver(seat=seat) if debate.questions.failed:
            failed = debate.questions.failed.items()
            kept = {key: reasons for key, reasons in failed if _about(key) != seat}
            moved["questions"] = replace(debate.questions, failed=kept)
        case ContextSummarised():
            moved["context"] = {**debate.context, event.side: event}
        case ContextShortened():
            moved["context_shortened"] = event
        case FamilyWarned():
            moved["families"] = (*debate.families, event)
        case CheckMissing(turn=turn, purpose=purpose, reason=reason):
            known = debate.unchecked.get(turn, {})
            moved["unchecked"] = {**debate.unchecked, turn: {**known, purpose: Reason(reason)}}
        case DebateAudited():
            moved["audited"] = event
            moved["questions"] = _without(
                debate.questions, {key for key in debate.questions.asked if key.startswith("audit/")}
            )
        case FindingRefused():
            moved["refused"] = (*debate.refused, (position, event))
        case InjectionDetected():
            moved["injections"] = (*debate.injections, (record.position, event))
        case ScorecardVerdictReached() | NarrativeVerdictReached() | ConflictResolved() | ConvergenceAssessed():
            moved["verdicts"] = _verdict(debate, record, event)
        case _:
            pass


def _is_own(debate: Debate, position: int) -> bool:
    """Whether a resumption is that of a debate which copies records of another one, and is not copied itself."""
    opened = debate.opened
    if opened is None or opened.origin is UNSET:
        return False
    if opened.origin.kind == "fork":
        return position > opened.origin.position
    return opened.format == "protocol"  # judged again, it copies statements and no resumption


def _unpriced(event: ModelAnswered | ModelFailed) -> str:
    """Why the cost of a call is unknown; empty if it is known or no tokens were used.

    A call that broke off before the vendor reported its tokens has no cost either, but no price is missing.
    """
    is_used = isinstance(event, ModelAnswered) or event.usage.input_tokens + event.usage.output_tokens > 0
    return event.cost_usd.missing.reason if is_used and isinstance(event.cost_usd, Missing) else ""


def _costs(debate: Debate, event: ModelAnswered | ModelFailed) -> dict[str, Any]:
    """What the cap depends on, besides the sum of what is known."""
    cost, unpriced = event.cost_usd, _unpriced(event)
    if unpriced:
        return {"unpriced": debate.unpriced or unpriced}
    if isinstance(cost, Missing) or (isinstance(event, ModelFailed) and event.at_least is True):
        return {"uncertain_calls": debate.uncertain_calls + 1}
    return {"dearest_usd": max(debate.dearest_usd, cost)}


def _about(key: str) -> str:
    """What a question is about: ``pro`` for ``open:pro/1``."""
    return key.partition(":")[2].partition("/")[0]


def _turn_of(key: str) -> int:
    """The newest turn that a question is about; 0 if it is about no turn."""
    numbers = [int(part) for part in _about(key).split("-") if part.isdigit()]
    return max(numbers, default=0)


def _without(questions: OpenQuestions, keys: set[str]) -> OpenQuestions:
    """The questions without ``keys``: their results are recorded."""
    return OpenQuestions(
        answers={key: answer for key, answer in questions.answers.items() if key not in keys},
        failed={key: failed for key, failed in questions.failed.items() if key not in keys},
        asked={key: asked for key, asked in questions.asked.items() if key not in keys},
        spent_ms={key: spent for key, spent in questions.spent_ms.items() if key not in keys},
        unread={key: unread for key, unread in questions.unread.items() if key not in keys},
    )


def _verdict(
    debate: Debate,
    record: Recorded,
    event: ScorecardVerdictReached | NarrativeVerdictReached | ConflictResolved | ConvergenceAssessed,
) -> Verdicts:
    verdicts = debate.verdicts
    match event:
        case ScorecardVerdictReached():
            after, name = replace(verdicts, scorecard=event), "scorecard"
        case NarrativeVerdictReached():
            answers = debate.questions.answers.items()
            is_swapped = any(key.startswith(f"{SWAPPED}/") and each.position == record.cause for key, each in answers)
            after, name = replace(verdicts, narrative=event, is_swapped=is_swapped), "narrative"
        case ConflictResolved():
            after, name = replace(verdicts, conflict=event), "conflict"
        case ConvergenceAssessed():
            after, name = replace(verdicts, convergence=event), "convergence"
    return replace(after, positions={**verdicts.positions, name: record.position})


def _call(
    questions: OpenQuestions, record: Recorded, event: ModelAnswered | ModelFailed, *, blind: bool
) -> OpenQuestions:
    if event.purpose == "speak" or event.key.startswith(LAB_KEY):
        return questions
    key = question(event.key, event.sample)
    asked = {**questions.asked, key: questions.asked.get(key, 0) + 1}
    spent_ms = {**questions.spent_ms, key: questions.spent_ms.get(key, 0) + event.latency_ms}
    answer = UnusedAnswer(position=record.position, answer=event.answer, model=event.model, usage=event.usage)
    if isinstance(event, ModelAnswered):
        return replace(questions, answers={**questions.answers, key: answer}, asked=asked, spent_ms=spent_ms)
    if event.is_cut_off:  # it is asked again, and has not used up a try
        return replace(questions, asked=asked, spent_ms=spent_ms)
    reasons = (*questions.failed.get(key, ()), Reason(f"{event.kind}: {UNNAMED if blind else event.message}"))
    is_unread = event.kind in UNREADABLE and bool(event.answer.strip())
    return replace(
        questions,
        failed={**questions.failed, key: reasons},
        asked=asked,
        spent_ms=spent_ms,
        unread={**questions.unread, key: answer} if is_unread else questions.unread,
    )
