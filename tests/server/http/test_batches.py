"""Batches over HTTP: opened, estimated, shown, listed, and their page."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.server.site import Site


@pytest.fixture
def body(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "cent.json"
    path.write_bytes(msgspec.json.encode({"cost_usd": 0.01}))
    model = f"scripted:{path}"
    plan = {"name": "spring", "motions": ["Cats <purr>"], "models": [model], "judges": [model], "repeats": 2}
    return {"format": "batch", "batch": {**plan, "each": {"turns": 1}}}


def test_a_batch_is_opened_shown_and_listed_without_its_debates(site: Site, body: dict[str, Any]) -> None:
    foreseen = site.client.post("/api/estimate", json=body).json()
    body["batch"]["privacy"] = "listed"
    batch = site.client.post("/api/debates", json=body).json()["id"]
    site.ended(batch)
    shown, rows = site.get(f"/api/batches/{batch}"), site.get(f"/api/batches/{batch}/debates")["debates"]
    page = site.client.get(f"/batch/{batch}")
    child = site.get(f"/api/debates/{rows[0]['debate']}")

    assert (foreseen["debates"], foreseen["rehearsed"], foreseen["cost_usd"]) == (2, 1, 0.0)
    assert (shown["state"], shown["batch"]["concluded"], shown["batch"]["debates"]) == ("concluded", 2, 2)
    assert [each["key"] for each in rows] == ["n1", "n2"]
    assert round(sum(each["cost_usd"] for each in rows), 6) == shown["batch"]["spent_usd"] > 0
    assert [each["id"] for each in site.get("/api/debates")["debates"]] == [batch]
    assert len(site.get("/api/debates?tag=spring&archived=true")["debates"]) == 2
    assert child["part_of"] == {"batch": batch, "key": "n1"}
    assert page.status_code == 200
    assert "Batch: spring" in page.text
    assert f"/batch/{batch}" in site.client.get(f"/d/{batch}", follow_redirects=False).headers["location"]


def test_a_batch_is_begun_once_and_only_operators_find_it_and_its_debates(site: Site, body: dict[str, Any]) -> None:
    body["batch"]["models"] = [body["batch"]["models"][0].replace("cent", "absent")]
    assert site.client.post("/api/debates", json=body).status_code == 422
    Path(body["batch"]["models"][0].partition(":")[2]).write_bytes(
        msgspec.json.encode({"says": {"pro": [{"fault": {"kind": "auth"}}]}})
    )
    batch = site.client.post("/api/debates", json=body).json()["id"]
    site.ended(batch)
    again = site.client.post("/api/debates", json=body)

    assert site.get("/api/debates")["debates"] == []
    assert again.status_code == 422
    assert batch in again.json()["error"]["message"]
    assert len(site.get(f"/api/batches/{batch}")["batch"]["failures"]) == 2
    assert site.client.get("/api/batches/nobody").status_code == 404
    assert site.client.get("/batch/nobody").status_code == 404
