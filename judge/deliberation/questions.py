"""The questions to a judge: for an independent opinion, and in each round for a new one after it has read the others.

The common part of a round comes first and is the same for all judges, so that a model with a prompt cache reads it
once: the material, then the opinions of all judges.  Judges see each other's titles, not their models.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct

from events.state.debate import Debate
from events.types import Artifact, DebateOpened, Rater
from events.types.deliberation import Disagreement, OpinionGiven
from judge.deliberation.agreement import position_texts, with_verdict
from judge.deliberation.opinions import NOBODY, own_points
from judge.deliberation.subject import NAMED_SIDES, Opinions, Subject, has_named_sides, titles_of
from judge.guard.neutralise import quoted
from judge.lenient import choice, keyed, longest, loose, points
from judge.live.prompt import Prompt, Prompts
from judge.panel.questions import panel_prompt
from judge.templates import fill, section
from providers.base import Segment

MAX_LISTED = 3
"""The most findings, and the most remediation steps, that an answer may have."""
MOVED = "moved"
"""The section that asks who moved a judge; templates of before do not have it."""
DIFFERENT = "none"
"""The answer for a finding that no earlier one says."""
MAX_QUOTE = 160
MAX_RATIONALE = 280
Confidence = Annotated[float, Meta(ge=0, le=1, extra_json_schema={"x-neutral": 0.5})]
Listed = Annotated[list[Annotated[str, Meta(max_length=120)]], Meta(max_length=MAX_LISTED)]


class Again(Struct, frozen=True, kw_only=True):
    """What a judge is asked again with: the titles of the others by name, and the ids of what it holds itself."""

    titles: dict[str, str]
    points: tuple[str, ...] = ()


class GroupsAnswer(Struct, frozen=True, kw_only=True):
    """Which points say the same: for an id the earlier one, or ``DIFFERENT``; what could not be read is not in it."""

    same_as: dict[str, str] = {}


def opinion_type(subject: Subject, *, lists: bool, again: Again | None = None) -> Any:
    """Return the type of an opinion; with ``lists`` it includes findings and remediation.

    ``again``: it names who moved it, and what it withdraws.
    """
    verdicts = tuple(subject.label(verdict) for verdict in subject.verdicts)
    dimensions = tuple(subject.label(name) for name in subject.dimensions)
    titles = () if again is None else (*again.titles.values(), NOBODY)
    ids = () if again is None else again.points
    return _opinion_type(verdicts, dimensions, subject.low, subject.high, titles, ids, lists=lists)


def artifact_prompt(prompts: Prompts, artifact: Artifact, subject: Subject, seat: Rater) -> Prompt:
    """Ask for a first, independent opinion on an artifact."""
    weights = sorted(seat.weights.items(), key=lambda each: -each[1])
    look = fill(
        section(prompts["artifact"], "look" if artifact.purpose is UNSET else "look_for"),
        title=seat.title,
        focus=seat.focus,
        weights=", ".join(f"{name} {weight:.0%}" for name, weight in weights),
    )
    return (*_document(prompts, artifact), Segment("user", f"{look}\n\n{_answer(prompts, subject)}"))


def artifact_round_prompt(
    prompts: Prompts,
    artifact: Artifact,
    subject: Subject,
    shown: str,
    seat: Rater,
    own: OpinionGiven,
    *,
    again: Again | None = None,
) -> Prompt:
    """Ask for a new opinion on an artifact; ``shown`` is the text of ``positions_text``."""
    look = _look(prompts, "look", seat, own, subject, again)
    return (
        *_document(prompts, artifact),
        Segment("user", shown),
        Segment("user", f"{look}\n\n{_answer(prompts, subject)}"),
    )


def debate_round_prompt(
    opened: DebateOpened,
    debate: Debate,
    subject: Subject,
    shown: str,
    seat: Rater,
    own: OpinionGiven,
    *,
    again: Again | None = None,
) -> Prompt:
    """Ask a rater of a panel for a new opinion, after the same debate text as in the rating."""
    frame = opened.prompts["deliberate"]
    answer = fill(section(frame, NAMED_SIDES if has_named_sides(opened) else "debate_answer"), **_scale(subject))
    look = _look(opened.prompts, "debate_look", seat, own, subject, again)
    material = panel_prompt(opened, debate, seat)[:-1]
    return (*material, Segment("user", shown), Segment("user", f"{look}\n\n{answer}"))


def positions_text(
    prompts: Prompts,
    subject: Subject,
    seats: Iterable[Rater],
    opinions: Opinions,
    differ: Sequence[Disagreement],
    number: int,
    listed: int = MAX_LISTED,
) -> str:
    """Return the text that shows the judges' positions: disagreements by severity, and all reasons and evidence.

    ``listed``: the most findings of a judge.
    """
    frame, answered = prompts["deliberate"], with_verdict(opinions)
    titles = titles_of(seats)
    lines = "\n".join(
        _difference(section(frame, "dimension_line" if each.dimension else "verdict_line"), each, titles, subject)
        for each in differ
    )
    positions = "\n\n".join(
        fill(
            section(frame, "position"),
            title=titles[rater],
            verdict=subject.label(str(each.verdict)),
            confidence="" if each.confidence is UNSET else f" (confidence {each.confidence:.0%})",
            words=_words(each, listed) or section(frame, "unsaid"),
        )
        for rater, each in answered.items()
    )
    return fill(
        section(frame, "positions"),
        round=str(number),
        count=str(len(answered)),
        disagreements=lines,
        positions=positions,
    )


def group_prompt(prompts: Prompts, texts: Mapping[str, str]) -> Prompt:
    """Ask which findings, and which steps of remediation, say the same; ``texts`` by id."""
    listed = quoted("\n".join(f"{name}: {text}" for name, text in texts.items()))
    frame = prompts["artifact"]
    return (Segment("system", section(frame, "system")), Segment("user", fill(section(frame, "group"), points=listed)))


def group_type(ids: Iterable[str]) -> Any:
    """Return the type of that answer: for each id the earlier id of its kind that says the same, or ``DIFFERENT``."""
    names = tuple(ids)
    members = []
    for at, name in enumerate(names):
        if earlier := tuple(each for each in names[:at] if each[0] == name[0]):
            members.append((name, choice((DIFFERENT, *earlier), DIFFERENT)))
    return loose("Groups", ("same_as", loose("SameAs", *members)))


def _document(prompts: Prompts, artifact: Artifact) -> Prompt:
    frame, purpose = prompts["artifact"], artifact.purpose
    given = {} if purpose is UNSET else {"purpose": quoted(purpose)}
    shown = section(frame, "document_for" if given else "document")
    text = fill(shown, name=quoted(artifact.name), text=quoted(artifact.text), **given)
    return (Segment("system", section(frame, "system")), Segment("user", text))


def _answer(prompts: Prompts, subject: Subject) -> str:
    return fill(section(prompts["artifact"], "answer"), **_scale(subject))


def _scale(subject: Subject) -> dict[str, str]:
    dimensions = "\n".join(f"- {subject.label(name)}: {asks}" for name, asks in subject.dimensions.items())
    return {"low": f"{subject.low:g}", "high": f"{subject.high:g}", "dimensions": dimensions}


def _look(prompts: Prompts, name: str, seat: Rater, own: OpinionGiven, subject: Subject, again: Again | None) -> str:
    frame = prompts["deliberate"]
    look = fill(
        section(frame, name if again is None else f"{name}_again"),
        title=seat.title,
        focus=seat.focus,
        own=subject.label(str(own.verdict)),
    )
    if again is None:
        return look
    named = own_words(again, own)
    held = fill(section(frame, "own_points"), points=quoted(named)) if named else ""
    return "\n\n".join(part for part in (look, held, section(frame, MOVED)) if part)


def own_words(again: Again | None, own: OpinionGiven) -> str:
    """Return what a judge that is asked again holds so far, an id and a text a line; else nothing."""
    ids = () if again is None else again.points
    return "\n".join(f"{name}: {text}" for name, text in own_points(own).items() if name in ids)


def _difference(frame: str, each: Disagreement, titles: Mapping[str, str], subject: Subject) -> str:
    values = ", ".join(
        f"{titles[rater]} {subject.label(value) if isinstance(value, str) else f'{value:g}'}"
        for rater, value in each.positions.items()
    )
    if each.dimension:
        return fill(frame, dimension=subject.label(each.dimension), positions=values)
    return fill(frame, positions=values)


def _words(opinion: OpinionGiven, listed: int) -> str:
    """Return a judge's reasons and evidence as material."""
    rationale, findings = position_texts(opinion, listed)
    parts = [
        f"Why: {rationale}" if rationale else "",
        f"Evidence: {opinion.quote}" if opinion.quote and opinion.verified else "",
        *(f"Finding: {each}" for each in findings),
    ]
    return quoted("\n".join(part for part in parts if part)) if any(parts) else ""


@lru_cache(maxsize=64)
def _opinion_type(
    verdicts: tuple[str, ...],
    dimensions: tuple[str, ...],
    low: float,
    high: float,
    titles: tuple[str, ...],
    ids: tuple[str, ...],
    *,
    lists: bool,
) -> Any:
    withdraws = Annotated[list[choice(ids)], Meta(max_length=len(ids))] if ids else None  # type: ignore[misc]
    middle = verdicts[-1] if "tie" in verdicts else verdicts[len(verdicts) // 2]
    return loose(
        "Opinion",
        ("quote", longest(MAX_QUOTE)),
        ("rationale", longest(MAX_RATIONALE)),
        *([("withdraws", withdraws)] if ids else []),
        *([("findings", Listed), ("remediation", Listed)] if lists else []),
        ("scores", keyed("Scores", dimensions, points(int(low), int(high)))),
        ("confidence", Confidence),
        *([("moved_by", choice(titles, NOBODY)), ("moved_words", longest(MAX_QUOTE))] if titles else []),
        ("verdict", choice(verdicts, middle)),
    )
