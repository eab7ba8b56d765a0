"""What a study is computed from: a row for each answer of a judge."""

from typing import Final, Literal

from msgspec import Struct

from events.types.study import Arm

Stage = Literal["alone", "final"]
UNDECIDED: Final = 0.5


class Answered(Struct, frozen=True, kw_only=True):
    """One answer of a judge, or the reason why it is missing."""

    item: str
    cluster: str
    arm: Arm
    stage: Stage = "final"
    """``alone``: the first answer of an arm ``critique``, before the critique."""
    by: Literal["judge", "critic"] = "judge"
    """``critic``: what the model that gives a critique takes for right, with the passage."""
    debater: str = ""
    """The model that argued; empty where none did."""
    judge: str
    swapped: bool
    """Whether the answers stood in the other order than in their source."""
    right_letter: Literal["A", "B"]
    assigned: Literal["right", "wrong", ""] = ""
    """Which answer the consultant, or the critic of an audit, had to argue for."""
    repeat: int = 1
    sample: int = 1
    """Its number among the answers of one judge to the same prompt, from 1."""
    p_right: float | None
    """The probability that the judge gave to the right answer; ``None`` if it stated none."""
    chosen_right: bool | None = None
    """Whether it named the right answer; ``None`` if it named none."""
    missing: str = ""
    """Why there is no answer."""
    tokens: int = 0
    """Of the whole debate; of an arm ``vote``: of this sample."""
    cost_usd: float = 0.0
    unpriced: bool = False
    """Whether the cost of a call is unknown."""
    debate: str = ""
    """The id of the debate."""

    @property
    def score(self) -> float | None:
        """1 if right, 0 if wrong, a half if both answers have the same probability; None without an answer."""
        if self.p_right == UNDECIDED:
            return UNDECIDED
        if self.chosen_right is not None:
            return float(self.chosen_right)
        return None if self.p_right is None else float(self.p_right > UNDECIDED)
