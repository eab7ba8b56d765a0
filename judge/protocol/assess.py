"""The judge's question about a whole protocol debate.  The judge learns no model names."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct

from events.state.debate import Debate
from events.state.parts.rounds import ArgumentState, ProtocolState, has_answers
from events.text.segmentation import count_words
from events.types import SIDES, DebateOpened, Fallacy, Side, Standing, TurnSpoken, other
from events.types.criteria import STANDINGS, Criteria, ProtocolRules
from judge.evidence.rules import FAULTY
from judge.guard.neutralise import quoted
from judge.lenient import choice, keyed, longest, loose, named, points
from judge.live.prompt import opening, with_moderator_messages
from judge.protocol.answers import shown_answer
from judge.protocol.cross import cross_text
from judge.protocol.prompt import SPEAKER, Prompt, argument_text
from judge.protocol.reading import join_names
from judge.rubrics.rubric import criteria_lines, has_anchors, without_anchors
from judge.templates import EVIDENCE, fill, has_section, section
from providers.base import Segment

MAX_QUOTE: Final = 160
MAX_REASON: Final = 200
MIN_INSIGHT, MAX_INSIGHT = 20, 400
MAX_FALLACIES: Final = 12
MAX_QUESTIONS: Final = 3
WRONG: Final = {
    "misquoted": "the passage does not have these words",
    "unknown_passage": "there is no such passage",
}
"""What the documents lack of a faulty citation."""
RESPONSIVENESS: Final = "responsiveness"
"""The criterion that answers are judged by, and the section of the prompt that says so."""


def assess_type(names: tuple[str, ...], criteria: Criteria, rules: ProtocolRules) -> Any:
    """``{"fallacies": […], "arguments": {"PRO-1": {"reason", "standing", "scores"}, …}, "key_insight", …}``."""
    return _assess_type(names, tuple(criteria.dimensions), criteria.low, criteria.high, tuple(rules.fallacies))


class TracedAnswer(Struct, frozen=True, kw_only=True):
    """What the judge says of one argument; what could not be read is not in it."""

    reason: str = ""
    standing: Standing | None = None
    scores: dict[str, float] = {}


class FallacyAnswer(Struct, frozen=True, kw_only=True):
    """A fallacy as the judge names it, not checked yet."""

    argument: str = ""
    quote: str = ""
    reason: str = ""
    fallacy: str = ""


class AssessmentAnswer(Struct, frozen=True, kw_only=True):
    """One sample of the assessment."""

    fallacies: tuple[FallacyAnswer, ...] = ()
    arguments: dict[str, TracedAnswer] = {}
    key_insight: str = ""
    unresolved_questions: tuple[str, ...] = ()
    recommendation: str = ""


@lru_cache(maxsize=64)
def _assess_type(
    names: tuple[str, ...], dimensions: tuple[str, ...], low: int, high: int, fallacies: tuple[Fallacy, ...]
) -> Any:
    reason, insight = longest(MAX_REASON), longest(MAX_INSIGHT, MIN_INSIGHT)
    scores = keyed("ArgumentScores", dimensions, points(low, high))
    traced = loose("TracedArgument", ("reason", reason), ("standing", choice(STANDINGS)), ("scores", scores))
    fallacy = loose(
        "FallacyNamed",
        ("argument", named(names)),
        ("quote", longest(MAX_QUOTE)),
        ("reason", reason),
        ("fallacy", named(fallacies)),
    )
    return loose(
        "Assessment",
        ("fallacies", Annotated[list[fallacy], Meta(max_length=MAX_FALLACIES)]),  # type: ignore[valid-type]
        ("arguments", keyed("TracedArguments", names, traced)),
        ("key_insight", insight),
        ("unresolved_questions", Annotated[list[reason], Meta(max_length=MAX_QUESTIONS)]),  # type: ignore[valid-type]
        ("recommendation", insight),
    )


def assess_prompt(opened: DebateOpened, debate: Debate, first: Side | None = None) -> Prompt:
    """Ask for the standing and the scores of every argument, and for an overall assessment.

    ``first``: the side that is read first; without it the arguments stand in the order in which they were recorded.
    """
    rules, criteria = opened.rubric.protocol, opened.rubric.criteria
    assert rules is not None, "an opening fills in what a rubric leaves out"
    assert criteria is not None, "likewise"
    template = opened.prompts["assess"]
    is_anchored = has_anchors(criteria) and has_section(template, "assess")
    known = "\n".join(f"- {name}: {what}" for name, what in rules.fallacies.items())
    ask = fill(
        section(template, "assess" if is_anchored else "ask"),
        ids=join_names(arguments_in_order(debate.protocol, first)),
        low=str(criteria.low),
        high=str(criteria.high),
        fallacies=fill(section(template, "fallacies"), known=known) if asks_examined(opened) else known,
        criteria=criteria_lines(criteria if is_anchored else without_anchors(criteria)),
    )
    shown = (*argument_segments(opened, debate, first), *closing_segments(opened, debate, first))
    prompt = (*opening(opened.prompts, opened.motion), *shown, Segment("user", ask))
    return with_moderator_messages(prompt, opened.prompts, debate.words.values())


def asks_examined(opened: DebateOpened) -> bool:
    """Whether the judge is asked for fallacies in cross-examination too; debates of before are not."""
    return has_section(opened.prompts["assess"], "fallacies")


def arguments_in_order(protocol: ProtocolState, first: Side | None = None) -> tuple[str, ...]:
    """Return the ids of all arguments, those of the side ``first`` before the others; without it as recorded."""
    if first is None:
        return tuple(protocol.arguments)
    return (*protocol.arguments_of(first), *protocol.arguments_of(other(first)))


def sides_in_order(first: Side | None) -> tuple[Side, ...]:
    """Return both sides, ``first`` before the other one."""
    return SIDES if first is None else (first, other(first))


def argument_segments(opened: DebateOpened, debate: Debate, first: Side | None = None) -> Prompt:
    """Return every argument with what was said of it, then statements that were not in the required form.

    With a round of answers, what follows them says that responsiveness is judged by the answers.  ``first``: the side
    that is read first.
    """
    template, protocol = opened.prompts["assess"], debate.protocol
    shown = []
    for name in arguments_in_order(protocol, first):
        argument = protocol.arguments[name]
        text = fill(
            section(template, "argument"),
            id=name,
            speaker=SPEAKER[argument.side],
            text=quoted(argument_text(argument)),
            answer=_exchanged(opened, argument),
        )
        shown.append(Segment("user", text))
    for by in sides_in_order(first):
        is_answered = any(each.cross is not UNSET for each in protocol.arguments.values() if each.side == other(by))
        if not is_answered:
            frame = section(template, "examination")
            shown += [
                Segment("user", fill(frame, speaker=SPEAKER[by], text=quoted(turn.text)))
                for turn in spoken_by(debate, by)[1:2]
            ]
    if has_answers(opened):
        shown += _answers_as_prose(opened, debate, first)
        assert opened.rubric.criteria is not None, "an opening fills in what a rubric leaves out"
        if RESPONSIVENESS in opened.rubric.criteria.dimensions:
            shown.append(Segment("user", section(template, RESPONSIVENESS)))
    return tuple(shown)


def _exchanged(opened: DebateOpened, argument: ArgumentState) -> str:
    """Return what the other side says of an argument, and its author's answer to that."""
    template, speaker, opponent = opened.prompts["assess"], SPEAKER[argument.side], SPEAKER[other(argument.side)]
    examined = cross_text(template, argument, opponent=opponent)
    if not has_answers(opened):
        return examined
    rules = opened.rubric.protocol
    assert rules is not None, "an opening fills in what a rubric leaves out"
    if argument.answer is UNSET:
        is_asked = argument.cross is not UNSET and argument.cross.follow_up
        return f"{examined}\n\n{fill(section(template, 'unreplied'), speaker=speaker)}" if is_asked else examined
    text = shown_answer(argument.answer, rules)
    count = count_words(argument.answer)
    note = fill(section(template, "cut"), most=str(count_words(text)), words=str(count))
    reply = fill(
        section(template, "replied"),
        speaker=speaker,
        note=f" {note}" if text != argument.answer.rstrip() else "",
        text=quoted(text),
    )
    return f"{examined}\n\n{reply}"


def _answers_as_prose(opened: DebateOpened, debate: Debate, first: Side | None) -> Iterator[Segment]:
    """Yield answers of which none was in the required form."""
    frame = section(opened.prompts["assess"], "answers")
    for side in sides_in_order(first):
        given = debate.protocol.answered.get(side)
        if given is not None and not given.answers:
            text = quoted(debate.transcript.turns[given.turn].text)
            yield Segment("user", fill(frame, speaker=SPEAKER[side], text=text))


def spoken_by(debate: Debate, side: Side) -> tuple[TurnSpoken, ...]:
    """Return the turns of a side: opening, cross-examination, answers if there is such a round, closing."""
    return tuple(turn for turn in debate.transcript.spoken() if turn.side == side)


def closing_segments(opened: DebateOpened, debate: Debate, first: Side | None = None) -> Prompt:
    """Return both sides' closings, as far as they count, then what was found of the citations of all statements."""
    rules = opened.rubric.protocol
    assert rules is not None, "an opening fills in what a rubric leaves out"
    closings = tuple(_closing(opened, debate, side, rules) for side in sides_in_order(first))
    return (*closings, *_citations(opened, debate))


def _citations(opened: DebateOpened, debate: Debate) -> Iterator[Segment]:
    """Yield how many quotations stand in the documents, and which do not.  Nothing if no words were compared."""
    template = opened.prompts.get(EVIDENCE)
    compared = [each for each in debate.citations.checked.values() if each.finding in {"verified", *FAULTY}]
    if not compared or template is None or not has_section(template, "quotations"):
        return
    faults = faulty_citations(debate)
    text = fill(section(template, "quotations"), verified=str(len(compared) - len(faults)))
    if listed := "\n".join(faults):
        text = f"{text} {fill(section(template, 'wrong'), lines=quoted(listed))}"
    yield Segment("user", text)


def faulty_citations(debate: Debate) -> tuple[str, ...]:
    """Return a line for each citation of a statement whose passage, or whose words, the documents do not have."""
    kinds = ("opening", "cross-examination", *(("answers",) if has_answers(debate.opened) else ()), "closing")
    turns, lines = debate.transcript.turns, []
    for each in debate.citations.checked.values():
        if each.finding not in FAULTY:
            continue
        statement = kinds[(each.turn - 1) // 2]
        words = f" “{' '.join(each.quote.split())}”" if each.quote else ""
        found = f"the words stand in {each.found_in}" if each.found_in else WRONG[each.finding]
        lines.append(f"{SPEAKER[turns[each.turn].side]}, {statement}:{words} [{each.passage}]: {found}")
    return tuple(lines)


def _closing(opened: DebateOpened, debate: Debate, side: Side, rules: ProtocolRules) -> Segment:
    """Return a side's closing as far as it counts, with a note if it was cut."""
    template, turn = opened.prompts["assess"], spoken_by(debate, side)[-1]
    words = str(debate.protocol.closings[side].words)
    most = str(count_words(turn.text) if rules.whole_sentences else rules.closing_words)
    note = fill(section(template, "cut"), most=most, words=words) if turn.clipped else ""
    text = fill(
        section(template, "closing"), speaker=SPEAKER[side], note=f" {note}" if note else "", text=quoted(turn.text)
    )
    return Segment("user", text)
