"""The package ``moot`` of a checkout: its modules under the names that they have in a wheel.

``moot.providers.base`` is the module ``providers.base`` itself, not a copy of it, so a class has one identity whichever
name imported it.  ``FACES`` are short names.  A wheel has the packages in ``moot/`` and does not need this
(``deploy/wheel/hook.py``).
"""

# ruff: noqa: INP001 - it stands for a package
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

FACES: Final = {"moot.client": "server.client", "moot.inspect": "server.client.inspection"}
"""Modules with a short name."""
__path__: Final[list[str]] = []


class _Checkout(MetaPathFinder, Loader):
    """Finds ``moot.X`` as ``X``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        return ModuleSpec(fullname, self) if fullname.startswith("moot.") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(FACES.get(spec.name) or spec.name.removeprefix("moot."))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back: the import system has put the other one in its place."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


sys.meta_path.insert(0, _Checkout())  # before the finder of files, which would load a second copy
