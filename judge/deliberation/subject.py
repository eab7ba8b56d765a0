"""The subject of a deliberation: an artifact, or a debate that a panel has scored."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, get_args

from msgspec import UNSET, Struct, field

from events.state.debate import Debate
from events.types import SIDES, DebateOpened, OpinionGiven, Rater, Side, other
from events.types.criteria import Criteria, DeliberationRules
from events.types.deliberation import Verdict
from judge.protocol.prompt import SPEAKER
from judge.templates import has_section

ARTIFACT_VERDICTS: Final[tuple[Verdict, ...]] = ("FAIL", "CONDITIONAL", "PASS")
"""The most severe first."""
DEBATE_VERDICTS: Final[tuple[Verdict, ...]] = get_args(Literal["pro", "con", "tie"])
NAMED_SIDES: Final = "protocol_answer"
"""The section of a template that asks about Pro and Con."""
Opinions = Mapping[str, OpinionGiven]
"""By rater."""


class Subject(Struct, frozen=True, kw_only=True):
    """The possible verdicts, the dimensions with their questions, and the texts that quotes must come from."""

    verdicts: tuple[Verdict, ...]
    dimensions: dict[str, str]
    low: float
    high: float
    texts: tuple[str, ...]
    quote_minimum: int
    labels: dict[str, str] = field(default_factory=dict)
    """Names of verdicts and dimensions in prompts and answers, if they differ from those in events."""

    @property
    def scale(self) -> float:
        """The largest possible gap between two scores."""
        return self.high - self.low

    @property
    def sides(self) -> dict[Side, str]:
        """The label of each side of a debate."""
        return {side: self.label(side) for side in SIDES}

    def label(self, name: str) -> str:
        """Return the name of a verdict or dimension in prompts and answers."""
        return self.labels.get(name, name)


def subject_of(debate: Debate, opened: DebateOpened) -> Subject:
    """Return the subject that the judges of this debate deliberate on."""
    minimum = opened.rubric.quote_minimum
    if opened.artifact is not UNSET:
        criteria = rules_of(opened).artifact
        return Subject(
            verdicts=ARTIFACT_VERDICTS,
            dimensions={name: each.asks for name, each in criteria.dimensions.items()},
            low=criteria.low,
            high=criteria.high,
            texts=(opened.artifact.text,),
            quote_minimum=minimum,
        )
    spoken = debate.transcript.spoken()
    first: Side = spoken[0].side if spoken else "pro"
    named = has_named_sides(opened)
    sides = {side: SPEAKER[side] if named else "A" if side == first else "B" for side in SIDES}
    criteria = opened.rubric.criteria or Criteria(dimensions={})
    dimensions = {
        f"{side}.{name}": each.asks for side in (first, other(first)) for name, each in criteria.dimensions.items()
    }
    return Subject(
        verdicts=DEBATE_VERDICTS,
        dimensions=dimensions,
        low=criteria.low,
        high=criteria.high,
        texts=tuple(turn.text for turn in spoken),
        quote_minimum=minimum,
        labels=sides | {name: f"{sides[_side(name)]}.{name.partition('.')[2]}" for name in dimensions},
    )


def has_named_sides(opened: DebateOpened) -> bool:
    """Whether the material names the sides Pro and Con, so that the question does too; templates of before did not."""
    return opened.format == "protocol" and has_section(opened.prompts["deliberate"], NAMED_SIDES)


def rules_of(opened: DebateOpened) -> DeliberationRules:
    """Return the rubric's rules of deliberation; a rubric without them has no rounds."""
    return opened.rubric.deliberation or DeliberationRules(rounds=0)


def titles_of(seats: Iterable[Rater]) -> dict[str, str]:
    """Return titles by name; equal titles get the name in brackets."""
    titles = {seat.name: seat.title for seat in seats}
    twice = {title for title in titles.values() if list(titles.values()).count(title) > 1}
    return {name: f"{title} ({name})" if title in twice else title for name, title in titles.items()}


def _side(dimension: str) -> Side:
    return "pro" if dimension.startswith("pro.") else "con"
