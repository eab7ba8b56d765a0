import assert from "node:assert/strict";
import test from "node:test";

import { HEADER, LEDGER } from "../../web/words.js";
import { MOVED } from "../../web/words_audit.js";
import { eventWords } from "../../web/words_events.js";

test("the rules of a slight win also follow a clear one, so their words say no degree", () => {
  for (const rule of ["slight_winner", "slight_loser"]) {
    const event = { type: "score_harmonized", turn: 3, dimension: "logic", applied: 0.5, rule };
    for (const words of [LEDGER.rule[rule], MOVED.rule[rule], eventWords(event)]) {
      assert.match(words, /(won|lost) (the|a) comparison$/);
    }
  }
});

test("the usage of a debate names the tokens that came from a cache", () => {
  const usage = { calls: 9, failed_calls: 1, tokens: 40000, unpriced_calls: 0 };

  assert.equal(HEADER.usage(usage), "9 model calls, 1 failed, 40,000 tokens");
  assert.equal(
    HEADER.usage({ ...usage, cached_tokens: 30000 }),
    "9 model calls, 1 failed, 40,000 tokens (30,000 from a cache)",
  );
});
