"""``moot say`` and ``moot run --blind``; the moderator's messages and the audience in a transcript."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from events.record import Draft
from events.types import (
    AudienceVoted,
    BeliefStated,
    DebateConcluded,
    DebateHalted,
    Event,
    ModeratorSpoke,
    TurnsCompared,
)
from events.view import view as views
from events.view.view import View
from server.cli.debates.transcript import DebatePrinter
from server.export.debate.transcript import as_markdown
from server.feed import frames
from tests.server.children import Cli, as_json, said, seats
from tests.server.debate_events import opened, recorded, spoken, started
from tests.server.site import MOTION

Script = Callable[..., str]
COMPARED = TurnsCompared(earlier=1, later=2, outcomes={"logic": "later"}, flipped=(), reason="so")
EVENTS: list[Event] = [
    ModeratorSpoke(text="Be brief.", by="Ada"),
    started(1),
    spoken(1),
    ModeratorSpoke(text="What does *it* cost?", by="Bo"),
    started(2),
    spoken(2),
    COMPARED,
    AudienceVoted(voter="a", winner="con"),
    AudienceVoted(voter="b", winner="pro"),
    AudienceVoted(voter="c", winner="con"),
    BeliefStated(voter="a", turn=1, belief=60.0),
    BeliefStated(voter="a", turn=2, belief=45.0),
]
END = DebateConcluded(winner="con", by_rule="scorecard")


def shown(*events: Draft | Event) -> View:
    fold = views.INITIAL
    for record in recorded(events):
        fold = views.apply(fold, record)
    return views.for_director(fold)


def streamed(capsys: pytest.CaptureFixture[str], *events: Draft | Event) -> str:
    printer, fold = DebatePrinter(as_json=False), views.INITIAL
    for record in recorded(events):
        fold, frame = frames.step(fold, record)
        printer.take(frame)
    printer.finish()
    return capsys.readouterr().out


def test_markdown_has_the_messages_after_their_turns() -> None:
    text = as_markdown(shown(opened(), *EVENTS))
    said_in_order = ("**Ada, to both sides:** Be brief.", "## Turn 1", r"What does \*it\*", "## Turn 2")
    places = [text.index(each) for each in said_in_order]

    assert sorted(places) == places


def test_markdown_compares_the_audience_with_the_judge_only_after_the_end() -> None:
    live, ended = as_markdown(shown(opened(), *EVENTS)), as_markdown(shown(opened(), *EVENTS, END))

    assert "## The audience" not in live
    for line in (
        "- 3 votes: 1 for Pro, 2 for Con, 0 for neither; 67 % agree with the verdict (Con)",
        "- belief after each turn, 0 Con to 100 Pro: turn 1: 60 (of 1) · turn 2: 45 (of 1)",
        "- turn 2: -15 by one person, towards Con, who won the exchange",
        "- beliefs moved towards the winner in 1 of 1 exchanges",
    ):
        assert line in ended.splitlines()


def test_the_messages_of_a_protocol_are_a_list() -> None:
    text = as_markdown(shown(replace(opened(6), format="protocol"), ModeratorSpoke(text="Be brief.", by="Ada")))

    assert "## The moderator\n\n- after turn 0, Ada: Be brief." in text


def test_a_run_prints_a_message_when_it_comes_and_the_audience_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    text = streamed(capsys, opened(), *EVENTS, END)

    assert "Bo, to both sides: What does *it* cost?" in text
    assert "67 % agree with the verdict (Con)" in text
    assert text.index("Bo, to") < text.index("turn 2")


def test_a_halted_run_does_not_print_the_audience(capsys: pytest.CaptureFixture[str]) -> None:
    assert "votes" not in streamed(capsys, opened(), *EVENTS, DebateHalted(reason="tea", by="x"))


# the commands


def halted_debate(moot: Cli, script: Script) -> str:
    """A debate that is halted because its first turn failed."""
    fault = {"kind": "auth", "times": 1}
    model = script(says={"pro": [{"text": "", "fault": fault, "then": "Trams."}], "con": ["No."]})
    done = moot("run", MOTION, "--turns", "2", *seats(model), "--blind")

    assert 1 == done.returncode
    assert "halted: turn 1 (pro) failed once, last: auth. Mend" in done.stderr.decode()
    return done.stdout.decode().splitlines()[-1]


@pytest.mark.slow
def test_a_message_is_recorded_in_the_store_and_added_to_the_next_prompts(moot: Cli, script: Script) -> None:
    debate = halted_debate(moot, script)
    head = moot.json("show", debate)["position"]

    assert {"id": debate, "position": head + 1} == moot.json("say", debate[:20], "What does it cost?", "--by", "Ada")
    assert 0 == moot("run", "--resume", debate).returncode
    view = moot.json("show", debate)
    assert {"text": "What does it cost?", "by": "Ada", "after_turn": 0} == view["words"][str(head + 1)]
    log = moot("export", debate).stdout.decode()
    for side in ("pro", "con"):
        (asked,) = [
            line for line in log.splitlines() if f'"key":"speak:{side}"' in line and '"type":"model_answered"' in line
        ]
        assert "model_answered" in asked
    assert 1 == log.count(
        "The moderator says to both sides: “What does it cost?”"
    )  # once, in the first prompt that uses it
    assert 0 == moot("verify", debate).returncode
    said(moot("say", debate, "hm"), 1, "the debate has concluded")
    assert "not_now" == as_json(moot("say", debate, "hm", "--json"), 1)["code"]


@pytest.mark.slow
def test_a_message_is_recorded_by_the_server_that_holds_the_store(moot: Cli, script: Script) -> None:
    debate = halted_debate(moot, script)
    with moot.server():
        done = moot("say", debate, "What does it cost?")
        assert (0, f"{debate}\n") == (done.returncode, done.stdout.decode())
        assert "a server holds this store" in done.stderr.decode()
        assert ["operator"] == [each["by"] for each in moot.json("show", debate)["words"].values()]


@pytest.mark.slow
def test_what_is_refused(moot: Cli, script: Script) -> None:
    debate = halted_debate(moot, script)

    said(moot.here("say", debate, " "), 2, "text is a text of 1 to 1,000 characters")
    said(moot.here("say", debate, "x" * 1001), 2, "text")
    said(moot.here("say", "nobody", "hm"), 3)
    assert "text" == as_json(moot.here("say", debate, "", "--json"), 2, "text")["field"]


@pytest.mark.slow
def test_a_blind_run_prints_no_name_before_its_end(moot: Cli, script: Script) -> None:
    model = script("zqnamezq", label="zqlabelzq")
    done = moot("run", MOTION, "--turns", "2", *seats(model), "--blind", "--json")
    before, last = _split(done.stdout.decode().splitlines())

    assert 0 == done.returncode
    assert not [line for line in before if "zq" in line]
    assert "zqnamezq" in last


def _split(lines: list[str]) -> tuple[list[str], Any]:
    at = next(number for number, line in enumerate(lines) if '"type":"debate_concluded"' in line)
    return lines[:at], lines[at]
