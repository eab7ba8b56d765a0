/**
 * The cursor over a debate: it follows the newest event, stands where the reader put it, or plays on from there.
 *
 * It dispatches `change` when the page may have to show something else, and `reached` (detail: the frame) for each
 * event that it passes while it follows or plays. New events move the cursor only while it follows. A cursor that plays
 * an exhibition stays behind it at the reader's pace, also while the exhibition goes on.
 */

import { applyDelta } from "../parts/text.js";
import { History } from "./history.js";
import { shared } from "./patch.js";

/** The speeds of a replay. */
const SPEEDS = [0.5, 1, 2, 4, 8];
/** A move of the cursor over fewer events than this is a step; frames are fetched this far ahead of a step. */
const FAR = 100;

const ascending = (a, b) => a - b;

/** The cursor of one page. */
export class Player extends EventTarget {
  #history;
  #clock;
  /** See replay.js, which is fetched when it is needed. */
  #replay = null;
  #ticket = 0;
  #wanted = new Set();
  #spokenNow = null;
  #leftAt = 0;

  following = true;
  playing = false;
  speed = 1;
  /** `reading` or `recorded`: see pace.js. */
  pace = "reading";
  /** Whether a replay shows each turn whole. */
  isCalm = false;
  /** What reads the speeches aloud: see voice.js. A replay waits for it. */
  voice = null;
  /** The part of the statement at the cursor that has been read, from 0 to 1. */
  share = 0;
  position = 0;
  /** The view at the cursor. @type {View | null} */
  view = null;
  /** Whether a reader who reads back sees nothing that comes later. */
  hidesLater = false;
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
    this.#clock = { schedule, cancel, now };
  }

  /** The position of the newest event. */
  get head() {
    return this.#history.head;
  }

  /** The last position that the timeline shows. */
  get end() {
    return this.hidesLater && !this.following ? this.position : this.head;
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

  /** The frame at `position`. If it has not been fetched, it is, once; `change` tells when it is there. */
  wantFrame(position) {
    const frame = this.#history.frame(position);
    if (frame || this.#wanted.has(position)) return frame;
    this.#wanted.add(position);
    this.#history.at(position).then(() => this.#notify(), () => undefined); // The page does without it.
    return undefined;
  }

  /** Fetches what the event at `position` says, for a frame that has come live. */
  fetchSaid(position) {
    return this.#history.fetchSaid(position);
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
    if (this.following) this.tell(frame);
  }

  delta(message) {
    this.#spokenNow = applyDelta(this.#spokenNow, message);
    if (this.following) this.#follow();
  }

  /** Tells of a frame that the cursor has passed. */
  tell(frame) {
    this.dispatchEvent(Object.assign(new Event("reached"), { detail: frame }));
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
    this.see(view);
    this.speech = null;
    this.#replay?.arrive();
    this.#notify();
    if (Math.abs(moved) < FAR) this.#history.ahead(target + Math.sign(moved) * FAR);
    return undefined;
  }

  /** Takes a view; what is the same object as before need not be drawn again. */
  see(view) {
    this.view = shared(this.view, view);
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

  /** Whether the debate is an exhibition that goes on: it is read at the reader's pace. */
  get isShowing() {
    return Boolean(this.newest?.exhibition) && this.newest.state !== "concluded";
  }

  /** The turns between the cursor and the newest event. */
  get turnsBehind() {
    const newest = (view) => Math.max(0, ...Object.keys(view?.turns ?? {}).map(Number));
    return newest(this.newest) - newest(this.view);
  }

  /** Plays on from the cursor, or from the start if the cursor follows. */
  async play() {
    if (this.following) await this.go(1, { stay: true });
    else if (!this.frame) await this.go(this.position, { stay: true });
    const { Replay } = await import("./replay.js");
    this.#replay ??= new Replay(this, this.#history, this.#clock, () => this.#spokenNow);
    this.#stop();
    this.playing = true;
    this.#replay.start();
    this.#notify();
  }

  /** Plays; stops a replay; at the newest event of a running debate, stops following. */
  toggle() {
    if (!this.playing && !(this.following && this.newest?.state !== "concluded")) return this.play();
    this.hold();
    return undefined;
  }

  /** @param {"reading" | "recorded"} pace See pace.js. */
  setPace(pace) {
    this.pace = pace;
    this.#replay?.arrive();
  }

  /** @param {number} speed One of `SPEEDS`; anything else counts as 1. */
  setSpeed(speed) {
    this.speed = SPEEDS.includes(speed) ? speed : 1;
    this.#notify();
  }

  /**
   * One speed up or down. Above the highest one a replay ends at once; below it an exhibition is read again.
   * @param {1 | -1} direction
   */
  faster(direction) {
    const next = SPEEDS.indexOf(this.speed) + direction;
    if (this.playing && next === SPEEDS.length) this.live();
    else if (this.following && this.isShowing && direction < 0) this.#lag();
    else this.setSpeed(SPEEDS[Math.min(Math.max(next, 0), SPEEDS.length - 1)]);
  }

  /** The reader chooses a speed: one who follows an exhibition stays behind it from now on. */
  choose(speed) {
    this.setSpeed(speed);
    if (this.following && this.isShowing) this.#lag();
  }

  #lag() {
    this.#leave();
    this.#replay?.arrive();
    return this.play();
  }

  #leave() {
    if (this.following) this.#leftAt = this.head;
    this.following = false;
  }

  #stop() {
    this.#replay?.stop();
    this.voice?.stop();
    this.playing = false;
  }

  #notify() {
    this.dispatchEvent(new Event("change"));
  }
}
