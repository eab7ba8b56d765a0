/** The server's HTTP interface. Every failure is an `ApiError` whose message can be shown as it is. */

import { ERRORS } from "../words/words.js";

/**
 * A view of a debate as the server folds it: docs/http.md describes its members. Those that most parts read:
 * @typedef {object} View
 * @property {string} id
 * @property {string} motion
 * @property {"exchange" | "protocol" | "deliberation" | "calibration"} format
 * @property {"open" | "paused" | "halted" | "concluded"} state
 * @property {number} position The newest event that the view contains.
 * @property {Record<string, any>} turns By number.
 * @property {Record<string, any>} panel
 * @property {Record<string, any>} protocol
 */

/** In an exported file, answers come from the file: see offline/archive.js. */
const { copy } = globalThis.moot ?? {};

/** A request that failed. */
export class ApiError extends Error {
  /**
   * @param {number} status The HTTP status; 0 if there was no answer.
   * @param {{code?: string, message?: string, field?: string | null}} [error]
   */
  constructor(status, { code = "failed", message = ERRORS.failed, field = null } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

async function request(method, path, body, isSecondTry = false) {
  if (copy) return answerOffline(method, path);
  if (method !== "GET" && document.body.classList.contains("embed")) {
    throw new ApiError(403, { message: ERRORS.embedded });
  }
  const isFile = body instanceof Blob;
  const type = isFile ? "application/x-ndjson" : "application/json";
  const headers = { Accept: "application/json", ...(body && { "Content-Type": type }) };
  let response;
  try {
    response = await fetch(path, { method, headers, body: body && !isFile ? JSON.stringify(body) : body });
  } catch {
    throw new ApiError(0, { code: "unreachable", message: ERRORS.unreachable });
  }
  if (response.status === 401 && !isSecondTry && (await hasToken())) return request(method, path, body, true);
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(response.status, answer?.error);
  return answer;
}

function answerOffline(method, path) {
  const isRead = method === "GET";
  const answer = isRead ? copy.answer(path) : undefined;
  if (answer === undefined) {
    throw new ApiError(404, { code: "copy", message: isRead ? ERRORS.notInCopy : ERRORS.copyIsReadOnly });
  }
  return answer;
}

function query(members) {
  return new URLSearchParams(Object.entries(members).filter(([, value]) => value !== "" && value != null));
}

/**
 * Asks for the server's token. False if the reader cancels.
 * @returns {Promise<boolean>}
 */
export async function hasToken() {
  const { askForToken } = await import("./token.js");
  return askForToken((token) => request("POST", "/api/session", { token }, true));
}

const debate = (id) => `/api/debates/${encodeURIComponent(id)}`;

/** The routes, one function each. Each returns a promise of the answer and throws `ApiError`. See docs/http.md. */
export const api = {
  debates: (members) => request("GET", `/api/debates?${query(members)}`),
  search: (members) => request("GET", `/api/search?${query(members)}`),
  estimate: (body) => request("POST", "/api/estimate", body),
  previewTranscript: (file, name, chosen) => {
    const wanted = query({ name, debate: chosen });
    return request("POST", `/api/transcripts/preview?${name ? wanted : `name=&${wanted}`}`, file);
  },
  readDocument: (document) => request("POST", "/api/evidence", document),
  importLog: (file) => request("POST", "/api/import", file),
  session: () => request("GET", "/api/session"),
  signOut: () => request("DELETE", "/api/session"),
  models: () => request("GET", "/api/models"),
  terms: () => request("GET", "/api/terms"),
  archetypes: () => request("GET", "/api/archetypes"),
  exhibitions: () => request("GET", "/api/exhibitions"),
  course: (kind, name) => request("GET", `/api/${kind}/${encodeURIComponent(name)}/course`),
  open: (body) => request("POST", "/api/debates", body),
  view: (id, at = "") => request("GET", `${debate(id)}?${query({ at })}`),
  frames: (id, after, limit) => request("GET", `${debate(id)}/frames?${query({ after: String(after), limit })}`),
  evidence: (id) => request("GET", `${debate(id)}/evidence`),
  opened: (id) => request("GET", `${debate(id)}/events?limit=1`),
  diff: (id, from, to) => request("GET", `${debate(id)}/diff?${query({ from: String(from), to: String(to) })}`),
  call: (id, call) => request("GET", `${debate(id)}/calls/${encodeURIComponent(call)}`),
  audit: (id, turn) => request("GET", `${debate(id)}/audit/turns/${turn}`),
  auditArgument: (id, name) => request("GET", `${debate(id)}/audit/arguments/${encodeURIComponent(name)}`),
  act: (id, act, reason) => request("POST", `${debate(id)}/${act}`, { reason }),
  appeal: (id, claim) => request("POST", `${debate(id)}/claims/${encodeURIComponent(claim)}/appeal`, {}),
  decide: (id, decision, reason) => request("POST", `${debate(id)}/decision`, { decision, reason }),
  label: (id, labels) => request("POST", `${debate(id)}/labels`, labels),
  delete: (id, members) => request("DELETE", `${debate(id)}?${query(members)}`),
  makeSeatLink: (id, seat) => request("POST", `${debate(id)}/seats/${encodeURIComponent(seat)}/link`, {}),
  revokeSeatLink: (id, seat) => request("DELETE", `${debate(id)}/seats/${encodeURIComponent(seat)}/link`),
  say: (id, text) => request("POST", `${debate(id)}/say`, { text }),
  vote: (id, body) => request("POST", `${debate(id)}/votes`, body),
  join: (id) => request("GET", `${debate(id)}/join`),
  room: (id, { position = "", playing = false } = {}) => {
    return request("GET", `${debate(id)}/room?${query({ position: String(position), playing: playing ? 1 : 0 })}`);
  },
  steer: (id, shown) => request("PUT", `${debate(id)}/room`, shown),
  poll: (id) => request("GET", `${debate(id)}/poll`),
  closePoll: (id, when) => request("POST", `${debate(id)}/poll/close`, { when }),
  derive: (id, kind, body) => request("POST", `${debate(id)}/${kind}`, body),
  ifs: (id) => request("GET", `${debate(id)}/whatif`),
  whatif: (id, body) => request("POST", `${debate(id)}/whatif`, body),
};

/**
 * Keeps the links of people's seats for the page of a new debate, which shows them once.
 * @param {string} id
 * @param {Record<string, string> | undefined} links By seat; undefined if no person has one.
 */
export function keepLinks(id, links) {
  if (!links) return;
  try {
    sessionStorage.setItem(`moot.links.${id}`, JSON.stringify(links));
  } catch {
    // The page of the debate makes new ones.
  }
}
