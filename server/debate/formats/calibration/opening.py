"""The opening of format ``calibration``: a panel and its cases."""

from typing import Annotated, ClassVar

from msgspec import Meta

from server.debate.formats.calibration.cases import CaseRequest, cases_of
from server.debate.opening.build import Desk, Opening, opened, rubric_of, seated
from server.debate.opening.request import DebateRequest
from server.debate.opening.seats import rated_panel
from server.errors import BadField

NO_CASES = "format calibration measures raters by cases, and no other format does"


class CalibrationRequest(DebateRequest, kw_only=True, forbid_unknown_fields=True):
    """A request for format ``calibration``."""

    only: ClassVar[dict[str, tuple[str, str]]] = {"cases": ("cases", NO_CASES)}

    cases: Annotated[list[CaseRequest], Meta(max_length=1000)] | None = None

    def usual_motion(self) -> str:
        """How many debates there are."""
        if self.cases is None:
            return ""
        debates = "1 debate" if len(self.cases) == 1 else f"{len(self.cases)} debates"
        return f"Raters measured by {debates} with known outcomes"

    def check(self) -> None:
        """Raise ``BadField`` without cases, and for the first fault of one."""
        if not self.cases:
            raise BadField("cases", NO_CASES)
        super().check()
        cases_of(self.cases)


async def build(request: CalibrationRequest, desk: Desk) -> Opening:
    """The opening.  Raises ``BadField``."""
    rubric = rubric_of(request)
    panel = rated_panel(request, rubric)
    seats = await seated(request, desk, judges=False, panel=panel, may_count=lambda _: True)
    return Opening(await opened(request, desk, rubric, seats, cases=cases_of(request.cases or ())))
