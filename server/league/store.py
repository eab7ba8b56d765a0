"""The league of a store: its debates read once, limited as a list is, and fitted."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from events.store.listing import ALL, Limits, Summary
from events.store.log import PAGE, EventLog
from judge.league.results import RESAMPLES, SEED
from server.league.document import LeagueShown
from server.league.matches import CONTROLS, DEBATES, LeagueDebate, counted, held_debate
from server.settings import Settings


class LeagueAsked(Struct, frozen=True, kw_only=True):
    """What a league is limited to, and how it is resampled."""

    query: str = ""
    limits: Limits = ALL
    judges: tuple[str, ...] = ()
    resamples: int = RESAMPLES
    seed: int = SEED


def people_of(settings: Settings) -> set[str]:
    """The people who agreed to be listed, by the settings."""
    return {name for each in settings.league_people.split(",") if (name := each.strip())}


async def rows_of(log: EventLog, asked: LeagueAsked, most: int) -> list[Summary]:
    """The newest rows of the list within the limits, at most so many."""
    rows: list[Summary] = []
    after = None
    while len(rows) < most:
        page = await log.summaries(after, min(PAGE, most - len(rows)), asked.query, asked.limits)
        rows += page.debates
        if (after := page.next) is None:
            break
    return rows


MAX_ROWS: Final = 1_000_000


async def read_store(log: EventLog, asked: LeagueAsked, base: Limits) -> tuple[list[Summary], dict[str, LeagueDebate]]:
    """The rows within the limits, and each of their concluded debates, read with those whose turns they judge again.

    A debate that was judged again has its players from the debate that was held, which must be within ``base``.
    """
    rows = await rows_of(log, asked, MAX_ROWS)
    read = {each.id: await held_debate(log, each.id) for each in rows if is_read(each)}
    wanted = missing_sources(read)
    while wanted:
        shown = [
            row for row in await rows_of(log, LeagueAsked(limits=base), MAX_ROWS) if row.id in wanted and is_read(row)
        ]
        read |= {each.id: await held_debate(log, each.id) for each in shown}
        wanted = missing_sources(read) - wanted
    return rows, read


def is_read(row: Summary) -> bool:
    """Whether a debate of the list may count."""
    return row.format in DEBATES and row.state == "concluded"


def missing_sources(read: Mapping[str, LeagueDebate]) -> set[str]:
    """The debates that were judged again and are not read."""
    return {each.source for each in read.values() if each.source} - read.keys()


def league_shown(
    rows: Sequence[Summary], read: Mapping[str, LeagueDebate], asked: LeagueAsked, listed: Collection[str]
) -> LeagueShown:
    """Fit the league of these rows."""
    from judge.league.league import league_of  # noqa: PLC0415 - numpy is imported where a league is asked for

    found = counted(rows, read, listed, asked.judges)
    league = league_of(found.matches, CONTROLS, resamples=asked.resamples, seed=asked.seed)
    return LeagueShown(league=league, matches=found.matches, left_out=found.left_out)


def chosen(shown: LeagueShown, query: Mapping[str, str], names: Mapping[str, str], unread: int) -> LeagueShown:
    """The same league with what a reader of the page asked for."""
    return replace(shown, query=dict(query), chosen=dict(names), unread=unread)
