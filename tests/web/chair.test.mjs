import assert from "node:assert/strict";
import { test } from "node:test";

const sent = [];
globalThis.document = { body: { classList: { contains: () => false } } };
globalThis.fetch = async (path, { body }) => {
  sent.push([path.split("/").slice(3).join("/"), JSON.parse(body)]);
  return { ok: true, status: 200, json: async () => ({}) };
};

const { chair } = await import("../../web/acts/chair.js");
const { openRound } = await import("../../web/replay/history.js");
const view = (state, judged, more = {}) => ({ state, turns: { 1: { judged }, 2: {} }, ...more });

test("a debate goes on for one turn, and pauses when that is judged", async () => {
  const acts = chair("one", assert.fail);
  acts.see(view("paused", 0));
  await acts.next();
  acts.see(view("open", 0));
  assert.deepEqual([["one/resume", { reason: "resumed from the page for one turn" }]], sent.splice(0));

  acts.see(view("open", 14));
  acts.see(view("paused", 14));
  assert.deepEqual([["one/pause", { reason: "paused from the page" }]], sent.splice(0));
});

test("who lets the debate go on takes the pause after one turn back", async () => {
  const acts = chair("one", assert.fail);
  acts.see(view("open", 0));
  acts.next();
  await acts.toggle();
  acts.see(view("paused", 0));
  await acts.toggle();
  acts.see(view("open", 14));
  assert.deepEqual(["one/pause", "one/resume"], sent.splice(0).map(([path]) => path));
});

test("the vote that is open is closed, and none if none is open", async () => {
  const acts = chair("one", assert.fail);
  acts.see(view("open", 0, { poll: { before: { state: "closed" }, after: { state: "open" } } }));
  await acts.closeVote();
  assert.deepEqual([["one/poll/close", { when: "after" }]], sent.splice(0));
  acts.see(view("open", 0));
  assert.equal(null, acts.closeVote());
  assert.deepEqual([null, null], [openRound(undefined), openRound({ before: { state: "closed" } })]);
});
