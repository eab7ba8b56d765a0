"""The version of Moot.  It has its own module because reading it takes time that few commands need."""

from importlib.metadata import version
from typing import Final

VERSION: Final = version("moot")
