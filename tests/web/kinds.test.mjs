import assert from "node:assert/strict";
import { test } from "node:test";

import { KINDS, isOfKind, openKinds } from "../../web/audit/kinds.js";
import { actor, eventWords } from "../../web/words/events.js";

const missing = { reason: "timeout" };
const frames = (...events) => events.map((event) => ({ event }));

test("what the judge left open, and its second looks, are counted by kind", () => {
  const events = [
    { type: "model_failed", purpose: "score" },
    { type: "model_failed", purpose: "score", kind: "halted" },
    { type: "model_failed", purpose: "speak" },
    { type: "check_missing", purpose: "claims", turn: 2 },
    { type: "turn_scored", turn: 1 },
    { type: "turn_scored", turn: 2, missing },
    { type: "turn_scored", turn: 3, absent: { logic: missing } },
    { type: "turns_compared", missing },
    { type: "narrative_verdict_reached", missing },
    { type: "debate_audited", missing },
    { type: "finding_refused" },
    { type: "claim_upheld" },
    { type: "claim_cleared" },
    { type: "claim_flagged" },
    { type: "context_shortened", turn: 9 },
  ];

  assert.deepEqual([
    ["no usable answer", 1],
    ["not checked", 6],
    ["refused or corrected", 1],
    ["second opinions", 2],
    ["read in a shortened form", 1],
    ["closing audit", 1],
  ], openKinds(frames(...events)));
  assert.deepEqual([], openKinds(frames({ type: "turn_scored", turn: 1 }, { type: "turn_spoken" })));
});

test("each kind filters the log", () => {
  const events = [
    "turn_spoken", "turn_scored", "premise_withdrawn", "opponent_answered", "pressure_applied", "debate_audited",
  ];
  const ofKind = (kind) => events.filter((type) => isOfKind({ type }, kind));

  assert.deepEqual(["turn_spoken"], ofKind("turns"));
  assert.deepEqual(["turn_scored"], ofKind("scores"));
  assert.deepEqual(["premise_withdrawn", "opponent_answered"], ofKind("premises"));
  assert.deepEqual(["debate_audited"], ofKind("closing audit"));
  assert.deepEqual(events, ofKind(""));
  assert.equal(16, KINDS.length);
});

test("an event says what is missing and why", () => {
  const cases = [
    [{ type: "check_missing", purpose: "claims", turn: 2, reason: "timeout" }, "claims of turn 2 were not checked: timeout"],
    [{ type: "turn_scored", turn: 2, missing }, "no score for turn 2: timeout"],
    [{ type: "turn_scored", turn: 2, absent: { frame_control: missing } }, "turn 2 was scored, without frame control"],
    [{ type: "turns_compared", earlier: 1, later: 2, missing }, "turns 1 and 2 were not compared: timeout"],
    [{ type: "turns_compared", earlier: 1, later: 2 }, "turns 1 and 2 were compared"],
    [{ type: "model_failed", purpose: "gaps", key: "gaps:3", turn: 3, kind: "timeout" },
      "no usable answer: gaps that turn 3 exposes in earlier turns (timed out)"],
    [{ type: "model_failed", kind: "timeout" }, "no usable answer (timed out)"],
    [{ type: "model_failed", purpose: "gaps", key: "gaps:3", turn: 3, kind: "interrupted" },
      "call cut off: gaps that turn 3 exposes in earlier turns (interrupted)"],
    [{ type: "model_answered", purpose: "compare", key: "compare:2-1", turn: 2, order: [2, 1], sample: 2 },
      "the judge answered: which is better, read in the order turn 2, turn 1, sample 2"],
    [{ type: "model_answered", purpose: "second_opinion", key: "second_opinion:C1.1", turn: 1 },
      "the judge answered: a second opinion on claim C1.1"],
    [{ type: "model_answered", purpose: "audit", key: "audit", turn: null }, "the judge answered: the closing audit"],
    [{ type: "model_answered", purpose: "narrative", key: "narrative:swapped", turn: null },
      "the judge answered: the narrative verdict, with the speakers’ labels swapped"],
    [{ type: "model_answered", purpose: "deliberate", key: "deliberate:technical:1", turn: null },
      "a rater answered: rater technical, round 1 of deliberation"],
    [{ type: "model_answered", purpose: "panel", key: "panel:risk" }, "a rater answered: the scores of rater risk"],
    [{ type: "model_answered", purpose: "new_question", turn: 2 }, "the judge answered: new question"],
    [{ type: "context_shortened", turn: 9 }, "from turn 9 on the judge reads earlier turns in a shortened form"],
    [{ type: "finding_refused", turn: 4, reason: "no" }, "a finding of the judge was refused: no"],
    [{ type: "finding_refused", turn: 4, about: 1, reason: "no" }, "a finding of the judge about turn 1 was refused: no"],
    [{ type: "debate_audited", missing }, "the closing audit was not made: timeout"],
    [{ type: "debate_audited", found: 1 }, "the closing audit took points from 1 turn"],
    [{ type: "debate_audited", found: 0 }, "the closing audit took no points"],
    [{ type: "debate_labelled", by: "operator", title: "Juries", tags: ["law", "demo"], archived: false },
      "the title is now “Juries”; the tags are now law, demo; the debate is no longer archived"],
    [{ type: "debate_labelled", by: "operator", title: "", tags: [], hidden: true, link: "a1" },
      "the title was removed; the tags were removed; the debate was hidden; only readers with a new link see the debate"],
    [{ type: "debate_labelled", by: "operator", link: "" }, "the debate is listed for all"],
    [{ type: "lab_measured", effects: [{}, {}] }, "the judge was measured: 2 figures"],
    [{ type: "claim_cleared", claim: "C3.1", by: "m" }, "a second opinion (m) cleared claim C3.1"],
    [{ type: "opponent_answered", turn: 4, answered: ["P1.1", "P1.2"] }, "turn 4 answers P1.1 and P1.2"],
    [{ type: "opponent_answered", turn: 4, answered: [] }, "turn 4 answers no premise of the other side"],
    [{ type: "score_harmonized", turn: 3, dimension: "logic", applied: 0.5, rule: "slight_winner" },
      "turn 3: logic +0.5, won the comparison"],
    [{ type: "score_harmonized", turn: 3, dimension: "logic", applied: -2, rule: "band_loser" },
      "turn 3: logic −2, a clear loss"],
  ];
  for (const [event, words] of cases) assert.equal(words, eventWords(event));
});

test("each event has one who made it happen, and the judge is no side", () => {
  const cases = [
    [{ type: "turn_spoken", side: "con" }, "con"],
    [{ type: "argument_cross_examined", by: "con" }, "con"],
    [{ type: "model_answered", purpose: "speak" }, "pro"],
    [{ type: "model_answered", purpose: "score" }, "judge"],
    [{ type: "model_failed", purpose: "deliberate" }, "rater"],
    [{ type: "turn_scored" }, "judge"],
    [{ type: "claim_flagged" }, "judge"],
    [{ type: "opponent_answered" }, "judge"],
    [{ type: "claim_appealed" }, "rules"],
    [{ type: "penalty_applied" }, "rules"],
    [{ type: "pressure_applied", side: "pro" }, "rules"],
    [{ type: "panelist_scored" }, "rater"],
    [{ type: "moderator_spoke" }, "people"],
    [{ type: "debate_opened" }, "people"],
  ];
  for (const [event, who] of cases) assert.equal(actor(event, "pro"), who, event.type);
});
