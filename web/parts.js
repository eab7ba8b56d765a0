/** What the pages of arguments, panels and artifacts share: badges, links to a place, marked words, kept details. */

import { h } from "./dom.js";
import { pieces, points } from "./text.js";
import { STANDING, STANDING_SIGN, VERDICT, VERDICT_SIGN, kindWords, plain } from "./words.js";

/** Replaces the children of `root`; open details and the focus stay. */
export function replaced(root, children) {
  const open = new Set([...root.querySelectorAll("details[data-key][open]")].map(({ dataset }) => dataset.key));
  const known = new Set([...root.querySelectorAll("details[data-key]")].map(({ dataset }) => dataset.key));
  const focus = root.contains(document.activeElement) ? document.activeElement.closest("[data-key]")?.dataset.key : undefined;
  root.replaceChildren(...children.flat().filter(Boolean));
  for (const each of root.querySelectorAll("details[data-key]")) {
    if (known.has(each.dataset.key)) each.open = open.has(each.dataset.key);
    if (each.dataset.key === focus) each.querySelector("summary").focus({ preventScroll: true });
  }
}

/** `<details>` that stays open while the page around it changes. */
export function more(key, summary, ...children) {
  return h("details.more", { "data-key": key }, h("summary", {}, summary), ...children);
}

/** A link to a place on this page that leaves the cursor alone. */
export function toPlace(id, ...children) {
  return h("a.to", { href: `#${id}`, on: { click: (event) => {
    event.preventDefault();
    reach(id);
  } } }, ...children);
}

export function reach(id) {
  const place = document.getElementById(id);
  if (!place) return;
  for (let around = place.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
  place.scrollIntoView({ block: "start" });
  place.setAttribute("tabindex", "-1");
  place.focus({ preventScroll: true });
}

export function badge(standing) {
  const known = standing in STANDING ? standing : undefined;
  return h(`span.badge.${known ? known.toLowerCase() : "none"}`, {},
    h("i", { "aria-hidden": "true" }, STANDING_SIGN[known] ?? "–"), ` ${STANDING[known] ?? "No standing"}`);
}

export function verdictWord(verdict, name = "span") {
  if (!verdict) return h(`${name}.verdict-word.none`, {}, "No verdict");
  return h(`${name}.verdict-word.${String(verdict).toLowerCase()}`, {}, h("i", { "aria-hidden": "true" }, VERDICT_SIGN[verdict] ?? ""), ` ${VERDICT[verdict] ?? plain(verdict)}`);
}

/** `text` with every place where one of `quotes` (`{name, words}`) stands word for word marked. */
export function marked(text, quotes, kind) {
  const found = quotes.filter(({ words }) => words && text.includes(words)).map(({ name, words }) => {
    const start = points(text.slice(0, text.indexOf(words)));
    return { name, span: [start, start + points(words)] };
  });
  return pieces(text, found).map(({ text: part, names }) => (names.length ? h(`mark.${kind}`, { "data-names": names.join(" ") }, part) : part));
}

export function listed(title, sentences, shown = (each) => each) {
  if (!sentences?.length) return null;
  return h("div.listed", {}, h("h3", {}, title), h("ul", {}, ...sentences.map((each) => h("li", {}, shown(each)))));
}

/** What went wrong with a turn, attempt by attempt. */
export function failures(turn, running) {
  if (!turn.failures?.length) return null;
  return h("ul.failures", {}, ...turn.failures.map((failure) => {
    const retried = turn.attempt > failure.attempt ? "Tried again." : running ? "It will be tried again." : "It has not been tried again.";
    return h("li", {}, h("b", {}, `Attempt ${failure.attempt} ${kindWords(failure.kind)}`), failure.message && `: ${failure.message}`, " ", h("span.quiet", {}, retried));
  }));
}
