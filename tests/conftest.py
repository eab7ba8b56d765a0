"""What holds for the whole suite."""

import os
import sys
from pathlib import Path

import pytest

if sys.dont_write_bytecode and sys.pycache_prefix is None:
    # Every child would compile every library anew: what is compiled is kept, but in a folder of ours.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright's synchronous face keeps an event loop running until the session ends.

    No other test could start a loop of its own beside it.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
