import assert from "node:assert/strict";
import test from "node:test";

import { lossAt, scoredAt } from "../../web/exchange/losses.js";

test("a finding leads to its loss, and a loss to itself", () => {
  assert.equal(lossAt(30, { changed: [31, 86] }), 31);
  assert.equal(lossAt(30, { changed: [86] }), 30);
  assert.equal(lossAt(76, { changed: [76, 77] }), 76);
  assert.equal(lossAt(9, undefined), 9);
});

test("a turn's score is shown after its last change", () => {
  assert.equal(scoredAt({ judged: 26, changed: [31, 86] }), 86);
  assert.equal(scoredAt({ judged: 26 }), 26);
});
