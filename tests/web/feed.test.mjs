import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Feed, backoff } from "../../web/feed.js";

class Line {
  static all = [];
  readyState = 1;

  constructor(url, protocols) {
    Object.assign(this, { url, protocols });
    Line.all.push(this);
  }

  say(message) { this.onmessage({ data: JSON.stringify(message) }); }
  close() { this.readyState = 3; }
  drop(code = 1006) { this.readyState = 3; this.onclose({ code }); }
}

class Timers {
  #next = 1;
  waiting = new Map();
  setTimeout = (callback, ms) => { this.waiting.set(this.#next, { callback, ms }); return this.#next++; };
  clearTimeout = (handle) => this.waiting.delete(handle);

  fire() {
    const [[handle, { callback, ms }]] = this.waiting;
    this.waiting.delete(handle);
    callback();
    return ms;
  }
}

let feed, timers, heard, states;
const frame = (position) => ({ kind: "frame", position, event: { type: "x" }, patch: {} });
const line = () => Line.all.at(-1);

beforeEach(() => {
  Line.all = [];
  timers = new Timers();
  heard = [];
  states = [];
  let isOver = false;
  feed = new Feed("ws://x/ws/debates/d", { Socket: Line, timers, random: () => 1, isDone: () => isOver });
  feed.finish = () => { isOver = true; };
  for (const type of ["snapshot", "frame"]) feed.addEventListener(type, ({ detail }) => heard.push(detail.position));
  feed.addEventListener("state", ({ detail }) => states.push(detail));
  feed.open();
});

test("the first line asks for a snapshot, in the right subprotocol", () => {
  assert.equal("ws://x/ws/debates/d", line().url);
  assert.deepEqual(["moot.v1"], line().protocols);
});

test("it says where it stands", () => {
  line().onopen();
  line().say({ kind: "live" });
  line().drop();
  timers.fire();
  line().onopen();
  line().say({ kind: "live" });

  assert.deepEqual(["catching-up", "live", "reconnecting", "catching-up", "live"], states);
});

test("a broken line resumes after the last position, and nothing is told twice", () => {
  line().say({ kind: "snapshot", position: 3, view: {} });
  line().say(frame(4));
  line().drop();
  timers.fire();
  line().say(frame(4));
  line().say(frame(5));

  assert.equal("ws://x/ws/debates/d?after=4", line().url);
  assert.deepEqual([3, 4, 5], heard);
});

test("a gap is never passed over: the line is given up and everything after what is held is asked for", () => {
  line().say({ kind: "snapshot", position: 3, view: {} });
  line().say(frame(5));
  timers.fire();
  line().say(frame(4));
  line().say(frame(5));

  assert.equal("ws://x/ws/debates/d?after=3", line().url);
  assert.deepEqual([3, 4, 5], heard);
});

test("an old line that still speaks is not heard", () => {
  line().say({ kind: "snapshot", position: 3, view: {} });
  const old = line();
  feed.open();
  old.say(frame(4));

  assert.deepEqual([3], heard);
});

test("back-off doubles to a cap of 20 s, with jitter of half", () => {
  assert.deepEqual([400, 800, 1600], [0, 1, 2].map((n) => backoff(n, () => 1)));
  assert.equal(20_000, backoff(30, () => 1));
  assert.equal(10_000, backoff(30, () => 0));
});

test("waits grow while the server is away and start over once the line has held", () => {
  const waits = [];
  for (let i = 0; i < 3; i += 1) {
    line().drop();
    waits.push(timers.fire());
  }
  line().say({ kind: "live" });
  assert.equal(5000, timers.fire());
  line().drop();
  waits.push(timers.fire());

  assert.deepEqual([400, 800, 1600, 400], waits);
});

test("a line that goes live and breaks at once is not hammered", () => {
  const waits = [];
  for (let i = 0; i < 3; i += 1) {
    line().say({ kind: "live" });
    line().drop();
    waits.push(timers.fire());
  }

  assert.deepEqual([400, 800, 1600], waits);
});

for (const code of [1001, 1006, 1011, 4408, 4429]) {
  test(`${code} comes back`, () => {
    line().drop(code);

    assert.equal(1, timers.waiting.size);
  });
}

for (const code of [4403, 4404]) {
  test(`${code} does not`, () => {
    line().drop(code);

    assert.equal(0, timers.waiting.size);
    assert.equal("refused", feed.state);
  });
}

test("a line that the server ends after the end is not opened again", () => {
  feed.finish();
  line().drop(1000);

  assert.equal("closed", feed.state);
});

test("a position that the server no longer knows begins with a snapshot", () => {
  line().say({ kind: "snapshot", position: 9, view: {} });
  line().say({ kind: "error", code: "bad_after", message: "" });
  line().drop(1008);
  timers.fire();
  line().say({ kind: "snapshot", position: 2, view: {} });

  assert.equal("ws://x/ws/debates/d", line().url);
  assert.deepEqual([9, 2], heard);
});
