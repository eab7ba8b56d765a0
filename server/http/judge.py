"""The page about the judge: what it does, its rubric, and its weaknesses as the debates of this store show them.

Each concluded debate is read once, the newest first; a thread decodes the pages.  A request waits at most ``WAIT_S``.
Debates that are not read by then are read after the answer, and the answer says how many debates it rests on.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import Final, NamedTuple
from urllib.parse import urlencode

import anyio
import anyio.to_thread
import structlog
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response

import web
from events.errors import LogError, UnknownEvent
from events.record import Envelope, decoded, now
from events.store.listing import FINDABLE
from events.store.log import PAGE, EventLog, not_there, read_rows
from events.types import DebateOpened, Effect
from events.types.rubric import Rubric, name_of_rubric
from judge.report.figures import plural
from judge.report.levels import Level, in_short, levels
from judge.report.picture import FairnessPicture, fairness_picture
from judge.report.summary import summary
from judge.report.table import ReportTable, differences
from judge.report.tables import tables
from judge.report.tally import SCRIPTED, DebateCounter, Tally, total
from judge.report.weaknesses import Weakness, weaknesses
from judge.rubrics.rubric import DEFAULT, default_rubric, digest
from judge.templates import EVIDENCE, judge_templates, load_template
from server.debate.adoption import UNREADABLE
from server.debate.opening.noise import result_of
from server.export.lab import LabFinding, findings
from server.export.lab.use import Answer, may_use
from server.export.wording import as_served
from server.http.access import check_link
from server.http.contract import QueryText, answers
from server.http.judge_html import parts_of
from server.http.requests import json_response, service_of
from server.http.static import made_page

TEMPLATE: Final = "judge/judge.html"
MAX_DEBATES: Final = 200
"""The figures rest on this many of the newest debates."""
BASELINE_PREFIX: Final = "baseline:"
SCANNED: Final = 2000
"""Rows of the list that are searched for concluded debates."""
WAIT_S: Final = 1.5
MAX_NAME: Final = 200
MAX_LABS: Final = 20
"""Lab runs that are read."""

logger = structlog.get_logger()


class JudgeCount(Struct, frozen=True):
    """The number of debates that one judge has judged."""

    name: str
    debates: int


class MeasuredOver(Struct, frozen=True, kw_only=True):
    """What the figures rest on.

    ``says`` is the same in words, ``unread`` the number of debates that are not read yet, and ``judge`` the only judge
    that is counted, if one was asked for.
    """

    debates: int
    turns: int
    as_of: str
    unread: int
    most: int
    judges: tuple[JudgeCount, ...]
    says: tuple[str, ...]
    judge: str | UnsetType = UNSET


class JudgeUse(Struct, frozen=True, kw_only=True):
    """What the newest lab run of a judge answers to "May I use this judge?"."""

    judge: str
    run: str
    answer: Answer
    says: str


class JudgeReport(Struct, frozen=True, kw_only=True):
    """The whole page.  ``levels`` are the five levels of the live judge, ``beside`` has the rest of its work.

    If the page shows the rubric of one debate, ``differences`` counts its differences from the default rubric.
    """

    rubric: Rubric
    digest: str
    about: str
    """The debates that use this rubric, in words."""
    tables: tuple[ReportTable, ...]
    levels: tuple[Level, ...]
    beside: tuple[Level, ...]
    weaknesses: tuple[Weakness, ...]
    measured_over: MeasuredOver
    links: tuple[tuple[str, str, bool], ...]
    """Links to the figures of each judge: words, address, and whether these figures are shown now."""
    in_short: tuple[str, ...] = ()
    """How a verdict comes about, in five sentences; empty for rubrics before version 3."""
    summary: tuple[str, ...] = ()
    """How the judge works, in paragraphs of about 300 words together."""
    fairness: FairnessPicture | UnsetType = UNSET
    """How fair the shipped rubrics are in simulated debates; UNSET on the page of one debate."""
    labs: dict[str, tuple[LabFinding, ...]] = {}
    """What lab runs on this server say of a weakness, by its id."""
    uses: tuple[JudgeUse, ...] = ()
    """Whether each judge that was measured may be used."""
    debate: str | UnsetType = UNSET
    motion: str | UnsetType = UNSET
    differences: int | UnsetType = UNSET


class SurveyedRun(NamedTuple):
    """A lab run, without effects if it has none."""

    position: int
    judge: str = ""
    name: str = ""
    """Of the judge, with how it is asked if that is not in full, and with its server."""
    effects: tuple[Effect, ...] = ()


class Survey:
    """The sum over the newest concluded debates, each read once."""

    def __init__(self, log: EventLog, *, most: int = MAX_DEBATES) -> None:
        self._log, self._most = log, most
        self._read: dict[str, tuple[int, str, Tally | None]] = {}
        """By debate: the position up to which it was read, its judge, and its tally; None if it cannot be read."""
        self._known: dict[str, int] = {}
        self._labs: dict[str, SurveyedRun] = {}
        """By lab run, the newest of each judge and effort."""
        self._updating = anyio.Lock()
        self.as_of = now()

    async def update(self) -> None:
        """Read the debates that are new.  If it is cancelled, it keeps the debates that it has finished."""
        async with self._updating:
            self._known, labs = await self._newest()
            self._labs = await self._measured(labs)
            self._read = {debate: read for debate, read in self._read.items() if debate in self._known}
            self.as_of = now()
            for debate, position in self._known.items():
                if debate not in self._read or self._read[debate][0] != position:
                    try:
                        self._read[debate] = (position, *await tally_of(self._log, debate))
                    except UNREADABLE as error:
                        logger.warning("debate_not_counted", debate=debate, message=f"{type(error).__name__}: {error}")
                        self._read[debate] = (position, "", None)

    async def _measured(self, runs: dict[str, int]) -> dict[str, SurveyedRun]:
        """The effects of the newest run of each judge and effort."""
        found: dict[str, SurveyedRun] = {}
        for run, position in runs.items():
            known = self._labs.get(run)
            if known is None or known.position != position:
                try:
                    result = await result_of(self._log, run)
                except (LogError, UnknownEvent) as error:
                    logger.warning("lab_not_read", debate=run, message=str(error))
                    continue
                known = SurveyedRun(position)
                if result is not None:
                    judge = result[0].judge
                    known = SurveyedRun(position, judge.model, as_served(judge), result[1].effects)
            if known.effects and known.name not in {each.name for each in found.values()}:
                found[run] = known
        return found

    def findings(self, judge: str = "") -> dict[str, tuple[LabFinding, ...]]:
        """What the lab runs say of each weakness, of all judges or of one."""
        runs = ((run, each) for run, each in self._labs.items() if judge in ("", each.judge))
        return findings((run, each.name, each.effects) for run, each in runs)

    def uses(self, judge: str = "") -> tuple[JudgeUse, ...]:
        """Whether each judge with a lab run may be used, of all judges or of one."""
        return tuple(
            JudgeUse(judge=each.name, run=run, answer=use.answer, says=use.says)
            for run, each in self._labs.items()
            if judge in ("", each.judge)
            for use in [may_use(each.effects)]
        )

    async def update_for(self, seconds: float) -> None:
        """Read the debates that are new, for at most this many seconds."""
        with anyio.move_on_after(seconds):
            await self.update()

    def measured(self, judge: str = "") -> tuple[MeasuredOver, Tally]:
        """The figures of the debates read so far, of all judges or of one."""
        read = [(name, tally) for _, name, tally in self._read.values() if tally is not None]
        named: dict[str, int] = {}
        for name, _ in read:
            named[name] = named.get(name, 0) + 1
        found = [tally for name, tally in read if judge in ("", name)]
        tally = total(found)
        unread = len(self._known.keys() - self._read.keys())
        judges = tuple(JudgeCount(name, debates) for name, debates in sorted(named.items(), key=lambda each: -each[1]))
        over = MeasuredOver(
            debates=len(found),
            turns=tally.of("turns"),
            as_of=self.as_of,
            judges=judges,
            most=self._most,
            unread=unread,
            judge=judge or UNSET,
            says=tuple(self._says(found, tally, named, judge, unread)),
        )
        return over, tally

    def _says(self, found: list[Tally], tally: Tally, named: dict[str, int], judge: str, unread: int) -> Iterator[str]:
        if not found:
            whose = f" judged by {judge}" if judge else ""
            yield f"No debate here{whose} has concluded yet, so there are no figures: below is what will be measured."
        else:
            newest = ", the newest ones" if len(self._known) == self._most else ""
            over = f"{plural(len(found), 'concluded debate')}{newest}, with {plural(tally.of('turns'), 'turn')}"
            yield f"Measured on this server over {over}."
        if unread:
            yield f"{plural(unread, 'further debate')} being read: reload the page in a moment."
        if unreadable := sum(read is None for *_, read in self._read.values()):
            yield f"{plural(unreadable, 'debate')} cannot be read and {'is' if unreadable == 1 else 'are'} not counted."
        if named.get(SCRIPTED) and judge in ("", SCRIPTED):
            were = "All of them" if named[SCRIPTED] == len(found) else f"{named[SCRIPTED]:,} of them"
            written = "judged by a script that was written in advance"
            yield f"{were} {written}: that shows what is counted, not how a model judges."
        counted = {name: number for name, number in named.items() if name.startswith(BASELINE_PREFIX)}
        if counted and (not judge or judge in counted):
            were = "All of them" if sum(counted.values()) == len(found) else f"{sum(counted.values()):,} of them"
            yield f"{were} judged by a baseline, which counts marks of argument and understands nothing."

    async def _newest(self) -> tuple[dict[str, int], dict[str, int]]:
        """The newest concluded debates and lab runs, each with its position."""
        found: dict[str, int] = {}
        labs: dict[str, int] = {}
        scanned = 0
        async for row in read_rows(self._log, limits=FINDABLE):
            scanned += 1
            if row.state == "concluded":
                (labs if row.format == "lab" else found)[row.id] = row.position
            if scanned == SCANNED or len(found) == self._most:
                break
        return found, dict(list(labs.items())[:MAX_LABS])


async def tally_of(log: EventLog, debate: str) -> tuple[str, Tally]:
    """The judge of a debate, and the tally of its answers."""
    count, after = DebateCounter(), 0
    while page := await log.envelopes(debate, after, PAGE):
        after = page[-1].position
        await anyio.to_thread.run_sync(_take, count, page)
    return count.judge, count.tally()


def _take(count: DebateCounter, page: Iterable[Envelope]) -> None:
    for each in page:
        try:
            count.take(decoded(each))
        except UnknownEvent as error:  # the other events are still counted
            logger.warning("event_not_counted", debate=each.debate, position=each.position, message=str(error))


async def judge_page(request: Request) -> Response:
    """GET /judge, with ``debate`` and ``judge`` as in ``show_judge``."""
    try:
        report = await _report(request)
    except LogError as error:
        nothing = re.findall("<!--[a-z]+-->", web.text_of(TEMPLATE))
        return made_page(request, TEMPLATE, dict.fromkeys(nothing, "") | {"<!--trouble-->": escape(str(error))})
    return _while_reading(request, report, made_page(request, TEMPLATE, parts_of(report) | {"<!--trouble-->": ""}))


@answers(JudgeReport, QueryText("debate"), QueryText("judge"))
async def show_judge(request: Request) -> Response:
    """GET /api/judge; ``debate=ID`` gives the rubric of one debate, ``judge=NAME`` the figures of one judge."""
    report = await _report(request)
    return _while_reading(request, report, json_response(report))


def _while_reading(request: Request, report: JudgeReport, response: Response) -> Response:
    """The response; debates that are not read yet are read after it."""
    if report.measured_over.unread:
        response.background = BackgroundTask(request.app.state.survey.update)
    return response


async def _report(request: Request) -> JudgeReport:
    survey: Survey = request.app.state.survey
    debate = request.query_params.get("debate", "")
    if debate:
        await check_link(request, debate)
    opened = await _opened(service_of(request).log, debate)
    await survey.update_for(WAIT_S)
    name = request.query_params.get("judge", "")[:MAX_NAME]
    (over, tally), labs = survey.measured(name), survey.findings(name)
    limiter = request.app.state.report_limiter
    report = await anyio.to_thread.run_sync(report_of, over, tally, labs, opened, limiter=limiter)
    return replace(report, uses=survey.uses(name))


def report_of(
    over: MeasuredOver,
    tally: Tally,
    labs: dict[str, tuple[LabFinding, ...]],
    opened: tuple[str, DebateOpened] | None = None,
) -> JudgeReport:
    """The page for the rubric and prompts of one debate, or for those that a new debate would get."""
    if opened is None:
        rubric, shown = default_rubric(), tables(default_rubric())
        steps = levels(rubric, {**judge_templates(), EVIDENCE: load_template(EVIDENCE)})
    else:
        rubric, shown = opened[1].rubric, tables(opened[1].rubric, default_rubric())
        steps = levels(rubric, opened[1].prompts)
    report = JudgeReport(
        rubric=rubric,
        digest=digest(rubric),
        tables=shown,
        weaknesses=weaknesses(tally),
        measured_over=over,
        levels=tuple(step for step in steps if step.number),
        beside=tuple(step for step in steps if not step.number),
        links=tuple(_links(over)),
        labs=labs,
        in_short=in_short(rubric),
        summary=summary(rubric),
        fairness=fairness_picture() if opened is None else UNSET,
        about=f"“{name_of_rubric(rubric)}”: the rubric of every debate that brings none of its own.",
    )
    if opened is None:
        return report
    marks = sum(differences(table) for table in shown)
    name = name_of_rubric(rubric)
    compared = f"has the rules of “{DEFAULT}”"
    if marks:
        compared = f"differs from “{DEFAULT}” in {plural(marks, 'place')}, marked below"
    about = f"“{name}”: the rubric of one debate. {'' if name == DEFAULT else f'It {compared}. '}The debate: "
    return replace(report, about=about, debate=opened[0], motion=opened[1].motion, differences=marks)


def _links(over: MeasuredOver) -> Iterator[tuple[str, str, bool]]:
    if len(over.judges) < 2 and over.judge is UNSET:  # noqa: PLR2004 - there is only one judge
        return
    yield "Every judge", "?#weaknesses", over.judge is UNSET
    for each in over.judges:
        words = f"{each.name or 'raters alone'} ({each.debates:,})"
        yield words, f"?{urlencode({'judge': each.name})}#weaknesses", each.name == over.judge


async def _opened(log: EventLog, debate: str) -> tuple[str, DebateOpened] | None:
    """A debate's id and first event; None for an empty id.  Raises ``UnknownDebate``."""
    if not debate:
        return None
    records = await log.read(debate, 0, 1)
    event = records[0].event if records else None
    if not isinstance(event, DebateOpened):
        raise await not_there(log, debate)
    return debate, event
