/** The scores of one turn: the line of numbers, and on demand the reasons for each. */

import { h, hiddenText } from "../parts/dom.js";
import { capital, isMissing, number, plain, tenths } from "../words/formatting.js";
import { DIMENSIONS, IN_COMPOSITE, SCORES } from "../words/words.js";

const COMPOSITE_MAXIMUM = 100;

/** Dimensions in the order of the scorecard, then those that only this rubric has. */
function ordered(scores) {
  const names = Object.keys(scores);
  return [...DIMENSIONS.filter((name) => names.includes(name)), ...names.filter((name) => !DIMENSIONS.includes(name))];
}

/**
 * The verified quotes of a turn as spans to mark: `{name: "logic/cause", span}`.
 * @param {object} turn
 * @returns {{name: string, span: [number, number]}[]}
 */
export function quoteSpans(turn) {
  return Object.entries(turn.components ?? {}).flatMap(([dimension, components]) => {
    const quoted = Object.entries(components).filter(([, component]) => component.verified && component.span);
    return quoted.map(([name, { span }]) => ({ name: `${dimension}/${name}`, span }));
  });
}

/**
 * The line of scores under a judged turn.
 * @param {object} turn
 * @returns {HTMLElement[]}
 */
export function scoreLine(turn) {
  if (isMissing(turn.scores)) return [h("p.scores.none", {}, h("b", {}, SCORES.none), turn.scores.missing.reason)];
  const names = ordered(turn.scores ?? {});
  if (!names.length) return [];
  const scores = names.filter((name) => IN_COMPOSITE.includes(name)).map((name) => {
    return h("span", { "data-dimension": name }, `${plain(name)} `, scoreValue(turn.scores[name]));
  });
  const revised = names.filter((name) => turn.scores[name].at_first !== undefined);
  const inferred = names.filter((name) => turn.scores[name].inferred).map(plain);
  const absent = Object.entries(turn.absent ?? {});
  const hasTotal = typeof turn.composite === "number";
  const composite = [h("b", {}, tenths(turn.composite)), outOf(turn.composite_maximum ?? COMPOSITE_MAXIMUM)];
  const total = hasTotal && h("span.total", { "data-dimension": "composite" }, "composite ", composite);
  return [
    h("p.scores", {}, scores, total, revised.length > 0 && revisedLabel(revised, turn.scores)),
    turn.rescored && h("p.scores.none", {}, `${capital(turn.rescored.text)}.`),
    inferred.length > 0 && h("p.scores.none", {}, SCORES.inferred(inferred)),
    ...absent.map(([name, { reason }]) => h("p.scores.none", {}, SCORES.absent(plain(name), reason))),
  ].filter(Boolean);
}

/** Which scores have changed since the turn was judged; those that fell in the colour of a penalty. */
function revisedLabel(names, scores) {
  const isLower = (name) => scores[name].effective < scores[name].at_first;
  return h("span.revised", {}, SCORES.revised, names.map((name, i) => {
    return [i > 0 && ", ", h(`span${isLower(name) ? ".dock" : ""}`, {}, plain(name))];
  }));
}

const outOf = (maximum) => maximum > 0 && h("span.quiet", {}, `/${number(maximum)}`);

/** The effective score, earlier values struck through, and the reason in a word. */
function scoreValue({ raw, first = raw, effective, maximum, spread, at_first: atFirst = effective }) {
  const isChangedLater = atFirst !== effective;
  const isRuled = first !== atFirst;
  const was = (words, value) => parts.push(h("s", {}, hiddenText(words), number(value)), " ");
  const parts = [];
  if (isRuled) was(SCORES.given, first);
  if (isChangedLater) was(SCORES.admitted, atFirst);
  if (first !== raw) was(SCORES.median, raw);
  parts.push(h("b", {}, number(effective)), outOf(maximum));
  if (spread > 0) parts.push(h("span.spread", {}, ` ±${number(spread / 2)}`));
  if (isChangedLater) parts.push(" ", h(`span.word${effective < atFirst ? ".dock" : ""}`, {}, SCORES.changedLater));
  else if (isRuled) parts.push(" ", h("span.word", {}, atFirst < first ? SCORES.lowered : SCORES.raised));
  return parts;
}

/**
 * `<details>` with the reasons for a score: the ledger, then every component with its points, reason and quote.
 * @param {object} turn
 * @param {(name: string | null) => void} highlight Highlights the words of a quote.
 * @param {Fillable} ledger
 * @param {{name: (text: string) => string, begins: Child[], sections: () => Promise<HTMLElement[]>}} words
 *   `name` names the sides in the judge's words; `begins` come first and `sections` last.
 * @returns {HTMLElement | null} Null if the turn has no components.
 */
export function whyDetails(turn, highlight, { list, fill }, { name: named, begins, sections }) {
  if (!turn.scores || isMissing(turn.scores)) return null;
  const names = ordered(turn.scores).filter((name) => turn.components?.[name]);
  if (!names.length) return null;
  const reasons = h("div.reasons");
  function toggle({ target }) {
    if (!target.matches(".why")) return;
    target.closest(".turn").classList.toggle("opened", target.open);
    if (!target.open) return;
    if (!reasons.firstChild) {
      reasons.append(h("section", {}, h("h3", {}, SCORES.entries), list));
      const parts = import("./reasons.js").then(({ dimension }) => names.map((name) => {
        return dimension(name, turn.scores[name], turn.components[name], highlight, named);
      }));
      parts.then((shown) => reasons.append(...shown)).then(sections)
        .then((last) => reasons.append(...last), () => undefined); // The scores stand without them.
    }
    fill();
  }
  return h("details.why", { on: { toggle } }, h("summary", {}, SCORES.why), begins, reasons);
}
