"""``moot league``: who argues best, and how sure that is."""

from collections.abc import Sequence
from typing import Any, Final

import click
from msgspec import structs

from events.store.listing import ALL, FILED, FINDABLE, LISTED, Limits
from events.types import Format
from judge.league.pairing import next_pairs
from judge.league.results import METHODS, RESAMPLES, SEED, Method
from server.cli.options import open_store, with_json, with_settings
from server.cli.output import emit, run_async
from server.export.document.terminal import show
from server.league.document import LeagueShown, league_document, next_document
from server.league.forms import FORMS
from server.league.store import LeagueAsked, league_shown, people_of, read_store
from server.settings import Settings

JSON: Final = "json"


@click.command()
@click.option("-q", "query", default="", help="Text to find in the motions.")
@click.option("--format", "format_", type=click.Choice(["exchange", "protocol"]))
@click.option("--tag", help="Only debates with this tag.")
@click.option("--archived", is_flag=True, help="Only archived debates.")
@click.option("--hidden", is_flag=True, help="Only hidden debates.")
@click.option("--unlisted", is_flag=True, help="Only unlisted debates.")
@click.option("--judge", "judges", multiple=True, help="Only verdicts of this judge.  May be given several times.")
@click.option(
    "--person", "people", multiple=True, help="A person who agreed to be listed, besides those of league_people."
)
@click.option("--resamples", type=click.IntRange(100, 100_000), default=RESAMPLES, show_default=True)
@click.option("--seed", type=int, default=SEED, show_default=True, help="Of the resamples and of the pairing.")
@click.option("--next", "number", type=click.IntRange(1, 10_000), help="Print so many pairs that should debate next.")
@click.option("--pairing", type=click.Choice(METHODS), default="learn", show_default=True, help="How pairs are chosen.")
@click.option("--player", "players", multiple=True, help="One more player for --next.  May be given several times.")
@click.option("--motion", "motions", multiple=True, help="One more motion for --next.  May be given several times.")
@click.option("--as", "form", type=click.Choice(list(FORMS)), help="Without it: a table for reading.")
@with_settings
@with_json
def league(
    settings: Settings,
    /,
    query: str,
    format_: Format | None,
    tag: str | None,
    judges: Sequence[str],
    people: Sequence[str],
    resamples: int,
    seed: int,
    number: int | None,
    pairing: Method,
    players: Sequence[str],
    motions: Sequence[str],
    form: str | None,
    *,
    as_json: bool,
    **filed: bool,
) -> None:
    """Show who argues best in the debates of the store, and how sure that is.

    A player is a model as served with its character, or a person who agreed to be listed.  A debate whose sides are not
    distinguishable is a tie.  Hidden, archived and unlisted debates are left out unless they are asked for, and so are
    those that did not end or have no judgement.  No model is called.
    """
    wanted = {name: True for name in FILED if filed[name]}
    base = ALL if wanted else LISTED
    limits = structs.replace(base, format=format_, tag=tag, **wanted)
    asked = LeagueAsked(query=query, limits=limits, judges=tuple(judges), resamples=resamples, seed=seed)
    listed = people_of(settings) | set(people)
    shown: LeagueShown = run_async(lambda: _league(settings, asked, listed, ALL if wanted else FINDABLE))
    if number is not None:
        pairs = next_pairs(
            shown.matches, shown.league, number, method=pairing, seed=seed, players=players, motions=motions
        )
        if as_json or form == JSON:
            emit({"method": pairing, "seed": seed, "pairs": pairs})
        else:
            show(next_document(pairs, pairing, seed))
    elif as_json or form:
        click.echo(FORMS[JSON if as_json or form is None else form](shown), nl=False)
    else:
        show(league_document(shown))


async def _league(settings: Settings, asked: LeagueAsked, listed: set[str], base: Limits) -> Any:
    async with open_store(settings) as log:
        rows, read = await read_store(log, asked, base)
    return league_shown(rows, read, asked, listed)
