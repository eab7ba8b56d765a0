"""Acts of people: they pause, resume and halt a debate, speak as its moderator, vote, and state beliefs.

Votes and beliefs are private until the debate has concluded.  ``voter`` is a pseudonym, a different one in each
debate; only the last vote of a voter counts, and the last belief of a voter after each turn.  A debate with a poll asks
its audience twice instead, before the first turn and after the last one, and these votes are sealed: operators cannot
read them before the end either.
"""

from typing import ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType

from events.types.base import ALL_PRIVATE, DerivedEvent, Event, Winner

DebateState = Literal["open", "paused", "halted", "concluded"]
"""``open``: the debate runs, or runs as soon as a server takes it up."""


class DebatePaused(Event, frozen=True, kw_only=True, tag="debate_paused"):
    """The debate takes no further step until it is resumed."""

    reason: str
    by: str


class DebateResumed(Event, frozen=True, kw_only=True, tag="debate_resumed"):
    """A paused or halted debate goes on.  ``max_cost_usd`` is its new cap, if one was given."""

    reason: str
    by: str
    max_cost_usd: float | UnsetType = UNSET


class DebateHalted(Event, frozen=True, kw_only=True, tag="debate_halted"):
    """The debate cannot go on as it is; ``reason`` says what to do.  It can be resumed."""

    reason: str
    by: str


class ModeratorSpoke(Event, frozen=True, kw_only=True, tag="moderator_spoke"):
    """The moderator spoke to both debaters: the text enters their next prompts."""

    text: str
    by: str


class DebateLabelled(Event, frozen=True, kw_only=True, tag="debate_labelled"):
    """An operator named or filed the debate.  A field that is unset stays as it was."""

    by: str
    title: str | UnsetType = UNSET
    """Shown in place of the motion in lists; empty for none."""
    tags: tuple[str, ...] | UnsetType = UNSET
    hidden: bool | UnsetType = UNSET
    """Left out of lists and searches; its address still shows it."""
    archived: bool | UnsetType = UNSET
    """Left out of lists unless they ask for it."""
    link: str | UnsetType = UNSET
    """SHA-256 of the token that a spectator's address needs; empty for a debate that is listed.  A new one revokes the
    old one."""


class AudienceVoted(Event, frozen=True, kw_only=True, tag="audience_voted"):
    """A spectator voted for a winner."""

    private: ClassVar[frozenset[str]] = ALL_PRIVATE

    voter: str
    winner: Winner


class BeliefStated(Event, frozen=True, kw_only=True, tag="belief_stated"):
    """A spectator stated a belief after a turn: ``belief`` is 0 (wholly con) to 100 (wholly pro)."""

    private: ClassVar[frozenset[str]] = ALL_PRIVATE

    voter: str
    turn: int
    belief: float


PollRound = Literal["before", "after"]
"""The vote before the first turn, and the vote after the last one."""
Stance = Literal["pro", "con", "undecided"]
POLL_ROUNDS: tuple[PollRound, PollRound] = ("before", "after")
STANCES: tuple[Stance, Stance, Stance] = ("pro", "con", "undecided")


class PollCounts(Struct, frozen=True, kw_only=True):
    """The last votes of all voters.  Every stance is a key."""

    moved: dict[Stance, dict[Stance, int]]
    """Voters that voted twice, by their stance before and their stance after."""
    joined: dict[Stance, int]
    """Voters that voted after the debate only."""
    left: dict[Stance, int]
    """Voters that voted before the debate only."""


class PollOpened(DerivedEvent, frozen=True, kw_only=True, tag="poll_opened"):
    """A vote of the poll began.  ``closes_after_s``: it closes after so many seconds if it is not closed before."""

    when: PollRound
    closes_after_s: float | UnsetType = UNSET


class StanceStated(Event, frozen=True, kw_only=True, tag="stance_stated"):
    """A voter voted in the poll, or changed the vote."""

    private: ClassVar[frozenset[str]] = ALL_PRIVATE
    sealed: ClassVar[bool] = True

    voter: str
    when: PollRound
    stance: Stance


class PollClosed(Event, frozen=True, kw_only=True, tag="poll_closed"):
    """A vote of the poll ended with ``cast`` voters.  The second one has the counts of both."""

    private: ClassVar[frozenset[str]] = frozenset({"counts"})
    sealed: ClassVar[bool] = True

    when: PollRound
    by: str
    cast: int
    counts: PollCounts | UnsetType = UNSET


class DebateConcluded(DerivedEvent, frozen=True, kw_only=True, tag="debate_concluded"):
    """The debate is over.  ``by_rule`` names the verdict that decided."""

    winner: Winner
    by_rule: str
