"""The description of the API: it is what docs/http.md says, and the answers are what it says (schemathesis)."""

import re
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from server.http.app import ROUTES
from server.http.contract import described
from tests.docs import pages

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
SEATS = {
    "/api/debates": ("pro", "con", "judge"),
    "/api/estimate": ("pro", "con", "judge"),
    "/api/debates/{debate}/rejudge": ("judge",),
    "/api/debates/{debate}/fork": ("judge",),
    "/api/labs/estimate": ("judge",),
}
"""Routes whose bodies name models: the test gives them its own."""
GIVEN = {
    "/api/debates": {"motion": "Trams are better than cars", "turns": 2},
    "/api/estimate": {"motion": "Trams are better than cars", "turns": 2},
    "/api/labs/estimate": {"items": 3},
    "/api/debates/{debate}/whatif": {"rubric": {"tie_within": 7}},
    "/api/evidence": {"name": "trams.txt", "text": "Trams carry 200 people."},
    "/api/transcripts/preview": {"name": "talk.txt", "text": "Ann: Yes, because it works.\n\nBob: No, it does not."},
}
"""Bodies that succeed, beside those that schemathesis makes."""
LEAST = 35
"""Operations of which an answer is no refusal."""
LEFT_OUT = {
    ("post", "/api/import"): "its body is NDJSON, which schemathesis does not write",
    ("post", "/api/labs"): "a run of the lab goes on while the others are asked",
}


def test_it_has_the_routes_queries_and_stars_of_the_page() -> None:
    told = {}
    for cell in pages.first_cells(pages.section(pages.read("http"), "Routes")):
        for method, path, query, star in re.findall(r"`(GET|POST|PUT|DELETE) ([^`?]+)(?:\?([^`]*))?`( \*)?", cell):
            told[path, method.lower()] = {each.partition("=")[0] for each in query.split("&") if each}, bool(star)
    said = {
        (path, method): ({each.name for each in contract.query} - {"director"}, contract.needs_operator)
        for path, method, contract, _ in described(ROUTES)
    }

    assert said.keys() == {each for each in told if each[0].startswith(("/api/", "/healthz", "/readyz", "/metrics"))}
    assert said == {each: told[each] for each in said}


def succeeding(site: Any, script: Any, examples: int, *, derandomize: bool) -> set[str]:
    """Ask every route so many times, and check the answers; the ids of the operations that once succeeded."""
    model = script(says={"pro": ["Trams carry more people than cars do."], "con": ["Buses are cheaper than trams."]})
    debate = site.open(model)
    site.ended(debate)
    places = {"debate": debate, "turn": "1", "name": "juries", "table": "scores", "form": "csv"}
    how = settings(
        max_examples=examples,
        derandomize=derandomize,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    succeeded: set[str] = set()
    for found in schemathesis.openapi.from_dict(site.get("/api/openapi.json")).get_all_operations():
        operation = found.ok()
        if (operation.method, operation.path) in LEFT_OUT:
            continue
        kept = {name: each for name, each in places.items() if f"{{{name}}}" in operation.path}

        @how
        @given(
            case=operation.as_strategy(),
            known=st.sampled_from([None] if operation.method == "delete" else [kept, kept, None]),
        )
        def ask(case: Any, known: dict[str, str] | None) -> None:
            if known is not None:
                case.path_parameters = {**(case.path_parameters or {}), **known}
            if known is not None and case.path in GIVEN and isinstance(case.body, dict):
                case.body = GIVEN[case.path]
            if isinstance(case.body, dict):
                case.body = {**case.body, **{seat: {"model": model} for seat in SEATS.get(case.path, ())}}
            response = send(site, case)
            case.validate_response(response, checks=CHECKS)
            if response.is_success:
                succeeded.add(case.operation.definition.raw["operationId"])

        ask()
    return succeeded


def send(site: Any, case: Any) -> Any:
    given = case.as_transport_kwargs(base_url="http://127.0.0.1")
    body = {"json": given["json"]} if "json" in given else {"content": given.get("data")}
    return site.client.request(
        given["method"], given["url"], params=given.get("params"), headers=dict(given["headers"]), **body
    )


@pytest.mark.slow
def test_every_answer_is_what_the_description_says(site: Any, script: Any) -> None:
    done = succeeding(site, script, 2, derandomize=True)

    assert {"get_debates", "get_debates_debate", "get_debates_debate_audit_turns_turn", "get_models"} <= done
    assert len(done) >= LEAST


@pytest.mark.thorough
def test_very_many_answers_are(site: Any, script: Any) -> None:
    assert len(succeeding(site, script, 50, derandomize=False)) >= LEAST
