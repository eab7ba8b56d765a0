"""Imports the SDKs in a thread, because an import takes seconds and would block the event loop.

If two threads import modules that need each other, Python avoids a deadlock by showing one thread a module that is not
complete.  So no call runs while an SDK is being imported: the first call to any vendor imports the SDKs of all vendors
for which the environment has a key or an address, and every call waits for that.
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
"""The vendors' SDKs, with the variables that show that a vendor is in use."""
PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "anthropic": ("httpcore2", "anthropic.resources.messages", "anthropic.types", "concurrent.futures.thread"),
    "google.genai": ("google.genai.types", "google.genai.errors", "google.genai.models"),
    "ollama": ("httpcore",),
    "openai": ("openai.resources.chat.chat", "openai.resources.chat.completions.completions", "openai.types.chat"),
}
"""Modules that an SDK would import itself at the first call."""
WITH_SDKS: Final = "genai_prices"
"""It uses the same packages as the SDKs."""
_importing: Final = Lock()
_imported: set[str] = set()


async def load(module: str) -> None:
    """Import a module in a thread, so that other debates continue meanwhile."""
    wanted = {module}
    if module in SDKS:
        wanted |= {WITH_SDKS, *(sdk for sdk, names in SDKS.items() if variable(*names))}
    wanted = {each for each in wanted if not _is_imported(each)}
    if wanted:
        await to_thread.run_sync(_import, sorted(wanted))


async def wait_for_imports() -> None:
    """Wait for an import that is under way: it slows down everything else."""
    if _importing.locked():
        await to_thread.run_sync(_import, [])


def _import(modules: list[str]) -> None:
    """Import one module at a time: a module is in ``sys.modules`` before it is complete."""
    with _importing:
        for module in modules:
            for part in (module, *PARTS.get(module, ())):
                import_module(part)
            _imported.add(module)


def load_now(module: str) -> None:
    """Import a module in this thread, for quick imports.  Waits for an import that is under way."""
    if not _is_imported(module):
        _import([module])


def _is_imported(module: str) -> bool:
    """Whether a module is complete; an SDK is complete with all its parts."""
    if module in _imported:
        return True
    spec = getattr(sys.modules.get(module), "__spec__", None)
    return module not in SDKS and spec is not None and not getattr(spec, "_initializing", False)
