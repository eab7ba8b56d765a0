"""A batch: many debates by one plan.  What is planned, and which debates were opened and how they ended."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from events.types.base import Event, Winner
from events.types.study import StudyPlan

BatchPrivacy = Literal["unlisted", "hidden", "listed"]
"""Who finds the debates of a batch.  ``listed``: everybody; a list shows the batch, and its debates if asked for."""
BatchDebateState = Literal["concluded", "halted", "deleted", "refused"]
"""How a debate of a batch ended.  ``refused``: it could not be opened."""


class BatchSides(Struct, frozen=True, kw_only=True):
    """What both sides get: models, or archetypes."""

    pro: str
    con: str


class BatchPlan(Struct, frozen=True, kw_only=True):
    """The axes of a batch: a debate for each combination of their values."""

    name: str
    """Also the tag of its debates."""
    motions: tuple[str, ...]
    languages: tuple[str, ...]
    """The BCP 47 tag of each motion's language."""
    models: tuple[BatchSides, ...]
    mirrored: bool
    """Whether each combination is also held with the sides exchanged."""
    characters: tuple[BatchSides, ...] = ()
    judges: tuple[dict[str, Any], ...]
    """As the field ``judge`` of a request."""
    rubrics: tuple[str, ...] = ()
    evidence: tuple[tuple[dict[str, Any], ...], ...] = ()
    """Sets of documents, each as the field ``evidence`` of a request."""
    seeds: tuple[int, ...] = ()
    repeats: int = 1
    each: dict[str, Any] = {}
    """Fields of a request that all debates have in common."""
    at_once: dict[str, int] = {}
    """The most debates that run at the same time with a model of this provider."""
    in_a_row: int
    """Debates that fail in a row at one provider before the batch is paused."""
    privacy: BatchPrivacy
    debates: int
    digest: str
    """SHA-256 of the planned debates: a version of Moot that would plan others does not go on with the batch."""
    study: StudyPlan | UnsetType = UNSET
    """In place of the axes, for a study."""


class BatchPart(Struct, frozen=True, kw_only=True):
    """The place of a debate in the batch that opened it."""

    batch: str
    """The id of the batch."""
    key: str


class BatchDebatePlanned(Event, frozen=True, kw_only=True, tag="batch_debate_planned"):
    """A debate of the batch is opened next, or resumed if it was halted."""

    key: str
    attempt: int
    debate: str
    """Its id."""
    after: int = 0
    """The last position of the debate before it is resumed; 0 for a new one."""
    reserved_usd: float = 0.0
    """The most that it may cost in all: its cap; 0 without one."""


class BatchDebateEnded(Event, frozen=True, kw_only=True, tag="batch_debate_ended"):
    """A debate of the batch has concluded, or it cannot go on."""

    key: str
    attempt: int
    debate: str
    state: BatchDebateState
    position: int
    """The last position of the debate that changed its course; 0 for one that was not opened."""
    winner: Winner | UnsetType = UNSET
    by_rule: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    """Why it cannot go on."""
    provider: str | UnsetType = UNSET
    """The provider whose failure ended it."""
    providers: tuple[str, ...] = ()
    """The providers of the models that spoke and judged in a debate that has concluded."""
    cost_usd: float = 0.0
    """What counts against the budget: all that the debate has cost; a call of unknown cost counts as the dearest."""
    unpriced: str | UnsetType = UNSET
    """Why the cost of a call is unknown, in a debate without a cap."""
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    """From its opening to its last event."""
