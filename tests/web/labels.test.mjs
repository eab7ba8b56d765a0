import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { compared } from "../../web/exchange/comparisons.js";
import { firstSide, named } from "../../web/exchange/labels.js";

/** The same cases as those of the export: tests/server/export/test_labels.py. */
const cases = JSON.parse(readFileSync(new URL("labels.json", import.meta.url), "utf-8"));
const swapped = (text) => text.replace(/Pro|Con/g, (name) => (name === "Pro" ? "Con" : "Pro"));

test("a label that can mean nothing else becomes the name of its side", () => {
  for (const [text, expected] of cases.named) {
    assert.equal(expected, named(text, "pro"));
    assert.equal(swapped(expected), named(text, "con"));
  }
});

test("the reason of a comparison names the sides in place of the speeches", () => {
  const turns = { 1: { side: "pro" }, 2: { side: "con" }, 3: { side: "pro" } };
  for (const [reason, expected] of cases.compared) {
    assert.deepEqual(expected.map(([order, text]) => ({ turns: order, text })), compared(reason, turns));
  }
});

test("a turn that is not known leaves the words as they are", () => {
  assert.equal("pro", firstSide({ turns: {} }));
  assert.deepEqual([{ turns: [8, 9], text: "The first is better." }], compared("Shown as 8-9: The first is better.", {}));
});
