"""The table of votes: the last vote of each voter, from the state of the debate."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, get_args

from events.record import Recorded
from events.types import PollRound
from server.export.tables.table import Debate, DebateTable, Says, Seen, TableRow


class VoteRow(TableRow, frozen=True, kw_only=True, gc=False):
    """The last vote, or the last belief after a turn, of one voter of the audience."""

    debate: Debate
    voter: Annotated[str, Says("A pseudonym, which the voter has in this debate only.")]
    kind: Annotated[
        str,
        Says("What was asked: `winner`, `belief` after a turn, or the vote of a poll `before` or `after` the debate."),
    ]
    turn: Annotated[int | None, Says("Of a belief, the turn after which it was stated.")]
    said: Annotated[str | None, Says("The answer: `pro`, `con`, `neither` or, in a poll, `undecided`.")]
    belief: Annotated[float | None, Says("The belief, from wholly Con to wholly Pro.", "0 to 100")]


def vote_rows(seen: Seen, _: Sequence[Recorded]) -> Iterator[VoteRow]:
    """A row for each voter and question.  The votes of a poll come once the debate has concluded, for operators too."""
    audience, debate = seen.fold.debate.audience, seen.view.id
    if seen.is_revealed:
        for voter, winner in _each(audience.said):
            yield VoteRow(debate=debate, voter=voter, kind="winner", turn=None, said=winner, belief=None)
        for turn, beliefs in audience.beliefs.items():
            for voter, belief in _each(beliefs.said):
                yield VoteRow(debate=debate, voter=voter, kind="belief", turn=turn, said=None, belief=belief)
    if seen.has_ended:
        for when in get_args(PollRound):
            for voter, stance in _each(audience.poll.vote(when).said):
                yield VoteRow(debate=debate, voter=voter, kind=when, turn=None, said=stance, belief=None)


def _each(said: dict[str, dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The voters of all buckets."""
    for bucket in said.values():
        yield from bucket.items()


VOTES: Final = DebateTable(VoteRow, vote_rows)
