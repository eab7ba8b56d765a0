"""``moot run --evidence``: documents from files, and one line for a file that cannot be read."""

from collections.abc import Callable

import pytest

from server.evidence import documents
from tests.server.children import Cli, seats
from tests.server.evidence.files import glued_pdf, pdf
from tests.server.site import MOTION

Script = Callable[..., str]


@pytest.mark.slow
def test_a_debate_in_the_terminal_has_the_documents_of_its_files(moot: Cli, script: Script) -> None:
    (moot.home / "shade.pdf").write_bytes(pdf(["Trees cool a street."]))
    (moot.home / "cars.md").write_text("# Cars\n\nCities ban cars.")
    files = ("--evidence", str(moot.home / "shade.pdf"), "--evidence", str(moot.home / "cars.md"))

    run = moot("run", MOTION, "--turns", "1", *seats(script()), *files)

    assert 0 == run.returncode, run.stderr
    lines = moot("export", run.stdout.split()[-1].decode()).stdout
    assert 2 == lines.count(b'"type":"evidence_supplied"')
    assert b'"name":"shade.pdf"' in lines
    assert b'"passages":["E2","E1"]' in lines


@pytest.mark.slow
def test_a_page_that_was_read_badly_and_another_language_are_said_in_the_terminal(moot: Cli, script: Script) -> None:
    (moot.home / "glued.pdf").write_bytes(glued_pdf("Trees cool a street by four degrees in the summer of this city"))

    german = (
        "Bäume kühlen im Sommer die Straßen der Stadt um vier Grad. Das nützt den Menschen, die dort wohnen und gehen."
    )
    (moot.home / "schatten.txt").write_text(german, encoding="utf-8")
    files = ("--evidence", str(moot.home / "glued.pdf"), "--evidence", str(moot.home / "schatten.txt"))

    run = moot("run", MOTION, "--turns", "1", *seats(script()), *files)

    assert 0 == run.returncode, run.stderr
    assert b"Of a document in German passages are found by numbers and names only." in run.stderr
    assert b"schatten.txt is in German, another language than the debate" in run.stdout
    assert b"glued.pdf: 1 of 1 passages were read badly: words run together" in run.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "why"), [(b"", "empty.txt is empty"), (b"\x00\x01" * 99, "empty.txt is not a text")]
)
def test_a_file_that_cannot_be_read_is_one_line_and_exit_code_2(
    moot: Cli, script: Script, content: bytes, why: str
) -> None:
    path = moot.home / "empty.txt"
    path.write_bytes(content)

    run = moot("run", MOTION, *seats(script()), "--evidence", str(path))

    assert 2 == run.returncode
    assert why in run.stderr.decode()
    assert b"Traceback" not in run.stderr
    assert 2 == moot("run", MOTION, "--evidence", str(moot.home / "absent.txt")).returncode


def test_a_file_of_more_than_50_mb_is_refused_before_it_is_read(moot: Cli, script: Script) -> None:
    path = moot.home / "large.txt"
    with path.open("wb") as file:
        file.truncate(documents.MAX_BYTES + 1)

    run = moot("run", MOTION, *seats(script()), "--evidence", str(path))

    assert 2 == run.returncode
    assert b"large.txt has more than 50 MB" in run.stderr
