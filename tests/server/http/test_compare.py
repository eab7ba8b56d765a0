"""Two judgings over HTTP: as JSON, as a page, and for clients that may not read one of them."""

import subprocess
import sys
from typing import Any

import msgspec
import pytest

from providers.scripted.provider import shipped
from tests.server.http.test_secrets import TOKEN
from tests.server.site import Site, refused


@pytest.fixture
def juries(script: Any) -> str:
    said = msgspec.json.decode(shipped()["juries"].read_bytes())
    return str(script("juries", says=said["says"], answers=said["answers"]))


def two_judgings(site: Site, model: str, **request: Any) -> str:
    """Open two judgings of the same turns; the query that names both."""
    one = site.open(model, turns=5, **request)
    two = site.open(model, turns=5, **{**request, "judge": {"model": "baseline:lexical"}})
    site.ended(one)
    site.ended(two)
    return f"a={one}&b={two}"


@pytest.mark.slow
def test_two_judgings_are_answered_as_json_and_as_a_page(site: Site, juries: str) -> None:
    query = two_judgings(site, juries)
    found = site.get(f"/api/compare?{query}")
    page = site.client.get(f"/compare?{query}")

    assert 5 == len(found["turns"]) == found["scores"]["turns"]
    assert found["scores"]["bias"]["low"] < found["scores"]["bias"]["value"] < found["scores"]["bias"]["high"]
    assert "baseline:lexical" == found["second"]["judge"]
    assert 200 == page.status_code
    assert "The lexical baseline is no model." in page.text
    assert f'href="/d/{found["first"]["debate"]}?turn=3"' in page.text
    assert "style=" not in page.text, "the policy of the page allows no inline styles"


@pytest.mark.slow
def test_what_cannot_be_compared_is_refused_in_one_sentence(site: Site, juries: str, script: Any) -> None:
    query = two_judgings(site, juries)
    other = site.open(script("other"))
    site.ended(other)
    wrong = f"{query.partition('&')[0]}&b={other}"

    refused(site.client.get(f"/api/compare?{wrong}"), 409, says="moot diff compares two positions of one debate")
    refused(site.client.get("/api/compare?a=x&b=y"), 404)
    refused(site.client.get(f"/api/compare?{query.partition('&')[0]}"), 400, "b")
    page = site.client.get(f"/compare?{wrong}")
    assert 409 == page.status_code
    assert '<p class="error" role="alert">turn 1 is not the same in both debates' in page.text


def test_a_comparison_names_no_judge_of_a_blind_debate_before_the_end(site: Site, juries: str, script: Any) -> None:
    said = {"judge": {"model": script("slow", pace={"answer_ms": 60_000})}, "blind": True}
    one, two = (site.open(juries, turns=5, **said) for _ in range(2))
    for debate in (one, two):
        site.watch(debate, "turn_spoken")
    found = site.get(f"/api/compare?a={one}&b={two}")

    assert "judge" not in found["first"]
    assert "slow" not in site.client.get(f"/compare?a={one}&b={two}").text
    assert "slow" not in msgspec.json.encode(found).decode()


@pytest.mark.slow
def test_an_unlisted_judging_is_compared_for_readers_with_its_link_only(guarded: Site, juries: str) -> None:
    guarded.client.headers.update(TOKEN)
    query = two_judgings(guarded, juries)
    second = query.partition("b=")[2]
    guarded.client.post(f"/api/debates/{second}/labels", json={"unlisted": True})
    for name in TOKEN:
        del guarded.client.headers[name]

    refused(guarded.client.get(f"/api/compare?{query}"), 404)
    assert 404 == guarded.client.get(f"/compare?{query}").status_code
    assert 200 == guarded.client.get(f"/api/compare?{query}", headers=TOKEN).status_code


@pytest.mark.slow
def test_importing_the_application_imports_no_library_that_few_requests_need() -> None:
    code = "import sys, server.http.app; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert "server" in loaded
    assert not {"numpy", "scipy", "krippendorff", "segno"} & set(loaded)
