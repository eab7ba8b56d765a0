"""``moot deliberate`` and the format deliberation: output, refusals, time limits, failures, kills."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.store.sqlite.log import SqliteLog
from events.types import DebateConcluded, ModelAnswered, ModelFailed, PanelConcluded, Reason
from events.types.deliberation import ArtifactJudged, DeliberationHeld, OpinionGiven
from judge.rubrics.rubric import rubric_v1
from server.cli.judging.deliberate import read_text
from server.errors import BadField
from tests.judge.deliberation.judges import OTHER_QUOTE, PERSONAS, QUOTE, TEXT, opinion_answer
from tests.server.children import Cli, as_json, line_with, said
from tests.server.cli.test_judge import answered
from tests.server.harness import Harness, check_sound, fault, harness
from tests.server.site import Site, refused

FOR = ("--for", "a design to build from")
CRITERIA = ("logic", "evidence", "responsiveness", "honesty")
SPLIT = {
    "deliberate:technical_architect:*": opinion_answer("PASS", 3, findings=["no password"]),
    "deliberate:compliance_auditor:*": opinion_answer("PASS", 3),
    "deliberate:*": opinion_answer("FAIL", 1, OTHER_QUOTE),
}
CONVINCED = SPLIT | {
    "deliberate:technical_architect:1": opinion_answer("FAIL", 1, QUOTE),
    "deliberate:compliance_auditor:1": opinion_answer("FAIL", 1),
}


def artifact(text: str = TEXT, **request: Any) -> dict[str, Any]:
    return {"format": "deliberation", "artifact": {"name": "design.md", "text": text}, **request}


def with_rules(**rules: Any) -> Any:
    known = rubric_v1()
    assert known.deliberation is not None
    deliberation = msgspec.structs.replace(known.deliberation, **rules)
    return msgspec.to_builtins(msgspec.structs.replace(known, deliberation=deliberation))


@pytest.fixture
def design(tmp_path: Path) -> str:
    path = tmp_path / "design.md"
    path.write_text(TEXT)
    return str(path)


# the command line


@pytest.mark.slow
def test_it_prints_opinions_rounds_and_the_verdict_and_the_id_alone_on_the_last_line(
    moot: Cli, script: Any, design: str
) -> None:
    done = moot("deliberate", design, *FOR, "--judge", script(answers=CONVINCED))
    out = done.stdout.decode()
    lines = out.splitlines()

    assert done.returncode == 0, done.stderr.decode()
    assert "Does design.md pass as a design to build from?" == lines[0]
    assert 5 == len([line for line in lines[: lines.index("round 1")] if " PASS " in line or " FAIL " in line])
    assert "agreement 0.36 → 1.00" in out
    assert f"Technical architect: PASS → FAIL, by evidence: “{QUOTE}”" in out
    assert "Compliance auditor: PASS → FAIL, by conformity" in out
    assert "  - no password (Technical architect)" in lines
    assert "Weight behind each verdict: FAIL 100 %." in lines
    assert "Before they read each other: PASS 50 %, FAIL 50 %." in lines
    moved = "2 of 5 judges moved to it (1 by evidence, 1 by conformity). All judges hold it."
    assert f"Verdict: FAIL: {moved}" == lines[-2]
    assert [lines[-1]] == [row["id"] for row in moot.json("list")["debates"]]
    view = moot.json("show", lines[-1])
    assert ("concluded", TEXT) == (view["state"], view["artifact"]["text"])
    assert {"evidence": 1, "conformity": 1} == view["panel"]["moved"]


@pytest.mark.slow
def test_in_json_it_is_one_object_a_line_and_the_id_last(moot: Cli, script: Any, design: str) -> None:
    done = moot("deliberate", design, *FOR, "--judge", script(answers=CONVINCED), "--json")
    lines = [msgspec.json.decode(line) for line in done.stdout.splitlines()]

    assert 0 == done.returncode
    assert {"id"} == lines[-1].keys()
    assert [{"frame"}] * (len(lines) - 1) == [set(line) for line in lines[:-1]]
    assert "debate_concluded" == lines[-2]["frame"]["event"]["type"]


@pytest.mark.slow
def test_the_exit_code_is_0_for_any_verdict_and_1_without_one(moot: Cli, script: Any, design: str) -> None:
    for verdict in ("PASS", "CONDITIONAL", "FAIL"):
        model = script(verdict, answers={"deliberate:*": opinion_answer(verdict)})
        assert 0 == moot.here("deliberate", design, *FOR, "--judge", model).returncode

    nobody = script("nobody", answers={"deliberate:*": {"fault": fault("refuse", 9)}})
    done = moot("deliberate", design, *FOR, "--judge", nobody)
    assert 1 == done.returncode
    assert b"no verdict: no judge gave a usable opinion" in done.stderr
    assert b"Verdict: No verdict: no judge gave" in done.stdout


@pytest.mark.slow
def test_standard_input_is_judged(moot: Cli, script: Any) -> None:
    done = moot("deliberate", "-", *FOR, "--judge", script(), stdin=TEXT.encode())

    assert 0 == done.returncode, done.stderr.decode()
    assert b"Does standard input pass as a design to build from?" in done.stdout


@pytest.mark.slow
def test_models_of_the_panel_take_turns_and_rounds_are_settable(moot: Cli, script: Any, design: str) -> None:
    one, two = script("one", answers=SPLIT), script("two", answers=SPLIT)
    done = moot("deliberate", design, *FOR, "--panel", f"{one},{two}", "--rounds", "1", "--timeout", "9", "--json")
    events = [msgspec.json.decode(line)["frame"]["event"] for line in done.stdout.splitlines()[:-1]]
    opened = events[0]

    assert 0 == done.returncode, done.stderr.decode()
    short = ["scripted:one.json", "scripted:two.json"]
    assert [*short, *short, short[0]] == [seat["model"] for seat in opened["panel"]]
    assert list(PERSONAS) == [seat["name"] for seat in opened["panel"]]
    assert (1, 9) == (opened["rubric"]["deliberation"]["rounds"], opened["rubric"]["deliberation"]["judge_s"])
    assert 1 == [event["type"] for event in events].count("deliberation_held")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("nul.bin", b"abc\0def", "NUL"),
        ("latin.txt", "Größe".encode("latin-1"), "not UTF-8 text: byte 3"),
        ("empty.txt", b"", "is empty"),
        ("blank.txt", b" \n\t", "is empty"),
        ("bom.txt", b"\xef\xbb\xbf", "is empty"),
        ("big.txt", b"x" * 5_000_000, "too long"),
        ("long.txt", b"x" * 200_001, "200,001"),
        ("utf16.txt", "text".encode("utf-16"), "not text"),
        (None, b"", "No such file"),
        (".", b"", "directory"),
    ],
)
def test_a_file_that_is_not_text_is_one_clear_line_and_nothing_is_recorded(
    moot: Cli, script: Any, name: str | None, content: bytes, says: str
) -> None:
    if name is not None and name != ".":
        (moot.home / name).write_bytes(content)
    file = str(moot.home / (name or "missing.txt"))

    errors = said(moot.here("deliberate", file, *FOR, "--judge", script()), 2, says)
    assert 1 == errors.count("\n")
    assert says in as_json(moot.here("deliberate", file, *FOR, "--judge", script(), "--json"), 2, "file")["message"]
    assert not moot.store.exists()


def test_a_file_that_may_not_be_read_is_refused(design: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied", str(path))  # also for root, who may read any file

    monkeypatch.setattr(Path, "open", closed)

    with pytest.raises(BadField, match="Permission denied"):
        read_text(design)


@pytest.mark.parametrize(
    ("args", "code", "field"),
    [
        ((), 2, "file"),
        (("DESIGN", "--rounds", "10"), 2, "rounds"),
        (("DESIGN", "--timeout", "0"), 2, "timeout_s"),
        (("DESIGN", "--judge", "nope:x"), 2, "judge.model"),
        (("DESIGN", "--panel", "nobody"), 2, "panel.0"),
        (("DESIGN", "--panel", ""), 2, "panel"),
        (("DESIGN", "--panel", "scripted:a,,"), 2, "panel"),
        (("DESIGN", "--judges", "qa_evaluator"), 2, "judges"),
        (("DESIGN", "--judges", "qa_evaluator=scripted:a", "--panel", "scripted:a"), 2, "judges"),
        (("DESIGN", "--judges", "nobody=scripted:a,qa_evaluator=scripted:a"), 2, "panel.0"),
        (("DESIGN", "--for", ""), 2, "artifact.purpose"),
    ],
)
def test_a_wrong_option_is_refused(moot: Cli, script: Any, design: str, args: Any, code: int, field: str) -> None:
    given = [*FOR, *(each.replace("DESIGN", design) for each in args)]
    if "--judge" not in args:
        given += ["--judge", script()]

    as_json(moot.here("deliberate", *given, "--json"), code, field)
    assert not moot.store.exists() or not moot.json("list")["debates"]


def test_a_text_is_judged_for_something(moot: Cli, script: Any, design: str) -> None:
    error = as_json(moot.here("deliberate", design, "--judge", script(), "--json"), 2, "for")

    assert 'Say it: --for "a migration plan that can be rolled back"' in error["message"]
    assert not moot.store.exists()


@pytest.mark.slow
def test_on_a_terminal_the_purpose_is_asked_for(moot: Cli, script: Any, design: str) -> None:
    question = b"What is the text judged for:"
    code, output = answered(moot, b"a plan\n", "deliberate", design, "--judge", script(answers=SPLIT), asked=question)

    assert 0 == code, output
    assert "Does design.md pass as a plan?" in output


@pytest.mark.slow
def test_three_judges_are_seated_in_one_line(moot: Cli, script: Any, design: str) -> None:
    seats = [(name, script(name, answers=SPLIT)) for name in (PERSONAS[0], PERSONAS[2], PERSONAS[4])]
    listed = ",".join(f"{name}={model}" for name, model in seats)
    done = moot("deliberate", design, *FOR, "--judges", listed, "--panel-think", "low", "--json")
    opened = msgspec.json.decode(done.stdout.splitlines()[0])["frame"]["event"]

    assert 0 == done.returncode, done.stderr.decode()
    assert [name for name, _ in seats] == [seat["name"] for seat in opened["panel"]]
    assert [f"scripted:{name}.json" for name, _ in seats] == [seat["model"] for seat in opened["panel"]]
    assert {"low"} == {seat["think"] for seat in opened["panel"]}
    assert "a design to build from" == opened["artifact"]["purpose"]


@pytest.mark.slow
def test_a_server_that_holds_the_store_is_asked(moot: Cli, script: Any, design: str) -> None:
    with moot.server() as (_, address):
        done = moot("deliberate", design, *FOR, "--judge", script(answers=CONVINCED))

        assert 0 == done.returncode, done.stderr.decode()
        assert f"asking {address}" in done.stderr.decode()
        assert b"Weight behind each verdict: FAIL 100 %." in done.stdout
        assert [done.stdout.decode().splitlines()[-1]] == [row["id"] for row in moot.json("list")["debates"]]


# over HTTP


@pytest.mark.slow
def test_it_can_be_opened_over_http(site: Site, script: Any) -> None:
    body = artifact(judge={"model": script(answers=CONVINCED)})
    body["artifact"]["purpose"] = "a design to build from"
    created = site.client.post("/api/debates", json=body)

    assert 201 == created.status_code, created.text
    debate = created.json()["id"]
    assert {"winner": "neither", "by_rule": "artifact"}.items() <= site.ended(debate).items()
    view = site.get(f"/api/debates/{debate}")
    motion = "Does design.md pass as a design to build from?"
    assert ("concluded", motion, 0) == (view["state"], view["motion"], view["turns_planned"])
    assert "a design to build from" == view["artifact"]["purpose"]
    assert ("FAIL", "FAIL") == (view["panel"]["verdict"]["verdict"], view["panel"]["verdict"]["independent"])
    assert {"0", "1"} == view["panel"]["opinions"].keys()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"format": "deliberation"}, "artifact"),
        ({"format": "exchange", "artifact": {"text": "x"}}, "artifact"),
        (artifact(""), "artifact.text"),
        (artifact("x" * 200_001), "artifact.text"),
        ({"format": "deliberation", "artifact": {"text": TEXT, "purpose": " "}}, "artifact.purpose"),
        ({"format": "deliberation", "artifact": {"text": TEXT, "purpose": "x" * 301}}, "artifact.purpose"),
        (artifact(panel=["technical_architect"]), "panel"),
        (artifact(panel=[]), "panel"),
        (artifact(judge={"samples": 3}), "judge.samples"),
        (artifact(panel=[{"rater": "qa_evaluator", "samples": 2}, "domain_expert"]), "panel.0.samples"),
    ],
)
def test_a_wrong_body_names_its_field(site: Site, script: Any, fields: dict[str, Any], field: str) -> None:
    judge = {"model": script()} | fields.pop("judge", {})

    refused(site.client.post("/api/debates", json={"motion": "m", **fields, "judge": judge}), 422, field)


# time, failures, kills


async def deliberated(made: Harness, model: str, **request: Any) -> list[Any]:
    """The events of a deliberation that has ended, after checking the invariants of its log."""
    debate = await made.open(model, **artifact(**request))
    await made.ended(debate)
    return [record.event for record in await check_sound(made.log, debate)]


def of(events: list[Any], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_judge_that_does_not_answer_is_cancelled_at_the_time_limit(script: Any) -> None:
    silent = {"fault": {"kind": "timeout", "times": 9}}
    async with harness() as made:
        events = await deliberated(
            made, script(answers=SPLIT | {"deliberate:qa_evaluator:1": silent}), rubric=with_rules(timeout_s=0.3)
        )
    (held,) = of(events, DeliberationHeld)
    (failure,) = of(events, ModelFailed)
    (late,) = [each for each in of(events, OpinionGiven) if each.round == 1 and each.rater == "qa_evaluator"]

    assert ("timeout", "deliberate:qa_evaluator:1") == (failure.kind, failure.key)
    assert "no complete answer within 0.3 s" == failure.message
    assert "the 0.3 s of model time are used up" == held.ended
    assert 300 <= held.elapsed_ms
    assert isinstance(late.missing, Reason)
    assert 9 == len(of(events, ModelAnswered))
    assert isinstance(events[-1], DebateConcluded)


@pytest.mark.anyio
async def test_a_judge_that_fails_in_a_round_keeps_its_last_opinion(script: Any) -> None:
    broken = {"fault": fault("reset", 9)}
    async with harness() as made:
        events = await deliberated(made, script(answers=CONVINCED | {"deliberate:security_analyst:1": broken}))
    opinions = {(each.round, each.rater): each for each in of(events, OpinionGiven)}
    (verdict,) = of(events, ArtifactJudged)

    assert "FAIL" == opinions[0, "security_analyst"].verdict
    assert isinstance(opinions[1, "security_analyst"].missing, Reason)
    assert {"FAIL": 1.0} == verdict.shares
    assert 0.5 == verdict.independent_shares["FAIL"]


@pytest.mark.anyio
async def test_an_answer_that_fails_once_is_asked_again(script: Any) -> None:
    broken = {"fault": fault("bad_json"), "then": opinion_answer("PASS")}
    async with harness() as made:
        events = await deliberated(made, script(answers={"deliberate:risk*": broken, "deliberate:*": broken}))

    assert 5 == len(of(events, ModelFailed)) == len(of(events, ModelAnswered))
    assert "PASS" == of(events, ArtifactJudged)[0].verdict


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("cap", [0.4, 0.9])
async def test_the_cost_cap_is_kept(script: Any, cap: float) -> None:
    async with harness() as made:
        events = await deliberated(made, script(answers=SPLIT, cost_usd=0.1, pace={"answer_ms": 100}), max_cost_usd=cap)

    assert {0.4: 5, 0.9: 10}[cap] == len(of(events, ModelAnswered))
    assert "FAIL" == of(events, ArtifactJudged)[0].verdict
    assert [each for each in of(events, ArtifactJudged)[0].reasons if "the cost cap is reached" in each]


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("moment", ["debate_opened", "model_answered", "opinion_given", "deliberation_held"])
async def test_after_a_kill_at_any_moment_no_question_is_asked_twice(
    moot: Cli, script: Any, design: str, moment: str
) -> None:
    model = script(answers=SPLIT, pace={"answer_ms": 30})
    process = moot.start("deliberate", design, *FOR, "--judge", model, "--json")
    line_with(process.stdout, f'"type":"{moment}"'.encode())
    process.kill()
    process.communicate()
    (row,) = moot.json("list")["debates"]
    done = moot("run", "--resume", row["id"], "--json")

    assert 0 == done.returncode, done.stderr.decode()
    async with await SqliteLog.open(moot.store, read_only=True) as log:
        events = [record.event for record in await check_sound(log, row["id"])]
    assert 20 == len(of(events, ModelAnswered))
    assert [1, 2, 3] == [each.round for each in of(events, DeliberationHeld)]
    assert 1 == len(of(events, ArtifactJudged))
    assert isinstance(events[-1], DebateConcluded)


# a debate's panel


def rated(pro: float, con: float) -> dict[str, Any]:
    """Scores of a debate with four turns."""
    return {"scores": {str(turn): dict.fromkeys(CRITERIA, pro if turn % 2 else con) for turn in range(1, 5)}}


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_panel_that_changes_its_opinions_names_the_winner_of_its_independent_scores(script: Any) -> None:
    turned = {"verdict": "B", "confidence": 0.9, "scores": {}, "rationale": "they are right after all", "quote": ""}
    answers = {"panel:general": rated(6, 6), "panel:*": rated(8, 4), "deliberate:*": turned}
    concluded, winners = [], []
    for rules in ({}, {"rounds": 0}):
        async with harness() as made:
            model = script(answers=answers)
            debate = await made.open(model, turns=4, panel=[model], rubric=with_rules(**rules))
            end = await made.ended(debate)
            events = [record.event for record in await check_sound(made.log, debate)]
        concluded.append(of(events, PanelConcluded))
        assert isinstance(end, DebateConcluded)
        winners.append(end.winner)
        assert len(of(events, DeliberationHeld)) == (0 if rules else 1)
        if not rules:
            opinions = {(each.round, each.rater): each.verdict for each in of(events, OpinionGiven)}
            (held,) = of(events, DeliberationHeld)

    assert "tie" == opinions[0, "general"]
    assert {"con"} == {verdict for (number, _), verdict in opinions.items() if number}
    assert ["conformity"] * 4 == [change.kind for change in held.changes]
    assert ["pro", "pro"] == winners
    assert concluded[0] == concluded[1]
