"""Documents over HTTP: how one is read before a debate, a debate with documents, and what is refused."""

import base64
from typing import Any

import pytest

from server.http.body import MAX_BODY
from tests.server.evidence.files import glued_pdf, pdf
from tests.server.site import MOTION, Site, refused

TEXT = "Trees cool a street by four degrees in summer."


@pytest.mark.slow
def test_a_document_is_read_before_a_debate_is_opened(site: Site) -> None:
    content = base64.b64encode(pdf([TEXT], title="Shade")).decode()

    found = site.client.post("/api/evidence", json={"name": "shade.pdf", "base64": content}).json()

    assert ("D1", "application/pdf", "Shade") == tuple(
        found["document"][name] for name in ("id", "media_type", "title")
    )
    assert (len(TEXT), 1, [{"id": "E1", "text": TEXT, "page": 1}]) == (
        found["characters"],
        found["passages"],
        found["first"],
    )
    assert [] == site.get("/api/debates")["debates"]


@pytest.mark.slow
def test_a_document_that_is_read_badly_says_so_before_a_debate_is_opened(site: Site) -> None:
    content = base64.b64encode(glued_pdf(TEXT, apart="First page.")).decode()

    found = site.client.post("/api/evidence", json={"name": "shade.pdf", "base64": content}).json()

    assert (2, 1) == (found["passages"], found["misread"])
    assert [None, True] == [each.get("misread") for each in found["first"]]


@pytest.mark.slow
def test_the_fault_of_a_document_is_named_with_its_field(site: Site, script: Any) -> None:
    refused(site.client.post("/api/evidence", json={"name": "a.txt", "text": ""}), 422, "evidence")
    refused(site.client.post("/api/evidence", json={"name": "a.txt", "colour": "red"}), 422, "evidence")
    refused(site.client.post("/api/evidence", json=[]), 422, "evidence")
    evidence = [{"name": "a.txt", "text": TEXT}, {"name": "b.pdf", "text": "no PDF"}]
    model = script()
    seats = {role: {"model": model} for role in ("pro", "con", "judge")}
    for path in ("/api/debates", "/api/estimate"):
        response = site.client.post(path, json={"motion": MOTION, **seats, "evidence": evidence})

        refused(response, 422, "evidence.1")
        assert "b.pdf is damaged" in response.json()["error"]["message"]
    many = [{"name": "a.txt", "text": TEXT}] * 21
    refused(site.client.post("/api/debates", json={"motion": MOTION, **seats, "evidence": many}), 422, "evidence")


@pytest.mark.slow
def test_a_debate_with_a_long_document_is_opened_and_its_estimate_counts_the_passages(site: Site, script: Any) -> None:
    model = script()
    long = f"{TEXT} Cities ban cars. " * (MAX_BODY // len(TEXT))
    body = {"motion": MOTION, "turns": 2, **{role: {"model": model} for role in ("pro", "con", "judge")}}
    evidence = [{"name": "a.txt", "text": long[: MAX_BODY + 10_000]}]

    plain = site.client.post("/api/estimate", json=body).json()
    with_evidence = site.client.post("/api/estimate", json={**body, "evidence": evidence}).json()
    debate = site.open(model, evidence=evidence)

    assert plain["input_tokens"] + 2 * 600 < with_evidence["input_tokens"]
    assert "debate_concluded" == site.ended(debate)["type"]


def test_a_spectator_does_not_have_documents_read(guarded: Site) -> None:
    refused(guarded.client.post("/api/evidence", json={"name": "a", "text": TEXT}), 401)
    refused(guarded.client.post("/api/evidence", content=b"x" * (MAX_BODY + 1)), 413)


@pytest.mark.slow
def test_all_passages_of_a_debates_documents_can_be_read(site: Site, script: Any) -> None:
    long = [{"name": "shade.txt", "text": TEXT}, {"name": "harbour.md", "text": "# Port\n\nIt exports grain."}]
    debate = site.open(script(), evidence=long)
    site.ended(debate)

    found = site.get(f"/api/debates/{debate}/evidence")

    assert {"D1": "shade.txt", "D2": "harbour.md"} == {one: each["name"] for one, each in found["documents"].items()}
    assert {"E1": ("D1", TEXT), "E2": ("D2", "It exports grain.")} == {
        name: (each["document"], each["text"]) for name, each in found["passages"].items()
    }
    plain = site.open(script())
    assert {} == site.get(f"/api/debates/{plain}/evidence")["documents"]


@pytest.mark.slow
def test_an_export_has_what_is_cited_and_all_documents_on_request(site: Site, script: Any) -> None:
    says = {"pro": [f"It is cooler, for “{TEXT}” [E1]."], "con": ["The harbour is no argument, because it is far."]}
    debate = site.open(
        script(says=says),
        evidence=[{"name": "shade.txt", "text": TEXT}, {"name": "harbour.md", "text": "# Port\n\nIt exports grain."}],
    )
    site.ended(debate)

    def export(form: str, query: str = "") -> str:
        return site.client.get(f"/api/debates/{debate}/export.{form}?calls=0{query}").text

    for form in ("md", "html"):
        assert "exports grain" not in export(form), form
        assert "exports grain" in export(form, "&evidence=all"), form
        assert TEXT in export(form)
    assert "exports grain" in site.client.get(f"/api/debates/{debate}/events.ndjson").text
    assert "Document D2: Port (harbour.md)" in export("md", "&evidence=all").replace("\\", "")
    refused(site.client.get(f"/api/debates/{debate}/export.md?evidence=some"), 400, "evidence")
