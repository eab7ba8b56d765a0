"""How often a judge agrees with people, on arguments and debates that people judged.

``python -m tests.measuring.human_agreement PATH --judge MODEL`` asks the judge's own questions of rubric v2: COMPARE in
both orders about a pair of arguments, NARRATIVE with both labels about a debate.  The shapes of the file are those of
``human_judged``.  Moot carries no such file.

Each item is a debate in a log in memory, whose speeches are recorded and whose format asks these questions only.  So
prompts, retries, readers and rules are those of a live debate.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import anyio
import click
from msgspec import Struct
from msgspec.structs import replace

from events.clock import SYSTEM
from events.record import Draft
from events.segmentation import count_words
from events.state.debate import Debate
from events.state.exchanges import Comparison
from events.store.log import read_all
from events.store.memory import MemoryLog
from events.types import (
    DebateConcluded,
    DebateOpened,
    Event,
    Missing,
    ModelAnswered,
    ModelFailed,
    ModeratorSpoke,
    NarrativeVerdictReached,
    TrackRecord,
    TurnsCompared,
    TurnSpoken,
    TurnStarted,
    Usage,
)
from judge.lenient import lenient, read_as
from judge.live.comparison import CompareAnswer, compare_turns, compare_type
from judge.live.event_batch import EventBatch
from judge.panel.truth import COIN, wilson
from providers.answers.schema import parse
from providers.registry import BASELINE, Registry
from server import observe
from server.cli.output import run_async
from server.debate.formats import NextSteps, judging
from server.debate.formats.exchange import side_of
from server.debate.formats.questions import answers, pending
from server.debate.formats.steps import Step, record
from server.debate.moderator import Moderator
from server.debate.setup.opening import as_request, build_opening
from server.debate.speech import clean
from server.feed.hub import Hub
from server.settings import Settings
from tests.measuring.human_judged import JudgedItem, Kind, Speaker, balanced, read_items

SILENT: Final = "scripted:juries"
"""The debaters of a judge that cannot debate: all speeches are recorded, so debaters are never called."""
AT_ONCE: Final = 4
"""Items that are judged at the same time."""
WIDTH: Final = 42
"""Characters of a row's name."""
EXCHANGE: Final = "the exchange"
NARRATIVE: Final = "the narrative verdict"


class Verdict(Struct, frozen=True, kw_only=True):
    """What a judge says of one item."""

    named: Speaker | None
    """None for a draw, or for neither."""
    flipped: bool | None = None
    """Whether the other order, or the other labels, changed the choice; None if it was asked once."""


Verdicts = Mapping[str, Verdict]
"""By measure: the exchange and each dimension, or the narrative.  Without an answer a measure is left out."""


class Agreement(Struct, frozen=True, kw_only=True):
    """How often one reader names the same speaker as another.  A draw, or neither, agrees with no speaker."""

    name: str
    agreed: int
    of: int
    drawn: int = 0
    flipped: int = 0
    asked_twice: int = 0


class AgreementReport(Struct, frozen=True, kw_only=True):
    """The result.  ``cost_usd`` is None if the price of a call is unknown."""

    kind: Kind
    items: int
    judge: tuple[Agreement, ...]
    """With the people who judged, or with the right answer."""
    beside: tuple[Agreement, ...]
    """What people and length alone reach on the same items."""
    calls: int
    failed: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class JudgedDebate(Struct, frozen=True, kw_only=True):
    """The events of one item, and the verdicts in them."""

    events: tuple[Event, ...]
    verdicts: Verdicts


# asking


async def judge_items(
    kind: Kind, items: Sequence[JudgedItem], judge: str, registry: Registry, *, progress: bool = False
) -> AgreementReport:
    """Put the items before a judge.  Raises ``BadField`` if the model does not answer."""
    debater = SILENT if judge == BASELINE else judge
    seats = {"pro": {"model": debater}, "con": {"model": debater}, "judge": {"model": judge}}
    settings = Settings(store="memory:")
    opened = await build_opening(as_request({"motion": "m", "rubric": "v2", **seats}), registry, settings)
    judged: dict[str, JudgedDebate] = {}
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def one(item: JudgedItem) -> None:
        async with limiter:
            judged[item.id] = await _judge(kind, item, opened, registry)
        if progress:
            click.echo(f"{len(judged)} of {len(items)}", err=True)

    async with anyio.create_task_group() as tasks:
        for each in items:
            tasks.start_soon(one, each)
    return _report(kind, items, judged)


async def _judge(kind: Kind, item: JudgedItem, opened: DebateOpened, registry: Registry) -> JudgedDebate:
    """Run the item as a debate that is spoken already."""
    log, debate = MemoryLog(), SYSTEM.new_id()
    begun = replace(opened, motion=clean(item.motion), turns=len(item.speeches))
    await log.append(debate, 0, [begun, ModeratorSpoke(text=item.note, by="moot"), *_speeches(item)])
    moderator = Moderator(debate, log, registry, Hub(log), next_steps=FORMATS[kind])
    await moderator.load()
    await moderator.run()
    events = tuple([each.event async for each in read_all(log, debate)])
    return JudgedDebate(events=events, verdicts=_verdicts(begun, events))


def _speeches(item: JudgedItem) -> list[Event]:
    events: list[Event] = []
    for turn, said in enumerate(item.speeches, 1):
        side, text = side_of(turn), clean(said)
        events.append(TurnStarted(turn=turn, side=side, attempt=1, directive=None))
        events.append(
            TurnSpoken(
                turn=turn,
                side=side,
                attempt=1,
                text=text,
                words=count_words(text),
                clipped=False,
                pace=(),
                model="a person",
                usage=Usage(),
                latency_ms=0,
            )
        )
    return events


def _pair_steps(debate: Debate) -> tuple[Step, ...]:
    """The format of a pair: both orders of the comparison, then the end."""
    opened, turn = debate.opened, debate.transcript.current
    if opened is None or turn is None or debate.status.state != "open":
        return ()
    asked = judging.turn_questions(debate, opened, turn)
    orders = [asked["forward"], asked["backward"]]
    if asks := pending(debate, opened, orders):
        return asks
    batch = EventBatch(debate)
    compare_turns(batch, turn.number - 1, turn.number, *(answers(debate, each) for each in orders))
    return _ended(batch.drafts)


def _debate_steps(debate: Debate) -> tuple[Step, ...]:
    """The format of a debate: the narrative with both labels, then the end."""
    opened = debate.opened
    if opened is None or debate.status.state != "open":
        return ()
    questions = judging.final_questions(debate, opened)
    asked = {name: each for name, each in questions.items() if each.purpose == "narrative"}
    return pending(debate, opened, list(asked.values())) or _ended(judging.concluded_from(debate, asked))


def _ended(drafts: Sequence[Draft]) -> tuple[Step, ...]:
    return record([*drafts, Draft(event=DebateConcluded(winner="neither", by_rule="no_judgement"))])


FORMATS: Final[Mapping[Kind, NextSteps]] = {"pairs": _pair_steps, "debates": _debate_steps}


# reading the answers


def _verdicts(opened: DebateOpened, events: Sequence[Event]) -> Verdicts:
    found: dict[str, Verdict] = {}
    for event in events:
        match event:
            case TurnsCompared(outcomes=dict(outcomes), flipped=flipped):
                for name, outcome in outcomes.items():
                    found[name] = Verdict(named=_PLACES[outcome], flipped=name in flipped)
                agreed = Comparison(position=0, earlier=1, later=2, outcomes=outcomes).winner()
                named = {_of_one_order(opened, each) for each in events if isinstance(each, ModelAnswered)}
                found[EXCHANGE] = Verdict(named=_PLACES[agreed or "draw"], flipped=len(named) > 1)
            case NarrativeVerdictReached(winner="pro" | "con" | "neither" as winner, flipped=flipped):
                is_twice = opened.judge.reads == "whole"
                found[NARRATIVE] = Verdict(named=_SIDES[winner], flipped=bool(flipped) if is_twice else None)
            case _:
                pass
    return found


_PLACES: Final[Mapping[str, Speaker | None]] = {"earlier": 0, "later": 1, "draw": None}
_SIDES: Final[Mapping[str, Speaker | None]] = {"pro": 0, "con": 1, "neither": None}


def _of_one_order(opened: DebateOpened, answered: ModelAnswered) -> str | None:
    """The turn that wins the exchange by the answer to one order: ``earlier``, ``later`` or ``draw``."""
    type_ = compare_type(opened.rubric)
    answer, _ = read_as(parse(answered.answer, lenient(type_)), type_, CompareAnswer)
    shown = ("earlier", "later") if answered.order[0] < answered.order[1] else ("later", "earlier")
    places: dict[str, Any] = {"first": shown[0], "second": shown[1], "draw": "draw"}
    outcomes = {name: places[answer.get(name, "draw").partition("_")[0]] for name in opened.rubric.bands}
    return Comparison(position=0, earlier=1, later=2, outcomes=outcomes).winner()


# the result


def _report(kind: Kind, items: Sequence[JudgedItem], judged: Mapping[str, JudgedDebate]) -> AgreementReport:
    calls = [
        event for each in judged.values() for event in each.events if isinstance(event, ModelAnswered | ModelFailed)
    ]
    names = list(dict.fromkeys(name for each in judged.values() for name in each.verdicts))
    better: dict[str, Speaker | None] = {each.id: each.better for each in items}
    person = {each.id: each.person for each in items}
    verdicts = {item: each.verdicts for item, each in judged.items()}
    longer: dict[str, Speaker | None] = {
        each.id: None if each.length(0) == each.length(1) else 0 if each.length(0) > each.length(1) else 1
        for each in items
    }
    costs = [call.cost_usd for call in calls]
    if kind == "pairs":
        rows = [_agreement(name, name, verdicts, better) for name in sorted(names, key=[EXCHANGE, *names].index)]
        beside = []  # a pair holds one verdict of its people: they agree by selection
    else:
        rows = [
            _agreement(f"{name}, {whom}", name, verdicts, truth)
            for name in names
            for whom, truth in (("the right answer", better), ("the person", person))
        ]
        beside = [_compared("the person, the right answer", person, better)]
    return AgreementReport(
        kind=kind,
        items=len(items),
        judge=tuple(rows),
        beside=(*beside, _compared("length alone: the longer one", longer, better)),
        calls=len(calls),
        failed=sum(isinstance(each, ModelFailed) for each in calls),
        input_tokens=sum(each.usage.input_tokens for each in calls),
        output_tokens=sum(each.usage.output_tokens for each in calls),
        cost_usd=None
        if any(isinstance(each, Missing) for each in costs)
        else sum(each for each in costs if not isinstance(each, Missing)),
    )


def _agreement(
    label: str, name: str, verdicts: Mapping[str, Verdicts], truth: Mapping[str, Speaker | None]
) -> Agreement:
    """The agreement over the items that have both a verdict and a truth."""
    known = {item: each[name] for item, each in verdicts.items() if name in each and truth[item] is not None}
    made = _compared(label, {item: each.named for item, each in known.items()}, truth)
    return replace(
        made,
        flipped=sum(bool(each.flipped) for each in known.values()),
        asked_twice=sum(each.flipped is not None for each in known.values()),
    )


def _compared(label: str, named: Mapping[str, Speaker | None], truth: Mapping[str, Speaker | None]) -> Agreement:
    known = {item: each for item, each in named.items() if truth[item] is not None}
    return Agreement(
        name=label,
        agreed=sum(each == truth[item] for item, each in known.items()),
        of=len(known),
        drawn=sum(each is None for each in known.values()),
    )


def in_words(report: AgreementReport, judge: str) -> str:
    """The result as a table with its head."""
    cost = "cost unknown" if report.cost_usd is None else f"{report.cost_usd:.2f} USD"
    tokens = f"{report.input_tokens:,} tokens in, {report.output_tokens:,} out"
    calls = f"{report.calls} calls ({report.failed} failed), {tokens}, {cost}"
    lines = [
        f"{report.items} {report.kind} before {judge} under rubric v2: {calls}",
        "",
        f"{'':{WIDTH}}{'agrees':>11}  {'95 %':>9}  {'undecided':>9}  {'of the rest':>11}  {'flipped':>7}",
    ]
    lines += [_line(each) for each in (*report.judge, *report.beside)]
    lines.append(f"{'a coin':{WIDTH}}{f'{COIN:.0%}':>11}")
    return "\n".join(lines)


def _line(row: Agreement) -> str:
    interval = wilson(TrackRecord(right=row.agreed, of=row.of))
    if interval is None:
        return f"{row.name:{WIDTH}}{'no answer':>11}"
    decided = row.of - row.drawn
    rest = f"{row.agreed / decided:.0%}" if decided else "–"
    flips = f"{row.flipped / row.asked_twice:.0%}" if row.asked_twice else "–"
    return (
        f"{row.name:{WIDTH}}{f'{row.agreed} of {row.of}':>11}  {f'{interval.low * 100:.0f}–{interval.high:.0%}':>9}"
        f"  {row.drawn / row.of:>9.0%}  {rest:>11}  {flips:>7}"
    )


@click.command()
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--judge", required=True, help="The model that judges: provider:model.")
@click.option("--items", type=click.IntRange(1), help="Judge a random sample of so many; by default all.")
@click.option("--seed", type=int, default=0, show_default=True, help="Chooses the sample and the orders.")
@click.option("--kind", type=click.Choice(["pairs", "debates"]), help="By default the first line tells.")
def main(path: Path, judge: str, items: int | None, seed: int, kind: Kind | None) -> None:
    """Print how often a judge agrees with the people who judged what PATH holds."""
    observe.configure_logging("error")
    try:
        found, known = read_items(path, kind)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    sample = balanced(found, known, items, seed)

    async def run() -> AgreementReport:
        registry = Registry()
        try:
            return await judge_items(found, sample, judge, registry, progress=True)
        finally:
            await registry.close()

    report: AgreementReport = run_async(run)
    click.echo(in_words(report, judge))


if __name__ == "__main__":
    main()
