import assert from "node:assert/strict";
import { test } from "node:test";

import { questionsAbout, questionsAtTheEnd } from "../../web/questions.js";

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
