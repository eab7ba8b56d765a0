"""A document like a distribution's policy, set by reportlab, read back, and quoted truly and falsely."""

from functools import cache
from io import BytesIO
from typing import Any

import pytest
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A6
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.platypus import Paragraph, Preformatted, SimpleDocTemplate, Spacer

from judge.evidence.checks import CheckedCitation, check_turn
from server.evidence.reading import DocumentReading, read_bytes

SECTIONS = """
# 1.1 Scope
This manual says what a parcel of programs must fulfil before it may enter the collection. It describes the layout of
a parcel, the fields of its record, and the order in which its scripts are called. It does not describe how programs
are written, nor which of them are worth having.

The words “must”, “should” and “may” are used as follows. A parcel that breaks a rule with <i>must</i> is not
accepted, and one that is already in the collection is removed after 30 days. A parcel that breaks a rule with
<i>should</i> has a fault, which its keeper corrects in the next release.

# 2.1 The record
Each parcel has a record with the fields Name, Version, Keeper and Needs. The name consists of lower case letters,
digits and the signs plus, minus and full stop, and has at least two characters. A version is compared part by part:
parts of digits as numbers, all other parts by their letters.

The field Needs names the parcels without which this one does not work. A parcel must not depend on a parcel of a
lower rank than its own. Circles of needs are allowed only where the release keepers have agreed to them in writing. A
need for a virtual name is fulfilled by every parcel that provides this name.

Keepers must answer reports of grave faults within 14 days. If a keeper is silent for 90 days, the parcel becomes an
orphan and any member may adopt it. Orphans stay in the collection as long as they have no grave fault.

# 3.1 Scripts
A parcel may have four scripts: before and after it is unpacked, and before and after it is removed. Scripts must be
idempotent: if a script is called a second time, it must not fail and must not lose the settings of the administrator.
They are called by the manager as root, with at least one argument.

Scripts must not depend on files under /usr/local, because only the administrator writes there. They should not ask
questions on the terminal; a question that cannot be avoided goes through the dialogue service, which remembers the
answer. Output of a script is short, and of errors only.

If the script before unpacking fails, the old version stays in place and works as before. If the script after
unpacking fails, the parcel is marked as half set up, and the manager calls it again with the next change. A parcel
that is half set up fulfils no need of another one.

# 4.1 Daemons
A daemon starts after its parcel is set up and stops before the parcel is removed. It listens on the local address
only, unless the administrator has opened it to the network. The ports below 1024 are given by the list of ports; a
parcel must not take a port that the list gives to another one.

Log files are rotated at least once a week and are kept for four weeks. They are removed when the parcel is purged,
but not when it is only removed. No log file may hold passwords, in whatever form they are written.
"""
"""Our own words; the layout and the tone are a policy manual's."""
TRUE = [
    "A parcel must not depend on a parcel of a lower rank than its own",
    "if a script is called a second time, it must not fail and must not lose the settings of the administrator",
    'The words "must", "should" and "may" are used as follows.',
    "one that is already in the collection is removed after 30 days",
    "Circles of needs are allowed only where … have agreed to them in writing.",
    "A parcel that is half set up fulfils no need of another one",
    "Scripts must not depend on files under /usr/local, because only the administrator writes there.",
    "Log files are rotated … and are kept for four weeks",
    "any member may adopt it. Orphans stay in the collection",
    "No log file may hold passwords, in whatever form they are written",
]
FALSE = [
    "A parcel must … depend on a parcel of a lower rank than its own",  # hides “not”
    "if a script is called a second time, it must fail and must lose the settings",
    "A parcel that breaks a rule with may is not accepted",
    "one that is already in the collection is removed after 90 days",
    "Circles of needs are allowed where the release keepers have agreed",  # without “only”
    "A parcel that is half set up fulfils every need of another one",
    "Scripts must depend on files under /usr/local, because only the administrator writes there.",
    "Log files are rotated at least once a month and are kept for four weeks",
    "any member may remove it. Orphans stay in the collection",
    "No log file may [not] hold passwords, in whatever form they are written",
]


@cache
def reading() -> DocumentReading:
    made, styles = BytesIO(), getSampleStyleSheet()
    body = ParagraphStyle("body", parent=styles["BodyText"], alignment=TA_JUSTIFY, fontName="Times-Roman")
    parts: list[Any] = []
    for number, section in enumerate(SECTIONS.split("\n# ")[1:], 1):
        heading, _, text = section.partition("\n")
        parts += [Paragraph(heading, styles["Heading2"]), *(Paragraph(each, body) for each in text.split("\n\n"))]
        parts += [Preformatted(f"$ manager check --rule {number}", styles["Code"]), Spacer(1, 60)]

    def running(canvas: Any, document: Any) -> None:
        canvas.drawString(60, A6[1] - 30, "Policy Manual, Release 4.6")
        canvas.drawRightString(
            A6[0] - 60, 25, f"Chapter {1 + document.page // 2}. Rules of the collection   {document.page + 6}"
        )

    SimpleDocTemplate(made, pagesize=A6, title="Policy", invariant=1).build(
        parts, onFirstPage=running, onLaterPages=running
    )
    return read_bytes(made.getvalue(), "pdf", 100_000)


def checked(quote: str) -> CheckedCitation:
    """What is found of a quotation that names the passage with most of its words."""
    passages = {f"E{number}": each.text for number, each in enumerate(reading().passages, 1)}
    wanted = set(quote.lower().split())
    likely = max(passages, key=lambda name: len(wanted & set(passages[name].lower().split())))
    [found] = check_turn(f"The manual says “{quote}” [{likely}].", passages, minimum=8).citations
    return found


def test_the_document_is_read_without_its_running_heads_and_over_the_ends_of_its_pages() -> None:
    text = "\n".join(each.text for each in reading().passages)

    assert 4 <= max(each.page for each in reading().passages)
    assert "Release 4.6" not in text
    assert "Rules of the collection" not in text
    assert not [each for each in reading().passages if each.is_misread]
    plain = " ".join(text.split())
    for section in SECTIONS.replace("<i>", "").replace("</i>", "").split("\n# ")[1:]:
        assert all(" ".join(each.split()) in plain for each in section.split("\n", 1)[1].split("\n\n"))


@pytest.mark.parametrize("quote", TRUE)
def test_a_true_quotation_is_never_accused(quote: str) -> None:
    assert "verified" == checked(quote).finding


@pytest.mark.parametrize("quote", FALSE)
def test_a_false_quotation_is_found(quote: str) -> None:
    assert "misquoted" == checked(quote).finding
