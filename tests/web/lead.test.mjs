import assert from "node:assert/strict";
import test from "node:test";

import { LEAD, SIDEBAR } from "../../web/words/words.js";

const turns = { 1: { side: "pro" }, 2: { side: "con" } };

test("what moved the lead names the side of each turn", () => {
  const words = (move) => LEAD.moved(move, turns);

  assert.equal(words({ turn: 2, composite: 67 }), "▼ Con’s turn 2 scored 67.0/100");
  assert.equal(words({ turn: 1, composite: 68, applied: 1 }), "▲ Pro’s turn 1 gained 1 point");
  assert.equal(words({ turn: 2, composite: 65, applied: -2 }), "▼ Con’s turn 2 lost 2 points");
  assert.equal(words({ turn: 1, composite: 66, applied: -2, by: 2 }), "▼ Con’s turn 2 exposed ▲ Pro’s turn 1 (−2)");
});

test("a turn that is docked for words of its own side has a flaw that they show", () => {
  const sides = { 1: { side: "pro" }, 2: { side: "con" }, 4: { side: "con" }, 6: { side: "con" } };
  const words = (turn, by) => LEAD.moved({ turn, composite: 60, applied: -2, by }, sides);

  assert.equal(words(6, 4), "▼ Con’s turn 4 shows a flaw in ▼ Con’s turn 6 (turn 6: −2)");
  assert.equal(words(2, 6), "▼ Con’s turn 6 exposed ▼ Con’s turn 2 (−2)");
  assert.equal(words(6, 6), "▼ Con’s turn 6 shows a flaw of its own (turn 6: −2)");
  assert.equal(words(6, 1), "▲ Pro’s turn 1 shows a flaw in ▼ Con’s turn 6 (turn 6: −2)");
});

test("a second reading says both composites", () => {
  const move = { turn: 1, composite: 71.24, before: 56.98, applied: 14.26, again: true };

  assert.equal(LEAD.moved(move, turns), "▲ Pro’s turn 1 was scored again: 71.2 after 57.0");
});

test("a lead that is not sure enough says so beside its certainty", () => {
  assert.equal(SIDEBAR.unsure(0.83), " leads so far, 83 % sure: not distinguishable.");
});

test("a margin stands beside the judge's noise", () => {
  assert.equal(LEAD.noise(true, 3.4).join(""), ", within the judge’s noise 3.4");
  assert.equal(LEAD.noise(false, 3.4).join(""), ", beyond the judge’s noise 3.4");
  assert.equal(LEAD.spread(1.25).join(""), " ±1.3");
});
