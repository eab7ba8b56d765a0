"""Gives mutated files to one reader, in a process with the memory of a real reader: run by its path.

Arguments: the reader, the number of files, the first seed.  It prints what came of them as JSON.
"""

import json
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import msgspec

sys.path.insert(0, str(Path(__file__).parents[3]))

from server.evidence.passages import MAX_CHARACTERS
from server.evidence.reading import MEMORY, DocumentReading, read_bytes
from server.process.child import limit
from tests.server.evidence.files import docx, odt, pdf, raw_pdf, scanned_pdf, unzipped, zipped

TEXT: Final = (
    "Buses carry more people than cars. Straßenbahnen fahren über Brücken. バスは人を運びます。 رجل.\n\nSecond.\n"
)
HTML: Final = (
    "<!doctype html><meta charset=utf-8><title>On buses</title><h1>Report</h1><p hidden>no<p>A <b>bus</b> carries"
    "<table><tr><td>1<td>2</table><ul><li>one<li>two</ul><script>x()</script><!-- c --><style>p{}</style>&amp;&#x41;"
)
MARKDOWN: Final = (
    "---\na: b\n---\n# Report\n\n* one\n* two\n\n> said [x](y) `c` **b**\n\n"
    "| a | b |\n|--|--|\n| 1 | 2 |\n\n```\nx\n```\n"
)
OFFICE: Final = "# Report\n**One:** two & <three>\n| a | b |\n| 1 | 2 |\nLast.\n"
PARTS: Final = {"docx": "word/document.xml", "odt": "content.xml"}
"""What is mutated of an archive: else hardly any could be unpacked."""
SEEDS: Final[dict[str, Callable[[], list[bytes]]]] = {
    "text": lambda: (
        [TEXT.encode(name) for name in ("utf-8", "utf-16", "utf-16-be", "utf-32")]
        + [TEXT.encode("cp1252", "replace"), TEXT.encode("shift_jis", "replace"), b"\xff\xfe\x00", b"\x00" * 40]
    ),
    "html": lambda: [HTML.encode(), HTML.encode("utf-16"), b"<" * 200, b"<b><i>" * 50, b"&#" * 100],
    "markdown": lambda: [MARKDOWN.encode(), b"> " * 100 + b"x", b"[" * 200, b"*a " * 200, b"#" * 300],
    "pdf": lambda: [
        pdf(["Buses carry\nmore people.", "Page two."], title="Buses"),
        pdf(["Locked."], password=""),
        pdf(["Locked."], password="x"),
        scanned_pdf(),
        raw_pdf(b"BT /F1 12 Tf 72 700 Td (Raw text) Tj ET"),
        raw_pdf(zlib.compress(b"BT /F1 12 Tf (Packed text) Tj ET"), b"/Filter /FlateDecode"),
        raw_pdf(b"<~87cURD]~>", b"/Filter [/ASCII85Decode /LZWDecode /RunLengthDecode]"),
    ],
    "docx": lambda: [unzipped(docx(text))[PARTS["docx"]] for text in (OFFICE, "x")],
    "odt": lambda: [unzipped(odt(text))[PARTS["odt"]] for text in (OFFICE, "x")],
}
TOKENS: Final[dict[str, list[bytes]]] = {
    "docx": [b"<w:p>", b"</w:p>", b"<w:tc>", b"<w:del>", b"<w:br/>", b"<w:b/>", b"<!ENTITY a 'b'>", b"&a;", b"&#0;"],
    "odt": [b"<text:p>", b"</text:p>", b"<text:note>", b"<text:s/>", b"<table:table-cell>", b"<![CDATA[", b"]]>"],
    "text": [b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b$B", b"\xe2\x80\xae", b"\xed\xa0\x80", b"\n\n", b"\r"],
    "html": [b"<", b">", b"</", b"<!--", b"-->", b"<![CDATA[", b"<script>", b"</p>", b"<p ", b'"', b"&", b"<td"],
    "markdown": [b"\n> ", b"\n- ", b"[", b"](", b"```\n", b"|", b"---\n", b"<div>", b"&#0;", b"\\", b"![", b"[a]: b\n"],
    "pdf": [
        b"<<", b">>", b"[", b"]", b"(", b")", b"/Kids [2 0 R]", b"/Filter /FlateDecode", b"/Length 99999999",
        b"stream\n",
        b"endstream", b"endobj", b"1 0 obj", b"2 0 R", b"xref", b"trailer", b"startxref\n0\n%%EOF", b"-1",
        b"99999999999",
        b"/Type /Page", b"/Parent 3 0 R", b"/Encrypt 1 0 R", b"/Count -5", b"/Contents 3 0 R", b"BT", b"Tj", b"/Prev 9",
    ],
}  # fmt: skip


def mutated(random: Random, kind: str, seeds: list[bytes]) -> bytes:
    """One file: a seed with some changes."""
    made = bytearray(random.choice(seeds))
    for _ in range(random.choice((1, 1, 2, 3, 5, 12))):
        at = random.randint(0, len(made))
        match random.randrange(7):
            case 0 if made:
                made[at % len(made)] = random.randrange(256)
            case 1:
                del made[at : at + random.randint(1, 40)]
            case 2:
                made[at:at] = random.choice(TOKENS[kind]) * random.choice((1, 1, 2, 50))
            case 3:
                made[at:at] = made[at : at + random.randint(1, 200)] * random.choice((1, 3))
            case 4:
                made[at:at] = random.randbytes(random.randint(1, 20))
            case 5:
                made = made[:at] + bytearray(random.choice(seeds)[at:])
            case _:
                made = made[:at] if random.random() < 0.1 else made
    return bytes(made)


def check(found: DocumentReading) -> str:
    """What came of a file; raises if it is neither passages within the bounds nor one line."""
    if fault := found.fault:
        assert DocumentReading(fault=fault) == found
        assert "\n" not in fault, fault
        assert len(fault) < 200, fault
        return fault
    assert found.passages, found
    assert sum(len(each.text) for each in found.passages) == found.characters <= MAX_CHARACTERS
    assert all(each.text.strip() and each.page >= 0 and len(each.heading) <= 200 for each in found.passages)
    msgspec.json.encode(found)
    return "read"


def main() -> None:
    """Read the files, and print the outcomes and the seconds of the slowest one."""
    kind, number, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    limit(1 << 20, MEMORY)
    seeds, outcomes, slowest = SEEDS[kind](), Counter[str](), 0.0
    for seed in range(first, first + number):
        content = mutated(Random(f"{kind}{seed}"), kind, seeds)
        content = zipped({PARTS[kind]: content}) if kind in PARTS else content
        began = time.process_time()
        try:
            outcomes[check(read_bytes(content, kind, MAX_CHARACTERS))] += 1
        except BaseException:
            sys.stderr.write(f"seed {seed}: {content[:2000]!r}\n")
            raise
        slowest = max(slowest, time.process_time() - began)
    sys.stdout.write(json.dumps({"outcomes": outcomes, "slowest_s": round(slowest, 2)}))


if __name__ == "__main__":
    main()
