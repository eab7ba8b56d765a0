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
from events.types import DebateOpened, Rater, Side, Standing
from events.types.criteria import STANDINGS, Criteria
from judge.guard.neutralise import quoted
from judge.lenient import choice, keyed, longest, points
from judge.live.prompt import Prompt, opening, speaker, with_moderator_messages
from judge.protocol.assess import argument_segments, closing_segments
from judge.protocol.reading import join_names
from judge.rubrics.rubric import criteria_lines, has_anchors
from judge.templates import fill, has_section, section
from judge.text.words import IN_FULL, shortened
from providers.base import Segment

MAX_NOTE: Final = 120
MAX_FINDING: Final = 300
RATE: Final = "rate"
"""The section of the prompt that asks for a finding, too."""


def item_sides(debate: Debate, opened: DebateOpened) -> dict[str, Side]:
    """Return the items to rate with their sides: argument ids, or turn numbers as text."""
    if opened.format == "protocol":
        return {name: argument.side for name, argument in debate.protocol.arguments.items()}
    return {str(turn.turn): turn.side for turn in debate.transcript.spoken()}


def asks_finding(opened: DebateOpened) -> bool:
    """Whether raters get the question of version 2, with anchors, their scepticism, and the finding of their part."""
    criteria = opened.rubric.criteria
    return criteria is not None and has_anchors(criteria) and has_section(opened.prompts["panel"], RATE)


class RaterAnswer(Struct, frozen=True, kw_only=True):
    """One answer of a rater, by item; what could not be read is not in it."""

    scores: dict[str, dict[str, float]] = {}
    standings: dict[str, Standing] = {}
    notes: dict[str, str] = {}
    finding: str = ""


@lru_cache(maxsize=64)
def _panel_type(names: tuple[str, ...], dimensions: tuple[str, ...], low: int, high: int, *, finding: bool) -> Any:
    scores, standings, notes = (
        ("scores", keyed("ScoredItems", names, keyed("ItemScores", dimensions, points(low, high)))),
        ("standings", keyed("Standings", names, choice(STANDINGS))),
        ("notes", keyed("Notes", names, longest(MAX_NOTE))),
    )
    fields = [notes, scores, standings, ("finding", longest(MAX_FINDING))] if finding else [scores, standings, notes]
    return msgspec.defstruct("PanelScores", fields, frozen=True, kw_only=True, module=__name__)


def panel_type(names: tuple[str, ...], criteria: Criteria, *, finding: bool = True) -> Any:
    """The type of a rater's answer, which is read as ``RaterAnswer``.

    ``{"notes": {item: text}, "scores": {item: {dimension: n}}, "standings": {item: STANDING}, "finding": text}``;
    without ``finding`` that of version 1.
    """
    return _panel_type(names, tuple(criteria.dimensions), criteria.low, criteria.high, finding=finding)


def panel_prompt(opened: DebateOpened, debate: Debate, seat: Rater) -> Prompt:
    """Ask one rater for its scores, standings and notes."""
    shown = _turns(opened, debate)
    if opened.format == "protocol":
        shown = (*argument_segments(opened, debate), *closing_segments(opened, debate))
    prompt = (*opening(opened.prompts, opened.motion), *shown, rating_segment(opened, seat, item_sides(debate, opened)))
    return with_moderator_messages(prompt, opened.prompts, debate.words.values())


def rating_segment(opened: DebateOpened, seat: Rater, names: Iterable[str]) -> Segment:
    """Return the question itself: the rater's focus, and the items to rate."""
    criteria = opened.rubric.criteria
    assert criteria is not None, "an opening fills in what a rubric leaves out"
    sceptical = {"scepticism": f" {seat.scepticism}" if seat.scepticism else ""} if asks_finding(opened) else {}
    ask = fill(
        section(opened.prompts["panel"], RATE if asks_finding(opened) else "ask"),
        title=seat.title.lower(),
        focus=seat.focus,
        weights=join_names(f"{name} {weight:.0%}" for name, weight in seat.weights.items()),
        ids=join_names(names),
        low=str(criteria.low),
        high=str(criteria.high),
        criteria=criteria_lines(criteria),
        **sceptical,
    )
    return Segment("user", ask)


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
