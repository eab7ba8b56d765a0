"""What a study is computed from: a row for each answer of a judge."""

from typing import Literal

from msgspec import Struct

from events.types.study import Arm

Stage = Literal["alone", "final"]


class Answered(Struct, frozen=True, kw_only=True):
    """One answer of a judge, or the reason why it is missing."""

    item: str
    cluster: str
    arm: Arm
    stage: Stage = "final"
    """``alone``: the first answer of an arm ``critique``, before the critique."""
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
    """The probability that the judge gave to the right answer; ``None`` without an answer."""
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
        """1 for the right answer, 0 for the wrong one, a half if the judge gives both the same probability."""
        if self.p_right is None:
            return None
        return 0.5 if self.p_right == 0.5 else float(self.p_right > 0.5)
