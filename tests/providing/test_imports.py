"""SDKs are imported when first used, by many debates at once."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECOND_COMER = """
import sys
import anyio
from providers.imports import load

async def main():
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(load, "{name}")
        while "{name}" not in sys.modules:
            await anyio.sleep(0)
        await load("{name}")
        print(sys.modules["{name}"].__spec__._initializing)

anyio.run(main)
"""


@pytest.mark.parametrize("name", ["anthropic", "google.genai", "openai"])
def test_nobody_gets_an_sdk_that_is_half_imported(name: str) -> None:
    """A module stands in ``sys.modules`` from the beginning of its import."""
    code = SECOND_COMER.replace("{name}", name)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)

    assert (0, "False\n") == (done.returncode, done.stdout)
