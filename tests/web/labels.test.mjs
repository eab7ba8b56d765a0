import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

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

test("without a turn Pro is the side that spoke first", () => {
  assert.equal("pro", firstSide({ turns: {} }));
});
