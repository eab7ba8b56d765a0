"""Configuration of the whole suite."""

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest
import structlog
from hypothesis import settings

from tests.laws import THOROUGH

CACHE = Path(__file__).parents[1] / ".pytest_cache"

if sys.dont_write_bytecode and sys.pycache_prefix is None:
    # Otherwise every child would compile every library again: keep the bytecode, in our own folder.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(CACHE / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix

# The vendors' clients load all certificates, which takes longer than a test; no test uses TLS.
ONE = CACHE / "certificate.pem"
if not ONE.exists():  # the first process writes it before it starts the workers
    CACHE.mkdir(exist_ok=True)
    first, end, _ = certifi.contents().partition("-----END CERTIFICATE-----\n")
    ONE.write_text(first + end, encoding="utf-8")
os.environ["SSL_CERT_FILE"] = str(ONE)

# SQLite syncs at every commit.  Tests end processes and not machines, so memory is as good as a disk.
MEMORY = Path("/dev/shm")  # each session makes its own folder in it
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# Each worker has half a core: with a thread for each core, numpy's workers wait for each other.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# The time of an example depends on the load of the machine.  `tests/laws.py` gives a law another number of examples.
settings.register_profile("busy", deadline=None, max_examples=30)
settings.register_profile(THOROUGH, parent=settings.get_profile("busy"), max_examples=100)
settings.load_profile("busy")


class Rotated(pytest.Dir):
    """A folder of which each worker reads another part first.

    All workers read all files.  Where no bytecode is there yet, which is so in CI, each then compiles a part of them
    and finds the others compiled; they would all compile the same file at the same time.
    """

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        entries = list(super().collect())
        number, workers = (
            int(os.environ["PYTEST_XDIST_WORKER"].lstrip("gw")),
            int(os.environ["PYTEST_XDIST_WORKER_COUNT"]),
        )
        first = number * len(entries) // workers
        return iter(entries[first:] + entries[:first])


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Rotate the folders in a worker; `pytest_collection_modifyitems` gives the items one order again."""
    return Rotated.from_parent(parent, path=path) if "PYTEST_XDIST_WORKER" in os.environ else None


def asks_for_thorough(chosen: str) -> bool:
    """Whether an expression of ``-m`` asks for the thorough tests."""
    return THOROUGH in chosen and f"not {THOROUGH}" not in chosen


def pytest_configure(config: pytest.Config) -> None:
    """Before the tests are imported, say how many examples a law gets (`tests/laws.py`)."""
    if asks_for_thorough(config.option.markexpr):
        settings.load_profile(THOROUGH)


def log_plainly() -> None:
    """The log's defaults, with plain tracebacks: those that show the values in every frame take seconds."""
    structlog.reset_defaults()
    *others, _ = structlog.get_config()["processors"]
    plain = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*others, plain])


log_plainly()

LONG = (
    "cluster/test_nodes.py",
    "cluster/test_outages.py",
    "cluster/test_nodes_people.py",
    "measuring/test_lab_coverage.py",
    "debate/test_providers_queues.py",
    "debate/test_kill.py",
    "embedded/test_llama_server.py",
    "docs/test_architecture.py",
    "simulation/test_simulation.py",
    "fairness/test_twin.py",
    "measuring/test_long_debate.py",
    "measuring/test_lab_power.py",
    "store/test_postgres_outages.py",
    "judge/test_engine_laws.py",
    "cli/test_cli_processes.py",
    "measuring/test_routes_at_once.py",
    "providers/test_imports.py",
    "docs/test_patterns.py",
    "docs/test_wheel.py",
    "scenarios/test_table.py",
    "judge/test_ring_laws.py",
    "cli/test_judge.py",
    "cli/test_cli_streams.py",
    "embedded/test_embedded.py",
    "lexical/test_long_debates.py",
    "lab/test_compare.py",
    "store/test_kill.py",
    "measuring/test_kills.py",
    "measuring/test_packed_citations.py",
    "measuring/test_voters.py",
    "evidence/test_markup.py",
    "browser/test_hostile.py",
    "browser/test_page.py",
    "browser/test_following.py",
    "browser/test_access.py",
    "browser/test_audit_page.py",
    "browser/test_front.py",
    "browser/test_seat_page.py",
    "browser/test_panel_page.py",
    "browser/test_transcripts_page.py",
    "browser/test_experience.py",
    "browser/test_watching.py",
    "browser/test_large.py",
    "browser/test_evidence_page.py",
    "browser/test_reading_line.py",
    "browser/test_search_page.py",
    "browser/test_poll.py",
    "browser/test_judge_seat.py",
    "browser/test_compression.py",
    "browser/test_filing.py",
    "browser/test_judge_page.py",
    "browser/test_protocol_page.py",
    "browser/test_protocol_seat.py",
)
"""Files that take long: they start first, so that no worker waits for one at the end."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long files come first, and browser tests last; thorough tests run only where ``-m`` names them.

    Playwright's synchronous API keeps an event loop running until the session ends: after it no other test could start
    an event loop.  A browser or slow test that fails runs once more, since both depend on how busy the machine is: the
    summary names it with RERUN, and a test that fails twice fails.
    """
    for item in items:
        if item.get_closest_marker("browser") is not None or item.get_closest_marker("slow") is not None:
            item.add_marker(pytest.mark.flaky(reruns=1, reruns_delay=1))
    if not asks_for_thorough(config.option.markexpr):
        left_out = [item for item in items if item.get_closest_marker(THOROUGH) is not None]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    places = {name: place for place, name in enumerate(LONG)}

    def place(item: pytest.Item) -> tuple[bool, int, Path]:
        name = "/".join(item.path.parts[-2:])
        return item.get_closest_marker("browser") is not None, places.get(name, len(LONG)), item.path

    items.sort(key=place)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """A command that ran in this process has configured the log: forget it, or later tests see a part of it only."""
    log_plainly()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage while tests are collected: nearly all objects of that time stay until the end."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()
