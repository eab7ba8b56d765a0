"""How the judge works in about 300 words, with the figures of the rubric in force."""

from collections.abc import Iterator

from msgspec import UNSET

from events.text.figures import sure
from events.types.rubric import Rubric, composite_dimensions
from judge.report.figures import percent
from judge.rubrics.rubric import fmt


def summary(rubric: Rubric) -> tuple[str, ...]:
    """The paragraphs, each about one task of the judge, in the order of a debate of format ``exchange``."""
    return tuple(" ".join(each) for each in (_answers(rubric), _compares(rubric), _doubts(rubric), _ends(rubric)))


def _answers(rubric: Rubric) -> Iterator[str]:
    parts = [
        f"{name.replace('_', ' ')} (up to {fmt(rubric.dimensions[name].maximum)})"
        for name in composite_dimensions(rubric)
    ]
    yield "The judge answers fixed questions about Speaker A and Speaker B: it sees neither names nor sides."
    yield f"After each turn it gives points for {', '.join(parts[:-1])} and {parts[-1]}, component by component."
    share = percent(rubric.unquoted_share)
    yield "Each time it copies words from the turn and gives a reason."
    yield f"Where the server does not find these words in the turn, the component keeps at most {share} of its maximum."
    yield "If no answer can be read, the score is missing, with the reason."


def _compares(rubric: Rubric) -> Iterator[str]:
    closing = "" if rubric.ring is UNSET else ", and the last turn with the first"
    yield f"The judge also compares each turn with the one before it{closing}."
    yield "A model may favour what it reads first: so it is asked in both orders, unless its effort is brief."
    yield "Where the two answers differ, the dimension is a draw."
    if rubric.ring is not UNSET:
        yield "Comparisons move the scores of both turns a little; each move is an entry with its reason."
    else:
        yield "A score that contradicts a comparison is moved; each move is an entry with its reason."


def _doubts(rubric: Rubric) -> Iterator[str]:
    costs: dict[float, list[str]] = {}
    for name, rule in rubric.claims.items():
        costs.setdefault(rule.points, []).append(name.replace("_", " "))
    claims = [f"{fmt(cost)} ({', '.join(costs[cost])})" for cost in sorted(costs, reverse=True) if cost]
    gaps = rubric.gaps
    if claims:
        yield f"Suspect claims cost points: {', '.join(claims)}."
    takes = f"{fmt(gaps.least)} to {fmt(gaps.most)} points of {gaps.dimension.replace('_', ' ')}"
    yield f"When a turn exposes a flaw in an earlier one, the earlier turn loses {takes}."
    yield "The judge must quote the words that fail and the words that expose them."
    if rubric.docking is not UNSET:
        most = fmt(rubric.docking.at_most)
        yield f"All findings together take at most {most} points from a turn, unless one alone is graver."
    elif rubric.gaps.most_per_turn:
        most = fmt(rubric.gaps.most_per_turn)
        yield f"All flaws together take at most {most} points from a turn, unless one alone is graver."
    yield "A premise that a side drops or contradicts is recorded too."


def _ends(rubric: Rubric) -> Iterator[str]:
    yield "At the end the server computes the points of each side."
    if rubric.certainty is not UNSET:
        at = sure(rubric.certainty.name_at)
        yield f"It names a side if it is {at} sure that this side was ahead in this debate."
        yield "Otherwise they are not distinguishable, and you read who leads and how sure that is."
    else:
        decides = " unless conduct or the premises kept decide" if rubric.decided_by else ""
        yield f"It names the side with more; within {fmt(rubric.tie_within)} points there is no winner{decides}."
    yield "Without the points, the judge also reads the whole debate and says whose thesis stands better."
    yield "If this reading and the points name different sides, both stay, and the judge explains why."
    yield "The server can check quotes, not whether the judge understands an argument: see its known weaknesses below."
