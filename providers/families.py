"""Which family a model belongs to: judges favour their own.  The words are data (``families.json``)."""

import re
from functools import cache
from importlib import resources

import msgspec

_WORD = re.compile(r"[a-z]+[0-9]*|[0-9]+")
_LETTERS = re.compile(r"[a-z]+")


def family(model: str) -> str:
    """The family of ``provider:model``, told by the words of the model's name; the name itself where none is known.

    A script is no model and has none: the empty string.  A distilled model (``deepseek-r1-distill-llama``) is of the
    family whose word comes first.
    """
    provider, _, name = model.partition(":")
    if provider == "scripted":
        return ""
    said = (name or provider).lower()
    known = _families()
    for word in _WORD.findall(said.rpartition("/")[2]):
        letters = _LETTERS.match(word)
        for candidate in (word, letters[0] if letters else ""):
            if candidate in known:
                return known[candidate]
    return said


@cache
def _families() -> dict[str, str]:
    data = resources.files("providers").joinpath("families.json").read_bytes()
    named = msgspec.json.decode(data, type=dict[str, list[str]])
    return {word: name for name, words in named.items() for word in words}
