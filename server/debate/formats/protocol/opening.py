"""The opening of format ``protocol``: two debaters, the judge, and as many turns as the rubric's rounds have."""

from typing import ClassVar, Final

from events.types import SIDES
from server.debate.formats.protocol.statements import turns_of
from server.debate.opening.build import Desk, Opening, opened, seated
from server.debate.opening.sides import (
    TwoSidedRequest,
    debater,
    documents,
    sides_fields,
    sides_panel,
    sides_rubric,
)
from server.errors import BadField

STATEMENTS: Final = frozenset({6, 8})
"""Turns that a request may name; the rubric decides which of them the debate has."""


class ProtocolRequest(TwoSidedRequest, kw_only=True, forbid_unknown_fields=True):
    """A request for format ``protocol``."""

    people_debate: ClassVar[bool] = True

    def check(self) -> None:
        """Raise ``BadField`` for a number of turns that no protocol has."""
        if self.turns not in STATEMENTS:
            why = "a protocol debate has 8 statements, two in each of four rounds: leave the turns out"
            raise BadField("turns", why)
        super().check()


async def build(request: ProtocolRequest, desk: Desk) -> Opening:
    """The opening, and the documents that follow it.  Raises ``BadField``."""
    rubric = sides_rubric(request)
    assert rubric.protocol is not None, "an opening fills in what a rubric leaves out"
    seats = await seated(request, desk, debaters=SIDES, panel=sides_panel(request, rubric))
    made = await opened(
        request,
        desk,
        rubric,
        seats,
        turns=turns_of(rubric.protocol),
        pro=debater(request, "pro", seats),
        con=debater(request, "con", seats),
        **sides_fields(request),
    )
    return Opening(made, await documents(request))
