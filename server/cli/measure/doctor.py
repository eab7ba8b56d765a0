"""``moot doctor``: which models answer, what the others need, and how busy each provider is.

With ``--call`` it calls models, at the prices of their vendors, and reports what the calls showed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import anyio
import click
import httpx
import msgspec
from msgspec import Struct

from events.text.figures import rounded
from providers.base import ModelStatus
from providers.catalog.models import known_model
from providers.environment import trusted
from providers.limits.queue import ProviderLoad
from providers.registry import Registry
from server.cli.measure.trials import ModelTrial, candidates, try_out
from server.cli.options import server_address, with_json, with_settings
from server.cli.output import emit, run_async
from server.export.document import Lines, Marked, Paragraph, Sentence, Table
from server.export.document.terminal import say, show
from server.process.extras import missing
from server.service import limited
from server.settings import Settings

SERVER_S = 4.0
"""Seconds that a running server has to report how busy its providers are."""
MANY: Final = 12
"""Of a provider with more models, only known chat models that are not about to end are shown."""
MAX_SHOWN: Final = 20
"""Models of one provider that are shown."""


class ModelCheck(Struct, frozen=True, kw_only=True):
    """The state of a model.  ``load`` is that of the server that holds the store, or else of this process."""

    name: str
    provider: str
    ok: bool
    detail: str
    hint: str
    caveat: str
    window: int | None
    notice: str
    load: ProviderLoad


class _ServerLoads(Struct):
    """The part of the server's list of models that says how busy its providers are."""

    load: list[ProviderLoad]


class DoctorReport(Struct, frozen=True, kw_only=True):
    """Everything that ``moot doctor`` found."""

    findings: tuple[ModelCheck, ...]
    default: str
    default_judge: str


@click.command()
@click.option("--call", "calls", is_flag=True, help="Call one model of each provider, or MODELS.  This costs money.")
@click.argument("models", nargs=-1)
@with_settings
@with_json
def doctor(settings: Settings, models: tuple[str, ...], *, calls: bool, as_json: bool) -> None:
    """Show which models answer here, and how to get the others.

    With --call each of MODELS is called two or three times (by default one model of each provider that answers).  The
    output shows whether it thinks, how it keeps to a form, what it reads from a cache, its speed, and the cost.
    """
    if calls:
        _show_trials(run_async(lambda: try_models(limited(settings), models)), as_json=as_json)
        return
    if models:
        raise click.UsageError("MODELS need --call")
    report = run_async(lambda: examine(settings, limited(settings)))
    if as_json:
        emit(report.findings)
        return
    shown = _shown(report.findings)
    rows = (_row(each) for each in shown)
    show(Table(("model", "", "what it says", "to do"), tuple(rows)))
    click.echo()
    hidden = Counter(each.provider for each in report.findings) - Counter(each.provider for each in shown)
    for provider, number in hidden.items():
        say(f"{provider} lists {number} more: moot doctor --json shows them.")
    loads = {each.provider: each.load for each in report.findings}
    show(Lines((*map(_load_line, loads.values()), *missing())))
    click.echo()
    say(f"Debates that name no model use {report.default}.{_judge_line(report)}")


def _row(model: ModelCheck) -> tuple[Sentence, ...]:
    to_do = " · ".join(part for part in (model.hint, model.notice) if part)
    return model.name, (Marked("ok", "good") if model.ok else Marked("no", "bad"),), model.detail, to_do


def _judge_line(report: DoctorReport) -> str:
    """Who judges by default, if it is not the default model; and what readers must know about that judge."""
    if report.default_judge == report.default:
        return ""
    caveat = next((each.caveat for each in report.findings if each.name == report.default_judge), "")
    return f" Their judge is {report.default_judge}. {caveat}"


def _shown(findings: Sequence[ModelCheck]) -> list[ModelCheck]:
    """All models, but of a provider with many only the known chat models that are not about to end."""
    listed = Counter(each.provider for each in findings)
    left = dict.fromkeys(listed, MAX_SHOWN)
    shown = []
    for each in findings:
        found = known_model(each.name)
        is_current = found is not None and found.ends_on is None and not found.only_responses
        if listed[each.provider] <= MANY or (is_current and left[each.provider] > 0):
            left[each.provider] -= 1
            shown.append(each)
    unseen = set(listed) - {each.provider for each in shown}  # each provider has at least one row
    return shown + [next(each for each in findings if each.provider == name) for name in sorted(unseen)]


async def try_models(registry: Registry, models: Sequence[str]) -> tuple[ModelTrial, ...]:
    """Call each of these models, or one of each provider that answers, all at the same time; closes the registry."""
    try:
        names = tuple(dict.fromkeys(models)) or candidates(await registry.check_all())
        click.echo(
            f"calling {', '.join(names) or 'no model: no provider answers'}: two or three short calls each, "
            "at the vendors' prices",
            err=True,
        )
        found: dict[str, ModelTrial] = {}

        async def one(name: str) -> None:
            found[name] = await try_out(registry, name)

        async with anyio.create_task_group() as tasks:
            for name in names:
                tasks.start_soon(one, name)
        return tuple(found[name] for name in names)
    finally:
        await registry.close()


def _show_trials(trials: Sequence[ModelTrial], *, as_json: bool) -> None:
    if as_json:
        emit(trials)
        return
    for each in trials:
        sign = Marked("ok", "good") if each.ok else Marked("no", "bad")
        show(Paragraph((sign, f" {each.name}: {'; '.join(_learned(each))}")))


def _learned(trial: ModelTrial) -> Iterator[str]:
    """The parts of a trial's line."""
    yield trial.detail
    if trial.ok:
        yield f"{trial.thought_tokens} tokens of thought"
        yield f"form by {trial.structured_output or 'nothing'}"
        if trial.cached_tokens is not None:
            yield f"{trial.cached_tokens} tokens from its cache"
        if trial.tokens_per_s is not None:
            yield f"{trial.tokens_per_s:g} tokens/s"
    if trial.cost_usd is None:
        yield "cost unknown"
    else:
        yield f"{rounded(trial.cost_usd, 4)} USD" if trial.cost_usd else "no cost"
    if trial.notice:
        yield trial.notice


async def examine(settings: Settings, registry: Registry) -> DoctorReport:
    """Ask every provider, and the server that holds the store, all at the same time; closes the registry."""
    found: list[Any] = [None, None]

    async def ask_providers() -> None:
        found[0] = await registry.survey()

    async def ask_server() -> None:
        found[1] = await _loads_of(settings)

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask_providers)
            tasks.start_soon(ask_server)
        (statuses, default), served = found
        loads = {load.provider: load for load in registry.loads()} | served
        return DoctorReport(
            findings=tuple(_finding(each, loads[each.provider]) for each in statuses),
            default=default,
            default_judge=registry.default_judge(default),
        )
    finally:
        await registry.close()


def _finding(status: ModelStatus, load: ProviderLoad) -> ModelCheck:
    ok, detail, hint = status.ok, status.detail, status.hint
    if load.rests_s > 0:
        ok = False
        rests = f"{rounded(load.rests_s, 0)} s more"
        detail = f"after failures the server does not call it for {rests}; the last was: {load.last}"
        hint = hint or "the server tries it again automatically"
    return ModelCheck(
        name=status.name,
        provider=status.provider,
        ok=ok,
        detail=detail,
        hint=hint,
        caveat=status.caveat,
        window=status.window,
        notice=status.notice,
        load=load,
    )


async def _loads_of(settings: Settings) -> dict[str, ProviderLoad]:
    """The loads of the server that holds the store, by provider; empty if there is none, or if it does not answer."""
    if not (server := server_address(settings)):
        return {}
    try:
        async with httpx.AsyncClient(
            base_url=server, timeout=SERVER_S, verify=trusted(server), trust_env=False
        ) as client:
            response = await client.get("/api/models")
        loads = msgspec.json.decode(response.content, type=_ServerLoads).load
    except (httpx.HTTPError, msgspec.DecodeError):
        click.echo(f"the server at {server} does not report how busy its providers are", err=True)
        return {}
    return {load.provider: load for load in loads}


def _load_line(load: ProviderLoad) -> Sentence:
    line = f"{load.provider}: {load.limit}"
    if load.running or load.waiting:
        line += f"; {load.running} running, {load.waiting} waiting"
    return (line, "; ", Marked(f"not called for {rounded(load.rests_s, 0)} s", "bad")) if load.rests_s > 0 else line
