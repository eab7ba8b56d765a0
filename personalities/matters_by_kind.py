"""What a directive of templates before version 4 names, as logs of these templates replay it."""

from collections.abc import Iterator

from events.state.debate import Debate
from events.types import Side

MAX_MATTERS = 3
"""Points of matter in one directive."""
QUOTED = 160
"""Characters of a quote."""
_MARKS = str.maketrans({"“": "‘", "”": "’", "„": "‘", '"': "’"})


def matters_by_kind(debate: Debate, side: Side, *, closes: bool) -> tuple[str, ...]:
    """What the side should take up in its next turn, and what stands.

    A contradiction or a dropped premise of its last turn, flaws that were exposed since that turn, and doubted claims
    of it: ``MAX_MATTERS`` of them, one before a turn that ``closes``, and the same words only once.  With them goes a
    premise that the opponent's turn left standing: told only what is attacked, a debater gives up more than it must.
    """
    own = [turn.turn for turn in debate.transcript.spoken() if turn.side == side]
    if not own:
        return ()
    last = max(own)
    named: list[str] = []
    found = [*_broken(debate, side, last)]
    for quote, text in (*_flaws(debate, own), *_doubts(debate, last)):
        if not _overlaps(quote, named):
            named.append(quote)
            found.append(text)
    return (*found[: 1 if closes else MAX_MATTERS], *_standing(debate, side, last, named)) if found else ()


def _standing(debate: Debate, side: Side, last: int, attacked: list[str]) -> Iterator[str]:
    """A premise of the side's last turn that the opponent has answered and nothing on record shakes."""
    if last == len(debate.transcript.spoken()):
        return
    contradicted = {name for found in debate.spine.contradictions for name in found.premises}
    for name, premise in debate.spine.premises.items():
        quote = premise.quote
        is_attacked = name in contradicted or _overlaps(quote, attacked)
        if premise.side == side and premise.turn == last and premise.state == "kept" and not is_attacked:
            yield f"“{_brief(quote)}” was left standing: build on it, and give it another ground."
            return


def _broken(debate: Debate, side: Side, last: int) -> Iterator[str]:
    """What to do about the contradictions of a side's turn, then about the premises that it dropped."""
    known = debate.spine.premises
    for found in debate.spine.contradictions:
        if found.side == side and max(found.turns) == last:
            both = " and ".join(f"“{_brief(known[name].text)}”" for name in found.premises if name in known)
            yield f"You have said {both}: say which of it holds."
    for premise in known.values():
        if premise.side == side and premise.state == "dropped" and premise.changes[-1].turn == last:
            yield f"You left “{_brief(premise.text)}” without a word: defend it or give it up openly."


def _flaws(debate: Debate, own: list[int]) -> Iterator[tuple[str, str]]:
    """The flaws of own turns that the newest turn exposed, those that cost most first: words, and what to do."""
    newest = len(debate.transcript.spoken())
    found = [
        entry
        for turn in own
        if turn in debate.ledger.cards
        for entry in debate.ledger.cards[turn].entries
        if entry.kind == "gap" and len(entry.evidence) > 1 and entry.evidence[1].turn >= newest
    ]
    for entry in sorted(found, key=lambda entry: entry.requested):
        fails, exposed = entry.evidence[:2]
        met = f"“{_brief(fails.quote)}” was met by “{_brief(exposed.quote)}”"
        yield fails.quote, f"{met}: defend that step, narrow it or give it up."


def _doubts(debate: Debate, last: int) -> Iterator[tuple[str, str]]:
    """The doubted claims of a turn: words, and what to do."""
    for claim in debate.claims.values():
        if claim.turn == last and claim.state != "cleared":
            why = _brief(claim.reason).rstrip(".")
            doubted = f"“{_brief(claim.quote)}” was doubted{f' because “{why}”' if why else ''}"
            yield claim.quote, f"{doubted}: support it, weaken it or withdraw it."


def _overlaps(quote: str, others: list[str]) -> bool:
    """Whether one of the other quotes holds this one, or is a part of it."""
    return any(quote in other or other in quote for other in others)


def _brief(quote: str) -> str:
    """A quote of at most ``QUOTED`` characters, without quotation marks of its own."""
    text = " ".join(quote.split()).translate(_MARKS)
    return text if len(text) <= QUOTED else f"{text[:QUOTED].rsplit(' ', 1)[0]} …"
