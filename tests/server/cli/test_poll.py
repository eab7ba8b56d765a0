"""``moot poll``: the address and its QR code, how many have voted, and the end of a vote."""

from typing import Any

import httpx
import msgspec
import pytest

from tests.server.children import Cli, said

ADDRESS = "http://192.168.1.5:8484"


def opened(moot: Cli, address: str, model: str, **poll: Any) -> str:
    seats = {seat: {"model": model} for seat in ("pro", "con", "judge")}
    body = {"motion": "Cities should ban cars", "turns": 2, "poll": poll, **seats}
    return str(httpx.post(f"{address}/api/debates", json=body, trust_env=False).raise_for_status().json()["id"])


def vote(address: str, debate: str, when: str, stance: str) -> None:
    path = f"{address}/api/debates/{debate}"
    with httpx.Client(trust_env=False) as phone:
        phone.get(f"{path}/poll").raise_for_status()
        phone.post(f"{path}/votes", json={"when": when, "stance": stance}).raise_for_status()


@pytest.mark.slow
def test_it_shows_the_link_with_its_code_and_closes_the_vote(moot: Cli, script: Any) -> None:
    with moot.server() as (_, address):
        debate = opened(moot, address, script(pace={"chunk_ms": 60_000, "chunk_chars": 1}))
        vote(address, debate, "before", "con")
        shown = moot("poll", debate, "--address", f"{ADDRESS}/d/anything")
        plain = moot("poll", debate)
        found = moot.json("poll", debate, "--close")
        again = moot("poll", debate, "--close")
        after = moot("poll", debate).stdout.decode()

    text = shown.stdout.decode()
    assert "the first vote is open: 1 person has voted" in text
    assert f"\n{ADDRESS}/vote/{debate}\n" in text
    assert "▄" in text
    assert "phones cannot reach this address" in plain.stderr.decode()
    assert {"state": "closed", "cast": 1} == {name: found["poll"]["before"][name] for name in ("state", "cast")}
    assert "no vote is open now" in said(again, 1)
    assert "no vote is open now" in after
    assert b"con" not in msgspec.json.encode(found["poll"])


@pytest.mark.slow
def test_an_address_is_checked_and_a_debate_without_a_poll_is_told(held: tuple[Cli, str]) -> None:
    moot, debate = held

    assert "http://" in said(moot("poll", debate, "--address", "192.168.1.5"), 2)
    assert "has no poll" in said(moot("poll", debate), 3)
