"""Answers: each side answers the questions that the other side put to it in cross-examination."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta

from events.state.parts.rounds import ProtocolState
from events.text.segmentation import count_words, first_sentences, first_words
from events.types import DebateOpened, QuestionsAnswered, Side
from events.types.criteria import ProtocolRules
from judge.guard.neutralise import quoted
from judge.lenient import keyed, loose
from judge.protocol.cross import argument_segment, cross_text, their_arguments
from judge.protocol.prompt import STANCE, Prompt, prompt_opening
from judge.protocol.reading import (
    NOT_JSON,
    StatementReading,
    all_text,
    argument_id,
    clean_text,
    entries,
    excerpt,
    first_value,
    join_names,
    parse_loosely,
)
from judge.templates import fill, section
from providers.answers.schema import guided
from providers.base import Segment

MIN_ANSWER: Final = 20
"""Characters of an answer for the model; a shorter text is read as well."""
CHARACTERS_A_WORD: Final = 7
"""Maximum characters of an answer for each of its words."""
_AROUND: Final = ("answers", "responses")
_IDS: Final = ("argument", "argument_id", "target", "id")


def answers_type(names: tuple[str, ...], rules: ProtocolRules) -> Any:
    """``{"PRO-1": {"answer"}, …}``; a text in place of the inner object, and a list under ``answers``, are read too."""
    return _answers_type(names, CHARACTERS_A_WORD * (rules.answer_words or 0))


@lru_cache(maxsize=64)
def _answers_type(names: tuple[str, ...], most: int) -> Any:
    length = Meta(min_length=MIN_ANSWER, max_length=most) if most else Meta(min_length=MIN_ANSWER)
    answer = loose("Answer", ("answer", Annotated[str, length]))
    neutral = {name: {"answer": f"The script gives no answer about {name}."} for name in names}
    return guided(Any, keyed("Answers", names, answer), neutral)


def questioned(protocol: ProtocolState, side: Side) -> tuple[str, ...]:
    """Return a side's arguments about which a question was put; all of them if the other side put none in the form."""
    own = protocol.arguments_of(side)
    crossed = {name: protocol.arguments[name].cross for name in own}
    return tuple(name for name, cross in crossed.items() if cross is not UNSET and cross.follow_up) or own


def answers_prompt(opened: DebateOpened, protocol: ProtocolState, side: Side, examined: str) -> Prompt:
    """Ask a side for its answers; the prompt has its arguments with what the other side said of them.

    ``examined``: the text of the other side's cross-examination, shown if none of it was in the required form.
    """
    template, rules = opened.prompts["protocol"], opened.rubric.protocol
    assert rules is not None, "an opening fills in what a rubric leaves out"
    own = protocol.arguments_of(side)
    shown: list[Segment] = []
    for name in own:
        argument = protocol.arguments[name]
        shown += [argument_segment(template, name, argument), Segment("user", cross_text(template, argument))]
    if all(protocol.arguments[name].cross is UNSET for name in own):
        shown.append(Segment("user", fill(section(template, "examination"), text=quoted(examined))))
    shown += their_arguments(template, protocol, side)
    ask = fill(
        section(opened.prompts["answer"], "ask"),
        stance=STANCE[side],
        ids=join_names(questioned(protocol, side)),
        words=str(rules.answer_words or ""),
    )
    return (*prompt_opening(opened, side), *shown, Segment("user", ask))


def read_answers(
    raw: str, side: Side, turn: int, names: tuple[str, ...], rules: ProtocolRules, also: tuple[str, ...] = ()
) -> StatementReading:
    """Read the answers, the first one about each of ``names``.

    The event has them whole, the turn at most the rubric's number of words of each.
    """
    value, most = parse_loosely(raw), rules.answer_words or 0
    found = list(_entries(value))
    faults = [NOT_JSON] if not found and isinstance(value, str) else []
    kept: dict[str, str] = {}
    for number, (name, text) in enumerate(found, 1):
        if name not in names:
            faults.append(f"answer {number}: {excerpt(name)} is none of {join_names(names)}")
        elif name in kept:
            faults.append(f"{name} is answered more than once: the first answer counts")
        elif text:
            kept[name] = text
    words = {name: count_words(text) for name, text in kept.items()}
    faults += [f"{name} is not answered" for name in names if name not in kept]
    over = {name: count for name, count in words.items() if most and count > most}
    faults += [f"{name}: its answer has {count} words, at most {most} are allowed" for name, count in over.items()]
    faults += also
    event = QuestionsAnswered(
        side=side,
        turn=turn,
        answers={name: kept[name] for name in names if name in kept},
        words={name: words[name] for name in names if name in kept},
        faults=tuple(faults),
        free_text=raw if faults else "",
    )
    said = (f"{name}: {shown_answer(text, rules)}" for name, text in event.answers.items())
    return StatementReading(
        text="\n\n".join(said) or all_text(value),
        events=(event,),
        faults=tuple(faults),
        kept=len(kept),
        is_clipped=bool(over),
    )


def shown_answer(text: str, rules: ProtocolRules) -> str:
    """Return as much of an answer as counts."""
    return cut_to(text, rules.answer_words, rules) if rules.answer_words else text


def cut_to(text: str, most: int, rules: ProtocolRules) -> str:
    """Return a text within ``most`` words, cut as the rules say."""
    return first_sentences(text, most) if rules.whole_sentences else first_words(text, most)


def _entries(value: Any) -> Iterator[tuple[str, str]]:
    """Yield (id, answer) in the order of the answers, from the forms that models give."""
    inner = first_value(value, _AROUND) or value
    if isinstance(inner, dict):
        inner = {name: {"answer": item} if isinstance(item, str) else item for name, item in inner.items()}
    for name, item in entries(inner, (), _IDS):
        yield argument_id(name), clean_text(first_value(item, ("answer", "text", "reply", "response")))
