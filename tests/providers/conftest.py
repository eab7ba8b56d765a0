"""Fixtures of the provider tests."""

from typing import Any

import pytest

from providers import imports
from providers.testing.contract import make_request


@pytest.fixture(scope="session", autouse=True)
def sdks() -> None:
    """Import the SDKs before any test begins: an import takes seconds, and deadlines here are shorter."""
    for name in imports.SDKS:
        imports.load_now(name)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def ask() -> Any:
    return make_request
