import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { CHANGED_BY, HEADER, SIDEBAR, VERDICTS, changeName, reasonWords } from "../../web/words/words.js";
import { eventWords } from "../../web/words/events.js";

test("the rules of a slight win also follow a clear one, so their words say no degree", () => {
  for (const rule of ["slight_winner", "slight_loser"]) {
    const event = { type: "score_harmonized", turn: 3, dimension: "logic", applied: 0.5, rule };
    for (const words of [changeName(rule), eventWords(event)]) {
      assert.match(words, /(won|lost) (the|a) comparison$/);
    }
  }
});

test("a rule that changes a score has the same words on the page as in the terminal", () => {
  const source = readFileSync(new URL("../../judge/rubrics/rubric.py", import.meta.url), "utf-8");
  const table = source.match(/CHANGED_BY: Final = (\{[^}]*\})/)[1].replace(/,\s*\}/, "}");

  assert.deepEqual({ ...CHANGED_BY }, JSON.parse(table));
  const event = { type: "score_harmonized", turn: 3, dimension: "logic", applied: -2, rule: "band_loser" };
  assert.equal(eventWords(event), "turn 3: logic −2, a clear loss");
});

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
  for (const [recorded, words] of examples) assert.equal(reasonWords(recorded), words);

  const refused = { type: "finding_refused", about: 5, reason: "the quote leaves out “not”" };
  assert.match(eventWords(refused), /about turn 5 was refused: the words that the quote leaves out contain “not”/);
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
