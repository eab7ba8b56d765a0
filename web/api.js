/** The server's HTTP side.  Every failure is an `ApiError` whose message can be shown as it is. */

import { h } from "./dom.js";

const { copy } = globalThis.moot ?? {};   // a file that was taken away

export class ApiError extends Error {
  constructor(status, { code = "failed", message = "The server could not do that.", field = null } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

async function request(method, path, body, isSecondTry = false) {
  if (copy) return taken(method, path);
  if (method !== "GET" && document.body.classList.contains("embed")) throw new ApiError(403, { message: "Open the debate itself to act in it." });
  const headers = { Accept: "application/json", ...(body && { "Content-Type": "application/json" }) };
  let response;
  try {
    response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  } catch {
    throw new ApiError(0, { code: "unreachable", message: "The server does not answer. Is it still running?" });
  }
  if (response.status === 401 && !isSecondTry && (await askForToken())) return request(method, path, body, true);
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(response.status, answer?.error);
  return answer;
}

/** A copy answers for itself. */
function taken(method, path) {
  const answer = method === "GET" ? copy.answer(path) : undefined;
  if (answer === undefined) throw new ApiError(404, { code: "copy", message: method === "GET" ? "This copy does not hold that." : "This is a copy: nothing is done here." });
  return answer;
}

const query = (members) => new URLSearchParams(Object.entries(members).filter(([, value]) => value !== "" && value != null));
const debate = (id) => `/api/debates/${encodeURIComponent(id)}`;

export const api = {
  debates: (after = "", limit = 25, q = "") => request("GET", `/api/debates?${query({ after, limit, q })}`),
  models: () => request("GET", "/api/models"),
  archetypes: () => request("GET", "/api/archetypes"),
  open: (body) => request("POST", "/api/debates", body),
  act: (id, act, reason) => request("POST", `${debate(id)}/${act}`, { reason }),
  appeal: (id, claim) => request("POST", `${debate(id)}/claims/${encodeURIComponent(claim)}/appeal`, {}),
  decide: (id, decision, reason) => request("POST", `${debate(id)}/decision`, { decision, reason }),
  say: (id, text) => request("POST", `${debate(id)}/say`, { text }),
  vote: (id, body) => request("POST", `${debate(id)}/votes`, body),
  whatif: (id, body) => request("POST", `${debate(id)}/whatif`, body),
  call: (id, call) => request("GET", `${debate(id)}/calls/${encodeURIComponent(call)}`),
  diff: (id, from, to) => request("GET", `${debate(id)}/diff?${query({ from: String(from), to: String(to) })}`),
  opened: (id) => request("GET", `${debate(id)}/events?limit=1`),
  audit: (id, turn) => request("GET", `${debate(id)}/audit/turns/${turn}`),
  exhibitions: () => request("GET", "/api/exhibitions"),
  view: (id, at = "") => request("GET", `${debate(id)}?${query({ at })}`),
  frames: (id, after, limit) => request("GET", `${debate(id)}/frames?${query({ after: String(after), limit })}`),
};

/** Asks for the server's token and exchanges it for a cookie.  False when the reader gave up. */
async function askForToken() {
  const field = h("input", { type: "password", name: "token", autocomplete: "off", required: true });
  const trouble = h("p.error", { role: "alert", hidden: true });
  const dialog = h("dialog.small", { "aria-label": "Token" },
    h("form", { method: "dialog" },
      h("h2", {}, "This server asks for its token"),
      h("p.quiet", {}, "It stands in MOOT_TOKEN where the server was started. Acts that cost money need it."),
      h("label.field", {}, h("span", {}, "Token"), field), trouble,
      h("div.row", {},
        h("button", { type: "button", on: { click: () => dialog.close("") } }, "Cancel"),
        h("button.primary", { type: "submit" }, "Go on"))));
  document.body.append(dialog);
  dialog.showModal();
  try {
    return await new Promise((resolve) => {
      dialog.addEventListener("close", () => resolve(false));
      dialog.querySelector("form").addEventListener("submit", async (submitted) => {
        submitted.preventDefault();
        try {
          await request("POST", "/api/session", { token: field.value }, true);
          resolve(true);
        } catch (error) {
          trouble.textContent = error.status === 401 || error.status === 403 ? "That is not the token." : error.message;
          trouble.hidden = false;
        }
      });
    });
  } finally {
    dialog.remove();
  }
}
