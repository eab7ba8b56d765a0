"""The page: files that a browser loads as they are."""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent


def text_of(name: str) -> str:
    """The text of a file, such as ``debate/debate.html``."""
    return (FOLDER / name).read_text(encoding="utf-8")
