/**
 * A debate taken away in one file: what the server would answer is answered from the page itself, and no line is opened.
 *
 * The archive holds the frames; a view at any position is what their patches make, as everywhere.  A server's page never
 * loads this: the file that is taken away does, before everything else, and the page finds `globalThis.moot`.
 */

import { Differences } from "./difference.js";
import { merge } from "../patch.js";

const KEPT = 200;

/** Answers of a server that is not there: `new Copy(archive).answer("/api/debates/ID?at=5")`. */
export class Copy {
  #views = new Map([[0, {}]]);

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
      if (next % KEPT === 0) this.#views.set(next, view);
    }
    return view;
  }

  /** What a GET of `path` would bring; undefined for what was not taken along. */
  answer(path) {
    const { pathname, searchParams } = new URL(path, "http://copy");
    const root = `/api/debates/${encodeURIComponent(this.archive.id)}`;
    if (!pathname.startsWith(root)) return undefined;
    const asked = (name, otherwise) => Number(searchParams.get(name) ?? otherwise);
    const [, kind, ...rest] = pathname.slice(root.length).split("/").map(decodeURIComponent);
    switch (kind) {
      case undefined:
        return this.view(asked("at", this.archive.position));
      case "frames":
        return this.#frames(asked("after", 0), asked("limit", 500));
      case "audit":
        return this.archive.audits[rest[1]];
      case "calls":
        return this.#call(rest[0]);
      case "diff":
        return new Differences(this).between(asked("from", 0), asked("to", this.archive.position));
      default:
        return undefined;
    }
  }

  #frames(after, limit) {
    const frames = this.archive.frames.slice(after, after + limit);
    const reached = after + frames.length;
    return { frames, next: reached < this.archive.position ? reached : null };
  }

  #call(name) {
    const { calls = {}, segments = {} } = this.archive.asked ?? {};
    const call = Object.hasOwn(calls, name) && calls[name];
    return call ? { ...call, prompt: call.prompt.map(([role, digest]) => ({ role, text: segments[digest] ?? "" })) } : undefined;
  }
}

const element = globalThis.document?.getElementById("archive");
const copy = element && new Copy(JSON.parse(element.textContent));

/** Stands in for a WebSocket: the whole view at once, and nothing after it. */
class Line {
  readyState = 3;

  constructor() {
    queueMicrotask(() => {
      const { position } = copy.archive;
      this.onmessage({ data: JSON.stringify({ kind: "snapshot", position, view: copy.view(position), speaking: null }) });
      this.onclose({ code: 1000 });
    });
  }

  close() { /* there is nothing to hang up */ }
}

if (copy) globalThis.moot = { copy, Line };
