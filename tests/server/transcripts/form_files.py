"""Small files in many forms, with how they should be split: ``forms/*.txt``, one for each form.

A file begins with ``=== name`` and ends with ``---``, after which stands what is known of it: its motion, times,
debates, that a doubt must be said, or that it is refused.  Then comes each entry as ``side speaker: words``; ``?`` is a
side that the file does not tell, so it must be asked about; ``{A}`` stands for one of ``SPEECHES``.  Documents and
other encodings are made from text: ``# `` is a heading, ``**`` bold, ``| `` a row of a table.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from html import escape
from io import BytesIO
from pathlib import Path
from textwrap import wrap
from typing import Final, Literal
from zipfile import ZIP_DEFLATED, ZipFile

from msgspec import Struct

from server.errors import BadTranscript
from server.transcripts.files import split_file
from server.transcripts.sides import TranscriptSplit
from tests.server.evidence.files import pdf

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


def _docx(text: str) -> bytes:
    """A file as word processors write it: the words of one style are spread over several runs."""

    def runs(words: str, is_bold: bool) -> str:
        style = "<w:rPr><w:b/></w:rPr>" if is_bold else ""
        parts = re.findall(r"\S+|\s+", words)
        return "".join(f'<w:r>{style}<w:t xml:space="preserve">{escape(each)}</w:t></w:r>' for each in parts)

    def paragraph(words: str, heading: int) -> str:
        style = f'<w:pPr><w:pStyle w:val="Heading{heading}"/></w:pPr>' if heading else ""
        parts = "".join(runs(part, bool(at % 2)) for at, part in enumerate(words.split("**")))
        return f"<w:p>{style}<w:proofErr/>{parts}</w:p>"

    body = _body(text, paragraph, "<w:tbl>", "<w:tr>", "<w:tc>")
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    document = f'<?xml version="1.0" encoding="UTF-8"?><w:document {space}><w:body>{body}</w:body></w:document>'
    return zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": document})


def _odt(text: str) -> bytes:
    def paragraph(words: str, heading: int) -> str:
        parts = enumerate(words.split("**"))
        inner = "".join(
            f'<text:span text:style-name="T1">{escape(p)}</text:span>' if at % 2 else escape(p) for at, p in parts
        )
        tag = f'text:h text:outline-level="{heading}"' if heading else "text:p"
        return f"<{tag}>{inner}</{tag.split(maxsplit=1)[0]}>"

    body = _body(text, paragraph, "<table:table>", "<table:table-row>", "<table:table-cell>")
    space = (
        " ".join(
            f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{where}:1.0"'
            for name, where in (("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"))
        )
        + ' xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
    )
    bold = (
        '<style:style style:name="T1" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
    )
    styles = f"<office:automatic-styles>{bold}</office:automatic-styles>"
    whole = f"{styles}<office:body><office:text>{body}</office:text></office:body>"
    content = f"<office:document-content {space}>{whole}</office:document-content>"
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def _body(text: str, paragraph: Callable[[str, int], str], table: str, row: str, cell: str) -> str:
    """The paragraphs and the tables of a text."""
    parts, is_table = [], False
    for line in filter(None, text.splitlines()):
        if line.startswith("|") is not is_table:
            is_table = not is_table
            parts.append(table if is_table else table.replace("<", "</"))
        if is_table:
            cells = (
                f"{cell}{paragraph(each.strip(), 0)}{cell.replace('<', '</')}" for each in line.strip("| ").split("|")
            )
            parts.append(f"{row}{''.join(cells)}{row.replace('<', '</')}")
            continue
        bare = line.lstrip("#")
        parts.append(paragraph(bare.strip(), len(line) - len(bare)))
    return "".join(parts) + (table.replace("<", "</") if is_table else "")


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """An archive."""
    made = BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made.getvalue()


_DOCUMENTS: Final[dict[str, Callable[[str], bytes]]] = {"pdf": _pdf, "docx": _docx, "odt": _odt}
