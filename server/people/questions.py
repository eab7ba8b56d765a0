"""The words of the questions to a person who judges or debates in a form: what is asked, how long it takes, the names.

``server.people.forms`` puts them at the fields of a form.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from providers.base import Material, RegisterEntry, Speech


class QuestionWords(NamedTuple):
    """A purpose of a question: its title, its minutes, and what to do.

    ``{turn}`` and ``{other}`` are the speeches that it is about, ``{speaker}`` is who gave the first of them,
    ``{number}`` says how many there are.
    """

    title: str
    minutes: int
    how: tuple[str, ...] = ()


STATEMENTS: Final = {
    "open": QuestionWords(
        "Open your case",
        15,
        (
            (
                "Give exactly {number} arguments, each on a point of its own: the claim in one sentence, how it "
                "follows step by step, and evidence that somebody could check."
            ),
            "Neither side reads the other one’s opening before both are sent.",
        ),
    ),
    "cross": QuestionWords(
        "Examine the other side’s arguments",
        12,
        (
            (
                "Say of each argument whether it holds, and why. Then put one sharp question: the other side must "
                "answer it next, and you read the answer before you close."
            ),
        ),
    ),
    "answer": QuestionWords(
        "Answer the questions put to you",
        10,
        ("Answer each question itself. The judge scores how well your side responds by these answers.",),
    ),
    "close": QuestionWords(
        "Close your case",
        8,
        (
            "Say what you grant, what still holds, and how sure of it one may be.",
            "It is no weakness to say that your position moved.",
        ),
    ),
}
"""What is asked of a person who debates in format ``protocol``."""

PURPOSES: Final[Mapping[str, QuestionWords]] = STATEMENTS | {
    "score": QuestionWords(
        "Score {turn}",
        10,
        (
            (
                "Read {turn}. For each heading below, choose the words of the turn on which your answer rests, and "
                "give points. The sentences next to the numbers say what earns them; you may give the numbers between "
                "them too."
            ),
            (
                "Where a heading asks for words, points above 0 need them. Do not take points for the same flaw twice. "
                "What your answer will count stands above “Send”."
            ),
        ),
    ),
    "compare": QuestionWords(
        "Compare {turn} and {other}",
        2,
        (
            (
                "Which of the two turns is better in each respect? “Slightly” means that a fair reader could see it "
                "the other way. “Clearly” means that nearly every fair reader would agree."
            ),
            (
                "Measure each turn by what it had to answer. If only one of them could do something, because it spoke "
                "first or second, that does not count."
            ),
        ),
    ),
    "claims": QuestionWords(
        "Suspect claims in {turn}",
        3,
        (
            (
                "Does {turn} claim something that looks invented or wrong, or that sounds more exact or more certain "
                "than it can be? Add each such claim with its words. Most turns have none or one."
            ),
            "You need not look anything up. If you only cannot check a claim, it is at most “unverifiable”.",
        ),
    ),
    "evidence": QuestionWords(
        "The evidence for {turn}",
        4,
        (
            (
                "Each claim below stands next to one passage of a document. Does the passage give a reason to believe "
                "the claim? Judge by the words of the passage alone, not by what you know, and not by whether the "
                "claim is right."
            ),
        ),
    ),
    "premises": QuestionWords(
        "What {turn} rests on",
        4,
        (
            (
                "A premise is a statement that the case of Speaker {speaker} needs: if it fell, the case would be "
                "weaker. Each premise goes into one list only. A list may stay empty."
            ),
        ),
    ),
    "gaps": QuestionWords(
        "Flaws that {turn} shows",
        4,
        (
            (
                "Does {turn} show that an earlier turn, of either speaker, has a flaw in its logic? A flaw is a step "
                "or a premise that fails. That {turn} answers a point is not enough."
            ),
            "Add only flaws for which you have not taken points yet. Most turns show none or one.",
        ),
    ),
    "audit": QuestionWords(
        "Flaws that are left",
        6,
        (
            (
                "The debate is over. Look at all turns once more: does one of them have a flaw in its logic for which "
                "you have not taken points? Hold both speakers to the same standard. It is a good answer to add none."
            ),
        ),
    ),
    "second_opinion": QuestionWords("One claim of {turn}", 2),
    "narrative": QuestionWords(
        "The debate as a whole",
        8,
        ("The debate is over. Do not count single turns: whose position held better from beginning to end?",),
    ),
    "conflict": QuestionWords(
        "Two results that differ",
        4,
        (
            (
                "Two readings of this debate stand below. They differ in the winner, or in how clear the result is. "
                "Say where they differ, and how both can be true."
            ),
        ),
    ),
    "convergence": QuestionWords(
        "How close the speakers came",
        4,
        ("What did each speaker claim above all, at the beginning and at the end? One sentence each.",),
    ),
    "panel": QuestionWords(
        "Rate each argument",
        15,
        (
            (
                "You are one of several raters, and you do not see the ratings of the others. Use the whole scale: "
                "most ratings lie between its ends."
            ),
        ),
    ),
    "deliberate": QuestionWords("Look again", 8),
    "group": QuestionWords(
        "Which findings are the same?",
        3,
        ("For each finding (F) and each change (R), choose the first earlier one that says the same, or none.",),
    ),
    "assess": QuestionWords(
        "Judge the whole debate",
        20,
        (
            "Judge each argument for a person who must decide: say whether it holds, and score it on the criteria.",
            (
                "The score for responsiveness is for the answers: how the side of an argument meets the question that "
                "was put about it."
            ),
        ),
    ),
    "choose": QuestionWords(
        "Which answer is right?",
        10,
        (
            "Exactly one of the two answers is right. Say which one, and how probable it is that A is right.",
            (
                "Behind each quote stands whether its words were found in the passage that the question is about. A "
                "true quote may still be taken out of its context."
            ),
        ),
    ),
    "inquire": QuestionWords(
        "Ask the consultant",
        4,
        ("Ask the question whose answer would tell you most about which of the two answers is right.",),
    ),
}
READS_A_TEXT: Final = "Read the text, score it, and give your verdict with the words on which it rests most."
LOOKS_AGAIN: Final = (
    "You see what the others say. Keep your opinion where it holds. Change it for words that are really there, or for "
    "a better reason about them; never because others are more, or surer."
)
CITING: Final = (
    "You may cite the passages: quote the exact words, and put the number right after them: “the words” [{}]."
)
OTHER_MINUTES: Final = 5
"""Minutes of a question whose purpose has no words here."""


def place(name: str) -> str:
    """A speech or a passage by its name: ``turn 3``, ``passage E2``, ``PRO-1``."""
    if name.isdecimal():
        return f"turn {name}"
    return f"passage {name}" if re.fullmatch(r"E\d+", name) else name


def plain(name: str) -> str:
    """A name of the wire as words."""
    return name.replace("_", " ")


def capital(text: str) -> str:
    """The text with a capital letter first, and the rest as it is."""
    return text[:1].upper() + text[1:]


def title_of(speech: Speech) -> str:
    """``Turn 3, Speaker A``; the name of an artifact."""
    return speech.name if speech.kind == "text" else f"{capital(place(speech.name))}, {speaker_name(speech.speaker)}"


def speaker_name(label: str) -> str:
    """``A`` is Speaker A; a debate by rounds names its sides."""
    return f"Speaker {label}" if label in {"A", "B"} else label


def asked(material: Material) -> QuestionWords:
    """The words of a question, with what it is about."""
    purpose, about = material.purpose, (*material.about, "", "")
    words = PURPOSES.get(purpose) or QuestionWords(capital(plain(purpose)), OTHER_MINUTES)
    if purpose == "panel" and all(each.isdecimal() for each in material.about):
        words = words._replace(title="Rate each turn")
    if purpose == "deliberate":
        is_first = not re.search(r"^Round ", material.context, re.MULTILINE)
        is_text = bool(material.speeches) and material.speeches[0].kind == "text"
        title = "Judge this text" if is_text else words.title
        words = words._replace(title=title, how=(READS_A_TEXT if is_first else LOOKS_AGAIN,))
    facts = {
        "turn": place(about[0]),
        "other": place(about[1]),
        "number": len(material.about),
        "speaker": next((each.speaker for each in material.speeches if each.name == about[0]), ""),
    }
    how = (*(line.format(**facts) for line in words.how), *_claim(material), *_citing(material))
    return words._replace(title=words.title.format(**facts), how=how)


def _claim(material: Material) -> tuple[str, ...]:
    """What a second opinion is about."""
    if material.purpose != "second_opinion":
        return ()
    claim = material.register[0].text if material.register else ""
    term = material.terms[0].asks if material.terms else ""
    question = f"Is it true of this claim that {term}?" if material.terms else "Is the claim suspect?"
    return (f"The claim: “{claim}”", question, "If you cannot tell, the answer is no.")


def _citing(material: Material) -> tuple[str, ...]:
    """How a person who debates cites a passage of a document."""
    passage = next((each for each in material.register if each.kind == "passage"), None)
    return (CITING.format(passage.name),) if passage is not None and material.purpose in STATEMENTS else ()


def label(name: str, purpose: str) -> str:
    """The name of a field, as a person reads it."""
    if own := LABELS_OF.get(purpose, {}).get(name) or LABELS.get(name):
        return own
    speaker = re.fullmatch(r"([AB]|Pro|Con)\.(.+)", name)
    return f"{speaker_name(speaker[1])}: {plain(speaker[2])}" if speaker else capital(plain(name))


def item_name(name: str, about: RegisterEntry | None) -> str:
    """The name of an item that is rated, or of a passage with its claim."""
    if about is not None:
        return f"Passage {about.name} and the claim “{about.quote}”"
    return capital(place(name)) if name.isdecimal() else name


def option(value: str | bool | None, material: Material) -> str:
    """An answer of a choice in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    name, purpose = str(value), material.purpose
    if purpose == "compare" and (graded := re.fullmatch(r"(first|second)(?:_(clear|slight))?", name)):
        which = capital(place(material.about[0 if graded[1] == "first" else 1]))
        return f"{which}, {graded[2]}ly" if graded[2] else which
    if purpose == "compare" and name == "draw":
        return "no difference"
    if own := OPTIONS_OF.get(purpose, {}).get(name):
        return own
    term = next((each for each in material.terms if each.name == name), None)
    return f"{plain(name)}: {term.asks}" if term and term.asks else OPTIONS.get(name, plain(name))


def sentence(asks: str) -> str:
    """What the rubric asks of a part, as a sentence; some rubrics ask it as a question."""
    if not asks:
        return ""
    return f"{capital(asks)}?" if re.match(r"(?:is|are|does|do|can|has|how|what)\b", asks) else f"It {asks}."


LABELS: Final[dict[str, str]] = {
    "A": "Speaker A",
    "B": "Speaker B",
    "about": "About",
    "answered": "What of the other speaker the turn answers",
    "argument": "Which argument",
    "cites": "What you rely on (optional)",
    "claim": "The claim, in one sentence",
    "claims": "Suspect claims",
    "concessions": "What you now grant to the other side",
    "confidence": "How sure are you?",
    "continues": "Have you taken points for this flaw already?",
    "contradictions": "Premises that the turn contradicts",
    "dropped": "Premises that the turn drops",
    "early": "Claim at the beginning",
    "evidence": "The evidence",
    "evolution": "How the argument developed",
    "explanation": "Why",
    "exposed_by": "The words that show it",
    "fails": "The words that fail",
    "fallacies": "Fallacies",
    "fallacy": "Which fallacy",
    "final_position": "What you still hold, and how sure of it one may be",
    "finding": "The most important thing that you see",
    "follow_up": "Your question",
    "findings": "Findings",
    "fractures": "Where it broke",
    "gaps": "Flaws",
    "held": "What held",
    "key_insight": "What one should take away from this debate",
    "kind": "What is wrong with it",
    "late": "Claim at the end",
    "margin": "By how much?",
    "moved_by": "Whose reason changed your verdict?",
    "moved_words": "The words of that reason, as they are shown",
    "notes": "What decides your rating, in one short sentence",
    "pattern": "Which of these describes the debate best?",
    "points": "Points",
    "premise": "Which premise",
    "premises": "Which premises",
    "quote": "Words from the turn",
    "rationale": "Why",
    "reason": "Why",
    "reasoning": "How it follows",
    "recommendation": "What the person who decides should do",
    "remediation": "What should be changed",
    "response": "Does it hold?",
    "revised": "Premises that the turn puts differently",
    "scores": "Scores",
    "shift": "Where you stand, compared with your opening",
    "shift_reason": "What moved your position, or why nothing did",
    "standing": "Does it hold?",
    "standing_arguments": "Your arguments that hold as you stated them",
    "standings": "Does it hold?",
    "stated": "New premises",
    "text": "In your words",
    "unresolved_questions": "Questions that stay open",
    "verdict": "Your verdict",
    "winner": "Whose position held better?",
    "withdrawn": "Premises that the turn gives up openly",
    "withdraws": "What you no longer hold: findings (F) and changes (R)",
}
"""Names of fields where the name of the property does not say it."""

LABELS_OF: Final[dict[str, dict[str, str]]] = {
    "answer": {"answer": "Your answer"},
    "cross": {"reasoning": "Why"},
    "inquire": {"question": "Your question"},
    "choose": {
        "answer": "Your answer",
        "p_a": "How probable is it that A is right? 0 is surely B, 1 is surely A",
        "reason": "What decides it",
    },
    "convergence": {"kind": "Where did the debate end up?"},
    "deliberate": {
        "quote": "Words on which your verdict rests most",
        "confidence": "How sure are you? 0 is not at all, 1 is certain",
    },
    "evidence": {"quote": "Words of the passage on which you rely", "relation": "The passage and the claim"},
    "second_opinion": {"verdict": "Is it so?"},
    "conflict": {"text": "How do they differ, and why?"},
}
"""Names that depend on the purpose."""

NEEDED: Final[dict[str, str]] = {
    "points": "needed for points above 0",
    "relation": "needed unless the passage is about something else",
}
"""When a quote is needed, by the property next to it that decides it."""

ROWS: Final[dict[str, str]] = {
    "claims": "a suspect claim",
    "concessions": "a concession",
    "contradictions": "a contradiction",
    "dropped": "a premise that is dropped",
    "fallacies": "a fallacy",
    "findings": "a finding",
    "gaps": "a flaw",
    "remediation": "a change",
    "revised": "a premise that is put differently",
    "stated": "a premise",
    "unresolved_questions": "an open question",
    "withdrawn": "a premise that is given up",
}
"""What a list holds, for the button that adds a row."""

HINTS: Final[dict[str, str]] = {
    "answered": "The turn attacks it, questions it, turns it round or grants it. Leave out what it only mentions.",
    "dropped": "The opponent attacked it in the turn before, and this turn says nothing about it.",
    "withdrawn": "The turn says openly that it gives this premise up. That costs nothing.",
    "revised": "The turn changes it, concedes a part of it, or takes it up again.",
    "stated": "What the turn builds on and had not said before: five at most.",
}
"""What a list means, where its name does not say it."""

OPTIONS: Final[dict[str, str]] = {
    "A": "Speaker A",
    "B": "Speaker B",
    "neither": "neither",
    "tie": "neither is stronger",
    "UPHELD": "yes: it was tested and holds",
    "PARTIALLY_UPHELD": "in part: a limit was shown",
    "REFUTED": "no: it was shown to fail",
    "UNCERTAIN": "open: plausible and unproven",
    "PASS": "passes",
    "CONDITIONAL": "passes if something is changed",
    "FAIL": "fails",
    "coherence_collapse": "the side that won the single turns shifted its main claim again and again",
    "asymmetric_depth": "one side had the style, the other the substance",
    "convergence_failure": "both argued past each other",
    "recovery_arc": "a side that was behind recovered and won",
    "rule_effect": "a rule of the scores made the difference, not the debate",
    "genuine_agreement": "they came to agree",
    "definitional_dispute": "they differ only on what words mean",
    "degree_disagreement": "they differ only on how much",
    "degenerate_convergence": "both defend the same thing and do not notice it",
    "supports": "the passage is a reason to believe the claim",
    "contradicts": "the passage and the claim cannot both be true",
    "beside_the_point": "neither: the passage is about something else",
    "stalled": "they repeat themselves",
    "unresolved": "they still disagree on the question itself",
}
"""The answers of a choice."""

OPTIONS_OF: Final[dict[str, dict[str, str]]] = {
    "choose": {"A": "A", "B": "B"},
    "cross": {
        "refute": "no: its facts or its logic are wrong",
        "challenge": "not shown: its evidence does not carry it, or its conditions are not met",
        "partial": "in part: its core holds, but not in this degree or scope",
        "concede": "yes: it holds",
    },
    "close": {
        "strengthened": "surer of it: the exchange gave me reasons",
        "weakened": "less sure of it",
        "adjusted": "elsewhere: it has limits or exceptions now that it did not have",
        "unchanged": "unchanged: nothing that was said moved it",
    },
    "second_opinion": {"upheld": "yes", "cleared": "no"},
    "narrative": {
        "none": "no difference",
        "clear": "clearly",
        "narrow": "narrowly",
        "high": "very sure",
        "medium": "fairly sure",
        "low": "not sure",
    },
    "conflict": {"none": "none of these"},
}
"""Answers that depend on the purpose."""
