import assert from "node:assert/strict";
import { test } from "node:test";

import { statusOf } from "../../web/debate/status.js";

const live = { newest: { state: "open" }, view: { state: "open" }, following: true };

test("a wait is shown beside the live status, and removed", () => {
  assert.deepEqual(
    statusOf("live", { ...live, wait: "waiting for anthropic: 3 calls ahead" }),
    { name: "live", text: "Live, waiting for anthropic: 3 calls ahead" },
  );
  assert.deepEqual(statusOf("live", { ...live, wait: "" }), { name: "live", text: "Live" });
  assert.deepEqual(statusOf("live", live), { name: "live", text: "Live" });
});

test("an open vote of the audience is what a debate waits for", () => {
  const said = (poll) => statusOf("live", { ...live, view: { state: "open", poll } }).text;
  const [open, closed] = [{ state: "open", cast: 0 }, { state: "closed", cast: 9 }];
  assert.equal(said({ before: open }), "Live, the first vote is open");
  assert.equal(said({ before: closed }), "Live");
  assert.equal(statusOf("live", { ...live, view: null }).text, "Live");
  assert.equal(said({ before: closed, after: open }), "Live, the second vote is open");
});

test("a stopped debate shows no wait", () => {
  for (const state of ["paused", "halted"]) {
    const said = statusOf("live", { ...live, view: { state }, wait: "anthropic rests for 12 s" });
    assert.equal(said.name, state);
    assert.doesNotMatch(said.text, /rests/);
  }
});

test("a broken connection is shown first", () => {
  assert.equal(statusOf("reconnecting", { ...live, wait: "anthropic rests for 12 s" }).text, "Reconnecting…");
});
