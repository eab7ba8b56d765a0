"""Reads XML by the forms in ``forms.elements``: the elements that are speeches, with their speakers."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final
from xml.etree.ElementTree import Element

from server.errors import BadTranscript
from server.evidence.text import Unreadable
from server.evidence.trees import attribute, local_name, tree_of
from server.transcripts.entries import EntryCollector, ReadTranscript
from server.transcripts.forms.elements import FORMS, NOTES, ElementForm
from server.transcripts.records import milliseconds_of

_PEOPLE: Final = frozenset(("person", "agent", "TLCPerson", "TLCRole"))
"""Elements that describe a person."""
_NEAR: Final = 50
"""Elements among which a name is looked for."""
_BLOCKS: Final = frozenset(("p", "seg", "l", "lg", "ab", "br", "lb", "div", "s"))
_NAMES: Final = ("persName", "name", "surname", "label")


def read_xml(text: str) -> ReadTranscript:
    """The entries of an XML file.  Raises ``BadTranscript``."""
    try:
        root = tree_of(text)
    except Unreadable as error:
        raise BadTranscript(f"the file {error.why}") from error
    names = dict(_known_names(root))
    found = [(form, [each for each in root.iter() if local_name(each) == form.speech]) for form in FORMS]
    counted = [
        (sum(bool(_speaker(form, each, names)) for each in speeches), form, speeches) for form, speeches in found
    ]
    number, form, speeches = max(counted, key=lambda each: each[0])
    if number < 2:  # noqa: PLR2004 - a debate has two sides
        known = ", ".join(each.name for each in FORMS)
        raise BadTranscript(f"the XML has no form that is known: {known}")
    collector = EntryCollector()
    for each in speeches:
        speaker, words = _speaker(form, each, names), _words(each, collector)
        if not speaker and words:
            collector.leave_out("notes and stage directions")
            continue
        collector.add(speaker, words.lstrip(":： ") if form.element else words, at_ms=_at(each, form))
    title = next((_plain(each) for each in root.iter() if local_name(each) in {"title", "major-heading"}), "")
    return collector.transcript("xml", form=form.name, source=title)


def _speaker(form: ElementForm, speech: Element, names: Mapping[str, str]) -> str:
    """The name of who speaks; empty if nothing names it."""
    if form.element:
        found = next((each for each in islice(speech.iter(), _NEAR) if local_name(each) == form.element), None)
        return "" if found is None else _plain(found).rstrip(":：. ")
    given = attribute(speech, form.attribute)
    key = given.split(" ")[0].removeprefix("#")
    return names.get(key, key if given.startswith("#") else given)


def _known_names(root: Element) -> Iterator[tuple[str, str]]:
    """The names of people by the ids of the elements that describe them."""
    for element in (each for each in root.iter() if local_name(each) in _PEOPLE):
        near = islice(element.iter(), _NEAR)
        shown = element.get("showAs") or next((_plain(each) for each in near if local_name(each) in _NAMES), "")
        yield attribute(element, "id") or attribute(element, "eId"), shown


def _plain(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _words(speech: Element, collector: EntryCollector) -> str:
    """The words of a speech; paragraphs are lines, and notes in it are counted."""
    parts: list[str] = []
    held: list[tuple[Element, bool]] = [(speech, False)]
    while held:
        element, is_over = held.pop()
        name = local_name(element)
        if element is not speech and not is_over and name == local_name(speech):
            is_over = True  # a speech within this one is read by itself
        if is_over or name in NOTES or not isinstance(element.tag, str):
            if name in NOTES and not is_over and element is not speech:
                collector.leave_out("notes and stage directions", name not in {"speaker", "from", "member"})
            parts.append("\n" if name in _BLOCKS else "")
            parts.append(element.tail or "" if element is not speech else "")
            continue
        parts.append("\n" if name in _BLOCKS else "")
        parts.append(element.text or "")
        held.append((element, True))
        held += ((each, False) for each in reversed(element))
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(filter(None, lines))


def _at(speech: Element, form: ElementForm) -> int | None:
    return milliseconds_of(speech.get(form.at, ""), 1000) if form.at else None
