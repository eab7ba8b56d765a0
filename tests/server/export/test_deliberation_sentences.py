"""Every sentence about a verdict on a document follows from the answers in the log.

The two logs are deliberations of which every answer was written by hand: one ends by reasons, one by conformity.  What
is said is computed here a second time, from the raw answers and not from the events that the rules derived.
"""

import json
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from events.transfer import parse_lines
from events.types import DebateOpened, ModelAnswered
from events.view import view as views
from events.view.view import View
from server.cli.debates.opinions import DeliberationPrinter
from server.export.debate.transcript import as_markdown
from server.feed import frames
from server.whatif.replay import replay

LOGS = Path(__file__).parents[1] / "debate" / "logs"
ORDER = ("FAIL", "CONDITIONAL", "PASS")
DIMENSIONS = ("soundness", "completeness", "clarity", "risk")
KINDS = ("evidence", "reason", "conformity")
every_log = pytest.mark.parametrize("name", ["reasons", "conformity"])
HEADLINE = re.compile(
    r"(?P<verdict>[A-Z]+)"
    r"(?:, by conformity: (?P<conformed>\d) of (?P<all>\d) judges moved without new words or a reason\."
    r"|: (?P<moved>\d) of (?P<judges>\d) judges moved to it \((?P<ways>[^)]*)\)\.|\.)"
    r"(?: On their own: (?P<own>[A-Z]+)\.)?(?P<end> The judges still differ\.| All judges hold it\.)?"
)


class Told(NamedTuple):
    """A log as it is told: the view, Markdown, and what a terminal prints."""

    records: tuple[Any, ...]
    view: View
    markdown: str


class Answers:
    """The raw answers of a log: by round and judge."""

    def __init__(self, records: tuple[Any, ...]) -> None:
        opened = records[0].event
        assert isinstance(opened, DebateOpened)
        assert opened.artifact is not None
        self.text = plain(opened.artifact.text)  # type: ignore[union-attr]
        self.titles = {seat.name: seat.title for seat in opened.panel}
        self.weight = {seat.name: float(seat.share) for seat in opened.panel}  # type: ignore[arg-type]
        self.rounds: dict[int, dict[str, Any]] = defaultdict(dict)
        self.same_as: dict[str, str] = {}
        for record in records:
            if isinstance(record.event, ModelAnswered):
                _, _, about = record.event.key.partition(":")
                answer = json.loads(record.event.answer)
                if not about:
                    self.same_as = answer["same_as"]
                    continue
                rater, _, number = about.partition(":")
                self.rounds[int(number)][rater] = answer
        for number, each in self.rounds.items():
            self.rounds[number] = {rater: each[rater] for rater in self.titles}
        self.first, self.last = self.rounds[0], self.rounds[max(self.rounds)]

    def shares(self, verdicts: dict[str, str]) -> dict[str, float]:
        behind: dict[str, float] = defaultdict(float)
        for rater, verdict in verdicts.items():
            behind[verdict] += self.weight[rater]
        return {name: round(100 * each, 6) for name, each in behind.items()}

    def leading(self, verdicts: dict[str, str]) -> str:
        behind = self.shares(verdicts)
        return max((name for name in ORDER if name in behind), key=behind.__getitem__)

    def agreement(self, number: int) -> float:
        now = self.rounds[number].values()
        verdicts = [each["verdict"] for each in now]
        ranges = [max(each["scores"][name] for each in now) - min(each["scores"][name] for each in now)
                  for name in DIMENSIONS]  # fmt: skip
        commonest = max(verdicts.count(each) for each in verdicts) / len(verdicts)
        return 0.6 * commonest + 0.4 * sum(1 - each / 2 for each in ranges) / len(ranges)

    def changes(self) -> list[tuple[int, str, str, str, str, str]]:
        """Round, judge, from, to, kind, and the words that moved it."""
        found = []
        for number in sorted(self.rounds)[1:]:
            before = self.rounds[number - 1]
            for rater, now in self.rounds[number].items():
                was = before[rater]["verdict"]
                if was == now["verdict"]:
                    continue
                quotes = [plain(self.rounds[n][rater]["quote"]) for n in range(number)]
                quote = plain(now["quote"])
                other = next((name for name, title in self.titles.items() if title == now["moved_by"]), None)
                shown = [] if other is None else [before[other]["rationale"][:300], *before[other]["findings"]]
                kind, words = "conformity", ""
                if quote in self.text and not any(quote in each or each in quote for each in quotes):
                    kind, words = "evidence", now["quote"]
                elif now["moved_words"] and any(plain(now["moved_words"]) in plain(each) for each in shown):
                    kind, words = "reason", now["moved_words"]
                found.append((number, rater, was, now["verdict"], kind, words))
        return found

    def standing(self, rater: str) -> dict[str, list[str]]:
        """What a judge found, and has not withdrawn."""
        held: dict[str, list[str]] = {"findings": [], "remediation": []}
        for number in sorted(self.rounds):
            answer = self.rounds[number][rater]
            for letter, name in (("F", "findings"), ("R", "remediation")):
                gone = {int(each[1:]) for each in answer.get("withdraws", []) if each[0] == letter}
                held[name] = [each for at, each in enumerate(held[name], 1) if at not in gone] + answer[name]
        return held


def plain(text: str) -> str:
    return " ".join(text.split()).casefold()


@cache
def told(name: str) -> Told:
    path = LOGS / f"loan_register_{name}.ndjson"
    records = tuple(parse_lines(path.read_bytes().splitlines(keepends=True)))
    view = views.apply_all(views.INITIAL, records).view
    return Told(records, view, as_markdown(view))


def section(text: str, title: str) -> list[str]:
    """The items of the part of a Markdown text under a heading."""
    part = re.split(r"(?m)^#+ ", text.partition(f"# {title}\n")[2])[0]
    return [line.removeprefix("- ") for line in part.splitlines() if line.startswith("- ")]


@every_log
def test_the_rules_of_today_give_what_the_log_says(name: str) -> None:
    again = replay(told(name).records, lambda opened: opened)

    assert (0, ()) == (again.diverges_at, again.unanswered)
    assert again.recorded.panel == again.would_be.panel


@every_log
def test_the_headline(name: str) -> None:
    log = told(name)
    raw, says = Answers(log.records), log.view.panel.says  # type: ignore[union-attr]
    found = HEADLINE.fullmatch(str(says))
    assert found is not None, says
    first, last = ({rater: each["verdict"] for rater, each in one.items()} for one in (raw.first, raw.last))
    verdict, own = raw.leading(last), raw.leading(first)
    changes = raw.changes()
    earned = dict(first)
    for _, rater, _, after, kind, _ in changes:
        earned[rater] = after if kind != "conformity" else earned[rater]
    kinds = [kind for _, rater, _, after, kind, _ in changes if after == last[rater] == verdict]

    assert verdict == found["verdict"]
    assert (own if own != verdict else None) == found["own"]
    assert (raw.leading(earned) != verdict) == (found["conformed"] is not None)
    if found["conformed"] is not None:
        assert (str(kinds.count("conformity")), str(len(last))) == (found["conformed"], found["all"])
    else:
        ways = [f"{kinds.count(kind)} {'by a reason' if kind == 'reason' else f'by {kind}'}" for kind in KINDS]
        assert (str(len(kinds)), str(len(last))) == (found["moved"], found["judges"])
        assert [each for each in ways if each[0] != "0"] == found["ways"].split(", ")
    assert (len(set(last.values())) == 1) == (found["end"] == " All judges hold it.")
    assert (raw.agreement(max(raw.rounds)) < 0.8) == (found["end"] == " The judges still differ.")
    assert f"# Verdict: {says}\n" in log.markdown
    assert 1 == log.markdown.count(" On their own: ")


@every_log
def test_who_is_against_it_stands_under_the_headline_with_its_reason(name: str) -> None:
    log = told(name)
    raw = Answers(log.records)
    verdict = raw.leading({rater: each["verdict"] for rater, each in raw.last.items()})
    against = {rater: each for rater, each in raw.last.items() if each["verdict"] != verdict}

    assert against
    assert len(against) == len(section(log.markdown, "Against it"))
    for line, (rater, each) in zip(section(log.markdown, "Against it"), against.items(), strict=True):
        sure = f"{100 * each['confidence']:.3g} %"
        said = f"{each['verdict']}, confidence {sure}. {each['rationale']} “{each['quote']}”"
        assert f"**{raw.titles[rater]}**: {said}" == line
    heading = log.markdown.index("# Verdict: ")
    assert log.markdown.index("# Against it") < log.markdown.index("# Findings")
    assert heading < log.markdown.index("# Against it") < heading + 300


@every_log
def test_the_weights(name: str) -> None:
    log = told(name)
    raw = Answers(log.records)
    for title, opinions in (("Weight behind each verdict", raw.last), ("Before they read each other", raw.first)):
        (line,) = re.findall(rf"(?m)^{title}: (.*?)\.\s*$", log.markdown)
        said = {each.split()[0]: float(each.split()[1]) for each in line.split(", ")}
        assert pytest.approx(raw.shares({rater: each["verdict"] for rater, each in opinions.items()})) == said


@every_log
def test_findings_stand_once_with_everybody_who_named_them(name: str) -> None:
    log = told(name)
    raw = Answers(log.records)
    for kind, title in (("findings", "Findings"), ("remediation", "Remediation")):
        named: dict[str, set[str]] = defaultdict(set)
        for rater in raw.titles:
            for text in raw.standing(rater)[kind]:
                named[text].add(raw.titles[rater])
        seen = []
        for line in section(log.markdown, title):
            found = re.fullmatch(r"(.+) \(([^;()]+)(?:; also “(.+)”)?\)", line)
            assert found is not None, line
            texts = [found[1], *(found[3].split("”, “") if found[3] else [])]
            seen += texts
            assert {who for text in texts for who in named[text]} == set(re.split(", | and ", found[2]))
        assert sorted(named) == sorted(seen)
        merged = sum(each != "none" for key, each in raw.same_as.items() if key[0] == title[0])
        assert len(named) - merged == len(section(log.markdown, title))


@every_log
def test_each_round_and_each_change_of_verdict(name: str) -> None:
    log = told(name)
    raw = Answers(log.records)
    by = {"evidence": "by evidence", "reason": "by a reason", "conformity": "by conformity"}
    for number in sorted(raw.rounds)[1:]:
        figures = f"agreement {raw.agreement(number - 1):.2f} → {raw.agreement(number):.2f}"
        (at,) = [
            n for n, line in enumerate(log.markdown.splitlines()) if line.startswith(f"- Round {number}: {figures}")
        ]
        lines = []
        for line in log.markdown.splitlines()[at + 1 :]:
            if not line.startswith("  - "):
                break
            lines.append(line.removeprefix("  - "))
        expected = []
        for n, rater, was, now, kind, words in raw.changes():
            if n == number:
                whose = f" of the {raw.rounds[n][rater]['moved_by']}" if kind == "reason" else ""
                said = f": “{words}”" if words else ""
                expected.append(f"{raw.titles[rater]}: {was} → {now}, {by[kind]}{whose}{said}")
        assert expected == lines
    kinds = [each[4] for each in raw.changes()]
    counted = ", ".join(f"{kinds.count(kind)} {by[kind]}" for kind in KINDS)
    assert f"Minds changed: {counted}." in log.markdown


@every_log
def test_the_terminal_says_the_same(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    log, printer, fold = told(name), DeliberationPrinter(as_json=False), views.INITIAL
    for record in log.records:
        fold, message = frames.step(fold, record, revealed=True)
        printer.take(message)
    out = " ".join(capsys.readouterr().out.split())

    assert out.endswith(f" Verdict: {log.view.panel.says}")  # type: ignore[union-attr]
    for title in ("Findings", "Remediation"):
        for each in section(log.markdown, title):
            assert f" - {each} " in out
