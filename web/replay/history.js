/** The debate at every position: frames, and a view at intervals from which to fold. */

import { merge, shared } from "./patch.js";

/** A view is kept at every position that is a multiple of this. */
const VIEW_INTERVAL = 25;
/** Frames are fetched in chunks of this size. */
const CHUNK = 200;

/**
 * @param {View} view
 * @returns {number} The turn that began last; 0 before the first.
 */
export const newestTurn = ({ turns }) => Math.max(0, ...Object.keys(turns).map(Number));

/**
 * The vote that is open, if there is one.
 * @param {Record<string, any>} [poll]
 * @returns {"before" | "after" | null}
 */
export const openRound = (poll) => ["before", "after"].find((when) => poll?.[when]?.state === "open") ?? null;

/**
 * @param {{frames: object[], said?: {words: string, by: string, kinds: string[]}[]}} page
 * @returns {object[]} The frames of a page, each with what its event says.
 */
export const told = ({ frames, said = [] }) => frames.map((frame, i) => ({ ...frame, said: said[i] }));

/** The frames and views of one debate that the page has received or fetched. */
export class History {
  #load;
  #frames = new Map();
  #views = new Map();
  #loading = new Map();

  /** The newest view; null before the first snapshot. @type {View | null} */
  newest = null;

  /**
   * @param {{view(at: number): Promise<View>, frames(after: number, limit: number): Promise<object>}} load
   *   Asks the server for what is not held.
   */
  constructor(load) {
    this.#load = load;
  }

  /** The position of the newest view. */
  get head() {
    return this.newest?.position ?? 0;
  }

  /** @param {View} view A snapshot. If it belongs to another log, everything held is dropped. */
  snapshot(view) {
    if (view.position < this.head || (this.newest && view.opened_at !== this.newest.opened_at)) {
      this.#frames.clear();
      this.#views.clear();
    }
    this.newest = view;
    this.#views.set(view.position, view);
  }

  /** @param {object} frame The frame after the newest one; throws `RangeError` for any other. */
  append(frame) {
    if (frame.position !== this.head + 1) {
      throw new RangeError(`frame ${frame.position} does not follow ${this.head}`);
    }
    this.#frames.set(frame.position, frame);
    this.newest = merge(this.newest, frame.patch);
    if (frame.position % VIEW_INTERVAL === 0) this.#views.set(frame.position, this.newest);
  }

  /** The frame at `position`, if it is held. */
  frame(position) {
    return this.#frames.get(position);
  }

  /** The view at `position`; null if frames are missing. */
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
      if (next % VIEW_INTERVAL === 0) this.#views.set(next, view);
    }
    return view;
  }

  /** The view at `position`. It and its frame are fetched if they are not held. */
  async at(position) {
    if (!this.held(position) || !this.#frames.has(position)) await this.#fetch(position);
    return this.held(position);
  }

  /** Fetches a frame that the next steps will need. */
  ahead(position) {
    const wanted = Math.min(Math.max(1, position), this.head);
    if (!this.frame(wanted)) this.at(wanted).catch(() => undefined); // A step that needs it asks again.
  }

  /** Fetches what the event at `position` says: frames that came live do not have it. */
  async fetchSaid(position) {
    const [{ said }] = told(await this.#load.frames(position - 1, 1));
    this.#frames.get(position).said = said;
  }

  /** Fetches the chunk that holds `position`, once. */
  #fetch(position) {
    const first = Math.floor((position - 1) / CHUNK) * CHUNK + 1;
    const last = Math.min(first + CHUNK - 1, this.head);
    const key = `${first}-${last}`;
    if (!this.#loading.has(key)) {
      const loading = this.#fetchChunk(first, last).finally(() => this.#loading.delete(key));
      this.#loading.set(key, loading);
    }
    return this.#loading.get(key);
  }

  async #fetchChunk(first, last) {
    const count = last - first + 1;
    const [view, firstPage] = await Promise.all([this.#load.view(first), this.#load.frames(first - 1, count)]);
    this.#views.set(first, shared(this.newest, view));
    let page = firstPage;
    for (;;) {
      for (const frame of told(page)) this.#frames.set(frame.position, frame);
      const reached = page.frames.at(-1)?.position ?? last;
      if (page.next === null || page.next === undefined || reached >= last) return;
      page = await this.#load.frames(reached, last - reached);
    }
  }
}
