"""Hatch's hook for a wheel: the packages are in ``moot/``, and all names of modules in them begin with ``moot.``.

``events``, ``judge``, ``server`` and ``web`` are common names, which others have in site-packages too.  So
``from events.types import X`` becomes ``from moot.events.types import X``, and a string that names a module
(``"server.cli.serve"``, ``"providers.gemini:GeminiProvider"``, the argument of ``resources.files``) gets the prefix as
well.  Lines and columns stay as they are, but for the five characters.  An editable install is not changed:
``deploy/wheel/moot.py`` gives its packages the same names.
"""

# ruff: noqa: INP001 - hatch loads it by its path
import ast
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGES: Final = ("events", "judge", "personalities", "providers", "server", "web")
INIT: Final = '"""Moot: a debate server whose judge shows its work."""\n'
FACES: Final = {
    "client": '"""Moot from Python."""\nfrom moot.server.client import *\n',
    "inspect": '"""A scorer for tasks of Inspect."""\nfrom moot.server.client.inspection import moot\n',
}
"""Modules with a short name."""


class WheelHook(BuildHookInterface[Any]):
    """Writes the modules of a wheel to a temporary folder, from which hatch takes them."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the rewritten modules; ``pyproject.toml`` adds the files that are no modules."""
        if version == "editable":
            return
        root = Path(self.root)
        self._folder = TemporaryDirectory()
        written = {"moot/py.typed": "", "moot/__init__.py": INIT}
        written |= {f"moot/{name}.py": source for name, source in FACES.items()}
        for package in PACKAGES:
            for path in root.joinpath(package).rglob("*.py"):
                written[f"moot/{path.relative_to(root).as_posix()}"] = rewritten(path.read_text("utf-8"), root)
        for name, text in written.items():
            path = Path(self._folder.name, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            build_data["force_include"][str(path)] = name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        del build_data, artifact_path
        if version != "editable":
            self._folder.cleanup()


def rewritten(source: str, root: Path) -> str:
    """A module's source with the prefix.  Raises ``ValueError`` for an import that binds a name that a wheel lacks."""
    lines = source.encode().splitlines(keepends=True)  # columns are counted in bytes
    for line, column, old, new in sorted(_changes(ast.parse(source), root), reverse=True):
        text = lines[line - 1]
        at = text.index(old.encode(), column)
        lines[line - 1] = text[:at] + new.encode() + text[at + len(old.encode()) :]
    return b"".join(lines).decode()


def _changes(tree: ast.Module, root: Path) -> Iterator[tuple[int, int, str, str]]:
    """(line, column from which it is found, old text, new text)."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), level=0) if _is_ours(module):
                yield node.lineno, node.col_offset, f"from {module}", f"from moot.{module}"
            case ast.Import(names=names) if any(_is_ours(each.name) for each in names):
                if len(names) > 1 or ("." in names[0].name and names[0].asname is None):
                    raise ValueError(f"write 'from package import module' in place of: {ast.unparse(node)}")
                old = f"import {names[0].name}"
                package, _, module = f"moot.{names[0].name}".rpartition(".")
                yield node.lineno, node.col_offset, old, f"from {package} import {module}"
            case ast.Call(func=ast.Attribute(attr="files"), args=[ast.Constant(value=str(name)) as named]) if (
                name in PACKAGES
            ):
                yield named.lineno, named.col_offset, name, f"moot.{name}"
            case ast.Constant(value=str(name)) if "." in name and _is_ours(name) and _is_module(name, root):
                yield node.lineno, node.col_offset, name, f"moot.{name}"


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


def _is_module(name: str, root: Path) -> bool:
    """Whether a string names a module, ``package.module`` or ``package.module:attribute``."""
    path = root.joinpath(*name.partition(":")[0].split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()
