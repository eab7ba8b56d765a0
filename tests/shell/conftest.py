"""What the tests of the server share: the backend, and scripts to debate by."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

PRO = "Cars take the space of a city. Trams give it back, because one tram carries two hundred people who walk on."
CON = "People need cars. Nurses on night shifts lose their way to work, and deliveries fail before the shops open."


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., str]:
    """Writes a script and gives the model's name; what is left out is said and answered neutrally."""

    def write(name: str = "debate", **content: Any) -> str:
        content.setdefault("says", {"pro": [PRO], "con": [CON]})
        path = tmp_path / f"{name}.json"
        path.write_bytes(msgspec.json.encode({"label": "Test", **content}))
        return f"scripted:{path}"

    return write
