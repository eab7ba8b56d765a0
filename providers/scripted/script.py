"""The format of the file in ``scripted:FILE``, and the turn or answer that it gives for a call.

The result is a pure function of (file, key, turn, attempt).  Nothing is counted in memory, so a process that was killed
and started again continues as if it had not stopped.
"""

import os
import re
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from providers.errors import UnknownModel

MAX_BYTES: Final = 16 << 20
"""Bytes of a file."""
FaultKind = Literal[
    "refuse", "timeout", "reset", "drip", "empty", "bad_json", "wrong_type",
    "rate_limit", "overloaded", "auth", "context_length",
]  # fmt: skip


class Fault(Struct, frozen=True, forbid_unknown_fields=True):
    """A failure of the first ``times`` attempts.

    ``after_chars`` of the text come first: by default none, or half of the text before a ``reset``.  ``after_ms``:
    the length of a ``timeout`` or ``drip``, for scripts that do not wait for the whole idle timeout of the caller.
    """

    kind: FaultKind
    after_chars: Annotated[int, Meta(ge=0)] | None = None
    times: Annotated[int, Meta(ge=1)] = 1
    retry_after_s: Annotated[float, Meta(ge=0)] | None = None
    after_ms: Annotated[int, Meta(ge=0)] | None = None


class ScriptedTurn(Struct, frozen=True, forbid_unknown_fields=True):
    """One turn of a side.  ``then`` replaces it for the attempts after the fault; without it they get the text."""

    text: str = ""
    fault: Fault | None = None
    then: "str | ScriptedTurn | None" = None
    finish: Literal["stop", "length"] = "stop"


class ScriptedAnswer(Struct, frozen=True):
    """An answer from the file: a value, or a fault instead."""

    value: Any = None
    fault: Fault | None = None


class Pace(Struct, frozen=True, forbid_unknown_fields=True):
    """The speed of the text; ``answer_ms`` is the delay of a typed answer."""

    chunk_ms: Annotated[float, Meta(ge=0)] = 0
    chunk_chars: Annotated[int, Meta(ge=1)] = 24
    answer_ms: Annotated[float, Meta(ge=0)] = 0


class Script(Struct, frozen=True):
    """The whole file.  ``cost_usd`` is the cost of every call."""

    label: str = ""
    exhibition: dict[str, Any] | None = None
    """The exhibition: title, motion, turns, seats, points to watch.  The script itself does not use it."""
    pace: Pace = Pace()
    says: dict[str, list[str | ScriptedTurn]] = {}
    answers: dict[str, Any] = {}
    cost_usd: Annotated[float, Meta(ge=0)] = 0.0

    def turn_of(self, key: str, turn: int, attempt: int) -> ScriptedTurn | None:
        """The turn of the side after the key's colon; None if the file gives none.

        Sides alternate, so the n-th turn of a side is turn 2n − 1 or 2n.
        """
        entries = self.says.get(key.partition(":")[2])
        if not entries:
            return None
        return _turn_at(entries[min(max(turn - 1, 0) // 2, len(entries) - 1)], attempt)

    def first_words(self, turn: int) -> str:
        """The words with which this turn begins, if pro speaks the odd turns; empty if the file does not give it."""
        said = self.turn_of("speak:pro" if turn % 2 else "speak:con", turn, 1)
        return "" if said is None else " ".join(said.text.split()[:8])[:80]

    def answer_of(self, key: str, attempt: int) -> ScriptedAnswer | None:
        """The answer to this key at this attempt; None if the file gives none.

        An exact key comes before a pattern, a longer pattern before a shorter one.  A list has one entry for each
        attempt.
        """
        pattern = key if key in self.answers else max(self._patterns(key), key=len, default=None)
        if pattern is None:
            return None
        entry = self.answers[pattern]
        if not isinstance(entry, list):
            return _answer_of(entry, attempt)
        if not entry:
            return None
        index = min(attempt, len(entry)) - 1
        return _answer_of(entry[index], attempt - index)

    def _patterns(self, key: str) -> Iterator[str]:
        return (pattern for pattern in self.answers if "*" in pattern and fnmatchcase(key, pattern))


def load(path: Path) -> Script:
    """Read and validate a regular file of at most ``MAX_BYTES``.

    Raises ``UnknownModel`` with one line that names the file without its folder, the fault, and its place.
    """
    try:
        content = _read(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UnknownModel(f"the script {path.name} cannot be read: {why}") from None
    try:
        script = msgspec.json.decode(content, type=Script)
        for key, entry in script.answers.items():
            for index, item in enumerate(entry if isinstance(entry, list) else [entry]):
                _check_fault(item, f"$.answers[{key!r}]" + (f"[{index}]" if isinstance(entry, list) else ""))
    except msgspec.ValidationError as error:
        raise UnknownModel(f"the script {path.name} is not valid: {error}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise UnknownModel(f"the script {path.name} is not JSON{_line(error, content)}: {error}") from None
    return script


def _read(path: Path) -> bytes:
    """The content of a regular file.  Raises ``OSError``, ``ValueError``."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe without a writer must not wait
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("it is not a regular file")
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES >> 20} MiB")
    return content


def _turn_at(entry: str | ScriptedTurn, attempt: int) -> ScriptedTurn:
    turn = ScriptedTurn(text=entry) if isinstance(entry, str) else entry
    if turn.fault is None or attempt <= turn.fault.times:
        return turn
    if turn.then is None:
        return msgspec.structs.replace(turn, fault=None)
    return _turn_at(turn.then, attempt - turn.fault.times)


def _answer_of(entry: Any, attempt: int) -> ScriptedAnswer | None:
    if not _is_fault(entry):
        return ScriptedAnswer(value=entry)
    fault = msgspec.convert(entry["fault"], Fault)
    if attempt <= fault.times:
        return ScriptedAnswer(fault=fault)
    return _answer_of(entry["then"], attempt - fault.times) if "then" in entry else None


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
    """The line number, if msgspec names a byte."""
    found = re.search(r"\(byte (\d+)\)", str(error))
    return f" (line {content[: int(found[1])].count(10) + 1})" if found else ""  # 10: a line feed
