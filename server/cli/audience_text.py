"""What the moderator and the audience said, as Markdown and as lines for a terminal."""

from collections.abc import Iterator

from msgspec import UNSET

from events.state.words import Word
from events.types import Missing
from events.view.audience import Agreement, AudienceView, Move
from events.view.view import View
from server.cli.wording import NAMES, inline

WINNERS = {"pro": "pro", "con": "con", "neither": "neither side"}


def words_after(view: View, turn: int) -> list[str]:
    """The moderator's words that stand behind one turn; behind 0 those before the first."""
    said = () if view.words is UNSET else view.words.values()
    return [line for word in said if word.after_turn == turn for line in _word(word)]


def word_list(view: View) -> list[str]:
    """All of the moderator's words, where turns are not shown one after the other."""
    if view.words is UNSET:
        return []
    said = [f"- after turn {word.after_turn}, {inline(word.by)}: {inline(word.text)}" for word in view.words.values()]
    return ["## The moderator", "", *said, ""]


def _word(word: Word) -> list[str]:
    return [f"**{inline(word.by)}, to both sides:** {inline(word.text)}", ""]


def audience_lines(view: View) -> list[str]:
    """The audience beside the judge, once the debate has concluded."""
    if view.audience is UNSET or view.audience.agreement is UNSET:
        return []
    return ["## The audience", "", *(f"- {line}" for line in audience_said(view.audience)), ""]


def audience_said(audience: AudienceView) -> Iterator[str]:
    """Votes and beliefs, each beside what the judge says."""
    votes, agreement = audience.votes, audience.agreement
    if votes.cast:
        counted = f"{votes.pro} for pro, {votes.con} for con, {votes.neither} for neither"
        yield f"{votes.cast} {'vote' if votes.cast == 1 else 'votes'}: {counted}{_beside(agreement)}"
    if audience.beliefs:
        means = " · ".join(f"turn {turn}: {each.mean:g} (of {each.count})" for turn, each in audience.beliefs.items())
        yield f"belief after each turn, 0 con to 100 pro: {means}"
    if agreement is UNSET or not agreement.turns:
        return
    for turn, move in agreement.turns.items():
        yield _move(turn, move)
    yield f"beliefs moved towards the winner in {agreement.moved} of {len(agreement.turns)} exchanges"


def _beside(agreement: Agreement | object) -> str:
    if not isinstance(agreement, Agreement):
        return ""
    if isinstance(agreement.votes, Missing):
        return f"; {agreement.votes.missing.reason}"
    return f"; {agreement.votes:.0%} agree with the verdict ({WINNERS[agreement.winner]})"


def _move(turn: str, move: Move) -> str:
    people = "one person" if move.voters == 1 else f"{move.voters} people"
    way = "towards" if move.agrees else "not towards"
    return f"turn {turn}: {move.moved:+g} by {people}, {way} {NAMES[move.winner]}, who won the exchange"
