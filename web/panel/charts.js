/** Charts of a panel: the agreement of the raters, the score of each, and the agreement over the rounds. */

import { h, svg } from "../parts/dom.js";
import { capital, figure, isMissing, plain } from "../words/formatting.js";
import { CHARTS } from "../words/panel.js";

const LEFT = 10;
const SPAN = 300;
const scaleX = (value) => LEFT + Math.min(Math.max(value, 0), 1) * SPAN;

const centred = (x, y, text, kind = "") => svg(`text${kind}`, { x, y, "text-anchor": "middle" }, text);

/**
 * A coefficient on a scale from 0 to 1, with its interval and the bands.
 * @param {{value: number, low: number, high: number}} coefficient
 * @param {[name: string, from: number][]} edges The bands above the lowest, each with its lower end.
 * @param {string} label
 * @returns {SVGElement}
 */
export function intervalScale({ value, low, high }, edges, label) {
  const bands = [[CHARTS.lowestBand, 0], ...edges].map(([name, from], i, all) => {
    return { name, from, to: all[i + 1]?.[1] ?? 1 };
  });
  const widthOf = ({ from, to }) => scaleX(to) - scaleX(from) - 1;
  const band = ({ name, from, to }, i) => svg("g", {},
    svg(`rect.band.b${bands.length - 1 - i}`, { x: scaleX(from), y: 16, width: widthOf({ from, to }), height: 12 }),
    centred((scaleX(from) + scaleX(to)) / 2, i % 2 ? 58 : 45, name),
    i > 0 && centred(scaleX(from), 10, figure(from).replace(/^0/, ""), ".edge"));
  const range = `M${scaleX(low)} 22H${scaleX(high)}M${scaleX(low)} 17v10M${scaleX(high)} 17v10`;
  return svg("svg.scale", { viewBox: "0 0 320 64", role: "img", "aria-label": label },
    bands.map(band),
    centred(scaleX(0), 10, "0", ".edge"),
    centred(scaleX(1), 10, "1", ".edge"),
    svg("path.range", { d: range }),
    svg("circle.value", { cx: scaleX(value), cy: 22, r: 5.5 }));
}

/**
 * The score of each rater on a line.
 * @param {Record<string, number>} scores By rater.
 * @param {number} [low]
 * @param {number} [high]
 * @returns {SVGElement}
 */
export function dotPlot(scores, low = 1, high = 10) {
  const onScale = (value) => Math.min(Math.max(value, low - 0.4), high + 0.4); // calibration may leave the scale
  const x = (value) => 14 + ((onScale(value) - low) / (high - low)) * 292;
  const rows = [];
  const placed = Object.entries(scores).sort(([, a], [, b]) => a - b).map(([name, value]) => {
    let row = rows.findIndex((taken) => x(value) - taken >= 19);
    if (row < 0) row = rows.push(0) - 1;
    rows[row] = x(value);
    return { name, value, row };
  });
  const floor = 12 + rows.length * 20;
  const steps = Array.from({ length: high - low + 1 }, (_, i) => `M${x(low + i)} ${floor - 3}v6`);
  const label = placed.map(({ name, value }) => `${plain(name)} ${figure(value)}`).join(", ");
  const dot = ({ name, value, row }) => svg("g", {},
    svg("title", {}, `${plain(name)}: ${figure(value)}`),
    svg("circle", { cx: x(value), cy: floor - 12 - row * 20, r: 9 }),
    centred(x(value), floor - 8 - row * 20, capital(plain(name)).charAt(0), ".letter"));
  return svg("svg.dots", { viewBox: `0 0 320 ${floor + 20}`, role: "img", "aria-label": label },
    svg("path.axis", { d: `M14 ${floor}H306${steps.join("")}` }),
    [low, (low + high) / 2, high].map((value) => centred(x(value), floor + 17, String(value))),
    placed.map(dot));
}

/**
 * Agreement from 0 to 1: before the first round, and after each.
 * @param {{before: number, after: number | object}[]} rounds
 * @returns {HTMLElement}
 */
export function agreementChart(rounds) {
  const values = [rounds[0]?.before, ...rounds.map(({ after }) => after)];
  const known = values.map((value, i) => ({ value, i })).filter(({ value }) => typeof value === "number");
  const x = (i) => 48 + (values.length > 1 ? i / (values.length - 1) : 0) * 244;
  const y = (value) => 14 + (1 - value) * 66;
  const line = known.map(({ value, i }, at) => `${at ? "L" : "M"}${x(i)} ${y(value)}`).join("");
  const label = values.map((value, i) => CHARTS.roundValue(i, isMissing(value) ? CHARTS.notMeasured : figure(value)));
  const gridLine = ([value, text]) => svg("g", {},
    svg("path.grid", { d: `M22 ${y(value)}H306` }),
    svg("text", { x: 17, y: y(value) + 4, "text-anchor": "end" }, text));
  const point = ({ value, i }) => svg("g", {},
    svg("circle", { cx: x(i), cy: y(value), r: 4 }),
    centred(x(i), y(value) - 8, figure(value), ".value"));
  return h("figure", {}, svg("svg.course", {
    viewBox: "0 0 320 104",
    role: "img",
    "aria-label": CHARTS.agreement(label.join(", ")),
  },
  [[0, "0"], [0.5, ".5"], [1, "1"]].map(gridLine),
  svg("path.line", { d: line }),
  known.map(point),
  values.map((_, i) => centred(x(i), 100, CHARTS.round(i)))));
}
