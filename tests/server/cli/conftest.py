"""Commands in the process of a test print to a wide terminal; ``test_readable.py`` takes narrow ones."""

import pytest

from tests.server.children import WIDE


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", WIDE)
