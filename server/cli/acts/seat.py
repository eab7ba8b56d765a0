"""``moot seat``: the link of a person's seat."""

import click

from server.cli.client import act_on, show_act
from server.cli.options import with_json, with_settings
from server.cli.output import run_async
from server.settings import Settings


@click.command()
@click.argument("debate", metavar="ID")
@click.argument("seat", metavar="SEAT")
@click.option("--revoke", "revokes", is_flag=True, help="Make the link void; no browser holds the seat then.")
@with_settings
@with_json
def seat(settings: Settings, debate: str, seat: str, *, revokes: bool, as_json: bool) -> None:
    r"""Make the link of a person's seat, or revoke it.

    SEAT is pro, con, judge or the name of a rater.  The link is shown once.  The first browser that takes the seat
    keeps it, and an earlier link is void.

    \b
      moot seat ID pro
      moot seat ID pro --revoke
    """
    method = "DELETE" if revokes else "POST"
    show_act(
        run_async(lambda: act_on(settings, debate, "seats/{seat}/link", {}, method=method, seat=seat)), as_json=as_json
    )
