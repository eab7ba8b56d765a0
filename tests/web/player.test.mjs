import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { LONGEST_SILENCE_MS, READING_RATE } from "../../web/replay/pace.js";
import { Player } from "../../web/replay/player.js";

// A log of 60 events, one a second: every tenth starts a turn, four later it is spoken, six later it is scored.
const LENGTH = 60;
const START = Date.parse("2026-11-21T09:30:00Z");
const TEXT = "🚲🚶 one two";

function frameAt(position) {
  const second = night && position > night ? position + 9000 : position;
  const turn = Math.floor(position / 10);
  const step = position % 10;
  let event = { type: "model_answered", turn: turn || null };
  const patch = { position };
  if (position >= 10 && step === 0) {
    event = { type: "turn_started", turn, side: "pro", attempt: 1 };
    patch.turns = { [turn]: { side: "pro", state: "speaking", attempt: 1, started: position, text: "" } };
  } else if (position >= 10 && step === 4) {
    const pace = [[1000, 2], [2000, 6], [3000, 10]];
    event = { type: "turn_spoken", turn, side: "pro", attempt: 1, text: TEXT, pace };
    patch.turns = { [turn]: { state: "spoken", text: TEXT, spoken: position } };
  } else if (position >= 10 && step === 6) {
    event = { type: "turn_scored", turn };
    patch.turns = { [turn]: { state: "judged", judged: position, composite: turn * 10 } };
  }
  return { kind: "frame", position, at: new Date(START + second * 1000).toISOString(), event, patch };
}

let head, asked, player, now, due, night;

function viewAt(position) {
  const view = { position, state: "open", format: "exchange", turns: {} };
  for (let p = 1; p <= position; p += 1) {
    for (const [turn, change] of Object.entries(frameAt(p).patch.turns ?? {})) {
      view.turns[turn] = { ...view.turns[turn], ...change };
    }
  }
  return view;
}

function pass(ms, step = 16) {
  for (let passed = 0; passed < ms && due; passed += step) {
    now += step;
    const callback = due;
    due = null;
    callback();
  }
}

beforeEach(() => {
  head = 50;
  night = 0;
  asked = [];
  now = 0;
  due = null;
  const load = {
    view: async (at) => { asked.push(`view ${at}`); return viewAt(at); },
    frames: async (after, limit) => {
      asked.push(`frames ${after}`);
      const last = Math.min(head, after + Math.min(limit, 20));
      return {
        frames: Array.from({ length: last - after }, (_, i) => frameAt(after + 1 + i)), next: last < head ? last : null,
      };
    },
  };
  function schedule(callback) {
    due = callback;
    return 1;
  }
  function cancel() {
    due = null;
  }
  player = new Player(load, { schedule, cancel, now: () => now });
  player.snapshot({ view: viewAt(head), speaking: null });
});

const append = () => player.append(frameAt(++head));

test("it follows", () => {
  append();

  assert.equal(51, player.position);
  assert.equal(51, player.view.position);
});

test("every position gives the view that the server gives", async () => {
  for (const position of [50, 1, 26, 25, 49, 10, 14, 16, 33]) {
    await player.go(position);

    assert.deepEqual(viewAt(position), player.view, `at ${position}`);
  }
});

test("history is fetched once", async () => {
  await player.go(3);
  const first = asked.length;
  await player.go(40);
  await player.go(1);

  assert.equal(first, asked.length);
});

test("reading back is never interrupted, and new events are counted", async () => {
  await player.step(-5);
  const view = player.view;
  append();
  append();

  assert.equal(45, player.position);
  assert.equal(view, player.view);
  assert.equal(2, player.unseen);
  player.live();
  assert.equal(52, player.position);
  assert.equal(0, player.unseen);
});

test("live frames are stepped through without a request", () => {
  append();
  append();
  player.step(-1);

  assert.equal(51, player.view.position);
});

test("a step fetches the next frames ahead; a jump fetches only what it shows", async () => {
  head = 500;
  player.snapshot({ view: viewAt(head), speaking: null });
  await player.go(390);
  await new Promise(setImmediate);
  assert.deepEqual(["view 201"], asked.filter((each) => each.startsWith("view")));

  await player.step(-91);
  await new Promise(setImmediate);

  assert.deepEqual(["view 201", "view 1"], asked.filter((each) => each.startsWith("view")));
  const before = asked.length;
  await player.go(150);
  assert.equal(150, player.view.position);
  assert.equal(before, asked.length);
});

test("a step keeps the objects of what does not change", async () => {
  await player.go(48);
  const { turns } = player.view;
  await player.go(47);

  assert.equal(47, player.view.position);
  assert.equal(turns, player.view.turns);
});

test("stepping onto the newest event follows again", async () => {
  await player.step(-1);
  await player.step(1);

  assert.ok(player.following);
});

test("the last of several hasty steps wins", async () => {
  await Promise.all([player.step(-1), player.step(-1), player.step(-1)]);

  assert.equal(47, player.position);
  assert.deepEqual(viewAt(47), player.view);
});

test("by turn: the moments at which a turn is complete", async () => {
  const stops = [];
  for (let i = 0; i < 7; i += 1) {
    await player.turn(-1);
    stops.push(player.position);
  }

  assert.deepEqual([46, 36, 26, 16, 1, 1, 1], stops);
  await player.turn(1);
  assert.equal(16, player.position);
});

test("the cursor stays within the log", async () => {
  await player.go(-3);
  assert.equal(1, player.position);
  await player.go(99);
  assert.equal(50, player.position);
});

test("at 4×, 8 s of log take 2 s at the recorded pace", async () => {
  player.setPace("recorded");
  await player.go(1);
  player.setSpeed(4);
  await player.play();
  pass(2000);

  assert.equal(9, player.position);
});

test("a replay shows a turn at its recorded pace, by code points", async () => {
  player.setPace("recorded");
  await player.go(10);
  await player.play();
  pass(1100);
  assert.equal("🚲🚶", player.speech.text);
  pass(1000);
  assert.equal("🚲🚶 one", player.speech.text);
  pass(2000);
  assert.equal(null, player.speech);
  assert.equal(TEXT, player.view.turns[1].text);
});

test("a replay speaks at reading speed, and waits after a score", async () => {
  await player.go(10);
  player.setSpeed(2);
  await player.play();
  const length = Array.from(TEXT).length;
  pass((5 / READING_RATE) * 500);
  assert.equal("🚲🚶 on", player.speech.text);
  pass(((length - 5) / READING_RATE) * 500 + 32);
  assert.equal(null, player.speech);
  assert.equal(TEXT, player.view.turns[1].text);

  pass(350);
  assert.equal(16, player.position); // the score
  pass(1600);
  assert.equal(16, player.position);
  pass(300);
  assert.ok(player.position > 16);
});

test("a paused speech goes on where it stopped", async () => {
  await player.go(10);
  await player.play();
  pass((4 / READING_RATE) * 1000);
  const { points } = player.speech;
  player.hold();
  await player.play();
  pass(32);

  assert.ok(player.speech.points >= points);
});

test("a reader who prefers less motion sees a turn whole, and has the time to read it", async () => {
  await player.go(10);
  player.isCalm = true;
  await player.play();
  pass(100);
  assert.equal(14, player.position);
  assert.equal(null, player.speech);
  pass((Array.from(TEXT).length / READING_RATE) * 1000);
  assert.equal(14, player.position);
});

test("an exhibition that goes on is read at the reader’s pace, and never ahead of it", async () => {
  const show = (position, more) => ({ ...viewAt(position), exhibition: "juries", ...more });
  player.snapshot({ view: show(50), speaking: null });
  await player.go(50, { stay: true });
  player.play();
  await new Promise(setImmediate);
  pass(5000);
  assert.equal(50, player.position);
  assert.ok(player.playing);

  player.delta({ turn: 5, attempt: 1, at: 0, text: "🚲🚶 " });
  pass(2000);
  assert.equal("🚲🚶 ", player.speech.text);
  for (let i = 0; i < 4; i += 1) append();
  pass((3 / READING_RATE) * 1000);
  assert.ok(player.speech.text.startsWith("🚲🚶 on"));
  assert.ok(player.speech.text.length < TEXT.length);
  pass(3000);
  assert.equal(54, player.position);

  for (let i = 0; i < 16; i += 1) append();
  pass(32);
  assert.equal(2, player.turnsBehind);
  player.snapshot({ view: show(70, { state: "concluded" }), speaking: null });
  player.speed = 8;
  pass(60_000);
  assert.ok(player.following);
});

test("each event that the reader passes is told once", async () => {
  const told = [];
  player.addEventListener("reached", ({ detail }) => told.push(detail.position));
  append();
  await player.go(44);
  append();
  await player.play();
  pass(60_000);

  assert.deepEqual([51, 45, 46, 47, 48, 49, 50, 51, 52], told);
});

test("a faster speed than the highest shows the rest at once", async () => {
  await player.go(10);
  await player.play();
  for (let i = 0; i < 4; i += 1) player.faster(1);

  assert.ok(player.following);
  assert.equal(8, player.speed);
});

test("a replay that reaches the newest event follows it", async () => {
  await player.go(48);
  await player.play();
  pass(2500);

  assert.ok(player.following);
  assert.ok(!player.playing);
});

test("a long silence is shortened", async () => {
  player.setPace("recorded");
  night = 48;
  await player.go(48);
  await player.play();
  pass(LONGEST_SILENCE_MS - 100);
  assert.equal(48, player.position);
  pass(300);

  assert.equal(49, player.position);
});

test("space holds a live debate, and then plays", async () => {
  player.toggle();
  assert.ok(!player.following);
  append();
  assert.equal(50, player.position);
  await player.toggle();
  assert.ok(player.playing);
  player.toggle();
  assert.ok(!player.playing);
});

test("deltas show only while the cursor follows, and the spoken turn replaces them", async () => {
  player.delta({ turn: 5, attempt: 1, at: 0, text: "🚲" });
  player.delta({ turn: 5, attempt: 1, at: 1, text: " on" });
  assert.equal("🚲 on", player.speech.text);
  await player.step(-1);
  assert.equal(null, player.speech);
  player.live();
  assert.equal("🚲 on", player.speech.text);
  for (let i = 0; i < 4; i += 1) append();
  assert.equal(null, player.speech);
});

test("a snapshot in mid-turn brings the text so far", () => {
  player.snapshot({ view: viewAt(50), speaking: { turn: 5, side: "pro", attempt: 1, text: "🚲 so", started_at: "" } });
  player.delta({ turn: 5, attempt: 1, at: 4, text: " far" });

  assert.equal("🚲 so far", player.speech.text);
});

test("another log under the same address starts over", async () => {
  await player.go(3);
  player.snapshot({ view: { ...viewAt(7) }, speaking: null });
  player.live();

  assert.equal(7, player.head);
});

test("a reader who starts at an earlier event has missed nothing yet", async () => {
  const other = new Player({ view: async (at) => viewAt(at), frames: async () => ({ frames: [], next: null }) });
  other.following = false;
  other.snapshot({ view: viewAt(50), speaking: null });

  assert.equal(null, other.view);
  assert.equal(0, other.unseen);
});
