/** The reasons for the scores of a turn, which are loaded when the reader opens them. */

import { highlighting } from "../audit/ledger.js";
import { h, hiddenText } from "../parts/dom.js";
import { number, plain } from "../words/formatting.js";
import { IN_COMPOSITE, SCORES } from "../words/words.js";

/**
 * A dimension of a score with its components.
 * @param {string} name
 * @param {object} score
 * @param {Record<string, object>} components
 * @param {(name: string | null) => void} highlight Highlights the words of a quote.
 * @param {(text: string) => string} named Names the sides in the judge's words.
 * @returns {HTMLElement}
 */
export function dimension(name, score, components, highlight, named) {
  const parts = Object.entries(components);
  const isWhole = parts.length === 1 && parts[0][0] === name;
  const rows = parts.map(([part, component]) => componentRow(`${name}/${part}`, part, component, highlight, named));
  return h("section", {},
    h("h3", {},
      h("span.name", {}, plain(name)),
      " ",
      h("span.of", {}, points(score.raw, score.effective, score.maximum)),
      !IN_COMPOSITE.includes(name) && h("span.word", {}, SCORES.notInComposite)),
    ruleList(score.rules),
    h(`ul.components${isWhole ? ".whole" : ""}`, {}, rows));
}

function componentRow(id, name, component, highlight, named) {
  const { raw, admitted, maximum, reason, quote, verified, span, rules } = component;
  const on = verified && span ? highlighting(id, highlight) : {};
  return h("li", { on, tabindex: span ? "0" : undefined },
    h("span.part", {}, plain(name)),
    h("span.of", {}, points(raw, admitted, maximum)),
    h("div.because", {},
      reason && h("p", {}, named(reason)),
      quote && h("p.quote", {}, h("q", {}, quote)),
      quote && !verified && h("p.unverified", {}, SCORES.unverified),
      ruleList(rules)));
}

function points(before, now, maximum) {
  const old = before !== now ? [h("s", {}, hiddenText("was "), number(before)), " "] : [];
  return [...old, h("b", {}, number(now)), ` of ${number(maximum)}`];
}

function ruleList(texts) {
  return texts?.length > 0 && h("ul.rules", { "aria-label": SCORES.rules }, texts.map((text) => h("li", {}, text)));
}
