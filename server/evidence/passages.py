"""Cuts a document into passages: whole paragraphs and sentences, about 80 to 150 words, in their order."""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from events.text.segmentation import LONGEST_RUN, SENTENCE_END, count_words, first_words

MIN_WORDS, MAX_WORDS = 80, 150
"""Words of a passage.  It has fewer where a section ends, and never more."""
READ_BADLY: Final = "read badly"
"""What a prompt says after the page of a passage whose words are implausible."""
FOUND_BY_NAMES: Final = "passages are found by numbers and names only"
"""What follows for a document in another language than the debate."""
MAX_CHARACTERS: Final = 2_000_000
"""Characters of all documents of a debate, as text."""
_LONGEST: Final = (MAX_WORDS + 1) * (LONGEST_RUN + 1)
"""Characters that hold more than ``MAX_WORDS`` words in any script."""


class Block(Struct, frozen=True, kw_only=True):
    """A paragraph of a document, or a passage without its id; ``page`` from 1, 0 in a document without pages."""

    text: str
    page: int = 0
    heading: str = ""
    is_misread: bool = False
    """Whether its page was read badly: its words are implausible."""


def cut(blocks: Iterable[Block]) -> Iterator[Block]:
    """The passages of a document: paragraphs, one a line, with the page and the heading of the first.

    All its words are in them, each once; white space within a paragraph is one space.

    A passage does not go on over a heading, nor from a page that was read badly to another one.
    """
    held: list[Block] = []
    size = 0
    for piece, words in _pieces(blocks):
        if held and (size >= MIN_WORDS or size + words > MAX_WORDS or _source(piece) != _source(held[0])):
            yield _joined(held)
            held, size = [], 0
        held.append(piece)
        size += words
    if held:
        yield _joined(held)


def _source(block: Block) -> tuple[str, bool]:
    """What all paragraphs of a passage have in common."""
    return block.heading, block.is_misread


def _joined(held: list[Block]) -> Block:
    return replace(held[0], text="\n".join(each.text for each in held))


def _pieces(blocks: Iterable[Block]) -> Iterator[tuple[Block, int]]:
    """Paragraphs with their words; one longer than ``MAX_WORDS`` in parts that end with a sentence if possible."""
    for block in blocks:
        text = " ".join(block.text.split())
        for part, words in _parts(text):
            yield replace(block, text=part), words


def _parts(text: str) -> Iterator[tuple[str, int]]:
    if not text:
        return
    if (words := count_words(text)) <= MAX_WORDS:
        yield text, words
        return
    start = end = size = 0
    for sentence_end in _sentence_ends(text):
        words = count_words(text[end:sentence_end])
        if size and (size >= MIN_WORDS or size + words > MAX_WORDS):
            yield text[start:end].strip(), size
            start, size = end, 0
        end, size = sentence_end, size + words
    yield text[start:].strip(), size


def _sentence_ends(text: str) -> Iterator[int]:
    """The ends of all sentences; a sentence of more than ``MAX_WORDS`` words has ends between its words too."""
    start = 0
    for end in (*(found.end() for found in SENTENCE_END.finditer(text)), len(text)):
        while (part := first_words(text[start : min(end, start + _LONGEST)], MAX_WORDS)) != text[start:end].rstrip():
            start += len(part)
            yield start
        if end > start:
            yield end
        start = end
