"""docs/judge.md shows the table of fairness that the page shows as a picture."""

from pathlib import Path

from judge.fairness.figures import shipped_table
from judge.report.picture import SHOWN, fairness_picture
from judge.rubrics.rubric import SHIPPED
from server.bench.fairness import fairness_table
from server.export.document.markdown import blocks_markdown

DOCS = Path(__file__).parents[2] / "docs"


def test_the_documentation_has_the_measured_table() -> None:
    table = fairness_table(shipped_table())
    rows = [line for line in blocks_markdown([table]).splitlines() if line.startswith("|")]

    assert len(rows) == 2 + len(shipped_table().rows)
    assert "\n".join(rows) in (DOCS / "judge.md").read_text()


def test_the_picture_has_a_line_for_each_chosen_row_and_marks_what_misses_its_aim() -> None:
    picture = fairness_picture()
    sign, rms = picture.lines[:2]

    assert len(picture.lines) == len(SHOWN)
    assert set(picture.rubrics) <= set(SHIPPED)
    assert [True, False] == [sign.marks[-1].reaches, sign.marks[0].reaches]
    assert sign.marks[-1].at == shipped_table().rows[0].figures["v3"][0].value.__round__(1)
    assert rms.marks[-1].at < rms.aim_at < rms.marks[0].at < 100
    assert all(mark.reaches for line in picture.lines for mark in line.marks if mark.rubric == "v3")
