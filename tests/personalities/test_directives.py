"""What a directive says of the debate follows from events before it, none of them denies it, and it is not stale."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from events.state.debate import Debate
from events.text.said import sentences
from events.transfer import parse_lines
from events.types import (
    SIDES,
    ClaimCleared,
    ClaimFlagged,
    ContradictionFound,
    DebateOpened,
    DirectiveIssued,
    Event,
    LogicGapAdjusted,
    ModelAnswered,
    ModelFailed,
    OpponentAnswered,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
    PremiseWithdrawn,
    PressureApplied,
    Side,
    TraitsShifted,
    TurnsCompared,
    TurnSpoken,
    TurnStarted,
    other,
)
from personalities.pressure import after_exchange
from personalities.prompt import debater_template
from personalities.traits import WORDS_V3
from tests.personalities.exchanges import fold
from tests.personalities.recorded import RecordedDebate
from tests.server.export.reports.test_debater import EXHIBITIONS, exhibited

Log = Sequence[Any]
LOGS: Final = Path(__file__).parent.parent / "server" / "debate" / "logs"
Q: Final = "“([^”]+)”"
WHY: Final = f"(?:, because: {Q}\\.?|\\.)"
CHANGES: Final = (PremiseDropped, PremiseWithdrawn, PremiseRevised)


def of(log: Log, *kinds: type[Event], **values: Any) -> list[Any]:
    found = [each for each in log if isinstance(each, kinds)]
    return [each for each in found if all(getattr(each, name) == value for name, value in values.items())]


def plain(text: str) -> str:
    return " ".join(text.split()).translate(str.maketrans('“”„"', "‘’‘’"))


def is_said(quote: str, words: str) -> bool:
    """Whether a directive quotes words of a turn: all of them, or the sentences in which they stand."""
    return plain(words).strip(" .,;:") in quote or quote in plain(words)


def is_reason(told: str | None, reason: str) -> bool:
    """Whether a reason is told whole, or as whole sentences or clauses from its beginning."""
    if told is None:
        return True
    rest = plain(reason).removeprefix(told)
    return rest != plain(reason) and (not rest or told[-1] in ".!?" or rest[0] == ";" or rest.startswith(" ("))


def turns_of(log: Log, side: Side) -> dict[int, str]:
    return {each.turn: plain(each.text) for each in of(log, TurnSpoken, side=side)}


def newest(log: Log) -> int:
    return max(each.turn for each in of(log, TurnSpoken))


def meet(one: Any, two: Any) -> bool:
    return bool(one[0] < two[1] and two[0] < one[1])


def taken_back(log: Log, turn: int, span: Any) -> bool:
    """Whether a premise with these words was, at its last change, revised or withdrawn."""
    for each in of(log, PremiseStated, turn=turn):
        changes = of(log, *CHANGES, premise=each.premise)
        if meet(each.span, span) and changes and not isinstance(changes[-1], PremiseDropped):
            return True
    return False


def flawed(log: Log, side: Side, quote: str, shown: str | None, why: str | None) -> bool:
    """The newest turn exposed a flaw in these words, and they are still held."""
    return any(
        gap.turn in turns_of(log, side)
        and gap.exposed_by.turn == newest(log)
        and is_said(quote, gap.fails.quote)
        and (shown is None or is_said(shown, gap.exposed_by.quote))
        and is_reason(why, gap.reason)
        and not taken_back(log, gap.turn, gap.fails.span)
        for gap in of(log, LogicGapAdjusted)
    )


def doubted(log: Log, side: Side, quote: str, why: str | None) -> bool:
    """A flag of the side's last turn on these words stands."""
    flags = of(log, ClaimFlagged, turn=max(turns_of(log, side)))
    standing = [each for each in flags if not of(log, ClaimCleared, claim=each.claim)]
    return any(is_said(quote, each.quote) and is_reason(why, each.reason) for each in standing)


def contradicted(log: Log, side: Side, *said: str | None) -> bool:
    *quotes, why = said
    for found in of(log, ContradictionFound, side=side):
        named = [each for each in of(log, PremiseStated) if each.premise in found.premises]
        is_told = all(any(is_said(quote, each.quote) for each in named) for quote in quotes if quote)
        if max(found.turns) == max(turns_of(log, side)) and is_told and is_reason(why, found.reason):
            return True
    return False


def dropped(log: Log, side: Side, quote: str) -> bool:
    stated = [each for each in of(log, PremiseStated, side=side) if is_said(quote, each.quote)]
    last = max(turns_of(log, side))
    return any(
        (of(log, *CHANGES, premise=each.premise) or [None])[-1] in of(log, PremiseDropped, turn=last) for each in stated
    )


def unanswered(log: Log, side: Side, quote: str) -> bool:
    """The judge names what the newest turn answers, not this premise, and nothing recorded is against its sentence."""
    last = max(turns_of(log, side))
    answers, attacked = of(log, OpponentAnswered, turn=last + 1), of(log, OpponentAnswered, turn=last)
    gave_way = [
        each
        for each in of(log, PremiseWithdrawn, PremiseRevised, turn=last + 1)
        if attacked and each.premise in attacked[0].answered
    ]
    against = [each.span for each in of(log, ClaimFlagged, turn=last)]
    against += [each.fails.span for each in of(log, LogicGapAdjusted, turn=last)]
    text = of(log, TurnSpoken, turn=last)[0].text

    def stands(each: PremiseStated) -> bool:
        around = [place for place in sentences(text) if meet(place, each.span)]
        is_clear = not any(meet(place, span) for place in around for span in against)
        return is_clear and not of(log, *CHANGES, premise=each.premise) and each.premise not in answers[0].answered

    stated = [each for each in of(log, PremiseStated, turn=last) if is_said(quote, each.quote)]
    return bool(answers) and not gave_way and any(map(stands, stated))


OWN: Final = r" Defend it, narrow it or give it up\."
DOUBT: Final = r" Support it, weaken it or withdraw it\."
DROP: Final = r" Defend it or give it up openly\."
PRESS: Final = r" (?:Press it|Weigh the other side without it)\."
SAYINGS: Final[dict[str, tuple[Callable[..., bool], int]]] = {
    f"The judge sees a flaw in your {Q} after {Q}{WHY}{OWN}": (flawed, 1),
    f"The judge doubts your {Q}{WHY}{DOUBT}": (doubted, 1),
    f"The judge says that your last turn contradicts {Q}(?: and {Q})*{WHY} Say which of it holds\\.": (contradicted, 1),
    f"As the judge reads it, you left {Q} without a word\\.{DROP}": (dropped, 1),
    f"The judge names no answer to your {Q}\\. Carry it further\\.": (unanswered, 1),
    f"The judge doubts the opponent’s {Q}{WHY}{PRESS}": (doubted, -1),
    f"The judge says that the opponent’s last turn contradicts {Q}(?: and {Q})*{WHY}{PRESS}": (contradicted, -1),
    f"As the judge reads it, the opponent left {Q} without a word\\.{PRESS}": (dropped, -1),
    f"The judge sees a flaw in the opponent’s {Q}(){WHY}{PRESS}": (flawed, -1),
}
"""Whatever a directive says of the debate; the check over the events before it, of its side (1) or the opponent."""
MANNER: Final = {word for trait in WORDS_V3.values() for word in (trait.more, trait.less)}


def check_directive(log: Log, issued: DirectiveIssued, named: list[str]) -> int:
    """Check every sentence of a directive about the debate; the number of them.  ``named``: words of earlier ones."""
    rest, count, side = issued.text, 0, issued.side
    here: list[str] = []
    assert side != of(log, TurnSpoken)[-1].side
    for pattern, (check, whose) in SAYINGS.items():
        for found in re.finditer(pattern, issued.text):
            speaker = side if whose == 1 else other(side)
            quotes = [each or None for each in found.groups()]
            assert check(log, speaker, *quotes), found[0]
            said = turns_of(log, speaker).values()
            assert any(str(found[1]) in text for text in said), found[1]
            is_new = check in {dropped, contradicted} and whose == 1
            known = here if is_new else [*here, *named]
            assert not [each for each in known if each in found[1] or found[1] in each], found[0]
            here.append(found[1])
            rest, count = rest.replace(found[0], ""), count + 1
    named += here
    assert count <= 3
    assert len(issued.text) <= 1000 or ", because" not in issued.text
    assert not re.search(Q, rest), rest
    assert not rest.strip() or not count, rest  # manner comes only where there is no matter
    assert not rest.strip() or any(rest.strip().startswith(word) for word in MANNER), rest
    return count


def check_log(events: Log) -> int:
    """Check every directive of a log against the events before it; the number of their sentences about the debate."""
    count, named = 0, {side: list[str]() for side in SIDES}
    for at, event in enumerate(events):
        if isinstance(event, DirectiveIssued):
            count += check_directive(events[:at], event, named[event.side])
    return count


@pytest.mark.slow
def test_what_directives_of_the_exhibitions_say_follows_from_the_events_before_them() -> None:
    assert 15 <= sum(check_log([each.event for each in exhibited(name)]) for name in EXHIBITIONS)


def told_again(log: Log) -> Log:
    """The events of a log with the pressure, traits and directives that today's rules and template give."""
    events: list[Event] = []
    debate, newest_exchange = Debate(), 0

    def add(event: Event) -> None:
        nonlocal debate
        events.append(event)
        debate = fold(debate, event)

    for event in log:
        if isinstance(event, PressureApplied | TraitsShifted | DirectiveIssued):
            continue
        if isinstance(event, DebateOpened):
            add(replace(event, prompts={**event.prompts, "debater": debater_template()}))
            continue
        if newest_exchange and isinstance(event, TurnStarted | ModelAnswered | ModelFailed):
            for effect in after_exchange(debate, debate.exchanges.comparisons[newest_exchange]):
                add(effect)
            newest_exchange = 0
        add(event)
        if isinstance(event, TurnsCompared):
            newest_exchange = event.later
    return events


@pytest.mark.parametrize("name", ["free_transport_v2", "homework_german_v2", "under_sixteen_v2"])
def test_what_directives_would_say_in_recorded_debates_follows_from_their_events(name: str) -> None:
    records = parse_lines((LOGS / f"{name}.ndjson").read_bytes().splitlines(keepends=True))

    assert 5 <= check_log(told_again([each.event for each in records]))


# generated records

CLAUSES: Final = ("bees feed", "hives cost", "no keeper leaves", "winter ends", "nothing moves", "all see")
REASONS: Final = (
    "",
    "It is too wide.",
    "It is too wide; and no ground is given.",
    f"It is too wide. {'No ground is given for all of it ' * 7}.",
    f"It is too wide; {'no ground is given for all of it ' * 7}.",
    "It is too wide for all that was said of it " * 6,
    "The sum does not follow. (it continues C1.1, which cost 1) (requested 3, the most for one turn is 5)",
)


class RandomJudge:
    """Finds things in random words of the turns of a debate."""

    def __init__(self, random: Random, turns: int) -> None:
        self.random, self.held = random, RecordedDebate(turns)

    def words(self, turn: int) -> str:
        """A run of words of a turn, perhaps over a break between sentences."""
        words = self.held.texts[turn].split(" ")
        start = self.random.randrange(len(words) - 3)
        return " ".join(words[start : start + self.random.randint(3, 9)])

    def some(self, share: float = 0.5) -> bool:
        return self.random.random() < share

    def play(self) -> Log:
        for turn in range(1, self.held.turns + 1):
            self.held.turn(self.speech(turn))
            self.find(turn)
            if turn > 1:
                self.held.exchange(self.random.choice(("pro", "con", None)))
        return self.held.events

    def speech(self, turn: int) -> str:
        parts = [
            f"{self.random.choice(CLAUSES)} in town {turn}-{part}{self.random.choice('.!,;.')}" for part in range(8)
        ]
        return " ".join(parts)

    def find(self, turn: int) -> None:
        held, random = self.held, self.random
        for _ in range(random.randint(0, 2)):
            kind: Any = random.choice(("overclaim", "unverifiable"))
            held.claim(turn, self.words(turn), random.choice(REASONS), random.choice((0, 1, 2)), kind)
        for _ in range(random.randint(0, 2) if turn > 1 else 0):
            old = random.randrange(1, turn)
            held.flaw(old, self.words(old), self.words(turn), random.choice(REASONS), random.randint(1, 5))
        mine = [
            name
            for name, each in held.debate.spine.premises.items()
            if each.turn % 2 == turn % 2 and each.state in {"kept", "revised"}
        ]
        for name in random.sample(mine, min(len(mine), random.randint(0, 3))):
            random.choice(
                (
                    lambda name: held.revise(name, f"Newly {turn}."),
                    lambda name: held.withdraw(name, self.words(turn)),
                    held.drop,
                    lambda name: held.contradict(name, reason=random.choice(REASONS)),
                )
            )(name)
        for _ in range(random.randint(0, 3)):
            held.premise(self.words(turn), "In the judge's words.")
        theirs = [name for name, each in held.debate.spine.premises.items() if each.turn % 2 != turn % 2]
        if self.some(0.8):
            held.answer(*[name for name in theirs if self.some()])


@pytest.mark.slow
@given(st.randoms(use_true_random=False), st.sampled_from([4, 6, 8]))
def test_what_directives_say_follows_from_any_record(random: Random, turns: int) -> None:
    check_log(RandomJudge(random, turns).play())


@pytest.mark.slow
def test_generated_records_lead_to_every_saying() -> None:
    """The law above is not empty."""
    told = " ".join(
        each.text for seed in range(300) for each in of(RandomJudge(Random(seed), 8).play(), DirectiveIssued)
    )

    assert [] == [pattern for pattern in SAYINGS if not re.search(pattern, told)]
