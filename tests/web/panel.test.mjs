import assert from "node:assert/strict";
import { test } from "node:test";

import { progressWords } from "../../web/debate/header.js";
import { recordWords } from "../../web/panel/panel.js";
import { figure, joined, percent } from "../../web/words/formatting.js";
import { outcomeWords } from "../../web/words/words.js";

test("the outcome is in the words of the server, or what was judged where there are no sides", () => {
  const concluded = (winner, by_rule) => ({ format: "protocol", conclusion: { winner, by_rule }, panel: {} });
  const outcome = { headline: "Pro wins by the panel", text: "Pro wins by the panel." };
  assert.equal("Pro wins by the panel", outcomeWords({ ...concluded("pro", "panel"), outcome }));
  assert.equal(
    "verdict Fail",
    outcomeWords({ ...concluded("neither", "artifact"), panel: { verdict: { verdict: "FAIL" } } }),
  );
  assert.equal(
    "no verdict",
    outcomeWords({ ...concluded("neither", "artifact"), panel: { verdict: { missing: { reason: "x" } } } }),
  );
  assert.equal("raters measured", outcomeWords({ ...concluded("neither", "calibration"), format: "calibration" }));
});

test("figures keep their decimals, and missing ones are dashes", () => {
  assert.deepEqual(["0.30", "−0.29", "–", "–"], [0.3, -0.287, { missing: { reason: "x" } }, undefined].map(figure));
  assert.deepEqual(["9 %", "3.5 %", "100 %", "0 %"], [0.09, 0.035, 1, 0].map(percent));
  assert.equal("a, b and c", joined(["a", "b", "c"]));
  assert.equal("right on 7 of 9 known outcomes", recordWords({ right: 7, of: 9 }));
  assert.equal("no track record yet", recordWords({ right: 0, of: 0 }));
});

test("the progress of a protocol is shown in rounds", () => {
  const view = (round, more) => ({ format: "protocol", protocol: { round }, panel: {}, state: "open", ...more });
  assert.equal("Round 1 of 3: openings", progressWords(view("openings")));
  assert.equal("Round 2 of 3: cross-examination", progressWords(view("cross_examination")));
  assert.equal("Three rounds: judgement", progressWords(view("judgement")));
  assert.equal("Round 3 of 4: answers", progressWords(view("answers", { turns_planned: 8 })));
  assert.equal("Round 4 of 4: closings", progressWords(view("closings", { turns_planned: 8 })));
  assert.equal("Four rounds: judgement", progressWords(view("judgement", { turns_planned: 8 })));
  assert.equal("The panel is at work", progressWords(view("done", { panel: { raters: {} } })));
  assert.equal(
    "Deliberation, round 2",
    progressWords({ format: "deliberation", panel: { opinions: { 0: {}, 2: {} } } }),
  );
  assert.equal(
    "1 of 2 verdicts",
    progressWords({ format: "calibration", cases: { a: {}, b: {} }, panel: { raters: { x: { calibrations: { a: {} } } } } }),
  );
});
