"""Sounds as bytes: MP3 and WAV are read, joined and given chapters."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.speech import mp3, wav
from server.speech.chapters import SOURCE_TYPE
from server.speech.sound import PAUSE_S, Sound, joined, recorded
from tests.server.speech_server import FRAME_S, MP3_FRAME, WAV_FORM, mp3_of, wav_of

TOLD = {"title": "Cities — ban", "artist": "Moot", "comment": "This recording is generated."}


def heard(sound: Sound) -> float:
    """Seconds of a sound."""
    if sound.kind == "mp3":
        return mp3.seconds(mp3.frames_of(sound.body))
    wave = wav.read_wave(sound.body)
    assert wave is not None
    return wave.seconds


def frames_in(tag: bytes) -> list[tuple[str, bytes]]:
    """The frames of an ID3v2.4 tag or of a chapter."""
    found = []
    while tag:
        size = sum((byte & 0x7F) << shift for byte, shift in zip(tag[4:8], (21, 14, 7, 0), strict=True))
        found.append((tag[:4].decode(), tag[10 : 10 + size]))
        tag = tag[10 + size :]
    return found


@pytest.mark.parametrize(
    ("header", "length", "samples", "rate"),
    [
        (b"\xff\xfb\x90\x64", 417, 1152, 44_100),  # MPEG-1, 128 kbit/s
        (b"\xff\xfb\x92\x64", 418, 1152, 44_100),  # the same with a byte of padding
        (b"\xff\xf3\x84\xc4", 192, 576, 24_000),  # MPEG-2, 64 kbit/s
        (b"\xff\xe3\x18\xc4", 72, 576, 8_000),  # MPEG-2.5, 8 kbit/s
    ],
)
def test_the_header_of_a_frame_gives_its_length(header: bytes, length: int, samples: int, rate: int) -> None:
    assert (length, samples, rate) == mp3.head_of(header, 0)


@pytest.mark.parametrize(
    "header",
    [
        b"\xff\xfb\x00\x64",
        b"\xff\xfb\xf0\x64",
        b"\xff\xfb\x9c\x64",
        b"\xff\xeb\x90\x64",
        b"\xff\xfd\x90\x64",
        b"\xff\xfb",
    ],
)
def test_no_frame_begins_with_a_reserved_value_or_another_layer(header: bytes) -> None:
    assert mp3.head_of(header, 0) is None


def test_tags_strange_bytes_and_a_cut_frame_are_no_sound() -> None:
    content = mp3_of("four") + b"TAG".ljust(128, b"\0") + MP3_FRAME[:100]

    assert (MP3_FRAME,) * 4 == mp3.frames_of(content)


def test_a_file_tells_its_length_and_reads_as_the_same_frames() -> None:
    frames = (MP3_FRAME,) * 50

    made = mp3.file_of(frames)

    length = mp3.head_of(made, 0)
    assert length is not None
    at = made.index(b"Xing")
    flags, count, size = struct.unpack_from(">III", made, at + 4)
    table = made[at + 16 : at + 116]
    assert (7, 50, len(made)) == (flags, count, size)
    assert sorted(table) == list(table)
    assert 256 * (length.length + 25 * len(MP3_FRAME)) // len(made) == table[50]
    assert frames == mp3.frames_of(made)
    assert frames == mp3.frames_of(mp3.file_of(mp3.frames_of(made)))


@given(st.binary(max_size=600))
def test_no_bytes_break_the_readers(content: bytes) -> None:
    for prefix in (b"", b"ID3", b"\xff\xf3\x84\xc4", b"RIFF0000WAVE", b"RIFF0000WAVEfmt \x10\0\0\0" + WAV_FORM):
        sound = joined([prefix + content])
        assert sound is None or sound.kind == "opus" or heard(sound) > 0


def test_parts_are_one_sound_as_long_as_all_of_them() -> None:
    for make, each_s in ((mp3_of, FRAME_S), (wav_of, 0.01)):
        sound = joined([make("ten letter"), make("five!")])

        assert sound is not None
        assert heard(sound) == pytest.approx(15 * each_s)
    assert joined([b"OggS1", b"OggS2"]) == Sound("opus", b"OggS1OggS2")


@pytest.mark.parametrize(
    "contents",
    [
        [b""],
        [b"<html>Sign in</html>"],
        [b'{"error": "busy"}'],
        [mp3_of("mp3"), wav_of("wav")],
        [wav_of("one"), wav_of("two").replace(WAV_FORM, struct.pack("<HHIIHH", 1, 1, 9_000, 18_000, 2, 16))],
        [wav_of("")],
        [b"RIFF\0\0\0\0WAVEdata\0\0\0\0"],
    ],
)
def test_what_is_no_sound_and_what_does_not_fit_is_refused(contents: list[bytes]) -> None:
    assert joined(contents) is None


def test_an_mp3_has_chapters_and_says_that_it_is_generated() -> None:
    parts = [(name, joined([mp3_of(text)])) for name, text in (("About", "a" * 100), ("Turn 1: Pro", "b" * 200))]

    made = recorded([(name, sound) for name, sound in parts if sound is not None], TOLD)

    assert made is not None
    about, turn = made.chapters
    pause_s = round(PAUSE_S / FRAME_S) * FRAME_S
    assert (0, round(1000 * (100 * FRAME_S + pause_s))) == about[1:]
    assert (about.end_ms, round(1000 * (300 * FRAME_S + 2 * pause_s))) == turn[1:]
    assert heard(made.sound) == pytest.approx(turn.end_ms / 1000, abs=0.001)
    body = made.sound.body
    size = sum((byte & 0x7F) << shift for byte, shift in zip(body[6:10], (21, 14, 7, 0), strict=True))
    frames = frames_in(body[10 : 10 + size])
    assert mp3.head_of(body, 10 + size) is not None
    told = dict(frames)
    assert b"\x03Cities \xe2\x80\x94 ban" == told["TIT2"]
    assert told["COMM"].endswith(b"This recording is generated.")
    assert SOURCE_TYPE.encode() in told["TXXX"]
    assert b"toc\0\x03\x02chapter1\0chapter2\0" == told["CTOC"]
    chapters = [content for name, content in frames if name == "CHAP"]
    times = [struct.unpack_from(">II", each, len(b"chapter1\0")) for each in chapters]
    assert [each[1:] for each in made.chapters] == times
    names = [frames_in(each[len(b"chapter1\0") + 16 :]) for each in chapters]
    assert [[("TIT2", b"\x03About")], [("TIT2", b"\x03Turn 1: Pro")]] == names


def test_a_wav_has_its_chapters_as_marks() -> None:
    made = recorded([("About", Sound("wav", wav_of("a" * 100))), ("Turn 1: Pro", Sound("wav", wav_of("b" * 50)))], TOLD)

    assert made is not None
    assert [("About", 0, 1700), ("Turn 1: Pro", 1700, 2900)] == list(made.chapters)
    assert heard(made.sound) == pytest.approx(2.9)
    body = made.sound.body
    assert struct.pack("<II4sIII", 2, 13_600, b"data", 0, 0, 13_600) in body
    assert b"Turn 1: Pro\0" in body
    assert b"This recording is generated.\0" in body
    assert len(body) == 8 + struct.unpack_from("<I", body, 4)[0]


def test_opus_and_mixed_sounds_are_no_recording() -> None:
    opus, mp3_sound, wav_sound = Sound("opus", b"OggS"), Sound("mp3", mp3_of("a")), Sound("wav", wav_of("a"))

    assert recorded([("a", opus)], TOLD) is None
    assert recorded([("a", mp3_sound), ("b", wav_sound)], TOLD) is None
