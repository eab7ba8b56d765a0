/** The course of the debate: effective composite by turn, both sides. */

import { h, s } from "./dom.js";
import { NAME, count, number } from "./words.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [380, 150, 28, 8, 10, 24];

/** A graph in `root`; `go(position)` is called when a mark is clicked. */
export function graph(root, go) {
  let last = {};
  return {
    show(view) {
      if (last.turns === view.turns) return;
      last = view;
      const judged = Object.entries(view.turns).map(([n, turn]) => ({ n: Number(n), ...turn })).filter((turn) => turn.judged);
      const scored = judged.filter((turn) => typeof turn.composite === "number");
      root.replaceChildren(scored.length ? drawn(view, judged, scored, go) : h("p.empty", {}, "The composite of every judged turn is drawn here."));
    },
  };
}

function drawn(view, judged, scored, go) {
  const values = scored.map(({ composite }) => composite);
  const low = Math.max(0, Math.floor((Math.min(...values) - 5) / 20) * 20);
  const high = Math.max(low + 40, Math.ceil((Math.max(...values) + 2) / 20) * 20);
  const last = Math.max(view.turns_planned, ...judged.map(({ n }) => n), 2);
  const x = (n) => LEFT + 10 + ((n - 1) / (last - 1)) * (WIDTH - LEFT - RIGHT - 20);
  const y = (value) => TOP + (1 - (value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const rows = Array.from({ length: (high - low) / 20 + 1 }, (_, i) => low + i * 20);
  const every = Math.ceil(last / 14);
  const label = `Composite by turn. ${["pro", "con"].map((side) => `${NAME[side]}: ${
    judged.filter((turn) => turn.side === side).map((turn) => `turn ${turn.n} ${typeof turn.composite === "number" ? number(turn.composite) : "no score"}`).join(", ") || "none yet"}`).join(". ")}.`;
  const picture = s("svg.graph", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
    s("g.grid", {}, ...rows.map((value) => s("path", { d: `M${LEFT} ${y(value)}H${WIDTH - RIGHT}` }))),
    ...rows.map((value) => s("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, String(value))),
    ...Array.from({ length: last }, (_, i) => i + 1).filter((n) => n === 1 || n % every === 0 || n === last)
      .map((n) => s("text", { x: x(n), y: HEIGHT - 6, "text-anchor": "middle" }, String(n))),
    ...["pro", "con"].map((side) => s(`path.line.${side}`, {
      d: runs(judged.filter((turn) => turn.side === side)).map((run) => run.map((turn, i) => `${i ? "L" : "M"}${x(turn.n)} ${y(turn.composite)}`).join("")).join(""),
    })),
    ...judged.map((turn) => mark(turn, x(turn.n), typeof turn.composite === "number" ? y(turn.composite) : HEIGHT - BOTTOM, go)));
  return h("figure", {}, picture, h("figcaption.quiet", {}, `● Pro, solid · ▲ Con, dashed · ${count(scored.length, "judged turn")}`));
}

/** A side's scored turns without a gap: a missing score breaks the line. */
function runs(turns) {
  const found = [[]];
  for (const turn of turns) {
    if (typeof turn.composite === "number") found.at(-1).push(turn);
    else found.push([]);
  }
  return found.filter((run) => run.length);
}

function mark(turn, x, y, go) {
  const isScored = typeof turn.composite === "number";
  const title = s("title", {}, `${NAME[turn.side]}, turn ${turn.n}: ${isScored ? number(turn.composite) : "no score"}`);
  const shape = !isScored
    ? s("path.absent", { d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8` })
    : turn.side === "pro" ? s("circle", { cx: x, cy: y, r: 4.5 }) : s("path", { d: `M${x} ${y - 5.5}l5.5 10h-11z` });
  return s(`g.mark.${turn.side}`, { on: { click: () => go(turn.judged) } },
    title, s("circle.target", { cx: x, cy: y, r: 12 }),
    turn.changed?.length > 0 && s("circle.changed", { cx: x, cy: y, r: 8 }), shape);
}
