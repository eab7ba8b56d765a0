"""Files that the tests of evidence read, made by libraries."""

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from html import escape
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas


def pdf(pages: Sequence[str], *, title: str = "", password: str | None = None) -> bytes:
    """A PDF with one page for each text; each line of a text is a line of its page."""
    made = BytesIO()
    locked = StandardEncryption(password, ownerPassword="owner", strength=40) if password is not None else None
    canvas = Canvas(made, encrypt=locked, invariant=1)
    if title:
        canvas.setTitle(title)
    for text in pages:
        lines = canvas.beginText(72, 760)
        for line in text.split("\n"):
            lines.textLine(line)
        canvas.drawText(lines)
        canvas.showPage()
    canvas.save()
    return made.getvalue()


def glued_pdf(*pages: str, apart: str = "") -> bytes:
    """A PDF whose words stand so close together that a reader of the file sees no spaces; not on the page ``apart``."""
    made = BytesIO()
    canvas = Canvas(made, invariant=1)
    for text in (apart, *pages) if apart else pages:
        for number, line in enumerate(text.split("\n")):
            at = 72.0
            for word in line.split():
                canvas.drawString(at, 760 - 16 * number, word)
                at += canvas.stringWidth(word) + (4 if text == apart else 1)
        canvas.showPage()
    canvas.save()
    return made.getvalue()


def xetex_pdf(text: str) -> bytes:
    """A PDF as XeTeX writes it: words are kept apart by a shift, which is less than half of the font's own space."""
    shown = b"-250".join(b"<%s>" % word.encode("utf-16-be").hex().encode() for word in text.split())
    codes = b"1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0020> <007E> <0020> endbfrange"
    return _pdf_of(
        b"BT /F1 10 Tf 72 700 Td [%s] TJ ET" % shown,
        b"",
        b"<< /Type /Font /Subtype /Type0 /BaseFont /F /Encoding /Identity-H /ToUnicode 8 0 R/DescendantFonts [6 0 R]>>",
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /F /FontDescriptor 7 0 R /W [32 [600 %s]]"
        b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>" % (b"500 " * 94),
        b"<< /Type /FontDescriptor /FontName /F /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800"
        b" /Descent -200 /CapHeight 700 /StemV 80 >>",
        _stream(b"begincmap %s endcmap" % codes),
    )


def scanned_pdf() -> bytes:
    """A PDF whose only page is a picture."""
    made = BytesIO()
    Image.new("L", (200, 100), 255).save(made, "PDF")
    return made.getvalue()


def bomb_pdf(size: int) -> bytes:
    """A PDF of a thousandth of ``size`` bytes, the text of whose only page has ``size`` bytes.

    A full flush forgets what came before, so that equal blocks are equal bytes: one is packed and then repeated.
    """
    packer = zlib.compressobj(9)
    block = b"BT /F1 12 Tf (" + b"A" * 1_000_000 + b") Tj ET\n"
    blocks = size // len(block)
    first = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    end = packer.flush()[:-4]  # without the checksum, which covers all blocks
    checksum = 1
    for _ in range(blocks):
        checksum = zlib.adler32(block, checksum)
    return raw_pdf(first + packed * (blocks - 1) + end + checksum.to_bytes(4), b"/Filter /FlateDecode")


def raw_pdf(content: bytes, filters: bytes = b"") -> bytes:
    """A PDF with one page, whose content stream is ``content``."""
    return _pdf_of(content, filters, b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")


def _stream(content: bytes, filters: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), filters, content)


def _pdf_of(content: bytes, filters: bytes, *fonts: bytes) -> bytes:
    """A PDF with one page.  ``fonts``: the objects from number 5 on, of which the first is the font ``F1``."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources <</Font <</F1 5 0 R>> >> >>",
        _stream(content, filters),
        *fonts,
    ]
    made, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % at for at in places)
    start = len(made)
    return made + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, start)
    )


def docx(text: str) -> bytes:
    """A DOCX file as word processors write it: the words of one style are spread over several runs.

    Of the text ``# `` is a heading, ``**`` bold, ``| `` a row of a table.
    """

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


def odt(text: str) -> bytes:
    """An ODT file, from text with the marks of ``docx``."""

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


def unzipped(content: bytes) -> dict[str, bytes]:
    """The files of an archive."""
    with ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
