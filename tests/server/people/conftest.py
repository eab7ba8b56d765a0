"""Fixtures that the tests of people in seats share."""

import pytest

from server.debate import time_limits


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time for a text that is under way when the clock ends."""
    monkeypatch.setattr(time_limits, "SEND_S", 0.0)
