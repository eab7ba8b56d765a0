"""The request for a debate: its fields, their bounds, and which of them go together."""

import re
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from events.misfits import misfit_words
from events.types import Format, MotionKind, Think
from judge.rubric import ShippedRubric
from server.debate.setup import exhibitions
from server.debate.setup.cases import MOTION_MOST, CaseRequest, cases_of
from server.debate.setup.lab import MOTION, LabRequest
from server.debate.setup.seats import Name, PanelRequest, PersonName, TurnTime
from server.debate.setup.transcripts import TranscriptRequest
from server.debate.speech import clean
from server.errors import BadField, BadQuery
from server.evidence.documents import MOST_DOCUMENTS, EvidenceRequest
from server.people.provider import is_person

STATEMENTS: Final = frozenset({6, 8})
"""Turns that a request for a protocol debate may name; the rubric decides which of them it has."""
DEBATES: Final = frozenset({"exchange", "protocol"})
"""The formats with two debaters."""


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


class ArtifactRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """A text to judge."""

    name: Name = "artifact"
    text: str


class PollRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The votes of the audience before and after the debate."""

    before_s: Annotated[float, Meta(ge=1, le=86_400)] | None = None
    """Seconds after which the first vote closes; without it, an operator closes it."""
    after_s: Annotated[float, Meta(ge=1, le=86_400)] | None = None
    """The same for the second vote, from the end of the last turn on."""
    voters_per_address: Annotated[int, Meta(ge=1, le=20_000)] | None = None
    """Voters that one address may have; without it, as many as the setting says."""


class DebateRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of ``POST /api/debates``.  Every field but the motion has a default."""

    motion: str = ""
    format: Format = "exchange"
    turns: Annotated[int, Meta(ge=1, le=200)] = 6
    """In format ``protocol`` six or eight; the rubric decides whether there are three rounds or four."""
    max_words: Annotated[int, Meta(ge=20, le=1000)] | None = None
    """``MOST_WORDS`` without it, or ``TINY_WORDS`` if SmolLM2 debates."""
    pro: DebaterRequest = msgspec.field(default_factory=lambda: DebaterRequest(archetype="engineer"))
    con: DebaterRequest = msgspec.field(default_factory=lambda: DebaterRequest(archetype="provocateur"))
    judge: JudgeRequest = msgspec.field(default_factory=JudgeRequest)
    rubric: dict[str, Any] | ShippedRubric | None = None
    """A complete rubric, or the name of a shipped one; v2 without either."""
    panel: Annotated[PanelRequest, Meta(max_length=12)] | None = None
    """Models, names of profiles, or seats.  ``["embedded:smollm2"]`` gives all four profiles to one model."""
    topic_type: Name | None = None
    """One of the panel's topics; without it, the words of the motion decide."""
    artifact: ArtifactRequest | None = None
    """The text to judge, in format ``deliberation``."""
    cases: Annotated[list[CaseRequest], Meta(max_length=1000)] | None = None
    """The cases, in format ``calibration``."""
    lab: LabRequest | None = None
    """What the judge is measured with, in format ``lab``."""
    evidence: Annotated[list[EvidenceRequest], Meta(max_length=MOST_DOCUMENTS)] | None = None
    """Documents that the debaters may cite."""
    transcript: TranscriptRequest | None = None
    """The turns of a debate that was held elsewhere, in format ``exchange``."""
    exhibition: Name | None = None
    """The name of an exhibition to open: it gives all fields except ``blind``."""
    blind: bool = False
    """Whether spectators learn the models only after the debate has concluded."""
    poll: PollRequest | None = None
    """The audience votes before the first turn and after the last one; the debate waits for both votes."""
    ignore_noise: bool = False
    """Whether a lead within which the judge differs from itself names a winner all the same."""
    motion_kind: MotionKind | None = None
    """Policy, fact or value; without it, the words of the motion decide."""
    language: str | None = None
    """A BCP 47 tag of ``events.languages``; without it, the language of the motion."""
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None
    max_cost_usd: Annotated[float, Meta(gt=0)] | None = None
    deadline_s: Annotated[float, Meta(ge=1, le=86_400)] | None = None
    """Seconds after which the debate is halted."""


def as_request(said: Any) -> DebateRequest:
    """A request from JSON values, with every bound checked.  Raises ``BadQuery``, ``BadField``."""
    if not isinstance(said, dict):
        raise BadQuery("the body must be a JSON object")
    if isinstance(said.get("exhibition"), str):
        said = {**exhibitions.request_for(said["exhibition"]), "blind": said.get("blind", False)}
    try:
        request = msgspec.convert(said, DebateRequest)
    except msgspec.ValidationError as error:
        raise as_field_error(error) from error
    motion = clean(request.motion).strip() or _default_motion(request)
    if not 1 <= len(motion) <= MOTION_MOST:
        raise BadField("motion", f"a motion has 1 to {MOTION_MOST} characters, this one has {len(motion)}")
    _check_format(request)
    return msgspec.structs.replace(request, motion=motion)


def has_panel(request: DebateRequest) -> bool:
    """Whether the debate has a panel: by request, or because its format has no debaters."""
    return bool(request.panel) or (request.panel is None and request.format not in {*DEBATES, "lab"})


def _default_motion(request: DebateRequest) -> str:
    """The motion of a request without debaters; empty for a debate."""
    if request.format == "deliberation" and request.artifact is not None:
        return f"Does {request.artifact.name} pass?"
    if request.format == "calibration" and request.cases is not None:
        debates = "1 debate" if len(request.cases) == 1 else f"{len(request.cases)} debates"
        return f"Raters measured by {debates} with known outcomes"
    if request.format == "lab":
        return MOTION.format(judge=request.judge.model or "the judge")
    return ""


def _check_format(request: DebateRequest) -> None:
    """Raise ``BadField`` for a field that does not go with the format."""
    if request.format == "protocol" and request.turns not in STATEMENTS:
        raise BadField("turns", "a protocol debate has 8 statements, two in each of four rounds: leave the turns out")
    if (request.format == "deliberation") != (request.artifact is not None):
        raise BadField("artifact", "format deliberation judges an artifact, and no other format does")
    if (request.format == "calibration") != bool(request.cases):
        raise BadField("cases", "format calibration measures raters by cases, and no other format does")
    if (request.format == "lab") != (request.lab is not None):
        raise BadField("lab", "format lab measures a judge with what its part lab names, and no other format does")
    if request.format == "lab" and request.panel:
        raise BadField("panel", "a lab measures one judge and has no panel")
    if request.evidence and request.format not in DEBATES:
        raise BadField("evidence", "only a debate between two sides has evidence")
    if request.transcript is not None:
        _check_supplied(request)
    if request.format == "deliberation":
        _check_samples(request)
    if request.blind and request.format not in DEBATES:
        raise BadField("blind", "only a debate between two sides can be blind")
    _check_people(request)
    _check_poll(request)
    cases_of(request.cases or ())


def _check_poll(request: DebateRequest) -> None:
    """Raise ``BadField`` for a poll where the audience cannot vote before the first turn."""
    if request.poll is not None and request.format not in DEBATES:
        raise BadField("poll", "only a debate between two sides has a poll")
    if request.poll is not None and request.transcript is not None:
        raise BadField("poll", "a debate that was held elsewhere has no poll: its turns can be read at once")


def _check_supplied(request: DebateRequest) -> None:
    """Raise ``BadField`` for what a debate over a supplied transcript does not have: debaters, and their rules."""
    if request.format != "exchange":
        raise BadField("format", "a supplied transcript is judged in format exchange")
    for side, seat in (("pro", request.pro), ("con", request.con)):
        if seat.model is not None:
            raise BadField(f"{side}.model", "the turns come from the transcript, so no model speaks: leave it out")
        if seat.person is not None:
            raise BadField(
                f"{side}.person", "the turns come from the transcript, which names its speakers: leave it out"
            )
    if request.max_words is not None:
        raise BadField("max_words", "the turns of a transcript stay as long as they are: leave it out")


def _check_people(request: DebateRequest) -> None:
    """Raise ``BadField`` for a person, a time or a model that takes over where it cannot be."""
    if request.judge.person is not None and request.judge.samples > 1:
        raise BadField("judge.samples", "a person is asked once")
    if request.judge.person is not None and request.format == "lab":
        raise BadField("judge.person", "a lab asks the same questions again and again: it measures a model")
    if is_person(request.judge.second or ""):
        raise BadField("judge.second", "second opinions come from a model")
    for side, seat in (("pro", request.pro), ("con", request.con)):
        if seat.person is None:
            for field in ("time_s", "takeover"):
                if getattr(seat, field) is not None:
                    raise BadField(f"{side}.{field}", f"{field} goes with a person: name one in {side}.person")
        elif request.format != "exchange":
            raise BadField(f"{side}.person", "a person debates in format exchange only")
        elif seat.takeover is not None and is_person(seat.takeover):
            raise BadField(f"{side}.takeover", "a model takes over, not a person")


def _check_samples(request: DebateRequest) -> None:
    """Raise ``BadField`` if a judge would be asked several times: opinions have no median."""
    samples = {"judge.samples": request.judge.samples}
    for number, each in enumerate(request.panel or ()):
        if not isinstance(each, str):
            samples[f"panel.{number}.samples"] = each.samples
    for field, count in samples.items():
        if count > 1:
            raise BadField(field, "an artifact's judges are asked once in each round")


def as_field_error(error: msgspec.ValidationError) -> BadField:
    """The field of an error: msgspec writes ``… - at `$.pro.model` `` or names it in the sentence."""
    message, _, path = str(error).partition(" - at `$")
    field = re.sub(r"\[(\d+)\]", r".\1", path.rstrip("`")).replace("[...]", "").lstrip(".")
    if "field `" in message:
        name = message.split("field `", 1)[1].split("`", 1)[0]
        field = f"{field}.{name}" if field else name
    last = next((part for part in reversed(field.split(".")) if part and not part.isdigit()), "the body")
    return BadField(field or "body", misfit_words(error, last.replace("_", " ")))
