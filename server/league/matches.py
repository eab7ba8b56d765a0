"""Which debates of a store count in a league, who their players are, and why the others are left out."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

import structlog
from anyio import to_thread
from msgspec import UNSET, Struct
from msgspec.structs import replace

from events.errors import UnknownEvent
from events.record import Envelope, decoded
from events.short_names import short_name
from events.store.listing import Summary
from events.store.log import PAGE, EventLog
from events.types import (
    DebateConcluded,
    DebateOpened,
    Missing,
    ModelAnswered,
    ModelFailed,
    ScorecardVerdictReached,
    SeatHandedOver,
    Side,
    TurnSpoken,
    Winner,
)
from judge.league.results import LeadReading, LeagueMatch, reading_by_certainty, reading_by_noise
from server.debate.adoption import UNREADABLE
from server.export.wording import as_served
from server.people.names import PREFIX, is_person, seat_of

logger = structlog.get_logger()

CONTROLS: Final = ("100 words", "formatting marks")
"""What is held equal: the difference of the sides in all words of their turns, and in headings, list items and bold."""
WORDS_UNIT: Final = 100
DEBATES: Final = frozenset({"exchange", "protocol"})
"""Formats with two sides."""
PANEL: Final = "the panel"
SOME_PERSON: Final = "a person"
NOT_ENDED: Final = "halted, or not concluded yet"
NOT_JUDGED: Final = "without a judgement"
FORK: Final = "a fork, which repeats the turns of another debate"
HANDED_OVER: Final = "a model took over a person’s seat"
SEVERAL_MODELS: Final = "several models spoke for one side"
NOT_LISTED: Final = "with a person who did not agree to be listed"
MIRROR: Final = "with one player on both sides"
NO_SOURCE: Final = "judged again, and the debate that was held is not among these"
UNREAD: Final = "cannot be read"
MAX_PLAYERS: Final = 100
"""Players of a league: the time and the memory of a fit grow with their square."""
BEYOND: Final = f"with a player who is not among the {MAX_PLAYERS} with most debates"
_MARK: Final = re.compile(r"^[ ]{0,3}(?:#{1,6} |[-*+] |\d{1,3}[.)] )|\*\*(?=\S)", re.MULTILINE)


class SpokenSide(Struct, kw_only=True):
    """What one side of a debate said."""

    models: tuple[str, ...] = ()
    """As served; empty for a person."""
    words: int = 0
    marks: int = 0
    cost_usd: float | None = 0.0
    """None if a call has no price."""


class LeagueDebate(Struct, frozen=True, kw_only=True):
    """What a league needs of one concluded debate; ``why`` says why it cannot count."""

    id: str
    motion: str
    pro: str = ""
    con: str = ""
    people: tuple[str, ...] = ()
    """The players that are people."""
    judge: str = ""
    outcome: Winner = "neither"
    reading: LeadReading | None = None
    controls: tuple[float, ...] = ()
    costs: tuple[float, float] | None = None
    source: str = ""
    """The debate whose turns were judged again."""
    why: str = ""


class DebateReader:
    """Reads one debate from its records, in order."""

    def __init__(self) -> None:
        self._opened: DebateOpened | None = None
        self._sides: dict[Side, SpokenSide] = {"pro": SpokenSide(), "con": SpokenSide()}
        self._card: ScorecardVerdictReached | None = None
        self._ended: DebateConcluded | None = None
        self._is_handed_over = False

    def take(self, page: Iterable[Envelope]) -> None:
        """Read some records; events of a later version are left out."""
        for each in page:
            try:
                event = decoded(each).event
            except UnknownEvent:
                continue
            match event:
                case DebateOpened():
                    self._opened = event
                case TurnSpoken():
                    side = self._sides[event.side]
                    side.models = tuple(dict.fromkeys((*side.models, event.model)))
                    side.words += event.words
                    side.marks += len(_MARK.findall(event.text))
                case ModelAnswered() | ModelFailed():
                    self._pay(event)
                case SeatHandedOver(seat="pro" | "con"):
                    self._is_handed_over = True
                case ScorecardVerdictReached():
                    self._card = event
                case DebateConcluded():
                    self._ended = event
                case _:
                    pass

    def _pay(self, event: ModelAnswered | ModelFailed) -> None:
        match seat_of(event.key):
            case "pro" | "con" as name:
                side = self._sides[name]
                paid, cost = side.cost_usd, event.cost_usd
                side.cost_usd = None if paid is None or isinstance(cost, Missing) else paid + cost

    def held(self, debate: str) -> LeagueDebate:
        """The debate, or why it does not count.  Raises ``UnknownEvent`` without an opening."""
        opened = self._opened
        if opened is None:
            raise UnknownEvent(debate)
        found = LeagueDebate(id=debate, motion=opened.motion, judge=as_served(opened.judge) or PANEL)
        if opened.origin is not UNSET:
            if opened.origin.kind == "fork":
                return replace(found, why=FORK)
            found = replace(found, source=opened.origin.debate)
        if self._is_handed_over:
            return replace(found, why=HANDED_OVER)
        pro, con = self._sides["pro"], self._sides["con"]
        players = [self._player(opened, side) for side in ("pro", "con")]
        if not found.source and None in players:
            return replace(found, why=SEVERAL_MODELS)
        people = [each for each in (opened.pro.speaker, opened.con.speaker) if each]
        found = replace(
            found,
            pro=players[0] or "",
            con=players[1] or "",
            people=tuple(people),
            controls=((pro.words - con.words) / WORDS_UNIT, float(pro.marks - con.marks)),
            costs=None if pro.cost_usd is None or con.cost_usd is None else (pro.cost_usd, con.cost_usd),
        )
        return self._judged(opened, found)

    def _player(self, opened: DebateOpened, side: Side) -> str | None:
        """A person's name, or the model as served with its character; None if several models spoke."""
        seat = opened.pro if side == "pro" else opened.con
        if seat.speaker is not UNSET:
            return seat.speaker
        models = self._sides[side].models
        if len(models) > 1:
            return None
        model = short_name(next(iter(models), "") or seat.model)
        return f"{model}, {seat.archetype}" if seat.archetype else model

    def _judged(self, opened: DebateOpened, found: LeagueDebate) -> LeagueDebate:
        ended, card = self._ended, self._card
        if ended is None:
            return replace(found, why=NOT_ENDED)
        is_scored = card is not None and not isinstance(card.margin, Missing)
        if ended.by_rule in {"no_judgement", "baseline"} or (ended.by_rule == "scorecard" and not is_scored):
            return replace(found, why=NOT_JUDGED)
        if opened.judge.baseline is not UNSET and ended.by_rule == "scorecard":
            return replace(found, why=NOT_JUDGED)
        reading = reading_of(opened, card) if card is not None and ended.by_rule == "scorecard" else None
        return replace(found, outcome=ended.winner, reading=reading)


def reading_of(opened: DebateOpened, card: ScorecardVerdictReached) -> LeadReading | None:
    """The lead of a verdict with its error, by its certainty or by a lab run; None if neither is recorded."""
    pro, con, rule = card.mean.pro, card.mean.con, opened.rubric.certainty
    if isinstance(pro, Missing) or isinstance(con, Missing):
        return None
    lead = pro - con
    if rule is not UNSET:
        return None if not card.error else reading_by_certainty(lead, card.error, card.pairs or 0, rule)
    if not card.noise:
        return None
    limit = max(opened.rubric.tie_within, card.noise if opened.rubric.lead_beyond_noise else 0.0)
    return reading_by_noise(lead, card.noise, limit)


async def held_debate(log: EventLog, debate: str) -> LeagueDebate:
    """Read one debate in pages; a thread decodes them."""
    reader, after = DebateReader(), 0
    try:
        while page := await log.envelopes(debate, after, PAGE):
            after = page[-1].position
            await to_thread.run_sync(reader.take, page)
        return reader.held(debate)
    except (UnknownEvent, *UNREADABLE) as error:
        logger.warning("debate_not_counted", debate=debate, message=f"{type(error).__name__}: {error}")
        return LeagueDebate(id=debate, motion="", why=UNREAD)


class Counted(Struct, frozen=True, kw_only=True):
    """The verdicts that count, and how many debates do not, by reason."""

    matches: tuple[LeagueMatch, ...]
    left_out: dict[str, int]


def counted(
    rows: Iterable[Summary], read: Mapping[str, LeagueDebate], listed: Collection[str], judges: Collection[str] = ()
) -> Counted:
    """The league of these rows.  ``listed``: people who agreed to be listed; ``judges``: those that count, or all.

    ``read`` has every concluded debate that readers of the league may see: a debate that was judged again has its
    players from there.
    """
    matches: list[LeagueMatch] = []
    left_out: Counter[str] = Counter()
    for row in rows:
        if row.format not in DEBATES:
            continue
        found = read.get(row.id)
        if row.state != "concluded" or found is None:
            left_out[NOT_ENDED] += 1
            continue
        why, players = _players(found, read, listed)
        judge = _judge(found.judge, listed)
        if why or players is None:
            left_out[why] += 1
        elif not judges or judge in judges:
            matches.append(
                LeagueMatch(
                    debate=found.id,
                    turns="" if players.id == found.id else players.id,
                    motion=found.motion,
                    pro=players.pro,
                    con=players.con,
                    outcome=found.outcome,
                    judge=judge,
                    reading=found.reading,
                    controls=players.controls,
                    costs=players.costs,
                )
            )
    kept = _of_most_debates(matches)
    if len(kept) < len(matches):
        left_out[BEYOND] += len(matches) - len(kept)
    return Counted(matches=tuple(kept), left_out=dict(left_out.most_common()))


def _of_most_debates(matches: Sequence[LeagueMatch]) -> Sequence[LeagueMatch]:
    """The debates among the players with most debates, where there are too many players to fit."""
    debates = Counter(player for each in matches for player in (each.pro, each.con))
    if len(debates) <= MAX_PLAYERS:
        return matches
    kept = frozenset(sorted(debates, key=lambda player: (-debates[player], player))[:MAX_PLAYERS])
    return [each for each in matches if {each.pro, each.con} <= kept]


def _judge(name: str, listed: Collection[str]) -> str:
    """A judge's name; that of a person only if it may be listed."""
    return name if not is_person(name) or name.removeprefix(PREFIX) in listed else SOME_PERSON


def _players(
    found: LeagueDebate, read: Mapping[str, LeagueDebate], listed: Collection[str]
) -> tuple[str, LeagueDebate | None]:
    """The debate in which the players spoke, or why it does not count."""
    if found.why:
        return found.why, None
    held = found
    seen = {found.id}
    while held.source:
        source = read.get(held.source)
        if source is None or source.id in seen:
            return NO_SOURCE, None
        seen.add(source.id)
        held = source
    if not held.pro or not held.con:
        return held.why or NO_SOURCE, None
    if any(name not in listed for name in held.people):
        return NOT_LISTED, None
    if held.pro == held.con:
        return MIRROR, None
    return "", held
