/** The course of the debate: effective composite by turn, both sides, with what it was before and how far samples spread. */

import { h, s } from "./dom.js";
import { NAME, count, number } from "./words.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [380, 150, 28, 8, 10, 24];

/** A graph in `root`; `go(position)` is called when a turn is pressed. */
export function graph(root, go) {
  let last = {};
  const marks = new WeakMap();   // turn as it stood → its mark
  return {
    /** `at`: the turn that the cursor stands in; null at the newest event. */
    show(view, at) {
      if (last.turns === view.turns && last.at === at) return;
      const isSame = last.turns === view.turns;
      last = { turns: view.turns, at };
      if (isSame && root.querySelector("svg")) return point(root.querySelector(".cursor"), at);
      const judged = Object.entries(view.turns).map(([n, turn]) => ({ n: Number(n), of: turn, ...turn })).filter((turn) => turn.judged);
      const scored = judged.filter((turn) => typeof turn.composite === "number");
      root.replaceChildren(scored.length ? drawn(view, judged, scored, at, go, marks) : h("p.empty", {}, "The composite of every judged turn is drawn here."));
      return undefined;
    },
  };
}

function point(cursor, at) {
  cursor.toggleAttribute("hidden", !at);
  if (at) cursor.setAttribute("transform", `translate(${Number(cursor.dataset.left) + at * Number(cursor.dataset.step)})`);
}

function drawn(view, judged, scored, at, go, marks) {
  const values = scored.flatMap(({ composite, composite_admitted: before, composite_spread: spread = 0 }) => [composite + spread / 2, composite - spread / 2, before ?? composite]);
  const low = Math.max(0, Math.floor((Math.min(...values) - 5) / 20) * 20);
  const high = Math.max(low + 40, Math.ceil((Math.max(...values) + 2) / 20) * 20);
  const last = Math.max(view.turns_planned, ...judged.map(({ n }) => n), 2);
  const wide = (WIDTH - LEFT - RIGHT - 20) / (last - 1);
  const x = (n) => LEFT + 10 + (n - 1) * wide;
  const y = (value) => TOP + (1 - (value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const rows = Array.from({ length: (high - low) / 20 + 1 }, (_, i) => low + i * 20);
  const every = Math.ceil(last / 14);
  const cursor = s("g.cursor", { "data-left": LEFT + 10 - wide, "data-step": wide }, s("path", { d: `M0 ${TOP - 4}V${HEIGHT - BOTTOM}` }));
  point(cursor, at);
  const picture = s("svg.graph", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": "Composite by turn" },
    s("g.grid", {}, ...rows.map((value) => s("path", { d: `M${LEFT} ${y(value)}H${WIDTH - RIGHT}` }))), cursor,
    ...rows.map((value) => s("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, String(value))),
    ...Array.from({ length: last }, (_, i) => i + 1).filter((n) => n === 1 || n % every === 0 || n === last)
      .map((n) => s("text", { x: x(n), y: HEIGHT - 6, "text-anchor": "middle" }, String(n))),
    ...["pro", "con"].map((side) => s(`path.line.${side}`, {
      d: runs(judged.filter((turn) => turn.side === side)).map((run) => run.map((turn, i) => `${i ? "L" : "M"}${x(turn.n)} ${y(turn.composite)}`).join("")).join(""),
    })),
    ...judged.map((turn) => {
      const place = `${last} ${low} ${high}`;
      const known = marks.get(turn.of);
      const made = known?.place === place ? known.made : mark(turn, x(turn.n), y, Math.min(12, wide / 2), go);
      marks.set(turn.of, { place, made });
      return made;
    }));
  const isChanged = scored.some(({ composite_admitted: before }) => before !== undefined);
  const isSpread = scored.some(({ composite_spread: spread }) => spread);
  return h("figure", {}, picture, h("figcaption.quiet", {},
    ["● Pro, solid", "▲ Con, dashed", isChanged && "◌ as first scored", isSpread && "┃ at most this far apart over the samples", count(scored.length, "judged turn")].filter(Boolean).join(" · ")));
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

const shape = (side, x, y) => (side === "pro" ? s("circle", { cx: x, cy: y, r: 4.5 }) : s("path", { d: `M${x} ${y - 5.5}l5.5 10h-11z` }));

function mark(turn, x, height, reach, go) {
  const { composite, composite_admitted: before, composite_spread: spread } = turn;
  const isScored = typeof composite === "number";
  const y = isScored ? height(composite) : HEIGHT - BOTTOM;
  const title = `${NAME[turn.side]}, turn ${turn.n}: ${isScored ? number(composite) : "no score"}${before === undefined ? "" : `, first ${number(before)}`}${spread ? `, at most ${number(spread)} apart` : ""}`;
  return s(`a.mark.${turn.side}`, { href: `#e${turn.judged}`, "aria-label": title, tabindex: reach < 7 ? "-1" : undefined, on: { click: (event) => { event.preventDefault(); go(turn.judged); } } },
    s("title", {}, title), s("rect.target", { x: x - reach, y: TOP, width: 2 * reach, height: HEIGHT - TOP - BOTTOM }),
    spread && s("path.spread", { d: `M${x} ${height(composite + spread / 2)}V${height(composite - spread / 2)}` }),
    before !== undefined && s("path.fall", { d: `M${x} ${height(before)}V${y}` }),
    before !== undefined && s("circle.changed", { cx: x, cy: height(before), r: 4 }),
    isScored ? shape(turn.side, x, y) : s("path.absent", { d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8` }));
}
