"""``moot poll``: the address of a debate's vote as a QR code, how many have voted, and the end of a vote."""

from io import StringIO
from urllib.parse import urlsplit

import click
import segno

from events.state.parts.audience import PollState
from events.store.log import read_pages
from events.view import view as views
from events.view.view import View
from server.cli.client import act_on
from server.cli.options import find_debate, open_store, server_address, with_json, with_settings
from server.cli.output import emit, run_async
from server.debate.acts import POLL_NAMES
from server.errors import BadField, NotFound
from server.export.text import escape_controls
from server.settings import LOOPBACK, Settings


@click.command()
@click.argument("debate", metavar="ID")
@click.option("--close", "closes", is_flag=True, help="Close the vote that is open: the debate goes on.")
@click.option(
    "--address", metavar="URL", help="The server's address for phones, such as http://192.168.1.5:8484 or an HTTPS one."
)
@with_settings
@with_json
def poll(settings: Settings, debate: str, *, closes: bool, address: str | None, as_json: bool) -> None:
    r"""Show the address of a debate's vote with its QR code, or close the vote that is open.

    It shows how many have voted, and never how: that stays hidden until the debate has concluded.

    \b
      moot poll ID --address http://192.168.1.5:8484
      moot poll ID --close
    """
    base = _checked(address) if address else ""
    found, view, state, position = run_async(lambda: _poll(settings, debate, closes=closes))
    base = base or server_address(settings)
    link = f"{base}/vote/{found}" if base else ""
    if as_json:
        emit({"id": found, "position": position, "link": link or None, "poll": view.poll})
        return
    click.echo(escape_controls(view.motion))
    click.echo(_standing(state))
    if state.open_round is not None:
        _show_link(link, base)
        if view.unlisted:
            click.echo("this debate is unlisted: the address of the vote needs ?link= and its token", err=True)
    click.echo(found)


def _checked(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise BadField("address", "an address begins with http:// or https://, and names the server")
    return f"{parts.scheme}://{parts.netloc}"


def _standing(state: PollState) -> str:
    if state.open_round is None:
        return "no vote is open now"
    cast = state.vote(state.open_round).cast
    return f"{POLL_NAMES[state.open_round]} is open: {cast:,} {'person has' if cast == 1 else 'people have'} voted"


def _show_link(link: str, base: str) -> None:
    if not link:
        click.echo("no server of this machine holds this store: say its address with --address", err=True)
        return
    if urlsplit(base).hostname in {*LOOPBACK, "0.0.0.0"}:  # noqa: S104 - compared with, not bound to
        click.echo("phones cannot reach this address: say the one of your network with --address", err=True)
    drawn = StringIO()
    segno.make(link, error="m", micro=False).terminal(drawn, compact=True, border=2)
    click.echo(drawn.getvalue())
    click.echo(link)


async def _poll(settings: Settings, prefix: str, *, closes: bool) -> tuple[str, View, PollState, int]:
    """The debate's id, its view, the votes, and the position of the end of a vote or of the newest event."""
    position = (await act_on(settings, prefix, "poll/close", {}))["position"] if closes else 0
    async with open_store(settings) as log:
        found = await find_debate(log, prefix)
        fold = views.INITIAL
        async for page in read_pages(log, found):
            fold = views.apply_all(fold, page)
    if not fold.view.poll:
        raise NotFound(f"debate {found} has no poll")
    return found, fold.view, fold.debate.audience.poll, position or fold.view.position
