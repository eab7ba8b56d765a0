"""``moot doctor``: which models answer, what is missing for the others, and how much each provider is asked for."""

from typing import Any

import anyio
import click
import httpx
import msgspec
from msgspec import Struct
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from providers.base import ModelStatus
from providers.calls import Load
from providers.registry import Registry
from server.cli.options import server_of, with_json, with_store
from server.cli.output import emit, run_async, settings_of
from server.service import limited
from server.settings import Settings

SERVER_S = 4.0
"""Seconds that a running server has to say how busy its providers are."""


class Finding(Struct, frozen=True, kw_only=True):
    """What is known of a model.  ``load`` is the running server's where one holds the store, else this process's."""

    name: str
    provider: str
    ok: bool
    detail: str
    hint: str
    caveat: str
    window: int | None
    load: Load


class _Served(Struct):
    """Of what the server says of its models, how busy they are."""

    load: list[Load]


class Report(Struct, frozen=True, kw_only=True):
    """What the doctor has found."""

    findings: tuple[Finding, ...]
    default: str


@click.command()
@with_store
@with_json
@click.pass_context
def doctor(context: click.Context, store: str | None, *, as_json: bool) -> None:
    """Which models answer here, and how to get the others."""
    settings = settings_of(context, store=store)
    report = run_async(lambda: examine(settings, limited(settings)))
    if as_json:
        emit(report.findings)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("", "model", "", "to do"):
        table.add_column(heading, overflow="fold")
    for each in report.findings:
        said = (escape(text) for text in (each.name, each.detail, each.hint))
        table.add_row("[green]ok[/]" if each.ok else "[red]no[/]", *said)
    console = Console()
    console.print(table)
    console.print()
    for load in {each.provider: each.load for each in report.findings}.values():
        console.print(_said_of(load), highlight=False)
    console.print(f"\nWith no model named, debates use {report.default}.", highlight=False)


async def examine(settings: Settings, registry: Registry) -> Report:
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
        return Report(findings=tuple(_finding(each, loads[each.provider]) for each in statuses), default=default)
    finally:
        await registry.close()


def _finding(status: ModelStatus, load: Load) -> Finding:
    ok, detail, hint = status.ok, status.detail, status.hint
    if load.rests_s > 0:
        ok = False
        detail = f"the server leaves it alone for {load.rests_s:.0f} s more after failures, last: {load.last}"
        hint = hint or "it is tried again by itself"
    return Finding(
        name=status.name, provider=status.provider, ok=ok, detail=detail, hint=hint, caveat=status.caveat,
        window=status.window, load=load,
    )


async def _loads_of(settings: Settings) -> dict[str, Load]:
    """How busy the providers of the server are that holds the store; nothing where there is none, or it is silent."""
    if not (server := server_of(settings)):
        return {}
    try:
        async with httpx.AsyncClient(base_url=server, timeout=SERVER_S, trust_env=False) as client:
            response = await client.get("/api/models")
        loads = msgspec.json.decode(response.content, type=_Served).load
    except (httpx.HTTPError, msgspec.DecodeError):
        click.echo(f"the server at {server} does not say how busy it is", err=True)
        return {}
    return {load.provider: load for load in loads}


def _said_of(load: Load) -> str:
    said = f"{load.provider}: {load.limit}"
    if load.running or load.waiting:
        said += f"; {load.running} under way, {load.waiting} waiting"
    return said + (f"; [red]left alone for {load.rests_s:.0f} s[/]" if load.rests_s > 0 else "")
