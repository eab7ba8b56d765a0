/** Reading aloud by the server's voice: each turn is one sound. The share that was heard is the share of its words. */

import { ApiError } from "../parts/api.js";
import { points } from "../parts/text.js";

/** Reads one speech at a time, with the interface of `Voice`, which reads on where the server's voice fails. */
export class ServedVoice {
  #player;
  #own;
  #tell;
  #audio = new Audio();
  /** Turn → the promise of its sound: of the turn that is read, and of the next one. */
  #sounds = new Map();
  #event = null;
  #isWanted = false;
  #hasFailed = false;

  /**
   * @param {Player} player
   * @param {Voice} own The browser's own voices.
   * @param {(error: Error) => void} tell Tells the reader why the server's voice fails.
   */
  constructor(player, own, tell) {
    this.#player = player;
    this.#own = own;
    this.#tell = tell;
  }

  /** Begins with a speech, or goes on with it. */
  say(event, speed) {
    if (event !== this.#event) this.#begin(event);
    this.#isWanted = true;
    if (this.#hasFailed) this.#own.say(event, speed);
    else this.#play(speed);
  }

  /** Whether a speech has been read to its end. */
  isDone(event) {
    return event === this.#event && (this.#hasFailed ? this.#own.isDone(event) : this.#audio.ended);
  }

  /** The length of what has been read of a speech. */
  read(event) {
    if (event !== this.#event) return 0;
    if (this.#hasFailed) return this.#own.read(event);
    const { currentTime, duration } = this.#audio;
    return Math.floor(points(event.text) * (duration ? currentTime / duration : 0));
  }

  /** Falls silent. The speech goes on from the same place; one that was read to its end begins again. */
  stop() {
    this.#isWanted = false;
    this.#audio.pause();
    this.#own.stop();
    if (this.#audio.ended) this.#event = null;
  }

  async #begin(event) {
    this.stop();
    this.#event = event;
    this.#hasFailed = false;
    URL.revokeObjectURL(this.#audio.src);
    this.#audio.removeAttribute("src");
    this.#audio.load();
    try {
      const sound = await this.#sound(event.turn);
      if (event !== this.#event) return;
      this.#audio.src = URL.createObjectURL(sound);
      this.#audio.onerror = () => this.#fail(event, new Error(this.#audio.error.message));
      if (this.#isWanted) this.#play(this.#audio.playbackRate);
      if (this.#player.newest.turns[event.turn + 1]?.spoken) this.#sound(event.turn + 1).catch(() => {});
    } catch (error) {
      this.#fail(event, error);
    }
  }

  #sound(turn) {
    for (const other of this.#sounds.keys()) if (other < turn - 1 || other > turn) this.#sounds.delete(other);
    if (!this.#sounds.has(turn)) {
      const sound = fetchSound(`/api/debates/${encodeURIComponent(this.#player.newest.id)}/turns/${turn}/speech`);
      sound.catch(() => this.#sounds.delete(turn));
      this.#sounds.set(turn, sound);
    }
    return this.#sounds.get(turn);
  }

  #play(speed) {
    const audio = this.#audio;
    audio.defaultPlaybackRate = audio.playbackRate = Math.min(speed, 4);
    const event = this.#event;
    if (audio.src && audio.paused && !audio.ended) {
      audio.play().catch((error) => error.name !== "AbortError" && this.#fail(event, error));
    }
  }

  #fail(event, error) {
    if (event !== this.#event || this.#hasFailed) return;
    this.#hasFailed = true;
    this.#tell(error);
    if (this.#isWanted) this.#own.say(event, this.#audio.playbackRate);
  }
}

async function fetchSound(path) {
  const response = await fetch(path);
  if (!response.ok) throw new ApiError(response.status, (await response.json().catch(() => null))?.error);
  return response.blob();
}
