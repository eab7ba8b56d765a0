"""The opening of format ``exchange``: two debaters, or a transcript in their place, and the judge."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from msgspec import UNSET
from msgspec.structs import replace

from events.table import LazyTable
from events.types import SIDES, Debater, Side
from server.debate.formats.exchange.supplied import TranscriptRequest
from server.debate.opening.build import MAX_WORDS, Desk, Opening, Seated, opened, seated
from server.debate.opening.models import TINY
from server.debate.opening.sides import (
    TwoSidedRequest,
    debater,
    documents,
    sides_fields,
    sides_panel,
    sides_rubric,
)
from server.errors import BadField
from server.people.names import is_person

SOURCES: Final = LazyTable[Any]({"transcript": "server.debate.formats.exchange.transcripts"})
"""Where turns may come from, if no debater speaks them."""
NOISE: Final = LazyTable[Any]({"noise": "server.debate.opening.noise:noise_of"})
TINY_WORDS: Final = 70
"""Words of a turn if SmolLM2 debates: its longer speeches are incoherent.  A person against it has ``MAX_WORDS``."""


class ExchangeRequest(TwoSidedRequest, kw_only=True, forbid_unknown_fields=True):
    """A request for format ``exchange``."""

    people_debate: ClassVar[bool] = True
    usual_archetypes: ClassVar[Mapping[Side, str]] = {"pro": "engineer", "con": "provocateur"}
    asks_briefly: ClassVar[bool] = True
    only: ClassVar[dict[str, tuple[str, str]]] = {
        "transcript": ("format", "a supplied transcript is judged in format exchange"),
    }

    transcript: TranscriptRequest | None = None
    """The turns of a debate that was held elsewhere."""

    def check(self) -> None:
        """Raise ``BadField``: a debate over a supplied transcript has no debaters, and none of their rules."""
        if self.transcript is not None:
            for side, seat in (("pro", self.pro), ("con", self.con)):
                if seat.model is not None:
                    why = "the turns come from the transcript, so no model speaks: leave it out"
                    raise BadField(f"{side}.model", why)
                if seat.person is not None:
                    why = "the turns come from the transcript, which names its speakers: leave it out"
                    raise BadField(f"{side}.person", why)
            if self.max_words is not None:
                raise BadField("max_words", "the turns of a transcript stay as long as they are: leave it out")
        super().check()
        if self.poll is not None and self.transcript is not None:
            raise BadField("poll", "a debate that was held elsewhere has no poll: its turns can be read at once")


async def build(request: ExchangeRequest, desk: Desk) -> Opening:
    """The opening, and the transcript or the documents that follow it.  Raises ``BadField``."""
    source = None if request.transcript is None else SOURCES["transcript"]
    supplied = None if source is None else source.supplied_of(request.transcript)
    rubric = sides_rubric(request)
    speak = SIDES if supplied is None else ()
    seats = await seated(request, desk, debaters=speak, panel=sides_panel(request, rubric))
    if source is None:
        fields = _spoken(request, seats)
    else:
        fields = source.fields_of(supplied, seats.judge, rubric, request.motion)
    made = await opened(
        request,
        desk,
        rubric,
        seats,
        heard=() if source is None else source.beginnings(supplied),
        **sides_fields(request, has_debaters=supplied is None),
        **fields,
    )
    follows = (*(() if supplied is None else (supplied,)), *await documents(request))
    is_by_certainty = rubric.certainty is not UNSET
    if desk.log is None or not (rubric.lead_beyond_noise or is_by_certainty):
        return Opening(made, follows)
    if not (is_by_certainty and request.ignore_noise):
        made = replace(made, noise=await NOISE["noise"](desk.log, made))
    if request.ignore_noise and not is_by_certainty:
        made = replace(made, rubric=replace(rubric, lead_beyond_noise=False))
    return Opening(made, follows)


def _spoken(request: ExchangeRequest, seats: Seated) -> dict[str, Any]:
    """The fields of a debate whose turns are spoken."""
    debaters: dict[str, Debater] = {side: debater(request, side, seats) for side in SIDES}
    most = request.max_words or MAX_WORDS
    if request.max_words is None and TINY in {each.model for each in debaters.values()}:
        if any(is_person(each.model) for each in debaters.values()):
            limits = {side: TINY_WORDS if each.model == TINY else UNSET for side, each in debaters.items()}
            debaters = {side: replace(each, max_words=limits[side]) for side, each in debaters.items()}
        else:
            most = TINY_WORDS
    return {"turns": request.turns, "max_words": most, **debaters}
