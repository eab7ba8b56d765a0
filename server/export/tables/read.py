"""The rows of tables, read from the store debate after debate: memory holds one debate."""

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Final

from events.record import Recorded
from events.store.log import EventLog, read_pages
from events.view import view as views
from server.export.tables.table import DebateTable, Seen, TableRow, seen_by

KEPT_PAGES: Final = 20
"""Pages of a log that are in memory until all its rows are made, so that they are decoded once."""


async def rows_of(
    log: EventLog, debate: str, tables: Mapping[str, DebateTable]
) -> AsyncIterator[tuple[str, Iterator[TableRow]]]:
    """The rows of one debate for its director, each with the name of its table; none of a debate that was deleted."""
    fold, pages = views.INITIAL, list[tuple[Recorded, ...]]()
    async for page in read_pages(log, debate):
        fold = views.apply_all(fold, page, course=False)
        pages = [*pages, page][: KEPT_PAGES + 1]
    if not fold.view.position:
        return
    seen = seen_by(fold, director=True)
    for name, table in tables.items():
        if not table.reads_log:
            yield name, table.rows(seen, ())
    of_log = {name: each for name, each in tables.items() if each.reads_log}
    if len(pages) <= KEPT_PAGES:
        for page in pages:
            for name, table in of_log.items():
                yield name, table.rows(seen, page)
        return
    pages.clear()
    async for page in pages_of(log, seen, *of_log.values()):
        for name, table in of_log.items():
            yield name, table.rows(seen, page)


async def pages_of(log: EventLog, seen: Seen, *tables: DebateTable) -> AsyncIterator[tuple[Recorded, ...]]:
    """What rows are made of: the log up to where the debate is seen, or one empty page if no table reads it."""
    if not any(each.reads_log for each in tables):
        yield ()
        return
    head = seen.fold.debate.position
    async for page in read_pages(log, seen.fold.debate.id):
        yield page if page[-1].position <= head else tuple(each for each in page if each.position <= head)
        if page[-1].position >= head:
            return
