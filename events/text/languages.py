"""The languages that a debate may be held in, by BCP 47 tag, with their English names."""

from typing import Final

LANGUAGES: Final = {
    "ar": "Arabic",
    "bn": "Bengali",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "vi": "Vietnamese",
    "zh": "Chinese",
}

_TOKENS_A_WORD: Final = {
    1.6: ("en",),
    2.4: ("cs", "da", "de", "es", "fi", "fr", "hu", "id", "it", "nl", "no", "pl", "pt", "ro", "sv", "tr", "vi"),
    2.8: ("ja", "ko", "th", "zh"),
    4.5: ("ar", "el", "fa", "he", "ru", "uk", "ur"),
    5.0: ("bn", "hi"),
}
"""The most tokens that a word takes on average, with tokenizers that are not made for its language."""


def tokens_a_word(tag: str) -> float:
    """The most tokens of a word on average: what an answer in this language is given.

    A log from elsewhere may name a language that is not listed: it is given the most.
    """
    return next((number for number, tags in _TOKENS_A_WORD.items() if tag in tags), max(_TOKENS_A_WORD))


def language_name(tag: str) -> str:
    """The English name of a language, or its tag."""
    return LANGUAGES.get(tag, tag)
