"""What a person reads with the form of a statement: the arguments of both sides, and what was said of them."""

from collections.abc import Iterator, Sequence

from events.state.debate import Debate
from events.types import Side, other
from events.types.criteria import ProtocolRules
from judge.material import material_of, moderator_words, opened_of
from judge.panel.material import arguments_material
from judge.protocol.closings import conceded
from judge.protocol.prompt import SPEAKER
from providers.base import Material, RegisterEntry, Speech


def statement_material(
    debate: Debate, kind: str, side: Side, about: Sequence[str], passages: Sequence[str]
) -> Material:
    """Return what a side reads before a statement: what the prompt of a model shows, and its passages of documents.

    ``kind``: ``open``, ``cross``, ``answer`` or ``close``; ``about``: the arguments that its form has a part for.
    """
    rules = opened_of(debate).rubric.protocol or ProtocolRules()
    granted = conceded(debate.protocol, side) if kind == "close" else ()
    return material_of(
        debate,
        kind,
        speeches=tuple(_speeches(debate, kind)),
        about=tuple(about),
        register=tuple(
            RegisterEntry(name=name, kind="passage", speaker="", speech="", text=found.passage.text, quote="")
            for name in passages
            for found in (debate.evidence.passages[name],)
        ),
        context="\n".join(filter(None, (moderator_words(debate), "What you granted:" if granted else "", *granted))),
        most_words=_most_words(kind, about, rules),
    )


def _speeches(debate: Debate, kind: str) -> Iterator[Speech]:
    """Each argument, what the other side said of it, and the answer; nothing while the openings are written."""
    if kind == "open":
        return
    arguments = debate.protocol.arguments
    said = arguments_material(debate, kind).speeches
    for each in sorted(said, key=lambda speech: [*arguments].index(speech.answers or speech.name)):
        owner = arguments[each.answers or each.name].side
        speaker = other(owner) if each.kind == "answer" else owner
        yield Speech(name=each.name, speaker=SPEAKER[speaker], text=each.text, kind=each.kind, answers=each.answers)


def _most_words(kind: str, about: Sequence[str], rules: ProtocolRules) -> dict[str, int]:
    """The rubric's limits of words, by the path in the answer."""
    if kind == "close":
        return {"": rules.closing_words}
    return {f"{name}.answer": rules.answer_words for name in about} if kind == "answer" and rules.answer_words else {}
