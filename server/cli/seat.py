"""``moot seat``: the link of a person's seat."""

from typing import Any

import click

from server.cli.client import ServerClient
from server.cli.options import find_debate, open_store, server_address, with_json, with_store
from server.cli.output import emit, run_async, settings_of
from server.people.links import digest_of_link, new_token
from server.service import running
from server.settings import Settings


@click.command()
@click.argument("debate", metavar="ID")
@click.argument("seat", metavar="SEAT")
@click.option("--revoke", "revokes", is_flag=True, help="Make the link void; no browser holds the seat then.")
@with_store
@with_json
@click.pass_context
def seat(context: click.Context, debate: str, seat: str, *, revokes: bool, store: str | None, as_json: bool) -> None:
    r"""Make the link of a person's seat, or revoke it.

    SEAT is pro, con, judge or the name of a rater.  The link is shown once.  The first browser that takes the seat
    keeps it, and an earlier link is void.

    \b
      moot seat ID pro
      moot seat ID pro --revoke
    """
    settings = settings_of(context, store=store)
    answer = run_async(lambda: _seat(settings, debate, seat, revokes=revokes))
    if as_json:
        emit(answer)
        return
    click.echo(f"recorded at position {answer['position']}", err=True)
    click.echo(answer.get("link", answer["id"]))


async def _seat(settings: Settings, debate: str, seat: str, *, revokes: bool) -> dict[str, Any]:
    async with open_store(settings) as log:
        found = await find_debate(log, debate)
    if address := server_address(settings):
        click.echo(f"a server holds this store: asking {address}", err=True)
        path = f"/api/debates/{found}/seats/{seat}/link"
        async with ServerClient(settings, address) as client:
            answer = await (client.delete(path) if revokes else client.post(path, {}))
        link = {"link": f"{address}{answer['link']}"} if "link" in answer else {}
        return {"id": found, "position": answer["position"], **link}
    async with running(settings) as service:
        if revokes:
            return {"id": found, "position": await service.moderators.revoke_seat_link(found, seat, "operator")}
        token = new_token(found, seat)
        position = await service.moderators.make_seat_link(found, seat, digest_of_link(token), "operator")
    return {"id": found, "position": position, "link": f"/seat/{token}"}
