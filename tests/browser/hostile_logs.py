"""Logs that are made to do harm: valid events with a valid chain, and hostile words throughout."""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from events import codec
from events.record import Draft, digest_before_first, full_line, now, stamp
from events.transfer import parse_lines
from events.types import (
    AnswerGiven,
    AttemptAbandoned,
    AudienceVoted,
    BatchDebateEnded,
    BatchDebatePlanned,
    BatchPlan,
    BeliefStated,
    CheckedQuote,
    CheckMissing,
    CitationChecked,
    ClaimAppealed,
    ClaimFlagged,
    ComponentScore,
    ConsultantQuestioned,
    ContextShortened,
    ContextSummarised,
    CoreClaimChange,
    CoreClaimChanges,
    CritiqueGiven,
    DebateAudited,
    DebateConcluded,
    DebateHalted,
    DebateLabelled,
    DebateOpened,
    DebatePaused,
    DebateResumed,
    DecisionRecorded,
    DimensionScore,
    Effect,
    Event,
    EvidenceDocument,
    EvidencePassage,
    EvidenceSupplied,
    EvidenceWeighed,
    FamilyWarned,
    InjectionDetected,
    LabItem,
    LabMeasured,
    LabPair,
    LabSetup,
    ModelFailed,
    ModeratorSpoke,
    PassageSupplied,
    PenaltyReversed,
    PollClosed,
    PollCounts,
    PollOpened,
    PremiseWithdrawn,
    ScoreCapped,
    ScoreInferred,
    SeatConnectionLost,
    SeatHandedOver,
    SeatLinkMade,
    SeatLinkRevoked,
    SeatResigned,
    SeatReturned,
    SeatTaken,
    ShortenedTurn,
    SpeechQuoted,
    StanceStated,
    SuppliedEntry,
    TranscriptSupplied,
    TurnFailed,
    TurnRescored,
    TurnSpoken,
    TurnStarted,
    Usage,
)
from events.types import ClaimCleared as Cleared
from events.types import ClaimUpheld as Upheld
from events.types import ConvergenceAssessed as Convergence
from events.types.batch import BatchSides
from events.types.study import AnswersSetup
from tests.browser import artifact_logs, panel_logs, protocol_logs

WHY: Final = "There was a reason for it."
REST: Final[tuple[Event, ...]] = (
    FamilyWarned(roles=("judge", "pro"), family="a family"),
    TurnFailed(turn=1, side="pro", attempt=1, kind="timeout", message=WHY),
    AttemptAbandoned(turn=1, side="pro", attempt=2, kind="restart", message=WHY),
    ContextSummarised(turn=3, side="pro", turns_in_full=(1,), turns_summarised=(2,)),
    ContextShortened(turn=3, turns_shortened=(ShortenedTurn(turn=2, kept=((0, 9),)),)),
    InjectionDetected(turn=2, pattern="ignore", quote="a quote of an attempt", span=(0, 9)),
    ClaimFlagged(
        claim="C2.8", turn=2, quote="a quote of a claim", span=(3, 20), kind="inverted_fact", reason=WHY, by="one",
    ),
    ClaimAppealed(claim="C2.8", by="moderator"), Upheld(claim="C2.8", by="another", reason=WHY),
    ClaimFlagged(claim="C2.9", turn=2, quote="another claim", span=(3, 20), kind="no_mechanism", reason=WHY, by="one"),
    Cleared(claim="C2.9", by="another", reason="Good enough."),
    PenaltyReversed(
        turn=2, dimension="logic", requested=1, applied=1, rule="cleared", because_of=1, claim="C2.9", reason=WHY,
    ),
    ScoreCapped(
        turn=2, dimension="logic", requested=-2, applied=-2, rule="weakest", because_of=1, reason=WHY,
    ),
    TurnRescored(
        turn=2, residual=12.5, readings=2, read=({"logic": 30}, {"logic": 20}),
        components={
            "cause": ComponentScore(
                raw=5, admitted=5, quote="words of a part", span=(0, 9), verified=True, reason=WHY, rules=("Rule.",),
            ),
        },
        dimensions={"logic": DimensionScore(raw=25, admitted=25, spread=10, rules=("A rule.",))},
        changes=(ScoreCapped(turn=2, dimension="logic", requested=-1, applied=-1, rule="weakest", because_of=1),),
    ),
    ScoreInferred(turn=1, dimensions={"logic": 20}, components={"cause": 5}, because_of=(2,), reason=WHY),
    ModeratorSpoke(text="A word of the moderator.", by="moderator"), BeliefStated(voter="somebody", turn=1, belief=60),
    AudienceVoted(voter="somebody", winner="pro"),
    Convergence(
        kind="stalled", similarity=0.4, reason="They go in circles.",
        sides=CoreClaimChanges(
            pro=CoreClaimChange(early="at first", late="at last"), con=CoreClaimChange(early="early", late="late")
        ),
    ),
    CheckMissing(turn=2, purpose="claims", reason=WHY), DebateAudited(found=1),
    PremiseWithdrawn(premise="P1.1", turn=2, quote="a quote that gives it up", span=(0, 9)),
    DebateLabelled(by="moderator", title="A title of its own", tags=("a tag",)),
    SeatLinkMade(seat="pro", digest="a digest", by="moderator"), SeatTaken(seat="pro", digest="a digest"),
    SeatConnectionLost(seat="pro"), SeatReturned(seat="pro"), SeatLinkRevoked(seat="pro", by="moderator"),
    SeatResigned(seat="pro"), SeatHandedOver(seat="pro", model="a model", reason="time_out"),
    TranscriptSupplied(
        source="a source", digest="a digest", licence="a licence", kind="text",
        turns=(SuppliedEntry(side="pro", speaker="a speaker", text="What was said."),),
    ),
    EvidenceSupplied(
        document=EvidenceDocument(id="D1", name="a file", digest="a digest", media_type="text/plain", title="a title"),
        passages=(EvidencePassage(id="E1", text="The words of a passage.", page=1, heading="a heading"),),
    ),
    CitationChecked(
        citation="R2.1", turn=2, passage="E1", span=(0, 4), claim=(0, 9), quote="words of it", finding="misquoted",
        quoted=(0, 9), stands=(0, 9),
    ),
    EvidenceWeighed(
        turn=2, passage="E1", claim=(0, 9), forward="contradicts", backward="contradicts", relation="contradicts",
        quote="words of a passage", stands=(0, 9), reason=WHY, citations=("R2.1",),
    ),
    PollOpened(when="before", closes_after_s=60), StanceStated(voter="a voter", when="before", stance="pro"),
    PollClosed(when="before", by="moderator", cast=1), PollOpened(when="after"),
    PollClosed(
        when="after", by="moderator", cast=1,
        counts=PollCounts(
            moved={"pro": {"pro": 1, "con": 0, "undecided": 0}, "con": {"pro": 0, "con": 0, "undecided": 0},
                   "undecided": {"pro": 0, "con": 0, "undecided": 0}},
            joined={"pro": 0, "con": 0, "undecided": 0}, left={"pro": 0, "con": 0, "undecided": 0},
        ),
    ),
    DebatePaused(reason="A pause.", by="moderator"), DebateResumed(reason="On again.", by="moderator"),
    DebateHalted(reason="A halt.", by="moderator"), DebateResumed(reason="On once more.", by="moderator"),
)  # fmt: skip
"""Events that no exhibition contains."""


def exchange(exported: bytes) -> list[Event]:
    """The log of an exhibition with the events that exhibitions lack."""
    said = [record.event for record in parse_lines(exported.splitlines(keepends=True))]
    failed = ModelFailed(
        call="a-call",
        key="score:2",
        purpose="score",
        turn=2,
        sample=1,
        order=(),
        kind="timeout",
        message=WHY,
    )
    return [*said[:-1], failed, *REST, said[-1]]


def lab(exported: bytes) -> list[Event]:
    """A concluded lab run."""
    opened = parse_lines(exported.splitlines(keepends=True))[0].event
    assert isinstance(opened, DebateOpened)
    item = LabItem(
        id="canals", motion="A motion of the lab", pairs=(LabPair(id="1", pro="For it.", con="Against it."),)
    )
    setup = LabSetup(
        batteries={"retest": 1},
        seed=0,
        items=(item,),
        trials={"retest": 1},
        items_digest="0" * 64,
        trials_digest="0" * 64,
        rubric_digest="0" * 64,
        source="a source",
    )
    sd = Effect(
        battery="retest",
        name="sd",
        unit="points",
        estimate=1.0,
        low=0.5,
        high=1.5,
        null=0.0,
        n=1,
        clusters=1,
        failed=0,
        verdict="measured",
        note="What was varied.",
    )
    measured = LabMeasured(effects=(sd,), trials=1, failed=0, items_digest="0" * 64, rubric_digest="0" * 64)
    return [
        replace(opened, format="lab", turns=0, lab=setup),
        measured,
        DebateConcluded(winner="neither", by_rule="lab"),
    ]


def answers(exported: bytes) -> list[Event]:
    """A question with two answers: a consultant speaks, and a critic too, which no format has together."""
    opened = parse_lines(exported.splitlines(keepends=True))[0].event
    assert isinstance(opened, DebateOpened)
    asked = AnswersSetup(
        question="Which of them?", answers=("The one.", "The other."), arm="consultancy", assigned="A", rounds=1,
        has_passage=True,
    )  # fmt: skip
    quotes = (CheckedQuote(text="a quote of it", span=(0, 7), stands=False),)
    return [
        replace(opened, format="consultancy", turns=1, question=asked),
        PassageSupplied(withheld="The words of the passage."),
        TurnStarted(turn=1, side="pro", attempt=1, directive=None),
        TurnSpoken(
            turn=1,
            side="pro",
            attempt=1,
            text="What the consultant says.",
            words=4,
            clipped=False,
            pace=(),
            model="a model",
            usage=Usage(input_tokens=1, output_tokens=1),
            latency_ms=1,
        ),
        SpeechQuoted(turn=1, quotes=quotes),
        ConsultantQuestioned(after_turn=1, text="What does it ask?"),
        CritiqueGiven(text="What the critic writes.", quotes=quotes),
        AnswerGiven(by="critic", sample=1, stage="alone", p_a=0.7, choice="A", reason=WHY, quotes=quotes),
        AnswerGiven(by="judge", sample=1, stage="final", p_a=0.7, choice="A", reason=WHY, quotes=quotes),
        DebateConcluded(winner="pro", by_rule="answer"),
    ]


def batch(exported: bytes) -> list[Event]:
    """A batch of one debate, which failed."""
    opened = parse_lines(exported.splitlines(keepends=True))[0].event
    assert isinstance(opened, DebateOpened)
    plan = BatchPlan(
        name="a batch", motions=("A motion of the batch",), languages=("en",), mirrored=False, in_a_row=5,
        models=(BatchSides(pro="a model", con="another"),), judges=({"model": "a judge"},), privacy="listed",
        debates=1, digest="0" * 64,
    )  # fmt: skip
    debate = "01900000-0000-7000-8000-888888888888"
    return [
        replace(opened, format="batch", turns=0, batch=plan),
        BatchDebatePlanned(key="d1", attempt=1, debate=debate),
        BatchDebateEnded(key="d1", attempt=1, debate=debate, state="halted", position=9, reason=WHY, provider="one"),
        DebateConcluded(winner="neither", by_rule="batch"),
    ]


def logs(exported: bytes) -> dict[str, list[Event]]:
    """A harmless log of each format; together they contain every type of event."""
    decided = DecisionRecorded(by="Ada", decision="Two lines first.", reason="It is cheap to undo.")
    return {
        "exchange": exchange(exported),
        "protocol": [
            protocol_logs.opened(turns=8),
            *protocol_logs.protocol(faulty=True, answered=True),
            DebateConcluded(winner="con", by_rule="assessment"),
        ],
        "panel": [*panel_logs.irreconcilable(), decided],
        "artifact": artifact_logs.artifact(),
        "calibration": artifact_logs.calibration(),
        "lab": lab(exported),
        "answers": answers(exported),
        "batch": batch(exported),
    }


def exported(debate: str, events: Sequence[Event], *, raw: dict[int, bytes] | None = None) -> list[bytes]:
    """The lines of an export. ``raw``: payloads that replace those of the events, by position."""
    payloads = [(raw or {}).get(at) or codec.encode(event) for at, event in enumerate(events, 1)]
    made = stamp(debate, 0, digest_before_first(debate), [Draft(event=each) for each in events], now(), payloads)
    return [msgspec.json.encode(full_line(record)) + b"\n" for record in made]
