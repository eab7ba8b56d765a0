"""A typed question as a form: its fields with their names, choices and bounds, made from the schema of the answer.

``server.people.checks`` says what is wrong with an answer; the page shows the form and computes nothing of it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

from providers.base import Material, RegisterEntry, Speech
from server.people.checks import FIXED, QUOTES, REQUIRED
from server.people.questions import (
    HINTS,
    NEEDED,
    ROWS,
    STATEMENTS,
    asked,
    item_name,
    label,
    option,
    plain,
    sentence,
    title_of,
)

Path = tuple[str | int, ...]
Kind = Literal[
    "group", "items", "rows", "picks", "choice", "pick", "points", "number", "from", "fixed", "quote", "text"
]

SOURCES: Final = {"fails": "turn", "exposed_by": "shown_in"}
"""By quote: the property with the number of its turn."""
NEEDED_WITH: Final = {"score": "points", "evidence": "relation"}
"""By purpose: the property next to a quote that decides whether the quote is needed."""
NAMES: Final = frozenset({"premise", "premises", "answered", "cites", "continues"})
"""Properties that name an entry of a list."""
SHOWN: Final = ("score", "compare", "claims", "evidence", "gaps", "premises")
"""The order in which the questions about a turn are shown."""
COUNTED: Final = frozenset({"score", "assess", "panel"})
"""Purposes of answers that count points."""
COMPONENTS: Final = "components"
"""The group of a score whose members stand by themselves."""
MAX_BUTTONS: Final = 12
"""A scale of at most so many whole numbers is shown as buttons."""
ORDER: Final = (
    *("first", "first_clear", "first_slight", "draw", "second_slight", "second_clear", "second"),
    *("A", "B", "neither", "tie"),
    *("clear", "narrow", "high", "medium", "low"),
    *("UPHELD", "PARTIALLY_UPHELD", "REFUTED", "UNCERTAIN"),
    *("PASS", "CONDITIONAL", "FAIL"),
    *("upheld", "cleared"),
    *("supports", "contradicts", "beside_the_point"),
    *("refute", "challenge", "partial", "concede"),
    *("strengthened", "weakened", "adjusted", "unchanged"),
)
"""The order of answers that a schema sorts by the alphabet."""


class FieldChoice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One of the answers of a field: what it is called, and what that means."""

    value: str | int | bool | None
    name: str
    means: str = ""


class Field(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of an answer.

    ``items`` has one group for each thing that is rated, ``rows`` is a list whose entries the person adds, ``pick`` and
    ``picks`` choose from a list, ``points`` are buttons in a row, ``from`` is the number of the turn that a quote comes
    from, and ``fixed`` is given by the question.
    """

    kind: Kind
    path: Path
    """Its place in the answer; in a row, its place in the row."""
    name: str = ""
    label: str = ""
    part: str = ""
    """A heading that stands before it: the dimension of a component."""
    asks: str = ""
    """What the rubric asks, or what a list means, in a sentence."""
    anchors: tuple[tuple[str, str], ...] = ()
    """What earns so many points."""
    options: tuple[FieldChoice, ...] = ()
    needed: bool = False
    """Whether an answer without it cannot be sent."""
    least: int = 0
    most: int | None = None
    """Characters of a text, entries of a list."""
    low: float | None = None
    high: float | None = None
    whole: bool = False
    add: str = ""
    """The words of the button that adds an entry."""
    said: str = ""
    """The words that an item answers, shown within it."""
    value: int | None = None
    sources: tuple[str, ...] = ()
    """The speeches from which a quote may be chosen."""
    sources_by: dict[str, tuple[str, ...]] = {}
    """The same, by the argument that the entry is about."""
    source: str = ""
    """The property next to a quote that gets the number of its turn."""
    fields: tuple["Field", ...] = ()
    items: tuple["Field", ...] = ()
    item: "Field | None" = None
    blank: Any = None
    """Of an entry: the answer in which nothing is given yet."""


class ReadingText(Struct, frozen=True, kw_only=True):
    """A text that is read next to the form."""

    name: str
    title: str
    text: str


class Form(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the page of a seat shows of a question."""

    title: str
    takes: str
    how: tuple[str, ...]
    place: int
    """Forms are shown in this order."""
    is_statement: bool = False
    """Whether a person who debates gives it; it is sent when its time ends."""
    is_counted: bool = False
    """Whether the answer counts points, which the page shows before it is sent."""
    motion: str
    language: str
    reading: tuple[ReadingText, ...] = ()
    context: tuple[tuple[Literal["", "said"], str], ...] = ()
    """What else the question shows, line by line: ``said`` are the words of others."""
    premises: tuple[tuple[str, str], ...] = ()
    """The premises of the speaker so far, by name."""
    most_words: dict[str, int] = {}
    """The most words of a part of the answer, by its path."""
    fields: tuple[Field, ...]
    blank: Any
    """The answer in which nothing is given yet."""


def form(schema: Mapping[str, Any], material: Material) -> Form:
    """The form of a question.  Raises ``TypeError`` for a schema that no field can show."""
    words, purpose = asked(material), material.purpose
    maker = _Maker(material)
    top = maker.field(schema, ())
    fields = tuple(maker.by_item(top.fields)) if top.kind == "group" else (top,)
    answered = [_answered_by(each, material) for each in material.about]
    return Form(
        title=words.title,
        takes=f"about {words.minutes} minutes",
        how=words.how,
        place=SHOWN.index(purpose) if purpose in SHOWN else len(SHOWN),
        is_statement=purpose in STATEMENTS,
        is_counted=purpose in COUNTED,
        motion=material.motion,
        language=material.language,
        reading=(
            *(
                ReadingText(name=each.name, title=title_of(each), text=each.text)
                for each in material.speeches
                if each not in answered
            ),
            *_passages(material),
        ),
        context=tuple(_context(material.context)),
        premises=tuple((each.name, each.text) for each in _own_premises(material)) if purpose == "premises" else (),
        most_words=material.most_words,
        fields=fields,
        blank=_blank(top),
    )


def _passages(material: Material) -> Iterator[ReadingText]:
    found = {each.name: each.text for each in material.register if each.kind == "passage"}
    yield from (ReadingText(name=name, title=f"Passage {name}", text=text) for name, text in found.items())


def _context(text: str) -> Iterator[tuple[Literal["", "said"], str]]:
    """The lines of a context.  The words of others stand after a bar."""
    for line in filter(str.strip, text.split("\n")):
        yield ("said", line[2:]) if line.startswith("| ") else ("", line)


def _speaker(material: Material) -> str:
    """Who gave the speech that the question is about; empty if it is about none."""
    first = material.about[0] if material.about else ""
    return next((each.speaker for each in material.speeches if each.name == first), "")


def _own_premises(material: Material) -> Iterator[RegisterEntry]:
    speaker = _speaker(material)
    yield from (each for each in material.register if each.kind == "premise" and each.speaker == speaker)


def _answered_by(name: str, material: Material) -> Speech | None:
    """The speech that an item answers: the argument that is examined, the question that was put."""
    if material.purpose == "cross":
        return next((each for each in material.speeches if each.name == name), None)
    if material.purpose == "answer":
        return next((each for each in material.speeches if each.kind == "answer" and each.answers == name), None)
    return None


class _Maker:
    """Makes the fields of one question."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.terms = {each.name: each for each in reversed(material.terms)}
        self._part = ""

    def field(self, schema: Mapping[str, Any], path: Path, *, in_row: bool = False) -> Field:
        name = str(next((each for each in reversed(path) if isinstance(each, str)), ""))
        title = "" if name == COMPONENTS else label(name, self.material.purpose)
        bare = Field(kind="group", path=path, name=name, label=title)
        values = _values(schema)
        if values is not None:
            return msgspec.structs.replace(bare, kind="choice", options=self._choices(values), asks=self._asks(name))
        if schema.get("type") == "object" and "properties" in schema:
            part = self._new_part(name)
            inner = (self.field(each, (*path, key), in_row=in_row) for key, each in schema["properties"].items())
            fields = tuple(self._linked(tuple(inner)))
            return msgspec.structs.replace(bare, part=part, asks=self._asks(name), fields=fields)
        if (make := self._makers().get(schema.get("type", ""))) is None:
            raise TypeError(f"no field can show {schema!r} at {path}")
        return make(schema, bare, in_row)

    def _makers(self) -> dict[str, Callable[[Mapping[str, Any], Field, bool], Field]]:
        return {"array": self._list, "integer": self._figure, "number": self._figure, "string": self._text}

    def _asks(self, name: str) -> str:
        return sentence(self.terms[name].asks) if name in self.terms else ""

    def _new_part(self, name: str) -> str:
        """The dimension of a component of a score, at the first component of it."""
        part = self.terms[name].part_of if name in self.terms and self.material.purpose == "score" else ""
        if not part or part == self._part:
            return ""
        self._part = part
        return plain(part)

    def _linked(self, fields: tuple[Field, ...]) -> Iterator[Field]:
        """The fields of one group; a quote knows the property that gets the number of its turn."""
        numbers = {each.name for each in fields if each.kind == "from"}
        for each in fields:
            source = SOURCES.get(each.name, "")
            yield msgspec.structs.replace(each, source=source) if source in numbers else each

    def _choices(self, values: list[Any]) -> tuple[FieldChoice, ...]:
        terms = list(self.terms)[::-1]

        def rank(value: Any) -> tuple[bool, int, int]:
            at = ORDER.index(value) if value in ORDER else len(ORDER)
            return value == "none", at, terms.index(value) if value in terms else -1

        return tuple(_choice(value, option(value, self.material)) for value in sorted(values, key=rank))

    def _list(self, schema: Mapping[str, Any], field: Field, in_row: bool) -> Field:
        del in_row
        items, name = schema["items"], field.name
        if name == FIXED:
            return msgspec.structs.replace(field, kind="items", items=tuple(self._relations(items, field.path)))
        least = 1 if name == "premises" else schema.get("minItems", 0)
        field = msgspec.structs.replace(field, kind="picks", least=least, most=schema.get("maxItems"))
        if items.get("type") == "string" and name in NAMES:
            return msgspec.structs.replace(field, options=tuple(self._named(name)))
        if (values := _values(items)) is not None:
            return msgspec.structs.replace(field, options=tuple(_choice(each, plain(str(each))) for each in values))
        item = self.field(items, (), in_row=True)
        if item.kind != "group":
            own = msgspec.structs.replace(item, name=name, label=_label(item, label(name, self.material.purpose)))
            item = Field(kind="group", path=(), fields=(own,), blank=_blank(item))
        else:
            item = msgspec.structs.replace(item, blank=_blank(item))
        asks, add = HINTS.get(name, ""), f"Add {ROWS.get(name, 'an entry')}"
        return msgspec.structs.replace(field, kind="rows", item=item, asks=asks, add=add)

    def _relations(self, items: Mapping[str, Any], path: Path) -> Iterator[Field]:
        """One group for each passage that is compared with a claim: the question names them by number."""
        passages = [each for each in self.material.register if each.kind == "passage"]
        for at, passage in enumerate(passages):
            group = self.field(items, (*path, at))
            fields = (
                msgspec.structs.replace(each, kind="fixed", value=at + 1)
                if each.name == "number"
                else msgspec.structs.replace(each, sources=(passage.name,) if each.kind == "quote" else ())
                for each in group.fields
            )
            title = item_name(str(at + 1), passage)
            yield msgspec.structs.replace(group, name=str(at + 1), label=title, fields=tuple(fields))

    def _figure(self, schema: Mapping[str, Any], field: Field, in_row: bool) -> Field:
        del in_row
        if field.name in SOURCES.values():
            return msgspec.structs.replace(field, kind="from")
        low, high, whole = schema.get("minimum"), schema.get("maximum"), schema["type"] == "integer"
        bounds = msgspec.structs.replace(field, kind="number", low=low, high=high, whole=whole)
        if whole and low is not None and high is not None and high - low < MAX_BUTTONS:
            options = tuple(FieldChoice(value=each, name=str(each)) for each in range(int(low), int(high) + 1))
            anchors = self._anchors(field)
            return msgspec.structs.replace(
                bounds, kind="points", options=options, asks=self._asks(field.name), anchors=anchors
            )
        title = field.label if high is None else f"{field.label} ({low:g} to {high:g})"
        return msgspec.structs.replace(bounds, label=title)

    def _anchors(self, field: Field) -> tuple[tuple[str, str], ...]:
        around = str(field.path[-2]) if len(field.path) > 1 else ""
        own = self.terms.get(field.name) or self.terms.get(around)
        return tuple(sorted(own.anchors.items(), key=lambda each: float(each[0]))) if own else ()

    def _text(self, schema: Mapping[str, Any], field: Field, in_row: bool) -> Field:
        name, least, purpose = field.name, schema.get("minLength", 0), self.material.purpose
        if name in NAMES:
            options = tuple(self._named(name))
            return msgspec.structs.replace(field, kind="pick", options=options, needed=name != "continues")
        needed = least > 0 or in_row or name in REQUIRED
        field = msgspec.structs.replace(
            field, kind="text", needed=needed, least=max(least, int(needed)), most=schema.get("maxLength")
        )
        if name not in QUOTES:
            title = _label(field, field.label)
            return msgspec.structs.replace(field, label=title)
        needed_with = "" if needed else NEEDED_WITH.get(purpose, "")
        title = f"{field.label} ({NEEDED[needed_with]})" if needed_with else _label(field, field.label)
        sources, by = tuple(self._sources(name)), dict(self._sources_by()) if purpose == "assess" else {}
        return msgspec.structs.replace(field, kind="quote", label=title, sources=sources, sources_by=by)

    def _sources(self, name: str) -> Iterable[str]:
        """The speeches that a quote may be from: ``server.people.checks`` has the same rule for what is sent."""
        about, names = self.material.about, [each.name for each in self.material.speeches]
        match self.material.purpose, name:
            case "gaps", "fails":
                return [each for each in names if int(each) < int(about[0])]
            case "score" | "claims" | "premises" | "gaps", _:
                return about
            case "assess", _:
                return ()
            case _:
                return names

    def _sources_by(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """By argument: the speeches of its side, and the answers to it."""
        speeches = self.material.speeches
        for each in speeches:
            fits = (one.name for one in speeches if one.answers == each.name or one.speaker == each.speaker)
            yield each.name, tuple(fits)

    def _named(self, name: str) -> Iterator[FieldChoice]:
        """The names that an answer may give, with what each of them stands for."""
        speaker, register = _speaker(self.material), self.material.register
        premises = [each for each in register if each.kind == "premise"]
        claims = [each for each in register if each.kind not in {"premise", "passage"}]
        entries: list[RegisterEntry]
        match name:
            case "cites":
                yield from (_choice(f"turn {each.name}", f"turn {each.name}") for each in self.material.speeches)
                entries = [*premises, *claims]
            case "continues":
                entries = claims
            case "answered":
                entries = [each for each in (*premises, *claims) if each.speaker != speaker]
            case _:
                entries = [each for each in premises if not speaker or each.speaker == speaker]
        yield from (_choice(each.name, f"{each.name}: {each.text}") for each in entries)
        if name == "continues":
            parts = (each for each in self.material.terms if each.part_of == "continues")
            yield from (_choice(each.name, f"{plain(each.name)}: {each.asks}") for each in parts)

    def by_item(self, fields: tuple[Field, ...]) -> Iterator[Field]:
        """Groups with the same members, such as scores, standings and notes by turn, become one for each member."""
        if all(each.kind == "group" and each.name in self.material.about for each in fields):
            yield Field(kind="items", path=(), items=tuple(self._item(each, each.fields) for each in fields))
            return
        members = {each.name: tuple(inner.name for inner in each.fields) for each in fields if each.kind == "group"}
        groups = {name: names for name, names in members.items() if name not in {"A", "B"}}
        shared = next((names for names in groups.values() if [*members.values()].count(names) > 1), None)
        alike = [each for each in fields if shared and groups.get(each.name) == shared]
        for each in fields:
            if each not in alike:
                yield each
            elif each is alike[0]:
                columns = zip(*(group.fields for group in alike), strict=True)
                yield Field(kind="items", path=(), items=tuple(self._column(column, alike) for column in columns))

    def _column(self, column: tuple[Field, ...], groups: list[Field]) -> Field:
        """What several groups say of one thing: each part is called after its group."""
        parts = []
        for each, group in zip(column, groups, strict=True):
            own = label(group.name, self.material.purpose)
            title = _label(each, own) if each.kind in {"text", "quote"} else own
            asks = self._asks(group.name) if each.kind in {"group", "choice", "points"} else each.asks
            parts.append(msgspec.structs.replace(each, name=group.name, label=title, asks=asks))
        return self._item(msgspec.structs.replace(column[0], path=(column[0].name,)), tuple(parts))

    def _item(self, field: Field, fields: tuple[Field, ...]) -> Field:
        answered = _answered_by(field.name, self.material)
        return Field(
            kind="group",
            path=field.path,
            name=field.name,
            label=item_name(field.name, None),
            said=answered.text if answered else "",
            fields=fields,
        )


def _label(field: Field, title: str) -> str:
    """The name of a text, and what of it is not to be seen: that it may be left out, and its least characters."""
    optional = "" if field.needed else " (optional)"
    return f"{title}{optional}{f' (at least {field.least} characters)' if field.least > 1 else ''}"


def _choice(value: Any, words: str) -> FieldChoice:
    name, _, means = words.partition(": ")
    return FieldChoice(value=value, name=name, means=means)


def _values(schema: Mapping[str, Any]) -> list[Any] | None:
    """The values that a schema enumerates, also in several types; None if it allows others."""
    if schema.get("type") == "boolean":
        return [True, False]
    if "enum" in schema:
        return list(schema["enum"])
    if "anyOf" not in schema:
        return None
    found = [[None] if each.get("type") == "null" else _values(each) for each in schema["anyOf"]]
    return None if any(each is None for each in found) else [value for each in found for value in each or ()]


BLANKS: Final[dict[Kind, Any]] = {"rows": [], "picks": [], "text": "", "quote": ""}


def _blank(field: Field) -> Any:
    """An answer in which nothing is given yet: a choice and a number are absent."""
    if field.kind == "group":
        found = {each.path[-1]: _blank(each) for each in field.fields}
        return {name: value for name, value in found.items() if value is not None}
    if field.kind == "items":
        return [_blank(each) for each in field.items]
    if field.kind == "pick":
        return None if field.needed else ""
    return field.value if field.kind == "fixed" else BLANKS.get(field.kind)
