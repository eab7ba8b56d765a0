"""Protocols, briefings, panels and artifacts on a terminal and as Markdown, from logs and from whole runs."""

import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from events.record import Recorded
from events.store.memory import MemoryLog
from events.types import ArgumentTraced, DecisionRecorded, Event, PanelConcluded
from events.view import view as views
from server.cli.debates.transcript import DebatePrinter
from server.export.debate.transcript import as_markdown
from server.export.text import escaped
from server.feed import frames
from tests.browser import artifact_logs, panel_logs, protocol_logs
from tests.judge.protocol.rounds import NAMES, RUBRIC_2, debate_after_rounds
from tests.server.children import Cli, seats
from tests.server.panels import AGREED
from tests.server.protocol_debates import answers

pytestmark = pytest.mark.anyio
HOSTILE = "| <img src=x> `code` *bold* [link](http://x) \x1b[31m and\n# a heading"


async def recorded(events: list[Event]) -> list[Recorded]:
    log = MemoryLog()
    await log.append("d1", 0, events)
    return list(await log.read("d1"))


async def markdown(events: list[Event]) -> str:
    fold = views.INITIAL
    for record in await recorded(events):
        fold = views.apply(fold, record)
    return as_markdown(fold.view)


async def streamed(events: list[Event], capsys: pytest.CaptureFixture[str]) -> str:
    """What a run of these events prints."""
    printer, fold = DebatePrinter(as_json=False), views.INITIAL
    for record in await recorded(events):
        fold, message = frames.step(fold, record, revealed=True)
        printer.take(message)
    printer.finish()
    return capsys.readouterr().out


def until(events: list[Event], kind: type) -> list[Event]:
    """The events before the first of a kind."""
    return events[: next(at for at, event in enumerate(events) if isinstance(event, kind))]


# Markdown


async def test_the_briefing_comes_first_and_names_claims() -> None:
    text = await markdown(panel_logs.irreconcilable())

    places = [text.index(f"## {title}") for title in ("Decision briefing", "▲ Pro", "Closings", "Trace", "The panel")]
    assert sorted(places) == places
    assert "### Rely on\n\n- PRO-2: Collecting fares costs more than it seems.\n- CON-1: The money buys" in text
    assert "### Do not use\n\n- PRO-3: Once buses are free" in text
    assert "### Still open\n\n- CON-3: " in text
    assert "### What to find out\n\n- How many of Dunkirk" in text


async def test_an_argument_has_its_answer_scores_and_fallacies() -> None:
    text = await markdown(panel_logs.irreconcilable())

    assert "### PRO-3 · refuted · 1.95 of 10" in text
    assert "**▼ Con refutes this:** No city that dropped its fares" in text
    assert "logic 2 · evidence 1 · responsiveness 3 · honesty 2" in text
    assert "- appeal to authority: “Professor Lindqvist" in text
    assert "| PRO-1 | upheld in part | 7 | 8 | 6 | 6 | 6.90 |" in text
    assert "Totals: Pro 16.50, Con 19.05" in text


async def test_a_statement_that_did_not_keep_its_form_is_marked_and_quoted() -> None:
    text = await markdown([protocol_logs.opened(), *protocol_logs.protocol(faulty=True)])

    assert "*This opening did not keep its form: 2 arguments where 3 are asked for.*\n\n> I have two good" in text
    assert "*Con’s cross-examination of it did not keep its form: PRO-9 is no argument.*" in text


async def test_answers_and_shifts_are_in_the_text() -> None:
    batch = debate_after_rounds(rubric=RUBRIC_2, answer_con={"CON-1": {"answer": "The shops pay for it."}})
    text = await markdown([draft.event for draft in batch.drafts])

    question = "And asks: *What does PRO-1 cost, and who pays?*"
    answer = "**▲ Pro answers:** PRO-1 costs what the tram costs now, and the city pays."
    assert f"{question}\n\n{answer}\n" in text
    assert "**▼ Con answers:** The shops pay for it." in text
    assert "*This round of answers did not keep its form: CON-2 is not answered; CON-3 is not answered.*" in text
    assert "**Position adjusted:** The question of costs set limits to it." in text


async def test_a_panel_without_a_winner_names_none() -> None:
    text = await markdown(panel_logs.irreconcilable())

    assert "**No winner is named: the raters are too far apart on an argument that decides. The judge’s" in text
    assert not re.search(r"\bwins\b|Winner: |concludes:", text)
    assert "the agreement would likely lie between 0.16 and 0.57" in text
    assert "ratio undefined (a score of 0 has no ratio)" in text
    assert text.index("- CON-1: technical 2.0") < text.index("- PRO-1: technical 9.0")
    assert "variance 9.67; it decides" in text
    assert "| CON-3 | 8.0 upheld | 3.0 refuted | not given | 5.0 upheld in part | 6.33 |" in text
    assert "- Without Risk rater: concluded, Pro (alpha 0.71, gap 9 %)" in text
    assert "Technical rater, scripted:technical: weight 28 %; right on 7 of 9" in text
    assert "stay the verdict of record" in text
    assert "Minds changed: 1 by evidence, 0 by a reason, 1 by conformity." in text


async def test_the_conclusion_of_a_panel_is_one_sentence() -> None:
    text = await markdown(panel_logs.agreeing())

    assert text.count("**The panel concludes: Pro.**") == 1
    assert "**Pro wins by the panel. The judge’s scores: Pro 16.5, Con 19.1.**" in text
    assert "Nothing is disputed" in text


async def test_a_decision_is_shown_with_the_outcome() -> None:
    decided = DecisionRecorded(by="operator", decision="Two lines first", reason="cheap to undo")
    text = await markdown([*panel_logs.irreconcilable(), decided])

    assert "**Decided by operator:** Two lines first\n\nThe reason: cheap to undo\n" in text


async def test_an_earlier_position_shows_nothing_of_later_ones() -> None:
    events = panel_logs.irreconcilable()
    text = await markdown(until(events, ArgumentTraced))

    assert "### PRO-1\n" in text
    assert not re.search(r"upheld|refuted|Trace|briefing|winner", text)
    assert "No winner" not in await markdown(until(events, PanelConcluded))


async def test_an_artifact_shows_both_verdicts_the_opinions_and_the_text() -> None:
    text = await markdown(artifact_logs.artifact())

    assert "## Verdict: CONDITIONAL" in text
    moved = "2 of 5 judges moved to it (1 by evidence, 1 by conformity). On their own: FAIL. The judges still differ."
    assert f"## Verdict: CONDITIONAL: {moved}\n\n### Against it\n\n- **Security analyst**: FAIL" in text
    assert "Before they read each other: FAIL 45 %, CONDITIONAL 40 %, PASS 15 %." in text
    assert "“words that nobody wrote” (not found in the text)" in text
    assert "  - Domain expert gave no opinion: its opinion of round 1 stands\n" in text
    assert "- **Domain expert** (15 %): CONDITIONAL" in text
    assert artifact_logs.TEXT.splitlines()[2] in text
    assert "inner" not in text


async def test_text_of_a_debate_breaks_neither_a_line_nor_a_table() -> None:
    text = await markdown(panel_logs.irreconcilable(claims={"PRO-1": HOSTILE, "PRO-2": HOSTILE}))

    assert "\x1b" not in text
    assert "\n# a heading" not in text
    assert "\\| \\<img src=x\\> \\`code\\` \\*bold\\* \\[link\\](http://x) \\[31m and # a heading" in text
    assert "- PRO-2: \\| \\<img" in text


@pytest.mark.parametrize("given", ["a|b", "<b>", "a\nb", "\x00\x1b[0m", "“x”", ""])
def test_escaped_text_is_one_line(given: str) -> None:
    shown = escaped(given)

    assert shown.isprintable()
    assert [] == re.findall(r"(?<!\\)[|<>`*_]", shown)


# streaming


async def test_a_run_prints_rounds_statements_and_standings(capsys: pytest.CaptureFixture[str]) -> None:
    out = await streamed(panel_logs.irreconcilable(), capsys)
    lines = out.splitlines()

    assert [line for line in lines if line.startswith("round ")] == [
        "round 1 of 3: openings",
        "round 2 of 3: cross-examination",
        "round 3 of 3: closings",
        "round 1 of deliberation",
        "round 2 of deliberation",
        "round 3 of deliberation",
    ]
    assert lines[lines.index("▼ Con · turn 2") + 1].startswith("CON-1: The money buys more")
    assert any(line.startswith("  PRO-3 refuted · 1.95 of 10") for line in lines)
    assert any(line.startswith("  PRO-3, appeal to authority: “Professor Lindqvist") for line in lines)
    assert "  Risk rater: scored 5 items, 1 not given" in lines
    assert "totals: Pro 16.5, Con 19.05" in lines


async def test_a_run_ends_with_the_briefing_and_without_a_winner(capsys: pytest.CaptureFixture[str]) -> None:
    out = await streamed(panel_logs.irreconcilable(), capsys)

    assert "No winner is named: the raters are too far apart on an argument that decides." in out
    assert "  without Risk rater: concluded, Pro" in out
    assert "find out instead:" in out
    assert (
        out.index("Decision briefing")
        < out.index("- PRO-2: Collecting")
        < out.rindex("No winner is named: the raters are too far apart on an argument that decides. The judge’s")
    )
    assert "Winner:" not in out


async def test_a_run_names_what_did_not_keep_its_form(capsys: pytest.CaptureFixture[str]) -> None:
    out = await streamed([protocol_logs.opened(), *protocol_logs.protocol(faulty=True)], capsys)

    assert "Con’s opening did not keep its form: 2 arguments where 3 are asked for" in out
    assert "Con’s cross-examination did not keep its form: PRO-9 is no argument" in out


async def test_a_run_prints_answers_and_names_what_they_lack(capsys: pytest.CaptureFixture[str]) -> None:
    batch = debate_after_rounds(rubric=RUBRIC_2, answer_con={"CON-1": {"answer": "The shops pay for it."}})
    out = await streamed([draft.event for draft in batch.drafts], capsys)

    assert "round 3 of 4: answers" in out
    assert "▼ Con · turn 6\nCON-1: The shops pay for it." in out
    assert "Con’s round of answers did not keep its form: CON-2 is not answered; CON-3 is not answered" in out
    assert "Position: adjusted. The question of costs set limits to it." in out


async def test_an_artifact_is_replayed_with_its_verdict_last(capsys: pytest.CaptureFixture[str]) -> None:
    out = await streamed(artifact_logs.artifact(), capsys)

    lines = out.rstrip().splitlines()
    assert lines[-1].startswith("Verdict: CONDITIONAL: 2 of 5 judges moved to it (1 by evidence, 1 by conformity).")
    assert "Against it" == lines[-3]
    assert "  Domain expert gave no opinion: its opinion of round 1 stands" in lines
    assert lines[-2].startswith("  Security analyst     FAIL")
    assert "Weight behind each verdict: CONDITIONAL 76 %, FAIL 24 %." in lines


# as commands


@pytest.fixture
def protocol(moot: Cli, script: Callable[..., str]) -> str:
    """The output of a scripted protocol."""
    done = moot("run", "Cities should ban cars", "--format", "protocol", *seats(script(answers={})))

    assert done.returncode == 0, done.stderr.decode()
    return str(done.stdout.decode())


@pytest.mark.slow
def test_a_scripted_protocol_is_run_shown_and_exported(moot: Cli, protocol: str) -> None:
    debate = protocol.splitlines()[-1]
    shown = moot("show", debate).stdout.decode()
    exported = moot("export", debate, "--as", "md").stdout.decode()
    view: Any = moot.json("show", debate)

    assert "round 2 of 4: cross-examination" in protocol
    assert "round 3 of 4: answers" in protocol
    assert "The script gives no answer about PRO-1." in exported
    assert "Decision briefing" in protocol
    assert "Decision briefing" in shown
    assert "Trace" in shown
    assert "## Decision briefing" in exported
    assert all(f"### {name} · " in exported for name in view["protocol"]["arguments"])
    assert msgspec.json.decode(moot("export", debate, "--as", "json").stdout) == view


# the audit


def test_an_audit_of_a_protocol_explains_its_arguments(moot: Cli, script: Callable[..., str]) -> None:
    model = script(answers=answers() | AGREED)
    asked = ["run", "Cities should ban cars", "--format", "protocol", "--panel", ",".join([model] * 4)]
    debate = moot(*asked, *seats(model)).stdout.decode().split()[-1]
    whole, one = moot("audit", debate).stdout.decode(), moot("audit", debate, "con-2").stdout.decode()
    wrong, unknown = moot("audit", debate, "second"), moot("audit", debate, "PRO-7")

    assert "no score" not in whole
    assert 6 == len(re.findall(r"^(?:PRO|CON)-[123] · . (?:Pro|Con) · upheld · \d of 10$", whole, re.MULTILINE))
    assert one.startswith("CON-2 · ▼ Con · upheld · 5 of 10")
    assert "logic 5 × 0.3 + evidence 5 × 0.3 + responsiveness 5 × 0.25 + honesty 5 × 0.15 = 5." in one
    assert "Con’s total is the mean of 5, 5 and 5, times 3: 15.00." in one
    assert 4 == one.count("CON-2 is worth")
    assert one in whole
    assert [each["argument"] for each in moot.json("audit", debate)] == ["PRO-1", "PRO-2", "PRO-3", *NAMES[3:]]
    assert moot.json("audit", debate, "CON-2") == moot.json("audit", debate)[4]
    assert (2, 3) == (wrong.returncode, unknown.returncode)
    assert "name a turn by its number, or an argument such as PRO-1" in wrong.stderr.decode()
    assert "it has PRO-1, PRO-2, PRO-3, CON-1, CON-2 and CON-3" in unknown.stderr.decode()
    exported = moot("export", debate, "--as", "md").stdout.decode()
    assert "honesty 5 × 0.15 = 5." in exported
    again = moot("rejudge", debate, "--judge", model).stdout.decode().split()[-1]
    compared = moot("compare", debate, again).stdout.decode()
    assert "Standings: the same for 6 of 6 arguments" in compared
    assert "turn" not in compared
