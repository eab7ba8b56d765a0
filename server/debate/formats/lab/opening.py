"""The opening of format ``lab``: one judge, and what it is measured with."""

from typing import ClassVar, Final

import anyio

from providers.imports import load
from server.debate.formats.lab.setup import LabRequest, items_for, setup_of
from server.debate.opening.build import Desk, Opening, opened, rubric_of, seated
from server.debate.opening.noise import MOTION
from server.debate.opening.privacy import filed_as
from server.debate.opening.request import DebateRequest
from server.errors import BadField
from server.process.extras import needed

NO_LAB: Final = "format lab measures a judge with what its part lab names, and no other format does"


class LabDebateRequest(DebateRequest, kw_only=True, forbid_unknown_fields=True):
    """A request for format ``lab``."""

    only: ClassVar[dict[str, tuple[str, str]]] = {"lab": ("lab", NO_LAB)}
    asks_briefly: ClassVar[bool] = True

    lab: LabRequest | None = None
    """What the judge is measured with."""

    def usual_motion(self) -> str:
        """What a run finds out; ``build`` names the judge that answers."""
        return MOTION.format(judge=self.judge.model or "the judge")

    def check(self) -> None:
        """Raise ``BadField`` for what a run does not have: a panel, and a person as its judge."""
        if self.lab is None:
            raise BadField("lab", NO_LAB)
        if self.lab.material is not None and (self.lab.debates or self.lab.from_store):
            raise BadField("lab.material", "a run has texts of its own or those of stored debates, and not both")
        if self.panel:
            raise BadField("panel", "a lab measures one judge and has no panel")
        super().check()
        if self.judge.person is not None:
            raise BadField("judge.person", "a lab asks the same questions again and again: it measures a model")


async def build(request: LabDebateRequest, desk: Desk) -> Opening:
    """The opening, and the labels of the stored debates that the run is made of.

    Raises ``BadField``, ``NotNow``, ``UnknownDebate``.
    """
    assert request.lab is not None, "the request was checked"
    found = () if desk.log is None else await items_for(desk.log, request.lab)
    rubric = rubric_of(request)
    seats = await seated(request, desk)
    await _load_statistics()
    # A thread plans the trials: they may be thousands.
    spoken, judge = [item for item, _ in found], seats.judge.model
    setup = await anyio.to_thread.run_sync(setup_of, request.lab, spoken, judge, rubric)
    made = await opened(request, desk, rubric, seats, motion=MOTION.format(judge=judge), lab=setup)
    return Opening(made, filed_as(labels for _, labels in found))


async def _load_statistics() -> None:
    """Import the packages that measure.  Raises ``BadField`` if one is not installed."""
    try:
        await load("scipy.stats")
        await load("statsmodels.stats.api")
    except ModuleNotFoundError as error:
        raise BadField("lab", f"a lab's statistics {needed('lab')}") from error
