"""The audit of an argument: its sums are what the page shows, whatever the judge and the raters gave."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, convert
from msgspec.structs import replace

from events.record import unstored
from events.text.figures import rounded
from events.types import DebateOpened, Missing, PanelistScored
from events.types.rubric import Rubric
from events.view import view as views
from events.view.view import View
from judge.panel.outcome import conclude
from judge.panel.questions import item_sides
from judge.protocol.assess import AssessmentAnswer
from judge.protocol.judgement import record_assessment
from judge.rubrics.rubric import shipped_rubric
from server.export.argument_audit import ArgumentAudit, SideSum, argument_audit, argument_audits
from server.export.audit import Auditor
from server.export.debate.arguments import argument_section, with_words
from server.export.debate.transcript import as_markdown
from server.export.document import Document
from server.export.document.markdown import to_markdown
from tests.judge.panel.rater_scores import DIMENSIONS, few_resamples, rater_seats
from tests.judge.protocol.rounds import NAMES, RUBRIC_2, answers_of, argument_answer, assessment, debate_after_rounds
from tests.laws import examples

POINTS = st.none() | st.integers(1, 10)
CARD = st.tuples(POINTS, *[st.integers(1, 10)] * 3)
"""Points on the four criteria; the first one may be missing."""
CARDS = st.tuples(*[CARD] * 6)
NEAR = 1e-3


def judged(rubric: Rubric, samples: list[Any], panel: list[Any]) -> tuple[Auditor, View]:
    """A debate whose judge gave these cards in each sample, and whose raters gave theirs."""
    seats = rater_seats(len(panel))
    batch = debate_after_rounds(rubric=RUBRIC_2)
    given = [_assessment(cards) for cards in samples]
    events = [(each.event, each.cause) for each in batch.drafts]
    opened = events[0][0]
    assert isinstance(opened, DebateOpened)
    opened = replace(opened, panel=tuple(seats), rubric=few_resamples(rubric))
    record_assessment(batch, answers_of(*given), opened)
    events = [(opened, None), *((each.event, each.cause) for each in batch.drafts[1:])]
    scored = {seat.name: _scored(seat.name, cards) for seat, cards in zip(seats, panel, strict=True)}
    assert opened.rubric.panel is not None
    assert opened.rubric.criteria is not None
    sides = item_sides(batch.debate, opened)
    ended = conclude(seats, scored, sides, opened.rubric.panel, opened.rubric.criteria, "default") if seats else ()
    fold = views.INITIAL
    for position, (event, cause) in enumerate([*events, *((each, None) for each in (*scored.values(), *ended))], 1):
        record = unstored("d", position, "2026-11-27T12:00:00Z", cause, event)
        fold = views.apply(fold, record)
    return Auditor(fold), views.for_director(fold)


def _points(card: Any) -> dict[str, float]:
    return {name: float(each) for name, each in zip(DIMENSIONS, card, strict=True) if each is not None}


def _assessment(cards: Any) -> AssessmentAnswer:
    traced = {name: argument_answer(name, scores=_points(card)) for name, card in zip(NAMES, cards, strict=True)}
    return convert(assessment(arguments=traced), AssessmentAnswer)


def _scored(name: str, cards: Any) -> PanelistScored:
    scores = {item: _points(card) for item, card in zip(NAMES, cards, strict=True)}
    return PanelistScored(rater=name, model="scripted:x", scores=scores, notes={"PRO-1": "The figure is missing."})


def check(audit: ArgumentAudit, view: View) -> None:
    """Everything that the audit of an argument says sums up to what the page shows."""
    shown = view.protocol.arguments[audit.argument].trace  # type: ignore[union-attr]
    assert shown is not UNSET
    assert shown.total == audit.total
    if isinstance(audit.total, float):
        assert abs(sum(each.product for each in audit.points.values()) - audit.total) < NEAR
    given = view.protocol.assessment  # type: ignore[union-attr]
    assert given is not UNSET
    assert audit.side is not UNSET
    total = given.pro_total if audit.said.side == "pro" else given.con_total
    assert total == audit.side.score
    add_up(audit.side)
    for rater in audit.raters:
        known = view.panel.raters[rater.rater]  # type: ignore[union-attr]
        if rater.total is UNSET:
            assert audit.argument not in known.totals
            continue
        sums = sum(each.product for each in rater.points.values()) / sum(each.weight for each in rater.points.values())
        assert abs(sums - rater.total) < NEAR
        assert abs(known.totals[audit.argument] - rater.total) < NEAR
    check_panel(audit, view)


def check_panel(audit: ArgumentAudit, view: View) -> None:
    concluded = view.panel.conclusion  # type: ignore[union-attr]
    if concluded is UNSET:
        assert audit.panel is UNSET
        return
    assert audit.panel is not UNSET
    for mine, of, sums in (
        (audit.panel.given, concluded.weighted, audit.panel.given_sum),
        (audit.panel.calibrated, concluded.calibrated, audit.panel.calibrated_sum),
    ):
        assert (of.pro if audit.said.side == "pro" else of.con) == sums.score
        assert sums.arguments.get(audit.argument, UNSET) == mine
        add_up(sums)
    for name in ("total", "calibrated"):
        weighed = [
            (each.weight, getattr(each, name))
            for each in audit.raters
            if isinstance(each.weight, float) and isinstance(getattr(each, name), float)
        ]
        whole = sum(weight for weight, _ in weighed)
        if whole:
            mean = sum(weight * score for weight, score in weighed) / whole
            own = audit.panel.given if name == "total" else audit.panel.calibrated
            assert isinstance(own, float)
            assert abs(mean - own) < NEAR


def add_up(of: SideSum) -> None:
    if not isinstance(of.score, Missing):
        mean = sum(of.arguments.values()) / len(of.arguments)
        assert abs(of.times * mean - of.score) < NEAR


@pytest.mark.slow
@given(
    st.sampled_from(["v1", "v2", "v3"]),
    st.lists(CARDS, min_size=1, max_size=3),
    st.lists(CARDS, min_size=2, max_size=4),
)
@examples(15, 200)
def test_the_sums_are_what_the_page_shows(version: Any, samples: list[Any], panel: list[Any]) -> None:
    auditor, view = judged(shipped_rubric(version), samples, panel)
    audits = argument_audits(auditor)

    assert list(NAMES) == [each.argument for each in audits]
    for audit in audits:
        check(audit, view)
        assert all(each.position <= view.position for each in audit.raters)


CLEAR = ((7, 5, 8, 9), (6, 6, 6, 6), (5, 5, 5, 5), (4, 4, 4, 4), (3, 3, 3, 3), (2, 2, 2, 2))


def test_what_is_said_of_an_argument() -> None:
    auditor, view = judged(RUBRIC_2, [CLEAR], [CLEAR, [(each[0], 1, 1, 1) for each in CLEAR]])
    audit = argument_audit(auditor, "PRO-1")
    assert audit is not None
    text = to_markdown(Document("", (argument_section(audit),)))

    assert "PRO-1 · ▲ Pro · upheld · 6.95 of 10" in text
    assert "logic 7 × 0.3 + evidence 5 × 0.3 + responsiveness 8 × 0.25 + honesty 9 × 0.15 = 6.95." in text
    assert "Pro’s total is the mean of 6.95, 6 and 5, times 3: 17.95." in text
    assert "logic 7 × 0.4 + evidence 5 × 0.35 + responsiveness 8 × 0.15 + honesty 9 × 0.1 = 6.65" in text
    assert "The figure is missing." in text
    assert "calibrated by min-max. The calibrated scores decide." in text
    concluded = view.panel.conclusion  # type: ignore[union-attr]
    assert f"{rounded(concluded.strictness['technical'], 2)} points above those of all raters; calibrated 4.43." in text
    assert f"{rounded(-concluded.strictness['business'], 2)} points below those of all raters; calibrated 4.43." in text
    for how, sums, of in (
        ("as given", "PRO-1 4.43, PRO-2 4.00 and PRO-3 3.40", concluded.weighted),
        ("calibrated", "PRO-1 4.43, PRO-2 3.95 and PRO-3 3.36", concluded.calibrated),
    ):
        assert f"Pro by the panel, {how}: the mean of {sums} is {rounded(of.pro, 2)}." in text
    assert "**▼ Con refutes this:**" in text
    assert "**▲ Pro answers:**" in text
    whole = as_markdown(view, auditor.audits(), arguments=[audit])
    assert "= 6.95." in whole
    assert "= 6.95." not in as_markdown(view, auditor.audits())


def test_only_a_disputed_argument_is_told_to_be_disputed() -> None:
    apart = [(10, 10, 10, 10), (1, 1, 1, 1), *CLEAR[2:]]
    auditor, view = judged(RUBRIC_2, [CLEAR], [apart, [(1, 1, 1, 1), (10, 10, 10, 10), *CLEAR[2:]]])
    disputed = view.panel.conclusion.disputed  # type: ignore[union-attr]
    for audit in argument_audits(auditor):
        text = to_markdown(Document("", (argument_section(audit),)))
        known = disputed.get(audit.argument)
        says = "" if known is None else f"the variance of their scores is {rounded(known.variance, 2)}"

        assert ("The raters dispute it" in text, says in text) == (known is not None, True)
        assert ("and this alone prevents a winner" in text) == (known is not None and known.decides)

    assert 0 < len(disputed) < len(NAMES)


def test_an_argument_without_a_total_says_why() -> None:
    gap = [(None, *card[1:]) if not number else card for number, card in enumerate(CLEAR)]
    auditor, _ = judged(RUBRIC_2, [gap], [CLEAR, gap])
    audit = argument_audit(auditor, "PRO-1")
    assert audit is not None
    text = to_markdown(Document("", (argument_section(audit),)))

    assert "No total: logic: the judge left it out." in text
    assert "Pro has no total: without a total: PRO-1." in text
    assert "× 0.15 = " not in text.partition("Pro has no total")[0]


def test_before_the_judge_there_are_no_sums() -> None:
    auditor, _ = judged(RUBRIC_2, [CLEAR], [CLEAR, CLEAR])
    drafts = enumerate(debate_after_rounds(rubric=RUBRIC_2).drafts, 1)
    records = [unstored("d", position, "", draft.cause, draft.event) for position, draft in drafts]
    audit = argument_audit(Auditor(views.apply_all(views.INITIAL, records)), "CON-3")
    assert audit is not None

    assert {} == audit.points
    assert (UNSET, UNSET, ()) == (audit.side, audit.panel, audit.raters)
    assert "not judged yet" in to_markdown(Document("", (argument_section(audit),)))
    assert argument_audit(auditor, "CON-4") is None


def test_the_words_of_an_audit_are_those_of_its_document() -> None:
    """The page shows those of the parts that are recorded where it stands."""
    auditor, _ = judged(RUBRIC_2, [CLEAR], [CLEAR, [(each[0], 1, 1, 1) for each in CLEAR]])
    for audit in map(with_words, argument_audits(auditor)):
        text, words = to_markdown(Document("", (argument_section(audit),))), audit.words

        assert words is not UNSET
        assert [] == [sentence for sentence in (*words.judge, *words.panel) if sentence not in text]
        assert words.judge
        assert words.panel
        for rater, said in zip(audit.raters, words.raters, strict=True):
            assert "calibrated" not in said.alone
            assert said.concluded.startswith(said.alone.removesuffix("."))
            assert rater.calibrated is not UNSET
            assert said.concluded.endswith(f"calibrated {rounded(rater.calibrated, 2)}.")
            assert said.weight in text
