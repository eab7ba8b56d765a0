"""The baseline's answer to each question: a pure function of the question's material and of the form of its answer.

The form is the JSON schema of the answer's type.  Members whose names the baseline does not know are left out, so their
values are missing.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from msgspec.structs import replace

from events.text.figures import percent, rounded
from judge.lenient import clip
from judge.lexical.findings import (
    ALIKE,
    KNOWABLE,
    ContradictingSentences,
    contradict,
    contradictions,
    coverage,
    premises,
    suspect_claims,
)
from judge.lexical.marks import languages
from judge.lexical.measures import (
    DIMENSIONS,
    HELPED_BY_OPPONENT,
    REASONS,
    SHARED,
    Measured,
    MeasuredSpeech,
    answered,
    level,
    measure,
)
from judge.lexical.reading import Sentence, TextReading, read
from judge.text.scanner import tokens
from providers.base import Material, RegisterEntry, Speech, purposes_of
from providers.errors import BadRequest

NAME: Final = "the lexical baseline"
DISCLAIMER: Final = "It counts marks of argument and understands nothing"
DRAWN = 0.03
CLEAR = 0.15
"""Differences of two levels up to which a dimension is drawn, and from which on it is won clearly."""
REASON = 400
EXPLANATION = 1200
PREMISE = 300
NOTE = 120
"""Maximum characters of a reason, of the explanation of a narrative, of a premise, and of a rater's note."""
STALLED: Final = 0.8
"""Share of the words of a last turn that its speaker used before, from which on a debate counts as stalled."""
ADDED: Final = 2
"""New words with content that a revised premise has at least."""
MAX_PREMISES: Final = 5
"""Items of a list of premises."""
IDS: Final = 12
"""Maximum premises and claims that a turn answers."""
BEARS: Final = 0.6
"""Share of the words of a claim that a passage has at least if it supports the claim."""
CITED: Final = re.compile(r"[\[(]\s*[Ee] ?\d{1,5}[^\])]{0,80}[\])]")
"""The mark of a citation."""
MAX_COMPARED: Final = 300_000
"""Pairs of sentences of one speaker that are compared for the narrative, so that it takes seconds and not minutes."""
GAPS = 3
AUDITED = 6
"""Maximum flaws that one turn exposes, and that the closing audit finds."""

Form = dict[str, Any]


def respond(material: Material, form: Form) -> dict[str, Any]:
    """Return the answer to a question, as builtins.

    Raises ``BadRequest`` for a question or a language that a baseline cannot know anything about.
    """
    if len(parts := purposes_of(material.purpose)) > 1:
        return {name: value for each in parts for name, value in respond(replace(material, purpose=each), form).items()}
    if material.purpose not in ANSWERS:
        raise BadRequest(f"{NAME} cannot answer questions of the kind {material.purpose!r}")
    if material.language not in languages():
        raise BadRequest(
            f"{NAME} has marks in {', '.join(languages())}, and none in the debate's language {material.language}"
        )
    return ANSWERS[material.purpose](_ReadMaterial(material), form)


class _ReadMaterial:
    """A question's material, read in its language."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self._speeches = {each.name: each for each in material.speeches}
        self._place = {each.name: number for number, each in enumerate(material.speeches)}

    def read(self, text: str) -> TextReading:
        return read(text, self.material.language)

    def speech(self, name: str) -> Speech:
        if name not in self._speeches:
            raise BadRequest(f"the question is about {name!r}, which its material does not hold")
        return self._speeches[name]

    def reading(self, name: str) -> TextReading:
        return self.read(self.speech(name).text)

    def before(self, name: str, speaker: str) -> tuple[Speech, ...]:
        """Return the speeches of a speaker before this one."""
        return tuple(each for each in self.material.speeches[: self._place[name]] if each.speaker == speaker)

    def measured(self, name: str) -> MeasuredSpeech:
        """Return a turn with the newest speech of the opponent before it."""
        speech = self.speech(name)
        other = next((each for each in self.material.speeches if each.speaker != speech.speaker), None)
        theirs = () if other is None else self.before(name, other.speaker)
        return MeasuredSpeech(
            text=self.read(speech.text),
            motion=self.read(self.material.motion),
            opponent=self.read(theirs[-1].text) if theirs else None,
            own=tuple(self.read(each.text) for each in self.before(name, speech.speaker)),
        )

    def of(self, speaker: str) -> tuple[str, ...]:
        """Return the names of a speaker's turns."""
        return tuple(each.name for each in self.material.speeches if each.speaker == speaker)

    def premises_of(self, speaker: str) -> tuple[RegisterEntry, ...]:
        return tuple(each for each in self.material.register if each.kind == "premise" and each.speaker == speaker)


def _points(found: Measured, lowest: int, highest: int) -> int:
    return lowest + int(found.level * (highest - lowest) + 0.5)


# about one turn


def _score(case: _ReadMaterial, form: Form) -> dict[str, Any]:
    speech = case.measured(case.material.about[0])
    components: dict[str, Any] = {}
    for name, part in form["properties"]["components"]["properties"].items():
        if (found := measure(name, speech)) is None:
            continue
        maximum = part["properties"]["points"]["maximum"]
        points = _points(found, 0, maximum) if found.quote or "quote" not in part["properties"] else 0
        quote = {"quote": found.quote if points else ""} if "quote" in part["properties"] else {}
        components[name] = {**quote, "reason": clip(found.reason, REASON), "points": points}
    return {"components": components}


def _compare(case: _ReadMaterial, form: Form) -> dict[str, Any]:
    first, second = (case.measured(name) for name in case.material.about)
    chosen: dict[str, Any] = {}
    levels = []
    for dimension, choices in form["properties"].items():
        if dimension not in DIMENSIONS:
            continue
        names = DIMENSIONS[dimension]
        if first.opponent is None or second.opponent is None:
            names = tuple(name for name in names if name not in HELPED_BY_OPPONENT)
        one, two = level(names, first), level(names, second)
        chosen[dimension] = _choice(one - two, choices["enum"])
        levels.append(f"{dimension} {rounded(one, 2)} and {rounded(two, 2)}")
    reason = f"Levels of its marks, from 0 to 1, in the first and in the second speech: {', '.join(levels)}."
    return {"reason": clip(reason, REASON), **chosen}


def _choice(difference: float, choices: Sequence[str]) -> str:
    if abs(difference) < DRAWN:
        return "draw"
    winner = "first" if difference > 0 else "second"
    degree = "clear" if abs(difference) >= CLEAR else "slight"
    return winner if winner in choices else f"{winner}_{degree}"


def _claims(case: _ReadMaterial, form: Form) -> dict[str, Any]:
    del form
    found = suspect_claims(case.reading(case.material.about[0]), case.material.kinds)
    return {"claims": [each._asdict() for each in found]}


def _second_opinion(case: _ReadMaterial, form: Form) -> dict[str, Any]:
    """Uphold a claim that the baseline finds itself; it clears one of a kind that words show if it does not."""
    del form
    (kind,), (claim,) = case.material.kinds, case.material.register
    if kind not in KNOWABLE:
        raise BadRequest(f"{NAME} cannot know whether words are a case of {kind.replace('_', ' ')}")
    reading = case.reading(case.material.about[0])
    wanted = case.read(claim.quote).content
    for found in suspect_claims(reading, (kind,)):
        if (
            found.quote in claim.quote
            or claim.quote in found.quote
            or coverage(wanted, case.read(found.quote).content) == 1
        ):
            return {"reason": found.reason, "verdict": "upheld"}
    return {"reason": "The marks of such a claim are not in these words.", "verdict": "cleared"}


def _premises(case: _ReadMaterial, form: Form) -> dict[str, Any]:
    name = case.material.about[0]
    speech = case.measured(name)
    known = case.premises_of(case.speech(name).speaker)
    stated: list[dict[str, Any]] = []
    revised: dict[str, dict[str, Any]] = {}
    for sentence in premises(speech.text):
        like = max(known, key=lambda each: coverage(case.read(each.text).content, sentence.content), default=None)
        text = clip(speech.text.shown(sentence, through=1).strip(), PREMISE)
        before = frozenset[str]() if like is None else case.read(like.text).content
        if like is None or coverage(before, sentence.content) < ALIKE:
            stated.append({"text": text, "quote": speech.text.quote(sentence, "cause")})
        elif len(sentence.content - before) >= ADDED:
            revised.setdefault(like.name, {"premise": like.name, "text": text})
    answer: dict[str, Any] = {"stated": stated[:MAX_PREMISES]}
    if "answered" in form["properties"]:
        theirs = [each for each in case.material.register if each.speaker != case.speech(name).speaker]
        answer["answered"] = [each.name for each in _attacked(case, speech.text, theirs)][:IDS]
    if "revised" not in form["properties"]:
        return answer
    withdrawn = _withdrawn(case, speech.text, known) if "withdrawn" in form["properties"] else []
    opposed = _contradicted(case, speech.text, known)
    gone = {each["premise"] for each in withdrawn} | {each["premises"][0] for each in opposed}
    answer["revised"] = [each for each in revised.values() if each["premise"] not in gone][:MAX_PREMISES]
    changed = gone | {each["premise"] for each in answer["revised"]}
    answer["dropped"] = [each for each in _dropped(case, speech, known) if each["premise"] not in changed][
        :MAX_PREMISES
    ]
    answer["contradictions"] = opposed[:MAX_PREMISES]
    return answer | ({"withdrawn": withdrawn[:MAX_PREMISES]} if "withdrawn" in form["properties"] else {})


def _withdrawn(case: _ReadMaterial, reading: TextReading, known: Iterable[RegisterEntry]) -> list[dict[str, Any]]:
    return [
        {"premise": premise.name, "quote": quote}
        for premise in known
        for sentence in reading.sentences
        if sentence.has("withdrawal")
        and len(sentence.content & case.read(premise.text).content) >= SHARED
        and (quote := reading.quote(sentence, "withdrawal"))
    ]


def _contradicted(case: _ReadMaterial, reading: TextReading, known: Iterable[RegisterEntry]) -> list[dict[str, Any]]:
    return [
        {
            "premises": [premise.name],
            "reason": clip(f"It contradicts the premise by {by}: “{reading.shown(later)}”.", REASON),
        }
        for premise in known
        for earlier in case.read(premise.text).sentences
        for later in reading.sentences
        if (by := contradict(earlier, later, case.material.language))
    ]


def _dropped(case: _ReadMaterial, speech: MeasuredSpeech, known: Iterable[RegisterEntry]) -> list[dict[str, Any]]:
    """Return the premises that the opponent's last speech turned against and of whose words few return."""
    reason = "The opponent turned against its words, and fewer than half of them are in this turn."
    return [
        {"premise": premise.name, "reason": reason}
        for premise in (() if speech.opponent is None else _attacked(case, speech.opponent, known))
        if coverage(_words(case, premise), speech.text.content) < ALIKE
    ]


def _attacked(case: _ReadMaterial, reading: TextReading, known: Iterable[RegisterEntry]) -> list[RegisterEntry]:
    """Return the premises and claims whose words a sentence with a negation or a contrast takes up."""
    attacks = [each.content for each in reading.sentences if each.has("negation", "contrast")]
    return [
        entry
        for entry in known
        for wanted in [_words(case, entry)]
        if any(len(wanted & each) >= SHARED and coverage(wanted, each) >= ALIKE for each in attacks)
    ]


def _words(case: _ReadMaterial, entry: RegisterEntry) -> frozenset[str]:
    return case.read(f"{entry.text}\n{entry.quote}").content


def _gaps(case: _ReadMaterial, form: Form) -> dict[str, Any]:
    """Sentences of earlier turns that the same speaker contradicts now, if they are no premise on record."""
    name = case.material.about[0]
    speaker, reading = case.speech(name).speaker, case.reading(name)
    stated = [case.read(each.text).content for each in case.premises_of(speaker)]
    found = []
    for earlier in case.before(name, speaker):
        before = case.read(earlier.text)
        for pair in contradictions(before, reading):
            if any(coverage(pair.earlier.content, each) >= ALIKE for each in stated):
                continue
            found.append(_gap(form, earlier.name, (before, pair.earlier), (reading, pair.later), pair.by))
    return {"gaps": [each for each in found if each["fails"] and each["exposed_by"]][:GAPS]}


def _gap(
    form: Form, turn: str, fails: tuple[TextReading, Sentence], shows: tuple[TextReading, Sentence], by: str
) -> dict[str, Any]:
    item = form["properties"]["gaps"]["items"]["properties"]
    found = {
        "turn": int(turn),
        "fails": fails[0].quote(fails[1]),
        "exposed_by": shows[0].quote(shows[1], "negation"),
        "reason": f"The same speaker says both: {by}.",
        "points": item["points"]["minimum"],
    }
    return found | ({"continues": ""} if "continues" in item else {})


def _evidence(case: _ReadMaterial, form: Form) -> dict[str, Any]:
    """How each passage bears on its claim, by the words that both have; the order of the two changes nothing."""
    del form
    return {"relations": [_relation(case, number, each) for number, each in enumerate(case.material.register, 1)]}


def _relation(case: _ReadMaterial, number: int, pair: RegisterEntry) -> dict[str, Any]:
    claim, passage = case.read(CITED.sub(" ", pair.quote)), case.read(pair.text)
    opposed = next(
        (
            (sentence, by)
            for said in claim.sentences
            for sentence in passage.sentences
            if (by := contradict(said, sentence, case.material.language))
        ),
        None,
    )
    like = max(passage.sentences, key=lambda each: len(each.content & claim.content), default=None)
    shared, figures = claim.content & passage.content, tokens(claim.text)
    counted = f"The passage has {len(shared)} of the claim's {len(claim.content)} words with content"
    if opposed is not None:
        sentence, by = opposed
        relation, quote, why = "contradicts", passage.quote(sentence, "negation"), f", and they differ by {by}"
    elif like is not None and coverage(claim.content, passage.content) >= BEARS and figures <= tokens(passage.text):
        relation, quote, why = "supports", passage.quote(like), f"{' and all its figures' if figures else ''}"
    else:
        absent = sorted(figures - tokens(passage.text))
        lacks = f", but lacks the figure{'s' if len(absent) > 1 else ''} {', '.join(absent)}"
        relation, quote = "beside_the_point", ""
        why = lacks if absent else f", which is less than {percent(BEARS, 0)}" if claim.content else ""
    reason = f"{counted}{why}. {DISCLAIMER}: it compares words only."
    return {"number": number, "relation": relation, "quote": quote, "reason": clip(reason, REASON)}


# about the whole debate


def _audit(case: _ReadMaterial, form: Form) -> dict[str, Any]:
    """Two sentences of one turn that contradict each other."""
    found = []
    for speech in case.material.speeches:
        reading = case.read(speech.text)
        for pair in contradictions(reading, reading)[:1]:
            gap = _gap(form, speech.name, (reading, pair.earlier), (reading, pair.later), pair.by)
            found.append(gap | {"shown_in": int(speech.name)})
    return {"gaps": [each for each in found if each["fails"] and each["exposed_by"]][:AUDITED]}


def _narrative(case: _ReadMaterial, form: Form) -> dict[str, Any]:
    """Counts of both speakers, and no winner: which case is stronger cannot be counted."""
    counted = ". ".join(f"Speaker {speaker}: {_counts(case, speaker)}" for speaker in ("A", "B"))
    answer = {
        "A": _course(case, "A"),
        "B": _course(case, "B"),
        "pattern": "none",
        "explanation": clip(f"{DISCLAIMER}, so it names no winner. {counted}.", EXPLANATION),
        "winner": "neither",
        "margin": "none",
        "confidence": "low",
        "cites": [],
    }
    return {name: value for name, value in answer.items() if name in form["properties"]}


def _counts(case: _ReadMaterial, speaker: str) -> str:
    names = case.of(speaker)
    sentences = [each for name in names for each in case.reading(name).sentences]
    reasons = sum(each.has(*REASONS) for each in sentences)
    speeches = [case.measured(name) for name in names]
    answers = sum(len(answered(each)) for each in speeches)
    theirs = sum(len(each.opponent.sentences) for each in speeches if each.opponent is not None)
    return (
        f"a mark of a cause, a step or an effect in {reasons} of {len(sentences)} sentences; "
        f"it takes up words of {answers} of the {theirs} sentences that it answers"
    )


def _course(case: _ReadMaterial, speaker: str) -> dict[str, str]:
    readings = [case.reading(name) for name in case.of(speaker)]
    if not readings:
        return {"evolution": "", "fractures": "", "held": ""}
    first, last = readings[0], readings[-1]
    pair = _first_contradiction(readings)
    fractures = f"Two of its sentences contradict each other by {pair.by}." if pair is not None else ""
    before, after = (percent(_reasoned(each), 0) for each in (first, last))
    kept = percent(coverage(first.content, last.content), 0)
    return {
        "evolution": f"A mark of a cause, a step or an effect is in {before} of the sentences of its first turn "
        f"and in {after} of those of its last.",
        "fractures": fractures or "No two of its sentences contradict each other by a negation or an opposite.",
        "held": f"{kept} of the words of its first turn return in its last.",
    }


def _first_contradiction(readings: Sequence[TextReading]) -> ContradictingSentences | None:
    """Return the first contradiction of a speaker; of a very long debate only the first turns are compared."""
    left = MAX_COMPARED
    for number, later in enumerate(readings):
        for earlier in readings[: number + 1]:
            left -= len(earlier.sentences) * len(later.sentences)
            if left < 0:
                return None
            if found := contradictions(earlier, later):
                return found[0]
    return None


def _reasoned(reading: TextReading) -> float:
    return sum(each.has(*REASONS) for each in reading.sentences) / max(1, len(reading.sentences))


def _conflict(case: _ReadMaterial, form: Form) -> dict[str, Any]:
    del case
    text = f"{DISCLAIMER}: both readings rest on the same counts, and it cannot say how both can be true."
    answer = {"pattern": "none", "text": text, "cites": []}
    return {name: value for name, value in answer.items() if name in form["properties"]}


def _convergence(case: _ReadMaterial, form: Form) -> dict[str, Any]:
    """Whether the last turns say again what was said before.  Agreement cannot be counted."""
    del form
    repeated = {speaker: _repeated(case, speaker) for speaker in ("A", "B")}
    is_stalled = all(share >= STALLED for share in repeated.values())
    shares = " and ".join(f"{percent(share, 0)} of those of Speaker {speaker}" for speaker, share in repeated.items())
    return {
        **{speaker: _core_claims(case, speaker) for speaker in ("A", "B")},
        "reason": clip(
            f"Of the words of the last turns, {shares} stand in earlier turns of the same speaker. "
            f"{DISCLAIMER}, so it cannot see an agreement.",
            PREMISE,
        ),
        "kind": "stalled" if is_stalled else "unresolved",
    }


def _repeated(case: _ReadMaterial, speaker: str) -> float:
    readings = [case.reading(name) for name in case.of(speaker)]
    before = frozenset[str]().union(*(each.content for each in readings[:-1]))
    return coverage(readings[-1].content, before) if readings else 0.0


def _core_claims(case: _ReadMaterial, speaker: str) -> dict[str, str]:
    names = case.of(speaker)
    return {
        "early": _core_claim(case.reading(names[0])) if names else "",
        "late": _core_claim(case.reading(names[-1])) if names else "",
    }


def _core_claim(reading: TextReading) -> str:
    """Return the sentence that most of a turn stands on, in the turn's own words."""
    found = premises(reading, most=1) or reading.sentences[:1]
    return clip(reading.shown(found[0], through=1).strip(), PREMISE) if found else ""


# arguments


def _assess(case: _ReadMaterial, form: Form) -> dict[str, Any]:
    """Scores of every argument.  Whether one was upheld or refuted cannot be counted: all are uncertain."""
    arguments = {}
    for name, part in form["properties"]["arguments"]["properties"].items():
        found = _criteria(case, name, part["properties"]["scores"]["properties"])
        reason = " ".join(each.reason for each, _ in found.values())
        scores = {dimension: points for dimension, (_, points) in found.items()}
        most = part["properties"]["reason"]["maxLength"]
        arguments[name] = {"reason": clip(reason, most), "standing": "UNCERTAIN", "scores": scores}
    return {
        "fallacies": [],
        "arguments": arguments,
        "key_insight": f"{DISCLAIMER}: its scores say how often such marks occur, and no more.",
        "unresolved_questions": [],
        "recommendation": "Do not decide by these scores. Read the arguments, or ask a model or a person to judge.",
    }


def _panel(case: _ReadMaterial, form: Form) -> dict[str, Any]:
    items = form["properties"]["scores"]["properties"]
    found = {name: _criteria(case, name, part["properties"]) for name, part in items.items()}
    return {
        "scores": {name: {each: points for each, (_, points) in card.items()} for name, card in found.items()},
        "standings": dict.fromkeys(items, "UNCERTAIN"),
        "notes": {name: clip(" ".join(each.reason for each, _ in card.values()), NOTE) for name, card in found.items()},
    }


def _criteria(case: _ReadMaterial, name: str, scales: Form) -> dict[str, tuple[Measured, int]]:
    """Return each criterion of an item that can be counted, with its points."""
    speech, answer = case.measured(name), _answer_speech(case, name)
    found = {}
    for criterion, scale in scales.items():
        each = measure(criterion, answer if criterion == "responsiveness" and answer is not None else speech)
        if each is not None:
            found[criterion] = (each, _points(each, scale["minimum"], scale["maximum"]))
    return found


def _answer_speech(case: _ReadMaterial, name: str) -> MeasuredSpeech | None:
    """Return how the side of an argument meets what is put to it: its reply to the answer to the argument.

    Without a reply it is the closing, without both the argument against all arguments of the other side.  None for a
    turn.
    """
    speech = case.speech(name)
    if speech.kind == "turn":
        return None
    speeches = case.material.speeches
    put = [each.text for each in speeches if each.kind == "answer" and each.answers == name]
    replies = [each.text for each in speeches if each.kind == "reply" and each.answers == name]
    closing = [each.text for each in speeches if each.kind == "closing" and each.speaker == speech.speaker]
    theirs = [each.text for each in speeches if each.kind == "argument" and each.speaker != speech.speaker]
    met = replies or closing
    text, opponent = (met[-1], put[-1]) if put and met else (speech.text, "\n".join(theirs))
    return MeasuredSpeech(
        text=case.read(text), motion=case.read(case.material.motion), opponent=case.read(opponent) if opponent else None
    )


ANSWERS: Final[dict[str, Callable[[_ReadMaterial, Form], dict[str, Any]]]] = {
    "score": _score,
    "compare": _compare,
    "claims": _claims,
    "second_opinion": _second_opinion,
    "premises": _premises,
    "gaps": _gaps,
    "evidence": _evidence,
    "audit": _audit,
    "narrative": _narrative,
    "conflict": _conflict,
    "convergence": _convergence,
    "assess": _assess,
    "panel": _panel,
}
