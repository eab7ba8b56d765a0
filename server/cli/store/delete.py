"""``moot delete``: take back a debate, and leave a tombstone."""

import sys
from typing import Any

import click
from httpx import QueryParams

from events.store.open import opened_log
from server.cli.client import asked_server
from server.cli.options import find_debate, open_store, with_json, with_settings
from server.cli.output import emit, run_async
from server.client.connection import AsyncClient
from server.debate.deletion import delete as delete_from
from server.debate.deletion import derived_of, shown_tombstone
from server.errors import BadField
from server.settings import Settings
from server.speech.kept import kept_with


@click.command()
@click.argument("debate", metavar="ID")
@click.option("--reason", default="", help="Why, in words that everyone may read who asks for the debate.")
@click.option("--with-derived", is_flag=True, help="Delete its forks, rejudged debates and lab runs too.")
@click.option("--yes", is_flag=True, help="Do not ask.  Without a terminal it is needed.")
@with_settings
@with_json
def delete(settings: Settings, debate: str, reason: str, *, with_derived: bool, yes: bool, as_json: bool) -> None:
    """Delete a debate: its texts are gone, and a tombstone is left.

    The tombstone has the position, the time and the digests of each event, the time of the deletion and the reason, and
    no word of the debate.  So the chain still verifies.  A debate that runs must be paused or halted first.  Forks,
    rejudged debates and lab runs made of it hold the same words: they are deleted with it, or none is.

    Copies in other places stay: exports, backups made before (moot backup FILE --deleted lists what one still holds),
    snapshots of the disk.
    """
    found, derived = run_async(lambda: _found(settings, debate))
    if not yes:
        if not sys.stdin.isatty():
            raise BadField("yes", "nobody can be asked here: --yes deletes without asking")
        more = f" and {', '.join(derived)}, made of it," if derived and with_derived else ""
        click.confirm(f"Delete debate {found}{more} for ever?", abort=True, err=True)
    deleted = run_async(lambda: _deleted(settings, found, reason, with_derived=with_derived))
    if as_json:
        emit({"deleted": deleted})
        return
    for each in deleted:
        later = "" if each["is_erased"] else "; the files of the store still hold bytes of it: see docs/operations.md"
        click.echo(f"deleted, {each['events']} events left their digests{later}", err=True)
        click.echo(each["debate"])


async def _found(settings: Settings, prefix: str) -> tuple[str, tuple[str, ...]]:
    """The id of a debate, and those of the debates made of it."""
    async with open_store(settings) as log:
        found = await find_debate(log, prefix)
        return found, await derived_of(log, found)


async def _deleted(settings: Settings, debate: str, reason: str, *, with_derived: bool) -> list[dict[str, Any]]:
    if address := asked_server(settings):
        query = QueryParams({"reason": reason, "with_derived": int(with_derived)})
        async with AsyncClient(address, settings.token) as client:
            answer = await client.request("DELETE", f"/api/debates/{debate}?{query}", {})
        deleted: list[dict[str, Any]] = answer["deleted"]
        return deleted
    async with opened_log(settings.store) as log:
        left = await delete_from(log, debate, reason, with_derived=with_derived)
    sounds = kept_with(settings.store)
    for each in left:
        sounds.forget(each.debate)
    return [shown_tombstone(each) for each in left]
