"""What a file is called in which a debate is taken away."""

import re
import unicodedata
from typing import Final

WORDS_MOST: Final = 48
"""Letters of the motion in a name."""
ID_MOST: Final = 13
"""Of the id: the time to the millisecond, which every command takes for the whole."""


def saved_as(motion: str, debate: str, kind: str) -> str:
    """``moot-cities-should-ban-private-cars-019a8b7c-4e21.html``: the motion in plain letters, if it has some."""
    plain = unicodedata.normalize("NFKD", motion).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    said = ""
    for word in words:
        if len(said) + len(word) >= WORDS_MOST:
            break
        said += f"-{word}"
    short = re.sub(r"[^A-Za-z0-9-]", "", debate[:ID_MOST]).rstrip("-")
    return f"moot{said}-{short}.{kind}"


def attachment(motion: str, debate: str, kind: str) -> dict[str, str]:
    """The header that has a browser save a debate under its name."""
    return {"content-disposition": f'attachment; filename="{saved_as(motion, debate, kind)}"'}
