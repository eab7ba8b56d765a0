"""How a debate is opened: what is asked for, checked field by field, as the event that carries everything."""

from typing import Annotated, Any, Final, Literal

import anyio
import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from events.rubric import Rubric
from events.types import DebateOpened, Debater, JudgeSeat
from events.types import Settings as DebateSettings
from judge.rubric import parse_rubric, rubric_v1
from judge.templates import judge_templates
from personalities.archetypes import archetypes
from personalities.prompt import debater_template
from providers.errors import ProviderError
from providers.registry import Registry
from server import exhibitions
from server.errors import BadField, BadQuery
from server.settings import Settings
from server.speech import clean
from server.version import VERSION

MOTION_MOST: Final = 2000
Name = Annotated[str, Meta(max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*$")]


class SeatWish(Struct, kw_only=True, forbid_unknown_fields=True):
    """A side as it is asked for."""

    model: Name | None = None
    archetype: Name | None = None
    elasticity: Annotated[float, Meta(ge=0, le=1)] = 0.5


class JudgeWish(Struct, kw_only=True, forbid_unknown_fields=True):
    """The judge as it is asked for.  ``second`` is another model, for second opinions."""

    model: Name | None = None
    samples: Annotated[int, Meta(ge=1, le=9)] = 1
    second: Name | None = None
    appeals: Literal["none", "serious", "all"] = "serious"


class Wish(Struct, kw_only=True, forbid_unknown_fields=True):
    """The body of ``POST /api/debates``.  Everything but the motion has a default."""

    motion: str = ""
    format: Literal["exchange"] = "exchange"
    turns: Annotated[int, Meta(ge=1, le=200)] = 6
    max_words: Annotated[int, Meta(ge=20, le=1000)] = 180
    pro: SeatWish = msgspec.field(default_factory=lambda: SeatWish(archetype="engineer"))
    con: SeatWish = msgspec.field(default_factory=lambda: SeatWish(archetype="provocateur"))
    judge: JudgeWish = msgspec.field(default_factory=JudgeWish)
    rubric: dict[str, Any] | None = None
    """Another rubric than v1, whole."""
    exhibition: Name | None = None
    """Play this one: everything but the motion comes from it."""
    seed: Annotated[int, Meta(ge=0, le=2**31 - 1)] | None = None
    max_cost_usd: Annotated[float, Meta(gt=0)] | None = None


def read_wish(body: bytes) -> Wish:
    """The wish in a request's body.  Raises ``BadQuery`` where it is not JSON, ``BadField`` naming the field."""
    try:
        said = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadQuery(f"the body is not JSON: {error}") from error
    return as_wish(said)


def as_wish(said: Any) -> Wish:
    """Builtins as a wish, with every bound checked."""
    if not isinstance(said, dict):
        raise BadQuery("the body must be a JSON object")
    if isinstance(said.get("exhibition"), str):
        said = exhibitions.wish_for(said["exhibition"])
    try:
        wish = msgspec.convert(said, Wish)
    except msgspec.ValidationError as error:
        raise _field_of(error) from error
    motion = clean(wish.motion).strip()
    if not 1 <= len(motion) <= MOTION_MOST:
        raise BadField("motion", f"a motion has 1 to {MOTION_MOST} characters, this one has {len(motion)}")
    return msgspec.structs.replace(wish, motion=motion)


def _field_of(error: msgspec.ValidationError) -> BadField:
    """Msgspec says `… - at `$.pro.model``, or names the field in the sentence."""
    message, _, path = str(error).partition(" - at `$")
    field = path.rstrip("`").lstrip(".")
    if "field `" in message:
        name = message.split("field `", 1)[1].split("`", 1)[0]
        field = f"{field}.{name}" if field else name
    return BadField(field or "body", message)


async def opened(wish: Wish, registry: Registry, settings: Settings) -> DebateOpened:
    """The opening of a debate.  Every model is asked whether it answers; ``BadField`` names the one that does not."""
    wished = {"pro.model": wish.pro.model, "con.model": wish.con.model, "judge.model": wish.judge.model}
    default = "" if all(wished.values()) else await registry.default_model()
    names = {field: model or default for field, model in wished.items()}
    if wish.judge.second:
        names["judge.second"] = wish.judge.second
    caveats = await _check(names, registry)
    known = archetypes()
    chosen = {"pro": wish.pro.archetype or "engineer", "con": wish.con.archetype or "provocateur"}
    for side, name in chosen.items():
        if name not in known:
            raise BadField(f"{side}.archetype", f"{name!r} is none of {', '.join(known)}")
    return DebateOpened(
        motion=wish.motion, format=wish.format, turns=wish.turns, max_words=wish.max_words,
        pro=Debater(
            model=names["pro.model"], archetype=chosen["pro"], elasticity=wish.pro.elasticity,
            caveat=caveats[names["pro.model"]],
        ),
        con=Debater(
            model=names["con.model"], archetype=chosen["con"], elasticity=wish.con.elasticity,
            caveat=caveats[names["con.model"]],
        ),
        judge=JudgeSeat(
            model=names["judge.model"], samples=wish.judge.samples, caveat=caveats[names["judge.model"]],
            second=_or_unset(wish.judge.second), appeals=wish.judge.appeals,
        ),
        panel=(), rubric=_rubric(wish), archetypes={name: known[name] for name in set(chosen.values())},
        prompts={"debater": debater_template(), **judge_templates()},
        settings=DebateSettings(
            turn_attempts=settings.attempts, judge_attempts=settings.attempts,
            turn_timeout_s=settings.turn_timeout_s, judge_timeout_s=settings.judge_timeout_s,
            retry_ms=settings.retry_ms, seed=_or_unset(wish.seed), max_cost_usd=_or_unset(wish.max_cost_usd),
        ),
        blind=False, exhibition=wish.exhibition, moot=VERSION,
    )


def _rubric(wish: Wish) -> Rubric:
    """The rubric that was given, checked, or v1."""
    return rubric_v1() if wish.rubric is None else parse_rubric(msgspec.json.encode(wish.rubric))


def _or_unset(value: Any) -> Any | UnsetType:
    return UNSET if value is None else value


async def _check(names: dict[str, str], registry: Registry) -> dict[str, str]:
    """The caveat of each distinct model, once it has been found to answer."""
    caveats: dict[str, str] = {}
    faults: dict[str, str] = {}

    async def ask(name: str) -> None:
        try:
            provider, model = registry.resolve(name)
        except ProviderError as error:
            faults[name] = error.message
            return
        status = await registry.check(name)
        if not status.ok:
            faults[name] = f"{name}: {status.detail}{' · ' if status.hint else ''}{status.hint}"
            return
        caveats[name] = provider.caveat(model)

    async with anyio.create_task_group() as tasks:
        for name in set(names.values()):
            tasks.start_soon(ask, name)
    for field, name in names.items():
        if name in faults:
            raise BadField(field, faults[name])
    return caveats
