import assert from "node:assert/strict";
import { test } from "node:test";

import { merge } from "../../web/patch.js";

// RFC 7396, appendix A: original, patch, result
const EXAMPLES = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [["a", "b"], ["c", "d"], ["c", "d"]],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

for (const [original, patch, result] of EXAMPLES) {
  test(`${JSON.stringify(original)} + ${JSON.stringify(patch)}`, () => {
    assert.deepEqual(merge(original, patch), result);
  });
}

test("nothing that was given is changed, and what is not named stays the same object", () => {
  const before = Object.freeze({ turns: Object.freeze({ 1: Object.freeze({ text: "a" }), 2: Object.freeze({ text: "b" }) }) });

  const after = merge(before, { turns: { 2: { text: "c" } } });

  assert.equal(before.turns[1], after.turns[1]);
  assert.equal("c", after.turns[2].text);
  assert.equal("b", before.turns[2].text);
});

test("a member named __proto__ is a member, not a prototype", () => {
  const after = merge({}, JSON.parse('{"__proto__": {"polluted": true}}'));

  assert.equal(undefined, after.polluted);
  assert.equal(undefined, {}.polluted);
  assert.deepEqual(["__proto__"], Object.keys(after));
});
