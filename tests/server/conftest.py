"""Fixtures that the tests of the server share."""

import io
import logging
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import msgspec
import pytest

from providers import registry
from server.evidence import reading
from server.process import observe
from tests.server.children import Cli
from tests.server.site import Site, serving

PRO = "Cars take the space of a city. Trams give it back, because one tram carries two hundred people who walk on."
CON = "People need cars. Nurses on night shifts lose their way to work, and deliveries fail before the shops open."


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def installed_once() -> Iterator[None]:
    """Read the metadata of all installed packages once for each ``sys.path``: it takes 7 ms of every server."""
    read = cache(lambda group, _: entry_points(group=group))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "entry_points", lambda *, group: read(group, tuple(sys.path)))
        yield


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., str]:
    """A function that writes a script and returns the model's name; missing parts get neutral answers."""

    def write(name: str = "debate", **content: Any) -> str:
        content.setdefault("says", {"pro": [PRO], "con": [CON]})
        path = tmp_path / f"{name}.json"
        path.write_bytes(msgspec.json.encode({"label": "Test", **content}))
        return f"scripted:{path}"

    return write


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are read in this process: tests/server/evidence/test_readers.py starts the children."""

    async def read(_: str, told: reading.WantedDocument, content: bytes, *_more: object) -> reading.DocumentReading:
        return reading.read_bytes(content, told.kind, told.most)

    monkeypatch.setattr(reading, "read_in_child", read)


@pytest.fixture
def site() -> Iterator[Site]:
    yield from serving()


@pytest.fixture
def guarded() -> Iterator[Site]:
    """A server beyond loopback, with a token."""
    yield from serving(host="0.0.0.0", token="s3cret-0123456789")


@pytest.fixture
def slow(script: Any) -> str:
    """A model that never finishes its first turn."""
    return str(script("slow", pace={"chunk_ms": 60_000, "chunk_chars": 1}))


@pytest.fixture
def moot(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> tuple[Cli, str]:
    """A store with one debate of two turns, for the commands that only read."""
    home = tmp_path_factory.mktemp("held")
    path = home / "debate.json"
    path.write_bytes(msgspec.json.encode({"label": "Test", "says": {"pro": [PRO], "con": [CON]}}))
    cli = Cli(home)
    return cli, cli.debate(f"scripted:{path}")


@pytest.fixture
def logging_to(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., io.StringIO]]:
    """A function that configures logging and gives what it writes to."""
    root = logging.getLogger()

    def configure(*, json_lines: bool) -> io.StringIO:
        stream = io.StringIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", stream)
            observe.configure_logging("info", json_lines=json_lines)
        return stream

    yield configure
    for handler in [each for each in root.handlers if each.get_name() == observe.LIBRARIES]:
        root.removeHandler(handler)
