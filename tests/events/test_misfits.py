"""What does not fit a type is said in words that name no type of Python."""

from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from events.misfits import misfit_words


class Wish(Struct, forbid_unknown_fields=True):
    turns: Annotated[int, Meta(ge=1, le=200)] = 1
    share: Annotated[float, Meta(ge=0, lt=1)] = 0
    cost: Annotated[float, Meta(gt=0)] | None = None
    name: Annotated[str, Meta(min_length=2, max_length=3)] = "me"
    raters: Annotated[list[str], Meta(max_length=1)] | Literal["all"] | None = None
    format: Literal["one", "two"] = "one"
    blind: bool = False


class Strict(Struct):
    id: str


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"turns": 500}, "it must be at most 200"),
        ({"turns": 0}, "it must be at least 1"),
        ({"turns": 1.5}, "it must be a whole number"),
        ({"turns": "x"}, "it must be a whole number, not text"),
        ({"share": 1}, "it must be less than 1"),
        ({"cost": 0}, "it must be more than 0"),
        ({"cost": "x"}, "it must be a number, not text"),
        ({"name": "x"}, "it must have at least 2 characters"),
        ({"name": "long"}, "it must have at most 3 characters"),
        ({"raters": ["a", "b"]}, "it must have at most 1 entry"),
        ({"raters": {}}, "it must be text or a list, not an object"),
        ({"format": "three"}, "it cannot be 'three'"),
        ({"blind": None}, "it must be true or false, not null"),
        ({"nothing": 1}, "there is no field `nothing`"),
    ],
)
def test_a_misfit_is_told_in_plain_words(said: dict[str, Any], words: str) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert(said, Wish)

    assert words == misfit_words(refused.value)


def test_the_place_is_left_out_and_the_name_stands_in_the_sentence() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"at `\$") as refused:
        msgspec.json.decode(b'{"a": [{}]}', type=dict[str, list[Strict]])
    assert misfit_words(refused.value) == "the field `id` is missing"

    with pytest.raises(msgspec.ValidationError) as bound:
        msgspec.json.decode(b'{"turns": 500}', type=Wish)
    assert misfit_words(bound.value, "turns") == "turns must be at most 200"


def test_another_message_stays_as_it_is() -> None:
    assert misfit_words(msgspec.ValidationError("Invalid UUID - at `$.id`")) == "Invalid UUID"
