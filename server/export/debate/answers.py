"""A question with two answers to read: what was said for each, with its quotes, and what the judge answered."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET

from events.text.figures import percent
from events.types import AnswerGiven, CheckedQuote, Letter, Missing, Side
from events.view.answers import AnswersView
from events.view.view import View
from server.export import document as doc

LETTERS: Final[dict[Side, Letter]] = {"pro": "A", "con": "B"}
ARMS: Final = {
    "naive": "The judge answers alone",
    "vote": "The judge answers alone, again and again",
    "debate": "Two debaters argue, one for each answer, and then the judge answers",
    "critique": "The judge answers alone, and again after a critique",
    "consultancy": "A consultant argues for an assigned answer, and then the judge answers",
}
UNSEEN: Final = "The judge does not read the passage."


def answers_blocks(view: View) -> Iterator[doc.Block]:
    """The question, all speeches in their order, and the answers."""
    asked = view.answers
    if not isinstance(asked, AnswersView):
        return
    yield doc.Facts((("A", asked.a), ("B", asked.b)))
    yield doc.Listing(tuple(_how(asked)))
    for number, turn in view.turns.items():
        title = f"Turn {number} · for {LETTERS[turn.side]}"
        blocks: list[doc.Block] = [doc.Quoted(turn.text) if turn.text else doc.Paragraph((doc.Marked(turn.state),))]
        blocks.append(doc.Listing(tuple(quote_lines(asked.quotes.get(number, ())))))
        if turn.origin is not UNSET:
            blocks.append(doc.Paragraph((doc.Marked(f"{turn.origin.text[0].upper()}{turn.origin.text[1:]}"),)))
        if isinstance(put := asked.questions.get(number), str):
            blocks.append(doc.Paragraph((doc.Strong("The judge asks:"), f" {put}")))
        yield doc.Section(title, tuple(blocks))
    if asked.critique is not UNSET:
        lines = doc.Listing(tuple(quote_lines(asked.critique.quotes)))
        yield doc.Section("The critique", (doc.Quoted(asked.critique.text), lines))
    if asked.given:
        yield doc.Section("Answers", tuple(block for each in asked.given for block in _answer(each)))
    if asked.passage is not UNSET:
        yield doc.Section("The passage", (doc.Quoted(asked.passage),))


def _how(asked: AnswersView) -> Iterator[str]:
    yield ARMS[asked.arm]
    if asked.assigned is not UNSET:
        yield f"The {'consultant' if asked.arm == 'consultancy' else 'critic'} was told to argue for {asked.assigned}"
    if asked.critic is not UNSET:
        yield f"Critic: {asked.critic}"
    if asked.has_passage:
        yield "The judge reads the passage." if asked.sees == "all" else UNSEEN


def quote_lines(quotes: Sequence[CheckedQuote]) -> Iterator[str]:
    """Each quote with what was found of it."""
    for each in quotes:
        yield f"“{each.text}”: {'stands in the passage' if each.stands else 'does not stand in the passage'}"


def answer_line(given: AnswerGiven) -> str:
    """One answer: ``The judge, alone: A, 72 % sure by its own statement``."""
    who = f"The {given.by}{', alone' if given.stage == 'alone' and given.by == 'judge' else ''}"
    who += f", sample {given.sample}" if given.sample > 1 else ""
    if isinstance(given.choice, Missing):
        return f"{who}: no answer, because {given.choice.missing.reason}"
    if isinstance(given.p_a, Missing):
        return f"{who}: {given.choice}"
    sure = given.p_a if given.choice == "A" else 1 - given.p_a
    return f"{who}: {given.choice}, {percent(sure, 0)} sure by its own statement"


def _answer(given: AnswerGiven) -> Iterator[doc.Block]:
    yield doc.Paragraph((doc.Strong(answer_line(given)),))
    if given.reason:
        yield doc.Quoted(given.reason)
    yield doc.Listing(tuple(quote_lines(given.quotes)))
