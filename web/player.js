/**
 * The cursor over a debate: it follows the newest event, stands where the reader put it, or plays on from there.
 *
 * It tells `change` when what is to be seen may differ.  New events never move a cursor that does not follow.
 */

import { History } from "./history.js";
import { paced, speak } from "./text.js";

export const SPEEDS = [0.5, 1, 2, 4, 8];
/** A longer silence is shortened to this: nobody wants to replay a night. */
export const LONGEST_SILENCE_MS = 10_000;
const AHEAD = 40;
const FAR = 100;   // steps are shorter

export class Player extends EventTarget {
  #history; #schedule; #cancel; #now;
  #pending = null; #last = 0; #time = 0; #ticket = 0; #live = null; #left = 0;

  following = true;
  playing = false;
  speed = 1;
  position = 0;
  view = null;
  /** What of the turn in flight is to be seen: `{turn, attempt, text, points}` or null. */
  speech = null;

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

  get head() { return this.#history.head; }
  get newest() { return this.#history.newest; }
  get frame() { return this.#history.frame(this.position); }
  /** Events since the cursor stopped following. */
  get fresh() { return this.following ? 0 : Math.max(0, this.head - this.#left); }

  // What the feed brings

  snapshot({ view, speaking }) {
    if (!this.following && !this.head) this.#left = view.position;
    this.#history.snapshot(view);
    this.#live = speaking ? speak(null, { ...speaking, at: 0 }) : null;
    this.#follow();
  }

  append(frame) {
    this.#history.append(frame);
    const { type, turn } = frame.event;
    if (this.#live && type !== "model_answered" && (turn === this.#live.turn || type === "turn_started")) this.#live = null;
    this.#follow();
  }

  delta(message) {
    this.#live = speak(this.#live, message);
    if (this.following) this.#follow();
  }

  #follow() {
    if (this.following) {
      this.position = this.head;
      this.view = this.newest;
      this.speech = this.#live;
    }
    this.#tell();
  }

  // What the reader does

  /** Puts the cursor on `position`.  On the newest event it follows again, unless `stay`. */
  async go(position, { stay = false } = {}) {
    const target = Math.min(Math.max(1, position), this.head);
    if (target === this.head && !stay) return this.live();
    this.#leave();
    const moved = target - this.position;
    this.position = target;
    const ticket = ++this.#ticket;
    const view = (this.frame && this.#history.held(target)) || (await this.#history.at(target));
    if (ticket !== this.#ticket || !view) return undefined;
    this.view = view;
    this.speech = null;
    this.#time = this.#at(target);
    this.#tell();
    if (Math.abs(moved) < FAR) this.#fetch(target + Math.sign(moved) * FAR);
    return undefined;
  }

  /** Reads what will be wanted soon. */
  #fetch(position) {
    const wanted = Math.min(Math.max(1, position), this.head);
    if (!this.#history.frame(wanted)) this.#history.at(wanted).catch(() => { /* asked again when it is needed */ });
  }

  step(count) {
    return this.go(this.position + count);
  }

  /** To the next or the last turn: the moment when it is complete. */
  turn(direction) {
    const stops = [...new Set([1, ...this.turns().map((turn) => turn.complete), ...this.marks().map((mark) => mark.position), this.head])].sort((a, b) => a - b);
    const stop = direction > 0
      ? stops.find((position) => position > this.position)
      : stops.findLast((position) => position < this.position);
    return this.go(stop ?? (direction > 0 ? this.head : 1));
  }

  /** Every turn of the newest view, with where it began and was complete. */
  turns() {
    return Object.entries(this.newest?.turns ?? {})
      .map(([number, turn]) => ({
        number: Number(number), side: turn.side, started: turn.started,
        complete: turn.judged ?? turn.spoken ?? turn.started,
      }))
      .sort((a, b) => a.number - b.number);
  }

  /** What else is worth a stop: a judge's assessment, what a panel did. */
  marks() {
    const { protocol = {}, panel = {} } = this.newest ?? {};
    const placed = { ...panel.positions, ...(protocol.positions?.assessment && { assessment: protocol.positions.assessment }) };
    return Object.entries(placed).map(([name, position]) => ({ name, position }));
  }

  /** To the next or the last change of a score. */
  change(direction) {
    const stops = [...new Set(Object.values(this.newest?.turns ?? {}).flatMap(({ changed }) => changed ?? []))].sort((a, b) => a - b);
    const stop = direction > 0 ? stops.find((position) => position > this.position) : stops.findLast((position) => position < this.position);
    return stop === undefined ? undefined : this.go(stop, { stay: true });
  }

  live() {
    this.#ticket += 1;
    this.#stop();
    this.following = true;
    this.#follow();
  }

  hold() {
    this.#leave();
    this.#stop();
    this.#tell();
  }

  async play() {
    if (this.following) await this.go(1, { stay: true });
    else if (!this.frame) await this.go(this.position, { stay: true });
    this.#stop();
    this.playing = true;
    this.#time = this.#at(this.position);
    this.#last = this.#now();
    this.#pending = this.#schedule(() => this.#tick());
    this.#tell();
  }

  /** Plays, stops playing or, at the newest event of a running debate, holds. */
  toggle() {
    if (this.playing) this.hold();
    else if (this.following && this.newest?.state !== "concluded") this.hold();
    else return this.play();
    return undefined;
  }

  setSpeed(speed) {
    this.speed = SPEEDS.includes(speed) ? speed : 1;
    this.#tell();
  }

  faster(direction) {
    const next = SPEEDS.indexOf(this.speed) + direction;
    this.setSpeed(SPEEDS[Math.min(Math.max(next, 0), SPEEDS.length - 1)]);
  }

  #leave() {
    if (this.following) this.#left = this.head;
    this.following = false;
  }

  #stop() {
    if (this.#pending !== null) this.#cancel(this.#pending);
    this.#pending = null;
    this.playing = false;
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }

  // Playing

  #at(position) {
    const frame = this.#history.frame(position);
    return frame ? Date.parse(frame.at) : 0;
  }

  #tick() {
    const now = this.#now();
    this.#time += (now - this.#last) * this.speed;
    this.#last = now;
    const before = this.position;
    while (this.position < this.head && this.#advance()) { /* every event that is due */ }
    if (this.position >= this.head) {
      this.live();
      return;
    }
    if (this.position !== before) this.view = this.#history.held(this.position) ?? this.view;
    const said = this.speech?.points;
    this.speech = this.#spoken();
    this.#pending = this.#schedule(() => this.#tick());
    if (this.position !== before || this.speech?.points !== said) this.#tell();
  }

  #advance() {
    const next = this.#history.frame(this.position + 1);
    if (!next) {
      this.#history.at(Math.min(this.position + 1, this.head)).catch(() => this.hold());
      this.#time = this.#at(this.position);
      return false;
    }
    this.#fetch(this.position + AHEAD);
    const [here, due] = [this.#at(this.position), this.#at(this.position + 1)];
    const silent = due - here > LONGEST_SILENCE_MS && !this.#speaking();
    if (this.#time < (silent ? here + LONGEST_SILENCE_MS : due)) return false;
    if (silent) this.#time = due;
    this.position += 1;
    return true;
  }

  /** The turn spoken at the cursor, with the event that will hold its words; null in silence. */
  #speaking() {
    const view = this.#history.held(this.position);
    const [number, turn] = Object.entries(view?.turns ?? {}).find(([, { state }]) => state === "speaking") ?? [];
    if (!turn) return null;
    for (let position = this.position + 1; position <= this.position + AHEAD; position += 1) {
      const event = this.#history.frame(position)?.event;
      if (event?.type === "turn_spoken" && event.turn === Number(number)) return event.pace.length > 1 ? { turn, event } : null;
      if (event?.type === "turn_started") return null;
    }
    return null;
  }

  #spoken() {
    const speaking = this.#speaking();
    if (!speaking) return null;
    const { turn, event } = speaking;
    return { turn: event.turn, attempt: event.attempt, ...paced(event.text, event.pace, this.#time - this.#at(turn.started)) };
  }
}
