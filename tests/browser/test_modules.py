"""The modules of the page: their own tests, which node runs, what a page preloads, and the form of the source."""

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import web
from server.http.static import without_comments

OLDEST = 20
FOLDER = Path(__file__).parents[1] / "web"
PAGE = Path(web.__path__[0])


@pytest.mark.slow
def test_the_modules_pass_their_tests() -> None:
    node = shutil.which("node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout if node else "v0"
    if node is None or int(version.removeprefix("v").split(".")[0]) < OLDEST:
        reason = f"node {OLDEST} or newer is not on this machine: `apt-get install nodejs`"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(f"NOT TESTED: {reason}")
    done = subprocess.run(
        [node, "--test", *map(str, sorted(FOLDER.glob("*.test.mjs")))],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("page", "module"),
    [
        ("home/index", "home/home"),
        ("debate/debate", "debate/debate"),
        ("judge/judge", "judge/judge"),
        ("vote/vote", "vote/vote"),
        ("vote/room", "vote/room"),
        ("seat/seat", "seat/seat"),
    ],
)
def test_what_a_page_imports_is_asked_for_at_once(page: str, module: str) -> None:
    """A module that is only found in another one waits for it, and so on: a round trip for each."""
    known, found = set[Path](), {PAGE / f"{module}.js"}
    while new := found - known:
        known |= new
        found |= set[Path]().union(*map(imports_of, new))
    preloaded = re.findall(r'rel="modulepreload" href="/static/([\w/]+\.js)"', (PAGE / f"{page}.html").read_text())

    assert sorted(map(name_of, found)) == sorted(preloaded)


# The source of the page


LONGEST_LINE = 120
IMPORT = re.compile(r'(?m)^(?:import|export)[^;]*?\bfrom "(\.{1,2}/[\w/]+\.js)"|^import "(\.{1,2}/[\w/]+\.js)"')
ON_DEMAND = re.compile(r'\bimport\("(\.{1,2}/[\w/]+\.js)"\)')
EXPORT = re.compile(r"(?m)^export (?:async )?(?:function\*?|class|const|let) (\w+)")
PAGE_FILES = sorted(path for path in PAGE.rglob("*") if path.suffix in {".js", ".css", ".html"})
MODULES = [path for path in PAGE_FILES if path.suffix == ".js"]


def name_of(path: Path) -> str:
    return path.relative_to(PAGE).as_posix()


def imports_of(path: Path, pattern: re.Pattern[str] = IMPORT) -> set[Path]:
    targets = pattern.findall(path.read_text(encoding="utf-8"))
    return {Path(os.path.normpath(path.parent / "".join(target))) for target in targets}


TOKEN = re.compile(
    r"(?P<comment>/\*.*?\*/|//[^\n]*)"
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<regex>(?<=[(,=:\[] )/(?:\\.|[^/\\\n])+/|(?<=\()/(?:\\.|[^/\\\n])+/|(?m:^) */\^(?:\\.|[^/\\\n])+/)"
    r"|(?P<edge>[`{}])",
    re.DOTALL,
)
TEMPLATE_EDGE = re.compile(r"`|\$\{")


def without_text(source: str) -> str:
    """A script without its comments, strings, templates and regular expressions; its lines keep their numbers."""
    kept: list[str] = []
    braces = ["{"]  # what each open brace belongs to: code, or a value in a template
    at = 0
    while match := TOKEN.search(source, at):
        kept.append(source[at : match.start()] + "\n" * match[0].count("\n"))
        at = match.end()
        in_template = match[0] == "`" or (match[0] == "}" and braces[-1] == "`")
        if match[0] == "}":
            braces.pop()
        elif match[0] == "{":
            braces.append("{")
        if match["edge"] and not in_template:
            kept.append(match[0])
        if in_template and (edge := TEMPLATE_EDGE.search(source, at)):
            at = edge.end()
            if edge[0] == "${":
                braces.append("`")
    return "".join(kept) + source[at:]


@pytest.mark.slow
def test_lines_are_short() -> None:
    lines = [
        (f"{name_of(path)}:{number}", line)
        for path in PAGE_FILES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]

    assert len(lines) > len(PAGE_FILES) > len(MODULES) > 0
    assert [] == [place for place, line in lines if len(line) > LONGEST_LINE]
    assert [] == [place for place, line in lines if line != line.rstrip()]


@pytest.mark.slow
def test_a_module_is_sent_without_comments_and_its_code_is_the_same() -> None:
    for path in MODULES:
        source = path.read_bytes()
        sent = without_comments(source)

        assert len(sent) < len(source), name_of(path)
        assert sent.count(b"\n") == source.count(b"\n"), name_of(path)
        code, same = (re.sub(r"[ \t]+\n", "\n", without_text(each.decode())) for each in (source, sent))
        assert code == same, name_of(path)
        strings = [[found[0] for found in TOKEN.finditer(each.decode()) if found["string"]] for each in (source, sent)]
        assert strings[0] == strings[1], name_of(path)


def crowded(source: str) -> list[int]:
    """The lines with more than one statement, as far as this check can tell."""
    found = []
    for number, line in enumerate(without_text(source).splitlines(), 1):
        code = re.sub(r"\bfor \([^;]*;[^;]*;", "", line)
        if re.search(r";\s*\S", code) or re.search(r"\{[^{}]*;\s*\}", code):
            found.append(number)
    return found


def test_each_line_has_one_statement() -> None:
    found = {name_of(path): crowded(path.read_text(encoding="utf-8")) for path in MODULES}

    assert {} == {name: lines for name, lines in found.items() if lines}


@pytest.mark.parametrize(
    ("line", "is_crowded"),
    [
        ("a(); b();", True),
        ("if (a) { b(); }", True),
        ("() => { go(1); }", True),
        ("let a = `${`b`}`; c();", True),
        ("a(/x;/); b();", True),
        ('a("b; c; d");', False),
        ("for (let i = 0; i < 3; i += 1) go(i);", False),
        ("go(`a; ${b(`c; d`, { e })}; f`);", False),
        ("a(/x; y/); // b; c", False),
    ],
)
def test_the_check_tells_two_statements_from_one(line: str, is_crowded: bool) -> None:
    assert is_crowded == bool(crowded(line))


def test_each_export_is_documented() -> None:
    """A JSDoc block stands directly above it, and a function's names each parameter and what it returns."""
    assert [] == [
        f"{name_of(path)}: {fault}" for path in MODULES for fault in undocumented(path.read_text(encoding="utf-8"))
    ]


def undocumented(source: str) -> Iterator[str]:
    """The exports of a module without a block above them, or whose block misses a parameter."""
    for match in EXPORT.finditer(source):
        above = source[: match.start()]
        if not above.endswith("*/\n"):
            yield match[1]
            continue
        block = above[above.rindex("/**") :]
        signature = re.match(r"export (?:async )?function\*? \w+\(([^)]*)\)", source[match.start() :])
        parameters = signature[1] if signature else ""
        while (shorter := re.sub(r"\{[^{}]*\}(?: = )?", "1", parameters)) != parameters:
            parameters = shorter
        names = [each.split("=")[0].strip() for each in parameters.split(",") if each.strip()]
        if len(re.findall(r"@param", block)) < len(names) or [
            name for name in names if name.isidentifier() and name not in block
        ]:
            yield f"{match[1]}({signature[1] if signature else ''})"


@pytest.mark.parametrize(
    ("source", "is_documented"),
    [
        ("/** A. @param {string} b */\nexport function a(b) {}\n", True),
        ("export const a = 1;\n", False),
        ("/** A. */\nexport function a(b) {}\n", False),
        ("/** A. @param {string} c */\nexport function a(b) {}\n", False),
    ],
)
def test_the_check_finds_what_is_not_documented(source: str, is_documented: bool) -> None:
    assert is_documented == (not list(undocumented(source)))


def in_a_circle(uses: Mapping[Path, set[Path]]) -> set[Path]:
    """What uses itself in the end, and what stands above it."""
    remaining = dict(uses)
    while free := [place for place, targets in remaining.items() if not targets & remaining.keys()]:
        for place in free:
            del remaining[place]
    return {*remaining}


def test_imports_have_no_circle() -> None:
    """Imports on demand (`import(…)`) do not count: the importing module is complete by then."""
    imports = {path: imports_of(path) for path in MODULES}

    assert set().union(*imports.values()) <= set(MODULES)
    assert set() == in_a_circle(imports)


def test_folders_have_no_circle() -> None:
    """Imports on demand count here: a reader who knows a folder need not know what stands above it."""
    uses = {path.parent: set[Path]() for path in MODULES}
    for path in MODULES:
        late = imports_of(path, ON_DEMAND)
        assert late <= set(MODULES), name_of(path)
        uses[path.parent] |= {target.parent for target in imports_of(path) | late} - {path.parent}

    assert PAGE / "exchange" in uses[PAGE / "debate"]
    assert set() == {name_of(each) for each in in_a_circle(uses)}


# What a page computes


FIGURES = "admitted|agreement|alpha|belief|cast|composite|effective|lead|margin|mean|noise|points|raw|total|votes"
ARITHMETIC = re.compile(
    rf"(?:\b(?:{FIGURES})\)?\s*[-+*/%]=?(?![>*/])|[-+*/%]=?\s*\(?(?:\w+\??\.)*(?:{FIGURES})\b)(?!\()"
)
DRAWINGS = {"exchange/characters.js", "panel/charts.js", "parts/bar.js", "parts/curve.js"}
"""They turn figures into coordinates."""
VERIFIERS = {"offline/receipt.js"}
"""They compute from the log what a receipt states; that is their purpose."""
FOLDS = {"offline/archive.js", "offline/difference.js", "replay/history.js"}


def test_a_page_shows_the_figures_of_a_view_and_computes_none() -> None:
    """Means, leads, margins and counts come with the view.  Patches are read only where a view is folded."""
    codes = {name_of(path): without_text(path.read_text(encoding="utf-8")) for path in MODULES}
    computed = {name: ARITHMETIC.findall(code) for name, code in codes.items() if name not in DRAWINGS | VERIFIERS}
    folding = {name for name, code in codes.items() if re.search(r"\.patch\b|\{[^{}]*\bpatch\b[^{}]*\}", code)}

    assert {} == {name: found for name, found in computed.items() if found}
    assert set() == folding - FOLDS


@pytest.mark.parametrize(
    ("line", "computes"),
    [
        ("const lead = pro.composite - con.composite;", True),
        ("votes[winner] / cast", True),
        ("sum += turn.composite;", True),
        ("const half = spread.total / 2;", True),
        ("show(view.lead, composite);", False),
        ("const points = -1;", False),
        ("(points) => points + 1", True),
        ("points => show(points)", False),
    ],
)
def test_the_check_finds_arithmetic_on_figures(line: str, computes: bool) -> None:
    assert computes == bool(ARITHMETIC.search(line))


@pytest.mark.slow
def test_a_folder_holds_at_most_sixteen_entries() -> None:
    entries = [each for each in PAGE.rglob("*") if "__pycache__" not in each.parts]
    sizes = Counter(each.parent for each in entries)

    assert {} == {name_of(folder): size for folder, size in sizes.items() if size > 16}
    assert PAGE not in [each.parent for each in MODULES]
