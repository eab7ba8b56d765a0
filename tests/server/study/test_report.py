"""The report of a study: each sentence is said where its rows imply it, and not elsewhere; forms, page, command."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from judge.study.items import Answered
from judge.study.results import StudyAudit, StudyFigure
from judge.study.simulation import simulated
from judge.study.study import study_of
from server.cli.main import main
from server.export.document.markdown import to_markdown
from server.study.document import (
    conclusion,
    finding_sentence,
    gain_sentence,
    position_sentence,
    power_sentence,
    study_document,
    vote_sentence,
)
from server.study.forms import FORMS
from server.study.report import StudyShown
from tests.server.children import Cli
from tests.server.site import Site, serving


def rows(gain: float, *, items: int = 24, clusters: int = 12, spread: int = 1) -> list[Answered]:
    """A judge that is right alone in every second item, and after a debate in as many more as the gain says."""
    made = []
    for n in range(items):
        for arm, right in (("naive", n % 2 == 0), ("debate", n % 2 == 0 or n < 2 * gain * items * spread)):
            made += [
                Answered(
                    item=f"i{n}", cluster=f"c{n % clusters}", arm=arm, debater="d" if arm == "debate" else "",
                    judge="j", swapped=swapped, right_letter="B" if swapped else "A",
                    p_right=0.9 if right else 0.2, tokens=10,
                    debate=f"{n}{arm}{swapped}",
                )
                for swapped in (False, True)
            ]  # fmt: skip
    return made


def shown(given: list[Answered], **more: Any) -> StudyShown:
    facts: dict[str, Any] = {
        "id": "b1", "name": "trial", "state": "concluded", "reason": "", "planned": 96, "ended": 96, "data": "own",
        "notes": (), "sees": "debaters", "rounds": 3, "arms": ("naive", "debate"), "swaps": True, "repeats": 1,
        "debaters": ("d",), "judges": ("j",), "audit": None, "people": None,
    }  # fmt: skip
    return StudyShown(result=study_of(given), rows=tuple(given), **facts | more)


def said(study: StudyShown) -> str:
    return to_markdown(study_document(study))


def test_a_gain_is_claimed_where_it_is_beyond_chance_and_not_elsewhere() -> None:
    better, (none,) = said(shown(rows(0.4))), study_of(rows(0)).whole.gains
    assert "Debate is better than the judge alone by 41.7 points (95 % interval +" in better
    assert "not distinguishable" not in better
    assert gain_sentence(none, 0.05).startswith(
        "Debate and the judge alone are not distinguishable: the difference is ±0"
    )
    assert "better" not in gain_sentence(none, 0.05)

    (one,) = study_of([replace(row, cluster="c") for row in rows(0.4)]).whole.gains
    assert gain_sentence(one, 0.05) == (
        "Debate and the judge alone cannot be compared: the difference is +41.7 points on 24 items of one cluster, "
        "which has no interval."
    )
    apart = [replace(row, item=row.item + row.arm) for row in rows(0.4)]
    (nothing,) = study_of(apart).whole.gains
    assert "cannot be compared: no item has all its answers in both" in gain_sentence(nothing, 0.05)


def test_what_the_correction_takes_away_is_said_and_equivalence_needs_its_interval() -> None:
    (gain,) = study_of(rows(0.15)).whole.gains
    assert gain.p is not None
    taken = replace(gain, p=0.03, holm=0.12, family=4, verdict="uncorrected")
    assert "not distinguishable as one of 4 comparisons" in gain_sentence(taken, 0.05)
    assert "which leaves 0 out; p = 0.120 by Holm's method for 4 comparisons" in gain_sentence(taken, 0.05)
    assert "worse" not in gain_sentence(gain, 0.05)
    assert "equivalent" not in gain_sentence(gain, 0.05)

    many = rows(0, items=400, clusters=200)
    (same,) = study_of(many, 0.05).whole.gains
    assert "They are equivalent within ±5 points, by two one-sided tests" in gain_sentence(same, 0.05)
    turned = [replace(row, arm={"naive": "debate", "debate": "naive"}[row.arm]) for row in rows(0.4)]
    assert "Debate is worse than the judge alone by 41.7 points" in said(shown(turned))


def test_what_differs_from_the_papers_names_what_was_held() -> None:
    alone = [row for row in rows(0.4) if row.arm == "naive"]
    read = SimpleNamespace(items=24, value=0.8, low=0.7, high=0.9, clusters=12)

    assert "Here: 24 items of own; 3 rounds of debate; argued by d; judged by j." in said(shown(rows(0.4)))
    assert "Here: 24 items of own; judged by j." in said(shown(alone))
    assert "Here: 24 items of own; speeches that people gave; judged by j." in said(shown(rows(0.4), people=read))


def test_what_is_missing_unfinished_or_scripted_is_said_where_it_is_so() -> None:
    whole = rows(0.4)
    lost = [replace(row, p_right=None, missing="the debate failed") if n == 3 else row for n, row in enumerate(whole)]
    text = said(shown(lost, ended=90, state="halted", reason="the budget is spent", judges=("scripted:study",)))

    assert "This study is not finished (halted): 90 of 96 debates are over." in text
    assert "It is halted: the budget is spent" in text
    assert "Debate: 1 missing answer: the debate failed (1). 1 item left out." in text
    assert "scripted:study: a script, not a model." in text
    usual = said(shown(whole))
    for absent in (
        "not finished",
        "missing answer:",
        "a script",
        "one order only",
        "The intervals were tried",
        "favours",
    ):
        assert absent not in usual, absent
    few = said(shown([replace(row, cluster=row.cluster[:2]) for row in whole], swaps=False))
    assert "There are 10 clusters. The intervals were tried with 12 and more." in few
    assert "one order only" in few
    assert "is always right" not in few
    only_b = said(shown([row for row in whole if row.right_letter == "B"], swaps=False))
    assert "The right answer is B in all of them: a judge that always says so is always right." in only_b


def test_a_favoured_letter_is_named_only_beyond_chance() -> None:
    first = [replace(row, p_right=0.9 if row.right_letter == "A" else 0.3) for row in rows(0.4)]
    arm = study_of(first).whole.arms[0]

    assert "favours the letter A: it is right 100.0 points more often where the right answer is A" in position_sentence(
        arm
    )
    assert position_sentence(study_of(rows(0.4)).whole.arms[0]) == ""


def test_votes_say_what_they_took() -> None:
    planted: Any = {"debate": 0.7, "vote": 0.6}
    vote = study_of(simulated(np.random.default_rng(1), 12, 2, planted)).whole.vote
    assert vote is not None
    assert "240 samples in 48 votes, 24,000 tokens; the debates took 26,400." in vote_sentence(vote)
    assert "ended before" not in vote_sentence(vote)
    assert "3 votes ended before the tokens of the debates were reached." in vote_sentence(replace(vote, short=3))
    alone = study_of(simulated(np.random.default_rng(1), 12, 2, {"vote": 0.6})).whole.vote
    assert alone is not None
    assert vote_sentence(alone).startswith("There are no debates to compare with")


def figure(value: float, low: float, high: float) -> StudyFigure:
    return StudyFigure(value, low, high, low, high, 12, 12)


def test_an_audit_says_what_it_shows_and_that_it_cannot_say() -> None:
    yes = StudyAudit(
        items=12, alone=figure(0.6, 0.4, 0.8), critic=figure(0.9, 0.7, 1), gap=figure(0.3, 0.1, 0.5), classifies="yes",
        moves_right=figure(1, 0.5, 1.5), moves_wrong=figure(0, -0.5, 0.5), verifies_by=figure(1, 0.4, 1.6),
        verifies="yes", detectable=0.25, detectable_of=(24, 16), missing=0,
    )  # fmt: skip
    assert conclusion(yes) == "The study can find a gain, if a debate passes on what the critic knows."
    assert "probability below 80 %" in conclusion(replace(yes, detectable=0.4))
    small = replace(yes, detectable=0.45, gap=figure(-0.1, -0.5, 0.42), classifies="open")
    assert "at most 42.0 points more often than the judge alone (upper end" in conclusion(small)
    assert "knows beyond" not in conclusion(small), "nothing shows that the critic knows more"
    assert "not expected to help" in conclusion(replace(yes, verifies="no"))
    assert "cannot be said" in conclusion(replace(yes, verifies="open"))
    assert finding_sentence(yes)[1].startswith("The judge verifies: ")
    assert finding_sentence(replace(yes, verifies="open"))[1].startswith("Whether the judge verifies cannot be said")
    assert finding_sentence(replace(yes, gap=None))[0].endswith("no item has both answers.")
    assert "finds a difference of 25 points and more" in power_sentence(yes)
    assert "finds no difference above" in power_sentence(replace(yes, detectable=None))
    audited = shown(rows(0.4), audit=replace(yes, missing=2), judges=("scripted:study",))
    assert "12 items audited; 2 answers missing." in said(audited)
    latex = FORMS["latex"](audited)
    assert "The study can find a gain, if a debate passes on" in latex
    assert "a script, not a model" in latex


def test_forms_hold_the_figures_and_latex_no_command_of_a_name() -> None:
    study = shown([replace(row, judge=r"a_b\input{x}") for row in rows(0.4)])
    study = replace(
        study,
        judges=(r"a_b\input{x}", "k"),
        result=replace(study.result, pairs=(replace(study.result.whole, judge=r"a_b\input{x}"),)),
    )
    made = {name: form(study) for name, form in FORMS.items()}

    assert made["csv"].splitlines()[2].startswith(",,debate,0.91")
    assert json.loads(made["json"])["result"]["whole"]["gains"][0]["verdict"] == "better"
    assert r"a\_b\textbackslash{}input\{x\}" in made["latex"]
    assert made["latex"].count(r"\begin{tabular}") == made["latex"].count(r"\end{tabular}") == 2
    assert "<h1>Study: trial</h1>" in made["html"]
    assert "Debate is better than the judge alone" in made["text"].replace("\n", " ")
    assert "](/study/b1?arm=naive" in made["md"], "a link of a file says where it leads"
    few = replace(study, swaps=False, result=study_of([replace(row, unpriced=True) for row in rows(0.4)]))
    assert "one order only" in FORMS["latex"](few)
    assert r"$\ge$ 0.0000" in FORMS["latex"](few), "a cost that is not known is a lower bound"
    assert r"$\ge$" not in made["latex"]
    assert "one order only" not in made["latex"]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    yield from serving()


def test_a_study_runs_by_the_command_and_its_page_opens_its_debates(tmp_path: Path) -> None:
    def run(*given: str) -> Any:
        return CliRunner().invoke(main, ["--store", f"sqlite:{tmp_path / 'moot.db'}", "study", *given])

    skilled = "scripted:study:naive=0,debate=1"
    held = run(
        "demo",
        "--items",
        "2",
        "--arms",
        "naive,debate",
        "--rounds",
        "1",
        "--debater",
        skilled,
        "--judge",
        skilled,
        "--yes",
    )
    assert held.exit_code == 0, held.output
    made = held.stdout.splitlines()[1]
    value = json.loads(run(made, "--json").stdout)
    accuracies = [each["accuracy"]["value"] for each in value["result"]["whole"]["arms"]]
    assert accuracies == [0.0, 1.0]
    assert value["is_finished"]
    assert len(value["rows"]) == 8
    assert run("demo", "--arms", "nothing").exit_code == 2
    assert run("own").exit_code == 2
    assert run("demo", "--people", "1", "--items", "1").exit_code == 2, "people need a server"


def test_the_page_opens_debates_and_is_there_for_studies_alone(site: Site) -> None:
    item = {"id": "q", "cluster": "p", "question": "Which?", "answers": ["One", "Two"], "right": 1}
    study = {"data": "own", "items": [item], "arms": ["naive"]}
    batch = {"name": "own", "models": ["baseline:lexical"], "judges": ["scripted:study"], "study": study}
    made = site.client.post("/api/debates", json={"format": "batch", "batch": batch, "max_cost_usd": None})
    assert made.status_code == 201, made.text
    debate = str(made.json()["id"])
    site.ended(debate)
    value = site.get(f"/api/studies/{debate}")
    page = site.client.get(f"/study/{debate}", params={"arm": "naive"}).text

    assert value["result"]["whole"]["arms"][0]["why_missing"] == {"the debate failed": 2}, "the script knows demo only"
    assert "Judge alone: 2 missing answers: the debate failed (2)." in page
    assert all(f'href="/d/{row["debate"]}"' in page for row in value["rows"])
    assert site.client.get(f"/study/{value['rows'][0]['debate']}").status_code == 404, "a debate of it is no study"
    deleted = value["rows"][0]["debate"]
    assert site.client.request("DELETE", f"/api/debates/{deleted}").status_code == 200
    again = {row["debate"]: row["missing"] for row in site.get(f"/api/studies/{debate}")["rows"]}
    assert again[deleted] == "the debate was deleted", "a report that was kept does not outlive it"
    assert site.client.get("/study/nothing").status_code == 404
    assert site.client.get("/api/studies/nothing").status_code == 404
    seen = {**batch, "judges": [{"person": "Ann"}], "privacy": "listed"}
    refused = site.client.post("/api/debates", json={"format": "batch", "batch": seen})
    assert "with people it is unlisted" in refused.text, "its page says which answers are right"


def test_a_study_is_unlisted_and_a_stranger_does_not_find_it(guarded: Site) -> None:
    token = {"authorization": "Bearer s3cret-0123456789"}
    item = {"id": "q", "cluster": "p", "question": "Which?", "answers": ["One", "Two"], "right": 1}
    study = {"data": "own", "items": [item], "arms": ["naive"]}
    batch = {"name": "own", "models": ["baseline:lexical"], "judges": ["scripted:study"], "study": study}
    made = guarded.client.post("/api/debates", json={"format": "batch", "batch": batch}, headers=token)
    for path in (f"/study/{made.json()['id']}", f"/api/studies/{made.json()['id']}"):
        assert guarded.client.get(path).status_code == 404
        assert guarded.client.get(path, headers=token).status_code == 200


@pytest.mark.slow
def test_a_study_with_people_names_the_server_once_and_gives_each_person_a_link_for_each_item(moot: Cli) -> None:
    with moot.server():
        made = moot("study", "demo", "--people", "2", "--items", "2", "--rounds", "1", "--yes")
    assert made.returncode == 0, made.stderr.decode()
    links = [line.split("\t") for line in made.stdout.decode().splitlines()[:-1]]
    assert [person for person, _, _ in links] == ["Judge 1", "Judge 1", "Judge 2", "Judge 2"]
    assert len({link for _, _, link in links}) == 4
    assert made.stderr.decode().count("a server holds this store: asking ") == 1
