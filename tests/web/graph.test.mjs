import assert from "node:assert/strict";
import test from "node:test";

import { leadsOf } from "../../web/exchange/graph.js";

const turns = {
  1: { side: "pro", judged: 8, changed: [31, 33], composite: 64 },
  2: { side: "con", judged: 26, changed: [31], composite: 67 },
  3: { side: "pro", judged: 40, composite: { missing: { reason: "timeout" } } },
};
const scored = (turn, composite) => ({ event: { type: "turn_scored", turn }, patch: { turns: { [turn]: { composite } } } });
const frames = {
  8: { ...scored(1, 70), patch: { ...scored(1, 70).patch, scorecard: { pro: { composite: 70 } } } },
  26: { ...scored(2, 67), patch: { ...scored(2, 67).patch, scorecard: { con: { composite: 67.33 } } } },
  31: {
    event: { type: "penalty_applied", turn: 1, applied: -6, exposed_by: { turn: 2 } },
    patch: { scorecard: { pro: { composite: 64, logic: 20 } } },
  },
  33: { event: { type: "penalty_applied", turn: 1, applied: -1 }, patch: { scorecard: { pro: { credibility: 7 } } } },
  40: { event: { type: "turn_scored", turn: 3 }, patch: { position: 40 } },
};

test("the lead is Pro minus Con after each event that changed it, in the order of events", () => {
  const leads = leadsOf(turns, (position) => frames[position]);

  assert.deepEqual(leads.map(({ position, lead }) => [position, lead]), [[26, 2.67], [31, -3.33]]);
  assert.deepEqual(leads.map(({ n }) => n), [1.6, 2]);
  assert.equal(leads[0].words, "▼ Con’s turn 2 scored 67.0/100");
  assert.equal(leads[1].words, "▼ Con’s turn 2 exposed ▲ Pro’s turn 1 (−6)");
});

test("a score is the one of its event, and not what later events made of it", () => {
  const last = { ...turns, 2: { ...turns[2], composite: 50 } };

  assert.equal(leadsOf(last, (position) => frames[position])[0].words, "▼ Con’s turn 2 scored 67.0/100");
});

test("without a lead there is no point, and while a frame is fetched only that one is wanted", () => {
  const wanted = [];
  const leads = leadsOf(turns, (position) => {
    wanted.push(position);
    return position < 31 ? frames[position] : undefined;
  });

  assert.equal(leads, null);
  assert.deepEqual(wanted, [8, 26, 31]);
  assert.deepEqual(leadsOf({ 1: turns[1] }, () => frames[8]), []);
  assert.deepEqual(leadsOf({}, () => assert.fail("no position")), []);
});
