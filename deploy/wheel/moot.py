"""The entry of Moot.  In a wheel all its packages are in the folder of this module, so that they replace nobody's.

``events``, ``judge``, ``server`` and ``web`` are common names.  They are found in this folder first: in the process of
the command ``moot``, in its children, and wherever ``moot`` was imported before.
"""

# ruff: noqa: INP001 - in a wheel it is the __init__ of a package
import os
import sys
from pathlib import Path
from typing import Final

HOME: Final = str(Path(__file__).parent)


def main() -> None:
    """Run the command line."""
    from server.cli import main as run  # noqa: PLC0415 - found only after the lines below

    run()


if Path(HOME, "server").is_dir() and sys.path[:1] != [HOME]:  # a checkout has its packages on the path already
    sys.path.insert(0, HOME)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (HOME, os.environ.get("PYTHONPATH", ""))))
