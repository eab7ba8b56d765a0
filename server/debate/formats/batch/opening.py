"""The opening of format ``batch``: the plan of many debates, checked before the first of them begins."""

import secrets
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Final

import anyio
import msgspec
from msgspec import UNSET, Meta, Struct

from events.store.listing import Limits
from events.store.log import EventLog, read_rows
from events.table import LazyTable
from events.types import NOBODY, DebateLabelled, DebateOpened, DebateSettings, DebateState, JudgeSeat
from events.types.batch import BatchPlan, BatchPrivacy, BatchSides
from events.types.study import StudyPlan
from judge.rubrics.rubric import ShippedRubric, default_rubric
from personalities.archetypes import archetypes
from providers.catalog.addresses import BATCH
from server.debate.formats.batch.plan import digest_of, expanded, judge_of, planned
from server.debate.opening.build import Desk, Opening, or_unset
from server.debate.opening.language import language_of
from server.debate.opening.models import find_models, must_be_priced
from server.debate.opening.request import MAX_MOTION, DebateRequest, JudgeRequest, Name
from server.debate.speech import clean
from server.errors import BadField
from server.evidence.request import MAX_DOCUMENTS, EvidenceRequest
from server.people.links import digest_of_link
from server.people.names import NAME as PERSON
from server.process.version import VERSION

NO_BATCH: Final = "format batch holds the debates of its part batch, and no other format does"
READ: Final = LazyTable[Any]({"request": "server.debate.setup.request:as_request"})
"""It reads requests of all formats, this one too."""
STUDY: Final = LazyTable[Any]({"check": "server.debate.formats.answers.cells:check"})
MAX_DEBATES: Final = 5000
MAX_AXIS: Final = 1000
"""Values of one axis."""
OF_AXES: Final = frozenset({"motion", "rubric", "evidence", "seed", "exhibition", "format_", "batch", "lab"})
"""Fields of a debate that the axes of a plan set, or that a debate of a batch does not have."""
FORMATS: Final = frozenset({"exchange", "protocol"})
"""Formats of the debates of a batch: those with two debaters."""


class SidesRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """What both sides get."""

    pro: Name
    con: Name


class BatchRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """The part ``batch`` of a request: the axes of the plan."""

    name: Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f,]*\S[^\x00-\x1f\x7f,]*$")]
    motions: Annotated[list[str], Meta(max_length=MAX_AXIS)] = []
    """At least one, except in a study."""
    models: Annotated[list[Name | SidesRequest], Meta(min_length=1, max_length=MAX_AXIS)]
    """Names, each of which debates with each other one, or pairs of both sides."""
    mirrored: bool = True
    characters: Annotated[list[SidesRequest], Meta(max_length=MAX_AXIS)] = []
    """Archetypes of both sides."""
    judges: Annotated[list[Name | JudgeRequest], Meta(min_length=1, max_length=MAX_AXIS)]
    rubrics: Annotated[list[ShippedRubric], Meta(max_length=MAX_AXIS)] = []
    evidence: Annotated[
        list[Annotated[list[EvidenceRequest], Meta(max_length=MAX_DOCUMENTS)]], Meta(max_length=MAX_AXIS)
    ] = []
    """Sets of documents; an empty one is a debate without documents."""
    seeds: Annotated[list[Annotated[int, Meta(ge=0, le=2**31 - 1)]], Meta(max_length=MAX_AXIS)] = []
    repeats: Annotated[int, Meta(ge=1, le=MAX_AXIS)] = 1
    each: dict[str, Any] = {}
    """Fields of a request that all debates have in common, such as ``turns`` and ``max_cost_usd``."""
    at_once: dict[str, Annotated[int, Meta(ge=1, le=200)]] = {}
    """The most debates at the same time, by provider; ``AT_ONCE`` for another one."""
    in_a_row: Annotated[int, Meta(ge=1, le=1000)] = 5
    """Debates that fail in a row at one provider before the batch is paused."""
    privacy: BatchPrivacy = "unlisted"
    study: StudyPlan | None = None
    """In place of the motions: the items of a study, and the arms that each goes through."""


class BatchDebateRequest(DebateRequest, kw_only=True, forbid_unknown_fields=True):
    """A request for format ``batch``.  ``max_cost_usd`` is the budget of all debates."""

    only: ClassVar[dict[str, tuple[str, str]]] = {"batch": ("batch", NO_BATCH)}

    batch: BatchRequest | None = None

    def usual_motion(self) -> str:
        """The name of the batch."""
        return "" if self.batch is None else f"Batch: {self.batch.name.strip()}"

    def check(self) -> None:
        """Raise ``BadField`` for what a batch does not have, and for a plan that cannot be carried out."""
        if self.batch is None:
            raise BadField("batch", NO_BATCH)
        for field in ("panel", "rubric", "seed", "topic_type", "exhibition", "motion_kind"):
            if getattr(self, field) is not None:
                raise BadField(field, f"a batch has no {field} itself: see the fields of its part batch")
        if self.judge.model is not None or self.judge.person is not None:
            raise BadField("judge.model", "the judges of a batch are named in batch.judges")
        _check_plan(self.batch, self.max_cost_usd)


def _check_plan(wanted: BatchRequest, budget: float | None) -> None:
    if wanted.study is not None:
        STUDY["check"](wanted)
    else:
        _check_motions(wanted.motions)
    known = archetypes()
    for number, each in enumerate(wanted.characters):
        for side in ("pro", "con"):
            if getattr(each, side) not in known:
                why = f"{getattr(each, side)!r} is none of {', '.join(known)}"
                raise BadField(f"batch.characters.{number}.{side}", why)
    if wrong := sorted(OF_AXES & wanted.each.keys()):
        raise BadField(f"batch.each.{wrong[0]}", f"{wrong[0]} is not set for each debate: the axes of the plan set it")
    if wanted.each.get("format", "exchange") not in FORMATS:
        raise BadField("batch.each.format", f"the debates of a batch have format {' or '.join(sorted(FORMATS))}")
    if budget is not None and not isinstance(wanted.each.get("max_cost_usd"), int | float):
        raise BadField(
            "batch.each.max_cost_usd",
            "a batch with a budget needs a cap for each debate, so that no debate is begun that could exceed it;"
            " a dry run says what the dearest debate takes",
        )


def _check_motions(motions: Sequence[str]) -> None:
    if not motions:
        raise BadField("batch.motions", "a batch needs at least one motion")
    for number, motion in enumerate(motions):
        if not 1 <= len(clean(motion).strip()) <= MAX_MOTION:
            raise BadField(f"batch.motions.{number}", f"a motion has 1 to {MAX_MOTION} characters")


def plan_of(wanted: BatchRequest) -> BatchPlan:
    """The plan of a request.  Raises ``BadField``."""
    each = dict(wanted.each)
    plan = BatchPlan(
        name=wanted.name.strip(),
        motions=tuple(clean(motion).strip() for motion in wanted.motions),
        languages=tuple(wanted.each.get("language") or language_of(clean(motion)) for motion in wanted.motions),
        models=_pairs(wanted.models) if wanted.study is None else _themselves(wanted.models),
        mirrored=wanted.mirrored and wanted.study is None,
        characters=tuple(BatchSides(pro=of.pro, con=of.con) for of in wanted.characters),
        judges=tuple(
            _judge(of, number, may_be_person=wanted.study is not None) for number, of in enumerate(wanted.judges)
        ),
        rubrics=tuple(wanted.rubrics),
        evidence=tuple(tuple(_said(document) for document in documents) for documents in wanted.evidence),
        seeds=tuple(wanted.seeds),
        repeats=wanted.repeats,
        each=each,
        at_once=dict(wanted.at_once),
        in_a_row=wanted.in_a_row,
        privacy=wanted.privacy,
        debates=0,
        digest="",
        study=UNSET if wanted.study is None else wanted.study,
    )
    axes = (plan.motions, plan.models, plan.judges, plan.characters, plan.rubrics, plan.evidence, plan.seeds)
    most = plan.repeats
    for axis in axes:
        most *= len(axis) or 1
    if most > MAX_DEBATES:
        raise BadField("batch", f"this plan has {most:,} debates and more; a batch may have {MAX_DEBATES:,}")
    debates = sum(1 for _ in expanded(plan))
    if debates > MAX_DEBATES:
        raise BadField("batch", f"this plan has {debates:,} debates; a batch may have {MAX_DEBATES:,}")
    return msgspec.structs.replace(plan, debates=debates, digest=digest_of(plan))


def _pairs(models: list[str | SidesRequest]) -> tuple[BatchSides, ...]:
    """The pairs that are named, and each name with each later one; a single name debates with itself."""
    names = [each for each in models if isinstance(each, str)]
    pairs = [BatchSides(pro=each.pro, con=each.con) for each in models if isinstance(each, SidesRequest)]
    if len(models) == 1 and names:
        pairs.append(BatchSides(pro=names[0], con=names[0]))
    elif len(names) == 1:
        raise BadField("batch.models", f"{names[0]} stands alone: name a second model, or its pair with pro and con")
    pairs += [BatchSides(pro=one, con=other) for at, one in enumerate(names) for other in names[at + 1 :]]
    return tuple(pairs)


def _themselves(models: list[str | SidesRequest]) -> tuple[BatchSides, ...]:
    """Each model against itself: the debaters of a study."""
    for number, each in enumerate(models):
        if not isinstance(each, str):
            raise BadField(f"batch.models.{number}", "both debaters of a study are the same model: name it alone")
    return tuple(BatchSides(pro=name, con=name) for name in dict.fromkeys(map(str, models)))


def _judge(of: str | JudgeRequest, number: int, *, may_be_person: bool = False) -> dict[str, Any]:
    said = {"model": of} if isinstance(of, str) else _said(of)
    if not said.get("model") and not (may_be_person and said.get("person")):
        raise BadField(f"batch.judges.{number}.model", "a judge of a batch is a model: name it")
    return said


def _said(request: Struct) -> dict[str, Any]:
    """The fields of a request that are not its defaults."""
    fields = msgspec.structs.fields(request)
    given = {each.name: getattr(request, each.name) for each in fields if getattr(request, each.name) != each.default}
    return dict(msgspec.to_builtins(given))


async def build(request: BatchDebateRequest, desk: Desk) -> Opening:
    """The opening, and who finds the batch.  Each model is asked whether it answers.  Raises ``BadField``."""
    assert request.batch is not None, "the request was checked"
    plan = await anyio.to_thread.run_sync(plan_of, request.batch)
    models: dict[str, str] = {}
    alike: set[bytes] = set()
    for each in planned(plan).values():
        for name in each.models_of_sides:
            models.setdefault(name, "batch.models")
        models.setdefault(judge_of(each.judge), "batch.judges")
        arm = UNSET if each.study is UNSET else each.study.arm
        sort = msgspec.json.encode((each.rubric, each.judge, each.evidence, each.characters, arm or ""))
        if sort not in alike:  # the fields that a request of one of these debates has are checked once
            alike.add(sort)
            try:
                READ["request"](each.body(plan))
            except BadField as error:
                raise BadField(f"batch.each.{error.field}", str(error)) from error
    if request.max_cost_usd is not None:
        await must_be_priced({f"batch: {name}": name for name in models})
    try:
        await find_models({name: name for name in models}, desk.registry)
    except BadField as error:  # its field is the model that does not answer
        raise BadField(models.get(error.field or "", "batch.models"), str(error)) from error
    for provider in plan.at_once:
        if provider not in {*desk.registry.names, *BATCH, PERSON}:
            raise BadField(f"batch.at_once.{provider}", f"there is no provider {provider!r}")
    if desk.log is not None:
        await _must_be_new(desk.log, plan)
    opened = DebateOpened(
        motion=request.motion,
        format="batch",
        turns=0,
        max_words=0,
        pro=NOBODY,
        con=NOBODY,
        judge=JudgeSeat(model=""),
        panel=(),
        rubric=default_rubric(),
        archetypes={},
        prompts={},
        settings=DebateSettings(max_cost_usd=or_unset(request.max_cost_usd), deadline_s=or_unset(request.deadline_s)),
        blind=False,
        exhibition=None,
        moot=VERSION,
        batch=plan,
    )
    return Opening(opened, (labels_of(plan),))


async def _must_be_new(log: EventLog, plan: BatchPlan) -> None:
    """Raise ``BadField`` if this plan is being carried out: it would be paid twice."""
    states: tuple[DebateState, ...] = ("open", "paused", "halted")
    for state in states:
        async for row in read_rows(log, Limits(format="batch", tag=plan.name, state=state)):
            for record in await log.read(row.id, 0, 1):
                known = record.event
                if isinstance(known, DebateOpened) and known.batch is not UNSET and known.batch.digest == plan.digest:
                    why = f"batch {row.id} has this plan and is {state}: resume it, or give another name"
                    raise BadField("batch.name", why)


def labels_of(plan: BatchPlan, link: str | None = None) -> DebateLabelled:
    """How the batch is filed, or one of its debates if ``link`` is given: the digest of the link of the batch.

    Of the first link nobody has the token, so only operators see the batch until they make another one.
    """
    is_part = link is not None
    if plan.privacy == "unlisted":
        link = link or digest_of_link(secrets.token_urlsafe(16))
    return DebateLabelled(
        by="moot",
        tags=(plan.name,),
        hidden=True if plan.privacy == "hidden" else UNSET,
        archived=True if is_part and plan.privacy == "listed" else UNSET,
        link=link or UNSET,
    )
