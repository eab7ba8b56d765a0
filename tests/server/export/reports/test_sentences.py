"""Every kind of sentence of a report, checked against the raw events: those it cites imply it, and none denies it.

The checks use neither the folds nor the wordings of the reports: each kind has its pattern and its reading of events.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.types import (
    ArgumentCrossExamined,
    ArgumentTraced,
    BothSides,
    CheckMissing,
    ClaimCleared,
    ClaimFlagged,
    CrossExaminationFaulted,
    Event,
    FindingRefused,
    LogicGapAdjusted,
    OpponentAnswered,
    Passage,
    PenaltyApplied,
    PremiseDropped,
    PremiseRevised,
    PremiseStated,
    PremiseWithdrawn,
    QuestionsAnswered,
    Reason,
    ScorecardVerdictReached,
    TranscriptSupplied,
    TurnScored,
    TurnSpoken,
    missing,
    other,
)
from server.export.document import CitedTurn
from server.export.reports.sentences import KINDS, ReportSentence
from tests.laws import spread
from tests.server.debate.cited_debate import ANSWERS, MISQUOTED, SAYS
from tests.server.debate.test_citing import open_cited
from tests.server.export.reports import argument_checks, outcome_checks, turn_checks
from tests.server.export.reports.test_debater import BY_HAND, LOGS, exhibited, made, recorded, records, sentences
from tests.server.export.reports.told_sentences import NAMES, Log, Told, is_such, words
from tests.server.harness import harness

CHECKS = {**outcome_checks.CHECKS, **turn_checks.CHECKS, **argument_checks.CHECKS}
"""Of each kind: its pattern, and what its events must say.  ``fullmatch`` finds the words that the check reads."""
ABOUT_THE_ONE_BEFORE = {**turn_checks.ABOUT_THE_ONE_BEFORE, **argument_checks.ABOUT_THE_ONE_BEFORE}


def checked(log: Log, side: Any) -> Iterator[str]:
    """Check every sentence of a report; their kinds."""
    events: dict[int, Any] = {record.position: record.event for record in log}
    before: ReportSentence | None = None
    report = tuple(sentences(made(log, side)))
    for sentence in report:
        pattern, check = CHECKS[sentence.kind]
        found = re.fullmatch(pattern, words(sentence), re.DOTALL)
        assert found, (sentence.kind, words(sentence))
        assert sentence.because_of, (sentence.kind, words(sentence))
        assert {part.position for part in sentence.text if isinstance(part, CitedTurn)} <= {*sentence.because_of}
        told = Told(events, {at: events[at] for at in sentence.because_of}, side, sentence, found, report)
        assert {*sentence.deciding} <= {*sentence.because_of}
        assert found.groupdict().get("rival") in {None, NAMES[other(side)]}
        assert check(told), (sentence.kind, words(sentence), sentence.because_of)
        if (about := ABOUT_THE_ONE_BEFORE.get(sentence.kind)) is not None:
            assert before is not None
            assert about(told, events[before.because_of[0]], words(before)), (words(before), words(sentence))
        before = sentence
        yield sentence.kind


def edited(log: Log, change: Callable[[Any], Event | None]) -> Log:
    """A log with other events in the places of some."""
    return tuple(replace(each, event=new) if (new := change(each.event)) else each for each in log)


def longer(log: Log, *events: Event) -> Log:
    """A log with further events at its end."""
    last = log[-1]
    return (*log, *(replace(last, position=last.position + at, event=each) for at, each in enumerate(events, 1)))


def test_every_kind_of_sentence_has_a_check() -> None:
    assert {*KINDS} == {*CHECKS}


@pytest.mark.slow
@pytest.mark.parametrize("side", ["pro", "con"])
@pytest.mark.parametrize("source", spread([source for _, source in LOGS], 6), ids=[name for name, _ in LOGS])
def test_the_cited_events_imply_every_sentence_and_none_denies_it(source: Any, side: Any) -> None:
    assert [*checked(recorded(source) if isinstance(source, Path) else exhibited(source), side)]


# planted


def told_of(log: Log, side: Any, kind: str) -> list[str]:
    """The sentences of a kind, after all of the report are checked."""
    assert [*checked(log, side)]
    return [words(each) for each in sentences(made(log, side)) if each.kind == kind]


OPEN = "leaves no trace in good prose"
"""Words of Con's premise P4.2 in the exhibition ``juries``, which no turn of Pro answers."""
GIVEN_UP = "Weighing evidence is a skill"
"""Words of Pro's premise P1.1 there, which turn 3 drops."""


def named_in(event: Any, kind: type[Event], **values: Any) -> bool:
    return is_such(event, (kind,), values)


def premise_of(log: Log, quote: str) -> PremiseStated:
    return next(each.event for each in log if isinstance(each.event, PremiseStated) and quote in each.event.quote)


@pytest.mark.slow
def test_a_premise_is_left_unanswered_only_if_nothing_recorded_denies_it() -> None:
    """A refused finding, the judge's own answer, or an answer that is missing: each takes the sentence away."""
    log = exhibited("juries")
    stated = premise_of(log, OPEN)
    refused = FindingRefused(turn=5, purpose="gaps", quote=OPEN, reason="turn 4 has lost 5 points for flaws")
    answered = OpponentAnswered(turn=5, answered=(stated.premise,))
    failed = CheckMissing(turn=5, purpose="premises", reason="the judge gave no usable answer")

    assert [f"Con built on this in turn 4: «{OPEN}»"] == told_of(log, "pro", "premise")
    assert not told_of(longer(log, refused), "pro", "premise")
    for event in (answered, failed):
        other_log = edited(log, lambda each, new=event: new if named_in(each, OpponentAnswered, turn=5) else None)  # type: ignore[misc]
        assert not told_of(other_log, "pro", "premise")


@pytest.mark.slow
def test_words_that_show_a_flaw_are_not_thereby_answered() -> None:
    """A flaw in the premise's own words is an answer to it; that its words show a flaw of another turn is none."""
    log = exhibited("juries")
    stated = premise_of(log, OPEN)
    gap = next(each.event for each in log if named_in(each.event, LogicGapAdjusted, turn=1))
    words_ = Passage(turn=4, quote=stated.quote, span=stated.span)
    shows, fails = replace(gap, exposed_by=words_), replace(gap, turn=4, fails=words_, exposed_by=gap.fails)

    assert told_of(longer(log, shows), "pro", "premise")
    assert not told_of(longer(log, fails), "pro", "premise")


def crowded() -> Log:
    """A debate with more dropped and more unanswered premises than a report names."""
    log = exhibited("juries")
    open_, dropped = premise_of(log, OPEN), premise_of(log, GIVEN_UP)
    further = [replace(open_, premise=f"P4.{number}") for number in (7, 8, 9)]
    lost = replace(dropped, premise="P1.9")
    return longer(log, *further, lost, PremiseDropped(premise=lost.premise, turn=3, reason="…"))


@pytest.mark.slow
def test_premises_that_have_no_place_in_the_report_are_counted() -> None:
    log = crowded()
    drops = [each.event for each in log if isinstance(each.event, PremiseDropped) and each.event.turn % 2]

    assert len(told_of(log, "pro", "dropped")) == 2
    assert [f"The judge says that your turns dropped {len(drops) - 2} further premise of yours in silence."] == [
        each.replace("premises", "premise") for each in told_of(log, "pro", "dropped_too")
    ]
    assert len(told_of(log, "pro", "premise")) == 1
    assert ["Nor does the judge name 3 further premises of Con among what your later turns answered."] == told_of(
        log, "pro", "not_answered_too"
    )


@pytest.mark.slow
def test_a_drop_is_told_with_its_charge_and_points_outside_the_total_say_so() -> None:
    log = exhibited("juries")
    drop = next(each for each in log if isinstance(each.event, PremiseDropped) and each.event.turn == 3)
    charge = next(each.event for each in log if named_in(each.event, PenaltyApplied, because_of=drop.position))

    assert charge.dimension == "credibility"
    told = [words(each) for each in sentences(made(log, "pro")) if drop.position in each.because_of]
    assert any("credibility (not in the total)" in each for each in told)


def uncheckable() -> Log:
    """A debate in which the judge flags a claim that it cannot check."""
    log = exhibited("juries")
    text = next(each.event.text for each in log if named_in(each.event, TurnSpoken, turn=1))
    flag = ClaimFlagged(
        claim="C1.9",
        turn=1,
        quote=text[:30],
        span=(0, 30),
        kind="unverifiable",
        reason="Nobody can check it.",
        by="judge",
    )
    return longer(log, flag)


@pytest.mark.slow
def test_a_claim_that_nobody_can_check_is_told_until_it_is_cleared() -> None:
    log = uncheckable()
    cleared = ClaimCleared(claim="C1.9", reason="It can be checked.", by="judge")

    (told,) = told_of(log, "pro", "flagged_at_no_cost")
    assert "turn 1 makes a claim that was flagged as unverifiable (it names a study" in told
    assert not told_of(longer(log, cleared), "pro", "flagged_at_no_cost")
    assert not told_of(log, "con", "flagged_at_no_cost")


@pytest.mark.slow
def test_turns_that_lost_the_same_are_named_together() -> None:
    """The sums by turn decide, and not the largest single loss."""
    log = exhibited("juries")
    gap = next(each.event for each in log if named_in(each.event, LogicGapAdjusted, turn=1))
    lost = [
        replace(gap, turn=turn, fails=replace(gap.fails, turn=turn), requested=-points, applied=-points)
        for turn, points in ((1, 30.0 + gap.applied), (5, 15.0), (5, 15.0))
    ]
    text = next(each.event.text for each in log if named_in(each.event, TurnSpoken, turn=5))
    lost = [
        each if each.turn == 1 else replace(each, fails=replace(each.fails, quote=text[:30], span=(0, 30)))
        for each in lost
    ]
    before = [each.event for each in log if isinstance(each.event, LogicGapAdjusted) and each.event.turn == 5]
    assert not before

    told = next(each for each in told_of(longer(log, *lost), "pro", "cost") if "flaws" in each)
    assert told.endswith("30 of them in turn 1 and 30 in turn 5.")


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [path for path in BY_HAND if path.stem != "library_fines_v2"], ids=lambda path: path.stem
)
def test_debates_whose_judge_was_not_asked_what_is_answered_say_nothing_of_it(path: Path) -> None:
    log = recorded(path)

    assert not [each for each in log if isinstance(each.event, OpponentAnswered)]
    assert not told_of(log, "pro", "not_answered") + told_of(log, "con", "not_answered")


@pytest.mark.slow
def test_a_premise_that_came_back_is_not_dropped_and_one_that_was_given_up_afterwards_is() -> None:
    log = exhibited("juries")
    stated, text = (
        premise_of(log, GIVEN_UP),
        next(each.event.text for each in log if named_in(each.event, TurnSpoken, turn=5)),
    )
    withdrawn = PremiseWithdrawn(premise=stated.premise, turn=5, quote=text[:30], span=(0, 30))
    revised = PremiseRevised(premise=stated.premise, turn=5, text="Weighing evidence can be taught.")
    refused = FindingRefused(turn=5, purpose="premises", quote=stated.premise, reason="it was dropped before")

    assert [each for each in told_of(log, "pro", "dropped") if GIVEN_UP in each]
    given_up = longer(log, withdrawn)
    assert [each for each in told_of(given_up, "pro", "dropped") if GIVEN_UP in each]
    assert f"You gave up this premise openly in turn 5: «{text[:30].strip()}»" in told_of(given_up, "pro", "withdrawn")
    for event in (revised, refused):
        assert not [each for each in told_of(longer(log, event), "pro", "dropped") if GIVEN_UP in each]


@pytest.mark.slow
def test_the_withdrawal_of_words_that_lost_points_is_told_with_them() -> None:
    log = exhibited("juries")
    gap = next(each.event for each in log if named_in(each.event, LogicGapAdjusted, turn=1))
    text = next(each.event.text for each in log if named_in(each.event, TurnSpoken, turn=5))
    held = PremiseStated(premise="P1.9", side="pro", turn=1, text="…", quote=gap.fails.quote, span=gap.fails.span)
    given_up = PremiseWithdrawn(premise="P1.9", turn=5, quote=text[:30], span=(0, 30))

    told = f"You gave up this premise openly in turn 5: «{text[:30]}»"
    assert [] == told_of(longer(log, held), "pro", "withdrawn")
    assert [told] == told_of(longer(log, held, given_up), "pro", "withdrawn")


@pytest.mark.slow
def test_a_tie_break_is_named_and_nobody_is_told_that_they_won() -> None:
    def close(event: Any) -> Event | None:
        if isinstance(event, ScorecardVerdictReached):
            mean = BothSides(pro=71.17, con=70.5)
            return replace(event, winner="pro", margin=0.67, mean=mean, decided_by="credibility")
        return None

    log = edited(exhibited("juries", rubric="v2"), close)
    (told,) = told_of(log, "pro", "outcome")

    assert told.startswith("Pro wins by a tie-break on credibility: the scores lie within the tie margin of 2 points")
    assert "The reading of the whole debate names Con instead" in told
    assert [told] == told_of(log, "con", "outcome")


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_judge_that_failed_is_not_read_as_one_that_found_nothing(script: Any) -> None:
    fault = {"fault": {"kind": "overloaded", "times": 99}}
    checks = {f"{what}:{turn}": fault for what in ("claims", "premises", "gaps") for turn in range(1, 5)}
    async with harness() as h:
        debate = await h.open(script(answers={**checks, "score:2": fault}), turns=4)
        await h.ended(debate)
        log = await records(h, debate)
    kinds = {kind for side in ("pro", "con") for kind in checked(log, side)}

    assert "inferred" in kinds
    assert not kinds & {"premise", "not_answered", "dropped", "lost_gap", "lost_claim"}


def traces(event: Any) -> Event | None:
    """Arguments without a total, and one without a standing."""
    if isinstance(event, ArgumentTraced) and event.argument != "PRO-1":
        return replace(event, total=missing("the judge gave no score"))
    return replace(event, missing=Reason("no standing"), standing=UNSET) if isinstance(event, ArgumentTraced) else None


def silences(event: Any) -> Event | None:
    """Answers that leave out what was asked."""
    return replace(event, answers={}) if isinstance(event, QuestionsAnswered) else None


def passes_over(event: Any) -> Event | None:
    """A cross-examination that leaves every argument out."""
    if not named_in(event, ArgumentCrossExamined, by="pro"):
        return None
    return CrossExaminationFaulted(by="pro", turn=event.turn, faults=("…",), free_text="")


def scored_in_part(event: Any) -> Event | None:
    """A turn without a score for one dimension."""
    if not isinstance(event, TurnScored) or event.turn != 1 or event.dimensions is UNSET:
        return None
    dimensions = {name: each for name, each in event.dimensions.items() if name != "credibility"}
    return replace(event, dimensions=dimensions, absent={"credibility": Reason("the judge gave no points")})


@pytest.fixture
def all_logs() -> list[Any]:
    """Exhibitions are played in an event loop of their own, so not in that of a test."""
    return [recorded(source) if isinstance(source, Path) else exhibited(source) for _, source in LOGS]


@pytest.mark.slow
@pytest.mark.anyio
async def test_every_kind_of_sentence_is_told_of_some_log_and_holds(all_logs: list[Any], script: Any) -> None:
    logs = list(all_logs)
    logs += [edited(exhibited("lamps"), change) for change in (traces, silences, passes_over)]
    logs.append(edited(exhibited("juries"), scored_in_part))
    supplied = {"source": "a hall", "digest": "0" * 64, "licence": "", "turns": ()}
    logs += [longer(exhibited("juries"), TranscriptSupplied(kind=kind, **supplied)) for kind in ("text", "moot")]
    fault = {"fault": {"kind": "overloaded", "times": 99}}
    cited = {
        "pro": SAYS["pro"],
        "con": [f"{SAYS['con'][0]} {MISQUOTED} {MISQUOTED} {MISQUOTED} {MISQUOTED}", SAYS["con"][1]],
    }
    async with harness() as h:
        for opening in (
            h.open(script("even"), turns=4, seat={"effort": "brief"}),
            h.open(script("silent", answers={"score:1": fault, "score:2": fault})),
            open_cited(h, script("cited", says=cited, answers=ANSWERS)),
        ):
            debate = await opening
            await h.ended(debate)
            logs.append(await records(h, debate))
    logs += [crowded(), uncheckable()]
    whole = recorded(BY_HAND[0])
    logs += [
        whole[: each.position]
        for each in whole
        if isinstance(each.event, TurnSpoken | TurnScored) and each.position > 60
    ]
    told = {kind for log in logs for side in ("pro", "con") for kind in checked(log, side)}

    assert {*KINDS} == told
