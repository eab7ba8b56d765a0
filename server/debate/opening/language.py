"""The language of a motion or a document, found by a library.

Short texts mislead such libraries: in doubt a motion is English, and a document's language is not known.
"""

from functools import cache
from typing import Any, Final

from events.text.languages import LANGUAGES
from events.text.segmentation import count_words

CERTAIN: Final = 0.9
"""Minimum probability of a language other than English."""
MIN_WORDS: Final = 20
"""Words of a document whose language is said."""


def language_of(text: str) -> str:
    """The BCP 47 tag of the language of ``text``; ``en`` where the library is not certain of another one."""
    return _certain(text) or "en"


def document_language(text: str) -> str:
    """The BCP 47 tag of the language of a document; empty where the library is not certain, or the text is short."""
    return _certain(text) if count_words(text) >= MIN_WORDS else ""


def _certain(text: str) -> str:
    tag, probability = _identifier().classify(text)
    return str(tag) if float(probability) >= CERTAIN else ""


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - reading its model takes a moment

    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages(list(LANGUAGES))
    return found
