"""``moot study``: whether debate helps a judge to find the right one of two answers."""

import sys
from pathlib import Path
from typing import Any, Final

import anyio
import click
import msgspec
from msgspec import UNSET

from events.text.figures import rounded, shortest
from events.types.study import ARMS, Arm
from judge.study.results import MARGIN
from server.cli.client import act_on, asked_server
from server.cli.debates.debate_runner import run_debate
from server.cli.measure.batch import BatchPrinter, begin, foreseen_batch
from server.cli.options import find_debate, open_store, with_json, with_settings
from server.cli.output import emit, run_async
from server.client.connection import AsyncClient
from server.debate.setup.batch import BatchEstimate, batch_in_words
from server.errors import BadField
from server.export.document.terminal import show
from server.people.names import PREFIX
from server.settings import Settings
from server.study.data import PROTOCOLS, read
from server.study.document import study_document
from server.study.forms import FORMS
from server.study.report import StudyShown, read_study

SIMULATE: Final = "simulate"
AUDITED: Final = 12
"""Items of an audit."""
SCRIPT: Final = "scripted:study"
"""Debater and judge of a demo where none is named: a script of planted skill."""
PEOPLE_ARMS: Final[tuple[Arm, ...]] = ("debate",)
"""A person who judged an item in one arm remembers it in the next one."""
ROOM: Final = 1.25
"""A vote goes on beyond the tokens that a debate is expected to take, since some debates take more."""
CAP_OVER: Final = 2.0
"""The cap of a debate over what the dearest one is expected to cost."""
AT_ONCE: Final = 200
"""Debates that wait for people at the same time."""
LINK_TRIES: Final = 100
"""Times that a study is looked at until its first debates have begun and links can be made."""
POLL_S: Final = 0.2
BASE: Final = 0.6
"""Accuracy of the judge alone that a dry run assumes."""


@click.command()
@click.argument("name", metavar=f"{'|'.join(PROTOCOLS)}|{SIMULATE}|ID")
@click.option("--data", "files", multiple=True, type=click.Path(path_type=Path), help="A file with the questions.")
@click.option("--debater", "debaters", multiple=True, help="A model that argues.  May be given several times.")
@click.option("--judge", "judges", multiple=True, help="A model that judges.  May be given several times.")
@click.option("--people", type=click.IntRange(1, 20), help="So many people judge, each by a link of their own.")
@click.option("--arms", help=f"Of {', '.join(ARMS)}, with commas.  Without it: all; debate alone for people.")
@click.option("--items", type=click.IntRange(1), help="A sample of so many questions.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the sample.")
@click.option(
    "--sees",
    type=click.Choice(["debaters", "all"]),
    default="debaters",
    show_default=True,
    help="Who reads the passage: those who argue, or the judge too.",
)
@click.option("--rounds", type=click.IntRange(1, 10), default=3, show_default=True, help="Of a debate.")
@click.option("--words", type=click.IntRange(20, 1000), default=150, show_default=True, help="Of a speech, at most.")
@click.option("--one-order", is_flag=True, help="Each question in one order of its answers.  For people: always.")
@click.option("--repeats", type=click.IntRange(1, 20), default=1, show_default=True)
@click.option("--vote-tokens", type=click.IntRange(1), help="Tokens after which a vote ends.  Without it: as a debate.")
@click.option(
    "--margin",
    type=click.FloatRange(0, 50, min_open=True),
    default=100 * MARGIN,
    show_default=True,
    help="Points within which two arms are called equivalent.",
)
@click.option("--called", help="The name and the tag of the study.  Without it: study-NAME.")
@click.option("--max-cost", type=click.FloatRange(0, min_open=True), metavar="USD", help="The budget of all debates.")
@click.option(
    "--max-cost-each",
    type=click.FloatRange(0, min_open=True),
    metavar="USD",
    help="The cap of each debate.  Without it: twice what the dearest is expected to cost.",
)
@click.option("--dry-run", is_flag=True, help="Show the debates, tokens, price and what could be found; begin nothing.")
@click.option(
    "--audit", is_flag=True, help=f"Hold {AUDITED} questions only, to see whether the study can find anything."
)
@click.option("--yes", is_flag=True, help="Do not ask whether to begin.")
@click.option("--links", is_flag=True, help="Make a new link for each person who has still to judge a debate.")
@click.option(
    "--studies",
    type=click.IntRange(10, 10_000),
    default=200,
    show_default=True,
    help=f"For {SIMULATE}: studies of each size.",
)
@click.option("--as", "form", type=click.Choice(list(FORMS)), help="The report of a study in another form.")
@with_settings
@with_json
def study(settings: Settings, /, name: str, *, as_json: bool, **options: Any) -> None:
    r"""Hold a study: whether debate helps a judge to find the right one of two answers.

    Each question goes through the arms: the judge alone, consultancy, debate, one critique, and a vote at equal tokens,
    in both orders of its answers.  A study is a batch: moot batch --resume ID goes on, moot batch ID --retry failed
    tries what failed again, and the budget holds for all of it.  An id shows the report, also of a study that runs.

    \b
      moot study demo
      moot study khan-2024 --data QuALITY.train --debater anthropic:claude-sonnet-5-5 \
          --judge anthropic:claude-haiku-5-5 --items 50 --max-cost 50 --audit
      moot study demo --people 3 --items 2 --debater ollama:qwen3
      moot study ID --as latex
      moot study simulate
    """
    if name == SIMULATE:
        _simulate(options["studies"], as_json=as_json)
    elif name not in PROTOCOLS:
        _report(settings, name, options, as_json=as_json)
    else:
        _hold(settings, name, options, as_json=as_json)


# a report


def _report(settings: Settings, prefix: str, options: dict[str, Any], *, as_json: bool) -> None:
    if options["links"]:
        found = run_async(lambda: _links(settings, prefix))
        if as_json:
            emit({"links": found})
        for each in () if as_json else found:
            click.echo(f"{each['person']}\t{each['item']}\t{each['link']}")
        return
    shown: StudyShown = run_async(lambda: _read(settings, prefix))
    form = "json" if as_json else options["form"]
    if form in {None, "text"}:
        show(study_document(shown))
    else:
        click.echo(FORMS[form](shown), nl=False)


async def _read(settings: Settings, prefix: str) -> StudyShown:
    async with open_store(settings) as log:
        return await read_study(log, await find_debate(log, prefix))


async def _links(settings: Settings, prefix: str) -> list[dict[str, str]]:
    """Make the link of the judge's seat of each debate that waits for a person; an earlier one is void."""
    shown = await _read(settings, prefix)
    rows = {row.debate: row for row in shown.rows}
    made = []
    for debate in dict.fromkeys(shown.seats):
        answer = await act_on(settings, debate, "seats/{seat}/link", {}, seat="judge")
        person = rows[debate].judge.removeprefix(PREFIX)
        made.append({"person": person, "item": rows[debate].item, "debate": debate, "link": str(answer["link"])})
    return sorted(made, key=lambda each: (each["person"], each["item"]))


# a study


def _hold(settings: Settings, name: str, options: dict[str, Any], *, as_json: bool) -> None:
    body, size = _body(name, options)
    if options["people"] and not options["dry_run"]:
        run_async(lambda: _with_people(settings, body, as_json=as_json))
        return
    body = run_async(lambda: _priced(settings, body, options))
    if options["dry_run"]:
        run_async(lambda: _foresee(settings, body, size, as_json=as_json))
        return
    made: str = run_async(
        lambda: run_debate(settings, body, BatchPrinter(as_json=as_json), None if options["yes"] else begin)
    )
    if not as_json:
        show(study_document(run_async(lambda: _read(settings, made))))


def _arms(options: dict[str, Any]) -> tuple[Arm, ...]:
    if options["audit"]:
        return ("naive", "critique")
    if options["arms"] is None:
        return PEOPLE_ARMS if options["people"] else ARMS
    named = [each.strip() for each in options["arms"].split(",")]
    if wrong := [each for each in named if each not in ARMS]:
        raise BadField("arms", f"{wrong[0]!r} is none of {', '.join(ARMS)}")
    if options["people"] and "vote" in named:
        raise BadField("arms", "a person does not vote again and again: leave out vote")
    return tuple(each for each in ARMS if each in named)


def _body(name: str, options: dict[str, Any]) -> tuple[dict[str, Any], tuple[int, int]]:
    """The body that ``POST /api/debates`` takes, and the items and clusters of the whole study."""
    data = read(name, options["files"], items=options["items"], seed=options["seed"])
    size = (len(data.items), len({each.cluster for each in data.items}))
    if options["audit"] and len(data.items) > AUDITED:
        data = read(name, options["files"], items=AUDITED, seed=options["seed"])
    is_demo = name == "demo"
    debaters = list(options["debaters"]) or ([SCRIPT] if is_demo else [])
    judges: list[Any] = [*options["judges"], *({"person": f"Judge {n + 1}"} for n in range(options["people"] or 0))]
    judges = judges or ([SCRIPT] if is_demo else [])
    for option, given in (("debater", debaters), ("judge", judges)):
        if not given:
            raise BadField(option, f"name a {option}: --{option} PROVIDER:MODEL")
    plan = {
        "data": name if not options["files"] else f"{name} ({', '.join(each.name for each in options['files'])})",
        "items": data.items,
        "passages": dict(data.passages),
        "arms": _arms(options),
        "sees": options["sees"],
        "swaps": not (options["one_order"] or options["people"]),
        "rounds": options["rounds"],
        "words": options["words"],
        "vote_tokens": options["vote_tokens"] or 1,
        "assigned_critiques": options["audit"],
        "notes": data.notes,
        "people": data.people,
        "margin": options["margin"] / 100,
        "audit_of": size if options["audit"] else (0, 0),
    }
    called = options["called"] or f"{'audit' if options['audit'] else 'study'}-{name}"
    batch: dict[str, Any] = {"name": called, "models": debaters, "judges": judges, "repeats": options["repeats"]}
    batch |= {"study": plan, "each": {"language": "en"}, "at_once": {"person": AT_ONCE} if options["people"] else {}}
    body = {"format": "batch", "batch": batch}
    if options["max_cost"] is not None:
        body["max_cost_usd"] = options["max_cost"]
    if options["max_cost_each"] is not None:
        batch["each"] |= {"max_cost_usd": options["max_cost_each"]}
    return msgspec.to_builtins(body), size


async def _priced(settings: Settings, body: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """The body with the tokens of a vote and the cap of a debate, by a rehearsal."""
    study, batch = body["batch"]["study"], body["batch"]
    free = {key: value for key, value in body.items() if key != "max_cost_usd"}
    if options["vote_tokens"] is None and "vote" in study["arms"]:
        found: BatchEstimate = await foreseen_batch(settings, free)
        by_arm = {} if found.by_arm is UNSET else found.by_arm
        study["vote_tokens"] = max(1, round(ROOM * by_arm.get("debate", max(by_arm.values(), default=1))))
    if "max_cost_usd" in body and options["max_cost_each"] is None:
        found = await foreseen_batch(settings, free)
        if isinstance(found.dearest_usd, float):
            batch["each"] |= {"max_cost_usd": max(float(rounded(CAP_OVER * found.dearest_usd, 4)), 0.0001)}
    return body


async def _foresee(settings: Settings, body: dict[str, Any], size: tuple[int, int], *, as_json: bool) -> None:
    found = await foreseen_batch(settings, body)
    if as_json:
        emit(found)
        return
    click.echo(batch_in_words(found))
    for arm, tokens in ({} if found.by_arm is UNSET else found.by_arm).items():
        click.echo(f"  {arm}: about {tokens:,} tokens a debate")
    click.echo(await anyio.to_thread.run_sync(_power, size))


def _power(size: tuple[int, int]) -> str:
    from judge.study.audit import detectable  # noqa: PLC0415 - numpy is imported where a figure is asked for
    from judge.study.simulation import USUAL  # noqa: PLC0415 - likewise

    items, clusters = size
    found = detectable(BASE, USUAL, items, clusters)
    of = f"{items:,} items in {clusters:,} clusters"
    assumed = f"if the judge alone is right in {shortest(100 * BASE)} %"
    if found is None:
        return f"With {of} no difference is found with a probability of 80 %, {assumed}."
    return (
        f"With {of} a difference of {shortest(100 * found)} points and more is found with a probability of 80 %, "
        f"{assumed} and answers are as alike as in docs/study.md; --audit measures both."
    )


# people


async def _with_people(settings: Settings, body: dict[str, Any], *, as_json: bool) -> None:
    """Open the study at the server, and print a link for each person and debate."""
    address = asked_server(settings)
    if not address:
        raise BadField("people", "people judge on the pages of a server: begin it with moot serve, and try again")
    async with AsyncClient(address, settings.token) as client:
        made = str((await client.post("/api/debates", body))["id"])
        planned = int((await client.get(f"/api/batches/{made}"))["batch"]["debates"])
        for _ in range(LINK_TRIES):
            if int((await client.get(f"/api/batches/{made}"))["batch"]["running"]) >= min(planned, AT_ONCE):
                break
            await anyio.sleep(POLL_S)
    links = await _links(settings, made)
    if as_json:
        emit({"id": made, "links": links})
        return
    for each in links:
        click.echo(f"{each['person']}\t{each['item']}\t{each['link']}")
    click.echo("each link is shown once; moot study ID --links makes new ones", err=True)
    click.echo(made)


# simulated studies


def _simulate(studies: int, *, as_json: bool) -> None:
    from judge.study.simulation import SIZES, WORLDS, coverage  # noqa: PLC0415 - it imports numpy
    from server.study.coverage import coverage_document  # noqa: PLC0415 - likewise

    sizes: list[tuple[tuple[int, int], str]] = [(size, world) for size in SIZES for world in WORLDS]
    with click.progressbar(sizes, label="simulated", file=sys.stderr) as bar:
        rows = [coverage(*size, world, studies) for size, world in bar]
    if as_json:
        emit({"coverage": rows})
    else:
        show(coverage_document(rows))
