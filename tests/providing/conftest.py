"""What the provider tests share."""

from typing import Any

import pytest

from providers.base import Request, Segment


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def make_request(key: str = "speak:pro", turn: int = 1, attempt: int = 1, **changes: Any) -> Request:
    given: dict[str, Any] = {
        "prompt": (Segment("system", "You debate."), Segment("user", "Speak.")),
        "max_tokens": 64,
        "temperature": 0.0,
        "seed": 7,
    }
    return Request(key=key, turn=turn, attempt=attempt, **(given | changes))


@pytest.fixture
def ask() -> Any:
    return make_request
