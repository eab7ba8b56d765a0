"""Files of every kind become entries with speakers and sides; what is no transcript is refused in one line."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from server.errors import BadTranscript, TooLarge, report_of
from server.transcripts import files
from server.transcripts.files import split_file
from server.transcripts.sides import TranscriptSplit
from tests.server.evidence.files import zipped
from tests.server.transcripts import samples
from tests.server.transcripts.samples import AGAIN, ANN, BEN

Shown = list[tuple[str | None, str, str]]


def split(name: str, content: str | bytes, debate: str = "") -> TranscriptSplit:
    return split_file(name, content.encode() if isinstance(content, str) else content, debate)


def shown(found: TranscriptSplit) -> Shown:
    return [(each.side, each.speaker, each.text) for each in found.entries]


def test_plain_text_has_names_before_colons_and_facts_above() -> None:
    found = split("talk.txt", samples.TEXT)

    assert ("text", "Cities should ban private cars", "CC BY 4.0") == (found.kind, found.motion, found.licence)
    assert [
        ("context", "MODERATOR", "Welcome to both."),
        ("pro", "Ann Lee", f"{ANN}\nNote: this line belongs to her speech."),
        ("con", "Ben", BEN),
        ("pro", "Ann Lee", AGAIN),
    ] == shown(found)
    assert 3 == found.turns
    assert ("Left out: lines in brackets (1).",) == found.warnings


@pytest.mark.parametrize(
    ("name", "content", "speakers"),
    [
        ("script.txt", samples.SCRIPT, ["ANN", "BEN"]),
        ("talk.md", samples.MARKDOWN, ["Ann Lee", "Ben"]),
        ("headings.md", samples.HEADINGS, ["Ann (Pro)", "Ben (Con)"]),
        ("talk.csv", samples.CSV, ["Ann", "Ben"]),
        ("talk.json", samples.JSON, ["Ann", "Ben"]),
        ("turns.json", msgspec.json.encode(samples.TURNS), ["Ann", "Ben"]),
        ("turns.jsonl", b"\n".join(map(msgspec.json.encode, samples.TURNS)), ["Ann", "Ben"]),
        ("plain.tsv", f"Ann\t{ANN}\nBen\t{BEN}\nAnn\t{AGAIN}\n", ["Ann", "Ben"]),
        ("otter.txt", f"Ann L  0:05\n{ANN}\n\nBen Q  0:12\n{BEN}\n\nAnn L  1:02:03\n{AGAIN}\n", ["Ann L", "Ben Q"]),
        ("irc.txt", f"[10:00:05] <ann> {ANN}\n[10:00:09] <ben> {BEN}\n[10:01:00] <ann> {AGAIN}\n", ["ann", "ben"]),
        ("chat.txt", f"[3/12/2026, 10:00] Ann: {ANN}\n[3/12/2026, 10:01] Ben: {BEN}\n[3/12/2026, 10:02] Ann: {AGAIN}",
         ["Ann", "Ben"]),
        ("wide.txt", f"甲：{ANN}\n乙：{BEN}\n甲：{AGAIN}\n", ["甲", "乙"]),
    ],
)  # fmt: skip
def test_each_shape_gives_the_same_debate(name: str, content: str | bytes, speakers: list[str]) -> None:
    found = split(name, content)

    assert [("pro", ANN), ("con", BEN), ("pro", AGAIN)] == [(each.side, each.text) for each in found.entries]
    assert speakers == [each.name for each in found.speakers]


def test_times_are_milliseconds() -> None:
    assert [5000, 12500, 3_723_000] == [each.at_ms for each in split("talk.csv", samples.CSV).entries]
    assert [5000, None, None] == [each.at_ms for each in split("talk.json", samples.JSON).entries]
    assert [1000, 5000, 5000, 3_723_500] == [each.at_ms for each in split("a.vtt", samples.WEBVTT).entries]


def test_subtitles_have_voices() -> None:
    found = split("talk.vtt", samples.WEBVTT)

    assert [("pro", "Ann Lee", ANN), ("con", "Ben", "Yes & no."), ("pro", "Ann Lee", "What?"), ("con", "Ben", BEN)] == [
        (side, name, " ".join(text.split())) for side, name, text in shown(found)
    ]


def test_subtitles_without_voices_have_names_in_capitals() -> None:
    assert [("context", "MODERATOR", "Welcome."), ("pro", "ANN", ANN), ("con", "BEN", BEN)] == shown(
        split("talk.srt", samples.SRT)
    )


def test_a_line_of_subtitles_that_rolls_is_read_once() -> None:
    rolled = "1\n00:00:01,000 --> 00:00:02,000\nANN: Cars\n\n2\n00:00:02,000 --> 00:00:03,000\nANN: Cars\nare loud\n"
    rolled += "\n3\n00:00:04,000 --> 00:00:05,000\nBEN: No.\n"

    assert [("pro", "ANN", "Cars are loud"), ("con", "BEN", "No.")] == shown(split("a.srt", rolled))


def test_a_debate_about_a_question_with_two_answers() -> None:
    found = split("nyu.jsonl", samples.NYU, "story-2")

    assert "Why did crew 2 leave? Pro says: They were afraid · Con says: They were paid" == found.motion
    assert [("pro", "Debater A", ANN), ("con", "Debater B", BEN), ("out", "Judge", "I believe A.")] == shown(found)
    assert ["story-1", "story-2"] == [each.id for each in found.debates]
    assert "story-2" == found.chosen
    assert "story-1" == split("nyu.jsonl", samples.NYU).chosen
    assert found == split("nyu.jsonl", samples.NYU, "2")


@pytest.mark.parametrize(
    "motion",
    [
        "The 2-state solution is dead",
        "50.5 euros a month are enough",
        "A fine of 50.5 euros is fair",
        "2-state solutions fail",
    ],
)
def test_a_motion_keeps_its_figures(motion: str) -> None:
    found = split("talk.md", f"# {motion}\n\n**Ann:** {ANN}\n\n**Ben:** {BEN}\n")

    assert motion == found.motion


@pytest.mark.parametrize(
    "heads",
    [("1. ", "2. "), ("1) ", "2)"), ("1 · ", "2 · "), ("3 - ", "4 – "), ("Turn 1: ", "Turn 2-"), ("Round 1 · ", "")],
)
def test_a_number_before_a_name_is_left_out(heads: tuple[str, str]) -> None:
    found = split("talk.md", f"# Ban cars\n\n## {heads[0]}Ann\n\n{ANN}\n\n## {heads[1]}Ben\n\n{BEN}\n")

    assert ("Ban cars", [("pro", "Ann", ANN), ("con", "Ben", BEN)]) == (found.motion, shown(found))


@pytest.mark.parametrize("name", ["talk.json", "talk.csv"])
def test_a_side_in_the_words_of_ours_decides(name: str) -> None:
    rows = [("Cleo", "context", "Hello."), ("Ann", "pro", ANN), ("Ben", "Con", BEN), ("Judge", "out", "I believe Ann.")]
    turns = [dict(zip(("speaker", "side", "text"), row, strict=True)) for row in rows]
    table = "\n".join("\t".join(row) for row in [("speaker", "side", "text"), *rows])

    found = split(name, msgspec.json.encode({"turns": turns}) if name.endswith("json") else table)

    assert [(row[1].lower(), row[0], row[2]) for row in rows] == shown(found)


def test_chats_leave_out_what_has_no_words() -> None:
    found = split("openai.json", samples.OPENAI)

    assert [
        ("context", "System", "Debate."),
        ("pro", "Ann", ANN),
        ("con", "Assistant", BEN),
        ("out", "Tool", "42"),
    ] == (shown(found))
    assert ("openai", ("Left out: tools, thinking and images (1).",)) == (
        found.kind,
        found.warnings,
    )
    other = split("anthropic.json", samples.ANTHROPIC)
    assert ("anthropic", [("context", "System", "Debate."), ("pro", "User", ANN), ("con", "Assistant", BEN)]) == (
        other.kind,
        shown(other),
    )


def test_an_export_of_a_chat_is_a_tree() -> None:
    def node(role: str, text: str, parent: str | None) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [text]}
        return {"parent": parent, "message": {"author": {"role": role}, "content": content}}

    mapping = {"a": {"parent": None, "message": None}, "b": node("user", ANN, "a"), "x": node("user", "old", "a")}
    mapping["c"] = node("assistant", BEN, "b")
    chat = {"title": "Cars", "mapping": mapping, "current_node": "c", "id": "one"}
    found = split("conversations.json", msgspec.json.encode([chat, chat]))

    assert ("Cars", [("pro", "User", ANN), ("con", "Assistant", BEN)], 2) == (
        found.motion,
        shown(found),
        len(found.debates),
    )


def test_a_log_of_moot_gives_its_turns() -> None:
    found = split("debate.ndjson", samples.MOOT)

    assert ("moot", "This house would replace juries with trained judges", 6) == (found.kind, found.motion, found.turns)
    assert ["pro", "con"] * 3 == [each.side for each in found.entries]
    assert found.source.startswith("Moot debate ")


FEW = "Ann: a reason.\n\nAnn: another."
REFUSED = [
    ("", "the file is empty"),
    (" \n\n", "the file is empty"),
    ("\ufeff", "the file is empty"),
    (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "the file is damaged: it cannot be read as PDF (PdfiumError)"),
    (b"PK\x03\x04\x14\x00\x00\x00", "the file is damaged or encrypted: it cannot be unpacked"),
    (zipped({"a.txt": "Ann: x"}), "the file is an archive: unpack it; of archives only DOCX and ODT are read"),
    (bytes(range(1, 32)) * 9, "the file is not a text"),
    (b"{\\rtf1 Ann: x}", "an RTF file is not read: save it as DOCX, ODT or text"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1", "a file of an old word processor is not read: save it as DOCX, ODT or text"),
    ('<!DOCTYPE x [<!ENTITY a "b">]><TEI xmlns="t"/>',
     "the file declares entities, which are not read: save it without them"),
    ("<TEI xmlns='t'><u>", "the file is no XML: no element found: line 1, column 18"),
    ('{"segments": [{"text": "Yes."}, {"text": "No."}]}',
     "no speaker is named in the file of WhisperX: it needs labels of speakers (diarization)"),
    (FEW, "only one person speaks in the file (Ann): a debate has two sides"),
    ("Only words here.", "no speaker is named in the file: begin each speech with a name and a colon, as in “Ann: …”"),
    ("MODERATOR: Hi.\n\nHOST: Ho.", "only a moderator speaks in the file"),
    ('{"a": 1}', files.UNKNOWN),
    ("[]", files.UNKNOWN),
    ('{"turns": [', "the file is not JSON: Input data was truncated"),
    ('{"turns": [3]}', "turn 1 of the JSON needs a text, and a speaker or a side"),
    ('{"turns": []}', "no words are in the file"),
    (samples.NYU[:-40], "line 2 is not JSON: Input data was truncated"),
    ("1\n00:00:01,000 --> 00:00:02,000\nWelcome",
     "no speaker is named in the subtitles: they need voices, as in “<v Ann>…”, or names, as in “Ann: …”"),
    ("WEBVTT\n\nno cue", "no subtitle with a time is in the file"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_transcript_is_refused_in_one_line(content: str | bytes, message: str) -> None:
    with pytest.raises(BadTranscript) as refused:
        split("talk", content)

    assert message == refused.value.message
    report = report_of(refused.value)
    assert (422, 2, "bad_transcript") == (report.status, report.exit_code, report.code)


def test_a_table_without_the_columns_is_refused() -> None:
    with pytest.raises(BadTranscript, match="the table needs the columns speaker and text in its first line"):
        split("talk.csv", "a,b,c\n1,2,3\n")


def test_there_is_no_such_debate_in_a_file() -> None:
    with pytest.raises(BadTranscript, match="there is no debate 'story-9' in the file, which has 2"):
        split("nyu.jsonl", samples.NYU, "story-9")


def test_a_byte_order_mark_is_no_part_of_a_name() -> None:
    assert ["Ann", "Ben"] == [each.name for each in split("a.txt", f"\ufeffAnn: {ANN}\n\nBen: {BEN}").speakers]


def names(text: str) -> list[str]:
    return [each.name for each in split("a.txt", text).speakers if each.name]


def test_names_that_differ_in_titles_or_length_are_one_person() -> None:
    text = "JOHN SMITH, MODERATOR: Hi.\n\nMR. SMITH: Ann?\n\nSENATOR ANN LEE: Yes.\n\nLEE: So.\n\nBEN (firmly): No."

    assert ["JOHN SMITH, MODERATOR", "SENATOR ANN LEE", "BEN"] == names(text)
    assert "context" == split("a.txt", text).speakers[0].side


def test_a_name_that_fits_two_people_stays_by_itself() -> None:
    assert ["Ann Lee", "Ben Lee", "Lee"] == names("Ann Lee: a\n\nBen Lee: b\n\nLee: c\n\nAnn Lee: d\n\nBen Lee: e")
    assert ["Ann", "Mary Ann"] == names("Ann: a\n\nMary Ann: b")


def test_a_sentence_with_a_colon_is_no_name() -> None:
    text = "BUSH: A speech.\n\nAnd so, the answer to your question is: yes.\n\nI will say: no.\n\nKERRY: Another."

    assert ["BUSH", "KERRY"] == names(text)


# Bounds


@pytest.mark.slow
def test_a_file_over_the_limit_is_refused_and_a_file_within_it_is_read(tmp_path: Path) -> None:
    line = samples.NYU.splitlines()[0].encode() + b"\n"
    within = line * (files.MAX_BYTES // len(line))

    assert ("story-1", 1000) == ((found := split("nyu.jsonl", within)).chosen, len(found.debates))
    with pytest.raises(TooLarge, match="the file is too large: a transcript has at most 50 MiB"):
        split("nyu.jsonl", within + line)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Ann: " + "word " * 900_000, "the debate is too long: a transcript has at most 4,000,000 characters"),
        ("Ann: a\nBen: b\n" * 2501, "the debate is too long: the speaker changes more than 5,000 times"),
        ("Ann: a\nBen: b\n" * 400_000, "the file is too long: a transcript has at most 4,000,000 characters"),
    ],
)  # fmt: skip
def test_a_debate_over_the_bounds_is_refused(content: str, message: str) -> None:
    with pytest.raises(BadTranscript) as refused:
        split("a.txt", content)

    assert message == refused.value.message


def test_names_are_on_one_line_within_80_characters() -> None:
    turns = [{"speaker": f"A\u0000nn\n{'x' * 200}", "text": "a"}, {"speaker": "Ben", "text": "b\u0007c"}]
    found = split("a.json", msgspec.json.encode({"turns": turns}))

    assert 80 == len(found.speakers[0].name)
    assert found.speakers[0].name.startswith("Ann xxx")
    assert "bc" == found.entries[1].text
    assert ("A name has at most 80 characters: 1 of them are cut.",) == found.warnings
