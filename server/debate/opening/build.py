"""The parts of ``debate_opened`` that every format has: its models and seats, its rubric, its settings.

The builder of a format calls ``rubric_of``, ``seated`` and ``opened``, and adds what is its own.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NamedTuple

import anyio
import msgspec
from msgspec import UNSET, Struct, UnsetType

from events.store.log import EventLog
from events.table import LazyTable
from events.text.languages import LANGUAGES
from events.types import NOBODY, DebateOpened, DebateSettings, Event, JudgeSeat, Rater, Side, TrackRecord
from events.types.rubric import Rubric
from judge.errors import RubricError
from judge.rubrics.rubric import DEFAULT, as_rubric, default_rubric, shipped_rubric
from judge.templates import judge_templates
from personalities.archetypes import archetypes
from personalities.motions import motion_kind
from providers.catalog.addresses import server_of
from providers.registry import BASELINE, Registry
from server.debate.opening.language import language_of
from server.debate.opening.models import (
    QUESTION_S,
    FoundModels,
    find_models,
    must_be_models,
    must_be_priced,
    person_or_model,
    reads,
)
from server.debate.opening.request import DebateRequest
from server.errors import BadField
from server.process.version import VERSION
from server.settings import Settings

PANEL: Final = LazyTable[Any](
    {
        "records": "server.debate.opening.records:track_records",
        "seats": "server.debate.opening.seats:rated_panel",
        "topic": "judge.panel.weights:topic_of",
    }
)
"""What only a panel needs."""
MAX_WORDS: Final = 180
"""Words of a turn by default."""
OUTAGE_ATTEMPTS: Final = 6
"""Further attempts during an outage of a vendor: with the rests of its breaker they last for three minutes."""


class Desk(Struct, frozen=True):
    """What a builder works with.  Without a log nothing of stored debates is used."""

    registry: Registry
    settings: Settings
    log: EventLog | None = None


class Opening(NamedTuple):
    """The event that opens a debate, and the events that follow it at once."""

    opened: DebateOpened
    follows: tuple[Event, ...] = ()


class Seated(Struct, frozen=True, kw_only=True):
    """Who sits where: models by the request's field, and the judge and the panel as the opening holds them."""

    names: dict[str, str]
    found: FoundModels
    judge: JudgeSeat
    panel: tuple[Rater, ...]


def rubric_of(request: DebateRequest) -> Rubric:
    """The rubric of the request, checked, or the default one.  Parts that it leaves out are those of the default.

    Raises ``BadField`` with a path that begins with ``rubric``.
    """
    if request.rubric is None or isinstance(request.rubric, str):
        return shipped_rubric(request.rubric or DEFAULT)
    try:
        given, known = as_rubric(request.rubric), default_rubric()
    except RubricError as error:
        raise BadField(f"rubric.{error.field}" if error.field else "rubric", error.why) from error
    return msgspec.structs.replace(
        given,
        criteria=given.criteria or known.criteria,
        protocol=given.protocol or known.protocol,
        panel=given.panel or known.panel,
        deliberation=given.deliberation or known.deliberation,
    )


async def seated(
    request: DebateRequest,
    desk: Desk,
    *,
    debaters: Collection[Side] = (),
    judges: bool = True,
    also: Mapping[str, str | None] | None = None,
    panel: Callable[[str], tuple[Any, ...]] | None = None,
    may_count: Callable[[str], bool] = lambda field: field == "judge.model",
) -> Seated:
    """Give every seat its model, and ask each model whether it answers.  Raises ``BadField``.

    ``debaters``: the sides that have one; ``also``: further models by the request's field; ``judges``: without a name
    the judge is the registry's choice of a judge; ``panel``: the seats (``opening.seats.Seat``) for the model of the
    judge; ``may_count``: the fields in which a judge without a model may stand.
    """
    registry = desk.registry
    judge = person_or_model("judge", request.judge.person, request.judge.model)
    requested = {"judge.model": judge}
    both = [(side, request.pro if side == "pro" else request.con) for side in debaters]
    requested |= {f"{side}.model": person_or_model(side, each.person, each.model) for side, each in both}
    requested |= also or {}
    is_counted = judge == BASELINE  # the raters of its debate are models
    default = "" if all(requested.values()) and not is_counted else await registry.default_model()
    names = {field: model or default for field, model in requested.items()}
    if judges and judge is None:
        names["judge.model"] = registry.default_judge(default)
    if request.judge.second:
        names["judge.second"] = request.judge.second
    raters = panel(default if is_counted else judge or default) if panel is not None else ()
    models = names | {seat.field: seat.model for seat in raters}
    models |= {f"{side}.takeover": each.takeover for side, each in both if each.takeover}
    if request.max_cost_usd is not None:
        await must_be_priced(models)
    found = await find_models(models, registry)
    must_be_models(models, found, may_count)
    records = await PANEL["records"](desk.log) if raters and desk.log is not None else {}
    return Seated(
        names=names,
        found=found,
        judge=_judge(request, names["judge.model"], found),
        panel=tuple(
            seat.rater(found.caveats[seat.model], records.get((seat.name, seat.model), TrackRecord()))
            for seat in raters
        ),
    )


def _judge(request: DebateRequest, model: str, found: FoundModels) -> JudgeSeat:
    return JudgeSeat(
        model=model,
        samples=request.judge.samples,
        caveat=found.caveats[model],
        second=or_unset(request.judge.second),
        appeals=request.judge.appeals,
        think=request.judge.think,
        reads=reads(model, found.windows[model]),
        window=found.windows[model],
        baseline=found.baselines.get(model, UNSET),
        time_s=UNSET if request.judge.person is None else request.judge.time_s or QUESTION_S,
        effort=request.judge.effort,
        server=server_of(model) or UNSET,
    )


def chosen_archetypes(request: DebateRequest) -> dict[Side, str]:
    """The archetype of each side; empty for a side without one.  Raises ``BadField`` for an unknown one."""
    known, usual = archetypes(), request.usual_archetypes
    chosen: dict[Side, str] = {
        "pro": request.pro.archetype or usual.get("pro", ""),
        "con": request.con.archetype or usual.get("con", ""),
    }
    for side, name in chosen.items():
        if name and name not in known:
            raise BadField(f"{side}.archetype", f"{name!r} is none of {', '.join(known)}")
    return chosen


async def opened(
    request: DebateRequest, desk: Desk, rubric: Rubric, seats: Seated, heard: tuple[str, ...] = (), **own: Any
) -> DebateOpened:
    """The event.  ``own`` are the fields that the format sets.  Raises ``BadField``.

    ``heard``: texts in the language of the debate, if they tell more of it than the motion.
    """
    settings = desk.settings
    chosen_archetypes(request)
    fields: dict[str, Any] = {
        "motion": request.motion,
        "format": request.format,
        "turns": 0,
        "max_words": request.max_words or MAX_WORDS,
        "pro": NOBODY,
        "con": NOBODY,
        "judge": seats.judge,
        "panel": seats.panel,
        "rubric": rubric,
        "archetypes": {},
        "prompts": judge_templates(),
        "settings": DebateSettings(
            turn_attempts=settings.attempts,
            judge_attempts=settings.attempts,
            outage_attempts=settings.attempts + OUTAGE_ATTEMPTS,
            turn_timeout_s=settings.turn_timeout_s,
            judge_timeout_s=settings.judge_timeout_s,
            retry_ms=settings.retry_ms,
            seed=or_unset(request.seed),
            max_cost_usd=or_unset(request.max_cost_usd),
            deadline_s=or_unset(request.deadline_s),
        ),
        "blind": False,
        "exhibition": request.exhibition,
        "moot": VERSION,
        "topic_type": topic_of(request, rubric, has_panel=bool(seats.panel)),
        "motion_kind": request.motion_kind or motion_kind(request.motion),
        "language": await language(request, heard),
    }
    return DebateOpened(**{**fields, **own})


def topic_of(request: DebateRequest, rubric: Rubric, *, has_panel: bool) -> str:
    """The topic of the request, or the one that the words of the motion suggest; empty without a panel."""
    assert rubric.panel is not None, "an opening fills in what a rubric leaves out"
    if request.topic_type is not None and request.topic_type not in rubric.panel.topics:
        raise BadField("topic_type", f"{request.topic_type!r} is none of {', '.join(rubric.panel.topics)}")
    if request.topic_type or not has_panel:
        return (request.topic_type or "") if has_panel else ""
    return str(PANEL["topic"](request.motion, rubric.panel.topics))


async def language(request: DebateRequest, also: tuple[str, ...]) -> str:
    """The language that was asked for, or that of the motion and the texts ``also``.  Raises ``BadField``."""
    if request.language is None:
        return await anyio.to_thread.run_sync(language_of, "\n".join((request.motion, *also)))
    if request.language not in LANGUAGES:
        raise BadField("language", f"{request.language[:20]!r} is none of {', '.join(LANGUAGES)}")
    return request.language


def or_unset(value: Any) -> Any | UnsetType:
    """The value, or unset for None."""
    return UNSET if value is None else value
