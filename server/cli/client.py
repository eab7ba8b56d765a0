"""Ask the server that holds the store, for a command."""

from typing import Any

import click

from server.cli.options import find_debate, open_store, server_address
from server.cli.output import emit
from server.client.connection import AsyncClient
from server.debate.acting.operator_acts import ACTS, OperatorRequest
from server.service import running
from server.settings import Settings


async def act_on(
    settings: Settings, prefix: str, path: str, fields: dict[str, Any], *, method: str = "POST", **place: str
) -> dict[str, Any]:
    """Carry out an operator's act (``server.debate.acting.operator_acts``), by the server that holds the store or here.

    Returns its answer, and the debate's ``id``.  Raises the refusal, and ``UnknownDebate``.
    """
    async with open_store(settings) as log:
        found = await find_debate(log, prefix)
    if address := asked_server(settings):
        async with AsyncClient(address, settings.token) as client:
            answer = await client.request(method, f"/api/debates/{found}/{path.format(**place)}", fields)
        link = {"link": f"{address}{answer['link']}"} if "link" in answer else {}
        return {"id": found, **answer, **link}
    act = ACTS[method, path](OperatorRequest(fields=fields, place={"debate": found, **place}, by="operator"))
    async with running(settings) as service:
        return {"id": found, "position": await service.moderators.act(found, act.command), **act.answer}


def show_act(answer: dict[str, Any], *, as_json: bool, more: str = "") -> None:
    """Print the answer to an act: its position, and then the link that it made, or the debate's id."""
    if as_json:
        emit(answer)
        return
    click.echo(f"recorded at position {answer['position']}{more}", err=True)
    click.echo(answer.get("link", answer["id"]))


def asked_server(settings: Settings) -> str:
    """The address of the server that holds the store, which a command then names once; empty without one."""
    address, context = server_address(settings), click.get_current_context(silent=True)
    said = {} if context is None else context.meta
    if address and said.get(__name__) != address:
        click.echo(f"a server holds this store: asking {address}", err=True)
        said[__name__] = address
    return address
