"""The figures of a rubric that a reader can change one by one, in groups, with their labels."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct

from events.types import DebateOpened

PANEL: Final = "Panel"
GROUPS: Final = {
    "Penalties": re.compile(r"claims\.\w+\.points|conduct\.\w+\.points|gaps\.most"),
    "Bands": re.compile(r"bands\..*"),
    "Comparisons, findings together, certainty": re.compile(r"(?:ring|docking|certainty)\..*|rescore_above"),
    "Caps": re.compile(r"(?:dimensions\.\w+\.chain\.caps|unquoted_share|tie_within).*"),
    PANEL: re.compile(
        r"panel\.(?:disputed_variance|least_gap|moderate|low|kappa_leaning)|criteria\.dimensions\.\w+\.weight"
    ),
}
"""Paths of the figures, by the title of their group."""
IMPLIED: Final = frozenset(
    "claims conduct bands dimensions criteria points panel chain ring docking certainty".split()  # noqa: SIM905 - short
)
"""Parts of a path that a label leaves out."""
LINKS: Final = ("one link", "two links", "three links")


class RubricFigure(Struct, frozen=True):
    """A figure of the rubric: its dotted path, its name, and its recorded value."""

    path: str
    label: str
    value: float


class FigureGroup(Struct, frozen=True):
    """Figures under a title."""

    title: str
    figures: tuple[RubricFigure, ...]


def figures_of(opened: DebateOpened) -> tuple[FigureGroup, ...]:
    """The figures of a debate's rubric; those of its panel if it has one, the others if its turns are scored."""
    has = {title: bool(opened.panel) if title == PANEL else opened.format == "exchange" for title in GROUPS}
    leaves = [(path, value) for path, value in _numbers(msgspec.to_builtins(opened.rubric), "")]
    if opened.rubric.certainty:
        leaves = [each for each in leaves if each[0] != "tie_within"]  # it decides nothing there
    groups = tuple(
        FigureGroup(
            title, tuple(RubricFigure(path, _label(path), value) for path, value in leaves if found.fullmatch(path))
        )
        for title, found in GROUPS.items()
        if has[title]
    )
    return tuple(group for group in groups if group.figures)


def _numbers(value: Any, path: str) -> Iterator[tuple[str, float]]:
    """The numbers within builtins by their dotted paths, in their order."""
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list | tuple):
        members = {str(at): each for at, each in enumerate(value)}.items()
    else:
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield path, value
        return
    for name, inner in members:
        yield from _numbers(inner, f"{path}.{name}" if path else str(name))


def _label(path: str) -> str:
    """The parts of a path that tell it from others, as words: ``logic, winner at least``."""
    parts = [part for part in path.split(".") if part not in IMPLIED]
    if path.startswith("bands."):
        name, end, at = parts
        return f"{name}, {end} {'at least' if at == '0' else 'at most'}".replace("_", " ")
    if ".caps." in path:
        return f"{parts[0]}, {LINKS[int(parts[-1])]} missing".replace("_", " ")
    return " ".join(parts).replace("_", " ")
