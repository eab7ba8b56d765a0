"""What a question about two answers is about, as values: for a person in the judge's seat."""

from events.state.debate import Debate
from events.state.folds.answers import answers_of
from events.types import DebateOpened, Missing
from judge.answers.prompt import LETTER_OF, setup_of
from judge.answers.quotes import annotated
from judge.material import material_of, moderator_words
from providers.base import Material, Speech


def answers_material(debate: Debate, opened: DebateOpened, purpose: str, *, is_final: bool) -> Material:
    """Return the question, the answers, the speeches, and the passage where the judge reads it.

    ``is_final``: with the critique.
    """
    setup, answers = setup_of(opened), answers_of(debate)
    speeches = [
        Speech(
            name=str(turn.turn),
            speaker=LETTER_OF[turn.side],
            text=annotated(turn.text, answers.quotes.get(turn.turn, ())),
        )
        for turn in debate.transcript.spoken()
    ]
    if answers.critique is not None and is_final:
        critique = annotated(answers.critique.text, answers.critique.quotes)
        speeches.append(Speech(name="The critique", speaker="", text=critique, kind="text"))
    if answers.passage and not answers.is_withheld:
        speeches.append(Speech(name="The passage", speaker="", text=answers.passage, kind="text"))
    told = [f"A: {setup.answers[0]}", f"B: {setup.answers[1]}", moderator_words(debate)]
    if setup.arm == "consultancy":
        told.append(f"The consultant was told to argue for {setup.assigned}, and may be wrong.")
        for turn, text in answers.questions.items():
            told.append(f"After speech {turn} you asked: {'nothing' if isinstance(text, Missing) else text}")
    return material_of(debate, purpose, speeches=tuple(speeches), context="\n".join(filter(None, told)))
