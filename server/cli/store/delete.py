"""``moot delete``: take back a debate, or all that are old, and leave tombstones."""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import click
from httpx import QueryParams

from events.store.listing import Limits
from events.store.open import opened_log
from server.cli.client import asked_server
from server.cli.options import find_debate, open_store, with_json, with_rule, with_settings
from server.cli.output import emit, run_async
from server.client.connection import AsyncClient
from server.debate.deletion import checked_reason, derived_of, shown_tombstone
from server.debate.deletion import delete as delete_one
from server.errors import BadField, Relayed
from server.keeping.retention import delete_chosen, delete_from
from server.keeping.rule import Chosen, Rule, before_age, chosen
from server.settings import Settings
from server.speech.kept import kept_with

AT_ONCE = 16
"""Requests to a server at the same time."""
CHANGED = frozenset({404, 409, 410})
"""What a server answers about a debate that has changed since it was chosen."""


@click.command()
@click.argument("debate", metavar="[ID]", required=False)
@click.option("--reason", default="", help="Why, in words that everyone may read who asks for the debate.")
@click.option("--with-derived", is_flag=True, help="Delete its forks, rejudged debates and lab runs too.")
@with_rule
@click.option("--dry-run", is_flag=True, help="Of --older-than: name the debates, and delete none.")
@click.option("--yes", is_flag=True, help="Do not ask.  Without a terminal it is needed.")
@with_settings
@with_json
def delete(
    settings: Settings,
    debate: str | None,
    reason: str,
    *,
    with_derived: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
    **only: Any,
) -> None:
    """Delete a debate, or all that are old: the texts are gone, and tombstones are left.

    A tombstone has the position, the time and the digests of each event, the time of the deletion and the reason, and
    no word of the debate.  So the chain still verifies.  A debate that runs must be paused or halted first.  Forks,
    rejudged debates and lab runs made of it hold the same words: they are deleted with it, or none is.

    With --older-than it deletes every debate whose last event is older, hidden, archived and unlisted ones too; --tag,
    --state and --format limit that.  A debate goes together with all that was made of it, once the youngest of these is
    old enough.

    Copies in other places stay: exports, archives, backups made before (moot backup FILE --deleted lists what one still
    holds), snapshots of the disk.
    """
    if debate is None:
        _delete_old(settings, reason, only, dry_run=dry_run, yes=yes, as_json=as_json)
        return
    if any(only.values()) or dry_run:
        raise BadField("id", "give an id, or a rule, not both")
    found, derived = run_async(lambda: _found(settings, debate))
    more = f" and {', '.join(derived)}, made of it," if derived and with_derived else ""
    ask(f"Delete debate {found}{more} for ever?", yes=yes)
    deleted = run_async(lambda: _deleted(settings, found, reason, with_derived=with_derived))
    _show(deleted, as_json=as_json)


def ask(question: str, *, yes: bool) -> None:
    """Ask before a deletion.  Raises ``BadField`` where nobody can be asked, unless ``yes``."""
    if not yes:
        if not sys.stdin.isatty():
            raise BadField("yes", "nobody can be asked here: --yes deletes without asking")
        click.confirm(question, abort=True, err=True)


def _show(deleted: list[dict[str, Any]], *, as_json: bool, **more: Any) -> None:
    if as_json:
        emit({"deleted": deleted, **more})
        return
    for each in deleted:
        later = "" if each["is_erased"] else "; the files of the store still hold bytes of it: see docs/operations.md"
        click.echo(f"deleted, {each['events']} events left their digests{later}", err=True)
        click.echo(each["debate"])


def _delete_old(
    settings: Settings, reason: str, only: Mapping[str, Any], *, dry_run: bool, yes: bool, as_json: bool
) -> None:
    if not only["older_than"]:
        raise BadField("older_than", "give the id of a debate, or a rule with --older-than, such as 365d")
    found = run_async(lambda: _chosen(settings, rule_of(only)))
    count = f"{len(found.debates):,} debate{'' if len(found.debates) == 1 else 's'}"
    if dry_run:
        if as_json:
            emit({"would_delete": found.debates, "kept": found.kept})
            return
        for each in found.debates:
            click.echo(each)
        say_kept(found)
        click.echo(f"{count} would be deleted", err=True)
        return
    if found.debates:
        ask(f"Delete {count} for ever?", yes=yes)
    reason = reason or f"older than {only['older_than']}"
    deleted, stayed = run_async(lambda: delete_by_rule(settings, found, reason))
    _show(deleted, as_json=as_json, kept=found.kept, stayed=stayed)
    if not as_json:
        say_kept(found)
        for each in stayed:
            click.echo(f"kept, because it changed meanwhile: {each}", err=True)
        click.echo(f"{len(deleted):,} of {count} deleted", err=True)


def say_kept(found: Chosen) -> None:
    """Print what a rule names and cannot be deleted."""
    for debate, why in found.kept.items():
        click.echo(f"kept: {debate}: {why}", err=True)


def rule_of(only: Mapping[str, Any]) -> Rule:
    """The rule of a command's options.  Raises ``BadField``."""
    before = before_age(only["older_than"], datetime.now(UTC)) if only["older_than"] else ""
    return Rule(before=before, limits=Limits(**{name: only[name] for name in ("tag", "state", "format")}))


async def delete_by_rule(
    settings: Settings, found: Chosen, reason: str, *, archived: bool = False
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Delete what a rule has chosen, by the server that holds the store or here: what is left, and what stayed."""
    checked_reason(reason)
    if address := asked_server(settings):
        return await _delete_at(address, settings, found, reason, archived=archived)
    async with opened_log(settings.store) as log:
        left, stayed = await delete_from(log, found, reason, archived=archived)
    sounds = kept_with(settings.store)
    for each in left:
        sounds.forget(each.debate)
    return [shown_tombstone(each) for each in left], stayed


async def _delete_at(
    address: str, settings: Settings, found: Chosen, reason: str, *, archived: bool
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    deleted: list[dict[str, Any]] = []
    async with AsyncClient(address, settings.token) as client:

        async def one(debate: str, position: int) -> bool:
            query = QueryParams({"reason": reason, "position": position, "archived": int(archived)})
            try:
                answer = await client.request("DELETE", f"/api/debates/{debate}?{query}", {})
            except Relayed as error:
                if error.report.status in CHANGED:
                    return False
                raise
            deleted.extend(answer["deleted"])
            return True

        stayed = await delete_chosen(found, one, AT_ONCE)
    return deleted, stayed


async def _chosen(settings: Settings, rule: Rule) -> Chosen:
    async with open_store(settings) as log:
        return await chosen(log, rule)


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
        left = await delete_one(log, debate, reason, with_derived=with_derived)
    sounds = kept_with(settings.store)
    for each in left:
        sounds.forget(each.debate)
    return [shown_tombstone(each) for each in left]
