"""``moot seat``: the link of a person's seat, with a server and without."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.server.children import Cli, said

MINE = {"x-moot-seat": "a" * 22}


def body(model: str) -> dict[str, Any]:
    seat = {"model": model}
    return {"motion": "Cities should ban cars", "turns": 2, "pro": {"person": "Ann"}, "con": seat, "judge": seat}


@pytest.mark.slow
def test_a_link_is_made_and_revoked_with_a_server_and_without(moot: Cli, script: Callable[..., str]) -> None:
    with moot.server() as (_, address):
        debate = httpx.post(f"{address}/api/debates", json=body(script()), trust_env=False).json()["id"]
        made = moot.json("seat", debate, "pro", "--json")
        api = made["link"].replace("/seat/", "/api/seats/")
        taken = httpx.post(f"{api}/take", headers=MINE, trust_env=False)
        refusal = said(moot("seat", debate, "con"), 3, "no person has the seat 'con'")
        revoked = moot.json("seat", debate, "pro", "--revoke", "--json")
        gone = httpx.get(api, headers=MINE, trust_env=False)
        httpx.post(f"{address}/api/debates/{debate}/halt", json={}, trust_env=False)
    offline = moot.json("seat", debate[:13], "pro", "--json")
    nothing = moot("seat", debate, "judge")

    assert made["link"].startswith(f"{address}/seat/{debate}.")
    assert (taken.status_code, gone.status_code) == (200, 404)
    assert refusal
    assert "link" not in revoked
    assert (offline["id"], offline["link"].startswith(f"/seat/{debate}.")) == (debate, True)
    said(nothing, 3, "no person")
