"""The version, in a module of its own: reading it costs start-up time that not every command needs."""

from importlib.metadata import version
from typing import Final

VERSION: Final = version("moot")
