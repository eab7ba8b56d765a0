/** The ledger of a turn's score: the changes at a glance, and every entry with its evidence and its model call. */

import { api } from "./api.js";
import { eventLink, h } from "./dom.js";
import { number, plain, signed } from "./formatting.js";
import { LEDGER, changeName } from "./words.js";

const audits = new Map();

/** The audit of a turn, fetched again after a new entry. */
function auditOf(id, turn, version) {
  const known = audits.get(turn);
  if (known?.version === version) return known.audit;
  const audit = api.audit(id, turn);
  audits.set(turn, { version, audit });
  audit.catch(() => audits.delete(turn));
  return audit;
}

/** @typedef {{list?: HTMLElement, fill?: () => Promise<void>}} Fillable A list, and what fetches its rows. */

const versionOf = (turn) => `${turn.judged}.${turn.changed.at(-1) ?? ""}`;

/** The name under which an entry's evidence is marked in the turns. */
const markName = ({ kind, position }) => `${kind === "gap" ? "gap" : "entry"}/${position}`;

/**
 * The changes of a turn's score, in short. Entries after `position` are left out.
 * @param {string} id
 * @param {number} number_
 * @param {object} turn
 * @param {number} position
 * @param {(position: number) => void} go
 * @param {(entries: {name: string, position: number, evidence: object[]}[]) => void} mark Marks the evidence.
 * @param {(text: string) => string} name Names the sides in the judge's words.
 * @returns {Fillable} Empty if nothing has changed.
 */
export function scoreChanges(id, number_, turn, position, go, mark, name) {
  if (!turn.changed?.length) return {};
  const list = h("ul.entries", { "aria-label": LEDGER.changesOf(number_) });
  return { list, fill: filling(list, () => auditOf(id, number_, versionOf(turn)), ({ entries }) => {
    const later = entries.filter((entry) => entry.kind !== "score" && entry.position <= position);
    list.replaceChildren(...later.map((entry) => changeRow(entry, go, name)));
    mark(later.map((entry) => ({ name: markName(entry), position: entry.position, evidence: entry.evidence })));
  }) };
}

/**
 * Every entry of a turn's score in order. Entries after `position` are left out.
 * @param {string} id
 * @param {number} number_
 * @param {object} turn
 * @param {number} position
 * @param {(position: number) => void} go
 * @param {(name: string | null) => void} highlight
 * @param {(text: string) => string} name Names the sides in the judge's words.
 * @returns {Fillable}
 */
export function entryList(id, number_, turn, position, go, highlight, name) {
  const label = LEDGER.of(number_);
  const list = h("ol.ledger", { "aria-label": label }, h("li.quiet", {}, LEDGER.loading));
  return { list, fill: filling(list, () => auditOf(id, number_, versionOf(turn)), ({ entries, passages }) => {
    const seen = entries.filter((entry) => entry.position <= position);
    const initial = seen.filter(({ kind }) => kind === "score");
    const rows = seen.filter(({ kind }) => kind !== "score").map((entry) => entryRow(id, entry, go, highlight, name));
    const given = passages ? [h("li.quiet", {}, LEDGER.given(passages))] : [];
    list.replaceChildren(...(initial.length ? [initialRow(id, initial, go)] : []), ...rows, ...given);
  }) };
}

/** A function that fetches entries and shows them, or the error; then the list dispatches `filled`. */
function filling(list, fetchAudit, show) {
  return async () => {
    try {
      show(await fetchAudit());
    } catch (error) {
      list.replaceChildren(h("li.quiet", {}, error.message));
    }
    list.dispatchEvent(new Event("filled", { bubbles: true }));
  };
}

function changeRow(entry, go, name) {
  const { applied, requested, kind, dimension, before, after, rule, reason, position } = entry;
  const amount = `${signed(applied)}${applied === requested ? "" : ` of ${signed(requested)}`}`;
  return h("li", { "data-kind": kind, "data-position": position, "data-raise": applied > 0 },
    h("b", {}, `${amount} ${plain(dimension)}`),
    ", ",
    h("s", {}, number(before)),
    ` → ${number(after)} · `,
    changeName(rule),
    ": ",
    kind === "gap" ? name(reason) : reason,
    (kind === "gap" || entry.against) && quotes(entry),
    " ",
    h("a", eventLink(position, go), LEDGER.seeEvent));
}

function quotes(entry) {
  const { against, evidence } = entry;
  const words = evidence.map(({ quote, turn }) => [quote, ` turn ${turn}`]);
  if (against) words.push([against.quote, ` passage ${against.passage}`]);
  return h("span.quotes", {}, words.map(([quote, where]) => {
    return h("span", {}, h("q", {}, quote), h("span.quiet", {}, where));
  }));
}

const eventName = (position, go) => h("a", eventLink(position, go), `event ${position}`);

/** The points that the turn was given at first. */
function initialRow(id, entries, go) {
  const [{ position, cause, call: callName }] = entries;
  const isCapped = ({ requested, applied }) => requested !== applied;
  const points = entries.flatMap((entry, i) => [
    i ? " · " : "",
    `${plain(entry.dimension)} `,
    isCapped(entry) && h("s", {}, number(entry.requested)),
    isCapped(entry) && " ",
    h("b", {}, number(entry.applied)),
  ]);
  return h("li", { "data-kind": "score", "data-position": position },
    h("p", {}, eventName(position, go), " ", points),
    h("p.quiet", {}, h("span.rule", {}, LEDGER.initial), entries.some(isCapped) && `: ${LEDGER.capped}`),
    h("p.ways", {}, causeLink(cause, go)),
    callName && callDetails(id, callName));
}

function entryRow(id, entry, go, highlight, name) {
  const { position, cause, call: callName, before, after, requested, applied } = entry;
  const on = entry.evidence.length ? highlighting(markName(entry), highlight) : {};
  const amounts = LEDGER.amounts(signed(requested), signed(applied));
  return h("li", { "data-kind": entry.kind, "data-position": position, on },
    h("p", {},
      eventName(position, go),
      " ",
      h("b", {}, plain(entry.dimension)),
      " ",
      h("span.moves", {}, h("s", {}, number(before)), " → ", h("b", {}, number(after))),
      " ",
      h("span.quiet", {}, amounts)),
    h("p.quiet", {},
      h("span.rule", {}, changeName(entry.rule)),
      entry.reason && [": ", entry.kind === "gap" ? name(entry.reason) : entry.reason]),
    entry.evidence.length > 0 && quotes(entry),
    h("p.ways", {}, causeLink(cause, go), cause && h("a", eventLink(cause - 1, go), LEDGER.before)),
    callName && callDetails(id, callName));
}

const causeLink = (cause, go) => cause && h("a", eventLink(cause, go), LEDGER.because(cause));

/**
 * Listeners that highlight the marks of a name while the pointer or the focus is on an element.
 * @param {string} name
 * @param {(name: string | null) => void} highlight
 * @returns {Record<string, () => void>} For the attribute `on`.
 */
export function highlighting(name, highlight) {
  const start = () => highlight(name);
  const end = () => highlight(null);
  return { pointerenter: start, pointerleave: end, focusin: start, focusout: end };
}

/**
 * `<details>` with the exact question and the raw answer of a model call, fetched when they are opened.
 * @param {string} id
 * @param {string} name
 * @returns {HTMLElement}
 */
export function callDetails(id, name) {
  const box = h("div", {});
  async function toggle({ target }) {
    if (!target.open || box.childElementCount) return;
    try {
      const [{ callContent }, call] = await Promise.all([import("./call.js"), api.call(id, name)]);
      box.replaceChildren(...callContent(call));
    } catch (error) {
      box.replaceChildren(h("p.quiet", {}, error.message));
    }
  }
  return h("details.call", { on: { toggle } }, h("summary", {}, LEDGER.call(name)), box);
}
