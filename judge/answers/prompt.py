"""What the judge, the debaters, a consultant and a critic of a question with two answers read.

Nobody is told which answer is right.  The passage, the question, the answers and all speeches are material.  A prompt
begins with what stays the same through a debate, and its question comes last.
"""

from collections.abc import Iterator
from typing import Final

from events.state.debate import Debate
from events.state.folds.answers import answers_of
from events.state.transcript import Turn
from events.types import AnswersSetup, DebateOpened, Letter, Side, Template
from judge.answers.quotes import material, shown
from judge.live.prompt import Prompt, moderator_segments
from judge.templates import fill, section
from providers.base import Segment

TEMPLATE: Final = "answers"
LETTER_OF: Final[dict[Side, Letter]] = {"pro": "A", "con": "B"}
SIDE_OF: Final[dict[Letter, Side]] = {"A": "pro", "B": "con"}
TOLD: Final = 0.95
"""The share of the most words that a speaker is told: models write a little more than they are told."""


def setup_of(opened: DebateOpened) -> AnswersSetup:
    """The question of a debate in format ``answers`` or ``consultancy``."""
    assert opened.question, "the format has a question"
    return opened.question


def round_of(setup: AnswersSetup, turn: int) -> int:
    """The round of a turn: a consultancy has one speech a round, a debate two, supplied speeches name theirs."""
    if setup.speeches:
        return setup.speeches[turn - 1].round
    return turn if setup.arm == "consultancy" else (turn + 1) // 2


def alone_prompt(debate: Debate, opened: DebateOpened) -> Prompt:
    """What the judge reads before anybody has argued."""
    template = opened.prompts[TEMPLATE]
    ask = _answer(debate, opened, section(template, "alone"))
    return (*_judge_begins(debate, opened, has_speakers=False), Segment("user", ask))


def final_prompt(debate: Debate, opened: DebateOpened) -> Prompt:
    """What the judge reads in the end: all that was said."""
    setup, template = setup_of(opened), opened.prompts[TEMPLATE]
    said = _critique(debate, opened) if setup.arm == "critique" else _said(debate, opened)
    ask = _answer(debate, opened, section(template, f"final_{setup.arm}"))
    return (*_judge_begins(debate, opened), *said, Segment("user", ask))


def inquiry_prompt(debate: Debate, opened: DebateOpened) -> Prompt:
    """What the judge reads between two speeches of a consultant."""
    ask = section(opened.prompts[TEMPLATE], "inquire")
    return (*_judge_begins(debate, opened), *_said(debate, opened), Segment("user", ask))


def _judge_begins(debate: Debate, opened: DebateOpened, *, has_speakers: bool = True) -> Iterator[Segment]:
    template, passage = opened.prompts[TEMPLATE], answers_of(debate).passage
    system = section(template, "judge")
    if passage and has_speakers:
        system += f"\n\n{section(template, 'marks')}"
    yield Segment("system", system)
    yield _question(opened)
    if passage and answers_of(debate).is_withheld:
        yield Segment("user", section(template, "unseen"))
    elif passage:
        yield _passage(debate, template)
    yield from moderator_segments(opened.prompts, debate.words.values(), TEMPLATE)


def _question(opened: DebateOpened) -> Segment:
    setup = setup_of(opened)
    a, b = map(material, setup.answers)
    text = fill(section(opened.prompts[TEMPLATE], "question"), question=material(setup.question), a=a, b=b)
    return Segment("user", text)


def _passage(debate: Debate, template: Template) -> Segment:
    return Segment(
        "user", fill(section(template, "passage"), text=material(answers_of(debate).passage)), ends_prefix=True
    )


def _said(debate: Debate, opened: DebateOpened) -> Iterator[Segment]:
    """All speeches so far as the judge reads them, and its own questions to a consultant."""
    setup, template = setup_of(opened), opened.prompts[TEMPLATE]
    for turn in debate.transcript.turns.values():
        if turn.event is None:
            continue
        text, letter = _marked(debate, turn), LETTER_OF[turn.side]
        number = str(round_of(setup, turn.number))
        if setup.arm == "consultancy":
            yield Segment("user", fill(section(template, "consultant"), number=number, letter=letter, text=text))
            if isinstance(asked := answers_of(debate).questions.get(turn.number), str):
                yield Segment("user", fill(section(template, "asked"), text=material(asked)))
        else:
            yield Segment("user", fill(section(template, "speech"), round=number, letter=letter, text=text))


def _marked(debate: Debate, turn: Turn) -> str:
    return shown(turn.text, answers_of(debate).quotes.get(turn.number, ()))


def _critique(debate: Debate, opened: DebateOpened) -> Iterator[Segment]:
    setup, template, critique = setup_of(opened), opened.prompts[TEMPLATE], answers_of(debate).critique
    if critique is None:
        return
    text = shown(critique.text, critique.quotes)
    if setup.assigned:
        yield Segment("user", fill(section(template, "assigned_critique"), letter=setup.assigned, text=text))
    else:
        name = "critique" if answers_of(debate).passage else "plain_critique"
        yield Segment("user", fill(section(template, name), text=text))


def _answer(debate: Debate, opened: DebateOpened, ask: str) -> str:
    template = opened.prompts[TEMPLATE]
    quotes = f"{section(template, 'answer_quotes')}\n" if judge_quotes(debate) else ""
    return f"{ask}\n\n{fill(section(template, 'answer'), quotes=quotes)}"


def judge_quotes(debate: Debate) -> bool:
    """Whether the judge reads the passage, so that it can quote from it."""
    return bool(answers_of(debate).passage) and not answers_of(debate).is_withheld


def speech_prompt(debate: Debate, opened: DebateOpened, turn: Turn) -> Prompt:
    """What a debater reads before a speech: all rounds before this one, not what the opponent writes now."""
    setup, template, letter = setup_of(opened), opened.prompts[TEMPLATE], LETTER_OF[turn.side]
    other, now = _other(letter), round_of(setup, turn.number)
    shown_before = []
    for each in debate.transcript.turns.values():
        if each.event is None or round_of(setup, each.number) >= now:
            continue
        name = "own_speech" if each.side == turn.side else "their_speech"
        words = {"round": str(round_of(setup, each.number)), "text": _marked(debate, each)}
        named = words if name == "own_speech" else words | {"letter": other}
        shown_before.append(Segment("user", fill(section(template, name), **named)))
    role = fill(section(template, "debater"), letter=letter, other=other, rounds=str(setup.rounds))
    ask = fill(section(template, "first_speech"), letter=letter)
    if now > 1:
        places = {"letter": letter, "other": other, "round": str(now), "rounds": str(setup.rounds)}
        ask = fill(section(template, "next_speech"), **places)
    return (*_speaker_begins(debate, opened, role), *shown_before, Segment("user", ask))


def advice_prompt(debate: Debate, opened: DebateOpened, turn: Turn) -> Prompt:
    """What a consultant reads before a speech: its own speeches, and what the judge asked."""
    setup, template, letter = setup_of(opened), opened.prompts[TEMPLATE], LETTER_OF[turn.side]
    before = []
    for each in debate.transcript.turns.values():
        if each.event is None:
            continue
        text = fill(section(template, "own_advice"), number=str(each.number), text=_marked(debate, each))
        before.append(Segment("user", text))
        if isinstance(asked := answers_of(debate).questions.get(each.number), str):
            before.append(Segment("user", fill(section(template, "put"), text=material(asked))))
    role = fill(section(template, "consultant_role"), letter=letter, rounds=str(setup.rounds))
    if turn.number == 1:
        ask = fill(section(template, "first_advice"), letter=letter)
    else:
        was_asked = isinstance(answers_of(debate).questions.get(turn.number - 1), str)
        name = "next_advice" if was_asked else "further_advice"
        ask = fill(section(template, name), letter=letter, number=str(turn.number), rounds=str(setup.rounds))
    return (*_speaker_begins(debate, opened, role), *before, Segment("user", ask))


def critique_prompt(debate: Debate, opened: DebateOpened) -> Prompt:
    """What a critic reads: the question and the passage, and nothing of the judge."""
    setup, template = setup_of(opened), opened.prompts[TEMPLATE]
    role = section(template, "critic_role")
    if setup.assigned:
        role = fill(section(template, "assigned_critic_role"), letter=setup.assigned)
    return (*_speaker_begins(debate, opened, role), Segment("user", section(template, "critique_ask")))


def _speaker_begins(debate: Debate, opened: DebateOpened, role: str) -> Iterator[Segment]:
    template, passage = opened.prompts[TEMPLATE], answers_of(debate).passage
    rules = fill(section(template, "rules"), words=str(round(opened.max_words * TOLD)))
    if passage:
        readers = section(template, "judge_unseen" if answers_of(debate).is_withheld else "judge_reads")
        rules += f"\n{fill(section(template, 'quoting'), readers=readers)}"
        if setup_of(opened).arm != "critique":
            rules += f"\n\n{section(template, 'marks')}"
    yield Segment("system", f"{role}\n\n{rules}\n\n{section(template, 'material')}")
    yield _question(opened)
    if passage:
        yield _passage(debate, template)
    yield from moderator_segments(opened.prompts, debate.words.values(), TEMPLATE)


def _other(letter: Letter) -> Letter:
    return "B" if letter == "A" else "A"
