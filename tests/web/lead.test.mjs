import assert from "node:assert/strict";
import test from "node:test";

import { lastMove, uncertainty } from "../../web/debate/lead.js";
import { LEAD } from "../../web/words/words.js";

const turns = {
  1: { side: "pro", judged: 8, changed: [19], composite: 68 },
  2: { side: "con", judged: 26, changed: [31, 33, 35], composite: 67 },
  3: { side: "pro", judged: 40, composite: { missing: { reason: "timeout" } } },
};
const events = {
  8: { type: "turn_scored", turn: 1 },
  19: { type: "penalty_reversed", turn: 1, dimension: "logic", applied: 1 },
  26: { type: "turn_scored", turn: 2 },
  31: { type: "penalty_applied", turn: 2, dimension: "logic", applied: -2 },
  33: { type: "penalty_applied", turn: 2, dimension: "credibility", applied: -1 },
  35: { type: "penalty_applied", turn: 2, dimension: "rhetoric", applied: 0 },
  40: { type: "turn_scored", turn: 3 },
};

test("only an event that changes a composite moved the lead", () => {
  assert.deepEqual(lastMove(turns, (position) => events[position]), { position: 31, event: events[31] });
});

test("while an event is being fetched, no earlier one stands for it", () => {
  assert.deepEqual(lastMove(turns, (position) => (position === 35 ? undefined : events[position])), {});
  assert.deepEqual(lastMove({}, () => assert.fail("no position")), {});
});

test("what moved the lead names the side of each turn", () => {
  const words = (position) => LEAD.moved(events[position], turns);
  const exposed = { turn: 1, dimension: "logic", applied: -2, exposed_by: { turn: 2 } };

  assert.equal(words(26), "▼ Con’s turn 2 scored 67.0/100");
  assert.equal(words(19), "▲ Pro’s turn 1 gained 1 point");
  assert.equal(words(31), "▼ Con’s turn 2 lost 2 points");
  assert.equal(LEAD.moved(exposed, turns), "▼ Con’s turn 2 exposed ▲ Pro’s turn 1 (−2)");
});

test("a turn that is docked for words of its own side contradicts them", () => {
  const sides = { 1: { side: "pro" }, 2: { side: "con" }, 4: { side: "con" }, 6: { side: "con" } };
  const words = (turn, by) => LEAD.moved({ turn, dimension: "logic", applied: -2, exposed_by: { turn: by } }, sides);

  assert.equal(words(6, 4), "▼ Con’s turn 6 contradicts ▼ Con’s turn 4 (turn 6: −2)");
  assert.equal(words(2, 6), "▼ Con’s turn 6 contradicts ▼ Con’s turn 2 (−2)");
  assert.equal(words(6, 6), "▼ Con’s turn 6 contradicts itself (turn 6: −2)");
  assert.equal(words(6, 1), "▲ Pro’s turn 1 shows a flaw in ▼ Con’s turn 6 (turn 6: −2)");
});

test("a margin stands beside the judge's noise, or beside the spread of its samples where no lab run has measured it", () => {
  const sampled = { 1: { composite_spread: 2 }, 2: { composite_spread: 3 } };
  const words = (margin, card, all = sampled) => uncertainty(margin, card, all)[0]?.join("");

  assert.equal(words(2.1, { noise: 3.4 }), ", within the judge’s noise 3.4");
  assert.equal(words(3.4, { noise: 3.4 }), ", within the judge’s noise 3.4");
  assert.equal(words(5.2, { noise: 3.4 }), ", beyond the judge’s noise 3.4");
  assert.equal(words(5.2, {}), " ±1.3");
  assert.equal(words(5.2, { noise: 0 }, turns), undefined);
});
