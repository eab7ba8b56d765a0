"""The question to a rater about a debate: the whole debate, the rater's focus, and the items to rate.

In format ``protocol`` the items are the opening arguments, in ``exchange`` the turns.  The debate comes first and is
the same for all raters, so that a model with a prompt cache reads it once.  No rater sees another rater's scores or the
name of a model.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Struct

from events.state.debate import Debate
from events.types import DebateOpened, Rater, Side, Standing, Template
from events.types.criteria import STANDINGS, Criteria
from judge.guard.neutralise import quoted
from judge.lenient import choice, keyed, longest, points
from judge.live.prompt import Prompt, opening, speaker, with_moderator_messages
from judge.protocol.assess import argument_segments, arguments_in_order, closing_segments
from judge.protocol.order import first_sides
from judge.protocol.reading import join_names
from judge.rubrics.rubric import criteria_lines, has_anchors, without_anchors
from judge.templates import fill, has_section, section
from judge.text.words import IN_FULL, shortened
from providers.base import Segment

CASE: Final = "case"
"""The section of the prompt about a case of which only the arguments are known."""
MAX_NOTE: Final = 120
MAX_FINDING: Final = 300
PART, RATE = "part", "rate"
"""The sections of the prompt that ask for a finding, too: of today, and of debates before it."""


def item_sides(debate: Debate, opened: DebateOpened) -> dict[str, Side]:
    """Return the items to rate with their sides: argument ids, or turn numbers as text."""
    if opened.format == "protocol":
        return {name: argument.side for name, argument in debate.protocol.arguments.items()}
    return {str(turn.turn): turn.side for turn in debate.transcript.spoken()}


def items_of(debate: Debate, opened: DebateOpened, seat: Rater) -> tuple[str, ...]:
    """Return the items in the order in which a rater reads them."""
    if opened.format == "protocol":
        return arguments_in_order(debate.protocol, first_sides(debate, opened).get(seat.name))
    return tuple(item_sides(debate, opened))


def asks_finding(opened: DebateOpened) -> bool:
    """Whether raters get the question of version 2, with anchors, their scepticism, and the finding of their part."""
    criteria = opened.rubric.criteria
    sections = opened.prompts["panel"]
    return criteria is not None and has_anchors(criteria) and any(has_section(sections, each) for each in (PART, RATE))


class RaterAnswer(Struct, frozen=True, kw_only=True):
    """One answer of a rater, by item; what could not be read is not in it."""

    scores: dict[str, dict[str, float]] = {}
    standings: dict[str, Standing] = {}
    notes: dict[str, str] = {}
    finding: str = ""


@lru_cache(maxsize=64)
def _panel_type(
    names: tuple[str, ...], dimensions: tuple[str, ...], low: int, high: int, *, finding: bool, standing: bool
) -> Any:
    scores, standings, notes = (
        ("scores", keyed("ScoredItems", names, keyed("ItemScores", dimensions, points(low, high)))),
        ("standings", keyed("Standings", names, choice(STANDINGS))),
        ("notes", keyed("Notes", names, longest(MAX_NOTE))),
    )
    if finding:
        fields = [notes, scores, standings, ("finding", longest(MAX_FINDING))]
    else:
        fields = [scores, standings, notes] if standing else [notes, scores]
    return msgspec.defstruct("PanelScores", fields, frozen=True, kw_only=True, module=__name__)


def panel_type(names: tuple[str, ...], criteria: Criteria, *, finding: bool = True, standing: bool = True) -> Any:
    """The type of a rater's answer, which is read as ``RaterAnswer``.

    ``{"notes": {item: text}, "scores": {item: {dimension: n}}, "standings": {item: STANDING}, "finding": text}``;
    without ``finding`` that of version 1; without ``standing`` only notes and scores.
    """
    dimensions = tuple(criteria.dimensions)
    return _panel_type(names, dimensions, criteria.low, criteria.high, finding=finding, standing=standing)


def panel_prompt(opened: DebateOpened, debate: Debate, seat: Rater) -> Prompt:
    """Ask one rater for its scores, standings and notes."""
    shown = _turns(opened, debate)
    if opened.format == "protocol":
        first = first_sides(debate, opened).get(seat.name)
        shown = (*argument_segments(opened, debate, first), *closing_segments(opened, debate, first))
    ask = rating_segment(opened, seat, items_of(debate, opened, seat))
    prompt = (*rater_opening(opened, opened.motion), *shown, ask)
    return with_moderator_messages(prompt, opened.prompts, debate.words.values())


def rater_opening(opened: DebateOpened, motion: str) -> Prompt:
    """Return a rater's role and the motion; in a debate of before raters had a role of their own, the judge's."""
    template = opened.prompts["panel"]
    role, stated = opening(opened.prompts, motion)
    has_role = asks_finding(opened) and has_section(template, "system")
    return Segment("system", section(template, "system")) if has_role else role, stated


def rating_segment(opened: DebateOpened, seat: Rater, names: Iterable[str]) -> Segment:
    """Return the question itself: the rater's focus, and the items to rate."""
    template, criteria = opened.prompts["panel"], opened.rubric.criteria
    assert criteria is not None, "an opening fills in what a rubric leaves out"
    weights = join_names(f"{name} {weight:.0%}" for name, weight in seat.weights.items())
    if not asks_finding(opened):
        return Segment("user", _ask(template, "ask", seat, names, without_anchors(criteria), weights=weights))
    if not has_section(template, PART):
        return Segment("user", _ask(template, RATE, seat, names, criteria, weights=weights, **_sceptical(seat)))
    others = dict.fromkeys(f"- {each.title}: {each.focus}" for each in opened.panel if each.focus != seat.focus)
    listed = "\n".join(others)
    beside = f" {fill(section(template, 'beside'), others=listed)}" if others else "."
    return Segment("user", _ask(template, PART, seat, names, criteria, beside=beside, **_sceptical(seat)))


def case_segment(opened: DebateOpened, seat: Rater, names: Iterable[str], criteria: Criteria) -> Segment:
    """Return the question about arguments to which nobody has said anything: no standings, and no finding."""
    return Segment("user", _ask(opened.prompts["panel"], CASE, seat, names, criteria, **_sceptical(seat)))


def _sceptical(seat: Rater) -> dict[str, str]:
    return {"scepticism": f" {seat.scepticism}" if seat.scepticism else ""}


def _ask(template: Template, name: str, seat: Rater, names: Iterable[str], criteria: Criteria, **values: str) -> str:
    return fill(
        section(template, name),
        title=seat.title.lower(),
        focus=seat.focus,
        ids=join_names(names),
        low=str(criteria.low),
        high=str(criteria.high),
        criteria=criteria_lines(criteria),
        **values,
    )


def _turns(opened: DebateOpened, debate: Debate) -> Prompt:
    """Return the turns; early turns of a long debate are shortened and marked as shortened."""
    template, spoken = opened.prompts["panel"], debate.transcript.spoken()
    shown = []
    for turn in spoken:
        is_whole = turn.turn > len(spoken) - IN_FULL
        frame = section(template, "turn" if is_whole else "shortened")
        text = turn.text if is_whole else shortened(turn.text)
        shown.append(fill(frame, turn=str(turn.turn), speaker=speaker(spoken, turn), text=quoted(text)))
    return tuple(Segment("user", text) for text in shown)
