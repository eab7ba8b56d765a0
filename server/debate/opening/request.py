"""The request for a debate: the fields that every format has, with their bounds, and which of them go together.

A request is one of several types, by format.  Each format adds its own fields in its folder; they have the base
``DebateRequest``.  On the wire all are one JSON object, and its field ``format`` says which type it is.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal

import msgspec
from msgspec import Meta, Struct

from events.misfits import misfit_words
from events.types import Effort, MotionKind, Side, Think
from events.types.panel import Profile
from judge.rubrics.rubric import ShippedRubric
from server.errors import BadField
from server.people.names import MAX_NAME, is_person

MAX_MOTION: Final = 2000
"""Characters."""
PersonName = Annotated[str, Meta(min_length=1, max_length=MAX_NAME, pattern=r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$")]
TurnTime = Annotated[float, Meta(ge=10, le=86_400)]
Name = Annotated[str, Meta(max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*$")]


class DebaterRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A side in a request."""

    model: Name | None = None
    archetype: Name | None = None
    elasticity: Annotated[float, Meta(ge=0, le=1)] = 0.5
    think: Think = "low"
    person: PersonName | None = None
    """The name of the person who speaks in place of a model."""
    time_s: TurnTime | None = None
    """Seconds that the person has for a turn; ``TURN_S`` without it."""
    takeover: Name | None = None
    """The model that speaks in the seat after a time-out or a resignation."""


class JudgeRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The judge in a request.  ``second`` is another model, for second opinions."""

    model: Name | None = None
    samples: Annotated[int, Meta(ge=1, le=9)] = 1
    second: Name | None = None
    appeals: Literal["none", "serious", "all"] = "serious"
    think: Think = "medium"
    person: PersonName | None = None
    """The name of the person who judges in place of a model."""
    time_s: TurnTime | None = None
    """Seconds that the person has for a question; ``QUESTION_S`` without it."""
    effort: Effort = "full"
    """``brief``: two questions share a call, and turns are compared in one order.  Formats exchange and lab."""


class RaterRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """One seat in a request: a profile by name, or a profile in full."""

    rater: Name | None = None
    model: Name | None = None
    samples: Annotated[int, Meta(ge=1, le=9)] = 1
    profile: Profile | None = None
    think: Think = "medium"
    person: PersonName | None = None
    """The name of the person who rates in place of a model."""
    time_s: TurnTime | None = None
    """Seconds that the person has for a question; ``QUESTION_S`` without it."""


PanelRequest = list[str | RaterRequest]


class DebateRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """What a request of any format may have.  Every field but the motion of a debate has a default."""

    format_: ClassVar[str]
    """The name of its format."""
    only: ClassVar[dict[str, tuple[str, str]]] = {}
    """For each field that other formats lack: the field to blame and the reason, if a request of theirs has it."""
    people_debate: ClassVar[bool] = False
    """Whether a person may speak for a side."""
    usual_archetypes: ClassVar[Mapping[Side, str]] = {}
    """The archetypes of sides for which the request names none."""
    asks_briefly: ClassVar[bool] = False
    """Whether its questions about a turn can share a call."""

    motion: str = ""
    format: str = "exchange"
    turns: Annotated[int, Meta(ge=1, le=200)] = 6
    """In format ``protocol`` six or eight; the rubric decides whether there are three rounds or four."""
    max_words: Annotated[int, Meta(ge=20, le=1000)] | None = None
    """``MAX_WORDS`` without it, or ``TINY_WORDS`` if SmolLM2 debates without a person."""
    pro: DebaterRequest = msgspec.field(default_factory=DebaterRequest)
    con: DebaterRequest = msgspec.field(default_factory=DebaterRequest)
    judge: JudgeRequest = msgspec.field(default_factory=JudgeRequest)
    rubric: dict[str, Any] | ShippedRubric | None = None
    """A complete rubric, or the name of a shipped one; v3 without either."""
    panel: Annotated[PanelRequest, Meta(max_length=12)] | None = None
    """Models, names of profiles, or seats.  ``["embedded:smollm2"]`` gives all four profiles to one model."""
    topic_type: Name | None = None
    """One of the panel's topics; without it, the words of the motion decide."""
    exhibition: Name | None = None
    """The name of an exhibition to open: it gives all fields except ``blind`` and the name of a shipped ``rubric``."""
    ignore_noise: bool = False
    """Whether what a lab run measured of the judge is left out: the lead then names a side, or is as sure, as usual."""
    motion_kind: MotionKind | None = None
    """Policy, fact or value; without it, the words of the motion decide."""
    language: str | None = None
    """A BCP 47 tag of ``events.text.languages``; without it, the language of the motion."""
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None
    max_cost_usd: Annotated[float, Meta(gt=0)] | None = None
    deadline_s: Annotated[float, Meta(ge=1, le=86_400)] | None = None
    """Seconds after which the debate is halted."""

    def usual_motion(self) -> str:
        """The motion of a request that names none; empty where it must."""
        return ""

    def check(self) -> None:
        """Raise ``BadField`` for fields that do not go together."""
        self._check_judge()
        for side, seat in (("pro", self.pro), ("con", self.con)):
            if seat.person is None:
                for field in ("time_s", "takeover"):
                    if getattr(seat, field) is not None:
                        raise BadField(f"{side}.{field}", f"{field} goes with a person: name one in {side}.person")
            elif not self.people_debate:
                raise BadField(f"{side}.person", "a person debates in formats exchange and protocol only")
            elif seat.takeover is not None and is_person(seat.takeover):
                raise BadField(f"{side}.takeover", "a model takes over, not a person")

    def _check_judge(self) -> None:
        if self.judge.person is not None and self.judge.samples > 1:
            raise BadField("judge.samples", "a person is asked once")
        if self.judge.effort == "brief":
            if not self.asks_briefly:
                raise BadField("judge.effort", "a judge is asked briefly in formats exchange and lab only")
            if self.judge.person is not None or is_person(self.judge.model or ""):
                raise BadField("judge.effort", "a person is asked each question by itself")
        if is_person(self.judge.second or ""):
            raise BadField("judge.second", "second opinions come from a model")


def as_field_error(error: msgspec.ValidationError) -> BadField:
    """The field of an error: msgspec writes ``… - at `$.pro.model` `` or names it in the sentence."""
    message, _, path = str(error).partition(" - at `$")
    field = re.sub(r"\[(\d+)\]", r".\1", path.rstrip("`")).replace("[...]", "").lstrip(".")
    if "field `" in message:
        name = message.split("field `", 1)[1].split("`", 1)[0]
        field = f"{field}.{name}" if field else name
    last = next((part for part in reversed(field.split(".")) if part and not part.isdigit()), "the body")
    return BadField(field or "body", misfit_words(error, last.replace("_", " ")))
