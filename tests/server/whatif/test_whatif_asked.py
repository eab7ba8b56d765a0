"""What if: on the shipped exhibitions, by HTTP, and on the command line beside a server."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from events.record import Draft, Recorded
from events.store.log import read_all
from events.store.memory import MemoryLog
from events.transfer import export
from events.types import DebateOpened, Missing, ModelAnswered, PanelConcluded
from server.debate.setup.exhibitions import exhibitions
from server.http.people.commands import WHATIF_PER_MINUTE
from server.whatif.comparison import what_if
from server.whatif.replay import NOT_ASKED, replay
from server.whatif.request import WhatIfRequest
from tests.server.children import Cli, said
from tests.server.harness import ROOT, harness
from tests.server.site import Site, refused

Script = Callable[..., str]
Records = tuple[Recorded, ...]
WITH_PANELS = ("lamps", "monolith", "transit")
NAMES = tuple(exhibitions())
RAW = re.compile(r'"(?:answer|prompt|segments|reasoning|text|directives)"')


async def play(name: str, folder: Path) -> Records:
    """The records of an exhibition that runs without pauses."""
    async with harness() as h:
        debate = await h.exhibit(name, folder)
        return tuple([record async for record in read_all(h.log, debate)])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Records]:
    folder = tmp_path_factory.mktemp("played")
    return {name: anyio.run(play, name, folder) for name in NAMES}


# answers that cannot be read

MALFORMED = (
    "no JSON",
    "",
    "{",
    "[]",
    "null",
    "{}",
    '{"components": 7}',
    '"\\ud800"',
    "[" * 100_000,
    '{"points": ' + "9" * 5000 + "}",
)


SAID = frozenset({"speak", "open", "cross", "answer", "close"})
"""Purposes of the questions to debaters; the others go to judges and raters."""


async def log_with(records: Records, answer: str, *, judged: bool) -> bytes:
    """The log as an operator exports it, with another answer to all questions to judges, or to debaters."""
    drafts = []
    for each in records:
        event = each.event
        if isinstance(event, ModelAnswered) and (event.purpose in SAID) != judged:
            event = replace(event, answer=answer)
        drafts.append(Draft(event=event, cause=each.cause))
    async with MemoryLog() as log:
        await log.append("altered", 0, drafts)
        return b"".join([part async for part in export(log, "altered")])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "answer"),
    [
        *[(name, MALFORMED[0]) for name in NAMES],
        *[(name, each) for name in ("juries", "transit") for each in MALFORMED[1:]],
    ],
    ids=lambda each: each[:20],
)
def test_answers_of_an_imported_log_that_cannot_be_read_are_missing(
    site: Site, played: dict[str, Records], name: str, answer: str
) -> None:
    imported = site.client.post("/api/import", content=anyio.run(partial(log_with, judged=True), played[name], answer))
    response = site.client.post("/api/debates/altered/whatif", json={"rubric": {"tie_within": 3}})

    assert 201 == imported.status_code, imported.text
    assert 200 == response.status_code, response.text
    assert response.json()["unanswered"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_statements_of_an_imported_log_that_cannot_be_read_are_no_failure_of_a_provider(
    site: Site, played: dict[str, Records], name: str
) -> None:
    """A protocol without statements cannot be run again; the words of an exchange stand in other events."""
    said = anyio.run(partial(log_with, judged=False), played[name], "no JSON")
    assert 201 == site.client.post("/api/import", content=said).status_code
    response = site.client.post("/api/debates/altered/whatif", json={"rubric": {"tie_within": 3}})

    if response.status_code != 200:
        refused(response, 409, says="what is recorded cannot be run again")
    assert (200 if name not in WITH_PANELS else 409) == response.status_code


# the exhibitions


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_an_exhibition_under_its_own_rubric_is_the_record_itself(played: dict[str, Records], name: str) -> None:
    walked = replay(played[name], lambda debate: debate)

    assert walked.recorded == walked.would_be
    assert (0, ()) == (walked.diverges_at, walked.unanswered)


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_PANELS)
def test_without_a_rater_the_panel_says_what_its_conclusion_foretold(played: dict[str, Records], name: str) -> None:
    concluded = next(each.event for each in played[name] if isinstance(each.event, PanelConcluded))

    assert concluded.weights.keys() == concluded.without.keys()
    for rater, foretold in concluded.without.items():
        answer = what_if(played[name], WhatIfRequest(without_rater=rater))
        panel = answer.would_be.panel
        assert panel
        assert (foretold.outcome, foretold.winner, foretold.gap) == (panel.outcome, panel.winner, panel.gap)
        if isinstance(foretold.alpha, Missing):
            assert foretold.alpha.missing.reason == panel.alpha.undefined
        else:
            assert foretold.alpha == panel.alpha.value
        assert answer.would_be.winner in {"neither", panel.leaning}  # a panel of six arguments needs the judge
        assert rater not in panel.weights
        assert concluded.winner == answer.recorded.panel.winner


@pytest.mark.slow
def test_the_example_of_the_documentation_is_what_the_exhibition_gives(played: dict[str, Records]) -> None:
    rubric = {"claims": {"fabricated_citation": {"points": 8}}, "tie_within": 4}
    answer = what_if(played["juries"], WhatIfRequest(rubric=rubric))
    page = (ROOT / "docs" / "judge.md").read_text(encoding="utf-8")
    told = dict(
        re.findall(r"^(winner|leader by mean composite|margin|mean composite, \w+)  +(\S+ +\S+)", page, re.MULTILINE)
    )

    assert {name: tuple(cells.split()) for name, cells in told.items()} == {
        "winner": ("Pro", "Con"),
        "leader by mean composite": ("Pro", "neither"),
        "margin": both(answer, lambda given: given.margin),
        "mean composite, Pro": both(answer, lambda given: given.scorecard.pro.composite),
        "mean composite, Con": both(answer, lambda given: given.scorecard.con.composite),
    }
    assert ("pro", "con") == (answer.recorded.winner, answer.would_be.winner)
    assert "Pro 67.9, Con 65.3: within 4 credibility decides" in page
    assert answer.because.startswith("pro 67.9, con 65.3: within 4 credibility decides")
    assert ("pro", "neither") == (answer.recorded.scorecard.leader, answer.would_be.scorecard.leader)


def both(answer: Any, value: Callable[[Any], float]) -> tuple[str, str]:
    """A figure of both outcomes, as the command prints it."""
    recorded, would_be = (f"{value(given):g}" for given in (answer.recorded, answer.would_be))
    return recorded, would_be


@pytest.mark.slow
def test_other_weights_move_the_totals_of_a_protocol(played: dict[str, Records]) -> None:
    weights = {"logic": {"weight": 0.6}, "evidence": {"weight": 0.0}}
    answer = what_if(played["monolith"], WhatIfRequest(rubric={"criteria": {"dimensions": weights}}))
    changed = {each.path for each in answer.changes}

    assert {"outcome.totals.pro", "outcome.totals.con", "arguments.PRO-1.total"} <= changed
    assert not any(path.startswith("outcome.panel.alpha") for path in changed)


@pytest.mark.slow
def test_a_strict_and_a_lenient_rater_are_contested_where_the_scores_as_given_decide(
    played: dict[str, Records],
) -> None:
    as_given = {"decides": "raw", "reliable_raters": None, "reliable_items": None}
    answer = what_if(played["lamps"], WhatIfRequest(rubric={"panel": as_given}))

    assert answer.recorded.panel
    assert answer.would_be.panel
    assert ("concluded", "contested") == (answer.recorded.panel.outcome, answer.would_be.panel.outcome)


def test_a_protocol_that_asks_for_longer_words_keeps_what_was_said(played: dict[str, Records]) -> None:
    answer = what_if(played["monolith"], WhatIfRequest(rubric={"protocol": {"reasoning_minimum": 5000}}))

    assert {("open:pro", 2, NOT_ASKED), ("open:con", 2, NOT_ASKED)} <= {
        (each.key, each.sample, each.why) for each in answer.unanswered
    }
    assert "concluded" == answer.would_be.state


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_figure_of_a_rubric_can_be_other(played: dict[str, Records], name: str) -> None:
    opened = played[name][0].event
    assert isinstance(opened, DebateOpened)
    for patch in (
        {"tie_within": 40},
        {"bands": None},
        {"claims": None},
        {"conduct": None},
        {"unquoted_share": 0},
        {"quote_minimum": 60},
        {"full_pressure": 0.5},
        {"gaps": {"least": 8}},
        {"convergence_from": 4},
        {"panel": {"moderate": 0.99}},
        {"deliberation": {"rounds": 0}},
        {"deliberation": {"converged": 1.0}},
        {"protocol": {"arguments": 2}},
        {"criteria": {"high": 5}},
    ):
        answer = what_if(played[name], WhatIfRequest(rubric=patch))

        assert "concluded" == answer.would_be.state
        assert answer.rubric_changes


# by HTTP


def test_the_answer_stands_beside_the_record_and_nothing_is_written(site: Site, script: Script) -> None:
    debate = site.open(script())
    site.ended(debate)
    before = site.get(f"/api/debates/{debate}/events?limit=1000")
    response = site.client.post(f"/api/debates/{debate}/whatif", json={"rubric": {"tie_within": 60}})
    answer = response.json()

    assert 200 == response.status_code
    assert before == site.get(f"/api/debates/{debate}/events?limit=1000")
    assert {
        "note",
        "rubric_changes",
        "recorded",
        "would_be",
        "turns",
        "changes",
        "arguments",
        "unanswered",
        "recorded_text",
        "would_be_text",
        "because",
    } == answer.keys()
    assert [{"path": "tie_within", "before": 2.0, "after": 60.0}] == answer["rubric_changes"]
    assert {"1", "2"} == answer["turns"].keys()
    assert answer["turns"]["1"]["recorded"] == answer["turns"]["1"]["would_be"]
    assert {"composite", "logic", "rhetoric", "tactics", "frame_control", "credibility"} == (
        answer["turns"]["1"]["recorded"].keys()
    )
    assert {"state", "winner", "by_rule", "scorecard", "margin", "narrative"} == answer["recorded"].keys()
    assert b"null" not in response.content


def test_it_is_read_without_the_token_and_shows_nothing_that_is_the_directors(guarded: Site, script: Script) -> None:
    headers = {"authorization": "Bearer s3cret-0123456789"}
    model, slow = script(), script("slow", pace={"chunk_ms": 60_000}, says={"pro": ["One."], "con": ["Two."]})
    body = {"motion": "m", "turns": 2, "pro": {"model": model}, "con": {"model": slow}, "judge": {"model": model}}
    debate = guarded.client.post("/api/debates", json=body, headers=headers).json()["id"]
    guarded.watch(debate, "turn_scored")
    response = guarded.client.post(f"/api/debates/{debate}/whatif", json={"rubric": {"tie_within": 60}})

    assert 200 == response.status_code
    assert {"1"} == response.json()["turns"].keys()
    assert "open" == response.json()["would_be"]["state"]
    assert "winner" not in response.json()["would_be"]
    assert response.json()["note"].endswith("The debate is open: this is what is recorded so far.")
    assert not RAW.search(response.text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"rubric": {"bands": {"logic": {"winner": [30, 20]}}}}, 422, "bands.logic.winner"),
        ({"rubric": {"claims": {"rumour": {}}}}, 422, "claims.rumour"),
        ({"without_rater": "risk"}, 422, "without_rater"),
        ({}, 422, "rubric"),
        ([], 400, None),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_field(
    site: Site, script: Script, body: Any, status: int, field: str | None
) -> None:
    debate = site.open(script())
    site.ended(debate)

    refused(site.client.post(f"/api/debates/{debate}/whatif", json=body), status, field)


def test_an_unknown_debate_is_not_found(site: Site) -> None:
    refused(site.client.post("/api/debates/nobody/whatif", json={"rubric": {"tie_within": 1}}), 404)


def test_a_debate_in_which_nothing_was_judged_is_not_ready(site: Site, slow: str) -> None:
    refused(site.client.post(f"/api/debates/{site.open(slow)}/whatif", json={"rubric": {"tie_within": 1}}), 409)


def test_one_address_may_ask_so_often_in_a_minute(site: Site) -> None:
    for _ in range(WHATIF_PER_MINUTE):
        refused(site.client.post("/api/debates/nobody/whatif", json={"rubric": {"tie_within": 1}}), 404)

    last = site.client.post("/api/debates/nobody/whatif", json={"rubric": {"tie_within": 1}})
    refused(last, 429, says="too many what-ifs")
    assert 1 <= int(last.headers["retry-after"]) <= 60


# on the command line


@pytest.mark.slow
def test_the_table_marks_what_is_other_and_says_what_is_not_known(held: tuple[Cli, str]) -> None:
    moot, debate = held
    done = moot.here(
        "whatif",
        debate,
        "--set",
        "dimensions.rhetoric.leash=null",
        "--set",
        "dimensions.frame_control.in_composite=true",
    )
    shown = done.stdout.decode()

    assert 0 == done.returncode, done.stderr
    assert "dimensions.frame_control.in_composite: false → true" in shown
    assert re.search(r"turn 1 composite +[\d.]+ +[\d.]+ +▲ \+[\d.]+", shown)
    assert "is not known" in shown
    assert "recorded" in shown
    assert "would be" in shown


def test_what_changes_nothing_says_so(held: tuple[Cli, str]) -> None:
    moot, debate = held

    assert "Nothing would change." in moot.here("whatif", debate, "--set", "tie_within=2").stdout.decode()


def test_a_file_and_a_figure_go_together_as_json(held: tuple[Cli, str], tmp_path: Path) -> None:
    moot, debate = held
    path = tmp_path / "other.json"
    path.write_text('{"unquoted_share": 0.25, "tie_within": 9}')
    answer = moot.json("whatif", debate, "--rubric", str(path), "--set", "tie_within=4")
    changes = {each["path"]: each["after"] for each in answer["rubric_changes"]}

    assert {"tie_within": 4.0, "unquoted_share": 0.25} == changes


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ((), 2, "name a change"),
        (("--set", "tie_within"), 2, "is not PATH=VALUE"),
        (("--set", "tie_within=wide"), 2, "tie_within"),
        (("--set", "penalties.no_mechanism=0"), 2, "there is no field `penalties` (one of: band_reach, bands, claims,"),
        (
            ("--set", "claims.no_mechanism.point=0"),
            2,
            "(one of: asks, dimension, excludes, means, points, second_opinion)",
        ),
        (("--set", "bands.logic.winner.7=1"), 2, "items 0 to 1"),
        (("--without", "risk"), 2, "this debate has no panel"),
    ],
)
def test_wrong_usage_is_one_line(held: tuple[Cli, str], options: tuple[str, ...], code: int, says: str) -> None:
    moot, debate = held

    said(moot.here("whatif", debate, *options), code, says)


@pytest.mark.slow
def test_an_unknown_id_is_not_found(held: tuple[Cli, str]) -> None:
    said(held[0].here("whatif", "01900000-nobody", "--set", "tie_within=1"), 3)


@pytest.mark.slow
def test_it_reads_a_store_that_a_server_holds_and_the_chain_stays(moot: Cli, script: Script) -> None:
    debate = moot.debate(script())
    count = moot.json("verify", debate)
    with moot.server() as (_, address):
        by_command = moot.json("whatif", debate, "--set", "dimensions.frame_control.in_composite=true")
        by_server = httpx.post(
            f"{address}/api/debates/{debate}/whatif",
            json={"rubric": {"dimensions": {"frame_control": {"in_composite": True}}}},
            trust_env=False,
        ).json()

    assert by_command == by_server
    assert by_command["changes"]
    assert count == moot.json("verify", debate)


@pytest.mark.slow
def test_a_missing_value_is_no_number(played: dict[str, Records]) -> None:
    old = dict.fromkeys(("framing", "structure", "delivery", "resonance"))
    parts = {**old, "wit": {"maximum": 30, "asks": "makes the audience laugh", "needs_quote": False}}
    answer = what_if(
        played["cars"], WhatIfRequest(rubric={"dimensions": {"rhetoric": {"components": parts, "leash": None}}})
    )
    changes = {each.path: each for each in answer.changes}

    assert answer.turns
    for number, turn in answer.turns.items():
        assert isinstance(turn.would_be, dict)
        assert turn.would_be.keys().isdisjoint({"rhetoric", "composite"})
        assert UNSET is changes[f"turns.{number}.rhetoric"].after
