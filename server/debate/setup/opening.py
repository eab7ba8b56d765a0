"""Opening a debate: from a request to the event ``debate_opened``, which holds everything, and what follows it."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import anyio
import msgspec
from msgspec import UNSET, UnsetType

from events.languages import LANGUAGES
from events.types import (
    NOBODY,
    Artifact,
    DebateOpened,
    Debater,
    DebateSettings,
    Event,
    Format,
    JudgeSeat,
    LabItem,
    LabSetup,
    PollSetup,
    Side,
    Takeover,
    TrackRecord,
    TranscriptSupplied,
)
from events.types.rubric import Rubric
from judge.errors import RubricError
from judge.panel.raters import shipped
from judge.panel.weights import topic_of
from judge.rubric import as_rubric, rubric_v2, shipped_rubric, with_evidence
from judge.templates import EVIDENCE, judge_templates, load_template
from personalities.archetypes import archetypes
from personalities.motions import motion_kind
from personalities.prompt import debater_template
from providers.catalog.pricing import is_priced, prepare
from providers.errors import ProviderError
from providers.imports import load
from providers.registry import BASELINE, Registry
from server.debate.formats.prompts import TINY, is_small
from server.debate.formats.statements import turns_of
from server.debate.setup.cases import cases_of
from server.debate.setup.lab import MOTION, LabRequest, setup_of
from server.debate.setup.language import language_of
from server.debate.setup.request import DEBATES, DebateRequest, DebaterRequest, PollRequest
from server.debate.setup.seats import (
    QUESTION_S,
    Seat,
    dimensions_of,
    person_or_model,
    seats,
)
from server.debate.setup.transcripts import (
    beginnings,
    check_room,
    speaker_of,
    supplied_of,
    turns_of_transcript,
)
from server.debate.speech import clean
from server.errors import BadField
from server.evidence.documents import evidence_for
from server.evidence.given import TEMPLATE as DOCUMENTS
from server.extras import needed
from server.people.provider import NAME as PERSON
from server.people.provider import PREFIX
from server.settings import Settings
from server.version import VERSION

ARTIFACT_MOST: Final = 200_000
"""Characters of an artifact: more than any judge's model reads."""
MOST_WORDS: Final = 180
"""Words of a turn by default."""
TINY_WORDS: Final = 70
"""The same if SmolLM2 debates: it loses its way in a longer speech."""
OUTAGE_ATTEMPTS: Final = 5
"""Further attempts during an outage of a vendor: with their delays and the breaker's they last over a minute."""
TURN_S: Final = 600.0
"""Seconds that a person has for a turn by default."""
SAFE_WINDOW: Final = 32_768
"""The window of a model, in tokens, if its provider does not name it."""


async def build_opening(
    request: DebateRequest,
    registry: Registry,
    settings: Settings,
    records: Mapping[tuple[str, str], TrackRecord] | None = None,
    spoken: Sequence[LabItem] = (),
) -> DebateOpened:
    """The event that opens a debate.  Checks that every model answers; ``BadField`` names one that does not.

    ``records``: track records of raters, by (name, model).  ``spoken``: a lab's items from stored debates.
    """
    is_debate = request.format in DEBATES
    both = {"pro": request.pro, "con": request.con}
    supplied = None if request.transcript is None else supplied_of(request.transcript)
    has_debaters = is_debate and supplied is None
    judge = person_or_model("judge", request.judge.person, request.judge.model)
    requested = {"judge.model": judge}
    if has_debaters:
        requested |= {f"{side}.model": person_or_model(side, each.person, each.model) for side, each in both.items()}
    is_counted = judge == BASELINE  # the raters of its debate are models
    default = "" if all(requested.values()) and not is_counted else await registry.default_model()
    names = {field: model or default for field, model in requested.items()}
    if (is_debate or request.format == "lab") and judge is None:
        names["judge.model"] = registry.default_judge(default)
    if request.judge.second:
        names["judge.second"] = request.judge.second
    rubric = with_evidence(_rubric(request)) if request.evidence else _rubric(request)
    seated = _seats(request, rubric, default if is_counted else judge or default)
    topic = _topic(request, rubric)
    models = names | {seat.field: seat.model for seat in seated}
    models |= {f"{side}.takeover": each.takeover for side, each in both.items() if each.takeover}
    if request.max_cost_usd is not None:
        await prepare()
        _must_be_priced(models)
    caveats, windows, baselines = await _check(models, registry)
    _must_be_models(models, baselines, request.format)
    known = archetypes()
    chosen: dict[Side, str] = {
        "pro": request.pro.archetype or "engineer",
        "con": request.con.archetype or "provocateur",
    }
    for side, name in chosen.items():
        if name not in known:
            raise BadField(f"{side}.archetype", f"{name!r} is none of {', '.join(known)}")

    tiny = request.format == "exchange" and TINY in {names.get("pro.model"), names.get("con.model")}

    def debater(side: Side, seat: DebaterRequest) -> Debater:
        if supplied is not None:
            return msgspec.structs.replace(NOBODY, speaker=speaker_of(supplied, side))
        model = names[f"{side}.model"]
        return Debater(
            model=model,
            archetype=chosen[side],
            elasticity=seat.elasticity,
            caveat=caveats[model],
            window=windows[model],
            think=seat.think,
            speaker=UNSET if seat.person is None else model.removeprefix(PREFIX),
            time_s=UNSET if seat.person is None else seat.time_s or TURN_S,
            takeover=UNSET
            if seat.takeover is None
            else Takeover(model=seat.takeover, caveat=caveats[seat.takeover], window=windows[seat.takeover]),
        )

    judged_by = JudgeSeat(
        model=names["judge.model"],
        samples=request.judge.samples,
        caveat=caveats[names["judge.model"]],
        second=_or_unset(request.judge.second),
        appeals=request.judge.appeals,
        think=request.judge.think,
        reads=_reads(names["judge.model"], windows[names["judge.model"]]),
        window=windows[names["judge.model"]],
        baseline=baselines.get(names["judge.model"], UNSET),
        time_s=UNSET if request.judge.person is None else request.judge.time_s or QUESTION_S,
    )
    if supplied is not None:
        check_room(supplied, judged_by, rubric, request.motion)

    return DebateOpened(
        motion=request.motion if request.lab is None else MOTION.format(judge=names["judge.model"]),
        format=request.format,
        turns=_turns(request, rubric) if supplied is None else len(turns_of_transcript(supplied)),
        max_words=(request.max_words or (TINY_WORDS if tiny else MOST_WORDS)) if supplied is None else 0,
        pro=debater("pro", request.pro) if is_debate else NOBODY,
        con=debater("con", request.con) if is_debate else NOBODY,
        judge=judged_by,
        panel=tuple(
            seat.rater(caveats[seat.model], (records or {}).get((seat.name, seat.model), TrackRecord()))
            for seat in seated
        ),
        rubric=rubric,
        archetypes={name: known[name] for name in set(chosen.values())} if has_debaters else {},
        prompts={
            **({name: debater_template(name) for name in ("debater", "short", "begun")} if has_debaters else {}),
            **judge_templates(),
            **({EVIDENCE: load_template(EVIDENCE)} if request.evidence else {}),
            **({DOCUMENTS: debater_template(DOCUMENTS)} if request.evidence and has_debaters else {}),
        },
        settings=DebateSettings(
            turn_attempts=settings.attempts,
            judge_attempts=settings.attempts,
            outage_attempts=settings.attempts + OUTAGE_ATTEMPTS,
            turn_timeout_s=settings.turn_timeout_s,
            judge_timeout_s=settings.judge_timeout_s,
            retry_ms=settings.retry_ms,
            seed=_or_unset(request.seed),
            max_cost_usd=_or_unset(request.max_cost_usd),
            deadline_s=_or_unset(request.deadline_s),
        ),
        blind=request.blind,
        exhibition=request.exhibition,
        moot=VERSION,
        topic_type=topic if seated else "",
        artifact=_artifact(request),
        cases=cases_of(request.cases or ()),
        lab=UNSET if request.lab is None else await _lab(request.lab, spoken, names["judge.model"], rubric),
        motion_kind=request.motion_kind or motion_kind(request.motion),
        language=await anyio.to_thread.run_sync(_language, request, supplied),
        poll=_poll(request.poll),
    )


async def events_after(request: DebateRequest) -> tuple[Event, ...]:
    """What follows the opening: the transcript and the documents of the request.  Raises ``BadField``."""
    transcript = () if request.transcript is None else (supplied_of(request.transcript),)
    return (*transcript, *await evidence_for(request.evidence))


async def _lab(request: LabRequest, spoken: Sequence[LabItem], judge: str, rubric: Rubric) -> LabSetup:
    """What a lab run measures with.  A thread plans its trials: they may be thousands."""
    try:
        await load("scipy.stats")
        await load("statsmodels.stats.api")
    except ModuleNotFoundError as error:
        raise BadField("lab", f"a lab's statistics {needed('lab')}") from error
    return await anyio.to_thread.run_sync(setup_of, request, spoken, judge, rubric)


def _turns(request: DebateRequest, rubric: Rubric) -> int:
    """The turns of a debate; 0 without debaters."""
    if request.format == "protocol":
        assert rubric.protocol is not None
        return turns_of(rubric.protocol)
    return request.turns if request.format in DEBATES else 0


def _language(request: DebateRequest, supplied: TranscriptSupplied | None) -> str:
    """The language that was asked for, or that of the motion and the transcript.  Raises ``BadField``."""
    if request.language is None:
        return language_of("\n".join((request.motion, *beginnings(supplied))))
    if request.language not in LANGUAGES:
        raise BadField("language", f"{request.language[:20]!r} is none of {', '.join(LANGUAGES)}")
    return request.language


def _reads(model: str, window: int) -> Literal["short", "whole"]:
    """How much of the debate a judge reads: small models quote from wrong turns when they read all of it."""
    return "short" if is_small(model, window) else "whole"


def _seats(request: DebateRequest, rubric: Rubric, judge: str) -> tuple[Seat, ...]:
    """The seats of the panel.  Without a request for one, a debate has none, and an artifact gets five personas."""
    profiles = shipped().personas if request.format == "deliberation" else shipped().raters
    if request.format == "deliberation":
        scored = dimensions_of(rubric.deliberation.artifact if rubric.deliberation is not None else None)
    else:
        scored = dimensions_of(rubric.criteria)
    wanted, is_debate = request.panel, request.format in DEBATES
    has_none = is_debate or request.format == "lab"
    if wanted is None:
        wanted = [] if has_none else list(profiles)
    if not wanted and has_none:
        return ()
    return seats(wanted, profiles, judge, scored, samples=request.judge.samples, think=request.judge.think)


def _poll(request: PollRequest | None) -> PollSetup | UnsetType:
    if request is None:
        return UNSET
    given = msgspec.structs.asdict(request)
    return PollSetup(**{name: value for name, value in given.items() if value is not None})


def _topic(request: DebateRequest, rubric: Rubric) -> str:
    """The topic of the request, or the one that the words of the motion suggest."""
    assert rubric.panel is not None
    if request.topic_type is not None and request.topic_type not in rubric.panel.topics:
        raise BadField("topic_type", f"{request.topic_type!r} is none of {', '.join(rubric.panel.topics)}")
    return request.topic_type or topic_of(request.motion, rubric.panel.topics)


def _artifact(request: DebateRequest) -> Artifact | UnsetType:
    if request.artifact is None:
        return UNSET
    text = clean(request.artifact.text)
    if not text.strip() or len(text) > ARTIFACT_MOST:
        bounds = f"an artifact has 1 to {ARTIFACT_MOST:,} characters, this one has {len(text):,}"
        raise BadField("artifact.text", bounds)
    return Artifact(name=request.artifact.name, text=text, digest=hashlib.sha256(text.encode()).hexdigest())


def _rubric(request: DebateRequest) -> Rubric:
    """The rubric of the request, checked, or v2.  Parts that it leaves out are those of v2.

    Raises ``BadField`` with a path that begins with ``rubric``.
    """
    if request.rubric is None or isinstance(request.rubric, str):
        return shipped_rubric(request.rubric or "v2")
    try:
        given, known = as_rubric(request.rubric), rubric_v2()
    except RubricError as error:
        raise BadField(f"rubric.{error.field}" if error.field else "rubric", error.why) from error
    return msgspec.structs.replace(
        given,
        criteria=given.criteria or known.criteria,
        protocol=given.protocol or known.protocol,
        panel=given.panel or known.panel,
        deliberation=given.deliberation or known.deliberation,
    )


def _or_unset(value: Any) -> Any | UnsetType:
    return UNSET if value is None else value


def _must_be_priced(models: dict[str, str]) -> None:
    """Raise ``BadField`` if a cost cap could not be kept, because a model has no known price."""
    for field, model in models.items():
        if not is_priced(model):
            why = f"the cap cannot be kept: no price is known for {model} ({field}); put it into a file for MOOT_PRICES"
            raise BadField("max_cost_usd", why)


def _must_be_models(models: dict[str, str], baselines: dict[str, str], format_: Format) -> None:
    """Raise ``BadField`` for a seat of a baseline that is not the judge of a debate, nor a rater that is measured.

    A baseline does not speak.  It names no winner, so it has no vote on a panel, and it gives no second opinion on what
    only a reader who understands can tell.
    """
    for field, model in models.items():
        is_allowed = field == "judge.model" if format_ in {*DEBATES, "lab"} else format_ == "calibration"
        if model in baselines and not is_allowed:
            raise BadField(field, f"{baselines[model]} only judges a debate, and names no winner: name a model here")


async def _check(names: dict[str, str], registry: Registry) -> tuple[dict[str, str], dict[str, int], dict[str, str]]:
    """Caveat and window of each distinct model, and the names of baselines by model.

    Raises ``BadField`` for a model that does not answer.
    """
    caveats: dict[str, str] = {}
    windows: dict[str, int] = {}
    baselines: dict[str, str] = {}
    faults: dict[str, str] = {}

    async def ask(name: str) -> None:
        status = await registry.check(name)  # it imports the provider in a thread, not on the loop
        try:
            provider, model = registry.resolve(name)
        except ProviderError as error:
            faults[name] = error.message
            return
        if not status.ok:
            faults[name] = f"{name}: {status.detail}{' · ' if status.hint else ''}{status.hint}"
            return
        caveats[name] = provider.caveat(model)
        if status.baseline:
            baselines[name] = status.baseline
        is_unlimited = provider.name in {"scripted", PERSON} or bool(status.baseline)
        windows[name] = 0 if is_unlimited else status.window or SAFE_WINDOW

    async with anyio.create_task_group() as tasks:
        for name in set(names.values()):
            tasks.start_soon(ask, name)
    for field, name in names.items():
        if name in faults:
            raise BadField(field, faults[name])
    return caveats, windows, baselines
