/** What the page of a seat keeps in this browser, and its requests to the server. */

const TOKEN = location.pathname.split("/").pop();
const HEADER = "X-Moot-Seat";
const STORE = "kept";

/** A request that failed: `status` is 0 if there was no answer. */
class SeatError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   * @param {number} [retryAfterS]
   * @param {{path: (string | number)[], message: string}[]} [faults] What is wrong with an answer, at its places.
   */
  constructor(status, message, retryAfterS = 0, faults = []) {
    super(message);
    this.faults = faults;
    this.status = status;
    this.retryAfterS = retryAfterS;
  }
}

let opening = null;

/** The database of this browser. A transaction of it outlives a browser that is killed, unlike local storage. */
function database() {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("moot.seats", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opening;
}

/** In place of the database where a browser has none: it lasts as long as the page. */
const fallback = new Map();

async function inStore(mode, act) {
  const known = await database();
  return new Promise((resolve, reject) => {
    const transaction = known.transaction(STORE, mode, { durability: "strict" });
    const request = act(transaction.objectStore(STORE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

/**
 * What this browser keeps for this seat. Writing waits until it is stored.
 * @type {{get(name: string): Promise<any>, set(name: string, value: any): Promise<void>,
 *   remove(name: string): Promise<void>}}
 */
export const kept = {
  async get(name) {
    return inStore("readonly", (store) => store.get(`${TOKEN} ${name}`)).catch(() => fallback.get(name));
  },
  async set(name, value) {
    await inStore("readwrite", (store) => store.put(value, `${TOKEN} ${name}`)).catch(() => fallback.set(name, value));
  },
  async remove(name) {
    await inStore("readwrite", (store) => store.delete(`${TOKEN} ${name}`)).catch(() => fallback.delete(name));
  },
};

let secret = "";

/** Reads this browser's secret for the seat, or draws one and keeps it before it is used. @returns {Promise<void>} */
export async function openSecret() {
  secret = (await kept.get("secret")) ?? "";
  if (secret) return;
  const random = crypto.getRandomValues(new Uint8Array(24));
  secret = btoa(String.fromCharCode(...random)).replaceAll("+", "-").replaceAll("/", "_");
  await kept.set("secret", secret);
}

async function request(method, path, body) {
  const headers = { Accept: "application/json", [HEADER]: secret, ...(body && { "Content-Type": "application/json" }) };
  const address = `/api/seats/${encodeURIComponent(TOKEN)}${path}`;
  let response;
  try {
    const sent = body && JSON.stringify(body);
    response = await fetch(address, { method, headers, body: sent, referrerPolicy: "no-referrer" });
  } catch {
    throw new SeatError(0, "");
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  const wait = Number(response.headers.get("retry-after") ?? 0);
  throw new SeatError(response.status, answer?.error?.message ?? response.statusText, wait, answer?.error?.faults);
}

/** The routes of a seat, one function each; each throws `SeatError`. See docs/http.md. */
export const seatApi = {
  show: (after) => request("GET", `?after=${after}`),
  questions: () => request("GET", "/questions"),
  take: () => request("POST", "/take", {}),
  preview: (id, text) => request("POST", "/preview", { request: id, text }),
  draft: (id, text) => request("PUT", "/draft", { request: id, text }),
  send: (id, text) => request("POST", "/answer", { request: id, text }),
  resign: () => request("POST", "/resign", {}),
};
