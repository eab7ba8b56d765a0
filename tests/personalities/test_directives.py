"""What a directive says of the debate follows from events before it, and none of them denies it."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest

from events.state.debate import Debate
from events.types import (
    ClaimCleared,
    ClaimFlagged,
    ContradictionFound,
    DirectiveIssued,
    Event,
    LogicGapAdjusted,
    OpponentAnswered,
    Passage,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
    PremiseWithdrawn,
    TurnSpoken,
    TurnStarted,
    other,
)
from personalities.pressure import QUOTED, matters
from personalities.prompt import debater_template
from personalities.traits import WORDS_V3
from tests.judge.turns import spoken_turn
from tests.personalities.exchanges import GOOD, fold, opened, scored
from tests.server.export.reports.test_debater import EXHIBITIONS, exhibited

Log = Sequence[Any]
Q: Final = "“([^”]+)”"


def of(log: Log, *kinds: type[Event], **values: Any) -> list[Any]:
    found = [each for each in log if isinstance(each, kinds)]
    return [each for each in found if all(getattr(each, name) == value for name, value in values.items())]


def is_quoted(quote: str, text: str) -> bool:
    """Whether a directive quotes a text, perhaps its beginning."""
    plain = " ".join(text.split()).translate(str.maketrans('“”„"', "‘’‘’"))
    return plain == quote if not quote.endswith(" …") else len(quote) <= QUOTED + 2 and plain.startswith(quote[:-2])


def flawed(log: Log, side: Any, quote: str, shown: str | None = None) -> bool:
    mine = {each.turn for each in of(log, TurnSpoken, side=side)}
    gaps = [each for each in of(log, LogicGapAdjusted) if each.turn in mine and is_quoted(quote, each.fails.quote)]
    return any(shown is None or is_quoted(shown, each.exposed_by.quote) for each in gaps)


def doubted(log: Log, side: Any, quote: str, why: str | None = None) -> bool:
    mine = {each.turn for each in of(log, TurnSpoken, side=side)}
    flags = [each for each in of(log, ClaimFlagged) if each.turn in mine and is_quoted(quote, each.quote)]
    standing = [each for each in flags if not of(log, ClaimCleared, claim=each.claim)]
    return any(why is None or is_quoted(why, each.reason.rstrip(".")) for each in standing)


def stated(log: Log, side: Any, quote: str) -> list[Any]:
    return [each for each in of(log, PremiseStated, side=side) if is_quoted(quote, each.quote)]


def last_turn(log: Log, side: Any) -> int:
    return max(each.turn for each in of(log, TurnSpoken, side=side))


def is_unanswered(log: Log, side: Any, quote: str) -> bool:
    """The judge says what the turn after it answers without naming it, and nothing recorded is against its words."""
    last = last_turn(log, side)
    answers = of(log, OpponentAnswered, turn=last + 1)
    gaps = [each.fails.span for each in of(log, LogicGapAdjusted, turn=last)]
    spans = gaps + [
        each.span for each in of(log, ClaimFlagged, turn=last) if not of(log, ClaimCleared, claim=each.claim)
    ]

    def stands(each: PremiseStated) -> bool:
        changes = of(log, PremiseDropped, PremiseWithdrawn, PremiseRevised, premise=each.premise)
        is_clear = not any(span[0] < each.span[1] and each.span[0] < span[1] for span in spans)
        return each.turn == last and not changes and is_clear and each.premise not in answers[0].answered

    return bool(answers) and any(map(stands, stated(log, side, quote)))


def is_contradicted(log: Log, side: Any, *quotes: str) -> bool:
    for found in of(log, ContradictionFound, side=side):
        named = [each for each in of(log, PremiseStated) if each.premise in found.premises]
        if max(found.turns) == last_turn(log, side) and all(
            any(is_quoted(quote, each.quote) for each in named) for quote in quotes if quote
        ):
            return True
    return False


def is_dropped(log: Log, side: Any, quote: str) -> bool:
    turn = last_turn(log, side)
    return any(of(log, PremiseDropped, premise=each.premise, turn=turn) for each in stated(log, side, quote))


SAYINGS: Final[dict[str, Callable[..., bool]]] = {
    f"{Q} was met by {Q}: defend that step, narrow it or give it up\\.": flawed,
    f"{Q} was doubted(?: because {Q})?: support it, weaken it or withdraw it\\.": doubted,
    f"The judge says that your last turn contradicts {Q}(?: and {Q})*: say which of it holds\\.": is_contradicted,
    f"The judge says that your last turn dropped {Q} in silence: defend it or give it up openly\\.": is_dropped,
    f"The judge names no answer to {Q}: build on it\\.": is_unanswered,
    f"The opponent’s {Q} was doubted: press it\\.": lambda log, side, quote: doubted(log, other(side), quote),
    f"The judge found a flaw in the opponent’s {Q}: press it\\.": lambda log, side, q: flawed(log, other(side), q),
}
"""Whatever a directive says of the debate, and the check over the events before it."""
MANNER: Final = {f"{word}" for trait in WORDS_V3.values() for word in (trait.more, trait.less)}


def held(log: Log, side: Any, text: str) -> int:
    """Check every sentence of a directive about the debate; the number of them."""
    rest, count = text, 0
    for pattern, check in SAYINGS.items():
        for found in re.finditer(pattern, text):
            assert check(log, side, *found.groups()), found[0]
            rest, count = rest.replace(found[0], ""), count + 1
    assert not re.search(Q, rest), rest
    assert not rest.strip() or not count, rest  # manner comes only where there is no matter
    assert not rest.strip() or any(rest.strip().startswith(word) for word in MANNER), rest
    return count


@pytest.mark.slow
def test_what_directives_say_of_a_debate_follows_from_the_events_before_them() -> None:
    count = 0
    for name in EXHIBITIONS:
        events = [each.event for each in exhibited(name)]
        for at, event in enumerate(events):
            if isinstance(event, DirectiveIssued):
                count += held(events[:at], event.side, event.text)

    assert count >= 15


FIRST, SECOND = "Trams carry more people. They cost less.", "Buses are cheaper. Trams are slow."
THIRD = "Trams cost more than they save, and yet they carry more."


def played(*more: Event) -> tuple[Debate, list[Event]]:
    """A debate after Pro's second turn with its premises, and the events."""
    events: list[Event] = [opened(prompts={"debater": debater_template()})]
    for turn, text in enumerate((FIRST, SECOND, THIRD), 1):
        side: Any = "pro" if turn % 2 else "con"
        started, judged = scored(turn, GOOD)
        events += [started, spoken_turn(turn, text, side), judged]
    for number, (turn, quote) in enumerate(((1, FIRST[:24]), (1, FIRST[25:]), (3, THIRD[:31])), 1):
        start = (FIRST if turn == 1 else THIRD).index(quote)
        span = (start, start + len(quote))
        premise = f"P{turn}.{number}"
        events.append(PremiseStated(premise=premise, side="pro", turn=turn, text="Summed up.", quote=quote, span=span))
    events += more
    return fold(Debate(), *events), events


def test_a_contradiction_and_a_drop_are_told_in_the_debaters_words_as_the_judges_finding() -> None:
    debate, events = played(
        ContradictionFound(side="pro", turns=(1, 3), premises=("P1.2",), reason="It now says that they cost more."),
        PremiseDropped(premise="P1.1", turn=3, reason="Nothing is said of it."),
    )
    told = matters(debate, "pro")

    assert "The judge says that your last turn contradicts “They cost less.”: say which of it holds." in told
    dropped = "The judge says that your last turn dropped “Trams carry more people.” in silence"
    assert f"{dropped}: defend it or give it up openly." in told
    assert 2 == held(events, "pro", " ".join(told))


@pytest.mark.parametrize(("answered", "is_told"), [((), True), (("P3.3",), False)])
def test_what_is_left_unanswered_is_what_the_judge_does_not_name(answered: tuple[str, ...], is_told: bool) -> None:
    fourth = "That is so, but who pays?"
    flaw = Passage(turn=1, quote="They cost less.", span=(25, 40))
    debate, events = played(
        TurnStarted(turn=4, side="con", attempt=1, directive=None),
        spoken_turn(4, fourth),
        LogicGapAdjusted(
            turn=1,
            dimension="logic",
            requested=-1,
            applied=-1,
            rule="logic_gap",
            because_of=1,
            fails=flaw,
            exposed_by=Passage(turn=4, quote=fourth, span=(0, len(fourth))),
        ),
        OpponentAnswered(turn=4, answered=answered),
    )
    told = " ".join(matters(debate, "pro"))

    assert is_told == (f"The judge names no answer to “{THIRD[:31]}”: build on it." in told)
    assert held(events, "pro", told)


def test_a_premise_with_words_that_are_flawed_or_doubted_is_not_built_on() -> None:
    flag = ClaimFlagged(
        claim="C3.1", turn=3, quote="more than they save", span=(11, 30), kind="overclaim", reason="", by="judge"
    )
    debate, _ = played(
        flag,
        TurnStarted(turn=4, side="con", attempt=1, directive=None),
        spoken_turn(4, "Who pays?"),
        OpponentAnswered(turn=4),
    )

    assert ("“more than they save” was doubted: support it, weaken it or withdraw it.",) == matters(debate, "pro")
