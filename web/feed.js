/**
 * The line to the server: one WebSocket at a time, opened again when it breaks; nothing is lost or doubled.
 *
 * Events: `state` (detail: connecting, catching-up, live, reconnecting, closed, refused), `snapshot`, `frame`, `delta`,
 * `status`, `trouble` (detail: {code, message}).
 */

const FIRST_MS = 400;
const CAP_MS = 20_000;
const STEADY_MS = 5_000;
const FINAL = new Map([[4404, "There is no such debate."], [4403, "This debate is not open to you."]]);

/** How long to wait before attempt `n` (from 0): full jitter under a doubling ceiling. */
export function backoff(n, random = Math.random) {
  const ceiling = Math.min(CAP_MS, FIRST_MS * 2 ** Math.min(n, 20));
  return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}

export class Feed extends EventTarget {
  #address; #Socket; #timers; #random; #isDone;
  #socket = null; #timer = null; #steady = null; #tries = 0; #stopped = false;

  state = "connecting";
  /** The last position that was taken in; 0 before the first. */
  position = 0;

  constructor(address, { Socket = WebSocket, timers = globalThis, random = Math.random, isDone = () => false } = {}) {
    super();
    this.#address = address;
    this.#Socket = Socket;
    this.#timers = timers;
    this.#random = random;
    this.#isDone = isDone;
  }

  open() {
    this.#stopped = false;
    this.#forget();
    this.#turn(this.position || this.#tries ? "reconnecting" : "connecting");
    const resume = this.position ? `?after=${this.position}` : "";
    const socket = new this.#Socket(this.#address + resume, ["moot.v1"]);
    this.#socket = socket;
    socket.onmessage = ({ data }) => socket === this.#socket && this.#take(JSON.parse(data));
    socket.onopen = () => {
      if (socket === this.#socket) this.#turn("catching-up");
    };
    socket.onclose = ({ code }) => socket === this.#socket && this.#broken(code);
  }

  close() {
    this.#stopped = true;
    this.#forget();
    this.#turn("closed");
  }

  #forget() {
    this.#timers.clearTimeout(this.#timer);
    this.#timers.clearTimeout(this.#steady);
    const socket = this.#socket;
    this.#socket = null;
    if (socket && socket.readyState < 2) socket.close();
  }

  #turn(state) {
    if (state === this.state) return;
    this.state = state;
    this.#tell("state", state);
  }

  #tell(type, detail) {
    this.dispatchEvent(Object.assign(new Event(type), { detail }));
  }

  #take(message) {
    switch (message.kind) {
      case "snapshot":
        if (message.position < this.position) return;
        this.position = message.position;
        return this.#tell("snapshot", message);
      case "frame":
        if (message.position <= this.position) return;
        if (message.position > this.position + 1) return this.#again();
        this.position = message.position;
        return this.#tell("frame", message);
      case "live":
        // Back-off starts over only when the line holds: one that breaks at once is not hammered.
        this.#timers.clearTimeout(this.#steady);
        this.#steady = this.#timers.setTimeout(() => { this.#tries = 0; }, STEADY_MS);
        return this.#turn("live");
      case "error":
        if (message.code === "bad_after") this.position = 0;   // another log now: begin with a snapshot
        return this.#tell("trouble", message);
      case "delta":
      case "status":
        return this.#tell(message.kind, message);
      default:
        return undefined;   // of a newer server
    }
  }

  /** A frame is missing: come back for everything after what is held. */
  #again() {
    this.#forget();
    this.#wait();
  }

  #broken(code) {
    this.#timers.clearTimeout(this.#steady);
    this.#socket = null;
    if (this.#stopped) return;
    if (FINAL.has(code)) {
      this.#turn("refused");
      this.#tell("trouble", { code, message: FINAL.get(code) });
    } else if (code === 1000 && this.#isDone()) {
      this.#turn("closed");
    } else {
      this.#wait();
    }
  }

  #wait() {
    this.#turn("reconnecting");
    this.#timer = this.#timers.setTimeout(() => this.open(), backoff(this.#tries, this.#random));
    this.#tries += 1;
  }
}
