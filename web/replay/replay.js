/** A replay: it moves the cursor of a player at a pace, and tells what is spoken at each moment. */

import { head } from "../parts/text.js";
import { PACES } from "./pace.js";

/** Events that a replay fetches ahead. */
const AHEAD = 40;
/** The place in a long statement is told in this many parts. */
const PARTS = 20;

/** The replay of one player. */
export class Replay {
  #player;
  #history;
  #clock;
  #soFar;
  #pending = null;
  #last = 0;
  /** The time that it has spent at the cursor, and the time in the spoken turn before that. */
  #since = 0;
  #before = 0;

  /**
   * @param {Player} player
   * @param {History} history
   * @param {{schedule: Function, cancel: Function, now: Function}} clock
   * @param {() => Speech | null} soFar The text of a turn whose end the debate has not reached.
   */
  constructor(player, history, clock, soFar) {
    this.#player = player;
    this.#history = history;
    this.#clock = clock;
    this.#soFar = soFar;
    this.arrive();
  }

  /** The cursor has been moved. */
  arrive() {
    const { pace, frame } = this.#player;
    this.#since = 0;
    this.#before = 0;
    this.#player.share = 0;
    const began = pace === "recorded" ? this.#history.frame(this.#speaking()?.started) : null;
    if (began) this.#before = Date.parse(frame.at) - Date.parse(began.at);
  }

  start() {
    this.#last = this.#clock.now();
    this.#pending = this.#clock.schedule(() => this.#tick());
  }

  stop() {
    if (this.#pending !== null) this.#clock.cancel(this.#pending);
    this.#pending = null;
  }

  #tick() {
    const player = this.#player;
    const { position, share, speech } = player;
    const now = this.#clock.now();
    const passed = (now - this.#last) * player.speed;
    this.#last = now;
    this.#since += passed;
    const reached = [];
    for (let next = {}; next && player.position < player.head;) {
      next = this.#advance(passed);
      if (next) reached.push(next);
    }
    const isMoved = player.position !== position;
    if (isMoved) player.see(this.#history.held(player.position) ?? player.view);
    for (const frame of reached) player.tell(frame);
    if (player.position >= player.head && !player.isShowing) {
      player.live();
      return;
    }
    player.speech = this.#speechNow();
    this.#pending = this.#clock.schedule(() => this.#tick());
    const isChanged = isMoved || player.speech?.points !== speech?.points || player.share !== share;
    if (isChanged) player.dispatchEvent(new Event("change"));
  }

  /** Moves to the next event if its time has come; its frame, or null. */
  #advance(passed) {
    const player = this.#player;
    const next = this.#history.frame(player.position + 1);
    if (!next) {
      this.#history.at(Math.min(player.position + 1, player.head)).catch(() => player.hold());
      this.#since = 0;
      return null;
    }
    this.#history.ahead(player.position + AHEAD);
    const { frame, isCalm, voice, speed } = player;
    const spoken = isCalm ? null : (this.#speaking()?.event ?? null);
    const read = isCalm && frame.event.type === "turn_spoken" ? frame.event : spoken;
    if (voice && read && (read === next.event || isCalm) && !voice.isDone(read)) {
      voice.say(read, speed);
      return null;
    }
    const wait = PACES[player.pace].wait({ frame, next, spoken, elapsed: this.#before, isCalm });
    if (this.#since < wait && !(voice && read)) {
      player.share = Math.floor((this.#since / wait) * PARTS) / PARTS;
      return null;
    }
    // What comes late is not made up for.
    const left = Math.max(0, Math.min(this.#since - wait, passed));
    this.#before = next.event.type === "turn_started" ? 0 : this.#before + this.#since - left;
    this.#since = left;
    player.share = 0;
    player.position += 1;
    return next;
  }

  /**
   * What is being spoken at the cursor: the event with the whole text, or the text so far if the debate has not come
   * further. Null in a silence, and in debates whose statements appear whole.
   */
  #speaking() {
    const { position, head } = this.#player;
    const view = this.#history.held(position);
    if (!view || (view.format ?? "exchange") !== "exchange") return null;
    const [name, turn] = Object.entries(view.turns).find(([, { state }]) => state === "speaking") ?? [];
    if (!turn) return null;
    const number = Number(name);
    const last = Math.min(head, position + AHEAD);
    for (let at = position + 1; at <= last; at += 1) {
      const event = this.#history.frame(at)?.event;
      if (event?.type === "turn_spoken" && event.turn === number) return { number, ...turn, event };
      if (event?.type === "turn_started") return null;
    }
    const soFar = last === head ? this.#soFar() : null;
    return soFar?.turn === number ? { number, ...turn, soFar } : null;
  }

  #speechNow() {
    const { isCalm, pace, voice } = this.#player;
    const speaking = isCalm ? null : this.#speaking();
    if (!speaking) return null;
    const { number: turn, attempt, event, soFar } = speaking;
    const { limit, text } = PACES[pace];
    if (voice) {
      const count = event ? voice.read(event) : 0;
      return { turn, attempt, text: head((event ?? soFar).text, count), points: count };
    }
    if (soFar) this.#since = Math.min(this.#since, Math.max(0, limit(soFar) - this.#before));
    return { turn, attempt, ...text(event ?? soFar, this.#before + this.#since) };
  }
}
