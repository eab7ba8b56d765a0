"""``moot search``: what was said, found by its words."""

import click

from events.store.log import SearchHit, SearchPage
from events.text.said import MAX_QUERY
from events.types import TurnSpoken
from server.cli.options import open_store, with_json, with_settings
from server.cli.output import emit, run_async
from server.errors import BadField
from server.export.document import Lines, Marked, Part
from server.export.document.terminal import show
from server.export.hits import page_of_hits
from server.export.wording import NAMES
from server.settings import Settings


@click.command("search")
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 50), default=20, show_default=True)
@click.option("--after", help="Cursor of the next page.")
@with_settings
@with_json
def search(settings: Settings, query: str, limit: int, after: str | None, *, as_json: bool) -> None:
    """Search in what was said, newest debate first.

    All words must be found, in any order; words in quotation marks must follow one another. The last word may be the
    beginning of a longer one.
    """
    if not query.strip() or len(query) > MAX_QUERY:
        raise BadField("query", f"write 1 to {MAX_QUERY} characters")
    page: SearchPage = run_async(lambda: _search(settings, query, after, limit))
    if as_json:
        emit(page_of_hits(page))
        return
    if not page.hits:
        click.echo(f"{query!r} was not found in any speech or message")
    for hit in page.hits:
        show(_in_words(hit))
    if page.next:
        click.echo(f"more: moot search {query!r} --after {page.next}", err=True)


def _in_words(hit: SearchHit) -> Lines:
    event, excerpt = hit.record.event, hit.excerpt
    who = f"{NAMES[event.side]}, turn {event.turn}" if isinstance(event, TurnSpoken) else "Moderator"
    said: list[Part] = ["  "]
    ends = 0
    for start, end in excerpt.marks:
        said += [excerpt.text[ends:start], Marked(excerpt.text[start:end], "found")]
        ends = end
    head = Marked(f"{hit.row.id}  {who}  ", "quiet"), hit.row.motion[:80]
    return Lines((head, (*said, excerpt.text[ends:])))


async def _search(settings: Settings, query: str, after: str | None, limit: int) -> SearchPage:
    async with open_store(settings) as log:
        return await log.search(query, after, limit)
