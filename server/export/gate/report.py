"""What a gate reports, as values."""

from typing import Final, Literal

import msgspec
from msgspec import Struct

Result = Literal["pass", "fail", "unclear"]
UnclearIs = Literal["fail", "pass"]
UNCLEAR_CODE: Final = 3
CODES: Final[dict[Result, int]] = {"pass": 0, "fail": 1, "unclear": UNCLEAR_CODE}


class FilePlace(Struct, frozen=True, kw_only=True):
    """Where words stand in a file.

    Lines and columns are counted from 1, columns in code points; ``end_column`` is that after the last character.
    """

    line: int
    column: int
    end_line: int
    end_column: int


class FileQuote(Struct, frozen=True, kw_only=True):
    """Words that a judge quotes.  ``checked``: they stand in the judged text.  ``place``: None if it is not known."""

    text: str
    checked: bool
    place: FilePlace | None = None


class GateFinding(Struct, frozen=True, kw_only=True):
    """What judges found: who, why, and the quote on which it rests.

    ``rule`` is a judge of an artifact, or ``outcome``, ``instructions`` or a kind of claim or flaw.  ``verdict``: the
    gravest verdict of the judges who named it, or the value of ``--fail-on`` that it belongs to; empty without one.
    """

    rule: str
    text: str
    judges: tuple[str, ...]
    reason: str = ""
    verdict: str = ""
    quote: FileQuote | None = None
    turn: int | None = None
    fails: bool = False
    """Whether the gate fails by it."""


class Position(Struct, frozen=True, kw_only=True):
    """What one judge holds at the end."""

    judge: str
    model: str
    verdict: str
    reason: str
    confidence: float | None = None
    quote: FileQuote | None = None
    weight: float | None = None


class GateReport(Struct, frozen=True, kw_only=True):
    """The result of a gate, and everything that its forms show."""

    result: Result
    file: str
    question: str
    options: tuple[str, ...]
    verdict: str
    """The verdict on an artifact, or the side that is named; empty without one."""
    outcome: str
    """The outcome in words, with how sure it is."""
    certainty: tuple[str, ...]
    fail_on: tuple[str, ...]
    unclear: tuple[str, ...] = ()
    """Why the result is unclear."""
    unclear_is: UnclearIs | None = None
    findings: tuple[GateFinding, ...] = ()
    remediation: tuple[str, ...] = ()
    positions: tuple[Position, ...] = ()
    minority: tuple[Position, ...] = ()
    debate: str = ""
    link: str = ""
    opened_at: str = ""
    version: str = ""

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 unclear unless ``unclear_is`` says which of the two it is."""
        return CODES[self.unclear_is or "unclear"] if self.result == "unclear" else CODES[self.result]

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        if self.result != "unclear":
            return f"The gate {'passes' if self.result == 'pass' else 'fails'}: {self.outcome}"
        counted = f", which counts as {self.unclear_is}" if self.unclear_is else ""
        return f"Unclear{counted}: {' '.join(self.unclear)}"


def as_json(report: GateReport) -> str:
    """The report as JSON, with the exit code."""
    shown = msgspec.to_builtins(report) | {"exit_code": report.exit_code}
    return msgspec.json.format(msgspec.json.encode(shown), indent=2).decode()


def where(quote: FileQuote | None, turn: int | None = None) -> str:
    """The place of a quote in words: ``line 3``, ``lines 3 to 5``, ``turn 2``; empty if it is not known."""
    parts = [] if turn is None else [f"turn {turn}"]
    if quote is not None and (at := quote.place) is not None:
        parts.append(f"line {at.line}" if at.line == at.end_line else f"lines {at.line} to {at.end_line}")
    return ", ".join(parts)
