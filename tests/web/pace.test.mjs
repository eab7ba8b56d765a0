/** The pace of a replay for words that came in one piece. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { PACES, readingMs } from "../../web/replay/pace.js";

const at = (seconds) => new Date(Date.UTC(2026, 10, 22, 10, 0, seconds)).toISOString();
const TEXT = "Trams carry two hundred people each.";

/** The wait within a turn that took ten minutes. */
function waitIn(by) {
  const spoken = { type: "turn_spoken", text: TEXT, pace: [], by };
  const frame = { at: at(0), event: { type: "turn_started" } };
  return PACES.recorded.wait({ frame, next: { at: at(600), event: spoken }, spoken, elapsed: 0, isCalm: false });
}

test("a person's turn takes as long as it takes to read, however long it was written", () => {
  assert.equal(waitIn("person"), readingMs(TEXT.length));
  assert.equal(waitIn("transcript"), readingMs(TEXT.length));
});

test("a model's turn takes as long as it took", () => {
  assert.equal(waitIn(undefined), 600_000);
});
