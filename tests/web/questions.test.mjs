import assert from "node:assert/strict";
import { test } from "node:test";

import { questionsAbout, questionsAtTheEnd } from "../../web/exchange/questions.js";

const answered = (purpose, key, sample = 1) => ({ event: { type: "model_answered", purpose, key, sample } });
const view = { position: 8, judge: { samples: 2 }, turns: { 1: { spoken: 4 }, 2: { spoken: 4 } } };

test("the answers about a turn are counted once for each sample, whatever else is answered", () => {
  const frames = {
    5: answered("score", "score:2"),
    6: answered("score", "score:2", 2),
    7: answered("second_opinion", "second_opinion:C1.1"),
    8: { event: { type: "model_failed", purpose: "claims", key: "claims:2" } },
  };

  assert.deepEqual({ answered: 2, asked: 12 }, questionsAbout(2, view, (at) => frames[at]));
  assert.deepEqual({ answered: 2, asked: 6 }, questionsAbout(1, view, (at) => frames[at]));
});

test("a judge that is asked briefly gets two calls about turn 1 and three about a later one", () => {
  const brief = { ...view, judge: { effort: "brief" } };
  const frames = (at) => (at === 5 ? answered("score_and_claims", "score_and_claims:2") : { event: { type: "x" } });

  assert.deepEqual({ answered: 1, asked: 2 }, questionsAbout(1, brief, frames));
  assert.deepEqual({ answered: 1, asked: 3 }, questionsAbout(2, brief, frames));
});

test("the questions about evidence count if the turn cites a passage, or once one of them is answered", () => {
  const evidence = { documents: { D1: { passages: 2 }, D2: { passages: 1 } } };
  const asked = (text, { frames = {}, model = "scripted:x", known = evidence } = {}) => {
    const judged = { position: 6, judge: { model }, turns: { 1: { spoken: 4, text } }, evidence: known };
    return questionsAbout(1, judged, (at) => frames[at] ?? { event: { type: "claim_flagged" } });
  };
  const weighed = { 5: answered("evidence", "evidence:1:forward") };

  assert.deepEqual({ answered: 0, asked: 5 }, asked("Fares fell (e 3) in 2019."));
  assert.deepEqual({ answered: 0, asked: 5 }, asked("Fares fell [E9, E2, p. 4]."));
  assert.deepEqual({ answered: 1, asked: 5 }, asked("Fares fell [E3].", { frames: weighed }));
  assert.deepEqual({ answered: 1, asked: 5 }, asked("Fares fell.", { frames: weighed }));
  assert.deepEqual({ answered: 0, asked: 4 }, asked("Fares fell [E3].", { model: "person:Ben" }));
  assert.deepEqual({ answered: 0, asked: 3 }, asked("Fares fell [E4] and [E0]; (E2 is a fuel)."));
  assert.deepEqual({ answered: 0, asked: 3 }, asked("Fares fell [E3].", { known: null }));
});

test("the count is not known to a page that lacks a frame", () => {
  assert.equal(null, questionsAbout(2, view, () => undefined));
});

test("a protocol asks the judge and each rater at its end", () => {
  const raters = { technical: { seat: { samples: 3 } }, risk: { seat: {} } };
  const protocol = { positions: { "closing:pro": 5, "closing:con": 6 } };
  const frames = { 7: answered("panel", "panel:technical", 3), 8: answered("deliberate", "deliberate:technical:1") };
  const ended = { ...view, protocol, panel: { raters } };

  assert.deepEqual({ answered: 1, asked: 6 }, questionsAtTheEnd(ended, (at) => frames[at]));
  const early = { ...ended, protocol: { positions: { "closing:pro": 5 } } };
  assert.equal(null, questionsAtTheEnd(early, (at) => frames[at]));
});
