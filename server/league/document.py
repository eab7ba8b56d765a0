"""A league as a document, for the page and the terminal: its table, the pairs, sides, motions and judges."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from msgspec import Struct

from events.text.figures import percent, rounded, shortest, signed
from judge.league.results import Estimated, League, LeagueMatch, NextPair, PairDifference, Standing
from judge.report.figures import plural
from server.export.document import (
    Block,
    Column,
    Document,
    Drawing,
    Facts,
    Item,
    Link,
    Listing,
    Paragraph,
    Row,
    Section,
    Sentence,
    Strong,
    Table,
)
from server.export.wording import listed

TITLE: Final = "The league"
EMPTY: Final = (
    "No debate here counts yet. A listed debate counts once it has ended with a verdict by a model or a person."
)
ABOUT: Final = (
    "Strengths are log-odds by the model of Bradley and Terry, with ties and the advantage of a side; 0 is the mean of "
    "the players. A debate whose sides are not distinguishable is a tie. An interval of 95 % is a bootstrap over "
    "motions; it has the noise of the judge in it. Two players have different ranks only where their difference is "
    "beyond chance, as one of all pairs at once."
)
WIDTH: Final = 220
"""Pixels of a drawn interval."""
HEIGHT: Final = 20
MAX_PLAYERS: Final = 24
"""Players whose pairs are shown; those of more are in the JSON."""
MAX_MOTIONS: Final = 100
"""Motions that are shown, those with most debates."""


class LeagueShown(Struct, frozen=True, kw_only=True):
    """A league with the debates it rests on, and what a reader asked for."""

    league: League
    matches: tuple[LeagueMatch, ...]
    left_out: Mapping[str, int]
    query: dict[str, str] = {}
    """What the debates are limited to, as in the address of the page."""
    unread: int = 0
    chosen: dict[str, str] = {}
    """The debates to list: ``player``, ``against``, ``motion``, ``result``, ``judge``, ``and``."""


def league_document(shown: LeagueShown) -> Document:
    """The whole page."""
    if not shown.matches:
        return Document(TITLE, (Paragraph(EMPTY, "lead"), *_left_out(shown)))
    return Document(
        TITLE,
        (
            *_over(shown),
            *_chosen(shown),
            Section("Table", (_table(shown), Paragraph(ABOUT, "small"), *_controlled(shown.league)), name="table"),
            Section("Pairs", _pairs(shown), name="pairs"),
            Section("Sides and motions", (*_side(shown.league), _motions(shown)), name="motions"),
            *_judges(shown),
            *_left_out(shown),
        ),
    )


def next_document(pairs: Sequence[NextPair], method: str, seed: int) -> Document:
    """Who meets whom next, and how the pairs were chosen."""
    said = f"Method {method}, seed {seed}. Each pair debates its motion twice, with the sides exchanged."
    rows = tuple((each.motion, each.one, each.other) for each in pairs)
    none = Paragraph("All pairs have met on all motions.")
    return Document("Next pairs", (Paragraph(said), Table(("motion", "one", "other"), rows) if rows else none))


def figure(value: float) -> str:
    """Log-odds with two decimals and their sign."""
    return signed(value, 2)


def interval(span: Estimated | None) -> str:
    """The interval of a figure; a dash without one."""
    if span is None or span.low is None or span.high is None:
        return "–"
    return f"{figure(span.low)} to {figure(span.high)}"


def rank(standing: Standing) -> str:
    """A rank, or the range of ranks."""
    best, worst = standing.ranks
    return f"{best}" if best == worst else f"{best}–{worst}"


def number(value: float) -> str:
    """A number of debates, which are counted in shares where several judges read one debate."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def _to(shown: LeagueShown, text: str, **chosen: str) -> Link:
    return Link(text, f"?{urlencode({**shown.query, **chosen})}#debates")


def _over(shown: LeagueShown) -> Iterator[Block]:
    league, judges = shown.league, sorted({each.judge for each in shown.matches})
    players, motions = plural(len(league.standings), "player"), plural(len(league.motions), "motion")
    yield Paragraph(f"{players}, {plural(league.debates, 'debate')} on {motions}; judged by {listed(judges)}.", "lead")
    if len(judges) > 1:
        yield Paragraph("A debate that several judges read counts once, in equal shares.")
    unknown = league.verdicts - league.noisy
    if unknown:
        yield Paragraph(
            f"{plural(unknown, 'verdict')} of {league.verdicts:,} record no error of the lead, so the noise of the "
            "judge is in their intervals only as far as one reading shows it."
        )
    if shown.unread:
        yield Paragraph(f"{plural(shown.unread, 'further debate')} being read: reload the page in a moment.")
    for each in league.notes:
        yield Paragraph(f"{each[:1].upper()}{each[1:]}.", "caveat")


def _chosen(shown: LeagueShown) -> Iterator[Block]:
    if not shown.chosen:
        return
    fits = _fitting(shown.chosen)
    items: list[Sentence | Item] = [
        (Link(each.motion, f"/d/{each.debate}"), f": Pro {each.pro}, Con {each.con}. {_outcome(each)}")
        for each in shown.matches
        if fits(each)
    ]
    if "and" in shown.chosen:
        one, other = shown.chosen["judge"], shown.chosen["and"]
        both = {each.held for each in shown.matches if each.judge == one}
        both &= {each.held for each in shown.matches if each.judge == other}
        items = [
            (Link(each.motion, f"/d/{each.debate}"), f": {each.judge}. {_outcome(each)}")
            for each in sorted(shown.matches, key=lambda match: (match.motion, match.held))
            if each.held in both and each.judge in {one, other}
        ]
    what = listed([f"{name} {value}" for name, value in shown.chosen.items()])
    yield Section(f"Debates: {what}", (Listing(tuple(items)),), name="debates")


def _fitting(chosen: Mapping[str, str]) -> Callable[[LeagueMatch], bool]:
    def fits(each: LeagueMatch) -> bool:
        players = {each.pro, each.con}
        return (
            chosen.get("result", "") in {"", *_results(each, chosen.get("player", ""))}
            and all(chosen[name] in players for name in ("player", "against") if name in chosen)
            and chosen.get("motion", each.motion) == each.motion
            and ("and" in chosen or chosen.get("judge", each.judge) == each.judge)
        )

    return fits


def _results(each: LeagueMatch, player: str) -> set[str]:
    """What the outcome is called: by its side, and for a player."""
    if each.outcome == "neither":
        return {"tied"}
    return {each.outcome, "won" if player == (each.pro if each.outcome == "pro" else each.con) else "lost"}


def _outcome(each: LeagueMatch) -> str:
    if each.outcome == "neither":
        return "Not distinguishable."
    return f"{each.pro if each.outcome == 'pro' else each.con} was ahead."


def _table(shown: LeagueShown) -> Table:
    league = shown.league
    judges = sorted({judge for each in league.standings for judge in each.by_judge})
    is_controlled = bool(league.effects)
    columns: list[str | Column] = ["player", Column("rank", "n"), Column("strength", "n"), Column("95 %", "n")]
    columns += [Column("interval", "plot")]
    columns += [Column("controlled", "n")] * is_controlled
    columns += [Column(name, "n") for name in ("debates", "won", "tied", "lost", "US$ a win")]
    columns += [Column(f"by {judge}", "n") for judge in judges]
    reach = _reach(each.strength for each in league.standings)
    rows = []
    for each in league.standings:
        strength = each.strength
        cells: list[Sentence] = [
            (_to(shown, each.player, player=each.player),),
            rank(each),
            figure(strength.value) if strength else "none",
            interval(strength) if strength else each.why,
            (Drawing(_drawn(strength, reach)),),
        ]
        if is_controlled:
            cells.append(figure(each.controlled.value) if each.controlled else "–")
        cells += [
            (_to(shown, f"{each.debates:,}", player=each.player),),
            *(
                (_to(shown, number(count), player=each.player, result=result),)
                for result, count in (("won", each.won), ("tied", each.tied), ("lost", each.lost))
            ),
            "–" if each.cost_a_win is None else shortest(each.cost_a_win, 4),
            *(figure(each.by_judge[judge]) if judge in each.by_judge else "–" for judge in judges),
        ]
        rows.append(Row(tuple(cells)))
    return Table(tuple(columns), tuple(rows), region="The table of the league")


def _reach(spans: Iterator[Estimated | None]) -> float:
    """The largest distance from 0 that is drawn."""
    ends = [abs(end) for span in spans if span for end in (span.low, span.value, span.high) if end is not None]
    return max(ends, default=1.0) or 1.0


def _drawn(span: Estimated | None, reach: float) -> str:
    """An interval as SVG, around 0 in the middle."""
    if span is None:
        return ""

    def at(value: float) -> str:
        return rounded(WIDTH / 2 * (1 + 0.96 * value / reach))

    middle = HEIGHT // 2
    ends = ""
    if span.low is not None and span.high is not None:
        ends = f'<line class="span" x1="{at(span.low)}" x2="{at(span.high)}" y1="{middle}" y2="{middle}"/>'
    zero = f'<line class="zero" x1="{at(0)}" x2="{at(0)}" y1="0" y2="{HEIGHT}"/>'
    dot = f'<circle cx="{at(span.value)}" cy="{middle}" r="4"/>'
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg class="interval" aria-hidden="true" {size}>{zero}{ends}{dot}</svg>'


def _controlled(league: League) -> Iterator[Block]:
    if not league.effects:
        return
    said = [f"{name} more {figure(span.value)} ({interval(span)})" for name, span in league.effects.items()]
    yield Paragraph(
        "The column “controlled” has the strengths where both sides have the same words and as many formatting marks "
        f"(headings, list items, bold), as far as they vary. In log-odds: {listed(said)}. Nothing else of length or "
        "style is controlled for.",
        "small",
    )


def _pairs(shown: LeagueShown) -> tuple[Block, ...]:
    if len(shown.league.standings) > MAX_PLAYERS:
        return (Paragraph(f"The pairs of more than {MAX_PLAYERS} players are in the JSON only."),)
    return (_matrix(shown), _differences(shown))


def _matrix(shown: LeagueShown) -> Table:
    """Won, tied and lost of the player of the row against that of the column."""
    names = [each.player for each in shown.league.standings]
    by_pair: dict[tuple[str, str], PairDifference] = {}
    for each in shown.league.pairs:
        by_pair[each.one, each.other] = each
        by_pair[each.other, each.one] = each
    rows: list[tuple[Sentence, ...]] = []
    for one in names:
        cells: list[Sentence] = [one]
        for other in names:
            pair = by_pair.get((one, other))
            cells.append("" if pair is None else _met(shown, pair, one))
        rows.append(tuple(cells))
    caption = "Won–tied–lost of the row against the column; with a star where the two have different ranks."
    columns: tuple[str | Column, ...] = ("player", *(Column(name, "n") for name in names))
    return Table(columns, tuple(rows), caption=caption, region="The matrix of pairs", kind="matrix")


def _met(shown: LeagueShown, pair: PairDifference, one: str) -> Sentence:
    counts = (pair.won, pair.tied, pair.lost) if pair.one == one else (pair.lost, pair.tied, pair.won)
    if not sum(counts):
        return "–"
    other = pair.other if pair.one == one else pair.one
    text = "–".join(map(number, counts))
    link = _to(shown, text, player=one, against=other)
    return (link, Strong(" *")) if pair.is_ranked else (link,)


def _differences(shown: LeagueShown) -> Table:
    ordered = sorted(shown.league.pairs, key=lambda each: -abs(each.difference.value) if each.difference else 0)
    rows = []
    for each in ordered:
        span = each.difference
        one, other = each.one, each.other
        if span is not None and span.value < 0:
            one, other, span = other, one, _turned(span)
        ranked = "differ" if each.is_ranked else "not told apart"
        rows.append(
            (
                (_to(shown, f"{one} – {other}", player=one, against=other),),
                figure(span.value) if span else "none",
                interval(span),
                ranked,
            )
        )
    columns = ("pair", Column("difference", "n"), Column("95 %", "n"), "ranks")
    return Table(columns, tuple(rows), region="The differences of pairs")


def _turned(span: Estimated) -> Estimated:
    return Estimated(-span.value, None if span.high is None else -span.high, None if span.low is None else -span.low)


def _side(league: League) -> Iterator[Block]:
    if league.side is None:
        return
    tie = "" if league.tie is None else f" Two equal players tie with weight {rounded(league.tie, 2)} (Davidson’s ν)."
    yield Paragraph(f"The side Pro is worth {figure(league.side.value)} ({interval(league.side)}) in log-odds.{tie}")


def _motions(shown: LeagueShown) -> Table:
    most = sorted(shown.league.motions, key=lambda each: -each.debates)[:MAX_MOTIONS]
    rows: tuple[tuple[Sentence, ...], ...] = tuple(
        (
            (_to(shown, each.motion, motion=each.motion),),
            f"{each.debates:,}",
            *(
                (_to(shown, number(count), motion=each.motion, result=result),)
                for result, count in (("pro", each.pro), ("tied", each.tied), ("con", each.con))
            ),
            figure(each.side.value) if each.side else "–",
            interval(each.side),
            percent(each.difficulty),
        )
        for each in most
    )
    columns: tuple[str | Column, ...] = (
        "motion",
        *(Column(name, "n") for name in ("debates", "Pro", "tied", "Con", "side", "95 %", "not distinguishable")),
    )
    left = len(shown.league.motions) - len(most)
    caption = f"{plural(left, 'further motion')} in the JSON only." if left else ""
    return Table(columns, rows, caption=caption, region="The motions")


def _judges(shown: LeagueShown) -> Iterator[Section]:
    found = shown.league.agreements
    if not found:
        return
    rows = tuple(
        (
            (_to(shown, f"{each.one}, {each.other}", judge=each.one, **{"and": each.other}),),
            f"{each.debates:,}",
            percent(each.same.value),
            "–"
            if each.same.low is None or each.same.high is None
            else f"{percent(each.same.low)} to {percent(each.same.high)}",
            "–" if each.kappa is None else rounded(each.kappa, 2),
        )
        for each in found
    )
    columns: tuple[str | Column, ...] = (
        "judges",
        *(Column(name, "n") for name in ("debates", "same outcome", "95 %", "kappa")),
    )
    yield Section("Do the judges agree?", (Table(columns, rows, region="The agreement of judges"),), name="judges")


def _left_out(shown: LeagueShown) -> Iterator[Section]:
    if shown.left_out:
        pairs = tuple((why, f"{number_:,}") for why, number_ in shown.left_out.items())
        yield Section("Debates that do not count", (Facts(pairs),), name="left-out")
