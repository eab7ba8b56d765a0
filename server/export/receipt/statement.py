"""What a receipt states, from the folds of a debate.  ``deploy/verify.py`` computes the same from the log alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import msgspec
from anyio import to_thread
from msgspec import UNSET

from events.record import Recorded, public_line
from events.short_names import with_short_names
from events.store.log import EventLog, not_there, read_pages
from events.types import (
    SIDES,
    CheckMissing,
    DebateConcluded,
    DebateOpened,
    Missing,
    ModelAnswered,
    Side,
    TurnScored,
    TurnSpoken,
)
from events.view import view as views
from server.errors import NotNow
from server.export.receipt.envelope import STATEMENT, canonical, sealed

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "urn:moot:receipt:1"
VERDICTS: Final[Mapping[str, tuple[tuple[str, ...], Mapping[str, int]]]] = {
    "scorecard_verdict_reached": (
        ("winner", "decided_by", "leaning", "pairs"),
        {"margin": 2, "noise": 2, "certainty": 4, "error": 2},
    ),
    "narrative_verdict_reached": (("winner", "margin", "confidence", "flipped"), {}),
    "assessment_given": ((), {"pro_total": 2, "con_total": 2}),
    "panel_concluded": (("outcome", "winner", "leaning", "decides"), {"gap": 4}),
    "artifact_judged": (
        ("verdict", "independent", "unmoved", "converged"),
        {"agreement": 4, "independent_agreement": 4},
    ),
    "decision_recorded": (("by", "decision", "reason"), {}),
}
"""By event, the members that a receipt states: as they are, and figures with so many decimals."""


async def receipt_of(log: EventLog, debate: str, key: "Ed25519PrivateKey") -> bytes:
    """The receipt of a debate that has ended, as one line.  Raises ``UnknownDebate``; ``NotNow`` before the end."""
    reading = _Reading()
    async for page in read_pages(log, debate):
        await to_thread.run_sync(reading.take, page)
    if not reading.fold.view.position:
        raise await not_there(log, debate)
    return await to_thread.run_sync(lambda: canonical(sealed(reading.statement(), STATEMENT, key)) + b"\n")


def figure(value: float, decimals: int = 2) -> str:
    """A figure as a text, which every reader writes in the same way."""
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


class _Reading:
    """Reads a log, page by page."""

    def __init__(self) -> None:
        self.fold = views.INITIAL
        self._digest = sha256()
        self._last: Recorded | None = None
        self._opening, self._began, self._ended = dict[str, msgspec.Raw](), "", ""
        self._spoken: Counter[tuple[Side, str, str]] = Counter()
        self._answers: Counter[tuple[str, str]] = Counter()
        self._verdicts, self._missing = list[dict[str, Any]](), list[dict[str, Any]]()

    def take(self, page: Sequence[Recorded]) -> None:
        """Take the next records."""
        for record in page:
            self.fold = views.apply(self.fold, record)
            self._last, event = record, with_short_names(record.event)
            line = public_line(record, revealed=True, has_ended=True)
            self._digest.update(msgspec.json.encode(line) + b"\n")
            match event:
                case DebateOpened():
                    self._opening, self._began = msgspec.json.decode(line.event, type=dict[str, msgspec.Raw]), record.at
                case DebateConcluded():
                    self._ended = record.at
                case TurnSpoken():
                    self._spoken[event.side, "model" if event.by is UNSET else event.by, event.model] += 1
                case ModelAnswered():
                    self._answers[event.purpose, event.model] += 1
            tag = event.__struct_config__.tag
            if tag in VERDICTS:
                self._verdicts.append({"position": record.position, **_verdict(str(tag), msgspec.to_builtins(event))})
            self._missing += [{"position": record.position, **each} for each in _lacks(record)]

    def statement(self) -> dict[str, Any]:
        """The in-toto statement.  Raises ``NotNow``."""
        view, debate = self.fold.view, self.fold.debate
        opened, ended, last = debate.opened, debate.status.conclusion, self._last
        if view.state != "concluded" or ended is None or opened is None or last is None:
            raise NotNow("the debate has not ended: there is a receipt of what has ended only")
        opened = with_short_names(opened)
        predicate = {
            "debate": view.id,
            "motion": opened.motion,
            "format": opened.format,
            "moot": opened.moot,
            "opened_at": self._began,
            "ended_at": self._ended,
            "head": {"position": last.position, "digest": last.digest.hex()},
            "outcome": {"winner": ended.winner, "by_rule": ended.by_rule},
            "verdicts": self._verdicts,
            "scores": self._scores(),
            "judge": _chosen(opened.judge, "model", "samples", "baseline"),
            "panel": [_chosen(each, "name", "model") for each in opened.panel],
            "rubric": {
                "name": opened.rubric.name,
                "version": opened.rubric.version,
                "sha256": sha256(bytes(self._opening["rubric"])).hexdigest(),
            },
            "prompts": {name: sha256(each.text.encode()).hexdigest() for name, each in opened.prompts.items()},
            "speakers": [
                {
                    "side": side,
                    **_chosen(getattr(opened, side), "model", "speaker", "archetype"),
                    "turns": _counted(
                        ("by", "model"), "turns", {key[1:]: n for key, n in self._spoken.items() if key[0] == side}
                    ),
                }
                for side in SIDES
            ],
            "answers": _counted(("purpose", "model"), "calls", self._answers),
            "cost": self._cost(),
            "missing": self._missing,
        }
        subject = [{"name": f"{view.id}.ndjson", "digest": {"sha256": self._digest.hexdigest()}}]
        return {"_type": TYPE, "subject": subject, "predicateType": PREDICATE, "predicate": predicate}

    def _scores(self) -> dict[str, Any]:
        ledger, card = self.fold.debate.ledger, self.fold.view.scorecard
        turns = []
        for turn, each in sorted(ledger.cards.items()):
            composite = each.composite(ledger.dimensions)
            values = {name: figure(balance.effective) for name, balance in each.balances.items()}
            whole = {} if composite is None else {"composite": figure(composite)}
            turns.append({"turn": turn, "side": each.side, "dimensions": values, **whole})
        points = {"pro": card.pro.composite, "con": card.con.composite}
        sides = {side: figure(each) for side, each in points.items() if not isinstance(each, Missing)}
        return {"turns": turns, **sides}

    def _cost(self) -> dict[str, Any]:
        used = self.fold.view.usage
        return {
            "calls": used.calls,
            "failed": used.failed_calls,
            "tokens": used.tokens,
            "unpriced": used.unpriced_calls,
            "usd": figure(used.cost_usd, 6),
        }


def _chosen(value: msgspec.Struct, *names: str) -> dict[str, Any]:
    shown: dict[str, Any] = msgspec.to_builtins(value)
    return {name: shown[name] for name in names if name in shown}


def _verdict(tag: str, event: Mapping[str, Any]) -> dict[str, Any]:
    words, figures = VERDICTS[tag]
    said = {name: event[name] for name in words if name in event}
    mean = dict.fromkeys(SIDES, 2) if tag == "scorecard_verdict_reached" else {}
    for numbers, places in ((event, figures), (event.get("mean", {}), mean)):
        said |= {name: figure(numbers[name], n) for name, n in places.items() if isinstance(numbers.get(name), float)}
    return {"type": tag, **said}


def _lacks(record: Recorded) -> list[dict[str, Any]]:
    """What has no value, and why."""
    event = record.event
    begin: dict[str, Any] = {"type": event.__struct_config__.tag}
    if (turn := getattr(event, "turn", UNSET)) is not UNSET:
        begin["turn"] = turn
    if isinstance(event, CheckMissing):
        return [{**begin, "part": event.purpose, "reason": event.reason}]
    found = []
    if (why := getattr(event, "missing", UNSET)) is not UNSET:
        found.append({**begin, "reason": why.reason})
    if isinstance(event, TurnScored) and event.absent is not UNSET:
        found += [{**begin, "part": name, "reason": each.reason} for name, each in event.absent.items()]
    return found


def _counted(names: tuple[str, str], what: str, number: Mapping[tuple[str, str], int]) -> list[dict[str, Any]]:
    """Numbers by two values, in the order of the values in UTF-8."""
    ordered = sorted(number, key=lambda values: [each.encode() for each in values])
    return [{**dict(zip(names, values, strict=True)), what: number[values]} for values in ordered]
