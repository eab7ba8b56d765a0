import assert from "node:assert/strict";
import test from "node:test";

import { HEADER } from "../../web/words.js";

test("the usage of a debate names the tokens that came from a cache", () => {
  const usage = { calls: 9, failed_calls: 1, tokens: 40000, unpriced_calls: 0 };

  assert.equal(HEADER.usage(usage), "9 model calls, 1 failed, 40,000 tokens");
  assert.equal(
    HEADER.usage({ ...usage, cached_tokens: 30000 }),
    "9 model calls, 1 failed, 40,000 tokens (30,000 from a cache)",
  );
});
