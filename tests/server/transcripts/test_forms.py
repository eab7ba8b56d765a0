"""The forms of transcripts: the example of each row of the tables, and small files of all forms with their splits."""

from collections import Counter

import msgspec
import pytest

from server.transcripts.files import split_file
from server.transcripts.forms.elements import FORMS as ELEMENTS
from server.transcripts.forms.elements import ElementForm
from server.transcripts.forms.lines import LINES, LineForm
from server.transcripts.forms.records import FORMS, TABLE, TURNS, RecordForm
from server.transcripts.forms.records import LINES as TURN_LINES
from server.transcripts.labels import label_of
from tests.measuring.transcript_forms import table
from tests.server.transcripts.form_files import FormFile, became, form_files

FILES = list(form_files())


def spoken(name: str, content: str) -> tuple[tuple[str, str], ...]:
    found = split_file(name, content.encode())
    return tuple((each.speaker, each.text) for each in found.entries if each.side != "out")


@pytest.mark.parametrize("form", [TURNS, TURN_LINES, TABLE, *FORMS], ids=lambda form: f"{form.name} {form.rows}")
def test_the_example_of_each_form_of_records_gives_what_it_says(form: RecordForm) -> None:
    is_json = not isinstance(form.example, str)

    content = msgspec.json.encode(form.example).decode() if is_json else form.example

    assert form.gives == spoken("file.json" if is_json else "file.csv", content)
    assert form.name == split_file("file", content.encode()).form


@pytest.mark.parametrize("form", ELEMENTS, ids=lambda form: form.name)
def test_the_example_of_each_form_of_xml_gives_what_it_says(form: ElementForm) -> None:
    assert form.gives == spoken("file.xml", form.example)
    assert form.name == split_file("file.xml", form.example.encode()).form


@pytest.mark.parametrize("form", LINES, ids=lambda form: form.name)
def test_the_example_of_each_form_of_lines_gives_what_it_says(form: LineForm) -> None:
    found = label_of(form.example)

    assert found is not None
    assert form.gives == (found.name, found.rest, found.at_ms)
    assert form.form == found.form


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.form}: {file.name}")
def test_no_file_is_split_wrongly_in_silence(file: FormFile) -> None:
    result, why = became(file)

    assert result != "wrong", why


def test_nine_of_ten_files_are_split_rightly_or_asked_about() -> None:
    forms, faults = table()

    whole = sum(forms.values(), Counter())
    assert len(forms) > 20
    assert whole.total() == len(FILES) > 100
    assert whole["right"] + whole["asked"] >= 0.9 * whole.total(), faults
