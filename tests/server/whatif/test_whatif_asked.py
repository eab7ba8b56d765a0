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
from events.text.figures import sure
from events.transfer import export, parse_lines
from events.types import DebateOpened, Missing, ModelAnswered, PanelConcluded
from server.debate.setup.exhibitions import exhibitions
from server.http.people.commands import WHATIF_PER_MINUTE
from server.whatif.comparison import what_if
from server.whatif.replay import NOT_ASKED, replay
from server.whatif.request import WhatIfRequest
from tests.laws import spread
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
        *spread([(name, MALFORMED[0]) for name in NAMES], 2),
        *[("juries", each) for each in MALFORMED[1:]],
        *spread([("transit", each) for each in MALFORMED[1:]], 1),
    ],
    ids=lambda each: each[:20],
)
def test_answers_of_an_imported_log_that_cannot_be_read_are_missing(
    site: Site, played: dict[str, Records], name: str, answer: str
) -> None:
    imported = site.client.post("/api/import", content=anyio.run(partial(log_with, judged=True), played[name], answer))
    response = site.client.post("/api/debates/altered/whatif", json={"rubric": {"ring": {"weight": 0.3}}})

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
    response = site.client.post("/api/debates/altered/whatif", json={"rubric": {"ring": {"weight": 0.3}}})

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
    rubric = {"docking": {"at_most": 10}, "certainty": {"name_at": 0.7}}
    answer = what_if(played["juries"], WhatIfRequest(rubric=rubric))
    page = (ROOT / "docs" / "judge.md").read_text(encoding="utf-8")
    names = r"^(winner|leader by points|margin|points of \w+|certainty|standard error of the lead|turn 3 composite)  +"
    told = dict(re.findall(names + r"(\S+(?: %)?  +\S+(?: %)?)(?:  |$)", page, re.MULTILINE))

    assert {name: tuple(re.split("  +", cells)) for name, cells in told.items()} == {
        "winner": ("neither", "Con"),
        "leader by points": ("Con", "Con"),
        "margin": both(answer, lambda given: given.margin),
        "points of Pro": both(answer, lambda given: given.scorecard.pro.composite),
        "points of Con": both(answer, lambda given: given.scorecard.con.composite),
        "certainty": tuple(sure(given.scorecard.certainty) for given in (answer.recorded, answer.would_be)),
        "standard error of the lead": both(answer, lambda given: given.scorecard.error),
        "turn 3 composite": ("57.83", "55.63"),
    }
    assert ("neither", "con") == (answer.recorded.winner, answer.would_be.winner)
    assert [("turns.3.composite", 57.83, 55.63)] == [
        (each.path, each.before, each.after) for each in answer.changes if each.path == "turns.3.composite"
    ]
    assert f"Under these rules: {answer.would_be_text.split('. ')[0]}. […]" in page


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


@pytest.mark.slow
def test_a_protocol_that_asks_for_longer_words_keeps_what_was_said(played: dict[str, Records]) -> None:
    answer = what_if(played["monolith"], WhatIfRequest(rubric={"protocol": {"reasoning_minimum": 5000}}))

    assert {("open:pro", 2, NOT_ASKED), ("open:con", 2, NOT_ASKED)} <= {
        (each.key, each.sample, each.why) for each in answer.unanswered
    }
    assert "concluded" == answer.would_be.state


@pytest.mark.slow
@pytest.mark.parametrize("name", spread(NAMES, 2))
def test_every_figure_of_a_rubric_can_be_other(played: dict[str, Records], name: str) -> None:
    opened = played[name][0].event
    assert isinstance(opened, DebateOpened)
    for patch in (
        {"certainty": {"name_at": 0.99}},
        {"bands": {"logic": None}},
        {"ring": {"weight": 0.1}},
        {"docking": None},
        {"rescore_above": None},
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
    response = site.client.post(f"/api/debates/{debate}/whatif", json={"rubric": {"certainty": {"name_at": 0.6}}})
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
        "unused",
        "maxima",
        "recorded_text",
        "would_be_text",
        "because",
        "sentences",
        "rules_in_short",
        "rows",
        "unused_text",
    } == answer.keys()
    assert [{"path": "certainty.name_at", "before": 0.9, "after": 0.6}] == answer["rubric_changes"]
    assert {"1", "2"} == answer["turns"].keys()
    assert answer["turns"]["1"]["recorded"] == answer["turns"]["1"]["would_be"]
    assert {"composite", "composite_maximum", "logic", "rhetoric", "tactics", "frame_control", "credibility"} == (
        answer["turns"]["1"]["recorded"].keys()
    )
    assert 70 == answer["turns"]["1"]["recorded"]["composite_maximum"]
    assert {"state", "winner", "by_rule", "scorecard", "margin", "narrative"} == answer["recorded"].keys()
    assert b"null" not in response.content


def test_it_is_read_without_the_token_and_shows_nothing_that_is_the_directors(guarded: Site, script: Script) -> None:
    headers = {"authorization": "Bearer s3cret-0123456789"}
    model, slow = script(), script("slow", pace={"chunk_ms": 60_000}, says={"pro": ["One."], "con": ["Two."]})
    body = {"motion": "m", "turns": 2, "pro": {"model": model}, "con": {"model": slow}, "judge": {"model": model}}
    debate = guarded.client.post("/api/debates", json=body, headers=headers).json()["id"]
    guarded.watch(debate, "turn_scored")
    response = guarded.client.post(f"/api/debates/{debate}/whatif", json={"rubric": {"certainty": {"name_at": 0.6}}})

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
        ({"rubric": "v9"}, 422, "rubric"),
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
    refused(site.client.post("/api/debates/nobody/whatif", json={"rubric": {"quote_minimum": 1}}), 404)


def test_a_debate_in_which_nothing_was_judged_is_not_ready(site: Site, slow: str) -> None:
    refused(site.client.post(f"/api/debates/{site.open(slow)}/whatif", json={"rubric": {"quote_minimum": 1}}), 409)


@pytest.mark.slow
def test_one_address_may_ask_so_often_in_a_minute(site: Site) -> None:
    for _ in range(WHATIF_PER_MINUTE):
        refused(site.client.post("/api/debates/nobody/whatif", json={"rubric": {"quote_minimum": 1}}), 404)

    last = site.client.post("/api/debates/nobody/whatif", json={"rubric": {"quote_minimum": 1}})
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
        "--values",
    )
    shown = done.stdout.decode()

    assert 0 == done.returncode, done.stderr
    assert "dimensions.frame_control.in_composite: false → true" in shown
    assert re.search(r"turn 1 composite +[\d.]+ of 70 +[\d.]+ of 80 +◆ changed", shown)
    assert re.search(r"turn 2 composite +[\d.]+ of 100 +[\d.]+ of 110 +◆ changed", shown)
    assert "is not known" in shown
    assert "recorded" in shown
    assert "would be" in shown


def test_another_shipped_rubric_takes_the_place_of_the_own_one(held: tuple[Cli, str]) -> None:
    moot, debate = held
    under_v2 = moot.json("whatif", debate, "--rubric", "v2")
    changed = moot.json("whatif", debate, "--rubric", "v2", "--set", "tie_within=5")
    own = moot.json("whatif", debate, "--rubric", "v3")

    changes = {each["path"]: each.get("after") for each in under_v2["rubric_changes"]}
    assert (2, "graded", 2) == tuple(changes[path] for path in ("version", "harmonization", "tie_within"))
    assert "certainty" not in under_v2["would_be"]["scorecard"]
    assert 5 == {each["path"]: each.get("after") for each in changed["rubric_changes"]}["tie_within"]
    assert [] == own["rubric_changes"] == own["changes"]


@pytest.mark.parametrize("name", ["free_transport_v2", "under_sixteen_v2", "homework_german_v2"])
def test_a_debate_of_v2_under_v3_says_how_sure_it_is_and_asks_nothing(name: str) -> None:
    """Its last turn was never compared with its first, so the ring stays open, and no turn is scored again."""
    path = ROOT / "tests" / "server" / "debate" / "logs" / f"{name}.ndjson"
    records = parse_lines(path.read_bytes().splitlines(keepends=True))
    answer = what_if(records, WhatIfRequest(base="v3"))
    card, turns = answer.would_be.scorecard, len(answer.turns)

    assert 0.5 <= card.certainty <= 1  # type: ignore[operator]
    assert card.pairs == turns - 1
    assert isinstance(answer.would_be_text, str)
    assert answer.would_be_text.startswith(("Not distinguishable: ", "Pro was ahead", "Con was ahead"))
    assert {f"compare:1-{turns}", f"compare:{turns}-1"} <= {each.key for each in answer.unanswered}


def test_what_changes_nothing_says_so(held: tuple[Cli, str]) -> None:
    moot, debate = held

    assert "Nothing would change." in moot.here("whatif", debate, "--set", "quote_minimum=8").stdout.decode()


def test_a_file_and_a_figure_go_together_as_json(held: tuple[Cli, str], tmp_path: Path) -> None:
    moot, debate = held
    path = tmp_path / "other.json"
    path.write_text('{"unquoted_share": 0.25, "quote_minimum": 9}')
    answer = moot.json("whatif", debate, "--rubric", str(path), "--set", "quote_minimum=4")
    changes = {each["path"]: each["after"] for each in answer["rubric_changes"]}

    assert {"quote_minimum": 4, "unquoted_share": 0.25} == changes


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ((), 2, "name a change"),
        (("--set", "quote_minimum"), 2, "is not PATH=VALUE"),
        (("--set", "quote_minimum=wide"), 2, "quote_minimum"),
        (
            ("--set", "penalties.no_mechanism=0"),
            2,
            "there is no field `penalties` (one of: bands, base, certainty,",
        ),
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
    said(held[0].here("whatif", "01900000-nobody", "--set", "quote_minimum=1"), 3)


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
