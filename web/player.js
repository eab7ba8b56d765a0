/**
 * The cursor over a debate: it follows the newest event, stands where the reader put it, or plays on from there.
 *
 * It dispatches `change` when the page may have to show something else. New events move the cursor only while it
 * follows.
 */

import { History } from "./history.js";
import { applyDelta, spokenBy } from "./text.js";

/** The speeds of a replay. */
export const SPEEDS = [0.5, 1, 2, 4, 8];
/** A replay shortens every silence that is longer than this. */
export const LONGEST_SILENCE_MS = 10_000;
/** Events that a replay fetches ahead. */
const AHEAD = 40;
/** A move of the cursor over fewer events than this is a step; frames are fetched this far ahead of a step. */
const FAR = 100;

const ascending = (a, b) => a - b;

/** The cursor of one page. */
export class Player extends EventTarget {
  #history;
  #schedule;
  #cancel;
  #now;
  #pending = null;
  #last = 0;
  #time = 0;
  #ticket = 0;
  #spokenNow = null;
  #leftAt = 0;

  following = true;
  playing = false;
  speed = 1;
  position = 0;
  /** The view at the cursor. @type {View | null} */
  view = null;
  /** The text of the turn that is being spoken at the cursor. @type {Speech | null} */
  speech = null;
  /** What the debate waits for, in words; empty if it does not wait. */
  wait = "";

  /**
   * @param {{view(at: number): Promise<View>, frames(after: number, limit: number): Promise<object>}} load
   * @param {{schedule?: (callback: () => void) => any, cancel?: (handle: any) => void, now?: () => number}} [clock]
   */
  constructor(load, {
    schedule = (callback) => requestAnimationFrame(callback),
    cancel = (handle) => cancelAnimationFrame(handle),
    now = () => performance.now(),
  } = {}) {
    super();
    this.#history = new History(load);
    this.#schedule = schedule;
    this.#cancel = cancel;
    this.#now = now;
  }

  /** The position of the newest event. */
  get head() {
    return this.#history.head;
  }

  get newest() {
    return this.#history.newest;
  }

  /** The frame at the cursor, if it has been fetched. */
  get frame() {
    return this.#history.frame(this.position);
  }

  /** The frame at `position`, if it has been fetched. */
  frameAt(position) {
    return this.#history.frame(position);
  }

  /** The number of events since the cursor stopped following. */
  get unseen() {
    return this.following ? 0 : Math.max(0, this.head - this.#leftAt);
  }

  // Messages of the feed

  snapshot({ view, speaking }) {
    if (!this.following && !this.head) this.#leftAt = view.position;
    this.#history.snapshot(view);
    this.#spokenNow = speaking ? applyDelta(null, { ...speaking, at: 0 }) : null;
    this.#follow();
  }

  append(frame) {
    this.#history.append(frame);
    const { type, turn } = frame.event;
    const isNextStep = turn === this.#spokenNow?.turn || type === "turn_started";
    if (this.#spokenNow && type !== "model_answered" && isNextStep) this.#spokenNow = null;
    this.#follow();
  }

  delta(message) {
    this.#spokenNow = applyDelta(this.#spokenNow, message);
    if (this.following) this.#follow();
  }

  #follow() {
    if (this.following) {
      this.position = this.head;
      this.view = this.newest;
      this.speech = this.#spokenNow;
    }
    this.#notify();
  }

  // Acts of the reader

  /**
   * Moves the cursor. On the newest event it follows again, unless `stay`.
   * @param {number} position
   * @param {{stay?: boolean}} [options]
   */
  async go(position, { stay = false } = {}) {
    const target = Math.min(Math.max(1, position), this.head);
    if (target === this.head && !stay) return this.live();
    this.#leave();
    const moved = target - this.position;
    this.position = target;
    this.#ticket += 1;
    const ticket = this.#ticket;
    const view = (this.frame && this.#history.held(target)) || (await this.#history.at(target));
    if (ticket !== this.#ticket || !view) return undefined;
    this.view = view;
    this.speech = null;
    this.#time = this.#timeOf(target);
    this.#notify();
    if (Math.abs(moved) < FAR) this.#fetch(target + Math.sign(moved) * FAR);
    return undefined;
  }

  /** Fetches a frame that the next steps will need. */
  #fetch(position) {
    const wanted = Math.min(Math.max(1, position), this.head);
    if (this.#history.frame(wanted)) return;
    this.#history.at(wanted).catch(() => undefined); // A step that needs it asks again.
  }

  step(count) {
    return this.go(this.position + count);
  }

  /**
   * Moves to the next or the previous moment at which a turn was complete.
   * @param {1 | -1} direction
   */
  turn(direction) {
    const moments = [...this.turns().map((turn) => turn.complete), ...this.marks().map((mark) => mark.position)];
    const stop = this.#nearest([1, ...moments, this.head], direction);
    return this.go(stop ?? (direction > 0 ? this.head : 1));
  }

  /**
   * Moves to the next or the previous change of a score.
   * @param {1 | -1} direction
   */
  change(direction) {
    const changes = Object.values(this.newest?.turns ?? {}).flatMap(({ changed }) => changed ?? []);
    const stop = this.#nearest(changes, direction);
    return stop === undefined ? undefined : this.go(stop, { stay: true });
  }

  #nearest(positions, direction) {
    const stops = [...new Set(positions)].sort(ascending);
    if (direction > 0) return stops.find((position) => position > this.position);
    return stops.findLast((position) => position < this.position);
  }

  /**
   * Every turn of the newest view, with the positions at which it started and was complete.
   * @returns {{number: number, side: string, started: number, complete: number}[]}
   */
  turns() {
    const turns = Object.entries(this.newest?.turns ?? {}).map(([number, { side, started, spoken, judged }]) => {
      return { number: Number(number), side, started, complete: judged ?? spoken ?? started };
    });
    return turns.sort((a, b) => a.number - b.number);
  }

  /**
   * Other positions worth a stop: the judge's assessment, and the steps of a panel.
   * @returns {{name: string, position: number}[]}
   */
  marks() {
    const { protocol = {}, panel = {} } = this.newest ?? {};
    const assessment = protocol.positions?.assessment;
    const positions = { ...panel.positions, ...(assessment && { assessment }) };
    return Object.entries(positions).map(([name, position]) => ({ name, position }));
  }

  /** Follows the newest event. */
  live() {
    this.#ticket += 1;
    this.#stop();
    this.following = true;
    this.#follow();
  }

  /** Stops following and playing. */
  hold() {
    this.#leave();
    this.#stop();
    this.#notify();
  }

  /** Plays on from the cursor, or from the start if the cursor follows. */
  async play() {
    if (this.following) await this.go(1, { stay: true });
    else if (!this.frame) await this.go(this.position, { stay: true });
    this.#stop();
    this.playing = true;
    this.#time = this.#timeOf(this.position);
    this.#last = this.#now();
    this.#pending = this.#schedule(() => this.#tick());
    this.#notify();
  }

  /** Plays; stops a replay; at the newest event of a running debate, stops following. */
  toggle() {
    if (!this.playing && !(this.following && this.newest?.state !== "concluded")) return this.play();
    this.hold();
    return undefined;
  }

  /** @param {number} speed One of `SPEEDS`; anything else counts as 1. */
  setSpeed(speed) {
    this.speed = SPEEDS.includes(speed) ? speed : 1;
    this.#notify();
  }

  /** @param {1 | -1} direction */
  faster(direction) {
    const next = SPEEDS.indexOf(this.speed) + direction;
    this.setSpeed(SPEEDS[Math.min(Math.max(next, 0), SPEEDS.length - 1)]);
  }

  #leave() {
    if (this.following) this.#leftAt = this.head;
    this.following = false;
  }

  #stop() {
    if (this.#pending !== null) this.#cancel(this.#pending);
    this.#pending = null;
    this.playing = false;
  }

  #notify() {
    this.dispatchEvent(new Event("change"));
  }

  // Replay

  /** The recorded time of an event in ms. */
  #timeOf(position) {
    const frame = this.#history.frame(position);
    return frame ? Date.parse(frame.at) : 0;
  }

  #tick() {
    const now = this.#now();
    this.#time += (now - this.#last) * this.speed;
    this.#last = now;
    const before = this.position;
    let isDue = true;
    while (isDue && this.position < this.head) isDue = this.#advance();
    if (this.position >= this.head) {
      this.live();
      return;
    }
    if (this.position !== before) this.view = this.#history.held(this.position) ?? this.view;
    const shown = this.speech?.points;
    this.speech = this.#speechNow();
    this.#pending = this.#schedule(() => this.#tick());
    if (this.position !== before || this.speech?.points !== shown) this.#notify();
  }

  /** Moves to the next event if its time has come. */
  #advance() {
    const next = this.#history.frame(this.position + 1);
    if (!next) {
      this.#history.at(Math.min(this.position + 1, this.head)).catch(() => this.hold());
      this.#time = this.#timeOf(this.position);
      return false;
    }
    this.#fetch(this.position + AHEAD);
    const here = this.#timeOf(this.position);
    const due = this.#timeOf(this.position + 1);
    const isLongSilence = due - here > LONGEST_SILENCE_MS && !this.#speakingTurn();
    if (this.#time < (isLongSilence ? here + LONGEST_SILENCE_MS : due)) return false;
    if (isLongSilence) this.#time = due;
    this.position += 1;
    return true;
  }

  /** The turn that is being spoken at the cursor, with the event that holds its text; null in a silence. */
  #speakingTurn() {
    const view = this.#history.held(this.position);
    const [number, turn] = Object.entries(view?.turns ?? {}).find(([, { state }]) => state === "speaking") ?? [];
    if (!turn) return null;
    for (let position = this.position + 1; position <= this.position + AHEAD; position += 1) {
      const event = this.#history.frame(position)?.event;
      if (event?.type === "turn_spoken" && event.turn === Number(number)) {
        return event.pace.length > 1 ? { turn, event } : null;
      }
      if (event?.type === "turn_started") return null;
    }
    return null;
  }

  #speechNow() {
    const speaking = this.#speakingTurn();
    if (!speaking) return null;
    const { turn, event } = speaking;
    const elapsed = this.#time - this.#timeOf(turn.started);
    return { turn: event.turn, attempt: event.attempt, ...spokenBy(event.text, event.pace, elapsed) };
  }
}
