/** The debate at every position: frames, and a view every so often to fold from. */

import { merge, shared } from "./patch.js";

const EVERY = 25;
const CHUNK = 200;

export class History {
  #load; #frames = new Map(); #views = new Map(); #loading = new Map();

  /** The newest view; null before the first snapshot. */
  newest = null;

  /** `load.view(at)` and `load.frames(after, limit)` ask the server for what is not held. */
  constructor(load) {
    this.#load = load;
  }

  get head() {
    return this.newest?.position ?? 0;
  }

  snapshot(view) {
    if (view.position < this.head || (this.newest && view.opened_at !== this.newest.opened_at)) {
      this.#frames.clear();
      this.#views.clear();
    }
    this.newest = view;
    this.#views.set(view.position, view);
  }

  append(frame) {
    if (frame.position !== this.head + 1) throw new RangeError(`frame ${frame.position} does not follow ${this.head}`);
    this.#frames.set(frame.position, frame);
    this.newest = merge(this.newest, frame.patch);
    if (frame.position % EVERY === 0) this.#views.set(frame.position, this.newest);
  }

  frame(position) {
    return this.#frames.get(position);
  }

  /** The view at `position`; null where something is missing. */
  held(position) {
    if (position === this.head) return this.newest;
    let from = position;
    while (from > 0 && !this.#views.has(from)) {
      if (!this.#frames.has(from)) return null;
      from -= 1;
    }
    let view = this.#views.get(from);
    if (!view) return null;
    for (let next = from + 1; next <= position; next += 1) {
      view = merge(view, this.#frames.get(next).patch);
      if (next % EVERY === 0) this.#views.set(next, view);
    }
    return view;
  }

  /** The view at `position`, fetched with its frame where they are not held. */
  async at(position) {
    if (!this.held(position) || !this.#frames.has(position)) await this.#fetch(position);
    return this.held(position);
  }

  /** Fetches the chunk that holds `position`, once. */
  #fetch(position) {
    const first = Math.floor((position - 1) / CHUNK) * CHUNK + 1;
    const last = Math.min(first + CHUNK - 1, this.head);
    const key = `${first}-${last}`;
    if (!this.#loading.has(key)) {
      const loading = this.#chunk(first, last).finally(() => this.#loading.delete(key));
      this.#loading.set(key, loading);
    }
    return this.#loading.get(key);
  }

  async #chunk(first, last) {
    const [view, ...pages] = await Promise.all([this.#load.view(first), this.#load.frames(first - 1, last - first + 1)]);
    this.#views.set(first, shared(this.newest, view));
    let [page] = pages;
    for (;;) {
      for (const frame of page.frames) this.#frames.set(frame.position, frame);
      const reached = page.frames.at(-1)?.position ?? last;
      if (page.next === null || page.next === undefined || reached >= last) return;
      page = await this.#load.frames(reached, last - reached);
    }
  }
}
