"""The sounds on disk and in memory."""

from pathlib import Path

import pytest

from server.speech.kept import KeptSounds, SoundsInMemory, SoundsOnDisk, kept_with
from server.speech.sound import Sound

ONE, TWO = Sound("mp3", b"1" * 100), Sound("wav", b"2" * 100)


@pytest.fixture(params=["disk", "memory"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> KeptSounds:
    return SoundsInMemory(350) if request.param == "memory" else SoundsOnDisk(tmp_path / "speech", 350)


def test_a_sound_is_kept_until_its_debate_is_deleted(kept: KeptSounds) -> None:
    for debate in ("one", "../two"):
        kept.put(debate, "a", ONE)
    kept.put("one", "b", TWO)

    assert (ONE, TWO, ONE) == (kept.get("one", "a"), kept.get("one", "b"), kept.get("../two", "a"))
    assert kept.get("one", "c") is None
    kept.forget("one")
    kept.forget("none")
    assert kept.get("one", "b") is None
    assert kept.get("../two", "a") == ONE


def test_what_was_asked_for_least_recently_makes_room(kept: KeptSounds) -> None:
    for name in "abc":
        kept.put("d", name, ONE)
    assert kept.get("d", "a") == ONE
    kept.put("d", "d", TWO)

    assert [ONE, None, ONE, TWO] == [kept.get("d", name) for name in "abcd"]


def test_a_fork_takes_over_the_sounds_of_the_same_words(tmp_path: Path) -> None:
    kept = SoundsOnDisk(tmp_path / "speech")
    kept.put("origin", "a", ONE)

    assert ONE == kept.get("fork", "a")
    kept.forget("origin")
    assert ONE == kept.get("fork", "a")
    kept.forget("fork")
    assert [] == list((tmp_path / "speech").iterdir())


def test_sounds_stand_beside_the_store_and_only_their_owner_reads_them(tmp_path: Path) -> None:
    kept = kept_with(f"sqlite:{tmp_path / 'moot.db'}")
    kept.put("d", "a", ONE)

    folder = tmp_path / "moot.db.speech"
    assert 0o700 == folder.stat().st_mode & 0o777
    assert ["a.mp3"] == [path.name for path in folder.glob("*/*")]
    for elsewhere in ("memory:", "postgres://me@host/moot"):
        assert isinstance(kept_with(elsewhere), SoundsInMemory)
