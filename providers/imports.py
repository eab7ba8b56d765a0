"""Imports that are too long for the loop."""

from importlib import import_module
from threading import Lock
from typing import Final

from anyio import to_thread

_importing: Final = Lock()
_imported: set[str] = set()


async def load(module: str) -> None:
    """Import a module in a thread of its own: SDKs take seconds, in which everybody else's debates go on."""
    if module not in _imported:
        await to_thread.run_sync(_import, module)


def load_here(module: str) -> None:
    """The same at once, for a module that takes a moment only: it waits while another import is under way."""
    if module not in _imported:
        _import(module)


def _import(module: str) -> None:
    """One import at a time: a module stands in ``sys.modules`` before it is whole, and would be used half made."""
    with _importing:
        import_module(module)
        _imported.add(module)
