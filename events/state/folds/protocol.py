"""The rounds of format ``protocol``, folded, with the briefing."""

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from events.record import Recorded
from events.state.folds.briefing import briefing
from events.state.parts.panel import PanelState
from events.state.parts.rounds import ArgumentState, ProtocolState, Round, has_answers
from events.types import (
    SIDES,
    Argument,
    ArgumentCrossExamined,
    ArgumentsOpened,
    ArgumentTraced,
    AssessmentGiven,
    ClosingStated,
    CrossExaminationFaulted,
    DebateOpened,
    FallacyFound,
    PanelConcluded,
    QuestionsAnswered,
)


def apply(  # noqa: C901 - one flat match, a case an event
    protocol: ProtocolState, opened: DebateOpened | None, record: Recorded, panel: PanelState
) -> ProtocolState:
    """The protocol after ``record``; the same object if nothing changed.  ``panel`` is the panel after ``record``."""
    event = record.event
    match event:
        case ArgumentsOpened():
            added = {each.id: _opened(each, event, record.position) for each in event.arguments}
            after = replace(
                protocol, arguments={**protocol.arguments, **added}, openings={**protocol.openings, event.side: event}
            )
            return _placed(after, f"opening:{event.side}", record.position, opened)
        case ArgumentCrossExamined():
            faults = protocol.crossed.get(event.by, ())
            after = replace(
                _with(protocol, event.target, cross=event, crossed=record.position),
                crossed={**protocol.crossed, event.by: faults},
            )
            return _placed(after, f"cross:{event.by}", record.position, opened)
        case CrossExaminationFaulted():
            after = replace(protocol, crossed={**protocol.crossed, event.by: event.faults})
            return _placed(after, f"cross:{event.by}", record.position, opened)
        case QuestionsAnswered():
            after = replace(protocol, answered={**protocol.answered, event.side: event})
            for name, answer in event.answers.items():
                after = _with(after, name, answer=answer, answered=record.position)
            return _placed(after, f"answers:{event.side}", record.position, opened)
        case ClosingStated():
            after = replace(protocol, closings={**protocol.closings, event.side: event})
            return _placed(after, f"closing:{event.side}", record.position, opened)
        case FallacyFound():
            before = protocol.arguments.get(event.argument)
            found = before.fallacies if before else {}
            return _with(protocol, event.argument, fallacies={**found, str(record.position): event})
        case ArgumentTraced():
            return _with(protocol, event.argument, trace=event)
        case AssessmentGiven():
            judged = _placed(replace(protocol, assessment=event), "assessment", record.position, opened)
            return replace(judged, briefing=briefing(judged, opened, panel))
        case PanelConcluded() if protocol.assessment is not UNSET:
            return replace(protocol, briefing=briefing(protocol, opened, panel))
        case _:
            return protocol


def _opened(argument: Argument, event: ArgumentsOpened, position: int) -> ArgumentState:
    return ArgumentState(
        side=event.side,
        turn=event.turn,
        claim=argument.claim,
        reasoning=argument.reasoning,
        evidence=argument.evidence,
        opened=position,
    )


def _with(protocol: ProtocolState, name: str, **changes: Any) -> ProtocolState:
    """The protocol with one argument changed; the same object if no side opened that argument."""
    argument = protocol.arguments.get(name)
    if argument is None:
        return protocol
    return replace(protocol, arguments={**protocol.arguments, name: replace(argument, **changes)})


def _placed(protocol: ProtocolState, name: str, position: int, opened: DebateOpened | None) -> ProtocolState:
    """The protocol with the position of a statement, if it is the first, and the round that it is now in."""
    positions = protocol.positions if name in protocol.positions else {**protocol.positions, name: position}
    return replace(protocol, positions=positions, round=_round(protocol, opened))


def _round(protocol: ProtocolState, opened: DebateOpened | None) -> Round:
    done = len(SIDES)
    if protocol.assessment is not UNSET:
        return "done"
    if len(protocol.closings) == done:
        return "judgement"
    if len(protocol.crossed) == done:
        return "answers" if has_answers(opened) and len(protocol.answered) < done else "closings"
    return "cross_examination" if len(protocol.openings) == done else "openings"
