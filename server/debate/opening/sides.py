"""A debate between two sides: what its request adds, and its debaters and panel as the opening holds them."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from events.table import LazyTable
from events.types import Debater, Event, PollSetup, Side, Takeover
from events.types.rubric import Rubric
from judge.rubrics.rubric import with_evidence
from judge.templates import EVIDENCE, judge_templates, load_template
from personalities.archetypes import archetypes
from personalities.prompt import debater_template
from server.debate.opening.build import PANEL, Seated, chosen_archetypes, rubric_of
from server.debate.opening.request import DebateRequest, DebaterRequest
from server.evidence.request import MAX_DOCUMENTS, EvidenceRequest
from server.people.names import PREFIX

DOCUMENTS: Final = LazyTable[Any]({"events": "server.evidence.documents:evidence_for"})
TURN_S: Final = 600.0
"""Seconds that a person has for a turn by default."""
DEBATER_PROMPTS: Final[tuple[Literal["debater", "short", "begun"], ...]] = ("debater", "short", "begun")


class PollRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The votes of the audience before and after the debate."""

    before_s: Annotated[float, Meta(ge=1, le=86_400)] | None = None
    """Seconds after which the first vote closes; without it, an operator closes it."""
    after_s: Annotated[float, Meta(ge=1, le=86_400)] | None = None
    """The same for the second vote, from the end of the last turn on."""
    voters_per_address: Annotated[int, Meta(ge=1, le=20_000)] | None = None
    """Voters that one address may have; without it, as many as the setting says."""


class TwoSidedRequest(DebateRequest, kw_only=True, forbid_unknown_fields=True):
    """A request for a debate between two sides."""

    only: ClassVar[dict[str, tuple[str, str]]] = {
        "evidence": ("evidence", "only a debate between two sides has evidence"),
        "blind": ("blind", "only a debate between two sides can be blind"),
        "poll": ("poll", "only a debate between two sides has a poll"),
    }

    evidence: Annotated[list[EvidenceRequest], Meta(max_length=MAX_DOCUMENTS)] | None = None
    """Documents that the debaters may cite."""
    blind: bool = False
    """Whether spectators learn the models only after the debate has concluded."""
    poll: PollRequest | None = None
    """The audience votes before the first turn and after the last one; the debate waits for both votes."""


def sides_rubric(request: TwoSidedRequest) -> Rubric:
    """The rubric, with its rules of evidence if the request has documents."""
    rubric = rubric_of(request)
    return with_evidence(rubric) if request.evidence else rubric


def sides_panel(request: TwoSidedRequest, rubric: Rubric) -> Callable[[str], tuple[Any, ...]] | None:
    """The seats of the panel for the model of the judge; None for a debate without a panel."""
    return PANEL["seats"](request, rubric) if request.panel else None


def debater(request: DebateRequest, side: Side, seats: Seated) -> Debater:
    """A debater of the opening."""
    seat: DebaterRequest = request.pro if side == "pro" else request.con
    model, found = seats.names[f"{side}.model"], seats.found
    return Debater(
        model=model,
        archetype=chosen_archetypes(request)[side],
        elasticity=seat.elasticity,
        caveat=found.caveats[model],
        window=found.windows[model],
        think=seat.think,
        speaker=UNSET if seat.person is None else model.removeprefix(PREFIX),
        time_s=UNSET if seat.person is None else seat.time_s or TURN_S,
        takeover=UNSET
        if seat.takeover is None
        else Takeover(model=seat.takeover, caveat=found.caveats[seat.takeover], window=found.windows[seat.takeover]),
    )


def sides_fields(request: TwoSidedRequest, *, has_debaters: bool = True) -> dict[str, Any]:
    """The fields of the opening that a debate between two sides sets, apart from its turns and debaters."""
    chosen, known = chosen_archetypes(request), archetypes()
    return {
        "archetypes": {name: known[name] for name in set(chosen.values()) if name} if has_debaters else {},
        "prompts": {
            **({name: debater_template(name) for name in DEBATER_PROMPTS} if has_debaters else {}),
            **judge_templates(),
            **({EVIDENCE: load_template(EVIDENCE)} if request.evidence else {}),
            **({"documents": debater_template("documents")} if request.evidence and has_debaters else {}),
        },
        "blind": request.blind,
        "poll": _poll(request.poll),
    }


async def documents(request: TwoSidedRequest) -> tuple[Event, ...]:
    """The documents of the request as events.  Raises ``BadField``."""
    return await DOCUMENTS["events"](request.evidence) if request.evidence else ()


def _poll(request: PollRequest | None) -> PollSetup | UnsetType:
    if request is None:
        return UNSET
    given = msgspec.structs.asdict(request)
    return PollSetup(**{name: value for name, value in given.items() if value is not None})
