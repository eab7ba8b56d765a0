"""Run a debate for a command: in this process, or by the server that holds the store.

Either way a printer is fed with the same messages that the page gets.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from typing import Any, Final, Literal

import click
import msgspec
from msgspec import Struct

from server.cli.client import asked_server
from server.cli.debates.printer import FeedPrinter
from server.cli.options import find_debate, open_store, server_address
from server.cli.output import emit
from server.client.connection import AsyncClient
from server.debate.commands import Resume
from server.debate.opening.models import find_models
from server.debate.setup.batch import BatchEstimate, batch_in_words, foreseen
from server.debate.setup.estimate import Estimate
from server.debate.setup.lab import LabEstimate, in_words
from server.debate.setup.opening import opening_for
from server.debate.setup.origins import fork_of, rejudged
from server.debate.setup.request import as_request
from server.errors import BadField, NotOwner
from server.feed import frames
from server.feed.reader import Reader
from server.process import observe
from server.service import Service, limited, running
from server.settings import Settings

RESUME_REASON = "resumed from the command line"
Asks = Callable[[float], None]
"""Asks a person whether to begin at a cost in USD, and raises ``click.Abort`` if not."""
RESUMED_BY: Final = {"lab": "moot lab --resume", "batch": "moot batch --resume"}
"""The command that resumes a debate of a format, if it is not that of any debate."""
ESTIMATES: Final = {"lab": LabEstimate, "batch": BatchEstimate}
"""What the estimate of a format is, if it is not that of any debate."""


class Resumption(Struct, frozen=True, kw_only=True):
    """A debate to resume, by the beginning of its id, and its new cap on cost, if it gets one."""

    debate: str
    max_cost_usd: float | None = None


class Derivation(Struct, frozen=True, kw_only=True):
    """A debate to be made of a stored one, which the beginning of its id names; ``body`` as it is posted."""

    debate: str
    kind: Literal["rejudge", "fork"]
    body: dict[str, Any]


Wish = dict[str, Any] | Resumption | Derivation
"""A new debate, by the body of its request, or what is to be done with a stored one."""


async def run_debate(settings: Settings, wish: Wish, printer: FeedPrinter, asks: Asks | None = None) -> str:
    """Run a debate and print it; the id is the last line, and is returned.

    ``asks`` is called with the estimated cost before anything begins.  Exits with 1 if the debate was halted.
    """
    observe.configure_logging("error" if settings.log_level == "info" else settings.log_level)
    if isinstance(wish, dict):
        as_request(wish)  # a wrong request fails before anything is started
    if address := asked_server(settings):
        debate = await _run_by_server(settings, address, wish, printer, asks)
    else:
        debate = await _run_here(settings, wish, printer, asks)
    printer.finish()
    if printer.as_json:
        emit({"id": debate})
    elif not printer.is_quiet:
        click.echo(debate)
    if printer.ended and printer.ended["type"] != "debate_concluded":
        click.echo(f"moot: {printer.ended['type'].removeprefix('debate_')}: {printer.ended['reason']}", err=True)
        raise click.exceptions.Exit(1)
    return debate


async def must_answer(settings: Settings, field: str, model: str) -> None:
    """Raise ``BadField`` if a model lacks what it needs, such as a key.  A server that holds the store asks its own."""
    if server_address(settings):
        return
    registry = limited(settings)
    try:
        await find_models({field: model}, registry)
    finally:
        await registry.close()


async def _run_here(settings: Settings, wish: Wish, printer: FeedPrinter, asks: Asks | None) -> str:
    async with running(settings) as service:
        if isinstance(wish, dict):
            opened, follows = await opening_for(service.log, as_request(wish), service.registry, settings)
            _begin(await foreseen(opened, follows, service.registry, settings), asks)
            debate, after = await service.moderators.open(opened, follows), 0
        elif isinstance(wish, Derivation):
            debate, after = await _derive(service, wish), 0
        else:
            debate = await find_debate(service.log, wish.debate)
            after = await service.log.head(debate)
            printer.take(frames.snapshot((await service.hub.view_at(debate, after)).view, None))
            await _resume(service, debate, wish.max_cost_usd)
        click.echo(f"{printer.kind} {debate}", err=True)
        try:
            await _print(_messages(service, debate, after), printer)
        except BaseException:
            view = (await service.hub.view_at(debate, None)).view
            command = RESUMED_BY.get(view.format, "moot run --resume")
            click.echo(f"\ninterrupted; resume it with: {command} {debate}", err=True)
            raise
        return debate


async def _derive(service: Service, asked: Derivation) -> str:
    """Open the debate that is made of a stored one; its id."""
    log, registry, settings = service.log, service.registry, service.settings
    source = await find_debate(log, asked.debate)
    if asked.kind == "rejudge":
        made = await rejudged(log, source, asked.body, registry, settings)
        return await service.moderators.open_again(made.opened, made.copied, made.own)
    made = await fork_of(log, source, asked.body, registry, settings)
    return await service.moderators.open_fork(made.opened, made.copied, made.own)


def _begin(found: Estimate | LabEstimate | BatchEstimate, asks: Asks | None) -> None:
    click.echo(batch_in_words(found) if isinstance(found, BatchEstimate) else in_words(found), err=True)
    if asks is not None:
        asks(found.cost_usd if isinstance(found.cost_usd, float) else 0.0)


async def _resume(service: Service, debate: str, max_cost_usd: float | None) -> None:
    """Resume a paused or halted debate, or take up one that was interrupted."""
    view = (await service.hub.view_at(debate, None)).view
    if view.state == "concluded":
        raise BadField("resume", f"debate {debate} has concluded")
    if view.state == "open":
        with suppress(NotOwner):  # another node runs it: then it is only printed
            await service.moderators.take_up_one(debate)
    else:
        await service.moderators.act(debate, Resume(RESUME_REASON, "operator", max_cost_usd))


async def _messages(service: Service, debate: str, after: int) -> AsyncGenerator[str]:
    channel = await service.hub.channel(debate)
    async with Reader(service.hub, channel, after, every_frame=True) as reader, aclosing(reader.messages()) as batches:
        async for batch in batches:
            for message in batch:
                yield message


async def _print(messages: AsyncGenerator[str], printer: FeedPrinter) -> None:
    """Print messages until the debate ends."""
    async with aclosing(messages):
        async for message in messages:
            printer.take(message)
            if printer.ended is not None:
                return


async def _run_by_server(settings: Settings, address: str, wish: Wish, printer: FeedPrinter, asks: Asks | None) -> str:
    async with AsyncClient(address, settings.token) as client:
        if isinstance(wish, dict):
            kind = ESTIMATES.get(str(wish.get("format")))
            if kind is not None or asks is not None:
                found = await client.post("/api/estimate", wish)
                _begin(msgspec.convert(found, kind or Estimate), asks)
            debate, after = str((await client.post("/api/debates", wish))["id"]), 0
        elif isinstance(wish, Derivation):
            async with open_store(settings) as log:
                source = await find_debate(log, wish.debate)
            debate, after = str((await client.post(f"/api/debates/{source}/{wish.kind}", wish.body))["id"]), 0
        else:
            async with open_store(settings) as log:
                debate = await find_debate(log, wish.debate)
            view = await client.get(f"/api/debates/{debate}")
            after = int(view["position"])
            snapshot = {"kind": "snapshot", "position": after, "view": view, "speaking": None}
            printer.take(msgspec.json.encode(snapshot).decode())
            if view["state"] == "concluded":
                raise BadField("resume", f"debate {debate} has concluded")
            if view["state"] in {"paused", "halted"}:
                asked: dict[str, Any] = {"reason": RESUME_REASON}
                if wish.max_cost_usd is not None:
                    asked["max_cost_usd"] = wish.max_cost_usd
                await client.post(f"/api/debates/{debate}/resume", asked)
        click.echo(f"{printer.kind} {debate}", err=True)
        await _print(client.messages(debate, after), printer)
        return debate
