"""Mutated files of every kind: each is read or refused with ``BadTranscript``, within bounds of time and memory."""

import re
import time
import tracemalloc
from random import Random

import msgspec
import pytest

from server.debate.setup.request import as_request
from server.errors import BadField, BadTranscript
from server.transcripts.files import split_file
from server.transcripts.sides import supplied_body, with_sides
from tests.server.evidence.files import unzipped, zipped
from tests.server.mutations import mutated_bytes
from tests.server.transcripts.form_files import form_files
from tests.server.transcripts.samples import FILES as TEXTS

MANY = pytest.mark.parametrize(
    "number", [40, pytest.param(10_000, marks=[pytest.mark.thorough, pytest.mark.timeout(1800)])]
)
STRANGE = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\n\n", b":", b"**", b"# ", b"<v ", b"<v Ann>", b"</v>", b" --> ",
    b"<", b"{", b"[" * 300, b'"', b'","', b"\\u0000", b"\\ud800", b"\xe2\x80\xae", "é".encode(), "甲：".encode(),
    b"99:99:99.999",
    b"(((((", b"[[[[", b"A" * 500 + b": x", b"WEBVTT\n\n", b"Ann: ", b"; ; ;", b"\t", b"-" * 200, b">> " * 50, b"null",
    b"1e999", b"\x0b\x0c\x1c\x85", b"0:0", b"__", b"_*_*" * 40, b"&#x110000;&amp;" * 9,
)  # fmt: skip
MAX_S = 2.0
"""Seconds for a file of a few kilobytes, on a machine with other work."""
MAX_MEMORY = 64 << 20
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FORMS = {
    "slack": "day.json", "aws": "of before.json", "telegram": "result.json", "tei": "parliament.xml",
    "html": "table.html", "docx": "teams.docx", "odt": "bold.odt", "pdf": "capitals.pdf", "models": "prop_1.md",
    "tables": "debates.csv", "whisper text": "with times.txt",
}  # fmt: skip
"""A file of some forms that the other samples do not have."""
FILES = {name: text.encode() for name, text in TEXTS.items()} | {
    file.name: file.content for file in form_files() if FORMS.get(file.form) == file.name
}
JSON_KINDS = ("talk.json", "nyu.jsonl", "openai.json", "anthropic.json", "debate.ndjson")
WHOLE_JSON = ("day.json", "of before.json", "result.json")
ARCHIVES = ("teams.docx", "bold.odt")


def damaged(data: bytes, random: Random) -> bytes:
    """The file with one to six faults in its bytes and lines."""
    for _ in range(random.randint(1, 6)):
        at, end = sorted(random.randrange(len(data) + 1) for _ in range(2))
        match random.randrange(7):
            case 0:
                data = data[:at] + data[min(end, at + 40) :]
            case 1:
                data = data[:at] + random.choice(STRANGE) + data[at:]
            case 2:
                data = data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
            case 3:
                data = data[:at] + data[at : at + 60] * random.randint(2, 30) + data[at:]
            case 4:
                lines = data.splitlines(keepends=True)
                random.shuffle(lines)
                data = b"".join(lines)
            case 5:
                data = data[:end]
            case _:
                data = data.replace(random.choice((b":", b"\n", b"\n\n", b" ", b",", b'"')), random.choice(STRANGE), 3)
    return data[: 1 << 16]


def mutation(name: str, content: bytes, random: Random) -> bytes:
    if name in JSON_KINDS and random.randrange(2):
        lines = content.splitlines()
        if name == "debate.ndjson":
            lines = random.sample(lines, min(12, len(lines)))
        at = random.randrange(len(lines))
        lines[at] = mutated_bytes(msgspec.json.decode(lines[at]), random)
        return b"\n".join(lines)
    if name in WHOLE_JSON and random.randrange(2):
        return mutated_bytes(msgspec.json.decode(content), random)
    if name in ARCHIVES and random.randrange(4):  # what is damaged is the text within: else hardly any is unpacked
        parts = unzipped(content).items()
        return zipped({each: damaged(part, random) if len(part) > 100 else part for each, part in parts})
    return damaged(content[: 1 << 15], random)


@pytest.mark.slow
@MANY
@pytest.mark.parametrize("name", FILES)
def test_a_mutated_file_is_read_or_refused(name: str, number: int) -> None:
    content = FILES[name]
    read, slowest = 0, 0.0
    refusals: set[str] = set()
    fields: set[str] = set()
    for seed in range(number):
        random = Random(f"{name}-{seed}")
        data = mutation(name, content, random)
        called = random.choice((name, "talk", "talk.txt", "talk.csv", "talk.vtt", ""))
        begun = time.process_time()
        try:
            found = split_file(called, data, random.choice(("", "1", "2", "story-2")))
        except BadTranscript as error:
            refusals.add(error.message)
            continue
        finally:
            slowest = max(slowest, time.process_time() - begun)
        read += 1
        assert all(len(each.name) <= 80 for each in found.speakers), seed
        assert not any(HIDDEN.search(each.name) for each in found.speakers), seed
        assert all(each.text.strip() for each in found.entries), seed
        settled = {each.name: each.side or "pro" for each in found.speakers}
        body = {
            "motion": found.motion or "A motion",
            "transcript": supplied_body(with_sides(found, settled), "a test", ""),
        }
        try:
            as_request(msgspec.json.decode(msgspec.json.encode(body)))
        except BadField as error:
            fields.add(str(error.field).partition(".")[0])

    assert fields <= {"transcript"}
    assert [] == [each for each in refusals if not each or "\n" in each or len(each) > 500]
    assert read > number / 100, "hardly any file is read: the faults are too grave to show anything"
    assert slowest < MAX_S


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_mutated_files_take_little_memory(name: str) -> None:
    content = FILES[name]
    tracemalloc.start()
    try:
        for seed in range(15):
            random = Random(f"{name}-{seed}")
            try:
                split_file(name, mutation(name, content, random))
            except BadTranscript:
                continue
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert most < MAX_MEMORY


HARD = {
    "brackets": b"[" * 1_000_000,
    "objects": b'{"turns":' * 200_000,
    "colons": b":" * 1_000_000,
    "names": b"A b c: " * 150_000,
    "stars": b"*" * 1_000_000,
    "voices": b"WEBVTT\n\n00:01.000 --> 00:02.000\n" + b"<v " * 300_000,
    "tags": b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>" + b"<i><" * 250_000,
    "arrows": b"00:01.000 --> " * 70_000,
    "hashes": b"# " * 500_000,
    "spaces": b"A" + b" " * 1_000_000 + b": b",
    "quotes": b'speaker,text\nAnn,"' + b'""' * 500_000,
    "cells": b"," * 1_000_000,
    "digits": b"1" * 1_000_000 + b":00:00 Ann: hello",
    "angles": b"> " * 500_000 + b"Ann: hello",
    "aside": b"Ann " + b"(" * 1_000_000 + b": hello",
    "lines": b"A" + b"\n" * 1_000_000,
    "blank": b"# a" + b" " * 1_000_000 + b"b",
    "headings": b"# Ann\n" * 200_000,
    "ordinals": b"# " + b"1. " * 300_000 + b"\nx",
    "crowd": b"".join(b"N%d a b smith: x\n" % number for number in range(60_000)),
    "facts": b"Motion: x\n" * 100_000,
    "elements": b"<TEI xmlns='x'>" + b"<u>" * 300_000,
    "speeches": b"<TEI xmlns='x'>" + b"<u who='a'>" * 300_000,
    "people": b"<TEI xmlns='x'>" + b"<person id='a'>" * 200_000,
    "bold": b"<html>" + b"<b>" * 300_000,
    "table cells": b"<html><table>" + b"<td>" * 200_000,
    "from": b"From " + b"a to " * 200_000 + b": b",
    "turned": b'{"messages": ' * 200_000,
    "mentions": b'[{"ts": "1", "user": "a", "text": "' + b"<@" * 300_000 + b'"}]',
    "underlines": b"A\n---\n\n" * 100_000,
    "bars": b"| a | b |\n" * 100_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("of_a_megabyte", [0.2, pytest.param(1.0, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", HARD)
def test_a_file_that_is_hard_to_read_takes_bounded_time(name: str, of_a_megabyte: float) -> None:
    content = HARD[name][: round(of_a_megabyte * len(HARD[name]))]
    begun = time.process_time()
    with pytest.raises(BadTranscript):
        split_file("talk", content)

    assert time.process_time() - begun < 10 * of_a_megabyte
