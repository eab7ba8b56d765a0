"""Names of models without the folders of their files."""

import pytest
from msgspec import structs

from events.short_names import short_name, with_short_names
from events.types import JudgeSeat
from tests.events.samples import opened, spoken


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        ("scripted:/home/ann/debates/one.json", "scripted:one.json"),
        ("scripted:debates/one.json", "scripted:one.json"),
        ("scripted:~/one.json", "scripted:one.json"),
        ("scripted:juries", "scripted:juries"),
        ("embedded:/models/small.gguf", "embedded:small.gguf"),
        ("openai:org/model-1", "openai:org/model-1"),
        ("ollama:hf.co/org/model:q4", "ollama:hf.co/org/model:q4"),
        ("/home/ann/one.json", "one.json"),
        ("debates/one.json", "one.json"),
        ("org/model-1", "org/model-1"),
        ("", ""),
    ],
)
def test_only_the_folders_of_files_are_left_out(model: str, shown: str) -> None:
    assert shown == short_name(model)


def test_every_seat_of_an_opening_is_shortened() -> None:
    secret = "scripted:/secret/one.json"
    opening = opened()
    seats = {
        "pro": structs.replace(opening.pro, model=secret),
        "judge": JudgeSeat(model=secret, second=secret),
    }
    short = with_short_names(structs.replace(opening, **seats))

    assert ("scripted:one.json", "scripted:b") == (short.pro.model, short.con.model)
    assert ("scripted:one.json", "scripted:one.json") == (short.judge.model, short.judge.second)


def test_an_event_without_a_folder_stays_the_same_object() -> None:
    for event in (opened(), spoken()):
        assert with_short_names(event) is event
