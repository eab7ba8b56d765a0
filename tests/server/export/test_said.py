"""What an event says to a reader of the log: its sentence, who made it happen, and its kinds."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

import web
from events.codec import CLASSES
from server.export.said import ALL_KINDS, LEFT_OPEN, SENTENCES, actor, event_words, kinds_of, said_in

MISSING = {"reason": "timeout"}
SAID: tuple[tuple[dict[str, Any], str], ...] = (
    (
        {"type": "check_missing", "purpose": "claims", "turn": 2, "reason": "timeout"},
        "claims of turn 2 were not checked: timeout",
    ),
    ({"type": "turn_scored", "turn": 2, "missing": {"reason": "timeout"}}, "no score for turn 2: timeout"),
    (
        {"type": "turn_scored", "turn": 2, "absent": {"frame_control": {"reason": "timeout"}}},
        "turn 2 was scored, without frame control",
    ),
    (
        {"type": "turns_compared", "earlier": 1, "later": 2, "missing": {"reason": "timeout"}},
        "turns 1 and 2 were not compared: timeout",
    ),
    ({"type": "turns_compared", "earlier": 1, "later": 2}, "turns 1 and 2 were compared"),
    (
        {"type": "model_failed", "purpose": "gaps", "key": "gaps:3", "turn": 3, "kind": "timeout"},
        "no usable answer: gaps that turn 3 exposes in earlier turns (timed out)",
    ),
    ({"type": "model_failed", "kind": "timeout"}, "no usable answer (timed out)"),
    (
        {"type": "model_failed", "purpose": "gaps", "key": "gaps:3", "turn": 3, "kind": "interrupted"},
        "call cut off: gaps that turn 3 exposes in earlier turns (interrupted)",
    ),
    (
        {"type": "model_answered", "purpose": "compare", "key": "compare:2-1", "turn": 2, "order": [2, 1], "sample": 2},
        "the judge answered: which is better, read in the order turn 2, turn 1, sample 2",
    ),
    (
        {"type": "model_answered", "purpose": "second_opinion", "key": "second_opinion:C1.1", "turn": 1},
        "the judge answered: a second opinion on claim C1.1",
    ),
    (
        {"type": "model_answered", "purpose": "audit", "key": "audit", "turn": None},
        "the judge answered: the closing audit",
    ),
    (
        {"type": "model_answered", "purpose": "narrative", "key": "narrative:swapped", "turn": None},
        "the judge answered: the narrative verdict, with the speakers’ labels swapped",
    ),
    (
        {"type": "model_answered", "purpose": "deliberate", "key": "deliberate:technical:1", "turn": None},
        "a rater answered: rater technical, round 1 of deliberation",
    ),
    ({"type": "model_answered", "purpose": "panel", "key": "panel:risk"}, "a rater answered: the scores of rater risk"),
    ({"type": "model_answered", "purpose": "new_question", "turn": 2}, "the judge answered: new question"),
    ({"type": "context_shortened", "turn": 9}, "from turn 9 on the judge reads earlier turns in a shortened form"),
    ({"type": "finding_refused", "turn": 4, "reason": "no"}, "a finding of the judge was refused: no"),
    (
        {"type": "finding_refused", "turn": 4, "about": 1, "reason": "no"},
        "a finding of the judge about turn 1 was refused: no",
    ),
    ({"type": "debate_audited", "missing": {"reason": "timeout"}}, "the closing audit was not made: timeout"),
    ({"type": "debate_audited", "found": 1}, "the closing audit took points from 1 turn"),
    ({"type": "debate_audited", "found": 0}, "the closing audit took no points"),
    (
        {"type": "debate_labelled", "by": "operator", "title": "Juries", "tags": ["law", "demo"], "archived": False},
        "the title is now “Juries”; the tags are now law, demo; the debate is no longer archived",
    ),
    (
        {"type": "debate_labelled", "by": "operator", "title": "", "tags": [], "hidden": True, "link": "a1"},
        (
            "the title was removed; the tags were removed; the debate was hidden; "
            "only readers with a new link see the debate"
        ),
    ),
    ({"type": "debate_labelled", "by": "operator", "link": ""}, "the debate is listed for all"),
    ({"type": "lab_measured", "effects": [{}, {}]}, "the judge was measured: 2 figures"),
    ({"type": "claim_cleared", "claim": "C3.1", "by": "m"}, "a second opinion (m) cleared claim C3.1"),
    ({"type": "opponent_answered", "turn": 4, "answered": ["P1.1", "P1.2"]}, "turn 4 answers P1.1 and P1.2"),
    ({"type": "opponent_answered", "turn": 4, "answered": []}, "turn 4 answers no premise of the other side"),
    (
        {"type": "score_harmonized", "turn": 3, "dimension": "logic", "applied": 0.5, "rule": "slight_winner"},
        "turn 3: logic +0.5, won the comparison",
    ),
    (
        {"type": "score_harmonized", "turn": 3, "dimension": "logic", "applied": -2, "rule": "band_loser"},
        "turn 3: logic −2, a clear loss",
    ),
    ({"type": "something_new"}, "something new"),
    (
        {"type": "logic_gap_adjusted", "turn": 1, "applied": -4, "exposed_by": {"turn": 4}},
        "turn 1 changed by −4 for a gap that turn 4 exposed",
    ),
    ({"type": "panel_concluded", "winner": "pro"}, "the panel’s outcome"),
    ({"type": "model_answered", "purpose": "open", "turn": 1}, "the model wrote the opening"),
    (
        {"type": "model_answered", "purpose": "speak", "turn": 1, "model": "scripted:juries"},
        "the script gave the speech of turn 1",
    ),
    ({"type": "argument_cross_examined", "by": "con", "target": "PRO-1"}, "Con cross-examined PRO-1"),
    (
        {"type": "questions_answered", "side": "pro", "answers": {"PRO-1": "Yes.", "PRO-3": "No."}},
        "Pro answered 2 questions",
    ),
    ({"type": "closing_stated", "side": "con", "shift": "weakened"}, "Con closed, its position weakened"),
    ({"type": "closing_stated", "side": "con"}, "Con closed"),
    ({"type": "seat_resigned", "seat": "risk_officer"}, "rater risk officer resigned"),
    (
        {"type": "directive_issued", "side": "pro", "text": "Yield {nothing}."},
        "a directive was issued to Pro: Yield {nothing}.",
    ),
    ({"type": "moderator_spoke", "text": "{turn}?"}, "the moderator said: {turn}?"),
    (
        {"type": "finding_refused", "about": 5, "reason": "the quote leaves out “not”"},
        (
            "a finding of the judge about turn 5 was refused: the words that the quote leaves out contain “not”, "
            "which may turn its sense"
        ),
    ),
)
ACTORS = (
    ({"type": "turn_spoken", "side": "con"}, "con"),
    ({"type": "argument_cross_examined", "by": "con"}, "con"),
    ({"type": "model_answered", "purpose": "speak"}, "speaker"),
    ({"type": "model_answered", "purpose": "score"}, "judge"),
    ({"type": "model_failed", "purpose": "deliberate"}, "rater"),
    ({"type": "turn_scored"}, "judge"),
    ({"type": "claim_flagged"}, "judge"),
    ({"type": "opponent_answered"}, "judge"),
    ({"type": "claim_appealed"}, "rules"),
    ({"type": "penalty_applied"}, "rules"),
    ({"type": "pressure_applied", "side": "pro"}, "rules"),
    ({"type": "panelist_scored"}, "rater"),
    ({"type": "moderator_spoke"}, "people"),
    ({"type": "debate_opened"}, "people"),
)


@pytest.mark.parametrize(("event", "words"), SAID)
def test_an_event_says_what_happened(event: dict[str, Any], words: str) -> None:
    assert words == event_words(event)


@pytest.mark.parametrize("rule", ["slight_winner", "slight_loser"])
def test_the_rules_of_a_slight_win_also_follow_a_clear_one_so_their_words_say_no_degree(rule: str) -> None:
    event = {"type": "score_harmonized", "turn": 3, "dimension": "logic", "applied": 0.5, "rule": rule}

    assert event_words(event).endswith((" won the comparison", " lost the comparison"))


def test_every_event_has_a_sentence() -> None:
    assert set(CLASSES) - SENTENCES.keys() == set()
    assert SENTENCES.keys() - set(CLASSES) == {"withheld"}


@pytest.mark.parametrize(("event", "who"), ACTORS)
def test_each_event_has_one_who_made_it_happen(event: dict[str, Any], who: str) -> None:
    assert who == actor(event)


def test_what_the_judge_left_open_and_its_second_looks_are_kinds() -> None:
    events: list[dict[str, Any]] = [
        {"type": "model_failed", "purpose": "score"},
        {"type": "model_failed", "purpose": "score", "kind": "halted"},
        {"type": "model_failed", "purpose": "speak"},
        {"type": "check_missing", "purpose": "claims", "turn": 2},
        {"type": "turn_scored", "turn": 1},
        {"type": "turn_scored", "turn": 2, "missing": MISSING},
        {"type": "turn_scored", "turn": 3, "absent": {"logic": MISSING}},
        {"type": "turns_compared", "missing": MISSING},
        {"type": "narrative_verdict_reached", "missing": MISSING},
        {"type": "debate_audited", "missing": MISSING},
        {"type": "finding_refused"},
        {"type": "claim_upheld"},
        {"type": "claim_cleared"},
        {"type": "claim_flagged"},
        {"type": "context_shortened", "turn": 9},
    ]
    found = [kind for event in events for kind in kinds_of(event) if kind in LEFT_OPEN]

    assert [1, 6, 1, 2, 1, 1] == [found.count(name) for name in LEFT_OPEN]
    assert {"turns": ["turn_spoken"], "scores": ["turn_scored"], "premises": ["premise_withdrawn"]} == {
        kind: [name for name in ("turn_spoken", "turn_scored", "premise_withdrawn") if kind in kinds_of({"type": name})]
        for kind in ("turns", "scores", "premises")
    }


def test_the_page_filters_by_these_kinds() -> None:
    words = (Path(web.__path__[0]) / "words/audit.js").read_text(encoding="utf-8")

    assert [] == [kind for kind in ALL_KINDS if f'"{kind}"' not in words]


def test_a_frame_says_no_more_than_its_reader_may_see() -> None:
    shown = msgspec.json.encode({"kind": "frame", "event": {"type": "withheld"}, "patch": {}}).decode()
    blind = {"type": "seat_handed_over", "seat": "pro", "reason": "long_silence"}

    assert "withheld until the debate has ended" == said_in(shown).words
    assert "a model speaks for Pro from now on, after a long silence" == event_words(blind)
