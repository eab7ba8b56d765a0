"""Each log against the one contract."""

import pytest

from tests.events.store.log_contract import LogContract

pytestmark = pytest.mark.anyio


class TestLogs(LogContract):
    """``log`` comes from ``conftest`` and is each implementation in turn."""
