/** Elements that several parts of the page share: tables, badges, links to a place, marked quotes, open details. */

import { number, plain } from "../words/formatting.js";
import {
  NAME, SIGN, STANDING, STANDING_SIGN, TRANSCRIPT, VERDICT, VERDICT_SIGN, failureWords,
} from "../words/words.js";
import { h, onClick } from "./dom.js";
import { pieces, points } from "./text.js";

/**
 * Replaces the children of `root`. Details with a key stay open, and the focus stays.
 * @param {Element} root
 * @param {(Node | null | undefined | false)[]} children
 */
export function replaceChildren(root, children) {
  const details = [...root.querySelectorAll("details[data-key]")];
  const known = new Set(details.map(({ dataset }) => dataset.key));
  const open = new Set(details.filter((each) => each.open).map(({ dataset }) => dataset.key));
  const focused = root.contains(document.activeElement)
    ? document.activeElement.closest("[data-key]")?.dataset.key
    : undefined;
  root.replaceChildren(...children.flat().filter(Boolean));
  for (const each of root.querySelectorAll("details[data-key]")) {
    if (known.has(each.dataset.key)) each.open = open.has(each.dataset.key);
    if (each.dataset.key === focused) each.querySelector("summary").focus({ preventScroll: true });
  }
}

/**
 * `<details>` that stays open while the page around it changes.
 * @param {string} key
 * @param {string} summary
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function more(key, summary, ...children) {
  return h("details.more", { "data-key": key }, h("summary", {}, summary), ...children);
}

/**
 * A link to a place on this page that does not move the cursor.
 * @param {string} id
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function placeLink(id, ...children) {
  return h("a.to", { href: `#${id}`, on: onClick(() => showPlace(id)) }, ...children);
}

/**
 * Scrolls to a place, focuses it and opens the details and the tab around it.
 * @param {string} id
 */
export function showPlace(id) {
  const place = document.getElementById(id);
  if (!place) return;
  for (let around = place.closest("details"); around; around = around.parentElement.closest("details")) {
    around.open = true;
  }
  if (!place.checkVisibility()) place.dispatchEvent(new CustomEvent("reveal", { bubbles: true }));
  place.scrollIntoView({ block: "start" });
  place.setAttribute("tabindex", "-1");
  place.focus({ preventScroll: true });
}

/**
 * A side with its sign and colour: ▲ Pro.
 * @param {"pro" | "con"} side
 * @returns {HTMLElement}
 */
export const sideName = (side) => h(`b.${side}`, {}, `${SIGN[side]} ${NAME[side]}`);

/** The signals of pressure. */
const SIGNALS = ["cognitive", "emotional", "strategic", "credibility"];

/**
 * The signals of a pressure that are above 0.
 * @param {Record<string, number>} pressure
 * @returns {Child[]}
 */
export function pressureWords(pressure) {
  const raised = SIGNALS.filter((name) => pressure[name] > 0);
  const words = raised.flatMap((name, i) => [i > 0 && ", ", h("span", {}, `${name} ${number(pressure[name])}`)]);
  return words.length ? words : [TRANSCRIPT.noPressure];
}

/**
 * A table row of column headings; an empty text makes an empty cell.
 * @param {string[]} texts
 * @returns {HTMLElement}
 */
export function headings(texts) {
  return h("thead", {}, h("tr", {}, texts.map((text) => (text ? h("th", { scope: "col" }, text) : h("td")))));
}

/**
 * A table of figures.
 * @param {string} classes Classes, separated by dots.
 * @param {string[]} columns
 * @param {HTMLElement[]} rows
 * @returns {HTMLElement}
 */
export function table(classes, columns, rows) {
  return h(`table.figures${classes && `.${classes}`}`, {}, headings(columns), h("tbody", {}, rows));
}

/**
 * The standing of an argument.
 * @param {string | undefined} standing
 * @returns {HTMLElement}
 */
export function badge(standing) {
  const known = standing in STANDING ? standing : undefined;
  const sign = h("i", { "aria-hidden": "true" }, STANDING_SIGN[known] ?? "–");
  return h(`span.badge.${known ? known.toLowerCase() : "none"}`, {}, sign, ` ${STANDING[known] ?? "No standing"}`);
}

/**
 * A verdict with its sign.
 * @param {string | undefined} verdict
 * @returns {HTMLElement}
 */
export function verdictWord(verdict) {
  if (!verdict) return h("span.verdict-word.none", {}, "No verdict");
  const sign = h("i", { "aria-hidden": "true" }, VERDICT_SIGN[verdict] ?? "");
  return h(`span.verdict-word.${String(verdict).toLowerCase()}`, {}, sign, ` ${VERDICT[verdict] ?? plain(verdict)}`);
}

/**
 * `text` as nodes, with every quote that occurs in it marked.
 * @param {string} text
 * @param {{name: string, words: string}[]} quotes
 * @param {string} kind The class of the marks.
 * @returns {(Node | string)[]}
 */
export function marked(text, quotes, kind) {
  const spans = quotes.filter(({ words }) => words && text.includes(words)).map(({ name, words }) => {
    const start = points(text.slice(0, text.indexOf(words)));
    return { name, span: [start, start + points(words)] };
  });
  return pieces(text, spans).map((piece) => {
    return piece.names.length ? h(`mark.${kind}`, { "data-names": piece.names.join(" ") }, piece.text) : piece.text;
  });
}

/**
 * A list under a heading; null if there are no sentences.
 * @param {string} title
 * @param {string[] | undefined} sentences
 * @param {(sentence: string) => string} [format]
 * @returns {HTMLElement | null}
 */
export function listed(title, sentences, format = (sentence) => sentence) {
  if (!sentences?.length) return null;
  return h("div.listed", {}, h("h3", {}, title), h("ul", {}, sentences.map((each) => h("li", {}, format(each)))));
}

/**
 * The failed attempts of a turn; null if there are none.
 * @param {{failures?: {attempt: number, kind: string, message?: string}[], attempt: number}} turn
 * @param {boolean} isRunning Whether the debate still runs.
 * @returns {HTMLElement | null}
 */
export function failures(turn, isRunning) {
  if (!turn.failures?.length) return null;
  return h("ul.failures", {}, turn.failures.map(({ attempt, kind, message }) => {
    if (kind === "resigned") return h("li", {}, h("b", {}, TRANSCRIPT.resigned));
    const what = h("b", {}, TRANSCRIPT.attempt(attempt, failureWords(kind)));
    const retry = h("span.quiet", {}, TRANSCRIPT.retry(turn.attempt > attempt, isRunning));
    return h("li", {}, what, message && `: ${message}`, " ", retry);
  }));
}
