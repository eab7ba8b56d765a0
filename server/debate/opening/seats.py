"""The seats of a panel: from a request (by model, by profile, or in full) to the raters of a debate."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from events.types import Rater, Think, TrackRecord
from events.types.criteria import Criteria
from events.types.panel import Profile
from events.types.rubric import Rubric
from judge.errors import RubricError
from judge.panel.raters import check, shipped
from server.debate.opening.models import QUESTION_S, person_or_model
from server.debate.opening.request import DebateRequest, PanelRequest, RaterRequest
from server.errors import BadField
from server.people.names import PREFIX, is_person

MAX_SEATS: Final = 12
MIN_SEATS: Final = 2
NUMBERED: Final = re.compile(r"-[0-9]{1,2}$")


class Seat(Struct, frozen=True, kw_only=True):
    """A rater before its model has been asked.  ``field`` is the request's field that an error about it names."""

    field: str
    name: str
    profile: Profile
    model: str
    samples: int
    think: Think
    time_s: float | UnsetType = UNSET

    def rater(self, caveat: str, record: TrackRecord) -> Rater:
        """The seat as the debate's opening holds it."""
        return Rater(
            name=self.name,
            model=self.model,
            samples=self.samples,
            record=record,
            caveat=caveat,
            think=self.think,
            time_s=self.time_s,
            **asdict(self.profile),
        )


def seats(
    request: PanelRequest,
    profiles: Mapping[str, Profile],
    default: str,
    dimensions: Sequence[str],
    samples: int = 1,
    think: Think = "medium",
) -> tuple[Seat, ...]:
    """The seats of a panel.  Raises ``BadField``.

    A string with a colon is a model.  The models take the profiles in turn: a single model takes all of them, and four
    models take one each.  A string without a colon is a profile, with the model ``default``.  ``samples`` and ``think``
    hold for the seats that are given as strings.
    """
    requested: list[tuple[str, RaterRequest]] = []
    models: list[tuple[str, str]] = []
    for number, each in enumerate(request):
        if not isinstance(each, str):
            requested.append((f"panel.{number}", each))
        elif ":" in each:
            models.append((f"panel.{number}", each))
        else:
            requested.append((f"panel.{number}", RaterRequest(rater=each, samples=samples, think=think)))
    names = list(profiles)
    for number in range(max(len(names), len(models)) if models else 0):
        field, model = models[number % len(models)]
        name = names[number % len(names)]
        requested.append((field, RaterRequest(rater=name, model=model, samples=samples, think=think)))
    seated: dict[str, Seat] = {}
    for field, each in requested:
        seat = _seat(field, each, profiles, default, seated, dimensions)
        _fit(seat, dimensions)
        if is_person(seat.model) and seat.model in {each.model for each in seated.values()}:
            raise BadField(field, f"{seat.model.removeprefix(PREFIX)} has a seat on this panel already")
        seated[seat.name] = seat
    if not MIN_SEATS <= len(seated) <= MAX_SEATS:
        raise BadField("panel", f"a panel has {MIN_SEATS} to {MAX_SEATS} raters, this one has {len(seated)}")
    return tuple(seated.values())


def _seat(
    field: str,
    request: RaterRequest,
    profiles: Mapping[str, Profile],
    default: str,
    seated: Mapping[str, Seat],
    dimensions: Sequence[str],
) -> Seat:
    name = request.rater if request.rater is not None else "general" if request.profile is None else "rater"
    profile = request.profile or _fitted(profiles.get(name), dimensions)
    if profile is None:
        raise BadField(field, f"{name!r} is none of {', '.join(profiles)}")
    if name in seated:
        stem = NUMBERED.sub("", name)
        name = next(free for n in range(2, MAX_SEATS + 2) if (free := f"{stem}-{n}") not in seated)
    try:
        check(f"{field}.profile", name, profile)
    except RubricError as error:
        raise BadField(field, error.why) from error
    return Seat(
        field=field,
        name=name,
        profile=profile,
        model=person_or_model(field, request.person, request.model) or default,
        samples=request.samples,
        think=request.think,
        time_s=UNSET if request.person is None else request.time_s or QUESTION_S,
    )


def _fitted(profile: Profile | None, dimensions: Sequence[str]) -> Profile | None:
    """A shipped profile without the dimensions that the rubric does not score; the others keep their proportions."""
    if profile is None or set(profile.weights) <= set(dimensions):
        return profile
    kept = {name: weight for name, weight in profile.weights.items() if name in dimensions}
    total = math.fsum(kept.values())
    return replace(profile, weights={name: weight / total for name, weight in kept.items()}) if total else profile


def _fit(seat: Seat, dimensions: Sequence[str]) -> None:
    """Raise ``BadField`` if the rater weighs a dimension that the rubric does not score."""
    if unknown := set(seat.profile.weights) - set(dimensions):
        raise BadField(seat.field, f"{seat.name} weighs {', '.join(sorted(unknown))}, which the rubric does not score")


def dimensions_of(criteria: Criteria | None) -> tuple[str, ...]:
    """The names of the dimensions, in their order."""
    return tuple(criteria.dimensions) if criteria is not None else ()


def rated_panel(request: DebateRequest, rubric: Rubric) -> Callable[[str], tuple[Seat, ...]]:
    """The seats of raters who score by the criteria: those that the request names, or every profile that ships."""
    return _panel(request, shipped().raters, dimensions_of(rubric.criteria))


def artifact_panel(request: DebateRequest, rubric: Rubric) -> Callable[[str], tuple[Seat, ...]]:
    """The seats of judges of an artifact: those that the request names, or every persona that ships."""
    rules = rubric.deliberation
    return _panel(request, shipped().personas, dimensions_of(rules.artifact if rules is not None else None))


def _panel(
    request: DebateRequest, profiles: Mapping[str, Profile], dimensions: Sequence[str]
) -> Callable[[str], tuple[Seat, ...]]:
    wanted: PanelRequest = [*profiles] if request.panel is None else request.panel
    asked = request.judge
    return lambda judge: seats(wanted, profiles, judge, dimensions, samples=asked.samples, think=asked.think)
