"""What a panel does beside a debate: independent scores, agreement, deliberation."""

from events.projections.debate import Debate
from events.types import DebateOpened, Winner
from server.formats.steps import Ask, Step


def asks(debate: Debate, opened: DebateOpened) -> tuple[Ask, ...]:
    """The raters' independent questions that are still open; they may be asked beside others."""
    del debate, opened
    return ()


def steps(debate: Debate, opened: DebateOpened) -> tuple[Step, ...]:
    """All that the panel has still to do; none once it is done, or where no panel sits."""
    del debate, opened
    return ()


def winner(debate: Debate) -> Winner | None:
    """Whom the panel names; None where no panel sits."""
    del debate
    return None
