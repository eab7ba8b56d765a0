import assert from "node:assert/strict";
import { test } from "node:test";

import {
  hindrance,
  mergeUp,
  numbered,
  requestTurns,
  speakersOf,
  splitAt,
  turnsOf,
  withOthers,
  withoutShort,
  withSamePerson,
  withSide,
  withSpeakerSide,
} from "../../web/home/split.js";

const entries = () => numbered([
  { speaker: "Chair", text: "Welcome.", side: "context", at_ms: 0 },
  { speaker: "Ann", text: "Cars kill people.", side: "pro", at_ms: 5000 },
  { speaker: "Cleo", text: "I agree.", side: null, at_ms: null },
  { speaker: "Ben", text: "Vans 🚲 matter.", side: "con", at_ms: null },
  { speaker: "Ann", text: "No.", side: "pro", at_ms: null },
]);
const shown = (all) => all.map(({ speaker, side, text }) => [speaker, side, text]);

test("an entry is merged with the one above, which keeps its speaker", () => {
  const all = entries();
  const now = mergeUp(all, all[2].id);

  assert.deepEqual(["Ann", "pro", "Cars kill people.\n\nI agree."], shown(now)[1]);
  assert.equal(4, now.length);
  assert.equal(all[1].id, now[1].id);
  assert.equal(all, mergeUp(all, all[0].id));
  assert.equal("Cars kill people.", all[1].text);
});

test("an entry is split before a character, and what is merged again is as before", () => {
  const all = entries();
  const now = splitAt(all, all[1].id, 5);

  assert.deepEqual([["Ann", "pro", "Cars"], ["Ann", "pro", "kill people."]], shown(now).slice(1, 3));
  assert.deepEqual([5000, null], now.slice(1, 3).map(({ at_ms: at }) => at));
  assert.equal(new Set(now.map(({ id }) => id)).size, now.length);
  assert.equal(5, mergeUp(now, now[2].id).length);
});

test("no character is cut in two, and no part is empty", () => {
  const all = entries();
  const [first, second] = splitAt(all, all[3].id, 6).slice(3);

  assert.deepEqual(["Vans", "🚲 matter."], [first.text, second.text]);
  for (const offset of [0, 17, 99]) assert.equal(all, splitAt(all, all[1].id, offset));
  assert.equal(all, splitAt(all, -1, 3));
});

test("a side belongs to an entry or to all of a speaker", () => {
  const all = entries();

  assert.deepEqual(["con", "pro"], withSide(all, all[1].id, "con").filter(({ speaker }) => speaker === "Ann")
    .map(({ side }) => side));
  assert.deepEqual(["con", "con"], withSpeakerSide(all, "Ann", "con").filter(({ speaker }) => speaker === "Ann")
    .map(({ side }) => side));
  assert.equal(all[0], withSpeakerSide(all, "Ann", "con")[0]);
});

test("the speakers have their words and the side that all of their entries have", () => {
  const all = entries();

  assert.deepEqual([["Chair", "context", 1, 1], ["Ann", "pro", 2, 4], ["Cleo", null, 1, 2], ["Ben", "con", 1, 3]],
    speakersOf(all).map(({ name, side, entries: number, words }) => [name, side, number, words]));
  assert.equal(null, speakersOf(withSide(all, all[1].id, "con"))[1].side);
  assert.deepEqual([false, false, true, false], speakersOf(all).map(({ isOpen }) => isOpen));
});

test("an entry that is left out does not change the side of its speaker, and stays out", () => {
  const all = entries();
  const short = withSide(all, all[1].id, "out");

  assert.equal("pro", speakersOf(short)[1].side);
  assert.deepEqual(["out", "con"], withSpeakerSide(short, "Ann", "con").filter(({ speaker }) => speaker === "Ann")
    .map(({ side }) => side));
  const silent = withSpeakerSide(short, "Ann", "out");
  assert.equal("out", speakersOf(silent)[1].side);
  assert.equal("pro", speakersOf(withSpeakerSide(silent, "Ann", "pro"))[1].side);
});

test("entries of one side that follow one another are one turn", () => {
  const all = withSpeakerSide(entries(), "Cleo", "pro");

  assert.deepEqual([null, 1, 1, 2, 3], turnsOf(all));
  assert.deepEqual([null, 1, 1, 1, 1], turnsOf(withSpeakerSide(all, "Ben", "pro")));
  assert.deepEqual([null, 1, null, 1, 1], turnsOf(withSpeakerSide(withSide(all, all[2].id, "context"), "Ben", "pro")));
});

test("what hinders the debate is told, the first by its kind", () => {
  const all = entries();
  const settled = withSpeakerSide(all, "Cleo", "out");
  const many = (number, side, text) => numbered(Array.from({ length: number }, () => ({ speaker: "X", side, text })));
  const alternating = numbered(Array.from({ length: 201 }, (_, i) => ({ text: "a", side: i % 2 ? "con" : "pro" })));

  assert.deepEqual({ kind: "open", value: "Cleo" }, hindrance(all));
  assert.equal(null, hindrance(settled));
  assert.deepEqual({ kind: "silent", value: "con" }, hindrance(withSpeakerSide(settled, "Ben", "pro")));
  assert.deepEqual({ kind: "turns", value: 201 }, hindrance(alternating));
  assert.deepEqual({ kind: "contexts", value: 102 }, hindrance([...settled, ...many(101, "context", "a")]));
  assert.deepEqual({ kind: "contextText" }, hindrance([...settled, ...many(1, "context", "a".repeat(4001))]));
  assert.deepEqual({ kind: "turnText", value: 4 }, hindrance([...settled, ...many(2, "con", "a".repeat(30_001))]));
});

test("speakers without a side and short entries are settled at once", () => {
  const all = entries();

  assert.deepEqual(["context", "pro", "context", "con", "pro"], withOthers(all, "context").map(({ side }) => side));
  assert.deepEqual(["out", "pro", "out", "con", "out"], withoutShort(all, 3).map(({ side }) => side));
  assert.equal(all[1], withoutShort(all, 3)[1]);
});

test("what is left out is not sent", () => {
  const turns = requestTurns(withSpeakerSide(entries(), "Cleo", "out"));

  assert.deepEqual(["context", "pro", "con", "pro"], turns.map(({ side }) => side));
  assert.deepEqual({ side: "pro", speaker: "Ann", text: "No." }, turns[3]);
  assert.equal(5000, turns[1].at_ms);
});

test("two names of one person become one, with the side of the name that stays", () => {
  const all = entries();
  const now = withSamePerson(all, "Cleo", "Ann");

  assert.deepEqual(["Ann", "pro", "I agree."], shown(now)[2]);
  assert.deepEqual(["Chair", "Ann", "Ben"], speakersOf(now).map(({ name }) => name));
  assert.equal(all, withSamePerson(all, "Cleo", "Cleo"));
  assert.equal(all, withSamePerson(all, "Cleo", "Dan"));
  const out = withSamePerson(withSide(all, all[2].id, "out"), "Cleo", "Ann");
  assert.deepEqual(["Ann", "out", "I agree."], shown(out)[2]);
});
