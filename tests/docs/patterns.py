"""Every regular expression of the project, how it is used, and texts that are hard for it.

Patterns are found in two ways: as objects in the modules' values, and as calls of ``re`` in the source.  A call within
a function is found if its pattern is a literal; what other functions make is listed in ``MADE``.
"""

import ast
import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice, product
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple

from msgspec import Struct

from judge.guard import injection
from judge.panel import weights
from judge.text import scanner

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("events", "judge", "personalities", "providers", "server")
METHODS: Final = ("search", "match", "fullmatch", "finditer")
"""``findall``, ``split``, ``sub`` and ``subn`` look at a text as ``finditer`` does."""
_ALL_OF: Final = dict.fromkeys(("findall", "split", "sub", "subn", "finditer"), "finditer")
_MAKES: Final = frozenset({"compile", *METHODS, *_ALL_OF})
MADE: Final[dict[str, Callable[[], Iterable[re.Pattern[str]]]]] = {
    "judge.guard.injection._patterns": lambda: (each for _, each in injection._patterns()),
    "judge.text.scanner.pattern": lambda: map(scanner.pattern, scanner.KINDS),
    "judge.text.scanner.currency": lambda: [scanner.currency()],
    "judge.panel.weights._pattern": lambda: map(weights._pattern, ("tax", "public transport", "cost of living")),
    "providers.gemini.refused_in": lambda: map(re.compile, ("temperature", r"\bseed\b")),
    "providers.openai.refused_in": lambda: [re.compile(r"\breasoning_effort\b")],
    "server.debate.formats.calibration.cases._faults_of": lambda: [re.compile("PRO-[1-9][0-9]?")],
}
"""Functions that make patterns from values, and what they make."""
GENERAL: Final = (
    " ",
    "\t",
    "\n",
    "1",
    ".",
    "-",
    "–",
    "[",
    "]",
    "(",
    '"',
    "'",
    "|",
    "a",
    "A ",
    ", ",
    "*",
    "#",
    "<",
    "{",
)


class Used(NamedTuple):
    """A pattern, where it stands, and the methods that run it."""

    name: str
    pattern: re.Pattern[Any]
    methods: tuple[str, ...]


def modules() -> Iterator[Any]:
    """Yield all modules of the five packages."""
    for package in PACKAGES:
        root = importlib.import_module(package)
        yield root
        for each in pkgutil.walk_packages(root.__path__, f"{package}."):
            if not each.name.endswith("__main__"):
                yield importlib.import_module(each.name)


def _within(value: Any, name: str, depth: int = 0) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield the patterns within a value of a module, a class or a container."""
    if isinstance(value, re.Pattern):
        yield name, value
    elif depth > 4:
        return
    for inner, each in _parts(value):
        yield from _within(each, f"{name}.{inner}" if inner else name, depth + 1)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the values that a value holds; those of a class with their names."""
    if isinstance(value, Mapping):
        yield from (("", each) for pair in value.items() for each in pair)
    elif isinstance(value, list | tuple | set | frozenset):
        yield from (("", each) for each in value)
    elif isinstance(value, Struct):
        yield from (("", getattr(value, field, None)) for field in value.__struct_fields__)
    elif isinstance(value, type) and value.__module__.partition(".")[0] in PACKAGES:
        yield from ((field, each) for field, each in vars(value).items() if not field.startswith("__"))


def sources() -> dict[str, str]:
    """The source of each module by its name."""
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path.read_text()
        for path in files
    }


class Read(NamedTuple):
    """What the sources say of patterns; the parsed sources are not kept, which would be hundreds of megabytes."""

    calls: tuple[tuple[str, ast.Call], ...]
    """The calls of ``re`` within functions, with the names of module and function."""
    uses: Mapping[str, set[str]]
    """The methods of ``re.Pattern`` that stand behind a name, by module and name; and by a public name alone."""


@cache
def _read() -> Read:
    calls: list[tuple[str, ast.Call]] = []
    uses: dict[str, set[str]] = defaultdict(set)
    for module, source in sources().items():
        tree = ast.parse(source)
        calls += _calls(module, tree) if "re." in source else ()
        for name, method in _uses(tree):
            uses[f"{module}.{name}"].add(method)
            if not name.startswith("_"):
                uses[name].add(method)
    return Read(tuple(calls), uses)


def _calls(module: str, tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and isinstance(node.func.value, ast.Name)
                    and node.func.value.id == "re"
                    and node.func.attr in _MAKES
                ):
                    yield f"{module}.{function.name}", node


def _uses(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (method := _ALL_OF.get(node.attr, node.attr)) in METHODS:
            value = node.value
            if name := getattr(value, "id", getattr(value, "attr", "")):
                yield name, method


def literal_patterns() -> Iterator[Used]:
    """Yield the patterns that stand as literals in calls within functions."""
    for name, call in _read().calls:
        if isinstance(call.args[0], ast.Constant):
            method = call.func.attr  # type: ignore[attr-defined]
            yield Used(name, re.compile(call.args[0].value), (_ALL_OF.get(method, method),))


def makers() -> set[str]:
    """The functions that give ``re`` a pattern which is no literal."""
    return {name for name, call in _read().calls if not isinstance(call.args[0], ast.Constant)}


@cache
def patterns() -> tuple[Used, ...]:
    """Every pattern of the project, each once for its methods."""
    found: dict[tuple[Any, int], tuple[str, re.Pattern[Any], set[str]]] = {}
    uses = _read().uses

    def add(name: str, pattern: re.Pattern[Any], methods: Iterable[str]) -> None:
        found.setdefault((pattern.pattern, pattern.flags), (name, pattern, set()))[2].update(methods)

    for module in modules():
        for name, value in list(vars(module).items()):
            path = f"{module.__name__}.{name}"
            for place, pattern in _within(value, path):
                add(place, pattern, uses.get(path) or uses.get(name) or METHODS)
    for name, pattern, methods in literal_patterns():
        add(name, pattern, methods)
    for name, make in MADE.items():
        for pattern in make():
            add(name, pattern, METHODS)
    return tuple(Used(name, pattern, tuple(sorted(methods))) for name, pattern, methods in found.values())


# texts


_CATEGORIES: Final = {
    codes.CATEGORY_DIGIT: ("1",),
    codes.CATEGORY_SPACE: (" ", "\n"),
    codes.CATEGORY_WORD: ("a", "1"),
    codes.CATEGORY_NOT_DIGIT: ("a", " "),
    codes.CATEGORY_NOT_SPACE: ("a", "."),
    codes.CATEGORY_NOT_WORD: (" ", "."),
}
_OTHERS: Final = ("a", " ", "1", ".", "-", "Z", "\n", "é", "!")


def _characters(items: Any) -> tuple[str, ...]:
    """Return a few characters of a class."""
    given: list[str] = []
    is_negated = items[0][0] is codes.NEGATE
    for code, value in items:
        if code is codes.LITERAL:
            given.append(chr(value))
        elif code is codes.RANGE:
            given.append(chr(value[0]))
        elif code is codes.CATEGORY:
            given += _CATEGORIES[value]
    if not is_negated:
        return tuple(dict.fromkeys(given))
    pattern = re.compile(f"[^{''.join(map(re.escape, given))}]")
    return tuple(each for each in _OTHERS if pattern.match(each))[:4]


def _examples(tree: Any, most: int = 4) -> list[str]:
    """Return a few texts that a part of a pattern matches, more or less; the first is the plainest."""
    texts = [""]
    for code, value in tree:
        nexts = _of_node(code, value)[:most] or [""]
        most_of_both = range(max(len(texts), len(nexts)))
        texts = [texts[number % len(texts)] + nexts[number % len(nexts)] for number in most_of_both]
    return list(dict.fromkeys(texts))[:most]


def _of_node(code: Any, value: Any) -> list[str]:
    if code is codes.LITERAL:
        return [chr(value)]
    if code is codes.NOT_LITERAL:
        return [each for each in _OTHERS if each != chr(value)][:3]
    if code is codes.ANY:
        return ["a", " ", "."]
    if code is codes.IN:
        return list(_characters(value))
    if code is codes.BRANCH:
        return [text for branch in value[1] for text in _examples(branch, 1)]
    if code is codes.SUBPATTERN:
        return _examples(value[3])
    if code is codes.ATOMIC_GROUP:
        return _examples(value)
    if code in _REPEATS:
        least, _, body = value
        return [text * max(least, 1) for text in _examples(body)]
    return [""]


_REPEATS: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
LONG: Final = 20
"""A repetition that may be longer than this is worth a text."""


def _repetitions(tree: Any, before: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield what stands before each repetition, and what it repeats."""
    nodes = list(tree)
    prefixes = before
    for code, value in nodes:
        parts: list[Any] = []
        if code in _REPEATS:
            if value[1] > LONG:
                yield prefixes, _examples(value[2], 8)
            parts = [value[2]]
        elif code is codes.SUBPATTERN:
            parts = [value[3]]
        elif code is codes.ATOMIC_GROUP:
            parts = [value]
        elif code is codes.BRANCH:
            parts = list(value[1])
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            parts = [value[1]]
        for part in parts:
            yield from _repetitions(part, prefixes)
        nexts = _of_node(code, value)[:2] or [""]
        ends = [prefix + each for prefix, each in product(prefixes[-2:], nexts)]
        prefixes = tuple(dict.fromkeys(("", *(ends if code not in _REPEATS or value[0] else (*prefixes, *ends)))))[:6]


def _atoms(tree: Any) -> Iterator[str]:
    for code, value in tree:
        if code in (codes.LITERAL, codes.NOT_LITERAL, codes.IN):
            yield from _of_node(code, value)
        elif code in _REPEATS:
            yield from _atoms(value[2])
        elif code is codes.SUBPATTERN:
            yield from _atoms(value[3])
        elif code is codes.ATOMIC_GROUP:
            yield from _atoms(value)
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            yield from _atoms(value[1])
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from _atoms(branch)


def hard_pieces(pattern: re.Pattern[Any], most: int) -> Iterator[tuple[str, str, str]]:
    """Yield (prefix, piece, suffix): what a text begins with, repeats and ends with; at most ``most`` for each part."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = _parser.parse(source, pattern.flags & ~re.DEBUG)
    seen: set[tuple[str, str]] = set()
    whole = _examples(tree, 3)
    runs = list(_repetitions(tree, ("",)))
    pieces = [piece for _, each in runs for piece in each]
    for prefixes, each in runs:
        for prefix, piece in islice(product(prefixes, dict.fromkeys((*each, "".join(each)))), most):
            seen.add((prefix, piece))
    atoms = list(dict.fromkeys(_atoms(tree)))[:16]
    pairs = [one + other for one, other in islice(product(atoms, atoms), most)]
    for piece in dict.fromkeys((*whole, *pieces, *atoms, *pairs, *GENERAL)):
        seen.add(("", piece))
        seen |= {(text, piece) for text in (*whole, *(each[:-1] for each in whole))[: most // 8]}
    for prefix, piece in sorted(seen):
        if piece:
            yield prefix, piece, ""
            yield prefix, piece, "\x01"
