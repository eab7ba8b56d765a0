import assert from "node:assert/strict";
import { test } from "node:test";

import { merge, shared } from "../../web/replay/patch.js";

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

test("the arguments are not changed, and members that the patch does not name stay the same objects", () => {
  const turns = Object.freeze({ 1: Object.freeze({ text: "a" }), 2: Object.freeze({ text: "b" }) });
  const before = Object.freeze({ turns });

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

test("equal parts of two views become the same objects", () => {
  const known = { turns: { 1: { text: "a", claims: ["x"] }, 2: { text: "b" } }, end: null };
  const first = known.turns[1];

  const text = '{"turns": {"1": {"text": "a", "claims": ["x"]}, "2": {"text": "c"}}, "end": null}';
  const after = shared(known, JSON.parse(text));

  assert.deepEqual({ turns: { 1: { text: "a", claims: ["x"] }, 2: { text: "c" } }, end: null }, after);
  assert.equal(first, after.turns[1]);
  assert.equal("b", known.turns[2].text);
  assert.equal(known, shared(known, structuredClone(known)));
});

for (const [name, known, fresh] of [
  ["a member more", { a: 1 }, { a: 1, b: undefined }], ["a member less", { a: 1, b: 2 }, { a: 1 }],
  ["a list for an object", { 0: 1 }, [1]],
  ["nothing for something", { a: {} }, { a: null }],
  ["another member", { a: 1 }, { b: 1 }],
  ["a member that every object inherits", {}, JSON.parse('{"__proto__": {}, "constructor": {}}')],
]) {
  test(`different values stay different: ${name}`, () => {
    const copy = structuredClone(fresh);

    const after = shared(known, fresh);

    assert.deepEqual(Object.entries(copy), Object.entries(after));
    assert.equal(Array.isArray(copy), Array.isArray(after));
  });
}
