"""What a question about two answers is about, as values: for a person in the judge's seat."""

from msgspec import UNSET

from events.state.debate import Debate
from events.types import DebateOpened
from judge.answers.prompt import LETTER_OF, setup_of
from judge.material import material_of, moderator_words
from providers.base import Material, Speech


def answers_material(debate: Debate, opened: DebateOpened, purpose: str) -> Material:
    """Return the question, the answers, the speeches, and the passage where the judge reads it."""
    setup, answers = setup_of(opened), debate.answers
    speeches = [
        Speech(name=str(turn.turn), speaker=LETTER_OF[turn.side], text=turn.text) for turn in debate.transcript.spoken()
    ]
    if answers.critique is not None and setup.arm == "critique":
        speeches.append(Speech(name="critique", speaker="", text=answers.critique.text, kind="text"))
    parts = [f"A: {setup.answers[0]}", f"B: {setup.answers[1]}", moderator_words(debate)]
    if answers.passage and not answers.is_withheld:
        parts.append(answers.passage)
    if setup.assigned is not UNSET and setup.arm == "consultancy":
        parts.append(f"The consultant was told to argue for {setup.assigned}.")
    return material_of(debate, purpose, speeches=tuple(speeches), context="\n".join(filter(None, parts)))
