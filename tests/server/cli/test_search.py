"""``moot search``."""

import pytest

from tests.server.children import Cli


@pytest.mark.slow
def test_the_sentences_are_printed_with_their_debates(held: tuple[Cli, str]) -> None:
    moot, debate = held
    done = moot("search", "trams give")
    page = moot.json("search", '"trams give"', "--limit", "1")

    assert 0 == done.returncode, done.stderr
    assert f"{debate}  Pro, turn 1" in done.stdout.decode()
    assert "Trams give it back, because one tram carries two hundred people who walk on." in done.stdout.decode()
    assert [debate] == [hit["debate"]["id"] for hit in page["hits"]]


def test_nothing_found_and_an_empty_query(held: tuple[Cli, str]) -> None:
    moot, _ = held

    assert b"'zeppelin' was not found in any speech or message\n" == moot("search", "zeppelin").stdout
    assert 2 == moot("search", " ").returncode
