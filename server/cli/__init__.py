"""The command line.  ``main`` is the console script ``moot``."""

from server.cli.main import main

__all__ = ["main"]
