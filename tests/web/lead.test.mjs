import assert from "node:assert/strict";
import test from "node:test";

import { LEAD } from "../../web/words/words.js";

const turns = { 1: { side: "pro" }, 2: { side: "con" } };

test("what moved the lead names the side of each turn", () => {
  const words = (move) => LEAD.moved(move, turns);

  assert.equal(words({ turn: 2, composite: 67 }), "▼ Con’s turn 2 scored 67.0/100");
  assert.equal(words({ turn: 1, composite: 68, applied: 1 }), "▲ Pro’s turn 1 gained 1 point");
  assert.equal(words({ turn: 2, composite: 65, applied: -2 }), "▼ Con’s turn 2 lost 2 points");
  assert.equal(words({ turn: 1, composite: 66, applied: -2, by: 2 }), "▼ Con’s turn 2 exposed ▲ Pro’s turn 1 (−2)");
});

test("a turn that is docked for words of its own side contradicts them", () => {
  const sides = { 1: { side: "pro" }, 2: { side: "con" }, 4: { side: "con" }, 6: { side: "con" } };
  const words = (turn, by) => LEAD.moved({ turn, composite: 60, applied: -2, by }, sides);

  assert.equal(words(6, 4), "▼ Con’s turn 6 contradicts ▼ Con’s turn 4 (turn 6: −2)");
  assert.equal(words(2, 6), "▼ Con’s turn 6 contradicts ▼ Con’s turn 2 (−2)");
  assert.equal(words(6, 6), "▼ Con’s turn 6 contradicts itself (turn 6: −2)");
  assert.equal(words(6, 1), "▲ Pro’s turn 1 shows a flaw in ▼ Con’s turn 6 (turn 6: −2)");
});

test("a margin stands beside the judge's noise", () => {
  assert.equal(LEAD.noise(true, 3.4).join(""), ", within the judge’s noise 3.4");
  assert.equal(LEAD.noise(false, 3.4).join(""), ", beyond the judge’s noise 3.4");
  assert.equal(LEAD.spread(1.25).join(""), " ±1.3");
});
