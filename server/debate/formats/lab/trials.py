"""The trials of a lab run as questions of small debates: a trial's speeches are spoken already, and one thing is asked.

So prompts, retries, readers and rules are those of a live debate.  What came of a trial is a ``Reading``: a pure
function of the recorded answers.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from events.record import Draft
from events.state import debate as debates
from events.state.debate import LAB_KEY, Debate, OpenQuestions, UnusedAnswer, question
from events.state.exchanges import Comparison
from events.state.ledger import TurnCard
from events.state.parts.lab import AGAIN, SWAPPED
from events.state.parts.lab import INITIAL as NO_CALLS
from events.text.segmentation import count_words
from events.types import (
    ClaimFlagged,
    DebateOpened,
    Event,
    ModeratorSpoke,
    NarrativeVerdictReached,
    Reason,
    TurnSpoken,
    TurnStarted,
    Usage,
)
from events.types.lab import LabItem, LabSetup, PeopleItem
from events.types.rubric import Dimension, composite_dimensions, is_unscaled
from judge.guard.neutralise import quoted
from judge.lab.trials import FIRST_PLAN, PLAN, Reading, Trial, plan
from judge.lexical.answers import respond
from judge.live import claims, comparison, scoring, verdicts
from judge.live.answers import majority
from judge.live.event_batch import EventBatch
from judge.live.prompt import Prompt
from judge.templates import fill, section
from providers.answers.schema import schema
from providers.base import Segment
from providers.errors import BadRequest
from server.debate.formats.exchange import judging
from server.debate.formats.questions import Question, answers, read_answer
from server.debate.speech import clean

SPEAKERS: Final = ("Speaker A", "Speaker B")
FRAMES: Final = ("First speech:", "Second speech:")
"""Heads of the speeches in a comparison's short prompt, which names no speakers."""
SURE: Final[Mapping[str, float]] = {"high": 0.9, "medium": 0.75, "low": 0.6}
"""What a narrative's confidence means as a number."""
DEGREES: Final[Mapping[str, float]] = {"clear": 0.9, "slight": 0.65}
"""The same for a comparison."""
EVEN: Final = 0.5
_BY_PLACE: Final = ("first", "second")


class _Same:
    """A setup as a key: equal to itself only."""

    __slots__ = ("setup",)

    def __init__(self, setup: LabSetup) -> None:
        self.setup = setup

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.setup is other.setup

    def __hash__(self) -> int:
        return id(self.setup)


def trials_of(setup: LabSetup) -> tuple[Trial, ...]:
    """All trials of a run, battery by battery."""
    return _planned(_Same(setup))[0]


def is_as_planned(setup: LabSetup) -> bool:
    """Whether these are the trials that the run began with: another version of Moot may plan others."""
    return _planned(_Same(setup))[1]


def trials_digest(trials: Sequence[Trial]) -> str:
    """SHA-256 of planned trials."""
    return hashlib.sha256(msgspec.json.encode(trials, order="sorted")).hexdigest()


@lru_cache(maxsize=4)
def _planned(same: _Same) -> tuple[tuple[Trial, ...], bool]:
    setup = same.setup
    items: Sequence[LabItem | PeopleItem] = (*setup.items, *setup.people)
    repeats, way = ({}, FIRST_PLAN) if setup.repeats is UNSET else (setup.repeats, PLAN)
    trials = tuple(
        trial
        for battery, most in setup.batteries.items()
        for trial in plan(
            battery, items, most, setup.seed, family=setup.family, repeats=repeats.get(battery, 1), way=way
        )
    )
    return trials, trials_digest(trials) == setup.trials_digest


# the debate of a trial


def debate_of(trial: Trial, opened: DebateOpened, at: str) -> Debate:
    """The debate of a trial: its speeches are spoken, and nothing is judged.  ``at`` is when the run was opened."""
    spoken = trial.spoken
    played = replace(opened, motion=trial.motion, format="exchange", turns=len(spoken), lab=UNSET)
    batch = EventBatch(debates.INITIAL, at=at)
    events: list[Event] = [played]
    if trial.note:
        events.append(ModeratorSpoke(text=trial.note, by="moot"))
    for turn, speech in enumerate(spoken, 1):
        text = clean(speech.text)
        events.append(TurnStarted(turn=turn, side=speech.side, attempt=1, directive=None))
        events.append(
            TurnSpoken(
                turn=turn,
                side=speech.side,
                attempt=1,
                text=text,
                words=_words(text),
                clipped=False,
                pace=(),
                model="a script",
                usage=Usage(),
                latency_ms=0,
            )
        )
    for event in events:
        batch.add(event, None)
    return batch.debate


@lru_cache(maxsize=4096)
def _words(text: str) -> int:
    """Words of a speech, cached: many trials have the same text."""
    return count_words(text)


def keys_of(trial: Trial, opened: DebateOpened) -> tuple[str, ...]:
    """The keys of the questions of a trial.  A challenge comes after the answer of the first one."""
    key = f"{LAB_KEY}{trial.id}"
    if trial.challenge:
        return (key, key + AGAIN)
    if trial.asks == "narrative" and judging.narrative_orders(opened) > 1:
        return (key, key + SWAPPED)
    return (key,)


def question_of(trial: Trial, key: str, debate: Debate, opened: DebateOpened) -> Question:
    """One question of a trial in its debate, as a live debate with this opening would ask it.

    ``debate`` is the run: it holds the first answer, which a challenge shows again.
    """
    small = debate_of(trial, opened, debate.opened_at)
    asked = _asked(trial, key, small)
    prompt = asked.prompt
    if trial.labels is not UNSET:
        prompt = partial(_relabelled, prompt, trial.labels, backward=trial.backward)
    if key.endswith(AGAIN):
        prompt = partial(_challenged, prompt, trial, debate, opened)
    return replace(asked, key=key, turn=None, prompt=prompt, cause=1)


def _asked(trial: Trial, key: str, small: Debate) -> Question:
    opened, turn = small.opened, small.transcript.current
    assert opened is not None, "the debate of a trial is open"
    assert turn is not None, "a trial has a speech"
    match trial.asks:
        case "narrative":
            name = "narrative:swapped" if key.endswith(SWAPPED) else "narrative"
            return judging.final_questions(small, opened)[name]
        case "compare":
            # A comparison is the same question to a brief judge, and batteries ask it in both orders.
            in_full = replace(opened, judge=replace(opened.judge, effort="full"))
            return judging.turn_questions(small, in_full, turn)["backward" if trial.backward else "forward"]
        case "score" | "claims":
            return judging.turn_questions(small, opened, turn)[trial.asks]


def _relabelled(build: Any, labels: tuple[str, str], *, backward: bool) -> Prompt:
    """The prompt with other names of the speakers; words of speakers stay as they are."""
    shown = labels[::-1] if backward else labels
    names = dict(zip(SPEAKERS, labels, strict=True))
    names |= {head: f"{head[:-1]}, by {name}:" for head, name in zip(FRAMES, shown, strict=True)}
    return tuple(replace(segment, text=_renamed(segment.text, names)) for segment in build())


def _renamed(text: str, names: Mapping[str, str]) -> str:
    def line(each: str) -> str:
        if each.startswith("|"):
            return each
        for old, new in names.items():
            each = each.replace(old, f"\ue000{new}")
        return each.replace("\ue000", "")

    return "\n".join(map(line, text.split("\n")))


def _challenged(build: Any, trial: Trial, debate: Debate, opened: DebateOpened) -> Prompt:
    first = (debate.lab or NO_CALLS).calls.get(question(f"{LAB_KEY}{trial.id}", 1))
    answer = quoted(first.answer if first is not None else "")
    told = fill(section(opened.prompts["whole"], "again"), answer=answer, fault=quoted(trial.challenge))
    return (*build(), Segment("user", told))


# what was answered


def questions_about(debate: Debate, key: str, samples: int) -> OpenQuestions:
    """The calls of one question, in the form in which other formats keep theirs."""
    given: dict[str, UnusedAnswer] = {}
    failed: dict[str, tuple[Reason, ...]] = {}
    asked: dict[str, int] = {}
    unread: dict[str, UnusedAnswer] = {}
    for sample in range(1, samples + 1):
        name = question(key, sample)
        call = (debate.lab or NO_CALLS).calls.get(name)
        if call is None:
            continue
        asked[name] = call.asked
        text = UnusedAnswer(
            position=call.position or call.unread, answer=call.answer, model=call.model, usage=call.usage
        )
        if call.position:
            given[name] = text
            continue
        if call.failed:
            failed[name] = call.failed
        if call.unread:
            unread[name] = text
    return OpenQuestions(answers=given, failed=failed, asked=asked, unread=unread)


def readings_of(debate: Debate) -> Iterator[Reading]:
    """What came of every trial of a run, from the recorded answers."""
    opened = debate.opened
    assert opened is not None, "a run has been opened"
    assert opened.lab is not UNSET, "its format has a setup"
    for trial in trials_of(opened.lab):
        yield reading_of(trial, debate, opened)


def baseline_readings(debate: Debate, opened: DebateOpened) -> Iterator[Reading]:
    """What the lexical baseline says of the pairs that people judged.  It makes no calls."""
    assert opened.lab is not UNSET, "its format has a setup"
    for trial in trials_of(opened.lab):
        if trial.battery == "people" and trial.asks == "compare":
            asked = _asked(trial, "", debate_of(trial, opened, debate.opened_at))
            material = asked.material()
            assert material is not None, "a comparison has material"
            try:
                answer = respond(material, schema(asked.answer_type))
            except BadRequest as error:
                yield Reading(trial=trial.id, failed=str(error))
                continue
            value, _ = read_answer(asked, msgspec.json.encode(answer).decode())
            yield _compared(trial, (value,), opened)


def reading_of(trial: Trial, debate: Debate, opened: DebateOpened) -> Reading:
    """What came of one trial."""
    keys = keys_of(trial, opened)
    last = keys[-1] if trial.challenge else keys[0]
    small = debate_of(trial, opened, debate.opened_at)
    asked = [replace(_asked(trial, key, small), key=key) for key in keys]
    given = [
        answers(replace(debate, questions=questions_about(debate, each.key, each.samples)), each) for each in asked
    ]
    of_last = given[keys.index(last)]
    if not of_last.given:
        return Reading(trial=trial.id, failed=of_last.failed.reason if of_last.failed else "it was not asked")
    batch, number = EventBatch(small), len(trial.speeches)
    match trial.asks:
        case "score":
            scoring.record_score(batch, number, of_last)
            return _scored(trial, batch.debate.ledger.cards[number], opened)
        case "claims":
            claims.flag_claims(batch, number, of_last)
            flags = tuple(each.event.kind for each in batch.drafts if isinstance(each.event, ClaimFlagged))
            return Reading(trial=trial.id, flags=flags)
        case "narrative":
            verdicts.record_narrative(batch, given[0], given[1] if len(given) > 1 else None)
            return _narrated(trial, batch.drafts)
        case "compare":
            return _compared(trial, of_last.values, opened)


def _scored(trial: Trial, card: TurnCard, opened: DebateOpened) -> Reading:
    if not card.balances:
        return Reading(
            trial=trial.id, failed="no dimension has a score" if card.missing is None else card.missing.reason
        )
    rubric, summed = opened.rubric, composite_dimensions(opened.rubric)
    parts = {name: each.admitted for name, each in card.components.items()}
    absent = [name for name in summed if name not in card.balances]
    if absent:
        return Reading(trial=trial.id, parts=parts, failed=f"no score for {', '.join(absent)}")
    total = sum(card.balances[name].effective for name in summed)
    if is_unscaled(rubric):
        whole = sum(rubric.dimensions[name].maximum for name in summed)
        total *= whole / sum(card.balances[name].maximum for name in summed)
    shares = {name: share for name in summed if (share := _share(card, rubric.dimensions[name])) is not None}
    return Reading(trial=trial.id, total=round(total, 4), parts=parts, shares=shares)


def _share(card: TurnCard, dimension: Dimension) -> float | None:
    """The admitted points as a share of the maximum, over the components that every turn has; None without any."""
    always = {
        name: each.maximum
        for name, each in dimension.components.items()
        if each.applies_from == 1 and name in card.components
    }
    return sum(card.components[name].admitted for name in always) / sum(always.values()) if always else None


def _compared(trial: Trial, samples: tuple[Mapping[str, str], ...], opened: DebateOpened) -> Reading:
    """The choice of most samples of the exchange; in each dimension the choice of most of them counts."""
    outcomes: dict[str, Any] = {}
    degrees: list[float] = []
    levels: dict[str, float] = {}
    for name in opened.rubric.bands:
        levels[name] = comparison.level_of(samples, name)
        chosen = [each.get(name, "draw").partition("_") for each in samples]
        most = majority([choice for choice, _, _ in chosen], "draw")
        outcomes[name] = {"first": "earlier", "second": "later", "draw": "draw"}[most]
        degrees += [DEGREES.get(how, DEGREES["clear"]) for choice, _, how in chosen if choice in _BY_PLACE]
    winner = Comparison(position=0, earlier=1, later=2, outcomes=outcomes).winner()
    named: dict[str | None, Any] = {"earlier": "first", "later": "second"}
    chose = named.get(winner, "draw")
    confidence = round(sum(degrees) / len(degrees), 4) if degrees and chose != "draw" else EVEN
    return Reading(trial=trial.id, chose=chose, confidence=confidence, levels=levels)


def _narrated(trial: Trial, drafts: list[Draft]) -> Reading:
    reached = next(each.event for each in drafts if isinstance(each.event, NarrativeVerdictReached))
    if not reached.winner:
        why = reached.missing.reason if reached.missing is not UNSET else "it names no winner"
        return Reading(trial=trial.id, failed=why)
    if reached.winner == "neither":
        return Reading(trial=trial.id, chose="draw", confidence=EVEN)
    is_first = reached.winner == trial.speeches[0].side
    sure = SURE.get(reached.confidence or "", SURE["medium"])
    return Reading(trial=trial.id, chose="first" if is_first else "second", confidence=sure)
