
"""What can go wrong with a log.

::

    LogError                      500  exit 1
    ├── WrongExpectedPosition     409  exit 1   somebody else was first
    ├── UnknownDebate             404  exit 3
    ├── UnknownEvent              500  exit 1   written by a newer Moot, or not by Moot
    ├── BrokenChain               500  exit 4   a digest does not follow from the one before
    ├── BadTransfer               422  exit 1   a line of NDJSON that is no event, or cannot be imported
    ├── BadCursor                 400  exit 2   a page of the list that nobody gave out
    ├── BadStore                  500  exit 2   a store's name that no log answers to
    ├── Fenced                    409  exit 1   another node runs the debate, or took it over
    ├── Unanswered                503  exit 1   an act that was sent to another node has no answer
    ├── StoreBusy                 503  exit 1   another process holds the file
    └── StoreUnavailable          503  exit 1   full, read-only, closed
        ├── NotMigrated           503  exit 2   the database lacks Moot's schema, or has a newer one
        └── StoreDamaged          503  exit 1   what lies in the file is not what was written
"""

from typing import ClassVar, Self


class LogError(Exception):
    """Base of everything that a log raises."""

    code: ClassVar[str] = "log_error"
    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1


class WrongExpectedPosition(LogError):
    """The debate stands elsewhere than the writer believed."""

    code = "wrong_expected_position"
    status = 409

    def __init__(self, debate: str, expected: int, found: int) -> None:
        self.debate, self.expected, self.found = debate, expected, found
        super().__init__(f"debate {debate}: expected {expected}, found {found}")


class UnknownDebate(LogError):
    """No event of that debate is in the log."""

    code = "unknown_debate"
    status = 404
    exit_code = 3

    def __init__(self, debate: str) -> None:
        self.debate = debate
        super().__init__(f"there is no debate {debate!r} in this store")


class UnknownEvent(LogError):
    """A payload that this version cannot read."""

    code = "unknown_event"

    def __init__(self, why: str) -> None:
        super().__init__(f"an event cannot be read: {why}")


class BrokenChain(LogError):
    """The log was altered, or cut in its middle.  ``broken_at`` is the first position that does not verify."""

    code = "broken_chain"
    exit_code = 4

    def __init__(self, debate: str, broken_at: int, why: str) -> None:
        self.debate, self.broken_at, self.why = debate, broken_at, why
        what = f"debate {debate}" if debate else "it"
        super().__init__(f"{what} does not verify at position {broken_at}: {why}")


class BadTransfer(LogError):
    """A file that cannot be imported."""

    code = "bad_transfer"
    status = 422


class BadCursor(LogError):
    """A cursor that no page of the list gave out."""

    code = "bad_cursor"
    status = 400
    exit_code = 2

    def __init__(self, cursor: str) -> None:
        self.cursor = cursor
        super().__init__(f"{cursor[:80]!r} is no cursor of this list")


class BadStore(LogError, ValueError):
    """A store's name that no log answers to."""

    code = "bad_store"
    exit_code = 2


class Fenced(LogError):
    """This node does not run the debate: it never did, or lost its lease.  Nothing was written."""

    code = "fenced"
    status = 409

    def __init__(self, debate: str, held: int | None, owner: str | None, epoch: int) -> None:
        self.debate, self.held, self.owner, self.epoch = debate, held, owner, epoch
        ours = "this node does not hold it" if held is None else f"this node held it in epoch {held}"
        theirs = f"node {owner} runs it in epoch {epoch}" if owner else f"it stands in epoch {epoch} without an owner"
        super().__init__(f"debate {debate}: {ours}, {theirs}")


class Unanswered(LogError):
    """An act sent to the node that runs the debate came to no answer.  ``taken``: it may have been done."""

    code = "unanswered"
    status = 503

    def __init__(self, debate: str, *, taken: bool) -> None:
        self.debate, self.taken = debate, taken
        outcome = "it may or may not have been done" if taken else "it was withdrawn and is not done"
        super().__init__(f"debate {debate}: the node that runs it did not answer; {outcome}")


class StoreBusy(LogError):
    """Another process writes to this store.  ``address`` is where its server answers, or empty."""

    code = "store_busy"
    status = 503

    def __init__(self, path: str, pid: int, address: str) -> None:
        self.path, self.pid, self.address = path, pid, address
        where = f", serving at {address}" if address else ""
        super().__init__(f"the store {path} is in use by process {pid}{where}")


class StoreUnavailable(LogError):
    """The store cannot be read or written now; nothing that was acknowledged is lost.

    ``reason`` says why in a few words that name no file: what those who watch are told.
    """

    code = "store_unavailable"
    status = 503

    def __init__(self, message: str, reason: str = "it cannot be used now") -> None:
        self.reason = reason
        super().__init__(message)

    @classmethod
    def because(cls, path: object, reason: str, remedy: str, code: str = "") -> Self:
        """Of a file: why, what to do, and the ``code`` of the database for who wants to look it up."""
        named = f" ({code})" if code else ""
        return cls(f"the store {path} is unavailable: {reason}{named}; {remedy}", reason)


class NotMigrated(StoreUnavailable):
    """The database has no schema of Moot's, or another one than this version reads."""

    code = "not_migrated"
    exit_code = 2


class StoreDamaged(StoreUnavailable):
    """The file's own structure is broken: restore a backup, or export what can still be read."""

    code = "store_damaged"
