"""The questions to a judge: for an independent opinion, and in each round for a new one after it has read the others.

The common part of a round comes first and is the same for all judges, so that a model with a prompt cache reads it
once: the material, then the opinions of all judges.  Judges see each other's titles, not their models.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

from msgspec import UNSET, Meta

from events.state.debate import Debate
from events.types import Artifact, DebateOpened, Rater
from events.types.deliberation import Disagreement, OpinionGiven
from judge.deliberation.agreement import with_verdict
from judge.deliberation.subject import Opinions, Subject, titles_of
from judge.guard.neutralise import quoted
from judge.lenient import choice, keyed, longest, loose, points
from judge.live.prompt import Prompt, Prompts
from judge.panel.questions import panel_prompt
from judge.templates import fill, section
from providers.base import Segment

MAX_LISTED = 3
"""The most findings, and the most remediation steps, that an answer may have."""
SHOWN = 300
"""Characters of another judge's rationale that a prompt shows."""
MAX_QUOTE = 160
MAX_RATIONALE = 280
Confidence = Annotated[float, Meta(ge=0, le=1, extra_json_schema={"x-neutral": 0.5})]
Listed = Annotated[list[Annotated[str, Meta(max_length=120)]], Meta(max_length=MAX_LISTED)]


def opinion_type(subject: Subject, *, lists: bool) -> Any:
    """Return the type of an opinion; with ``lists`` it includes findings and remediation."""
    verdicts = tuple(subject.label(verdict) for verdict in subject.verdicts)
    return _opinion_type(
        verdicts, tuple(subject.label(name) for name in subject.dimensions), subject.low, subject.high, lists=lists
    )


def artifact_prompt(prompts: Prompts, artifact: Artifact, subject: Subject, seat: Rater) -> Prompt:
    """Ask for a first, independent opinion on an artifact."""
    weights = sorted(seat.weights.items(), key=lambda each: -each[1])
    look = fill(
        section(prompts["artifact"], "look"),
        title=seat.title,
        focus=seat.focus,
        weights=", ".join(f"{name} {weight:.0%}" for name, weight in weights),
    )
    return (*_document(prompts, artifact), Segment("user", f"{look}\n\n{_answer(prompts, subject)}"))


def artifact_round_prompt(
    prompts: Prompts, artifact: Artifact, subject: Subject, shown: str, seat: Rater, own: OpinionGiven
) -> Prompt:
    """Ask for a new opinion on an artifact; ``shown`` is the text of ``positions_text``."""
    look = _look(section(prompts["deliberate"], "look"), seat, own, subject)
    return (
        *_document(prompts, artifact),
        Segment("user", shown),
        Segment("user", f"{look}\n\n{_answer(prompts, subject)}"),
    )


def debate_round_prompt(
    opened: DebateOpened, debate: Debate, subject: Subject, shown: str, seat: Rater, own: OpinionGiven
) -> Prompt:
    """Ask a rater of a panel for a new opinion, after the same debate text as in the rating."""
    frame = opened.prompts["deliberate"]
    answer = fill(section(frame, "debate_answer"), **_scale(subject))
    look = _look(section(frame, "debate_look"), seat, own, subject)
    material = panel_prompt(opened, debate, seat)[:-1]
    return (*material, Segment("user", shown), Segment("user", f"{look}\n\n{answer}"))


def positions_text(
    prompts: Prompts,
    subject: Subject,
    seats: Iterable[Rater],
    opinions: Opinions,
    differ: Sequence[Disagreement],
    number: int,
) -> str:
    """Return the text that shows the judges' positions: disagreements by severity, and all reasons and evidence."""
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
            words=_words(each) or section(frame, "unsaid"),
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


def _document(prompts: Prompts, artifact: Artifact) -> Prompt:
    frame = prompts["artifact"]
    text = fill(section(frame, "document"), name=quoted(artifact.name), text=quoted(artifact.text))
    return (Segment("system", section(frame, "system")), Segment("user", text))


def _answer(prompts: Prompts, subject: Subject) -> str:
    return fill(section(prompts["artifact"], "answer"), **_scale(subject))


def _scale(subject: Subject) -> dict[str, str]:
    dimensions = "\n".join(f"- {subject.label(name)}: {asks}" for name, asks in subject.dimensions.items())
    return {"low": f"{subject.low:g}", "high": f"{subject.high:g}", "dimensions": dimensions}


def _look(frame: str, seat: Rater, own: OpinionGiven, subject: Subject) -> str:
    return fill(frame, title=seat.title, focus=seat.focus, own=subject.label(str(own.verdict)))


def _difference(frame: str, each: Disagreement, titles: Mapping[str, str], subject: Subject) -> str:
    values = ", ".join(
        f"{titles[rater]} {subject.label(value) if isinstance(value, str) else f'{value:g}'}"
        for rater, value in each.positions.items()
    )
    if each.dimension:
        return fill(frame, dimension=subject.label(each.dimension), positions=values)
    return fill(frame, positions=values)


def _words(opinion: OpinionGiven) -> str:
    """Return a judge's reasons and evidence as material."""
    rationale = opinion.rationale if len(opinion.rationale) <= SHOWN else f"{opinion.rationale[:SHOWN]}…"
    parts = [
        f"Why: {rationale}" if rationale else "",
        f"Evidence: {opinion.quote}" if opinion.quote and opinion.verified else "",
        *(f"Finding: {each}" for each in opinion.findings[:MAX_LISTED]),
    ]
    return quoted("\n".join(part for part in parts if part)) if any(parts) else ""


@lru_cache(maxsize=64)
def _opinion_type(
    verdicts: tuple[str, ...], dimensions: tuple[str, ...], low: float, high: float, *, lists: bool
) -> Any:
    middle = verdicts[-1] if "tie" in verdicts else verdicts[len(verdicts) // 2]
    return loose(
        "Opinion",
        ("quote", longest(MAX_QUOTE)),
        ("rationale", longest(MAX_RATIONALE)),
        *([("findings", Listed), ("remediation", Listed)] if lists else []),
        ("scores", keyed("Scores", dimensions, points(int(low), int(high)))),
        ("confidence", Confidence),
        ("verdict", choice(verdicts, middle)),
    )
