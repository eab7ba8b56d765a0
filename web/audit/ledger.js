/** The ledger of a turn's score: the changes at a glance, and every entry with its evidence and its model call. */

import { api } from "../parts/api.js";
import { eventLink, h, setText } from "../parts/dom.js";
import { number, plain, signed } from "../words/formatting.js";
import { LEDGER } from "../words/words.js";

/** @typedef {{list: HTMLElement, show(): void, fill(): Promise<void>, again(): void}} Fillable A list, what shows the
 *   rows that are known, what fetches those that are missing, and what shows the known ones again. */

/** The position of the newest entry that changed a turn's score. */
const newestOf = (turn) => turn.changed?.at(-1) ?? turn.judged ?? 0;

/** The name under which an entry's evidence is marked in the turns. */
const markName = ({ kind, position }) => `${kind === "gap" ? "gap" : "entry"}/${position}`;

/**
 * The ledgers of a debate's turns. Rows that are known are in a list before it is shown, so that it only grows.
 * @param {string} id
 * @param {(position: number) => void} go
 * @param {(name: string | null) => void} highlight
 * @param {(entries: {name: string, position: number, evidence: object[]}[], show: () => void) => void} arrived Called
 *   with the newest entries of a turn when they have been fetched, and with what shows them.
 */
export function ledgers(id, go, highlight, arrived) {
  /** Turn → its newest audit, and the position up to which it holds every entry. */
  const held = new Map();
  /** Turn → the newest request for its audit, and the entry for which it was made. */
  const requests = new Map();

  function request(number_, newest) {
    const last = requests.get(number_);
    if (last?.newest >= newest) return last.promise;
    const promise = api.audit(id, number_).then((audit) => {
      const upto = Math.max(newest, ...audit.entries.map(({ position }) => position));
      if (!(held.get(number_)?.upto > upto)) held.set(number_, { audit, upto });
    });
    requests.set(number_, { newest, promise });
    promise.catch(() => requests.delete(number_));
    return promise;
  }

  function fillable(list, number_, turn, rowsOf) {
    let shown = null;
    let isWhole = false;
    function show() {
      const known = held.get(number_);
      if (isWhole || !known || known === shown) return;
      shown = known;
      isWhole = known.upto >= newestOf(turn);
      list.replaceChildren(...rowsOf(known.audit));
    }
    async function fill() {
      show();
      if (isWhole) return;
      try {
        await request(number_, newestOf(turn));
        const later = held.get(number_).audit.entries.filter(({ kind }) => kind !== "score");
        arrived(later.map((entry) => ({ ...entry, name: markName(entry) })), show);
      } catch ({ message }) {
        arrived([], () => list.replaceChildren(...(shown ? rowsOf(shown.audit) : []), h("li.quiet", {}, message)));
      }
    }
    show();
    return { list, show, fill, again: () => shown && list.replaceChildren(...rowsOf(shown.audit)) };
  }

  return {
    /** What the judge said when it compared a turn: `{earlier, readings: {order, text}[]}`. */
    async comparisons(number_, turn) {
      await request(number_, newestOf(turn));
      return held.get(number_).audit.comparisons ?? [];
    },

    /**
     * The changes of a turn's score, in short. Entries after `position` are left out.
     * @param {number} number_
     * @param {object} turn
     * @param {number} position
     * @param {(text: string) => string} name Names the sides in the judge's words.
     * @param {Set<number>} arriving Positions of changes that have come while the turn was in view.
     * @returns {(Fillable & {folded: HTMLElement[]}) | null} `folded`: the usual adjustments, and what has just come,
     *   each in details. Null if nothing has changed.
     */
    changes(number_, turn, position, name, arriving) {
      if (!turn.changed?.length) return null;
      const list = h("ul.entries", { "aria-label": LEDGER.changesOf(number_) });
      const routine = foldedRows("routine", LEDGER.routineOf(number_), (entries) => {
        return LEDGER.routine(entries.length, signed(entries.reduce((sum, { applied }) => sum + applied, 0)));
      });
      const justNow = foldedRows("just-now", LEDGER.changesOf(number_), ({ length }) => LEDGER.justNow(length));
      const filled = fillable(list, number_, turn, ({ entries }) => {
        const rows = (shown) => shown.map((entry) => changeRow(entry, go, name));
        const later = entries.filter((entry) => entry.kind !== "score" && entry.position <= position);
        const { routine: usual = [], new: newest = [], others = [] } = Object.groupBy(later, (entry) => {
          if (entry.is_routine) return "routine";
          return arriving.has(entry.position) ? "new" : "others";
        });
        routine.fill(usual, rows(usual));
        justNow.fill(newest, rows(newest));
        return rows(others);
      });
      return { ...filled, folded: [routine.element, justNow.element] };
    },

    /**
     * Every entry of a turn's score in order. Entries after `position` are left out.
     * @param {number} number_
     * @param {object} turn
     * @param {number} position
     * @param {(text: string) => string} name Names the sides in the judge's words.
     * @returns {Fillable}
     */
    entries(number_, turn, position, name) {
      const list = h("ol.ledger", { "aria-label": LEDGER.of(number_) }, h("li.quiet", {}, LEDGER.loading));
      return fillable(list, number_, turn, ({ entries, passages }) => {
        const seen = entries.filter((entry) => entry.position <= position);
        const initial = seen.filter(({ kind }) => kind === "score");
        const later = seen.filter(({ kind }) => kind !== "score");
        return [
          ...(initial.length ? [initialRow(id, initial, go)] : []),
          ...later.map((entry) => entryRow(id, entry, go, highlight, name)),
          ...(passages ? [h("li.quiet", {}, LEDGER.given(passages))] : []),
        ];
      });
    },
  };
}

/** Entries in details, hidden without any. */
function foldedRows(kind, label, words) {
  const list = h("ul.entries", { "aria-label": label });
  const summary = h("summary");
  const element = h(`details.${kind}`, { hidden: true }, summary, list);
  function fill(entries, rows) {
    element.hidden = !rows.length;
    setText(summary, words(entries));
    list.replaceChildren(...rows);
  }
  return { element, fill };
}

/** How the points of a flaw were computed: *Every entry* has it. */
const FIGURES = / \([^()]*\)$/;

function changeRow(entry, go, name) {
  const { applied, requested, kind, dimension, before, after, what, reason, position, evidence, against } = entry;
  const { given = requested, words = reason } = entry;
  const [fails, exposes] = evidence;
  return h("li", { "data-kind": kind, "data-position": position, "data-raise": applied > 0 },
    h("b", {}, signed(applied), applied !== given && h("small", {}, ` of ${signed(given)}`)),
    h("div", {},
      h("span.what", {}, what),
      fails && [" · ", h("q", {}, fails.quote)],
      h("span.back", {},
        exposes && [h("span", {}, LEDGER.turn(exposes.turn), h("q", {}, exposes.quote)), " "],
        against && [h("q", {}, against.quote), ` passage ${against.passage} `],
        kind === "gap" ? name(words.replace(FIGURES, "")) : words),
      h("span.back", {},
        `${plain(dimension)} `, h("s", {}, number(before)), ` → ${number(after)} `,
        h("a", eventLink(position, go), LEDGER.seeEvent))));
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
  const { position, cause, call: callName, before, after, requested, applied, reason } = entry;
  const { given = requested, words = reason } = entry;
  const on = entry.evidence.length ? highlighting(markName(entry), highlight) : {};
  const amounts = LEDGER.amounts(signed(given), signed(applied));
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
      h("span.rule", {}, entry.rule_words),
      words && [": ", entry.kind === "gap" ? name(words) : words]),
    entry.evidence.length > 0 && quotes(entry),
    h("p.ways", {}, causeLink(cause, go), cause && h("a", eventLink(position - 1, go), LEDGER.before)),
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
