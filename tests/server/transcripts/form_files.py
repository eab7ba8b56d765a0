"""Small files in many forms, with how they should be split: ``forms/*.txt``, one for each form.

A file begins with ``=== name`` and ends with ``---``, after which stands what is known of it: its motion, times,
debates, that a doubt must be said, or that it is refused.  Then comes each entry as ``side speaker: words``; ``?`` is a
side that the file does not tell, so it must be asked about; ``{A}`` stands for one of ``SPEECHES``.  Documents and
other encodings are made from text: ``# `` is a heading, ``**`` bold, ``| `` a row of a table.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import wrap
from typing import Final, Literal

from msgspec import Struct

from server.errors import BadTranscript
from server.transcripts.files import split_file
from server.transcripts.sides import TranscriptSplit
from tests.server.evidence.files import docx, odt, pdf

FOLDER: Final = Path(__file__).parent / "forms"
SPEECHES: Final = {
    "A": "Cars take the street, because each of them carries one person.",
    "B": "The nurse who works at night has no bus.",
    "C": "Then give her a permit, as Ghent does.",
    "D": "A permit for everyone is no ban at all.",
    "E": "Nobody in the old town drives to the baker.",
    "M": "Welcome to both of you.",
}
Became = Literal["right", "asked", "doubted", "refused", "wrong"]
"""``right``: split as it should be, or refused because it names no speakers.  ``asked``: split so, and what the file
does not tell is asked about.  ``doubted``: split otherwise, and it is said what is only a guess.  ``refused``: not
read, though it could be.  ``wrong``: split otherwise, in silence."""
WIDTH: Final = 78


class ExpectedEntry(Struct, frozen=True):
    """An entry as it should be.  ``side`` is ``?`` if the file does not tell it."""

    side: str
    speaker: str
    words: str


class FormFile(Struct, frozen=True, kw_only=True):
    """A file of a form, with how it should be split.  ``known``: what stands after ``---``."""

    form: str
    name: str
    content: bytes
    known: str
    entries: tuple[ExpectedEntry, ...]


def form_files() -> Iterator[FormFile]:
    """All files."""
    for path in sorted(FOLDER.glob("*.txt")):
        for part in re.split(r"(?m)^=== ", path.read_text(encoding="utf-8"))[1:]:
            head, _, rest = part.partition("\n")
            text, expected = re.split(r"(?m)^---(?= |$)", rest, maxsplit=1)
            known, _, lines = expected.partition("\n")
            yield FormFile(
                form=path.stem.replace("_", " "),
                name=head,
                content=_made(head, _filled(text)),
                known=known.strip(),
                entries=tuple(map(_entry, filter(None, lines.split("\n")))),
            )


def became(file: FormFile) -> tuple[Became, str]:
    """What becomes of a file, and why it is wrong or refused."""
    try:
        split = split_file(file.name, file.content)
    except BadTranscript as error:
        return ("right" if file.known == "refused" else "refused"), error.message
    if why := _wrong(file, split):
        return ("doubted" if split.doubts else "wrong"), why
    is_open = any(each.guessed or each.is_open for each in split.speakers)
    return ("asked" if is_open or split.doubts or split.debates else "right"), ""


def _wrong(file: FormFile, split: TranscriptSplit) -> str:
    """What differs from the expected split; empty if nothing does."""
    if file.known == "refused":
        return "read, though it tells no speakers"
    kept = [each for each in split.entries if each.side != "out"]
    found = [(each.speaker, " ".join(each.text.split())) for each in kept]
    expected = [(each.speaker, each.words) for each in file.entries]
    if found != expected:
        return f"{found} in place of {expected}"
    guessed = {each.name for each in split.speakers if each.guessed or each.is_open}
    for entry, each in zip(file.entries, kept, strict=True):
        side = "?" if each.side is None or each.speaker in guessed else each.side
        if side != entry.side and not (side == "?" and entry.side == "context?"):
            return f"{each.speaker} is {side} in place of {entry.side}"
    said, _, value = file.known.partition(": ")
    match said:
        case "motion" if value != split.motion:
            return f"the motion is {split.motion!r}"
        case "times" if list(map(int, value.split())) != [each.at_ms for each in kept]:
            return f"the times are {[each.at_ms for each in kept]}"
        case "debates" if int(value) != len(split.debates):
            return f"it has {len(split.debates)} debates"
        case "doubt" if not split.doubts:
            return "no doubt is said"
    return ""


def _filled(text: str) -> str:
    for letter, speech in SPEECHES.items():
        text = text.replace(f"{{{letter}}}", speech)
    return text


def _entry(line: str) -> ExpectedEntry:
    side, _, rest = line.partition(" ")
    speaker, _, words = rest.partition(": ")
    return ExpectedEntry(side, speaker, _filled(words))


# files that are not UTF-8 text


def _made(name: str, text: str) -> bytes:
    end = name.rpartition(".")[2]
    if end in _DOCUMENTS:
        return _DOCUMENTS[end](text)
    encoding = next((each for each in ("utf-16-le", "utf-16", "cp1252") if name.startswith(each)), "utf-8")
    return text.encode(encoding)


def _pdf(text: str) -> bytes:
    """A page whose lines are broken as in print."""
    return pdf(["\n".join(line for each in text.splitlines() for line in wrap(each, WIDTH))])


_DOCUMENTS: Final[dict[str, Callable[[str], bytes]]] = {"pdf": _pdf, "docx": docx, "odt": odt}
