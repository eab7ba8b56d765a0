import assert from "node:assert/strict";
import test from "node:test";

import { lossAt } from "../../web/exchange/losses.js";

test("a finding leads to its loss, and a loss to itself", () => {
  assert.equal(lossAt(30, { changed: [31, 86] }), 31);
  assert.equal(lossAt(30, { changed: [86] }), 30);
  assert.equal(lossAt(76, { changed: [76, 77] }), 76);
  assert.equal(lossAt(9, undefined), 9);
});
