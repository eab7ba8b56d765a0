"""Exceptions of the log.  ``server.errors`` maps them to HTTP statuses and exit codes.

::

    LogError
    ├── WrongExpectedPosition     another writer was faster
    ├── UnknownDebate             the log has no such debate
    │   └── DebateDeleted         it had one: a tombstone is left
    ├── UnknownEvent              the payload is from a newer Moot, or not from Moot
    ├── BrokenChain               a digest does not follow from the one before
    ├── BadTransfer               a line of NDJSON cannot be imported
    ├── BadCursor                 the list did not give out this cursor
    ├── BadStore                  the address names no store
    ├── Fenced                    this node does not own the debate
    ├── Unanswered                a command sent to another node got no answer
    ├── StoreBusy                 another process holds the file
    └── StoreUnavailable          the store is full, read-only, closed …
        ├── NotMigrated           the database lacks Moot's schema, or has a newer one
        └── StoreDamaged          the file's structure is broken
"""

from typing import Self


class LogError(Exception):
    """Base class of the log's exceptions."""


class WrongExpectedPosition(LogError):
    """The debate's last position is not the one that the writer expected."""

    def __init__(self, debate: str, expected: int, found: int) -> None:
        self.debate, self.expected, self.found = debate, expected, found
        super().__init__(f"debate {debate}: expected {expected}, found {found}")


class UnknownDebate(LogError):
    """The log has no events of this debate."""

    def __init__(self, debate: str) -> None:
        self.debate = debate
        super().__init__(f"there is no debate {debate!r} in this store")


class DebateDeleted(UnknownDebate):
    """An operator deleted the debate.  The store keeps the digests of its events, the time and the reason."""

    def __init__(self, debate: str, deleted_at: str, reason: str, events: int) -> None:
        self.debate, self.deleted_at, self.reason, self.events = debate, deleted_at, reason, events
        why = f": {reason}" if reason else ", and no reason was given"
        count = "1 event" if events == 1 else f"{events} events"
        self.short = f"the debate was deleted on {deleted_at[:10]}"
        """Without the reason: it fits in the close frame of a WebSocket."""
        LogError.__init__(
            self, f"debate {debate} ({count}) was deleted on {deleted_at[:10]} at {deleted_at[11:16]} UTC{why}"
        )


class UnknownEvent(LogError):
    """This version cannot read the payload."""

    def __init__(self, why: str) -> None:
        super().__init__(f"an event cannot be read: {why}")


class BrokenChain(LogError):
    """The log was altered, or events were removed.  ``broken_at`` is the first position that does not verify."""

    def __init__(self, debate: str, broken_at: int, why: str) -> None:
        self.debate, self.broken_at, self.why = debate, broken_at, why
        what = f"debate {debate}" if debate else "it"
        super().__init__(f"{what} does not verify at position {broken_at}: {why}")


class BadTransfer(LogError):
    """A file that cannot be imported."""


class BadCursor(LogError):
    """No page of the list gave out this cursor."""

    def __init__(self, cursor: str) -> None:
        self.cursor = cursor
        super().__init__(f"{cursor[:80]!r} is no cursor of this list")


class BadStore(LogError, ValueError):
    """The address names no store."""


class Fenced(LogError):
    """This node does not own the debate: it never did, or it lost the lease.  Nothing was written."""

    def __init__(self, debate: str, held: int | None, owner: str | None, epoch: int) -> None:
        self.debate, self.held, self.owner, self.epoch = debate, held, owner, epoch
        ours = "this node does not hold it" if held is None else f"this node held it in epoch {held}"
        theirs = f"node {owner} runs it in epoch {epoch}" if owner else f"it stands in epoch {epoch} without an owner"
        super().__init__(f"debate {debate}: {ours}, {theirs}")


class Unanswered(LogError):
    """A command sent to the debate's owner got no answer.  ``taken``: it may have been carried out nevertheless."""

    def __init__(self, debate: str, *, taken: bool) -> None:
        self.debate, self.taken = debate, taken
        outcome = "it may or may not have been done" if taken else "it was withdrawn and is not done"
        super().__init__(f"debate {debate}: the node that runs it did not answer; {outcome}")


class StoreBusy(LogError):
    """Another process writes to this store.  ``address`` is the address of its server, or empty."""

    def __init__(self, path: str, pid: int, address: str) -> None:
        self.path, self.pid, self.address = path, pid, address
        where = f", serving at {address}" if address else ""
        super().__init__(f"the store {path} is in use by process {pid}{where}")


class StoreUnavailable(LogError):
    """The store cannot be read or written now.  Nothing that was acknowledged is lost.

    ``reason`` says why in a few words without file names: spectators see it.
    """

    def __init__(self, message: str, reason: str = "it cannot be used now") -> None:
        self.reason = reason
        super().__init__(message)

    def in_doubt(self) -> Self:
        """The same error for an append that the store did not answer: it may be recorded."""
        return type(self)(f"{self}; it may be recorded all the same: look before you repeat it", self.reason)

    @classmethod
    def because(cls, path: object, reason: str, remedy: str, code: str = "") -> Self:
        """For a file: the reason, the remedy, and the error ``code`` of the database."""
        named = f" ({code})" if code else ""
        return cls(f"the store {path} is unavailable: {reason}{named}; {remedy}", reason)


class NotMigrated(StoreUnavailable):
    """The database lacks Moot's schema, or has one that this version does not read."""


class StoreDamaged(StoreUnavailable):
    """The structure of the file is broken: restore a backup, or export the debates that can still be read."""
