"""A randomly changed rubric is accepted, or refused with its field, in every place that takes a rubric."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import pytest

from judge.errors import RubricError
from judge.rubrics.rubric import as_rubric, rubric_v1
from server.errors import BadField
from server.whatif.request import WhatIfRequest
from tests.server.children import Cli, as_json, said
from tests.server.debate_events import opened
from tests.server.site import MOTION, Site, refused, serving

WHOLE: Final[dict[str, Any]] = msgspec.to_builtins(rubric_v1())
VALUES: Final = (
    None, True, "", "x", "NaN", "\0", "é" * 5000, -1, 0, 0.5, -1e-9, 1e9, 1e308, 2**63, 10**400, [], {}, [1], [[]],
    {"a": 1},
)  # fmt: skip
NESTED: Final = b'{"dimensions":' * 5000 + b"1" + b"}" * 5000


def paths(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    for name, each in inner:
        yield (*above, name)
        yield from paths(each, (*above, name))


def mutants(number: int, seed: int) -> Iterator[dict[str, Any]]:
    """Version 1 with one change: a value replaced, a key removed, or an unknown name added."""
    chance, places = Random(seed), list(paths(WHOLE))
    for _ in range(number):
        rubric = msgspec.json.decode(msgspec.json.encode(WHOLE))
        *above, last = chance.choice(places)
        into = rubric
        for name in above:
            into = into[name]
        match chance.randrange(6):
            case 0:
                del into[last]
            case 1 if isinstance(into[last], dict):
                into[last]["unknown"] = chance.choice((*VALUES, *into[last].values()))
            case _:
                into[last] = chance.choice(VALUES)
        yield rubric


def is_taken(rubric: dict[str, Any]) -> bool:
    try:
        as_rubric(rubric)
    except RubricError:
        return False
    return True


@pytest.fixture(scope="module")
def open_site() -> Iterator[Site]:
    yield from serving(opens_per_minute=1_000_000)


def body(script: Callable[..., str], **request: Any) -> dict[str, Any]:
    model = script()
    return {"motion": MOTION, "turns": 1} | {role: {"model": model} for role in ("pro", "con", "judge")} | request


@pytest.mark.parametrize(("name", "version"), [("v1", 1), ("v2", 2), ("v2-evidence", 2)])
def test_a_shipped_rubric_is_asked_for_by_its_name(
    open_site: Site, script: Callable[..., str], name: str, version: int
) -> None:
    response = open_site.client.post("/api/debates", content=msgspec.json.encode(body(script, rubric=name)))

    assert response.status_code == 201, response.text
    opened = open_site.get(f"/api/debates/{response.json()['id']}/events?limit=1")["events"][0]["event"]
    assert version == opened["rubric"]["version"]


@pytest.mark.parametrize("path", ["/api/debates", "/api/estimate"])
@pytest.mark.parametrize(
    ("rubric", "field"),
    [
        ({}, "rubric"), ({"name": "mine"}, "rubric"), (WHOLE | {"dimensions": {}}, "rubric.dimensions"),
        (WHOLE | {"colour": "red"}, "rubric.colour"), (WHOLE | {"gaps": {"least": 0}}, "rubric.gaps"),
        (WHOLE | {"bands": {"logic": {"winner": [1, 2], "loser": "low"}}}, "rubric.bands.logic.loser"),
        (WHOLE | {"version": 10**400}, "rubric.version"), ([], "rubric"), ("v9", "rubric"),
    ],
)  # fmt: skip
def test_a_faulty_rubric_is_refused_by_its_field(
    open_site: Site, script: Callable[..., str], path: str, rubric: Any, field: str
) -> None:
    response = open_site.client.post(path, content=msgspec.json.encode(body(script, rubric=rubric)))

    assert "bad_field" == refused(response, 422, field)["code"]


@pytest.mark.parametrize("path", ["/api/debates", "/api/estimate"])
def test_a_rubric_that_nests_without_end_is_refused(open_site: Site, script: Callable[..., str], path: str) -> None:
    said_first = msgspec.json.encode(body(script))[:-1]
    for depth in (20, 200, 500, 900, 950, 990, 5000):
        nested = b'{"a":' * depth + b"1" + b"}" * depth
        response = open_site.client.post(path, content=said_first + b',"rubric":' + nested + b"}")

        assert response.status_code in {400, 422}, depth
        refused(response, response.status_code, response.json()["error"]["field"])


@pytest.mark.slow
@pytest.mark.parametrize("number", [60, pytest.param(150, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    "fields", [{}, {"format": "protocol", "turns": 6}, {"format": "deliberation", "artifact": {"text": "one line"}}],
    ids=["exchange", "protocol", "deliberation"],
)  # fmt: skip
def test_no_change_of_a_rubric_is_an_error_of_ours(
    open_site: Site, script: Callable[..., str], fields: dict[str, Any], number: int
) -> None:
    taken = 0
    asked = body(script, **fields)
    for rubric in mutants(number, seed=len(str(fields))):
        said_all = msgspec.json.encode(asked | {"rubric": rubric})
        estimated = open_site.client.post("/api/estimate", content=said_all)
        if estimated.status_code == 200:
            taken += 1
            continue
        field = estimated.json()["error"]["field"]

        assert field == "rubric" or field.startswith("rubric."), field
        error = refused(estimated, 422, field)
        assert error == refused(open_site.client.post("/api/debates", content=said_all), 422, field)
        assert error["message"]

    assert 0 < taken < number * 2 / 3


@pytest.mark.slow
def test_no_change_of_a_patch_is_an_error_of_ours() -> None:
    debate = opened()
    wrong: list[BadField] = []
    for rubric in mutants(300, seed=7):
        try:
            WhatIfRequest(rubric=rubric).opening(debate)
        except BadField as error:
            wrong.append(error)

    assert 100 < len(wrong)
    assert [] == [error for error in wrong if not error.field or not error.message]


@pytest.mark.slow
def test_what_if_refuses_a_faulty_patch_by_its_field(site: Site, script: Callable[..., str]) -> None:
    debate = site.open(script())
    site.ended(debate)
    for rubric in mutants(40, seed=3):
        response = site.client.post(f"/api/debates/{debate}/whatif", content=msgspec.json.encode({"rubric": rubric}))
        if response.status_code != 200:
            field = response.json()["error"]["field"]

            assert field
            refused(response, 422, field)


@pytest.mark.slow
def test_the_command_line_refuses_a_faulty_rubric_by_its_field(held: tuple[Cli, str], tmp_path: Path) -> None:
    moot, debate = held
    file = tmp_path / "mine.json"
    faulty = [msgspec.json.encode(each) for each in mutants(40, seed=11) if not is_taken(each)]
    for raw in (b"", b"{}", b"[]", b"{", b"\xff", b'"\xff"', b'{"name": NaN}', NESTED, *faulty):
        file.write_bytes(raw)
        done = moot.here("run", "m", "--rubric", str(file), "--json")

        assert 2 == done.returncode, raw[:200]
        error = msgspec.json.decode(done.stdout)["error"]
        assert "bad_rubric" == error["code"]
        assert error["field"]
        assert error["message"].startswith("rubric: ")
    said(moot.here("run", "m", "--rubric", str(file)), 2, "rubric: ")
    for raw, field in (
        (b"", "rubric"), (b"[]", "rubric"), (b"\xff", "rubric"), (b'{"tie_within": NaN}', "rubric"), (NESTED, "rubric"),
        (b'{"dimensions": {"logic": 3}}', "dimensions.logic"),
    ):  # fmt: skip
        file.write_bytes(raw)
        as_json(moot.here("whatif", debate, "--rubric", str(file), "--json"), 2, field)


@pytest.mark.slow
def test_profiles_that_nest_without_end_are_refused_by_their_field(held: tuple[Cli, str], tmp_path: Path) -> None:
    file = tmp_path / "raters.json"
    file.write_bytes(NESTED.replace(b"dimensions", b"raters"))

    as_json(held[0].here("run", "m", "--raters", str(file), "--json"), 2, "raters")
