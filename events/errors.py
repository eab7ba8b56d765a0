"""What can go wrong with a log.  ``server.errors`` says how each is told in HTTP and at the end of a command.

::

    LogError
    ├── WrongExpectedPosition     another writer was first
    ├── UnknownDebate             the log has no such debate
    ├── UnknownEvent              written by a newer Moot, or not by Moot
    ├── BrokenChain               a digest does not follow from the one before
    ├── BadTransfer               a line of NDJSON that is no event, or cannot be imported
    ├── BadCursor                 a page of the list that the list never gave out
    ├── BadStore                  a store's name that no log answers to
    ├── Fenced                    another node runs the debate, or took it over
    ├── Unanswered                an act that was sent to another node has no answer
    ├── StoreBusy                 another process holds the file
    └── StoreUnavailable          full, read-only, closed
        ├── NotMigrated           the database lacks Moot's schema, or has a newer one
        └── StoreDamaged          what lies in the file is not what was written
"""

from typing import Self


class LogError(Exception):
    """Base of everything that a log raises."""


class WrongExpectedPosition(LogError):
    """The debate stands elsewhere than the writer believed."""

    def __init__(self, debate: str, expected: int, found: int) -> None:
        self.debate, self.expected, self.found = debate, expected, found
        super().__init__(f"debate {debate}: expected {expected}, found {found}")


class UnknownDebate(LogError):
    """No event of that debate is in the log."""

    def __init__(self, debate: str) -> None:
        self.debate = debate
        super().__init__(f"there is no debate {debate!r} in this store")


class UnknownEvent(LogError):
    """A payload that this version cannot read."""

    def __init__(self, why: str) -> None:
        super().__init__(f"an event cannot be read: {why}")


class BrokenChain(LogError):
    """The log was altered, or cut in its middle.  ``broken_at`` is the first position that does not verify."""

    def __init__(self, debate: str, broken_at: int, why: str) -> None:
        self.debate, self.broken_at, self.why = debate, broken_at, why
        what = f"debate {debate}" if debate else "it"
        super().__init__(f"{what} does not verify at position {broken_at}: {why}")


class BadTransfer(LogError):
    """A file that cannot be imported."""


class BadCursor(LogError):
    """A cursor that no page of the list gave out."""

    def __init__(self, cursor: str) -> None:
        self.cursor = cursor
        super().__init__(f"{cursor[:80]!r} is no cursor of this list")


class BadStore(LogError, ValueError):
    """A store's name that no log answers to."""


class Fenced(LogError):
    """This node does not run the debate: it never did, or lost its lease.  Nothing was written."""

    def __init__(self, debate: str, held: int | None, owner: str | None, epoch: int) -> None:
        self.debate, self.held, self.owner, self.epoch = debate, held, owner, epoch
        ours = "this node does not hold it" if held is None else f"this node held it in epoch {held}"
        theirs = f"node {owner} runs it in epoch {epoch}" if owner else f"it stands in epoch {epoch} without an owner"
        super().__init__(f"debate {debate}: {ours}, {theirs}")


class Unanswered(LogError):
    """An act sent to the node that runs the debate came to no answer.  ``taken``: it may have been done."""

    def __init__(self, debate: str, *, taken: bool) -> None:
        self.debate, self.taken = debate, taken
        outcome = "it may or may not have been done" if taken else "it was withdrawn and is not done"
        super().__init__(f"debate {debate}: the node that runs it did not answer; {outcome}")


class StoreBusy(LogError):
    """Another process writes to this store.  ``address`` is where its server answers, or empty."""

    def __init__(self, path: str, pid: int, address: str) -> None:
        self.path, self.pid, self.address = path, pid, address
        where = f", serving at {address}" if address else ""
        super().__init__(f"the store {path} is in use by process {pid}{where}")


class StoreUnavailable(LogError):
    """The store cannot be read or written now; nothing that was acknowledged is lost.

    ``reason`` says why in a few words that name no file: what those who watch are told.
    """

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


class StoreDamaged(StoreUnavailable):
    """The file's own structure is broken: restore a backup, or export what can still be read."""
