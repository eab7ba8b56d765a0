"""What is made of hidden, unlisted and blind debates is at least as private as they are."""

from typing import Any

import pytest

from events.store.log import follow
from tests.server.harness import is_end
from tests.server.http.test_labels import label, listed
from tests.server.http.test_secrets import TOKEN
from tests.server.site import Site, refused

BASELINE = {"model": "baseline:lexical"}


def judged(site: Site, word: str) -> str:
    """A concluded debate whose motion and turns have this word."""
    turns = [
        {"side": "pro", "speaker": "Ann", "text": f"The {word} carries people, because it is fast."},
        {"side": "con", "speaker": "Ben", "text": f"The {word} costs too much, so nobody pays for it."},
    ]
    body = {"motion": f"More of {word}", "judge": BASELINE, "transcript": {"source": "Hall", "turns": turns}}
    opened = site.client.post("/api/debates", json=body, headers=TOKEN)
    assert 201 == opened.status_code, opened.text
    debate = str(opened.json()["id"])
    site.ended(debate)
    return debate


def measured(site: Site, **body: Any) -> str:
    """A concluded run."""
    opened = site.client.post("/api/labs", json={"judge": BASELINE, "batteries": ["retest"], **body}, headers=TOKEN)
    assert 201 == opened.status_code, opened.text
    run = str(opened.json()["id"])
    portal = site.client.portal
    assert portal is not None
    portal.call(_ended, site, run)
    return run


async def _ended(site: Site, debate: str) -> None:
    log = site.service.log  # type: ignore[attr-defined]
    async for record in follow(log, debate):
        if is_end(record):
            return


def read_by_spectators(site: Site, run: str) -> str:
    """All that a spectator reads of a run."""
    one = f"/api/debates/{run}"
    parts = ("", "/events.ndjson", "/frames", "/export.html")
    answers = [site.client.get(path) for path in (*(one + part for part in parts), f"/api/labs/{run}/report")]
    assert {200} == {answer.status_code for answer in answers}
    return "\n".join(answer.text for answer in answers)


@pytest.fixture
def debates(guarded: Site) -> dict[str, str]:
    """An open, a hidden and an unlisted debate, by the word that each of them has; and the token of the last one."""
    found = {word: judged(guarded, word) for word in ("tram", "zebra", "walrus")}
    label(guarded, found["zebra"], hidden=True)
    made = label(guarded, found["walrus"], unlisted=True)["link"]
    return found | {"token": made.partition("link=")[2]}


@pytest.mark.slow
def test_a_run_over_the_store_takes_what_readers_find(guarded: Site, debates: dict[str, str]) -> None:
    label(guarded, debates["tram"], archived=True)  # its words are found by a search
    run = measured(guarded, from_store=True)
    said = read_by_spectators(guarded, run)

    assert [run] == listed(guarded)
    assert "More of tram" in said
    assert debates["tram"] in said
    assert not {each for each in ("zebra", "walrus", debates["zebra"], debates["walrus"]) if each in said}


@pytest.mark.slow
@pytest.mark.parametrize(("words", "hidden", "unlisted"), [("zebra", True, False), ("tram zebra walrus", True, True)])
def test_a_run_over_named_debates_is_as_private_as_each_of_them(
    guarded: Site, debates: dict[str, str], words: str, hidden: bool, unlisted: bool
) -> None:
    run = measured(guarded, debates=[debates[word] for word in words.split()])
    view = guarded.client.get(f"/api/debates/{run}", headers=TOKEN).json()

    assert (hidden, unlisted) == (view.get("hidden", False), view.get("unlisted", False))
    assert run not in listed(guarded)
    assert (404 if unlisted else 200) == guarded.client.get(f"/api/labs/{run}").status_code
    assert 200 == guarded.client.get(f"/api/labs/{run}?link={debates['token']}").status_code


@pytest.mark.slow
def test_a_run_over_debates_of_two_links_opens_with_neither(guarded: Site, debates: dict[str, str]) -> None:
    other = judged(guarded, "heron")
    token = label(guarded, other, unlisted=True)["link"].partition("link=")[2]
    run = measured(guarded, debates=[debates["walrus"], other])
    for each in ("", token, debates["token"]):
        refused(guarded.client.get(f"/api/labs/{run}?link={each}"), 404)
    made = label(guarded, run, unlisted=True)["link"].partition("link=")[2]

    assert 200 == guarded.client.get(f"/api/labs/{run}?link={made}").status_code


def test_nothing_is_made_of_a_blind_debate_before_it_has_concluded(guarded: Site, script: Any) -> None:
    guarded.client.headers.update(TOKEN)
    says = script(says={"pro": ["Yes, because."], "con": ["No, so."]}, pace={"answer_ms": 60_000})
    debate = guarded.open(says, blind=True, turns=4)
    guarded.watch(debate, "turn_spoken")
    one = f"/api/debates/{debate}"

    for path, body in (
        (f"{one}/rejudge", {"judge": BASELINE}),
        (f"{one}/fork", {"turn": 0}),
        ("/api/labs", {"judge": BASELINE, "debates": [debate]}),
        ("/api/labs/estimate", {"judge": BASELINE, "debates": [debate]}),
    ):
        refused(guarded.client.post(path, json=body), 409, says=f"debate {debate} is blind")


@pytest.mark.slow
def test_the_page_about_the_judge_counts_what_readers_find(guarded: Site, debates: dict[str, str]) -> None:
    private = measured(guarded, debates=[debates["walrus"]])
    shown = guarded.get("/api/judge")

    assert (1, 2) == (shown["measured_over"]["debates"], shown["measured_over"]["turns"])
    assert {} == shown["labs"]
    label(guarded, private, unlisted=False)
    assert {private} == {each["run"] for found in guarded.get("/api/judge")["labs"].values() for each in found}
