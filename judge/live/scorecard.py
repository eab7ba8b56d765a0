"""What the numbers say at the end.  Source: design, section 6: higher mean effective composite, tie within 2 points."""

from events.types import BothSides, Missing, Rounds, ScorecardVerdictReached, Winner, missing
from events.types.rubric import Rubric
from judge.live.rules import say


def scorecard_verdict(means: BothSides, rounds: Rounds, rubric: Rubric) -> ScorecardVerdictReached:
    """The side with the higher mean composite over judged turns; ``neither`` on a tie or where a side has none."""
    pro, con = means.pro, means.con
    if isinstance(pro, Missing) or isinstance(con, Missing):
        reason = _unjudged(pro, con)
        return ScorecardVerdictReached(
            winner="neither",
            mean=means,
            rounds=rounds,
            margin=missing(reason),
            reason=reason,
        )
    margin = round(abs(pro - con), 6)
    leader: Winner = "pro" if pro > con else "con"
    tied = margin <= rubric.tie_within
    within = f"within {say(rubric.tie_within)} nobody wins"
    score = f"pro {say(pro)}, con {say(con)}"
    reason = f"{score}: {within}" if tied else f"{score}: {leader} leads by {say(margin)}"
    return ScorecardVerdictReached(
        winner="neither" if tied else leader,
        mean=means,
        rounds=rounds,
        margin=margin,
        reason=reason,
    )


def _unjudged(pro: float | Missing, con: float | Missing) -> str:
    if isinstance(pro, Missing) and isinstance(con, Missing):
        return "no turn of either side was judged"
    return f"no turn of {'pro' if isinstance(pro, Missing) else 'con'} was judged"
