"""What-ifs as sentences with blanks: the changed rules, who would be named under them, and whether that differs."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Final, NamedTuple

import structlog
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from events.record import Recorded
from events.state.debate import INITIAL, Debate, evolve
from events.state.outcome import headline, outcome_of
from events.state.scorecard import scorecard
from events.state.witnesses import NAMES
from events.text.figures import rounded, shortest
from events.types import DebateOpened, Missing, Side, Winner
from events.types.rubric import name_of_rubric
from events.view.summary import summary_of
from judge.report.figures import plural
from judge.rubrics.rubric import SHIPPED
from server.errors import BadField, NotNow
from server.export.labels import capital_sides
from server.export.reasons import plain_reason
from server.whatif.comparison import NOTE, opening_of, replayed_under
from server.whatif.figures import FigureGroup, figures_of
from server.whatif.request import WhatIfRequest

logger = structlog.get_logger()

GRADED: Final = 2
"""The version of the rubric from which on a measure can decide a tie."""
MIN_RATERS: Final = 3
"""One rater can be left out of a panel with so many."""
CLAIM_KINDS: Final = {
    "fabricated_citation": "invented study or source",
    "overclaim": "overclaim",
    "inverted_fact": "inverted fact",
    "reversed_causality": "reversal of cause and effect",
    "no_mechanism": "claim without a mechanism",
    "hollow_specificity": "hollow figure",
}
EVIDENCE: Final = "-evidence"
"""A shipped rubric with the rules of evidence; a debate with documents has them under each rubric."""
TIMES: Final = 4
"""A suspect claim costs so many times its points, until the reader writes another number."""
SURER: Final = 95
WIDER_TIE: Final = 5.0


class Choice(Struct, frozen=True):
    """One of the values of a blank, and its words."""

    value: str
    label: str


class Blank(Struct, frozen=True, kw_only=True):
    """A place in a sentence that the reader fills: with a number, or with one of ``choices``."""

    name: str
    label: str
    value: float | str
    choices: tuple[Choice, ...] = ()


class Ahead(Struct, frozen=True, kw_only=True):
    """What a bar shows."""

    lead: float
    """Pro's points less Con's."""
    probability: float | UnsetType = UNSET
    """That Pro is ahead; absent where the rubric asks for no certainty."""
    name_at: float | UnsetType = UNSET


class WouldBe(Struct, frozen=True, kw_only=True):
    """The outcome under the rules of a sentence, for the end of it and for its bar."""

    winner: Winner | UnsetType = UNSET
    says: str
    """Who is named and by how much; without a full stop."""
    leans: Side | UnsetType = UNSET
    """The side with more points where none is named, and by how much."""
    leaning: str = ""
    note: str = ""
    changes_winner: bool = False
    ahead: Ahead | UnsetType = UNSET


class If(Struct, frozen=True, kw_only=True):
    """A sentence: its parts in order, and the outcome."""

    name: str
    parts: tuple[str | Blank, ...]
    would_be: WouldBe
    text: str
    """The same as plain text, with the outcome."""


class Offer(Struct, frozen=True, kw_only=True):
    """What a reader can ask about a debate."""

    note: str
    ifs: tuple[If, ...]
    groups: tuple[FigureGroup, ...]
    raters: tuple[str, ...]
    """Raters of whom one can be left out."""


class Asked(NamedTuple):
    """The parts of a sentence, and the rules that it asks for."""

    parts: tuple[str | Blank, ...]
    wish: WhatIfRequest


class About(NamedTuple):
    """A debate, and what the reader wrote, by the name of the blank."""

    debate: Debate
    opened: DebateOpened
    blanks: Mapping[str, Any] = {}

    def number(self, name: str, otherwise: float, most: float = 100) -> float:
        """The number in a blank.  Raises ``BadField``."""
        value = self.blanks.get(name, otherwise)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
            raise BadField(f"blanks.{name}", f"a number from 0 to {most:g}")
        return value

    def choice(self, name: str, choices: tuple[Choice, ...], otherwise: str) -> str:
        """The choice in a blank.  Raises ``BadField``."""
        value = self.blanks.get(name, otherwise)
        known = [each.value for each in choices]
        if value not in known:
            raise BadField(f"blanks.{name}", f"one of {', '.join(known)}")
        return str(value)


def _as_it_is(_about: About) -> Asked:
    return Asked(("As it is: ",), WhatIfRequest())


def _by_points(about: About) -> Asked | None:
    if summary_of(about.debate, {}).rules is UNSET:
        return None
    return Asked(("Without anything taken off or moved afterwards: ",), WhatIfRequest())


def _no_claims(about: About) -> Asked | None:
    if not any(claim.penalty for claim in about.debate.claims.values()):
        return None
    return Asked(("If no suspect claim cost anything: ",), WhatIfRequest(rubric={"claims": None}))


def _claim(about: About) -> Asked | None:
    rules = about.opened.rubric.claims
    found = [claim.kind for claim in about.debate.claims.values() if claim.penalty]
    choices = tuple(Choice(kind, CLAIM_KINDS.get(kind, kind.replace("_", " "))) for kind in rules if kind in found)
    if not choices:
        return None
    kind = about.choice("kind", choices, max(choices, key=lambda each: found.count(each.value)).value)  # type: ignore[arg-type]
    known = next(rule.points for name, rule in rules.items() if name == kind)
    points = about.number("points", known * TIMES)
    article = "an" if CLAIM_KINDS.get(kind, kind)[0] in "aeiou" else "a"
    parts = (
        f"If {article} ",
        Blank(name="kind", label="Kind of claim", value=kind, choices=choices),
        " cost ",
        Blank(name="points", label="Points", value=points),
        f" points instead of {shortest(known)}: ",
    )
    return Asked(parts, WhatIfRequest(rubric={"claims": {kind: {"points": points}}}))


def _sure(about: About) -> Asked | None:
    if not about.opened.rubric.certainty:
        return None
    percent = about.number("percent", SURER)
    parts = (
        "If a side were named only from ",
        Blank(name="percent", label="Probability, in 100", value=percent),
        " in 100: ",
    )
    return Asked(parts, WhatIfRequest(rubric={"certainty": {"name_at": percent / 100}}))


def _tie(about: About) -> Asked | None:
    return _tie_by(about, "nothing")


def _broken_tie(about: About) -> Asked | None:
    return _tie_by(about, "credibility") if about.opened.rubric.version >= GRADED else None


def _tie_by(about: About, by: str) -> Asked | None:
    if about.opened.rubric.certainty:
        return None
    points = about.number("points", WIDER_TIE)
    tie = ("If ", Blank(name="points", label="Points", value=points))
    if about.opened.rubric.version < GRADED:
        return Asked((*tie, " points were a tie: "), WhatIfRequest(rubric={"tie_within": points}))
    choices = tuple(Choice(each, each) for each in ("nothing", "credibility", "stability"))
    breaker = about.choice("by", choices, by)
    known = about.opened.rubric.decided_by or {}
    measures = {"credibility": 0.5, "stability": 0.1, **known}
    decided = None if breaker == "nothing" else {name: measures[name] if name == breaker else None for name in measures}
    broke = Blank(name="by", label="What breaks a tie", value=breaker, choices=choices)
    wish = WhatIfRequest(rubric={"tie_within": points, "decided_by": decided})
    return Asked((*tie, " points were a tie, and ", broke, " broke it: "), wish)


def _other_rubric(about: About) -> Asked:
    own = name_of_rubric(about.opened.rubric).partition("-")[0]
    choices = tuple(Choice(name, name) for name in SHIPPED if name != own and not name.endswith(EVIDENCE))
    name = about.choice("rubric", choices, choices[-1].value)
    parts = ("Under the rubric ", Blank(name="rubric", label="Rubric", value=name, choices=choices), ": ")
    return Asked(parts, WhatIfRequest(base=next(each for each in SHIPPED if each == name)))


def _without_rater(about: About) -> Asked | None:
    if len(about.opened.panel) < MIN_RATERS:
        return None
    choices = tuple(Choice(seat.name, seat.name.replace("_", " ")) for seat in about.opened.panel)
    name = about.choice("rater", choices, choices[0].value)
    parts = ("Without the rater ", Blank(name="rater", label="Rater", value=name, choices=choices), ": ")
    return Asked(parts, WhatIfRequest(without_rater=name))


AsIf = Callable[[About], Asked | None]
"""A sentence; None if it says nothing about the debate."""
BY_POINTS: Final = "by_points"
_OF_SCORES: Final[dict[str, AsIf]] = {
    BY_POINTS: _by_points,
    "no_claims": _no_claims,
    "claim": _claim,
    "sure": _sure,
    "tie": _tie,
    "broken_tie": _broken_tie,
    "rubric": _other_rubric,
}
_OF_ALL: Final[dict[str, AsIf]] = {"as_it_is": _as_it_is, "without_rater": _without_rater}
_ORDER: Final = ("as_it_is", *_OF_SCORES, "without_rater")


def _ifs(opened: DebateOpened) -> dict[str, AsIf]:
    known = _OF_ALL | (_OF_SCORES if opened.format == "exchange" else {})
    return {name: known[name] for name in _ORDER if name in known}


def offered(about: About) -> dict[str, Asked]:
    """The sentences about a debate with their first blanks, by name."""
    found = {name: make(about) for name, make in _ifs(about.opened).items()}
    return {name: each for name, each in found.items() if each is not None}


def asked(about: About, name: str) -> Asked:
    """A sentence with what the reader wrote.  Raises ``BadField`` if there is none, or a blank is filled wrongly."""
    make = _ifs(about.opened).get(name)
    found = None if make is None else make(about)
    if found is None:
        raise BadField("if", f"{name[:40]!r} is no sentence about this debate")
    return found


class Filled(NamedTuple):
    """A sentence by its name, with what the reader wrote."""

    name: str
    blanks: dict[str, Any]


def read_blanks(said: dict[str, Any]) -> Filled:
    """``{"if": name, "blanks": {…}}``.  Raises ``BadField``."""
    if unknown := said.keys() - {"if", "blanks"}:
        raise BadField(min(unknown)[:40], "there is no such field: if, blanks")
    name, blanks = said["if"], said.get("blanks", {})
    if not isinstance(name, str) or not isinstance(blanks, dict):
        raise BadField("if", "the name of a sentence, with its blanks as an object")
    return Filled(name, blanks)


def offer(records: Sequence[Recorded]) -> Offer:
    """What a reader can ask about a debate, with the outcome of each sentence.

    Raises ``NotNow`` if its format has no outcome.  A debate that cannot be run again has no sentences, and a note why.
    """
    opened = opening_of(records)
    raters = tuple(seat.name for seat in opened.panel) if len(opened.panel) >= MIN_RATERS else ()
    offer = Offer(note=NOTE, ifs=(), groups=figures_of(opened), raters=raters)
    try:
        recorded = replayed_under(records, opened).recorded
    except NotNow as error:
        return replace(offer, note=f"{error}.")
    ifs: list[If] = []
    for name, question in offered(About(recorded, opened)).items():
        try:
            ifs.append(_answered(records, opened, name, question))
        except BadField:  # the debate's own rubric does not allow this change
            logger.info("if_not_offered", debate=records[0].debate, name=name)
    return replace(offer, ifs=tuple(ifs))


def sentence(records: Sequence[Recorded], said: Filled) -> If:
    """A sentence with its outcome.  Raises as ``asked`` and ``replayed_under`` do."""
    opened = opening_of(records)
    return _answered(records, opened, said.name, asked(About(_folded(records), opened, said.blanks), said.name))


def _answered(records: Sequence[Recorded], opened: DebateOpened, name: str, question: Asked) -> If:
    replayed = replayed_under(records, question.wish.opening(opened))
    one, two = replayed.recorded, replayed.would_be
    result = _by_points_alone(one) if name == BY_POINTS else _would_be(one, two, len(replayed.unanswered))
    return If(name=name, parts=question.parts, would_be=result, text=_text(question.parts, result))


def _text(parts: tuple[str | Blank, ...], result: WouldBe) -> str:
    said = "".join(each if isinstance(each, str) else _shown(each) for each in parts)
    leaning = f", leaning to {result.leaning}" if result.leaning else ""
    flips = " This changes the winner." if result.changes_winner else ""
    return f"{said}{result.says}{leaning}.{flips}"


def _shown(blank: Blank) -> str:
    if isinstance(blank.value, str):
        return next(each.label for each in blank.choices if each.value == blank.value)
    return shortest(blank.value, 2)


def _folded(records: Sequence[Recorded]) -> Debate:
    """The debate at the end of its records."""
    return reduce(evolve, records, INITIAL)


def _by_points_alone(debate: Debate) -> WouldBe:
    rules = summary_of(debate, {}).rules
    assert rules is not UNSET, "the sentence is offered only with it"
    pro, con = rules.given.pro, rules.given.con
    assert not isinstance(pro, Missing) and not isinstance(con, Missing), "both sides have points there"  # noqa: PT018
    side = _ahead_side(pro - con)
    is_gated = debate.opened is not None and bool(debate.opened.rubric.certainty)
    return WouldBe(
        winner=side,
        says="level"
        if side == "neither"
        else _by(side, pro - con).replace(" by ", " would lead by " if is_gated else " by "),
        note=rules.text,
        ahead=UNSET if is_gated else Ahead(lead=round(pro - con, 2)),
    )


def _ahead_side(lead: float) -> Winner:
    if not lead:
        return "neither"
    return "pro" if lead > 0 else "con"


def _by(side: Winner, points: float) -> str:
    return f"{NAMES[side]} by {rounded(abs(points))}"


def _would_be(one: Debate, two: Debate, unanswered: int) -> WouldBe:
    verdict, ended, known = two.panel.verdict, two.status.conclusion, one.status.conclusion
    note = f"Without a recorded answer: {plural(unanswered, 'question')} of these rules." if unanswered else ""
    if verdict is not UNSET:
        before = one.panel.verdict
        differs = before is not UNSET and before.verdict != verdict.verdict
        says = f"the verdict {verdict.verdict}" if verdict.verdict else f"no verdict: {verdict.missing}"
        return WouldBe(says=says, note=note, changes_winner=differs)
    if ended is None:
        return WouldBe(says=f"no winner yet, the debate is {two.status.state}", note=note)
    card, differs = two.verdicts.scorecard, known is not None and known.winner != ended.winner
    result = WouldBe(winner=ended.winner, says="", note=note, changes_winner=differs, ahead=_ahead(two))
    if ended.by_rule != "scorecard" or card is None or isinstance(card.margin, Missing):
        said = outcome_of(two)
        return replace(result, says=headline(ended.winner, ended.by_rule) if said is UNSET else said.headline)
    if ended.winner == "neither":
        leans = "neither" if result.ahead is UNSET else _ahead_side(result.ahead.lead)
        if leans == "neither":
            return replace(result, says="nobody")
        return replace(result, says="nobody", leans=leans, leaning=_by(leans, card.margin))
    if card.tie_broken_by:
        why = capital_sides(plain_reason(card.reason))
        return replace(result, says=NAMES[ended.winner], note=note or f"{why}.")
    return replace(result, says=_by(ended.winner, card.margin))


def _ahead(debate: Debate) -> Ahead | UnsetType:
    """What a bar shows of a debate that was decided: the lead or, by the rubric, how probable it is that Pro leads."""
    if not debate.ledger.cards:
        return UNSET
    card = scorecard(debate.ledger, debate.exchanges)
    pro, con = card.pro.composite, card.con.composite
    if isinstance(pro, Missing) or isinstance(con, Missing):
        return UNSET
    verdict, rubric = debate.verdicts.scorecard, debate.ledger.rubric
    ahead = Ahead(lead=round(pro - con, 2))
    if rubric is None or not rubric.certainty or verdict is None or verdict.certainty is UNSET:
        return ahead
    is_con = verdict.leaning == "con"
    sure = 1 - verdict.certainty if is_con else verdict.certainty
    return replace(ahead, probability=sure, name_at=rubric.certainty.name_at)
