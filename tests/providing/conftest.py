"""What the provider tests share."""

from typing import Any

import pytest

from providers.testing.contract import make_request


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def ask() -> Any:
    return make_request
