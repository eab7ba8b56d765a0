"""Tables over HTTP: a reader gets in them what its view and its log have, and no more."""

import io
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from pyarrow import parquet

from events.transfer import parse_lines
from events.view import view as views
from server.export.tables import TABLES
from server.export.tables.table import seen_by
from tests.judge.lab.two_items import TWO_ITEMS
from tests.server.debate.test_blind import Script, lines_of, take_in
from tests.server.http.test_secrets import SPECTATOR, TOKEN
from tests.server.site import Site, refused

MADE = {"prompt_digest", "order", "parameters", "trial_failed"}
"""Columns that are computed from values which the reader has."""


def texts(value: Any) -> Iterator[str]:
    """All texts in decoded JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


def rows(site: Site, debate: str, table: str, query: str = "") -> list[dict[str, Any]]:
    answer = site.client.get(f"/api/debates/{debate}/tables/{table}.jsonl{query}")

    assert 200 == answer.status_code, answer.text
    return [msgspec.json.decode(line) for line in answer.text.splitlines()]


def unheld(site: Site, debate: str, query: str = "") -> tuple[int, list[tuple[str, str, str]]]:
    """How many texts the tables have, and those that neither the view nor the log of this reader has."""
    one, log, after = f"/api/debates/{debate}", [], 0
    while after is not None:
        page = site.get(f"{one}/events?after={after}&limit=1000{query.replace('?', '&')}")
        log.append(page["events"])
        after = page["next"]
    held = "\n".join(texts([site.get(one + query), log]))
    found = [
        (table, column, value)
        for table in TABLES
        for row in rows(site, debate, table, query)
        for column, value in row.items()
        if isinstance(value, str) and column not in MADE
    ]
    return len(found), [each for each in found if any(part not in held for part in parts(*each[1:]))]


def parts(column: str, value: str) -> list[str]:
    """What a value is made of: a failure is its kind and its message, rules and flags are lists."""
    ways = {"failure": ": ", "rules": "; ", "trial_flags": ",", "tags": ","}
    return value.split(ways[column], 1 if column == "failure" else -1) if column in ways else [value]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["exchange that fails", "protocol that fails"])
def test_no_text_is_in_a_table_that_this_reader_does_not_have_elsewhere(
    guarded: Site, script: Script, name: str
) -> None:
    take_in(guarded, lines_of(script, name)[:-1])  # a blind debate, all but its end
    spectators = unheld(guarded, "blind")
    hidden = {
        each: [row[each] for row in rows(guarded, "blind", "calls")]
        for each in ("answer", "model", "prompt_digest", "parameters")
    }
    guarded.client.headers.update(TOKEN)
    directors = unheld(guarded, "blind", "?director=1")

    assert [] == spectators[1]
    assert [] == directors[1]
    assert 100 < spectators[0] < directors[0]
    assert {None} == {value for column in hidden.values() for value in column}


def test_a_spectator_gets_no_votes_before_the_end_and_no_table_of_another_name(guarded: Site, slow: str) -> None:
    guarded.client.headers.update(TOKEN)
    debate = guarded.open(slow)
    guarded.client.headers.update(SPECTATOR)
    assert 200 == guarded.client.post(f"/api/debates/{debate}/votes", json={"winner": "con"}).status_code
    one = f"/api/debates/{debate}/tables"
    for path in ("vote.csv", "votes.xlsx", "votes"):
        refused(guarded.client.get(f"{one}/{path}"), 404)
    answer = guarded.client.get(f"{one}/debates.parquet")
    (read,) = parquet.read_table(io.BytesIO(answer.content)).to_pylist()

    assert (debate, "open") == (read["debate"], read["state"])
    assert "application/vnd.apache.parquet" == answer.headers["content-type"]
    assert ".parquet" in answer.headers["content-disposition"]
    assert [] == rows(guarded, debate, "votes")
    refused(guarded.client.get(f"{one}/votes.csv?director=1"), 401)
    guarded.client.headers.update(TOKEN)
    (vote,) = rows(guarded, debate, "votes", "?director=1")
    assert ("winner", "con") == (vote["kind"], vote["said"])


@pytest.mark.slow
def test_trials_come_for_spectators_with_the_result_and_name_no_folder(
    guarded: Site, script: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.debate.formats.lab.setup.installed", lambda: TWO_ITEMS)
    body = {"judge": {"model": script()}, "batteries": ["retest"], "repeats": 1}
    run = guarded.client.post("/api/labs", json=body, headers=TOKEN).json()["id"]
    guarded.ended(run)
    log = guarded.client.get(f"/api/debates/{run}/events.ndjson", headers=TOKEN).content
    *begun, _ = parse_lines(log.splitlines(keepends=True))
    fold = views.apply_all(views.INITIAL, begun)
    before = [list(TABLES["trials"].rows(seen_by(fold, director=each), begun)) for each in (False, True)]

    trials = rows(guarded, run, "trials")
    assert (0, len(trials)) == (len(before[0]), len(before[1]))
    assert {"scripted:debate.json"} == {each["judge"] for each in trials}
    assert [] == unheld(guarded, run)[1]
