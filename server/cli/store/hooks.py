"""``moot hooks``: the webhooks of the settings, what waits, and what could not be delivered."""

import base64
import secrets
from typing import Any, Final
from urllib.parse import quote

import click
import msgspec

from events.store.open import opened_log
from server.cli.client import asked_server
from server.cli.options import open_store, with_json, with_settings
from server.cli.output import emit, run_async
from server.client.connection import AsyncClient
from server.hooks import deliveries
from server.hooks.hook import PREFIX
from server.settings import Settings

NEW_BYTES: Final = 32


@click.command()
@click.option("--retry", metavar="NAME", help="Try the dead letters of this hook again, and end its stop.")
@click.option("--new", is_flag=True, help="Print a new secret for the settings, and do nothing else.")
@with_json
@with_settings
def hooks(settings: Settings, retry: str | None, *, new: bool, as_json: bool) -> None:
    r"""Show the webhooks, and what they could not deliver.

    \b
      moot hooks
      moot hooks --retry chat
    """
    if new:
        click.echo(PREFIX + base64.b64encode(secrets.token_bytes(NEW_BYTES)).decode())
        return
    answer = run_async(lambda: _answer(settings, retry))
    if as_json:
        emit(answer)
    elif retry is not None:
        click.echo(f"{answer['retried']} to be tried again", err=True)
    else:
        for hook in answer["hooks"]:
            state = "stopped by its receiver" if hook["stopped"] else f"{len(hook['waiting'])} waiting"
            click.echo(f"{hook['name']}  {hook['origin']}  {state}, {len(hook['dead'])} dead")
            for letter in (*hook["waiting"], *hook["dead"]):
                why = f": {letter['failed']}" if letter["failed"] else ""
                click.echo(f"  {letter['type']}  {letter['debate']}  attempts {letter['attempts']}{why}")


async def _answer(settings: Settings, name: str | None) -> dict[str, Any]:
    """By the server that holds the store, or from the store."""
    if address := asked_server(settings):
        async with AsyncClient(address, settings.token) as client:
            path = "/api/hooks" if name is None else f"/api/hooks/{quote(name, safe='')}/retry"
            answer: dict[str, Any] = await (client.get(path) if name is None else client.post(path, {}))
            return answer
    if name is not None:
        async with opened_log(settings.store) as log:
            return {"retried": await deliveries.retry(log, settings.hooks, name)}
    async with open_store(settings) as log:
        states = await deliveries.states_of(log, settings.hooks)
        return {"hooks": msgspec.to_builtins(states)}
