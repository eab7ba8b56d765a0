"""A report for a debater: each sentence follows from the record, and what is not there is not told."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest

from events.record import Recorded
from events.state.ledger import turns_moved
from events.state.outcome import OutcomeWords
from events.store.log import read_all
from events.store.memory import MemoryLog
from events.transfer import import_debate, read_lines
from events.types import LogicGapAdjusted, ModelAnswered, ScoreChange, TurnRescored, TurnScored, TurnSpoken
from events.view import view as views
from events.view.view import Fold
from server.debate.adoption import check_debate
from server.debate.commands import Halt
from server.errors import NotNow
from server.export.debate.exchange import first_side
from server.export.document import CitedTurn, QuotedWords, Strong
from server.export.labels import named
from server.export.reports.debater import report_for
from server.export.reports.document import (
    Report,
    ReportSection,
    quote_of,
    report_html,
    report_json,
    report_markdown,
)
from server.export.reports.sentences import ReportSentence
from tests.laws import spread
from tests.server.debate.cited_debate import ANSWERS, MISQUOTED, SAYS
from tests.server.debate.test_citing import open_cited
from tests.server.debate.test_whole_debate import score
from tests.server.harness import Harness, harness, is_a

ROOT = Path(__file__).parents[4]
BY_HAND = sorted((ROOT / "tests" / "server" / "debate" / "logs").glob("*_v2.ndjson"))
EXCHANGES = [path for path in BY_HAND if not path.stem.startswith("library")]
GOLDEN = sorted((ROOT / "tests" / "events" / "view" / "golden").glob("*.ndjson"))
EXHIBITIONS = ("cars", "homework", "juries", "lamps", "monolith", "transit")


@cache
def recorded(path: Path) -> tuple[Recorded, ...]:
    async def read() -> tuple[Recorded, ...]:
        async with MemoryLog() as log:
            with path.open("rb") as file:
                imported = await import_debate(log, read_lines(file), check_debate)
            return tuple([record async for record in read_all(log, imported.debate)])

    return anyio.run(read)


@cache
def exhibited(name: str, **request_: Any) -> tuple[Recorded, ...]:
    async def play() -> tuple[Recorded, ...]:
        async with harness() as h, anyio.TemporaryDirectory() as folder:
            return await records(h, await h.exhibit(name, Path(folder), **request_))

    return anyio.run(play)


async def records(h: Harness, debate: str) -> tuple[Recorded, ...]:
    return tuple([record async for record in read_all(h.log, debate)])


def folded(log: tuple[Recorded, ...]) -> Fold:
    return views.apply_all(views.INITIAL, log)


def made(log: tuple[Recorded, ...], side: Any) -> Report:
    fold = folded(log)
    return report_for(log, fold, views.for_director(fold), side)


def sentences(report: Report) -> Iterator[ReportSentence]:
    yield from (*report.caveats, *report.facts)
    yield from (sentence for each in report.sections for entry in each.entries for sentence in entry)


def parts(report: Report, kind: type) -> Iterator[Any]:
    return (part for each in sentences(report) for part in each.text if isinstance(part, kind))


def texts_of(found: Iterable[ReportSentence]) -> list[str]:
    return ["".join(part for part in each.text if isinstance(part, str)) for each in found]


def words(text: str) -> str:
    return " ".join(text.split())


LOGS = [*((path.stem, path) for path in (*BY_HAND, *GOLDEN)), *((name, name) for name in EXHIBITIONS)]


@pytest.mark.slow
@pytest.mark.parametrize("side", ["pro", "con"])
@pytest.mark.parametrize("source", spread([source for _, source in LOGS], 5), ids=[name for name, _ in LOGS])
def test_every_quote_is_recorded_and_every_citation_leads_to_an_event_of_its_turn(source: Any, side: Any) -> None:
    log = recorded(source) if isinstance(source, Path) else exhibited(source)
    report = made(log, side)
    first = first_side(folded(log).view.turns)
    texts = [value for record in log for value in strings(msgspec.to_builtins(record.event))]
    known = words("\n".join((*texts, *(named(text, first) for text in texts))))
    events = {record.position: record.event for record in log}
    cited = [*parts(report, CitedTurn)]

    assert cited
    for quote in parts(report, QuotedWords):
        assert words(quote.text) in known
    for each in cited:
        event: Any = events[each.position]
        about = {getattr(event, name, None) for name in ("turn", "earlier", "later")} | set(getattr(event, "turns", ()))
        if isinstance(event, TurnRescored):
            about |= {*turns_moved(event)}
        if isinstance(event, LogicGapAdjusted):
            about.add(event.exposed_by.turn)
        if not about - {None}:
            about = {each.turn}  # an event about an argument of a protocol
        assert each.turn in about


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from strings(each)


@pytest.mark.parametrize("side", ["pro", "con"])
@pytest.mark.parametrize("path", EXCHANGES, ids=lambda path: path.stem)
def test_moments_are_the_highest_and_the_lowest_turn(path: Path, side: str) -> None:
    log = recorded(path)
    composites = {int(n): turn.composite for n, turn in folded(log).view.turns.items() if turn.side == side}
    best, worst = made(log, side).sections[:2]
    named_best, named_worst = (
        next(part.turn for part in each.entries[0][0].text if isinstance(part, CitedTurn)) for each in (best, worst)
    )

    assert ("Your strongest moment", "Your weakest moment") == (best.title, worst.title)
    assert max(composites, key=lambda n: composites[n]) == named_best  # type: ignore[arg-type, return-value]
    assert min(composites, key=lambda n: composites[n]) == named_worst  # type: ignore[arg-type, return-value]


def avoidable(log: tuple[Recorded, ...], side: str) -> dict[str, float]:
    """Points by words of their advice: below the best turn in each component, and taken by each rule."""
    ledger = folded(log).debate.ledger
    rubric = ledger.rubric
    assert rubric is not None
    sides = {record.event.turn: record.event.side for record in log if isinstance(record.event, TurnSpoken)}
    given: dict[str, dict[int, float]] = {}
    capped: set[tuple[str, int]] = set()
    """What the judge misquoted: no advice rests on it."""
    for event in (record.event for record in log if isinstance(record.event, TurnScored)):
        for name, given_score in (event.components or {}).items():
            given.setdefault(name, {})[event.turn] = given_score.admitted
            if not given_score.verified:
                capped.add((name, event.turn))
    losses: dict[str, float] = {}
    for dimension in ledger.dimensions:
        for name, component in rubric.dimensions[dimension].components.items():
            marks = {n: points for n, points in given[name].items() if n >= component.applies_from}
            held = [n for n in marks if sides[n] == side and not (component.needs_quote and (name, n) in capped)]
            losses[component.asks] = sum(max(marks.values()) - marks[n] for n in held)
    words_of = {"logic_gap": "step that the other side", "dropped_premise": "give a premise up"}
    words_of |= {"contradiction": "contradicts your own"} | {kind: rule.asks for kind, rule in rubric.claims.items()}
    for taken in (record.event for record in log if isinstance(record.event, ScoreChange)):
        if taken.applied < 0 and sides[taken.turn] == side and taken.rule in words_of:
            losses[words_of[taken.rule]] = losses.get(words_of[taken.rule], 0) - taken.applied
    return losses


@pytest.mark.parametrize("side", ["pro", "con"])
@pytest.mark.parametrize("path", EXCHANGES, ids=lambda path: path.stem)
def test_advice_follows_the_largest_avoidable_losses(path: Path, side: str) -> None:
    """The losses are added up here from the events alone."""
    log = recorded(path)
    losses = avoidable(log, side)
    advice = next(each for each in made(log, side).sections if "next time" in each.title)
    told = [part.text for entry in advice.entries for part in entry[0].text if isinstance(part, Strong)]
    top = sorted(losses.values(), reverse=True)[:3]

    assert [each for each in top if each >= 1] == [
        next(points for words_, points in losses.items() if words_ in text) for text in told
    ]


@pytest.mark.anyio
async def test_a_live_a_halted_and_an_unjudged_debate(script: Any) -> None:
    model = script()
    async with harness() as h:
        debate = await h.open(model, turns=4)
        log = await records(h, debate)
        with pytest.raises(NotNow, match="no turn of Pro is judged yet"):
            made(log, "pro")
        await h.ended(debate)
        whole = await records(h, debate)
        halted = await h.open(model, turns=40)
        await h.until(halted, is_a(TurnScored))
        await h.moderators.act(halted, Halt("no more time", "the operator"))
        stopped = made(await records(h, halted), "pro")
    judged = next(record.position for record in whole if isinstance(record.event, TurnScored))
    live = made(whole[:judged], "pro")

    at_the_end = f"This report ends at event {judged}."
    assert ["The debate has not ended; it is open.", at_the_end] == texts_of(live.caveats)[-2:]
    assert any("it is halted: no more time" in each for each in texts_of(stopped.caveats))
    assert "outcome" not in {each.kind for each in live.facts}


@pytest.mark.anyio
async def test_a_person_who_judges_and_the_outcome_are_named_as_in_the_view(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script())
        await h.ended(debate)
        fold = folded(await records(h, debate))
    by_person = msgspec.structs.replace(fold.view.judge, model="person:Ben")
    outcome = OutcomeWords(headline="Con wins", text="Con wins: the other side resigned.")
    view = msgspec.structs.replace(fold.view, judge=by_person, outcome=outcome)
    told = texts_of(report_for((), fold, view, "pro").facts)

    assert ["Judged by Ben, a person.", "Con wins: the other side resigned."] == told[:2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rubric", "says"),
    [
        ("v2", r"Turn 7 \(event \d+\) has no score: the judge gave no usable answer"),
        (
            "v3",
            r"The judge gave turn 7 \(event \d+\) no score \(.+\); its points of logic, rhetoric and tactics follow",
        ),
    ],
)
def test_missing_scores_are_told_with_their_reason(rubric: str, says: str) -> None:
    text = report_markdown(made(exhibited("homework", rubric=rubric), "pro"))

    assert "## Not scored" in text
    assert re.search(says, text)


@pytest.mark.anyio
async def test_a_baseline_says_so_at_the_top_and_a_debate_without_any_score_has_no_moments(script: Any) -> None:
    async with harness() as h:
        counted = await h.open(script(), judge="baseline:lexical")
        await h.ended(counted)
        fault = {"fault": {"kind": "overloaded", "times": 99}}
        silent = script("silent", answers={"score:1": fault, "score:2": fault})
        missing = await h.open(script("debate"), judge=silent)
        await h.ended(missing)
        by_count, without = made(await records(h, counted), "pro"), made(await records(h, missing), "con")

    assert texts_of(by_count.caveats)[0].startswith("The lexical baseline is no model.")
    assert ["None of your turns has a score."] == texts_of(without.sections[0].entries[0])
    assert ["Your strongest and weakest moment", "Not scored"] == [each.title for each in without.sections]


@pytest.mark.anyio
async def test_a_blind_debate_names_no_model_before_its_end(script: Any) -> None:
    async with harness() as h:
        debate = await h.open(script(), blind=True)
        await h.ended(debate)
        log = await records(h, debate)
    judged = next(record.position for record in log if isinstance(record.event, TurnScored))
    before, after = folded(log[:judged]), folded(log)

    assert "scripted" not in report_html(report_for(log, before, before.view, "pro"), "")
    assert "Judged by scripted:debate.json" in report_html(report_for(log, after, after.view, "pro"), "")


@pytest.mark.anyio
async def test_words_of_debaters_are_never_markup(script: Any) -> None:
    hostile = "Cars kill <script>alert(1)</script> [x](http://evil) `and` **so** trams win, because they carry more."
    async with harness() as h:
        debate = await h.open(script(says={"pro": [hostile], "con": [hostile]}), judge="baseline:lexical")
        await h.ended(debate)
        report = made(await records(h, debate), "pro")
    page, text = report_html(report, "http://127.0.0.1"), report_markdown(report)
    assert page.index('<svg class="course"') < page.index("<h1>")
    assert "svg" not in text + report_json(report, "")

    assert "<script" not in page
    assert "[x](http" not in text
    assert "**so**" not in text
    assert 'lang="en" dir="auto"' in page


def test_formats_without_sides_are_refused() -> None:
    fold = folded(exhibited("juries"))
    calibration = msgspec.structs.replace(fold.view, format="calibration")

    with pytest.raises(NotNow, match="needs a debate of two sides, and this one has the format calibration"):
        report_for((), fold, calibration, "pro")


def test_questions_of_the_protocol_that_stayed_open_are_told() -> None:
    log = exhibited("lamps")
    text = report_markdown(made(log, "con"))
    uncertain = [name for name, each in folded(log).debate.protocol.arguments.items() if each.standing == "UNCERTAIN"]

    assert [each for each in uncertain if each.startswith("CON")]
    assert "You answered, and the argument stayed uncertain." in text
    assert not any(isinstance(record.event, ModelAnswered) and record.event.purpose == "report" for record in log)


@pytest.mark.slow
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("path", BY_HAND, ids=lambda path: path.stem)
def test_a_debate_has_a_report_or_a_plain_refusal_at_every_position(path: Path, every: int) -> None:
    log, fold, refusals, reports = recorded(path), views.INITIAL, set[str](), 0
    for record in log:
        fold = views.apply(fold, record)
        if record.position % every and record.position < len(log):
            continue
        for side in ("pro", "con"):
            try:
                reports += bool(report_html(report_for(log, fold, fold.view, side), ""))
            except NotNow as error:
                refusals.add(error.message.partition(" of ")[2])

    assert {f"{side} is judged yet, so there is nothing to report" for side in ("Pro", "Con")} == refusals
    assert reports


@pytest.mark.slow
@pytest.mark.anyio
async def test_what_the_other_side_cited_wrongly_is_told_and_is_never_said_to_stand(script: Any) -> None:
    premise = {"premises:2": {"stated": [{"text": "Few people ride more.", "quote": MISQUOTED[:-1]}]}}
    async with harness() as h:
        debate = await open_cited(h, script(says=SAYS, answers=ANSWERS | premise))
        await h.ended(debate)
        log = await records(h, debate)
    for_pro, for_con = report_markdown(made(log, "pro")), report_markdown(made(log, "con"))
    wrongly = "## What the other side cited wrongly\n\n"

    assert MISQUOTED[:-1] in [each.quote for each in folded(log).debate.spine.premises.values()]
    assert "Con built on this" not in for_pro
    assert re.search(
        wrongly + r"Con cited \\\[E1\\\] in turn 2 \(event \d+\), but these words do not stand in that passage: “… rid",
        for_pro,
    )
    assert re.search(
        wrongly + r"Pro cited \\\[E9\\\] in turn 3 \(event \d+\), but the documents have no such passage: “Trust",
        for_con,
    )


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_claim_that_the_documents_refute_is_told_in_the_words_of_its_rule(script: Any) -> None:
    async with harness() as h:
        debate = await open_cited(h, script(says=SAYS, answers=ANSWERS))
        await h.ended(debate)
        for_con = report_markdown(made(await records(h, debate), "con"))

    assert "misquotation (it puts words in quotation marks that the cited passage does not have): " in for_con
    assert "Make no claim that puts words in quotation marks that the cited passage does not have." in for_con


def test_a_quote_says_where_its_sentence_was_cut_and_its_marks_are_in_pairs() -> None:
    text = 'The other side says that "See also [E7], a list" counts. It was "a fee that they owed" [E1], they say.'

    def shown(wanted: str) -> str:
        entry = (ReportSentence("argument", (quote_of(text, wanted),), ()),)
        report = Report(
            debate="d",
            title="",
            motion="",
            language="en",
            facts=(),
            caveats=(),
            sections=(ReportSection(title="", entries=(entry,)),),
        )
        return report_markdown(report).splitlines()[-3].replace("\\", "")

    assert "“The other side says that ‘See also [E7] …’”" == shown('The other side says that "See also [E7')
    assert "“‘… a fee that they owed’ [E1] …”" == shown('a fee that they owed" [E1')
    assert f"“{text[:56].replace(chr(34), '‘', 1).replace(chr(34), '’')}”" == shown(text[:56])


@pytest.mark.parametrize("side", ["pro", "con"])
@pytest.mark.parametrize("path", EXCHANGES, ids=lambda path: path.stem)
def test_what_comparisons_moved_is_told_turn_by_turn(path: Path, side: str) -> None:
    log = recorded(path)
    ledger = folded(log).debate.ledger
    moved = {
        number: round(sum(entry.applied for entry in card.entries if entry.kind == "band"), 2)
        for number, card in ledger.cards.items()
        if card.side == side
    }
    told = report_markdown(made(log, side))
    if sum(moved.values()) > -1:
        assert "Comparisons with the neighbouring turns" not in told
        return

    for number, points in moved.items():
        if points:
            how = f"{'down' if points < 0 else 'up'} by {abs(points):g} point"
            assert re.search(rf"turn {number} \(event \d+\) {how}", told)
    assert f"Together your turns lost {-sum(moved.values()):g} point" in told


@pytest.mark.parametrize("side", ["pro", "con"])
@pytest.mark.parametrize("path", EXCHANGES, ids=lambda path: path.stem)
def test_an_entry_names_each_event_once_and_only_those_that_decide(path: Path, side: str) -> None:
    text = report_markdown(made(recorded(path), side))
    shown = [re.findall(r"(?:event |\\\[|, )(\d+)(?=\)|, \d|\\\])", line) for line in text.splitlines()]

    assert [each for each in shown if each]
    for events in shown:
        assert len(events) == len(set(events))
    cut = [line for line in text.splitlines() if re.search(r"and \d+ more\\\]", line)]
    assert all(re.search("cost you|further losses|pairs of neighbouring", line) for line in cut), "sums of many"
    assert " points in the end. [" not in text.replace("\\", "")


@pytest.mark.anyio
async def test_no_advice_rests_on_a_component_that_was_capped_for_a_misquote(script: Any) -> None:
    """The judge gives both turns all seven points for structure, and misquotes the first."""

    def given(turn: int, quote: str) -> dict[str, Any]:
        parts = score(turn)["components"]
        return {"components": parts | {"structure": parts["structure"] | {"points": 7, "quote": quote}}}

    answers = {
        "score:1": given(1, "nobody said this here"),
        "score:2": given(2, score(2)["components"]["cause"]["quote"]),
    }
    async with harness() as h:
        debate = await h.open(script(answers=answers), turns=2)
        await h.ended(debate)
        log = tuple([each async for each in read_all(h.log, debate)])
    structure = {
        each.event.turn: each.event.components["structure"]
        for each in log
        if isinstance(each.event, TurnScored) and each.event.components
    }
    told = [
        part.text
        for section in made(log, "pro").sections
        for entry in section.entries
        for said in entry
        for part in said.text
        if isinstance(part, Strong)
    ]

    assert (3.5, 7) == (structure[1].admitted, structure[2].admitted)
    assert not any("orders its points" in each for each in told)
