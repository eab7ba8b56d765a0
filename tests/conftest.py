"""What holds for the whole suite."""

import os
import sys
from pathlib import Path

import certifi
import pytest
from hypothesis import settings

CACHE = Path(__file__).parents[1] / ".pytest_cache"

if sys.dont_write_bytecode and sys.pycache_prefix is None:
    # Every child would compile every library anew: what is compiled is kept, but in a folder of ours.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(CACHE / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

# A vendor's client loads all certificates that there are, which takes longer than the test; nothing here is TLS.
ONE = CACHE / "certificate.pem"
if not ONE.exists():  # the process that starts the others comes first
    CACHE.mkdir(exist_ok=True)
    first, end, _ = certifi.contents().partition("-----END CERTIFICATE-----\n")
    ONE.write_text(first + end, encoding="utf-8")
os.environ["SSL_CERT_FILE"] = str(ONE)

settings.register_profile("busy", deadline=None)  # how long an example takes says how busy the machine is
settings.load_profile("busy")


LONG = (
    "providers/test_llama_server.py",
    "docs/test_architecture.py",
    "cluster/test_nodes.py",
    "providers/test_table.py",
    "simulation/test_simulation.py",
    "debate/test_providers_queues.py",
    "browser/test_hostile.py",
    "browser/test_access.py",
    "browser/test_about_the_judge.py",
)
"""Files that take so long that the other processes would wait for one that comes late."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files come first, and browser tests last.

    Playwright's synchronous face keeps an event loop running until the session ends: no other test could start a loop
    of its own beside it.
    """
    places = {name: place for place, name in enumerate(LONG)}

    def place(item: pytest.Item) -> tuple[bool, int]:
        name = "/".join(item.path.parts[-2:])
        return item.get_closest_marker("browser") is not None, places.get(name, len(LONG))

    items.sort(key=place)
