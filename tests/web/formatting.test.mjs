import assert from "node:assert/strict";
import test from "node:test";

import { number, tenths } from "../../web/words/formatting.js";

test("a composite reads the same with and without a fixed decimal, as in the exports", () => {
  for (let hundredths = -10_000; hundredths <= 10_000; hundredths += 5) {
    const value = hundredths / 100;
    assert.equal(Number(tenths(value)), Number(number(value, 1)));
  }
  assert.deepEqual(["56.7", "83.3", "-0.2", "53", "–"], [56.65, 83.25, -0.15, 53, undefined].map(tenths));
  assert.deepEqual(["0.18", "0", "0.0"], [number(0.175), number(-0.001), number(-0.01, 1)]);
});
