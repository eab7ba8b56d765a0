"""A report for a debater over HTTP: as a page with a policy for its styles, as Markdown, and what is refused."""

import hashlib
import re
from base64 import b64encode
from typing import Any

import pytest

from server.export.reports.debater import report_for
from server.http import exports
from tests.server.http.test_secrets import TOKEN
from tests.server.site import Site, refused


def test_a_report_is_a_page_or_markdown(site: Site, script: Any) -> None:
    debate = site.open(script())
    site.ended(debate)
    page = site.client.get(f"/api/debates/{debate}/report?side=pro")
    text = site.client.get(f"/api/debates/{debate}/report?side=con&as=md")
    style = re.search(r"<style>(.*?)</style>", page.text, re.DOTALL)

    assert (200, 200) == (page.status_code, text.status_code)
    assert style is not None
    digest = b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in page.headers["content-security-policy"]
    assert "attachment" not in page.headers.get("content-disposition", "")
    assert f'<a href="http://127.0.0.1/d/{debate}#e' in page.text
    assert text.text.startswith("# Report for Con\n")
    assert f"[Turn 2](http://127.0.0.1/d/{debate}#e" in text.text
    assert text.headers["content-disposition"].endswith('.md"')


def test_a_report_is_made_once_and_a_limited_number_for_an_address(
    guarded: Site, script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(script())
    guarded.ended(debate)
    for name in TOKEN:
        del guarded.client.headers[name]
    guarded.state.export_rate._most = 2  # type: ignore[attr-defined]
    sides: list[str] = []

    def spy(records: Any, fold: Any, view: Any, side: Any) -> Any:
        sides.append(side)
        return report_for(records, fold, view, side)

    monkeypatch.setattr(exports, "report_for", spy)
    path = f"/api/debates/{debate}/report?side="
    pages = {guarded.client.get(f"{path}pro").text for _ in range(4)}

    assert 1 == len(pages)
    assert 200 == guarded.client.get(f"{path}con").status_code
    refused(guarded.client.get(f"{path}con&as=md"), 429, says="exports were made from this address")
    assert ["pro", "con"] == sides


def test_what_has_no_report_is_refused(site: Site, script: Any, slow: str) -> None:
    debate = site.open(script())
    site.ended(debate)
    speaking = site.open(slow)

    refused(site.client.get(f"/api/debates/{debate}/report"), 400, "side")
    refused(site.client.get(f"/api/debates/{debate}/report?side=judge"), 400, "side")
    refused(site.client.get(f"/api/debates/{debate}/report?side=pro&as=pdf"), 400, "as")
    refused(site.client.get("/api/debates/none/report?side=pro"), 404)
    refused(site.client.get(f"/api/debates/{speaking}/report?side=pro"), 409, says="no turn of Pro is judged yet")


def test_a_report_on_an_unlisted_debate_needs_its_link(guarded: Site, script: Any) -> None:
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(script())
    guarded.ended(debate)
    link = guarded.client.post(f"/api/debates/{debate}/labels", json={"unlisted": True}).json()["link"]
    for name in TOKEN:
        del guarded.client.headers[name]
    path = f"/api/debates/{debate}/report?side=pro"

    refused(guarded.client.get(path), 404)
    assert 200 == guarded.client.get(f"{path}&link={link.partition('link=')[2]}").status_code
