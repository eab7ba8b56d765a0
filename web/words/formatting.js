/** Numbers, dates and lists as text. */

/** Characters that change the direction of the text that follows them. */
const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * `frame_control` → `frame control`. Direction marks are removed, so that a name cannot reorder the text around it.
 * @param {unknown} name
 * @returns {string}
 */
export const plain = (name) => String(name).replaceAll("_", " ").replace(DIRECTION_MARKS, "");

/**
 * Who has a seat: the name of a model, or of a person. `person:Ben` → `Ben (a person)`.
 * @param {string | undefined} model
 * @returns {string | undefined}
 */
export const holder = (model) => (model?.startsWith("person:") ? `${model.slice(7)} (a person)` : model);

/**
 * The element id for a claim, premise or argument. Ids of the page itself begin with a small letter.
 * @param {string} name
 * @returns {string}
 */
export const anchor = (name) => (/^[A-Z]/.test(name) ? name : `of-${name}`);

/**
 * Whether a value is `{missing: {reason}}`: the server has no value and says why.
 * @param {unknown} value
 * @returns {boolean}
 */
export const isMissing = (value) => typeof value === "object" && value !== null && "missing" in value;

/**
 * A number with at most two decimals, or with exactly `decimals`, so that a column aligns. A dash for anything else.
 * A half is rounded away from zero, as in the other documents: events/text/figures.py.
 * @param {unknown} value
 * @param {number} [decimals]
 * @returns {string}
 */
export function number(value, decimals) {
  if (typeof value !== "number") return "–";
  const scale = 10 ** (decimals ?? 2);
  const rounded = (Math.sign(value) * Math.round(Math.abs(value) * scale)) / scale || 0;
  return decimals === undefined ? String(rounded) : rounded.toFixed(decimals);
}

/**
 * A composite, or a difference of composites, with at most one decimal. A dash for anything else.
 * @param {unknown} value
 * @returns {string}
 */
export const tenths = (value) => (typeof value === "number" ? String(Number(number(value, 1))) : "–");

/**
 * A change with its sign: −2, +1, 0.
 * @param {number} value
 * @param {number} [decimals]
 * @returns {string}
 */
export function signed(value, decimals) {
  if (value > 0) return `+${number(value, decimals)}`;
  return value < 0 ? `−${number(-value, decimals)}` : "0";
}

/**
 * The smallest number of decimals that shows every value exactly (to two decimals).
 * @param {unknown[]} values
 * @returns {number}
 */
export function decimalsOf(values) {
  return Math.max(0, ...values.map((value) => (number(value).split(".")[1] ?? "").length));
}

/**
 * A number with thousands separators.
 * @param {number} value
 * @returns {string}
 */
export const grouped = (value) => value.toLocaleString("en");

/**
 * `count(2, "turn")` → `2 turns`.
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 * @returns {string}
 */
export const count = (n, one, many = `${one}s`) => `${grouped(n)} ${n === 1 ? one : many}`;

/**
 * A figure of a panel with two decimals; a dash if it is missing.
 * @param {unknown} value
 * @returns {string}
 */
export const figure = (value) => number(value, 2).replace("-", "−");

/**
 * A share of 1 as a percentage, with a decimal only where it is needed.
 * @param {number} share
 * @returns {string}
 */
export function percent(share) {
  const isWhole = Math.abs(share * 1000 - Math.round(share * 100) * 10) < 0.5;
  return `${number(share * 100, isWhole ? 0 : 1)} %`;
}

/**
 * @param {string} text
 * @returns {string} The text with its first letter in upper case.
 */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * `["a", "b", "c"]` → `a, b and c`.
 * @param {string[]} names
 * @returns {string}
 */
export function joined(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/**
 * A date and time in the reader's time zone; empty if `iso` is no date.
 * @param {string} iso
 * @returns {string}
 */
export function moment(iso) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  return at.toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
}
