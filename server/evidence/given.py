"""The passages that a debater is given for a turn: which ones, and how they stand in its prompt.

A passage is material of other people, as a speech is: neutralised, marked, and with no number of its own making.
"""

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, Literal

from msgspec import UNSET

from events.state.debate import Debate
from events.state.parts.evidence import EvidencePack
from events.text.segmentation import count_words, first_words
from events.types import DebateOpened, Side
from judge.guard.neutralise import quoted
from judge.templates import fill, section
from judge.text.words import tokens
from personalities.pressure import directive_in_force
from personalities.prompt import debater_template, inline
from server.evidence.passages import READ_BADLY
from server.evidence.retrieval import best_passages, best_sentences, prepare

__all__ = ["passages_for", "prepare", "room_for", "statement_passages", "with_passages"]
TEMPLATE: Final = "documents"
"""The name of the template in an opening; only a debate with documents has it."""
Form = Literal["whole", "short", "begun"]
"""How much a debater reads: ``short`` is for small models, ``begun`` for one that continues a speech's first words."""
MAX_PASSAGES: Final[dict[Form, int]] = {"whole": 6, "short": 3, "begun": 1}
"""Passages for a turn."""
MAX_WORDS: Final[dict[Form, int]] = {"whole": 10_000, "short": 60, "begun": 30}
"""Words of a passage in a prompt: of a longer one stand the sentences that fit the turn best."""
SHARE_OF_WINDOW: Final = 4
"""Passages have at most a quarter of a model's window."""
ROOM: Final = 2400
"""Tokens that passages have at most."""
MAX_ANSWERED: Final = 2
"""Passages that a debater is given because the opponent's last turn cites them."""
_CITED: Final = re.compile(r"\[\s*(E[1-9]\d{0,5})\s*\]")
_NUMBERED: Final = re.compile(r"[\[［]\s*(E\s*\d+)\s*[\]］]", re.IGNORECASE)


def room_for(debate: Debate, window: int) -> float:
    """Tokens that a prompt keeps for passages; 0 in a debate without documents.  ``window`` 0: it has no limit."""
    if not debate.evidence.passages:
        return 0.0
    return min(ROOM, window / SHARE_OF_WINDOW) if window else ROOM


def passages_for(debate: Debate, opened: DebateOpened, side: Side, form: Form, window: int) -> tuple[str, ...]:
    """The ids of the passages for the next turn of ``side``: those that the opponent cites, then the best ones.

    What fits is found by the motion, the opponent's last turn and the directive.  Where no passage has a word of them,
    the first passages follow; of a few passages, all are given.
    """
    pack, most = debate.evidence, MAX_PASSAGES[form]
    if not pack.passages:
        return ()
    cited = [name for name in _CITED.findall(_answered(debate, side)) if name in pack.passages]
    found = best_passages(pack, _query(debate, opened, side), opened.language or "en", most)
    rest = pack.passages if len(pack.passages) <= most or not found else ()
    wanted = tuple(dict.fromkeys((*cited[::-1][:MAX_ANSWERED], *found, *rest)))[:most]
    return _fitting(pack, wanted, room_for(debate, window))


def with_passages(
    debate: Debate, opened: DebateOpened, side: Side, names: Sequence[str], form: Form
) -> tuple[str, str]:
    """What a prompt for a speech says about documents: in the role, and before the question; empty without passages."""
    if not names:
        return "", ""
    template = opened.prompts.get(TEMPLATE) or debater_template(TEMPLATE)
    query, language = _query(debate, opened, side), opened.language or "en"
    shown = [
        (name, _defanged(inline(_shortened(debate.evidence, name, query, language, form), quoted))) for name in names
    ]
    if form == "begun":
        return "", "\n".join(fill(section(template, "begun"), id=name, text=text) for name, text in shown)
    lines = [
        fill(section(template, "passage"), id=name, place=_place(debate.evidence, name), text=text)
        for name, text in shown
    ]
    rules = section(template, "rules" if form == "whole" else "short_rules")
    return rules, "\n\n".join((section(template, "shown"), *lines))


def statement_passages(debate: Debate, opened: DebateOpened, names: Sequence[str]) -> str:
    """What a prompt for a statement by protocol says about documents; empty without passages."""
    if not names:
        return ""
    template, pack = opened.prompts.get(TEMPLATE) or debater_template(TEMPLATE), debate.evidence
    shown = {name: _defanged(quoted(pack.passages[name].passage.text)) for name in names}
    frame = section(template, "lines")
    lines = (fill(frame, id=name, place=_place(pack, name), text=text) for name, text in shown.items())
    return fill(section(template, "statement"), passages="\n\n".join(lines))


def _answered(debate: Debate, side: Side) -> str:
    """The last turn of the opponent; empty before it."""
    return next((turn.text for turn in reversed(debate.transcript.spoken()) if turn.side != side), "")


def _query(debate: Debate, opened: DebateOpened, side: Side) -> str:
    directive = directive_in_force(debate, side)
    told = debate.characters.directives[directive].text if directive else ""
    return "\n".join((opened.motion, told, _answered(debate, side)))


def _fitting(pack: EvidencePack, names: Sequence[str], room: float) -> tuple[str, ...]:
    """The first of the passages that fit into ``room`` tokens; at least one."""
    sizes = accumulate(tokens(pack.passages[name].passage.text) for name in names)
    number = sum(size <= room for size in sizes)
    return tuple(names[: max(1, number)])


def _shortened(pack: EvidencePack, name: str, query: str, language: str, form: Form) -> str:
    """A passage within the words of the form: the best sentence and those that follow it."""
    text, most = pack.passages[name].passage.text, MAX_WORDS[form]
    if count_words(text) <= most:
        return text
    sentences = list(best_sentences(text, query, language))
    first = max(range(len(sentences)), key=lambda number: (sentences[number][0], -number))
    kept: list[str] = []
    left = most
    for _, sentence in sentences[first:]:
        left -= count_words(sentence)
        if kept and left < 0:
            break
        kept.append(first_words(sentence, most))
    return " ".join(kept)


def _place(pack: EvidencePack, name: str) -> str:
    """Where a passage stands: the document, the page, the heading.  All of it is words of other people."""
    supplied = pack.passages[name]
    document, passage = pack.documents[supplied.document], supplied.passage
    parts = [document.name if document.title is UNSET else f"{document.title} ({document.name})"]
    parts += [] if passage.page is UNSET else [f"page {passage.page}"]
    parts += [READ_BADLY] if passage.misread else []
    parts += [] if passage.heading is UNSET else [passage.heading]
    return ", ".join(_defanged(inline(part, quoted)) for part in parts)


def _defanged(text: str) -> str:
    """Text in which no other passage can seem to begin: ``[E3]`` becomes ``(E3)``."""
    return _NUMBERED.sub(r"(\1)", text)
