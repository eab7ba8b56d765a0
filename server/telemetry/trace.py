"""From the events of a debate to the spans and results of its trace, as plain values.

The ids follow from the debate and the positions: a process that goes on with a debate goes on with its trace.
"""

import hashlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Struct

from events.record import Recorded
from events.short_names import short_name
from events.types import (
    DebateConcluded,
    DebateHalted,
    DebateOpened,
    ModelAnswered,
    ModelFailed,
    TurnFailed,
    TurnScored,
    TurnSpoken,
    TurnStarted,
)
from server.telemetry import names

MS: Final = 1_000_000
"""Nanoseconds."""
ROOT: Final = 1
"""The position whose span is the debate: its opening."""


class Span(Struct, frozen=True, kw_only=True):
    """A span; times in nanoseconds since 1970.  ``parent`` is empty for the debate's own."""

    name: str
    kind: Literal["internal", "client"]
    position: int
    parent: int | None
    start: int
    end: int
    attributes: dict[str, Any]
    error: str = ""


class Result(Struct, frozen=True, kw_only=True):
    """A score, as an event in the span of the call that it comes from."""

    at: int
    parent: int
    attributes: dict[str, Any]


def trace_id(debate: str) -> int:
    """128 bits."""
    return int.from_bytes(hashlib.sha256(f"moot trace {debate}".encode()).digest()[:16])


def span_id(debate: str, position: int) -> int:
    """64 bits."""
    return int.from_bytes(hashlib.sha256(f"moot span {debate} {position}".encode()).digest()[:8])


class DebateTrace:
    """Reads a debate's records in order, from the first one on."""

    def __init__(self, *, has_texts: bool) -> None:
        self._has_texts = has_texts
        self.position = 0
        self._opened: DebateOpened | None = None
        self._opened_at = 0
        self._turns: dict[int, tuple[int, int]] = {}
        """By turn, the position and the time of its newest beginning."""
        self._calls: set[int] = set()
        self._segments: dict[str, str] = {}

    def take(self, record: Recorded) -> Iterator[Span | Result]:
        """What ends with this record."""
        self.position, at, event = record.position, _ns(record.at), record.event
        match event:
            case DebateOpened():
                self._opened, self._opened_at = event, at
            case TurnStarted():
                self._turns[event.turn] = record.position, at
            case TurnSpoken():
                yield self._turn(event, at, record.debate, {names.WORDS: event.words})
            case TurnFailed():
                yield self._turn(event, at, record.debate, {names.ERROR_TYPE: event.kind}, error=event.kind)
            case ModelAnswered() | ModelFailed():
                self._calls.add(record.position)
                yield self._call(event, record.position, at, record.debate)
            case TurnScored():
                yield from self._scores(event, record, at)
            case DebateConcluded():
                yield self._debate(at, record.debate, "concluded")
                said = {names.EVALUATION_NAME: "winner", names.LABEL: event.winner}
                yield Result(at=at, parent=ROOT, attributes=said | {names.CONVERSATION: record.debate})
            case DebateHalted():
                yield self._debate(at, record.debate, "halted")

    def _debate(self, at: int, debate: str, state: str) -> Span:
        said = {names.OPERATION: names.INVOKE_AGENT, names.AGENT: "moot", names.CONVERSATION: debate}
        said |= {names.FORMAT: self._opened.format if self._opened else "", names.STATE: state}
        return Span(
            name=f"{names.INVOKE_AGENT} moot",
            kind="internal",
            position=ROOT,
            parent=None,
            start=self._opened_at,
            end=at,
            attributes=said,
        )

    def _turn(
        self, event: TurnSpoken | TurnFailed, at: int, debate: str, more: dict[str, Any], *, error: str = ""
    ) -> Span:
        position, start = self._turns.get(event.turn, (self.position, at))
        said = {names.OPERATION: names.INVOKE_AGENT, names.AGENT: event.side, names.CONVERSATION: debate}
        return Span(
            name=f"{names.INVOKE_AGENT} {event.side}",
            kind="internal",
            position=position,
            parent=ROOT,
            start=start,
            end=at,
            attributes={**said, names.TURN: event.turn, names.SIDE: event.side, names.ATTEMPT: event.attempt, **more},
            error=error,
        )

    def _call(self, event: ModelAnswered | ModelFailed, position: int, at: int, debate: str) -> Span:
        provider, _, model = short_name(self._asked(event)).partition(":")
        said: dict[str, Any] = {
            names.OPERATION: names.CHAT,
            names.CONVERSATION: debate,
            names.PROVIDER: names.PROVIDERS.get(provider, provider),
            names.REQUEST_MODEL: model,
            names.INPUT_TOKENS: event.usage.input_tokens,
            names.OUTPUT_TOKENS: event.usage.output_tokens,
            names.CALL: event.call,
            names.PURPOSE: event.purpose,
        }
        if event.turn is not None:
            said[names.TURN] = event.turn
        if isinstance(event.cost_usd, float):
            said[names.COST] = event.cost_usd
        for name, key in (("temperature", names.TEMPERATURE), ("max_tokens", names.MAX_TOKENS)):
            if isinstance(event.parameters.get(name), int | float):
                said[key] = event.parameters[name]
        error = event.kind if isinstance(event, ModelFailed) else ""
        if error:
            said[names.ERROR_TYPE] = error
        else:
            said[names.RESPONSE_MODEL] = short_name(event.model)
        if self._has_texts:
            self._segments |= event.segments
            said |= self._texts(event)
        turn = self._turns.get(event.turn or 0)
        return Span(
            name=f"{names.CHAT} {model}",
            kind="client",
            position=position,
            parent=ROOT if turn is None else turn[0],
            start=at - event.latency_ms * MS,
            end=at,
            attributes=said,
            error=error,
        )

    def _asked(self, event: ModelAnswered | ModelFailed) -> str:
        """``provider:model`` that was asked: the seat's that the question names, or else the judge's."""
        if isinstance(event, ModelFailed) and ":" in event.model:
            return event.model
        opened = self._opened
        assert opened is not None, "a log begins with its opening"
        seats = {"pro": opened.pro.model, "con": opened.con.model, **{each.name: each.model for each in opened.panel}}
        named = next((seats[part] for part in event.key.split(":") if seats.get(part)), opened.judge.model)
        if event.purpose == "second_opinion" and opened.judge.second is not UNSET:
            named = opened.judge.second
        return named

    def _texts(self, event: ModelAnswered | ModelFailed) -> dict[str, str]:
        """Prompt and answer in the shape of the conventions."""
        asked = [_message(role, self._segments.get(digest, "")) for role, digest in event.prompt]
        answered = [_message("assistant", event.answer)] if event.answer else []
        return {names.INPUT_MESSAGES: _json(asked), names.OUTPUT_MESSAGES: _json(answered)}

    def _scores(self, event: TurnScored, record: Recorded, at: int) -> Iterator[Result]:
        """The points that the rules admit, by dimension; a dimension without a score has its reason as the label."""
        parent = record.cause if record.cause in self._calls else self._turns.get(event.turn, (ROOT, 0))[0]
        absent = {} if event.absent is UNSET else event.absent
        common = {names.CONVERSATION: record.debate, names.TURN: event.turn, names.POSITION: record.position}
        scores = {} if event.dimensions is UNSET else event.dimensions
        for name, score in scores.items():
            said = common | {names.EVALUATION_NAME: name, names.SCORE: score.admitted}
            if self._has_texts and event.components is not UNSET:
                reasons = [each.reason for key, each in event.components.items() if key.partition(".")[0] == name]
                said |= {names.EXPLANATION: "\n".join(filter(None, reasons))} if any(reasons) else {}
            yield Result(at=at, parent=parent or ROOT, attributes=said)
        for name in absent:
            said = common | {names.EVALUATION_NAME: name, names.LABEL: "missing"}
            yield Result(at=at, parent=parent or ROOT, attributes=said)
        if event.missing is not UNSET:
            said = common | {names.EVALUATION_NAME: "turn", names.LABEL: "missing"}
            yield Result(at=at, parent=parent or ROOT, attributes=said)


def _message(role: str, text: str) -> Mapping[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _ns(at: str) -> int:
    """Nanoseconds since 1970 of the time of a record."""
    moment = datetime.fromisoformat(at)
    return int(moment.timestamp()) * 1_000_000_000 + moment.microsecond * 1000
