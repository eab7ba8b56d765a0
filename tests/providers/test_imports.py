"""SDKs are imported at their first use, by many debates at once: no debate gets an incomplete one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.laws import spread

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


@pytest.mark.slow
@pytest.mark.parametrize("name", spread(("openai", "anthropic", "google.genai"), 1))
def test_no_call_gets_an_incomplete_sdk(name: str) -> None:
    """A module is in ``sys.modules`` from the beginning of its import."""
    code = SECOND_COMER.replace("{name}", name)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)

    assert (0, "False\n") == (done.returncode, done.stdout)


COLD = """
import sys, threading
late = []
def hook(event, args):
    is_main = threading.current_thread() is threading.main_thread()
    if event == "import" and is_main and args[0].startswith(("anthropic", "google", "ollama", "openai", "concurrent")):
        late.append(args[0])
import anyio
from providers import registry
from tests.laws import spread
registry.CHECK_S = 60
sys.addaudithook(hook)

async def main():
    ours = registry.Registry()
    late.clear()
    async with anyio.create_task_group() as tasks:
        for name in ("openai:a", "anthropic:b", "gemini:c", "ollama:d") * 2:
            tasks.start_soon(ask, ours, name)

async def ask(ours, name):
    from providers.base import Request, Segment
    from providers.errors import Unreachable
    prompt = (Segment("user", "Speak."),)
    request = Request(key="speak:pro", turn=1, attempt=1, prompt=prompt, max_tokens=9, temperature=0)
    try:
        async with ours.call(name, "debate") as call, call.provider.stream(call.model, request) as stream:
            async for _ in stream:
                pass
    except Unreachable as error:
        print(type(error).__name__)

anyio.run(main)
print(len(late), *late[:5])
"""


@pytest.mark.slow
def test_no_call_imports_parts_of_an_sdk_on_the_loop() -> None:
    """Two threads that import each other's modules see incomplete ones, so one thread imports and calls wait."""
    nobody = "http://127.0.0.1:9"
    environment = {
        "OPENAI_BASE_URL": f"{nobody}/v1",
        "OPENAI_API_KEY": "none-at-all",
        "ANTHROPIC_BASE_URL": nobody,
        "ANTHROPIC_API_KEY": "none-at-all",
        "GOOGLE_GEMINI_BASE_URL": nobody,
        "GEMINI_API_KEY": "none-at-all",
        "OLLAMA_HOST": nobody,
    }
    done = subprocess.run(
        [sys.executable, "-c", COLD],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )

    assert (0, ["Unreachable"] * 8 + ["0"]) == (done.returncode, done.stdout.split("\n")[:-1]), done.stderr
