"""What else speaks for or against the side with more points: conduct, premises, the reading of the whole debate.

They decide nothing.  A witness is silent where it has no value for both sides, or where they differ by less than the
rubric says.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from events.state.debate import Debate
from events.state.scorecard import sums_of
from events.state.spine import stabilities
from events.text.figures import shortest
from events.types import SIDES, Missing, Side, Winner, other

NAMES: Final = {"pro": "Pro", "con": "Con", "neither": "neither"}
WitnessName = Literal["conduct", "premises", "whole"]
Measure = Literal["credibility", "stability"]
SUBJECTS: Final[dict[WitnessName, str]] = {
    "conduct": "conduct",
    "premises": "the share of premises kept",
    "whole": "the reading of the whole debate",
}
Says = Literal["agree", "silent", "opposed"]


class Witness(Struct, frozen=True, kw_only=True, gc=False):
    """One witness.  ``text``: what it says, as a clause."""

    name: WitnessName
    says: Says
    text: str


def witnesses_of(debate: Debate) -> tuple[Witness, ...]:
    """The witnesses once the scorecard has a side with more points; none where the rubric asks for none."""
    card, rubric = debate.verdicts.scorecard, debate.ledger.rubric
    if card is None or rubric is None or not rubric.witnesses or card.leaning not in SIDES:
        return ()
    side: Side = "pro" if card.leaning == "pro" else "con"
    cards, spines = sums_of(debate.ledger).cards(rubric), stabilities(debate.spine)
    credibility, stability = [each.credibility for each in cards], [spines[each].stability for each in SIDES]
    return (
        _measured("conduct", side, "credibility", credibility, rubric.witnesses),
        _measured("premises", side, "stability", stability, rubric.witnesses),
        *_whole(debate, side),
    )


def _measured(
    name: WitnessName,
    side: Side,
    measure: Measure,
    values: Sequence[float | Missing | UnsetType],
    least: Mapping[Measure, float],
) -> Witness:
    """What the values of Pro and Con say; ``least``: by measure, the smallest difference that counts."""
    pro, con = values
    if isinstance(pro, Missing) or isinstance(con, Missing) or pro is UNSET or con is UNSET:
        return Witness(name=name, says="silent", text=f"{SUBJECTS[name]} has no value for both sides")
    ahead = round(pro - con, 6)
    figures = f"({measure}: Pro {shortest(pro, 2)}, Con {shortest(con, 2)})"
    is_silent = not ahead or abs(ahead) < least.get(measure, 0)
    return _witness(name, side, "neither" if is_silent else "pro" if ahead > 0 else "con", figures)


def _whole(debate: Debate, side: Side) -> Iterator[Witness]:
    read = debate.verdicts.narrative
    if read is not None:
        yield _witness("whole", side, read.winner or "neither", "")


def _witness(name: WitnessName, side: Side, to: Winner, figures: str) -> Witness:
    said: dict[Winner, tuple[Says, str]] = {
        "neither": ("silent", "shows no difference that counts"),
        side: ("agree", f"points to {NAMES[side]} too"),
        other(side): ("opposed", f"points to {NAMES[other(side)]}"),
    }
    says, words = said[to]
    return Witness(name=name, says=says, text=" ".join(filter(None, (SUBJECTS[name], words, figures))))
