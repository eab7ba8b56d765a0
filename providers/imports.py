"""Imports that are too long for the loop, made in a thread.

Python lets two threads that import modules of each other see them half made, rather than let them wait for each other
for ever.  So no call to a model runs while an SDK is being imported: the first call to any vendor imports the SDKs of
all vendors that this environment has a key or an address for, and every call waits for that.
"""

import sys
from collections.abc import Mapping
from importlib import import_module
from threading import Lock
from typing import Final

from anyio import to_thread

from .environment import variable

SDKS: Final[Mapping[str, tuple[str, ...]]] = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "google.genai": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "ollama": ("OLLAMA_HOST", "OLLAMA_API_KEY"),
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
}
"""The vendors' SDKs, with the variables that say that one is in use."""
PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "anthropic": ("httpcore2", "anthropic.resources.messages", "anthropic.types"),
    "google.genai": ("google.genai.types", "google.genai.errors", "google.genai.models"),
    "ollama": ("httpcore",),
    "openai": ("openai.resources.chat.completions", "openai.types.chat"),
}
"""What an SDK would import by itself at the first call."""
WITH_SDKS: Final = "genai_prices"
"""Stands on the same packages as the SDKs."""
_importing: Final = Lock()
_imported: set[str] = set()


async def load(module: str) -> None:
    """Import a module in a thread: imports take seconds, in which everybody else's debates go on."""
    wanted = {module}
    if module in SDKS:
        wanted |= {WITH_SDKS, *(sdk for sdk, names in SDKS.items() if variable(*names))}
    wanted = {each for each in wanted if not _is_imported(each)}
    if wanted:
        await to_thread.run_sync(_import, sorted(wanted))


async def settled() -> None:
    """Wait for an import that is under way: beside it everything takes longer than it should."""
    if _importing.locked():
        await to_thread.run_sync(_import, [])


def _import(modules: list[str]) -> None:
    """One import at a time: a module stands in ``sys.modules`` before it is whole, and would be used half made."""
    with _importing:
        for module in modules:
            for part in (module, *PARTS.get(module, ())):
                import_module(part)
            _imported.add(module)


def load_here(module: str) -> None:
    """Import a module here and now: for what is imported quickly.  Waits for an import that is under way."""
    if not _is_imported(module):
        _import([module])


def _is_imported(module: str) -> bool:
    """Whether a module is whole already; an SDK is only with all its parts."""
    if module in _imported:
        return True
    spec = getattr(sys.modules.get(module), "__spec__", None)
    return module not in SDKS and spec is not None and not getattr(spec, "_initializing", False)
