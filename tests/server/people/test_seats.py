"""The seat of a person over HTTP: its link, who takes it, the turn, resignation, time-out, takeover, refusals."""

import time
from collections.abc import Callable
from typing import Any

from starlette.testclient import TestClient

from tests.server.site import Site

ANN = {"person": "Ann", "time_s": 600}
MINE = {"x-moot-seat": "a" * 22}
OTHERS = {"x-moot-seat": "b" * 22}
PATIENCE_S = 30


def opened(site: Site, script: Callable[..., str], **request: Any) -> str:
    """A debate of two turns in which Ann speaks for Pro."""
    return site.open(script(), **{"pro": ANN, **request})


def link(site: Site, debate: str, seat: str = "pro") -> str:
    response = site.client.post(f"/api/debates/{debate}/seats/{seat}/link")

    assert response.status_code == 200, response.text
    return str(response.json()["link"])


def api(address: str) -> str:
    return f"/api{address.replace('/seat/', '/seats/')}"


def seated(site: Site, debate: str, seat: str = "pro") -> str:
    """The address of the seat's API, once ``MINE`` has taken the seat."""
    path = api(link(site, debate, seat))
    taken = site.client.post(f"{path}/take", headers=MINE)

    assert taken.status_code == 200, taken.text
    return path


def asked(client: TestClient, path: str) -> dict[str, Any]:
    """What the seat shows once something is asked of it."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        shown: dict[str, Any] = client.get(path, headers=MINE).json()
        if shown.get("request"):
            return shown
        time.sleep(0.01)
    raise AssertionError(shown)


def test_a_person_speaks_and_the_model_answers(site: Site, script: Callable[..., str]) -> None:
    debate = opened(site, script)
    path = seated(site, debate)

    shown = asked(site.client, path)
    sent = site.client.post(
        f"{path}/answer",
        headers=MINE,
        json={"request": shown["request"]["id"], "text": "  Trams carry\x00 two hundred people each.  "},
    )

    assert (shown["name"], shown["seat_state"], shown["request"]["kind"]) == ("Ann", "yours", "speak")
    assert 0 < shown["request"]["left_s"] <= 600
    assert sent.status_code == 200, sent.text
    assert site.ended(debate)["type"] == "debate_concluded"
    spoken = site.watch(debate, "turn_spoken")
    assert (spoken["by"], spoken["text"], spoken["model"]) == ("person", "Trams carry two hundred people each.", "")
    assert spoken["usage"] == {"input_tokens": 0, "output_tokens": 0}
