"""Debates with documents, to their end: what each citation costs, by a scripted judge and by the lexical baseline."""

import base64
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from events.store.log import read_all
from events.types import (
    CheckMissing,
    CitationChecked,
    ClaimCleared,
    ClaimFlagged,
    ClaimUpheld,
    DebateOpened,
    Event,
    EvidenceSupplied,
    EvidenceWeighed,
    ModelAnswered,
    PenaltyApplied,
)
from events.view import view as views
from judge.rubrics.rubric import evidence_rules, rubric_v3
from providers.registry import BASELINE
from server.debate.setup.estimate import estimate, in_words
from server.debate.setup.opening import build_opening, opening_for
from server.debate.setup.rehearsal import rehearse
from server.debate.setup.request import as_request
from server.export.audit import auditor_of
from server.export.debate.exchange import audit_lines
from server.export.debate.transcript import as_markdown
from server.whatif.replay import replay
from tests.judge.protocol.rounds import closing, cross, opening
from tests.server.debate.cited_debate import (
    ANSWERS,
    CUT,
    DOCUMENTS,
    INVENTED,
    MISQUOTED,
    MOTION,
    OPPOSITE,
    SAYS,
    TRUE,
)
from tests.server.evidence.files import glued_pdf
from tests.server.harness import Harness, check_sound, harness
from tests.server.protocol_debates import answers, check, of

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("read_here")]
Script = Callable[..., str]


async def open_cited(h: Harness, model: str, judge: str | None = None, **body: Any) -> str:
    """Open the debate with its documents and start it."""
    seat = {"model": model}
    request = as_request(
        {
            "motion": MOTION,
            "turns": 4,
            "pro": seat,
            "con": seat,
            "judge": {"model": judge or model, **body.pop("seat", {})},
            "evidence": DOCUMENTS,
            **body,
        }
    )
    return await h.moderators.open(*await opening_for(None, request, h.registry, h.settings))


async def cited(script: Script, judge: str | None = None, **body: Any) -> tuple[Sequence[Event], Any]:
    """The events and the view of the whole debate."""
    async with harness() as h:
        debate = await open_cited(h, script(says=SAYS, answers=ANSWERS), judge, **body)
        await h.ended(debate)
        await check_sound(h.log, debate)
        return await h.events(debate), await h.view(debate)


def findings(events: Sequence[Event]) -> list[tuple[int, str, str]]:
    return [(each.turn, each.passage, each.finding) for each in of(events, CitationChecked)]


FINDINGS = [(1, "E1", "verified"), (2, "E1", "misquoted"), (3, "E9", "unknown_passage"), (4, "E2", "paraphrased")]


@pytest.mark.slow
async def test_a_true_a_misquoted_an_invented_and_an_opposite_citation_end_as_they_should(script: Script) -> None:
    events, view = await cited(script, rubric="v2")

    assert FINDINGS == findings(events)
    weighed = of(events, EvidenceWeighed)
    assert ["supports", "undecided", "beside_the_point", "contradicts"] == [each.relation for each in weighed]
    assert ("E2", ()) == (weighed[2].passage, weighed[2].citations), "a suspect claim beside the best passage"
    assert [("C1.1", "evidence")] == [(each.claim, each.by) for each in of(events, ClaimCleared)]
    assert [("C2.1", "evidence"), ("C3.1", "evidence")] == [(each.claim, each.by) for each in of(events, ClaimUpheld)]
    assert {
        "C1.1": ("fabricated_citation", "cleared", 0),
        "C2.1": ("misquotation", "upheld", -2),
        "C3.1": ("fabricated_citation", "upheld", -2),
        "C4.1": ("contradicted_by_evidence", "flagged", -2),
    } == {name: (each["kind"], each["state"], each["penalty"]) for name, each in view["claims"].items()}
    misquoted, opposite = view["claims"]["C2.1"], view["claims"]["C4.1"]
    assert misquoted["quote"] in MISQUOTED
    assert "rose by 12 percent" in misquoted["evidence"]["quote"]
    assert (OPPOSITE, CUT) == (opposite["quote"], opposite["evidence"]["quote"])
    assert INVENTED[:-1] == view["claims"]["C3.1"]["quote"]
    assert not of(events, CheckMissing)


@pytest.mark.slow
async def test_nothing_is_charged_on_a_page_that_was_read_badly(script: Script) -> None:
    page = "In the first year ridership on the buses rose by 12 percent\nand traffic fell by less than 2 percent."
    paper = {"name": "paper.pdf", "base64": base64.b64encode(glued_pdf(page)).decode()}
    quoted = "So “{}” [E1], and this is the figure that counts here."
    says = {
        "pro": [
            quoted.format("ridership on the buses rose by 12 percent"),
            "Traffic fell by half [E1], so the streets are empty and quiet now.",
        ],
        "con": [quoted.format("ridership on the buses rose by 40 percent"), "The paper is about one town only."],
    }

    async with harness() as h:
        debate = await open_cited(h, script(says=says, answers=ANSWERS), evidence=[paper])
        await h.ended(debate)
        await check_sound(h.log, debate)
        events, view = await h.events(debate), await h.view(debate)
        fold = views.INITIAL
        async for record in read_all(h.log, debate):
            fold = views.apply(fold, record)

    assert [(1, "E1", "verified"), (2, "E1", "misread"), (3, "E1", "paraphrased")] == findings(events)
    assert not of(events, EvidenceWeighed)
    assert not [each for each in of(events, ClaimFlagged) if each.by == "evidence"]
    assert not {each.rule for each in of(events, PenaltyApplied)} & {"misquotation", "contradicted_by_evidence"}
    assert 1 == view["evidence"]["documents"]["D1"]["misread"]
    assert view["evidence"]["passages"]["E1"]["misread"]
    markdown = as_markdown(fold.view)
    assert "paper.pdf, page 1, read badly" in markdown
    assert "the words were not found, but the page was read badly" in markdown


@pytest.mark.slow
async def test_the_view_has_the_documents_and_the_passages_that_are_cited(script: Script) -> None:
    _, view = await cited(script)

    assert ["ridership.txt", "budget.md", "survey.txt"] == [
        each["name"] for each in view["evidence"]["documents"].values()
    ]
    assert {"E1", "E2"} == set(view["evidence"]["passages"])
    assert {"R1.1", "R2.1", "R3.1", "R4.1"} == set(view["evidence"]["citations"])
    assert 4 == len(view["evidence"]["weighed"])


@pytest.mark.slow
async def test_the_baseline_checks_the_same_words_and_compares_by_overlap(script: Script) -> None:
    events, view = await cited(script, "baseline:lexical")

    assert FINDINGS == findings(events)
    asked = {each.key for each in of(events, ModelAnswered) if each.purpose == "evidence"}
    assert {f"evidence:{turn}:{order}" for turn in (1, 2, 4) for order in ("forward", "backward")} == asked
    weighed = of(events, EvidenceWeighed)
    assert all(each.forward == each.backward == each.relation for each in weighed)
    assert all("compares words only" in each.reason for each in weighed)
    assert "supports" == weighed[0].relation
    assert {"misquotation", "invented_passage"} <= {each["kind"] for each in view["claims"].values()}


@pytest.mark.slow
async def test_samples_are_asked_as_often_as_of_other_questions(script: Script) -> None:
    events, _ = await cited(script, seat={"samples": 3})

    assert 24 == len([each for each in of(events, ModelAnswered) if each.purpose == "evidence"])


@pytest.mark.slow
async def test_a_judge_that_cannot_weigh_leaves_a_missing_check_and_the_words_still_count(script: Script) -> None:
    async with harness() as h:
        broken = ANSWERS | {"evidence:*": {"fault": {"kind": "bad_json", "times": 99}}}
        broken = {key: each for key, each in broken.items() if not key.startswith("evidence:") or key == "evidence:*"}
        debate = await open_cited(h, script(says=SAYS, answers=broken))
        await h.ended(debate)
        events = await h.events(debate)

    assert [(turn, "evidence") for turn in (1, 2, 3, 4)] == [
        (each.turn, each.purpose) for each in of(events, CheckMissing)
    ]
    assert FINDINGS == findings(events)
    assert ["misquotation"] == [each.kind for each in of(events, ClaimFlagged) if each.by == "evidence"]


@pytest.mark.slow
async def test_what_if_replays_a_debate_with_documents_as_it_was(script: Script) -> None:
    async with harness() as h:
        debate = await open_cited(h, script(says=SAYS, answers=ANSWERS))
        await h.ended(debate)
        records = [record async for record in read_all(h.log, debate)]

    def dearer(opened: DebateOpened) -> DebateOpened:
        assert opened.rubric.evidence
        rule = msgspec.structs.replace(opened.rubric.evidence["misquotation"], points=5)
        rubric = msgspec.structs.replace(opened.rubric, evidence={**opened.rubric.evidence, "misquotation": rule})
        return msgspec.structs.replace(opened, rubric=rubric)

    same, other = replay(records, lambda opened: opened), replay(records, dearer)

    assert 0 == same.diverges_at
    assert same.recorded.ledger == same.would_be.ledger
    assert -5 == other.would_be.claims["C2.1"].penalty
    assert not [each for each in other.unanswered if each.key.startswith("evidence:")]


@pytest.mark.slow
async def test_words_that_a_side_made_up_are_no_better_for_saying_them_before(script: Script) -> None:
    claim = "free fares empty every street of the town"
    says = {
        "pro": [
            f"Fares matter, because people count money. So {claim}.",
            f"The survey says that “{claim}” [E1]. So it is true.",
        ],
        "con": [SAYS["con"][0], SAYS["con"][1]],
    }
    async with harness() as h:
        debate = await open_cited(h, script(says=says), BASELINE)
        await h.ended(debate)
        records = [record async for record in read_all(h.log, debate)]
    before = [
        msgspec.structs.replace(each, event=msgspec.structs.replace(each.event, rules=UNSET))
        if isinstance(each.event, EvidenceSupplied)
        else each
        for each in records
    ]

    now, then = (replay(each, lambda opened: opened).would_be for each in (records, before))

    assert (3, "E1", "misquoted") in findings([each.event for each in records])
    kinds = [{(each.turn, each.kind) for each in debate.claims.values()} for debate in (now, then)]
    assert [True, False] == [(3, "misquotation") in each for each in kinds], "a log of before is replayed by its rules"


GERMAN = (
    "In Aldern stieg die Zahl der Fahrgäste im Jahr 2019 um zwölf Prozent, nachdem die Stadt die Fahrpreise "
    "abgeschafft hatte. Die meisten der neuen Fahrten ersetzten den Weg zu Fuß oder mit dem Fahrrad."
)


@pytest.mark.slow
async def test_a_document_in_another_language_is_said_before_the_debate_and_in_it(script: Script) -> None:
    files = [{"name": "bericht.txt", "text": GERMAN}, DOCUMENTS[0]]
    async with harness() as h:
        seat = {"model": script(says=SAYS)}
        request = as_request(
            {"motion": MOTION, "turns": 2, "pro": seat, "con": seat, "judge": {"model": BASELINE}, "evidence": files}
        )
        opened, follows = await opening_for(None, request, h.registry, h.settings)
        debate = await h.moderators.open(opened, follows)
        await h.ended(debate)
        view = await h.view(debate)
        records = [record async for record in read_all(h.log, debate)]
    found = in_words(estimate(opened, supplied=follows))
    plain = estimate(opened, supplied=[each for each in follows if each != of(follows, EvidenceSupplied)[0]])

    assert ["de", "en"] == [each.document.language for each in of(follows, EvidenceSupplied)]
    why = "The debate is in English. Of a document in German passages are found by numbers and names only."
    assert found.endswith(f"\n{why}")
    assert plain.caveat is UNSET
    assert {"D1": "German", "D2": None} == {
        name: each.get("language") for name, each in view["evidence"]["documents"].items()
    }
    shown = views.for_director(views.apply_all(views.INITIAL, records))
    assert "bericht.txt is in German, another language than the debate’s" in as_markdown(shown)


@pytest.mark.slow
async def test_a_contradiction_is_appealed_with_the_passage(script: Script) -> None:
    async with harness() as h:
        judge = ANSWERS | {"second_opinion:C4.1": {"reason": "It says the opposite.", "verdict": "upheld"}}
        debate = await open_cited(h, script(says=SAYS, answers=judge), seat={"appeals": "all"})
        await h.ended(debate)
        events = await h.events(debate)

    asked = {each.key: each for each in of(events, ModelAnswered) if each.purpose == "second_opinion"}
    assert {"second_opinion:C4.1"} == set(asked), "what the words decide needs no opinion"
    shown = "\n".join(text for each in of(events, ModelAnswered) for text in each.segments.values())
    assert "| The abolition of fares cost the city 8 million euros a year." in shown
    assert "judge, asked again" == of(events, ClaimUpheld)[-1].by


async def test_a_debate_without_documents_has_neither_the_question_nor_its_rules(script: Script) -> None:
    async with harness() as h:
        debate = await h.open(script(says=SAYS, answers=ANSWERS), turns=4)
        await h.ended(debate)
        events, view = await h.events(debate), await h.view(debate)

    [opened] = of(events, DebateOpened)
    assert UNSET is opened.rubric.evidence
    assert rubric_v3() == opened.rubric
    assert "evidence" not in opened.prompts
    assert "evidence" not in view
    assert not [each for each in of(events, ModelAnswered) if each.purpose == "evidence"]
    assert not of(events, CitationChecked)


@pytest.mark.slow
async def test_a_debate_with_documents_records_its_rules(script: Script) -> None:
    events, _ = await cited(script)

    [opened] = of(events, DebateOpened)
    assert evidence_rules() == opened.rubric.evidence
    assert "evidence" in opened.prompts


@pytest.mark.slow
async def test_version_1_has_findings_without_a_cost(script: Script) -> None:
    events, _ = await cited(script, rubric="v1")

    assert FINDINGS == findings(events)
    kinds = {each.kind for each in of(events, ClaimFlagged)}
    assert {"fabricated_citation"} == kinds
    assert {"fabricated_citation"} == {each.rule for each in of(events, PenaltyApplied)}


@pytest.mark.slow
async def test_an_estimate_counts_the_questions_about_evidence(script: Script) -> None:
    async with harness() as h:
        seat = {"model": script()}
        body = {"motion": MOTION, "turns": 4, "pro": seat, "con": seat, "judge": seat}
        request = as_request({**body, "evidence": DOCUMENTS})
        with_documents = rehearse(*await opening_for(None, request, h.registry, h.settings))
        without = rehearse(await build_opening(as_request(body), h.registry, h.settings))

    asked = [each for each in with_documents if each.purpose == "evidence"]
    assert 8 == len(asked)
    assert any("fares were abolished" in segment.text for segment in asked[0].prompt)
    assert 8 == len(with_documents) - len(without)


@pytest.mark.slow
async def test_the_audit_of_a_turn_has_its_passages_and_every_citation(script: Script) -> None:
    async with harness() as h:
        debate = await open_cited(h, script(says=SAYS, answers=ANSWERS))
        await h.ended(debate)
        audits = (await auditor_of(h.hub, debate)).audits()
    lines = [[*audit_lines(each, "pro")] for each in audits]

    assert "the debater was given the passages E1, E3, E2" in lines[0]
    assert any(line.startswith("R1.1: it cites E1 “ridership") and "the words stand there" in line for line in lines[0])
    assert any("supports" in line for line in lines[0])
    assert any(line.startswith("R3.1: it cites E9") for line in lines[2])
    assert [1, 1, 1, 1] == [len(each.citations or ()) for each in audits]


@pytest.mark.slow
async def test_by_protocol_citations_are_checked_and_the_assessment_is_told(script: Script) -> None:
    said = {
        "open_pro": opening("pro", n1={"evidence": TRUE}, n2={"evidence": INVENTED}),
        "cross_con": cross("con", **{"2": {"reasoning": MISQUOTED}}),
        "close_con": closing("con", final_position=OPPOSITE),
    }
    async with harness() as h:
        debate = await open_cited(h, script(answers=answers(**said)), format="protocol", turns=8)
        await h.ended(debate)
        records = await check(h.log, debate)
    fold = views.INITIAL
    for record in records:
        fold = views.apply(fold, record)
    found = [record.event for record in records if isinstance(record.event, CitationChecked)]

    assert {
        ("R1.1", 1, "E1", "verified"),
        ("R1.2", 1, "E9", "unknown_passage"),
        ("R4.1", 4, "E1", "misquoted"),
        ("R8.1", 8, "E2", "paraphrased"),
    } == {(each.citation, each.turn, each.passage, each.finding) for each in found}
    assert "- ▲ Pro, statement 1: it cites E9: the evidence has no such passage" in as_markdown(fold.view)
    (answered,) = [
        each.event for each in records if isinstance(each.event, ModelAnswered) and each.event.key == "assess"
    ]
    texts = {name: text for each in records for name, text in getattr(each.event, "segments", {}).items()}
    (told,) = [texts[digest] for _, digest in answered.prompt if "The server compared" in texts[digest]]
    assert "Quotations whose words stand in their passage: 1." in told
    no_passage, other_words = told.splitlines()[-2:]
    assert no_passage == "| Pro, opening: [E9]: there is no such passage"
    assert other_words.startswith("| Con, cross-examination: “ridership on the city's buses rose by 2 percent” [E1]: ")
    assert other_words.endswith(": the passage does not have these words")


@pytest.mark.slow
async def test_by_protocol_words_said_in_the_same_round_do_not_excuse_a_quotation(script: Script) -> None:
    """Both sides write a round at the same time: no side can have read the other's words."""
    made_up = 'The report says "fares keep half of all people at home" [E1].'
    said = {
        "open_pro": opening("pro", n1={"evidence": "Fares keep half of all people at home, as everybody knows."}),
        "open_con": opening("con", n1={"evidence": made_up}),
    }
    async with harness() as h:
        debate = await open_cited(h, script(answers=answers(**said)), format="protocol", turns=8)
        await h.ended(debate)
        events = await h.events(debate)

    assert [(2, "misquoted")] == [(each.turn, each.finding) for each in of(events, CitationChecked)]
