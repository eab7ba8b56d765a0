"""Many votes at the same time: all are recorded, in few appends, and the debate goes on meanwhile."""

from collections.abc import Callable, Sequence
from typing import Any

import anyio
import pytest

from events.errors import StoreUnavailable
from events.record import Draft, Recorded
from events.state.debate import Debate
from events.store.log import read_all
from events.store.memory import MemoryLog
from events.types import (
    AudienceVoted,
    BeliefStated,
    BothSides,
    DebateConcluded,
    Event,
    ModeratorSpoke,
    Rounds,
    ScorecardVerdictReached,
    TurnScored,
)
from events.verify import verify_log
from server.debate import acts, moderators
from server.debate.acting.ballots import BallotQueue
from server.debate.acts import MAX_WORDS, ballot_refusal
from server.debate.commands import AddWord, CastBallot, Halt, Resume
from server.errors import NotNow
from tests.server.debate_events import debate as folded
from tests.server.debate_events import opened, spoken, started
from tests.server.harness import FailingLog, Harness, harness, is_a

pytestmark = pytest.mark.anyio
CROWD = 600


class Counting(MemoryLog):
    """A log that counts appends by their content, and reads of a whole log."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.foldings = 0

    async def append(self, debate: str, expected: int, events: Sequence[Draft | Event]) -> tuple[Recorded, ...]:
        records = await super().append(debate, expected, events)
        if isinstance(records[0].event, AudienceVoted | BeliefStated):
            self.batches.append(len(records))
        return records

    async def read(self, debate: str, after: int = 0, limit: int | None = None) -> tuple[Recorded, ...]:
        self.foldings += after == 0
        return await super().read(debate, after, limit)


def vote(number: int) -> AudienceVoted:
    return AudienceVoted(voter=f"{number:016x}", winner="pro")


async def cast(h: Harness, debate: str, ballots: Sequence[AudienceVoted | BeliefStated]) -> list[int]:
    """Cast all ballots at the same time; their positions."""
    positions: list[int] = []

    async def one(ballot: AudienceVoted | BeliefStated) -> None:
        positions.append(await h.moderators.act(debate, CastBallot(ballot)))

    async with anyio.create_task_group() as tasks:
        for ballot in ballots:
            tasks.start_soon(one, ballot)
    return positions


@pytest.mark.slow
async def test_a_crowd_is_recorded_in_few_appends(slow: str) -> None:
    log = Counting()
    async with harness(log) as h:
        debate = await h.open(slow)
        positions = await cast(h, debate, [vote(number) for number in range(CROWD)])
        chain = await verify_log(log, debate)
        events = await h.events(debate)

    assert CROWD == sum(log.batches) == len(set(positions))
    assert len(log.batches) < CROWD / 10
    assert chain.ok
    assert {f"{number:016x}" for number in range(CROWD)} == {
        each.voter for each in events if isinstance(each, AudienceVoted)
    }


async def test_votes_of_a_debate_that_rests_do_not_fold_its_log_each_time(slow: str) -> None:
    log = Counting()
    async with harness(log) as h:
        debate = await h.open(slow)
        await h.moderators.act(debate, Halt("tea", "test"))
        await h.idle()
        log.foldings = 0
        for number in range(20):
            await h.moderators.act(debate, CastBallot(vote(number)))

    assert 1 == log.foldings


async def test_who_was_kept_for_the_next_vote_is_let_go(monkeypatch: pytest.MonkeyPatch, slow: str) -> None:
    monkeypatch.setattr(moderators, "LINGER_S", 0)
    async with harness() as h:
        debate = await h.open(slow)
        await h.moderators.act(debate, Halt("tea", "test"))
        await h.idle()
        await h.moderators.act(debate, CastBallot(vote(1)))
        with anyio.fail_after(5):
            while h.moderators._moderators:
                await anyio.lowlevel.checkpoint()

        assert 0 == h.moderators._commands.total()


async def test_one_who_is_kept_is_the_one_that_goes_on(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(pace={"chunk_ms": 5, "chunk_chars": 12}))
        await h.moderators.act(debate, Halt("tea", "test"))
        await h.idle()
        await h.moderators.act(debate, CastBallot(vote(1)))
        await h.moderators.act(debate, Resume("on", "test"))
        ended = await h.until(debate, is_a(DebateConcluded))

        assert (await verify_log(h.log, debate)).ok
        assert isinstance(ended.event, DebateConcluded)


async def test_a_debate_comes_to_its_end_under_a_rain_of_votes(script: Any) -> None:
    """The rules derive a batch from the debate as it stands: votes that come between must not delay it for ever."""
    async with harness() as h:
        debate = await h.open(script(), turns=3)
        refused: list[str] = []

        async def rain(first: int) -> None:
            number = first
            while not refused or "has concluded" not in refused[-1]:
                number += 10
                try:
                    await h.moderators.act(debate, CastBallot(vote(number)))
                except NotNow as error:
                    refused.append(str(error))

        async with anyio.create_task_group() as tasks:
            for first in range(10):
                tasks.start_soon(rain, first)
            with anyio.fail_after(20):
                ended = await h.until(debate, is_a(DebateConcluded))
        records = [record async for record in read_all(h.log, debate)]

    votes = [record for record in records if isinstance(record.event, AudienceVoted)]
    known = next(record.position for record in records if isinstance(record.event, ScorecardVerdictReached))
    assert len(records) == ended.position
    assert votes
    assert max(record.position for record in votes) < known
    assert {None} == {record.cause for record in votes}
    caused = {record.cause for record in records}
    assert not caused & {record.position for record in votes}
    assert [1, 2, 3] == [record.event.turn for record in records if isinstance(record.event, TurnScored)]


async def test_a_store_that_fails_refuses_a_vote_and_takes_the_next(script: Any, slow: str) -> None:
    log = FailingLog(lambda tried: False)
    async with harness(log) as h:
        debate = await h.open(slow)
        await h.moderators.act(debate, Halt("tea", "test"))
        await h.idle()
        failing = log.tried + 1
        log.fails = lambda tried: tried == failing
        with pytest.raises(StoreUnavailable):
            await h.moderators.act(debate, CastBallot(vote(1)))
        position = await h.moderators.act(debate, CastBallot(vote(2)))

        assert await h.log.head(debate) == position


# what is refused


def test_the_number_of_votes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acts, "MAX_VOTES", 3)
    debate = folded([opened(), vote(1), vote(1)])

    assert ballot_refusal(debate, vote(1)) is None
    assert "has had 3 votes" in str(ballot_refusal(debate, vote(2), waiting=1))
    assert "has had 3 votes" in str(ballot_refusal(folded([opened(), vote(1), vote(1), vote(1)]), vote(1)))


def test_a_vote_comes_before_the_verdict_and_a_belief_before_the_end() -> None:
    belief = BeliefStated(voter="a", turn=1, belief=3.0)
    heard = [opened(), started(1), spoken(1)]
    judged = [
        *heard,
        ScorecardVerdictReached(
            winner="pro", mean=BothSides(pro=60.0, con=50.0), rounds=Rounds(), margin=10.0, reason="so"
        ),
    ]
    ended = [*judged, DebateConcluded(winner="pro", by_rule="scorecard")]

    assert [None, None] == [ballot_refusal(folded(heard), each) for each in (vote(1), belief)]
    assert ballot_refusal(folded(judged), belief) is None
    assert "the verdict is known" in str(ballot_refusal(folded(judged), vote(1)))
    assert ["has concluded"] * 2 == [str(ballot_refusal(folded(ended), each))[11:24] for each in (vote(1), belief)]
    assert "not been spoken" in str(ballot_refusal(folded(heard[:2]), belief))


async def test_the_moderator_speaks_at_most_so_often(slow: str) -> None:
    async with harness() as h:
        debate = await h.open(slow)
        for _ in range(MAX_WORDS):
            await h.moderators.act(debate, AddWord(ModeratorSpoke(text="hm", by="x")))

        with pytest.raises(NotNow, match="has spoken 100 times"):
            await h.moderators.act(debate, AddWord(ModeratorSpoke(text="hm", by="x")))


async def test_the_failure_of_an_append_is_that_of_all_its_ballots() -> None:
    """None of them is appended again: they may be recorded."""
    appended: list[int] = []

    async def append(build: Callable[[Debate], Sequence[Draft]]) -> tuple[Recorded, ...]:
        appended.append(len(build(folded([opened(), started(1)]))))
        await anyio.lowlevel.checkpoint()
        raise StoreUnavailable("the answer got lost")

    queue, failed = BallotQueue(append), list[StoreUnavailable]()

    async def one(number: int) -> None:
        with pytest.raises(StoreUnavailable) as caught:
            await queue.cast(vote(number))
        failed.append(caught.value)

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(one, number)

    assert appended == [8]
    assert len(failed) == 8
