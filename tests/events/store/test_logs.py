"""Each log against the contract."""

import pytest

from tests.events.store.log_contract import LogContract

pytestmark = pytest.mark.anyio


class TestLogs(LogContract):
    """The fixture ``log`` of ``conftest`` is each implementation in turn."""
