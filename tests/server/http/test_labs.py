"""Lab runs over HTTP: opened, estimated, followed, reported, and their page."""

import csv
import io
import re
from html import escape
from typing import Any

import pytest

from server.export.lab import effect_name
from tests.judge.lab.two_items import TWO_ITEMS
from tests.server.site import Site, refused

BASELINE = {"model": "baseline:lexical"}


@pytest.fixture(autouse=True)
def two_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.debate.formats.lab.setup.installed", lambda: TWO_ITEMS)


def begun(site: Site, **body: Any) -> str:
    response = site.client.post("/api/labs", json={"judge": BASELINE, **body})

    assert response.status_code == 201, response.text
    return str(response.json()["id"])


@pytest.fixture
def measured(site: Site) -> str:
    debate = begun(site, batteries=["retest", "position", "style"])
    site.ended(debate)
    return debate


@pytest.mark.slow
def test_a_run_is_shown_with_its_effects(site: Site, measured: str) -> None:
    shown = site.get(f"/api/labs/{measured}")

    assert shown["state"] == "concluded"
    assert set(shown["lab"]["batteries"]) == {"retest", "position", "style"}
    assert {each["battery"] for each in shown["lab"]["effects"]} == {"retest", "position", "style"}
    assert all(each["answered"] == each["trials"] for each in shown["lab"]["batteries"].values())


def test_an_estimate_opens_nothing(site: Site) -> None:
    response = site.client.post("/api/labs/estimate", json={"judge": BASELINE, "batteries": ["retest"]})

    assert response.json()["trials"] == response.json()["calls"] == 4 * 10
    assert site.get("/api/debates")["debates"] == []


@pytest.mark.slow
def test_the_report_names_the_digests_of_items_and_rubric_in_every_form(site: Site, measured: str) -> None:
    run = site.get(f"/api/labs/{measured}")["lab"]
    page = site.client.get(f"/api/labs/{measured}/report")
    as_json = site.get(f"/api/labs/{measured}/report?as=json")
    rows = list(csv.DictReader(io.StringIO(site.client.get(f"/api/labs/{measured}/report?as=csv").text)))

    for digest in (run["items_digest"], run["rubric_digest"]):
        assert digest in page.text
        assert digest in as_json.values()
    assert not re.search(r"<script|src=|href=\"/|url\(", page.text)
    assert "attachment" in page.headers["content-disposition"]
    assert [each["name"] for each in rows] == [each["name"] for each in as_json["effects"]]


@pytest.mark.slow
def test_a_page_and_a_report_begin_with_whether_the_judge_may_be_used(site: Site, measured: str) -> None:
    as_json = site.get(f"/api/labs/{measured}/report?as=json")["may_use"]
    (use,) = site.get("/api/judge")["uses"]

    assert (as_json["answer"], as_json["says"], measured) == (use["answer"], use["says"], use["run"])
    assert as_json["answer"] in {"no", "not yet shown"}
    for page in (f"/lab/{measured}", f"/api/labs/{measured}/report"):
        shown = site.client.get(page).text
        assert shown.index("May I use this judge?") < shown.index(escape(as_json["says"])) < shown.index("All effects")
        assert all(escape(each["asks"]) in shown for each in as_json["conditions"])
    assert [] == site.get("/api/judge?judge=scripted")["uses"]


def test_motions_of_ones_own_are_checked(site: Site) -> None:
    own = {"id": "x", "motion": "m", "pairs": [{"id": "1", "pro": "It is so.", "con": "It is not."}]}
    wrong = (
        ({"material": [own, own]}, "lab.material", "two motions have the same id"),
        ({"material": [{**own, "id": "a/b"}]}, "lab.material.0", "an id without a slash"),
        ({"material": [own], "from_store": True}, "lab.material", "and not both"),
        ({"repeats": 0}, "lab.repeats", "at least 1"),
        (
            {
                "people": [
                    {
                        "id": "p",
                        "topic": "t",
                        "motion": "m",
                        "note": "",
                        "speeches": ["a"],
                        "better": "first",
                        "kind": "scores",
                    }
                ]
            },
            "lab.people.0.score",
            "a score from 0 to 100",
        ),
    )
    for body, field, said in wrong:
        refusal = site.client.post("/api/labs/estimate", json={"judge": BASELINE, **body})
        assert 400 <= refusal.status_code < 500, refusal.text
        assert said in refusal.json()["error"]["message"], refusal.text
        assert field == refusal.json()["error"]["field"]
    asked = site.client.post(
        "/api/labs/estimate", json={"judge": BASELINE, "material": [own], "batteries": ["position"]}
    )
    assert 2 == asked.json()["trials"]


@pytest.mark.slow
def test_the_page_shows_every_effect_in_words(site: Site, measured: str) -> None:
    page = site.client.get(f"/lab/{measured}").text

    for effect in site.get(f"/api/labs/{measured}")["lab"]["effects"]:
        assert escape(effect_name(effect["battery"], effect["name"])) in page
    assert page.count('role="img"') == len(site.get(f"/api/labs/{measured}")["lab"]["effects"])


def test_a_report_before_the_result_is_refused(site: Site, script: Any) -> None:
    debate = begun(site, judge={"model": script(pace={"answer_ms": 60_000})}, batteries=["retest"])
    site.client.post(f"/api/debates/{debate}/halt", json={"reason": "enough"})

    assert site.get(f"/api/labs/{debate}")["state"] == "halted"
    refused(site.client.get(f"/api/labs/{debate}/report"), 409, says="no result yet: it is halted")
    assert "Progress" in site.client.get(f"/lab/{debate}").text


@pytest.mark.parametrize("path", ["/api/labs/{}", "/api/labs/{}/report", "/lab/{}"])
def test_a_debate_is_no_lab_run(site: Site, script: Any, path: str) -> None:
    debate = site.open(script())
    site.ended(debate)

    assert site.client.get(path.format(debate)).status_code == 404
    assert site.client.get(path.format("unknown-run")).status_code == 404


@pytest.mark.slow
def test_an_unknown_form_of_report_is_refused(site: Site, measured: str) -> None:
    refused(site.client.get(f"/api/labs/{measured}/report?as=pdf"), 400, "as", says="html, json, csv")


def test_strangers_begin_no_run_and_may_read_one(guarded: Site) -> None:
    token = {"authorization": "Bearer s3cret-0123456789"}
    body = {"judge": BASELINE, "batteries": ["retest"]}

    assert guarded.client.post("/api/labs", json=body).status_code == 401
    assert guarded.client.post("/api/labs/estimate", json=body).status_code == 401
    debate = guarded.client.post("/api/labs", json=body, headers=token).json()["id"]
    assert guarded.client.get(f"/api/labs/{debate}").status_code == 200
    assert guarded.client.get(f"/lab/{debate}").status_code == 200


@pytest.mark.slow
def test_the_page_about_the_judge_shows_what_a_run_says_beside_each_weakness(site: Site, measured: str) -> None:
    report = site.get("/api/judge")
    ids = {each["id"] for each in report["weaknesses"]}

    assert set(report["labs"]) == {"order", "leniency", "samples"} < ids
    (found,) = report["labs"]["order"]
    assert (found["judge"], found["run"]) == ("baseline:lexical", measured)
    assert any(line.startswith("Position, first speech chosen: 50 %") for line in found["says"])
    assert report["measured_over"]["debates"] == 0
    assert site.get("/api/judge?judge=scripted")["labs"] == {}


def test_an_unlisted_run_is_there_for_its_link_only(guarded: Site) -> None:
    token = {"authorization": "Bearer s3cret-0123456789"}
    begun = guarded.client.post("/api/labs", json={"judge": BASELINE, "batteries": ["style"]}, headers=token)
    run = begun.json()["id"]
    guarded.ended(run)
    made = guarded.client.post(f"/api/debates/{run}/labels", json={"unlisted": True}, headers=token)
    link = made.json()["link"].partition("link=")[2]

    for path in (f"/lab/{run}", f"/d/{run}", f"/api/labs/{run}", f"/api/labs/{run}/report?as=csv"):
        and_link = f"{path}{'&' if '?' in path else '?'}link={link}"
        assert (path, 404) == (path, guarded.client.get(path).status_code)
        assert (path, 200) == (path, guarded.client.get(and_link).status_code)
        guarded.client.cookies.clear()
    guarded.client.get(f"/lab/{run}?link={link}")  # its page sets a cookie, so that following the run needs no token
    assert 200 == guarded.client.get(f"/api/labs/{run}").status_code
