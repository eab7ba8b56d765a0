"""The request of a what-if: read, merged, and refused with the path of its fault."""

from typing import Any

import msgspec
import pytest

from server.errors import BadField
from server.whatif.request import DEEPEST, WhatIfRequest, put, read_request
from tests.server.debate_events import RUBRIC, opened

WHOLE = msgspec.to_builtins(RUBRIC)


def nested(levels: int) -> dict[str, Any]:
    patch: dict[str, Any] = {"deep": 1}
    for _ in range(levels):
        patch = {"deep": patch}
    return patch


@pytest.mark.parametrize(
    ("patch", "field"),
    [
        ({"tie_within": "wide"}, "tie_within"),
        ({"nothing_of_this_name": 1}, "nothing_of_this_name"),
        ({"gaps": {"depth": 1}}, "gaps.depth"),
        ({"claims": {"rumour": {"points": 1}}}, "claims.rumour"),
        ({"claims": {"no_mechanism": {"points": 1}, "inverted_fact": {"points": -3}}}, "claims.inverted_fact.points"),
        ({"bands": {"logic": {"winner": ["high", 40]}}}, "bands.logic.winner.0"),
        ({"bands": {"logic": {"winner": [30, 20]}}}, "bands.logic.winner"),
        ({"dimensions": {"logic": {"maximum": 30}}}, "dimensions.logic.components"),
        ({"panel": {"topics": {"default": {"weights": {"risk": 4}}}}}, "panel.topics.default.weights.risk"),
        ({"panel": {"bootstrap": 20_000}}, "panel.bootstrap"),
        ({"dimensions": None}, "rubric"),
    ],
)
def test_a_patch_that_makes_no_rubric_is_named_by_its_path(patch: dict[str, Any], field: str) -> None:
    with pytest.raises(BadField) as refused:
        WhatIfRequest(rubric=patch).opening(opened())

    assert field == refused.value.field


def test_a_patch_changes_what_it_names_and_nothing_else() -> None:
    changed = WhatIfRequest(rubric={"bands": {"logic": {"loser": [0, 10]}}, "tie_within": 5}).opening(opened()).rubric

    assert (0, 10) == changed.bands["logic"].loser
    assert RUBRIC.bands["logic"].winner == changed.bands["logic"].winner
    assert 5 == changed.tie_within
    assert RUBRIC == msgspec.structs.replace(changed, bands=RUBRIC.bands, tie_within=RUBRIC.tie_within)


def test_null_takes_a_part_away_or_back_to_what_ships() -> None:
    changed = WhatIfRequest(rubric={"bands": None, "dimensions": {"logic": {"chain": None}}, "panel": None}).opening(
        opened()
    )

    assert {} == changed.rubric.bands
    assert changed.rubric.dimensions["logic"].chain is None
    assert RUBRIC.panel == changed.rubric.panel


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "rubric"),
        ({"rubric": {}}, "rubric"),
        ({"rubric": [1]}, "rubric"),
        ({"without_rater": 3}, "without_rater"),
        ({"rubic": {}}, "rubic"),
        ({"rubric": nested(DEEPEST)}, "rubric"),
    ],
)
def test_a_body_that_asks_for_nothing_or_nonsense_is_refused(body: dict[str, Any], field: str) -> None:
    with pytest.raises(BadField) as refused:
        read_request(body)

    assert field == refused.value.field


@pytest.mark.parametrize(
    ("path", "value", "patch"),
    [
        ("tie_within", 5, {"tie_within": 5}),
        ("claims.no_mechanism.points", 3, {"claims": {"no_mechanism": {"points": 3}}}),
        ("bands.logic.winner.0", 30, {"bands": {"logic": {"winner": [30, 40]}}}),
        ("dimensions.logic.chain.caps", [20, 10, 5], {"dimensions": {"logic": {"chain": {"caps": [20, 10, 5]}}}}),
        ("bands", None, {"bands": None}),
    ],
)
def test_a_path_and_a_value_make_a_patch(path: str, value: Any, patch: dict[str, Any]) -> None:
    made: dict[str, Any] = {}
    put(made, WHOLE, path, value)

    assert patch == made


def test_two_items_of_one_list_are_both_put() -> None:
    made: dict[str, Any] = {}
    for path, value in (("bands.logic.loser.0", 3), ("bands.logic.loser.1", 9)):
        put(made, WHOLE, path, value)

    assert {"bands": {"logic": {"loser": [3, 9]}}} == made


@pytest.mark.parametrize("path", ["bands.logic.winner.2", "bands.logic.winner.x", "bands.logic.winner.0.x"])
def test_an_item_that_no_list_has_is_refused(path: str) -> None:
    with pytest.raises(BadField, match="items 0 to 1"):
        put({}, WHOLE, path, 1)
