"""``moot export --as audio`` and its sounds beside the store, which ``moot delete`` takes with the debate."""

from typing import Any

import pytest

from server.speech import mp3
from tests.server.children import Cli
from tests.server.speech_server import speaking


@pytest.fixture
def debate(moot: Cli, script: Any) -> str:
    return moot.debate(script())


def test_a_recording_is_written_once_and_its_sounds_go_with_the_debate(moot: Cli, debate: str) -> None:
    file = moot.home / "debate.mp3"
    with speaking() as server:
        done = moot("export", debate, "--as", "audio", "-o", str(file), "--voice", server.voice)
        again = moot("export", debate, "--as", "audio", MOOT_VOICE=server.voice)

    assert (0, 0) == (done.returncode, again.returncode), done.stderr + again.stderr
    assert file.read_bytes() == again.stdout
    assert 4 == len(server.asked)
    assert {"alloy", "onyx"} == {each["voice"] for each in server.asked}
    assert sum(len(each["input"]) for each in server.asked) < len(mp3.frames_of(again.stdout))
    said = [line.split(b"  ") for line in again.stderr.splitlines()]
    assert [b"0:00", b"About this recording"] == said[0]
    assert [b"Turn 1: Pro", b"Turn 2: Con", b"The outcome"] == [title for _, title in said[1:]]
    sounds = moot.store.with_name("moot.db.speech")
    assert 4 == len(list(sounds.glob("*/*.mp3")))

    assert 0 == moot("delete", debate, "--yes").returncode

    assert [] == list(sounds.iterdir())


def test_a_recording_without_a_voice_or_with_one_that_fails_writes_nothing(moot: Cli, debate: str) -> None:
    file = moot.home / "debate.mp3"
    without = moot("export", debate, "--as", "audio", "-o", str(file))
    wrong = moot("export", debate, "--as", "audio", "-o", str(file), "--voice", "alloy")
    away = moot("export", debate, "--as", "audio", "-o", str(file), "--voice", "openai:tts-1@http://127.0.0.1:1/v1")

    assert (3, b"no voice is configured here" in without.stderr) == (without.returncode, True)
    assert (2, b"voice must be openai:MODEL" in wrong.stderr) == (wrong.returncode, True)
    assert (1, b"the server of the voices does not answer" in away.stderr) == (away.returncode, True)
    assert b"" == without.stdout + wrong.stdout + away.stdout
    assert not file.exists()


def test_a_server_does_not_start_with_a_voice_that_is_none(moot: Cli) -> None:
    done = moot("serve", "--port", "0", "--voice", "alloy")

    assert 2 == done.returncode
    assert b"voice must be openai:MODEL" in done.stderr


def test_a_folder_that_cannot_be_written_is_said(moot: Cli, debate: str) -> None:
    moot.store.with_name("moot.db.speech").write_bytes(b"a file in the place of the folder")
    with speaking() as server:
        done = moot("export", debate, "--as", "audio", MOOT_VOICE=server.voice)

    assert (1, b"") == (done.returncode, done.stdout)
    assert b"the sounds cannot be kept: " in done.stderr
