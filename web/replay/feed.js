/**
 * The connection to the server: one WebSocket at a time, opened again when it breaks. No frame is lost or repeated.
 *
 * The server sends a heartbeat every five seconds, so the page knows when it should have heard. A line on which nothing
 * comes for longer is dead, though the browser may not notice for minutes: the page gives it up and opens another one.
 *
 * Events: `state` (detail: connecting, catching-up, live, reconnecting, silent, offline, closed, refused), `snapshot`,
 * `frame`, `delta`, `status`, `error` (detail: {code, message}).
 */

import { FEED } from "../words/words.js";

const FIRST_MS = 400;
const CAP_MS = 20_000;
/** A connection that has been live for this long has recovered. */
const STEADY_MS = 5_000;
/** A line on which nothing comes for so long is dead: two heartbeats are missing. */
const SILENT_MS = 12_000;
/** The same until the line is live: a snapshot is one message, and may take this long on a slow line. */
const LOADING_MS = 60_000;
/** States in which the page has no line and wants none. */
const OVER = ["closed", "refused"];
/** Close codes after which the page does not reconnect. */
const FINAL = new Map([[4404, FEED.notFound], [4403, FEED.notAllowed]]);

/**
 * The wait before a reconnection in ms: it doubles up to a cap, with jitter in its upper half.
 * @param {number} n The attempt, from 0.
 * @param {() => number} [random]
 * @returns {number}
 */
export function backoff(n, random = Math.random) {
  const ceiling = Math.min(CAP_MS, FIRST_MS * 2 ** Math.min(n, 20));
  return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}

/** The connection of one page to one debate. */
export class Feed extends EventTarget {
  #address;
  #Socket;
  #timers;
  #random;
  #isDone;
  #socket = null;
  #timer = null;
  #steady = null;
  #silence = null;
  #tries = 0;
  #stopped = false;
  #isLive = false;
  #isSilent = false;
  #isOffline = false;

  state = "connecting";
  /** The last position that was received; 0 before the first. */
  position = 0;

  /**
   * @param {string} address Of the WebSocket, without a query.
   * @param {object} [options]
   * @param {new (address: string, protocols: string[]) => WebSocket} [options.Socket]
   * @param {{setTimeout: Function, clearTimeout: Function}} [options.timers]
   * @param {() => number} [options.random]
   * @param {() => boolean} [options.isDone] Whether the debate has ended, so that a normal close is final.
   */
  constructor(address, { Socket = WebSocket, timers = globalThis, random = Math.random, isDone = () => false } = {}) {
    super();
    this.#address = address;
    this.#Socket = Socket;
    this.#timers = timers;
    this.#random = random;
    this.#isDone = isDone;
  }

  /** Connects, or connects again: a known position is resumed. */
  open() {
    this.#stopped = false;
    this.#forget();
    this.#setState(this.position || this.#tries ? this.#away() : "connecting");
    const resume = this.position ? `?after=${this.position}` : "";
    const socket = new this.#Socket(this.#address + resume, ["moot.v1"]);
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return;
      this.#heard();
      this.#receive(JSON.parse(data));
    };
    socket.onopen = () => {
      if (socket !== this.#socket) return;
      this.#heard();
      this.#setState("catching-up");
    };
    socket.onclose = ({ code }) => socket === this.#socket && this.#closed(code);
    this.#expect(SILENT_MS);
  }

  /** The browser has lost its network. A line to this machine may work all the same: then it is heard of again. */
  offline() {
    if (OVER.includes(this.state)) return;
    this.#isOffline = true;
    this.#setState("offline");
  }

  /** The browser has a network again: the line that it had may be dead. */
  online() {
    this.#isOffline = false;
    if (this.state !== "live" && !OVER.includes(this.state)) this.open();
  }

  /** Disconnects for good. */
  close() {
    this.#stopped = true;
    this.#forget();
    this.#setState("closed");
  }

  #forget() {
    for (const each of [this.#timer, this.#steady, this.#silence]) this.#timers.clearTimeout(each);
    const socket = this.#socket;
    this.#socket = null;
    this.#isLive = false;
    if (socket && socket.readyState < 2) socket.close();
  }

  /** Gives the line up if nothing is heard for `ms`. */
  #expect(ms) {
    this.#timers.clearTimeout(this.#silence);
    this.#silence = this.#timers.setTimeout(() => {
      this.#isSilent = true;
      this.#forget();
      this.#reconnect();
    }, ms);
  }

  #heard() {
    this.#isSilent = false;
    this.#isOffline = false;
    if (this.state === "offline") this.#setState(this.#isLive ? "live" : "catching-up");
    this.#expect(this.#isLive ? SILENT_MS : LOADING_MS);
  }

  /** Why the page has no line now, as a state. */
  #away() {
    if (this.#isOffline) return "offline";
    return this.#isSilent ? "silent" : "reconnecting";
  }

  #setState(state) {
    if (state === this.state) return;
    this.state = state;
    this.#notify("state", state);
  }

  #notify(type, detail) {
    this.dispatchEvent(Object.assign(new Event(type), { detail }));
  }

  #receive(message) {
    switch (message.kind) {
      case "snapshot":
        if (message.position < this.position) return;
        this.position = message.position;
        return this.#notify("snapshot", message);
      case "frame":
        if (message.position <= this.position) return;
        if (message.position > this.position + 1) {
          // A frame is missing: reconnect and ask for everything after the last position.
          this.#forget();
          return this.#reconnect();
        }
        this.position = message.position;
        return this.#notify("frame", message);
      case "live":
        // The back-off starts over only after the connection has held for a while.
        this.#timers.clearTimeout(this.#steady);
        this.#steady = this.#timers.setTimeout(() => {
          this.#tries = 0;
        }, STEADY_MS);
        this.#isLive = true;
        this.#expect(SILENT_MS);
        return this.#setState("live");
      case "error":
        if (message.code === "bad_after") this.position = 0; // The log is another one now: start with a snapshot.
        return this.#notify("error", message);
      case "delta":
      case "status":
        return this.#notify(message.kind, message);
      default:
        return undefined; // A newer server may send other messages.
    }
  }

  #closed(code) {
    this.#forget();
    if (this.#stopped) return;
    if (FINAL.has(code)) {
      this.#setState("refused");
      this.#notify("error", { code, message: FINAL.get(code) });
    } else if (code === 1000 && this.#isDone()) {
      this.#setState("closed");
    } else {
      this.#reconnect();
    }
  }

  #reconnect() {
    this.#setState(this.#away());
    this.#timer = this.#timers.setTimeout(() => this.open(), backoff(this.#tries, this.#random));
    this.#tries += 1;
  }
}
