"""What an answer of a person who judges will count, before it is sent: by the rules that will read it.

Nothing is recorded.  An answer may be half filled: what is not complete yet has no points.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from events.state.debate import Debate
from events.types import SIDES, ArgumentTraced, AssessmentGiven, DebateOpened, Missing
from events.types.criteria import Criteria, ProtocolRules
from judge.lenient import read_as
from judge.live.answers import Answers
from judge.live.event_batch import EventBatch
from judge.live.scoring import ScoreAnswer, applicable, record_score, score_type
from judge.panel.questions import RaterAnswer, asks_finding, item_sides, panel_type
from judge.panel.reading import read_rater
from judge.panel.truth import weighted_total
from judge.protocol.assess import AssessmentAnswer, assess_type
from judge.protocol.judgement import record_assessment
from providers.answers.schema import parse
from providers.errors import ProviderError
from server.people.checks import AnswerFault, faults
from server.people.provider import OpenRequest
from server.people.questions import capital, item_name, plain

SUM: Final = "sum"


class PreviewPart(Struct, frozen=True, kw_only=True):
    """What one part of an answer will count: a dimension of a score or their ``sum``, an argument, a side, a turn."""

    name: str
    points: float | None = None
    """None while it has no points."""
    most: float
    says: tuple[str, ...] = ()
    """What lowers the points, or why there are none; empty where an answer is not complete yet."""
    title: str = ""
    counts: str = ""
    """The same in words."""


class Preview(Struct, frozen=True, kw_only=True):
    """The parts of an answer; none where nothing of it can be read yet, or nothing of it counts points."""

    parts: tuple[PreviewPart, ...] = ()
    faults: tuple[AnswerFault, ...] = ()
    """What is wrong with it: it cannot be sent before this is corrected."""


def preview(debate: Debate, asked: OpenRequest, text: str) -> Preview:
    """What ``text``, the answer to an open question as JSON, will count.  Raises ``Malformed`` for what is no JSON."""
    purpose = asked.material.purpose if asked.material is not None else ""
    value, parts = parse(text, Any), _PARTS.get(purpose)
    wrong = faults(value, asked.schema or {}, asked.material, all_at_once=True)
    if parts is None or debate.opened is None:
        return Preview(faults=wrong)
    try:
        found = tuple(map(_in_words, parts(debate, debate.opened, asked, value)))
        return Preview(parts=found, faults=wrong)
    except ProviderError:  # nothing in it can be read yet
        return Preview(faults=wrong)


def _in_words(part: PreviewPart) -> PreviewPart:
    """The part with its title and what it counts, as a person reads them."""
    title = f"All {part.name.upper()} arguments" if part.name in SIDES else item_name(part.name, None)
    figure = "no points" if part.points is None else f"{part.points:g} of {part.most:g}"
    counts = f"{figure}: {'; '.join(part.says)}" if part.says else "not complete yet" if part.points is None else figure
    return replace(part, title=capital(plain(title)), counts=counts)


def _score(debate: Debate, opened: DebateOpened, asked: OpenRequest, value: Any) -> Iterator[PreviewPart]:
    """The dimensions of a turn's score, then the sum of those that the composite has."""
    turn, rubric = asked.request.turn, opened.rubric
    answer, _ = read_as(value, score_type(rubric, turn), ScoreAnswer)
    batch = EventBatch(debate)
    record_score(batch, turn, Answers(given=((debate.position, answer),)))
    card, parts = batch.debate.ledger.cards[turn], applicable(rubric, turn)
    for name, dimension in rubric.dimensions.items():
        own = [each for each in dimension.components if each in parts]
        most = float(sum(parts[each].maximum for each in own))
        if not own or any(each not in answer.components for each in own):
            yield PreviewPart(name=name, most=most)
        elif (balance := card.balances.get(name)) is None:
            why = card.absent.get(name) or card.missing
            yield PreviewPart(name=name, most=most, says=(why.reason,) if why else ())
        else:
            lowered = [f"{each.replace('_', ' ')}: {rule}" for each in own for rule in card.components[each].rules]
            capped = [each.reason for each in card.entries if each.dimension == name and each.kind == "cap"]
            says = (*lowered, *balance.rules, *capped)
            yield PreviewPart(name=name, points=balance.effective, most=balance.maximum, says=says)
    dimensions = batch.debate.ledger.dimensions
    if all(each in answer.components for each in parts) and (total := card.composite(dimensions)) is not None:
        yield PreviewPart(name=SUM, points=total, most=sum(card.balances[name].maximum for name in dimensions))


def _assessment(debate: Debate, opened: DebateOpened, asked: OpenRequest, value: Any) -> Iterator[PreviewPart]:
    """The arguments, then the total of each side."""
    del asked
    criteria, rules = _criteria(opened), opened.rubric.protocol or ProtocolRules()
    answer, _ = read_as(value, assess_type(tuple(debate.protocol.arguments), criteria, rules), AssessmentAnswer)
    batch = EventBatch(debate)
    record_assessment(batch, Answers(given=((debate.position, answer),)), opened)
    for event in (draft.event for draft in batch.drafts):
        if isinstance(event, ArgumentTraced):
            yield PreviewPart(name=event.argument, points=_known(event.total), most=criteria.high)
        elif isinstance(event, AssessmentGiven):
            most = criteria.high * rules.arguments
            yield PreviewPart(name="pro", points=_known(event.pro_total), most=most)
            yield PreviewPart(name="con", points=_known(event.con_total), most=most)


def _rating(debate: Debate, opened: DebateOpened, asked: OpenRequest, value: Any) -> Iterator[PreviewPart]:
    """The items that a rater rates, by the weights of its seat."""
    criteria, names = _criteria(opened), tuple(item_sides(debate, opened))
    seat = next(each for each in opened.panel if each.name == asked.seat)
    answer, _ = read_as(value, panel_type(names, criteria, finding=asks_finding(opened)), RaterAnswer)
    rated = read_rater(seat, Answers(given=((debate.position, answer),)), names, criteria)
    for name in names:
        points = weighted_total(rated.scores.get(name, {}), seat.weights)
        yield PreviewPart(name=name, points=None if points is None else round(points, 2), most=criteria.high)


_PARTS: Final[Mapping[str, Callable[[Debate, DebateOpened, OpenRequest, Any], Iterator[PreviewPart]]]] = {
    "score": _score,
    "assess": _assessment,
    "panel": _rating,
}


def _criteria(opened: DebateOpened) -> Criteria:
    assert opened.rubric.criteria is not None, "an opening fills in what a rubric leaves out"
    return opened.rubric.criteria


def _known(total: float | Missing) -> float | None:
    return None if isinstance(total, Missing) else total
