"""The example in docs/providers.md, installed as a third-party package, passes the contract suite."""

import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from providers.registry import Registry
from providers.testing.contract import ProviderContract, WireStage
from providers.testing.wire import llama_frames, playing

pytestmark = pytest.mark.anyio

PAGE = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")
MAX_LINES = 60


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that pip installs: the module, and metadata with the entry point."""
    entry = re.search(r"^tiny = \"(.*)\"$", block("toml"), re.MULTILINE)
    assert entry is not None
    metadata = tmp_path / "tiny-0.1.dist-info"
    metadata.mkdir()
    (tmp_path / "tiny.py").write_text(block("python"))
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 0.1\n")
    (metadata / "entry_points.txt").write_text(f"[moot.providers]\ntiny = {entry[1]}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "tiny", raising=False)


def test_it_is_as_short_as_promised() -> None:
    assert len([line for line in block("python").splitlines() if line.strip()]) <= MAX_LINES


class TestExample(ProviderContract):
    @pytest.fixture
    async def stage(self, installed: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WireStage]:
        registry = Registry()
        async with playing(llama_frames) as wire:
            monkeypatch.setenv("TINY_URL", wire.url)
            provider, _ = registry.resolve("tiny:smollm2")
            yield WireStage(provider, wire)
            await registry.close()


def test_moot_finds_it_by_its_entry_point(installed: None) -> None:
    assert "tiny" in Registry().names
