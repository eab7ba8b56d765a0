"""The file behind ``scripted:FILE``: its shape, and what it says to which question.

What comes is a pure function of (file, key, turn, attempt).  Nothing is counted in memory, so a process that was killed
and started again goes on exactly as it would have.
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from .errors import UnknownModel

FaultKind = Literal[
    "refuse", "timeout", "reset", "drip", "empty", "bad_json", "wrong_type",
    "rate_limit", "overloaded", "auth", "context_length",
]  # fmt: skip


class Fault(Struct, frozen=True, forbid_unknown_fields=True):
    """A failure on cue, met by the first ``times`` attempts.

    ``after_chars`` of the text come first; without it none, but half of the text before a ``reset``.  ``after_ms``: how
    long a ``timeout`` or ``drip`` lasts, for scripts that shall not wait for the caller's whole idle timeout.
    """

    kind: FaultKind
    after_chars: Annotated[int, Meta(ge=0)] | None = None
    times: Annotated[int, Meta(ge=1)] = 1
    retry_after_s: Annotated[float, Meta(ge=0)] | None = None
    after_ms: Annotated[int, Meta(ge=0)] | None = None


class Say(Struct, frozen=True, forbid_unknown_fields=True):
    """What a side says in one turn.  ``then`` is what attempts beyond the fault meet; without it, the text itself."""

    text: str = ""
    fault: Fault | None = None
    then: "str | Say | None" = None
    finish: Literal["stop", "length"] = "stop"


class Given(Struct, frozen=True):
    """What the file gives as an answer: a value, or a fault instead of one."""

    value: Any = None
    fault: Fault | None = None


class Pace(Struct, frozen=True, forbid_unknown_fields=True):
    """How fast it speaks; ``answer_ms`` is how long it thinks over a typed question."""

    chunk_ms: Annotated[float, Meta(ge=0)] = 0
    chunk_chars: Annotated[int, Meta(ge=1)] = 24
    answer_ms: Annotated[float, Meta(ge=0)] = 0


class Script(Struct, frozen=True):
    """The whole file.  ``cost_usd`` is charged for every call."""

    label: str = ""
    exhibition: dict[str, Any] | None = None
    """What it plays: title, motion, turns, seats, what to watch for.  The script itself has no use for it."""
    pace: Pace = Pace()
    says: dict[str, list[str | Say]] = {}
    answers: dict[str, Any] = {}
    cost_usd: Annotated[float, Meta(ge=0)] = 0.0

    def speech(self, key: str, turn: int, attempt: int) -> Say | None:
        """What the side named behind the key's colon says in this turn; None when the file gives it nothing.

        Sides alternate, so a side's n-th turn is turn 2n − 1 or 2n.
        """
        entries = self.says.get(key.partition(":")[2])
        if not entries:
            return None
        return _after_faults(entries[min(max(turn - 1, 0) // 2, len(entries) - 1)], attempt)

    def answer(self, key: str, attempt: int) -> Given | None:
        """What is answered to this key at this attempt; None when the file leaves it out.

        An exact key comes before a pattern, a longer pattern before a shorter one.  A list is used by attempt.
        """
        pattern = key if key in self.answers else max(self._patterns(key), key=len, default=None)
        if pattern is None:
            return None
        entry = self.answers[pattern]
        if not isinstance(entry, list):
            return _given(entry, attempt)
        if not entry:
            return None
        index = min(attempt, len(entry)) - 1
        return _given(entry[index], attempt - index)

    def _patterns(self, key: str) -> Iterator[str]:
        return (pattern for pattern in self.answers if "*" in pattern and fnmatchcase(key, pattern))


def load(path: Path) -> Script:
    """Read and validate a file.  Raises ``UnknownModel`` with one line that says what is wrong, and where."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnknownModel(f"the script {path} cannot be read: {error.strerror or error}") from None
    try:
        script = msgspec.json.decode(content, type=Script)
        for key, entry in script.answers.items():
            for index, item in enumerate(entry if isinstance(entry, list) else [entry]):
                _check_fault(item, f"$.answers[{key!r}]" + (f"[{index}]" if isinstance(entry, list) else ""))
    except msgspec.ValidationError as error:
        raise UnknownModel(f"the script {path} is not valid: {error}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise UnknownModel(f"the script {path} is not JSON{_line(error, content)}: {error}") from None
    return script


def _after_faults(entry: str | Say, attempt: int) -> Say:
    say = Say(text=entry) if isinstance(entry, str) else entry
    if say.fault is None or attempt <= say.fault.times:
        return say
    if say.then is None:
        return msgspec.structs.replace(say, fault=None)
    return _after_faults(say.then, attempt - say.fault.times)


def _given(entry: Any, attempt: int) -> Given | None:
    if not _is_fault(entry):
        return Given(value=entry)
    fault = msgspec.convert(entry["fault"], Fault)
    if attempt <= fault.times:
        return Given(fault=fault)
    return _given(entry["then"], attempt - fault.times) if "then" in entry else None


def _is_fault(entry: Any) -> bool:
    return isinstance(entry, dict) and "fault" in entry and entry.keys() <= {"fault", "then"}


def _check_fault(entry: Any, where: str) -> None:
    while _is_fault(entry):
        try:
            msgspec.convert(entry["fault"], Fault)
        except msgspec.ValidationError as error:
            raise msgspec.ValidationError(f"{error} in `{where}.fault`") from None
        entry, where = entry.get("then"), f"{where}.then"


def _line(error: Exception, content: bytes) -> str:
    """Where msgspec names a byte, the line that a person looks for."""
    found = re.search(r"\(byte (\d+)\)", str(error))
    return f" (line {content[: int(found[1])].count(10) + 1})" if found else ""  # 10: a line feed
