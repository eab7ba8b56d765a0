"""What each term means: the rows of the glossary, which the page shows as tooltips."""

import re
from functools import cache
from pathlib import Path
from typing import Final

GLOSSARY: Final = Path(__file__).parents[2] / "docs" / "glossary.md"
_ROW: Final = re.compile(r"^\| ([^|]+?) \| ([^|]+?) \|$", re.MULTILINE)
_LINK: Final = re.compile(r"\[([^\[\]]+)\]\([^()]*\)")


@cache
def terms() -> dict[str, str]:
    """The sentence of each term, without marks of Markdown."""
    rows = _ROW.findall(GLOSSARY.read_text(encoding="utf-8"))
    return {term: _LINK.sub(r"\1", said).replace("`", "") for term, said in rows[1:]}
