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
if not ONE.exists():   # the process that starts the others comes first
    CACHE.mkdir(exist_ok=True)
    first, end, _ = certifi.contents().partition("-----END CERTIFICATE-----\n")
    ONE.write_text(first + end, encoding="utf-8")
os.environ["SSL_CERT_FILE"] = str(ONE)

settings.register_profile("busy", deadline=None)   # how long an example takes says how busy the machine is
settings.load_profile("busy")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: Playwright's synchronous face keeps an event loop running until the session ends.

    No other test could start a loop of its own beside it.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
