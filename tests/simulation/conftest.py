"""Outages of a schedule are not logged."""

from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with capture_logs():
        yield
