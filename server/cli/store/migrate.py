"""``moot migrate``: create or update the tables of a PostgreSQL store."""

import click

from events.store.address import is_postgres, redacted, sqlite_path
from server.cli.options import with_json, with_settings
from server.cli.output import emit, run_async
from server.settings import Settings


@click.command()
@with_settings
@with_json
def migrate(settings: Settings, *, as_json: bool) -> None:
    """Create the tables of a PostgreSQL store, or update them to this version.

    You may run it again, also several at once.  Stop servers of an older version first.  A server refuses a store whose
    tables are older than its version.  A SQLite store needs no migration: its tables are created when it is opened.
    """
    if not is_postgres(settings.store):
        sqlite_path(settings.store)  # raises for a name that is no store
        if as_json:
            emit({"before": None, "after": None})
        else:
            click.echo(f"{settings.store} needs no migration: its tables are created when it is opened")
        return
    from events.store.postgres.schema import migrate as migrate_store  # noqa: PLC0415 - the driver is imported when a store needs it

    done = run_async(lambda: migrate_store(settings.store))
    if as_json:
        emit(done)
    elif done.before == done.after:
        click.echo(f"{redacted(settings.store)} already has schema {done.after}")
    else:
        click.echo(f"{redacted(settings.store)} updated from schema {done.before} to {done.after}")
