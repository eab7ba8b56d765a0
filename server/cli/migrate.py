"""``moot migrate``: the tables of a PostgreSQL store."""

import click

from events.store.address import is_postgres, redacted, sqlite_path
from server.cli.options import with_json, with_store
from server.cli.output import emit, run_async, settings_of


@click.command()
@with_store
@with_json
@click.pass_context
def migrate(context: click.Context, store: str | None, *, as_json: bool) -> None:
    """Make the tables of a PostgreSQL store, or bring them to this version.

    It may be done again, and by several at once.  Stop servers of an older version first; a server refuses a store that
    lacks a step.  A SQLite store needs none: it is made when it is opened.
    """
    settings = settings_of(context, store=store)
    if not is_postgres(settings.store):
        sqlite_path(settings.store)  # a name of no store is told as such
        if as_json:
            emit({"before": None, "after": None})
        else:
            click.echo(f"{settings.store} needs no migration: it is made when it is opened")
        return
    from events.store.postgres.schema import migrate as bring  # noqa: PLC0415 - the driver is imported when a store needs it

    done = run_async(lambda: bring(settings.store))
    if as_json:
        emit(done)
    elif done.before == done.after:
        click.echo(f"{redacted(settings.store)} has schema {done.after} already")
    else:
        click.echo(f"{redacted(settings.store)} brought from schema {done.before} to {done.after}")
