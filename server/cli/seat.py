"""``moot seat``: the link of a person's seat."""

import click

from server.cli.client import act_on
from server.cli.options import with_json, with_store
from server.cli.output import emit, run_async, settings_of


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
    method = "DELETE" if revokes else "POST"
    answer = run_async(lambda: act_on(settings, debate, "seats/{seat}/link", {}, method=method, seat=seat))
    if as_json:
        emit(answer)
        return
    click.echo(f"recorded at position {answer['position']}", err=True)
    click.echo(answer.get("link", answer["id"]))
