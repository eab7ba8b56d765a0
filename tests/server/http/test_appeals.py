"""Appeals over HTTP, and the audit of a turn by the route and by the command."""

from typing import Any

import httpx
import msgspec
import pytest

from tests.server.children import Cli
from tests.server.site import Site, refused

QUOTE = "Nurses on night shifts lose their way to work"
FLAG = {"claims": [{"quote": QUOTE, "reason": "no such study", "kind": "fabricated_citation"}]}
CLEARED = {"reason": "The city counted them.", "verdict": "cleared"}
UPHELD = {"reason": "Nobody has counted them.", "verdict": "upheld"}
TOKEN = {"authorization": "Bearer s3cret-0123456789"}


def model_of(script: Any, opinion: Any) -> str:
    return str(script(answers={"claims:2": FLAG, "second_opinion:C2.1": opinion}, pace={"chunk_ms": 5}))


def paused_after_flag(site: Site, model: str) -> str:
    """A debate that is paused after a claim of its second turn was flagged."""
    debate = site.open(model, turns=4)
    site.watch(debate, "claim_flagged")
    assert site.client.post(f"/api/debates/{debate}/pause").status_code == 200
    return debate


@pytest.mark.slow
@pytest.mark.parametrize(
    ("opinion", "state", "points"), [(CLEARED, "cleared", [-2.2, 2.2]), (UPHELD, "upheld", [-2.2])]
)
def test_a_claim_that_an_appeal_clears_gets_its_points_back(
    site: Site, script: Any, opinion: Any, state: str, points: list[float]
) -> None:
    debate = paused_after_flag(site, model_of(script, opinion))
    before = site.get(f"/api/debates/{debate}/audit/turns/2")
    answer = site.client.post(f"/api/debates/{debate}/claims/C2.1/appeal")

    assert answer.status_code == 200
    position = answer.json()["position"]
    appealed = site.get(f"/api/debates/{debate}/events?after={position - 1}&limit=1")["events"][0]
    assert appealed["event"] == {"type": "claim_appealed", "claim": "C2.1", "by": "moderator"}
    assert site.get(f"/api/debates/{debate}")["claims"]["C2.1"]["appealed"] == position
    refused(site.client.post(f"/api/debates/{debate}/claims/C2.1/appeal"), 409, says="C2.1 was appealed already")

    site.client.post(f"/api/debates/{debate}/resume")
    site.ended(debate)
    claim = site.get(f"/api/debates/{debate}")["claims"]["C2.1"]
    audit = site.get(f"/api/debates/{debate}/audit/turns/2")
    later = [entry for entry in audit["entries"] if entry["dimension"] == "logic" and entry["kind"] != "score"]
    assert (claim["state"], claim["answer"]) == (state, opinion["reason"])
    assert [entry["applied"] for entry in later] == points
    assert audit["effective"]["logic"] == round(before["effective"]["logic"] + 2.2 * (state == "cleared"), 2)
    assert [entry["call"] for entry in later] == ["claims.2.1.1", "second_opinion.C2.1.1.1"][: len(points)]


def test_an_appeal_without_a_flag_is_refused(site: Site, script: Any) -> None:
    debate = paused_after_flag(site, model_of(script, CLEARED))
    one = f"/api/debates/{debate}/claims"

    refused(site.client.post(f"{one}/C9.9/appeal"), 404, says="no claim 'C9.9'")
    refused(site.client.post("/api/debates/nobody/claims/C2.1/appeal"), 404)
    assert site.client.get(f"{one}/C2.1/appeal").status_code == 405

    site.client.post(f"/api/debates/{debate}/resume")
    site.ended(debate)
    refused(site.client.post(f"{one}/C2.1/appeal"), 409, says="the debate has concluded")


def test_an_appeal_after_the_verdict_is_refused(site: Site, script: Any) -> None:
    """An appeal cannot change a verdict that has been reached."""
    late = script("late", answers={"claims:2": FLAG, "narrative": {"fault": {"kind": "timeout", "after_ms": 60_000}}})
    debate = site.open(late, turns=2)
    site.watch(debate, "scorecard_verdict_reached")

    refused(site.client.post(f"/api/debates/{debate}/claims/C2.1/appeal"), 409, says="verdict has been reached")
    site.client.post(f"/api/debates/{debate}/halt")


def test_an_appeal_needs_the_token(guarded: Site, script: Any) -> None:
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(model_of(script, CLEARED), turns=4)
    path = f"/api/debates/{debate}/claims/C2.1/appeal"

    refused(guarded.client.post(path, headers={"authorization": ""}), 401)


@pytest.mark.slow
def test_the_route_and_the_command_give_the_same_audit(moot: Cli, script: Any) -> None:
    gap = {"turn": 1, "fails": "Trams give it back", "exposed_by": "People need cars", "reason": "so", "points": 3}
    wins = {"logic": "second", "rhetoric": "first", "tactics": "draw"}
    loses = {"logic": "first", "rhetoric": "second", "tactics": "draw"}
    answers = {"claims:2": FLAG, "audit": {"gaps": [gap | {"shown_in": 2}]}, "compare:1-2": wins, "compare:2-1": loses}
    debate = moot.debate(script(answers=answers))
    printed = moot.json("audit", debate)
    with moot.server() as (_, address):
        served = [
            httpx.get(f"{address}/api/debates/{debate}/audit/turns/{turn}", trust_env=False).raise_for_status().json()
            for turn in (1, 2)
        ]
        assert httpx.get(f"{address}/api/debates/{debate}/audit/turns/3", trust_env=False).status_code == 404
        lines = httpx.get(f"{address}/api/debates/{debate}/events.ndjson", trust_env=False).text.splitlines()

    assert printed == served
    assert printed[0] == moot.json("audit", debate, "1")
    kinds = {entry["kind"] for audit in printed for entry in audit["entries"]}
    assert kinds == {"score", "band", "penalty", "gap"}
    events = [msgspec.json.decode(line) for line in lines]
    for audit in printed:
        for name, value in audit["effective"].items():
            mine = [entry for entry in audit["entries"] if entry["dimension"] == name]
            assert value == pytest.approx(sum(entry["applied"] for entry in mine))
            assert [entry["before"] for entry in mine[1:]] == [entry["after"] for entry in mine[:-1]]
        for entry in audit["entries"]:
            event = events[entry["position"] - 1]["event"]
            if entry["kind"] != "score":
                assert (event["applied"], event["because_of"]) == (entry["applied"], entry["cause"])
    shown = moot("audit", debate, "1", COLUMNS="240").stdout.decode()
    (docked,) = (line for line in shown.splitlines() if "logic gap" in line)
    assert "turn 1: “Trams give it back”; turn 2: “People need cars”" in docked
