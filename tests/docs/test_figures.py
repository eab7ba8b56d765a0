"""A figure is rounded in one way, so that no two places show one value differently: ``events/text/figures.py``."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("events", "judge", "personalities", "server")
ROUNDS = re.compile(r"^[+-]?\.\d+[fF%]$")
"""A format that rounds: a half to the even digit, where the page rounds it away from zero."""
MAY_ROUND = re.compile(r"""[:"'][+-]?\.\d""")
"""What stands in the source of each such format: only those modules are parsed."""
OWN = {
    "events/text/figures.py": "what all others call",
    "judge/live/whole.py": "prompts: recorded debates have them as they are",
    "judge/live/conflict.py": "likewise",
    "judge/deliberation/questions.py": "prompts",
    "judge/panel/questions.py": "prompts",
    "judge/rubrics/rubric.py": "prompts",
    "server/export/lab/figures.py": "coordinates of a drawing",
}


def formats(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The formats of f-strings and of ``format(value, "…")``, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
            parts = [each.value for each in node.format_spec.values if isinstance(each, ast.Constant)]
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "format":
            yield from ((node.lineno, str(each.value)) for each in node.args[1:] if isinstance(each, ast.Constant))


def found(path: Path) -> list[str]:
    name, text = path.relative_to(ROOT).as_posix(), path.read_text()
    tree = ast.parse(text if MAY_ROUND.search(text) else "")
    return [f"{name}:{line}: {spec}" for line, spec in formats(tree) if ROUNDS.search(spec)]


@pytest.mark.slow
def test_figures_in_sentences_are_rounded_by_one_function() -> None:
    modules = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]

    wrong = [each for path in modules if path.relative_to(ROOT).as_posix() not in OWN for each in found(path)]

    assert not wrong, "\n".join(["use rounded, signed or percent of events.text.figures:", *wrong])


def test_every_module_that_rounds_in_its_own_way_still_does() -> None:
    assert [] == [name for name in OWN if not found(ROOT / name) and name != "events/text/figures.py"]


def test_a_format_that_rounds_is_found() -> None:
    text = 'f"{x:.1f} {y:+.2f} {z:.0%} {n:,} {m:g} {w:{width}}"; format(t, ".2f"); format(t, "g")'
    tree = ast.parse(text)

    assert [":.1", ":+.2", ":.0", '".2'] == MAY_ROUND.findall(text)
    assert {".1f", "+.2f", ".0%", ".2f"} == {spec for _, spec in formats(tree) if ROUNDS.search(spec)}
