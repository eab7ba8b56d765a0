/** How far raters agree, where each of them stands, how agreement moved. */

import { h, s } from "./dom.js";
import { figure, isMissing, plain } from "./words.js";

const LEFT = 10;
const SPAN = 300;
const along = (value) => LEFT + Math.min(Math.max(value, 0), 1) * SPAN;

/** A coefficient on a scale from 0 to 1 with its interval; `edges` are the bands' lower ends by name. */
export function scale({ value, low, high }, edges, label) {
  const bands = [["unacceptable", 0], ...edges].map(([name, from], i, all) => ({ name, from, to: all[i + 1]?.[1] ?? 1 }));
  return s("svg.scale", { viewBox: "0 0 320 64", role: "img", "aria-label": label },
    ...bands.map(({ name, from, to }, i) => s("g", {},
      s(`rect.band.b${bands.length - 1 - i}`, { x: along(from), y: 16, width: along(to) - along(from) - 1, height: 12 }),
      s("text", { x: (along(from) + along(to)) / 2, y: i % 2 ? 58 : 45, "text-anchor": "middle" }, name),
      i > 0 && s("text.edge", { x: along(from), y: 10, "text-anchor": "middle" }, figure(from).replace(/^0/, "")))),
    s("text.edge", { x: along(0), y: 10, "text-anchor": "middle" }, "0"), s("text.edge", { x: along(1), y: 10, "text-anchor": "middle" }, "1"),
    s("path.range", { d: `M${along(low)} 22H${along(high)}M${along(low)} 17v10M${along(high)} 17v10` }),
    s("circle.value", { cx: along(value), cy: 22, r: 5.5 }));
}

/** Raters' scores on a line from 1 to 10: `scores` by rater. */
export function dots(scores, low = 1, high = 10) {
  const x = (value) => 14 + ((value - low) / (high - low)) * 292;
  const rows = [];
  const placed = Object.entries(scores).sort(([, a], [, b]) => a - b).map(([name, value]) => {
    let row = rows.findIndex((taken) => x(value) - taken >= 19);
    if (row < 0) row = rows.push(0) - 1;
    rows[row] = x(value);
    return { name, value, row };
  });
  const floor = 12 + rows.length * 20;
  return s("svg.dots", { viewBox: `0 0 320 ${floor + 20}`, role: "img", "aria-label": placed.map(({ name, value }) => `${plain(name)} ${figure(value)}`).join(", ") },
    s("path.axis", { d: `M14 ${floor}H306${Array.from({ length: high - low + 1 }, (_, i) => `M${x(low + i)} ${floor - 3}v6`).join("")}` }),
    ...[low, (low + high) / 2, high].map((value) => s("text", { x: x(value), y: floor + 17, "text-anchor": "middle" }, String(value))),
    ...placed.map(({ name, value, row }) => s("g", {}, s("title", {}, `${plain(name)}: ${figure(value)}`),
      s("circle", { cx: x(value), cy: floor - 12 - row * 20, r: 9 }),
      s("text.letter", { x: x(value), y: floor - 8 - row * 20, "text-anchor": "middle" }, plain(name).charAt(0).toUpperCase()))));
}

/** Agreement before the first round and after each, 0 to 1. */
export function course(rounds) {
  const values = [rounds[0]?.before, ...rounds.map(({ after }) => after)];
  const known = values.map((value, i) => ({ value, i })).filter(({ value }) => typeof value === "number");
  const x = (i) => 48 + (values.length > 1 ? i / (values.length - 1) : 0) * 244;
  const y = (value) => 14 + (1 - value) * 66;
  return h("figure", {}, s("svg.course", { viewBox: "0 0 320 104", role: "img", "aria-label": `Agreement: ${values.map((value, i) => `${i ? `after round ${i}` : "before"} ${isMissing(value) ? "not measured" : figure(value)}`).join(", ")}` },
    ...[[0, "0"], [0.5, ".5"], [1, "1"]].map(([value, text]) => s("g", {}, s("path.grid", { d: `M22 ${y(value)}H306` }), s("text", { x: 17, y: y(value) + 4, "text-anchor": "end" }, text))),
    s("path.line", { d: known.map(({ value, i }, at) => `${at ? "L" : "M"}${x(i)} ${y(value)}`).join("") }),
    ...known.map(({ value, i }) => s("g", {}, s("circle", { cx: x(i), cy: y(value), r: 4 }), s("text.value", { x: x(i), y: y(value) - 8, "text-anchor": "middle" }, figure(value)))),
    ...values.map((_, i) => s("text", { x: x(i), y: 100, "text-anchor": "middle" }, i ? `round ${i}` : "before"))));
}
