import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { whatMoved } from "../../web/offline/sentences.js";

/** The same cases as those of the terminal: tests/server/export/test_moved.py. */
const cases = JSON.parse(readFileSync(new URL("moved.json", import.meta.url), "utf-8"));

test("what moved is told in sentences, the most important first", () => {
  for (const { changes, events, moved } of cases) {
    assert.deepEqual(whatMoved(changes, events).map(({ text }) => text), moved);
  }
});

test("a sentence names the events that caused it, once each and in order", () => {
  const changes = [
    { keys: ["premises", "P1", "state"], after: "kept", because_of: [9, 4] },
    { keys: ["premises", "P2", "state"], after: "kept", because_of: [4] },
  ];
  assert.deepEqual(whatMoved(changes, {}), [{ text: "Premises stated: P1 and P2.", because_of: [4, 9] }]);
});
