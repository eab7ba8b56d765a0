"""The driver that asks every route many times at once."""

from pathlib import Path

import pytest
from starlette.routing import Mount, Route

from server.http.app import ROUTES
from tests.measuring.routes_at_once import BODIES, QUERIES, ROOM, build, measured, targets

NAMES = {
    name: name
    for name in [
        "debate",
        "again",
        "room",
        "lab",
        "batch",
        "token",
        "call",
        "turn",
        "argument",
        "claim",
        "seat",
        "name",
        "hook",
        "table",
        "form",
    ]
}


def test_every_method_of_every_route_has_a_row() -> None:
    rows = list(targets(ROUTES, {**NAMES, "file": "a.js", "form": "csv", "position": "9", "code": "ABCD"}))
    known = {route.path for route in ROUTES}
    methods = {(route.path, method) for route in ROUTES if isinstance(route, Route) for method in route.methods or ()}
    others = {(route.path, "GET") for route in ROUTES if not isinstance(route, Route)}

    assert {each for each in methods | others if each[1] != "HEAD"} == {(row.route, row.method) for row in rows}
    assert {*QUERIES, *BODIES, *ROOM} <= known
    assert not [row.path for row in rows if "{" in row.path]
    assert ["/static/a.js"] == [
        row.path for row in rows if row.route in {each.path for each in ROUTES if isinstance(each, Mount)}
    ]


@pytest.mark.thorough
def test_a_row_tells_the_answers_the_memory_and_the_wait(tmp_path: Path) -> None:
    store = tmp_path / "moot.db"
    rows = targets(ROUTES, build(store, 2))
    export = next(row for row in rows if row.route == "/api/debates/{debate}/export.html")
    row = measured(store, export, 5)

    assert {"200": 5} == row.answers
    assert row.received_mb > 1
    assert row.cost_mb > 0
    assert row.healthz_ms > 0
    assert export.route in row.line()


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_no_route_costs_more_than_the_aim(tmp_path: Path) -> None:
    store = tmp_path / "moot.db"
    rows = [measured(store, target, 100) for target in targets(ROUTES, build(store, 100))]

    assert [] == [row.line() for row in rows if not row.holds]
