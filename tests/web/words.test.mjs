import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { HEADER, SIDEBAR, VERDICTS, reasonWords } from "../../web/words/words.js";

test("a sum of costs is a minimum where the cost of a call is unknown", () => {
  const usage = { calls: 9, failed_calls: 1, tokens: 40000, unpriced_calls: 2 };

  assert.equal(HEADER.usage(usage), "9 model calls, 1 failed, 40,000 tokens, 2 of unknown cost");
  assert.deepEqual([HEADER.sum("$0.125", 0), HEADER.sum("$0.125", 2)], ["$0.125", "at least $0.125"]);
});

test("the usage of a debate names the tokens that came from a cache", () => {
  const usage = { calls: 9, failed_calls: 1, tokens: 40000, unpriced_calls: 0 };

  assert.equal(HEADER.usage(usage), "9 model calls, 1 failed, 40,000 tokens");
  assert.equal(
    HEADER.usage({ ...usage, cached_tokens: 30000 }),
    "9 model calls, 1 failed, 40,000 tokens (30,000 from a cache)",
  );
});

test("a recorded reason has the same plain words on the page as in the other documents", () => {
  const examples = JSON.parse(readFileSync(new URL("reasons.json", import.meta.url), "utf-8"));
  const verdicts = examples.filter(([recorded]) => / within [\d.]+ (?:\w+ decides|nobody wins)/.test(recorded));
  assert.ok(verdicts.length > 1);
  for (const [recorded, words] of verdicts) assert.equal(reasonWords(recorded), words);
});

test("a premise that was withdrawn or dropped does not stand", () => {
  const said = VERDICTS.standing({ kept: 10, revised: 1, withdrawn: 3, dropped: 0 });

  assert.equal(said, "11 of 14 premises stand, 3 withdrawn openly, 0 dropped without mention");
  assert.equal(VERDICTS.standing({ kept: 1, revised: 0, withdrawn: 0, dropped: 0 }), "1 of 1 premise stands");
});

test("a score outside its band is a whole sentence", () => {
  const said = `Turn 5 has 19 for tactics${SIDEBAR.anomaly(false, 6, 0, 16)}`;

  assert.equal(said, "Turn 5 has 19 for tactics, and lost it against turn 6: the loser should have 0 to 16.");
});
