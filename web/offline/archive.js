/**
 * An exported debate in one file: the page answers its own requests, and no connection is opened.
 *
 * The archive holds the frames. A view at any position is the fold of their patches, as everywhere. Only the exported
 * file loads this module, before all others; the page then finds `globalThis.moot`.
 */

import { merge } from "../replay/patch.js";
import { capital } from "../words/formatting.js";
import { Differences } from "./difference.js";
import { offerReceipt } from "./receipt.js";

/** A view is kept at every position that is a multiple of this. */
const VIEW_INTERVAL = 200;
/** The difference of two positions is told by so many of the events that made it. */
const MAX_SENTENCES = 12;

/** Answers in the place of a server: `new OfflineServer(archive).answer("/api/debates/ID?at=5")`. */
export class OfflineServer {
  #views = new Map([[0, {}]]);

  /**
   * @param {{id: string, position: number, frames: object[], said: object[], audits: object, asked?: object}} archive
   *   `said`: what each event says, as the server has it.
   */
  constructor(archive) {
    this.archive = archive;
  }

  /** The view at `position`. */
  view(position) {
    let from = position;
    while (!this.#views.has(from)) from -= 1;
    let view = this.#views.get(from);
    for (let next = from + 1; next <= position; next += 1) {
      view = merge(view, this.archive.frames[next - 1].patch);
      if (next % VIEW_INTERVAL === 0) this.#views.set(next, view);
    }
    return view;
  }

  /**
   * The answer to a GET of `path`; undefined if the archive does not contain it.
   * @param {string} path
   * @returns {unknown}
   */
  answer(path) {
    const { pathname, searchParams } = new URL(path, "http://copy");
    if (pathname === "/api/terms") return { terms: this.archive.terms };
    const root = `/api/debates/${encodeURIComponent(this.archive.id)}`;
    if (!pathname.startsWith(root)) return undefined;
    const parameter = (name, otherwise) => Number(searchParams.get(name) ?? otherwise);
    const [, kind, ...rest] = pathname.slice(root.length).split("/").map(decodeURIComponent);
    switch (kind) {
      case undefined:
        return this.view(parameter("at", this.archive.position));
      case "frames":
        return this.#frames(parameter("after", 0), parameter("limit", 500));
      case "audit":
        return this.archive.audits[rest[1]];
      case "calls":
        return this.#call(rest[0]);
      case "diff":
        return this.#difference(parameter("from", 0), parameter("to", this.archive.position));
      default:
        return undefined;
    }
  }

  /** What moved between two positions: every changed value, and the events that changed most of them. */
  #difference(from, to) {
    const found = new Differences(this).between(from, to);
    const moved = found.changes.flatMap((change) => change.because_of);
    const counted = Object.entries(Object.groupBy(moved, (position) => position));
    const most = counted.sort(([, one], [, other]) => other.length - one.length).slice(0, MAX_SENTENCES);
    const positions = most.map(([position]) => Number(position)).sort((one, other) => one - other);
    const sentences = positions.map((position) => {
      return { text: `${capital(this.archive.said[position - 1].words)}.`, because_of: [position] };
    });
    return { ...found, sentences };
  }

  #frames(after, limit) {
    const frames = this.archive.frames.slice(after, after + limit);
    const reached = after + frames.length;
    const said = this.archive.said.slice(after, reached);
    return { frames, said, next: reached < this.archive.position ? reached : null };
  }

  #call(name) {
    const { calls = {}, segments = {} } = this.archive.asked ?? {};
    if (!Object.hasOwn(calls, name)) return undefined;
    const prompt = calls[name].prompt.map(([role, digest]) => ({ role, text: segments[digest] ?? "" }));
    return { ...calls[name], prompt };
  }
}

const element = globalThis.document?.getElementById("archive");
const copy = element && new OfflineServer(JSON.parse(element.textContent));

/** In the place of a WebSocket: it sends the newest view once and closes. */
class OfflineSocket {
  readyState = 3;

  constructor() {
    queueMicrotask(() => {
      const { position } = copy.archive;
      const snapshot = { kind: "snapshot", position, view: copy.view(position), speaking: null };
      this.onmessage({ data: JSON.stringify(snapshot) });
      this.onclose({ code: 1000 });
    });
  }

  close() {
    // There is no connection.
  }
}

if (copy) globalThis.moot = { copy, Socket: OfflineSocket };
offerReceipt(copy);
