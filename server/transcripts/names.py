"""The speakers of a text: which of its labels are names, and which names are one person's."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from server.transcripts.hints import side_of
from server.transcripts.labels import SpeakerLabel, is_titled, name_key, without_aside

_TITLES: Final = frozenset(
    (
        "mr", "mrs", "ms", "miss", "dr", "prof", "professor", "president", "senator", "sen", "governor", "gov", "vice",
        "former", "secretary", "minister", "prime", "chancellor", "congressman", "congresswoman", "representative",
        "rep", "mayor", "sir", "lord", "lady", "the",
    )
)  # fmt: skip
_MAX_WORDS: Final = 5
"""Words of a name that comes once and is not marked."""
_WORDS: Final = frozenset(("question", "questions", "answer", "answers", "problem", "solution", "fact", "conclusion"))
"""What comes once before a colon within a speech is no name."""
_MAX_SPELLINGS: Final = 400
_MAX_COMPARED: Final = 100
_SHORTEST_WORD: Final = 4
"""Letters of a word from which one other letter may be a slip: Ann and Anne are alike, Ben and Ken are not."""
_SELDOM: Final = 2
"""A short and a long form of a name are one person's if one of them comes at most so often."""


ONCE: Final = "“{}” comes once and is taken for a speaker"
"""The doubt about a name of which only its place tells that it is one."""


def may_be_name(name: str) -> bool:
    """Whether what comes once before a colon looks like a name."""
    is_numbered = len(name.split()) == 1 and any(map(str.isdigit, name))
    return len(name.split()) <= _MAX_WORDS and (is_titled(name) or is_numbered) and name_key(name) not in _WORDS


class SpeakerNames:
    """Which of the possible labels of a file are names, and how each speaker is called.

    A label is a name if it comes more than once, or tells a side, or is marked, or begins a paragraph with capitals.
    ``Ann (laughs)`` and ``ANN`` are called ``Ann``; ``SMITH`` and ``JOHN SMITH, MODERATOR`` are one person; ``Speaker
    (Pro)`` and ``Speaker (Con)`` are two.
    """

    def __init__(self, labels: Sequence[SpeakerLabel]) -> None:
        """``labels``: in their order."""
        self._is_list = all(label.is_listed for label in labels)
        asides: dict[str, set[str]] = {}
        for label in labels:
            base, aside = without_aside(label.name)
            told = side_of(aside) if aside else None
            asides.setdefault(name_key(base), set()).update({told} if told else ())
        self._split = {base for base, told in asides.items() if len(told) > 1}
        spelled = Counter(self._spelling_of(label) for label in labels)
        self._person = _people(spelled)
        self.merged = [(key, person) for key, person in self._person.items() if _words(key) != _words(person)]
        """Names that are taken for one person's though they differ in more than titles."""
        self._counts = Counter[str]()
        for key, count in spelled.items():
            self._counts[self._person[key]] += count
        self._shown: dict[str, str] = {}
        for label in labels:
            self._show(label)

    def accepts(self, label: SpeakerLabel, *, begins_paragraph: bool) -> bool:
        """Whether the label is a name."""
        return self.is_sure(label) or (
            begins_paragraph and (self._is_list or not label.is_listed) and may_be_name(without_aside(label.name)[0])
        )

    def is_sure(self, label: SpeakerLabel) -> bool:
        """Whether the name comes more than once, is marked, or tells a side."""
        return self._counts[self._key_of(label)] > 1 or label.is_marked or side_of(label.name) is not None

    def called(self, label: SpeakerLabel) -> str:
        """The speaker's name."""
        return self._shown[self._key_of(label)]

    def _spelling_of(self, label: SpeakerLabel) -> str:
        base, aside = without_aside(label.name)
        key = name_key(base)
        return f"{key} ({name_key(aside)})" if key in self._split else key

    def _key_of(self, label: SpeakerLabel) -> str:
        return self._person[self._spelling_of(label)]

    def _show(self, label: SpeakerLabel) -> None:
        """A name that tells its side is shown whole; of two spellings the one that is not in capitals."""
        base, aside = without_aside(label.name)
        is_whole = bool(aside) and side_of(aside) is not None
        name = label.name.strip() if is_whole else base
        key = self._key_of(label)
        known = self._shown.get(key)
        is_fuller = known is not None and is_whole and side_of(known) is None
        if known is None or is_fuller or (known.isupper() and not name.isupper() and len(name) >= len(known)):
            self._shown[key] = name


def alike_names(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of names that may be one person's: they differ in capitals, or in one letter of one word.

    Names that differ in a digit or in a short word are not alike: Speaker A and Speaker B.
    """
    return tuple(pair for pair in combinations(names[:_MAX_COMPARED], 2) if _are_alike(*map(name_key, pair)))


def _are_alike(one: str, other: str) -> bool:
    differing = [pair for pair in zip(one.split(), other.split(), strict=False) if len(set(pair)) > 1]
    if len(one.split()) != len(other.split()) or len(differing) != 1:
        return one == other
    short, long = sorted(differing[0], key=len)
    if len(long) < _SHORTEST_WORD or not (short + long).isalpha() or len(long) - len(short) > 1:
        return False
    at = next((i for i, letter in enumerate(short) if letter != long[i]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    return short[at + 1 :] == long[at + 1 :] or (short[at + 2 :] == long[at + 2 :] and short[at] == long[at + 1])


def _people(spelled: Mapping[str, int]) -> dict[str, str]:
    """For each spelling the one that stands for its person: itself, or a longer one with the same last word.

    Titles do not count: ``President Bush`` is ``Bush``.  A spelling that fits two people stays by itself.  All do if
    only one person were left, or with more than ``_MAX_SPELLINGS``: each is compared with each.
    """
    if len(spelled) > _MAX_SPELLINGS:
        return {key: key for key in spelled}
    words = {key: _words(key) for key in spelled}
    person: dict[str, str] = {}
    for key in sorted(spelled, key=lambda each: len(words[each])):
        longer = [
            other
            for other in spelled
            if words[other][-1:] == words[key][-1:]
            and (
                words[key] == words[other]
                or (set(words[key]) < set(words[other]) and min(spelled[key], spelled[other]) <= _SELDOM)
            )
        ]
        longest = max(longer, key=lambda each: len(words[each]))
        is_sure = all(set(words[each]) <= set(words[longest]) for each in longer)
        person[key] = longest if is_sure else key
    found = {key: person[person[key]] for key in spelled}
    return found if len(set(found.values())) > 1 else {key: key for key in spelled}


def _words(key: str) -> tuple[str, ...]:
    """The words of a name without titles; all of them if it is only titles."""
    words = tuple(word.strip(".") for word in key.split())
    return tuple(word for word in words if word not in _TITLES) or words
