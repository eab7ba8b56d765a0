"""The language of a motion, found by a library.  Short texts mislead such libraries: in doubt it is English."""

from functools import cache
from typing import Any, Final

from events.text.languages import LANGUAGES

CERTAIN: Final = 0.9
"""Minimum probability of a language other than English."""


def language_of(text: str) -> str:
    """The BCP 47 tag of the language of ``text``; ``en`` where the library is not certain of another one."""
    tag, probability = _identifier().classify(text)
    return str(tag) if float(probability) >= CERTAIN else "en"


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - reading its model takes a moment

    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages(list(LANGUAGES))
    return found
