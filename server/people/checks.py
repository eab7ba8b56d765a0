"""The check of a person's answer, before it counts: what is wrong at which place, in words for the page.

A model's answer is read leniently, and a finding whose quote is not in the turn is refused and recorded.  A person can
correct an answer.  So it is checked against the schema of the question and the rules of quotes, and comes back with its
faults.  A quote may be left out only where an answer without it counts in full: of a component of a score that gets no
points, of a passage that is beside the point, and of an opinion.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import Any, Final

from msgspec import Struct

from events.text.segmentation import count_words
from judge.guard.quotes import find
from judge.protocol.reading import texts_of
from providers.base import Material

Path = tuple[str | int, ...]
QUOTES: Final = frozenset({"quote", "fails", "exposed_by"})
"""Names of the properties that hold words of a speech."""
REQUIRED: Final = frozenset({"explanation", "text", "early", "late", "rationale", "question"})
"""Names of texts that must not be empty, wherever they stand.  In a list every text is required."""
EVEN: Final = 0.5
"""The probability at which neither of two answers is more probable."""
FIXED: Final = "relations"
"""The list whose entries the question gives, one for each passage."""
KINDS: Final[dict[str, type | tuple[type, ...]]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


class AnswerFault(Struct, frozen=True):
    """What is wrong at one place of an answer: ``("claims", 0, "quote")``."""

    path: Path
    message: str


def faults(
    value: Any, schema: Mapping[str, Any], material: Material | None, *, all_at_once: bool = False
) -> tuple[AnswerFault, ...]:
    """Return what is wrong with an answer; nothing if it can count.

    Words and references are looked at once the answer fits its schema, or ``all_at_once``, where their own place fits.
    """
    found = list(_misfits(value, schema, ()))
    wrong = {each.path for each in found}
    if material is not None and (not wrong or (all_at_once and () not in wrong)):
        more = (
            *_too_many_words(value, material),
            *_references(value, (), (value,), material),
            *_contradiction(value, material),
        )
        found += (each for each in more if not any(each.path[:length] in wrong for length in range(len(each.path) + 1)))
    return tuple(found)


def _contradiction(value: Any, material: Material) -> Iterator[AnswerFault]:
    """A letter that is less probable than the other one, by the probability next to it."""
    if material.purpose != "choose" or not isinstance(value, dict):
        return
    letter, p_a = value.get("answer"), value.get("p_a")
    if isinstance(p_a, int | float) and letter == ("B" if p_a > EVEN else "A" if p_a < EVEN else ""):
        yield AnswerFault(("answer",), f"By the probability that you give, {'A' if p_a > EVEN else 'B'} is right.")


def _misfits(value: Any, schema: Mapping[str, Any], path: Path) -> Iterator[AnswerFault]:
    """What does not fit the schema (``providers.answers.schema`` says which ones there are)."""
    if "anyOf" in schema:
        if all(any(_misfits(value, option, path)) for option in schema["anyOf"]):
            yield AnswerFault(path, "Choose one of the answers.")
        return
    expected = schema.get("type")
    if expected is None:
        return
    is_kind = isinstance(value, KINDS[expected]) and (expected == "boolean" or not isinstance(value, bool))
    if "enum" in schema:
        if value not in schema["enum"]:
            yield AnswerFault(path, "Choose one of the answers.")
    elif is_kind:
        yield from _LOOKS_INTO.get(expected, _no_misfits)(value, schema, path)
    else:
        yield AnswerFault(path, _missing(expected, schema))


def _object_misfits(value: dict[str, Any], schema: Mapping[str, Any], path: Path) -> Iterator[AnswerFault]:
    properties = schema.get("properties", {})
    for name, each in properties.items():
        if name in value:
            yield from _misfits(value[name], each, (*path, name))
        else:
            yield from _misfits({} if each.get("type") == "object" else None, each, (*path, name))
    for name in value.keys() - properties.keys():
        yield AnswerFault((*path, name), "The question does not ask for this.")


def _array_misfits(value: list[Any], schema: Mapping[str, Any], path: Path) -> Iterator[AnswerFault]:
    least, most = schema.get("minItems", int(path[-1:] == ("premises",))), schema.get("maxItems")
    if len(value) < least:
        yield AnswerFault(path, f"Give at least {least}.")
    if most is not None and len(value) > most:
        yield AnswerFault(path, f"Give at most {most}.")
    for number, each in enumerate(value):
        yield from _misfits(each, schema["items"], (*path, number))


def _text_misfits(value: str, schema: Mapping[str, Any], path: Path) -> Iterator[AnswerFault]:
    name, length, most = path[-1] if path else "", len(value), schema.get("maxLength")
    in_list = any(isinstance(part, int) for part in path) and path[0] != FIXED
    is_required = name != "continues" and (in_list or name in REQUIRED)
    least = max(schema.get("minLength", 0), int(is_required))
    if name in QUOTES and is_required and not value.strip():
        yield AnswerFault(path, "Choose the words.")
    elif len(value.strip()) < least:
        yield AnswerFault(path, "Write something here." if least == 1 else f"Write at least {least} characters.")
    elif most is not None and length > most:
        yield AnswerFault(path, f"Shorten this to {most} characters; it has {length}.")


def _number_misfits(value: float, schema: Mapping[str, Any], path: Path) -> Iterator[AnswerFault]:
    if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield AnswerFault(path, _missing(schema["type"], schema))


def _no_misfits(_value: Any, _schema: Mapping[str, Any], _path: Path) -> Iterator[AnswerFault]:
    return iter(())


_LOOKS_INTO: Final[dict[str, Callable[[Any, Mapping[str, Any], Path], Iterator[AnswerFault]]]] = {
    "object": _object_misfits,
    "array": _array_misfits,
    "string": _text_misfits,
    "integer": _number_misfits,
    "number": _number_misfits,
}


def _missing(expected: str, schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if expected in {"integer", "number"}:
        whole = "a whole number" if expected == "integer" else "a number"
        return f"Give {whole} from {low:g} to {high:g}." if low is not None and high is not None else f"Give {whole}."
    return "This part of the answer is missing."


def _too_many_words(value: Any, material: Material) -> Iterator[AnswerFault]:
    """The parts of an answer that have more words than they may."""
    for place, most in material.most_words.items():
        path = tuple(place.split(".")) if place else ()
        count = sum(count_words(each) for each in texts_of(reduce(_member, path, value)))
        if count > most:
            yield AnswerFault(path, f"Shorten this to {most} words; it has {count}.")


def _member(value: Any, name: str) -> Any:
    """A part of an answer; nothing where the answer has no such part."""
    return value.get(name, "") if isinstance(value, dict) else ""


def _references(value: Any, path: Path, around: tuple[Any, ...], material: Material) -> Iterator[AnswerFault]:
    """What names something that does not exist: a quote that no speech has, a turn, a premise."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _references(each, (*path, name), (*around, value), material)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _references(each, (*path, number), around, material)
    elif path:
        name = next(part for part in reversed(path) if isinstance(part, str))
        yield from _reference(name, value, path, around[-1], material)


def _reference(name: str, value: Any, path: Path, item: Mapping[str, Any], material: Material) -> Iterator[AnswerFault]:
    names = {each.name for each in material.register}
    speeches = {each.name for each in material.speeches}
    if name == "quote" and not value and item.get("relation", "beside_the_point") != "beside_the_point":
        yield AnswerFault(path, "Choose the words.")
    elif name == "quote" and not value and material.purpose == "score" and item.get("points"):
        yield AnswerFault(path, "Choose the words, or give 0 points.")
    elif name in QUOTES and isinstance(value, str) and value:
        allowed = tuple(_speeches_of(name, item, material))
        spoken = [(each.name, each.text) for each in material.speeches]
        passages = [(each.name, each.text) for each in material.register if each.kind == "passage"]
        texts = [text for place, text in (passages if material.purpose == "evidence" else spoken) if place in allowed]
        if not any(find(value, text, material.least_quote) for text in texts):
            yield AnswerFault(path, _no_quote(value, allowed, material))
    elif name in {"turn", "shown_in"} and str(value) not in speeches:
        yield AnswerFault(path, "There is no such turn.")
    elif name == "turn" and material.purpose == "gaps" and value >= int(material.about[0]):
        yield AnswerFault(path, "Choose an earlier turn.")
    elif name == "number" and value not in range(1, len(material.register) + 1):
        yield AnswerFault(path, "There is no such passage.")
    elif name in {"premise", "premises"} and value not in names:
        yield AnswerFault(path, "Choose a premise of the list.")
    elif name == "answered" and value not in _opposed(material):
        yield AnswerFault(path, "Choose a premise or claim of the other speaker.")


def _opposed(material: Material) -> set[str]:
    """The premises and claims of the opponent of the speaker whose turn the question is about."""
    speakers = {each.speaker for each in material.speeches if each.name in material.about}
    return {each.name for each in material.register if each.speaker not in speakers}


def _speeches_of(name: str, item: Mapping[str, Any], material: Material) -> Iterator[str]:
    """The speeches from which a quote may come; ``server.people.forms`` offers them."""
    match material.purpose, name:
        case "gaps" | "audit", "fails":
            yield str(item.get("turn"))
        case "audit", "exposed_by":
            yield str(item.get("shown_in"))
        case "assess", _:
            about = item.get("argument")
            speakers = {each.speaker for each in material.speeches if each.name == about}
            yield from (each.name for each in material.speeches if each.speaker in speakers or each.answers == about)
        case "evidence", _:
            number = item.get("number")
            yield from (each.name for at, each in enumerate(material.register, 1) if at == number)
        case "score" | "claims" | "premises" | "gaps", _:
            yield from material.about
        case _:
            yield from (each.name for each in material.speeches)


def _no_quote(quote: str, speeches: tuple[str, ...], material: Material) -> str:
    if len(quote.strip()) < material.least_quote:
        return f"Choose at least {material.least_quote} characters."
    if len(speeches) != 1:
        return "These words are not in the text."
    (name,) = speeches
    place = f"turn {name}" if name.isdigit() else f"passage {name}" if material.purpose == "evidence" else name
    return f"These words are not in {place}."
