import assert from "node:assert/strict";
import test from "node:test";

import { leadDrawing } from "../../web/exchange/graph.js";

const turns = { 1: { side: "pro" }, 2: { side: "con" }, 3: { side: "pro" } };
const moves = {
  8: { turn: 1, during: 1, composite: 70 },
  26: { turn: 2, during: 2, composite: 67, lead: 2.67 },
  31: { turn: 1, during: 2, before: 70, composite: 64, applied: -6, by: 2, lead: -3.33 },
  33: { turn: 1, during: 2, before: 64, composite: 64.5, applied: 0.5 },
};

test("the graph has a mark for each lead of the view, and marks that came with one turn stand before it", () => {
  const { points, lines, range } = leadDrawing({ turns, lead: { moves } });

  assert.deepEqual(points.map(({ n, position, lead, side }) => [n, position, lead, side]), [
    [1.6, 26, 2.67, "pro"],
    [2, 31, -3.33, "con"],
  ]);
  assert.deepEqual(lines, [["lead", [[1.6, 2.67], [2, -3.33]]]]);
  assert.deepEqual(range, [-10, 10, 5]);
  assert.deepEqual(points.map(({ title }) => title), [
    "▲ Pro +2.7 · ▼ Con’s turn 2 scored 67.0/100",
    "▼ Con +3.3 · ▼ Con’s turn 2 exposed ▲ Pro’s turn 1 (−6)",
  ]);
});

test("without a lead the graph is empty", () => {
  assert.equal(leadDrawing({ turns, lead: { moves: { 8: moves[8] } } }).isEmpty, true);
  assert.equal(leadDrawing({ turns: {}, lead: { moves: {} } }).isEmpty, true);
});
