/** One turn's scores: the line of numbers, and on demand what every number rests on. */

import { h, heard } from "./dom.js";
import { DIMENSIONS, IN_COMPOSITE, isMissing, number, plain } from "./words.js";

/** Dimensions in the order of the scorecard; what a rubric brings after them. */
export function ordered(scores) {
  const names = Object.keys(scores);
  return [...DIMENSIONS.filter((name) => names.includes(name)), ...names.filter((name) => !DIMENSIONS.includes(name))];
}

/** The verified quotes of a turn as spans to mark: `{name: "logic/cause", span}`. */
export function spans(turn) {
  return Object.entries(turn.components ?? {}).flatMap(([dimension, parts]) =>
    Object.entries(parts).filter(([, part]) => part.verified && part.span)
      .map(([part, { span }]) => ({ name: `${dimension}/${part}`, span })));
}

/** The line under a judged turn. */
export function scoreLine(turn) {
  if (isMissing(turn.scores)) return [h("p.scores.none", {}, h("b", {}, "No score: "), turn.scores.missing.reason)];
  const names = ordered(turn.scores ?? {});
  if (!names.length) return [];
  const shown = names.filter((name) => IN_COMPOSITE.includes(name));
  return [h("p.scores", {},
    ...shown.map((name) => h("span", { "data-dimension": name }, `${plain(name)} `, ...value(turn.scores[name]))),
    typeof turn.composite === "number" && h("span.total", { "data-dimension": "composite" }, "composite ", h("b", {}, number(turn.composite))),
    turn.changed?.length > 0 && h("span.revised", {}, "revised"))];
}

/** What counts now, with what it was before struck through and the reason in a word. */
function value({ raw, admitted, effective, spread }) {
  const parts = [];
  if (raw !== admitted) parts.push(h("s", {}, heard("the judge gave "), number(raw)), " ");
  if (admitted !== effective) parts.push(h("s", {}, heard("the rules admitted "), number(admitted)), " ");
  parts.push(h("b", {}, number(effective)));
  if (spread > 0) parts.push(h("span.spread", {}, ` ±${number(spread / 2)}`));
  if (admitted !== effective) parts.push(" ", h("span.word.dock", {}, "changed later"));
  else if (raw !== admitted) parts.push(" ", h("span.word", {}, admitted < raw ? "lowered by rule" : "raised by rule"));
  return parts;
}

/** `<details>`: the ledger, then every component with its points, reason and quote.  `light(name | null)` marks the words meant. */
export function why(turn, light, { list, fill }) {
  if (!turn.scores || isMissing(turn.scores)) return null;
  const names = ordered(turn.scores).filter((name) => turn.components?.[name]);
  if (!names.length) return null;
  const reasons = h("div.reasons");
  return h("details.why", { on: { toggle: ({ target }) => {
    if (!target.matches(".why")) return;
    target.closest(".turn").classList.toggle("opened", target.open);
    if (!target.open) return;
    if (!reasons.firstChild) reasons.append(h("section", {}, h("h3", {}, "Every entry, in order"), list), ...names.map((name) => dimension(name, turn.scores[name], turn.components[name], light)));
    fill();
  } } }, h("summary", {}, "why this score"), reasons);
}

function dimension(name, score, components, light) {
  const parts = Object.entries(components);
  const isWhole = parts.length === 1 && parts[0][0] === name;
  return h("section", {},
    h("h3", {}, h("span.name", {}, plain(name)), " ", h("span.of", {}, ...points(score.raw, score.effective, score.maximum)),
      !IN_COMPOSITE.includes(name) && h("span.word", {}, "not in the composite")),
    rules(score.rules),
    h(`ul.components${isWhole ? ".whole" : ""}`, {}, ...parts.map(([part, component]) => row(`${name}/${part}`, part, component, light))));
}

function row(id, name, component, light) {
  const lit = component.verified && component.span
    ? { pointerenter: () => light(id), pointerleave: () => light(null), focusin: () => light(id), focusout: () => light(null) }
    : {};
  return h("li", { on: lit, tabindex: component.span ? "0" : undefined },
    h("span.part", {}, plain(name)),
    h("span.of", {}, ...points(component.raw, component.admitted, component.maximum)),
    h("div.because", {},
      component.reason && h("p", {}, component.reason),
      component.quote && h("p.quote", {}, h("q", {}, component.quote)),
      component.quote && !component.verified && h("p.unverified", {}, "not verified in the turn: at most half counts"),
      rules(component.rules)));
}

function points(before, now, maximum) {
  return [before !== now && h("s", {}, heard("was "), number(before)), before !== now && " ", h("b", {}, number(now)), ` of ${number(maximum)}`];
}

function rules(texts) {
  return texts?.length > 0 && h("ul.rules", { "aria-label": "Rules" }, ...texts.map((text) => h("li", {}, text)));
}
