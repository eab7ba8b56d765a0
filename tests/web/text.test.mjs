import assert from "node:assert/strict";
import { test } from "node:test";

import { applyDelta, aroundMarks, head, pieces, points, spokenBy } from "../../web/parts/text.js";

test("an emoji is one code point, a combining accent another", () => {
  assert.equal(4, points("a🚲e\u0301"));
  assert.equal("a🚲", head("a🚲e\u0301", 2));
  assert.equal("", head("abc", 0));
  assert.equal("abc", head("abc", 99));
});

test("spans are cut by code points and may overlap", () => {
  const cut = pieces("🚲 one two", [{ name: "x", span: [2, 5] }, { name: "y", span: [4, 9] }]);

  assert.deepEqual([
    { text: "🚲 ", names: [] },
    { text: "on", names: ["x"] },
    { text: "e", names: ["x", "y"] },
    { text: " two", names: ["y"] },
  ], cut);
});

test("a span beyond the text is cut, and the pieces always join to the text", () => {
  const cut = pieces("abc", [{ name: "x", span: [1, 90] }, { name: "y", span: [50, 60] }]);

  assert.equal("abc", cut.map(({ text }) => text).join(""));
  assert.deepEqual(["x"], cut.at(-1).names);
});

test("a span that begins or ends inside a mark covers the whole mark, and the mark is one piece", () => {
  const mark = { name: "cite", span: [4, 8] };
  const claims = [{ name: "a", span: [0, 7] }, { name: "b", span: [5, 12] }, { name: "c", span: [8, 12] }];
  const grown = aroundMarks(claims, [mark]);

  assert.deepEqual([[0, 8], [4, 12], [8, 12]], grown.map(({ span }) => span));
  assert.deepEqual(["fee ", "[E1]", " is."], pieces("fee [E1] is.", [...grown, mark]).map(({ text }) => text));
});

const said = (speech, at, text, attempt = 1) => applyDelta(speech, { turn: 1, attempt, at, text });

test("deltas add up by code points", () => {
  const speech = said(said(said(null, 0, "🚲 "), 2, "one "), 6, "two");

  assert.equal("🚲 one two", speech.text);
  assert.equal(9, speech.points);
});

test("a repeated delta changes nothing", () => {
  const speech = said(said(null, 0, "🚲 one"), 5, " two");

  assert.equal(speech.text, said(speech, 0, "🚲 one").text);
  assert.equal(speech.text, said(speech, 2, "one").text);
  assert.equal("🚲 one two three", said(speech, 0, "🚲 one two three").text);
  assert.equal("🚲 one two!", said(speech, 5, " two!").text);
});

test("a gap is shown, and the whole text closes it", () => {
  const hasGap = said(said(null, 0, "abc"), 6, "ghi");

  assert.equal("abc … ghi", hasGap.text);
  assert.equal("abcdefghijk", said(hasGap, 0, "abcdefghijk").text);
});

test("another attempt starts over", () => {
  assert.equal("new", said(said(null, 0, "old words"), 0, "new", 2).text);
});

test("a replay shows the part spoken by then", () => {
  const pace = [[100, 2], [200, 5], [300, 9]];

  assert.deepEqual({ text: "", points: 0 }, spokenBy("🚲 one two", pace, 99));
  assert.deepEqual({ text: "🚲 one", points: 5 }, spokenBy("🚲 one two", pace, 250));
  assert.deepEqual({ text: "🚲 one two", points: 9 }, spokenBy("🚲 one two", pace, 1000));
});
