import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Feed, backoff } from "../../web/replay/feed.js";

class FakeSocket {
  static all = [];
  readyState = 1;

  constructor(url, protocols) {
    Object.assign(this, { url, protocols });
    FakeSocket.all.push(this);
  }

  say(message) { this.onmessage({ data: JSON.stringify(message) }); }
  close() { this.readyState = 3; }
  drop(code = 1006) { this.readyState = 3; this.onclose({ code }); }
}

class FakeTimers {
  #next = 1;
  waiting = new Map();
  setTimeout = (callback, ms) => { this.waiting.set(this.#next, { callback, ms }); return this.#next++; };
  clearTimeout = (handle) => this.waiting.delete(handle);

  /** Fires the timer that is due first. */
  fire() {
    const [[handle, { callback, ms }]] = [...this.waiting].sort(([, a], [, b]) => a.ms - b.ms);
    this.waiting.delete(handle);
    callback();
    return ms;
  }
}

let feed, timers, received, states;
const frame = (position) => ({ kind: "frame", position, event: { type: "x" }, patch: {} });
const socket = () => FakeSocket.all.at(-1);

beforeEach(() => {
  FakeSocket.all = [];
  timers = new FakeTimers();
  received = [];
  states = [];
  let isOver = false;
  feed = new Feed("ws://x/ws/debates/d", { Socket: FakeSocket, timers, random: () => 1, isDone: () => isOver });
  feed.finish = () => { isOver = true; };
  for (const type of ["snapshot", "frame"]) feed.addEventListener(type, ({ detail }) => received.push(detail.position));
  feed.addEventListener("state", ({ detail }) => states.push(detail));
  feed.open();
});

test("the first connection asks for a snapshot, in the right subprotocol", () => {
  assert.equal("ws://x/ws/debates/d", socket().url);
  assert.deepEqual(["moot.v1"], socket().protocols);
});

test("it reports its state", () => {
  socket().onopen();
  socket().say({ kind: "live" });
  socket().drop();
  timers.fire();
  socket().onopen();
  socket().say({ kind: "live" });

  assert.deepEqual(["catching-up", "live", "reconnecting", "catching-up", "live"], states);
});

test("a broken connection resumes after the last position, and no frame is dispatched twice", () => {
  socket().say({ kind: "snapshot", position: 3, view: {} });
  socket().say(frame(4));
  socket().drop();
  timers.fire();
  socket().say(frame(4));
  socket().say(frame(5));

  assert.equal("ws://x/ws/debates/d?after=4", socket().url);
  assert.deepEqual([3, 4, 5], received);
});

test("after a gap it reconnects and asks for everything after the last position", () => {
  socket().say({ kind: "snapshot", position: 3, view: {} });
  socket().say(frame(5));
  timers.fire();
  socket().say(frame(4));
  socket().say(frame(5));

  assert.equal("ws://x/ws/debates/d?after=3", socket().url);
  assert.deepEqual([3, 4, 5], received);
});

test("messages of an old connection are ignored", () => {
  socket().say({ kind: "snapshot", position: 3, view: {} });
  const old = socket();
  feed.open();
  old.say(frame(4));

  assert.deepEqual([3], received);
});

test("back-off doubles to a cap of 20 s, with jitter of half", () => {
  assert.deepEqual([400, 800, 1600], [0, 1, 2].map((n) => backoff(n, () => 1)));
  assert.equal(20_000, backoff(30, () => 1));
  assert.equal(10_000, backoff(30, () => 0));
});

test("waits grow while the server is away and start over after the connection has held", () => {
  const waits = [];
  for (let i = 0; i < 3; i += 1) {
    socket().drop();
    waits.push(timers.fire());
  }
  socket().say({ kind: "live" });
  assert.equal(5000, timers.fire());
  socket().drop();
  waits.push(timers.fire());

  assert.deepEqual([400, 800, 1600, 400], waits);
});

test("waits grow if each connection goes live and breaks at once", () => {
  const waits = [];
  for (let i = 0; i < 3; i += 1) {
    socket().say({ kind: "live" });
    socket().drop();
    waits.push(timers.fire());
  }

  assert.deepEqual([400, 800, 1600], waits);
});

for (const code of [1001, 1006, 1011, 4408, 4429]) {
  test(`${code} reconnects`, () => {
    socket().drop(code);

    assert.equal(1, timers.waiting.size);
  });
}

for (const code of [4403, 4404]) {
  test(`${code} does not reconnect`, () => {
    socket().drop(code);

    assert.equal(0, timers.waiting.size);
    assert.equal("refused", feed.state);
  });
}

test("it does not reconnect after the end of the debate", () => {
  feed.finish();
  socket().drop(1000);

  assert.equal("closed", feed.state);
});

test("if the server does not know the position, it starts with a snapshot", () => {
  socket().say({ kind: "snapshot", position: 9, view: {} });
  socket().say({ kind: "error", code: "bad_after", message: "" });
  socket().drop(1008);
  timers.fire();
  socket().say({ kind: "snapshot", position: 2, view: {} });

  assert.equal("ws://x/ws/debates/d", socket().url);
  assert.deepEqual([9, 2], received);
});

const live = () => {
  socket().onopen();
  socket().say({ kind: "snapshot", position: 3, view: {} });
  socket().say({ kind: "live" });
};
const silence = () => Math.max(...[...timers.waiting.values()].map(({ ms }) => ms));
const skipSteady = () => assert.equal(5000, timers.fire());

test("a live line without a word for 12 s is given up, and another one goes on after the last position", () => {
  live();
  skipSteady();
  const dead = socket();

  assert.equal(12_000, timers.fire());
  assert.equal("silent", feed.state);
  assert.equal(3, dead.readyState);
  timers.fire();
  assert.equal("ws://x/ws/debates/d?after=3", socket().url);
  assert.equal("silent", feed.state);
  dead.say(frame(4));
  socket().onopen();
  socket().say(frame(4));
  socket().say({ kind: "live" });
  assert.deepEqual([3, 4], received);
  assert.deepEqual(["catching-up", "live", "silent", "catching-up", "live"], states);
});

test("every message is a word, also a heartbeat and one that the page does not know", () => {
  live();
  skipSteady();
  for (const kind of ["heartbeat", "delta", "status", "of-the-future"]) {
    const before = [...timers.waiting.keys()];
    socket().say({ kind });
    assert.equal(1, timers.waiting.size);
    assert.notDeepEqual(before, [...timers.waiting.keys()]);
  }

  assert.equal("live", feed.state);
});

test("a connection that does not open is given up after 12 s, and one that loads after a minute", () => {
  assert.equal(12_000, silence());
  socket().onopen();
  assert.equal(60_000, silence());
  socket().say({ kind: "snapshot", position: 3, view: {} });
  assert.equal(60_000, silence());
  socket().say({ kind: "live" });
  assert.equal(12_000, silence());
});

test("without a network the page says so at once, and tries as soon as there is one", () => {
  live();
  const before = socket();
  feed.offline();
  assert.equal("offline", feed.state);
  feed.online();

  assert.notEqual(before, socket());
  assert.equal("ws://x/ws/debates/d?after=3", socket().url);
  assert.equal("reconnecting", feed.state);
});

test("a line that speaks is live, whatever the browser says of its network", () => {
  live();
  const before = socket();
  feed.offline();
  socket().say({ kind: "heartbeat" });
  assert.equal("live", feed.state);
  feed.online();

  assert.equal(before, socket());
});

test("attempts go on without a network, and the page keeps saying that there is none", () => {
  live();
  feed.offline();
  socket().drop();
  assert.equal("offline", feed.state);
  timers.fire();

  assert.equal("offline", feed.state);
});

test("nothing is expected of a feed that is closed", () => {
  live();
  feed.close();
  feed.offline();
  feed.online();

  assert.equal(0, timers.waiting.size);
  assert.equal("closed", feed.state);
});
