"""What a page names is there: links, anchors, paths, folders, modules."""

import ast
import re
from pathlib import Path

import pytest

from tests.docs.pages import FENCED, PAGES, ROOT, blocks, read, rows, spans

LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
PACKAGES = ("events", "providers", "personalities", "judge", "server", "web")
NAMED = re.compile(rf"(?:{'|'.join((*PACKAGES, 'tests', 'docs', 'deploy'))})/[\w./-]*")
INDEX = ROOT / "docs" / "README.md"
by_name = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def anchors(text: str) -> set[str]:
    """The names under which GitHub reaches the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page: Path, text: str) -> list[str]:
    """Links of a page that lead nowhere."""
    found = []
    for link in (one or other for one, other in LINK.findall(FENCED.sub("", text))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            found.append(link)
    return found


@by_name
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken(page, page.read_text(encoding="utf-8")) == []


def test_a_link_that_leads_nowhere_is_found() -> None:
    said = '[a](#no-such) [b](docs/none.md) [c](docs/judge.md#none) [d](docs/judge.md#what-if) <img src="x.png">'

    assert broken(PAGES[0], said) == ["#no-such", "docs/none.md", "docs/judge.md#none", "x.png"]


def linked(page: Path) -> set[Path]:
    """The files that a page links to."""
    return {(page.parent / one).resolve() for one, _ in LINK.findall(page.read_text(encoding="utf-8"))}


@by_name
def test_every_page_is_reached_from_the_readme(page: Path) -> None:
    assert INDEX in linked(PAGES[0])
    assert page in {PAGES[0], INDEX} | linked(PAGES[0]) | linked(INDEX)


def test_the_index_says_in_one_line_what_each_page_is_for() -> None:
    listed = [cells for cells in rows(INDEX.read_text(encoding="utf-8")) if cells[0] != "page"]
    named = [LINK.findall(name)[0][0] for name, _ in listed]

    assert sorted(path.name for path in INDEX.parent.glob("*.md") if path != INDEX) == sorted(named)
    for name, what in listed:
        page = INDEX.parent / LINK.findall(name)[0][0]
        assert page.read_text(encoding="utf-8").startswith(f"# {name[1 : name.index(']')]}\n")
        assert 3 <= len(what.split()) <= 20


@by_name
def test_every_path_that_a_page_names_is_there(page: Path) -> None:
    named = {each for span in spans(page.read_text(encoding="utf-8")) for each in NAMED.findall(span)}

    assert [each for each in sorted(named) if not (ROOT / each.rstrip(".")).exists()] == []


@by_name
def test_every_module_that_a_page_runs_is_there(page: Path) -> None:
    run = re.findall(r"python -m ([\w.]+)", page.read_text(encoding="utf-8"))
    ours = [each for each in run if each.partition(".")[0] in (*PACKAGES, "tests")]

    assert [each for each in ours if not (ROOT / f"{each.replace('.', '/')}.py").exists()] == []


def drawn() -> set[str]:
    """The folders in the picture of the house, by their indentation."""
    (house, *_) = blocks(read("contributing"))
    above: list[str] = []
    found = set()
    for line in house.splitlines():
        name = line.split()[0]
        depth = (len(line) - len(line.lstrip())) // 2
        above = [*above[:depth], name.rstrip("/")]
        found.add("/".join(above))
    return found


def test_the_house_is_drawn_folder_by_folder() -> None:
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file()]
    folders = {str(path.parent.relative_to(ROOT)) for path in files if "__pycache__" not in path.parts}
    top = {"deploy", "docs", "docs/pictures", "tests", "tests/measuring", "tests/simulation"}

    assert drawn() == folders | top


@pytest.mark.parametrize(
    "init",
    [path for name in PACKAGES for path in sorted((ROOT / name).rglob("__init__.py"))],
    ids=lambda init: str(init.parent.relative_to(ROOT)),
)
def test_a_package_names_what_it_holds(init: Path) -> None:
    """What a package lists in its docstring, with ``·`` between, are its modules and folders."""
    said = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or ""
    lists = [paragraph for paragraph in said.split("\n\n") if " ·" in paragraph]
    named = {each for paragraph in lists for each in re.findall(r"``([a-z_]+)``", paragraph)}

    assert said
    assert set() == named - {path.stem for path in init.parent.iterdir()}
