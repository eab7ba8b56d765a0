"""The page of the league: what it shows, that each number opens its debates, and what never enters it."""

import re
from collections.abc import Iterator
from html import unescape
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from judge.league.results import LeagueMatch
from server.league import page
from tests.measuring.league import played
from tests.server.http.test_labels import label
from tests.server.league.planted import store, store_halted
from tests.server.site import Site, refused, serving

NAMES = {
    "first": "wise-1, analyst",
    "second": "wise-2, analyst",
    "equal one": "plain-1, poet",
    "equal two": "person Ann Lee",
    "last": "person Bob Roe",
}


def planted() -> list[LeagueMatch]:
    found = played(np.random.default_rng(3), 6)
    return [replace(each, debate=f"debate-{each.debate}", pro=NAMES[each.pro], con=NAMES[each.con]) for each in found]


def append(site: Site, *matches: LeagueMatch, **labels: Any) -> None:
    portal = site.client.portal
    assert portal is not None
    portal.call(lambda: store(site.service.log, *matches, **labels))  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def league() -> Iterator[Site]:
    """A league with a person who agreed to be listed and one who did not, a second judge, and a halted debate."""
    for site in serving(league_people="Ann Lee, Somebody Else"):
        matches = planted()
        append(site, *matches)
        again = [replace(each, debate=f"{each.debate}-b", turns=each.debate, judge="other") for each in matches[:60]]
        append(site, *again)
        portal = site.client.portal
        assert portal is not None
        portal.call(lambda site=site: store_halted(site.service.log, "halted"))
        read_all(site)
        yield site


def read_all(site: Site) -> Any:
    """The league once every debate is read, however slow the machine is."""
    while (found := site.get("/api/league"))["unread"]:
        pass
    return found


@pytest.mark.slow
def test_a_league_counts_what_may_count_and_says_what_it_leaves_out(league: Site) -> None:
    found = read_all(league)
    names = {each["player"] for each in found["league"]["standings"]}

    assert {"wise-1, analyst", "wise-2, analyst", "plain-1, poet", "Ann Lee"} == names
    assert 72 == found["league"]["debates"]  # 12 ordered pairs of four players on 6 motions
    assert 1 == found["left_out"]["halted, or not concluded yet"]
    assert found["left_out"]["with a person who did not agree to be listed"] >= 48
    assert "Bob" not in league.client.get("/api/league").text
    assert ["judge", "other"] == [found["league"]["agreements"][0][name] for name in ("one", "other")]


@pytest.mark.slow
def test_each_number_of_the_page_opens_as_many_debates(league: Site) -> None:
    read_all(league)
    text = league.client.get("/league").text
    assert "<svg" in text
    assert "<script type" not in text
    assert "Bob" not in text
    links = {unescape(href): shown for href, shown in re.findall(r'<a href="(\?[^"]*)#debates">([^<]*)</a>', text)}
    whole = {href: shown for href, shown in links.items() if re.fullmatch(r"[\d.]+|[\d.]+–[\d.]+–[\d.]+", shown)}

    assert len(whole) > 30
    for href, shown in list(whole.items())[::5]:
        opened = set(re.findall(r'href="/d/([^"]*)"', league.client.get(f"/league{href}").text))
        held = {each.removesuffix("-b") for each in opened}
        counts = sum(map(float, shown.split("–")))
        assert len(held) >= counts
        assert "result" in href or len(held) == counts


@pytest.mark.parametrize("query", ["judge=other", "tag=none", "q=motion+1", "format=protocol", "judge=judge&and=other"])
def test_a_league_is_limited_as_a_list_is(league: Site, query: str) -> None:
    everything = read_all(league)["league"]["verdicts"]
    found = league.get(f"/api/league?{query}")["league"]["verdicts"]

    assert (found == everything) if "and=" in query else (found < everything)
    assert 200 == league.client.get(f"/league?{query}").status_code


@pytest.mark.slow
def test_bad_questions_are_refused_and_many_leagues_too(league: Site) -> None:
    refused(league.client.get("/api/league?format=lab"), 400, "format")
    refused(league.client.get("/api/league?and=other"), 400, "judge")
    answers = [league.client.get(f"/api/league?q=w{number}") for number in range(page.LEAGUES_PER_MINUTE + 1)]

    assert 429 == answers[-1].status_code


def test_private_debates_never_enter_a_public_league(guarded: Site) -> None:
    def of(name: str) -> list[LeagueMatch]:
        pairs = permutations((f"{name}-1, poet", f"{name}-2, poet"))
        return [
            replace(each, debate=f"{name}-{number}", motion=f"About {name}", pro=pro, con=con)
            for number, ((pro, con), each) in enumerate(zip(pairs, planted(), strict=False))
        ]

    append(guarded, *of("shown"))
    for name, labels in (("secret", {"hidden": True}), ("linked", {"link": "0" * 64}), ("filed", {"archived": True})):
        append(guarded, *of(name), **labels)
    # another judge of a hidden debate that was not hidden with it: nothing of the hidden one is told
    again = replace(of("secret")[0], debate="again", motion="Another", turns="secret-0", judge="second")
    append(guarded, again)
    found = read_all(guarded)
    texts = found_text(guarded)

    assert {"shown-1, poet", "shown-2, poet"} == {each["player"] for each in found["league"]["standings"]}
    assert not re.search("secret|linked|filed", texts)
    guarded.client.headers["authorization"] = "Bearer s3cret-0123456789"
    assert not re.search("secret|linked|filed", found_text(guarded))  # the page is the same for operators


def found_text(site: Site) -> str:
    return site.client.get("/league").text + site.client.get("/api/league").text


def test_a_label_takes_a_debate_out_again(site: Site) -> None:
    matches = [each for each in planted() if "person" not in each.pro + each.con]
    append(site, *matches)
    before = read_all(site)["league"]["debates"]
    label(site, matches[0].debate, hidden=True)

    assert (len(matches), len(matches) - 1) == (before, read_all(site)["league"]["debates"])


def test_a_store_without_debates_has_a_page(site: Site) -> None:
    assert "No debate here counts yet. A listed debate counts once" in site.client.get("/league").text


@pytest.mark.slow
def test_debates_that_the_server_ran_make_a_league(site: Site, script: Any) -> None:
    models = [script("one"), script("two")]
    for pro, con in (models, models[::-1]):
        site.ended(
            site.open(
                models[0], pro={"model": pro, "archetype": "engineer"}, con={"model": con, "archetype": "engineer"}
            )
        )
    found = read_all(site)

    assert not found["left_out"]
    assert (2, 2) == (found["league"]["debates"], len(found["league"]["standings"]))
